//! Records as JSON.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::data::{Changed, Record, RecordError, Replayed};

/// A record as JSON.
#[derive(Serialize, Deserialize)]
struct Json {
    game: String,
    #[serde(default)]
    variant: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    position: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    turns: Vec<String>,
    /// Only written: the turns say the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty", skip_deserializing)]
    changes: Vec<JsonChange>,
}

/// A change of the rules as JSON.
#[derive(Serialize)]
struct JsonChange {
    number: u32,
    side: String,
    by: Option<String>,
    at: Option<String>,
    turn: usize,
    text: String,
    subject: char,
    before: String,
    after: String,
    before_words: String,
    after_words: String,
    in_force: bool,
}

impl JsonChange {
    fn of(changed: &Changed) -> Self {
        let change = changed.change.clone();
        Self {
            number: change.number,
            side: change.side.to_string(),
            by: changed.by.clone(),
            at: changed.at.clone(),
            turn: changed.ply,
            text: change.text,
            subject: change.subject,
            before: change.before,
            after: change.after,
            before_words: change.before_words,
            after_words: change.after_words,
            in_force: !change.replaced,
        }
    }
}

impl Record {
    /// The record as JSON, which `read` reads, too.
    #[must_use]
    pub fn json(&self) -> String {
        let json = Json {
            game: self.game.clone(),
            variant: self.variant.clone(),
            position: self.position.clone(),
            headers: self.headers.iter().cloned().collect(),
            turns: self.turns.clone(),
            changes: self.changes.iter().map(JsonChange::of).collect(),
        };
        // Text can always be written.
        serde_json::to_string_pretty(&json).unwrap_or_default() + "\n"
    }
}

/// Reads a record that is JSON.
///
/// # Errors
/// The first place that is not understood, or the first turn that is not legal.
pub(super) fn read(text: &str) -> Result<Replayed, RecordError> {
    let json: Json = serde_json::from_str(text).map_err(|error| {
        let why = error.to_string();
        // The error has a place of its own.
        let why = why.split(" at line ").next().unwrap_or_default();
        RecordError {
            line: error.line().max(1),
            column: error.column().max(1),
            why: format!("this is not a record: {why}"),
        }
    })?;
    // The offset of a piece of the text, from `from` on.
    let place = |what: &str, from: usize| {
        let offset = from + text.get(from..).and_then(|rest| rest.find(what))?;
        Some(offset)
    };
    let mut record = Record {
        game: json.game.trim().to_lowercase(),
        variant: json.variant.trim().to_lowercase(),
        position: json.position,
        ..Record::default()
    };
    for (name, value) in json.headers {
        record.add(&name, &value);
    }
    let mut replayed = Replayed::start(record).map_err(|(header, why)| {
        let offset = place(&format!("\"{header}\""), 0).unwrap_or(0);
        RecordError::at(text, offset, why)
    })?;
    let mut offset = place("\"turns\"", 0).map_or(0, |offset| offset + "\"turns\"".len());
    for (number, written) in (1..).zip(json.turns) {
        let literal = serde_json::to_string(&written).unwrap_or_default();
        let found = place(&literal, offset).unwrap_or(offset);
        replayed
            .play(&written, &format!("turn {number}: "))
            .map_err(|(_, why)| RecordError::at(text, found, why))?;
        offset = found + literal.len();
    }
    Ok(replayed.finish())
}
