//! How Quixo looks, and what its rules page says.

use super::{
    Block, Card, Cell, Diagram, Glyph, Label, Last, Outline, Piece, Render, Shape, Variant,
};
use crate::rules::quixo::{Cube, Dot, Quixo, SIZE, Square, Turn};
use crate::rules::{Seat, Side};

static CUBE: Glyph = Glyph {
    id: "quixo-cube",
    svg: "<rect class=\"cube-side\" x=\"-.46\" y=\"-.44\" width=\".92\" height=\".92\" rx=\".12\"/>\
          <rect class=\"cube-top\" x=\"-.46\" y=\"-.48\" width=\".92\" height=\".9\" rx=\".12\"/>",
};
static CROSS: Glyph = Glyph {
    id: "quixo-cross",
    svg: "<path class=\"ink\" d=\"M-.24 -.27L.24 .21M.24 -.27L-.24 .21\"/>",
};
static CIRCLE: Glyph = Glyph {
    id: "quixo-circle",
    svg: "<circle class=\"ink\" cy=\"-.03\" r=\".25\"/>",
};
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
            Variant {
                key: "",
                name: "for two",
            },
            Variant {
                key: "four",
                name: "for four, in two teams",
            },
        ],
        rules: &[
            Block::Text(
                "The board is full of 25 cubes, five rows of five, all blank at the start. One \
                 side plays Crosses, the other Circles. A side wins with five cubes of its own \
                 symbol in a row, a column or a long diagonal.",
            ),
            Block::Example {
                variant: "",
                turns: "",
                caption: "The start: all cubes are blank.",
            },
            Block::Ruling("Crosses play first."),
            Block::Heading("A turn"),
            Block::Text(
                "A turn has two parts, and you can't pass. First take a cube on the edge of the \
                 board that is blank or shows your own symbol; never one with the other side's. \
                 Then put it back, showing your symbol, at an end of the row or the column that \
                 is now incomplete: the cubes between that end and the gap move one square \
                 towards the gap. It can't go back to the square it came from.",
            ),
            Block::Example {
                variant: "",
                turns: "c1-a1",
                caption: "c1-a1: the cube from c1 goes back at a1 as a cross; the cubes of a1 and \
                          b1 have moved right by one.",
            },
            Block::Example {
                variant: "",
                turns: "c1-a1 e5-e1",
                caption: "e5-e1: taken at e5, put back at e1; the cubes of e1, e2, e3 and e4 have \
                          moved up by one.",
            },
            Block::Text(
                "A cube from a corner can go back to two places, any other to three: there are 44 \
                 turns at the start.",
            ),
            Block::Heading("The end"),
            Block::Text(
                "After each turn the board is looked at. If there is a line of five of the other \
                 side's symbol, the player of the turn has lost, even if there is a line of the \
                 own symbol as well. Otherwise a line of the own symbol wins.",
            ),
            Block::Example {
                variant: "",
                turns: "a1-e1 a5-a1 a2-e2 a5-a1 a3-e3 a5-a1 a4-e4 a5-a1 a5-e5",
                caption: "Crosses have made a line in column e and won.",
            },
            Block::Ruling(
                "A position that arises for the third time, with the same side to move, draws the \
                 game. The initial position counts.",
            ),
            Block::Heading("Writing a turn"),
            Block::Text(
                "Columns are a to e from the left, rows 1 to 5 from the bottom. c1-a1 means: take \
                 c1, put it back at a1. The hyphen may be left out, and capital letters are read too.",
            ),
            Block::Heading("Quixo for four"),
            Block::Text(
                "Two teams of two, partners opposite each other. Every cube that shows a symbol \
                 has a dot on one of its sides, which points to a player. You may take a blank \
                 cube, or one with your team's symbol whose dot points to you. When you put it \
                 back, you turn the dot to yourself or to your partner: c1-a1.n points it north. \
                 Cubes that are pushed keep their dot. Only a player who can't take any cube \
                 passes. Lines count as in the game for two, for the team.",
            ),
            Block::Ruling(
                "The seats in the order of play, clockwise: North (Crosses), East (Circles), South \
                 (Crosses), West (Circles). Dots are part of the position for repetition.",
            ),
            Block::Example {
                variant: "four",
                turns: "c1-a1.n e5-e1.w",
                caption: "The cross on a1 belongs to North, the circle on e1 to West.",
            },
        ],
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
        Diagram {
            class: "quixo",
            size: (size, size),
            shapes: vec![Shape {
                class: "frame",
                at: (size / 2.0, size / 2.0),
                outline: Outline::Rect(size + 0.14, size + 0.14, 0.18),
                came: None,
            }],
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

    fn text(&self) -> String {
        let mut text = String::new();
        for row in (0..SIZE).rev() {
            text.push_str(&(row + 1).to_string());
            for col in 0..SIZE {
                text.push(' ');
                text.push(match self.cube(Square::new(col, row)) {
                    None => '.',
                    Some(Cube { dot: Some(dot), .. }) => dot.letter(),
                    Some(Cube {
                        side: Side::First, ..
                    }) => 'X',
                    Some(_) => 'O',
                });
            }
            text.push('\n');
        }
        text.push_str("  a b c d e\n");
        if self.is_for_four() {
            text.push_str("Crosses: n, s. Circles: e, w (where the dot points).\n");
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
        glyph,
        class,
        at: (0.0, 0.0),
        size: 1.0,
        turned,
        came,
    };
    let mut pieces = vec![piece(&CUBE, "cube", None)];
    if let Some(Cube { side, dot }) = cube {
        pieces.push(match side {
            Side::First => piece(&CROSS, "first", None),
            Side::Second => piece(&CIRCLE, "second", None),
        });
        if let Some(dot) = dot {
            let quarter = match dot {
                Dot::North => 0,
                Dot::East => 1,
                Dot::South => 2,
                Dot::West => 3,
            };
            pieces.push(piece(&DOT, side.key(), Some(quarter)));
        }
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

/// What the turn did on the square.
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

/// From where the turn brought the cube on the square, seen from there.
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
