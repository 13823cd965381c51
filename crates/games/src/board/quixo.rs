//! The look of Quixo, and its rules page.

use std::cmp::Ordering;

use super::hand::{FRAME, labels_in_frame, line_part, rows_of_text};
use super::{Card, Cell, Diagram, Glyph, Last, Outline, Piece, Render, Shape, Variant};
use crate::rules::quixo::{Cube, Dot, Quixo, SIZE, Square, Turn};
use crate::rules::{Rules as _, Seat, Side};

static CUBE: Glyph = Glyph {
    id: "quixo-cube",
    svg: "<rect class=\"cube-side\" x=\"-.475\" y=\"-.44\" width=\".95\" height=\".925\" rx=\".1\"/>\
          <rect class=\"cube-top\" x=\"-.465\" y=\"-.475\" width=\".93\" height=\".89\" rx=\".1\"/>\
          <path class=\"cube-grain\" d=\"M-.38 -.33q.3 .05 .76 -.02M-.38 .28q.4 -.06 .76 .02\"/>\
          <path class=\"cube-vein\" d=\"M-.37 -.19q.36 -.09 .74 .01M-.37 .02q.3 .05 .74 -.03M-.37 .32q.34 .03 .74 -.02\"/>",
};
static SYMBOLS: [Glyph; 2] = [
    Glyph {
        id: "quixo-cross",
        svg: "<path class=\"ink\" d=\"M-.23 -.26L.23 .2M.23 -.26L-.23 .2\"/>",
    },
    Glyph {
        id: "quixo-circle",
        svg: "<circle class=\"ink\" cy=\"-.03\" r=\".245\"/>",
    },
];
/// The same symbols with room for a dot on each side.
static SMALL_SYMBOLS: [Glyph; 2] = [
    Glyph {
        id: "quixo-small-cross",
        svg: "<path class=\"ink\" d=\"M-.15 -.17L.15 .13M.15 -.17L-.15 .13\"/>",
    },
    Glyph {
        id: "quixo-small-circle",
        svg: "<circle class=\"ink\" cy=\"-.02\" r=\".17\"/>",
    },
];
static DOT: Glyph = Glyph {
    id: "quixo-dot",
    svg: "<circle class=\"dot\" cy=\"-.36\" r=\".095\"/>",
};
/// At the end where a row was pushed, pointing to the right.
static PUSH: Glyph = Glyph {
    id: "quixo-push",
    svg: "<path class=\"push\" d=\"M-.57 -.14L-.43 0L-.57 .14z\"/>",
};

impl Render for Quixo {
    const CARD: Card = Card {
        key: "quixo",
        name: "Quixo",
        by: "Thierry Chapeau, 1995",
        source: "pergioco.net/5/quixo",
        tagline: "Take a cube from the edge, push it back in, and make five in a row.",
        style: concat!(include_str!("hand.css"), include_str!("quixo.css")),
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
                FRAME + f32::from(square.col()) + 0.5,
                FRAME + size - f32::from(square.row()) - 0.5,
            )
        };
        let cells = Square::all()
            .map(|square| Cell {
                name: square.to_string(),
                at: at(square),
                outline: Outline::Rect(1.0, 1.0, 0.12),
                class: if self.cube(square).is_some() {
                    "cube"
                } else {
                    "cube blank"
                },
                pieces: self.pieces(square, last),
                says: says(self.cube(square)),
                last: last.and_then(|turn| trace(*turn, square)),
            })
            .collect();
        let outer = size + 2.0 * FRAME;
        let rounded = |class, size, radius| {
            let middle = (outer / 2.0, outer / 2.0);
            Shape::new(class, middle, Outline::Rect(size, size, radius))
        };
        Diagram {
            class: "quixo",
            size: (outer, outer),
            shapes: vec![
                rounded("frame", outer, 0.24),
                rounded("well", size + 0.1, 0.14),
            ],
            cells,
            labels: labels_in_frame((SIZE, SIZE), (FRAME, FRAME)),
            ..Diagram::default()
        }
    }

    fn hint(&self) -> String {
        let hint = if self.is_for_four() {
            "Take a cube from the edge: a blank one, or one of yours whose dot points to you. Put it \
             back with its dot to you or to your partner."
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

    fn step_label(&self, step: &str) -> String {
        let (seat, name) = match step {
            ".n" => (0, "North"),
            ".e" => (1, "East"),
            ".s" => (2, "South"),
            ".w" => (3, "West"),
            "pass" => return "Pass".to_owned(),
            other => return other.to_owned(),
        };
        if self.to_move() == Seat(seat) {
            format!("for yourself ({name})")
        } else {
            format!("for your partner ({name})")
        }
    }
}

impl Quixo {
    fn pieces(&self, square: Square, last: Option<&Turn>) -> Vec<Piece> {
        let came = last.and_then(|turn| came(*turn, square));
        let piece = |glyph, class, turned| Piece {
            turned,
            came,
            ..Piece::new(glyph, class, (0.0, 0.0), 1.0)
        };
        let mut pieces = vec![piece(&CUBE, "cube", None)];
        pieces.extend(self.winning_lines(square).map(line_part));
        if let Some(Cube { side, dot }) = self.cube(square) {
            let symbols = if self.is_for_four() {
                &SMALL_SYMBOLS
            } else {
                &SYMBOLS
            };
            pieces.push(piece(&symbols[side.index()], side.key(), None));
            pieces.extend(dot.map(|dot| piece(&DOT, side.key(), Some(dot as u8))));
        }
        pieces.extend(
            last.and_then(|turn| pushed(*turn, square))
                .map(|turned| Piece {
                    turned: Some(turned),
                    ..Piece::new(&PUSH, "push", (0.0, 0.0), 1.0)
                }),
        );
        pieces
    }
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

/// The way (quarter turns from the right) in which the turn pushed a row, if it began on the square.
fn pushed(turn: Turn, square: Square) -> Option<u8> {
    match turn {
        Turn::Move { take, put, .. } if put == square => {
            Some(match (put.col().cmp(&take.col()), put.row() > take.row()) {
                (Ordering::Less, _) => 0,
                (Ordering::Equal, true) => 1,
                (Ordering::Greater, _) => 2,
                (Ordering::Equal, false) => 3,
            })
        }
        _ => None,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dot_is_for_the_player_or_their_partner() {
        let position = Quixo::from_position("four", "5/5/5/5/5 s").expect("a position");
        assert_eq!(position.step_label(".s"), "for yourself (South)");
        assert_eq!(position.step_label(".n"), "for your partner (North)");
    }
}
