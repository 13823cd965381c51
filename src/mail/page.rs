//! A mail's two parts, plain text and HTML, made from one list of paragraphs.

use std::fmt::Write as _;

use askama::Template;

use super::text::{unlinked, wrap};
use perplex_matches::names::isolated;

/// The place of the boards in a template. Like the other places it is a control character, which other people's text
/// never holds (see [`super::text::line`]).
pub const BOARD: char = '\u{1}';
/// The place of what is told one by one.
pub const TURNS: char = '\u{2}';
/// The place of the button; its label follows.
pub const OPEN: char = '\u{3}';
/// The place of the link that ends mails of this kind; its label follows.
pub const OFF: char = '\u{4}';
/// The place of the link to all settings; its label follows.
pub const SETTINGS: char = '\u{5}';

/// Something told on a line, with the note that came with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnLine {
    /// "Ada played c1-a1."
    pub turn: String,
    pub note: String,
}

/// A position, in letters and as a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Board {
    /// Empty if only the picture is shown.
    pub text: String,
    /// The words in place of the picture, for readers who don't see it.
    pub alt: String,
    /// The parts of the position that are not in the picture.
    pub notes: Vec<String>,
    /// The SVG that the picture is made of.
    pub drawing: String,
    /// The picture; `None` before it is drawn, and if it cannot be.
    pub shown: Option<Shown>,
}

/// A picture that goes with a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Its Content-ID, without angle brackets.
    pub cid: String,
    /// Its width in CSS pixels.
    pub width: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// The title of a part of a mail.
    Heading(String),
    Text(String),
    Turns(Vec<TurnLine>),
    Board(Board),
    Link(String, String),
}

#[derive(Clone, Debug, Default)]
pub struct Places<'a> {
    pub boards: &'a [Board],
    pub turns: &'a [TurnLine],
    pub open: &'a str,
    pub off: &'a str,
    pub settings: &'a str,
}

impl Places<'_> {
    /// The paragraphs of a filled template, without empty ones and empty places.
    pub fn blocks(&self, filled: &str) -> Vec<Block> {
        filled
            .split("\n\n")
            .map(str::trim_ascii)
            .filter(|paragraph| !paragraph.is_empty())
            .flat_map(|paragraph| {
                let mut rest = paragraph.chars();
                let link = |to: &str, label: &str| {
                    let link = || Block::Link(to.to_owned(), label.trim().to_owned());
                    (!to.is_empty()).then(link).into_iter().collect()
                };
                match (rest.next(), rest.as_str()) {
                    (Some(BOARD), _) => self.boards.iter().cloned().map(Block::Board).collect(),
                    (Some(TURNS), _) if self.turns.is_empty() => Vec::new(),
                    (Some(TURNS), _) => vec![Block::Turns(self.turns.to_vec())],
                    (Some(OPEN), label) => link(self.open, label),
                    (Some(OFF), label) => link(self.off, label),
                    (Some(SETTINGS), label) => link(self.settings, label),
                    _ => vec![Block::Text(paragraph.replace('\n', " "))],
                }
            })
            .collect()
    }
}

impl Block {
    /// The block with texts that lead nowhere; links stay.
    #[must_use]
    pub fn unlinked(self) -> Self {
        match self {
            Self::Heading(text) => Self::Heading(unlinked(&text)),
            Self::Text(text) => Self::Text(unlinked(&text)),
            Self::Turns(turns) => {
                let turns = turns.into_iter().map(|told| TurnLine {
                    turn: unlinked(&told.turn),
                    note: unlinked(&told.note),
                });
                Self::Turns(turns.collect())
            }
            Self::Board(board) => Self::Board(Board {
                text: unlinked(&board.text),
                alt: unlinked(&board.alt),
                notes: board.notes.iter().map(|note| unlinked(note)).collect(),
                ..board
            }),
            link @ Self::Link(..) => link,
        }
    }
}

pub fn plain(body: &[Block], foot: &[Block]) -> String {
    let mut out = String::new();
    plain_blocks(&mut out, body);
    out.push_str("-- \n");
    plain_blocks(&mut out, foot);
    format!("{}\n", out.trim_end())
}

fn plain_blocks(out: &mut String, blocks: &[Block]) {
    for block in blocks {
        match block {
            Block::Heading(text) => {
                let heading = wrap(text, "");
                let lines = heading.lines().map(|line| line.chars().count());
                let _ = writeln!(
                    out,
                    "{}{}",
                    isolated(&heading),
                    "=".repeat(lines.max().unwrap_or(0))
                );
            }
            Block::Text(text) => out.push_str(&isolated(&wrap(text, ""))),
            Block::Turns(turns) => {
                for (index, told) in turns.iter().enumerate() {
                    // A blank line separates a note from the turn after it.
                    if index > 0 && !turns[index - 1].note.is_empty() {
                        out.push('\n');
                    }
                    out.push_str(&isolated(&wrap(&told.turn, "")));
                    if !told.note.is_empty() {
                        let _ = write!(out, "\n{}", wrap(&told.note, "> "));
                    }
                }
            }
            Block::Board(board) if board.text.is_empty() => continue,
            Block::Board(board) => {
                for line in board.text.trim_end().lines() {
                    let _ = writeln!(out, "{}", format!("    {line}").trim_end());
                }
            }
            Block::Link(to, label) => {
                let _ = writeln!(out, "{label}:\n{to}");
            }
        }
        out.push('\n');
    }
}

/// The end of all mails.
#[derive(Template)]
#[template(path = "mail/foot.txt")]
pub struct Foot<'a> {
    pub url: &'a str,
    /// The titles of the kinds that it is of, if they can be switched off.
    pub kinds: Vec<&'a str>,
    /// True if it is about one match, whose mails alone can be switched off.
    pub one: bool,
    /// True if the reader has no account, and can end all invitations.
    pub stranger: bool,
}

/// The HTML part. It loads nothing: the pictures of boards go with the mail. Colours leave the page's own background
/// and text alone, so that dark windows stay dark.
#[derive(Template)]
#[template(path = "mail/page.html")]
pub struct Page<'a> {
    pub subject: &'a str,
    pub body: &'a [Block],
    pub foot: &'a [Block],
}

impl Page<'_> {
    /// The board itself and its explanation: the lines from the first that has a real word. Only their size depends
    /// on this split.
    #[allow(clippy::unused_self, reason = "a template calls methods only")]
    fn parts<'b>(&self, board: &'b str) -> (&'b str, &'b str) {
        let is_word = |word: &str| word.len() >= 5 && word.chars().all(char::is_alphabetic);
        let explains = |line: &str| line.split(|c: char| !c.is_alphanumeric()).any(is_word);
        let mut end = 0;
        for line in board.split_inclusive('\n') {
            if explains(line) {
                break;
            }
            end += line.len();
        }
        (board[..end].trim_end(), board[end..].trim_end())
    }

    /// The size of the letters of a board in pixels: wide boards have to fit on a telephone, whose screen has room
    /// for some 310 pixels.
    #[allow(clippy::unused_self, reason = "a template calls methods only")]
    fn size(&self, board: &str) -> usize {
        let columns = board.lines().map(|line| line.chars().count()).max();
        (310 * 10 / 6 / columns.unwrap_or(1).max(1)).clamp(11, 22)
    }
}
