//! Perplex: Perplexichess for whole teams, and unusual board games by post.
//!
//! The modules in the order of their dependencies; each may use those above it, never those below:
pub mod time;

pub mod rules;

pub mod player;

pub mod board;

pub mod games;

pub mod record;

pub mod perplexichess;

pub mod classroom;

pub mod referee;

pub mod ugi;

pub mod play;

pub mod secret;

pub mod store;

pub mod config;

pub mod app;

pub mod web;

pub mod mail;

pub mod server;

pub mod bench;

pub mod demo;

pub mod cli;
