use std::collections::BTreeMap;
use std::sync::Arc;

use super::Leader;
use crate::store::matches::MatchRow;
use crate::store::members::MemberRow;
use crate::store::own_cards::{self, DeckOwner};
use crate::store::{Conn, StoreError};
use perplex_matches::classroom::own_card::OwnCard;
use perplex_matches::names::isolated;
use perplex_matches::team::announce::{Prominence, prominence};
use perplex_matches::team::event::MemberId;
use perplex_matches::team::policy::{Rights, Viewer, head_for, is_public, number_for, shows};
use perplex_matches::team::{Logged, Match};

/// A team match and one of its readers: what sentences about it are made from, for pages and mails alike.
#[derive(Clone, Debug)]
pub struct TeamReader {
    /// Its state, or an earlier one if the request asks for that.
    pub state: Arc<Match>,
    pub viewer: Viewer,
    pub rights: Rights,
    pub names: BTreeMap<MemberId, String>,
    pub is_lesson: bool,
    /// The rule cards of the class or of the host, if the terms offer them.
    pub own_cards: Vec<OwnCard>,
}

/// The rule cards of the class that has this match, or of its host, if its terms offer them.
pub fn own_cards(
    conn: &mut Conn,
    row: &MatchRow,
    state: &Match,
) -> Result<Vec<OwnCard>, StoreError> {
    if !state.terms.deck.has_own() {
        return Ok(Vec::new());
    }
    let class = row.class_id.clone().map(DeckOwner::Class);
    let owner = class.unwrap_or_else(|| DeckOwner::Host(row.created_by.clone()));
    own_cards::of(conn, &owner)
}

/// The names of members, ready to stand in sentences.
fn names_of(members: Vec<MemberRow>) -> BTreeMap<MemberId, String> {
    members
        .into_iter()
        .map(|row| (row.id(), isolated(&row.name)))
        .collect()
}

impl TeamReader {
    pub fn new(
        row: &MatchRow,
        state: Arc<Match>,
        viewer: Viewer,
        rights: Rights,
        members: Vec<MemberRow>,
        own_cards: Vec<OwnCard>,
    ) -> Self {
        Self {
            state,
            viewer,
            rights,
            names: names_of(members),
            is_lesson: row.class_id.is_some(),
            own_cards,
        }
    }

    /// True if the viewer is the grand strategist of a team.
    pub fn leads_team(&self) -> bool {
        let member = self.viewer.member;
        member.is_some_and(|member| self.state.is_strategist(member))
    }

    /// True if every visitor may see the match.
    pub fn is_public(&self) -> bool {
        is_public(&self.state.terms, self.is_lesson)
    }

    pub const fn leader(&self) -> Leader {
        Leader::of(self.is_lesson)
    }

    /// The viewer's number of an event of the journal, as addresses have it.
    pub fn number(&self, event: i32) -> i32 {
        number_for(&self.state, &self.viewer, &self.rights, event)
    }

    /// The head that live pages hear for an event of the journal.
    pub fn head(&self, event: i32) -> i32 {
        head_for(&self.state, &self.viewer, &self.rights, event)
    }

    /// The form in which an event is told to the viewer, if at all.
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
