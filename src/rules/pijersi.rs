//! Pijersi (Lucas Borboleta, 2022). Source: github.com/LucasBorboleta/pijersi.
//!
//! The 45 hexagons stand in 64 places, row after row from a1, with one place left free between two
//! rows: a1 is 0, a6 is 5, b1 is 7, g6 is 50. Rows of six and of seven alternate, so a step in each of
//! the six directions is the same number everywhere, modulo 64, and a step off the board ends on a
//! place that is no cell.

use std::fmt::{self, Display};
use std::str::FromStr;

use super::{
    IllegalTurn, NotationError, Outcome, Reason, Rules, Seat, SeatName, Side, TurnError,
    WHITE_BLACK, nearest,
};

mod count;
#[cfg(test)]
mod tests;

/// How many rows the board has.
pub const ROWS: u8 = 7;
/// So many turns in a row without a capture draw the game.
pub const QUIET_TURNS: u32 = 20;

/// Places in the array of the board; only 45 of them are cells.
const PLACES: usize = 64;
/// The places that are cells, as a bitboard.
const CELLS: u64 = {
    let (mut cells, mut row) = (0, 0);
    while row < ROWS {
        cells |= ((1 << row_length(row)) - 1) << row_start(row);
        row += 1;
    }
    cells
};
/// The six directions, as steps between places modulo 64: right, up right, up left, and back.
const DIRECTIONS: [u8; 6] = [1, 8, 7, 63, 56, 57];

/// How many cells a row has: six in rows a, c, e and g, seven in the others.
#[must_use]
pub const fn row_length(row: u8) -> u8 {
    6 + row % 2
}

const fn row_start(row: u8) -> u8 {
    15 * row / 2
}

/// A cell of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell(u8);

impl Cell {
    /// The cell `number` of `row`, both counted from 0; `None` if there is no such cell.
    #[must_use]
    pub const fn new(row: u8, number: u8) -> Option<Self> {
        if row < ROWS && number < row_length(row) {
            Some(Self(row_start(row) + number))
        } else {
            None
        }
    }

    /// The row, from 0 (row a, White's side).
    #[must_use]
    pub const fn row(self) -> u8 {
        (2 * self.0 + 1) / 15
    }

    /// The number within the row, from 0.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0 - row_start(self.row())
    }

    /// All cells, a1 first, then along the rows.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..ROWS).flat_map(|row| (0..row_length(row)).map(move |n| Self(row_start(row) + n)))
    }

    const fn index(self) -> usize {
        self.0 as usize
    }

    fn step(self, direction: u8) -> Option<Self> {
        let place = (self.0 + direction) % 64;
        (CELLS >> place & 1 != 0).then_some(Self(place))
    }

    fn neighbours(self) -> impl Iterator<Item = Self> {
        DIRECTIONS.into_iter().filter_map(move |d| self.step(d))
    }

    /// The cell between this one and `other`, if they are two steps apart in a straight line.
    fn between(self, other: Self) -> Option<Self> {
        DIRECTIONS.into_iter().find_map(|d| {
            self.step(d)
                .filter(|between| between.step(d) == Some(other))
        })
    }

    /// Whether the cell lies on the back row of the other side of `side`.
    const fn is_goal_of(self, side: Side) -> bool {
        self.row()
            == match side {
                Side::First => ROWS - 1,
                Side::Second => 0,
            }
    }
}

impl Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.row()), self.number() + 1)
    }
}

/// What a cube is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Captures scissors.
    Rock,
    /// Captures rock.
    Paper,
    /// Captures paper.
    Scissors,
    /// Neither captures nor is captured, and does not win.
    Wise,
}

impl Role {
    /// The four roles.
    pub const ALL: [Self; 4] = [Self::Rock, Self::Paper, Self::Scissors, Self::Wise];

    /// The role's word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rock => "rock",
            Self::Paper => "paper",
            Self::Scissors => "scissors",
            Self::Wise => "wise",
        }
    }

    /// The letter of a cube in position texts: a capital for White's.
    #[must_use]
    pub const fn letter(self, side: Side) -> char {
        match (side, self) {
            (Side::First, Self::Rock) => 'R',
            (Side::First, Self::Paper) => 'P',
            (Side::First, Self::Scissors) => 'S',
            (Side::First, Self::Wise) => 'W',
            (Side::Second, Self::Rock) => 'r',
            (Side::Second, Self::Paper) => 'p',
            (Side::Second, Self::Scissors) => 's',
            (Side::Second, Self::Wise) => 'w',
        }
    }

    fn from_letter(letter: char) -> Option<(Side, Self)> {
        [Side::First, Side::Second]
            .into_iter()
            .flat_map(|side| Self::ALL.map(|role| (side, role)))
            .find(|(side, role)| role.letter(*side) == letter)
    }

    /// The role that captures this one.
    const fn captor(self) -> Option<Self> {
        match self {
            Self::Rock => Some(Self::Paper),
            Self::Paper => Some(Self::Scissors),
            Self::Scissors => Some(Self::Rock),
            Self::Wise => None,
        }
    }

    /// Whether a cube or stack of this role captures one of role `other`.
    #[must_use]
    pub fn captures(self, other: Self) -> bool {
        other.captor() == Some(self)
    }

    /// Whether a cube of this role may lie on a cube of role `under`.
    #[must_use]
    pub fn lies_on(self, under: Self) -> bool {
        self != Self::Wise || under == Self::Wise
    }
}

/// A cube, or a stack of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unit {
    /// Whose it is.
    pub side: Side,
    /// The role of the cube, or of the stack's top: that of the stack.
    pub top: Role,
    /// The cube at the bottom of a stack.
    pub under: Option<Role>,
}

/// What a hop takes along.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Carry {
    /// One cube, single or the top of a stack: `-`.
    Cube,
    /// A stack of two: `=`.
    Stack,
}

impl Carry {
    /// The other one: what the second hop of a turn takes along.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Cube => Self::Stack,
            Self::Stack => Self::Cube,
        }
    }

    const fn sign(self) -> char {
        match self {
            Self::Cube => '-',
            Self::Stack => '=',
        }
    }
}

/// Where one of the up to two moves of a turn leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hop {
    /// The cell it ends on.
    pub to: Cell,
    /// Whether it captures there.
    pub captures: bool,
}

/// A turn of Pijersi: `a1-b1`, `b4=d5`, `a1-b1=d2`, `d6=b5!-b4!`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Turn {
    /// Where the cube or the stack stood.
    pub from: Cell,
    /// What the first hop takes along; the second takes the other.
    pub carry: Carry,
    /// The first hop.
    pub first: Hop,
    /// The second, from where the first ended.
    pub second: Option<Hop>,
}

impl Turn {
    /// The hops in order: what is taken along, from where, and where to.
    pub fn hops(&self) -> impl Iterator<Item = (Carry, Cell, Hop)> {
        let second = self
            .second
            .map(|hop| (self.carry.other(), self.first.to, hop));
        [(self.carry, self.from, self.first)]
            .into_iter()
            .chain(second)
    }

    /// The cell where the turn ends.
    #[must_use]
    pub fn last(&self) -> Cell {
        self.second.unwrap_or(self.first).to
    }

    /// Whether something is captured.
    #[must_use]
    pub fn captures(&self) -> bool {
        self.hops().any(|(_, _, hop)| hop.captures)
    }
}

impl Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.from)?;
        for (carry, _, Hop { to, captures }) in self.hops() {
            let mark = if captures { "!" } else { "" };
            write!(f, "{}{to}{mark}", carry.sign())?;
        }
        Ok(())
    }
}

impl FromStr for Turn {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let spelt = Spelt::read(text, Spelling::Canonical)?;
        // The canonical spelling has its signs.
        spelt
            .turn()
            .ok_or_else(|| NotationError::new(text, spelt.first.column, SIGNS))
    }
}

const SIGNS: &str = "`-` to move a cube or `=` to move a stack";

/// How closely a turn's text has to keep to the canonical notation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelling {
    /// To the letter; only the `!` may be missing.
    Canonical,
    /// Capitals are read, and blanks and colons between the parts; `-` and `=` may be missing.
    Lenient,
}

/// A turn as it was spelt, which need not say everything.
struct Spelt {
    from: Cell,
    first: SpeltHop,
    second: Option<SpeltHop>,
}

struct SpeltHop {
    /// Where its sign stands or should stand, from 1.
    column: usize,
    carry: Option<Carry>,
    to: Cell,
    captures: bool,
}

impl Spelt {
    fn read(text: &str, spelling: Spelling) -> Result<Self, NotationError> {
        let mut reader = Reader {
            text,
            chars: text.chars().collect(),
            at: 0,
            spelling,
        };
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

    fn hops(&self) -> impl Iterator<Item = &SpeltHop> {
        [&self.first].into_iter().chain(&self.second)
    }

    /// The turn, if all its signs are given.
    fn turn(&self) -> Option<Turn> {
        let hop = |hop: &SpeltHop| Hop {
            to: hop.to,
            captures: hop.captures,
        };
        let second = self.second.as_ref();
        let carry = self.first.carry?;
        second
            .is_none_or(|hop| hop.carry.is_some())
            .then_some(Turn {
                from: self.from,
                carry,
                first: hop(&self.first),
                second: second.map(hop),
            })
    }

    /// Whether `turn` goes over these cells, with these signs where signs are given.
    fn fits(&self, turn: &Turn) -> bool {
        self.from == turn.from
            && self.second.is_some() == turn.second.is_some()
            && self
                .hops()
                .zip(turn.hops())
                .all(|(spelt, (carry, _, hop))| {
                    spelt.to == hop.to && spelt.carry.is_none_or(|spelt| spelt == carry)
                })
    }
}

/// Reads a turn's text character by character.
struct Reader<'a> {
    text: &'a str,
    chars: Vec<char>,
    at: usize,
    spelling: Spelling,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        let lenient = self.spelling == Spelling::Lenient;
        let found = self.chars.get(self.at)?;
        Some(if lenient {
            found.to_ascii_lowercase()
        } else {
            *found
        })
    }

    fn error(&self, expected: &str) -> NotationError {
        NotationError::new(self.text, self.at + 1, expected)
    }

    fn skip(&mut self) {
        while self.spelling == Spelling::Lenient && matches!(self.peek(), Some(' ' | '\t' | ':')) {
            self.at += 1;
        }
    }

    fn cell(&mut self) -> Result<Cell, NotationError> {
        let row = self
            .peek()
            .filter(|c| ('a'..='g').contains(c))
            .ok_or_else(|| self.error("the letter of a row, `a` to `g`"))?;
        self.at += 1;
        let row = row as u8 - b'a';
        let number = self.peek().filter(|c| ('1'..='7').contains(c));
        let cell = number.and_then(|number| Cell::new(row, number as u8 - b'1'));
        let cell = cell.ok_or_else(|| {
            let (row, length) = (char::from(b'a' + row), row_length(row));
            self.error(&format!(
                "the number of a cell of row {row}, `1` to `{length}`"
            ))
        })?;
        self.at += 1;
        Ok(cell)
    }

    /// Reads a sign, a cell and perhaps a `!`; the turn's first hop before it took `before` along.
    fn hop(&mut self, before: Option<Carry>) -> Result<SpeltHop, NotationError> {
        let column = self.at + 1;
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
            self.at += 1;
        }
        self.skip();
        let to = self.cell()?;
        self.skip();
        let captures = self.peek() == Some('!');
        if captures {
            self.at += 1;
        }
        Ok(SpeltHop {
            column,
            carry,
            to,
            captures,
        })
    }
}

/// A position of Pijersi.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pijersi {
    board: [Option<Unit>; PLACES],
    to_move: Side,
    /// Turns since the last capture.
    quiet: u32,
    /// The number of the turn, counted like chess moves: one more after each of Black's.
    number: u32,
}

impl Pijersi {
    /// What stands on `cell`.
    #[must_use]
    pub const fn unit(&self, cell: Cell) -> Option<Unit> {
        self.board[cell.index()]
    }

    /// How many turns in a row were played without a capture.
    #[must_use]
    pub const fn quiet(&self) -> u32 {
        self.quiet
    }

    /// Where a cube of role `top`, of the side to move, may go; `gone` is a cell that its stack has
    /// just left.
    fn cube_hop(&self, top: Role, to: Cell, gone: Option<Cell>) -> Option<Hop> {
        match self.unit(to) {
            Some(unit) if unit.side == self.to_move && gone != Some(to) => {
                let builds = unit.under.is_none() && top.lies_on(unit.top);
                builds.then_some(Hop {
                    to,
                    captures: false,
                })
            }
            _ => self.stack_hop(top, to, gone),
        }
    }

    /// Where a stack of role `top` may end; `gone` is a cell that a cube has just left.
    fn stack_hop(&self, top: Role, to: Cell, gone: Option<Cell>) -> Option<Hop> {
        let captures = match self.unit(to) {
            Some(_) if gone == Some(to) => false,
            Some(unit) if unit.side == self.to_move || !top.captures(unit.top) => return None,
            unit => unit.is_some(),
        };
        Some(Hop { to, captures })
    }

    /// Calls `visit` with every hop of a stack of role `top` on `from`.
    fn stack_hops(&self, top: Role, from: Cell, gone: Option<Cell>, mut visit: impl FnMut(Hop)) {
        for direction in DIRECTIONS {
            let Some(next) = from.step(direction) else {
                continue;
            };
            if let Some(hop) = self.stack_hop(top, next, gone) {
                visit(hop);
                if !hop.captures
                    && let Some(beyond) = next.step(direction)
                    && let Some(hop) = self.stack_hop(top, beyond, gone)
                {
                    visit(hop);
                }
            }
        }
    }

    /// Calls `visit` with every turn, as if the game were not decided.
    fn each_turn(&self, mut visit: impl FnMut(Turn)) {
        for from in Cell::all() {
            let Some(unit) = self.unit(from).filter(|unit| unit.side == self.to_move) else {
                continue;
            };
            let single = unit.under.is_none();
            for to in from.neighbours() {
                let Some(first) = self.cube_hop(unit.top, to, None) else {
                    continue;
                };
                let turn = |second| Turn {
                    from,
                    carry: Carry::Cube,
                    first,
                    second,
                };
                visit(turn(None));
                let builds = !first.captures && self.unit(to).is_some();
                if builds {
                    let gone = single.then_some(from);
                    self.stack_hops(unit.top, to, gone, |hop| visit(turn(Some(hop))));
                }
            }
            if !single {
                self.stack_hops(unit.top, from, None, |first| {
                    let turn = |second| Turn {
                        from,
                        carry: Carry::Stack,
                        first,
                        second,
                    };
                    visit(turn(None));
                    for to in first.to.neighbours() {
                        if let Some(hop) = self.cube_hop(unit.top, to, Some(from)) {
                            visit(turn(Some(hop)));
                        }
                    }
                });
            }
        }
    }

    /// Whether the side to move can move at all: every turn begins with a hop to a neighbour.
    fn can_move(&self) -> bool {
        Cell::all().any(|from| {
            self.unit(from).is_some_and(|unit| {
                unit.side == self.to_move
                    && from
                        .neighbours()
                        .any(|to| self.cube_hop(unit.top, to, None).is_some())
            })
        })
    }

    /// Whether `side` stands on the other side's back row with a rock, paper or scissors.
    fn has_goal(&self, side: Side) -> bool {
        Cell::all().any(|cell| {
            cell.is_goal_of(side)
                && self
                    .unit(cell)
                    .is_some_and(|unit| unit.side == side && unit.top != Role::Wise)
        })
    }

    /// Moves a cube or a stack, whatever stands in its way.
    fn carry(&mut self, carry: Carry, from: Cell, to: Cell) {
        let Some(unit) = self.unit(from) else {
            return;
        };
        let (left, moved) = match carry {
            Carry::Stack => (None, unit),
            Carry::Cube => {
                let left = unit.under.map(|top| Unit {
                    top,
                    under: None,
                    ..unit
                });
                let below = self.unit(to).filter(|below| below.side == unit.side);
                let moved = Unit {
                    under: below.map(|below| below.top),
                    ..unit
                };
                (left, moved)
            }
        };
        self.board[from.index()] = left;
        self.board[to.index()] = Some(moved);
    }

    /// Checks one hop of the side to move.
    ///
    /// # Errors
    /// Says why it is not allowed, as a whole clause.
    fn check(&self, carry: Carry, from: Cell, to: Cell) -> Result<Hop, String> {
        let mover = self.to_move;
        let unit = match self.unit(from) {
            None => return Err(format!("{from} is empty")),
            Some(unit) if unit.side != mover => {
                return Err(format!("what stands on {from} is the other side's"));
            }
            Some(unit) => unit,
        };
        let near = from.neighbours().any(|next| next == to);
        let between = from.between(to);
        match carry {
            Carry::Cube if !near => {
                let far = if between.is_some() && unit.under.is_some() {
                    "; the whole stack moves with `=`"
                } else {
                    ""
                };
                return Err(format!(
                    "a cube moves one cell, and {to} is not next to {from}{far}"
                ));
            }
            Carry::Stack if unit.under.is_none() => {
                return Err(format!(
                    "on {from} there is no stack, only a single cube, which moves with `-`"
                ));
            }
            Carry::Stack if !near => match between {
                None => {
                    return Err(format!(
                        "a stack moves one cell, or two in a straight line, and from {from} to {to} it \
                         is neither"
                    ));
                }
                Some(between) if self.unit(between).is_some() => {
                    return Err(format!("a stack does not jump, and {between} is not empty"));
                }
                Some(_) => {}
            },
            _ => {}
        }
        let captures = match (self.unit(to), carry) {
            (None, _) => false,
            (Some(there), Carry::Stack) if there.side == mover => {
                return Err(format!(
                    "a stack never moves onto its own side's cubes, and there is one on {to}"
                ));
            }
            (Some(there), Carry::Cube) if there.side == mover => {
                if there.under.is_some() {
                    return Err(format!("a stack is two cubes, and {to} has two already"));
                }
                if !unit.top.lies_on(there.top) {
                    return Err(format!("a wise may not lie on a {}", there.top.name()));
                }
                false
            }
            (Some(there), _) if unit.top.captures(there.top) => true,
            (Some(there), _) => {
                return Err(match (unit.top, there.top) {
                    (Role::Wise, _) => format!("a wise captures nothing, and {to} is not empty"),
                    (_, Role::Wise) => format!("the wise on {to} cannot be captured"),
                    (ours, theirs) => {
                        let (ours, theirs) = (ours.name(), theirs.name());
                        format!("{ours} does not capture the {theirs} on {to}")
                    }
                });
            }
        };
        Ok(Hop { to, captures })
    }

    /// Checks a turn whose `!` are not yet trusted, and gives it with the right ones.
    fn marked(&self, turn: &Turn) -> Result<Turn, String> {
        let mut turn = *turn;
        turn.first = self.check(turn.carry, turn.from, turn.first.to)?;
        let Some(second) = turn.second else {
            return Ok(turn);
        };
        let mut halfway = *self;
        halfway.carry(turn.carry, turn.from, turn.first.to);
        let middle = turn.first.to;
        if turn.carry == Carry::Cube
            && halfway
                .unit(middle)
                .is_some_and(|unit| unit.under.is_none())
        {
            return Err(format!(
                "only a stack that the cube has just built moves on, and on {middle} it built none"
            ));
        }
        turn.second = Some(halfway.check(turn.carry.other(), middle, second.to)?);
        Ok(turn)
    }

    /// Why the `!` of `turn` are wrong; `right` is the same turn with the right ones.
    fn why_wrong_marks(turn: &Turn, right: &Turn) -> Option<String> {
        turn.hops()
            .zip(right.hops())
            .find_map(|((_, _, hop), (_, _, right))| {
                let to = hop.to;
                match (hop.captures, right.captures) {
                    (true, false) => Some(format!(
                        "`!` marks a capture, and nothing is captured on {to}"
                    )),
                    (false, true) => Some(format!("it captures on {to}, which is written `{to}!`")),
                    _ => None,
                }
            })
    }

    /// `turn` as engines that talk UGI write it: two or three cells, nothing between them.
    ///
    /// | turn | UGI |
    /// |---|---|
    /// | a single cube moves: `X-Y` | `XY` |
    /// | the top of a stack moves: `X-Y` | `XXY` |
    /// | a stack moves: `X=Y` | `XYY` |
    /// | a cube builds a stack, which moves on: `X-Y=Z` | `XYZ` |
    /// | a stack moves, and then its top: `X=Y-Z` | `XYZ` |
    ///
    /// With three cells that begin at a stack, the second one is where the bottom cube ends and the third
    /// where the top does. The last two lines differ by what stands on Y before the turn: the first one
    /// needs a single cube of the own side there, the second one none; so a position tells them apart,
    /// and only a position tells the first two lines apart.
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

    /// Reads a turn as engines that talk UGI write it; see [`Pijersi::to_ugi`].
    ///
    /// # Errors
    /// [`TurnError::Notation`] where the text is not two or three cells, [`TurnError::Illegal`] where
    /// they name no legal turn.
    pub fn from_ugi(&self, text: &str) -> Result<Turn, TurnError> {
        let mut reader = Reader {
            text,
            chars: text.chars().collect(),
            at: 0,
            spelling: Spelling::Canonical,
        };
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
        if let Some(outcome) = self.outcome() {
            let why = format!("the game is over ({})", outcome.reason);
            return Err(IllegalTurn::new(text, why).into());
        }
        let turn = self
            .marked(&turn)
            .map_err(|why| IllegalTurn::new(turn, why))?;
        let right = self.to_ugi(&turn);
        if right == text {
            Ok(turn)
        } else {
            let why = format!("in UGI it is written {right}");
            Err(IllegalTurn::new(turn, why).into())
        }
    }
}

impl Rules for Pijersi {
    type Turn = Turn;
    type Key = ();

    const REPETITIONS: u32 = 0;
    const SEPARATORS: &'static [char] = &[':', ' ', '\t'];

    fn setup(variant: &str) -> Option<Self> {
        if !variant.is_empty() {
            return None;
        }
        let mut board = [None; PLACES];
        for cell in Cell::all() {
            // The two sides are symmetric through the centre.
            let (side, row, number) = match cell.row() {
                row @ 0..=1 => (Side::First, row, cell.number()),
                row @ 5..=6 => {
                    let number = row_length(row) - 1 - cell.number();
                    (Side::Second, ROWS - 1 - row, number)
                }
                _ => continue,
            };
            let (top, under) = match (row, number) {
                (0, 0 | 3) | (1, 2 | 5) => (Role::Rock, None),
                (0, 1 | 4) | (1, 0 | 6) => (Role::Paper, None),
                (1, 3) => (Role::Wise, Some(Role::Wise)),
                _ => (Role::Scissors, None),
            };
            board[cell.index()] = Some(Unit { side, top, under });
        }
        Some(Self {
            board,
            to_move: Side::First,
            quiet: 0,
            number: 1,
        })
    }

    fn seats(&self) -> &'static [SeatName] {
        WHITE_BLACK
    }

    fn to_move(&self) -> Seat {
        match self.to_move {
            Side::First => Seat(0),
            Side::Second => Seat(1),
        }
    }

    fn legal(&self) -> Vec<Turn> {
        let mut turns = Vec::new();
        if self.outcome().is_none() {
            self.each_turn(|turn| turns.push(turn));
        }
        turns
    }

    fn why_illegal(&self, turn: &Turn) -> Option<String> {
        if self.outcome().is_some() {
            return Some("the game is over".to_owned());
        }
        match self.marked(turn) {
            Ok(right) => Self::why_wrong_marks(turn, &right),
            Err(why) => Some(why),
        }
    }

    fn play_unchecked(&mut self, turn: &Turn) {
        for (carry, from, hop) in turn.hops() {
            self.carry(carry, from, hop.to);
        }
        self.quiet = if turn.captures() {
            0
        } else {
            self.quiet.saturating_add(1)
        };
        if self.to_move == Side::Second {
            self.number = self.number.saturating_add(1);
        }
        self.to_move = self.to_move.other();
    }

    fn outcome(&self) -> Option<Outcome> {
        let moved = self.to_move.other();
        [moved, self.to_move]
            .into_iter()
            .find(|&side| self.has_goal(side))
            .map(|side| Outcome::win(side, Reason::Goal))
            .or_else(|| (!self.can_move()).then_some(Outcome::win(moved, Reason::Stalled)))
    }

    fn count_draw(&self) -> Option<Outcome> {
        (self.quiet >= QUIET_TURNS).then_some(Outcome::draw(Reason::NoCapture))
    }

    fn key(&self) {}

    /// PSN, as the UGI engines write it: rows g to a separated by `/`, two characters a cell, the bottom
    /// cube first and `-` where there is no second, digits for runs of empty cells; the side to move,
    /// the turns since the last capture, the number of the turn.
    fn position(&self) -> String {
        let mut text = String::new();
        for row in (0..ROWS).rev() {
            let mut empty = 0;
            for cell in (0..row_length(row)).filter_map(|number| Cell::new(row, number)) {
                let Some(Unit { side, top, under }) = self.unit(cell) else {
                    empty += 1;
                    continue;
                };
                if empty > 0 {
                    text.push(char::from(b'0' + empty));
                    empty = 0;
                }
                text.extend(under.map(|under| under.letter(side)));
                text.push(top.letter(side));
                if under.is_none() {
                    text.push('-');
                }
            }
            if empty > 0 {
                text.push(char::from(b'0' + empty));
            }
            text.push(if row == 0 { ' ' } else { '/' });
        }
        let side = match self.to_move {
            Side::First => 'w',
            Side::Second => 'b',
        };
        text + &format!("{side} {} {}", self.quiet, self.number)
    }

    fn from_position(variant: &str, text: &str) -> Result<Self, NotationError> {
        let mut position =
            Self::setup(variant).ok_or_else(|| NotationError::new(variant, 1, "no variant"))?;
        position.board = [None; PLACES];
        let chars: Vec<char> = text.chars().collect();
        let mut at = 0;
        for row in (0..ROWS).rev() {
            position.read_row(text, &chars, &mut at, row)?;
            let separator = if row == 0 { ' ' } else { '/' };
            expect(text, &chars, &mut at, separator, "after a whole row")?;
        }
        position.to_move = match chars.get(at) {
            Some('w') => Side::First,
            Some('b') => Side::Second,
            _ => {
                return Err(NotationError::new(
                    text,
                    at + 1,
                    "the side to move, `w` or `b`",
                ));
            }
        };
        at += 1;
        expect(text, &chars, &mut at, ' ', "after the side to move")?;
        position.quiet = number(text, &chars, &mut at, 0, "the turns since the last capture")?;
        expect(
            text,
            &chars,
            &mut at,
            ' ',
            "after the turns since the last capture",
        )?;
        position.number = number(text, &chars, &mut at, 1, "the turn's number, from 1")?;
        if at < chars.len() {
            return Err(NotationError::new(text, at + 1, "the end of the position"));
        }
        Ok(position)
    }

    /// The cells in order. Where a stack moves to a neighbour, `=` follows that cell: without it, the
    /// cube on top would go there. (A cube never goes two cells, so a far cell needs no `=`.)
    fn steps(turn: &Turn) -> Vec<String> {
        let mut steps = vec![turn.from.to_string(), turn.first.to.to_string()];
        if turn.carry == Carry::Stack && turn.from.neighbours().any(|cell| cell == turn.first.to) {
            steps.push(Carry::Stack.sign().to_string());
        }
        steps.extend(turn.second.map(|hop| hop.to.to_string()));
        steps
    }

    /// Canonical notation, with or without its `!`; otherwise capitals, blanks and colons, and `-` and
    /// `=` left out, where that leaves one legal turn.
    fn read(&self, text: &str) -> Result<Turn, TurnError> {
        let text = text.trim();
        let legal = self.legal();
        let texts = || legal.iter().map(ToString::to_string).collect::<Vec<_>>();
        let spelt = Spelt::read(text, Spelling::Lenient).map_err(|error| NotationError {
            nearest: nearest(&text.to_lowercase(), &texts()),
            ..error
        })?;
        let found: Vec<&Turn> = legal.iter().filter(|turn| spelt.fits(turn)).collect();
        if let [only] = found.as_slice() {
            let mut marked = **only;
            marked.first.captures |= spelt.first.captures;
            if let (Some(hop), Some(spelt)) = (&mut marked.second, &spelt.second) {
                hop.captures |= spelt.captures;
            }
            return match Self::why_wrong_marks(&marked, only) {
                None => Ok(**only),
                Some(why) => Err(TurnError::Illegal(IllegalTurn {
                    nearest: vec![only.to_string()],
                    ..IllegalTurn::new(marked, why)
                })),
            };
        }
        if let Some(turn) = spelt.turn() {
            let why = self.why_illegal(&turn).unwrap_or_else(|| {
                "it is written in a way that means another turn here".to_owned()
            });
            return Err(TurnError::Illegal(IllegalTurn {
                nearest: nearest(&turn.to_string(), &texts()),
                ..IllegalTurn::new(turn, why)
            }));
        }
        let column = spelt
            .hops()
            .find(|hop| hop.carry.is_none())
            .map_or(1, |hop| hop.column);
        Err(TurnError::Notation(if found.is_empty() {
            let expected = "`-` or `=`, and a legal turn: over these cells there is none";
            NotationError {
                nearest: nearest(&text.to_lowercase(), &texts()),
                ..NotationError::new(text, column, expected)
            }
        } else {
            NotationError {
                nearest: found.iter().map(ToString::to_string).collect(),
                ..NotationError::new(text, column, SIGNS)
            }
        }))
    }

    fn perft(&self, depth: u32) -> u64 {
        count::perft(self, depth)
    }
}

impl Pijersi {
    /// Reads one row of a position text, from `at` on.
    fn read_row(
        &mut self,
        text: &str,
        chars: &[char],
        at: &mut usize,
        row: u8,
    ) -> Result<(), NotationError> {
        let length = row_length(row);
        let mut number = 0;
        while number < length {
            let free = length - number;
            let found = chars.get(*at).copied().unwrap_or('\0');
            if let Some(run) = found.to_digit(10).and_then(|run| u8::try_from(run).ok())
                && (1..=free).contains(&run)
            {
                number += run;
                *at += 1;
                continue;
            }
            let (Some((side, role)), Some(cell)) =
                (Role::from_letter(found), Cell::new(row, number))
            else {
                let expected = format!(
                    "a cube (`R`, `P`, `S`, `W`, small for Black) or a number of empty cells, 1 to \
                     {free}"
                );
                return Err(NotationError::new(text, *at + 1, expected));
            };
            let upper = chars.get(*at + 1).copied().unwrap_or('\0');
            let (top, under) = match Role::from_letter(upper) {
                Some((same, top)) if same == side && top.lies_on(role) => (top, Some(role)),
                _ if upper == '-' => (role, None),
                _ => {
                    let tops: String = Role::ALL
                        .into_iter()
                        .filter(|top| top.lies_on(role))
                        .map(|top| format!(", `{}`", top.letter(side)))
                        .collect();
                    let (letter, name) = (role.letter(side), role.name());
                    let expected =
                        format!("what lies on `{letter}` ({name}): `-` for nothing{tops}");
                    return Err(NotationError::new(text, *at + 2, expected));
                }
            };
            self.board[cell.index()] = Some(Unit { side, top, under });
            number += 1;
            *at += 2;
        }
        Ok(())
    }
}

/// Steps over `separator` in a position text.
fn expect(
    text: &str,
    chars: &[char],
    at: &mut usize,
    separator: char,
    place: &str,
) -> Result<(), NotationError> {
    if chars.get(*at) == Some(&separator) {
        *at += 1;
        Ok(())
    } else {
        let separator = if separator == ' ' {
            "a blank".to_owned()
        } else {
            format!("`{separator}`")
        };
        let expected = format!("{separator} {place}");
        Err(NotationError::new(text, *at + 1, expected))
    }
}

/// Reads a number that is at least `least` in a position text.
fn number(
    text: &str,
    chars: &[char],
    at: &mut usize,
    least: u32,
    what: &str,
) -> Result<u32, NotationError> {
    let digits: String = chars
        .iter()
        .skip(*at)
        .take_while(|c| c.is_ascii_digit())
        .collect();
    let number = digits.parse().ok().filter(|&number| number >= least);
    let number = number.ok_or_else(|| NotationError::new(text, *at + 1, what))?;
    *at += digits.len();
    Ok(number)
}
