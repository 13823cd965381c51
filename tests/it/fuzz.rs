//! Hostile input, a little of it each time; `cargo run --release -p perplex-bench -- fuzz` runs longer.

use perplex_bench::fuzz::parsers;

use crate::support::chance::seed;

#[test]
fn nothing_that_is_parsed_panics_or_is_written_otherwise_than_read() {
    let seed = seed();
    if let Err(fault) = parsers(seed, 200) {
        panic!("seed {seed}: {fault}");
    }
}
