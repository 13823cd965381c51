use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::heads::{TeamHeads, heads_of, last_seen};
use super::lesson::{LessonView, add_later};
use super::presence::{Attendance, attendance};
use super::talk::{Channel, readable};
use super::{TeamAccess, host_word};
use crate::app::correspondence::{Name, name_of};
use crate::app::{App, AppError};
use crate::store::{accounts as account_rows, journal, members};
use perplex_matches::id::MatchId;
use perplex_matches::journal::Aggregate as _;
use perplex_matches::team::announce::{Prominence, cards, prominence};
use perplex_matches::team::event::{Actor, MemberId};
use perplex_matches::team::policy::{Rights, Viewer, head_for, number_for, shows};
use perplex_matches::team::{Logged, Match, Refusal};

#[derive(Clone, Debug)]
pub struct TeamView {
    pub id: MatchId,
    pub title: String,
    pub host: Name,
    /// Its state, or an earlier one if the request asks for that.
    pub state: Arc<Match>,
    /// The head that live pages hear for the last event that the viewer may see.
    pub last: i32,
    /// The viewer's number of that event.
    pub last_number: i32,
    pub viewer: Viewer,
    pub rights: Rights,
    pub names: BTreeMap<MemberId, String>,
    pub channels: Vec<Channel>,
    /// The invited players who have not answered; only for the host.
    pub invited: Vec<String>,
    pub join_link: Option<String>,
    pub projector_link: Option<String>,
    pub lesson: Option<LessonView>,
    /// The last event of the journal whose card the viewer has put away.
    pub news_seen: i32,
    cards: OnceLock<Vec<Arc<Logged>>>,
}

/// A right-to-left name with marks that isolate it, so that the text beside it keeps its place.
pub(super) fn isolated(name: String) -> String {
    let is_from_right = |c: char| matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}');
    if name.contains(is_from_right) {
        format!("\u{2068}{name}\u{2069}")
    } else {
        name
    }
}

impl TeamView {
    pub fn name(&self, member: MemberId) -> &str {
        match self.names.get(&member).map_or("", String::as_str) {
            "" => "deleted player",
            name => name,
        }
    }

    /// True if the viewer is the grand strategist of a team.
    pub fn leads_team(&self) -> bool {
        let member = self.viewer.member;
        member.is_some_and(|member| self.state.is_strategist(member))
    }

    pub fn actor(&self, actor: Actor) -> &str {
        match actor {
            Actor::Server => "Perplex",
            Actor::Host if self.lesson.is_some() => "the teacher",
            Actor::Host => "the host",
            Actor::Member(member) => self.name(member),
        }
    }

    pub const fn host_word(&self) -> &'static str {
        host_word(self.lesson.is_some())
    }

    pub const fn refuse(&self, refusal: Refusal) -> AppError {
        AppError::RefusedInTeam(refusal, self.host_word())
    }

    pub fn heads(&self) -> TeamHeads {
        let talk = self
            .channels
            .iter()
            .map(|channel| (channel.number, channel.head))
            .collect();
        let door = self.lesson.as_ref().map(|lesson| lesson.door);
        heads_of(&self.state, &self.viewer, &self.rights, talk, door)
    }

    /// The viewer's number of an event of the journal, as addresses have it.
    pub fn number(&self, event: i32) -> i32 {
        number_for(&self.state, &self.viewer, &self.rights, event)
    }

    /// The head that live pages hear for an event of the journal.
    pub fn head(&self, event: i32) -> i32 {
        head_for(&self.state, &self.viewer, &self.rights, event)
    }

    /// The events that the viewer is to be shown as cards, the oldest first.
    pub fn cards(&self) -> &[Arc<Logged>] {
        self.cards.get_or_init(|| {
            if self.viewer.member.is_none() {
                return Vec::new();
            }
            cards(&self.state, &self.viewer, &self.rights, self.news_seen)
        })
    }

    /// How an event is told to the viewer, if at all.
    pub fn prominence(&self, logged: &Logged) -> Option<Prominence> {
        prominence(&self.state, &self.viewer, &self.rights, logged)
    }

    pub fn log(&self) -> impl DoubleEndedIterator<Item = &Logged> {
        self.state
            .log
            .iter()
            .map(Arc::as_ref)
            .filter(|logged| shows(&self.rights, &self.viewer, logged))
    }
}

impl App {
    /// A team match as the viewer may see it; with `at`, as it stood after the event with that viewer's number.
    pub async fn load_team_match(
        &self,
        access: &TeamAccess,
        id: &MatchId,
        at: Option<i32>,
    ) -> Result<TeamView, AppError> {
        let (asked, now) = (id.clone(), self.now());
        let (loaded, (channels, earlier, host, invited, lesson)) = self
            .load_team(access, id, move |conn, loaded| {
                let (state, viewer, rights) = (&loaded.state, &loaded.viewer, &loaded.rights);
                let is_it = |logged: &&Arc<Logged>| {
                    let number = logged.event.number;
                    shows(rights, viewer, logged)
                        && Some(number_for(state, viewer, rights, number)) == at
                };
                let earlier = match (at, state.log.iter().find(is_it)) {
                    (None, _) => None,
                    (Some(_), Some(logged)) => {
                        let mut events = journal::events::<Match>(conn, &asked, 0)?;
                        events.retain(|event| event.number <= logged.event.number);
                        Some(Arc::new(Match::replay(&events)?))
                    }
                    (Some(_), None) => return Err(AppError::NotFound),
                };
                let mut people = vec![loaded.row.created_by.clone()];
                if loaded.rights.lead {
                    people.extend(members::invited(conn, &asked)?);
                }
                let names = account_rows::names(conn, &people)?;
                let invited: Vec<String> = people[1..]
                    .iter()
                    .map(|account| name_of(account, &names).name)
                    .collect();
                let channels = readable(conn, &asked, &loaded.viewer, &loaded.rights)?;
                Ok((
                    channels,
                    earlier,
                    name_of(&loaded.row.created_by, &names),
                    invited,
                    LessonView::read(conn, loaded, now)?,
                ))
            })
            .await?;
        let mut lesson = lesson;
        if let Some(lesson) = &mut lesson
            && (loaded.viewer.host || loaded.viewer.projector)
        {
            lesson.add_seen(self.presence.seen(id));
        }
        let (state, viewer, rights) = (&loaded.state, &loaded.viewer, &loaded.rights);
        let last = last_seen(state, viewer, rights, |_| true);
        let last_number = number_for(state, viewer, rights, last);
        let last = head_for(state, viewer, rights, last);
        let member = viewer.member;
        let mut members = loaded.members.iter();
        let news_seen = members
            .find(|row| Some(row.id()) == member)
            .map_or(0, |row| row.news_seen);
        let (leads, links) = (loaded.viewer.host, loaded.row.links);
        Ok(TeamView {
            id: id.clone(),
            title: loaded.row.title,
            host,
            state: earlier.unwrap_or(loaded.state),
            last,
            last_number,
            viewer: loaded.viewer,
            rights: loaded.rights,
            names: loaded
                .members
                .into_iter()
                .map(|row| (row.id(), isolated(row.name)))
                .collect(),
            news_seen,
            cards: OnceLock::new(),
            channels,
            invited,
            // Only its pupils join a lesson, and they use its code.
            join_link: (leads && lesson.is_none()).then(|| self.team_join_link(id, links)),
            projector_link: leads.then(|| self.projector_link(id, links)),
            lesson,
        })
    }

    /// Puts away the viewer's cards up to the event that they know by this number.
    pub async fn see_team_news(
        &self,
        access: &TeamAccess,
        id: &MatchId,
        number: i32,
    ) -> Result<(), AppError> {
        let view = self.load_team_match(access, id, None).await?;
        let member = view.viewer.member.ok_or(AppError::NotFound)?;
        let mut events = view.log().map(|logged| logged.event.number).rev();
        let Some(event) = events.find(|event| view.number(*event) <= number) else {
            return Ok(());
        };
        let id = id.clone();
        self.write(move |conn| members::see_news(conn, &id, member, event))
            .await
    }

    pub(super) async fn hosted_team(
        &self,
        access: &TeamAccess,
        id: &MatchId,
    ) -> Result<TeamView, AppError> {
        let view = self.load_team_match(access, id, None).await?;
        must_host(&view.viewer, view.lesson.is_some())?;
        Ok(view)
    }

    pub async fn attended_team(
        &self,
        access: &TeamAccess,
        id: &MatchId,
    ) -> Result<(TeamView, Attendance), AppError> {
        let view = self.load_team_match(access, id, None).await?;
        if !view.rights.order {
            return Err(AppError::NotFound);
        }
        let asked = id.clone();
        let mut found = self.read(move |conn| attendance(conn, &asked)).await?;
        add_later(&mut found.seen, self.presence.seen(id));
        Ok((view, found))
    }
}

pub(super) fn must_host(viewer: &Viewer, is_lesson: bool) -> Result<(), AppError> {
    if viewer.host {
        Ok(())
    } else {
        let why = of_host!(is_lesson, "Only the ", " of the match does that.");
        Err(AppError::Forbidden(why))
    }
}
