//! Kinds of pieces, and sets of kinds to which pawns promote.

use std::fmt::{self, Display};

use crate::rules::betza::Mover;

/// A kind of piece. Its movement may change, its name and letter stay.
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
    /// All kinds, in the order of the variants.
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

    /// The kind in words: `knight`.
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

    /// The pieces of this kind that each side has at the start.
    #[must_use]
    pub const fn at_start(self) -> usize {
        match self {
            Self::Pawn => 8,
            Self::Knight | Self::Bishop | Self::Rook => 2,
            Self::Queen | Self::King => 1,
        }
    }

    /// Its movement in ordinary chess, in Betza's notation.
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

    /// The mover for which its movements are read.
    #[must_use]
    pub const fn mover(self) -> Mover {
        match self {
            Self::Pawn => Mover::Pawn,
            _ => Mover::Piece,
        }
    }
}

/// The kinds to which a pawn may promote: at least one of queen, rook, bishop, knight.
///
/// A set keeps the order in which it was written; two sets of the same kinds are equal in any order.
#[derive(Clone, Copy, Debug)]
pub struct Promotions {
    order: [Option<Kind>; 4],
}

impl Promotions {
    /// Queen, rook, bishop and knight, as in ordinary chess.
    pub const ALL: Self = Self {
        order: [
            Some(Kind::Queen),
            Some(Kind::Rook),
            Some(Kind::Bishop),
            Some(Kind::Knight),
        ],
    };

    /// The set of `kinds`; `None` if it is empty, names a kind twice, or holds a pawn or a king.
    #[must_use]
    pub fn new(kinds: &[Kind]) -> Option<Self> {
        let mut set = Self { order: [None; 4] };
        for &kind in kinds {
            if set.has(kind) || !Self::ALL.has(kind) {
                return None;
            }
            *set.order.iter_mut().find(|slot| slot.is_none())? = Some(kind);
        }
        (!kinds.is_empty()).then_some(set)
    }

    /// The kinds of the set, as they were written.
    pub fn kinds(self) -> impl Iterator<Item = Kind> {
        self.order.into_iter().flatten()
    }

    /// True if a pawn may become `kind`.
    #[must_use]
    pub fn has(self, kind: Kind) -> bool {
        self.order.contains(&Some(kind))
    }
}

impl PartialEq for Promotions {
    fn eq(&self, other: &Self) -> bool {
        Kind::ALL
            .into_iter()
            .all(|kind| self.has(kind) == other.has(kind))
    }
}

impl Eq for Promotions {}

impl Display for Promotions {
    /// The letters, as they were written: `NB`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kinds()
            .try_for_each(|kind| write!(f, "{}", kind.letter()))
    }
}
