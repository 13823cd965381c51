//! The further interface of games whose rules change while they are played.

use super::error::NotationError;
use super::side::{Outcome, Side};

/// Check and the rules in force in a position, in games whose rules change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// True if the king of the side to move is attacked.
    pub check: bool,
    /// The differences from the rules at the start, each with its present form, in notation: `N` and `NW`.
    pub rules: Vec<(String, String)>,
}

/// A change of the rules that took effect, in games whose rules change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleChange {
    /// Its number on this board, from 1.
    pub number: u32,
    /// The side that made it.
    pub side: Side,
    /// The number of the move whose place it took.
    pub turn: u32,
    /// The letter of the kind of piece that it is about; `*` for none.
    pub subject: char,
    /// The rule before, in notation; empty for a written rule, which adds something.
    pub before: String,
    /// The rule after, in notation.
    pub after: String,
    /// The rule before, in words; empty for a written rule.
    pub before_words: String,
    /// The rule after, in words; empty for a written rule.
    pub after_words: String,
    /// The text that the player gave it.
    pub text: String,
    /// True if a later change has taken its place.
    pub replaced: bool,
}

/// The further interface of a game whose rules change while it is played; `changing` of `Rules` gives it. Such a game
/// has turns that change a rule, and turns that the other side answers before anything else is played.
pub trait ChangingRules {
    /// A turn of the game; the same as `Rules::Turn`.
    type Turn;

    /// Reads a position text of `variant` in which the rules differ from those of the start by `rules`: each rule with
    /// its present form, as in [`State::rules`].
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
    /// Check and the rules in force.
    fn state(&self) -> State;
    /// The changes of the rules that took effect so far, in order.
    fn changes(&self) -> Vec<RuleChange>;
    /// The number of those changes, without making their texts.
    fn count(&self) -> usize;
    /// The turns that answer a proposal; empty if none waits. They are legal, but not among `Rules::legal`. The most
    /// cautious is the last: the computer player, which cannot read a rule in words, plays it.
    fn answers(&self) -> Vec<Self::Turn>;
    /// The proposal that waits for an answer, in sentences to the player who gives it; `None` if none waits.
    fn waits(&self) -> Option<String>;
    /// True if this position counts for the rule of repetition: not while a proposal waits for an answer, nor when a
    /// turn was taken back.
    fn arises(&self) -> bool;
    /// The draw that the player to move may claim, where this position has arisen `times` times.
    fn claim(&self, times: u32) -> Option<Outcome>;
    /// The clause for a player's `turn`, to follow a name, told by the position before it: `played Nf3`.
    fn clause(&self, turn: &Self::Turn) -> String;
}
