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

/// `text` on one line of at most `most` characters, without parts that could pass for a header.
pub fn line(text: &str, most: usize) -> String {
    let seen: String = text
        .chars()
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

/// True if a mail program could make a link of a part of `text`: a stranger must not be able to send links by our
/// mail.
pub fn leads_away(text: &str) -> bool {
    let text = line(text, usize::MAX).to_lowercase();
    let letters: Vec<char> = text.chars().collect();
    // "example.org" is a link, too; for "Spring 2.0", "e.g." and "7b." either answer is fine.
    let dotted = letters
        .windows(3)
        .any(|three| three[0].is_alphanumeric() && three[1] == '.' && three[2].is_alphabetic());
    dotted
        || ["http", "www", "://", "@"]
            .iter()
            .any(|part| text.contains(part))
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
