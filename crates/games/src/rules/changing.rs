//! What only games have whose rules change while they are played.

use super::error::NotationError;
use super::side::{Outcome, Side};

/// What is in force in a position, in games whose rules change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The king of the side to move is attacked.
    pub check: bool,
    /// What differs from the rules at the start, and how it is now, in notation: `N` and `NW`.
    pub rules: Vec<(String, String)>,
}

/// A change of the rules that took effect, in games whose rules change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleChange {
    /// Its number on this board, from 1.
    pub number: u32,
    /// The side that made it.
    pub side: Side,
    /// The number of the move instead of which it was made.
    pub turn: u32,
    /// The letter of the kind of piece that it is about; `*` for none.
    pub subject: char,
    /// What was in force before, in notation; empty where it adds something.
    pub before: String,
    /// What is in force after it, in notation.
    pub after: String,
    /// What was in force before, in words; empty where only its text says.
    pub before_words: String,
    /// What is in force after it, in words; empty where only its text says.
    pub after_words: String,
    /// The text that the player gave it.
    pub text: String,
    /// A later change has taken its place.
    pub replaced: bool,
}

/// What a game has whose rules change while it is played, beside `Rules`, whose
/// `changing` gives it. Such a game has turns that change a rule, and turns
/// that the other side answers before anything else is played.
pub trait ChangingRules {
    /// A turn of the game; the same as `Rules::Turn`.
    type Turn;

    /// Reads a position text of `variant` in which the rules differ from those of the start as `rules`
    /// says: what is changed, and to what, as in [`State::rules`].
    ///
    /// # Errors
    /// The column, and what may stand there; a rule that cannot be changed.
    fn from_position_with(
        variant: &str,
        text: &str,
        rules: &[(String, String)],
    ) -> Result<Self, NotationError>
    where
        Self: Sized;
    /// The rules in force, and whether the king is attacked.
    fn state(&self) -> State;
    /// The changes of the rules that took effect so far, in order.
    fn changes(&self) -> Vec<RuleChange>;
    /// Turns that answer what waits for an answer; empty where nothing does. They are legal, but not
    /// among `Rules::legal`. The most cautious is the last: the computer
    /// player, which cannot read a rule in words, plays it.
    fn answers(&self) -> Vec<Self::Turn>;
    /// What waits for an answer, in sentences to the player who gives it; `None` if nothing does.
    fn waits(&self) -> Option<String>;
    /// Whether this position counts for the rule of repetition: not while something waits for an
    /// answer, nor when a turn was taken back.
    fn arises(&self) -> bool;
    /// The draw that the player to move may claim, where this position has arisen `times` times.
    fn claim(&self, times: u32) -> Option<Outcome>;
    /// What a player did with `turn`: a clause that follows a name, such as `played e2e4`.
    fn clause(&self, turn: &Self::Turn) -> String;
}
