//! The computer player: one for all games. It knows a game only by its [`Rules`](crate::rules::Rules): the legal turns,
//! the end of the game, and [`Evaluate::estimate`].
//!
//! It is an alpha-beta search that goes one turn deeper again and again until it is stopped ("iterative deepening").
//! Where captures make estimates swing, it follows [`Evaluate::loud`] turns to their end. There is no clock here: the
//! caller's `stop` ends the search.
//!
//! ```
//! use perplex_games::player::{Level, Limits, Score, think};
//! use perplex_games::rules::Rules;
//! use perplex_games::rules::quixo::Quixo;
//!
//! // Four crosses in the bottom row, and a blank cube to complete it with.
//! let position = Quixo::from_position("", "ooo2/5/5/5/xxxx1 x").expect("a position");
//! let limits = Limits { level: Level::Hard, seed: 1, depth: Some(2) };
//! let thought = think(&position, &|_| 0, &limits, &mut || false, &mut |_| ()).expect("a turn");
//! assert_eq!(thought.score, Score::Wins(1));
//! ```

use std::cmp::Reverse;
use std::fmt::{self, Display};
use std::str::FromStr;

use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};

use crate::rules::{Evaluate, Outcome, Reason, Side};

/// The number of positions between two calls of `stop`.
pub const POSITIONS_PER_STOP: u64 = 128;

/// The number of positions before which `stop` does not end the search of the first two turns.
const SURE_POSITIONS: u64 = 200_000;

/// The value of a game won at once. One that is won in `n` turns is worth `WON - n`.
const WON: i32 = 1_000_000;
/// Values beyond this are wins.
const DECIDED: i32 = WON - 10_000;
/// More than any value.
const INFINITE: i32 = WON + 1;
/// The greatest depth of a search.
const DEEPEST: u32 = 60;
/// The most loud turns in a row that are followed.
const LOUD_TURNS: u32 = 6;

/// A strength of the computer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Sees a win in one turn, but no threat, and is careless.
    Easy,
    /// Sees the other side's answer, and is now and then careless.
    Medium,
    /// As deep as time allows.
    #[default]
    Hard,
}

impl Level {
    /// All levels, the easiest first.
    pub const ALL: [Self; 3] = [Self::Easy, Self::Medium, Self::Hard];

    /// The word for records and options.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Easy => "easy",
            Self::Medium => "medium",
            Self::Hard => "hard",
        }
    }

    /// The most turns that it looks ahead.
    const fn depth(self) -> u32 {
        match self {
            Self::Easy => 1,
            Self::Medium => 2,
            Self::Hard => DEEPEST,
        }
    }

    /// The most by which it misjudges a turn, in the units of [`Evaluate::estimate`].
    const fn carelessness(self) -> i32 {
        match self {
            Self::Easy => 120,
            Self::Medium => 30,
            Self::Hard => 0,
        }
    }
}

impl Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|level| level.key() == text)
            .ok_or_else(|| format!("\"{text}\" is no strength: it is easy, medium or hard"))
    }
}

/// Limits for the computer's thinking.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Its strength.
    pub level: Level,
    /// Decides between turns that look equally good, and where a weaker level is careless.
    pub seed: u64,
    /// The most turns to look ahead; `None` leaves that to the level.
    pub depth: Option<u32>,
}

/// A result of the computer's thinking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thought<T> {
    /// The turn it likes best.
    pub turn: T,
    /// The score of that turn.
    pub score: Score,
    /// The turns that it has looked ahead.
    pub depth: u32,
    /// The positions that it has looked at.
    pub positions: u64,
}

impl<T> Thought<T> {
    fn unthinking(turn: T, value: i32) -> Self {
        Self {
            turn,
            score: Score::new(value),
            depth: 0,
            positions: 0,
        }
    }
}

impl<T: Display> Thought<T> {
    /// The same with the turn in canonical notation.
    #[must_use]
    pub fn written(&self) -> Thought<String> {
        Thought {
            turn: self.turn.to_string(),
            score: self.score,
            depth: self.depth,
            positions: self.positions,
        }
    }
}

/// The value of a position for a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// An estimate, in the units of [`Evaluate::estimate`].
    Estimate(i32),
    /// It wins within so many turns, both sides' counted.
    Wins(u32),
    /// It loses within so many turns, however it plays.
    Loses(u32),
}

impl Score {
    fn new(value: i32) -> Self {
        if value > DECIDED {
            Self::Wins((WON - value).unsigned_abs())
        } else if value < -DECIDED {
            Self::Loses((WON + value).unsigned_abs())
        } else {
            Self::Estimate(value)
        }
    }
}

/// The best turn in `position` that is found before `stop` says true. `past` is the number of times that each position
/// arose, this one included; `report` is called after every depth.
///
/// A win in one turn is always taken, and the first two turns (every turn, and every answer) are
/// always looked at unless the limits forbid it or the game is wild, which takes some milliseconds. `None` only where
/// there is nothing to play.
#[allow(
    clippy::implicit_hasher,
    reason = "the history of a game is kept in one kind of map"
)]
pub fn think<R: Evaluate>(
    position: &R,
    past: &dyn Fn(&R::Key) -> u32,
    limits: &Limits,
    stop: &mut dyn FnMut() -> bool,
    report: &mut dyn FnMut(&Thought<R::Turn>),
) -> Option<Thought<R::Turn>> {
    let mut rng = StdRng::seed_from_u64(limits.seed);
    let mut search = Search {
        past,
        stop,
        positions: 0,
        hurried: false,
        stopped: false,
        killers: Vec::new(),
    };
    let mover = position.side_to_move();
    let mut turns = position.legal();
    turns.shuffle(&mut rng);
    let carelessness = limits.level.carelessness();
    let mut roots: Vec<Root<R>> = turns
        .into_iter()
        .map(|turn| {
            let child = search.child(position, &turn, 1);
            let repeated = child.ended.is_none() && past(&child.position.key()) > 0;
            Root {
                value: child.quick_value(mover, 1),
                slip: rng.random_range(-carelessness..=carelessness),
                turn,
                child,
                repeated,
            }
        })
        .collect();
    roots.sort_by_key(|root| Reverse(root.value));
    let deepest = limits.depth.unwrap_or(DEEPEST);
    let deepest = deepest.min(limits.level.depth()).max(1);
    let only = roots.len() == 1;
    let Some(first) = roots.first() else {
        return Some(Thought::unthinking(
            position.changing()?.answers().pop()?,
            0,
        ));
    };
    let mut best = Thought::unthinking(first.turn.clone(), first.value);
    for depth in 1..=deepest {
        search.hurried = depth > 2;
        let done = search.deepen(&mut roots, mover, depth, carelessness > 0);
        let Some(favourite) = roots.first().filter(|_| done > 0) else {
            break;
        };
        best = Thought {
            turn: favourite.turn.clone(),
            score: Score::new(favourite.value),
            // A depth that was not finished has at least looked at its favourite.
            depth,
            positions: search.positions,
        };
        if !search.stopped {
            report(&best);
        }
        let decided = favourite.value.abs() > DECIDED;
        if search.stopped || decided || only {
            break;
        }
    }
    best.positions = search.positions;
    Some(best)
}

/// A turn that the computer might play.
struct Root<R: Evaluate> {
    turn: R::Turn,
    child: Child<R>,
    /// True if its position arose before.
    repeated: bool,
    /// The value by the last search; of turns behind the best, perhaps only a bound that is not better.
    value: i32,
    /// The error that a careless player adds to the value.
    slip: i32,
}

/// A position that a turn led to.
struct Child<R> {
    position: R,
    ended: Option<Outcome>,
}

impl<R: Evaluate> Child<R> {
    /// Its value for `mover`, without looking further.
    fn quick_value(&self, mover: Side, ply: i32) -> i32 {
        match self.ended {
            Some(outcome) => value_of(outcome, mover, ply),
            None if self.position.side_to_move() == mover => self.position.estimate(),
            None => -self.position.estimate(),
        }
    }
}

/// The value for `side` of `outcome`, `ply` turns from now.
fn value_of(outcome: Outcome, side: Side, ply: i32) -> i32 {
    match outcome.winner {
        None => 0,
        Some(winner) if winner == side => WON - ply,
        Some(_) => ply - WON,
    }
}

struct Search<'a, R: Evaluate> {
    past: &'a dyn Fn(&R::Key) -> u32,
    stop: &'a mut dyn FnMut() -> bool,
    positions: u64,
    /// True if `stop` is asked before [`SURE_POSITIONS`], too.
    hurried: bool,
    stopped: bool,
    /// For each ply, the turn that last refuted another.
    killers: Vec<Option<R::Turn>>,
}

impl<R: Evaluate> Search<'_, R> {
    /// Plays `turn`, the `ply`th from now, and judges the position it leads to.
    fn child(&mut self, position: &R, turn: &R::Turn, ply: i32) -> Child<R> {
        let mut next = position.clone();
        next.play_unchecked(turn);
        self.judge(next, ply)
    }

    fn judge(&mut self, position: R, ply: i32) -> Child<R> {
        self.positions += 1;
        if self.positions.is_multiple_of(POSITIONS_PER_STOP)
            && (self.hurried || self.positions > SURE_POSITIONS)
            && (self.stop)()
        {
            self.stopped = true;
        }
        // Further ahead, repetition hardly ever matters.
        let repeated = || ply <= 2 && (self.past)(&position.key()) + 1 == R::REPETITIONS;
        let ended = position
            .outcome()
            .or_else(|| repeated().then_some(Outcome::draw(Reason::Repetition)))
            .or_else(|| position.count_draw());
        Child { position, ended }
    }

    /// Searches all `roots`, `depth` turns ahead, and puts the best first; returns the number that it finished before
    /// it was stopped. With `exact`, all values are exact.
    fn deepen(&mut self, roots: &mut [Root<R>], mover: Side, depth: u32, exact: bool) -> usize {
        let mut done = 0;
        let mut best = -INFINITE;
        for root in roots.iter_mut() {
            let alpha = if exact { -INFINITE } else { best };
            let mut value = self.value(&root.child, mover, depth - 1, 1, alpha, INFINITE);
            if self.stopped {
                break;
            }
            if root.repeated && value > 0 && value < DECIDED {
                // Going round in circles wins nothing.
                value /= 2;
            }
            if value.abs() < DECIDED {
                value += root.slip;
            }
            root.value = value;
            best = best.max(value);
            done += 1;
        }
        roots[..done].sort_by_key(|root| Reverse(root.value));
        if best < -DECIDED {
            // The roots that were searched lose: if there are others, they may not.
            roots.rotate_left(done);
        }
        done
    }

    /// The value of `child` for `mover`, whose turn led to it, `depth` turns ahead.
    fn value(
        &mut self,
        child: &Child<R>,
        mover: Side,
        depth: u32,
        ply: i32,
        alpha: i32,
        beta: i32,
    ) -> i32 {
        if let Some(outcome) = child.ended {
            value_of(outcome, mover, ply)
        } else if child.position.side_to_move() == mover {
            self.best(&child.position, depth, ply, alpha, beta)
        } else {
            -self.best(&child.position, depth, ply, -beta, -alpha)
        }
    }

    /// The value of `position`, `ply` turns from now, for its side to move.
    fn best(&mut self, position: &R, depth: u32, ply: i32, alpha: i32, beta: i32) -> i32 {
        if depth == 0 {
            return self.quiet(position, LOUD_TURNS, ply, alpha, beta);
        }
        let mover = position.side_to_move();
        let mut best = -INFINITE;
        let mut turns = position.legal();
        let killer = self.killer_first(&mut turns, ply);
        // True if the search of this position is over after the child that `turn` leads to.
        let mut is_enough = |search: &mut Self, child: &Child<R>, turn| {
            let alpha = alpha.max(best);
            let value = search.value(child, mover, depth - 1, ply + 1, alpha, beta);
            best = best.max(value);
            if !search.stopped && best >= beta {
                search.remember(turn, ply);
            }
            search.stopped || best >= beta
        };
        if depth == 1 {
            for turn in turns {
                let child = self.child(position, &turn, ply + 1);
                if is_enough(self, &child, turn) {
                    break;
                }
            }
        } else {
            let mut children: Vec<(i32, Child<R>, R::Turn)> = Vec::with_capacity(turns.len());
            for (number, turn) in turns.into_iter().enumerate() {
                let child = self.child(position, &turn, ply + 1);
                let value = child.quick_value(mover, ply + 1);
                if value > DECIDED {
                    return value;
                }
                if self.stopped {
                    return 0;
                }
                let favour = if killer && number == 0 { 50 } else { 0 };
                children.push((value + favour, child, turn));
            }
            children.sort_by_key(|(value, ..)| Reverse(*value));
            for (_, child, turn) in children {
                if is_enough(self, &child, turn) {
                    break;
                }
            }
        }
        // Without a legal turn (a position that waits for an answer) the value is unknown.
        if self.stopped || best == -INFINITE {
            0
        } else {
            best
        }
    }

    /// The estimate of `position` after at most `left` loud turns.
    fn quiet(&mut self, position: &R, left: u32, ply: i32, mut alpha: i32, beta: i32) -> i32 {
        let mut best = position.estimate();
        if left == 0 || best >= beta {
            return best;
        }
        alpha = alpha.max(best);
        let mover = position.side_to_move();
        let mut nexts: Vec<(i32, R)> = position
            .loud()
            .iter()
            .map(|turn| {
                let mut next = position.clone();
                next.play_unchecked(turn);
                let same = next.side_to_move() == mover;
                let estimate = next.estimate();
                (if same { estimate } else { -estimate }, next)
            })
            .collect();
        nexts.sort_by_key(|(value, _)| Reverse(*value));
        for (value, next) in nexts {
            // The other side may leave it at that: it will not be worth more.
            if value <= alpha {
                break;
            }
            let child = self.judge(next, ply + 1);
            let value = if let Some(outcome) = child.ended {
                value_of(outcome, mover, ply + 1)
            } else if child.position.side_to_move() == mover {
                self.quiet(&child.position, left - 1, ply + 1, alpha, beta)
            } else {
                -self.quiet(&child.position, left - 1, ply + 1, -beta, -alpha)
            };
            if self.stopped {
                return 0;
            }
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        best
    }

    /// Puts the turn that was good elsewhere at this ply first, if it is legal here.
    fn killer_first(&self, turns: &mut [R::Turn], ply: i32) -> bool {
        let ply = usize::try_from(ply).unwrap_or(0);
        let killer = self.killers.get(ply).and_then(Option::as_ref);
        let place = killer.and_then(|killer| turns.iter().position(|turn| turn == killer));
        if let Some(place) = place {
            turns.swap(0, place);
        }
        place.is_some()
    }

    fn remember(&mut self, turn: R::Turn, ply: i32) {
        let ply = usize::try_from(ply).unwrap_or(0);
        if self.killers.len() <= ply {
            self.killers.resize(ply + 1, None);
        }
        self.killers[ply] = Some(turn);
    }
}
