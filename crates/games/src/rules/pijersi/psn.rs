//! PSN, the position text of the UGI engines:
//! `s-p-r-s-p-r-/p-r-s-wwr-s-p-/6/7/6/P-S-R-WWS-R-P-/R-P-S-R-P-S- w 0 1`.
//!
//! Rows g to a separated by `/`, two characters a cell, the bottom cube first and `-` where there is no
//! second, digits for runs of empty cells; then the side to move, the turns since the last capture and
//! the number of the turn.

use super::{Cell, PLACES, Pijersi, ROWS, Role, Unit, row_length};
use crate::rules::{NotationError, Side};

impl Pijersi {
    /// The position in PSN.
    pub(super) fn psn(&self) -> String {
        let mut text = String::new();
        for row in (0..ROWS).rev() {
            let mut empty = 0;
            for cell in Cell::in_row(row) {
                let Some(Unit { side, top, under }) = self.unit(cell) else {
                    empty += 1;
                    continue;
                };
                if empty > 0 {
                    text.push(char::from(b'0' + empty));
                    empty = 0;
                }
                text.extend(under.map(|under| under.letter(side)));
                text.push(top.letter(side));
                if under.is_none() {
                    text.push('-');
                }
            }
            if empty > 0 {
                text.push(char::from(b'0' + empty));
            }
            text.push(if row == 0 { ' ' } else { '/' });
        }
        let side = match self.to_move {
            Side::First => 'w',
            Side::Second => 'b',
        };
        text + &format!("{side} {} {}", self.quiet, self.number)
    }

    /// Reads PSN.
    pub(super) fn from_psn(text: &str) -> Result<Self, NotationError> {
        let mut reader = Reader {
            text,
            chars: text.chars().collect(),
            at: 0,
        };
        let mut board = [None; PLACES];
        for row in (0..ROWS).rev() {
            reader.row(row, &mut board)?;
            let separator = if row == 0 { ' ' } else { '/' };
            reader.step_over(separator, "after a whole row")?;
        }
        let to_move = match reader.peek() {
            'w' => Side::First,
            'b' => Side::Second,
            _ => return Err(reader.error("the side to move, `w` or `b`")),
        };
        reader.at += 1;
        reader.step_over(' ', "after the side to move")?;
        let quiet = reader.number(0, "the turns since the last capture")?;
        reader.step_over(' ', "after the turns since the last capture")?;
        let number = reader.number(1, "the turn's number, from 1")?;
        if reader.at < reader.chars.len() {
            return Err(reader.error("the end of the position"));
        }
        Ok(Self {
            board,
            to_move,
            quiet,
            number,
        })
    }
}

struct Reader<'a> {
    text: &'a str,
    chars: Vec<char>,
    at: usize,
}

impl Reader<'_> {
    /// The next character, or NUL, which stands for nothing here, at the end.
    fn peek(&self) -> char {
        self.chars.get(self.at).copied().unwrap_or('\0')
    }

    fn error(&self, expected: impl Into<String>) -> NotationError {
        NotationError::new(self.text, self.at + 1, expected)
    }

    fn step_over(&mut self, separator: char, place: &str) -> Result<(), NotationError> {
        if self.peek() == separator {
            self.at += 1;
            return Ok(());
        }
        Err(self.error(match separator {
            ' ' => format!("a blank {place}"),
            _ => format!("`{separator}` {place}"),
        }))
    }

    fn number(&mut self, least: u32, what: &str) -> Result<u32, NotationError> {
        let digits = self.chars.iter().skip(self.at);
        let digits: String = digits.take_while(|c| c.is_ascii_digit()).collect();
        match digits.parse() {
            Ok(number) if number >= least => {
                self.at += digits.len();
                Ok(number)
            }
            _ => Err(self.error(what)),
        }
    }

    fn row(&mut self, row: u8, board: &mut [Option<Unit>; PLACES]) -> Result<(), NotationError> {
        let mut number = 0;
        while let Some(cell) = Cell::new(row, number) {
            let free = row_length(row) - number;
            let run = self
                .peek()
                .to_digit(10)
                .and_then(|run| u8::try_from(run).ok());
            if let Some(run) = run.filter(|run| (1..=free).contains(run)) {
                number += run;
                self.at += 1;
            } else {
                board[cell.index()] = Some(self.unit(free)?);
                number += 1;
            }
        }
        Ok(())
    }

    /// Reads a cube or a stack where `free` cells of the row are left.
    fn unit(&mut self, free: u8) -> Result<Unit, NotationError> {
        let Some((side, bottom)) = Role::from_letter(self.peek()) else {
            return Err(self.error(format!(
                "a cube (`R`, `P`, `S`, `W`, small for Black) or a number of empty cells, 1 to {free}"
            )));
        };
        self.at += 1;
        let found = self.peek();
        let tops = Role::ALL.into_iter().filter(|top| top.lies_on(bottom));
        let (top, under) = match tops.clone().find(|top| top.letter(side) == found) {
            Some(top) => (top, Some(bottom)),
            None if found == '-' => (bottom, None),
            None => {
                let first = format!(
                    "what lies on `{}` ({}): `-` for nothing",
                    bottom.letter(side),
                    bottom.name()
                );
                return Err(self.error(
                    tops.fold(first, |text, top| format!("{text}, `{}`", top.letter(side))),
                ));
            }
        };
        self.at += 1;
        Ok(Unit { side, top, under })
    }
}
