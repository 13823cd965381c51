//! Pijersi (Lucas Borboleta, 2022). Source: github.com/LucasBorboleta/pijersi.
//!
//! The 45 hexagons stand in 64 places, row after row from a1, with one place left free between two
//! rows: a1 is 0, a6 is 5, b1 is 7, g6 is 50. Rows of six and of seven alternate, so a step in each of
//! the six directions is the same number everywhere, modulo 64, and a step off the board ends on a
//! place that is no cell.
//!
//! ```
//! use perplex_games::rules::Rules;
//! use perplex_games::rules::pijersi::{Cell, Pijersi};
//!
//! let mut position = Pijersi::setup("").expect("the game");
//! // A cube joins another, and both move on.
//! let turn = position.read("a1-b1=d2")?;
//! position.play_unchecked(&turn);
//! assert_eq!(turn.last(), Cell::new(3, 1).expect("d2"));
//! # Ok::<(), perplex_games::rules::TurnError>(())
//! ```

use std::fmt::{self, Display, Write as _};

use super::{
    Evaluate, NotationError, OtherNotation, Outcome, Reason, Rules, Seat, Side, TurnError,
};

mod count;
mod notation;
mod psn;

/// The number of rows of the board.
pub const ROWS: u8 = 7;
/// The turns in a row without a capture that draw the game.
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

/// The number of cells in a row: six in rows a, c, e and g, seven in the others.
#[must_use]
pub const fn row_length(row: u8) -> u8 {
    6 + row % 2
}

const fn row_start(row: u8) -> u8 {
    15 * row / 2
}

/// The row that `side` has to reach: the other side's back row.
const fn goal_of(side: Side) -> u8 {
    match side {
        Side::First => ROWS - 1,
        Side::Second => 0,
    }
}

/// A cell of the hexagonal board: a row, `a` to `g` from the bottom, and a number, from 1.
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

    /// The cells of a row, from 1 on.
    pub fn in_row(row: u8) -> impl Iterator<Item = Self> {
        (0..row_length(row)).map(move |number| Self(row_start(row) + number))
    }

    /// All cells, a1 first, then along the rows.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..ROWS).flat_map(Self::in_row)
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
}

impl Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char(char::from(b'a' + self.row()))?;
        f.write_char(char::from(b'1' + self.number()))
    }
}

/// The symbol of a cube, which decides what it captures.
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
    /// The four roles, in the order of the variants.
    pub const ALL: [Self; 4] = [Self::Rock, Self::Paper, Self::Scissors, Self::Wise];

    /// The role in words: `rock`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rock => "rock",
            Self::Paper => "paper",
            Self::Scissors => "scissors",
            Self::Wise => "wise",
        }
    }

    /// The cubes of this role that each side has at the start.
    #[must_use]
    pub const fn at_start(self) -> usize {
        match self {
            Self::Rock | Self::Paper | Self::Scissors => 4,
            Self::Wise => 2,
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
        Side::ALL
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

    /// True if a cube or stack of this role captures one of role `other`.
    #[must_use]
    pub fn captures(self, other: Self) -> bool {
        other.captor() == Some(self)
    }

    /// True if a cube of this role may lie on a cube of role `under`.
    #[must_use]
    pub fn lies_on(self, under: Self) -> bool {
        self != Self::Wise || under == Self::Wise
    }
}

/// A cube, or a stack of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unit {
    /// The side that owns the cubes.
    pub side: Side,
    /// The role of the cube, or of the stack's top: that of the stack.
    pub top: Role,
    /// The cube at the bottom of a stack.
    pub under: Option<Role>,
}

/// The load of a hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Carry {
    /// One cube, single or the top of a stack: `-`.
    Cube,
    /// A stack of two: `=`.
    Stack,
}

impl Carry {
    /// The other load, which the second hop of a turn takes along.
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

/// One of the up to two moves of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hop {
    /// The cell on which it ends.
    pub to: Cell,
    /// True if it captures there.
    pub captures: bool,
}

/// A turn of Pijersi: `a1-b1`, `b4=d5`, `a1-b1=d2`, `d6=b5!-b4!`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Turn {
    /// The cell where the cube or the stack stood.
    pub from: Cell,
    /// The load of the first hop; the second takes the other.
    pub carry: Carry,
    /// The hop that every turn has.
    pub first: Hop,
    /// The second, from where the first ended.
    pub second: Option<Hop>,
}

impl Turn {
    /// The hops in order: the load, the cell where it starts, and the hop.
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

    /// True if the turn captures.
    #[must_use]
    pub fn captures(&self) -> bool {
        self.hops().any(|(_, _, hop)| hop.captures)
    }
}

/// A position of Pijersi. There is one variant, `""`.
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
    /// The cube or stack on `cell`.
    #[must_use]
    pub const fn unit(&self, cell: Cell) -> Option<Unit> {
        self.board[cell.index()]
    }

    /// The number of turns in a row without a capture.
    #[must_use]
    pub const fn quiet(&self) -> u32 {
        self.quiet
    }

    /// The hop to `to` of a cube of role `top`, of the side to move, if it may go there; `gone` is a cell that its
    /// stack has just left.
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

    /// The hop to `to` of a stack of role `top`, if it may end there; `gone` is a cell that a cube has just left.
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
            // Whole stacks first: a page begins with them.
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
        }
    }

    /// True if the side to move can move at all: every turn begins with a hop to a neighbour.
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

    /// True if `side` stands on the other side's back row with a rock, paper or scissors.
    fn has_goal(&self, side: Side) -> bool {
        Cell::in_row(goal_of(side)).any(|cell| {
            self.unit(cell)
                .is_some_and(|unit| unit.side == side && unit.top != Role::Wise)
        })
    }

    /// Moves a cube or a stack without a check of its way.
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
    /// The reason why it is not allowed, as a whole clause.
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
                    let below = there.top.name();
                    return Err(format!(
                        "a wise lies only on another wise, and on {to} there is {below}"
                    ));
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

    /// Checks a turn whose `!` are not yet trusted, and returns it with the right ones.
    fn marked(&self, mut turn: Turn) -> Result<Turn, String> {
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

    fn to_move(&self) -> Seat {
        self.to_move.seat()
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
        match self.marked(*turn) {
            Ok(right) => turn.why_wrong_marks(right),
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

    fn position(&self) -> String {
        self.psn()
    }

    fn from_position(variant: &str, text: &str) -> Result<Self, NotationError> {
        match Self::setup(variant) {
            Some(_) => Self::from_psn(text),
            None => Err(NotationError::new(variant, 1, "no variant")),
        }
    }

    /// The cells in order. Where a stack moves to a neighbour, `=` follows that cell: without it, the
    /// cube on top would go there. (A cube never goes two cells, so a far cell needs no `=`.)
    fn steps(&self, turn: &Turn) -> Vec<String> {
        let is_stack = self
            .unit(turn.from)
            .is_some_and(|unit| unit.under.is_some());
        let carry = is_stack.then(|| turn.carry.sign().to_string());
        [turn.from.to_string()]
            .into_iter()
            .chain(carry)
            .chain(turn.hops().map(|(.., hop)| hop.to.to_string()))
            .collect()
    }

    fn read(&self, text: &str) -> Result<Turn, TurnError> {
        self.read_turn(text)
    }

    fn perft(&self, depth: u32) -> u64 {
        self.count(depth)
    }
}

impl Evaluate for Pijersi {
    /// Cubes, and the advance of those that can win; a stack is quick.
    fn estimate(&self) -> i32 {
        const CUBE: i32 = 100;
        const WISE: i32 = 40;
        const STACK: i32 = 15;
        /// By the rows from its own back row.
        const FAR: [i32; 7] = [0, 2, 5, 10, 20, 35, 0];
        let cube = |role: Role| if role == Role::Wise { WISE } else { CUBE };
        let mut sum = 0;
        for cell in Cell::all() {
            if let Some(unit) = self.unit(cell) {
                let rows = match unit.side {
                    Side::First => cell.row(),
                    Side::Second => 6 - cell.row(),
                };
                let mut worth = cube(unit.top);
                if unit.top != Role::Wise {
                    worth += FAR[usize::from(rows)];
                }
                if let Some(under) = unit.under {
                    worth += cube(under) + STACK;
                }
                sum += if unit.side == self.to_move {
                    worth
                } else {
                    -worth
                };
            }
        }
        sum
    }
}

impl OtherNotation for Pijersi {
    fn ugi(&self, turn: &Turn) -> String {
        self.to_ugi(turn)
    }

    fn read_ugi(&self, text: &str) -> Result<Turn, TurnError> {
        self.from_ugi(text)
    }
}
