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

use std::fmt::{self, Display};

use super::NotationError;

/// For which kind a movement is meant: pawns alone have first steps and capture in passing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mover {
    /// A pawn: `i` and `e` may stand in its movement.
    Pawn,
    /// Any other kind.
    Piece,
}

/// A step or leap, seen by the mover: files to the right, ranks forward.
pub type Offset = (i8, i8);

/// On which condition a square is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// Whatever stands on the way: a leap, or a single step.
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

/// For what a square is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Use {
    /// A move to an empty square.
    Move,
    /// A capture.
    Capture,
    /// A move to an empty square from the pawn's second rank only.
    FirstStep,
    /// A capture in passing.
    Passing,
}

impl Use {
    /// All uses.
    pub const ALL: [Self; 4] = [Self::Move, Self::Capture, Self::FirstStep, Self::Passing];
}

/// A square that a movement reaches: from where, for what and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The square, from the mover.
    pub offset: Offset,
    /// For what.
    pub purpose: Use,
    /// On which condition.
    pub how: How,
}

/// The piece of a term that says what it leaps: a letter of the notation.
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
    /// Slides without limit when no range follows.
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

/// `p`, `g` or `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// As it was written: "", "3", or the atom once more.
    range: String,
    /// Unit steps, one a direction.
    rays: Vec<Offset>,
    /// How many of them in one line.
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

/// How a kind of piece moves.
#[derive(Clone, Debug)]
pub struct Movement {
    terms: Vec<Term>,
    /// What is reached, and how: a set of [`How`] for each offset and each [`Use`].
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

/// How many squares on the way to `offset` a condition can look at.
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

/// For which ways of being occupied the squares on the way allow `how`: one bit a way. The
/// squares are numbered from the mover on.
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
    /// Reads a movement.
    ///
    /// # Errors
    /// The column, and what may stand there.
    pub fn parse(text: &str, mover: Mover) -> Result<Self, NotationError> {
        let terms = if text == "-" {
            Vec::new()
        } else {
            Parser::new(text, mover).terms()?
        };
        let mut reach = Box::new([[0; 4]; WIDTH * WIDTH]);
        for term in &terms {
            term.add_to(&mut reach);
        }
        Ok(Self { terms, reach })
    }

    /// Every square that is reached, and how.
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

    /// Whether `offset` is reached so.
    #[must_use]
    pub fn reaches(&self, offset: Offset, purpose: Use, how: How) -> bool {
        self.reach[index(offset)][purpose as usize] & how.bit() != 0
    }

    /// The ways of being occupied under which the squares on the way to `offset` allow each use.
    /// What another term already gives is left out.
    fn essence(&self, offset: Offset) -> [u64; 4] {
        let squares = squares_on_the_way(offset);
        let [moves, captures, first, passing] = self.reach[index(offset)].map(|hows| {
            How::ALL
                .into_iter()
                .filter(|how| hows & how.bit() != 0)
                .fold(0, |ways, how| ways | allowed(how, squares))
        });
        // From the second rank one file's end is the board's.
        let first = if offset.1 < -1 { 0 } else { first & !moves };
        [moves, captures, first, passing & !moves]
    }

    /// The movement in words: "moves like a rook, at most two squares; captures like a knight".
    #[must_use]
    pub fn words(&self) -> String {
        if self.terms.is_empty() {
            return "can't move".to_owned();
        }
        let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
        let all_both = self
            .terms
            .iter()
            .all(|term| term.moves == term.captures && !term.initial);
        for term in &self.terms {
            let verb = match (term.moves, term.captures) {
                _ if all_both => "moves",
                (true, false) => "moves",
                (false, true) => "captures",
                _ => "moves and captures",
            };
            let words = term.words();
            match groups.iter_mut().find(|(known, _)| *known == verb) {
                Some((_, list)) => list.push(words),
                None => groups.push((verb, vec![words])),
            }
        }
        let groups: Vec<String> = groups
            .into_iter()
            .map(|(verb, list)| format!("{verb} {}", list.join(", or ")))
            .collect();
        groups.join("; ")
    }
}

impl Term {
    fn add_to(&self, reach: &mut Reach) {
        let uses: &[Use] = match (self.initial, self.moves, self.captures) {
            (true, ..) => &[Use::FirstStep],
            (_, true, false) => &[Use::Move],
            (_, false, true) => &[Use::Capture],
            _ => &[Use::Move, Use::Capture],
        };
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
                for &purpose in uses {
                    cell[purpose as usize] |= how.bit();
                }
                if self.passing {
                    cell[Use::Passing as usize] |= how.bit();
                }
            }
        }
    }

    fn words(&self) -> String {
        let one = |n: u8| match n {
            1 => "one square",
            2 => "two squares",
            3 => "three squares",
            4 => "four squares",
            5 => "five squares",
            _ => "six squares",
        };
        let letter = self.atom.letter;
        let unlimited =
            self.steps >= UNLIMITED || (self.atom.family == Family::Oblique && self.steps > 2);
        let piece = match self.atom.family {
            Family::Straight => "a rook",
            Family::Diagonal => "a bishop",
            Family::Royal => "a queen",
            Family::Oblique => "a knight",
        };
        let mut words = match (letter, self.steps) {
            ('D', _) => "two squares straight".to_owned(),
            ('H', _) => "three squares straight".to_owned(),
            ('A', _) => "two squares diagonally".to_owned(),
            ('G', _) => "three squares diagonally".to_owned(),
            ('C' | 'L', _) => "by a camel's leap (three squares and one aside)".to_owned(),
            ('Z' | 'J', _) => "by a zebra's leap (three squares and two aside)".to_owned(),
            ('N', 1) => "like a knight".to_owned(),
            ('N', _) if unlimited => "like a knight that rides on in the same line".to_owned(),
            ('N', _) => "like a knight that may ride on once in the same line".to_owned(),
            (_, 1) => match self.atom.family {
                Family::Straight => "one square straight".to_owned(),
                Family::Diagonal => "one square diagonally".to_owned(),
                _ => "like a king".to_owned(),
            },
            _ if unlimited => format!("like {piece}"),
            (_, n) => format!("like {piece}, at most {}", one(n)),
        };
        if matches!(letter, 'D' | 'H' | 'A' | 'G') && self.mode == Mode::Plain {
            words = format!("by a leap of {words}");
        }
        if !self.dirs.is_empty() {
            let sep = if words.ends_with("straight") || words.ends_with("diagonally") {
                " "
            } else {
                ", "
            };
            words = format!("{words}{sep}{}", self.direction_words());
        }
        match self.mode {
            Mode::Plain => {}
            Mode::Hop => words.push_str(", jumping exactly one piece on the way"),
            Mode::Behind => {
                words.push_str(", but only to the square behind the first piece in the way");
            }
            Mode::Lame if letter == 'N' => {
                words.push_str(", if the square beside it towards there is empty");
            }
            Mode::Lame => words.push_str(", if the square between is empty"),
        }
        if self.initial {
            words.push_str(", from the second rank only");
        }
        if self.passing {
            words.push_str(", in passing too");
        }
        words
    }

    fn direction_words(&self) -> String {
        let tokens = tokens(&self.dirs);
        let list: Vec<&str> = tokens
            .iter()
            .map(|token| match (self.atom.family, *token) {
                (Family::Oblique, "f" | "ff") => "the long leg forward",
                (Family::Oblique, "b" | "bb") => "the long leg backward",
                (Family::Oblique, "l" | "ll") => "the long leg to the left",
                (Family::Oblique, "r" | "rr") => "the long leg to the right",
                (Family::Oblique, "v" | "vv") => "the long leg forward or backward",
                (Family::Oblique, "s" | "ss") => "the long leg sideways",
                (Family::Oblique, "fs") => "the long leg sideways and the short one forward",
                (Family::Oblique, "bs") => "the long leg sideways and the short one backward",
                (Family::Oblique, "lv") => "the short leg to the left",
                (Family::Oblique, "rv") => "the short leg to the right",
                (Family::Oblique, "lf") => "the long leg forward and the short one to the left",
                (Family::Oblique, "rf") => "the long leg forward and the short one to the right",
                (Family::Oblique, "lb") => "the long leg backward and the short one to the left",
                (Family::Oblique, "rb") => "the long leg backward and the short one to the right",
                (Family::Oblique, "fl") => "the long leg to the left and the short one forward",
                (Family::Oblique, "fr") => "the long leg to the right and the short one forward",
                (Family::Oblique, "bl") => "the long leg to the left and the short one backward",
                (Family::Oblique, "br") => "the long leg to the right and the short one backward",
                (_, "hr") => "the half that turns right",
                (_, "hl") => "the half that turns left",
                (_, "f" | "fh") => "forward",
                (_, "b" | "bh") => "backward",
                (_, "l" | "lh") => "to the left",
                (_, "r" | "rh") => "to the right",
                (Family::Straight, "v") => "forward or backward",
                (Family::Straight, "s") => "sideways",
                (Family::Royal, "v") => "not straight sideways",
                (Family::Royal, "s") => "not straight forward or backward",
                (_, "v" | "s") => "in all four ways",
                (_, "fl" | "lf") => "forward to the left",
                (_, "fr" | "rf") => "forward to the right",
                (_, "bl" | "lb") => "backward to the left",
                _ => "backward to the right",
            })
            .collect();
        list.join(" or ")
    }
}

/// Reads a run of directions from left to right: letters that pair do.
fn tokens(dirs: &str) -> Vec<&str> {
    let letters = dirs.as_bytes();
    let vertical = |c: u8| matches!(c, b'f' | b'b' | b'v' | b'h');
    let horizontal = |c: u8| matches!(c, b'l' | b'r' | b's' | b'h');
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let pairs = letters.get(at + 1).is_some_and(|&next| {
            let c = letters[at];
            next == c || (vertical(c) && horizontal(next)) || (horizontal(c) && vertical(next))
        });
        let end = at + if pairs { 2 } else { 1 };
        tokens.push(&dirs[at..end]);
        at = end;
    }
    tokens
}

/// The unit steps of straight rays that a letter names.
fn straight(letter: char) -> &'static [Offset] {
    match letter {
        'f' => &[(0, 1)],
        'b' => &[(0, -1)],
        'l' => &[(-1, 0)],
        'r' => &[(1, 0)],
        'v' => &[(0, 1), (0, -1)],
        's' => &[(-1, 0), (1, 0)],
        _ => &[],
    }
}

const STRAIGHT: [Offset; 4] = [(0, 1), (0, -1), (-1, 0), (1, 0)];
const DIAGONAL: [Offset; 4] = [(1, 1), (-1, 1), (1, -1), (-1, -1)];

/// The diagonals that a token names; none if it names none.
fn diagonal(token: &str) -> Vec<Offset> {
    let on = |letter: char, (dx, dy): Offset| match letter {
        'f' => dy > 0,
        'b' => dy < 0,
        'l' => dx < 0,
        'r' => dx > 0,
        _ => true,
    };
    DIAGONAL
        .into_iter()
        .filter(|&ray| token.chars().all(|letter| on(letter, ray)))
        .collect()
}

/// The leaps of (short, long) legs that a token names; none if it names none.
fn oblique(token: &str, (short, long): (i8, i8)) -> Vec<Offset> {
    let all = [
        (short, long),
        (-short, long),
        (short, -long),
        (-short, -long),
        (long, short),
        (-long, short),
        (long, -short),
        (-long, -short),
    ];
    let is = |(dx, dy): Offset| {
        let upright = dy.abs() > dx.abs();
        match token {
            "f" | "ff" => upright && dy > 0,
            "b" | "bb" => upright && dy < 0,
            "l" | "ll" => !upright && dx < 0,
            "r" | "rr" => !upright && dx > 0,
            "v" | "vv" => upright,
            "s" | "ss" => !upright,
            "fh" => dy > 0,
            "bh" => dy < 0,
            "lh" => dx < 0,
            "rh" => dx > 0,
            "fs" => !upright && dy > 0,
            "bs" => !upright && dy < 0,
            "lv" => upright && dx < 0,
            "rv" => upright && dx > 0,
            "lf" => upright && dx < 0 && dy > 0,
            "rf" => upright && dx > 0 && dy > 0,
            "lb" => upright && dx < 0 && dy < 0,
            "rb" => upright && dx > 0 && dy < 0,
            "fl" => !upright && dx < 0 && dy > 0,
            "fr" => !upright && dx > 0 && dy > 0,
            "bl" => !upright && dx < 0 && dy < 0,
            "br" => !upright && dx > 0 && dy < 0,
            // Each next leap of a half is a quarter turn on.
            "hr" => (upright && (dx > 0) == (dy > 0)) || (!upright && (dx > 0) != (dy > 0)),
            "hl" => (upright && (dx > 0) != (dy > 0)) || (!upright && (dx > 0) == (dy > 0)),
            _ => false,
        }
    };
    all.into_iter().filter(|&leap| is(leap)).collect()
}

/// Modifiers read so far, with the columns where they stood.
#[derive(Default)]
struct Modifiers {
    initial: Option<usize>,
    dirs: Option<usize>,
    run: String,
    moves: Option<usize>,
    captures: Option<usize>,
    passing: Option<usize>,
    mode: Option<(char, usize)>,
}

impl Modifiers {
    fn any(&self) -> bool {
        self.initial.is_some()
            || self.dirs.is_some()
            || self.moves.is_some()
            || self.captures.is_some()
            || self.passing.is_some()
            || self.mode.is_some()
    }
}

struct Parser<'a> {
    text: &'a str,
    chars: Vec<char>,
    /// The next character, from 0.
    at: usize,
    pawn: bool,
}

const ATOM_LETTERS: &str = "an atom (W F D N A H C L Z J G K R B Q)";

impl<'a> Parser<'a> {
    fn new(text: &'a str, mover: Mover) -> Self {
        Self {
            text,
            chars: text.chars().collect(),
            at: 0,
            pawn: mover == Mover::Pawn,
        }
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    /// An error at the character `at` (from 0).
    fn error<T>(&self, at: usize, expected: impl Into<String>) -> Result<T, NotationError> {
        Err(NotationError::new(self.text, at + 1, expected))
    }

    fn terms(mut self) -> Result<Vec<Term>, NotationError> {
        let mut terms = Vec::new();
        while self.at < self.chars.len() {
            terms.push(self.term()?);
        }
        Ok(terms)
    }

    fn term(&mut self) -> Result<Term, NotationError> {
        let modifiers = self.modifiers()?;
        let atom = ATOMS
            .into_iter()
            .find(|atom| Some(atom.letter) == self.peek());
        let Some(atom) = atom else {
            let expected = self.may_follow(&modifiers);
            return self.error(self.at, expected);
        };
        self.check_first_step(&modifiers)?;
        let mode = self.mode(&modifiers, atom)?;
        let rays = self.rays(&modifiers, atom)?;
        self.at += 1;
        let (range, steps) = self.range(atom, mode)?;
        Ok(Term {
            initial: modifiers.initial.is_some(),
            dirs: modifiers.run,
            moves: modifiers.moves.is_some(),
            captures: modifiers.captures.is_some(),
            passing: modifiers.passing.is_some(),
            mode,
            atom,
            range,
            rays,
            steps,
        })
    }

    fn modifiers(&mut self) -> Result<Modifiers, NotationError> {
        let mut found = Modifiers::default();
        while let Some(c) = self.peek() {
            let slot = match c {
                'i' if self.pawn => &mut found.initial,
                'e' if self.pawn => &mut found.passing,
                'm' => &mut found.moves,
                'c' => &mut found.captures,
                'p' | 'g' | 'n' => {
                    if found.mode.is_some() {
                        let expected = self.may_follow(&found);
                        return self.error(self.at, expected);
                    }
                    found.mode = Some((c, self.at));
                    self.at += 1;
                    continue;
                }
                'f' | 'b' | 'l' | 'r' | 'v' | 's' | 'h' => {
                    match found.dirs {
                        Some(start) if start + found.run.len() != self.at => {
                            return self.error(
                                self.at,
                                format!(
                                    "{}: the directions stand together, in one run",
                                    self.may_follow(&found)
                                ),
                            );
                        }
                        Some(_) => {}
                        None => found.dirs = Some(self.at),
                    }
                    found.run.push(c);
                    self.at += 1;
                    continue;
                }
                _ => break,
            };
            if slot.is_some() {
                let expected = self.may_follow(&found);
                return self.error(self.at, expected);
            }
            *slot = Some(self.at);
            self.at += 1;
        }
        Ok(found)
    }

    /// What may stand after these modifiers.
    fn may_follow(&self, found: &Modifiers) -> String {
        let mut list = Vec::new();
        if self.pawn && found.initial.is_none() {
            list.push("`i`");
        }
        if found.dirs.is_none() {
            list.push("directions (f b l r v s h)");
        }
        if found.moves.is_none() {
            list.push("`m`");
        }
        if found.captures.is_none() {
            list.push("`c`");
        }
        if self.pawn && found.passing.is_none() {
            list.push("`e`");
        }
        if found.mode.is_none() {
            list.push("`p`, `g`, `n`");
        }
        let mut expected = list.join(", ");
        if !expected.is_empty() {
            expected.push_str(" or ");
        }
        expected.push_str(ATOM_LETTERS);
        let c = self.peek();
        if !found.any() && self.at > 0 && c.is_some_and(|c| c.is_ascii_digit()) {
            expected.push_str(" (a range follows W F N K R B Q alone, and is one digit)");
        } else if !self.pawn && (c == Some('i') || c == Some('e')) {
            expected.push_str(" (`i` and `e` are for pawns alone)");
        } else if c == Some('-') {
            expected.push_str(" (`-` stands alone: a kind that cannot move)");
        }
        expected
    }

    /// `i` goes with `m`, and without `c` and `e`.
    fn check_first_step(&self, found: &Modifiers) -> Result<(), NotationError> {
        if found.initial.is_none() {
            return Ok(());
        }
        for (slot, letter) in [(found.captures, 'c'), (found.passing, 'e')] {
            if let Some(at) = slot {
                return self.error(at, format!("left out: a term with `i` has no `{letter}`"));
            }
        }
        if found.moves.is_none() {
            return self.error(
                self.at,
                "`m` and then the atom: a term with `i` moves without capturing",
            );
        }
        Ok(())
    }

    fn mode(&self, found: &Modifiers, atom: Atom) -> Result<Mode, NotationError> {
        match found.mode {
            None => Ok(Mode::Plain),
            Some(('n', _)) if matches!(atom.letter, 'D' | 'A' | 'N') => Ok(Mode::Lame),
            Some(('n', _)) => self.error(self.at, "D, A or N, since `n` stands before it"),
            Some((letter, _)) if atom.rides => Ok(match letter {
                'p' => Mode::Hop,
                _ => Mode::Behind,
            }),
            Some((letter, _)) => self.error(
                self.at,
                format!("R, B or Q, since `{letter}` stands before it"),
            ),
        }
    }

    /// The unit steps of a term; checks the directions.
    fn rays(&self, found: &Modifiers, atom: Atom) -> Result<Vec<Offset>, NotationError> {
        let Some(start) = found.dirs else {
            return Ok(match atom.family {
                Family::Straight => scaled(&STRAIGHT, atom.legs.1),
                Family::Diagonal => scaled(&DIAGONAL, atom.legs.1),
                Family::Royal => [STRAIGHT, DIAGONAL].concat(),
                Family::Oblique => [oblique("v", atom.legs), oblique("s", atom.legs)].concat(),
            });
        };
        let mut rays: Vec<Offset> = Vec::new();
        let letter = atom.letter;
        if atom.family == Family::Straight {
            for (at, c) in (start..).zip(found.run.chars()) {
                let once = found.run.chars().filter(|&other| other == c).count() == 1;
                if c == 'h' || !once {
                    return self.error(
                        at,
                        format!("f, b, l, r, v or s, each once, before {letter}"),
                    );
                }
                rays.extend(scaled(straight(c), atom.legs.1));
            }
        } else {
            let mut at = start;
            let tokens = tokens(&found.run);
            for &token in &tokens {
                let alone = tokens.len() == 1 || !matches!(token, "v" | "s");
                let named = match atom.family {
                    Family::Oblique => oblique(token, atom.legs),
                    Family::Diagonal => match token {
                        "f" | "b" | "l" | "r" | "fl" | "fr" | "bl" | "br" | "lf" | "rf" | "lb"
                        | "rb" => diagonal(token),
                        "v" | "s" if alone => DIAGONAL.to_vec(),
                        _ => Vec::new(),
                    },
                    _ => match token {
                        "f" | "b" | "l" | "r" => both(token),
                        "v" | "s" if alone => both(token),
                        _ => Vec::new(),
                    },
                };
                if named.is_empty() {
                    let expected = match atom.family {
                        Family::Oblique => format!(
                            "f, b, l, r, v, s or a pair (ff bb ll rr fl fr bl br lf lb rf rb fs bs lv \
                             rv fh bh lh rh hr hl) before {letter}"
                        ),
                        Family::Diagonal => format!(
                            "f, b, l, r, or one diagonal (fl fr bl br), or v or s alone, before {letter}"
                        ),
                        _ => format!(
                            "f, b, l or r, or v or s alone, before {letter}; pairs are for W, F or N"
                        ),
                    };
                    return self.error(at, expected);
                }
                rays.extend(scaled(
                    &named,
                    if atom.family == Family::Diagonal {
                        atom.legs.1
                    } else {
                        1
                    },
                ));
                at += token.len();
            }
        }
        rays.sort_unstable();
        rays.dedup();
        Ok(rays)
    }

    /// The range as it is written, and the steps it allows.
    fn range(&mut self, atom: Atom, mode: Mode) -> Result<(String, u8), NotationError> {
        let letter = atom.letter;
        let mut range = String::new();
        let mut steps = if atom.rides { UNLIMITED } else { 1 };
        let Some(c) = self.peek() else {
            return Ok((range, steps));
        };
        let plain = mode == Mode::Plain;
        if let Some(digit) = c.to_digit(10) {
            let ranged = matches!(letter, 'W' | 'F' | 'N' | 'K' | 'R' | 'B' | 'Q');
            if !ranged || !plain {
                let why = if ranged {
                    "p, g and n go without a range"
                } else {
                    "a range follows W F N K R B Q alone"
                };
                return self.error(self.at, format!("another term or the end: {why}"));
            }
            steps = match u8::try_from(digit) {
                Ok(n @ 1..=6) => n,
                _ => UNLIMITED,
            };
            range.push(c);
            self.at += 1;
        } else if c == letter {
            if !plain || !matches!(letter, 'W' | 'F' | 'N') {
                return self.error(
                    self.at,
                    format!(
                        "another term or the end: {letter} is not doubled here (only WW, FF, NN)"
                    ),
                );
            }
            steps = UNLIMITED;
            range.push(c);
            self.at += 1;
            if let Some(next) = self.peek()
                && (next == letter || next.is_ascii_digit())
            {
                return self.error(
                    self.at,
                    format!("another term or the end, since {letter}{letter} is without limit"),
                );
            }
        }
        Ok((range, steps))
    }
}

fn scaled(rays: &[Offset], by: i8) -> Vec<Offset> {
    rays.iter().map(|&(dx, dy)| (dx * by, dy * by)).collect()
}

/// A letter given to the straight and to the diagonal part of K or Q.
fn both(letter: &str) -> Vec<Offset> {
    let c = letter.chars().next().unwrap_or('f');
    [straight(c), &diagonal(letter)].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reached(text: &str) -> Vec<Offset> {
        let mut all: Vec<Offset> = Movement::parse(text, Mover::Pawn)
            .unwrap_or_else(|error| panic!("{error}"))
            .marks()
            .map(|mark| mark.offset)
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    #[track_caller]
    fn same(a: &str, b: &str, expected: bool) {
        let parse = |text| Movement::parse(text, Mover::Pawn).expect("a movement");
        assert_eq!(parse(a) == parse(b), expected, "{a} and {b}");
    }

    #[test]
    fn directions() {
        assert_eq!(reached("lfN"), [(-1, 2)]);
        assert_eq!(reached("flN"), [(-2, 1)]);
        assert_eq!(reached("hrN"), [(-2, 1), (-1, -2), (1, 2), (2, -1)]);
        assert_eq!(reached("ffrrN"), [(-1, 2), (1, 2), (2, -1), (2, 1)]);
        assert_eq!(reached("fsN"), [(-2, 1), (2, 1)]);
        assert_eq!(reached("lvC"), [(-1, -3), (-1, 3)]);
        assert_eq!(reached("fhZ").len(), 4);
        assert_eq!(reached("fK"), reached("fWfF"));
        assert_eq!(reached("fbK").len(), 6);
        assert_eq!(reached("vK").len(), 6);
        assert_eq!(reached("flA"), [(-2, 2)]);
        assert_eq!(reached("fsD"), [(-2, 0), (0, 2), (2, 0)]);
    }

    #[test]
    fn the_same_however_spelt() {
        same("WW", "R", true);
        same("R0", "R", true);
        same("R8", "R", true);
        same("FF", "B", true);
        same("RB", "Q", true);
        same("WF", "K", true);
        same("K0", "Q", true);
        same("NN", "N3", true);
        same("NN", "N2", false);
        same("WnD", "R2", true);
        same("WD", "R2", false);
        same("DnD", "D", true);
        same("NnN", "N", true);
        same("nN", "N", false);
        same("cRmR", "R", true);
        same("mcR", "R", true);
        same("RpR", "RpRD", true);
        same("pR", "gR", false);
        same("pRgR", "pR", true);
        same("fmWfceFifmnD", "ifmnDfceFfmW", true);
        same("fmWfcF", "fmWfceF", false);
        same("fmWfmnDifmnD", "fmR2", true);
        same("L", "C", true);
        same("-", "", true);
        same("fmWibmD", "fmW", true);
    }

    #[test]
    fn refused_with_the_column() {
        for (text, column) in [
            ("X", 1),
            ("RR", 2),
            ("NNN", 3),
            ("nN2", 3),
            ("nNN", 3),
            ("NN2", 3),
            ("WW3", 3),
            ("pR3", 3),
            ("pN", 2),
            ("nR", 2),
            ("D2", 2),
            ("flK", 1),
            ("fsF", 1),
            ("lvB", 1),
            ("hW", 1),
            ("hN", 1),
            ("fmfW", 3),
            ("mmW", 2),
            ("N-", 2),
            ("m", 2),
            ("iW", 2),
            ("icmW", 2),
            ("W10", 3),
            ("pgR", 2),
        ] {
            let error = Movement::parse(text, Mover::Pawn).expect_err(text);
            assert_eq!(error.column, column, "{error}");
        }
        for text in ["imW", "ceF"] {
            Movement::parse(text, Mover::Piece).expect_err(text);
        }
    }

    #[test]
    fn canonical_order_and_words() {
        let canon = |text| {
            Movement::parse(text, Mover::Pawn)
                .expect("a movement")
                .to_string()
        };
        assert_eq!(canon("mfW"), "fmW");
        assert_eq!(canon("ecfFnmfiD"), "fceFifmnD");
        assert_eq!(canon("pcR"), "cpR");
        assert_eq!(canon(""), "-");
        let words = |text| {
            Movement::parse(text, Mover::Pawn)
                .expect("a movement")
                .words()
        };
        assert_eq!(
            words("fmWfceFifmnD"),
            "moves one square straight forward, or two squares straight forward, if the square between is \
             empty, from the second rank only; captures one square diagonally forward, in passing too"
        );
        assert_eq!(
            words("mR2cN"),
            "moves like a rook, at most two squares; captures like a knight"
        );
        assert_eq!(words("NW"), "moves like a knight, or one square straight");
        assert_eq!(words("-"), "can't move");
    }
}
