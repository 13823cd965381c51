//! The boards of a Perplexichess match: the effect of turns and transfers on them, and the end of boards and match. The
//! rights of people are not known here; the record of a match, line by line, is.
//!
//! ```text
//! 1 e2e4                               a move on board 1
//! 1 rule N NW "Knights also step."     a rule change on board 1
//! 1 accept                             (or reject) of a written rule or a turn under one
//! 1 draw                               agreed, or claimed and right
//! 1 resign                             the side to move, or named: 1 resign black
//! w e4 1>3                             a transfer
//! time                                 the limit is reached, or the host ends the match
//! ```
//!
//! ```
//! use perplex_games::perplexichess::{Boards, Size};
//!
//! let mut boards = Boards::new(Size::Small);
//! let line = boards.read("2 e4")?;
//! boards.take(&line);
//! assert_eq!(line.to_string(), "2 e2e4");
//! assert_eq!(boards.score().drawn, 0);
//! # Ok::<(), perplex_games::perplexichess::LineError>(())
//! ```

use std::fmt::{self, Display};

use crate::game::{Choice, Standing};
use crate::rules::flexichess::{Flexichess, Kind, Piece, Square, Turn, side_name};
use crate::rules::{IllegalTurn, NotationError, Outcome, Reason, Rules, Side, TurnError, VERSION};

/// The number of boards in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Size {
    /// Three boards.
    Small,
    /// Five boards.
    Medium,
    /// Seven boards.
    Large,
}

impl Size {
    /// All sizes, the smallest first.
    pub const ALL: [Self; 3] = [Self::Small, Self::Medium, Self::Large];

    /// The word that records and the referee use.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Medium => "medium",
            Self::Large => "large",
        }
    }

    /// The size called `key`.
    #[must_use]
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|size| size.key() == key)
    }

    /// The number of boards: 3, 5 or 7.
    #[must_use]
    pub const fn boards(self) -> u8 {
        match self {
            Self::Small => 3,
            Self::Medium => 5,
            Self::Large => 7,
        }
    }

    /// The fewest agents in a team and, if there is a limit, the most.
    #[must_use]
    pub const fn agents(self) -> (usize, Option<usize>) {
        match self {
            Self::Small => (0, Some(2)),
            Self::Medium => (1, Some(3)),
            Self::Large => (1, None),
        }
    }
}

/// The number of a board, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BoardNo(pub u8);

impl BoardNo {
    fn index(self) -> usize {
        usize::from(self.0).wrapping_sub(1)
    }
}

impl Display for BoardNo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A piece that changes boards: `w e4 1>3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transfer {
    /// The side of the piece, and of the strategist.
    pub side: Side,
    /// The square where it stands and will stand.
    pub square: Square,
    /// The board that it leaves.
    pub from: BoardNo,
    /// The board that it comes to.
    pub to: BoardNo,
}

impl Transfer {
    /// The transfer without its side: `e4 1>3`.
    #[must_use]
    pub fn short(self) -> String {
        format!("{} {}>{}", self.square, self.from, self.to)
    }
}

impl Display for Transfer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.side.letter(), self.short())
    }
}

/// The reason why a piece cannot change boards. Its text is a clause.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoTransfer {
    /// The match is over.
    #[error("the match is over")]
    Over,
    /// There is no board of this number.
    #[error("there is no board {0}")]
    NoBoard(BoardNo),
    /// It would go to the board where it is.
    #[error("a piece goes to another board, to the same square there")]
    SameBoard,
    /// It cannot leave this board, or this board cannot receive it.
    #[error("on board {board}, {why}")]
    On {
        /// The board.
        board: BoardNo,
        /// The reason, as a clause.
        why: String,
    },
}

/// One line of the record of a match.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// A turn on a board: a move, a change, a turn under a written rule, an answer.
    Turn(BoardNo, Turn),
    /// The board is drawn: agreed, or claimed and right.
    Draw(BoardNo),
    /// A side gives up the board; the side to move where none is named.
    Resign(BoardNo, Option<Side>),
    /// A piece changes boards.
    Transfer(Transfer),
    /// The limit is reached, or the host ends the match.
    Time,
}

impl Line {
    /// The boards that it touches; none for the end of the match, which touches all.
    #[must_use]
    pub fn boards(&self) -> Vec<BoardNo> {
        match self {
            Self::Turn(board, _) | Self::Draw(board) | Self::Resign(board, _) => vec![*board],
            Self::Transfer(transfer) => vec![transfer.from, transfer.to],
            Self::Time => Vec::new(),
        }
    }
}

/// Canonical notation, for lines that [`Boards::read`] gives: the side that resigns is named unless it is to move.
impl Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Turn(board, turn) => write!(f, "{board} {turn}"),
            Self::Draw(board) => write!(f, "{board} draw"),
            Self::Resign(board, None) => write!(f, "{board} resign"),
            Self::Resign(board, Some(side)) => write!(f, "{board} resign {}", side_name(*side)),
            Self::Transfer(transfer) => Display::fmt(transfer, f),
            Self::Time => f.write_str("time"),
        }
    }
}

/// One board.
#[derive(Clone, Debug)]
pub struct Board {
    standing: Standing<Flexichess>,
    outcome: Option<Outcome>,
    last: Option<Turn>,
    transferred: Option<Square>,
    /// The position in which it was decided, with its kings, until a piece changes boards.
    decided: Option<Box<Flexichess>>,
    version: u32,
}

impl Board {
    fn new(version: u16) -> Option<Self> {
        Some(Self {
            standing: Standing::new(Flexichess::setup("")?, version),
            outcome: None,
            last: None,
            transferred: None,
            decided: None,
            version: 0,
        })
    }

    /// The position on it.
    #[must_use]
    pub fn position(&self) -> &Flexichess {
        self.standing.position()
    }

    /// The outcome; `None` while the board is being played.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// The side that is to play or to answer; `None` once the board has ended.
    #[must_use]
    pub fn to_move(&self) -> Option<Side> {
        let position = self.position();
        let waits = position.pending().is_some();
        let side = position.side();
        self.outcome
            .is_none()
            .then_some(if waits { side.other() } else { side })
    }

    /// The legal moves; none once the board has ended.
    #[must_use]
    pub fn legal(&self) -> Vec<Turn> {
        if self.outcome.is_some() {
            return Vec::new();
        }
        self.standing.legal()
    }

    /// The legal moves as a page offers them.
    #[must_use]
    pub fn choices(&self) -> Vec<Choice> {
        self.legal()
            .iter()
            .map(|turn| Choice {
                turn: turn.to_string(),
                steps: self.position().steps(turn),
            })
            .collect()
    }

    /// The last turn that was played on it.
    #[must_use]
    pub fn last(&self) -> Option<&Turn> {
        self.last.as_ref()
    }

    /// The square that a transfer touched since the last turn, if one did.
    #[must_use]
    pub fn transferred(&self) -> Option<Square> {
        self.transferred
    }

    /// The position in which the board was decided, before its kings went; `None` while it is played, once a piece was
    /// transferred since, and if its pieces were counted.
    #[must_use]
    pub fn decided(&self) -> Option<&Flexichess> {
        self.decided.as_deref()
    }

    /// The number of its changes, by lines of the record and by taking them back: commands name the version that was
    /// seen.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The draw that the side to move may claim now.
    #[must_use]
    pub fn claim(&self) -> Option<Outcome> {
        if self.outcome.is_some() {
            return None;
        }
        self.standing.claim()
    }

    /// The legal turns with which the side to move may claim a draw.
    #[must_use]
    pub fn claims(&self) -> Vec<Turn> {
        if self.outcome.is_some() {
            return Vec::new();
        }
        self.standing.claims()
    }

    /// Reads a turn that may be played now.
    ///
    /// # Errors
    /// The board has ended, or the text names no turn, or one that is not legal here.
    pub fn read(&self, text: &str) -> Result<Turn, TurnError> {
        match self.outcome {
            None => self.standing.read(text),
            Some(outcome) => {
                let why = format!("this board has ended ({})", outcome.reason);
                Err(IllegalTurn::new(text.trim(), why).into())
            }
        }
    }

    fn play(&mut self, turn: Turn) {
        self.standing.push(&turn);
        self.last = Some(turn);
        self.transferred = None;
        self.judge();
    }

    fn bring(&mut self, position: Flexichess, square: Square) {
        self.standing.replace(position);
        self.transferred = Some(square);
        self.decided = None;
        self.judge();
    }

    fn judge(&mut self) {
        self.version += 1;
        if let (None, Some(outcome)) = (self.outcome, self.standing.outcome()) {
            self.end(outcome);
        }
    }

    /// Ends the board: its kings go.
    fn end(&mut self, outcome: Outcome) {
        let mut position = self.position().clone();
        self.decided = Some(Box::new(position.clone()));
        position.end();
        self.standing = Standing::new(position, VERSION);
        self.outcome = Some(outcome);
    }

    /// Counts the pieces of a board that is still being played when the match ends.
    fn count(&mut self) {
        let mut position = self.position().clone();
        position.close();
        let [white, black] = Side::ALL.map(|side| position.count(side));
        self.outcome = Some(match white.cmp(&black) {
            std::cmp::Ordering::Greater => Outcome::win(Side::First, Reason::Pieces),
            std::cmp::Ordering::Less => Outcome::win(Side::Second, Reason::Pieces),
            std::cmp::Ordering::Equal => Outcome::draw(Reason::Pieces),
        });
        self.standing = Standing::new(position, VERSION);
        self.version += 1;
    }
}

/// Boards won and drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Score {
    /// By White.
    pub white: u8,
    /// By Black.
    pub black: u8,
    /// By neither.
    pub drawn: u8,
}

/// The reason why a line was not taken. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// It was misspelt, or names a turn that is not legal.
    #[error(transparent)]
    Turn(#[from] TurnError),
    /// It was understood, but is not possible now: the line, and the reason as a clause.
    #[error("{0} is not possible: {1}")]
    Refused(String, String),
}

fn side_named(word: &str) -> Option<Side> {
    match word {
        "white" | "w" | "first" => Some(Side::First),
        "black" | "b" | "second" => Some(Side::Second),
        _ => None,
    }
}

fn refused<T>(line: impl Display, why: impl Into<String>) -> Result<T, LineError> {
    Err(LineError::Refused(line.to_string(), why.into()))
}

/// All boards of a match.
#[derive(Clone, Debug)]
pub struct Boards {
    size: Size,
    list: Vec<Board>,
    outcome: Option<Outcome>,
}

impl Boards {
    /// All boards at their start.
    #[must_use]
    pub fn new(size: Size) -> Self {
        Self::under(size, VERSION)
    }

    /// The same, under this version of the rules.
    #[must_use]
    pub fn under(size: Size, version: u16) -> Self {
        let boards = 0..size.boards();
        Self {
            size,
            list: boards.filter_map(|_| Board::new(version)).collect(),
            outcome: None,
        }
    }

    /// The number of boards, as a size.
    #[must_use]
    pub fn size(&self) -> Size {
        self.size
    }

    /// The numbers of the boards, from 1.
    pub fn numbers(&self) -> impl Iterator<Item = BoardNo> + use<> {
        (1..=self.size.boards()).map(BoardNo)
    }

    /// The board with this number.
    #[must_use]
    pub fn board(&self, number: BoardNo) -> Option<&Board> {
        self.list.get(number.index())
    }

    /// The boards in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (BoardNo, &Board)> {
        self.numbers().zip(&self.list)
    }

    /// The boards that have not ended.
    pub fn open(&self) -> impl Iterator<Item = BoardNo> {
        self.iter()
            .filter(|(_, board)| board.outcome.is_none())
            .map(|(number, _)| number)
    }

    /// The other notation of a line that is possible now: SAN for a move, the piece for a transfer.
    #[must_use]
    pub fn also(&self, line: &Line) -> String {
        match line {
            Line::Turn(number, Turn::Move(movement)) => self
                .board(*number)
                .map(|board| board.position().san(*movement))
                .unwrap_or_default(),
            Line::Transfer(transfer) => self
                .piece(transfer.from, transfer.square)
                .map(|piece| piece.kind.name().to_owned())
                .unwrap_or_default(),
            _ => String::new(),
        }
    }

    /// The outcome of the match; `None` while it goes on.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Boards won and drawn so far.
    #[must_use]
    pub fn score(&self) -> Score {
        let mut score = Score::default();
        for outcome in self.list.iter().filter_map(Board::outcome) {
            match outcome.winner {
                Some(Side::First) => score.white += 1,
                Some(Side::Second) => score.black += 1,
                None => score.drawn += 1,
            }
        }
        score
    }

    /// Reads a line of the record that is possible now.
    ///
    /// # Errors
    /// It was misspelt, or is not possible now.
    pub fn read(&self, text: &str) -> Result<Line, LineError> {
        let text = text.trim();
        let line = self.parse(text)?;
        match self.why_not(&line) {
            None => Ok(line),
            Some(why) => refused(line, why),
        }
    }

    /// Parses a line. The turns of boards are read by the board, which refuses illegal ones.
    fn parse(&self, text: &str) -> Result<Line, LineError> {
        let notation = |column: usize, expected: &str| -> Result<Line, LineError> {
            Err(TurnError::from(NotationError::new(text, column, expected)).into())
        };
        let transfer = |side, column, rest| -> Result<Line, LineError> {
            let read = self.parse_transfer(side, text, column, rest);
            Ok(Line::Transfer(read.map_err(TurnError::from)?))
        };
        let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let column = text.chars().count() - rest.trim_start().chars().count() + 1;
        let rest = rest.trim();
        match first.to_lowercase().as_str() {
            "time" if rest.is_empty() => return Ok(Line::Time),
            "time" => return notation(column, "the end of the line"),
            "w" | "white" => return transfer(Side::First, column, rest),
            "b" | "black" => return transfer(Side::Second, column, rest),
            _ => {}
        }
        let Some((number, board)) = first.parse().ok().and_then(|number| {
            let number = BoardNo(number);
            Some((number, self.board(number)?))
        }) else {
            let expected = format!(
                "the number of a board, 1 to {}, or `w` or `b` and a transfer, or `time`",
                self.size.boards()
            );
            return notation(1, &expected);
        };
        if rest.is_empty() {
            return notation(column, "a turn, `draw` or `resign`");
        }
        // Nothing is played on boards of a match that is over, even if their own rules would allow it.
        if self.outcome.is_some() {
            return refused(text, "the match is over");
        }
        let lower = rest.to_lowercase();
        let mut words = lower.split_whitespace();
        match (words.next(), words.next(), words.next()) {
            (Some("draw"), None, None) => return Ok(Line::Draw(number)),
            (Some("resign"), None, None) => return Ok(Line::Resign(number, None)),
            (Some("resign"), Some(word), None) if side_named(word).is_some() => {
                let named = side_named(word).filter(|side| board.to_move() != Some(*side));
                return Ok(Line::Resign(number, named));
            }
            (Some("resign"), Some(_), _) => {
                let column = column + "resign ".len();
                return notation(column, "`white` or `black`, or the end of the line");
            }
            _ => {}
        }
        Ok(Line::Turn(number, board.read(rest)?))
    }

    /// Reads `e4 1>3`, or `37 1>3` with the number of the square; `text` is the whole line, in which it starts at
    /// `column`.
    fn parse_transfer(
        &self,
        side: Side,
        text: &str,
        column: usize,
        rest: &str,
    ) -> Result<Transfer, NotationError> {
        let mut chars = rest.chars().enumerate().peekable();
        while chars.next_if(|(_, c)| c.is_whitespace()).is_some() {}
        let start = column + chars.peek().map_or(0, |(at, _)| *at);
        let mut digits = String::new();
        while let Some((_, digit)) = chars.next_if(|(_, c)| c.is_ascii_digit()) {
            digits.push(digit);
        }
        let mut next = |expected: &str, fits: &dyn Fn(char) -> bool, separators: &str| {
            while chars
                .next_if(|(_, c)| c.is_whitespace() || separators.contains(*c))
                .is_some()
            {}
            let column = match chars.next() {
                Some((_, c)) if fits(c) => return Ok(c),
                Some((at, _)) => column + at,
                None => text.chars().count() + 1,
            };
            Err(NotationError::new(text, column, expected))
        };
        let boards = format!("the number of a board, 1 to {}", self.size.boards());
        let is_board = |c: char| {
            c.to_digit(10)
                .is_some_and(|n| (1..=u32::from(self.size.boards())).contains(&n))
        };
        let expected = "a square, `e4`, or its number, 1 to 64";
        let square = if digits.is_empty() {
            let is_file = |c: char| ('a'..='h').contains(&c.to_ascii_lowercase());
            let file = next(expected, &is_file, "")?;
            let rank = next("a row, 1 to 8", &|c| ('1'..='8').contains(&c), "")?;
            Square::read(file, rank)
        } else {
            let plain = !digits.starts_with('0');
            digits
                .parse()
                .ok()
                .filter(|_| plain)
                .and_then(Square::from_number)
        };
        let Some(square) = square else {
            return Err(NotationError::new(text, start, expected));
        };
        let from = next(&boards, &is_board, "")?;
        let to = next(&boards, &is_board, ">-:")?;
        if let Some((at, _)) = chars.find(|(_, c)| !c.is_whitespace()) {
            return Err(NotationError::new(text, column + at, "the end of the line"));
        }
        let number = |c: char| BoardNo(u8::try_from(c.to_digit(10).unwrap_or(0)).unwrap_or(0));
        Ok(Transfer {
            side,
            square,
            from: number(from),
            to: number(to),
        })
    }

    /// The reason why a line is not possible now, as a clause; `None` if it is. The legality of a turn was checked when
    /// it was read.
    fn why_not(&self, line: &Line) -> Option<String> {
        if self.outcome.is_some() {
            return Some(NoTransfer::Over.to_string());
        }
        match line {
            Line::Turn(..) | Line::Time => None,
            Line::Draw(number) | Line::Resign(number, _) => {
                let outcome = self.board(*number).and_then(Board::outcome)?;
                Some(format!("board {number} has ended ({})", outcome.reason))
            }
            Line::Transfer(transfer) => {
                self.transferred(*transfer).err().map(|why| why.to_string())
            }
        }
    }

    /// Both boards after a transfer, the one that the piece leaves first.
    fn transferred(&self, transfer: Transfer) -> Result<(Flexichess, Flexichess), NoTransfer> {
        let Transfer {
            side,
            square,
            from,
            to,
        } = transfer;
        let on = |board| move |why| NoTransfer::On { board, why };
        let position = |number: BoardNo| {
            self.board(number)
                .map(Board::position)
                .ok_or(NoTransfer::NoBoard(number))
        };
        if from == to {
            return Err(NoTransfer::SameBoard);
        }
        let taken = position(from)?.take_off(side, square);
        let (left, piece) = taken.map_err(on(from))?;
        let reached = position(to)?.put_on(piece, square).map_err(on(to))?;
        Ok((left, reached))
    }

    /// The reason why a piece cannot be transferred now; `None` if it can.
    #[must_use]
    pub fn why_not_transfer(&self, transfer: Transfer) -> Option<NoTransfer> {
        if self.outcome.is_some() {
            return Some(NoTransfer::Over);
        }
        self.transferred(transfer).err()
    }

    /// All transfers that a side's strategist may make now, by square and boards.
    #[must_use]
    pub fn transfers(&self, side: Side) -> Vec<Transfer> {
        if self.outcome.is_some() {
            return Vec::new();
        }
        let mut found = Vec::new();
        // The kind and the square alone decide if a board takes a piece.
        let mut takes: std::collections::HashMap<(BoardNo, Square, Kind), bool> =
            std::collections::HashMap::new();
        for square in Square::all() {
            for (from, board) in self.iter() {
                let Ok((_, piece)) = board.position().take_off(side, square) else {
                    continue;
                };
                for (to, other) in self.iter().filter(|(to, _)| *to != from) {
                    let key = (to, square, piece.kind);
                    if *takes
                        .entry(key)
                        .or_insert_with(|| other.position().put_on(piece, square).is_ok())
                    {
                        found.push(Transfer {
                            side,
                            square,
                            from,
                            to,
                        });
                    }
                }
            }
        }
        found
    }

    /// Carries out a line that was read here.
    pub fn take(&mut self, line: &Line) {
        match line {
            Line::Turn(number, turn) => {
                if let Some(board) = self.list.get_mut(number.index()) {
                    board.play(turn.clone());
                }
            }
            Line::Draw(number) => {
                if let Some(board) = self.list.get_mut(number.index()) {
                    let claimed = board.claim();
                    board.version += 1;
                    board.end(claimed.unwrap_or(Outcome::draw(Reason::Agreement)));
                }
            }
            Line::Resign(number, side) => {
                if let Some(board) = self.list.get_mut(number.index())
                    && let Some(side) = side.or_else(|| board.to_move())
                {
                    board.version += 1;
                    board.end(Outcome::win(side.other(), Reason::Resign));
                }
            }
            Line::Transfer(transfer) => {
                if let Ok((left, reached)) = self.transferred(*transfer) {
                    for (number, position) in [(transfer.from, left), (transfer.to, reached)] {
                        if let Some(board) = self.list.get_mut(number.index()) {
                            board.bring(position, transfer.square);
                        }
                    }
                }
            }
            Line::Time => {
                for board in &mut self.list {
                    if board.outcome.is_none() {
                        board.count();
                    }
                }
            }
        }
        self.judge(matches!(line, Line::Time));
    }

    /// Restores a board to its state among `others`, which is a change of it, too.
    pub fn put_back(&mut self, number: BoardNo, others: &Self) {
        if let (Some(board), Some(other)) = (
            self.list.get_mut(number.index()),
            others.list.get(number.index()),
        ) {
            *board = Board {
                version: board.version + 1,
                ..other.clone()
            };
        }
    }

    fn judge(&mut self, time: bool) {
        if self.list.iter().any(|board| board.outcome.is_none()) {
            return;
        }
        let reason = if time { Reason::Time } else { Reason::Boards };
        let score = self.score();
        self.outcome = Some(match score.white.cmp(&score.black) {
            std::cmp::Ordering::Greater => Outcome::win(Side::First, reason),
            std::cmp::Ordering::Less => Outcome::win(Side::Second, reason),
            std::cmp::Ordering::Equal => Outcome::draw(reason),
        });
    }

    /// The piece on a square of a board, if one stands there.
    #[must_use]
    pub fn piece(&self, number: BoardNo, square: Square) -> Option<Piece> {
        self.board(number)?.position().piece(square)
    }
}
