//! `perplex ugi GAME`: the Universal Game Interface, by which tools drive game engines line by line.
//!
//! The protocol is that of github.com/kz04px/cutegames (`ugi.md`) with the additions of the Pijersi
//! engines (`query islegal`, `query fen`) and Stockfish's `go perft`. It is UCI made
//! general, so a chess program's `uci`, `ucinewgame`, `wtime` and so on are understood too. A line
//! that is not understood gets an `info error` and changes nothing.
//!
//! A turn is one word ([`OtherNotation::ugi`](crate::rules::OtherNotation::ugi)): a rule change of Flexichess is
//! written `rule_N_NW_"Knights_also_step."`, spaces as `_`. Written with its spaces it is
//! understood as well, as the shortest run of words that is a legal turn.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread;
use std::time::Duration;

use crate::game::{AnyGame, play_all};
use crate::player::{Level, Limits, POSITIONS_PER_STOP, Score, Thought};
use crate::registry::Entry;
use crate::rules::Side;

/// The thinking time of `go` without limits.
const DEFAULT_TIME: Duration = Duration::from_secs(1);
/// The part of a time limit that is kept back for sending the answer.
const RESERVE: Duration = Duration::from_millis(10);
/// The name of the ordinary variant, whose key is empty, as an option.
const STANDARD: &str = "standard";

/// Talks UGI until `quit` or the end of input. `now` is a clock that never goes back.
///
/// # Errors
/// Only those of writing.
pub fn run(
    entry: &'static Entry,
    variant: &str,
    input: impl BufRead + Send + 'static,
    output: impl Write,
    now: &dyn Fn() -> Duration,
) -> io::Result<()> {
    let Some(game) = entry.setup(variant) else {
        return Ok(());
    };
    let mut session = Session {
        entry,
        variant: variant.to_owned(),
        game,
        level: Level::default(),
        seed: 0,
        inbox: Inbox::new(input),
        out: Out {
            output,
            error: None,
        },
        now,
    };
    session.run()
}

/// The lines of the input, read by a thread of their own so that a search can be stopped.
struct Inbox {
    lines: Receiver<String>,
    /// Lines that came during a search and wait for its end.
    waiting: VecDeque<String>,
}

impl Inbox {
    fn new(mut input: impl BufRead + Send + 'static) -> Self {
        let (sender, lines) = mpsc::sync_channel(64);
        thread::spawn(move || {
            let mut line = Vec::new();
            loop {
                line.clear();
                if !matches!(input.read_until(b'\n', &mut line), Ok(1..)) {
                    return;
                }
                let text = String::from_utf8_lossy(&line).trim().to_owned();
                if sender.send(text).is_err() {
                    return;
                }
            }
        });
        Self {
            lines,
            waiting: VecDeque::new(),
        }
    }

    /// The next line; `None` at the end of input.
    fn next(&mut self) -> Option<String> {
        self.waiting.pop_front().or_else(|| self.lines.recv().ok())
    }

    /// The line that has come while a search goes on.
    fn look(&mut self) -> Arrived {
        // Lines behind one that waits wait too: their order is kept.
        match self.lines.try_recv() {
            Err(TryRecvError::Empty) => Arrived::Nothing,
            Err(TryRecvError::Disconnected) => Arrived::End,
            Ok(line) if self.waiting.is_empty() && line == "isready" => Arrived::IsReady,
            Ok(line) if self.waiting.is_empty() && line == "stop" => Arrived::Stop,
            Ok(line) => {
                let quit = self.waiting.is_empty() && line == "quit";
                self.waiting.push_back(line);
                if quit { Arrived::Stop } else { Arrived::Other }
            }
        }
    }
}

enum Arrived {
    Nothing,
    IsReady,
    Stop,
    Other,
    End,
}

/// The output of answers. An error of writing is kept until the command is done.
struct Out<W> {
    output: W,
    error: Option<io::Error>,
}

impl<W: Write> Out<W> {
    fn say(&mut self, line: &str) {
        let written = writeln!(self.output, "{line}").and_then(|()| self.output.flush());
        if let Err(error) = written {
            self.error.get_or_insert(error);
        }
    }
}

struct Session<'a, W> {
    entry: &'static Entry,
    variant: String,
    game: Box<dyn AnyGame>,
    level: Level,
    seed: u64,
    inbox: Inbox,
    out: Out<W>,
    now: &'a dyn Fn() -> Duration,
}

/// The limits of a search.
#[derive(Debug, Default, PartialEq, Eq)]
struct Budget {
    time: Option<Duration>,
    depth: Option<u32>,
    nodes: Option<u64>,
    infinite: bool,
}

impl<W: Write> Session<'_, W> {
    fn run(&mut self) -> io::Result<()> {
        while let Some(line) = self.inbox.next() {
            if line == "quit" {
                break;
            }
            if let Err(error) = self.execute(&line) {
                self.out.say(&format!("info error {}", one_line(&error)));
            }
            if let Some(error) = self.out.error.take() {
                return Err(error);
            }
        }
        Ok(())
    }

    /// Carries out a line; an error is the reason why not.
    fn execute(&mut self, line: &str) -> Result<(), String> {
        let (command, rest) = first_word(line);
        match command {
            "ugi" | "uci" => self.introduce(command),
            "isready" => self.out.say("readyok"),
            "uginewgame" | "ucinewgame" => self.game = self.start()?,
            "setoption" => self.set_option(rest)?,
            "position" => self.game = self.read_position(rest)?,
            "go" => self.go(rest)?,
            "query" => self.query(rest)?,
            // Nothing to stop.
            "stop" => (),
            "" => return Err("the line is blank".to_owned()),
            _ => {
                return Err(format!(
                    "unknown command \"{command}\": it is one of ugi, isready, setoption, \
                     uginewgame, position, go, query, stop, quit"
                ));
            }
        }
        Ok(())
    }

    fn introduce(&mut self, protocol: &str) {
        let name = self.entry.card.name;
        self.out.say(&format!(
            "id name Perplex {} ({name})",
            env!("CARGO_PKG_VERSION")
        ));
        self.out.say("id author the Perplex contributors");
        let levels = Level::ALL.map(Level::key);
        self.out
            .say(&combo("Level", self.level.key(), levels.into_iter()));
        self.out.say(&format!(
            "option name Seed type spin default {} min 0 max {}",
            self.seed,
            u32::MAX
        ));
        if self.entry.card.variants.len() > 1 {
            let variants = self.entry.card.variants.iter();
            let variants = variants.map(|variant| shown(variant.key));
            self.out
                .say(&combo("Variant", shown(&self.variant), variants));
        }
        self.out.say(&format!("{protocol}ok"));
    }

    fn start(&self) -> Result<Box<dyn AnyGame>, String> {
        self.entry
            .setup(&self.variant)
            .ok_or_else(|| format!("there is no variant \"{}\"", self.variant))
    }

    fn set_option(&mut self, rest: &str) -> Result<(), String> {
        let form = "an option is set by `setoption name NAME value VALUE`";
        let (name, value) = rest
            .strip_prefix("name ")
            .and_then(|rest| rest.split_once(" value "))
            .ok_or(form)?;
        let value = value.trim();
        match name.trim().to_lowercase().as_str() {
            "level" => self.level = value.parse()?,
            "seed" => {
                self.seed = value
                    .parse()
                    .map_err(|_| format!("\"{value}\" is no whole number from 0"))?;
            }
            "variant" => {
                let variants = self.entry.card.variants;
                let variant = variants
                    .iter()
                    .find(|variant| shown(variant.key) == value)
                    .ok_or_else(|| {
                        let known: Vec<&str> = variants.iter().map(|v| shown(v.key)).collect();
                        format!("unknown variant \"{value}\": it is {}", known.join(" or "))
                    })?;
                variant.key.clone_into(&mut self.variant);
                self.game = self.start()?;
            }
            other => {
                return Err(format!(
                    "unknown option \"{other}\": it is Level, Seed or Variant"
                ));
            }
        }
        Ok(())
    }

    fn read_position(&self, rest: &str) -> Result<Box<dyn AnyGame>, String> {
        let (kind, rest) = first_word(rest);
        let (mut game, moves) = match kind {
            "startpos" => (self.start()?, rest),
            "fen" => {
                let (fen, moves) = split_moves(rest);
                let game = self
                    .entry
                    .from_position(&self.variant, fen)
                    .map_err(|error| error.to_string())?;
                (game, moves)
            }
            _ => return Err("a position is `startpos` or `fen` and a position text".to_owned()),
        };
        match first_word(moves) {
            ("", _) => (),
            ("moves", turns) => play_all(game.as_mut(), turns, |game, turn| {
                game.play_ugi(turn).map(drop)
            })
            .map_err(|(number, error)| format!("move {number}: {error}"))?,
            (word, _) => return Err(format!("`moves` should stand where \"{word}\" does")),
        }
        Ok(game)
    }

    fn query(&mut self, rest: &str) -> Result<(), String> {
        let (what, rest) = first_word(rest);
        let outcome = self.game.outcome();
        let response = match what {
            "gameover" => outcome.is_some().to_string(),
            "p1turn" => (self.game.side_to_move() == Some(Side::First)).to_string(),
            "result" => match outcome.map(|outcome| outcome.winner) {
                None => "none",
                Some(None) => "draw",
                Some(Some(Side::First)) => "p1win",
                Some(Some(Side::Second)) => "p2win",
            }
            .to_owned(),
            "islegal" => self.game.boxed().play_ugi(rest).is_ok().to_string(),
            "fen" => self.game.position(),
            _ => {
                return Err(format!(
                    "unknown query \"{what}\": it is one of gameover, p1turn, result, \
                     islegal MOVE, fen"
                ));
            }
        };
        self.out.say(&format!("response {response}"));
        Ok(())
    }

    fn go(&mut self, rest: &str) -> Result<(), String> {
        if let ("perft", depth) = first_word(rest) {
            let depth = depth
                .parse()
                .map_err(|_| format!("\"{depth}\" is no depth: a whole number"))?;
            return self.perft(depth);
        }
        let first = self.game.side_to_move() != Some(Side::Second);
        let budget = Budget::read(rest, first)?;
        let best = self.search(&budget);
        let best = best.map_or_else(
            || "(none)".to_owned(),
            |turn| self.game.ugi(&turn).unwrap_or(turn),
        );
        self.out.say(&format!("bestmove {best}"));
        Ok(())
    }

    /// Counts turn by turn, in the manner of Stockfish.
    fn perft(&mut self, depth: u32) -> Result<(), String> {
        let mut total = 0;
        if depth == 0 {
            total = 1;
        } else {
            for (turn, count) in self.game.divide(depth) {
                let turn = self.game.ugi(&turn).map_err(|error| error.to_string())?;
                self.out.say(&format!("{turn}: {count}"));
                total += count;
            }
        }
        self.out.say("");
        self.out.say(&format!("Nodes searched: {total}"));
        Ok(())
    }

    fn search(&mut self, budget: &Budget) -> Option<String> {
        let start = (self.now)();
        let elapsed = || (self.now)().saturating_sub(start);
        let limits = Limits {
            level: self.level,
            seed: self.seed,
            depth: budget.depth,
        };
        let mut asked = 0;
        let mut stopped = false;
        let mut ended = false;
        let out = RefCell::new(&mut self.out);
        let inbox = &mut self.inbox;
        let mut stop = || {
            asked += 1;
            if !ended {
                match inbox.look() {
                    Arrived::Nothing => (),
                    Arrived::IsReady => out.borrow_mut().say("readyok"),
                    Arrived::Stop => stopped = true,
                    Arrived::Other => stopped |= budget.infinite,
                    Arrived::End => {
                        ended = true;
                        stopped |= budget.infinite;
                    }
                }
            }
            stopped
                || budget.time.is_some_and(|time| elapsed() >= time)
                || budget
                    .nodes
                    .is_some_and(|n| asked * POSITIONS_PER_STOP >= n)
        };
        let game = self.game.as_ref();
        let mut report = |thought: &Thought<String>| {
            out.borrow_mut().say(&info(game, thought, elapsed()));
        };
        let thought = game.think(&limits, &mut stop, &mut report);
        // An infinite search may be done early, but answers only when it is stopped.
        if budget.infinite {
            while !stop() {
                thread::sleep(Duration::from_millis(1));
            }
        }
        let thought = thought?;
        out.borrow_mut().say(&info(game, &thought, elapsed()));
        Some(thought.turn)
    }
}

/// The `info` line about a search.
fn info(game: &dyn AnyGame, thought: &Thought<String>, time: Duration) -> String {
    let score = match thought.score {
        Score::Estimate(points) => format!("cp {points}"),
        Score::Wins(turns) => format!("mate {turns}"),
        Score::Loses(turns) => format!("mate -{turns}"),
    };
    let nanos = time.as_nanos().max(1);
    let turn = game.ugi(&thought.turn);
    format!(
        "info depth {} score {score} nodes {} nps {} time {} pv {}",
        thought.depth,
        thought.positions,
        u128::from(thought.positions) * 1_000_000_000 / nanos,
        time.as_millis(),
        turn.as_ref().unwrap_or(&thought.turn)
    )
}

impl Budget {
    /// Reads the limits after `go`; `first` is true if the first side is to move.
    fn read(text: &str, first: bool) -> Result<Self, String> {
        let mut budget = Self::default();
        let (mut left, mut added, mut to_go) = (None, 0, None);
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            if word == "infinite" {
                budget.infinite = true;
                continue;
            }
            let mut number = || -> Result<u64, String> {
                let number = words
                    .next()
                    .ok_or(format!("a number should follow {word}"))?;
                // A clock that has run out has no time left.
                let number = if number.starts_with('-') { "0" } else { number };
                number
                    .parse()
                    .map_err(|_| format!("\"{number}\" after {word} is no whole number"))
            };
            match word {
                "movetime" => {
                    let time = Duration::from_millis(number()?);
                    budget.time = Some(time.saturating_sub(RESERVE.min(time / 4)));
                }
                "depth" => {
                    budget.depth = Some(u32::try_from(number()?).unwrap_or(u32::MAX));
                }
                "nodes" => budget.nodes = Some(number()?),
                "movestogo" => to_go = Some(number()?),
                "p1time" | "wtime" if first => left = Some(number()?),
                "p2time" | "btime" if !first => left = Some(number()?),
                "p1inc" | "winc" if first => added = number()?,
                "p2inc" | "binc" if !first => added = number()?,
                "p1time" | "wtime" | "p2time" | "btime" | "p1inc" | "winc" | "p2inc" | "binc" => {
                    number()?;
                }
                _ => {
                    return Err(format!(
                        "unknown limit \"{word}\": it is one of movetime, depth, nodes, infinite, \
                         p1time, p2time, p1inc, p2inc, movestogo, perft"
                    ));
                }
            }
        }
        if let (None, Some(left)) = (budget.time, left) {
            // A share of the time left, most of the increment, and never more than half.
            let share = left / to_go.unwrap_or(30).clamp(2, 30) + added / 4 * 3;
            budget.time = Some(Duration::from_millis(share.min(left / 2)));
        }
        let limited = budget.depth.is_some() || budget.nodes.is_some() || budget.infinite;
        if budget.time.is_none() && !limited {
            budget.time = Some(DEFAULT_TIME);
        }
        Ok(budget)
    }
}

/// The line that offers an option with a choice of values.
fn combo<'a>(name: &str, default: &str, values: impl Iterator<Item = &'a str>) -> String {
    let values: Vec<&str> = values.collect();
    let values = values.join(" var ");
    format!("option name {name} type combo default {default} var {values}")
}

/// A variant's key as the value of an option.
fn shown(variant: &str) -> &str {
    if variant.is_empty() {
        STANDARD
    } else {
        variant
    }
}

fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim();
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim_start())
}

/// A position text, and the rest from the word `moves` on.
fn split_moves(text: &str) -> (&str, &str) {
    let mut from = 0;
    while let Some(found) = text[from..].find("moves") {
        let (start, end) = (from + found, from + found + "moves".len());
        let is_word = text[..start].ends_with(char::is_whitespace)
            && (end == text.len() || text[end..].starts_with(char::is_whitespace));
        if is_word {
            return (text[..start].trim(), &text[start..]);
        }
        from = end;
    }
    (text.trim(), "")
}

fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks() {
        let time = |text, first| Budget::read(text, first).unwrap().time.unwrap().as_millis();
        assert_eq!(time("movetime 500", true), 490);
        assert_eq!(time("movetime 4", true), 3);
        assert_eq!(
            time("p1time 60000 p2time 1000 p1inc 400 p2inc 0", true),
            2300
        );
        assert_eq!(time("wtime 60000 btime 3000", false), 100);
        assert_eq!(time("p1time -5 p2time 10", true), 0);
        assert_eq!(time("", true), DEFAULT_TIME.as_millis());
        assert_eq!(Budget::read("depth 3", true).unwrap().time, None);
        for wrong in ["movetime", "movetime x", "quickly", "depth 1.5"] {
            assert!(Budget::read(wrong, true).is_err(), "{wrong}");
        }
    }

    #[test]
    fn moves_after_fen() {
        assert_eq!(split_moves("5/5 x moves a b"), ("5/5 x", "moves a b"));
        assert_eq!(split_moves("removes 5"), ("removes 5", ""));
        assert_eq!(split_moves("5 x moves"), ("5 x", "moves"));
    }
}
