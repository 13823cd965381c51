//! The tests that see matches from outside, as one program.

mod classroom;
mod events;
mod kept;
mod post;
mod team;
