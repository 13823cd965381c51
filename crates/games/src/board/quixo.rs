//! The look of Quixo, and its rules page.

use super::hand::rows_of_text;
use super::{Card, Cell, Diagram, Glyph, Label, Last, Outline, Piece, Render, Shape, Variant};
use crate::rules::quixo::{Cube, Dot, Quixo, SIZE, Square, Turn};
use crate::rules::{Seat, Side};

static CUBE: Glyph = Glyph {
    id: "quixo-cube",
    svg: "<rect class=\"cube-side\" x=\"-.46\" y=\"-.44\" width=\".92\" height=\".92\" rx=\".12\"/>\
          <rect class=\"cube-top\" x=\"-.46\" y=\"-.48\" width=\".92\" height=\".9\" rx=\".12\"/>",
};
static SYMBOLS: [Glyph; 2] = [
    Glyph {
        id: "quixo-cross",
        svg: "<path class=\"ink\" d=\"M-.24 -.27L.24 .21M.24 -.27L-.24 .21\"/>",
    },
    Glyph {
        id: "quixo-circle",
        svg: "<circle class=\"ink\" cy=\"-.03\" r=\".25\"/>",
    },
];
static DOT: Glyph = Glyph {
    id: "quixo-dot",
    svg: "<circle class=\"dot\" cy=\"-.37\" r=\".08\"/>",
};

impl Render for Quixo {
    const CARD: Card = Card {
        key: "quixo",
        name: "Quixo",
        by: "Thierry Chapeau, 1995",
        source: "pergioco.net/5/quixo",
        tagline: "Take a cube from the edge, push it back in, and make five in a row.",
        style: include_str!("quixo.css"),
        variants: &[
            Variant::new("", "for two"),
            Variant::new("four", "for four, in two teams"),
        ],
        page: include_str!("quixo.txt"),
    };

    fn diagram(&self, last: Option<&Turn>) -> Diagram {
        let size = f32::from(SIZE);
        let at = |square: Square| {
            (
                f32::from(square.col()) + 0.5,
                size - f32::from(square.row()) - 0.5,
            )
        };
        let cells = Square::all()
            .map(|square| Cell {
                name: square.to_string(),
                at: at(square),
                outline: Outline::Rect(1.0, 1.0, 0.12),
                class: "cube",
                pieces: pieces(self.cube(square), last.and_then(|turn| came(*turn, square))),
                says: says(self.cube(square)),
                last: last.and_then(|turn| trace(*turn, square)),
            })
            .collect();
        let frame = Outline::Rect(size + 0.14, size + 0.14, 0.18);
        Diagram {
            class: "quixo",
            size: (size, size),
            shapes: vec![Shape::new("frame", (size / 2.0, size / 2.0), frame)],
            cells,
            labels: Label::grid(SIZE, SIZE, size),
            ..Diagram::default()
        }
    }

    fn hint(&self) -> String {
        let hint = if self.is_for_four() {
            "Take a cube from the edge: a blank one, or one of yours whose dot points to you."
        } else {
            "Take a cube from the edge: a blank one, or one of yours."
        };
        hint.to_owned()
    }

    fn text(&self, turned: u8) -> String {
        let mut text = rows_of_text((SIZE, SIZE), 2, turned, |col, row| {
            let letter = match self.cube(Square::new(col, row)) {
                None => '.',
                Some(Cube { dot: Some(dot), .. }) => dot.letter(),
                Some(cube) => ['X', 'O'][cube.side.index()],
            };
            format!(" {letter}")
        });
        if self.is_for_four() {
            text.push_str("Crosses: n, s. Circles: e, w (the player to whom the dot points).\n");
        }
        text
    }

    fn facing(&self, seat: Seat) -> u8 {
        // Crosses and Circles sit at the same side; in the game for four each seat at its own.
        match (self.is_for_four(), seat.0) {
            (true, 0) => 2,
            (true, 1) => 1,
            (true, 3) => 3,
            _ => 0,
        }
    }

    fn step_label(step: &str) -> String {
        match step {
            ".n" => "dot to North",
            ".e" => "dot to East",
            ".s" => "dot to South",
            ".w" => "dot to West",
            "pass" => "Pass",
            other => other,
        }
        .to_owned()
    }
}

fn pieces(cube: Option<Cube>, came: Option<super::Way>) -> Vec<Piece> {
    let piece = |glyph, class, turned| Piece {
        turned,
        came,
        ..Piece::new(glyph, class, (0.0, 0.0), 1.0)
    };
    let mut pieces = vec![piece(&CUBE, "cube", None)];
    if let Some(Cube { side, dot }) = cube {
        pieces.push(piece(&SYMBOLS[side.index()], side.key(), None));
        pieces.extend(dot.map(|dot| piece(&DOT, side.key(), Some(dot as u8))));
    }
    pieces
}

fn says(cube: Option<Cube>) -> String {
    let Some(Cube { side, dot }) = cube else {
        return "blank".to_owned();
    };
    let symbol = match side {
        Side::First => "cross",
        Side::Second => "circle",
    };
    match dot {
        None => symbol.to_owned(),
        Some(Dot::North) => format!("{symbol} of North"),
        Some(Dot::East) => format!("{symbol} of East"),
        Some(Dot::South) => format!("{symbol} of South"),
        Some(Dot::West) => format!("{symbol} of West"),
    }
}

/// The trace of the turn on the square.
fn trace(turn: Turn, square: Square) -> Option<Last> {
    let Turn::Move { take, put, .. } = turn else {
        return None;
    };
    let between = |a: u8, b: u8, x: u8| (a.min(b)..=a.max(b)).contains(&x);
    if square == put {
        Some(Last::To)
    } else if (take.row() == put.row()
        && square.row() == take.row()
        && between(take.col(), put.col(), square.col()))
        || (take.col() == put.col()
            && square.col() == take.col()
            && between(take.row(), put.row(), square.row()))
    {
        Some(Last::Moved)
    } else {
        None
    }
}

/// The place from which the turn brought the cube on the square, seen from there.
fn came(turn: Turn, square: Square) -> Option<super::Way> {
    let Turn::Move { take, put, .. } = turn else {
        return None;
    };
    let from = |other: Square| {
        let far = |to: u8, from: u8| f32::from(from) - f32::from(to);
        (
            far(square.col(), other.col()),
            -far(square.row(), other.row()),
        )
    };
    if trace(turn, square)? == Last::To {
        return Some(from(take));
    }
    // Pushed away from where the cube was put back.
    let (x, y) = from(put);
    Some((x.clamp(-1.0, 1.0), y.clamp(-1.0, 1.0)))
}
