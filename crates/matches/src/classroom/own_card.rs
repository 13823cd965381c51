//! Rule cards that teachers make for a class, hosts for their matches, and players for one match: a name for a change of the rules.

use super::roster;
use crate::names::{NameError, key};
use crate::team::{Change, Effect, Flexichess, Turn};
use perplex_games::rules::flexichess::RuleCard;
use perplex_games::rules::{Rules as _, TurnError};

/// The most cards that a class or a host has made.
pub const MOST_IN_DECK: usize = 40;
/// The most cards that a player keeps for a match.
pub const MOST_IN_HAND: usize = 8;

/// A rule card of a class, a host or a player.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnCard {
    /// Its id.
    pub id: String,
    /// The name that players read.
    pub name: String,
    /// The change that it stands for: of a movement, or of promotion.
    pub change: Change,
}

/// The reason why a card cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoCard {
    /// The name is none.
    Name(NameError),
    /// The others or the ordinary deck have a card of this name.
    Taken(String),
    /// The turn cannot be read, or would not be legal at the start of a game.
    Turn(TurnError),
    /// The turn is no change of a movement or of promotion: rules in words are proposed, and need an answer.
    NoChange,
    /// There are as many cards already as there may be.
    Many(usize),
}

/// Reads a card that is kept: its turn is in canonical notation.
#[must_use]
pub fn kept(id: String, name: String, turn: &str) -> Option<OwnCard> {
    match turn.parse() {
        Ok(Turn::Change(change)) => Some(OwnCard { id, name, change }),
        _ => None,
    }
}

/// Checks a new card beside these, of which there may be `most`: gives its name and its change.
///
/// # Errors
/// The reason why it cannot be made.
pub fn check(
    name: &str,
    turn: &str,
    known: &[OwnCard],
    most: usize,
) -> Result<(String, Change), NoCard> {
    if known.len() >= most {
        return Err(NoCard::Many(most));
    }
    let name = roster::name(name).map_err(NoCard::Name)?;
    let same = key(&name);
    let is_known = |card: &OwnCard| key(&card.name) == same;
    if known.iter().any(is_known) || RuleCard::find(&same).is_some() {
        return Err(NoCard::Taken(name));
    }
    let start = Flexichess::setup("").ok_or(NoCard::NoChange)?;
    match start.read(turn).map_err(NoCard::Turn)? {
        Turn::Change(change) if !matches!(change.effect, Effect::Written(_)) => Ok((name, change)),
        _ => Err(NoCard::NoChange),
    }
}
