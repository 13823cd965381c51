//! The tests that use the crate from outside, as one program.

mod announce;
mod classroom;
mod correspondence;
mod draws;
mod events;
mod highlights;
mod kept;
mod length;
mod names;
mod team;
