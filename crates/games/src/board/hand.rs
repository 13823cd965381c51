//! Parts that several games share: numbers, coordinates in a frame, the line that won, the pieces that a side has in
//! hand, boards as text.

use std::fmt::Write as _;

use super::{Cell, Glyph, Label, Outline, Piece};
use crate::rules::Side;

/// A number as a picture, to stand on a piece or beside it.
macro_rules! numbers {
    ($($number:literal)*) => {
        &[$(Glyph {
            id: concat!("number-", $number),
            svg: concat!("<text class=\"number\">", $number, "</text>"),
        }),*]
    };
}

static NUMBERS: &[Glyph] = numbers!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18);

/// The picture of `number`, at most 18.
pub(super) fn number(number: u8) -> &'static Glyph {
    &NUMBERS[usize::from(number).min(NUMBERS.len() - 1)]
}

/// The width of a frame that has room for coordinates.
pub(super) const FRAME: f32 = 0.32;

/// The letters of the columns and the numbers of the rows, in the frame around squares of 1 whose upper left corner is
/// `at`: below them and at their left.
pub(super) fn labels_in_frame((cols, rows): (u8, u8), at: (f32, f32)) -> Vec<Label> {
    let out = FRAME / 2.0;
    let along = |index: u8| f32::from(index) + 0.5;
    let bottom = at.1 + f32::from(rows);
    let columns = (0..cols).map(|col| Label {
        at: (at.0 + along(col), bottom + out),
        text: char::from(b'a' + col).to_string(),
        class: "",
    });
    let rows = (0..rows).map(|row| Label {
        at: (at.0 - out, bottom - along(row)),
        text: (row + 1).to_string(),
        class: "",
    });
    columns.chain(rows).collect()
}

static STRAIGHT: Glyph = Glyph {
    id: "won-straight",
    svg: "<path class=\"won-edge\" d=\"M-.51 0h1.02\"/><path class=\"won-line\" d=\"M-.51 0h1.02\"/>",
};
static RISING: Glyph = Glyph {
    id: "won-rising",
    svg: "<path class=\"won-edge\" d=\"M-.51 .51l1.02 -1.02\"/><path class=\"won-line\" d=\"M-.51 .51l1.02 -1.02\"/>",
};

/// The part on one square of a line that won, by the columns and rows from one of its squares to the next.
pub(super) fn line_part(step: (i8, i8)) -> Piece {
    let (glyph, turned) = match step {
        (_, 0) => (&STRAIGHT, 0),
        (0, _) => (&STRAIGHT, 1),
        (cols, rows) if cols == rows => (&RISING, 0),
        _ => (&RISING, 1),
    };
    Piece {
        turned: Some(turned),
        ..Piece::new(glyph, "won", (0.0, 0.0), 1.0)
    }
}

/// A board of squares as text, turned clockwise by `turned` quarter turns: lines from the top, with their coordinates at
/// the left and those of the columns below. `square` gives the text of a square by its column and row, with the
/// space before it; that takes `width` letters.
pub(super) fn rows_of_text(
    (cols, rows): (u8, u8),
    width: usize,
    turned: u8,
    square: impl Fn(u8, u8) -> String,
) -> String {
    let (half, quarter) = (turned % 4 >= 2, turned % 2 == 1);
    let mut letters: Vec<u8> = (0..cols).collect();
    let mut numbers: Vec<u8> = (0..rows).collect();
    if half {
        letters.reverse();
    }
    // Numbers rise upwards, and after a quarter turn to the right.
    if half == quarter {
        numbers.reverse();
    }
    let letter = |col: &u8| format!(" {}", char::from(b'a' + col));
    let number = |row: &u8| format!(" {}", row + 1);
    let mut lines: Vec<(String, Vec<String>)> = if quarter {
        let squares = |&col: &u8| numbers.iter().map(|&row| square(col, row)).collect();
        letters
            .iter()
            .map(|col| (letter(col), squares(col)))
            .collect()
    } else {
        let squares = |&row: &u8| letters.iter().map(|&col| square(col, row)).collect();
        numbers
            .iter()
            .map(|row| (number(row), squares(row)))
            .collect()
    };
    let below = if quarter {
        numbers.iter().map(number).collect()
    } else {
        letters.iter().map(letter).collect()
    };
    let left = lines.iter().map(|(label, _)| label.len() - 1).max();
    let left = left.unwrap_or(0);
    lines.push((String::new(), below));
    let mut text = String::new();
    for (label, squares) in lines {
        let mut line = format!("{:>left$}", label.trim_start());
        for square in squares {
            let _ = write!(line, "{square:<width$}");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Adds `line` to `text` as lines of at most 72 characters.
pub(super) fn wrap(text: &mut String, line: &str) {
    let mut width = 0;
    for word in line.split_whitespace() {
        let mut rest: Vec<char> = word.chars().collect();
        while !rest.is_empty() {
            let part: Vec<char> = rest.drain(..rest.len().min(70)).collect();
            if width > 0 && width + 1 + part.len() > 72 {
                text.push_str("\n  ");
                width = 2;
            } else if width > 0 {
                text.push(' ');
                width += 1;
            }
            width += part.len();
            text.extend(part);
        }
    }
    text.push('\n');
}

/// The pieces that one side has left.
pub(super) struct Hand {
    pub side: Side,
    pub glyph: &'static Glyph,
    /// The name of its pieces, for one and for more.
    pub what: (&'static str, &'static str),
    /// The size of the pictures, and their distance.
    pub size: f32,
    pub pitch: f32,
    pub left: u8,
    pub all: u8,
    /// Pieces in a group.
    pub group: u8,
    /// Centre and width of the strip.
    pub at: (f32, f32),
    pub width: f32,
}

impl Hand {
    /// A strip with the number and the pieces, which stays legible however the board is turned.
    pub fn cell(&self) -> Cell {
        let slot = |index: u8| {
            let gaps = f32::from(index / self.group) * 0.2;
            f32::from(index) * self.pitch + gaps
        };
        let start = 1.025 + self.pitch / 2.0 - self.width / 2.0;
        let left = (0.55 - self.width / 2.0, 0.0);
        let mut pieces = vec![Piece::new(number(self.left), "left", left, 1.1)];
        pieces.extend((0..self.left).map(|index| {
            let at = (start + slot(index), 0.0);
            Piece::new(self.glyph, self.side.key(), at, self.size)
        }));
        Cell {
            name: format!("{}'s hand", self.side.white_or_black()),
            at: self.at,
            outline: Outline::Rect(self.width, 0.66, 0.33),
            class: "hand",
            pieces,
            says: match self.left {
                0 => format!("no {} left", self.what.0),
                left => format!("{left} of {} {} left", self.all, self.what.1),
            },
            last: None,
        }
    }
}
