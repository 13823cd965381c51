//! Records, and the errors of those that cannot be read.

use std::fmt::{self, Display};

use crate::game::AnyGame;
use crate::registry;
use crate::rules::{RuleChange, TurnError};

/// The longest text that is read, in bytes.
pub const LONGEST: usize = 60_000;
/// The most turns that are read.
pub const MOST_TURNS: usize = 3_000;

/// The headers that decide what is played; all others only describe it.
pub(super) const MEANINGS: [&str; 3] = ["game", "variant", "position"];

/// A game to be written down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The game's key in the registry.
    pub game: String,
    /// The variant's key; empty for the ordinary game.
    pub variant: String,
    /// The position text that it starts from; `None` for the ordinary start.
    pub position: Option<String>,
    /// The other headers: names and values. Names are in small letters.
    pub headers: Vec<(String, String)>,
    /// The turns in canonical notation.
    pub turns: Vec<String>,
    /// The changes of the rules that took effect.
    pub changes: Vec<Changed>,
}

/// A change of the rules in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The change itself.
    pub change: RuleChange,
    /// The number of the turn that made it, from 1.
    pub ply: usize,
    /// The name of the player who made it, where it is known.
    pub by: Option<String>,
    /// The time, where it is known.
    pub at: Option<String>,
}

impl Changed {
    /// The changes of a game.
    #[must_use]
    pub fn of(game: &dyn AnyGame) -> Vec<Self> {
        let all = game.changes().into_iter();
        all.map(|(ply, change)| Self {
            change,
            ply,
            by: None,
            at: None,
        })
        .collect()
    }

    /// The player who made it: "White (Ada)".
    #[must_use]
    pub fn who(&self) -> String {
        let side = self.change.side.white_or_black();
        match &self.by {
            Some(name) => format!("{side} ({name})"),
            None => side.to_owned(),
        }
    }

    /// Its state at the end: `in force`, or `replaced`.
    #[must_use]
    pub const fn holds(&self) -> &'static str {
        if self.change.replaced {
            "replaced"
        } else {
            "in force"
        }
    }
}

impl Display for Changed {
    /// One line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RuleChange {
            number,
            subject,
            before,
            after,
            before_words,
            after_words,
            text,
            ..
        } = &self.change;
        write!(f, "{number}. {}, turn {}", self.who(), self.ply)?;
        if let Some(at) = &self.at {
            write!(f, ", {at}")?;
        }
        write!(f, ", {}: {subject} ", self.holds())?;
        if before.is_empty() {
            write!(f, "{after}")?;
        } else {
            write!(f, "{before} -> {after} ({before_words} -> {after_words})")?;
        }
        write!(f, " \"{text}\"")
    }
}

/// A record that was read, with the game as it stands after the last turn.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// The record.
    pub record: Record,
    /// The game after its turns.
    pub game: Box<dyn AnyGame>,
    /// True if the text goes on with other games, which were not read.
    pub is_first: bool,
}

impl Replayed {
    /// The game of `record` before its first turn.
    ///
    /// # Errors
    /// The header that is wrong, and the reason.
    pub(super) fn start(mut record: Record) -> Result<Self, (&'static str, String)> {
        let entry = registry::find(&record.game).ok_or_else(|| {
            let known: Vec<&str> = registry::GAMES.iter().map(|entry| entry.card.key).collect();
            let why = format!(
                "there is no game called \"{}\"; it is one of {}",
                record.game,
                known.join(", ")
            );
            ("game", why)
        })?;
        let plain = entry.setup(&record.variant).ok_or_else(|| {
            let why = format!(
                "{} has no variant called \"{}\"",
                entry.card.name, record.variant
            );
            ("variant", why)
        })?;
        let game = match &record.position {
            None => plain,
            Some(text) => entry
                .from_position(&record.variant, text)
                .map_err(|error| ("position", error.to_string()))?,
        };
        // In canonical form, without spaces that were typed around it.
        record.position = record.position.map(|_| game.position());
        Ok(Self {
            record,
            game,
            is_first: false,
        })
    }

    /// Plays the next turn. An error is the place in `written`, in characters from 0, and the reason, after `label`.
    pub(super) fn play(&mut self, written: &str, label: &str) -> Result<(), (usize, String)> {
        if self.record.turns.len() == MOST_TURNS {
            let why = format!("a record has at most {MOST_TURNS} turns here");
            return Err((0, why));
        }
        let turn = self.game.play(written).map_err(|error| {
            let inside = match &error {
                TurnError::Notation(error) => error.column.saturating_sub(1),
                TurnError::Illegal(_) => 0,
            };
            (inside, format!("{label}{error}"))
        })?;
        self.record.turns.push(turn);
        Ok(())
    }

    /// The record with the changes of the rules that its turns made.
    pub(super) fn finish(mut self) -> Self {
        self.record.changes = Changed::of(&*self.game);
        self
    }
}

/// The place where a record is not understood, and the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Line {line}, column {column}: {why}")]
pub struct RecordError {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// The fault there, as a clause.
    pub why: String,
}

impl RecordError {
    /// `why` at the byte `offset` of `text`.
    pub(super) fn at(text: &str, offset: usize, why: String) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let last = before.rsplit('\n').next().unwrap_or_default();
        Self {
            line: before.matches('\n').count() + 1,
            column: last.chars().count() + 1,
            why,
        }
    }
}

impl Record {
    /// The record of `game`, which is called `key` and `variant`, from its ordinary start.
    #[must_use]
    pub fn new(key: &str, variant: &str, game: &dyn AnyGame) -> Self {
        Self {
            game: key.to_owned(),
            variant: variant.to_owned(),
            position: None,
            headers: Vec::new(),
            turns: game.turns().to_vec(),
            changes: Changed::of(game),
        }
    }

    /// Returns the record with one more header; see [`add`](Self::add).
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.add(name, value);
        self
    }

    /// Adds a header. A name keeps Latin letters, spaces, `-` and `_`; an empty name, or one with a meaning, is not
    /// added. Control characters in the value become spaces.
    pub fn add(&mut self, name: &str, value: &str) {
        let plain = |c: char| c.is_ascii_alphabetic() || " -_".contains(c);
        let name: String = name.chars().filter(|c| plain(*c)).collect();
        let name = name.trim_matches([' ', '-', '_']).to_lowercase();
        if name.is_empty() || MEANINGS.contains(&name.as_str()) {
            return;
        }
        let value: String = value
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        self.headers.push((name, value.trim().to_owned()));
    }
}

impl Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Game: {}", self.game)?;
        if !self.variant.is_empty() {
            writeln!(f, "Variant: {}", self.variant)?;
        }
        if let Some(position) = &self.position {
            writeln!(f, "Position: {position}")?;
        }
        for (name, value) in &self.headers {
            let mut letters = name.chars();
            if let Some(first) = letters.next() {
                writeln!(f, "{}{}: {value}", first.to_uppercase(), letters.as_str())?;
            }
        }
        writeln!(f)?;
        for (number, turn) in (1..).zip(&self.turns) {
            writeln!(f, "{number}. {turn}")?;
        }
        if !self.changes.is_empty() {
            writeln!(f, "\n# Changes of the rules")?;
        }
        for change in &self.changes {
            writeln!(f, "# {change}")?;
        }
        Ok(())
    }
}
