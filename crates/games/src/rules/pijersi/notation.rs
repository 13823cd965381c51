//! Turns of Pijersi, written and read: the official notation, and that of the UGI engines.

use std::fmt::{self, Display, Write as _};
use std::str::FromStr;

use super::{Carry, Cell, Hop, Pijersi, Turn, Unit, row_length};
use crate::rules::cursor::Cursor;
use crate::rules::{IllegalTurn, NotationError, Rules, TurnError, nearest};

impl Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.from, f)?;
        for (carry, _, Hop { to, captures }) in self.hops() {
            f.write_char(carry.sign())?;
            Display::fmt(&to, f)?;
            if captures {
                f.write_char('!')?;
            }
        }
        Ok(())
    }
}

impl FromStr for Turn {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let spelt = Spelt::read(text, Spelling::Canonical)?;
        let carry = spelt.carry();
        // The canonical spelling has its signs.
        let carry = carry.ok_or_else(|| NotationError::new(text, spelt.first.column, SIGNS))?;
        Ok(spelt.turn(carry))
    }
}

const SIGNS: &str = "`-` to move a cube or `=` to move a stack";

/// A degree of closeness to the canonical notation that a turn's text must have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelling {
    /// To the letter; only the `!` may be missing.
    Canonical,
    /// Capitals are read, and blanks and colons between the parts; `-` and `=` may be missing.
    Lenient,
}

/// A turn as it was spelt, which may be incomplete.
struct Spelt {
    from: Cell,
    first: SpeltHop,
    second: Option<SpeltHop>,
}

struct SpeltHop {
    /// The column of its sign, be it there or missing, from 1.
    column: usize,
    carry: Option<Carry>,
    to: Cell,
    captures: bool,
}

impl Spelt {
    fn read(text: &str, spelling: Spelling) -> Result<Self, NotationError> {
        let mut reader = Reader::new(text, spelling);
        reader.skip();
        let from = reader.cell()?;
        reader.skip();
        let first = reader.hop(None)?;
        reader.skip();
        let second = match reader.peek() {
            Some(_) => Some(reader.hop(first.carry)?),
            None => None,
        };
        reader.skip();
        match reader.peek() {
            None => Ok(Self {
                from,
                first,
                second,
            }),
            Some(_) => Err(reader.error("the end of the turn")),
        }
    }

    /// The load of the first hop, if any sign says so: the second hop takes the other.
    fn carry(&self) -> Option<Carry> {
        let second = self.second.as_ref().and_then(|hop| hop.carry);
        self.first.carry.or(second.map(Carry::other))
    }

    /// The turn, with the `!` as they were spelt.
    fn turn(&self, carry: Carry) -> Turn {
        let hop = |hop: &SpeltHop| Hop {
            to: hop.to,
            captures: hop.captures,
        };
        Turn {
            from: self.from,
            carry,
            first: hop(&self.first),
            second: self.second.as_ref().map(hop),
        }
    }
}

/// Reads a turn's text character by character.
struct Reader<'a> {
    cursor: Cursor<'a>,
    spelling: Spelling,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, spelling: Spelling) -> Self {
        Self {
            cursor: Cursor::new(text),
            spelling,
        }
    }

    fn peek(&self) -> Option<char> {
        let found = self.cursor.peek()?;
        Some(match self.spelling {
            Spelling::Canonical => found,
            Spelling::Lenient => found.to_ascii_lowercase(),
        })
    }

    fn error(&self, expected: &str) -> NotationError {
        self.cursor.error(expected)
    }

    fn skip(&mut self) {
        while self.spelling == Spelling::Lenient && matches!(self.peek(), Some(' ' | '\t' | ':')) {
            self.cursor.advance();
        }
    }

    fn cell(&mut self) -> Result<Cell, NotationError> {
        let row = self
            .peek()
            .filter(|c| ('a'..='g').contains(c))
            .ok_or_else(|| self.error("the letter of a row, `a` to `g`"))?;
        self.cursor.advance();
        let row = row as u8 - b'a';
        let number = self.peek().filter(|c| ('1'..='7').contains(c));
        let cell = number.and_then(|number| Cell::new(row, number as u8 - b'1'));
        let cell = cell.ok_or_else(|| {
            let (row, length) = (char::from(b'a' + row), row_length(row));
            self.error(&format!(
                "the number of a cell of row {row}, `1` to `{length}`"
            ))
        })?;
        self.cursor.advance();
        Ok(cell)
    }

    /// Reads a sign, a cell and perhaps a `!`; `before` is the load of the turn's first hop before it.
    fn hop(&mut self, before: Option<Carry>) -> Result<SpeltHop, NotationError> {
        let column = self.cursor.column();
        let carry = match self.peek() {
            Some('-') => Some(Carry::Cube),
            Some('=') => Some(Carry::Stack),
            Some(_) if self.spelling == Spelling::Lenient => None,
            _ if before == Some(Carry::Cube) => {
                return Err(self.error("`=` to move on the stack that was built, or the end"));
            }
            _ if before == Some(Carry::Stack) => {
                return Err(self.error("`-` to move on the cube on top, or the end"));
            }
            _ => return Err(self.error(SIGNS)),
        };
        if carry.is_some() && carry == before {
            return Err(self.error(match carry {
                Some(Carry::Cube) => "`=`: after a cube only the stack it has built moves on",
                _ => "`-`: after a stack only the cube on its top moves on",
            }));
        }
        if carry.is_some() {
            self.cursor.advance();
        }
        self.skip();
        let to = self.cell()?;
        self.skip();
        let captures = self.peek() == Some('!');
        if captures {
            self.cursor.advance();
        }
        Ok(SpeltHop {
            column,
            carry,
            to,
            captures,
        })
    }
}

impl Turn {
    /// The reason why a `!` is wrong, if one is; `right` is the same turn with the right ones.
    pub(super) fn why_wrong_marks(self, right: Self) -> Option<String> {
        let mut hops = self.hops().zip(right.hops());
        hops.find_map(|((_, _, Hop { to, captures }), (_, _, right))| {
            match (captures, right.captures) {
                (true, false) => Some(format!(
                    "`!` marks a capture, and nothing is captured on {to}"
                )),
                (false, true) => Some(format!("it captures on {to}, which is written `{to}!`")),
                _ => None,
            }
        })
    }
}

/// `turn` with all its `!`, if it is legal apart from those that it lacks.
fn confirm(position: &Pijersi, turn: Turn) -> Result<Turn, String> {
    if position.outcome().is_some() {
        return Err("the game is over".to_owned());
    }
    let right = position.marked(turn)?;
    let mut claimed = turn;
    claimed.first.captures |= right.first.captures;
    if let (Some(claimed), Some(right)) = (&mut claimed.second, right.second) {
        claimed.captures |= right.captures;
    }
    claimed.why_wrong_marks(right).map_or(Ok(right), Err)
}

impl Pijersi {
    /// Reads canonical notation, with or without its `!`; otherwise capitals, blanks and colons, and `-` and
    /// `=` left out, where that leaves one legal turn.
    pub(super) fn read_turn(&self, text: &str) -> Result<Turn, TurnError> {
        let text = text.trim();
        let near = |text: &str| {
            let legal = self.legal();
            nearest(
                text,
                &legal.iter().map(ToString::to_string).collect::<Vec<_>>(),
            )
        };
        let misspelt = |error: NotationError| NotationError {
            nearest: near(&text.to_lowercase()),
            ..error
        };
        let spelt = Spelt::read(text, Spelling::Lenient).map_err(misspelt)?;
        let confirm = |turn: Turn| {
            confirm(self, turn).map_err(|why| {
                TurnError::Illegal(IllegalTurn {
                    nearest: near(&turn.to_string()),
                    ..IllegalTurn::new(turn, why)
                })
            })
        };
        if let Some(carry) = spelt.carry() {
            return confirm(spelt.turn(carry));
        }
        let possible: Vec<Turn> = [Carry::Cube, Carry::Stack]
            .into_iter()
            .map(|carry| spelt.turn(carry))
            .filter(|turn| self.marked(*turn).is_ok())
            .collect();
        let column = spelt.first.column;
        match possible.as_slice() {
            [only] => confirm(*only),
            [] => {
                // Engines leave the signs out in another way.
                let cells: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
                if let Ok(turn) = self.from_ugi(&cells.to_lowercase()) {
                    return Ok(turn);
                }
                let expected = "`-` or `=`, and a legal turn: over these cells there is none";
                Err(misspelt(NotationError::new(text, column, expected)).into())
            }
            several => {
                let marked = several.iter().filter_map(|turn| self.marked(*turn).ok());
                Err(TurnError::Notation(NotationError {
                    nearest: marked.map(|turn| turn.to_string()).collect(),
                    ..NotationError::new(text, column, SIGNS)
                }))
            }
        }
    }

    /// `turn` in the spelling of engines that talk UGI: two or three cells, nothing between them.
    ///
    /// | turn | UGI |
    /// |---|---|
    /// | a single cube moves: `X-Y` | `XY` |
    /// | the top of a stack moves: `X-Y` | `XXY` |
    /// | a stack moves: `X=Y` | `XYY` |
    /// | a cube builds a stack, which moves on: `X-Y=Z` | `XYZ` |
    /// | a stack moves, and then its top: `X=Y-Z` | `XYZ` |
    ///
    /// With three cells that begin at a stack, the second one is the end of the bottom cube and the third that of the
    /// top. The last two lines differ by the piece on Y before the turn: the first one needs a single cube of the side
    /// to move there, the second one none; so a position tells them apart, and only a position tells the first two
    /// lines apart.
    #[must_use]
    pub fn to_ugi(&self, turn: &Turn) -> String {
        let Turn { from, first, .. } = turn;
        let to = first.to;
        match (turn.carry, turn.second) {
            (_, Some(Hop { to: last, .. })) => format!("{from}{to}{last}"),
            (Carry::Stack, None) => format!("{from}{to}{to}"),
            (Carry::Cube, None) => match self.unit(*from) {
                Some(Unit { under: Some(_), .. }) => format!("{from}{from}{to}"),
                _ => format!("{from}{to}"),
            },
        }
    }

    /// Reads a turn in the spelling of engines that talk UGI; see [`Pijersi::to_ugi`].
    ///
    /// # Errors
    /// [`TurnError::Notation`] where the text is not two or three cells, [`TurnError::Illegal`] where
    /// they name no legal turn.
    pub fn from_ugi(&self, text: &str) -> Result<Turn, TurnError> {
        let mut reader = Reader::new(text, Spelling::Canonical);
        let from = reader.cell()?;
        let middle = reader.cell()?;
        let last = match reader.peek() {
            Some(_) => Some(reader.cell()?),
            None => None,
        };
        if reader.peek().is_some() {
            return Err(reader
                .error("the end of the turn: it has two or three cells")
                .into());
        }
        let hop = |to| Hop {
            to,
            captures: false,
        };
        let own = |cell| self.unit(cell).filter(|unit| unit.side == self.to_move);
        let is_stack = |unit: Unit| unit.under.is_some();
        let (carry, first, second) = match last {
            None => (Carry::Cube, middle, None),
            Some(last) if middle == from => (Carry::Cube, last, None),
            Some(last) if last == middle => (Carry::Stack, middle, None),
            Some(last) if own(from).is_some_and(is_stack) && own(middle).is_none() => {
                (Carry::Stack, middle, Some(last))
            }
            Some(last) => (Carry::Cube, middle, Some(last)),
        };
        let turn = Turn {
            from,
            carry,
            first: hop(first),
            second: second.map(hop),
        };
        let turn = confirm(self, turn).map_err(|why| IllegalTurn::new(turn, why))?;
        let right = self.to_ugi(&turn);
        if right == text {
            Ok(turn)
        } else {
            let why = format!("in UGI it is written {right}");
            Err(IllegalTurn::new(turn, why).into())
        }
    }
}
