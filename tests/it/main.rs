//! The tests of the server: the store, the application, mail, the pages over HTTP and the built program, on SQLite
//! and on PostgreSQL. They run in parallel, so none waits for a time: each waits for a condition. See `support` for
//! their shared parts, and `golden` for the files that tables and mails are compared with. Journeys in browsers are
//! in `tests/browser`.

#[path = "../support/mod.rs"]
mod support;

mod accounts;
mod app;
mod circles;
mod cli;
mod clock;
mod computer;
mod config;
mod consent;
mod crash;
mod failures;
mod fuzz;
mod golden;
mod guests;
mod input;
mod kept;
mod layers;
mod learn;
mod lessons;
mod letters;
mod mail;
mod mail_settings;
mod mailbox;
mod many_mails;
mod meanwhile;
mod names;
mod once;
mod pages;
mod palette;
mod rules_in_words;
mod safe;
mod second_factor;
mod secret;
mod security;
mod shared;
mod sign_up;
mod store;
mod teams;
mod test_app;
mod typed;
mod untranslated;
