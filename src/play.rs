//! A correspondence match: replays its events, decides commands (pure).

pub mod event;
