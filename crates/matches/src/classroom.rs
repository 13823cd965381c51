//! A class at play: what needs no database. Words for names and phrases, names out of what was pasted, who sits
//! where in a lesson, and who did what in it.

pub mod report;
pub mod roster;
pub mod seating;
pub mod words;
