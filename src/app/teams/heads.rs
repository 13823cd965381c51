//! How far a match has come, in numbers: what live pages hear, each only of what its viewer may see.

use std::sync::Arc;

use super::talk::{Talk, readable_of};
use super::{Loaded, Visit, admitted, of_class, state_of, viewer_of};
use crate::app::live::Listening;
use crate::app::{App, AppError};
use crate::store::teams::{self, MemberRow};
use perplex_matches::id::ClassId;
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::team::event::What;
use perplex_matches::team::policy::{Rights, Viewer, shows};
use perplex_matches::team::{Logged, Match, Phase};

/// How far a match has come for one viewer: numbers only, and only of what the viewer may see.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct TeamHeads {
    /// The last event that the viewer may see.
    pub event: i32,
    /// The last one that changed what the viewer sees of people: teams, duties, the own vote, how far the match
    /// has come.
    pub people: i32,
    /// For each board that the viewer may see, its number and the last event that changed its looks.
    pub boards: Vec<(u8, i32)>,
    /// For each channel that the viewer may read, its number and head.
    pub talk: Vec<(i32, i32)>,
}

/// A match as it is at one moment: as much of it as its numbers need.
pub struct Moment {
    hosts: Vec<AccountId>,
    class: Option<ClassId>,
    state: Arc<Match>,
    members: Vec<MemberRow>,
    talk: Talk,
}

impl App {
    /// How far a match has come for whoever comes.
    ///
    /// # Errors
    /// Not found, also for whoever may not see it.
    pub async fn team_heads(&self, visit: &Visit, id: &MatchId) -> Result<TeamHeads, AppError> {
        let moment = self.team_moment(id).await?;
        let heads = self.team_heads_in(&moment, visit, id)?;
        let account = visit.account.as_ref();
        let viewer = viewer_of(account, &moment.hosts, &moment.members, false, false);
        self.note_presence(id, &moment.state, &viewer);
        Ok(heads)
    }

    /// [`team_heads`](Self::team_heads) after a change of which somebody has heard.
    ///
    /// # Errors
    /// As `team_heads`.
    pub async fn team_heads_heard(
        &self,
        visit: &Visit,
        id: &MatchId,
        listening: &mut Listening<Moment>,
    ) -> Result<TeamHeads, AppError> {
        let moment = listening.look(self.team_moment(id)).await?;
        self.team_heads_in(&moment, visit, id)
    }

    async fn team_moment(&self, id: &MatchId) -> Result<Moment, AppError> {
        let (kept, asked) = (self.kept_team(id), id.clone());
        let moment = self
            .store
            .read(move |conn| {
                let row = teams::find(conn, &asked)?.ok_or(AppError::NotFound)?;
                Ok::<_, AppError>(Moment {
                    hosts: row.hosts(conn)?,
                    class: row.class_id,
                    state: state_of(conn, &asked, row.head, kept)?,
                    members: teams::members_of(conn, &asked)?,
                    talk: Talk::read(conn, &asked)?,
                })
            })
            .await?;
        self.keep_team(id, &moment.state);
        Ok(moment)
    }

    fn team_heads_in(
        &self,
        moment: &Moment,
        visit: &Visit,
        id: &MatchId,
    ) -> Result<TeamHeads, AppError> {
        let account = visit.account.as_ref();
        let by_link = self.proof_is_good("team-join", id, visit.link.as_ref());
        let projector = self.proof_is_good("team-show", id, visit.projector.as_ref());
        let by_link = by_link && of_class(account, moment.class.as_ref());
        let viewer = viewer_of(account, &moment.hosts, &moment.members, by_link, projector);
        let rights = admitted(&moment.state, &viewer, account, moment.class.as_ref())?;
        let talk = readable_of(&moment.talk, &viewer, &rights)
            .into_iter()
            .map(|channel| (channel.number, channel.head))
            .collect();
        Ok(heads_of(&moment.state, &viewer, &rights, talk))
    }
}

/// The number of the last event that somebody may see.
pub(super) fn last_shown(loaded: &Loaded) -> i32 {
    last_seen(&loaded.state, &loaded.viewer, &loaded.rights, |_| true)
}

/// The number of the last event that is `right` and that somebody may see.
fn last_seen(
    state: &Match,
    viewer: &Viewer,
    rights: &Rights,
    right: impl Fn(&What) -> bool,
) -> i32 {
    state
        .log
        .iter()
        .rev()
        .find(|logged| right(&logged.event.what) && shows(rights, viewer, logged))
        .map_or(0, |logged| logged.event.number)
}

pub(super) fn heads_of(
    state: &Match,
    viewer: &Viewer,
    rights: &Rights,
    talk: Vec<(i32, i32)>,
) -> TeamHeads {
    let people = last_seen(state, viewer, rights, |what| {
        // Whoever may talk differently now, or of whose talk something was removed, hears of it like this, too.
        what.is_about_people()
            || matches!(
                what,
                What::Terms(_)
                    | What::Start
                    | What::Pause
                    | What::Resume
                    | What::Doors(_)
                    | What::Talk(_)
                    | What::Hush(..)
            )
    });
    let event = last_seen(state, viewer, rights, |_| true);
    // Whoever comes to a team, or goes, or has other duties, sees every board with other eyes: another is the
    // large one then.
    let mine = |logged: &&Arc<Logged>| match (&logged.event.what, viewer.member) {
        (What::Join(id, _) | What::Team(id, _) | What::Leave(id), Some(me)) => *id == me,
        (What::Duties(_, after), Some(me)) => {
            let before = logged.before.as_ref();
            before.is_some_and(|before| before.of(me) != after.of(me))
        }
        _ => false,
    };
    let came = state.log.iter().rev().find(mine);
    let came = came.map_or(0, |logged| logged.event.number);
    TeamHeads {
        event,
        people: if state.phase == Phase::Over {
            event
        } else {
            people
        },
        boards: state
            .boards
            .numbers()
            .zip(&state.desks)
            .filter(|(number, _)| rights.boards.contains(number))
            .map(|(number, desk)| (number.0, desk.touched.max(came)))
            .collect(),
        talk,
    }
}
