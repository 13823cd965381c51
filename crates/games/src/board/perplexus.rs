//! The look of Perplexus, and its rules page.

use std::fmt::Write as _;

use super::hand::{FRAME, Hand, labels_in_frame, line_part, rows_of_text};
use super::{Card, Cell, Diagram, Glyph, Last, Outline, Piece, Render, Shape, Variant};
use crate::rules::perplexus::{COLS, PIECES, Perplexus, ROWS, SHUTTLE, Square, Turn, Way, home};
use crate::rules::{Rules as _, Seat, Side};

static HOLE: Glyph = Glyph {
    id: "perplexus-hole",
    svg: "<circle class=\"perplexus-hole\" r=\".29\"/>",
};
/// White's and Black's.
static DISCS: [Glyph; 2] = [
    Glyph {
        id: "perplexus-white",
        svg: "<circle class=\"perplexus-edge\" cy=\".035\" r=\".38\"/><circle class=\"perplexus-disc\" cy=\"-.02\" r=\".36\"/>\
              <circle class=\"perplexus-mark\" cy=\"-.02\" r=\".19\"/>",
    },
    Glyph {
        id: "perplexus-black",
        svg: "<circle class=\"perplexus-edge\" cy=\".035\" r=\".38\"/><circle class=\"perplexus-disc\" cy=\"-.02\" r=\".36\"/>\
              <path class=\"perplexus-mark\" d=\"M-.14 -.16L.14 .12M.14 -.16L-.14 .12\"/>",
    },
];
/// A shuttle that is not on the field yet.
static SHUTTLE_LEFT: Glyph = Glyph {
    id: "perplexus-shuttle",
    svg: "<rect class=\"perplexus-spare\" x=\"-.5\" y=\"-.07\" width=\"1\" height=\".14\" rx=\".07\"/>",
};
static ARROW: Glyph = Glyph {
    id: "perplexus-arrow",
    svg: "<path class=\"perplexus-arrow\" d=\"M-.17 -.27L.2 0L-.17 .27z\"/>",
};

/// The upper edge of the squares, below the hand of the side that sits above them, and the frame.
const TOP: f32 = 0.76 + FRAME;
/// The upper edge of the other hand.
const FOOT: f32 = TOP + ROWS as f32 + FRAME + 0.1;
/// The middle of the board, from the left.
const MIDDLE: f32 = FRAME + COLS as f32 / 2.0;

impl Render for Perplexus {
    const CARD: Card = Card {
        key: "perplexus",
        name: "Perplexus",
        by: "1976, also known as Per Plexus",
        source: "pergioco.net/5/perplexus; BoardGameGeek 7516",
        tagline: "Five in a row on six shuttles that slide, yours and the other side's.",
        style: concat!(include_str!("hand.css"), include_str!("perplexus.css")),
        variants: &[Variant::new("", "for two")],
        page: include_str!("perplexus.txt"),
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
            size: (2.0 * MIDDLE, FOOT + 0.66),
            shapes: shapes(self, last),
            cells,
            labels: labels_in_frame((COLS, ROWS), (FRAME, TOP)),
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

    fn text(&self, turned: u8) -> String {
        let is_half = turned % 4 >= 2;
        let mut text = rows_of_text((COLS, ROWS), 2, turned, |col, row| {
            let square = Square::new(col, row);
            let here = match (self.is_covered(square), self.piece(square)) {
                (false, _) => '.',
                (true, None) => '-',
                (true, Some(Side::First)) => 'W',
                (true, Some(Side::Second)) => 'B',
            };
            // The brackets around a shuttle take the place of spaces.
            let shuttle = self.shuttle(row).map(Square::col);
            let (place, start) = if is_half {
                let start = shuttle.map(|first| COLS - SHUTTLE - first);
                (COLS - 1 - col, start)
            } else {
                (col, shuttle)
            };
            let before = match start {
                Some(start) if start == place => '[',
                Some(start) if start + SHUTTLE == place => ']',
                _ => ' ',
            };
            let is_last = place + 1 == COLS && start == Some(COLS - SHUTTLE);
            let after = if is_last { "]" } else { "" };
            format!("{before}{here}{after}")
        });
        text.push_str("[-] shuttle, free square; W White, B Black; . bare square\n");
        for side in Side::ALL {
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

fn at(square: Square) -> (f32, f32) {
    (
        FRAME + f32::from(square.col()) + 0.5,
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
    let class = match (owner(first.row()), moved) {
        (Side::First, false) => "shuttle first",
        (Side::Second, false) => "shuttle second",
        (Side::First, true) => "shuttle first moved",
        (Side::Second, true) => "shuttle second moved",
    };
    let at = (x - 0.5 + length / 2.0, y);
    Shape::new(class, at, Outline::Rect(length - 0.1, 0.8, 0.4))
}

fn hand(position: &Perplexus, side: Side) -> Cell {
    let width = f32::from(COLS);
    let shuttles = home(side).filter(|&row| position.shuttle(row).is_none());
    let shuttles = u8::try_from(shuttles.count()).unwrap_or(0);
    let y = match side {
        Side::First => 0.33,
        Side::Second => FOOT + 0.33,
    };
    let pieces = Hand {
        side,
        glyph: &DISCS[side.index()],
        what: ("piece", "pieces"),
        size: 0.56,
        pitch: 0.55,
        left: position.hand(side),
        all: PIECES,
        group: 6,
        at: (MIDDLE, y),
        width,
    };
    if shuttles == 0 {
        return pieces.cell();
    }
    Hand {
        glyph: &SHUTTLE_LEFT,
        what: ("shuttle", "shuttles"),
        size: 3.5,
        pitch: 3.8,
        left: shuttles,
        all: 3,
        ..pieces
    }
    .cell()
}

/// The way back of a shuttle that has gone one square `way`.
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
        Way::Left => (2, "towards a"),
        Way::Right => (0, "towards n"),
    };
    let says = if free {
        format!("move the shuttle {way_in_words}")
    } else {
        "the shuttle would lose touch".to_owned()
    };
    Some(Cell {
        name: Turn::Shift { row, way }.to_string(),
        at: at(Square::new(col, row)),
        outline: Outline::Rect(0.8, 0.7, 0.35),
        class: "handle",
        pieces: vec![Piece {
            turned: Some(side),
            ..Piece::new(&ARROW, "way", (0.0, 0.0), 1.0)
        }],
        says,
        last: None,
    })
}

impl Perplexus {
    fn cell(&self, square: Square, last: Option<&Turn>) -> Cell {
        // Pieces on a shuttle ride along.
        let came = match last {
            Some(&Turn::Shift { row, way }) if row == square.row() => Some(back(way)),
            _ => None,
        };
        let piece = |glyph, class| Piece {
            came,
            ..Piece::new(glyph, class, (0.0, 0.0), 1.0)
        };
        let side = self.piece(square);
        let covered = self.is_covered(square);
        let hole = covered.then(|| piece(&HOLE, "hole"));
        let line = self.winning_lines(square).map(line_part);
        let disc = side.map(|side| piece(&DISCS[side.index()], side.key()));
        Cell {
            name: square.to_string(),
            at: at(square),
            outline: if covered {
                Outline::Rect(0.96, 0.9, 0.45)
            } else {
                Outline::Rect(0.94, 0.8, 0.12)
            },
            class: if covered { "on-shuttle" } else { "bare" },
            pieces: hole.into_iter().chain(line).chain(disc).collect(),
            says: match (covered, side) {
                (false, _) => "no shuttle".to_owned(),
                (true, None) => "free".to_owned(),
                (true, Some(side)) => side.white_or_black().to_owned(),
            },
            last: last.and_then(|&turn| self.trace(turn, square)),
        }
    }

    /// The trace of the turn on the square.
    fn trace(&self, turn: Turn, square: Square) -> Option<Last> {
        match turn {
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
            // The shuttle itself is marked.
            Turn::Shuttle(_) | Turn::Shift { .. } => None,
        }
    }
}

/// The two halves of the field with the grooves, the shuttles, and the contacts of neighbouring shuttles.
fn shapes(position: &Perplexus, last: Option<&Turn>) -> Vec<Shape> {
    let (width, height) = (f32::from(COLS), f32::from(ROWS));
    let middle = (MIDDLE, TOP + height / 2.0);
    let half = |class, up: f32| {
        let at = (middle.0, middle.1 - up * height / 4.0);
        Shape::new(class, at, Outline::Rect(width, height / 2.0, 0.1))
    };
    let frame = Outline::Rect(width + 2.0 * FRAME, height + 2.0 * FRAME, 0.24);
    let mut shapes = vec![
        Shape::new("frame", middle, frame),
        half("half first", 1.0),
        half("half second", -1.0),
        Shape::new("border", middle, Outline::Rect(width, 0.07, 0.03)),
    ];
    shapes.extend((0..ROWS).map(|row| {
        let (_, y) = at(Square::new(0, row));
        let groove = Outline::Rect(width - 0.06, 0.86, 0.43);
        Shape::new("groove", (middle.0, y), groove)
    }));
    shapes.extend(Square::all().map(|square| Shape::new("peg", at(square), Outline::Circle(0.06))));
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
            let at = (f32::from(start) + shared / 2.0, at(first).1 - 0.5);
            let outline = Outline::Rect(shared - 0.5, 0.1, 0.05);
            shapes.push(Shape::new("contact", at, outline));
        }
    }
    shapes
}
