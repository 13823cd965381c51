//! The speed of the rules: perft from the start of each game beside perft 6 of chess by the crate
//! shakmaty, which like ours counts the last ply without playing its moves. One run, one thread.
//!
//! `cargo bench -p perplex-games`

use std::sync::Arc;
use std::time::{Duration, Instant};

use perplex_games::registry::{self, Entry, GAMES};
use perplex_games::rules::betza::{Movement, Mover};
use perplex_games::rules::flexichess::{self, CARDS, Effect, Flexichess, Kind, Ruleset};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};

/// Perft 6 of chess.
const CHESS_6: u64 = 119_060_324;
/// The counts: the game, the depth, the count where it is published, and the wanted ratio to
/// shakmaty.
const COUNTS: &[(&str, u32, Option<u64>, f64)] = &[
    ("pijersi", 4, Some(1_181_445_032), 5.5),
    ("quixo", 5, None, 2.0),
    ("perplexus", 7, None, 4.5),
    ("pylyx", 5, None, 6.0),
    ("flexichess", 6, Some(CHESS_6), 0.9),
];
/// A middle game with every special move in it.
const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
/// All five kinds changed.
const CHANGED: [(&str, &str); 5] = [
    ("P", "fmWfceFsmWifmnD"),
    ("N", "NW"),
    ("B", "BnD"),
    ("R", "R4F"),
    ("Q", "mQcN"),
];
/// The least time of a measurement.
const LONG_ENOUGH: Duration = Duration::from_millis(400);
/// The rounds in which game and chess are measured in turns; the best of each is taken, because
/// other work of the machine slows both down.
const ROUNDS: usize = 4;
/// The positions of random games in which the legal turns are listed.
const POSITIONS: u16 = 2_000;
const SEED: u64 = 20_261_121;

fn main() {
    println!(
        "{:<12} {:>5} {:>12} {:>9} {:>14} {:>14} {:>6} {:>7}",
        "game", "depth", "nodes", "seconds", "nodes/s", "shakmaty", "ratio", "wanted"
    );
    for &(key, depth, expected, wanted) in COUNTS {
        let entry = registry::find(key).expect("a game");
        let game = entry.setup("").expect("the ordinary game");
        row(key, depth, expected, wanted, || game.perft(depth));
    }
    let flexichess = registry::find("flexichess").expect("a game");
    let rules = CHANGED.map(|(kind, betza)| (kind.to_owned(), betza.to_owned()));
    let changed = flexichess
        .from_position_with("", flexichess::START, &rules)
        .expect("a position");
    row("changed", 5, None, 0.5, || changed.perft(5));
    page();

    println!("\nlegal turns as the page lists them, in positions of random games (seed {SEED})");
    println!(
        "{:<14} {:>9} {:>6} {:>8} {:>8} {:>8}",
        "game", "positions", "turns", "mean us", "99% us", "most us"
    );
    for entry in GAMES {
        for variant in entry.card.variants {
            list(entry, variant.key);
        }
    }
}

/// Measures the work for the pages of Flexichess.
fn page() {
    println!("\nwhat the page of Flexichess asks for, in microseconds (best of {TIMES})");
    let ordinary = Ruleset::ordinary();
    for (kind, betza) in CHANGED.into_iter().chain([("Q", "gQNNcCpBmAH")]) {
        let kind = kind
            .chars()
            .next()
            .and_then(Kind::from_letter)
            .expect("a kind");
        let compile = || {
            let movement = Movement::parse(betza, kind.mover()).expect("a movement");
            ordinary.with_movement(kind, movement)
        };
        let what = format!("reads and compiles {} {betza}", kind.letter());
        println!("{what:<44} {:>8.1}  (wanted: 1000)", micros_of(compile));
    }
    let rules = CHANGED;
    for (name, fen) in [("the start", flexichess::START), ("kiwipete", KIWIPETE)] {
        for rules in [&[][..], &rules[..4]] {
            let set = Ruleset::from_differences(rules.iter().copied()).expect("rules");
            let position = Flexichess::from_fen(fen, Arc::new(set)).expect("a position");
            let queen = Movement::parse("mQcN", Mover::Piece).expect("a movement");
            let effect = Effect::Movement(Kind::Queen, queen);
            let both = || (position.moves(), position.preview(&effect));
            let what = format!("legal moves and preview, {name}, {} changed", rules.len());
            println!("{what:<44} {:>8.1}  (wanted: 200)", micros_of(both));
            let deck = || {
                let cards = CARDS.iter().map(|card| position.why_not_card(card));
                cards.filter(Option::is_none).count()
            };
            let what = format!("the deck, {name}, {} changed", rules.len());
            println!("{what:<44} {:>8.1}  (wanted: 300)", micros_of(deck));
        }
    }
}

/// The runs of a short measurement.
const TIMES: u32 = 2_000;

/// The least time that something takes, in microseconds.
fn micros_of<T>(work: impl Fn() -> T) -> f64 {
    let mut least = Duration::MAX;
    for _ in 0..TIMES {
        let start = Instant::now();
        std::hint::black_box(work());
        least = least.min(start.elapsed());
    }
    least.as_secs_f64() * 1e6
}

/// The time that this thread has been running, where the system tells it (Linux), else the time.
fn busy(start: Instant) -> Duration {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse().ok())
        .map_or_else(|| start.elapsed(), Duration::from_nanos)
}

/// Counts again and again, and returns the nodes and the seconds of one count.
fn measure(start: Instant, count: impl Fn() -> u64) -> (u64, f64) {
    let begin = busy(start);
    let mut times = 0.0;
    loop {
        let nodes = std::hint::black_box(count());
        times += 1.0;
        let time = busy(start).saturating_sub(begin);
        if time >= LONG_ENOUGH {
            return (nodes, time.as_secs_f64() / times);
        }
    }
}

/// Counts, and prints a row of the table.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn row(name: &str, depth: u32, expected: Option<u64>, wanted: f64, count: impl Fn() -> u64) {
    let start = Instant::now();
    let (mut nodes, mut fastest, mut chess) = (0, f64::MAX, f64::MAX);
    for _ in 0..ROUNDS {
        let (counted, time) = measure(start, || shakmaty::perft(&shakmaty::Chess::default(), 6));
        assert_eq!(counted, CHESS_6);
        chess = chess.min(time);
        let (counted, time) = measure(start, &count);
        fastest = fastest.min(time);
        nodes = counted;
    }
    assert!(
        expected.is_none_or(|expected| expected == nodes),
        "{name}: {nodes} is wrong"
    );
    let (rate, chess) = (nodes as f64 / fastest, CHESS_6 as f64 / chess);
    println!(
        "{name:<12} {depth:>5} {nodes:>12} {fastest:>9.4} {rate:>14.0} {chess:>14.0} {:>6.2} {wanted:>7.1}",
        rate / chess,
    );
}

/// Lists the legal turns in positions of random games, and prints how long that takes.
fn list(entry: &Entry, variant: &str) {
    let mut rng = StdRng::seed_from_u64(SEED);
    let mut game = entry.setup(variant).expect("a variant");
    let (mut times, mut turns) = (Vec::new(), 0);
    for _ in 0..POSITIONS {
        // The best of three, because of the machine's other work.
        let mut choices = Vec::new();
        let mut time = Duration::MAX;
        for _ in 0..3 {
            let start = Instant::now();
            choices = std::hint::black_box(game.choices());
            time = time.min(start.elapsed());
        }
        times.push(time);
        turns += choices.len();
        let turn = choices.choose(&mut rng).map(|choice| choice.turn.as_str());
        let over = turn.is_none_or(|turn| game.play(turn).is_err());
        if over || game.outcome().is_some() || rng.random_range(0..200) == 0 {
            game = entry.setup(variant).expect("a variant");
        }
    }
    times.sort_unstable();
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    println!(
        "{:<14} {POSITIONS:>9} {:>6} {:>8.1} {:>8.1} {:>8.1}",
        format!("{} {variant}", entry.card.key),
        turns / times.len(),
        times.iter().copied().map(micros).sum::<f64>() / f64::from(POSITIONS),
        micros(times[times.len() * 99 / 100]),
        micros(times[times.len() - 1]),
    );
}
