//! Measures the running program. Each figure stands beside a limit that is measured in the same run, on the same
//! machine, so that the ratio means something anywhere.

pub mod client;
pub mod flood;
pub mod fuzz;
pub mod http;
pub mod mail;
pub mod team;
pub mod writers;
