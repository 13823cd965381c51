use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use super::heads::{TeamHeads, Waiting, heads_of, last_seen};
use super::lesson::{LessonView, add_later};
use super::presence::{Attendance, attendance};
use super::reader::{TeamReader, own_cards};
use super::talk::{Channel, readable};
use super::{Leader, Loaded, TeamAccess, has_eyes_up, refuse};
use crate::app::correspondence::{Name, name_of};
use crate::app::{App, AppError, NotAllowed};
use crate::store::invited_addresses::{self, InvitedAddress};
use crate::store::members::{self, MemberRow, Reader};
use crate::store::own_cards::{self as card_rows, DeckOwner};
use crate::store::{accounts as account_rows, journal};
use perplex_matches::classroom::own_card::OwnCard;
use perplex_matches::id::MatchId;
use perplex_matches::journal::Aggregate as _;
use perplex_matches::team::announce::{Prominence, Told, cards};
use perplex_matches::team::policy::{Viewer, head_for, number_for, shows};
use perplex_matches::team::{Logged, Match, Refusal};

#[derive(Clone, Debug)]
pub struct TeamView {
    pub id: MatchId,
    pub title: String,
    pub host: Name,
    reader: TeamReader,
    /// The head that live pages hear for the last event that the viewer may see.
    pub last: i32,
    /// The viewer's number of that event.
    pub last_number: i32,
    pub channels: Vec<Channel>,
    /// The invited players who have not answered; only for the host.
    pub invited: Vec<Name>,
    /// The addresses that were invited, and have not joined; only for the host.
    pub addresses: Vec<InvitedAddress>,
    pub join_link: Option<String>,
    pub projector_link: Option<String>,
    pub lesson: Option<LessonView>,
    /// The rule cards that the viewer keeps for the match.
    pub hand: Vec<OwnCard>,
    /// What the viewer has been told.
    pub told: Told,
    cards: OnceLock<Vec<Arc<Logged>>>,
}

impl Deref for TeamView {
    type Target = TeamReader;

    fn deref(&self) -> &TeamReader {
        &self.reader
    }
}

impl TeamView {
    /// True while the teacher of the lesson has its pupils look up.
    pub fn has_eyes_up(&self) -> bool {
        let goes_on = self.lesson.as_ref().is_some_and(|lesson| !lesson.rests);
        has_eyes_up(&self.state, goes_on)
    }

    pub const fn refuse(&self, refusal: Refusal) -> AppError {
        refuse(refusal, self.reader.is_lesson)
    }

    pub fn heads(&self) -> TeamHeads {
        let talk = self
            .channels
            .iter()
            .map(|channel| (channel.number, channel.head))
            .collect();
        let lesson = self.lesson.as_ref().map(|lesson| Waiting {
            door: lesson.door,
            hand: lesson.is_hand_up,
        });
        heads_of(&self.state, &self.viewer, &self.rights, talk, lesson)
    }

    /// The events that the viewer is to be shown as cards, the most urgent first.
    pub fn cards(&self) -> &[Arc<Logged>] {
        self.cards.get_or_init(|| {
            if self.viewer.member.is_none() && !self.viewer.host {
                return Vec::new();
            }
            cards(&self.state, &self.viewer, &self.rights, &self.told)
        })
    }

    /// True if an event concerns the viewer, who has not put its card away.
    pub fn is_unread(&self, logged: &Logged) -> bool {
        (self.viewer.member.is_some() || self.viewer.host)
            && self.told.waits(logged.event.number)
            && self.prominence(logged) == Some(Prominence::Card)
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
        let account = access.account.as_ref().map(|account| account.id.clone());
        let (loaded, (channels, earlier, host, (invited, addresses), (lesson, host_news, cards))) =
            self.load_team(access, id, move |conn, loaded| {
                let (state, viewer, rights) = (&loaded.state, &loaded.viewer, &loaded.rights);
                let found = at.map(|at| {
                    let number = |logged: &Arc<Logged>| {
                        number_for(state, viewer, rights, logged.event.number)
                    };
                    // Numbers only grow.
                    let before = state.log.partition_point(|logged| number(logged) < at);
                    let rest = &state.log[before..];
                    let those = &rest[..rest.partition_point(|logged| number(logged) == at)];
                    those.iter().find(|logged| shows(rights, viewer, logged))
                });
                let earlier = match found {
                    None => None,
                    Some(Some(logged)) => {
                        let mut events = journal::events::<Match>(conn, &asked, 0)?;
                        events.retain(|event| event.number <= logged.event.number);
                        Some(Arc::new(Match::replay(&events)?))
                    }
                    Some(None) => return Err(AppError::NotFound),
                };
                let mut people = vec![loaded.row.created_by.clone()];
                let mut addresses = Vec::new();
                if loaded.rights.lead {
                    people.extend(members::invited(conn, &asked)?);
                    addresses = invited_addresses::of_match(conn, &asked)?;
                }
                let names = account_rows::names(conn, &people)?;
                let invited: Vec<Name> = people[1..]
                    .iter()
                    .map(|account| name_of(account, &names))
                    .collect();
                let hand = match account.as_ref().filter(|_| rights.side.is_some()) {
                    Some(account) => {
                        card_rows::of(conn, &DeckOwner::Player(account.clone(), asked.clone()))?
                    }
                    None => Vec::new(),
                };
                let cards = (hand, own_cards(conn, &loaded.row, state)?);
                let host_news = match account.filter(|_| viewer.host && viewer.member.is_none()) {
                    Some(account) => members::host_news(conn, &asked, &account)?,
                    None => Told::default(),
                };
                let channels = readable(conn, &asked, &loaded.viewer, &loaded.rights)?;
                Ok((
                    channels,
                    earlier,
                    name_of(&loaded.row.created_by, &names),
                    (invited, addresses),
                    (LessonView::read(conn, loaded, now)?, host_news, cards),
                ))
            })
            .await?;
        let (mut lesson, (hand, own_cards)) = (lesson, cards);
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
        let told = members
            .find(|row| Some(row.id()) == member)
            .map_or(host_news, MemberRow::news);
        let (leads, links) = (loaded.viewer.host, loaded.row.links);
        let Loaded {
            row,
            state,
            members,
            viewer,
            rights,
            ..
        } = loaded;
        let state = earlier.unwrap_or(state);
        let reader = TeamReader::new(&row, state, viewer, rights, members, own_cards);
        Ok(TeamView {
            id: id.clone(),
            title: row.title,
            host,
            reader,
            last,
            last_number,
            told,
            cards: OnceLock::new(),
            channels,
            invited,
            addresses,
            // Only its pupils join a lesson, and they use its code.
            join_link: (leads && lesson.is_none()).then(|| self.team_join_link(id, links)),
            projector_link: leads.then(|| self.projector_link(id, links)),
            lesson,
            hand,
        })
    }

    /// Puts away a card of the viewer; those of `kept` wait behind it. All are the viewer's numbers of events, and the page
    /// knew those up to `until`.
    pub async fn see_team_news(
        &self,
        access: &TeamAccess,
        id: &MatchId,
        card: i32,
        until: i32,
        kept: &[i32],
    ) -> Result<(), AppError> {
        let view = self.load_team_match(access, id, None).await?;
        let account = access.account.as_ref().map(|account| account.id.clone());
        let (member, host) = (view.viewer.member, account.filter(|_| view.viewer.host));
        let reader = member.map(Reader::Member).or(host.map(Reader::Host));
        let reader = reader.ok_or(AppError::NotFound)?;
        let events: Vec<i32> = view.log().map(|logged| logged.event.number).collect();
        // Numbers only grow.
        let event = |number: i32| {
            let known = events.partition_point(|event| view.number(*event) <= number);
            known.checked_sub(1).map_or(0, |last| events[last])
        };
        let (card, until) = (event(card), event(until));
        let kept: Vec<i32> = kept.iter().map(|number| event(*number)).collect();
        let id = id.clone();
        self.write(move |conn| {
            members::see_news(conn, &id, &reader, |told| told.without(card, until, &kept))
        })
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
        let why = NotAllowed::NotHost(Leader::of(is_lesson));
        Err(AppError::Forbidden(why))
    }
}
