//! Matches by post: making, showing, acting.

use std::sync::Arc;

use super::live::Heads;
use crate::play::Match;
use crate::play::event::{AccountId, MatchId, Terms};
use crate::play::policy::Rights;
use crate::time::Time;

/// Who is to be the opponent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opponent {
    /// Whoever comes to the lobby.
    Anyone,
    /// The player with this name.
    Named(String),
    /// Whoever is given the link.
    ByLink,
    /// Whoever reads mail at this address.
    ByMail(String),
}

/// A match to be made.
#[derive(Clone, Debug)]
pub struct NewMatch {
    /// Game, variant, days; whether it is open follows from the opponent.
    pub terms: Terms,
    /// The key of the seat that its maker takes; `None` leaves it to chance.
    pub wish: Option<String>,
    /// Who is to be the opponent.
    pub opponent: Opponent,
}

/// A name to show, and where it leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// Whose.
    pub id: AccountId,
    /// "deleted player" for an account that is gone.
    pub name: String,
    /// Whether there is a page about this player.
    pub linked: bool,
}

/// A line of the players' talk.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its number in the match, from 1.
    pub number: i32,
    /// When it was written.
    pub at: Time,
    /// By whom.
    pub by: Name,
    /// Plain text.
    pub text: String,
    /// How many turns had been made with the one that it came with, if it is the note to a turn.
    pub ply: Option<usize>,
}

/// A match as one viewer may see it.
#[derive(Clone, Debug)]
pub struct MatchView {
    /// Which.
    pub id: MatchId,
    /// Its state.
    pub state: Arc<Match>,
    /// What the viewer may do.
    pub rights: Rights,
    /// The names of the people who joined, in the order of [`Match::joined`].
    pub joined: Vec<Name>,
    /// The names of those who are challenged.
    pub invited: Vec<Name>,
    /// The name of its maker.
    pub maker: Name,
    /// The talk; empty for those who may not read it.
    pub talk: Vec<Line>,
    /// How far it has come, for live updates.
    pub heads: Heads,
    /// The link that lets somebody join; only for those who may hand it on.
    pub link: Option<String>,
}

/// A match in a list.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Which.
    pub id: MatchId,
    /// Game, variant, days.
    pub terms: Terms,
    /// Its people: in the order of the seats once it has begun.
    pub people: Vec<Name>,
    /// `gathering`, `playing`, `over`.
    pub phase: crate::play::Phase,
    /// How many turns were made.
    pub ply: i32,
    /// Who is to move.
    pub to_move: Option<AccountId>,
    /// When the player to move loses on time.
    pub deadline: Option<Time>,
    /// `first`, `second`, `draw`; nothing while it is played or if it was called off.
    pub winner: Option<String>,
    /// The word for why it ended.
    pub reason: Option<String>,
    /// When something last happened in it.
    pub updated: Time,
    /// Whether the viewer is challenged to it and has not answered.
    pub challenged: bool,
}
