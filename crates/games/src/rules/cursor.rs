//! Common parts of the games for reading and writing turns and position texts.

use std::ops::RangeInclusive;

use super::{NotationError, Side};

/// A text and the place up to which it was read, for errors that name their column.
pub(super) struct Cursor<'a> {
    text: &'a str,
    chars: Vec<char>,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// A cursor before the first character of `text`.
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

    /// Reads the next character, whatever it is.
    pub fn advance(&mut self) {
        self.at += 1;
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
        let digits = self.digits();
        if digits.len() > 1 && digits.starts_with('0') {
            return None;
        }
        let number = digits.parse().ok().filter(|n| range.contains(n))?;
        self.at += digits.len();
        Some(number)
    }

    /// Reads one digit within `range` if it stands here, even if others follow.
    pub fn digit(&mut self, range: &RangeInclusive<u8>) -> Option<u8> {
        let digit = u8::try_from(self.peek()?.to_digit(10)?).ok()?;
        self.at += usize::from(range.contains(&digit));
        range.contains(&digit).then_some(digit)
    }

    /// Reads a number from `least` on with all its digits, or says that `expected` should stand here.
    pub fn number_from(&mut self, least: u32, expected: &str) -> Result<u32, NotationError> {
        let digits = self.digits();
        let number = digits.parse().ok().filter(|&n| n >= least);
        self.at += number.map_or(0, |_| digits.len());
        number.ok_or_else(|| self.error(expected))
    }

    /// The digits that stand here, unread.
    fn digits(&self) -> String {
        let rest = self.chars[self.at..].iter();
        rest.take_while(|c| c.is_ascii_digit()).collect()
    }

    /// Reads a number within `range`, or says that `what` from … to … should stand here.
    pub fn count(&mut self, range: RangeInclusive<u8>, what: &str) -> Result<u8, NotationError> {
        self.number(&range)
            .ok_or_else(|| self.error(format!("{what}, {} to {}", range.start(), range.end())))
    }

    /// Reads one of `letters` if one stands here, and returns its number among them.
    pub fn one_of(&mut self, letters: &str) -> Option<usize> {
        let found = letters.chars().position(|c| self.peek() == Some(c))?;
        self.at += 1;
        Some(found)
    }

    /// Reads the letter of White or Black.
    pub fn side(&mut self) -> Option<Side> {
        Some(Side::ALL[self.one_of("wb")?])
    }

    /// Reads the letter of the side to move, or says that it should stand here.
    pub fn side_to_move(&mut self) -> Result<Side, NotationError> {
        self.side()
            .ok_or_else(|| self.error("the side to move, `w` or `b`"))
    }

    /// Reads the separator after `row`, counted from 0 as the last one.
    pub fn row_end(&mut self, row: u8) -> Result<(), NotationError> {
        let separator = row_separator(row);
        self.expect(separator, &format!("`{separator}` after a whole row"))
    }

    /// Reads the letter of one of `columns` columns, from `a`, and returns its number, from 0.
    pub fn letter(&mut self, columns: u8) -> Option<u8> {
        let index = u8::try_from(u32::from(self.peek()?).checked_sub(u32::from('a'))?).ok()?;
        self.at += usize::from(index < columns);
        (index < columns).then_some(index)
    }

    /// Refuses whatever follows; `what` is the thing that was read: a turn, a position.
    pub fn end(&self, what: &str) -> Result<(), NotationError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.error(format!("the end of the {what}"))),
        }
    }

    /// The error that `expected` should stand where the next character is.
    pub fn error(&self, expected: impl Into<String>) -> NotationError {
        self.error_at(self.column(), expected)
    }

    /// The error that `expected` should stand at `column`.
    pub fn error_at(&self, column: usize, expected: impl Into<String>) -> NotationError {
        NotationError::new(self.text, column, expected)
    }
}

/// The separator after `row`, counted from 0 as the last one: `/`, or a space after the last.
pub(super) const fn row_separator(row: u8) -> char {
    if row == 0 { ' ' } else { '/' }
}

/// Writes the number of empty places, if there are any, and counts from 0 again.
pub(super) fn write_run(text: &mut String, empty: &mut u8) {
    if *empty > 0 {
        text.push_str(&empty.to_string());
        *empty = 0;
    }
}
