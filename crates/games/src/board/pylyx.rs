//! How Pylyx looks, and what its rules page says.

use std::fmt::Write as _;

use super::hand::{Hand, number};
use super::{
    Block, Card, Cell, Diagram, Glyph, Label, Last, Outline, Piece, Render, Shape, Variant,
};
use crate::rules::pylyx::{Pylyx, Square, Stack, Turn};
use crate::rules::{Rules as _, Side};

static WHITE: Glyph = Glyph {
    id: "pylyx-white",
    svg: "<circle class=\"pylyx-disc\" r=\".38\"/><circle class=\"pylyx-mark\" r=\".26\"/>",
};
static BLACK: Glyph = Glyph {
    id: "pylyx-black",
    svg: "<circle class=\"pylyx-disc\" r=\".38\"/>\
          <path class=\"pylyx-mark\" d=\"M0 -.33L.33 0L0 .33L-.33 0z\"/>",
};
/// A checker that others lie on.
static UNDER: Glyph = Glyph {
    id: "pylyx-under",
    svg: "<circle class=\"pylyx-under\" r=\".38\"/>",
};

/// A record in which all checkers are placed, White's and Black's on a diagonal each, and then some.
macro_rules! placed_then {
    ($turns:literal) => {
        concat!(
            "b2 b11 c3 c10 d4 d9 e5 e8 f6 f7",
            " g7 g6 h8 h5 i9 i4 j10 j3 k11 k2 ",
            $turns
        )
    };
}

/// Where the board begins, below Black's hand.
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
            Variant {
                key: "",
                name: "12×12, ten checkers",
            },
            Variant {
                key: "small",
                name: "10×10, eight checkers",
            },
        ],
        rules: RULES,
    };

    fn diagram(&self, last: Option<&Turn>) -> Diagram {
        let size = f32::from(self.size());
        let foot = TOP + size + 0.5;
        let mut cells = Vec::new();
        if [Side::First, Side::Second]
            .iter()
            .any(|&side| self.hand(side) > 0)
        {
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
        let frame = |width: f32, height: f32| Shape {
            class: "frame",
            at: (size / 2.0, TOP + size / 2.0),
            outline: Outline::Rect(width, height, 0.1),
            came: None,
        };
        let mut shapes = vec![
            frame(size + 0.14, size - 1.86),
            frame(size - 1.86, size + 0.14),
        ];
        // The squares lie below all cells, so that none hides the top of the stack next to it.
        shapes.extend(self.squares().map(|square| {
            let light = (square.col() + square.row()) % 2 == 1;
            Shape {
                class: match (self.is_central(square), light) {
                    (true, true) => "field central light",
                    (true, false) => "field central dark",
                    (false, true) => "field rim light",
                    (false, false) => "field rim dark",
                },
                at: at(self, square),
                outline: Outline::Rect(1.0, 1.0, 0.0),
                came: None,
            }
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
        let hint = if is_placing {
            "Place a checker where neither its row nor its column holds one of yours. The bars in \
             your colour at the border show which rows and columns are free."
        } else {
            "Move a piece: one checker goes diagonally, two along rows and columns, three both \
             ways. To move fewer of a stack, choose it again or press 1, 2 or 3."
        };
        hint.to_owned()
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for row in (0..self.size()).rev() {
            let mut line = format!("{:>2}", row + 1);
            for col in 0..self.size() {
                let square = Square::new(col, row);
                let here = match self.stack(square) {
                    Some(Stack { side, height: 1 }) => {
                        side.letter().to_ascii_uppercase().to_string()
                    }
                    Some(Stack { side, height }) => {
                        format!("{}{height}", side.letter().to_ascii_uppercase())
                    }
                    None if self.is_central(square) => "+".to_owned(),
                    None if self.squares().any(|other| other == square) => ".".to_owned(),
                    None => String::new(),
                };
                let _ = write!(line, " {here:<3}");
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        let columns = (0..self.size()).map(|col| char::from(b'a' + col));
        let columns: Vec<String> = columns.map(String::from).collect();
        let _ = writeln!(text, "   {}", columns.join("   "));
        text.push_str("W White, B Black; W3 a stack of three; + central square, . border\n");
        for side in [Side::First, Side::Second] {
            let (name, left) = (side.white_or_black(), self.hand(side));
            if left > 0 {
                let _ = writeln!(text, "{name} has {left} in hand.");
            }
        }
        text
    }

    fn step_label(step: &str) -> String {
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

const fn glyph(side: Side) -> &'static Glyph {
    match side {
        Side::First => &WHITE,
        Side::Second => &BLACK,
    }
}

fn at(position: &Pylyx, square: Square) -> (f32, f32) {
    (
        f32::from(square.col()) + 0.5,
        TOP + f32::from(position.size() - square.row()) - 0.5,
    )
}

fn hand(position: &Pylyx, side: Side, y: f32) -> Cell {
    let width = 7.4;
    Hand {
        name: match side {
            Side::First => "White's hand",
            Side::Second => "Black's hand",
        },
        class: side.key(),
        glyph: glyph(side),
        what: ("checker", "checkers"),
        size: 0.56,
        pitch: 0.55,
        left: position.hand(side),
        all: position.checkers(),
        group: 5,
        at: (f32::from(position.size()) / 2.0, y),
        width,
    }
    .cell()
}

/// The checkers of a stack, each lying a little higher than the one below, with their number.
///
/// `came` says from where the last turn brought how many of them.
fn pieces(stack: Stack, came: Option<(u8, super::Way)>) -> Vec<Piece> {
    let class = stack.side.key();
    let rise = match stack.height {
        0 | 1 => 0.0,
        height => (0.36 / f32::from(height - 1)).min(0.08),
    };
    let middle = f32::from(stack.height.max(1) - 1) / 2.0;
    let piece = |glyph, class, index: u8| Piece {
        glyph,
        class,
        at: (0.0, (middle - f32::from(index)) * rise),
        size: 1.0,
        turned: None,
        came: came
            .filter(|(moved, _)| index + moved >= stack.height)
            .map(|(_, way)| way),
    };
    let top = stack.height.max(1) - 1;
    let mut pieces: Vec<Piece> = (0..top).map(|index| piece(&UNDER, class, index)).collect();
    pieces.push(piece(glyph(stack.side), class, top));
    if stack.height > 1 {
        pieces.push(Piece {
            size: 0.85,
            ..piece(number(stack.height), class, top)
        });
    }
    pieces
}

impl Pylyx {
    /// How many checkers the last turn brought to the square, and from where, seen from there.
    fn came(&self, last: Option<&Turn>, square: Square) -> Option<(u8, super::Way)> {
        let Some(&Turn::Move { top, from, to }) = last else {
            return None;
        };
        let ((x, y), (to_x, to_y)) = (at(self, from), at(self, to));
        // How high a whole piece was that joined another is not known any more: three is the most.
        (to == square).then_some((top.unwrap_or(3), (x - to_x, y - to_y)))
    }

    /// While checkers are placed, a bar at the border for each row and column that holds none of a
    /// side's: White's below and at the left, Black's above and at the right.
    fn free_lines(&self) -> Vec<Shape> {
        let size = self.size();
        let mut bars = Vec::new();
        for side in [Side::First, Side::Second] {
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
                    bars.push(Shape {
                        class,
                        at: (x, y - out),
                        outline: Outline::Rect(0.56, 0.13, 0.06),
                        came: None,
                    });
                }
                if rows & (1 << line) == 0 {
                    let (x, y) = at(self, Square::new(edge, line));
                    bars.push(Shape {
                        class,
                        at: (x + out, y),
                        outline: Outline::Rect(0.13, 0.56, 0.06),
                        came: None,
                    });
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

/// What the turn did on the square.
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

const RULES: &[Block] = &[
    Block::Text(
        "The board has 12 rows of 12 squares, without its four corners. Each side has 10 checkers, \
         which begin in hand. First the checkers are placed far apart; then they move, and join \
         in stacks. A side that has all its checkers in one stack wins. Nothing is ever captured, and \
         there are no mixed stacks.",
    ),
    Block::Text("White plays first."),
    Block::Heading("Placing"),
    Block::Text(
        "In turn, place one checker on a free square of the central 10×10 squares (b2 to k11) whose \
         row and whose column hold no checker of your colour. Checkers of the other colour don't \
         matter there. While you have a checker in hand and can place it, you have to.",
    ),
    Block::Example {
        variant: "",
        turns: "d5 e5 h8",
        caption: "White has placed d5 and h8. White's next checker can't go on rows 5 and 8, nor on \
                  columns d and h. Black's on e5 keeps White only off its own square.",
    },
    Block::Text(
        "The bars at the border show which rows and columns are still free: White's stand below and \
         at the left, Black's above and at the right.",
    ),
    Block::Ruling(
        "The whole row and column count, the border included, and stacks count as checkers do.",
    ),
    Block::Text(
        "A player who has checkers in hand but no square to place one has to move a piece instead, \
         and goes on placing in later turns as soon as there is a square again.",
    ),
    Block::Ruling("Any movement that the rules allow will do for that."),
    Block::Heading("Moving"),
    Block::Text(
        "With no checker in hand, you move one piece in each turn; you have to move if you can. The \
         piece that moves is a whole stack or any top part of one. How it moves depends on how \
         many checkers move: one goes diagonally, two go along rows and columns, three go both \
         ways. Four and more don't move together, but the top one, two or three of them do.",
    ),
    Block::Text(
        "A piece moves any distance over empty squares, never over another piece or a missing \
         corner. It ends on an empty square or on a piece of its own colour, and then lies on top \
         of it. It never ends on a piece of the other colour.",
    ),
    Block::Example {
        variant: "",
        turns: placed_then!("b2-c3"),
        caption: "b2-c3: a single checker has moved diagonally onto another, a stack of two.",
    },
    Block::Example {
        variant: "",
        turns: placed_then!("b2-c3 b11-a10 c3-c8"),
        caption: "c3-c8: the stack of two has moved up its column.",
    },
    Block::Example {
        variant: "",
        turns: placed_then!("b2-c3 b11-a10 d4-c3 a10-b11 2c3-c8"),
        caption: "2c3-c8: from a stack of three only the top two have moved.",
    },
    Block::Heading("The end"),
    Block::Text("A player who has made a stack of all own checkers, ten of them, wins."),
    Block::Ruling(
        "A player who has no turn at all passes, and only then. Two passes in a row draw the game.",
    ),
    Block::Ruling(
        "A position that arises for the third time, with the same side to move, draws the game. So \
         do 100 turns in a row, both sides and passes counted, without progress. Progress is a \
         checker placed, or a side's tallest stack growing beyond the tallest that this side has \
         had in the game.",
    ),
    Block::Heading("The small game"),
    Block::Text(
        "It is played on 10×10 squares, also without corners; each side has 8 checkers, which are \
         placed on the central 8×8 squares (b2 to i9). A stack of eight wins.",
    ),
    Block::Ruling("The corners, the centre and the goal are scaled down from the large game."),
    Block::Example {
        variant: "small",
        turns: "d5 e6",
        caption: "The small board after two turns.",
    },
    Block::Heading("Writing a turn"),
    Block::Text(
        "Columns are lettered from the left, rows numbered from the bottom. d5 places a checker; \
         d5-h9 moves the whole piece on d5; 2d5-d9 moves the top two of a taller stack. The number \
         is written only when a part of a stack moves. pass is written only when there is no other \
         turn.",
    ),
];
