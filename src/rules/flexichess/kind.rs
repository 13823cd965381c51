//! Kinds of pieces, and sets of kinds to which pawns promote.

use std::fmt::{self, Display};

use crate::rules::betza::Mover;

/// A kind of piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// P
    Pawn,
    /// N
    Knight,
    /// B
    Bishop,
    /// R
    Rook,
    /// Q
    Queen,
    /// K
    King,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 6] = [
        Self::Pawn,
        Self::Knight,
        Self::Bishop,
        Self::Rook,
        Self::Queen,
        Self::King,
    ];
    /// The kinds whose movement can be changed.
    pub const CHANGEABLE: [Self; 5] = [
        Self::Pawn,
        Self::Knight,
        Self::Bishop,
        Self::Rook,
        Self::Queen,
    ];

    /// The capital letter of notation.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::Pawn => 'P',
            Self::Knight => 'N',
            Self::Bishop => 'B',
            Self::Rook => 'R',
            Self::Queen => 'Q',
            Self::King => 'K',
        }
    }

    /// The kind of a letter, capital or small.
    #[must_use]
    pub fn from_letter(letter: char) -> Option<Self> {
        let letter = letter.to_ascii_uppercase();
        Self::ALL.into_iter().find(|kind| kind.letter() == letter)
    }

    /// The word: `knight`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pawn => "pawn",
            Self::Knight => "knight",
            Self::Bishop => "bishop",
            Self::Rook => "rook",
            Self::Queen => "queen",
            Self::King => "king",
        }
    }

    /// How it moves in ordinary chess, in Betza's notation; `None` for the king.
    #[must_use]
    pub const fn ordinary(self) -> &'static str {
        match self {
            Self::Pawn => "fmWfceFifmnD",
            Self::Knight => "N",
            Self::Bishop => "B",
            Self::Rook => "R",
            Self::Queen => "Q",
            Self::King => "K",
        }
    }

    /// For which movements it is read.
    #[must_use]
    pub const fn mover(self) -> Mover {
        match self {
            Self::Pawn => Mover::Pawn,
            _ => Mover::Piece,
        }
    }
}

/// The kinds to which a pawn may promote: at least one of queen, rook, bishop, knight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Promotions(u8);

impl Promotions {
    /// The order in which they are written.
    pub const ORDER: [Kind; 4] = [Kind::Queen, Kind::Rook, Kind::Bishop, Kind::Knight];
    /// Those of ordinary chess.
    pub const ALL: Self = Self(0b11110);

    /// The set of `kinds`; `None` if it is empty or holds a pawn or a king.
    pub fn new(kinds: impl IntoIterator<Item = Kind>) -> Option<Self> {
        let set = kinds.into_iter().fold(0, |set, kind| set | 1 << kind as u8);
        (set != 0 && set & !Self::ALL.0 == 0).then_some(Self(set))
    }

    /// The kinds of the set.
    pub fn kinds(self) -> impl Iterator<Item = Kind> {
        Self::ORDER.into_iter().filter(move |&kind| self.has(kind))
    }

    /// Whether a pawn may become `kind`.
    #[must_use]
    pub const fn has(self, kind: Kind) -> bool {
        self.0 & 1 << kind as u8 != 0
    }

    /// How many there are.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }
}

impl Display for Promotions {
    /// The letters, in the order queen, rook, bishop, knight.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kinds()
            .try_for_each(|kind| write!(f, "{}", kind.letter()))
    }
}
