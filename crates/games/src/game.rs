//! A game in progress behind one interface for all games: text in, text out.

use std::collections::HashMap;
use std::fmt::Debug;

use crate::board::{Diagram, Render};
use crate::player::{self, Level, Limits, Thought};
use crate::rules::flexichess::Flexichess;
use crate::rules::{
    ChangingRules, Evaluate, IllegalTurn, MOST_TURNS, OtherNotation, Outcome, Reason, RuleChange,
    Rules, Seat, SeatName, Side, State, TurnError, VERSION,
};

/// A legal turn as a page offers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The turn in canonical notation.
    pub turn: String,
    /// The steps that lead to it: names of cells of the diagram, or of buttons.
    pub steps: Vec<String>,
}

/// A turn that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedTurn {
    /// The seat that made it.
    pub seat: Seat,
    /// True if it answered a proposal.
    pub answers: bool,
    /// Its other notations; see [`OtherNotation::also`].
    pub also: Vec<String>,
    /// Its name in a list; see [`Render::turn_label`].
    pub label: String,
    /// The turn as a clause; see [`ChangingRules::clause`].
    pub clause: String,
}

/// The text of a pass, in the games that have one.
pub const PASS: &str = "pass";

/// A game in progress, of any kind.
pub trait AnyGame: Debug + Send + Sync {
    /// A copy.
    fn boxed(&self) -> Box<dyn AnyGame>;
    /// The same game as it stood after its first `ply` turns.
    fn at(&self, ply: usize) -> Box<dyn AnyGame>;
    /// The seats in order of play.
    fn seats(&self) -> &'static [SeatName];
    /// The seat to move; `None` when the game is over.
    fn to_move(&self) -> Option<Seat>;
    /// The side of a seat.
    fn side_of(&self, seat: Seat) -> Side {
        self.seats()[usize::from(seat.0)].side
    }
    /// The side to move; `None` when the game is over.
    fn side_to_move(&self) -> Option<Side> {
        self.to_move().map(|seat| self.side_of(seat))
    }
    /// The outcome by the rules; `None` while the game goes on.
    fn outcome(&self) -> Option<Outcome>;
    /// The draw that the seat to move may claim now.
    fn claim(&self) -> Option<Outcome>;
    /// The legal turns with which the seat to move may claim a draw, in canonical notation; see [`Standing::claims`].
    fn claims(&self) -> Vec<String>;
    /// Check and the rules in force, in games whose rules change.
    fn state(&self) -> Option<State>;
    /// Reads and plays a turn, and returns its canonical notation. On error nothing has changed.
    ///
    /// # Errors
    /// The text names no turn, or one that is not legal here.
    fn play(&mut self, text: &str) -> Result<String, TurnError>;
    /// The turns so far, in canonical notation.
    fn turns(&self) -> &[String];
    /// The turns so far, with details of each beside its text.
    fn past(&self) -> Vec<PlayedTurn>;
    /// The proposal that waits for an answer, in sentences; see [`ChangingRules::waits`].
    fn waits(&self) -> Option<String>;
    /// The changes of the rules that took effect so far, each with the number of the turn, from 1, that made it.
    fn changes(&self) -> Vec<(usize, RuleChange)>;
    /// The position if this is a game of Flexichess, for the pages on which its rules are changed.
    fn flexichess(&self) -> Option<&Flexichess>;
    /// All legal turns in canonical notation, sorted by byte.
    fn legal(&self) -> Vec<String>;
    /// True if a pass is the only legal turn.
    fn must_pass(&self) -> bool;
    /// All legal turns, and the answers to a proposal, with their steps.
    fn choices(&self) -> Vec<Choice>;
    /// The label of a button for `step`.
    fn step_label(&self, step: &str) -> String;
    /// The name of a legal turn; see [`Render::turn_label`]. Another text is its own name.
    fn turn_label(&self, turn: &str) -> String;
    /// A legal turn in the game's other notations; see [`OtherNotation::also`]. None for another text.
    fn also(&self, turn: &str) -> Vec<String>;
    /// The number of sequences of `depth` turns; see [`Rules::perft`].
    fn perft(&self, depth: u32) -> u64;
    /// [`AnyGame::perft`] turn by turn: each legal turn in canonical notation, sorted by byte, with
    /// the sequences of `depth` turns that start with it.
    fn divide(&self, depth: u32) -> Vec<(String, u64)>;
    /// A legal turn in canonical notation, in the spelling of the Universal Game Interface.
    ///
    /// # Errors
    /// The text names no turn, or one that is not legal here.
    fn ugi(&self, turn: &str) -> Result<String, TurnError>;
    /// Like [`AnyGame::play`], for a turn in the spelling of the Universal Game Interface.
    /// Canonical notation is read too where it means nothing else.
    ///
    /// # Errors
    /// The text names no turn, or one that is not legal here.
    fn play_ugi(&mut self, text: &str) -> Result<String, TurnError>;
    /// The turn that the computer would play; see [`player::think`]. `None` if there is nothing to play.
    fn think(
        &self,
        limits: &Limits,
        stop: &mut dyn FnMut() -> bool,
        report: &mut dyn FnMut(&Thought<String>),
    ) -> Option<Thought<String>>;
    /// The turn that the computer would play, in canonical notation: the same for the same game, strength and seed
    /// unless `stop` ends its thinking early. It answers a proposal most cautiously, since it cannot read what people
    /// write. `None` if there is nothing to play.
    fn suggest(&self, level: Level, seed: u64, stop: &mut dyn FnMut() -> bool) -> Option<String> {
        let limits = Limits {
            level,
            seed,
            depth: None,
        };
        Some(self.think(&limits, stop, &mut |_| ())?.turn)
    }
    /// The position text.
    fn position(&self) -> String;
    /// The board, with the traces of the last turn.
    fn diagram(&self) -> Diagram;
    /// The board as plain text, turned clockwise by `turned` quarter turns; see [`Render::text`].
    fn text(&self, turned: u8) -> String;
    /// The parts of the position that are not drawn; see [`Render::notes`].
    fn notes(&self) -> Vec<String>;
    /// The options of the side to move, in a sentence or two.
    fn hint(&self) -> String;
    /// The quarter turns by which the board is turned for the player in `seat`.
    fn facing(&self, seat: Seat) -> u8;
}

impl Clone for Box<dyn AnyGame> {
    fn clone(&self) -> Self {
        self.boxed()
    }
}

/// The most words that one turn with spaces may have.
const MOST_WORDS: usize = 120;

/// Plays the turns of `text`, separated by spaces, by `play`. A turn with spaces of its own is the
/// shortest run of words that can be played.
///
/// # Errors
/// The number of the first turn, from 1, that was refused, and why. The turns before it were played.
pub fn play_all(
    game: &mut dyn AnyGame,
    text: &str,
    play: impl Fn(&mut dyn AnyGame, &str) -> Result<(), TurnError>,
) -> Result<(), (usize, TurnError)> {
    let mut text = text.trim();
    let mut number = 1;
    while !text.is_empty() {
        let mut ends = text
            .match_indices(char::is_whitespace)
            .map(|(at, _)| at)
            .chain([text.len()])
            .take(MOST_WORDS);
        let mut first_error = None;
        let played = ends.find(|&end| match play(game, &text[..end]) {
            Ok(()) => true,
            Err(error) => {
                first_error.get_or_insert(error);
                false
            }
        });
        match (played, first_error) {
            (Some(end), _) => text = text[end..].trim_start(),
            (None, Some(error)) => return Err((number, error)),
            (None, None) => break,
        }
        number += 1;
    }
    Ok(())
}

/// A position in play, with the number of turns, the number of times that each position arose, and the outcome.
#[derive(Clone, Debug)]
pub struct Standing<R: Rules> {
    position: R,
    /// The version of the rules.
    version: u16,
    /// The number of turns so far.
    played: usize,
    seen: HashMap<R::Key, u32>,
    outcome: Option<Outcome>,
}

impl<R: Rules> Standing<R> {
    /// Play under this version of the rules that starts from `position`, which counts as its first occurrence.
    pub fn new(position: R, version: u16) -> Self {
        let mut standing = Self {
            position: position.under(version),
            version,
            played: 0,
            seen: HashMap::new(),
            outcome: None,
        };
        standing.judge();
        standing
    }

    /// The position on the board.
    pub fn position(&self) -> &R {
        &self.position
    }

    /// The outcome, by repetition and counts of turns too.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// All legal turns; none when the game is over, by repetition or a count of turns too.
    pub fn legal(&self) -> Vec<R::Turn> {
        if self.outcome.is_some() {
            return Vec::new();
        }
        self.position.legal()
    }

    /// The answers to a proposal; see [`ChangingRules::answers`].
    fn answers(&self) -> Vec<R::Turn> {
        match (self.outcome, self.position.changing()) {
            (None, Some(changing)) => changing.answers(),
            _ => Vec::new(),
        }
    }

    /// The draw that the side to move may claim now.
    pub fn claim(&self) -> Option<Outcome> {
        let changing = self
            .position
            .changing()
            .filter(|_| self.outcome.is_none())?;
        let times = self.seen.get(&self.position.key()).copied();
        changing.claim(times.unwrap_or(0))
    }

    /// The legal turns that bring about a draw to claim: the side to move may claim it with each of them (FIDE 9.2.1.1
    /// and 9.3.1).
    pub fn claims(&self) -> Vec<R::Turn> {
        if self.position.changing().is_none() {
            return Vec::new();
        }
        let mut turns = self.legal();
        turns.retain(|turn| {
            let mut next = self.clone();
            next.push(turn);
            next.claim().is_some()
        });
        turns
    }

    /// Reads a turn that may be played now.
    ///
    /// # Errors
    /// The game is over, or the text names no turn, or one that is not legal here.
    pub fn read(&self, text: &str) -> Result<R::Turn, TurnError> {
        self.go_on(text)?;
        self.position.read(text)
    }

    /// Plays a turn that is known to be legal.
    pub fn push(&mut self, turn: &R::Turn) {
        self.position.play_unchecked(turn);
        self.played += 1;
        self.judge();
    }

    /// Replaces the position on the board, after a change from outside that is no turn.
    pub fn replace(&mut self, position: R) {
        self.position = position;
        self.judge();
    }

    /// Refuses the turn `text` if the game is over.
    fn go_on(&self, text: &str) -> Result<(), TurnError> {
        match self.outcome {
            None => Ok(()),
            Some(outcome) => {
                let why = format!("the game is over ({})", outcome.reason);
                Err(IllegalTurn::new(text.trim(), why).into())
            }
        }
    }

    /// True if it has had all turns that it gets; under version 1 of the rules there is no end to them.
    fn is_full(&self) -> bool {
        self.version >= 2 && self.played >= MOST_TURNS
    }

    /// The order of judgement: the game's own ends (and passes), repetition, the count of turns without progress, that
    /// of all turns.
    fn judge(&mut self) {
        let mut repeated = false;
        if R::REPETITIONS > 0 && self.position.changing().is_none_or(ChangingRules::arises) {
            let seen = self.seen.entry(self.position.key()).or_insert(0);
            *seen += 1;
            repeated = *seen >= R::REPETITIONS;
        }
        self.outcome = self
            .position()
            .outcome()
            .or_else(|| repeated.then_some(Outcome::draw(Reason::Repetition)))
            .or_else(|| self.position.count_draw())
            .or_else(|| self.is_full().then_some(Outcome::draw(Reason::Length)));
    }
}

/// A game in progress: its standing, and the turns that led there.
#[derive(Clone, Debug)]
pub struct Game<R: Rules> {
    start: R,
    standing: Standing<R>,
    turns: Vec<R::Turn>,
    texts: Vec<String>,
}

impl<R: Rules> Game<R> {
    /// A game that starts from `start`, which counts as its first occurrence.
    pub fn new(start: R) -> Self {
        Self::under(start, VERSION)
    }

    /// The same, under this version of the rules.
    pub fn under(start: R, version: u16) -> Self {
        Self {
            standing: Standing::new(start.clone(), version),
            start,
            turns: Vec::new(),
            texts: Vec::new(),
        }
    }

    /// The position on the board.
    pub fn position(&self) -> &R {
        self.standing.position()
    }

    /// The outcome, by repetition and counts of turns too.
    pub fn outcome(&self) -> Option<Outcome> {
        self.standing.outcome()
    }

    /// All legal turns; none when the game is over, by repetition or a count of turns too.
    pub fn legal(&self) -> Vec<R::Turn> {
        self.standing.legal()
    }

    /// Plays a turn that is known to be legal.
    pub fn push(&mut self, turn: R::Turn) {
        self.standing.push(&turn);
        self.texts.push(turn.to_string());
        self.turns.push(turn);
    }
}

impl<R: Render + Evaluate + OtherNotation> AnyGame for Game<R> {
    fn boxed(&self) -> Box<dyn AnyGame> {
        Box::new(self.clone())
    }

    fn at(&self, ply: usize) -> Box<dyn AnyGame> {
        let mut game = Self::under(self.start.clone(), self.standing.version);
        for turn in self.turns.iter().take(ply) {
            game.push(turn.clone());
        }
        Box::new(game)
    }

    fn seats(&self) -> &'static [SeatName] {
        self.standing.position.seats()
    }

    fn to_move(&self) -> Option<Seat> {
        self.standing
            .outcome()
            .is_none()
            .then(|| self.standing.position.to_move())
    }

    fn outcome(&self) -> Option<Outcome> {
        self.standing.outcome()
    }

    fn claim(&self) -> Option<Outcome> {
        self.standing.claim()
    }

    fn claims(&self) -> Vec<String> {
        let claims = self.standing.claims();
        claims.iter().map(ToString::to_string).collect()
    }

    fn state(&self) -> Option<State> {
        Some(self.position().changing()?.state())
    }

    fn play(&mut self, text: &str) -> Result<String, TurnError> {
        let turn = self.standing.read(text)?;
        self.push(turn.clone());
        Ok(turn.to_string())
    }

    fn turns(&self) -> &[String] {
        &self.texts
    }

    fn past(&self) -> Vec<PlayedTurn> {
        let mut position = self.start.clone();
        let mut all = Vec::with_capacity(self.turns.len());
        for (turn, text) in self.turns.iter().zip(&self.texts) {
            let changing = position.changing();
            let also = position.also(turn);
            all.push(PlayedTurn {
                seat: position.to_move(),
                answers: changing.is_some_and(|changing| !changing.answers().is_empty()),
                // A move of chess is named as it is written, which takes its time.
                label: match (changing, also.first()) {
                    (Some(_), Some(san)) => san.clone(),
                    _ => position.turn_label(turn),
                },
                also,
                clause: match changing {
                    Some(changing) => changing.clause(turn),
                    None if text == PASS => "passed".to_owned(),
                    None => format!("played {text}"),
                },
            });
            position.play_unchecked(turn);
        }
        all
    }

    fn waits(&self) -> Option<String> {
        let changing = self.position().changing()?;
        changing.waits().filter(|_| self.outcome().is_none())
    }

    fn changes(&self) -> Vec<(usize, RuleChange)> {
        let Some(changing) = self.position().changing() else {
            return Vec::new();
        };
        let changes = changing.changes();
        let mut position = self.start.clone();
        let mut made = Vec::new();
        for (number, turn) in (1..).zip(&self.turns) {
            if made.len() == changes.len() {
                break;
            }
            let before = position.changing().map(ChangingRules::answers);
            position.play_unchecked(turn);
            let so_far = position.changing().map(ChangingRules::count);
            if so_far.is_some_and(|so_far| so_far > made.len()) {
                // A proposal was made the turn before its answer.
                let answers = before.is_some_and(|answers| !answers.is_empty());
                made.push(number - usize::from(answers));
            }
        }
        made.into_iter().zip(changes).collect()
    }

    fn flexichess(&self) -> Option<&Flexichess> {
        self.position().flexichess()
    }

    fn must_pass(&self) -> bool {
        matches!(&Game::legal(self)[..], [only] if only.to_string() == PASS)
    }

    fn legal(&self) -> Vec<String> {
        let mut turns: Vec<String> = Game::legal(self).iter().map(ToString::to_string).collect();
        turns.sort_unstable();
        turns
    }

    fn choices(&self) -> Vec<Choice> {
        Game::legal(self)
            .iter()
            .chain(&self.standing.answers())
            .map(|turn| Choice {
                turn: turn.to_string(),
                steps: self.standing.position.steps(turn),
            })
            .collect()
    }

    fn step_label(&self, step: &str) -> String {
        self.standing.position.step_label(step)
    }

    fn turn_label(&self, turn: &str) -> String {
        let position = &self.standing.position;
        match position.read(turn) {
            Ok(turn) => position.turn_label(&turn),
            Err(_) => turn.to_owned(),
        }
    }

    fn also(&self, turn: &str) -> Vec<String> {
        let position = &self.standing.position;
        let turn = position.read(turn);
        turn.map_or_else(|_| Vec::new(), |turn| position.also(&turn))
    }

    fn perft(&self, depth: u32) -> u64 {
        self.standing.position.perft(depth)
    }

    fn divide(&self, depth: u32) -> Vec<(String, u64)> {
        let count = |turn: &R::Turn| {
            let mut next = self.standing.position.clone();
            next.play_unchecked(turn);
            next.perft(depth.saturating_sub(1))
        };
        let mut counts: Vec<(String, u64)> = self
            .position()
            .legal()
            .iter()
            .map(|turn| (turn.to_string(), count(turn)))
            .collect();
        counts.sort_unstable();
        counts
    }

    fn ugi(&self, turn: &str) -> Result<String, TurnError> {
        Ok(self
            .standing
            .position
            .ugi(&self.standing.position.read(turn)?))
    }

    fn play_ugi(&mut self, text: &str) -> Result<String, TurnError> {
        self.standing.go_on(text)?;
        let canonical = || {
            let turn: R::Turn = text.trim().parse().ok()?;
            self.standing
                .position
                .why_illegal(&turn)
                .is_none()
                .then_some(turn)
        };
        let turn = self
            .position()
            .read_ugi(text)
            .or_else(|error| canonical().ok_or(error))?;
        self.push(turn.clone());
        Ok(turn.to_string())
    }

    fn think(
        &self,
        limits: &Limits,
        stop: &mut dyn FnMut() -> bool,
        report: &mut dyn FnMut(&Thought<String>),
    ) -> Option<Thought<String>> {
        if self.standing.outcome.is_some() {
            return None;
        }
        let mut report = |thought: &Thought<R::Turn>| report(&thought.written());
        let past = |key: &R::Key| self.standing.seen.get(key).copied().unwrap_or(0);
        player::think(&self.standing.position, &past, limits, stop, &mut report)
            .map(|thought| thought.written())
    }

    fn position(&self) -> String {
        self.standing.position.position()
    }

    fn diagram(&self) -> Diagram {
        self.standing.position.diagram(self.turns.last())
    }

    fn text(&self, turned: u8) -> String {
        self.standing.position.text(turned)
    }

    fn notes(&self) -> Vec<String> {
        self.standing.position.notes()
    }

    fn hint(&self) -> String {
        if self.must_pass() {
            return "You can only pass.".to_owned();
        }
        self.standing.position.hint()
    }

    fn facing(&self, seat: Seat) -> u8 {
        self.standing.position.facing(seat)
    }
}
