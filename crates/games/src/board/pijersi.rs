//! The look of Pijersi, and its rules page.

use std::fmt::Write as _;

use super::hand::wrap;
use super::{
    Card, Cell, Diagram, Glyph, Gone, Label, Last, Outline, Piece, Render, Shape, Variant,
    off_the_board,
};
use crate::rules::Side;
use crate::rules::flexichess::side_name;
use crate::rules::pijersi::{
    self, Carry, Pijersi, QUIET_TURNS, ROWS, Role, Turn, Unit, row_length,
};

/// White's cubes have round corners, Black's cut ones.
static CUBES: [Glyph; 2] = [
    Glyph {
        id: "pijersi-white",
        svg: "<rect class=\"pj-side\" x=\"-.48\" y=\"-.38\" width=\".96\" height=\".9\" rx=\".18\"/>\
          <rect class=\"pj-top\" x=\"-.48\" y=\"-.5\" width=\".96\" height=\".94\" rx=\".18\"/>",
    },
    Glyph {
        id: "pijersi-black",
        svg: "<path class=\"pj-side\" d=\"M-.28 -.38H.28L.48 -.18V.32L.28 .52H-.28L-.48 .32V-.18z\"/>\
          <path class=\"pj-top\" d=\"M-.28 -.5H.28L.48 -.3V.24L.28 .44H-.28L-.48 .24V-.3z\"/>",
    },
];
/// The front of the lower cube, which is seen below the upper one.
static FRONTS: [Glyph; 2] = [
    Glyph {
        id: "pijersi-white-front",
        svg: "<path class=\"pj-front\" d=\"M-.48 -.3H.48V.38Q.48 .5 .36 .5H-.36Q-.48 .5 -.48 .38z\"/>",
    },
    Glyph {
        id: "pijersi-black-front",
        svg: "<path class=\"pj-front\" d=\"M-.48 -.3H.48V.34L.32 .5H-.32L-.48 .34z\"/>",
    },
];
/// In the order of the roles; an eye stands for the wise.
static SYMBOLS: [Glyph; 4] = [
    Glyph {
        id: "pijersi-rock",
        svg: "<path class=\"pj-solid\" d=\"M-.46 .18L-.34 -.18L-.06 -.4L.26 -.3L.46 .06L.38 .34H-.38z\"/>\
          <path class=\"pj-cut\" d=\"M-.06 -.4L-.12 -.04L.46 .06M-.12 -.04L-.38 .34\"/>",
    },
    Glyph {
        id: "pijersi-paper",
        svg: "<path class=\"pj-line\" d=\"M-.31 -.43H.13L.31 -.25V.43H-.31z\"/>\
          <path class=\"pj-line\" d=\"M-.13 -.12H.13M-.13 .06H.13M-.13 .24H.13\"/>",
    },
    Glyph {
        id: "pijersi-scissors",
        svg: "<path class=\"pj-line\" d=\"M-.14 .17L.2 -.45M.14 .17L-.2 -.45\"/>\
          <circle class=\"pj-line\" cx=\"-.22\" cy=\".3\" r=\".14\"/>\
          <circle class=\"pj-line\" cx=\".22\" cy=\".3\" r=\".14\"/>",
    },
    Glyph {
        id: "pijersi-wise",
        svg: "<path class=\"pj-line\" d=\"M-.46 .06Q0 -.42 .46 .06Q0 .46 -.46 .06z\"/>\
          <circle class=\"pj-solid\" cy=\".04\" r=\".15\"/>\
          <path class=\"pj-line\" d=\"M0 -.36V-.46M-.28 -.28L-.34 -.37M.28 -.28L.34 -.37\"/>",
    },
];
/// The signs that the game was published with.
static OFFICIAL: [Glyph; 4] = [
    Glyph {
        id: "pijersi-circle",
        svg: "<circle class=\"pj-line pj-sign\" r=\".37\"/>",
    },
    Glyph {
        id: "pijersi-square",
        svg: "<path class=\"pj-line pj-sign\" d=\"M-.34 -.34H.34V.34H-.34z\"/>",
    },
    Glyph {
        id: "pijersi-cross",
        svg: "<path class=\"pj-line pj-sign\" d=\"M-.34 -.34L.34 .34M.34 -.34L-.34 .34\"/>",
    },
    Glyph {
        id: "pijersi-loop",
        svg: "<path class=\"pj-line pj-sign\" d=\"M0 0C.14 -.36 .46 -.36 .46 0S.14 .36 0 0S-.46 -.36 -.46 0S-.14 .36 0 0z\"/>",
    },
];
static OFFICIAL_SIGNS: [[&Glyph; 2]; 4] = [
    [&SYMBOLS[0], &OFFICIAL[0]],
    [&SYMBOLS[1], &OFFICIAL[1]],
    [&SYMBOLS[2], &OFFICIAL[2]],
    [&SYMBOLS[3], &OFFICIAL[3]],
];

impl Render for Pijersi {
    const CARD: Card = Card {
        key: "pijersi",
        name: "Pijersi",
        by: "Lucas Borboleta, 2022",
        source: "github.com/LucasBorboleta/pijersi (the rules are licensed under CC BY-NC-SA 4.0)",
        tagline: "Rock, paper and scissors race each other across the board, alone or in stacks.",
        style: include_str!("pijersi.css"),
        variants: &[Variant::new("", "for two")],
        page: include_str!("pijersi.txt"),
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
                .map(|cell| Shape::new("frame", at(cell), Outline::Hex(RADIUS + 0.12)))
                .collect(),
            cells,
            labels: labels(self),
            gone: gone(self),
            official_signs: &OFFICIAL_SIGNS,
            ..Diagram::default()
        }
    }

    fn hint(&self) -> String {
        "Move a cube or a stack. Of a stack you can move the top cube alone: choose the stack again."
            .to_owned()
    }

    fn text(&self, turned: u8) -> String {
        let is_half = turned % 4 >= 2;
        let mut text = String::new();
        for line in 0..ROWS {
            let row = if is_half { line } else { LAST_ROW - line };
            let mut cells: Vec<pijersi::Cell> = pijersi::Cell::in_row(row).collect();
            if is_half {
                cells.reverse();
            }
            let mut line = format!("{} {}", char::from(b'a' + row), indent(row));
            for cell in cells {
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
            let length = row_length(row);
            for place in 1..=length {
                let number = if is_half { length + 1 - place } else { place };
                let _ = write!(line, "{number:<4}");
            }
            let _ = writeln!(text, "{line:<32}{rows}");
        }
        text.push_str(
            "Capitals are White's; of a stack the lower cube comes first.\n\
             R rock, P paper, S scissors, W wise.\n",
        );
        for note in self.notes() {
            wrap(&mut text, &note);
        }
        text
    }

    fn notes(&self) -> Vec<String> {
        let gone = off_the_board(&gone(self));
        let quiet = (self.quiet() > 0).then(|| {
            format!(
                "Turns without a capture: {} ({QUIET_TURNS} draw the game).",
                self.quiet()
            )
        });
        gone.into_iter().chain(quiet).collect()
    }

    fn step_label(&self, step: &str) -> String {
        match step {
            "=" => "the whole stack",
            "-" => "the top cube",
            other => other,
        }
        .to_owned()
    }
}

/// The distance from the centre of a cell to its corners, so that a cell is 1 wide.
const RADIUS: f32 = 0.577_35;
/// The distance from one row to the next.
const PITCH: f32 = 1.5 * RADIUS;
const LAST_ROW: u8 = ROWS - 1;
const MIDDLE_ROW: u8 = ROWS / 2;
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

/// The half cell by which every other row is indented in the text.
fn indent(row: u8) -> &'static str {
    if row.is_multiple_of(2) { "  " } else { "" }
}

/// The letters of the rows, and the numbers of the outer rows and of the empty cells in the middle one.
fn labels(position: &Pijersi) -> Vec<Label> {
    let mut labels = Vec::new();
    for row in 0..ROWS {
        for cell in pijersi::Cell::in_row(row) {
            let (x, y) = at(cell);
            if cell.number() == 0 {
                labels.push(Label {
                    at: (x - 0.74, y),
                    text: char::from(b'a' + row).to_string(),
                    class: "",
                });
            }
            if row == 0 || row == LAST_ROW {
                let down = if row == 0 { 0.8 } else { -0.8 };
                labels.push(Label {
                    at: (x, y + down),
                    text: (cell.number() + 1).to_string(),
                    class: "",
                });
            }
            // The rows with a cell more have no numbers beside them: those of the middle one are in its cells.
            if row == MIDDLE_ROW && position.unit(cell).is_none() {
                labels.push(Label {
                    at: (x, y + 0.32),
                    text: (cell.number() + 1).to_string(),
                    class: "on-light",
                });
            }
        }
    }
    labels
}

/// A single cube in the middle; of a stack the upper cube, and below it, a little aside, the front of the lower one.
fn pieces(
    Unit { side, top, under }: Unit,
    [under_came, top_came]: [Option<super::Way>; 2],
) -> Vec<Piece> {
    let (cube, front) = (&CUBES[side.index()], &FRONTS[side.index()]);
    let symbol = |role| &SYMBOLS[role as usize];
    let piece = |glyph, at, size, came| Piece {
        came,
        ..Piece::new(glyph, side.key(), at, size)
    };
    match under {
        None => vec![
            piece(cube, (0.0, 0.0), 0.62, top_came),
            piece(symbol(top), (0.0, -0.02), 0.42, top_came),
        ],
        Some(under) => vec![
            piece(front, (0.04, 0.13), 0.56, under_came),
            piece(symbol(under), (0.04, 0.29), 0.23, under_came),
            piece(cube, (-0.04, -0.14), 0.56, top_came),
            piece(symbol(top), (-0.04, -0.157), 0.39, top_came),
        ],
    }
}

/// The places from which the turn brought the lower and the upper cube of `cell`, seen from there.
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
        // One cube of a stack that went on has stayed.
        (Carry::Stack, _) if cell == turn.first.to => [None, from(turn.from)],
        _ => [None; 2],
    }
}

/// The cubes of each side that were captured.
fn gone(position: &Pijersi) -> Vec<Gone> {
    let units: Vec<Unit> = pijersi::Cell::all()
        .filter_map(|cell| position.unit(cell))
        .collect();
    let gone = Side::ALL.map(|side| {
        let kinds = Role::ALL.map(|role| {
            let of_side = units.iter().filter(|unit| unit.side == side);
            let left = of_side
                .flat_map(|unit| unit.under.into_iter().chain([unit.top]))
                .filter(|one| *one == role)
                .count();
            let glyphs = [
                (&CUBES[side.index()], (0.0, 0.0), 0.8),
                (&SYMBOLS[role as usize], (0.0, -0.026), 0.54),
            ];
            (role.at_start().saturating_sub(left), role.name(), glyphs)
        });
        Gone::new(side, 0.66, kinds)
    });
    gone.into_iter().flatten().collect()
}

fn says(Unit { side, top, under }: Unit) -> String {
    let side = side_name(side);
    let top = top.name();
    match under {
        None => format!("{side} {top}"),
        Some(under) => format!("{side} {top} on {}", under.name()),
    }
}

/// The trace of the turn on the cell.
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
        // A stack that was built here has moved on; one cube of a stack that went on has stayed.
        return Some(match turn.carry {
            Carry::Cube => Last::Moved,
            Carry::Stack => Last::To,
        });
    }
    (cell == turn.from).then_some(Last::From)
}
