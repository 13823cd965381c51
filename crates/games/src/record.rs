//! Records: a game as text, headers first, then the numbered turns in canonical notation, one a
//! line. Pure: what [`Record`] writes, [`read`] reads back.
//!
//! ```text
//! Game: quixo
//! Crosses: Ada
//! Circles: Bo
//! Result: first
//!
//! 1. c1-a1
//! 2. e5-e1
//! ```
//!
//! Where rules changed, lines that begin with `#` tell of it; they are not read. A record of chess can
//! also be PGN: see [`pgn`].

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

use crate::registry::{self, AnyGame};
use crate::rules::{RuleChange, Side, TurnError};

pub mod pgn;

/// The longest text that is read, in bytes.
pub const LONGEST: usize = 60_000;
/// The most turns that are read.
pub const MOST_TURNS: usize = 3_000;

/// A game to be written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The game's key in the registry.
    pub game: String,
    /// The variant's key; empty for the ordinary game.
    pub variant: String,
    /// The position text that it starts from; `None` for the ordinary start.
    pub position: Option<String>,
    /// What else is known: names and what they stand for. Names are in small letters.
    pub headers: Vec<(String, String)>,
    /// The turns in canonical notation.
    pub turns: Vec<String>,
    /// The changes of the rules that took effect.
    pub changes: Vec<Changed>,
}

/// A change of the rules in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// What changed.
    pub change: RuleChange,
    /// The number of the turn that made it, from 1.
    pub ply: usize,
    /// The name of whoever made it, where it is known.
    pub by: Option<String>,
    /// When, where it is known.
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

    /// Who made it: "White (Ada)".
    #[must_use]
    pub fn who(&self) -> String {
        let side = match self.change.side {
            Side::First => "White",
            Side::Second => "Black",
        };
        match &self.by {
            Some(name) => format!("{side} ({name})"),
            None => side.to_owned(),
        }
    }

    /// Whether it holds at the end: `in force`, or `replaced`.
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
    /// What was written.
    pub record: Record,
    /// The game after its turns.
    pub game: Box<dyn AnyGame>,
}

/// Where a record is not understood, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordError {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// What is wrong there, as a clause.
    pub why: String,
}

impl Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Line {}, column {}: {}",
            self.line, self.column, self.why
        )
    }
}

impl std::error::Error for RecordError {}

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

    /// With one more header. What cannot stand in one is left out: controls, and a colon in a name.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        let line = |text: &str| -> String {
            let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
            plain.collect::<String>().trim().to_owned()
        };
        let name = line(name).replace(':', "").to_lowercase();
        self.headers.push((name, line(value)));
        self
    }

    /// The record as JSON, which [`read`] reads, too.
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
        // Texts are always written.
        serde_json::to_string_pretty(&json).unwrap_or_default() + "\n"
    }

    /// The game before its first turn.
    ///
    /// # Errors
    /// The header that is wrong, and why.
    fn start(&self) -> Result<Box<dyn AnyGame>, (&'static str, String)> {
        let entry = registry::find(&self.game).ok_or_else(|| {
            let known: Vec<&str> = registry::GAMES.iter().map(|entry| entry.card.key).collect();
            let why = format!(
                "there is no game called \"{}\"; it is one of {}",
                self.game,
                known.join(", ")
            );
            ("game", why)
        })?;
        let plain = entry.setup(&self.variant).ok_or_else(|| {
            let why = format!(
                "{} has no variant called \"{}\"",
                entry.card.name, self.variant
            );
            ("variant", why)
        })?;
        match &self.position {
            None => Ok(plain),
            Some(text) => entry
                .from_position(&self.variant, text)
                .map_err(|error| ("position", error.to_string())),
        }
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
    /// For whoever reads it; the turns say the same.
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

/// Reads a record that is JSON.
fn read_json(text: &str) -> Result<Replayed, RecordError> {
    let json: Json = serde_json::from_str(text).map_err(|error| {
        let why = error.to_string();
        // The place is said once.
        let why = why.split(" at line ").next().unwrap_or_default();
        RecordError {
            line: error.line().max(1),
            column: error.column().max(1),
            why: format!("this is not a record: {why}"),
        }
    })?;
    // Where a piece of the text stands that is looked for from `from` on.
    let place = |what: &str, from: usize| {
        let offset = from + text.get(from..).and_then(|rest| rest.find(what))?;
        Some(offset)
    };
    let at = |offset: usize, why: String| {
        let before = text.get(..offset).unwrap_or_default();
        let last = before.rsplit('\n').next().unwrap_or_default();
        RecordError {
            line: before.matches('\n').count() + 1,
            column: last.chars().count() + 1,
            why,
        }
    };
    let mut record = Record {
        game: json.game.trim().to_lowercase(),
        variant: json.variant.trim().to_lowercase(),
        position: json.position,
        headers: json.headers.into_iter().collect(),
        turns: Vec::new(),
        changes: Vec::new(),
    };
    let mut game = record.start().map_err(|(header, why)| {
        let offset = place(&format!("\"{header}\""), 0).unwrap_or(0);
        at(offset, why)
    })?;
    let mut offset = place("\"turns\"", 0).map_or(0, |offset| offset + "\"turns\"".len());
    for (number, written) in (1..).zip(json.turns) {
        let literal = serde_json::to_string(&written).unwrap_or_default();
        let found = place(&literal, offset).unwrap_or(offset);
        if number > MOST_TURNS {
            let why = format!("a record has at most {MOST_TURNS} turns here");
            return Err(at(found, why));
        }
        let turn = game
            .play(&written)
            .map_err(|error| at(found, format!("turn {number}: {error}")))?;
        offset = found + literal.len();
        record.turns.push(turn);
    }
    record.changes = Changed::of(&*game);
    Ok(Replayed { record, game })
}

/// Reads a record and plays it through. Turns are taken in any notation that the game reads, and
/// their numbers may be left out. A record may also be JSON, or PGN of chess.
///
/// # Errors
/// The first place that is not understood, or the first turn that is not legal.
pub fn read(text: &str) -> Result<Replayed, RecordError> {
    let at = |line: usize, column: usize, why: String| RecordError { line, column, why };
    if text.len() > LONGEST {
        let why = format!("this is too long; a record has at most {LONGEST} characters");
        return Err(at(1, 1, why));
    }
    if text.trim_start().starts_with('{') {
        return read_json(text);
    }
    if pgn::is_pgn(text) {
        return pgn::read(text);
    }
    let mut record = Record {
        game: String::new(),
        variant: String::new(),
        position: None,
        headers: Vec::new(),
        turns: Vec::new(),
        changes: Vec::new(),
    };
    // Where the headers that matter stand.
    let mut places: Vec<(&'static str, usize, usize)> = Vec::new();
    let mut lines = (1..)
        .zip(text.trim_start_matches('\u{feff}').lines())
        .peekable();
    while let Some(&(number, line)) = lines.peek() {
        let Some((name, value)) = header(line) else {
            if line.trim().is_empty() && record.game.is_empty() {
                lines.next();
                continue;
            }
            break;
        };
        lines.next();
        let after = line.split_once(':').map_or("", |(_, after)| after);
        let column = line.chars().count() - after.trim_start().chars().count() + 1;
        let known = ["game", "variant", "position"]
            .into_iter()
            .find(|known| *known == name);
        if let Some(known) = known {
            if places.iter().any(|(place, ..)| *place == known) {
                return Err(at(number, 1, format!("there are two headers \"{known}\"")));
            }
            places.push((known, number, column));
        }
        match known {
            Some("game") => record.game = value.to_lowercase(),
            Some("variant") => record.variant = value.to_lowercase(),
            Some(_) => record.position = Some(value.to_owned()),
            None => record.headers.push((name, value.to_owned())),
        }
    }
    if record.game.is_empty() {
        let number = lines.peek().map_or(1, |(number, _)| *number);
        let why = "a record begins with the header \"Game: \" and the game's name".to_owned();
        return Err(at(number, 1, why));
    }
    let mut game = record.start().map_err(|(header, why)| {
        let place = places.iter().find(|(place, ..)| *place == header);
        let (line, column) = place.map_or((1, 1), |(_, line, column)| (*line, *column));
        at(line, column, why)
    })?;
    for (number, line) in lines {
        let (column, written) = numbered(line, record.turns.len() + 1)
            .map_err(|(column, why)| at(number, column, why))?;
        if written.is_empty() || written.starts_with('#') {
            continue;
        }
        if record.turns.len() == MOST_TURNS {
            let why = format!("a record has at most {MOST_TURNS} turns here");
            return Err(at(number, 1, why));
        }
        let turn = game.play(written).map_err(|error| {
            let inside = match &error {
                TurnError::Notation(error) => error.column.saturating_sub(1),
                TurnError::Illegal(_) => 0,
            };
            at(number, column + inside, error.to_string())
        })?;
        record.turns.push(turn);
    }
    record.changes = Changed::of(&*game);
    Ok(Replayed { record, game })
}

/// A header's name in small letters, and its value.
fn header(line: &str) -> Option<(String, &str)> {
    let (name, value) = line.split_once(':')?;
    let name = name.trim();
    let is_name = name.starts_with(char::is_alphabetic)
        && !name.contains(|c: char| c.is_ascii_digit() || ".\"{".contains(c));
    is_name.then(|| (name.to_lowercase(), value.trim()))
}

/// What a line holds beside the number of the turn, and at which column that begins.
fn numbered(line: &str, expected: usize) -> Result<(usize, &str), (usize, String)> {
    let column = |rest: &str| line.chars().count() - rest.chars().count() + 1;
    let rest = line.trim_start();
    let number = rest
        .split_once('.')
        .filter(|(number, _)| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()));
    let Some((number, turn)) = number else {
        return Ok((column(rest), rest.trim_end()));
    };
    if number.parse() != Ok(expected) {
        let why = format!("turn {expected} should follow here, not turn {number}");
        return Err((column(rest), why));
    }
    let turn = turn.trim_start();
    if turn.is_empty() {
        return Err((column(turn), format!("turn {number} is missing")));
    }
    Ok((column(turn), turn.trim_end()))
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::seq::IndexedRandom as _;
    use rand::{RngExt as _, SeedableRng as _};

    use super::*;

    #[test]
    fn random_games_of_every_game_read_back() {
        let seed: u64 = rand::random();
        println!("seed {seed}");
        let mut rng = StdRng::seed_from_u64(seed);
        for entry in registry::GAMES {
            for variant in entry.card.variants {
                for _ in 0..3 {
                    let mut game = entry.setup(variant.key).unwrap();
                    let length = rng.random_range(0..80);
                    while game.turns().len() < length {
                        let legal = game.legal();
                        let Some(turn) = legal.choose(&mut rng) else {
                            break;
                        };
                        game.play(turn).unwrap();
                    }
                    let record = Record::new(entry.card.key, variant.key, &*game)
                        .with("Started", "2026-11-21T09:00:00Z")
                        .with("Na\nme:", "Ada: the \"first\"\r");
                    let read = read(&record.to_string()).unwrap();
                    assert_eq!(read.record, record);
                    assert_eq!(read.game.position(), game.position());
                    let json = super::read(&record.json()).unwrap();
                    assert_eq!(json.record, sorted(&record));
                    let again = Record {
                        position: Some(game.position()),
                        turns: Vec::new(),
                        changes: Vec::new(),
                        ..record
                    };
                    assert_eq!(super::read(&again.to_string()).unwrap().record, again);
                }
            }
        }
    }

    /// As JSON has no order of headers.
    fn sorted(record: &Record) -> Record {
        let mut record = record.clone();
        record.headers.sort();
        record
    }

    #[test]
    fn changed_rules_read_back() {
        let mut game = registry::find("flexichess").unwrap().setup("").unwrap();
        let turns = ["rule N NW \"Knights: 1. also_step ~ .\"", "accept"];
        for turn in turns {
            let _ = game.play(turn);
        }
        assert!(!game.turns().is_empty());
        let record = Record::new("flexichess", "", &*game);
        assert_eq!(read(&record.to_string()).unwrap().record, record);
        assert_eq!(read(&record.json()).unwrap().record, record);
        let told = "# 1. White, turn 1, in force: N N -> NW (the knight moves like a knight -> the knight \
                    moves like a knight, or one square straight) \"Knights: 1. also_step ~ .\"";
        assert!(record.to_string().contains(told), "{record}");
        assert!(
            record.json().contains("\"in_force\": true"),
            "{}",
            record.json()
        );
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (text, line, column, why) in [
            ("", 1, 1, "begins with"),
            ("1. c1-a1", 1, 1, "begins with"),
            ("Game: chess\n", 1, 7, "there is no game"),
            ("\nGame: quixo\nVariant:  five\n", 3, 11, "no variant"),
            ("Game: quixo\nGame: pylyx\n", 2, 1, "two headers"),
            ("Game: quixo\nPosition: x\n", 2, 11, ""),
            ("Game: quixo\n\n1. c1-a1\n3. e5-e1", 4, 1, "turn 2"),
            ("Game: quixo\n\n1. c1-a1\n2. c3-a3", 4, 4, ""),
            ("Game: quixo\n\n1. c1-a1\n\n  2. c9-a3", 5, 7, ""),
            ("Game: quixo\n\n1.\n", 3, 3, "missing"),
            ("{\"game\": 1}", 1, 10, "not a record"),
            (
                "{\"game\": \"quixo\",\n \"turns\": [\"c1-a1\",\n  \"c3-a3\"]}",
                3,
                3,
                "turn 2",
            ),
        ] {
            let error = read(text).unwrap_err();
            assert_eq!(
                (error.line, error.column),
                (line, column),
                "{text}: {error}"
            );
            assert!(error.why.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn it_is_read_leniently() {
        let text = "\u{feff}\r\n GAME : Quixo\r\nDate: today\r\n\r\nC1 A1\r\n2.e5e1\r\n";
        let read = read(text).unwrap();
        assert_eq!(read.record.turns, ["c1-a1", "e5-e1"]);
        assert_eq!(
            read.record.headers,
            [("date".to_owned(), "today".to_owned())]
        );
    }
}
