//! Classes: the parts that need no database. Words for user names and pass phrases, parsing of pasted lists of names,
//! seating in a lesson, and the report of a lesson; rule cards of a class.

pub mod own_card;
pub mod report;
pub mod roster;
pub mod seating;
pub mod words;
