//! Other people's text made safe for a mail, and text wrapped into lines.

use std::fmt::{self, Display, Formatter};

use perplex_matches::names::is_unseen;
use textwrap::core::{Word, break_words, display_width};
use textwrap::{WordSeparator, WrapAlgorithm};

pub const WIDTH: usize = 72;
pub const NAME: usize = 60;
pub const NOTE: usize = 2_000;
pub const ADDRESS: usize = 254;

fn bounded(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// True for a mark of [`isolated`](perplex_matches::names::isolated), which is set anew when the mail is written.
const fn is_isolating(c: char) -> bool {
    matches!(c, '\u{2068}' | '\u{2069}')
}

/// `text` on one line of at most `most` characters, without parts that could pass for a header.
pub fn line(text: &str, most: usize) -> String {
    let seen: String = text
        .chars()
        .filter(|c| !is_isolating(*c))
        .map(|c| if is_unseen(c) { ' ' } else { c })
        .collect();
    let words: Vec<&str> = seen.split_whitespace().collect();
    // A part that looks like an encoded word would be decoded once more by a reader of the header.
    bounded(&words.join(" ").replace("=?", "= ?"), most)
}

/// Other people's text as one bounded line, which may stand in a header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line(String);

impl Line {
    pub fn new(text: &str, most: usize) -> Self {
        Self(line(text, most))
    }

    pub fn name(name: &str) -> Self {
        Self::new(name, NAME)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Display for Line {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// `text` without anything that a mail program makes a link of: a space parts what is joined by a dot, by an `@` or by
/// `://`. Our own links are no text ([`Block::Link`](super::page::Block::Link)), so nothing that a stranger has typed
/// leads anywhere from our mail.
pub fn unlinked(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    for (at, c) in letters.iter().enumerate() {
        let (before, after) = (&letters[..at], &letters[at + 1..]);
        let is_joined = before.last().is_some_and(|c| !c.is_whitespace());
        let next = after.first().filter(|c| !c.is_whitespace());
        // Browsers take the other forms of these for the ASCII ones.
        let parts = match c {
            '.' | '\u{2024}' | '\u{3002}' | '\u{fe52}' | '\u{ff0e}' | '\u{ff61}' => {
                is_joined && (next.is_some_and(|c| begins_label(*c)) || is_in_number(before, after))
            }
            '@' | '\u{fe6b}' | '\u{ff20}' => {
                if is_joined {
                    out.push(' ');
                }
                next.is_some()
            }
            ':' | '\u{fe13}' | '\u{fe55}' | '\u{ff1a}' => {
                is_joined && matches!(next, Some('/' | '\\' | '\u{ff0f}' | '\u{ff3c}'))
            }
            _ => false,
        };
        out.push(*c);
        if parts {
            out.push(' ');
        }
    }
    out
}

/// True for a character with which a part of a domain may begin, so that the text before it and this could be one. The
/// last part of a domain is no number.
fn begins_label(c: char) -> bool {
    let is_punctuation =
        matches!(c, '\u{ab}' | '\u{bb}' | '\u{2010}'..='\u{205e}' | '\u{3001}'..='\u{301f}');
    c.is_ascii_alphabetic() || !(c.is_ascii() || is_punctuation)
}

/// True for a dot between numbers of which there are four or more: an address of a network.
fn is_in_number(before: &[char], after: &[char]) -> bool {
    let is_digit = |c: Option<&char>| c.is_some_and(char::is_ascii_digit);
    let dots = |run: &mut dyn Iterator<Item = &char>| {
        let run = run.take_while(|c| c.is_ascii_digit() || **c == '.');
        run.filter(|c| **c == '.').count()
    };
    let all = dots(&mut before.iter().rev()) + 1 + dots(&mut after.iter());
    is_digit(before.last()) && is_digit(after.first()) && all >= 3
}

/// True if a mail program could make a link of a part of `text`.
pub fn leads_away(text: &str) -> bool {
    let text = line(text, usize::MAX);
    unlinked(&text) != text
}

/// A note of several lines, of at most [`NOTE`] characters and 40 lines.
pub fn note(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<String> = text
        .trim()
        .lines()
        .take(40)
        .map(|one| line(one, NOTE))
        .collect();
    bounded(&lines.join("\n"), NOTE)
}

/// `text` in lines of at most [`WIDTH`] columns, each with `indent` before it. Line ends in `text` stay. Only an
/// address (`https://…`) may be longer than a line; other long words are cut.
pub fn wrap(text: &str, indent: &str) -> String {
    let room = WIDTH - display_width(indent);
    let mut out = String::new();
    for paragraph in text.lines() {
        let text = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
        let words = WordSeparator::AsciiSpace
            .find_words(&text)
            .flat_map(|word| {
                let is_address = word.starts_with("http://") || word.starts_with("https://");
                if is_address {
                    vec![word]
                } else {
                    break_words([word], room)
                }
            });
        let words: Vec<Word> = words.collect();
        for line in WrapAlgorithm::FirstFit.wrap(&words, &[room]) {
            let start = indent.to_owned();
            let line = line
                .iter()
                .fold(start, |line, word| line + word + word.whitespace);
            out += line.trim_end();
            out.push('\n');
        }
    }
    out
}
