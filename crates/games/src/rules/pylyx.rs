//! Pylyx (Christian Freeling, 2011), the ordinary game and the small one. Source: mindsports.nl.
//!
//! Squares are numbered `col + 12 * row` on the small board too. The board holds the height of each
//! stack, and for each side and row a lane of bits with the squares of its stacks.
//!
//! ```
//! use perplex_games::rules::Rules;
//! use perplex_games::rules::pylyx::Pylyx;
//!
//! let small = Pylyx::setup("small").expect("the small game");
//! assert_eq!(small.size(), 10);
//! assert_eq!(small.legal().len(), 64);
//! let error = small.read("a1").expect_err("a missing corner");
//! assert!(error.to_string().starts_with("a1 is not legal"));
//! ```

use std::fmt::{self, Display, Write as _};
use std::iter;
use std::str::FromStr;

use super::cursor::{Cursor, row_separator, write_run};
use super::{Evaluate, NotationError, OtherNotation, Outcome, Reason, Rules, Seat, Side};

/// Columns and rows of the largest board.
const MAX_SIZE: u8 = 12;
const SMALL_SIZE: u8 = 10;
/// Turns in a row without progress that draw the game.
const QUIET_DRAW: u8 = 100;
/// Passes in a row that draw the game.
const PASSES_DRAW: u8 = 2;
/// The most checkers that move together.
const MAX_MOVING: u8 = 3;

const ORTHOGONAL: [(i8, i8); 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];
const DIAGONAL: [(i8, i8); 4] = [(1, 1), (-1, 1), (-1, -1), (1, -1)];

/// A square of a board of 12×12.
pub type Square = super::Square<MAX_SIZE>;

impl Square {
    /// The square `cols` further right and `rows` further up, which may be off a smaller board.
    fn step(self, (cols, rows): (i8, i8)) -> Option<Self> {
        let col = self.col().checked_add_signed(cols)?;
        let row = self.row().checked_add_signed(rows)?;
        (col < MAX_SIZE && row < MAX_SIZE).then_some(Self::new(col, row))
    }

    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A turn of Pylyx; its text is `d5`, `d5-h9`, `2d5-d9` or `pass`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Turn {
    /// Put a checker on a square: `d5`.
    Place(Square),
    /// Move a stack, `d5-h9`, or a top part of it, `2d5-d9`.
    Move {
        /// The number of checkers that move; `None` is the whole stack.
        top: Option<u8>,
        /// The square of the stack.
        from: Square,
        /// The square that they reach.
        to: Square,
    },
    /// No other turn is possible.
    Pass,
}

impl Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pass => f.write_str("pass"),
            Self::Place(square) => write!(f, "{square}"),
            Self::Move { top, from, to } => {
                if let Some(top) = top {
                    write!(f, "{top}")?;
                }
                write!(f, "{from}-{to}")
            }
        }
    }
}

impl FromStr for Turn {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        if text == "pass" {
            return Ok(Self::Pass);
        }
        let mut cursor = Cursor::new(text);
        let top = cursor.digit(&(1..=9));
        let start = if top.is_some() {
            "a square, such as `d5`"
        } else {
            "a square such as `d5`, or a number of checkers and a square, or `pass`"
        };
        let from = read_square(&mut cursor, start)?;
        if top.is_none() && cursor.peek().is_none() {
            return Ok(Self::Place(from));
        }
        cursor.expect('-', "`-` and the square to move to")?;
        let to = read_square(&mut cursor, "the square to move to, such as `d9`")?;
        cursor.end("turn")?;
        Ok(Self::Move { top, from, to })
    }
}

fn read_square(cursor: &mut Cursor, expected: &str) -> Result<Square, NotationError> {
    let col = cursor.letter(MAX_SIZE);
    let col = col.ok_or_else(|| cursor.error(expected))?;
    let row = cursor.digit(&(1..=9));
    let row = row.ok_or_else(|| cursor.error("a row, `1` to `12`"))?;
    let ones = if row == 1 {
        cursor.digit(&(0..=2))
    } else {
        None
    };
    Ok(Square::new(col, ones.map_or(row, |ones| 10 + ones) - 1))
}

/// A stack of checkers, or a single one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stack {
    /// The side whose checkers they are; no stack is mixed.
    pub side: Side,
    /// The number of checkers, from 1.
    pub height: u8,
}

/// A position of Pylyx, on 12×12 squares (variant `""`) or 10×10 (`small`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pylyx {
    /// Columns and rows of the board: 12, or 10 in the small game.
    size: u8,
    side: Side,
    heights: [u8; (MAX_SIZE * MAX_SIZE) as usize],
    /// The squares of each side's stacks: bit `col` of lane `row`.
    stacks: [[u16; MAX_SIZE as usize]; 2],
    hand: [u8; 2],
    /// The tallest stack that each side has had in this game.
    tallest: [u8; 2],
    /// Turns in a row without progress.
    quiet: u8,
    /// Passes in a row.
    passes: u8,
}

/// The ways that a piece of `height` moves.
fn ways(height: u8) -> impl Iterator<Item = (i8, i8)> {
    let diagonal = matches!(height, 1 | 3).then_some(DIAGONAL);
    let orthogonal = matches!(height, 2 | 3).then_some(ORTHOGONAL);
    diagonal.into_iter().chain(orthogonal).flatten()
}

impl Pylyx {
    /// The number of columns, and of rows.
    #[must_use]
    pub const fn size(&self) -> u8 {
        self.size
    }

    /// The number of checkers of a side, which is also the height of the stack that wins.
    #[must_use]
    pub const fn checkers(&self) -> u8 {
        self.size - 2
    }

    /// The squares of the board: a rank's from left to right, the lowest rank first.
    pub fn squares(&self) -> impl Iterator<Item = Square> + use<> {
        let size = self.size;
        (0..size)
            .flat_map(move |row| (0..size).map(move |col| Square::new(col, row)))
            .filter(move |&square| on_board(square, size))
    }

    /// True if checkers may be placed on `square`, as far as the board alone says.
    #[must_use]
    pub const fn is_central(&self, square: Square) -> bool {
        let (col, row) = (square.col(), square.row());
        0 < col && col < self.size - 1 && 0 < row && row < self.size - 1
    }

    /// The stack on `square`; `None` if the square is empty or missing.
    #[must_use]
    pub fn stack(&self, square: Square) -> Option<Stack> {
        let height = self.heights[square.index()];
        (height > 0).then(|| Stack {
            side: if self.has_stack(Side::First, square) {
                Side::First
            } else {
                Side::Second
            },
            height,
        })
    }

    /// The checkers that `side` has not placed yet.
    #[must_use]
    pub const fn hand(&self, side: Side) -> u8 {
        self.hand[side.index()]
    }

    /// The tallest stack that `side` has had in this game; 0 before its first checker.
    #[must_use]
    pub const fn tallest(&self, side: Side) -> u8 {
        self.tallest[side.index()]
    }

    const fn has_stack(&self, side: Side, square: Square) -> bool {
        self.stacks[side.index()][square.row() as usize] >> square.col() & 1 != 0
    }

    fn set(&mut self, side: Side, square: Square, height: u8) {
        self.heights[square.index()] = height;
        let lane = &mut self.stacks[side.index()][usize::from(square.row())];
        if height > 0 {
            *lane |= 1 << square.col();
        } else {
            *lane &= !(1 << square.col());
        }
    }

    /// For each row, the columns where the side to move may place a checker; none with an empty
    /// hand.
    fn placings(&self) -> impl Iterator<Item = (u8, u16)> {
        let own = &self.stacks[self.side.index()];
        let other = &self.stacks[self.side.other().index()];
        let central = (1 << (self.size - 1)) - 2;
        let columns = own.iter().fold(central, |free, lane| free & !lane);
        let rows = if self.hand(self.side) > 0 {
            1..self.size - 1
        } else {
            0..0
        };
        rows.map(move |row| match own[usize::from(row)] {
            0 => (row, columns & !other[usize::from(row)]),
            _ => (row, 0),
        })
    }

    fn can_place(&self) -> bool {
        self.placings().any(|(_, columns)| columns != 0)
    }

    /// The stacks of the side to move.
    fn own(&self) -> impl Iterator<Item = (Square, u8)> {
        (0..self.size).flat_map(move |row| {
            bits(self.stacks[self.side.index()][usize::from(row)]).map(move |col| {
                let square = Square::new(col, row);
                (square, self.heights[square.index()])
            })
        })
    }

    /// The squares that a piece of the side to move reaches from `from` in one direction.
    fn reach(&self, from: Square, way: (i8, i8)) -> impl Iterator<Item = Square> {
        let size = self.size;
        let mut next = from.step(way);
        iter::from_fn(move || {
            let to = next.take().filter(|&to| on_board(to, size))?;
            if self.heights[to.index()] == 0 {
                next = to.step(way);
                Some(to)
            } else {
                self.has_stack(self.side, to).then_some(to)
            }
        })
    }

    /// Calls `see` with every legal turn, if the game is not decided.
    fn each_turn(&self, mut see: impl FnMut(Turn)) {
        let mut any = false;
        for (row, columns) in self.placings() {
            for col in bits(columns) {
                see(Turn::Place(Square::new(col, row)));
                any = true;
            }
        }
        if any {
            return;
        }
        for (from, height) in self.own() {
            // The most checkers first: a page begins with them.
            for moving in (1..=height.min(MAX_MOVING)).rev() {
                let top = (moving < height).then_some(moving);
                for way in ways(moving) {
                    for to in self.reach(from, way) {
                        see(Turn::Move { top, from, to });
                        any = true;
                    }
                }
            }
        }
        if !any {
            see(Turn::Pass);
        }
    }

    /// The number of legal turns, if the game is not decided.
    fn count_turns(&self) -> u64 {
        let placings: u32 = self
            .placings()
            .map(|(_, columns)| columns.count_ones())
            .sum();
        if placings > 0 {
            return u64::from(placings);
        }
        let reached = |from, ways: [(i8, i8); 4]| -> usize {
            ways.into_iter()
                .map(|way| self.reach(from, way).count())
                .sum()
        };
        let moves: usize = self
            .own()
            .map(|(from, height)| match height {
                1 => reached(from, DIAGONAL),
                2 => reached(from, DIAGONAL) + reached(from, ORTHOGONAL),
                // One goes diagonally, two orthogonally, three both ways.
                _ => 2 * (reached(from, DIAGONAL) + reached(from, ORTHOGONAL)),
            })
            .sum();
        (moves as u64).max(1)
    }

    /// The reason why there is no such square here; `None` if there is.
    fn why_off_board(&self, square: Square) -> Option<String> {
        let corner = |i: u8| i == 0 || i == self.size - 1;
        if square.col() >= self.size || square.row() >= self.size {
            Some(format!("{square} is not on the board"))
        } else if corner(square.col()) && corner(square.row()) {
            Some(format!(
                "{square} is a corner, which the board does not have"
            ))
        } else {
            None
        }
    }

    fn why_no_placing(&self, square: Square) -> Option<String> {
        if let Some(why) = self.why_off_board(square) {
            return Some(why);
        }
        if self.hand(self.side) == 0 {
            return Some(format!(
                "{} has no checker in hand",
                self.side.white_or_black()
            ));
        }
        if !self.is_central(square) {
            let last = Square::new(self.size - 2, self.size - 2);
            return Some(format!(
                "{square} is on the border: checkers are placed on the central squares, b2 to {last}"
            ));
        }
        if self.stack(square).is_some() {
            return Some(format!("{square} is not free"));
        }
        let (own, _) = self
            .own()
            .find(|(own, _)| own.row() == square.row() || own.col() == square.col())?;
        let line = if own.row() == square.row() {
            "row"
        } else {
            "column"
        };
        Some(format!(
            "the {line} of {square} holds a checker of {} already, on {own}",
            self.side.white_or_black()
        ))
    }

    fn why_no_move(&self, top: Option<u8>, from: Square, to: Square) -> Option<String> {
        let off = self.why_off_board(from).or_else(|| self.why_off_board(to));
        if off.is_some() {
            return off;
        }
        if self.can_place() {
            return Some(format!(
                "{} has a checker in hand and can place it",
                self.side.white_or_black()
            ));
        }
        let height = match self.stack(from) {
            None => return Some(format!("{from} is empty")),
            Some(stack) if stack.side != self.side => {
                return Some(format!(
                    "the piece on {from} belongs to {}",
                    stack.side.white_or_black()
                ));
            }
            Some(stack) => stack.height,
        };
        let checkers = match height {
            1 => "1 checker".to_owned(),
            _ => format!("{height} checkers"),
        };
        match top {
            Some(top) if top > height => {
                return Some(format!("there is only a piece of {checkers} on {from}"));
            }
            _ if height > MAX_MOVING && top.is_none_or(|top| top == height) => {
                return Some(format!(
                    "{height} checkers do not move together; the top one, two or three of {from} \
                     do, such as `1{from}-{to}`"
                ));
            }
            Some(top) if top == height => {
                return Some(format!(
                    "the whole piece on {from} ({checkers}) moves, which is written without a number, `{from}-{to}`"
                ));
            }
            _ => {}
        }
        self.why_no_way(top.unwrap_or(height), from, to)
    }

    /// The reason why `moving` checkers do not get from `from` to `to`, two squares of the board;
    /// `None` if they do.
    fn why_no_way(&self, moving: u8, from: Square, to: Square) -> Option<String> {
        let (cols, rows) = (
            to.col().cast_signed() - from.col().cast_signed(),
            to.row().cast_signed() - from.row().cast_signed(),
        );
        let way = (cols.signum(), rows.signum());
        let straight = cols == 0 || rows == 0 || cols.abs() == rows.abs();
        if way == (0, 0) || !straight || !ways(moving).any(|allowed| allowed == way) {
            return Some(match moving {
                1 => "one checker moves diagonally".to_owned(),
                2 => "two checkers move along rows and columns".to_owned(),
                3 => "three checkers move diagonally, or along rows and columns".to_owned(),
                _ => format!("{moving} checkers do not move together, only one, two or three"),
            });
        }
        if self.reach(from, way).any(|reached| reached == to) {
            return None;
        }
        let path = iter::successors(from.step(way), |square| square.step(way));
        let blocked = path
            .take_while(|&square| square != to)
            .find(|&square| self.stack(square).is_some());
        Some(match blocked {
            Some(square) => format!("the piece on {square} is in the way"),
            None => format!(
                "the piece on {to} belongs to {}",
                self.side.other().white_or_black()
            ),
        })
    }
}

const fn on_board(square: Square, size: u8) -> bool {
    let (col, row) = (square.col(), square.row());
    let edges = (col == 0 || col == size - 1) && (row == 0 || row == size - 1);
    col < size && row < size && !edges
}

/// The bits that are set in a lane.
fn bits(mut lane: u16) -> impl Iterator<Item = u8> {
    iter::from_fn(move || {
        // At most 15: there is a bit left.
        #[allow(clippy::cast_possible_truncation)]
        let bit = (lane != 0).then(|| lane.trailing_zeros() as u8)?;
        lane &= lane - 1;
        Some(bit)
    })
}

impl Pylyx {
    /// The nearness of `side` to its goal, for [`Evaluate::estimate`].
    fn togetherness(&self, side: Side) -> i32 {
        const MOVE: i32 = 30;
        let mut stacks = [(Square::new(0, 0), 0); 10];
        let mut count = 0;
        let lanes = (0..).zip(&self.stacks[side.index()]);
        for (row, &lane) in lanes {
            for (col, place) in bits(lane).zip(&mut stacks[count..]) {
                let square = Square::new(col, row);
                *place = (square, self.heights[square.index()]);
                count += 1;
            }
        }
        let stacks = &stacks[..count];
        let tallest = stacks.iter().map(|&(_, height)| height).max().unwrap_or(0);
        let moves = stacks
            .iter()
            .filter(|&&(_, height)| height == tallest)
            .map(|&(to, _)| -> i32 {
                stacks
                    .iter()
                    .filter(|&&(from, _)| from != to)
                    .map(|&(from, height)| self.moves_to_join(from, height, to))
                    .sum()
            })
            .min();
        let built: i32 = stacks
            .iter()
            .map(|(_, height)| i32::from(height * height))
            .sum();
        let in_hand = i32::from(self.hand(side));
        2 * built - MOVE * (moves.unwrap_or(0) + 3 * in_hand)
    }

    /// About the number of moves that the checkers on `from` need to get onto `to`.
    fn moves_to_join(&self, from: Square, height: u8, to: Square) -> i32 {
        let cols = to.col().abs_diff(from.col());
        let rows = to.row().abs_diff(from.row());
        let diagonal = cols == rows;
        let orthogonal = cols == 0 || rows == 0;
        let clear = || {
            let step = |from: u8, to: u8| (i16::from(to) - i16::from(from)).signum();
            let step =
                step(from.col(), to.col()) + i16::from(MAX_SIZE) * step(from.row(), to.row());
            (1..i16::from(cols.max(rows))).all(|n| {
                let between = i16::from(from.0) + n * step;
                usize::try_from(between).is_ok_and(|square| self.heights[square] == 0)
            })
        };
        match height {
            // A single checker never leaves the squares of its colour.
            1 if (cols + rows) % 2 == 1 => 3,
            1 if diagonal && clear() => 1,
            2 if orthogonal && clear() => 1,
            3 if (diagonal || orthogonal) && clear() => 1,
            1..=3 => 2,
            // Taken down piece by piece.
            _ => 1 + i32::from(height.div_ceil(2)),
        }
    }
}

impl Rules for Pylyx {
    type Turn = Turn;
    type Key = Self;

    fn setup(variant: &str) -> Option<Self> {
        let size = match variant {
            "" => MAX_SIZE,
            "small" => SMALL_SIZE,
            _ => return None,
        };
        Some(Self {
            size,
            side: Side::First,
            heights: [0; (MAX_SIZE * MAX_SIZE) as usize],
            stacks: [[0; MAX_SIZE as usize]; 2],
            hand: [size - 2; 2],
            tallest: [0; 2],
            quiet: 0,
            passes: 0,
        })
    }

    fn to_move(&self) -> Seat {
        self.side.seat()
    }

    fn legal(&self) -> Vec<Turn> {
        if self.outcome().is_some() {
            return Vec::new();
        }
        let mut turns = Vec::with_capacity(100);
        self.each_turn(|turn| turns.push(turn));
        turns
    }

    fn why_illegal(&self, turn: &Turn) -> Option<String> {
        if self.outcome().is_some() {
            return Some("the game is over".to_owned());
        }
        match *turn {
            Turn::Place(square) => self.why_no_placing(square),
            Turn::Move { top, from, to } => self.why_no_move(top, from, to),
            Turn::Pass => {
                let mut others = false;
                self.each_turn(|turn| others |= turn != Turn::Pass);
                others.then(|| {
                    "a player passes only when there is no other turn, and there is one".to_owned()
                })
            }
        }
    }

    fn play_unchecked(&mut self, turn: &Turn) {
        let side = self.side;
        self.side = side.other();
        self.quiet = self.quiet.saturating_add(1);
        if matches!(turn, Turn::Pass) {
            self.passes = self.passes.saturating_add(1);
            return;
        }
        self.passes = 0;
        let height = match *turn {
            Turn::Pass => 0,
            Turn::Place(square) => {
                self.set(side, square, 1);
                self.hand[side.index()] = self.hand(side).saturating_sub(1);
                self.quiet = 0;
                1
            }
            Turn::Move { top, from, to } => {
                let height = self.heights[from.index()];
                let moving = top.unwrap_or(height).min(height);
                self.set(side, from, height - moving);
                let height = self.heights[to.index()].saturating_add(moving);
                self.set(side, to, height);
                height
            }
        };
        let tallest = &mut self.tallest[side.index()];
        if height > *tallest {
            *tallest = height;
            self.quiet = 0;
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        // If the tallest stack ever has all checkers, it stands on the board: it ended the game.
        Side::ALL
            .into_iter()
            .find(|&side| self.tallest(side) == self.checkers())
            .map(|side| Outcome::win(side, Reason::Stack))
            .or_else(|| (self.passes >= PASSES_DRAW).then_some(Outcome::draw(Reason::Passes)))
    }

    fn count_draw(&self) -> Option<Outcome> {
        (self.quiet >= QUIET_DRAW).then_some(Outcome::draw(Reason::NoProgress))
    }

    /// Board, hands and side to move; the tallest stacks matter only to the count of quiet turns.
    fn key(&self) -> Self {
        Self {
            tallest: [0; 2],
            quiet: 0,
            passes: 0,
            ..self.clone()
        }
    }

    /// Rows from the top separated by `/`: a number counts empty squares (the missing corners too),
    /// `w` and `b` are single checkers, `w(3)` is a stack of three; then the side to move, `w` or
    /// `b`; the tallest stacks so far of White and Black, `2,1`; the turns in a row without
    /// progress; and the passes in a row. The checkers in hand are those missing on the board.
    fn position(&self) -> String {
        let mut text = String::new();
        for row in (0..self.size).rev() {
            let mut empty = 0;
            for col in 0..self.size {
                let Some(Stack { side, height }) = self.stack(Square::new(col, row)) else {
                    empty += 1;
                    continue;
                };
                write_run(&mut text, &mut empty);
                text.push(side.letter());
                if height > 1 {
                    let _ = write!(text, "({height})");
                }
            }
            write_run(&mut text, &mut empty);
            text.push(row_separator(row));
        }
        let [white, black] = self.tallest;
        text.push(self.side.letter());
        format!("{text} {white},{black} {} {}", self.quiet, self.passes)
    }

    fn from_position(variant: &str, text: &str) -> Result<Self, NotationError> {
        let mut position = Self::setup(variant)
            .ok_or_else(|| NotationError::new(variant, 1, "no variant, or `small`"))?;
        let mut cursor = Cursor::new(text);
        for row in (0..position.size).rev() {
            read_row(&mut position, &mut cursor, row)?;
            cursor.row_end(row)?;
        }
        position.side = cursor.side_to_move()?;
        cursor.expect(' ', "a space and the tallest stacks so far")?;
        for side in Side::ALL {
            if side == Side::Second {
                cursor.expect(',', "`,` and Black's tallest stack so far")?;
            }
            // A stack that stands there counts; but one of all checkers would have ended the game.
            let stands = position.own_tallest(side);
            let most = stands.max(position.checkers() - 1);
            let what = format!("{}'s tallest stack so far", side.white_or_black());
            position.tallest[side.index()] = cursor.count(stands..=most, &what)?;
        }
        cursor.expect(' ', "a space and the turns in a row without progress")?;
        position.quiet = cursor.count(0..=QUIET_DRAW, "the turns in a row without progress")?;
        cursor.expect(' ', "a space and the passes in a row")?;
        position.passes = cursor.count(0..=PASSES_DRAW, "the passes in a row")?;
        cursor.end("position")?;
        Ok(position)
    }

    /// The square, then for a stack the number of checkers that go (`1`, `2` or `3`), then the
    /// goal.
    fn steps(&self, turn: &Turn) -> Vec<String> {
        match *turn {
            Turn::Pass | Turn::Place(_) => vec![turn.to_string()],
            Turn::Move { top, from, to } => {
                let height = self.stack(from).map_or(1, |stack| stack.height);
                let count = (height > 1).then(|| top.unwrap_or(height).to_string());
                iter::once(from.to_string())
                    .chain(count)
                    .chain(iter::once(to.to_string()))
                    .collect()
            }
        }
    }

    fn perft(&self, depth: u32) -> u64 {
        match depth {
            0 => 1,
            _ if self.outcome().is_some() => 0,
            1 => self.count_turns(),
            _ => {
                let mut count = 0;
                self.each_turn(|turn| {
                    let mut next = self.clone();
                    next.play_unchecked(&turn);
                    count += next.perft(depth - 1);
                });
                count
            }
        }
    }
}

impl Evaluate for Pylyx {
    /// The moves that each side needs to bring its checkers together, roughly.
    fn estimate(&self) -> i32 {
        self.togetherness(self.side) - self.togetherness(self.side.other())
    }
}

impl OtherNotation for Pylyx {}

impl Pylyx {
    /// The tallest stack of `side` that stands on the board.
    fn own_tallest(&self, side: Side) -> u8 {
        self.squares()
            .filter_map(|square| self.stack(square))
            .filter(|stack| stack.side == side)
            .map(|stack| stack.height)
            .max()
            .unwrap_or(0)
    }
}

/// Reads one row of a position text.
fn read_row(position: &mut Pylyx, cursor: &mut Cursor, row: u8) -> Result<(), NotationError> {
    let mut col = 0;
    while col < position.size {
        let column = cursor.column();
        let left = position.size - col;
        if let Some(empty) = cursor.number(&(1..=left)) {
            col += empty;
            continue;
        }
        let square = Square::new(col, row);
        let Some(side) = cursor.side().filter(|_| on_board(square, position.size)) else {
            let expected = format!("a number of empty squares, 1 to {left}");
            let or_piece = if on_board(square, position.size) {
                ", or `w` or `b`"
            } else {
                ""
            };
            return Err(cursor.error_at(column, expected + or_piece));
        };
        let hand = position.hand(side);
        if hand == 0 {
            let expected = format!(
                "no more than {} checkers of {}",
                position.checkers(),
                side.white_or_black()
            );
            return Err(cursor.error_at(column, expected));
        }
        let height = if cursor.take('(') {
            let height = cursor.count(1..=hand, "the height of a stack")?;
            cursor.expect(')', "`)` after the height of a stack")?;
            height
        } else {
            1
        };
        position.set(side, square, height);
        position.hand[side.index()] -= height;
        col += 1;
    }
    Ok(())
}
