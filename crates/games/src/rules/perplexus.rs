//! Perplexus (1976). Source: pergioco.net/5/perplexus; number 7516 at
//! boardgamegeek.com.
//!
//! The field has 6 rows of 14 squares. Each side's pieces are a bitboard of six lanes of 16 bits, a lane for each row:
//! the two bits to spare keep lines from running on into the next row, and a shuttle shifts by shifting its lane. The
//! place of a shuttle is a small number for each row: a shuttle that starts in column a stands at 0, the last possible
//! place is 7 (column h).
//!
//! ```
//! use perplex_games::rules::Rules;
//! use perplex_games::rules::perplexus::Perplexus;
//!
//! let mut position = Perplexus::setup("").expect("the game");
//! let turn = position.read("b6-h6")?;
//! position.play_unchecked(&turn);
//! assert_eq!(position.position(), "1[7]6/14/14/14/14/14 b 0");
//! # Ok::<(), perplex_games::rules::TurnError>(())
//! ```

use std::fmt::{self, Display};
use std::ops::Range;
use std::str::FromStr;

use super::cursor::{Cursor, row_separator};
use super::{Evaluate, NotationError, OtherNotation, Outcome, Reason, Rules, Seat, Side};

/// Columns of the field, a to n.
pub const COLS: u8 = 14;
/// Rows of the field, 1 to 6.
pub const ROWS: u8 = 6;
/// Squares that a shuttle covers.
pub const SHUTTLE: u8 = 7;
/// Pieces that each side has at the start.
pub const PIECES: u8 = 18;
/// Shuttle moves in a row that draw the game.
const QUIET_DRAW: u8 = 60;
/// Bits of a row's lane.
const LANE: u8 = 16;
/// The places of a shuttle in its row, one bit each.
const PLACES: u8 = 0xff;

/// A square of the field: a1 is at the bottom left.
pub type Square = super::Square<LANE>;

impl Square {
    /// All squares, a1 first, then along the rows.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..ROWS).flat_map(|row| (0..COLS).map(move |col| Self::new(col, row)))
    }

    const fn bit(self) -> u128 {
        1 << self.0
    }
}

/// The direction in which a shuttle moves along its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// Towards column a: `<`.
    Left,
    /// Towards column n: `>`.
    Right,
}

impl Way {
    /// Both ways.
    pub const ALL: [Self; 2] = [Self::Left, Self::Right];

    /// The sign of notation: `<` or `>`.
    #[must_use]
    pub const fn sign(self) -> char {
        match self {
            Self::Left => '<',
            Self::Right => '>',
        }
    }

    /// The next place of a shuttle from `place`; perhaps off the field.
    const fn next_to(self, place: u8) -> Option<u8> {
        match self {
            Self::Left => place.checked_sub(1),
            Self::Right => place.checked_add(1),
        }
    }
}

/// A turn of Perplexus; its text is `b6-h6`, `d4` or `4>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Turn {
    /// Put a shuttle, which starts at this square, on the field: `b6-h6`.
    Shuttle(Square),
    /// Put a piece on a free square of a shuttle: `d4`.
    Piece(Square),
    /// Move a shuttle by one square: `4>`.
    Shift {
        /// The shuttle's row, 0 to 5 from the bottom.
        row: u8,
        /// The direction.
        way: Way,
    },
}

impl Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Shuttle(first) => write!(f, "{first}-{}", last_of(first)),
            Self::Piece(square) => write!(f, "{square}"),
            Self::Shift { row, way } => write!(f, "{}{}", row + 1, way.sign()),
        }
    }
}

/// The last square of the shuttle that starts at `first`.
const fn last_of(first: Square) -> Square {
    super::Square(first.0 + SHUTTLE - 1)
}

impl FromStr for Turn {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let mut cursor = Cursor::new(text);
        let turn = if let Some(row) = cursor.digit(&(1..=ROWS)) {
            let way = cursor.one_of("<>").map(|index| Way::ALL[index]);
            let way = way.ok_or_else(|| cursor.error("the shuttle's way, `<` or `>`"))?;
            Self::Shift { row: row - 1, way }
        } else {
            let expected = "a square such as `d4`, or a row and a way such as `4>`";
            let col = cursor.letter(COLS);
            let col = col.ok_or_else(|| cursor.error(expected))?;
            let row = cursor.digit(&(1..=ROWS));
            let row = row.ok_or_else(|| cursor.error("a row, `1` to `6`"))?;
            let square = Square::new(col, row - 1);
            if cursor.peek() == Some('-') {
                read_shuttle(&mut cursor, square)?;
                Self::Shuttle(square)
            } else {
                Self::Piece(square)
            }
        };
        cursor.end("turn")?;
        Ok(turn)
    }
}

/// Reads the hyphen and the last square of the shuttle that starts at `first`.
fn read_shuttle(cursor: &mut Cursor, first: Square) -> Result<(), NotationError> {
    if first.col() > COLS - SHUTTLE {
        let expected =
            "the end of the turn (only columns `a` to `h` have room for a shuttle's start)";
        return Err(cursor.error(expected));
    }
    cursor.take('-');
    let last = last_of(first).to_string();
    for c in last.chars() {
        let expected = format!("`{c}` ({last} is the last of the seven squares from {first})");
        cursor.expect(c, &expected)?;
    }
    Ok(())
}

/// A position of Perplexus. There is one variant, `""`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Perplexus {
    /// For each row, the place of its shuttle.
    shuttles: [Option<u8>; ROWS as usize],
    pieces: [u128; 2],
    side: Side,
    /// Shuttle moves in a row.
    quiet: u8,
}

/// The rows (from 0) for the shuttles of `side`.
#[must_use]
pub const fn home(side: Side) -> Range<u8> {
    match side {
        Side::First => ROWS / 2..ROWS,
        Side::Second => 0..ROWS / 2,
    }
}

/// The places, one bit each, where a shuttle touches one that stands at `place` in a row next to its own.
const fn touching(place: u8) -> u8 {
    let mut places = 0;
    let mut other = 0;
    while other <= COLS - SHUTTLE {
        if other.abs_diff(place) < SHUTTLE {
            places |= 1 << other;
        }
        other += 1;
    }
    places
}

/// [`touching`] of each place.
const TOUCHING: [u8; 8] = {
    let mut table = [0; 8];
    let mut place = 0;
    while place < 8 {
        table[place as usize] = touching(place);
        place += 1;
    }
    table
};

/// The rows next to `row`.
fn neighbours(row: u8) -> impl Iterator<Item = u8> {
    [row.checked_sub(1), row.checked_add(1)]
        .into_iter()
        .flatten()
        .filter(|&row| row < ROWS)
}

/// The steps from one square of a line to the next: along a row, up a column, along a diagonal.
const STEPS: [u8; 4] = [1, LANE, LANE + 1, LANE - 1];

/// The first squares of the fives of `pieces` in one direction.
const fn fives(pieces: u128, step: u8) -> u128 {
    let two = pieces & (pieces >> step);
    let four = two & (two >> (2 * step));
    four & (pieces >> (4 * step))
}

/// True if five of `pieces` stand next to each other in a row, a column or a diagonal.
const fn has_line(pieces: u128) -> bool {
    let mut found = 0;
    let mut i = 0;
    while i < STEPS.len() {
        found |= fives(pieces, STEPS[i]);
        i += 1;
    }
    found != 0
}

/// The worth of the fives of `open` squares in one direction, by the pieces of `own` that they hold.
const fn worth_of_fives(own: u128, open: u128, step: u8) -> i32 {
    // For each first square of five: a bit if all are open, and the number that hold a piece, in binary.
    let (mut all, mut ones, mut twos, mut fours) = (open, own, 0, 0);
    let mut i = 1;
    while i < 5 {
        let next = own >> (i * step);
        all &= open >> (i * step);
        let carry = ones & next;
        ones ^= next;
        fours |= twos & carry;
        twos ^= carry;
        i += 1;
    }
    let worth = (all & ones & !twos & !fours).count_ones()
        + 6 * (all & twos & !ones).count_ones()
        + 20 * (all & twos & ones).count_ones()
        + 70 * (all & fours & !ones).count_ones();
    worth.cast_signed()
}

impl Perplexus {
    /// The first square of the shuttle in `row` (from 0), if there is one.
    #[must_use]
    pub fn shuttle(&self, row: u8) -> Option<Square> {
        let place = (*self.shuttles.get(usize::from(row))?)?;
        Some(Square::new(place, row))
    }

    /// The side whose piece stands on `square`.
    #[must_use]
    pub fn piece(&self, square: Square) -> Option<Side> {
        Side::ALL
            .into_iter()
            .find(|side| self.pieces[side.index()] & square.bit() != 0)
    }

    /// The pieces that `side` has not put on the field yet.
    #[must_use]
    pub fn hand(&self, side: Side) -> u8 {
        let on_field = self.pieces[side.index()].count_ones();
        PIECES.saturating_sub(u8::try_from(on_field).unwrap_or(PIECES))
    }

    /// True if all six shuttles are on the field.
    #[must_use]
    pub fn has_all_shuttles(&self) -> bool {
        self.shuttles.iter().all(Option::is_some)
    }

    /// True if a shuttle lies under `square`.
    #[must_use]
    pub fn is_covered(&self, square: Square) -> bool {
        self.shuttle(square.row())
            .is_some_and(|first| (first.0..first.0 + SHUTTLE).contains(&square.0))
    }

    /// The winner's lines of five and more through `square`, each as the columns and rows from one of its squares to
    /// the next.
    ///
    /// ```
    /// # use perplex_games::rules::{NotationError, Rules};
    /// # use perplex_games::rules::perplexus::{Perplexus, Square};
    /// let rows = "[wwwwwww]7/[7]7/[7]7/[7]7/[7]7/[bbbb3]7 b 0";
    /// let position = Perplexus::from_position("", rows)?;
    /// assert!(position.winning_lines(Square::new(6, 5)).eq([(1, 0)]));
    /// assert!(position.winning_lines(Square::new(0, 0)).next().is_none());
    /// # Ok::<(), NotationError>(())
    /// ```
    pub fn winning_lines(&self, square: Square) -> impl Iterator<Item = (i8, i8)> + use<> {
        let winner = self.outcome().and_then(|outcome| outcome.winner);
        let own = winner.map_or(0, |side| self.pieces[side.index()]);
        let is_through = move |step: u8| {
            let firsts = fives(own, step);
            (0..5).any(|index| firsts << (index * step) & square.bit() != 0)
        };
        let lines = STEPS.into_iter().zip([(1, 0), (0, 1), (1, 1), (-1, 1)]);
        lines
            .filter(move |&(step, _)| is_through(step))
            .map(|(_, line)| line)
    }

    /// The places, one bit each, where a shuttle in `row` touches those in the neighbouring rows.
    fn places(&self, row: u8) -> u8 {
        neighbours(row)
            .filter_map(|row| self.shuttles[usize::from(row)])
            .fold(PLACES, |places, place| {
                places & TOUCHING[usize::from(place)]
            })
    }

    /// The places, one bit each, where the side to move may put a shuttle in `row`.
    fn places_to_put(&self, row: u8) -> u8 {
        if home(self.side).contains(&row) && self.shuttles[usize::from(row)].is_none() {
            self.places(row)
        } else {
            0
        }
    }

    /// The places, one bit each, where the shuttle in `row` may move.
    fn places_to_shift(&self, row: u8) -> u8 {
        let at = self.shuttles[usize::from(row)].map_or(0, |place| 1_u8 << place);
        (at << 1 | at >> 1) & self.places(row)
    }

    /// The free squares of all shuttles.
    fn free(&self) -> u128 {
        let lanes = (0..ROWS).filter_map(|row| self.shuttle(row));
        let covered = lanes.fold(0, |squares, first| squares | 0x7f << first.0);
        covered & !(self.pieces[0] | self.pieces[1])
    }

    /// Calls `see` with every legal turn, if the game is not decided.
    fn each_turn(&self, mut see: impl FnMut(Turn)) {
        let places = |bits: u8| (0..8).filter(move |place| bits >> place & 1 != 0);
        if !self.has_all_shuttles() {
            for row in home(self.side) {
                for place in places(self.places_to_put(row)) {
                    see(Turn::Shuttle(Square::new(place, row)));
                }
            }
            return;
        }
        if self.hand(self.side) > 0 {
            let mut free = self.free();
            while free != 0 {
                // A lane's number and a column fit easily.
                #[allow(clippy::cast_possible_truncation)]
                see(Turn::Piece(super::Square(free.trailing_zeros() as u8)));
                free &= free - 1;
            }
        }
        for row in 0..ROWS {
            let allowed = self.places_to_shift(row);
            for way in Way::ALL {
                let to = self.shuttles[usize::from(row)].and_then(|place| way.next_to(place));
                if to.is_some_and(|to| to < 8 && allowed >> to & 1 != 0) {
                    see(Turn::Shift { row, way });
                }
            }
        }
    }

    /// The number of legal turns, if the game is not decided.
    fn count_turns(&self) -> u32 {
        if !self.has_all_shuttles() {
            return home(self.side)
                .map(|row| self.places_to_put(row).count_ones())
                .sum();
        }
        let pieces = if self.hand(self.side) > 0 {
            u32::from(ROWS * SHUTTLE) - (self.pieces[0] | self.pieces[1]).count_ones()
        } else {
            0
        };
        let shifts = (0..ROWS).map(|row| self.places_to_shift(row).count_ones());
        pieces + shifts.sum::<u32>()
    }

    /// The shuttle next to `row` that a shuttle at `place` would not touch.
    fn untouched(&self, row: u8, place: u8) -> Option<Square> {
        neighbours(row)
            .filter_map(|row| self.shuttle(row))
            .find(|other| other.col().abs_diff(place) >= SHUTTLE)
    }

    fn why_no_shuttle(&self, first: Square) -> Option<String> {
        let (row, home) = (first.row(), home(self.side));
        if self.has_all_shuttles() {
            return Some("all six shuttles are on the field".to_owned());
        }
        if first.col() > COLS - SHUTTLE {
            return Some(format!(
                "a shuttle that starts at {first} does not fit on the field"
            ));
        }
        if !home.contains(&row) {
            return Some(format!(
                "row {} belongs to {}: {}'s shuttles stand in rows {} to {}",
                row + 1,
                self.side.other().white_or_black(),
                self.side.white_or_black(),
                home.start + 1,
                home.end
            ));
        }
        if self.shuttle(row).is_some() {
            return Some(format!("there is a shuttle in row {} already", row + 1));
        }
        let other = self.untouched(row, first.col())?;
        Some(format!(
            "the shuttle would not touch the one in row {}, {other}-{}",
            other.row() + 1,
            last_of(other)
        ))
    }

    fn why_no_piece(&self, square: Square) -> Option<String> {
        if !self.is_covered(square) {
            return Some(format!("there is no shuttle under {square}"));
        }
        if self.piece(square).is_some() {
            return Some(format!("there is a piece on {square} already"));
        }
        let none_left = self.hand(self.side) == 0;
        none_left.then(|| format!("{} has no piece left to put", self.side.white_or_black()))
    }

    fn why_no_shift(&self, row: u8, way: Way) -> Option<String> {
        let Some(first) = self.shuttle(row) else {
            return Some("there is no such row".to_owned());
        };
        let to = way.next_to(first.col()).filter(|&to| to <= COLS - SHUTTLE);
        let Some(to) = to else {
            return Some(format!(
                "the shuttle in row {} would leave the field",
                row + 1
            ));
        };
        let other = self.untouched(row, to)?;
        Some(format!(
            "the shuttle in row {} would no longer touch the one in row {}",
            row + 1,
            other.row() + 1
        ))
    }
}

impl Rules for Perplexus {
    type Turn = Turn;
    type Key = Self;

    fn setup(variant: &str) -> Option<Self> {
        variant.is_empty().then_some(Self {
            shuttles: [None; ROWS as usize],
            pieces: [0; 2],
            side: Side::First,
            quiet: 0,
        })
    }

    fn to_move(&self) -> Seat {
        self.side.seat()
    }

    fn legal(&self) -> Vec<Turn> {
        let mut turns = Vec::new();
        if self.outcome().is_none() {
            turns.reserve(54);
            self.each_turn(|turn| turns.push(turn));
        }
        turns
    }

    fn why_illegal(&self, turn: &Turn) -> Option<String> {
        if self.outcome().is_some() {
            return Some("the game is over".to_owned());
        }
        match *turn {
            Turn::Shuttle(first) => self.why_no_shuttle(first),
            Turn::Piece(_) | Turn::Shift { .. } if !self.has_all_shuttles() => {
                Some("first all six shuttles are put on the field, such as `b6-h6`".to_owned())
            }
            Turn::Piece(square) => self.why_no_piece(square),
            Turn::Shift { row, way } => self.why_no_shift(row, way),
        }
    }

    fn play_unchecked(&mut self, turn: &Turn) {
        match *turn {
            Turn::Shuttle(first) => {
                self.shuttles[usize::from(first.row())] = Some(first.col());
            }
            Turn::Piece(square) => {
                self.pieces[self.side.index()] |= square.bit();
                self.quiet = 0;
            }
            Turn::Shift { row, way } => {
                let shuttle = &mut self.shuttles[usize::from(row)];
                *shuttle = shuttle.and_then(|place| way.next_to(place));
                let lane = 0xffff << (LANE * row);
                for pieces in &mut self.pieces {
                    let moving = *pieces & lane;
                    let moved = match way {
                        Way::Left => moving >> 1,
                        Way::Right => moving << 1,
                    };
                    *pieces = *pieces & !lane | moved;
                }
                self.quiet = self.quiet.saturating_add(1);
            }
        }
        self.side = self.side.other();
    }

    fn outcome(&self) -> Option<Outcome> {
        // The line of the side that has just played comes first.
        [self.side.other(), self.side]
            .into_iter()
            .find(|&side| has_line(self.pieces[side.index()]))
            .map(|side| Outcome::win(side, Reason::Line))
    }

    fn count_draw(&self) -> Option<Outcome> {
        (self.quiet >= QUIET_DRAW).then_some(Outcome::draw(Reason::NoProgress))
    }

    fn key(&self) -> Self {
        Self { quiet: 0, ..*self }
    }

    /// Rows 6 to 1 separated by `/`: a number counts bare squares, brackets hold a shuttle's seven squares, `w` and `b`
    /// pieces and numbers free squares; then the side to move, `w` or `b`, and the shuttle moves in a row. The pieces
    /// in hand are those missing of 18.
    fn position(&self) -> String {
        let mut text = String::new();
        let run = |text: &mut String, run: u8| {
            if run > 0 {
                text.push_str(&run.to_string());
            }
        };
        for row in (0..ROWS).rev() {
            let Some(first) = self.shuttle(row) else {
                run(&mut text, COLS);
                text.push(row_separator(row));
                continue;
            };
            run(&mut text, first.col());
            text.push('[');
            let mut free = 0;
            for square in (first.0..first.0 + SHUTTLE).map(super::Square) {
                let Some(side) = self.piece(square) else {
                    free += 1;
                    continue;
                };
                run(&mut text, free);
                free = 0;
                text.push(side.letter());
            }
            run(&mut text, free);
            text.push(']');
            run(&mut text, COLS - SHUTTLE - first.col());
            text.push(row_separator(row));
        }
        text.push(self.side.letter());
        format!("{text} {}", self.quiet)
    }

    fn from_position(variant: &str, text: &str) -> Result<Self, NotationError> {
        let mut position =
            Self::setup(variant).ok_or_else(|| NotationError::new(variant, 1, "no variant"))?;
        let mut cursor = Cursor::new(text);
        for row in (0..ROWS).rev() {
            read_row(&mut position, &mut cursor, row)?;
            cursor.row_end(row)?;
        }
        if !position.has_all_shuttles() && position.pieces != [0; 2] {
            let expected = "a field without pieces, because shuttles are missing";
            return Err(cursor.error_at(1, expected));
        }
        let column = cursor.column();
        position.side = cursor.side_to_move()?;
        // While shuttles are put, the sides take turns, so that each has one to put on its turn.
        let shuttles = |side| {
            let rows = home(side).filter(|&row| position.shuttle(row).is_some());
            rows.count()
        };
        let (white, black) = (shuttles(Side::First), shuttles(Side::Second));
        let in_turn = match position.side {
            Side::First => white == black,
            Side::Second => white == black + 1,
        };
        if !in_turn && !position.has_all_shuttles() {
            let expected = format!(
                "the side to move: with {white} shuttles of White and {black} of Black it is the other"
            );
            return Err(cursor.error_at(column, expected));
        }
        cursor.expect(' ', "a space and the number of shuttle moves in a row")?;
        let quiet = if position.has_all_shuttles() {
            QUIET_DRAW
        } else {
            0
        };
        position.quiet = cursor.count(0..=quiet, "the number of shuttle moves in a row")?;
        cursor.end("position")?;
        Ok(position)
    }

    /// A shuttle is put by its middle square, a piece by its own; a shuttle is moved by the handle at its end, whose
    /// name is the turn.
    fn steps(&self, turn: &Turn) -> Vec<String> {
        vec![match turn {
            Turn::Shuttle(first) => Square::new(first.col() + SHUTTLE / 2, first.row()).to_string(),
            other => other.to_string(),
        }]
    }

    fn perft(&self, depth: u32) -> u64 {
        match depth {
            0 => 1,
            _ if self.outcome().is_some() => 0,
            1 => u64::from(self.count_turns()),
            _ => {
                let mut count = 0;
                self.each_turn(|turn| {
                    let mut next = *self;
                    next.play_unchecked(&turn);
                    count += next.perft(depth - 1);
                });
                count
            }
        }
    }
}

impl Evaluate for Perplexus {
    /// Fives of squares on shuttles without pieces of the other side, by the number of the side's own pieces on them.
    fn estimate(&self) -> i32 {
        let free = self.free();
        let worth = |side: Side| {
            let own = self.pieces[side.index()];
            STEPS
                .into_iter()
                .map(|step| worth_of_fives(own, own | free, step))
                .sum::<i32>()
        };
        worth(self.side) - worth(self.side.other())
    }
}

impl OtherNotation for Perplexus {}

/// Reads one row of a position text.
fn read_row(position: &mut Perplexus, cursor: &mut Cursor, row: u8) -> Result<(), NotationError> {
    let bare = cursor.number(&(1..=COLS - SHUTTLE)).unwrap_or(0);
    let column = cursor.column();
    if bare == 0 && cursor.number(&(COLS..=COLS)).is_some() {
        return Ok(());
    }
    let expected = match bare {
        0 => "`14` for a row without a shuttle, or up to 7 bare squares, or `[` and a shuttle",
        _ => "`[` and a shuttle",
    };
    cursor.expect('[', expected)?;
    if let Some(other) = position.untouched(row, bare) {
        let expected = format!("a shuttle that touches the one in row {}", other.row() + 1);
        return Err(cursor.error_at(column, expected));
    }
    position.shuttles[usize::from(row)] = Some(bare);
    let mut done = 0;
    while done < SHUTTLE {
        let column = cursor.column();
        let left = SHUTTLE - done;
        if let Some(free) = cursor.number(&(1..=left)) {
            done += free;
            continue;
        }
        let Some(side) = cursor.side() else {
            let expected = format!("a number of free squares, 1 to {left}, or `w` or `b`");
            return Err(cursor.error(expected));
        };
        if position.hand(side) == 0 {
            let expected = format!("no more than {PIECES} pieces of {}", side.white_or_black());
            return Err(cursor.error_at(column, expected));
        }
        position.pieces[side.index()] |= Square::new(bare + done, row).bit();
        done += 1;
    }
    cursor.expect(']', "`]` after the seven squares of a shuttle")?;
    let rest = COLS - SHUTTLE - bare;
    if rest > 0 {
        cursor.count(rest..=rest, "the bare squares of the row")?;
    }
    Ok(())
}
