//! `perplex-bench`: measures how fast Perplex is on this machine.

use std::io;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use perplex::cli::Failure;
use perplex::process;
use perplex_bench::{flood, fuzz, http, mail, team, writers};

/// The allocator of the server, which is started from here.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measure how fast Perplex is on this machine.
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Pages of a match and turns a second, each beside a limit measured in the same run
    ///
    /// Starts the program on a folder of its own, plays, and prints a table; takes half a minute.
    /// Build with --release first.
    Http(http::Http),
    /// Team matches: the delay of an event on all live pages, many open streams, the page of seven boards
    ///
    /// Starts the program on a folder of its own, opens live pages, plays, and prints a table; takes a minute.
    /// Build with --release first, and allow 5000 open files (ulimit -n).
    Team(team::Team),
    /// The effect on others of one visitor who floods the server
    ///
    /// Starts the program twice, one left in peace, and prints a table; takes a minute. Build with --release first.
    Flood(flood::Flood),
    /// Mails a second, an urgent mail when very many wait, and the time to draw a board
    ///
    /// Takes a minute. Build with --release first.
    Mail(mail::Mail),
    /// Turns a second on one PostgreSQL by 1, 8 and 32 players at once, and for what the database waits
    ///
    /// Takes a minute, and leaves its accounts and matches in the database. Build with --release first.
    Writers(writers::Writers),
    /// Hostile input for everything that reads input from outside
    ///
    /// Prints its seed, and stops at the first fault. Build with --release first.
    Fuzz(fuzz::Fuzz),
    /// The limit for pages: a handler that does nothing but answer
    #[command(hide = true)]
    Bare(http::Bare),
    /// The server that is measured, as `perplex serve` runs it
    #[command(hide = true)]
    Serve,
}

fn main() -> ExitCode {
    let mut stdout = io::stdout();
    let done = match Cli::parse().command {
        Command::Http(http) => http.run(&mut stdout, process::clock()),
        Command::Team(team) => team.run(&mut stdout, process::clock()),
        Command::Flood(flood) => flood.run(&mut stdout, process::clock()),
        Command::Mail(mail) => mail.run(&mut stdout, process::clock()),
        Command::Writers(writers) => writers.run(&mut stdout, process::clock()),
        Command::Fuzz(fuzz) => fuzz.run(&mut stdout),
        Command::Bare(bare) => bare.run(),
        Command::Serve => process::serve().map_err(|failure| match failure {
            Failure::Request(why) => why,
            Failure::Io(error) => error.to_string(),
        }),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("perplex-bench: {why}");
            ExitCode::FAILURE
        }
    }
}
