//! Portable Game Notation. A game of Flexichess in which no rule changed is a PGN that every program
//! reads; where rules changed, each turn that is no move of chess is a null move (`--`) with a command in
//! its comment, in the manner of `[%clk …]`:
//!
//! ```text
//! 1. e4 e5 2. -- {[%turn rule N NW "Knights also step."]} Nc6
//! ```
//!
//! In a command `%`, `]` and `}` are written `%25`, `%5D` and `%7D`.

use std::fmt::Write as _;

use super::data::{Record, RecordError, Replayed};
use crate::game::{AnyGame, PlayedTurn};
use crate::rules::Seat;

/// The game that PGN is for.
pub const GAME: &str = "flexichess";
/// The columns of a line of moves.
const WIDTH: usize = 79;

/// True if `text` looks like PGN: it begins with a tag.
#[must_use]
pub fn is_pgn(text: &str) -> bool {
    text.trim_start_matches('\u{feff}')
        .trim_start()
        .starts_with('[')
}

/// True if a turn is written as a move of chess.
fn is_move(past: &PlayedTurn) -> bool {
    !past.also.is_empty()
}

fn command(turn: &str) -> String {
    let escaped = turn
        .replace('%', "%25")
        .replace(']', "%5D")
        .replace('}', "%7D");
    format!("[%turn {escaped}]")
}

fn turn_of(command: &str) -> String {
    command
        .replace("%7D", "}")
        .replace("%5D", "]")
        .replace("%25", "%")
}

/// Writes a tag. Names of tags are letters, values are one line.
fn tag(out: &mut String, name: &str, value: &str) {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
    let _ = writeln!(out, "[{name} \"{value}\"]");
}

/// Puts `word` on the last line, or on a new one.
fn put(out: &mut String, word: &str) {
    let used = out.len() - out.rfind('\n').map_or(0, |at| at + 1);
    if used > 0 {
        out.push(if used + 1 + word.len() > WIDTH {
            '\n'
        } else {
            ' '
        });
    }
    out.push_str(word);
}

/// The record of `game` as PGN; `None` for games other than [`GAME`].
#[must_use]
pub fn write(record: &Record, game: &dyn AnyGame) -> Option<String> {
    if record.game != GAME {
        return None;
    }
    let past = game.past();
    let header = |name: &str| {
        let known = record.headers.iter().find(|(known, _)| known == name);
        known.map_or("?", |(_, value)| value.as_str())
    };
    let result = match header("result") {
        "first" => "1-0",
        "second" => "0-1",
        "draw" => "1/2-1/2",
        _ => "*",
    };
    let date: String = header("made").chars().take(10).collect();
    let date = if date.len() == 10 {
        date.replace('-', ".")
    } else {
        "????.??.??".to_owned()
    };
    let mut out = String::new();
    let only_moves = past.iter().all(is_move);
    tag(&mut out, "Event", "Perplex");
    tag(&mut out, "Site", header("match"));
    tag(&mut out, "Date", &date);
    tag(&mut out, "Round", "-");
    tag(&mut out, "White", header("white"));
    tag(&mut out, "Black", header("black"));
    tag(&mut out, "Result", result);
    if header("reason") != "?" {
        tag(&mut out, "Termination", header("reason"));
    }
    if !only_moves {
        // Readers refuse unknown values of "Variant".
        tag(&mut out, "Rules", "Flexichess");
    }
    if let Some(position) = &record.position {
        tag(&mut out, "SetUp", "1");
        tag(&mut out, "FEN", position);
    }
    out.push('\n');
    let mut movetext = String::new();
    // Black may be to move at first, and the count need not begin with 1.
    let mut number = record
        .position
        .as_deref()
        .and_then(|fen| fen.split_whitespace().nth(5)?.parse().ok())
        .unwrap_or(1_u32);
    let mut says_number = true;
    let mut turns = record.turns.iter().zip(&past).peekable();
    while let Some((turn, done)) = turns.next() {
        // A proposal that is answered next counts only if it is accepted.
        let answer = turns
            .next_if(|(_, next)| next.answers)
            .map(|(text, _)| text);
        let mut comment = Vec::new();
        if !is_move(done) {
            comment.push(command(turn));
        }
        comment.extend(answer.map(|answer| command(answer)));
        let counts = answer.is_none_or(|answer| answer != "reject");
        if counts {
            if done.seat == Seat(0) {
                put(&mut movetext, &format!("{number}."));
            } else if says_number {
                put(&mut movetext, &format!("{number}..."));
            }
            says_number = false;
            let san = done.also.first().map_or("--", String::as_str);
            put(&mut movetext, san);
            number += u32::from(done.seat != Seat(0));
        }
        if !comment.is_empty() {
            // The line of a comment is not broken, because spaces in its text matter.
            let _ = write!(movetext, "\n{{{}}}\n", comment.join(" "));
            says_number = true;
        }
    }
    if !record.changes.is_empty() {
        let open = if movetext.ends_with('\n') { "" } else { "\n" };
        movetext.push_str(open);
        for change in &record.changes {
            let _ = writeln!(movetext, "; {change}");
        }
    }
    put(&mut movetext, result);
    out.push_str(&movetext);
    out.push('\n');
    Some(out)
}

/// Walks through a text and knows its place.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip(&mut self, to: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(to).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// The text before `mark`, which is passed over; the rest if it is missing.
    fn until(&mut self, mark: char) -> &'a str {
        let found = self.skip(|c| c == mark);
        self.at = (self.at + mark.len_utf8()).min(self.text.len());
        found
    }

    /// Reads a tag, after its opening bracket: name and value.
    fn tag(&mut self) -> Option<(&'a str, String)> {
        let name = self.skip(|c| c == '"' || c == ']').trim();
        let mut rest = self.rest().strip_prefix('"')?.char_indices();
        let mut value = String::new();
        while let Some((offset, c)) = rest.next() {
            match c {
                '\\' => value.extend(rest.next().map(|(_, c)| c)),
                '"' => {
                    self.at += offset + 2;
                    self.until(']');
                    return Some((name, value));
                }
                c => value.push(c),
            }
        }
        None
    }
}

/// Reads the first game of a PGN: its main line, with turns in comments where rules change.
///
/// # Errors
/// The first place that is not understood, or the first move that is not legal.
pub fn read(text: &str) -> Result<Replayed, RecordError> {
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = Reader { text, at: 0 };
    let mut record = Record {
        game: GAME.to_owned(),
        ..Record::default()
    };
    let mut fen = 0;
    loop {
        reader.skip(|c| !c.is_whitespace());
        if !reader.rest().starts_with('[') {
            break;
        }
        let begin = reader.at;
        reader.at += 1;
        let Some((name, value)) = reader.tag() else {
            let why = "a tag is written `[Name \"value\"]`".to_owned();
            return Err(RecordError::at(text, begin, why));
        };
        if name.eq_ignore_ascii_case("fen") {
            fen = begin;
            record.position = Some(value);
        } else if !name.eq_ignore_ascii_case("setup") && value != "?" {
            record = record.with(name, &value);
        }
    }
    let mut replayed =
        Replayed::start(record).map_err(|(_, why)| RecordError::at(text, fen, why))?;
    let mut depth = 0_u32;
    loop {
        reader.skip(|c| !c.is_whitespace());
        let begin = reader.at;
        let Some(c) = reader.rest().chars().next() else {
            break;
        };
        let mut said: Vec<(usize, String)> = Vec::new();
        match c {
            '{' => {
                reader.at += 1;
                let start = reader.at;
                let comment = reader.until('}');
                let commands = comment.match_indices("[%turn ");
                for (at, mark) in commands.filter(|_| depth == 0) {
                    let turn = &comment[at + mark.len()..];
                    let turn = &turn[..turn.find(']').unwrap_or(turn.len())];
                    said.push((start + at + mark.len(), turn_of(turn)));
                }
            }
            ';' | '%' => {
                reader.until('\n');
            }
            '(' | ')' => {
                depth = if c == '(' {
                    depth + 1
                } else {
                    depth.saturating_sub(1)
                };
                reader.at += 1;
            }
            '[' => break,
            _ => {
                let word = reader.skip(|c| c.is_whitespace() || "{}();[".contains(c));
                if word.is_empty() {
                    reader.at += c.len_utf8();
                    continue;
                }
                if matches!(word, "1-0" | "0-1" | "1/2-1/2" | "*") && depth == 0 {
                    break;
                }
                // `3.e4`, `3...`, `3.`; `0-0` is castling.
                let digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
                let bare = if digits.starts_with('.') || digits.is_empty() {
                    digits.trim_start_matches('.')
                } else {
                    word
                };
                let is_nothing = bare.is_empty() || bare == "--" || bare.starts_with('$');
                if !is_nothing && depth == 0 && bare.chars().any(char::is_alphanumeric) {
                    said.push((begin + word.len() - bare.len(), bare.to_owned()));
                }
            }
        }
        for (at, turn) in said {
            replayed.play(&turn, "").map_err(|(inside, why)| {
                let place = text[at..].char_indices().nth(inside);
                let at = at + place.map_or(0, |(offset, _)| offset);
                RecordError::at(text, at, why)
            })?;
        }
    }
    Ok(replayed.finish())
}
