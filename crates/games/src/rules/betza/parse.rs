//! Reads the terms of a movement: modifiers, atom, range, with the column of an error.

use super::{ATOMS, Atom, Family, Mode, Movement, Mover, Offset, Term, UNLIMITED, WIDTH};
use crate::rules::NotationError;
use crate::rules::cursor::Cursor;

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
}

/// Reads a run of directions from left to right: letters that pair do.
pub(super) fn tokens(dirs: &str) -> Vec<&str> {
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

pub(super) const STRAIGHT: [Offset; 4] = [(0, 1), (0, -1), (-1, 0), (1, 0)];
pub(super) const DIAGONAL: [Offset; 4] = [(1, 1), (-1, 1), (1, -1), (-1, -1)];

/// The diagonals that a token names; none if it names none.
pub(super) fn diagonal(token: &str) -> Vec<Offset> {
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

/// The tokens of two letters that name oblique leaps, those that name most first.
pub(super) const OBLIQUE_PAIRS: [&str; 24] = [
    "vv", "ss", "fh", "bh", "lh", "rh", "hr", "hl", "ff", "bb", "ll", "rr", "fs", "bs", "lv", "rv",
    "lf", "rf", "lb", "rb", "fl", "fr", "bl", "br",
];

/// The leaps of (short, long) legs that a token names; none if it names none.
pub(super) fn oblique(token: &str, (short, long): (i8, i8)) -> Vec<Offset> {
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

/// Modifiers read so far, with their columns.
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
    cursor: Cursor<'a>,
    pawn: bool,
}

const ATOM_LETTERS: &str = "an atom (W F D N A H C L Z J G K R B Q)";

impl<'a> Parser<'a> {
    fn new(text: &'a str, mover: Mover) -> Self {
        Self {
            cursor: Cursor::new(text),
            pawn: mover == Mover::Pawn,
        }
    }

    /// The error that `expected` should stand where the next character is.
    fn error<T>(&self, expected: impl Into<String>) -> Result<T, NotationError> {
        Err(self.cursor.error(expected))
    }

    fn terms(mut self) -> Result<Vec<Term>, NotationError> {
        let mut terms = Vec::new();
        while self.cursor.peek().is_some() {
            terms.push(self.term()?);
        }
        Ok(terms)
    }

    fn term(&mut self) -> Result<Term, NotationError> {
        let modifiers = self.modifiers()?;
        let atom = ATOMS
            .into_iter()
            .find(|atom| Some(atom.letter) == self.cursor.peek());
        let Some(atom) = atom else {
            let expected = self.may_follow(&modifiers);
            return self.error(expected);
        };
        self.check_first_step(&modifiers)?;
        let mode = self.mode(&modifiers, atom)?;
        let rays = self.rays(&modifiers, atom)?;
        self.cursor.advance();
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
        while let Some(c) = self.cursor.peek() {
            let slot = match c {
                'i' if self.pawn => &mut found.initial,
                'e' if self.pawn => &mut found.passing,
                'm' => &mut found.moves,
                'c' => &mut found.captures,
                'p' | 'g' | 'n' => {
                    if found.mode.is_some() {
                        let expected = self.may_follow(&found);
                        return self.error(expected);
                    }
                    found.mode = Some((c, self.cursor.column()));
                    self.cursor.advance();
                    continue;
                }
                'f' | 'b' | 'l' | 'r' | 'v' | 's' | 'h' => {
                    match found.dirs {
                        Some(start) if start + found.run.len() != self.cursor.column() => {
                            return self.error(format!(
                                "{}: the directions stand together, in one run",
                                self.may_follow(&found)
                            ));
                        }
                        Some(_) => {}
                        None => found.dirs = Some(self.cursor.column()),
                    }
                    found.run.push(c);
                    self.cursor.advance();
                    continue;
                }
                _ => break,
            };
            if slot.is_some() {
                let expected = self.may_follow(&found);
                return self.error(expected);
            }
            *slot = Some(self.cursor.column());
            self.cursor.advance();
        }
        Ok(found)
    }

    /// The list of what may stand after these modifiers.
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
        let c = self.cursor.peek();
        if !found.any() && self.cursor.column() > 1 && c.is_some_and(|c| c.is_ascii_digit()) {
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
                return Err(self
                    .cursor
                    .error_at(at, format!("left out: a term with `i` has no `{letter}`")));
            }
        }
        if found.moves.is_none() {
            return self.error("`m` and then the atom: a term with `i` moves without capturing");
        }
        Ok(())
    }

    fn mode(&self, found: &Modifiers, atom: Atom) -> Result<Mode, NotationError> {
        match found.mode {
            None => Ok(Mode::Plain),
            Some(('n', _)) if matches!(atom.letter, 'D' | 'A' | 'N') => Ok(Mode::Lame),
            Some(('n', _)) => self.error("D, A or N, since `n` stands before it"),
            Some((letter, _)) if atom.rides => Ok(match letter {
                'p' => Mode::Hop,
                _ => Mode::Behind,
            }),
            Some((letter, _)) => {
                self.error(format!("R, B or Q, since `{letter}` stands before it"))
            }
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
            for (index, c) in found.run.char_indices() {
                let at = start + index;
                if c == 'h' || found.run[..index].contains(c) {
                    let expected = format!("f, b, l, r, v or s, each once, before {letter}");
                    return Err(self.cursor.error_at(at, expected));
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
                    let wrong =
                        at + well_begun(token, atom.family, tokens.len() == 1 || at == start);
                    return Err(self.cursor.error_at(wrong, expected));
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

    /// Reads a range as it is written, and the steps that it allows.
    fn range(&mut self, atom: Atom, mode: Mode) -> Result<(String, u8), NotationError> {
        let letter = atom.letter;
        let mut range = String::new();
        let mut steps = if atom.rides { UNLIMITED } else { 1 };
        let Some(c) = self.cursor.peek() else {
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
                return self.error(format!("another term or the end: {why}"));
            }
            steps = match u8::try_from(digit) {
                Ok(n @ 1..=6) => n,
                _ => UNLIMITED,
            };
            range.push(c);
            self.cursor.advance();
        } else if c == letter {
            if !plain || !matches!(letter, 'W' | 'F' | 'N') {
                return self.error(format!(
                    "another term or the end: {letter} is not doubled here (only WW, FF, NN)"
                ));
            }
            steps = UNLIMITED;
            range.push(c);
            self.cursor.advance();
            if let Some(next) = self.cursor.peek()
                && (next == letter || next.is_ascii_digit())
            {
                return self.error(format!(
                    "another term or the end, since {letter}{letter} is without limit"
                ));
            }
        }
        Ok((range, steps))
    }
}

/// The letters at the beginning of a token that can begin directions of this family; `v` and `s` can where they may
/// stand `alone`.
fn well_begun(token: &str, family: Family, alone: bool) -> usize {
    let first = token.chars().next().unwrap_or('f');
    let begins = match family {
        Family::Oblique => token.len() > 1,
        _ => matches!(first, 'f' | 'b' | 'l' | 'r') || (alone && matches!(first, 'v' | 's')),
    };
    usize::from(begins)
}

fn scaled(rays: &[Offset], by: i8) -> Vec<Offset> {
    rays.iter().map(|&(dx, dy)| (dx * by, dy * by)).collect()
}

/// The straight and the diagonal rays that a letter names before K or Q.
fn both(letter: &str) -> Vec<Offset> {
    let c = letter.chars().next().unwrap_or('f');
    [straight(c), &diagonal(letter)].concat()
}
