//! Squares and pieces.

use std::fmt::{self, Display};

use super::bits::Bits;
use super::kind::Kind;
use crate::rules::Side;

/// A square: 0 is a1, 7 h1, 63 h8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u8);

impl Square {
    /// The square in column `file` and row `rank`, counted from 0.
    #[must_use]
    pub const fn new(file: u8, rank: u8) -> Self {
        Self(rank % 8 * 8 + file % 8)
    }

    /// The column, 0 (a) to 7 (h).
    #[must_use]
    pub const fn file(self) -> u8 {
        self.0 % 8
    }

    /// The row, 0 to 7 from White's side.
    #[must_use]
    pub const fn rank(self) -> u8 {
        self.0 / 8
    }

    /// All squares, a1 first, then along the rows.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..64).map(Self)
    }

    /// The number from 1 to 64 that the Perplexichess rules give it: a8 is 1, h8 8, h1 64.
    #[must_use]
    pub const fn number(self) -> u8 {
        (7 - self.rank()) * 8 + self.file() + 1
    }

    /// The square of a number from 1 to 64.
    #[must_use]
    pub const fn from_number(number: u8) -> Option<Self> {
        match number {
            1..=64 => Some(Self::new((number - 1) % 8, 7 - (number - 1) / 8)),
            _ => None,
        }
    }

    /// Reads `e4`; the letter may be a capital.
    #[must_use]
    pub fn read(file: char, rank: char) -> Option<Self> {
        let file = "abcdefgh".find(file.to_ascii_lowercase())?;
        let rank = "12345678".find(rank)?;
        Some(Self::from_index(rank * 8 + file))
    }

    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    pub(super) const fn from_index(index: usize) -> Self {
        #[expect(clippy::cast_possible_truncation)] // below 64
        Self((index % 64) as u8)
    }

    pub(super) const fn bit(self) -> Bits {
        1 << self.0
    }
}

impl Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file()), self.rank() + 1)
    }
}

/// A piece on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// The side that owns it.
    pub side: Side,
    /// Its kind, by whose movement it goes.
    pub kind: Kind,
}

impl Piece {
    /// The letter of position texts: capital for White.
    #[must_use]
    pub const fn letter(self) -> char {
        match self.side {
            Side::First => self.kind.letter(),
            Side::Second => self.kind.letter().to_ascii_lowercase(),
        }
    }

    /// The piece in words: `white knight`.
    #[must_use]
    pub fn words(self) -> String {
        format!("{} {}", side_name(self.side), self.kind.name())
    }
}

/// The side in small letters: `white` or `black`.
#[must_use]
pub const fn side_name(side: Side) -> &'static str {
    match side {
        Side::First => "white",
        Side::Second => "black",
    }
}
