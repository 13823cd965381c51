//! Team matches.
//!
//! A page of a match is made of `parts`, each with an address of its own, which open pages fetch again (`fragments`)
//! when the numbers of `live` say that they are old. The control panel and the projector are frames around the same
//! parts. `commands` carries out all acts.

mod commands;
pub mod context;
mod example;
mod fragments;
mod labels;
pub mod live;
mod pages {
    pub mod control;
    pub mod gathering;
    pub mod lesson;
    pub mod link;
    pub mod list;
    pub mod moves;
    pub mod play;
    pub mod projector;
    pub mod record;
    pub mod report;
    pub mod rules;
}
mod parts {
    pub mod answers;
    pub mod attendance;
    pub mod board;
    pub mod called;
    pub mod cards;
    pub mod control;
    pub mod door;
    pub mod emblem;
    pub mod entrance;
    pub mod gathering;
    pub mod hand;
    pub mod help;
    pub mod log;
    pub mod panel;
    pub mod people;
    pub mod projector;
    pub mod result;
    pub mod said;
    pub mod seating;
    pub mod status;
    pub mod talk;
    pub mod transfer;
    pub mod waiting;
}
pub mod picture;
pub mod routes;
pub mod scene;
mod selection;
mod terms;
mod turn;
