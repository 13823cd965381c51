//! The server of Perplex: Perplexichess for whole teams, and unusual board games by correspondence.
//!
//! The modules in the order of their dependencies; each may use those above it, never those below:

#![allow(
    clippy::missing_errors_doc,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    reason = "these sections are for strangers, who meet the library crates"
)]
// They panic where the output is gone; `log::say` and `writeln!` do not.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod log;

pub mod files;

pub mod secret;

pub mod address;

pub mod site;

pub mod workers;

pub mod store;

pub mod config;

pub mod app;

pub mod texts;

pub mod picture;

pub mod web;

pub mod mail;

pub mod server;

pub mod demo;

pub mod preview;

pub mod cli;

pub mod process;
