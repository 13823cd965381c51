//! Sides, seats and outcomes.

use std::fmt::{self, Display};
use std::str::FromStr;

use super::error::NotationError;

/// One of the two sides of a game. Every game has exactly two, however many people play it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The side that plays first.
    First,
    /// The side that plays second.
    Second,
}

impl Side {
    /// Both sides, in the order of play.
    pub const ALL: [Self; 2] = [Self::First, Self::Second];

    /// The other side.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// 0 for the first side, 1 for the second.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The side's seat in a game for two.
    #[must_use]
    pub const fn seat(self) -> Seat {
        Seat(self as u8)
    }

    /// The word that records, journals and style sheets use: `first` or `second`.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Second => "second",
        }
    }

    /// The name of the side in games with these colours: `White` or `Black`.
    #[must_use]
    pub const fn white_or_black(self) -> &'static str {
        WHITE_BLACK[self as usize].name
    }

    /// The colour's letter in position texts: `w` or `b`.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::First => 'w',
            Self::Second => 'b',
        }
    }
}

impl Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

impl FromStr for Side {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        match text {
            "first" => Ok(Self::First),
            "second" => Ok(Self::Second),
            _ => Err(NotationError::new(text, 1, "a side: `first` or `second`")),
        }
    }
}

/// A place at the board for one person: its number in the order of play, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Seat(pub u8);

/// A game's name for one of its seats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatName {
    /// The word used in records, by the referee and in the journal: `first`, `north`, …
    pub key: &'static str,
    /// The name that people read: `Crosses`, `White`, `North (Crosses)`, …
    pub name: &'static str,
    /// The side this seat plays for.
    pub side: Side,
}

impl SeatName {
    pub(super) const fn new(key: &'static str, name: &'static str, side: Side) -> Self {
        Self { key, name, side }
    }
}

/// The seats of a game for two whose sides are called White and Black.
pub const WHITE_BLACK: &[SeatName] = &[
    SeatName::new("first", "White", Side::First),
    SeatName::new("second", "Black", Side::Second),
];

/// The reason why a game ended. [`Display`] writes the word that records and the referee use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// A line was made (Quixo: making the opponent's line loses with this reason too).
    Line,
    /// A piece reached the other side's back row (Pijersi).
    Goal,
    /// All of a side's checkers stand in one stack (Pylyx).
    Stack,
    /// The side to move has no legal turn (Pijersi).
    Stalled,
    /// Too many turns in a row without a capture (Pijersi).
    NoCapture,
    /// A position arose too often.
    Repetition,
    /// Too many turns in a row without progress; also chess's 75 (claimed: 50) moves.
    NoProgress,
    /// Too many turns in all ([`MOST_TURNS`](super::MOST_TURNS)).
    Length,
    /// Two passes in a row.
    Passes,
    /// The king is attacked and the side to move has no legal move.
    Checkmate,
    /// The king is not attacked and the side to move has no legal move.
    Stalemate,
    /// Both sides agreed on a draw.
    Agreement,
    /// A player resigned.
    Resign,
    /// A player ran out of time, or a match's time limit was reached.
    Time,
    /// More pieces on an unfinished board (Perplexichess).
    Pieces,
    /// More boards won (Perplexichess).
    Boards,
}

impl Reason {
    const ALL: [Self; 16] = [
        Self::Line,
        Self::Goal,
        Self::Stack,
        Self::Stalled,
        Self::NoCapture,
        Self::Repetition,
        Self::NoProgress,
        Self::Length,
        Self::Passes,
        Self::Checkmate,
        Self::Stalemate,
        Self::Agreement,
        Self::Resign,
        Self::Time,
        Self::Pieces,
        Self::Boards,
    ];

    /// The reason with this word, as [`Display`] writes it.
    #[must_use]
    pub fn find(word: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|reason| reason.to_string() == word)
    }
}

impl Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Line => "line",
            Self::Goal => "goal",
            Self::Stack => "stack",
            Self::Stalled => "stalled",
            Self::NoCapture => "no-capture",
            Self::Repetition => "repetition",
            Self::NoProgress => "no-progress",
            Self::Length => "length",
            Self::Passes => "passes",
            Self::Checkmate => "checkmate",
            Self::Stalemate => "stalemate",
            Self::Agreement => "agreement",
            Self::Resign => "resign",
            Self::Time => "time",
            Self::Pieces => "pieces",
            Self::Boards => "boards",
        })
    }
}

/// The end of a game: won by a side or drawn, and the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// The side that won; `None` is a draw.
    pub winner: Option<Side>,
    /// The reason.
    pub reason: Reason,
}

impl Outcome {
    /// A win for `winner`.
    #[must_use]
    pub const fn win(winner: Side, reason: Reason) -> Self {
        Self {
            winner: Some(winner),
            reason,
        }
    }

    /// A draw for `reason`.
    #[must_use]
    pub const fn draw(reason: Reason) -> Self {
        Self {
            winner: None,
            reason,
        }
    }
}
