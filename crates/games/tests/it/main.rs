//! The tests that use the games from outside, as one program.
//!
//! Chance is the same in every run, so that none fails now and then; with `PERPLEX_LONG=1` it is fresh. Each test that
//! needs it prints its seed, and `PERPLEX_SEED=…` repeats it.

mod betza;
mod cards;
mod flexichess;
mod grid;
mod length;
mod named;
mod pgn;
mod pijersi;
mod player;
mod record;
mod registry;
mod rules;
mod text;
mod transcript;

use perplex_games::registry::{Entry, GAMES};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

fn seeded() -> StdRng {
    let is_long = std::env::var("PERPLEX_LONG").is_ok_and(|value| value == "1");
    let seed = match std::env::var("PERPLEX_SEED") {
        Ok(seed) => seed.parse().expect("PERPLEX_SEED is a number"),
        Err(_) if is_long => rand::rng().random(),
        Err(_) => 1,
    };
    println!("PERPLEX_SEED={seed}");
    StdRng::seed_from_u64(seed)
}

fn every_variant() -> impl Iterator<Item = (&'static Entry, &'static str)> {
    GAMES
        .iter()
        .flat_map(|entry| entry.card.variants.iter().map(move |v| (entry, v.key)))
}
