//! The command line. Only here are the clock and the environment read.

use std::io::{self, BufReader};
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser as _;
use perplex::cli::{Cli, Command, Failure};
use perplex::referee;

fn main() -> ExitCode {
    let start = Instant::now();
    let now = || start.elapsed();
    let (stdin, mut stdout) = (io::stdin(), io::stdout());
    let done = match Cli::parse().command {
        Command::Referee => referee::run(stdin.lock(), stdout.lock()).map_err(Failure::Io),
        Command::Perft(perft) => perft.run(&mut stdout, &now),
        Command::Ugi(ugi) => ugi.run(BufReader::new(stdin), stdout.lock(), &now),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read our answers has had enough.
        Err(Failure::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Io(error)) => {
            eprintln!("perplex: {error}");
            ExitCode::FAILURE
        }
        Err(Failure::Request(why)) => {
            eprintln!("perplex: {why}");
            ExitCode::from(2)
        }
    }
}
