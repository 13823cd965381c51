//! Classes: the parts that need no database. Words for user names and pass phrases, parsing of pasted lists of names,
//! seating in a lesson, and the report of a lesson.

pub mod report;
pub mod roster;
pub mod seating;
pub mod words;
