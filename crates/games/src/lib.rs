//! The games of Perplex, without people: no clock, no input or output, nothing asynchronous.
//!
//! [`rules`] holds each game's position, turns and notation, [`board`] how a position looks, [`registry`] the list
//! of the games and a game in progress behind one face for all of them.
//!
//! ```
//! let quixo = perplex_games::registry::find("quixo").expect("a game");
//! let mut game = quixo.setup("").expect("its ordinary variant");
//! assert_eq!(game.legal().len(), 44);
//! assert_eq!(game.play("C1 a1")?, "c1-a1");
//! assert_eq!(game.perft(1), 42);
//! # Ok::<(), perplex_games::rules::TurnError>(())
//! ```

pub mod board;
pub mod game;
pub mod perplexichess;
pub mod player;
pub mod record;
pub mod referee;
pub mod registry;
pub mod rules;
pub mod ugi;
