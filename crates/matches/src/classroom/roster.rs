//! The names of a class, as they are typed, or pasted out of a list or a spreadsheet.

use std::collections::{HashMap, HashSet};

use crate::names::{self, NameError, key};
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// The longest name of a pupil, in characters.
pub const LONGEST: usize = 40;

/// A wrong name in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongName {
    /// The number of its line, from 1.
    pub line: usize,
    /// The name.
    pub name: String,
    /// The fault.
    pub fault: ListFault,
}

/// The fault of a name in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListFault {
    /// It cannot be the name of a pupil.
    Name(NameError),
    /// A pupil has it already.
    Known,
    /// It is in an earlier line, too, which has this number.
    Again(usize),
    /// It is beyond the [`MOST_NAMES`] names that are read.
    TooMany,
}

/// The names of a list that are read, more than any class has.
pub const MOST_NAMES: usize = 1_000;
/// The wrong names of a list that are told at once.
const MOST_WRONG: usize = 20;

/// A pupil's name in its stored form.
///
/// # Errors
/// The fault of the name.
pub fn name(text: &str) -> Result<String, NameError> {
    names::name(text, LONGEST)
}

/// The place of a name in a list of names: letters by the alphabet whatever their accents, numbers by their value.
#[must_use]
pub fn order(name: &str) -> (Vec<(String, u64)>, String) {
    let key = key(name);
    let plain: String = key.nfd().filter(|c| !is_combining_mark(*c)).collect();
    let mut parts: Vec<(String, u64)> = Vec::new();
    for run in plain
        .as_bytes()
        .chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit())
    {
        let run = String::from_utf8_lossy(run);
        match (run.parse(), parts.last_mut()) {
            (Ok(number), Some(last)) => last.1 = number,
            (Ok(number), None) => parts.push((String::new(), number)),
            (Err(_), _) => parts.push((run.into_owned(), 0)),
        }
    }
    (parts, key)
}

/// The cells of a line between separators, without the quotation marks that spreadsheets put around what they export.
fn cells<'a>(line: &'a str, separators: &[char]) -> Vec<&'a str> {
    let mut cells = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() {
        let quoted = rest
            .strip_prefix('"')
            .and_then(|inner| inner.split_once('"'));
        // Quotation marks count only around a whole cell.
        let (cell, after) = match quoted {
            Some((inner, after)) if after.is_empty() || after.starts_with(separators) => {
                (inner, after)
            }
            _ => rest.split_at(rest.find(separators).unwrap_or(rest.len())),
        };
        if !cell.trim().is_empty() {
            cells.push(cell.trim());
        }
        let mut after = after.chars();
        after.next();
        rest = after.as_str().trim_start_matches(' ');
    }
    cells
}

/// A line of a list without the number or the mark in front of it: `1. Anna`, `2) Ben`, `3 Cem`, `- Dana`.
fn unnumbered(line: &str) -> &str {
    let line = line.trim();
    let after = line.trim_start_matches(|c: char| c.is_ascii_digit());
    if after.len() < line.len() {
        let stop = after.trim_start_matches(['.', ')', ':']);
        if stop.starts_with(char::is_whitespace) {
            return stop.trim_start();
        }
    }
    let marked = line.strip_prefix(['-', '\u{2013}', '\u{2022}', '*']);
    match marked {
        Some(rest) if rest.starts_with(char::is_whitespace) => rest.trim_start(),
        _ => line,
    }
}

/// True for a cell that can be a name: ages, grades and addresses cannot.
fn is_name(cell: &str) -> bool {
    !cell.contains('@') && !cell.starts_with(char::is_numeric)
}

/// The name in a row of a table: its first two columns, without what is no name.
fn of_row(row: &[&str]) -> String {
    let names: Vec<&str> = row
        .iter()
        .copied()
        .filter(|cell| is_name(cell))
        .take(2)
        .collect();
    names.join(" ")
}

/// The names in a text, each with the number of its line: a pupil a line, if the lines have columns; else a list.
///
/// - Several lines, one of them with tabs or semicolons, are a table.
/// - Several lines with at most one comma each are a pupil a line, if no line without one is a single word: what stands
///   before the comma is the surname, unless what follows is no name, but an age for example.
/// - Everything else is a list: commas, semicolons and tabs separate pupils, as line ends do.
fn found(text: &str) -> Vec<(usize, String)> {
    let lines: Vec<(usize, &str)> = (1..)
        .zip(text.lines().map(unnumbered))
        .filter(|(_, line)| !line.is_empty())
        .collect();
    let all = |separators: &[char]| -> Vec<(usize, Vec<&str>)> {
        let cells = lines
            .iter()
            .map(|(nr, line)| (*nr, cells(line, separators)));
        cells.filter(|(_, cells)| !cells.is_empty()).collect()
    };
    if lines.len() > 1 {
        let rows = all(&['\t', ';']);
        if rows.iter().any(|(_, row)| row.len() > 1) {
            return rows.iter().map(|(nr, row)| (*nr, of_row(row))).collect();
        }
        let rows = all(&[',']);
        let is_pupil = |row: &[&str]| row.len() == 2 || (row.len() == 1 && row[0].contains(' '));
        let is_any_two = rows.iter().any(|(_, row)| row.len() == 2);
        if is_any_two && rows.iter().all(|(_, row)| is_pupil(row)) {
            let name = |row: &[&str]| {
                let names: Vec<&str> = row.iter().copied().filter(|cell| is_name(cell)).collect();
                match names[..] {
                    [surname, first] => format!("{first} {surname}"),
                    [name] => name.to_owned(),
                    _ => row[0].to_owned(),
                }
            };
            return rows.iter().map(|(nr, row)| (*nr, name(row))).collect();
        }
    }
    let list = all(&[',', ';', '\t']);
    list.iter()
        .flat_map(|(nr, names)| names.iter().map(|name| (*nr, (*name).to_owned())))
        .collect()
}

/// A pasted list as it is read, a pupil a line, if its teacher should look at it first: it was more than a name a line,
/// and nothing in it is wrong.
#[must_use]
pub fn read(text: &str) -> Option<String> {
    let names = names(text, &[]).ok()?;
    let typed = text.lines().map(str::trim).filter(|line| !line.is_empty());
    (!typed.eq(names.iter().map(String::as_str))).then(|| names.join("\n"))
}

/// A list that its teacher has looked at and corrected, so that [`names()`] takes each line for one pupil: a comma in it
/// separates no others. `shown` is the list as it was shown. `None` if it is another list: with columns, with lines of
/// several names, or with commas between words that were not there.
#[must_use]
pub fn looked_at(text: &str, shown: &str) -> Option<String> {
    let words = |text: &str| -> HashSet<String> {
        let words = text.split(|c: char| c.is_whitespace() || c == ',');
        words.map(key).collect()
    };
    let known = words(shown);
    let is_pupil = |line: &str| match line.matches(',').count() {
        _ if line.contains(['\t', ';']) => false,
        0 => true,
        1 => words(line)
            .iter()
            .all(|word| word.is_empty() || known.contains(word)),
        _ => false,
    };
    let quoted = |line: &str| match line.trim() {
        name if name.contains(',') || unnumbered(name) != name => {
            format!("\"{}\"", name.replace('"', "”"))
        }
        name => name.to_owned(),
    };
    text.lines()
        .all(is_pupil)
        .then(|| text.lines().map(quoted).collect::<Vec<_>>().join("\n"))
}

/// The names in `text`, as a teacher typed or pasted it. None of them may be among `known`.
///
/// # Errors
/// The wrong names.
pub fn names(text: &str, known: &[String]) -> Result<Vec<String>, Vec<WrongName>> {
    let known: HashSet<String> = known.iter().map(|name| key(name)).collect();
    // The line of each name, by its key.
    let mut lines: HashMap<String, usize> = HashMap::new();
    let mut right = Vec::new();
    let mut wrong = Vec::new();
    for (line, part) in found(&names::shown(text)) {
        let (name, fault) = match name(&part) {
            _ if right.len() == MOST_NAMES => (part, Some(ListFault::TooMany)),
            Err(error) => (part, Some(ListFault::Name(error))),
            Ok(name) if known.contains(&key(&name)) => (name, Some(ListFault::Known)),
            Ok(name) => {
                let first = *lines.entry(key(&name)).or_insert(line);
                let is_again = lines.len() == right.len();
                (name, is_again.then_some(ListFault::Again(first)))
            }
        };
        let Some(fault) = fault else {
            right.push(name);
            continue;
        };
        wrong.push(WrongName { line, name, fault });
        if fault == ListFault::TooMany || wrong.len() == MOST_WRONG {
            break;
        }
    }
    if wrong.is_empty() {
        Ok(right)
    } else {
        Err(wrong)
    }
}
