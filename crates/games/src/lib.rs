#![doc = include_str!("../README.md")]

pub mod board;
pub mod game;
pub mod lesson;
pub mod perplexichess;
pub mod player;
pub mod record;
pub mod referee;
pub mod registry;
pub mod rules;
pub mod ugi;
