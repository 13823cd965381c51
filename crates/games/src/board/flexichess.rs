//! The look of Flexichess, the diagrams of its movements, and its rules page.
//!
//! The pieces are drawn for this project. White's and Black's share their shapes; the style sheet gives
//! White a light body with a dark outline, Black a dark body with a light one.

use std::fmt::Write as _;

use super::hand::{rows_of_text, wrap};
use super::svg::definitions;
use super::{
    Card, Cell, Diagram, Glyph, Gone, Label, Last, Outline, Piece, Render, Variant, off_the_board,
};
use crate::rules::Side;
use crate::rules::betza::{How, Mark, Movement, Offset, Use};
use crate::rules::flexichess::{
    self as rules, Deed, Effect, Flexichess, Kind, Move, Pending, Preview, RuleCard, Square, Turn,
};

const SIZE: u8 = 8;

/// The pieces, a little smaller than their squares, in the order of the kinds; and the same with the mark of a changed
/// movement, each with the definition of the plain one inside.
macro_rules! pieces {
    ($($id:literal $svg:literal)*) => {
        static PLAIN: [Glyph; 6] = [$(Glyph {
            id: $id,
            svg: concat!("<g transform=\"translate(0 .02)scale(.88)\">", $svg, "</g>"),
        }),*];
        static CHANGED: [Glyph; 6] = [$(Glyph {
            id: concat!($id, "c"),
            svg: concat!(
                "<g id=\"",
                $id,
                "\"><g transform=\"translate(0 .02)scale(.88)\">",
                $svg,
                "</g></g><path class=\"chess-changed\" d=\"M.32-.49l.17.17l-.17.17l-.17-.17z\"/>"
            ),
        }),*];
    };
}

macro_rules! glyph {
    ($name:ident, $id:literal, $svg:expr) => {
        static $name: Glyph = Glyph { id: $id, svg: $svg };
    };
}

pieces!(
    "P"
    "<path class=\"chess-body\" d=\"M-.25.4v-.06c0-.05.03-.08.08-.1c.07-.07.1-.16.105-.26h-.075v-.07h.06a.155.155 0 1 1 .16 0h.06v.07h-.075c.005.1.035.19.105.26c.05.02.08.05.08.1v.06z\"/>\
     <path class=\"chess-line\" d=\"M-.16.25h.32\"/>"
    "N"
    "<path class=\"chess-body\" d=\"M-.28.4v-.06c0-.05.03-.08.07-.1c.02-.14.09-.2.17-.28c.03-.03.04-.07.03-.1c-.06.04-.13.05-.18.08c-.04.03-.05.08-.09.08c-.05 0-.1-.06-.1-.11c0-.05.06-.1.09-.18c.03-.1.1-.16.16-.2l-.01-.1l.11.07c.18.01.31.18.32.4c.005.13-.02.25-.06.34c.05.02.08.05.08.1v.06z\"/>\
     <path class=\"chess-line\" d=\"M-.2.25h.43M.05 -.33c.1.04.17.16.17.33\"/><circle class=\"chess-dot\" cx=\"-.09\" cy=\"-.2\" r=\".028\"/>"
    "B"
    "<path class=\"chess-body\" d=\"M-.26.4v-.06c0-.05.03-.08.08-.1c.05-.05.08-.12.09-.2h-.08v-.07h.05c-.07-.05-.1-.11-.1-.18c0-.09.09-.18.16-.25a.065.065 0 1 1 .12 0c.07.07.16.16.16.25c0 .07-.03.13-.1.18h.05v.07h-.08c.01.08.04.15.09.2c.05.02.08.05.08.1v.06z\"/>\
     <path class=\"chess-line\" d=\"M-.17.25h.34M.09 -.25l-.1.12\"/>"
    "R"
    "<path class=\"chess-body\" d=\"M-.28.4v-.07c0-.05.03-.07.07-.09l.03-.3l-.08-.07v-.23h.12v.07h.08v-.07h.12v.07h.08v-.07h.12v.23l-.08.07l.03.3c.04.02.07.04.07.09v.07z\"/>\
     <path class=\"chess-line\" d=\"M-.19.25h.38M-.16 -.06h.32\"/>"
    "Q"
    "<path class=\"chess-body\" d=\"M-.27.4v-.07c0-.05.03-.07.08-.09l-.03-.15l-.14-.29a.062.062 0 1 1 .06-.03l.13.12l.03-.2a.062.062 0 1 1 .07-.02l.07.17l.07-.17a.062.062 0 1 1 .07.02l.03.2l.13-.12a.062.062 0 1 1 .06.03l-.14.29l-.03.15c.05.02.08.04.08.09v.07z\"/>\
     <path class=\"chess-line\" d=\"M-.18.25h.36M-.2.11q.2-.06.4 0\"/>"
    "K"
    "<path class=\"chess-body\" d=\"M-.27.4v-.07c0-.05.03-.07.08-.09l-.02-.1c-.09-.07-.15-.13-.15-.22c0-.1.08-.16.17-.16c.07 0 .12.03.155.08v-.1h-.075v-.08h.075v-.085h.07v.085h.075v.08h-.075v.1c.035-.05.085-.08.155-.08c.09 0 .17.06.17.16c0 .09-.06.15-.15.22l-.02.1c.05.02.08.04.08.09v.07z\"/>\
     <path class=\"chess-line\" d=\"M-.18.25h.36M-.2.13q.2-.06.4 0M0 -.13v.2\"/>"
);
glyph!(
    CHECK,
    "c-check",
    "<path class=\"chess-alarm\" d=\"M0-.49L.1-.33L.3-.39L.31-.19L.49-.1L.38.07L.46.26L.27.31L.19.48L0 .4L-.19.48L-.27.31L-.46.26L-.38.07L-.49-.1L-.31-.19L-.3-.39L-.1-.33z\"/>"
);
glyph!(LEAP, "c-leap", "<circle class=\"mark\" r=\".26\"/>");
glyph!(
    SLIDE,
    "c-slide",
    "<rect class=\"mark\" x=\"-.24\" y=\"-.24\" width=\".48\" height=\".48\"/>"
);
glyph!(
    LAME,
    "c-lame",
    "<circle class=\"mark\" r=\".26\"/><path class=\"mark-tick\" d=\"M-.36 0H-.26M.26 0H.36M0-.36V-.26M0 .26V.36\"/>"
);
glyph!(
    HOP,
    "c-hop",
    "<path class=\"mark\" d=\"M0-.32L.32.24H-.32z\"/>"
);
glyph!(
    BEHIND,
    "c-behind",
    "<path class=\"mark\" d=\"M0-.34L.3 0L0 .34L-.3 0z\"/><path class=\"mark-tick\" d=\"M-.38-.26L-.18-.42M.38-.26L.18-.42\"/>"
);
glyph!(
    NEW,
    "c-new",
    "<circle class=\"reached\" r=\".4\"/><path class=\"reached-plus\" d=\"M-.2 0H.2M0-.2V.2\"/>"
);
glyph!(
    LOST,
    "c-lost",
    "<path class=\"reached-lost\" d=\"M-.3-.3L.3.3M.3-.3L-.3.3\"/>"
);
glyph!(
    ATTACKER,
    "c-attacker",
    "<circle class=\"chess-attacker\" r=\".44\"/>"
);
glyph!(
    CROSS,
    "c-cross",
    "<path class=\"mark-line\" d=\"M-.13-.1L.13.16M.13-.1L-.13.16\"/>"
);
glyph!(
    FIRST,
    "c-first",
    "<path class=\"mark-line\" d=\"M-.06-.06L.02-.12V.16\"/>"
);
glyph!(
    PASSING,
    "c-passing",
    "<path class=\"mark-tick\" d=\"M.3-.44v.2M.2-.34h.2\"/>"
);

// The empty board: turned by half it looks the same.
glyph!(
    GROUND,
    "c-ground",
    concat!(
        "<defs><radialGradient id=\"c-dot\"><stop class=\"chess-goal\" offset=\".24\"/>",
        "<stop class=\"chess-rim\" offset=\".26\"/><stop class=\"chess-rim\" offset=\".31\"/>",
        "<stop class=\"chess-rim\" offset=\".34\" stop-opacity=\"0\"/></radialGradient>",
        "<radialGradient id=\"c-ring\"><stop class=\"chess-rim\" offset=\".78\" stop-opacity=\"0\"/>",
        "<stop class=\"chess-rim\" offset=\".8\"/><stop class=\"chess-goal\" offset=\".83\"/>",
        "<stop class=\"chess-goal\" offset=\".94\"/><stop class=\"chess-rim\" offset=\".96\"/>",
        "<stop class=\"chess-rim\" offset=\".98\" stop-opacity=\"0\"/></radialGradient></defs>",
        "<rect class=\"chess-frame\" x=\"-.12\" y=\"-.12\" width=\"8.24\" height=\"8.24\" rx=\".09\"/>",
        "<path class=\"chess-inlay\" d=\"M-.035-.035h8.07v8.07h-8.07z\"/>",
        "<path class=\"chess-light\" d=\"M0 0h8v8h-8z\"/><path class=\"chess-dark\" fill-rule=\"evenodd\" d=\"",
        "M1 0h1v8h-1zM3 0h1v8h-1zM5 0h1v8h-1zM7 0h1v8h-1z",
        "M0 1h8v1h-8zM0 3h8v1h-8zM0 5h8v1h-8zM0 7h8v1h-8z\"/>"
    )
);

// The empty squares of a movement's diagram, the middle one light.
glyph!(
    FIELD,
    "c-field",
    concat!(
        "<path class=\"chess-light\" d=\"M0 0h9v9h-9z\"/><path class=\"chess-dark\" fill-rule=\"evenodd\" d=\"",
        "M1 0h1v9h-1zM3 0h1v9h-1zM5 0h1v9h-1zM7 0h1v9h-1z",
        "M0 1h9v1h-9zM0 3h9v1h-9zM0 5h9v1h-9zM0 7h9v1h-9z\"/>"
    )
);

/// All pictures on boards and in diagrams of movements, as SVG definitions, for a page that shows them.
#[must_use]
pub fn glyphs() -> String {
    let all = CHANGED.iter().chain([
        &CHECK, &GROUND, &FIELD, &LEAP, &SLIDE, &LAME, &HOP, &BEHIND, &NEW, &LOST, &ATTACKER,
        &CROSS, &FIRST, &PASSING,
    ]);
    let all: Vec<&Glyph> = all.collect();
    let defs = definitions(&all);
    format!("<svg class=\"defs\" width=\"0\" height=\"0\" aria-hidden=\"true\">{defs}</svg>")
}

/// The pieces on the board in words: `White: king e1, rooks a1 h1. Black: …`.
#[must_use]
pub fn in_words(position: &Flexichess) -> String {
    let mut words = String::with_capacity(400);
    for side in Side::ALL {
        if side == Side::Second {
            words.push_str(". ");
        }
        words.push_str(match side {
            Side::First => "White:",
            Side::Second => "Black:",
        });
        let before = words.len();
        for kind in Kind::ALL.into_iter().rev() {
            let mut places = Square::all()
                .filter(|square| {
                    let piece = position.piece(*square);
                    piece.is_some_and(|piece| (piece.side, piece.kind) == (side, kind))
                })
                .peekable();
            let Some(first) = places.next() else {
                continue;
            };
            let comma = if words.len() == before { "" } else { "," };
            let many = if places.peek().is_some() { "s" } else { "" };
            let _ = write!(words, "{comma} {}{many} {first}", kind.name());
            for place in places {
                let _ = write!(words, " {place}");
            }
        }
        if words.len() == before {
            words.push_str(" nothing");
        }
    }
    words
}

/// The pieces on the board as lines of letters, White's as capitals, turned clockwise by `turned` quarter turns.
#[must_use]
pub fn in_letters(position: &Flexichess, turned: u8) -> String {
    rows_of_text((SIZE, SIZE), 2, turned, |file, rank| {
        let piece = position.piece(Square::new(file, rank));
        format!(" {}", piece.map_or('.', rules::Piece::letter))
    })
}

/// A picture in the middle of a square, and as large.
const fn whole(glyph: &'static Glyph, class: &'static str) -> Piece {
    Piece::new(glyph, class, (0.0, 0.0), 1.0)
}

impl Render for Flexichess {
    const CARD: Card = Card {
        key: "flexichess",
        name: "Flexichess",
        by: "superpublius; chess by the FIDE laws",
        source: "\"Perplexichess rules\", superpublius: the rules of one board",
        tagline: "Chess in which a turn may change a rule instead of moving a piece.",
        style: include_str!("flexichess.css"),
        variants: &[Variant::new("", "for two")],
        page: include_str!("flexichess.txt"),
    };

    fn flexichess(&self) -> Option<&Flexichess> {
        Some(self)
    }

    fn diagram(&self, last: Option<&Turn>) -> Diagram {
        let size = f32::from(SIZE);
        let checked = self.is_check().then(|| self.king(self.side())).flatten();
        let cells = Square::all()
            .map(|square| {
                let check = checked == Some(square);
                Cell {
                    name: square.to_string(),
                    at: centre(square),
                    outline: Outline::Rect(1.0, 1.0, 0.0),
                    class: "",
                    pieces: pieces(self, square, check),
                    says: says(self, square, check),
                    last: last.and_then(|turn| trace(self, turn, square)),
                }
            })
            .collect();
        Diagram {
            class: "flexichess",
            size: (size, size),
            cells,
            labels_within: true,
            ground: Some(&GROUND),
            gone: gone(self),
            ..Diagram::default()
        }
    }

    fn text(&self, turned: u8) -> String {
        let mut text = in_letters(self, turned);
        for note in self.notes() {
            wrap(&mut text, &note);
        }
        text
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.is_check() {
            notes.push("Check!".to_owned());
        }
        for kind in Kind::CHANGEABLE {
            if let Some(movement) = self.rules().movement(kind)
                && !self.rules().is_ordinary(kind)
            {
                notes.push(format!(
                    "{}: the {} {} ({movement}).",
                    kind.letter(),
                    kind.name(),
                    movement.words()
                ));
            }
        }
        notes.extend(off_the_board(&gone(self)));
        let promotions = self.rules().promotions();
        if promotions != rules::Promotions::ALL {
            notes.push(format!("Pawns promote to {promotions} only."));
        }
        for change in self.changes() {
            if let Effect::Written(_) = change.change.effect {
                notes.push(format!("Rule {}: {}", change.number, change.change.text));
            }
        }
        if let Some(pending) = self.pending() {
            // The last turn says what it is.
            notes.push(match pending {
                Pending::Rule(_) => "A rule is proposed, to accept or dispute.".to_owned(),
                Pending::Turn(under) => format!(
                    "A turn was played under rule {}, to accept or dispute.",
                    under.number
                ),
            });
        }
        notes
    }

    fn hint(&self) -> String {
        let hint = if self.is_check() {
            "You are in check. Choose a piece, then its square, so that your king is safe."
        } else {
            "Move a piece: choose it, then its square. Or change a rule instead."
        };
        hint.to_owned()
    }

    fn turn_label(&self, turn: &Turn) -> String {
        match turn {
            Turn::Move(movement) => self.san(*movement),
            Turn::Change(change) => match change.effect {
                Effect::Written(_) => format!("rule in words: “{}”", change.text),
                _ => format!("rule: “{}”", change.text),
            },
            Turn::Under(under) => format!("under rule {}: {}", under.number, under.done()),
            Turn::Accept => "accepted".to_owned(),
            Turn::Reject => "disputed".to_owned(),
        }
    }

    fn step_label(&self, step: &str) -> String {
        match step {
            "=Q" => "Queen",
            "=R" => "Rook",
            "=B" => "Bishop",
            "=N" => "Knight",
            "accept" => "Accept",
            "reject" => "Dispute",
            other => match other.strip_prefix("card ").and_then(RuleCard::find) {
                Some(card) => return format!("Play “{}”", card.name),
                None => other,
            },
        }
        .to_owned()
    }
}

/// The centre of a square as White sees it.
fn centre(square: Square) -> (f32, f32) {
    (
        f32::from(square.file()) + 0.5,
        f32::from(SIZE - square.rank()) - 0.5,
    )
}

fn pieces(position: &Flexichess, square: Square, check: bool) -> Vec<Piece> {
    let Some(piece) = position.piece(square) else {
        return Vec::new();
    };
    let mut pieces = Vec::with_capacity(2);
    if check {
        pieces.push(whole(&CHECK, "alarm"));
    }
    let glyph = if position.rules().is_ordinary(piece.kind) {
        &PLAIN[piece.kind as usize]
    } else {
        &CHANGED[piece.kind as usize]
    };
    pieces.push(whole(glyph, piece.side.key()));
    pieces
}

/// The pieces of each side that it has fewer of than at the start. A board whose kings were taken off lacks no king.
#[must_use]
pub fn gone(position: &Flexichess) -> Vec<Gone> {
    let mut left = [[0; Kind::ALL.len()]; 2];
    for piece in Square::all().filter_map(|square| position.piece(square)) {
        left[piece.side.index()][piece.kind as usize] += 1;
    }
    let gone = Side::ALL.map(|side| {
        let kinds = Kind::CHANGEABLE.into_iter().rev().map(|kind| {
            let left = left[side.index()][kind as usize];
            let glyph = [(&PLAIN[kind as usize], (0.0, 0.0), 1.0)];
            (kind.at_start().saturating_sub(left), kind.name(), glyph)
        });
        Gone::new(side, 0.42, kinds)
    });
    gone.into_iter().flatten().collect()
}

fn says(position: &Flexichess, square: Square, check: bool) -> String {
    let Some(piece) = position.piece(square) else {
        return String::new();
    };
    let mut words = piece.words();
    if check {
        words.push_str(", in check");
    }
    // The rules in force say how: here it would be repeated for up to thirty pieces.
    if !position.rules().is_ordinary(piece.kind) {
        words.push_str(", changed");
    }
    words
}

/// The trace of the turn on the square.
fn trace(position: &Flexichess, turn: &Turn, square: Square) -> Option<Last> {
    match turn {
        Turn::Move(movement) => trace_move(position, *movement, square),
        Turn::Change(change) => {
            let Effect::Movement(kind, _) = change.effect else {
                return None;
            };
            let here = position.piece(square)?;
            (here.kind == kind).then_some(Last::Moved)
        }
        Turn::Under(under) => under.deeds.iter().rev().find_map(|deed| match *deed {
            Deed::Move(_, to, _) if to == square => Some(Last::To),
            Deed::Move(from, ..) if from == square => Some(Last::From),
            Deed::Remove(at) if at == square => Some(Last::Captured),
            _ => None,
        }),
        Turn::Accept | Turn::Reject => None,
    }
}

fn trace_move(position: &Flexichess, movement: Move, square: Square) -> Option<Last> {
    let Move { from, to, .. } = movement;
    if square == from {
        return Some(Last::From);
    }
    if square == to {
        return Some(Last::To);
    }
    let king = position.piece(to)?.kind == Kind::King;
    let castled = king && from.file().abs_diff(to.file()) == 2 && from.rank() == to.rank();
    let rook = Square::new(u8::midpoint(from.file(), to.file()), to.rank());
    (castled && square == rook).then_some(Last::Moved)
}

/// A diagram of the board with squares numbered from 1 to 64 instead of named, as the Perplexichess
/// rules number them.
#[must_use]
pub fn numbered(mut diagram: Diagram) -> Diagram {
    diagram.class = "flexichess numbered";
    diagram.labels_within = false;
    diagram.labels = Square::all()
        .filter_map(|square| {
            let name = square.to_string();
            let cell = diagram.cells.iter().find(|cell| cell.name == name)?;
            let number = square.number().to_string();
            Some(Label::on_square(cell.at, (-0.37, -0.38), number))
        })
        .collect();
    diagram
}

/// The squares from the piece to the edge of a movement's diagram.
const REACH: i8 = 4;

/// A movement on a board of nine by nine, the piece in the middle, forward upwards.
///
/// A circle is a leap, a square a slide, a circle with ticks a leap that needs the square on the way empty, a
/// triangle a jump over one piece, a lozenge the square behind a piece. Filled: moves and captures; hollow: moves
/// only; with a cross: captures only; with a 1: a pawn's first step; with a plus: in passing too.
#[must_use]
pub fn movement(movement: &Movement, kind: Kind, side: Side) -> Diagram {
    let width = f32::from(2 * REACH + 1);
    let mut cells = Vec::new();
    for dy in (-REACH..=REACH).rev() {
        for dx in -REACH..=REACH {
            let here = (dx, dy) == (0, 0);
            let marks: Vec<Mark> = movement
                .marks()
                .filter(|mark| mark.offset == (dx, dy))
                .collect();
            let (pieces, says) = if here {
                let piece = whole(&PLAIN[kind as usize], side.key());
                (vec![piece], format!("the {}", kind.name()))
            } else {
                (mark_pieces(movement, &marks), mark_words(movement, &marks))
            };
            cells.push(Cell {
                name: offset_name((dx, dy)),
                at: (f32::from(dx + REACH) + 0.5, f32::from(REACH - dy) + 0.5),
                outline: Outline::Rect(1.0, 1.0, 0.0),
                class: "",
                pieces,
                says,
                last: None,
            });
        }
    }
    Diagram {
        class: "flexichess movement",
        size: (width, width),
        cells,
        ground: Some(&FIELD),
        ..Diagram::default()
    }
}

/// The squares of a movement's diagram, row by row: the label and the offset of each.
pub fn movement_squares(diagram: &Diagram) -> impl Iterator<Item = (String, Offset)> + '_ {
    let all = (-REACH..=REACH)
        .rev()
        .flat_map(|dy| (-REACH..=REACH).map(move |dx| (dx, dy)));
    all.zip(&diagram.cells)
        .map(|(offset, cell)| (cell.label(), offset))
}

/// True if a square is on the diagram, and can be chosen there.
#[must_use]
pub fn is_on_diagram((dx, dy): Offset) -> bool {
    dx.abs() <= REACH && dy.abs() <= REACH && (dx, dy) != (0, 0)
}

/// A square of a movement's diagram: `2 forward 1 right`.
fn offset_name((dx, dy): Offset) -> String {
    let part = |n: i8, up: &str, down: &str| match n {
        0 => None,
        n if n > 0 => Some(format!("{n} {up}")),
        n => Some(format!("{} {down}", -n)),
    };
    let parts = [part(dy, "forward", "back"), part(dx, "right", "left")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        "in the middle".to_owned()
    } else {
        parts.join(" ")
    }
}

/// The board as it would be after a change, with the squares that each side's pieces of the kind newly reach then, or no
/// longer: White's in the lower left corner of a square, Black's in the lower right one. The pieces that could move
/// differently are marked.
#[must_use]
pub fn preview(preview: &Preview) -> Diagram {
    let mut diagram = preview.after.diagram(None);
    for (cell, square) in diagram.cells.iter_mut().zip(Square::all()) {
        if preview
            .differ
            .iter()
            .flatten()
            .any(|piece| *piece == square)
        {
            cell.last = Some(Last::Moved);
            cell.says.push_str(", could move differently");
        }
        if preview.checkers.contains(&square) {
            cell.pieces.insert(0, whole(&ATTACKER, "attacker"));
            cell.says.push_str(", gives check");
        }
        for (reach, side) in preview.reach.iter().zip(Side::ALL) {
            let (glyph, size, word) =
                match (reach.now.contains(&square), reach.after.contains(&square)) {
                    (false, false) | (true, true) => continue,
                    (false, true) => (&NEW, 0.4, "newly reached"),
                    (true, false) => (&LOST, 0.32, "no longer reached"),
                };
            let x = if side == Side::First { -0.3 } else { 0.3 };
            cell.pieces
                .push(Piece::new(glyph, side.key(), (x, 0.3), size));
            let says = format!("{word} by {}", rules::side_name(side));
            if !cell.says.is_empty() {
                cell.says.push_str(", ");
            }
            cell.says.push_str(&says);
        }
    }
    diagram
}

/// The board of `after`, with its changes since `before` marked.
#[must_use]
pub fn after(after: &Flexichess, before: &Flexichess) -> Diagram {
    let mut diagram = after.diagram(None);
    for (cell, square) in diagram.cells.iter_mut().zip(Square::all()) {
        cell.last = match (before.piece(square), after.piece(square)) {
            (was, is) if was == is => None,
            (Some(_), None) => Some(Last::From),
            _ => Some(Last::To),
        };
    }
    diagram
}

/// The name of a kind's picture, as its board defines it.
#[must_use]
pub fn glyph_name(kind: Kind) -> &'static str {
    PLAIN[kind as usize].id
}

/// A kind's piece by itself, as a small picture beside its name. The page holds [`glyphs`].
#[must_use]
pub fn picture(kind: Kind) -> String {
    format!(
        "<svg class=\"board flexichess piece\" viewBox=\"-.56 -.56 1.12 1.12\" aria-hidden=\"true\">\
         <use href=\"#{}\" class=\"first\"/></svg>",
        PLAIN[kind as usize].id
    )
}

/// True if a leap that can be blocked reaches the square, not a slide.
fn is_lame(movement: &Movement, mark: Mark) -> bool {
    let (dx, dy): Offset = mark.offset;
    let (short, long) = (dx.abs().min(dy.abs()), dx.abs().max(dy.abs()));
    let stepped = |purpose| {
        movement.reaches((dx / 2, dy / 2), purpose, How::Leap)
            || movement.reaches((dx / 2, dy / 2), purpose, How::Slide)
    };
    mark.how == How::Slide
        && long == 2
        && (short == 1 || !(stepped(mark.purpose) && mark.purpose != Use::FirstStep))
}

fn mark_pieces(movement: &Movement, marks: &[Mark]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let ways = How::ALL
        .into_iter()
        .filter(|how| marks.iter().any(|mark| mark.how == *how));
    let ways = ways.count();
    for how in How::ALL {
        let begin = pieces.len();
        let uses: Vec<&Mark> = marks.iter().filter(|mark| mark.how == how).collect();
        let Some(first) = uses.first() else {
            continue;
        };
        let has = |purpose| uses.iter().any(|mark| mark.purpose == purpose);
        let beyond = |far: How| {
            let (dx, dy) = first.offset;
            let unit = (dx.signum(), dy.signum());
            let next = dx.abs().max(dy.abs()) + 1;
            movement.reaches((unit.0 * next, unit.1 * next), first.purpose, far)
        };
        let (dx, dy) = first.offset;
        let near = dx.abs().max(dy.abs());
        let glyph = match how {
            // The first square of a slide, and the nearest one behind a piece.
            How::Leap if near == 1 && beyond(How::Slide) => &SLIDE,
            How::Hop if near == 2 && beyond(How::Behind) && !beyond(How::Hop) => &BEHIND,
            How::Leap => &LEAP,
            How::Slide if is_lame(movement, **first) => &LAME,
            How::Slide => &SLIDE,
            How::Hop => &HOP,
            How::Behind => &BEHIND,
        };
        let (moves, takes) = (has(Use::Move), has(Use::Capture));
        let class = match (moves, takes) {
            (true, true) => "both",
            (false, true) => "takes",
            _ => "moves",
        };
        pieces.push(whole(glyph, class));
        if takes && !moves {
            pieces.push(whole(&CROSS, class));
        }
        if has(Use::FirstStep) && !moves {
            pieces.push(whole(&FIRST, class));
        }
        if has(Use::Passing) {
            pieces.push(whole(&PASSING, class));
        }
        // Several ways stand side by side, from the upper left to the lower right.
        if ways > 1 {
            let aside = if begin == 0 { -0.2 } else { 0.2 };
            for piece in &mut pieces[begin..] {
                piece.at = (aside, aside);
                piece.size = 0.62;
            }
        }
    }
    pieces
}

fn mark_words(movement: &Movement, marks: &[Mark]) -> String {
    // The purposes of each way: `moves and captures by sliding`.
    let mut ways: Vec<(&str, Vec<&str>)> = Vec::new();
    for mark in marks {
        let purpose = match mark.purpose {
            Use::Move => "moves",
            Use::Capture => "captures",
            Use::FirstStep => "first step",
            Use::Passing => "captures en passant",
        };
        let how = match mark.how {
            How::Leap => "",
            How::Slide if is_lame(movement, *mark) => " if the square on the way is empty",
            How::Slide => " by sliding",
            How::Hop => " over one piece",
            How::Behind => " directly behind a piece",
        };
        match ways.iter_mut().find(|(known, _)| *known == how) {
            Some((_, purposes)) => purposes.push(purpose),
            None => ways.push((how, vec![purpose])),
        }
    }
    let list: Vec<String> = ways
        .iter()
        .map(|(how, purposes)| format!("{}{how}", purposes.join(" and ")))
        .collect();
    list.join(", ")
}
