//! How Perplexus looks, and what its rules page says.

use std::fmt::Write as _;

use super::hand::Hand;
use super::{
    Block, Card, Cell, Diagram, Glyph, Label, Last, Outline, Piece, Render, Shape, Variant,
};
use crate::rules::perplexus::{COLS, PIECES, Perplexus, ROWS, SHUTTLE, Square, Turn, Way, home};
use crate::rules::{Rules as _, Seat, Side};

static HOLE: Glyph = Glyph {
    id: "perplexus-hole",
    svg: "<circle class=\"perplexus-hole\" r=\".3\"/>",
};
static WHITE: Glyph = Glyph {
    id: "perplexus-white",
    svg: "<circle class=\"perplexus-disc\" r=\".37\"/><circle class=\"perplexus-mark\" r=\".2\"/>",
};
static BLACK: Glyph = Glyph {
    id: "perplexus-black",
    svg: "<circle class=\"perplexus-disc\" r=\".37\"/>\
          <path class=\"perplexus-mark\" d=\"M-.15 -.15L.15 .15M.15 -.15L-.15 .15\"/>",
};
/// A shuttle that is not on the field yet.
static SHUTTLE_LEFT: Glyph = Glyph {
    id: "perplexus-shuttle",
    svg: "<rect class=\"perplexus-spare\" x=\"-.5\" y=\"-.07\" width=\"1\" height=\".14\" rx=\".07\"/>",
};
static ARROW: Glyph = Glyph {
    id: "perplexus-arrow",
    svg: "<path class=\"perplexus-arrow\" d=\"M-.17 -.27L.2 0L-.17 .27z\"/>",
};

/// Where the field begins, below the hand of the side that sits above it.
const TOP: f32 = 0.8;
/// Where the hand of the side below begins, after the field and the letters of its columns.
const FOOT: f32 = TOP + ROWS as f32 + 0.5;

impl Render for Perplexus {
    const CARD: Card = Card {
        key: "perplexus",
        name: "Perplexus",
        by: "1976",
        source: "pergioco.net/5/perplexus; BoardGameGeek 7516",
        tagline: "Five in a row on six shuttles that slide, yours and the other side's.",
        style: concat!(include_str!("hand.css"), include_str!("perplexus.css")),
        variants: &[Variant {
            key: "",
            name: "for two",
        }],
        rules: RULES,
    };

    fn diagram(&self, last: Option<&Turn>) -> Diagram {
        let mut cells = vec![hand(self, Side::First), hand(self, Side::Second)];
        cells.extend(Square::all().map(|square| self.cell(square, last)));
        if self.has_all_shuttles() {
            cells.extend(
                (0..ROWS)
                    .flat_map(|row| Way::ALL.map(|way| (row, way)))
                    .filter_map(|(row, way)| {
                        let turn = Turn::Shift { row, way };
                        handle(self, row, way, self.why_illegal(&turn).is_none())
                    }),
            );
        }
        Diagram {
            class: "perplexus",
            size: (f32::from(COLS), FOOT + 0.66),
            shapes: shapes(self, last),
            cells,
            labels: Label::grid(COLS, ROWS, TOP + f32::from(ROWS)),
            previews: previews(self),
            unseen: &["hand", "bare", "on-shuttle"],
            ..Diagram::default()
        }
    }

    fn hint(&self) -> String {
        let hint = if !self.has_all_shuttles() {
            "Put a shuttle on one of your rows: drag it there, or choose its middle square. It has \
             to touch the shuttles in the rows next to it."
        } else if self.hand(self.side_to_move()) > 0 {
            "Put a piece on a free square of any shuttle, or move a shuttle by an arrow at its end."
        } else {
            "All your pieces are on the field: move a shuttle by an arrow at its end."
        };
        hint.to_owned()
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for row in (0..ROWS).rev() {
            let mut line = format!("{} ", row + 1);
            let first = self.shuttle(row).map(Square::col);
            for col in 0..COLS {
                let square = Square::new(col, row);
                line.push(match first {
                    Some(first) if first == col => '[',
                    Some(first) if first + SHUTTLE == col => ']',
                    _ => ' ',
                });
                line.push(match (self.is_covered(square), self.piece(square)) {
                    (false, _) => '.',
                    (true, None) => '-',
                    (true, Some(Side::First)) => 'W',
                    (true, Some(Side::Second)) => 'B',
                });
            }
            if first == Some(COLS - SHUTTLE) {
                line.push(']');
            }
            text.push_str(&line);
            text.push('\n');
        }
        text.push_str("   a b c d e f g h i j k l m n\n");
        text.push_str("[-] shuttle, free square; W White, B Black; . bare square\n");
        for side in [Side::First, Side::Second] {
            let (name, rows) = (side.white_or_black(), home(side));
            let place = format!("{name} (rows {} to {})", rows.start + 1, rows.end);
            let shuttles = rows.filter(|&row| self.shuttle(row).is_none()).count();
            let shuttles = match shuttles {
                0 => String::new(),
                1 => "1 shuttle and ".to_owned(),
                _ => format!("{shuttles} shuttles and "),
            };
            let _ = writeln!(text, "{place}: {shuttles}{} pieces left", self.hand(side));
        }
        text
    }

    /// White sits by the rows that are drawn above.
    fn facing(&self, seat: Seat) -> u8 {
        if seat.0 == 0 { 2 } else { 0 }
    }
}

const fn glyph(side: Side) -> &'static Glyph {
    match side {
        Side::First => &WHITE,
        Side::Second => &BLACK,
    }
}

fn at(square: Square) -> (f32, f32) {
    (
        f32::from(square.col()) + 0.5,
        TOP + f32::from(ROWS - square.row()) - 0.5,
    )
}

/// The side whose shuttles stand in `row`.
fn owner(row: u8) -> Side {
    if home(Side::First).contains(&row) {
        Side::First
    } else {
        Side::Second
    }
}

/// The shuttles that can be put, by their middle squares.
fn previews(position: &Perplexus) -> Vec<(String, Shape)> {
    let turns = if position.has_all_shuttles() {
        Vec::new()
    } else {
        position.legal()
    };
    turns
        .iter()
        .filter_map(|turn| match turn {
            Turn::Shuttle(first) => Some((turn, first)),
            _ => None,
        })
        .flat_map(|(turn, &first)| {
            let shape = shuttle(first, false);
            position
                .steps(turn)
                .into_iter()
                .map(move |step| (step, shape.clone()))
        })
        .collect()
}

/// The shuttle that begins on `first`.
fn shuttle(first: Square, moved: bool) -> Shape {
    let (x, y) = at(first);
    let length = f32::from(SHUTTLE);
    Shape {
        class: match (owner(first.row()), moved) {
            (Side::First, false) => "shuttle first",
            (Side::Second, false) => "shuttle second",
            (Side::First, true) => "shuttle first moved",
            (Side::Second, true) => "shuttle second moved",
        },
        at: (x - 0.5 + length / 2.0, y),
        outline: Outline::Rect(length - 0.1, 0.82, 0.41),
        came: None,
    }
}

fn hand(position: &Perplexus, side: Side) -> Cell {
    let width = f32::from(COLS);
    let shuttles = home(side).filter(|&row| position.shuttle(row).is_none());
    let shuttles = u8::try_from(shuttles.count()).unwrap_or(0);
    let is_placing = shuttles > 0;
    let y = match side {
        Side::First => 0.33,
        Side::Second => FOOT + 0.33,
    };
    Hand {
        name: match side {
            Side::First => "White's hand",
            Side::Second => "Black's hand",
        },
        class: side.key(),
        glyph: if is_placing {
            &SHUTTLE_LEFT
        } else {
            glyph(side)
        },
        what: if is_placing {
            ("shuttle", "shuttles")
        } else {
            ("piece", "pieces")
        },
        size: if is_placing { 3.5 } else { 0.56 },
        pitch: if is_placing { 3.8 } else { 0.55 },
        left: if is_placing {
            shuttles
        } else {
            position.hand(side)
        },
        all: if is_placing { 3 } else { PIECES },
        group: 6,
        at: (width / 2.0, y),
        width,
    }
    .cell()
}

/// Where a shuttle that has gone one square `way` came from.
const fn back(way: Way) -> (f32, f32) {
    match way {
        Way::Left => (1.0, 0.0),
        Way::Right => (-1.0, 0.0),
    }
}

/// The handle at the end of a shuttle, if there is room for it on the field.
fn handle(position: &Perplexus, row: u8, way: Way, free: bool) -> Option<Cell> {
    let first = position.shuttle(row)?;
    let col = match way {
        Way::Left => first.col().checked_sub(1)?,
        Way::Right => Some(first.col() + SHUTTLE).filter(|&col| col < COLS)?,
    };
    let (side, way_in_words) = match way {
        Way::Left => (2, "left, towards a"),
        Way::Right => (0, "right, towards n"),
    };
    let says = if free {
        format!("move the shuttle {way_in_words}")
    } else {
        "the shuttle would lose touch".to_owned()
    };
    Some(Cell {
        name: Turn::Shift { row, way }.to_string(),
        at: at(Square::new(col, row)),
        outline: Outline::Rect(0.84, 0.72, 0.3),
        class: if free { "handle" } else { "handle held" },
        pieces: vec![Piece {
            glyph: &ARROW,
            class: "way",
            at: (0.0, 0.0),
            size: 1.0,
            turned: Some(side),
            came: None,
        }],
        says,
        last: None,
    })
}

impl Perplexus {
    fn cell(&self, square: Square, last: Option<&Turn>) -> Cell {
        // What stands on a shuttle rides along.
        let came = match last {
            Some(&Turn::Shift { row, way }) if row == square.row() => Some(back(way)),
            _ => None,
        };
        let piece = |glyph, class| Piece {
            glyph,
            class,
            at: (0.0, 0.0),
            size: 1.0,
            turned: None,
            came,
        };
        let side = self.piece(square);
        let covered = self.is_covered(square);
        let hole = covered.then(|| piece(&HOLE, "hole"));
        let disc = side.map(|side| piece(glyph(side), side.key()));
        Cell {
            name: square.to_string(),
            at: at(square),
            outline: Outline::Rect(0.94, 0.94, 0.12),
            class: if covered { "on-shuttle" } else { "bare" },
            pieces: hole.into_iter().chain(disc).collect(),
            says: match (covered, side) {
                (false, _) => "no shuttle".to_owned(),
                (true, None) => "free".to_owned(),
                (true, Some(side)) => side.white_or_black().to_owned(),
            },
            last: last.and_then(|&turn| self.trace(turn, square)),
        }
    }

    /// What the turn did on the square.
    fn trace(&self, turn: Turn, square: Square) -> Option<Last> {
        match turn {
            Turn::Shuttle(first) => {
                (first.row() == square.row() && self.is_covered(square)).then_some(Last::To)
            }
            Turn::Piece(put) => (put == square).then_some(Last::To),
            Turn::Shift { row, way } if row == square.row() => {
                let first = self.shuttle(row)?.col();
                let left = match way {
                    Way::Left => first + SHUTTLE,
                    Way::Right => first.wrapping_sub(1),
                };
                if square.col() == left {
                    Some(Last::From)
                } else {
                    self.is_covered(square).then_some(Last::Moved)
                }
            }
            Turn::Shift { .. } => None,
        }
    }
}

/// The two halves of the field, the shuttles, and where neighbouring shuttles touch.
fn shapes(position: &Perplexus, last: Option<&Turn>) -> Vec<Shape> {
    let (width, height) = (f32::from(COLS), f32::from(ROWS));
    let middle = (width / 2.0, TOP + height / 2.0);
    let half = |class, up: f32| Shape {
        class,
        at: (middle.0, middle.1 - up * height / 4.0),
        outline: Outline::Rect(width, height / 2.0, 0.1),
        came: None,
    };
    let mut shapes = vec![
        Shape {
            class: "frame",
            at: middle,
            outline: Outline::Rect(width + 0.14, height + 0.14, 0.18),
            came: None,
        },
        half("half first", 1.0),
        half("half second", -1.0),
        Shape {
            class: "border",
            at: middle,
            outline: Outline::Rect(width, 0.07, 0.03),
            came: None,
        },
    ];
    shapes.extend(Square::all().map(|square| Shape {
        class: "peg",
        at: at(square),
        outline: Outline::Circle(0.07),
        came: None,
    }));
    let moved = match last {
        Some(&Turn::Shift { row, .. }) => Some(row),
        Some(Turn::Shuttle(first)) => Some(first.row()),
        _ => None,
    };
    for row in 0..ROWS {
        let Some(first) = position.shuttle(row) else {
            continue;
        };
        shapes.push(Shape {
            came: match last {
                Some(&Turn::Shift { row: moved, way }) if moved == row => Some(back(way)),
                _ => None,
            },
            ..shuttle(first, moved == Some(row))
        });
        if let Some(above) = position.shuttle(row + 1) {
            let start = first.col().max(above.col());
            let shared = SHUTTLE - first.col().abs_diff(above.col());
            let shared = f32::from(shared);
            shapes.push(Shape {
                class: "contact",
                at: (f32::from(start) + shared / 2.0, at(first).1 - 0.5),
                outline: Outline::Rect(shared - 0.5, 0.1, 0.05),
                came: None,
            });
        }
    }
    shapes
}

const RULES: &[Block] = &[
    Block::Text(
        "The field has 6 rows of 14 squares. White sits by rows 4, 5 and 6, Black by rows 1, 2 and \
         3. Each side has 3 shuttles and 18 pieces. A shuttle covers seven neighbouring squares of \
         one row, and pieces stand only on shuttles. A side that gets five pieces of its colour in \
         a line wins. Nothing is ever captured.",
    ),
    Block::Ruling("White plays first."),
    Block::Heading("Putting the shuttles"),
    Block::Text(
        "In the first six turns the sides put their shuttles on the field, one in turn. A shuttle \
         goes on one of your own three rows that has none yet. If a neighbouring row already has a \
         shuttle, whosever it is, yours has to touch it: at least one square of the one must lie \
         directly above a square of the other.",
    ),
    Block::Example {
        variant: "",
        turns: "b6-h6",
        caption: "b6-h6: White's first shuttle covers b6 to h6.",
    },
    Block::Example {
        variant: "",
        turns: "b6-h6 c3-i3 a4-g4 f2-l2",
        caption: "White still has row 5. A shuttle on h5 to n5 would touch the one in row 6 (at h), \
                  but not the one in row 4, so that turn is not allowed.",
    },
    Block::Heading("Putting pieces and moving shuttles"),
    Block::Text(
        "When all six shuttles are on the field, a turn is one of two things. You may put one of \
         your pieces, while you have any left, on a free square of any shuttle, yours or the other \
         side's. Or you may move any shuttle, yours or the other side's, one square to the right \
         or left; the pieces on it ride along. A shuttle stays on the field, and shuttles on \
         neighbouring rows always have to touch: they share at least one column.",
    ),
    Block::Example {
        variant: "",
        turns: "b6-h6 c3-i3 a4-g4 f2-l2 c5-i5 e1-k1 d4",
        caption: "d4: White puts the first piece.",
    },
    Block::Example {
        variant: "",
        turns: "b6-h6 c3-i3 a4-g4 f2-l2 c5-i5 e1-k1 d4 4>",
        caption: "4>: Black moves the shuttle in row 4 to the right. White's piece now stands on e4.",
    },
    Block::Text(
        "You can't pass. A player who has put all 18 pieces moves a shuttle in every turn; there is \
         always one that can move.",
    ),
    Block::Heading("The end"),
    Block::Text(
        "A line is five or more pieces of one colour next to each other in a row, a column or a \
         diagonal of the field. The squares count, not the shuttles. If there is a line of your \
         colour after your turn, you win, even if the other side has one as well.",
    ),
    Block::Example {
        variant: "",
        turns: "b6-h6 c3-i3 a4-g4 d2-j2 c5-i5 e1-k1 e6 i3 e5 k1 d4 g2 e3 h2 e2 j2 4>",
        caption: "4> brings the piece from d4 to e4, and White has five in column e: e2 to e6.",
    },
    Block::Ruling(
        "If only the other side has a line after your turn, the other side wins. Six and more in a \
         line count as well.",
    ),
    Block::Ruling(
        "A position that arises for the third time, with the same side to move, draws the game. So \
         do 60 shuttle moves in a row, both sides counted; a piece that is put starts the count \
         again, and putting the shuttles at the beginning does not count.",
    ),
    Block::Heading("Writing a turn"),
    Block::Text(
        "Columns are a to n from the left, rows 1 to 6 from the bottom, as Black sees the field. A \
         shuttle is put with its first and last square, b6-h6; a piece with its square, d4. A \
         shuttle is moved with its row and the way it goes: 4> towards column n, 4< towards column \
         a. On the board, drag a new shuttle to its place or click its middle square; click a square \
         for a piece, and the arrow at a shuttle's end to move it.",
    ),
];
