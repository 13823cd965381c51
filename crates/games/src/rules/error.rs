//! The errors of a turn's text: it names no turn, or one that is not legal.

use std::fmt::{self, Display};

/// A turn's text could not be understood: it names no turn at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotationError {
    /// The text as it was given.
    pub text: String,
    /// The place of the first character that was not understood, counted in characters from 1.
    pub column: usize,
    /// A description of what may stand there: "a square of the edge, such as `c1`".
    pub expected: String,
    /// Legal turns that look most like the text; empty where no position was known.
    pub nearest: Vec<String>,
}

impl NotationError {
    /// An error at `column` (in characters, from 1) of `text`.
    pub fn new(text: &str, column: usize, expected: impl Into<String>) -> Self {
        Self {
            text: text.to_owned(),
            column,
            expected: expected.into(),
            nearest: Vec::new(),
        }
    }
}

/// Writes the help after an error: "; the nearest legal turns are …", or nothing.
fn write_nearest(f: &mut fmt::Formatter<'_>, nearest: &[String]) -> fmt::Result {
    match nearest {
        [] => Ok(()),
        [one] => write!(f, "; the nearest legal turn is {one}"),
        many => write!(f, "; the nearest legal turns are {}", many.join(", ")),
    }
}

impl Display for NotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = self.text.chars().nth(self.column.saturating_sub(1));
        match found {
            Some(c) => write!(
                f,
                "\"{}\" is not understood: `{c}` at column {} should be {}",
                self.text, self.column, self.expected
            )?,
            None => write!(
                f,
                "\"{}\" is not understood: it ends where {} should follow",
                self.text, self.expected
            )?,
        }
        write_nearest(f, &self.nearest)
    }
}

impl std::error::Error for NotationError {}

/// A turn was understood, but the rules do not allow it here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IllegalTurn {
    /// The turn in canonical notation.
    pub turn: String,
    /// The reason, as a whole clause: "e3 is not on the edge of the board".
    pub why: String,
    /// Legal turns that look most like it.
    pub nearest: Vec<String>,
}

impl IllegalTurn {
    /// The refusal of `turn` for the reason `why`.
    pub fn new(turn: impl Display, why: impl Into<String>) -> Self {
        Self {
            turn: turn.to_string(),
            why: why.into(),
            nearest: Vec::new(),
        }
    }
}

impl Display for IllegalTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not legal: {}", self.turn, self.why)?;
        write_nearest(f, &self.nearest)
    }
}

impl std::error::Error for IllegalTurn {}

/// The reason why a turn's text was refused: misspelt, or illegal. They are different errors, and
/// both say what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TurnError {
    /// The text names no turn.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// The turn is not legal in this position.
    #[error(transparent)]
    Illegal(#[from] IllegalTurn),
}

/// A checked `Rules::play` that was refused; the position comes back unchanged.
#[derive(Clone, Debug)]
pub struct PlayError<P> {
    /// The position before the turn, unchanged.
    pub position: Box<P>,
    /// The reason why the turn was refused.
    pub error: IllegalTurn,
}
