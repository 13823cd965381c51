//! How fast the rules are, beside a yardstick: perft 5 from the start of chess by the crate
//! shakmaty, which counts the last ply without playing its moves, as we do. One run, one thread.
//!
//! `cargo bench --bench rules`

use std::time::{Duration, Instant};

use perplex::games::{self, Entry, GAMES};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};

/// What is counted: the game, how deep, the count, and the ratio to the yardstick that is wanted.
const COUNTS: &[(&str, u32, Option<u64>, Option<f64>)] = &[
    ("quixo", 6, None, Some(0.3)),
    ("perplexus", 6, None, Some(0.3)),
    ("pylyx", 4, None, Some(0.3)),
    ("pijersi", 4, Some(1_181_445_032), Some(2.7)),
    ("flexichess", 5, Some(4_865_609), None),
];
/// A count is repeated for at least so long, and the fastest one taken.
const LONG_ENOUGH: Duration = Duration::from_secs(2);
/// In so many positions of random games the legal turns are listed.
const POSITIONS: usize = 2_000;
const SEED: u64 = 20_261_121;

fn main() {
    let yardstick = row("shakmaty", 5, Some(4_865_609), None, None, || {
        shakmaty::perft(&shakmaty::Chess::default(), 5)
    });
    for &(key, depth, expected, wanted) in COUNTS {
        if let Some(entry) = games::find(key) {
            let game = entry.setup("").expect("the ordinary game");
            let count = || game.perft(depth);
            row(key, depth, expected, wanted, Some(yardstick), count);
        }
    }
    // Again: the machine may have been busier or idler at the start.
    row("shakmaty", 5, None, None, Some(yardstick), || {
        shakmaty::perft(&shakmaty::Chess::default(), 5)
    });

    println!("\nlegal turns as the page lists them, in positions of random games (seed {SEED})");
    println!(
        "{:<16} {:>10} {:>10} {:>12} {:>12}",
        "game", "positions", "turns", "mean us", "most us"
    );
    for entry in GAMES {
        for variant in entry.card.variants {
            list(entry, variant.key);
        }
    }
}

/// Counts, prints a row of the table, and gives the nodes per second.
fn row(
    name: &str,
    depth: u32,
    expected: Option<u64>,
    wanted: Option<f64>,
    yardstick: Option<f64>,
    count: impl Fn() -> u64,
) -> f64 {
    let begin = Instant::now();
    let mut fastest = Duration::MAX;
    let mut nodes = 0;
    while begin.elapsed() < LONG_ENOUGH {
        let start = Instant::now();
        nodes = std::hint::black_box(count());
        fastest = fastest.min(start.elapsed());
    }
    assert!(
        expected.is_none_or(|expected| expected == nodes),
        "{name}: {nodes} is wrong"
    );
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    let rate = nodes as f64 / fastest.as_secs_f64();
    if yardstick.is_none() {
        println!(
            "{:<12} {:>5} {:>14} {:>10} {:>15} {:>8} {:>8}",
            "game", "depth", "nodes", "seconds", "nodes/s", "ratio", "wanted"
        );
    }
    println!(
        "{name:<12} {depth:>5} {nodes:>14} {:>10.4} {rate:>15.0} {:>8.2} {:>8}",
        fastest.as_secs_f64(),
        rate / yardstick.unwrap_or(rate),
        wanted.map_or(String::new(), |wanted| format!("{wanted:.1}")),
    );
    rate
}

/// Lists the legal turns in positions of random games, and prints how long that takes.
fn list(entry: &Entry, variant: &str) {
    let mut rng = StdRng::seed_from_u64(SEED);
    let mut game = entry.setup(variant).expect("a variant");
    let (mut sum, mut most, mut turns) = (Duration::ZERO, Duration::ZERO, 0);
    for _ in 0..POSITIONS {
        // The better of two, for what else the machine does.
        let mut choices = Vec::new();
        let mut time = Duration::MAX;
        for _ in 0..2 {
            let start = Instant::now();
            choices = std::hint::black_box(game.choices());
            time = time.min(start.elapsed());
        }
        sum += time;
        most = most.max(time);
        turns += choices.len();
        let turn = choices.choose(&mut rng).map(|choice| choice.turn.as_str());
        let over = turn.is_none_or(|turn| game.play(turn).is_err());
        if over || game.outcome().is_some() || rng.random_range(0..200) == 0 {
            game = entry.setup(variant).expect("a variant");
        }
    }
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    println!(
        "{:<16} {POSITIONS:>10} {:>10} {:>12.1} {:>12.1}",
        format!("{} {variant}", entry.card.key),
        turns / POSITIONS,
        micros(sum) / 2_000.0,
        micros(most),
    );
}
