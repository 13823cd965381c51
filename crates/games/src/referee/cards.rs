//! The rule cards for other programs.

use std::io::{self, Write};

use serde::Serialize;

use crate::rules::flexichess::CARDS;

/// A rule card as a line of JSON.
#[derive(Debug, Serialize)]
struct Line {
    card: &'static str,
    name: &'static str,
    kind: char,
    rule: &'static str,
    text: &'static str,
}

/// `perplex cards`: writes the rule cards that a turn of Flexichess or Perplexichess may name, one JSON object a line.
///
/// # Errors
/// Only those of writing.
pub fn list_cards(mut output: impl Write) -> io::Result<()> {
    for card in CARDS {
        let line = Line {
            card: card.id,
            name: card.name,
            kind: card.kind.letter(),
            rule: card.rule,
            text: card.text,
        };
        writeln!(output, "{}", serde_json::to_string(&line)?)?;
    }
    Ok(())
}
