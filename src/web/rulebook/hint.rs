//! A rule in words that names what its limits keep out is shown to its writer once more before it is sent.

use crate::texts::rulebook::points_out_to_writer;
use crate::web::fields::Fields;
use crate::web::rulebook::fields::written_turn;
use perplex_games::rules::Rules as _;
use perplex_games::rules::flexichess::{Flexichess, Turn};

/// What is pointed out to the writer of a rule.
pub struct Hint {
    pub says: String,
    /// The text that it is about. The form sends it along: a text that was changed since is looked at again.
    pub text: String,
}

impl Hint {
    /// The hint about a turn; `None` if there is nothing to point out, or if it cannot be played.
    pub fn of(position: &Flexichess, turn: &str) -> Option<Self> {
        let turn = position.read(turn).ok()?;
        position.clone().play(&turn).ok()?;
        let Turn::Change(rule) = turn else {
            return None;
        };
        Some(Self {
            says: points_out_to_writer(&rule)?,
            text: rule.text,
        })
    }
}

/// True if the writer of the turn in a form was not shown the hint about it yet.
pub fn is_unseen(position: &Flexichess, fields: &Fields) -> bool {
    let hint = Hint::of(position, &written_turn(fields));
    hint.is_some_and(|hint| fields.get("told") != hint.text)
}
