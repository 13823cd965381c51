//! The tests that see matches from outside, as one program.

mod classroom;
mod correspondence;
mod events;
mod kept;
mod team;
