//! Chance in tests: the same every time, so that none fails now and then, unless a longer run is asked for.

/// True in the longer run, where chance is fresh: `PERPLEX_LONG=1`.
pub fn is_long() -> bool {
    std::env::var("PERPLEX_LONG").is_ok_and(|value| value == "1")
}

/// The seed of all chance in a test, printed: `PERPLEX_SEED`, or a fixed one, or a fresh one in the longer run.
pub fn seed() -> u64 {
    let seed = match std::env::var("PERPLEX_SEED") {
        Ok(seed) => seed.parse().expect("PERPLEX_SEED is a number"),
        Err(_) if is_long() => rand::random(),
        Err(_) => 1,
    };
    println!("PERPLEX_SEED={seed}");
    seed
}
