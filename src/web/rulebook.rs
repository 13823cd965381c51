//! The rules of a Flexichess board on its page: those in force, the editor that changes them, turns under a written
//! rule, and answers to changes that wait for one.
//!
//! It is the same part on every page: it takes a position and the address of the page, and the address holds all that
//! is being edited. So it works by links and forms alone; the script (`static/rulebook.js`) only fetches the links'
//! pages without loading the page anew.

pub mod changes;
pub mod context;
pub mod deck;
mod editor;
pub mod fields;
pub mod hand;
pub mod hint;
pub mod kinds;
pub mod page;
pub mod pictures;
