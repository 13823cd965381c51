//! A reader of position texts: one character after the other, with errors that know their column.

use std::ops::RangeInclusive;

use super::{NotationError, Side};

/// A text and how far it has been read.
pub(super) struct Cursor<'a> {
    text: &'a str,
    chars: Vec<char>,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Stands before the first character of `text`.
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            chars: text.chars().collect(),
            at: 0,
        }
    }

    /// The column of the next character, from 1.
    pub fn column(&self) -> usize {
        self.at + 1
    }

    /// The next character, which stays unread.
    pub fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    /// Reads the next character if it is `c`.
    pub fn take(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        self.at += usize::from(found);
        found
    }

    /// Reads `c`, or says that `expected` should stand here.
    pub fn expect(&mut self, c: char, expected: &str) -> Result<(), NotationError> {
        if self.take(c) {
            Ok(())
        } else {
            Err(self.error(expected))
        }
    }

    /// Reads a number within `range`, written without needless zeros, if one stands here.
    pub fn number(&mut self, range: &RangeInclusive<u8>) -> Option<u8> {
        let digits = self.chars[self.at..]
            .iter()
            .take_while(|c| c.is_ascii_digit())
            .count();
        let digits = &self.chars[self.at..self.at + digits];
        if digits.len() > 1 && digits[0] == '0' {
            return None;
        }
        let number = digits.iter().collect::<String>().parse().ok()?;
        if !range.contains(&number) {
            return None;
        }
        self.at += digits.len();
        Some(number)
    }

    /// Reads a number within `range`, or says that `what` from … to … should stand here.
    pub fn count(&mut self, range: RangeInclusive<u8>, what: &str) -> Result<u8, NotationError> {
        self.number(&range)
            .ok_or_else(|| self.error(format!("{what}, {} to {}", range.start(), range.end())))
    }

    /// Reads the letter of White or Black.
    pub fn side(&mut self) -> Option<Side> {
        if self.take('w') {
            Some(Side::First)
        } else if self.take('b') {
            Some(Side::Second)
        } else {
            None
        }
    }

    /// Makes sure that nothing follows.
    pub fn end(&self) -> Result<(), NotationError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.error("the end of the position")),
        }
    }

    /// `expected` should stand where the next character is.
    pub fn error(&self, expected: impl Into<String>) -> NotationError {
        self.error_at(self.column(), expected)
    }

    /// `expected` should stand at `column`.
    pub fn error_at(&self, column: usize, expected: impl Into<String>) -> NotationError {
        NotationError::new(self.text, column, expected)
    }
}
