//! Lessons of a class: who sits where, and who did what. Pure.

pub mod report;
pub mod seating;
