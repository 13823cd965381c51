//! PSN, the position text of the UGI engines:
//! `s-p-r-s-p-r-/p-r-s-wwr-s-p-/6/7/6/P-S-R-WWS-R-P-/R-P-S-R-P-S- w 0 1`.
//!
//! Rows g to a separated by `/`, two characters a cell, the bottom cube first and `-` where there is no
//! second, digits for runs of empty cells; then the side to move, the turns since the last capture and
//! the number of the turn.

use super::{Cell, PLACES, Pijersi, ROWS, Role, Unit, row_length};
use crate::rules::NotationError;
use crate::rules::cursor::{Cursor, row_separator, write_run};

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
                write_run(&mut text, &mut empty);
                text.extend(under.map(|under| under.letter(side)));
                text.push(top.letter(side));
                if under.is_none() {
                    text.push('-');
                }
            }
            write_run(&mut text, &mut empty);
            text.push(row_separator(row));
        }
        let side = self.to_move.letter();
        text + &format!("{side} {} {}", self.quiet, self.number)
    }

    /// Reads PSN.
    pub(super) fn from_psn(text: &str) -> Result<Self, NotationError> {
        let mut cursor = Cursor::new(text);
        let mut board = [None; PLACES];
        for row in (0..ROWS).rev() {
            read_row(&mut cursor, row, &mut board)?;
            let expected = match row {
                0 => "a blank after a whole row",
                _ => "`/` after a whole row",
            };
            cursor.expect(row_separator(row), expected)?;
        }
        let to_move = cursor.side_to_move()?;
        cursor.expect(' ', "a blank after the side to move")?;
        let quiet = cursor.number_from(0, "the turns since the last capture")?;
        cursor.expect(' ', "a blank after the turns since the last capture")?;
        let number = cursor.number_from(1, "the turn's number, from 1")?;
        cursor.end("position")?;
        Ok(Self {
            board,
            to_move,
            quiet,
            number,
        })
    }
}

fn read_row(
    cursor: &mut Cursor,
    row: u8,
    board: &mut [Option<Unit>; PLACES],
) -> Result<(), NotationError> {
    let mut number = 0;
    while let Some(cell) = Cell::new(row, number) {
        let free = row_length(row) - number;
        if let Some(run) = cursor.digit(&(1..=free)) {
            number += run;
        } else {
            board[cell.index()] = Some(read_unit(cursor, free)?);
            number += 1;
        }
    }
    Ok(())
}

/// Reads a cube or a stack where `free` cells of the row are left.
fn read_unit(cursor: &mut Cursor, free: u8) -> Result<Unit, NotationError> {
    let Some((side, bottom)) = cursor.peek().and_then(Role::from_letter) else {
        return Err(cursor.error(format!(
            "a cube (`R`, `P`, `S`, `W`, small for Black) or a number of empty cells, 1 to {free}"
        )));
    };
    cursor.take(bottom.letter(side));
    let mut tops = Role::ALL.into_iter().filter(|top| top.lies_on(bottom));
    let expected = tops.clone().fold(
        format!(
            "what lies on `{}` ({}): `-` for nothing",
            bottom.letter(side),
            bottom.name()
        ),
        |text, top| format!("{text}, `{}`", top.letter(side)),
    );
    if let Some(top) = tops.find(|top| cursor.take(top.letter(side))) {
        return Ok(Unit {
            side,
            top,
            under: Some(bottom),
        });
    }
    cursor.expect('-', &expected)?;
    Ok(Unit {
        side,
        top: bottom,
        under: None,
    })
}
