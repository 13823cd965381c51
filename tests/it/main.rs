//! The tests of the server: the store, the application, mail, the pages over HTTP and the built program, on SQLite and
//! on PostgreSQL. They run beside each other, so none waits for a time: it waits for a condition. See `support` for what
//! they share. Journeys in browsers are in `tests/browser`.
//!
//! Some tests compare with a table beside them, which is read by people: `PERPLEX_WRITE=1` writes those anew, in this
//! folder; then read what `git diff` shows.

#[path = "../support/mod.rs"]
mod support;

mod app;
mod circles;
mod cli;
mod computer;
mod crash;
mod layers;
mod lessons;
mod mail;
mod pages;
mod store;
mod teams;
