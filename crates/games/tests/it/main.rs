//! The tests that see the games from outside, as one program.
//!
//! Each test that needs chance prints its seed; `PERPLEX_SEED=…` repeats it.

mod betza;
mod flexichess;
mod grid;
mod pijersi;
mod player;
mod record;
mod registry;
mod rules;

use perplex_games::registry::{Entry, GAMES};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

fn seeded() -> StdRng {
    let seed = std::env::var("PERPLEX_SEED").map_or_else(
        |_| rand::rng().random(),
        |seed| seed.parse().expect("PERPLEX_SEED is a number"),
    );
    println!("PERPLEX_SEED={seed}");
    StdRng::seed_from_u64(seed)
}

fn every_variant() -> impl Iterator<Item = (&'static Entry, &'static str)> {
    GAMES
        .iter()
        .flat_map(|entry| entry.card.variants.iter().map(move |v| (entry, v.key)))
}
