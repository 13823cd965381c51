//! `perplex-bench fuzz`: hostile input for everything that reads input from outside.
//!
//! Samples of good input are changed at random, by rules that are known to find faults: pieces are left out, doubled,
//! moved from one sample to another, replaced by numbers at the edges and by characters that mislead. No parser may
//! panic, and input that was read and written must read the same again; no page may answer with 5xx. It prints its
//! seed, and stops at the first fault with the input that made it.

use std::fmt::Debug;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use clap::Args;
use perplex_games::game::AnyGame;
use perplex_games::registry::{self, GAMES};
use perplex_games::rules::betza::{Movement, Mover};
use perplex_games::{record, referee, ugi};
use perplex_matches::classroom::{roster, words};
use perplex_matches::journal::{Aggregate, Author, Event, EventOf};
use perplex_matches::time::Time;
use perplex_matches::{correspondence, team};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};

mod pages;

/// The options of the run.
#[derive(Debug, Args)]
pub struct Fuzz {
    /// Seconds to run, half of them parsers, half of them pages
    #[arg(long, default_value_t = 60)]
    pub seconds: u64,
    /// The seed of an earlier run
    #[arg(long)]
    pub seed: Option<u64>,
}

/// A check of one input; the error is the fault.
type Check = fn(&str) -> Result<(), String>;

struct Target {
    name: &'static str,
    samples: Vec<String>,
    check: Check,
}

/// Pieces that parsers stumble over.
const PIECES: [&str; 34] = [
    "\0",
    "\r\n",
    "\n\n",
    "\t",
    " ",
    "\u{a0}",
    "\u{202e}",
    "\u{200b}",
    "\u{feff}",
    "é",
    "İ",
    "ß",
    "🦦",
    "\u{1F1E6}",
    "-",
    "+",
    "=",
    "\"",
    "'",
    "<",
    "&",
    "%",
    "%00",
    "%ff",
    "{",
    "[[[[[[[[",
    "}",
    "0",
    "-1",
    "255",
    "65536",
    "4294967296",
    "18446744073709551616",
    "99999999999999999999999999",
];

/// A sample with a few changes.
fn changed(rng: &mut StdRng, samples: &[String]) -> String {
    let mut text: Vec<char> = samples
        .choose(rng)
        .map_or_else(Vec::new, |text| text.chars().collect());
    for _ in 0..rng.random_range(1..6) {
        let (from, to) = {
            let one = rng.random_range(0..=text.len());
            let other = (one + rng.random_range(0..8)).min(text.len());
            (one, other)
        };
        match rng.random_range(0..7) {
            0 => drop(text.drain(from..to)),
            1 => {
                let again = text[from..to].repeat(rng.random_range(1..40));
                text.splice(from..from, again);
            }
            2 => {
                let piece = PIECES.choose(rng).copied().unwrap_or_default();
                text.splice(from..to, piece.chars());
            }
            3 => {
                let other: Vec<char> = samples
                    .choose(rng)
                    .map_or_else(Vec::new, |text| text.chars().collect());
                let start = rng.random_range(0..=other.len());
                let end = rng.random_range(start..=other.len());
                text.splice(from..to, other[start..end].iter().copied());
            }
            4 => {
                let any = char::from_u32(rng.random_range(0..0x11_0000)).unwrap_or('\u{fffd}');
                text.insert(from, any);
            }
            5 if from < text.len() => {
                let ascii = char::from(rng.random_range(0x20..0x7f_u8));
                text[from] = ascii;
            }
            _ => text[from..to].reverse(),
        }
        text.truncate(20_000);
    }
    text.into_iter().collect()
}

fn same<T: PartialEq + Debug>(what: &str, one: T, other: T) -> Result<(), String> {
    if one == other {
        return Ok(());
    }
    Err(format!("{what}: {one:?} became {other:?}"))
}

/// True if a line asks for a deep count, which may take its time.
fn counts_deep(line: &str) -> bool {
    line.split("perft").skip(1).any(|rest| {
        let depth = rest.trim_start_matches([':', ' ', '\\', 'u', '0', 'A', 'a', '3']);
        let depth: String = depth.chars().take_while(char::is_ascii_digit).collect();
        depth.parse::<u8>().is_ok_and(|depth| depth > 2)
    })
}

fn ask(line: &str) -> Result<(), String> {
    if counts_deep(line) {
        return Ok(());
    }
    let answer = referee::answer(line);
    if answer.contains('\n') || !answer.starts_with("{\"ok\":") {
        return Err(format!("not one line of JSON: {answer}"));
    }
    Ok(())
}

fn read_record(text: &str) -> Result<(), String> {
    let Ok(replayed) = record::read(text) else {
        return Ok(());
    };
    let written = replayed.record.to_string();
    let again = record::read(&written).map_err(|error| format!("{error:?} in\n{written}"))?;
    same("a record", written, again.record.to_string())
}

/// Plays turns on a position of any game.
fn play(text: &str) -> Result<(), String> {
    let mut lines = text.lines();
    let position = lines.next().unwrap_or_default();
    let starts = GAMES
        .iter()
        .filter_map(|entry| entry.from_position("", position).ok());
    for start in starts.chain(GAMES.iter().filter_map(|entry| entry.setup(""))) {
        let mut game: Box<dyn AnyGame> = start;
        for line in lines.clone().take(20) {
            let before = game.position();
            if game.play(line).is_err() && game.play_ugi(line).is_err() {
                same("a refused turn", before, game.position())?;
            }
        }
    }
    Ok(())
}

fn read_movement(text: &str) -> Result<(), String> {
    for mover in [Mover::Piece, Mover::Pawn] {
        let Ok(movement) = Movement::parse(text, mover) else {
            continue;
        };
        let written = movement.to_string();
        let again =
            Movement::parse(&written, mover).map_err(|error| format!("{error:?} in {written}"))?;
        same("a movement", written, again.to_string())?;
        drop(movement.words());
    }
    Ok(())
}

/// A session of the Universal Game Interface without a search.
fn talk_ugi(text: &str) -> Result<(), String> {
    let lines = text
        .lines()
        .filter(|line| !line.contains("go") && !counts_deep(line));
    let lines: Vec<&str> = lines.collect();
    let input = std::io::Cursor::new(lines.join("\n").into_bytes());
    for key in ["flexichess", "pijersi"] {
        let entry = registry::find(key).ok_or("no such game")?;
        let begun = Instant::now();
        ugi::run(entry, "", input.clone(), std::io::sink(), &|| {
            begun.elapsed()
        })
        .map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn replay<M: Aggregate>(text: &str) -> Result<(), String> {
    let read = |(number, line): (i32, &str)| -> Option<EventOf<M>> {
        let mut words = line.splitn(3, ' ');
        Some(Event {
            number,
            at: Time(words.next()?.parse().ok()?),
            by: M::Author::read(words.next()?)?,
            kind: words.next()?.parse().ok()?,
        })
    };
    let events: Vec<EventOf<M>> = (1..).zip(text.lines()).map_while(read).collect();
    for event in &events {
        let written = event.kind.to_string();
        let again = written.parse::<M::EventKind>().map(|kind| kind.to_string());
        same(
            "an event",
            Ok(written),
            again.map_err(|error| error.to_string()),
        )?;
    }
    // A journal that cannot be replayed is an error, never a panic.
    drop(M::replay(&events));
    Ok(())
}

fn journal(text: &str) -> Result<(), String> {
    replay::<correspondence::Match>(text)?;
    replay::<team::Match>(text)
}

fn names(text: &str) -> Result<(), String> {
    for name in roster::names(text, &[]).unwrap_or_default() {
        same("a name", Ok(name.clone()), roster::name(&name))?;
    }
    if let Some(code) = words::read_code(text) {
        same("a code", Some(code.clone()), words::read_code(&code))?;
    }
    drop(words::folded(text));
    let _ = words::is_user_name(text);
    Ok(())
}

fn texts(samples: &[&str]) -> Vec<String> {
    samples.iter().map(|sample| (*sample).to_owned()).collect()
}

fn targets() -> Vec<Target> {
    let positions = GAMES.iter().filter_map(|entry| {
        let mut game = entry.setup("")?;
        let mut text = game.position();
        for number in 0..8_usize {
            let legal = game.legal();
            let turn = legal.get(number * 7 % legal.len().max(1))?;
            text.push('\n');
            text.push_str(turn);
            game.play(turn).ok()?;
        }
        Some(text)
    });
    let target = |name, samples, check| Target {
        name,
        samples,
        check,
    };
    vec![
        target(
            "referee",
            texts(&[
                r#"{"game":"quixo","want":["perft:2","legal","position"]}"#,
                r#"{"game":"flexichess","position":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1","turns":["e2e4","rule N NW \"also like a king\"","accept"],"want":["turns"]}"#,
                r#"{"game":"perplexichess","size":"small","turns":["1 e4","w e4 1>3"],"want":["position"]}"#,
                r#"{"game":"pijersi","turns":["a1-b1"],"rules":{"N":"NW"},"variant":"four"}"#,
            ]),
            ask,
        ),
        target(
            "records",
            texts(&[
                "Game: quixo\n\n1. c1-a1 e5-a5\n2. b1-e1 *\n",
                "[Event \"?\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n[FEN \"8/8/8/4k3/8/8/4K3/8 w - - 0 1\"]\n\n1. Ke3 {a comment} $1 (1. Kd3) Kd5 *\n",
                "{\"game\":\"pijersi\",\"turns\":[\"a1-b1\"],\"players\":[\"A\",\"B\"]}",
                "1. e4 -- {[%turn rule N NW \"Knights also step.\"]} 2. Nf3 e5 ; so\n3... a6 1/2\n",
                "g16:sprspr f13:prs f4:ww f57:rsp b13:PSR b4:WW b57:SRP a16:RPSRPS\n\n1 a5-b6=d7  2 f6-g5=e6\n",
                "Game: flexichess\nWhite: A\n\n1. e2e4 rule N NW \"also like a king\"\n2. accept e7e5 1-0\n",
            ]),
            read_record,
        ),
        target("positions and turns", positions.collect(), play),
        target(
            "Betza",
            texts(&[
                "fmWfceFifmnD",
                "NW",
                "R3",
                "B[1-3]",
                "mQcN",
                "fFbWA",
                "zRgB",
                "lrW2",
            ]),
            read_movement,
        ),
        target(
            "Universal Game Interface",
            texts(&[
                "ugi\nsetoption name Strength value 2\nposition startpos moves e2e4\nquery gameover\nquit\n",
                "isready\nuginewgame\nposition fen 8/8/8/4k3/8/8/4K3/8 w - - 0 1 moves e2e3\nquery p1turn\n",
                "position startpos moves a1-b1\nperft 1\nd\n",
            ]),
            talk_ugi,
        ),
        target(
            "journals",
            texts(&[
                include_str!("../../matches/tests/kept/post-2026-11-22.txt"),
                include_str!("../../matches/tests/kept/team-2026-11-22.txt"),
            ]),
            journal,
        ),
        target(
            "names and codes",
            texts(&[
                "1. Anna\n2. Ben\n",
                "Müller, Mia\t7b\r\nÖzil; Cem",
                "DHJMNPR",
                "tiger banjo orange",
                "otter47",
            ]),
            names,
        ),
    ]
}

impl Target {
    /// Tries so many changed samples; the error is the first fault, with the input.
    fn run(&self, rng: &mut StdRng, tries: usize) -> Result<(), String> {
        for _ in 0..tries {
            let input = changed(rng, &self.samples);
            let checked = catch_unwind(AssertUnwindSafe(|| (self.check)(&input)));
            let fault = match checked {
                Ok(Ok(())) => continue,
                Ok(Err(why)) => why,
                Err(_) => "a panic".to_owned(),
            };
            return Err(format!("{}: {fault}\n{input:?}", self.name));
        }
        Ok(())
    }
}

/// Tries so many changed samples of everything that is parsed.
///
/// # Errors
/// The first fault, with the input that made it.
pub fn parsers(seed: u64, tries: usize) -> Result<(), String> {
    let mut rng = StdRng::seed_from_u64(seed);
    targets()
        .iter()
        .try_for_each(|target| target.run(&mut rng, tries))
}

impl Fuzz {
    /// Tries, and prints a table.
    ///
    /// # Errors
    /// The first fault, with the input that made it.
    pub fn run(&self, output: &mut dyn Write) -> Result<(), String> {
        let seed = self.seed.unwrap_or_else(rand::random);
        let told = |error: std::io::Error| error.to_string();
        writeln!(output, "seed {seed}").map_err(told)?;
        let mut rng = StdRng::seed_from_u64(seed);
        let targets = targets();
        let each =
            Duration::from_secs(self.seconds) / 2 / u32::try_from(targets.len()).unwrap_or(1);
        for target in &targets {
            let begun = Instant::now();
            let mut tries = 0_u64;
            while begun.elapsed() < each {
                target.run(&mut rng, 100)?;
                tries += 100;
            }
            writeln!(output, "{:>12}  {}", tries, target.name).map_err(told)?;
        }
        pages::run(output, seed, Duration::from_secs(self.seconds) / 2)
    }
}
