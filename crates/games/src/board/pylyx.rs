//! The look of Pylyx, and its rules page.

use std::fmt::Write as _;

use super::hand::{Hand, number, rows_of_text};
use super::{Card, Cell, Diagram, Glyph, Label, Last, Outline, Piece, Render, Shape, Variant};
use crate::rules::pylyx::{Pylyx, Square, Stack, Turn};
use crate::rules::{Rules as _, Side};

/// White's and Black's.
static CHECKERS: [Glyph; 2] = [
    Glyph {
        id: "pylyx-white",
        svg: "<circle class=\"pylyx-side\" cy=\".03\" r=\".39\"/><circle class=\"pylyx-disc\" cy=\"-.03\" r=\".39\"/>\
              <circle class=\"pylyx-mark\" cy=\"-.03\" r=\".27\"/>",
    },
    Glyph {
        id: "pylyx-black",
        svg: "<circle class=\"pylyx-side\" cy=\".03\" r=\".39\"/><circle class=\"pylyx-disc\" cy=\"-.03\" r=\".39\"/>\
              <path class=\"pylyx-mark\" d=\"M0 -.36L.33 -.03L0 .3L-.33 -.03z\"/>",
    },
];
/// A checker below others: the front of its rim is seen.
static UNDER: Glyph = Glyph {
    id: "pylyx-under",
    svg: "<circle class=\"pylyx-side\" cy=\".03\" r=\".39\"/>",
};

/// The height from which a stack bears its number: lower ones are seen at a glance.
const COUNTED: u8 = 4;

/// The face of a checker lies this much above its centre.
const FACE: f32 = 0.03;

/// The upper edge of the board, below Black's hand.
const TOP: f32 = 0.8;

impl Render for Pylyx {
    const CARD: Card = Card {
        key: "pylyx",
        name: "Pylyx",
        by: "Christian Freeling, 2011",
        source: "mindsports.nl",
        tagline: "Spread your checkers over the board, then gather them all in one stack.",
        style: concat!(include_str!("hand.css"), include_str!("pylyx.css")),
        variants: &[
            Variant::new("", "12×12, ten checkers"),
            Variant::new("small", "10×10, eight checkers"),
        ],
        page: include_str!("pylyx.txt"),
    };

    fn diagram(&self, last: Option<&Turn>) -> Diagram {
        let size = f32::from(self.size());
        let foot = TOP + size + 0.5;
        let mut cells = Vec::new();
        if Side::ALL.iter().any(|&side| self.hand(side) > 0) {
            cells.push(hand(self, Side::First, foot + 0.33));
            cells.push(hand(self, Side::Second, 0.33));
        }
        cells.extend(self.squares().map(|square| {
            let stack = self.stack(square);
            Cell {
                name: square.to_string(),
                at: at(self, square),
                outline: Outline::Rect(0.96, 0.96, 0.06),
                class: "square",
                pieces: stack.map_or_else(Vec::new, |stack| pieces(stack, self.came(last, square))),
                says: says(stack),
                last: last.and_then(|&turn| trace(turn, square)),
            }
        }));
        // Two rectangles crossed: a board without its corners.
        let middle = (size / 2.0, TOP + size / 2.0);
        let frame = |width, height| Shape::new("frame", middle, Outline::Rect(width, height, 0.1));
        let mut shapes = vec![
            frame(size + 0.14, size - 1.86),
            frame(size - 1.86, size + 0.14),
        ];
        // The squares lie below all cells, so that none hides the top of the stack next to it.
        shapes.extend(self.squares().map(|square| {
            let light = (square.col() + square.row()) % 2 == 1;
            let class = match (self.is_central(square), light) {
                (true, true) => "field central light",
                (true, false) => "field central dark",
                (false, true) => "field rim light",
                (false, false) => "field rim dark",
            };
            Shape::new(class, at(self, square), Outline::Rect(1.0, 1.0, 0.0))
        }));
        shapes.extend(self.free_lines());
        Diagram {
            class: "pylyx",
            size: (size, foot + 0.66),
            shapes,
            cells,
            labels: Label::grid(self.size(), self.size(), TOP + size),
            unseen: &["hand", "square"],
            ..Diagram::default()
        }
    }

    fn hint(&self) -> String {
        let is_placing = self
            .legal()
            .first()
            .is_some_and(|turn| matches!(turn, Turn::Place(_)));
        if is_placing {
            return "Place a checker where neither its row nor its column holds one of yours. The bars in \
                    your colour at the border show which rows and columns are free."
                .to_owned();
        }
        let mut hint = "Move a piece: one checker goes diagonally, two along rows and columns, three both ways."
            .to_owned();
        let side = self.side_to_move();
        let mut stacks = self.squares().filter_map(|square| self.stack(square));
        if stacks.any(|stack| stack.side == side && stack.height > 1) {
            hint.push_str(" To move fewer of a stack, choose it again or press 1, 2 or 3.");
        }
        hint
    }

    fn text(&self, turned: u8) -> String {
        let size = (self.size(), self.size());
        let mut text = rows_of_text(size, 4, turned, |col, row| {
            let square = Square::new(col, row);
            let here = match self.stack(square) {
                Some(Stack { side, height: 1 }) => side.letter().to_ascii_uppercase().to_string(),
                Some(Stack { side, height }) => {
                    format!("{}{height}", side.letter().to_ascii_uppercase())
                }
                None if self.is_central(square) => "+".to_owned(),
                None if self.squares().any(|other| other == square) => ".".to_owned(),
                None => String::new(),
            };
            format!(" {here}")
        });
        text.push_str("W White, B Black; W3 a stack of three; + central square, . border\n");
        for side in Side::ALL {
            let (name, left) = (side.white_or_black(), self.hand(side));
            if left > 0 {
                let _ = writeln!(text, "{name} has {left} in hand.");
            }
        }
        text
    }

    fn step_label(&self, step: &str) -> String {
        match step {
            "1" => "one checker",
            "2" => "two checkers",
            "3" => "three checkers",
            "pass" => "Pass",
            other => other,
        }
        .to_owned()
    }
}

fn at(position: &Pylyx, square: Square) -> (f32, f32) {
    (
        f32::from(square.col()) + 0.5,
        TOP + f32::from(position.size() - square.row()) - 0.5,
    )
}

fn hand(position: &Pylyx, side: Side, y: f32) -> Cell {
    Hand {
        side,
        glyph: &CHECKERS[side.index()],
        what: ("checker", "checkers"),
        size: 0.56,
        pitch: 0.55,
        left: position.hand(side),
        all: position.checkers(),
        group: 5,
        at: (f32::from(position.size()) / 2.0, y),
        width: 7.4,
    }
    .cell()
}

/// The checkers of a stack, each lying a little higher than the one below; of a tall one with their number.
///
/// `came` is the number of checkers that the last turn brought, and their way back.
fn pieces(stack: Stack, came: Option<(u8, super::Way)>) -> Vec<Piece> {
    let class = stack.side.key();
    let rise = match stack.height {
        0 | 1 => 0.0,
        height => (0.36 / f32::from(height - 1)).min(0.12),
    };
    let middle = f32::from(stack.height.max(1) - 1) / 2.0;
    let piece = |glyph, size, index: u8| {
        let at = (0.0, (middle - f32::from(index)) * rise);
        let came = came.filter(|(moved, _)| index + moved >= stack.height);
        Piece {
            came: came.map(|(_, way)| way),
            ..Piece::new(glyph, class, at, size)
        }
    };
    let top = stack.height.max(1) - 1;
    let mut pieces: Vec<Piece> = (0..top).map(|index| piece(&UNDER, 1.0, index)).collect();
    pieces.push(piece(&CHECKERS[stack.side.index()], 1.0, top));
    if stack.height >= COUNTED {
        let size = if stack.height > 9 { 0.68 } else { 0.85 };
        let mut number = piece(number(stack.height), size, top);
        number.at.1 -= FACE;
        pieces.push(number);
    }
    pieces
}

impl Pylyx {
    /// The number of checkers that the last turn brought to the square, and their way back.
    fn came(&self, last: Option<&Turn>, square: Square) -> Option<(u8, super::Way)> {
        let Some(&Turn::Move { top, from, to }) = last else {
            return None;
        };
        let ((x, y), (to_x, to_y)) = (at(self, from), at(self, to));
        // The height of a whole piece that joined another is no longer known: three is the most.
        (to == square).then_some((top.unwrap_or(3), (x - to_x, y - to_y)))
    }

    /// While checkers are placed, a bar at the border for each row and column that holds none of a
    /// side's: White's below and at the left, Black's above and at the right.
    fn free_lines(&self) -> Vec<Shape> {
        let size = self.size();
        let mut bars = Vec::new();
        for side in Side::ALL {
            if self.hand(side) == 0 {
                continue;
            }
            let (class, edge) = match side {
                Side::First => ("free first", 0),
                Side::Second => ("free second", size - 1),
            };
            let (mut columns, mut rows) = (0u16, 0u16);
            for square in self.squares() {
                if self.stack(square).is_some_and(|stack| stack.side == side) {
                    columns |= 1 << square.col();
                    rows |= 1 << square.row();
                }
            }
            let out = if edge == 0 { -0.38 } else { 0.38 };
            for line in 1..size - 1 {
                if columns & (1 << line) == 0 {
                    let (x, y) = at(self, Square::new(line, edge));
                    let outline = Outline::Rect(0.56, 0.13, 0.06);
                    bars.push(Shape::new(class, (x, y - out), outline));
                }
                if rows & (1 << line) == 0 {
                    let (x, y) = at(self, Square::new(edge, line));
                    let outline = Outline::Rect(0.13, 0.56, 0.06);
                    bars.push(Shape::new(class, (x + out, y), outline));
                }
            }
        }
        bars
    }
}

fn says(stack: Option<Stack>) -> String {
    match stack {
        None => String::new(),
        Some(Stack { side, height: 1 }) => format!("{}, 1 checker", side.white_or_black()),
        Some(Stack { side, height }) => format!("{}, stack of {height}", side.white_or_black()),
    }
}

/// The trace of the turn on the square.
fn trace(turn: Turn, square: Square) -> Option<Last> {
    match turn {
        Turn::Place(put) => (put == square).then_some(Last::To),
        Turn::Move { from, to, .. } => {
            if square == to {
                Some(Last::To)
            } else {
                (square == from).then_some(Last::From)
            }
        }
        Turn::Pass => None,
    }
}
