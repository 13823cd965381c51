//! How Pijersi looks, and what its rules page says.

use std::fmt::Write as _;

use super::{
    Block, Card, Cell, Diagram, Glyph, Label, Last, Outline, Piece, Render, Shape, Variant,
};
use crate::rules::Side;
use crate::rules::pijersi::{
    self, Carry, Pijersi, QUIET_TURNS, ROWS, Role, Turn, Unit, row_length,
};

/// White's cubes have round corners, Black's cut ones.
static WHITE_CUBE: Glyph = Glyph {
    id: "pijersi-white",
    svg: "<rect class=\"pj-side\" x=\"-.48\" y=\"-.38\" width=\".96\" height=\".9\" rx=\".18\"/>\
          <rect class=\"pj-top\" x=\"-.48\" y=\"-.5\" width=\".96\" height=\".94\" rx=\".18\"/>",
};
static BLACK_CUBE: Glyph = Glyph {
    id: "pijersi-black",
    svg: "<path class=\"pj-side\" d=\"M-.28 -.38H.28L.48 -.18V.32L.28 .52H-.28L-.48 .32V-.18z\"/>\
          <path class=\"pj-top\" d=\"M-.28 -.5H.28L.48 -.3V.24L.28 .44H-.28L-.48 .24V-.3z\"/>",
};
/// The front of the lower cube, which is seen below the upper one.
static WHITE_FRONT: Glyph = Glyph {
    id: "pijersi-white-front",
    svg: "<path class=\"pj-front\" d=\"M-.48 -.3H.48V.38Q.48 .5 .36 .5H-.36Q-.48 .5 -.48 .38z\"/>",
};
static BLACK_FRONT: Glyph = Glyph {
    id: "pijersi-black-front",
    svg: "<path class=\"pj-front\" d=\"M-.48 -.3H.48V.34L.32 .5H-.32L-.48 .34z\"/>",
};
static ROCK: Glyph = Glyph {
    id: "pijersi-rock",
    svg: "<path class=\"pj-solid\" d=\"M-.46 .18L-.34 -.18L-.06 -.4L.26 -.3L.46 .06L.38 .34H-.38z\"/>\
          <path class=\"pj-cut\" d=\"M-.06 -.4L-.12 -.04L.46 .06M-.12 -.04L-.38 .34\"/>",
};
static PAPER: Glyph = Glyph {
    id: "pijersi-paper",
    svg: "<path class=\"pj-line\" d=\"M-.31 -.43H.13L.31 -.25V.43H-.31z\"/>\
          <path class=\"pj-line\" d=\"M-.13 -.12H.13M-.13 .06H.13M-.13 .24H.13\"/>",
};
static SCISSORS: Glyph = Glyph {
    id: "pijersi-scissors",
    svg: "<path class=\"pj-line\" d=\"M-.14 .17L.2 -.45M.14 .17L-.2 -.45\"/>\
          <circle class=\"pj-line\" cx=\"-.22\" cy=\".3\" r=\".14\"/>\
          <circle class=\"pj-line\" cx=\".22\" cy=\".3\" r=\".14\"/>",
};
/// An eye.
static WISE: Glyph = Glyph {
    id: "pijersi-wise",
    svg: "<path class=\"pj-line\" d=\"M-.46 .06Q0 -.42 .46 .06Q0 .46 -.46 .06z\"/>\
          <circle class=\"pj-solid\" cy=\".04\" r=\".15\"/>\
          <path class=\"pj-line\" d=\"M0 -.36V-.46M-.28 -.28L-.34 -.37M.28 -.28L.34 -.37\"/>",
};

impl Render for Pijersi {
    const CARD: Card = Card {
        key: "pijersi",
        name: "Pijersi",
        by: "Lucas Borboleta, 2022",
        source: "github.com/LucasBorboleta/pijersi (the rules are licensed under CC BY-NC-SA 4.0)",
        tagline: "Rock, paper and scissors race each other across the board, alone or in stacks.",
        style: include_str!("pijersi.css"),
        variants: &[Variant {
            key: "",
            name: "for two",
        }],
        rules: &[
            Block::Text(
                "White and Black have fourteen cubes each: four rocks, four papers, four scissors \
                 and two wise ones, shown by an eye. The side that first brings a rock, a \
                 paper or scissors to the other side's back row wins.",
            ),
            Block::Example {
                variant: "",
                turns: "",
                caption: "The start. In the middle of each second row two wise cubes lie on each \
                          other. White plays first.",
            },
            Block::Heading("Stacks"),
            Block::Text(
                "A stack is two cubes of one colour, never more. Its role is that of the cube on \
                 top. Any cube may lie on a wise one, and rock, paper and scissors on each other; \
                 a wise cube lies only on another wise one.",
            ),
            Block::Heading("A turn"),
            Block::Text("You move a cube, or a stack, or one and then the other; you can't pass."),
            Block::Text(
                "A cube, single or the top of a stack, moves one cell: to an empty cell, onto a \
                 single cube of its own colour, which builds a stack, or onto something of the \
                 other colour that it captures.",
            ),
            Block::Example {
                variant: "",
                turns: "a1-b1",
                caption: "a1-b1: the rock from a1 lies on the paper of b1.",
            },
            Block::Text(
                "A stack moves one cell, or two in a straight line if the cell between is empty: \
                 to an empty cell, or capturing. It never moves onto cubes of its own colour.",
            ),
            Block::Example {
                variant: "",
                turns: "b4=d5",
                caption: "b4=d5: the stack goes two cells, over c4.",
            },
            Block::Text(
                "If a cube's move has built a stack, that stack may move on in the same turn; it \
                 may go back to the cell that the cube came from, or over it.",
            ),
            Block::Example {
                variant: "",
                turns: "a1-b1=d2",
                caption: "a1-b1=d2: the rock builds a stack on b1, and the stack goes on to d2.",
            },
            Block::Text(
                "And if a stack has moved, the cube on its top may move on in the same turn; it \
                 may go back to the cell that the stack came from.",
            ),
            Block::Example {
                variant: "",
                turns: "a2-b3=d4 f4=d5-e5",
                caption: "f4=d5-e5: the stack goes to d5, and its top on to e5.",
            },
            Block::Heading("Captures"),
            Block::Text(
                "Rock captures scissors, scissors capture paper, paper captures rock. It makes no \
                 difference which of the two is a cube and which a stack: a captured stack leaves \
                 the board with both its cubes. A wise cube, or a stack with one on top, captures \
                 nothing and is not captured; one at the bottom falls with its stack.",
            ),
            Block::Example {
                variant: "",
                turns: "a2-b2=d1 f3-f2=d1!",
                caption: "f3-f2=d1!: Black builds a stack with scissors on top, which captures the \
                          stack with paper on top.",
            },
            Block::Text("One turn can capture twice, with each of its two moves."),
            Block::Example {
                variant: "",
                turns: "a4-b5=d4 g5-f6 b3-b2=c1 g1-g2 d4=f3!-g2!",
                caption: "d4=f3!-g2!: the stack with a rock on top captures the scissors on f3; \
                          then the rock goes on and captures the stack on g2. (It has also \
                          reached the back row and won.)",
            },
            Block::Heading("The end"),
            Block::Text(
                "A side that stands on the other side's back row with a rock, a paper, scissors, or \
                 a stack with one of these on top, when its turn is over, has won. A wise cube \
                 there does not win, and having passed through the row does not either. A side \
                 that has no legal turn when it is to move has lost. Twenty turns in a row, ten \
                 each, without a capture draw the game.",
            ),
            Block::Example {
                variant: "",
                turns: "b1-b2=d3 f4=d5-e5 d3=f4-g3!",
                caption: "d3=f4-g3!: the paper captures on the back row, and White wins.",
            },
            Block::Ruling(
                "A win comes before the draw: who reaches the back row, or leaves the other side \
                 without a turn, with the twentieth turn has won.",
            ),
            Block::Text("Positions may be repeated: there is no rule against it."),
            Block::Heading("Writing a turn"),
            Block::Text(
                "Rows are a to g from White's side, and the cells of a row are numbered from 1, \
                 left to right as White sees them. A hyphen moves a cube, an equals sign a stack, \
                 and an exclamation mark follows a cell where something is captured: \
                 d4=f3!-g2!. The exclamation marks may be left out, and the other signs too where \
                 only one turn can be meant. Capital letters are read as well.",
            ),
            Block::Heading("Credit"),
            Block::Text(
                "Pijersi and its rules are by Lucas Borboleta, copyright 2022, published at \
                 github.com/LucasBorboleta/pijersi under the licence Creative Commons \
                 Attribution-NonCommercial-ShareAlike 4.0 International (CC BY-NC-SA 4.0, \
                 creativecommons.org/licenses/by-nc-sa/4.0). The rules above are a shortened \
                 account of them in other words, under the same licence.",
            ),
        ],
    };

    fn diagram(&self, last: Option<&Turn>) -> Diagram {
        let cells = pijersi::Cell::all()
            .map(|cell| {
                let unit = self.unit(cell);
                Cell {
                    name: cell.to_string(),
                    at: at(cell),
                    outline: Outline::Hex(RADIUS - 0.022),
                    class: match cell.row() {
                        0 | LAST_ROW => "hex goal",
                        _ => "hex",
                    },
                    pieces: unit.map_or_else(Vec::new, |unit| {
                        pieces(unit, last.map_or([None; 2], |turn| came(*turn, cell)))
                    }),
                    says: unit.map_or_else(String::new, says),
                    last: last.and_then(|turn| trace(*turn, cell)),
                }
            })
            .collect();
        Diagram {
            class: "pijersi",
            size: SIZE,
            shapes: pijersi::Cell::all()
                .map(|cell| Shape {
                    class: "frame",
                    at: at(cell),
                    outline: Outline::Hex(RADIUS + 0.12),
                    came: None,
                })
                .collect(),
            cells,
            labels: labels(self),
            ..Diagram::default()
        }
    }

    fn hint(&self) -> String {
        "Move a cube or a stack. Of a stack you can move the top cube alone: choose the stack again."
            .to_owned()
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for row in (0..ROWS).rev() {
            let mut line = format!("{} {}", char::from(b'a' + row), indent(row));
            for cell in pijersi::Cell::in_row(row) {
                let shown = match self.unit(cell) {
                    None => ".".to_owned(),
                    Some(Unit { side, top, under }) => under
                        .into_iter()
                        .chain([top])
                        .map(|role| role.letter(side))
                        .collect(),
                };
                let _ = write!(line, "{shown:<4}");
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        for (row, rows) in [(0, "rows a, c, e, g"), (1, "rows b, d, f")] {
            let mut line = format!("  {}", indent(row));
            for number in 1..=row_length(row) {
                let _ = write!(line, "{number:<4}");
            }
            let _ = writeln!(text, "{line:<32}{rows}");
        }
        text.push_str(
            "Capitals are White's; of a stack the lower cube comes first.\n\
             R rock, P paper, S scissors, W wise.\n",
        );
        if self.quiet() > 0 {
            let _ = writeln!(
                text,
                "Turns without a capture: {} ({QUIET_TURNS} draw the game).",
                self.quiet()
            );
        }
        text
    }

    fn step_label(step: &str) -> String {
        match step {
            "=" => "the whole stack",
            "-" => "the top cube",
            other => other,
        }
        .to_owned()
    }
}

/// From the centre of a cell to its corners, so that a cell is 1 wide.
const RADIUS: f32 = 0.577_35;
/// From one row to the next.
const PITCH: f32 = 1.5 * RADIUS;
const LAST_ROW: u8 = ROWS - 1;
/// Seven cells wide, seven rows high.
const SIZE: (f32, f32) = (7.0, 6.0 * PITCH + 2.0 * RADIUS);

/// The centre of a cell, as White sees it.
fn at(cell: pijersi::Cell) -> (f32, f32) {
    let start = if cell.row().is_multiple_of(2) {
        1.0
    } else {
        0.5
    };
    (
        start + f32::from(cell.number()),
        SIZE.1 - RADIUS - PITCH * f32::from(cell.row()),
    )
}

/// What makes up for half a cell in the text.
fn indent(row: u8) -> &'static str {
    if row.is_multiple_of(2) { "  " } else { "" }
}

/// The letters of the rows, the numbers of the outer rows, and the names of the cells that are empty.
fn labels(position: &Pijersi) -> Vec<Label> {
    let mut labels = Vec::new();
    for row in 0..ROWS {
        for cell in pijersi::Cell::in_row(row) {
            let (x, y) = at(cell);
            if cell.number() == 0 {
                labels.push(Label {
                    at: (x - 0.74, y),
                    text: char::from(b'a' + row).to_string(),
                });
            }
            if row == 0 || row == LAST_ROW {
                let down = if row == 0 { 0.8 } else { -0.8 };
                labels.push(Label {
                    at: (x, y + down),
                    text: (cell.number() + 1).to_string(),
                });
            }
            if position.unit(cell).is_none() {
                labels.push(Label {
                    at: (x, y),
                    text: cell.to_string(),
                });
            }
        }
    }
    labels
}

/// A single cube in the middle; of a stack the upper cube, and below it the front of the lower one.
fn pieces(
    Unit { side, top, under }: Unit,
    [under_came, top_came]: [Option<super::Way>; 2],
) -> Vec<Piece> {
    let (class, cube, front) = match side {
        Side::First => ("first", &WHITE_CUBE, &WHITE_FRONT),
        Side::Second => ("second", &BLACK_CUBE, &BLACK_FRONT),
    };
    let piece = |glyph, y, size, came| Piece {
        glyph,
        class,
        at: (0.0, y),
        size,
        turned: None,
        came,
    };
    match under {
        None => vec![
            piece(cube, 0.0, 0.62, top_came),
            piece(symbol(top), -0.02, 0.42, top_came),
        ],
        Some(under) => vec![
            piece(front, 0.12, 0.58, under_came),
            piece(symbol(under), 0.28, 0.23, under_came),
            piece(cube, -0.14, 0.58, top_came),
            piece(symbol(top), -0.157, 0.4, top_came),
        ],
    }
}

/// From where the turn brought the lower and the upper cube of `cell`, seen from there.
fn came(turn: Turn, cell: pijersi::Cell) -> [Option<super::Way>; 2] {
    let from = |other: pijersi::Cell| {
        let ((x, y), (to_x, to_y)) = (at(other), at(cell));
        (other != cell).then_some((x - to_x, y - to_y))
    };
    let is_end = cell == turn.last();
    match (turn.carry, turn.second) {
        (Carry::Cube, Some(_)) if is_end => [from(turn.first.to), from(turn.from)],
        (Carry::Stack, None) if is_end => [from(turn.from); 2],
        _ if is_end => [None, from(turn.from)],
        // Of a stack that went on, a cube has stayed.
        (Carry::Stack, _) if cell == turn.first.to => [None, from(turn.from)],
        _ => [None; 2],
    }
}

fn symbol(role: Role) -> &'static Glyph {
    match role {
        Role::Rock => &ROCK,
        Role::Paper => &PAPER,
        Role::Scissors => &SCISSORS,
        Role::Wise => &WISE,
    }
}

fn says(Unit { side, top, under }: Unit) -> String {
    let side = match side {
        Side::First => "white",
        Side::Second => "black",
    };
    let top = top.name();
    match under {
        None => format!("{side} {top}"),
        Some(under) => format!("{side} {top} on {}", under.name()),
    }
}

/// What the turn did on the cell.
fn trace(turn: Turn, cell: pijersi::Cell) -> Option<Last> {
    if turn
        .hops()
        .any(|(_, _, hop)| hop.to == cell && hop.captures)
    {
        return Some(Last::Captured);
    }
    if cell == turn.last() {
        return Some(Last::To);
    }
    if cell == turn.first.to {
        // A stack that was built here has moved on; of a stack that went on, a cube has stayed.
        return Some(match turn.carry {
            Carry::Cube => Last::Moved,
            Carry::Stack => Last::To,
        });
    }
    (cell == turn.from).then_some(Last::From)
}
