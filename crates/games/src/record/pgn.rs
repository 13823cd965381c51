//! Portable Game Notation. A game of Flexichess in which no rule changed is a PGN that every program
//! reads; where rules changed, each turn that is no move of chess is a null move (`--`) with a command in
//! its comment, in the manner of `[%clk …]`:
//!
//! ```text
//! 1. e4 e5 2. -- {[%turn rule N NW "Knights also step."]} Nc6
//! ```
//!
//! In a command `%`, `]` and `}` are written `%25`, `%5D` and `%7D`.

mod read;

use std::fmt::Write as _;

use super::data::Record;
use crate::game::{AnyGame, PlayedTurn};
use crate::rules::Seat;

pub(super) use read::{is_pgn, read};

/// The game that PGN is for.
pub const GAME: &str = "flexichess";
/// The columns of a line of moves.
const WIDTH: usize = 79;

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

/// A turn in a command. A program that breaks long lines breaks it between words.
fn turn_of(command: &str) -> String {
    command
        .replace('\n', " ")
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
            if !movetext.is_empty() && !movetext.ends_with('\n') {
                movetext.push('\n');
            }
            let _ = writeln!(movetext, "{{{}}}", comment.join(" "));
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
