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
//! Lines that begin with `#` describe changes of the rules; they are not read. A record of chess can
//! also be PGN: see [`pgn`]; one of Pijersi a transcript: see [`transcript`].
//!
//! ```
//! use perplex_games::record;
//!
//! let replayed = record::read("Game: quixo\n\nC1 A1\n2. e5e1").expect("a record");
//! assert_eq!(replayed.record.turns, ["c1-a1", "e5-e1"]);
//! let error = record::read("Game: quixo\n\n1. c3-a3").expect_err("an illegal turn");
//! assert_eq!((error.line, error.column), (3, 4));
//! ```

mod data;
mod json;
pub mod pgn;
pub mod transcript;

pub use data::{Changed, LONGEST, MOST_TURNS, Record, RecordError, Replayed};

/// Reads a record and plays it through. Turns are taken in any notation that the game reads, and
/// their numbers may be left out. A record may also be JSON, PGN of chess, or a transcript of Pijersi.
///
/// # Errors
/// The first place that is not understood, or the first turn that is not legal.
pub fn read(text: &str) -> Result<Replayed, RecordError> {
    let at = |line: usize, column: usize, why: String| RecordError { line, column, why };
    if text.len() > LONGEST {
        let why = format!("this is too long; a record has at most {LONGEST} characters");
        return Err(at(1, 1, why));
    }
    // Other programs begin a file with a mark of its encoding, and end lines in other ways.
    let text = text.trim_start_matches('\u{feff}');
    let text = &*text.replace("\r\n", "\n").replace('\r', "\n");
    if is_json(text) {
        return json::read(text);
    }
    let taken_for = |game: &str, error: RecordError| RecordError {
        why: format!(
            "{} (read as a game of {game}; a record of another game begins with the header \"Game: \" and its name)",
            error.why
        ),
        ..error
    };
    if transcript::is_transcript(text) {
        return transcript::read(text).map_err(|error| taken_for("Pijersi", error));
    }
    if pgn::is_pgn(text) {
        let has_tags = text.trim_start().starts_with('[');
        let read = pgn::read(text);
        return read.map_err(|error| {
            if has_tags {
                error
            } else {
                taken_for("chess", error)
            }
        });
    }
    let mut record = Record::default();
    // The places of the headers with a meaning.
    let mut places: Vec<(&'static str, usize, usize)> = Vec::new();
    let mut lines = (1..).zip(text.lines()).peekable();
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
        let known = data::MEANINGS.into_iter().find(|known| *known == name);
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
            None => record.add(&name, value),
        }
    }
    if record.game.is_empty() {
        let number = lines.peek().map_or(1, |(number, _)| *number);
        let why = "a record begins with the header \"Game: \" and the game's name, PGN of chess with its tags or its first \
                   move, a transcript of Pijersi with its first turn"
            .to_owned();
        return Err(at(number, 1, why));
    }
    let mut replayed = Replayed::start(record).map_err(|(header, why)| {
        let place = places.iter().find(|(place, ..)| *place == header);
        let (line, column) = place.map_or((1, 1), |(_, line, column)| (*line, *column));
        at(line, column, why)
    })?;
    for (number, line) in lines {
        let (column, written) = numbered(line, replayed.record.turns.len() + 1)
            .map_err(|(column, why)| at(number, column, why))?;
        if written.is_empty() || written.starts_with('#') {
            continue;
        }
        replayed
            .play(written, "")
            .map_err(|(inside, why)| at(number, column + inside, why))?;
    }
    Ok(replayed.finish())
}

/// True if `text` is JSON, and not PGN that begins with a comment.
fn is_json(text: &str) -> bool {
    let Some(inside) = text.trim_start().strip_prefix('{') else {
        return false;
    };
    let follows = inside.split_once('}').map_or("", |(_, follows)| follows);
    let name = inside.trim_start().strip_prefix('"');
    let after = name.and_then(|name| name.split_once('"'));
    after.is_some_and(|(_, after)| after.trim_start().starts_with(':')) || follows.trim().is_empty()
}

/// A header's name in small letters, and its value.
fn header(line: &str) -> Option<(String, &str)> {
    let (name, value) = line.split_once(':')?;
    let name = name.trim();
    let is_name = name.starts_with(char::is_alphabetic)
        && !name.contains(|c: char| c.is_ascii_digit() || ".\"{".contains(c));
    is_name.then(|| (name.to_lowercase(), value.trim()))
}

/// The text of a line after the number of the turn, and the column at which it begins.
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
