//! Lessons of a class: seating, reports, joining by code, on SQLite and PostgreSQL.

#[path = "lessons/report.rs"]
mod report;
#[path = "lessons/seating.rs"]
mod seating;
