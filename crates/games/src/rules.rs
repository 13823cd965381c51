//! What a game's rules are, for all games alike: seats, turns, outcomes, and the two kinds of
//! error that a turn's text can have.
//!
//! Everything below this module is pure: no clock, no input or output, no drawing. The manner is
//! that of shakmaty's `Position`: a position knows its legal turns; [`Rules::play`] checks and
//! gives the position back on error, [`Rules::play_unchecked`] trusts its caller.
//! The rules themselves, and the rulings, are those of the rules page of each game.

use std::fmt::{self, Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

pub mod betza;
mod cursor;
pub mod flexichess;
pub mod perplexus;
pub mod pijersi;
pub mod pylyx;
pub mod quixo;

/// One of the two sides of a game. Every game has exactly two, however many people play it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The side that plays first.
    First,
    /// The other side.
    Second,
}

impl Side {
    /// The other side.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// 0 for the first side, 1 for the second.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::First => "first",
            Self::Second => "second",
        })
    }
}

impl FromStr for Side {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        match text {
            "first" => Ok(Self::First),
            "second" => Ok(Self::Second),
            _ => Err(NotationError::new(text, 1, "a side: `first` or `second`")),
        }
    }
}

/// A place at the board for one person: its number in the order of play, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Seat(pub u8);

/// What a game calls one of its seats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatName {
    /// The word used in records, by the referee and in the journal: `first`, `north`, …
    pub key: &'static str,
    /// What people read: `Crosses`, `White`, `North (Crosses)`, …
    pub name: &'static str,
    /// The side this seat plays for.
    pub side: Side,
}

/// The seats of a game for two whose sides are called White and Black.
pub const WHITE_BLACK: &[SeatName] = &[
    SeatName {
        key: "first",
        name: "White",
        side: Side::First,
    },
    SeatName {
        key: "second",
        name: "Black",
        side: Side::Second,
    },
];

/// Why a game ended. [`Display`] gives the word that records and the referee use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// A line was made (Quixo: making the opponent's line loses with this reason too).
    Line,
    /// A piece reached the other side's back row (Pijersi).
    Goal,
    /// All of a side's checkers stand in one stack (Pylyx).
    Stack,
    /// The side to move has no legal turn (Pijersi).
    Stalled,
    /// Too many turns in a row without a capture (Pijersi).
    NoCapture,
    /// A position arose too often.
    Repetition,
    /// Too many turns in a row without progress; also chess's 75 (claimed: 50) moves.
    NoProgress,
    /// Two passes in a row.
    Passes,
    /// The king is attacked and the side to move has no legal move.
    Checkmate,
    /// The king is not attacked and the side to move has no legal move.
    Stalemate,
    /// Both sides agreed on a draw.
    Agreement,
    /// A player gave up.
    Resign,
    /// A player ran out of time, or a match's time limit was reached.
    Time,
    /// More pieces on an unfinished board (Perplexichess).
    Pieces,
    /// More boards won (Perplexichess).
    Boards,
}

impl Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Line => "line",
            Self::Goal => "goal",
            Self::Stack => "stack",
            Self::Stalled => "stalled",
            Self::NoCapture => "no-capture",
            Self::Repetition => "repetition",
            Self::NoProgress => "no-progress",
            Self::Passes => "passes",
            Self::Checkmate => "checkmate",
            Self::Stalemate => "stalemate",
            Self::Agreement => "agreement",
            Self::Resign => "resign",
            Self::Time => "time",
            Self::Pieces => "pieces",
            Self::Boards => "boards",
        })
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// The side that won; `None` is a draw.
    pub winner: Option<Side>,
    /// Why.
    pub reason: Reason,
}

impl Outcome {
    /// A win for `winner`.
    #[must_use]
    pub const fn win(winner: Side, reason: Reason) -> Self {
        Self {
            winner: Some(winner),
            reason,
        }
    }

    /// A draw.
    #[must_use]
    pub const fn draw(reason: Reason) -> Self {
        Self {
            winner: None,
            reason,
        }
    }
}

/// A turn's text could not be understood: it names no turn at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotationError {
    /// The text as it was given.
    pub text: String,
    /// Where the first character that was not understood stands, counted in characters from 1.
    pub column: usize,
    /// What may stand there, in words: "a square of the edge, such as `c1`".
    pub expected: String,
    /// Legal turns that look most like the text; empty where no position was known.
    pub nearest: Vec<String>,
}

impl NotationError {
    /// An error at `column` (in characters, from 1) of `text`.
    pub fn new(text: &str, column: usize, expected: impl Into<String>) -> Self {
        Self {
            text: text.to_owned(),
            column,
            expected: expected.into(),
            nearest: Vec::new(),
        }
    }
}

/// What follows an error to help: "; the nearest legal turns are …", or nothing.
fn write_nearest(f: &mut fmt::Formatter<'_>, nearest: &[String]) -> fmt::Result {
    match nearest {
        [] => Ok(()),
        [one] => write!(f, "; the nearest legal turn is {one}"),
        many => write!(f, "; the nearest legal turns are {}", many.join(", ")),
    }
}

impl Display for NotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = self.text.chars().nth(self.column.saturating_sub(1));
        match found {
            Some(c) => write!(
                f,
                "\"{}\" is not understood: `{c}` at column {} should be {}",
                self.text, self.column, self.expected
            )?,
            None => write!(
                f,
                "\"{}\" is not understood: it ends where {} should follow",
                self.text, self.expected
            )?,
        }
        write_nearest(f, &self.nearest)
    }
}

impl std::error::Error for NotationError {}

/// A turn was understood, but the rules do not allow it here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IllegalTurn {
    /// The turn in canonical notation.
    pub turn: String,
    /// Why it is not allowed, as a whole clause: "e3 is not on the edge of the board".
    pub why: String,
    /// Legal turns that look most like it.
    pub nearest: Vec<String>,
}

impl IllegalTurn {
    /// `turn` is refused because `why`.
    pub fn new(turn: impl Display, why: impl Into<String>) -> Self {
        Self {
            turn: turn.to_string(),
            why: why.into(),
            nearest: Vec::new(),
        }
    }
}

impl Display for IllegalTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not legal: {}", self.turn, self.why)?;
        write_nearest(f, &self.nearest)
    }
}

impl std::error::Error for IllegalTurn {}

/// Why a turn's text was refused: misspelt, or illegal. They are different errors, and both say
/// what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnError {
    /// The text names no turn.
    Notation(NotationError),
    /// The turn is not legal in this position.
    Illegal(IllegalTurn),
}

impl Display for TurnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Notation(error) => Display::fmt(error, f),
            Self::Illegal(error) => Display::fmt(error, f),
        }
    }
}

impl std::error::Error for TurnError {}

impl From<NotationError> for TurnError {
    fn from(error: NotationError) -> Self {
        Self::Notation(error)
    }
}

impl From<IllegalTurn> for TurnError {
    fn from(error: IllegalTurn) -> Self {
        Self::Illegal(error)
    }
}

/// A checked [`Rules::play`] that was refused; the position comes back unchanged.
#[derive(Clone, Debug)]
pub struct PlayError<P> {
    /// The position as it was.
    pub position: Box<P>,
    /// Why the turn was refused.
    pub error: IllegalTurn,
}

/// What is in force in a position, in games whose rules change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The king of the side to move is attacked.
    pub check: bool,
    /// Whatever differs from the rules at the start: what, and how it is now.
    pub rules: Vec<(String, String)>,
}

/// A change of the rules that took effect, in games whose rules change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleChange {
    /// Its number on this board, from 1.
    pub number: u32,
    /// Who made it.
    pub side: Side,
    /// The number of the move instead of which it was made.
    pub turn: u32,
    /// The letter of the kind of piece that it is about; `*` for none.
    pub subject: char,
    /// What was in force before, in notation; empty where it adds something.
    pub before: String,
    /// What is in force after it, in notation.
    pub after: String,
    /// What was in force before, in words; empty where only its text says.
    pub before_words: String,
    /// What is in force after it, in words; empty where only its text says.
    pub after_words: String,
    /// What the player wrote.
    pub text: String,
    /// A later change has taken its place.
    pub replaced: bool,
}

/// The rules of one game: a position of it, what may be played there and what follows.
///
/// A position holds everything that its own future depends on, except how often positions arose
/// before: that is [`crate::registry::Game`]'s. Counts of quiet turns and of passes in a row live in
/// the position but not in its [`Rules::Key`].
pub trait Rules: Clone + Debug + PartialEq + Send + Sync + 'static {
    /// One turn. [`Display`] writes the canonical notation, [`FromStr`] reads that notation alone.
    type Turn: Clone + Debug + PartialEq + Display + FromStr<Err = NotationError> + Send + Sync;
    /// What two positions must share to be the same for the rule of repetition.
    type Key: Eq + Hash + Clone + Debug + Send + Sync;

    /// A position that arises this often draws the game; 0 where there is no such rule.
    const REPETITIONS: u32 = 3;
    /// Characters that mean nothing between the parts of a turn, for lenient reading.
    const SEPARATORS: &'static [char] = &['-', ':', ' ', '\t'];

    /// The initial position of `variant` (empty: the ordinary game), or `None` if there is no
    /// such variant.
    fn setup(variant: &str) -> Option<Self>;
    /// The seats in order of play.
    fn seats(&self) -> &'static [SeatName];
    /// The seat whose turn it is. Meaningful only while [`Rules::outcome`] is `None`.
    fn to_move(&self) -> Seat;
    /// All legal turns, each once, in any order; none if the game is decided.
    fn legal(&self) -> Vec<Self::Turn>;
    /// Why `turn` is not legal here; `None` if it is. The reason is a whole clause.
    fn why_illegal(&self, turn: &Self::Turn) -> Option<String>;
    /// Plays a turn that the caller knows to be legal. What happens with another is unspecified,
    /// but it does not panic in a way that a legal record could reach.
    fn play_unchecked(&mut self, turn: &Self::Turn);
    /// The end by what stands on the board, by stalling or by passes. Repetition and counts of
    /// quiet turns are not judged here.
    fn outcome(&self) -> Option<Outcome>;
    /// What repetition compares.
    fn key(&self) -> Self::Key;
    /// The game's position text, which [`Rules::from_position`] reads back.
    fn position(&self) -> String;
    /// Reads a position text of `variant`.
    ///
    /// # Errors
    /// Says the column, and what may stand there.
    fn from_position(variant: &str, text: &str) -> Result<Self, NotationError>;

    /// The draw by a count of quiet turns, if that count is full. It is judged after repetition.
    fn count_draw(&self) -> Option<Outcome> {
        None
    }

    /// Whether this position has just arisen, for the rule of repetition: not while something waits for
    /// an answer, nor when a turn was taken back.
    fn arises(&self) -> bool {
        true
    }

    /// The draw that the seat to move may claim, when this position has arisen `times` times.
    fn claim(&self, times: u32) -> Option<Outcome> {
        let _ = times;
        None
    }

    /// The changes of the rules that took effect so far, in order.
    fn changes(&self) -> Vec<RuleChange> {
        Vec::new()
    }

    /// What the referee says beside the outcome, in games whose rules change.
    fn state(&self) -> Option<State> {
        None
    }

    /// Reads a position text of `variant` where the rules differ from the start's as `rules` says:
    /// what is changed, and to what.
    ///
    /// # Errors
    /// Says the column, and what may stand there; a rule that cannot be changed.
    fn from_position_with(
        variant: &str,
        text: &str,
        rules: &[(String, String)],
    ) -> Result<Self, NotationError> {
        match rules.first() {
            None => Self::from_position(variant, text),
            Some((key, _)) => {
                let expected = "left out: the rules of this game never change";
                Err(NotationError::new(key, 1, expected))
            }
        }
    }

    /// Where a legal turn is put together step by step, its steps: names of squares, of handles or
    /// of choices, as the board of the game names them. No two turns share all their steps. Where
    /// nothing but choices come next and none of them ends the turn, the first one (in the order of
    /// [`Rules::legal`]) is taken until another is asked for.
    fn steps(&self, turn: &Self::Turn) -> Vec<String>;

    /// Reads a turn as people write it; see [`read_leniently`].
    ///
    /// # Errors
    /// A [`TurnError`] with the nearest legal turns.
    fn read(&self, text: &str) -> Result<Self::Turn, TurnError> {
        read_leniently(self, text)
    }

    /// Turns that answer what waits for an answer, where there is something; the most cautious is
    /// the last. They are legal, but not among [`Rules::legal`].
    fn answers(&self) -> Vec<Self::Turn> {
        Vec::new()
    }

    /// What waits for an answer, said to whoever answers it: sentences; `None` if nothing does.
    fn waits(&self) -> Option<String> {
        None
    }

    /// What somebody did with a turn: a clause that follows a name.
    fn clause(turn: &Self::Turn) -> String {
        match turn.to_string().as_str() {
            "pass" => "passed".to_owned(),
            turn => format!("played {turn}"),
        }
    }

    /// How else a legal turn is written, where a game has more than one notation.
    fn also(&self, turn: &Self::Turn) -> Vec<String> {
        let _ = turn;
        Vec::new()
    }

    /// Plays a turn after checking it.
    ///
    /// # Errors
    /// Gives the position back with the reason.
    fn play(mut self, turn: &Self::Turn) -> Result<Self, PlayError<Self>> {
        match self.why_illegal(turn) {
            None => {
                self.play_unchecked(turn);
                Ok(self)
            }
            Some(why) => Err(PlayError {
                position: Box::new(self),
                error: IllegalTurn::new(turn, why),
            }),
        }
    }

    /// The side of the seat to move.
    fn side_to_move(&self) -> Side {
        self.seats()[usize::from(self.to_move().0)].side
    }

    /// How the position looks to the side to move, for the computer player: 0 is even, 100 an
    /// advantage worth noticing (a pawn), 10 000 is never reached. Asked for very often; where
    /// the game is decided the answer does not matter.
    fn estimate(&self) -> i32 {
        0
    }

    /// The legal turns that upset an estimate, such as captures: the computer player looks beyond its
    /// depth as long as they follow one another. None in games where estimates change little by
    /// little, and where such turns are too many to follow. Asked for only while the game goes on.
    fn loud(&self) -> Vec<Self::Turn> {
        Vec::new()
    }

    /// What the computer player plays where [`Rules::legal`] lists nothing though the game goes on,
    /// because an answer is waited for that only people can judge.
    fn fallback(&self) -> Option<Self::Turn> {
        None
    }

    /// `turn` in the spelling of the Universal Game Interface: one word without spaces, which
    /// [`Rules::read_ugi`] reads back. It is canonical notation unless the game's engines have a
    /// spelling of their own; spaces (in the text of a rule) become `_`.
    fn ugi(&self, turn: &Self::Turn) -> String {
        one_word(&turn.to_string())
    }

    /// Reads a turn in the spelling of the Universal Game Interface.
    ///
    /// # Errors
    /// A [`TurnError`] with the nearest legal turns.
    fn read_ugi(&self, text: &str) -> Result<Self::Turn, TurnError> {
        self.read(&from_one_word(text))
    }

    /// The number of sequences of `depth` legal turns from here. Draws by repetition or by a
    /// count of turns are ignored, a decided game has no turns. Games override it for speed.
    fn perft(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let turns = self.legal();
        if depth == 1 {
            return turns.len() as u64;
        }
        turns
            .iter()
            .map(|turn| {
                let mut next = self.clone();
                next.play_unchecked(turn);
                next.perft(depth - 1)
            })
            .sum()
    }
}

/// `text` as one word: a space becomes `_`; `_` and `\` get a `\` before them.
#[must_use]
pub fn one_word(text: &str) -> String {
    let mut word = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            ' ' => word.push('_'),
            '\t' => word.push_str("\\t"),
            '_' | '\\' => word.extend(['\\', c]),
            c => word.push(c),
        }
    }
    word
}

/// What [`one_word`] made one word of.
#[must_use]
pub fn from_one_word(word: &str) -> String {
    let mut text = String::with_capacity(word.len());
    let mut chars = word.chars();
    while let Some(c) = chars.next() {
        text.push(match c {
            '_' => ' ',
            '\\' => match chars.next() {
                Some('t') => '\t',
                Some(c) => c,
                None => '\\',
            },
            c => c,
        });
    }
    text
}

/// Reads a turn as people write it. Canonical notation comes first and means itself. Otherwise
/// surrounding spaces, the case of letters and the separators are set aside, and the text is taken
/// if exactly one legal turn is left.
///
/// # Errors
/// [`TurnError::Illegal`] where the text names a turn that is not legal, else
/// [`TurnError::Notation`]; both with the nearest legal turns.
pub fn read_leniently<R: Rules>(position: &R, text: &str) -> Result<R::Turn, TurnError> {
    let strict = text.trim().parse::<R::Turn>();
    if let Ok(turn) = &strict
        && position.why_illegal(turn).is_none()
    {
        return Ok(turn.clone());
    }
    let bare = |s: &str| {
        s.chars()
            .filter(|c| !R::SEPARATORS.contains(c))
            .flat_map(char::to_lowercase)
            .collect::<String>()
    };
    let wanted = bare(text);
    let legal = position.legal();
    let texts: Vec<String> = legal.iter().map(ToString::to_string).collect();
    let found: Vec<usize> = (0..legal.len())
        .filter(|&i| bare(&texts[i]) == wanted)
        .collect();
    match (strict, found.as_slice()) {
        (Ok(turn), _) => Err(illegal(position, &turn, &texts)),
        (Err(_), [only]) => Ok(legal[*only].clone()),
        (Err(mut error), several) if !several.is_empty() => {
            text.trim().clone_into(&mut error.text);
            error.column = error.text.chars().count() + 1;
            "one of the turns it could mean, written in full".clone_into(&mut error.expected);
            error.nearest = several.iter().map(|&i| texts[i].clone()).collect();
            Err(error.into())
        }
        (Err(error), _) => {
            // Perhaps only spelling stands between the text and a turn that is not legal.
            let lower = text.trim().to_lowercase();
            if let Ok(turn) = lower.parse::<R::Turn>() {
                return Err(illegal(position, &turn, &texts));
            }
            Err(NotationError {
                nearest: nearest(&lower, &texts),
                ..error
            }
            .into())
        }
    }
}

fn illegal<R: Rules>(position: &R, turn: &R::Turn, texts: &[String]) -> TurnError {
    let why = position
        .why_illegal(turn)
        .unwrap_or_else(|| "it is written in a way that means another turn here".to_owned());
    TurnError::Illegal(IllegalTurn {
        nearest: nearest(&turn.to_string(), texts),
        ..IllegalTurn::new(turn, why)
    })
}

/// The up to four of `texts` that share the longest beginning with `text`; none if nothing is shared.
#[must_use]
pub fn nearest(text: &str, texts: &[String]) -> Vec<String> {
    let shared = |candidate: &String| {
        candidate
            .chars()
            .zip(text.chars())
            .take_while(|(a, b)| a == b)
            .count()
    };
    let best = texts.iter().map(shared).max().unwrap_or(0);
    if best == 0 {
        return Vec::new();
    }
    let mut close: Vec<String> = texts
        .iter()
        .filter(|t| shared(t) == best)
        .cloned()
        .collect();
    close.sort();
    close.truncate(4);
    close
}
