//! Matches between people as state machines. Pure: the time is an argument, and so is chance.
//!
//! [`correspondence`] is a correspondence match, [`team`] a match of Perplexichess between two teams, [`classroom`] the
//! additions for a class.

#![warn(missing_docs)]
#![allow(
    clippy::struct_excessive_bools,
    reason = "each is a choice or a right of its own, asked for by its name"
)]

pub mod classroom;
#[cfg(feature = "diesel")]
mod columns;
pub mod correspondence;
pub mod id;
pub mod journal;
pub mod names;
pub mod team;
pub mod time;
