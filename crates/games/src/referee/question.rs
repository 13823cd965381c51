//! Questions to the referee, in any game, and its refusals.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::rules::{Outcome, Side};

/// A question: one line of input.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Question {
    pub(super) game: String,
    #[serde(default)]
    pub(super) variant: Option<String>,
    /// The position to start from.
    #[serde(default)]
    pub(super) fen: Option<String>,
    /// Rules that differ from those of the start, in games whose rules change.
    #[serde(default)]
    pub(super) rules: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) turns: Vec<String>,
    #[serde(default)]
    pub(super) want: Vec<String>,
    /// Parts of a record beside its turns: a record of a match is a question, too.
    #[serde(default, rename = "headers")]
    _headers: serde::de::IgnoredAny,
    #[serde(default, rename = "events")]
    _events: serde::de::IgnoredAny,
}

/// The answer to a line that could not be served.
#[derive(Debug, Serialize)]
pub(super) struct Refusal {
    pub(super) ok: bool,
    /// The first turn that was refused, counted from 1; absent if the line itself was not understood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) turn: Option<usize>,
    pub(super) error: String,
}

/// An outcome in words: the winner, and the reason; neither while it is open.
pub(super) fn outcome_words(outcome: Option<Outcome>) -> [Option<String>; 2] {
    let Some(outcome) = outcome else {
        return [None, None];
    };
    let winner = outcome
        .winner
        .map_or_else(|| "draw".to_owned(), |side: Side| side.to_string());
    [Some(winner), Some(outcome.reason.to_string())]
}

pub(super) fn refuse(error: impl Into<String>) -> Refusal {
    Refusal {
        ok: false,
        turn: None,
        error: error.into(),
    }
}

/// The greatest depth of a count: no game can be counted deeper in a lifetime.
const DEEPEST: u32 = 30;

/// A part of the answer that a question may ask for.
pub(super) enum Want {
    Legal,
    Perft(u32),
    Position,
    Turns,
}

impl Want {
    pub(super) fn read(text: &str) -> Result<Self, Refusal> {
        match text {
            "legal" => Ok(Self::Legal),
            "position" => Ok(Self::Position),
            "turns" => Ok(Self::Turns),
            _ => match text.strip_prefix("perft:").map(str::parse) {
                Some(Ok(depth @ ..=DEEPEST)) => Ok(Self::Perft(depth)),
                Some(_) => Err(refuse(format!(
                    "\"{text}\" can't be counted: the depth is a number from 0 to {DEEPEST}"
                ))),
                None => Err(refuse(format!(
                    "unknown want \"{text}\": it is one of legal, perft:DEPTH, position, turns"
                ))),
            },
        }
    }
}
