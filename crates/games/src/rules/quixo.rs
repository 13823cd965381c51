//! Quixo (Thierry Chapeau, 1995), for two and for four. Source: pergioco.net/5/quixo.
//!
//! The board is three bitboards of 25 squares; square `col + 5 * row`, so a1 is bit 0, e5 bit 24.
//!
//! ```
//! use perplex_games::rules::Rules;
//! use perplex_games::rules::quixo::{Quixo, Square};
//!
//! let mut position = Quixo::setup("").expect("the game for two");
//! let turn = position.read("c1 a1")?;
//! position.play_unchecked(&turn);
//! assert!(position.cube(Square::new(0, 0)).is_some());
//! assert_eq!(position.position(), "5/5/5/5/x4 o");
//! # Ok::<(), perplex_games::rules::TurnError>(())
//! ```

use std::fmt::{self, Display};
use std::str::FromStr;

use super::cursor::{Cursor, row_separator, write_run};
use super::{Evaluate, NotationError, OtherNotation, Outcome, Reason, Rules, Seat, SeatName, Side};

/// Columns and rows of the board.
pub const SIZE: u8 = 5;
/// The 16 squares of the edge, as a bitboard.
const EDGE: u32 = 0b11111_10001_10001_10001_11111;
const CORNERS: u32 = 0b10001_00000_00000_00000_10001;
/// The five rows, five columns and two long diagonals.
const LINES: [u32; 12] = lines();

const fn lines() -> [u32; 12] {
    let mut lines = [0; 12];
    let mut i = 0;
    while i < 5 {
        lines[i] = 0b11111 << (5 * i);
        lines[5 + i] = 0b00001_00001_00001_00001_00001 << i;
        lines[10] |= 1 << (6 * i);
        lines[11] |= 1 << (4 * (i + 1));
        i += 1;
    }
    lines
}

/// A square of the 5×5 board.
pub type Square = super::Square<SIZE>;

impl Square {
    /// All squares, a1 first, then along the rows.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..SIZE * SIZE).map(Self)
    }

    const fn bit(self) -> u32 {
        1 << self.0
    }

    const fn on_edge(self) -> bool {
        self.bit() & EDGE != 0
    }

    /// The squares where a cube taken here can be put back: the ends of its row and its column,
    /// without itself.
    fn returns(self) -> impl Iterator<Item = Self> {
        [
            Self::new(0, self.row()),
            Self::new(SIZE - 1, self.row()),
            Self::new(self.col(), 0),
            Self::new(self.col(), SIZE - 1),
        ]
        .into_iter()
        .filter(move |&end| end != self)
    }
}

/// The seat that a cube's dot points to, in Quixo for four.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dot {
    /// The first seat, which plays Crosses.
    North,
    /// The second seat, which plays Circles.
    East,
    /// The third seat, partner of North.
    South,
    /// The fourth seat, partner of East.
    West,
}

impl Dot {
    /// The four dots in the order of play of their seats.
    pub const ALL: [Self; 4] = [Self::North, Self::East, Self::South, Self::West];

    /// The letter of notation: `n`, `e`, `s`, `w`.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::North => 'n',
            Self::East => 'e',
            Self::South => 's',
            Self::West => 'w',
        }
    }

    const fn side(self) -> Side {
        match self {
            Self::North | Self::South => Side::First,
            Self::East | Self::West => Side::Second,
        }
    }
}

/// A turn of Quixo; its text is `c1-a1`, `c1-a1.n` or `pass`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Turn {
    /// Take a cube and put it back, showing the player's own symbol: `c1-a1`; with a dot in the
    /// game for four: `c1-a1.n`.
    Move {
        /// The square on the edge where the cube is taken.
        take: Square,
        /// The end of its row or column where it is put back.
        put: Square,
        /// The seat to which its dot points (only in the game for four).
        dot: Option<Dot>,
    },
    /// No cube can be taken (only in the game for four).
    Pass,
}

impl Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pass => f.write_str("pass"),
            Self::Move { take, put, dot } => {
                write!(f, "{take}-{put}")?;
                match dot {
                    Some(dot) => write!(f, ".{}", dot.letter()),
                    None => Ok(()),
                }
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
        let take = read_square(&mut cursor)?;
        cursor.expect('-', "`-` and the square where the cube goes back")?;
        let put = read_square(&mut cursor)?;
        let mut dot = None;
        if cursor.take('.') {
            let index = cursor.one_of("nesw");
            let expected = "where the dot points: `n`, `e`, `s` or `w`";
            dot = Some(Dot::ALL[index.ok_or_else(|| cursor.error(expected))?]);
        }
        cursor.end("turn")?;
        Ok(Self::Move { take, put, dot })
    }
}

fn read_square(cursor: &mut Cursor) -> Result<Square, NotationError> {
    let col = cursor.letter(SIZE);
    let col = col.ok_or_else(|| cursor.error("a column, `a` to `e`"))?;
    let row = cursor.digit(&(1..=SIZE));
    let row = row.ok_or_else(|| cursor.error("a row, `1` to `5`"))?;
    Ok(Square::new(col, row - 1))
}

/// A cube that shows a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cube {
    /// The side whose symbol it shows: crosses are the first side's.
    pub side: Side,
    /// The seat to which its dot points, in the game for four.
    pub dot: Option<Dot>,
}

/// A position of Quixo, for two (variant `""`) or for four (`four`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Quixo {
    /// Cubes that show a cross, and that show a circle.
    symbols: [u32; 2],
    /// Cubes whose dot points to the team's second seat (South, West); empty in the game for two.
    second_dot: u32,
    seat: u8,
    four: bool,
}

const SEATS_FOR_TWO: &[SeatName] = &[
    SeatName::new("first", "Crosses", Side::First),
    SeatName::new("second", "Circles", Side::Second),
];

const SEATS_FOR_FOUR: &[SeatName] = &[
    SeatName::new("north", "North (Crosses)", Side::First),
    SeatName::new("east", "East (Circles)", Side::Second),
    SeatName::new("south", "South (Crosses)", Side::First),
    SeatName::new("west", "West (Circles)", Side::Second),
];

/// Moves the cubes of `bits` between `put` and the gap at `take` one square towards the gap.
/// `put`'s own bit is left clear.
const fn push(bits: u32, take: Square, put: Square) -> u32 {
    let step = if take.row() == put.row() { 1 } else { SIZE };
    let line = if step == 1 {
        LINES[take.row() as usize]
    } else {
        LINES[5 + take.col() as usize]
    };
    let (low, high) = if take.0 < put.0 {
        (take.0, put.0)
    } else {
        (put.0, take.0)
    };
    // The part of the line from `take` to `put`, both included.
    let span = line & ((2 << high) - 1) & !((1 << low) - 1);
    let moving = bits & span & !take.bit();
    let moved = if take.0 < put.0 {
        moving >> step
    } else {
        moving << step
    };
    (bits & !span) | moved
}

impl Quixo {
    /// The cube on `square`; `None` if it is blank.
    #[must_use]
    pub fn cube(&self, square: Square) -> Option<Cube> {
        let side = Side::ALL
            .into_iter()
            .find(|side| self.symbols[side.index()] & square.bit() != 0)?;
        let second = self.second_dot & square.bit() != 0;
        Some(Cube {
            side,
            dot: self.four.then_some(match (side, second) {
                (Side::First, false) => Dot::North,
                (Side::First, true) => Dot::South,
                (Side::Second, false) => Dot::East,
                (Side::Second, true) => Dot::West,
            }),
        })
    }

    /// True if this is the game for four.
    #[must_use]
    pub fn is_for_four(&self) -> bool {
        self.four
    }

    fn mover(&self) -> Side {
        Dot::ALL[usize::from(self.seat)].side()
    }

    /// The cubes that the seat to move may take.
    fn takeable(&self) -> u32 {
        let own = self.symbols[self.mover().index()];
        let blank = !(self.symbols[0] | self.symbols[1]);
        let own = match (self.four, self.seat) {
            (false, _) => own,
            (true, 0 | 1) => own & !self.second_dot,
            (true, _) => own & self.second_dot,
        };
        EDGE & (blank | own)
    }

    /// The dots that the side to move may give a cube.
    fn dots(&self) -> impl Iterator<Item = Option<Dot>> + use<> {
        let (four, mover) = (self.four, self.mover());
        let team = Dot::ALL
            .into_iter()
            .filter(move |dot| four && dot.side() == mover)
            .map(Some);
        (!four).then_some(None).into_iter().chain(team)
    }

    fn has_line(&self, side: Side) -> bool {
        let own = self.symbols[side.index()];
        LINES.into_iter().any(|line| own & line == line)
    }

    /// The winner's lines through `square`, each as the columns and rows from one of its squares to the next.
    ///
    /// ```
    /// # use perplex_games::rules::{NotationError, Rules};
    /// # use perplex_games::rules::quixo::{Quixo, Square};
    /// let position = Quixo::from_position("", "o4/xo3/x1o2/x2o1/x3o x")?;
    /// assert!(position.winning_lines(Square::new(3, 1)).eq([(1, -1)]));
    /// assert!(position.winning_lines(Square::new(0, 1)).next().is_none());
    /// # Ok::<(), NotationError>(())
    /// ```
    pub fn winning_lines(&self, square: Square) -> impl Iterator<Item = (i8, i8)> + use<> {
        let winner = self.outcome().and_then(|outcome| outcome.winner);
        let own = winner.map_or(0, |side| self.symbols[side.index()]);
        let is_through = move |line: u32| own & line == line && line & square.bit() != 0;
        let lines = (0..).zip(LINES).filter(move |&(_, line)| is_through(line));
        lines.map(|(index, _)| match index {
            0..5 => (1, 0),
            5..10 => (0, 1),
            10 => (1, 1),
            _ => (1, -1),
        })
    }
}

impl Rules for Quixo {
    type Turn = Turn;
    type Key = Self;

    const SEPARATORS: &'static [char] = &['-', ':', ' ', '\t', '.'];

    fn setup(variant: &str) -> Option<Self> {
        let four = match variant {
            "" => false,
            "four" => true,
            _ => return None,
        };
        Some(Self {
            symbols: [0; 2],
            second_dot: 0,
            seat: 0,
            four,
        })
    }

    fn seats(&self) -> &'static [SeatName] {
        if self.four {
            SEATS_FOR_FOUR
        } else {
            SEATS_FOR_TWO
        }
    }

    fn to_move(&self) -> Seat {
        Seat(self.seat)
    }

    fn legal(&self) -> Vec<Turn> {
        if self.outcome().is_some() {
            return Vec::new();
        }
        let takeable = self.takeable();
        if takeable == 0 {
            return vec![Turn::Pass];
        }
        Square::all()
            .filter(|take| takeable & take.bit() != 0)
            .flat_map(|take| take.returns().map(move |put| (take, put)))
            .flat_map(|(take, put)| self.dots().map(move |dot| Turn::Move { take, put, dot }))
            .collect()
    }

    fn why_illegal(&self, turn: &Turn) -> Option<String> {
        if self.outcome().is_some() {
            return Some("the game is over".to_owned());
        }
        let takeable = self.takeable();
        let Turn::Move { take, put, dot } = *turn else {
            return (takeable != 0).then(|| {
                "a player passes only when there is no cube to take, and there is one".to_owned()
            });
        };
        if !take.on_edge() {
            return Some(format!("{take} is not on the edge of the board"));
        }
        if takeable & take.bit() == 0 {
            return Some(match self.cube(take) {
                Some(cube) if cube.side == self.mover() => {
                    format!("the dot of the cube on {take} points to your partner")
                }
                _ => format!("the cube on {take} shows the other side's symbol"),
            });
        }
        if !take.returns().any(|end| end == put) {
            let ends: Vec<String> = take.returns().map(|end| end.to_string()).collect();
            return Some(format!(
                "a cube taken at {take} goes back at an end of its row or column: {}",
                ends.join(", ")
            ));
        }
        if self.dots().any(|allowed| allowed == dot) {
            return None;
        }
        Some(match (self.four, dot) {
            (false, _) => "cubes have a dot only in the game for four".to_owned(),
            (true, None) => {
                let dots: Vec<String> = self
                    .dots()
                    .flatten()
                    .map(|dot| format!("`.{}`", dot.letter()))
                    .collect();
                format!(
                    "the turn has to say where the dot points: {}",
                    dots.join(" or ")
                )
            }
            (true, Some(_)) => "the dot points to you or to your partner".to_owned(),
        })
    }

    fn play_unchecked(&mut self, turn: &Turn) {
        if let Turn::Move { take, put, dot } = *turn {
            let mover = self.mover().index();
            let [x, o] = self.symbols;
            self.symbols = [push(x, take, put), push(o, take, put)];
            self.symbols[mover] |= put.bit();
            self.second_dot = push(self.second_dot, take, put);
            if matches!(dot, Some(Dot::South | Dot::West)) {
                self.second_dot |= put.bit();
            }
        }
        let seats = if self.four { 4 } else { 2 };
        self.seat = (self.seat + 1) % seats;
    }

    fn outcome(&self) -> Option<Outcome> {
        let to_move = self.mover();
        // The opponent's line comes first: a player who makes it loses, even with a line of their
        // own.
        [to_move, to_move.other()]
            .into_iter()
            .find(|&side| self.has_line(side))
            .map(|side| Outcome::win(side, Reason::Line))
    }

    fn key(&self) -> Self {
        *self
    }

    /// Rows 5 to 1 separated by `/`: `x`, `o`, digits for runs of blank cubes; then the side to
    /// move. In the game for four a cube is the letter of its dot, and so is the seat to move.
    fn position(&self) -> String {
        let mut text = String::new();
        for row in (0..SIZE).rev() {
            let mut blanks = 0;
            for col in 0..SIZE {
                let letter = match self.cube(Square::new(col, row)) {
                    None => {
                        blanks += 1;
                        continue;
                    }
                    Some(Cube { dot: Some(dot), .. }) => dot.letter(),
                    Some(Cube {
                        side: Side::First, ..
                    }) => 'x',
                    Some(_) => 'o',
                };
                write_run(&mut text, &mut blanks);
                text.push(letter);
            }
            write_run(&mut text, &mut blanks);
            text.push(row_separator(row));
        }
        text.push(match (self.four, self.seat) {
            (true, seat) => Dot::ALL[usize::from(seat)].letter(),
            (false, 0) => 'x',
            (false, _) => 'o',
        });
        text
    }

    fn from_position(variant: &str, text: &str) -> Result<Self, NotationError> {
        let mut position = Self::setup(variant)
            .ok_or_else(|| NotationError::new(variant, 1, "no variant, or `four`"))?;
        let letters: &str = if position.four { "nesw" } else { "xo" };
        let expected = |what: &str| {
            if position.four {
                format!("{what}`n`, `e`, `s` or `w`")
            } else {
                format!("{what}`x` or `o`")
            }
        };
        let mut cursor = Cursor::new(text);
        for row in (0..SIZE).rev() {
            let mut col = 0;
            while col < SIZE {
                let free = SIZE - col;
                if let Some(run) = cursor.digit(&(1..=free)) {
                    col += run;
                } else if let Some(index) = cursor.one_of(letters) {
                    let bit = Square::new(col, row).bit();
                    position.symbols[index % 2] |= bit;
                    if index >= 2 {
                        position.second_dot |= bit;
                    }
                    col += 1;
                } else {
                    let what = format!("a number of blank cubes, 1 to {free}, or ");
                    return Err(cursor.error(expected(&what)));
                }
            }
            cursor.row_end(row)?;
        }
        let seat = cursor.one_of(letters);
        let seat = seat.ok_or_else(|| cursor.error(expected("the seat to move, ")))?;
        position.seat = u8::try_from(seat).unwrap_or(0);
        cursor.end("position")?;
        Ok(position)
    }

    fn steps(&self, turn: &Turn) -> Vec<String> {
        match turn {
            Turn::Pass => vec!["pass".to_owned()],
            Turn::Move { take, put, dot } => [take.to_string(), put.to_string()]
                .into_iter()
                .chain(dot.map(|dot| format!(".{}", dot.letter())))
                .collect(),
        }
    }

    fn perft(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        if self.outcome().is_some() {
            return 0;
        }
        let takeable = self.takeable();
        if depth == 1 {
            let moves = 3 * takeable.count_ones() - (takeable & CORNERS).count_ones();
            let dots = if self.four { 2 } else { 1 };
            return u64::from((moves * dots).max(1));
        }
        self.legal()
            .iter()
            .map(|turn| {
                let mut next = *self;
                next.play_unchecked(turn);
                next.perft(depth - 1)
            })
            .sum()
    }
}

impl Evaluate for Quixo {
    /// Many cubes of one symbol in a line are worth far more than the same number scattered.
    fn estimate(&self) -> i32 {
        const WORTH: [i32; 6] = [0, 2, 8, 20, 60, 0];
        let worth = |side: Side| -> i32 {
            LINES
                .iter()
                .map(|line| WORTH[(self.symbols[side.index()] & line).count_ones() as usize])
                .sum()
        };
        worth(self.mover()) - worth(self.mover().other())
    }
}

impl OtherNotation for Quixo {}
