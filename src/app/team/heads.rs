//! The progress of a match, in numbers: each live page hears only those that its viewer may see.

use std::fmt::Write as _;
use std::sync::Arc;

use perplex_matches::id::MatchId;
use perplex_matches::team::policy::{Rights, Viewer, head_for, number_for, shows};
use perplex_matches::team::{Happened, Logged, Match, Phase};

use super::lesson::is_hand_up;
use super::talk::{read_talk, readable_of};
use super::{TeamAccess, admitted, find, has_eyes_up, invitation_of, viewer_of};
use crate::app::aggregate::state_of;
use crate::app::live::Listening;
use crate::app::snapshots::TeamSnapshot;
use crate::app::{App, AppError, Viewer as Account};
use crate::store::{invited_addresses, members};

#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct TeamHeads {
    pub event: i32,
    /// The last event that changed the people as the viewer sees them: teams, duties, their own vote, how far the
    /// match has come.
    pub people: i32,
    /// In a lesson, true if the viewer asks the teacher for help.
    pub hand: Option<bool>,
    /// For each board that the viewer may see, its number and the last event that changed its rendering.
    pub boards: Vec<(u8, i32)>,
    /// For each channel that the viewer may read, its number and head.
    pub talk: Vec<(i32, i32)>,
    /// Number of changes to what waits for the teacher of a lesson; for the teacher.
    pub door: Option<i32>,
}

impl TeamHeads {
    /// The number for all the talk that the viewer may read, and for the people to talk with.
    pub fn talk(&self) -> String {
        let mut text = self.people.to_string();
        for (channel, head) in &self.talk {
            let _ = write!(text, "_{channel}.{head}");
        }
        text
    }
}

/// What a lesson asks of a pupil who is on a page beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LessonAsks {
    Nothing,
    /// To wait until it begins.
    Wait,
    /// To play.
    Play,
    /// To look up.
    EyesUp,
}

impl App {
    /// What the lesson of a pupil asks for. The pupil is there, even if on another page.
    pub async fn lesson_asks(&self, pupil: &Account, id: &MatchId) -> Result<LessonAsks, AppError> {
        let snapshot = self.team_snapshot(id).await?;
        let access = TeamAccess {
            account: Some(pupil.clone()),
            ..TeamAccess::default()
        };
        let viewer = self.viewer_in(&snapshot, &access);
        self.note_presence(id, &snapshot.state, &viewer);
        let TeamSnapshot { row, state, .. } = &snapshot;
        Ok(match state.phase {
            _ if viewer.member.is_none() => LessonAsks::Nothing,
            Phase::Gathering => LessonAsks::Wait,
            Phase::Playing => LessonAsks::Play,
            Phase::Paused if state.gathers_again() => LessonAsks::Wait,
            Phase::Paused if has_eyes_up(state, row.code.is_some()) => LessonAsks::EyesUp,
            _ => LessonAsks::Nothing,
        })
    }

    pub async fn team_heads(
        &self,
        access: &TeamAccess,
        id: &MatchId,
    ) -> Result<TeamHeads, AppError> {
        let snapshot = self.team_snapshot(id).await?;
        let heads = self.team_heads_in(&snapshot, access)?;
        let viewer = self.viewer_in(&snapshot, access);
        self.note_presence(id, &snapshot.state, &viewer);
        Ok(heads)
    }

    pub async fn team_heads_heard(
        &self,
        access: &TeamAccess,
        id: &MatchId,
        listening: &mut Listening<TeamSnapshot>,
    ) -> Result<TeamHeads, AppError> {
        let snapshot = listening.latest(self.team_snapshot(id)).await?;
        self.team_heads_in(&snapshot, access)
    }

    pub(super) async fn team_snapshot(&self, id: &MatchId) -> Result<TeamSnapshot, AppError> {
        let (kept, asked) = (self.teams.cached(id), id.clone());
        let snapshot = self
            .read(move |conn| {
                let row = find(conn, &asked)?;
                Ok::<_, AppError>(TeamSnapshot {
                    hosts: row.hosts(conn)?,
                    state: state_of(conn, &asked, row.head, kept)?,
                    members: members::of_match(conn, &asked)?,
                    invited: invited_addresses::of_match(conn, &asked)?,
                    talk: read_talk(conn, &asked)?,
                    row,
                })
            })
            .await?;
        self.teams.cache(id, &snapshot.state);
        Ok(snapshot)
    }

    fn viewer_in(&self, snapshot: &TeamSnapshot, access: &TeamAccess) -> Viewer {
        let TeamSnapshot {
            row,
            hosts,
            members,
            invited,
            ..
        } = snapshot;
        let by_invitation = invitation_of(access, &self.key, row, invited).is_some();
        viewer_of(access, &self.key, row, hosts, members, by_invitation)
    }

    fn team_heads_in(
        &self,
        snapshot: &TeamSnapshot,
        access: &TeamAccess,
    ) -> Result<TeamHeads, AppError> {
        let viewer = self.viewer_in(snapshot, access);
        let rights = admitted(
            &snapshot.state,
            &viewer,
            access.account.as_ref(),
            &snapshot.row,
        )?;
        let talk = readable_of(&snapshot.talk, &viewer, &rights)
            .into_iter()
            .map(|channel| (channel.number, channel.head))
            .collect();
        let lesson = snapshot.row.class_id.as_ref().map(|_| Waiting {
            door: snapshot.row.door,
            hand: is_hand_up(&snapshot.members, &viewer),
        });
        Ok(heads_of(&snapshot.state, &viewer, &rights, talk, lesson))
    }
}

/// The number of the last event that a viewer sees.
pub(super) fn last_seen(
    state: &Match,
    viewer: &Viewer,
    rights: &Rights,
    right: impl Fn(&Happened) -> bool,
) -> i32 {
    state
        .log
        .iter()
        .rev()
        .find(|logged| right(&logged.happened) && shows(rights, viewer, logged))
        .map_or(0, |logged| logged.event.number)
}

/// What waits for the teacher of a lesson.
#[derive(Clone, Copy)]
pub(super) struct Waiting {
    /// The number of changes to it.
    pub door: i32,
    /// True if the viewer asks for help.
    pub hand: bool,
}

pub(super) fn heads_of(
    state: &Match,
    viewer: &Viewer,
    rights: &Rights,
    talk: Vec<(i32, i32)>,
    lesson: Option<Waiting>,
) -> TeamHeads {
    let people = last_seen(state, viewer, rights, |happened| {
        // A member whose right to talk has changed, or whose message was removed, learns it this way, too.
        happened.is_about_people()
            || matches!(
                happened,
                Happened::TermsSettled(_)
                    | Happened::Started
                    | Happened::Paused
                    | Happened::Resumed
                    | Happened::JoinableSet(_)
                    | Happened::TalkSet(_)
                    | Happened::MessageRemoved(_)
            )
    });
    // Who is there shows, also where nobody is told who went by whom.
    let mut log = state.log.iter().rev();
    let left = log.find(|logged| matches!(logged.happened, Happened::Left(_)));
    let people = people.max(left.map_or(0, |logged| logged.event.number));
    let event = last_seen(state, viewer, rights, |_| true);
    // A member who joins or leaves a team, or gets other duties, has another large board: every board has to be
    // rendered again.
    let mine = |logged: &&Arc<Logged>| match (&logged.happened, viewer.member) {
        (
            Happened::Joined { member, .. }
            | Happened::TeamChanged { member, .. }
            | Happened::Left(member),
            Some(me),
        ) => *member == me,
        (Happened::DutiesChanged { before, after, .. }, Some(me)) => before.of(me) != after.of(me),
        _ => false,
    };
    let came = state.log.iter().rev().find(mine);
    let came = came.map_or(0, |logged| logged.event.number);
    let over = state.phase == Phase::Over;
    TeamHeads {
        event: head_for(state, viewer, rights, event),
        people: head_for(state, viewer, rights, if over { event } else { people }),
        boards: state
            .boards
            .numbers()
            .zip(&state.statuses)
            .filter(|(number, _)| rights.boards.contains(number))
            .map(|(number, status)| (number.0, status.touched.max(came)))
            .map(|(board, event)| (board, number_for(state, viewer, rights, event)))
            .collect(),
        talk,
        hand: lesson.map(|lesson| lesson.hand),
        door: lesson.map(|lesson| lesson.door).filter(|_| viewer.host),
    }
}
