//! The rules of a game, for all games alike: seats, turns, outcomes, and the two kinds of error that a turn's text can
//! have.
//!
//! Everything below this module is pure: no clock, no input or output, no drawing. The manner is
//! that of shakmaty's `Position`: a position knows its legal turns; [`Rules::play`] checks and
//! gives the position back on error, [`Rules::play_unchecked`] trusts its caller.
//! The rules themselves, and the rulings, are those of the rules page of each game.

use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

pub mod betza;
mod changing;
mod cursor;
mod error;
pub mod flexichess;
pub mod perplexus;
pub mod pijersi;
pub mod pylyx;
pub mod quixo;
mod side;
mod square;

pub use changing::{ChangingRules, RuleChange, State};
pub use error::{IllegalTurn, NotationError, PlayError, TurnError};
pub use side::{Outcome, Reason, Seat, SeatName, Side, WHITE_BLACK};
pub use square::Square;

/// The version of the rules that new games are played under. Version 2 bounds how long a game gets: its turns
/// ([`MOST_TURNS`]) and, in Flexichess, the changes of its rules and their notation.
pub const VERSION: u16 = 2;

/// A game that has had so many turns, passes and changes of rules included, is drawn ([`Reason::Length`]), from version 2
/// of the rules on.
pub const MOST_TURNS: usize = 1_000;

/// The rules of one game: a position of it, its legal turns and what follows from them.
///
/// A position holds everything that its own future depends on, except how often positions arose
/// before: that is `Game`'s. Counts of quiet turns and of passes in a row live in
/// the position but not in its [`Rules::Key`].
pub trait Rules: Clone + Debug + PartialEq + Send + Sync + 'static {
    /// One turn. [`Display`] writes the canonical notation, [`FromStr`] reads that notation alone.
    type Turn: Clone + Debug + PartialEq + Display + FromStr<Err = NotationError> + Send + Sync;
    /// The common part of two positions that are the same for the rule of repetition.
    type Key: Eq + Hash + Clone + Debug + Send + Sync;

    /// A position that arises this often draws the game; 0 where there is no such rule.
    const REPETITIONS: u32 = 3;
    /// Characters that mean nothing between the parts of a turn, for lenient reading.
    const SEPARATORS: &'static [char] = &['-', ':', ' ', '\t'];

    /// The initial position of `variant` (empty: the ordinary game), or `None` if there is no
    /// such variant.
    fn setup(variant: &str) -> Option<Self>;
    /// The same position under this version of the rules, which [`VERSION`] is unless it is said. It matters only where
    /// a version changed what a turn may be: the bound on turns is no matter of positions.
    #[must_use]
    fn under(self, version: u16) -> Self {
        let _ = version;
        self
    }
    /// The seats in order of play: White and Black unless the game calls them otherwise.
    fn seats(&self) -> &'static [SeatName] {
        WHITE_BLACK
    }
    /// The seat whose turn it is. Meaningful only while [`Rules::outcome`] is `None`.
    fn to_move(&self) -> Seat;
    /// All legal turns, each once, in any order; none if the game is decided.
    fn legal(&self) -> Vec<Self::Turn>;
    /// The reason why `turn` is not legal here, a whole clause; `None` if it is.
    fn why_illegal(&self, turn: &Self::Turn) -> Option<String>;
    /// Plays a turn that the caller knows to be legal. The effect of any other turn is unspecified, but it does not
    /// panic in a way that a legal record could reach.
    fn play_unchecked(&mut self, turn: &Self::Turn);
    /// The end by the pieces on the board, by stalling or by passes. Repetition and counts of
    /// turns are not judged here.
    fn outcome(&self) -> Option<Outcome>;
    /// The key that repetition compares.
    fn key(&self) -> Self::Key;
    /// The game's position text, which [`Rules::from_position`] reads back.
    fn position(&self) -> String;
    /// Reads a position text of `variant`.
    ///
    /// # Errors
    /// The column, and what may stand there.
    fn from_position(variant: &str, text: &str) -> Result<Self, NotationError>;

    /// The draw by a count of quiet turns, if that count is full. It is judged after repetition.
    fn count_draw(&self) -> Option<Outcome> {
        None
    }

    /// The further interface of a game whose rules change while it is played; `None` for all others.
    fn changing(&self) -> Option<&dyn ChangingRules<Turn = Self::Turn>> {
        None
    }

    /// The steps that put a legal turn together: names of squares, of handles or of choices, as the board of the game
    /// names them. No two turns share all their steps. Where nothing but choices come next and none of them ends the
    /// turn, the first one (in the order of [`Rules::legal`]) is taken until another is asked for.
    fn steps(&self, turn: &Self::Turn) -> Vec<String>;

    /// Reads a turn as people write it. Canonical notation comes first and means itself. Otherwise
    /// surrounding spaces, the case of letters and [`Rules::SEPARATORS`] are set aside, and the text is
    /// taken if exactly one legal turn is left.
    ///
    /// # Errors
    /// [`TurnError::Illegal`] where the text names a turn that is not legal, else
    /// [`TurnError::Notation`]; both with the nearest legal turns.
    fn read(&self, text: &str) -> Result<Self::Turn, TurnError> {
        read_leniently(self, text)
    }

    /// Plays a turn after checking it.
    ///
    /// # Errors
    /// The reason, with the position given back.
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

    /// The number of sequences of `depth` legal turns from here. Draws by repetition or by a
    /// count of turns, quiet or all, are ignored, a decided game has no turns. Games override it for speed.
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

/// The knowledge of a game that the computer player needs.
pub trait Evaluate: Rules {
    /// The value of the position for the side to move: 0 is even, 100 an advantage worth noticing (a pawn), 10 000 is
    /// never reached. Where the game is decided the answer does not matter.
    ///
    /// It is asked for in every position that the computer looks at.
    fn estimate(&self) -> i32;

    /// The legal turns that upset an estimate, such as captures: the computer player looks beyond its
    /// depth as long as they follow one another. None in games where estimates change little by
    /// little, and where such turns are too many to follow. Asked for only while the game goes on.
    fn loud(&self) -> Vec<Self::Turn> {
        Vec::new()
    }
}

/// Other notations for the turns of a game: those of engines, and others of its players.
pub trait OtherNotation: Rules {
    /// `turn` in the spelling of the Universal Game Interface: one word without spaces, which
    /// [`OtherNotation::read_ugi`] reads back. It is canonical notation unless the game's engines
    /// have a spelling of their own; spaces (in the text of a rule) become `_`.
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

    /// A legal turn in the game's other notations, the usual one first; none by default.
    fn also(&self, turn: &Self::Turn) -> Vec<String> {
        let _ = turn;
        Vec::new()
    }
}

/// `text` as one word: a space becomes `_`; `_` and `\` get a `\` before them.
fn one_word(text: &str) -> String {
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

/// The text that [`one_word`] made into `word`.
fn from_one_word(word: &str) -> String {
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

/// The default of [`Rules::read`].
fn read_leniently<R: Rules>(position: &R, text: &str) -> Result<R::Turn, TurnError> {
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
            // Perhaps the text names a turn that is not legal, and only its spelling is wrong.
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
fn nearest(text: &str, texts: &[String]) -> Vec<String> {
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
