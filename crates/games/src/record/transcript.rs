//! Transcripts of Pijersi, as its official programs write them: the set-up, then every turn with its number, several a
//! line.
//!
//! ```text
//! g16:sprspr f13:prs f4:ww f57:rsp b13:PSR b4:WW b57:SRP a16:RPSRPS
//!
//! 1 a4-b5=c4   2 f4=d5-d4
//! ```
//!
//! A set-up is a list of cells: `a16:RPSRPS` puts a cube on each of a1 to a6, `b4:WW` a stack, its top first.

use std::fmt::Write as _;

use super::data::{Record, RecordError, Replayed};
use crate::rules::pijersi::Turn;

/// The game that transcripts are for.
const GAME: &str = "pijersi";
/// Turns on a line.
const ON_A_LINE: usize = 2;
/// The ordinary set-up.
const SETUP: &str = "g16:sprspr f13:prs f4:ww f57:rsp b13:PSR b4:WW b57:SRP a16:RPSRPS";
const CUBES: &[char] = &['R', 'P', 'S', 'W', 'r', 'p', 's', 'w'];
/// The cells of each row, from `a`.
const ROWS: [usize; 7] = [6, 7, 6, 7, 6, 7, 6];

/// The words of a text, with their places.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split(char::is_whitespace).filter_map(move |word| {
        let begin = at;
        at += word.len()
            + text[at + word.len()..]
                .chars()
                .next()
                .map_or(0, char::len_utf8);
        (!word.is_empty()).then_some((begin, word))
    })
}

/// A part of a set-up: the row, the first and the last cell, and the cubes.
struct Part<'a> {
    row: usize,
    cells: std::ops::RangeInclusive<usize>,
    cubes: &'a str,
}

impl<'a> Part<'a> {
    /// Reads `a16:RPSRPS`; `None` if the word does not look like a part of a set-up.
    fn read(word: &'a str) -> Option<Self> {
        let (cells, cubes) = word.split_once(':')?;
        let mut letters = cells.chars();
        let row = "abcdefg".find(letters.next()?.to_ascii_lowercase())?;
        let number = |letter: char| letter.to_digit(10)?.checked_sub(1);
        let first = usize::try_from(number(letters.next()?)?).ok()?;
        let last = match letters.next() {
            Some(letter) => usize::try_from(number(letter)?).ok()?,
            None => first,
        };
        letters.next().is_none().then_some(Self {
            row,
            cells: first..=last,
            cubes,
        })
    }

    /// Puts its cubes on the board, each cell as a position text writes it.
    fn put(&self, board: &mut [Vec<Option<String>>; 7]) -> Result<(), String> {
        let cubes: Vec<char> = self.cubes.chars().collect();
        if let Some(wrong) = cubes.iter().find(|cube| !CUBES.contains(cube)) {
            return Err(format!(
                "`{wrong}` is no cube: those are R, P, S and W, and r, p, s and w"
            ));
        }
        let row = &mut board[self.row];
        let name = char::from(b'a' + u8::try_from(self.row).unwrap_or(0));
        if self.cells.is_empty() || *self.cells.end() >= row.len() {
            return Err(format!("row {name} has the cells 1 to {}", row.len()));
        }
        let count = self.cells.clone().count();
        let on_cells: Vec<String> = match cubes[..] {
            [top, bottom] if count == 1 => vec![format!("{bottom}{top}")],
            _ if cubes.len() == count => cubes.iter().map(|cube| format!("{cube}-")).collect(),
            _ => {
                return Err(format!(
                    "{count} cells take {count} cubes, or one cell a stack of two"
                ));
            }
        };
        for (cell, cubes) in self.cells.clone().zip(on_cells) {
            if row[cell].replace(cubes).is_some() {
                return Err(format!("there are two pieces on {name}{}", cell + 1));
            }
        }
        Ok(())
    }
}

/// The position text of a set-up.
fn position(board: &[Vec<Option<String>>; 7]) -> String {
    let rows = board.iter().rev().map(|row| {
        let mut text = String::new();
        let mut empty = 0;
        for cell in row.iter().map(Some).chain([None]) {
            match cell {
                Some(None) => empty += 1,
                Some(Some(cubes)) => {
                    if empty > 0 {
                        let _ = write!(text, "{empty}");
                    }
                    empty = 0;
                    text.push_str(cubes);
                }
                None if empty > 0 => {
                    let _ = write!(text, "{empty}");
                }
                None => {}
            }
        }
        text
    });
    format!("{} w 0 1", rows.collect::<Vec<_>>().join("/"))
}

/// The number that a word is, with or without a dot.
fn number(word: &str) -> Option<usize> {
    let digits = word.strip_suffix('.').unwrap_or(word);
    let is_number = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

/// True if `text` looks like a transcript: it begins with a set-up, or both its first turns have a number.
pub(super) fn is_transcript(text: &str) -> bool {
    let mut words = words(text).map(|(_, word)| word);
    let Some(first) = words.next() else {
        return false;
    };
    if Part::read(first).is_some_and(|part| part.cubes.contains(CUBES)) {
        return true;
    }
    let is_turn = |word: &str| word.parse::<Turn>().is_ok();
    number(first) == Some(1)
        && words.next().is_some_and(is_turn)
        && match words.next() {
            Some(next) => number(next).is_some(),
            None => !first.ends_with('.'),
        }
}

/// Reads a transcript.
///
/// # Errors
/// The first place that is not understood, or the first turn that is not legal.
pub(super) fn read(text: &str) -> Result<Replayed, RecordError> {
    let wrong = |at: usize, why: String| RecordError::at(text, at, why);
    let mut words = words(text).peekable();
    let mut board = ROWS.map(|cells| vec![None; cells]);
    let mut setup = None;
    while let Some(&(at, word)) = words.peek() {
        let Some(part) = Part::read(word) else {
            break;
        };
        words.next();
        setup.get_or_insert(at);
        part.put(&mut board).map_err(|why| wrong(at, why))?;
    }
    let record = |position: Option<String>| Record {
        game: GAME.to_owned(),
        position,
        ..Record::default()
    };
    let start = |position| {
        let start = Replayed::start(record(position));
        start.map_err(|(_, why)| wrong(setup.unwrap_or(0), why))
    };
    let ordinary = start(None)?;
    let position = setup.map(|_| position(&board));
    let mut replayed = match position {
        Some(position) if position != ordinary.game.position() => start(Some(position))?,
        _ => ordinary,
    };
    while let Some((at, word)) = words.next() {
        let expected = replayed.record.turns.len() + 1;
        let Some(given) = number(word) else {
            let why =
                format!("the number of turn {expected} should follow here: every turn has one");
            return Err(wrong(at, why));
        };
        if given != expected {
            let why = format!("turn {expected} should follow here, not turn {given}");
            return Err(wrong(at, why));
        }
        let Some((at, turn)) = words.next() else {
            return Err(wrong(at, format!("turn {expected} is missing")));
        };
        replayed.play(turn, "").map_err(|(inside, why)| {
            let place = text[at..].char_indices().nth(inside);
            wrong(at + place.map_or(0, |(offset, _)| offset), why)
        })?;
    }
    Ok(replayed.finish())
}

/// The record as a transcript; `None` for other games, and for one that began elsewhere than at the ordinary set-up.
#[must_use]
pub fn write(record: &Record) -> Option<String> {
    if record.game != GAME || record.position.is_some() {
        return None;
    }
    let mut out = format!("{SETUP}\n");
    for (line, turns) in record.turns.chunks(ON_A_LINE).enumerate() {
        let numbered = (line * ON_A_LINE + 1..).zip(turns);
        let numbered: Vec<String> = numbered
            .map(|(number, turn)| format!("{number} {turn}"))
            .collect();
        let _ = write!(out, "\n{}", numbered.join("   "));
    }
    out.push('\n');
    Some(out)
}
