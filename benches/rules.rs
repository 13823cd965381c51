//! How fast the rules are, beside a yardstick: perft 5 from the start of chess by the crate
//! shakmaty, which counts the last ply without playing its moves, as we do. One run, one thread.
//!
//! `cargo bench --bench rules`

use std::time::{Duration, Instant};

use perplex::games::{self, Entry, GAMES};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};

/// Perft 5 of chess.
const CHESS_5: u64 = 4_865_609;
/// What is counted: the game, how deep, the count, and the ratio to the yardstick that is wanted.
const COUNTS: &[(&str, u32, Option<u64>, Option<f64>)] = &[
    ("quixo", 6, None, Some(0.3)),
    ("perplexus", 6, None, Some(0.3)),
    ("pylyx", 4, None, Some(0.3)),
    ("pijersi", 4, Some(1_181_445_032), Some(2.7)),
    ("flexichess", 5, Some(CHESS_5), None),
];
/// A measurement lasts at least so long.
const LONG_ENOUGH: Duration = Duration::from_millis(400);
/// Game and yardstick are measured so many times in turns, and the best of each is taken: what else
/// the machine does slows both down.
const ROUNDS: usize = 4;
/// In so many positions of random games the legal turns are listed.
const POSITIONS: u16 = 2_000;
const SEED: u64 = 20_261_121;

fn main() {
    println!(
        "{:<12} {:>5} {:>12} {:>9} {:>14} {:>14} {:>6} {:>7}",
        "game", "depth", "nodes", "seconds", "nodes/s", "shakmaty 5", "ratio", "wanted"
    );
    for &(key, depth, expected, wanted) in COUNTS {
        if let Some(entry) = games::find(key) {
            let game = entry.setup("").expect("the ordinary game");
            row(key, depth, expected, wanted, || game.perft(depth));
        }
    }

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

/// The time that this thread has been running, where the system tells it (Linux), else the time.
fn busy(start: Instant) -> Duration {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse().ok())
        .map_or_else(|| start.elapsed(), Duration::from_nanos)
}

/// Counts again and again, and gives the nodes and the seconds of one count.
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
fn row(
    name: &str,
    depth: u32,
    expected: Option<u64>,
    wanted: Option<f64>,
    count: impl Fn() -> u64,
) {
    let start = Instant::now();
    let (mut nodes, mut fastest, mut yardstick) = (0, f64::MAX, f64::MAX);
    for _ in 0..ROUNDS {
        let (chess, time) = measure(start, || shakmaty::perft(&shakmaty::Chess::default(), 5));
        assert_eq!(chess, CHESS_5);
        yardstick = yardstick.min(time);
        let (counted, time) = measure(start, &count);
        fastest = fastest.min(time);
        nodes = counted;
    }
    assert!(
        expected.is_none_or(|expected| expected == nodes),
        "{name}: {nodes} is wrong"
    );
    let (rate, yardstick) = (nodes as f64 / fastest, CHESS_5 as f64 / yardstick);
    println!(
        "{name:<12} {depth:>5} {nodes:>12} {fastest:>9.4} {rate:>14.0} {yardstick:>14.0} {:>6.2} {:>7}",
        rate / yardstick,
        wanted.map_or(String::new(), |wanted| format!("{wanted:.1}")),
    );
}

/// Lists the legal turns in positions of random games, and prints how long that takes.
fn list(entry: &Entry, variant: &str) {
    let mut rng = StdRng::seed_from_u64(SEED);
    let mut game = entry.setup(variant).expect("a variant");
    let (mut times, mut turns) = (Vec::new(), 0);
    for _ in 0..POSITIONS {
        // The best of three, for what else the machine does.
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
