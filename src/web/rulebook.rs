//! The rules of a Flexichess board on its page: which are in force, the editor that changes them, turns under a written
//! rule, and answers to what waits for one.
//!
//! It is one part of a page, whichever page that is: it takes a position and the address of the page, and everything
//! that is being edited stands in that address. So it works by links and forms alone; the script
//! (`static/rulebook.js`) only fetches what the links lead to without loading the page anew.

pub mod changes;
pub mod context;
mod editor;
pub mod fields;
pub mod kinds;
pub mod page;
pub mod pictures;
