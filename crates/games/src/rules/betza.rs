//! Movements in Betza's notation: the subset that Flexichess plays with.
//!
//! The subset is the common ground of `XBoard` and Fairy-Stockfish, as the rules page of Flexichess
//! gives it. Anything else is refused with the place of the error; nothing is ever ignored.
//!
//! [`Movement::parse`] keeps the terms as they were written, with their modifiers in the canonical
//! order; two movements are equal when they reach the same squares under the same conditions,
//! however they are spelt (`WW` is `R`, `WnD` is `R2`).
//!
//! Everything is seen by the mover: `(dx, dy)` is `dx` files to the right and `dy` ranks forward.
//! Black's board is White's turned by 180°.
//!
//! ```
//! use perplex_games::rules::betza::{Movement, Mover};
//!
//! let rook = Movement::parse("R3", Mover::Piece)?;
//! assert_eq!(rook.words(), "moves like a rook, at most three squares");
//! let error = Movement::parse("R3x", Mover::Piece).expect_err("x says nothing");
//! assert_eq!(error.column, 3);
//! # Ok::<(), perplex_games::rules::NotationError>(())
//! ```

use std::fmt::{self, Display};

mod edit;
mod parse;
mod words;

pub use edit::{Brush, Idea, Mirror, Purpose, Way, ideas};

/// The kind for which a movement is meant: pawns alone have first steps and capture in passing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mover {
    /// A pawn: `i` and `e` may stand in its movement.
    Pawn,
    /// Another kind, in whose movement `i` and `e` may not stand.
    Piece,
}

/// A step or leap, seen by the mover: files to the right, ranks forward.
pub type Offset = (i8, i8);

/// The condition on which a square is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// Pieces on the way do not matter: a leap, or a single step.
    Leap,
    /// All squares on the way are empty: a slide, a rider's later leaps, a lame leap.
    Slide,
    /// Exactly one piece stands on the way (`p`).
    Hop,
    /// Exactly one piece stands on the way, directly before the square (`g`).
    Behind,
}

impl How {
    /// All ways, the freest first.
    pub const ALL: [Self; 4] = [Self::Leap, Self::Slide, Self::Hop, Self::Behind];

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// The purpose for which a square is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Use {
    /// A move to an empty square.
    Move,
    /// A capture of the piece there.
    Capture,
    /// A move to an empty square from the pawn's second rank only.
    FirstStep,
    /// A capture in passing of a pawn that passed over the square (`e`).
    Passing,
}

impl Use {
    /// All uses, in the order in which [`Movement`] stores them.
    pub const ALL: [Self; 4] = [Self::Move, Self::Capture, Self::FirstStep, Self::Passing];
}

/// A square that a movement reaches, with its purpose and condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The square, from the mover.
    pub offset: Offset,
    /// The mover's purpose there.
    pub purpose: Use,
    /// The condition for the squares on the way.
    pub how: How,
}

/// The directions of an atom, which is a letter of the notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    /// W D H R, and the straight half of K and Q.
    Straight,
    /// F A G B, and the diagonal half of K and Q.
    Diagonal,
    /// K and Q.
    Royal,
    /// N C Z.
    Oblique,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Atom {
    letter: char,
    family: Family,
    /// The short and the long leg; K and Q count as (0, 1).
    legs: (i8, i8),
    /// True if it slides without limit when no range follows.
    rides: bool,
}

const ATOMS: [Atom; 15] = {
    const fn atom(letter: char, family: Family, short: i8, long: i8) -> Atom {
        Atom {
            letter,
            family,
            legs: (short, long),
            rides: matches!(letter, 'R' | 'B' | 'Q'),
        }
    }
    [
        atom('W', Family::Straight, 0, 1),
        atom('F', Family::Diagonal, 1, 1),
        atom('D', Family::Straight, 0, 2),
        atom('N', Family::Oblique, 1, 2),
        atom('A', Family::Diagonal, 2, 2),
        atom('H', Family::Straight, 0, 3),
        atom('C', Family::Oblique, 1, 3),
        atom('L', Family::Oblique, 1, 3),
        atom('Z', Family::Oblique, 2, 3),
        atom('J', Family::Oblique, 2, 3),
        atom('G', Family::Diagonal, 3, 3),
        atom('K', Family::Royal, 0, 1),
        atom('R', Family::Straight, 0, 1),
        atom('B', Family::Diagonal, 1, 1),
        atom('Q', Family::Royal, 0, 1),
    ]
};

/// The step of an unlimited slide; no line of the board is longer.
const UNLIMITED: u8 = 7;
/// Offsets run from -7 to 7 each way.
const SPAN: i8 = 7;
const WIDTH: usize = 15;

/// The modifier for pieces on the way: none, `p`, `g` or `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mode {
    Plain,
    Hop,
    Behind,
    Lame,
}

/// One term: modifiers, atom, range.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools)] // each is a letter of the notation
struct Term {
    initial: bool,
    dirs: String,
    moves: bool,
    captures: bool,
    passing: bool,
    mode: Mode,
    atom: Atom,
    /// The range as it was written: "", "3", or the atom once more.
    range: String,
    /// Unit steps, one a direction.
    rays: Vec<Offset>,
    /// The number of them in one line.
    steps: u8,
}

impl Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.initial {
            f.write_str("i")?;
        }
        f.write_str(&self.dirs)?;
        if self.moves {
            f.write_str("m")?;
        }
        if self.captures {
            f.write_str("c")?;
        }
        if self.passing {
            f.write_str("e")?;
        }
        f.write_str(match self.mode {
            Mode::Plain => "",
            Mode::Hop => "p",
            Mode::Behind => "g",
            Mode::Lame => "n",
        })?;
        write!(f, "{}{}", self.atom.letter, self.range)
    }
}

/// The movement of a kind of piece.
#[derive(Clone, Debug)]
pub struct Movement {
    terms: Vec<Term>,
    /// The squares that are reached: a set of [`How`] for each offset and each [`Use`].
    reach: Box<Reach>,
}

type Reach = [[u8; 4]; WIDTH * WIDTH];

impl Display for Movement {
    /// The canonical text; `-` for a kind that cannot move.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms.is_empty() {
            return f.write_str("-");
        }
        self.terms.iter().try_for_each(|term| write!(f, "{term}"))
    }
}

impl PartialEq for Movement {
    /// The same movement, however it is spelt.
    fn eq(&self, other: &Self) -> bool {
        offsets().all(|offset| self.essence(offset) == other.essence(offset))
    }
}

impl Eq for Movement {}

fn index((dx, dy): Offset) -> usize {
    let column = |n: i8| usize::from((n + SPAN).unsigned_abs());
    column(dy) * WIDTH + column(dx)
}

fn offsets() -> impl Iterator<Item = Offset> {
    (-SPAN..=SPAN).flat_map(|dy| (-SPAN..=SPAN).map(move |dx| (dx, dy)))
}

/// The number of squares on the way to `offset` that a condition can look at.
fn squares_on_the_way((dx, dy): Offset) -> u32 {
    let (short, long) = (
        dx.unsigned_abs().min(dy.unsigned_abs()),
        dx.unsigned_abs().max(dy.unsigned_abs()),
    );
    if short == 0 || short == long {
        u32::from(long.saturating_sub(1))
    } else if 2 * short == long {
        // A knight's: the square beside it for the lame one, then the riders' leaps.
        u32::from(short.max(2) - 1)
    } else {
        0
    }
}

/// The occupations of the squares on the way that allow `how`: one bit each. The squares are
/// numbered from the mover on.
fn allowed(how: How, squares: u32) -> u64 {
    (0..1u64 << squares)
        .filter(|way| match how {
            How::Leap => true,
            How::Slide => *way == 0,
            How::Hop => way.is_power_of_two(),
            How::Behind => squares > 0 && *way == 1 << (squares - 1),
        })
        .fold(0, |ways, way| ways | 1 << way)
}

impl Movement {
    /// Every square that is reached, with purpose and condition.
    pub fn marks(&self) -> impl Iterator<Item = Mark> + '_ {
        offsets().flat_map(move |offset| {
            Use::ALL.into_iter().flat_map(move |purpose| {
                How::ALL
                    .into_iter()
                    .filter(move |how| self.reach[index(offset)][purpose as usize] & how.bit() != 0)
                    .map(move |how| Mark {
                        offset,
                        purpose,
                        how,
                    })
            })
        })
    }

    /// True if `offset` is reached for `purpose` on the condition `how`.
    #[must_use]
    pub fn reaches(&self, offset: Offset, purpose: Use, how: How) -> bool {
        self.reach[index(offset)][purpose as usize] & how.bit() != 0
    }

    /// The occupations of the squares on the way to `offset` that allow each use. First steps and
    /// captures in passing leave out those that allow a move anyway.
    fn essence(&self, offset: Offset) -> [u64; 4] {
        let squares = squares_on_the_way(offset);
        let [moves, captures, first, passing] = self.reach[index(offset)].map(|hows| {
            How::ALL
                .into_iter()
                .filter(|how| hows & how.bit() != 0)
                .fold(0, |ways, how| ways | allowed(how, squares))
        });
        // A first step begins on the second rank, from which only one rank back is on the board.
        let first = if offset.1 < -1 { 0 } else { first & !moves };
        [moves, captures, first, passing & !moves]
    }
}

impl Term {
    /// The uses that its modifiers give it.
    fn uses(&self) -> impl Iterator<Item = Use> + use<> {
        let uses: &[Use] = match (self.initial, self.moves, self.captures) {
            (true, ..) => &[Use::FirstStep],
            (_, true, false) => &[Use::Move],
            (_, false, true) => &[Use::Capture],
            _ => &[Use::Move, Use::Capture],
        };
        let passing = self.passing.then_some(Use::Passing);
        uses.iter().copied().chain(passing)
    }

    fn add_to(&self, reach: &mut Reach) {
        for &(dx, dy) in &self.rays {
            for step in (1i8..).take(usize::from(self.steps)) {
                let (dx, dy) = (dx * step, dy * step);
                if dx.abs() > SPAN || dy.abs() > SPAN {
                    break;
                }
                let how = match (self.mode, step) {
                    (Mode::Hop | Mode::Behind, 1) => continue,
                    // With one square on the way the two are the same.
                    (Mode::Hop, _) | (Mode::Behind, 2) => How::Hop,
                    (Mode::Behind, _) => How::Behind,
                    (Mode::Plain, 1) => How::Leap,
                    (Mode::Plain | Mode::Lame, _) => How::Slide,
                };
                let cell = &mut reach[index((dx, dy))];
                for purpose in self.uses() {
                    cell[purpose as usize] |= how.bit();
                }
            }
        }
    }
}
