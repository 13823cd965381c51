//! Boards: a [`Diagram`] describes what is to be seen, without saying in which format; here it
//! becomes SVG. Each game's file in `board/` turns a position into a diagram and into plain text.
//!
//! Lengths are in board units: a square of an ordinary board is 1 wide. `x` runs to the right,
//! `y` downwards, as in SVG. Colours come from the style sheet by class, so that light, dark and
//! print need no other drawing.

use std::fmt::Write as _;

use crate::rules::{Rules, Seat};

pub mod flexichess;
mod hand;
pub mod perplexus;
pub mod pijersi;
pub mod pylyx;
pub mod quixo;

/// What the program says about a game, beside playing it: names, credits, variants, rules page.
#[derive(Debug)]
pub struct Card {
    /// The word in addresses, records and the referee: `quixo`.
    pub key: &'static str,
    /// The game's name.
    pub name: &'static str,
    /// Author and year.
    pub by: &'static str,
    /// Where the rules were published, and under which licence if one is to be named.
    pub source: &'static str,
    /// One sentence on what the game is about.
    pub tagline: &'static str,
    /// The variants, the ordinary game (with the empty key) first.
    pub variants: &'static [Variant],
    /// The rules page.
    pub rules: &'static [Block],
}

/// A variant of a game.
#[derive(Debug)]
pub struct Variant {
    /// The word used by records and the referee; empty for the ordinary game.
    pub key: &'static str,
    /// What people read: "for four".
    pub name: &'static str,
}

/// A piece of a rules page.
#[derive(Debug)]
pub enum Block {
    /// A heading.
    Heading(&'static str),
    /// A paragraph.
    Text(&'static str),
    /// A paragraph that settles what the published rules leave open; shown as ours.
    Ruling(&'static str),
    /// A board: the position after `turns` (separated by single spaces) from the start of
    /// `variant`, the last turn marked.
    Example {
        /// The variant's key.
        variant: &'static str,
        /// The turns, in canonical notation.
        turns: &'static str,
        /// What is to be seen.
        caption: &'static str,
    },
}

/// A game that can be drawn.
pub trait Draw: Rules {
    /// Names, credits, variants and the rules page.
    const CARD: Card;

    /// The board, with the traces of the last turn if one is given.
    fn diagram(&self, last: Option<&Self::Turn>) -> Diagram;
    /// The board as plain text for mails and terminals: lines of at most 72 characters, with
    /// coordinates and whatever is off the board (hands, hints), without the side to move.
    fn text(&self) -> String;

    /// By how many quarter turns (clockwise) the board is turned for the player in `seat`.
    fn facing(&self, seat: Seat) -> u8 {
        2 * seat.0
    }

    /// What the side to move can do, in a sentence or two.
    fn hint(&self) -> String {
        "Choose one of the marked places.".to_owned()
    }

    /// What a button for `step` says where the step is no place on the board.
    #[must_use]
    fn step_label(step: &str) -> String {
        step.to_owned()
    }
}

/// A board, described.
#[derive(Clone, Debug, Default)]
pub struct Diagram {
    /// A class for the style sheet: the game's key.
    pub class: &'static str,
    /// Width and height of the playing area. Coordinates outside stand in a margin of 0.5,
    /// which is there only on their sides.
    pub size: (f32, f32),
    /// What lies below the cells: frames, shuttles. Drawn first, in order.
    pub shapes: Vec<Shape>,
    /// The places that have a name. Drawn in order.
    pub cells: Vec<Cell>,
    /// Coordinates around the board.
    pub labels: Vec<Label>,
    /// What choosing a cell would put on the board, by the cell's name: shown while somebody
    /// points at it.
    pub previews: Vec<(String, Shape)>,
}

/// How far away something is: to the right and down.
pub type Way = (f32, f32);

/// An outline without a name.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Classes for the style sheet.
    pub class: &'static str,
    /// Its centre.
    pub at: (f32, f32),
    /// Its form.
    pub outline: Outline,
    /// From where the last turn brought it, seen from where it is now.
    pub came: Option<Way>,
}

/// The form of a cell or shape, around its centre.
#[derive(Clone, Copy, Debug)]
pub enum Outline {
    /// A rectangle with rounded corners: width, height, radius.
    Rect(f32, f32, f32),
    /// A hexagon with a corner at the top: the distance from its centre to a corner.
    Hex(f32),
    /// A circle: its radius.
    Circle(f32),
    /// An arrow head that points right (turned by that many quarter turns clockwise): its size.
    Arrow(f32, u8),
}

/// A place on the board that turns can name.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The step that choosing it means: `c1`, `4>`.
    pub name: String,
    /// Its centre.
    pub at: (f32, f32),
    /// Its form.
    pub outline: Outline,
    /// Classes for the style sheet.
    pub class: &'static str,
    /// What stands on it, from the bottom up.
    pub pieces: Vec<Piece>,
    /// What stands on it, in words for a screen reader: "cross"; empty for nothing.
    pub says: String,
    /// What the last turn did here, if anything.
    pub last: Option<Last>,
}

/// The trace that the last turn left on a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Last {
    /// Something left from here.
    From,
    /// Something arrived here.
    To,
    /// Something was pushed or carried along.
    Moved,
    /// Something was captured here.
    Captured,
}

/// A picture of a piece, drawn in a box from -0.5 to 0.5.
#[derive(Debug)]
pub struct Glyph {
    /// Its name, unique in the program: `quixo-cross`.
    pub id: &'static str,
    /// SVG elements without colours of their own: only classes.
    pub svg: &'static str,
}

/// A piece on a cell.
#[derive(Clone, Debug)]
pub struct Piece {
    /// What it looks like.
    pub glyph: &'static Glyph,
    /// Classes for the style sheet, such as `first` or `second`.
    pub class: &'static str,
    /// Its centre, from the centre of the cell.
    pub at: (f32, f32),
    /// Its size; 1 fills a square of 1.
    pub size: f32,
    /// Quarter turns clockwise; `None` stands upright however the board is turned.
    pub turned: Option<u8>,
    /// From where the last turn brought it, seen from where it is now.
    pub came: Option<Way>,
}

/// A coordinate.
#[derive(Clone, Debug)]
pub struct Label {
    /// Its centre.
    pub at: (f32, f32),
    /// What it says.
    pub text: String,
}

/// How a viewer sees a diagram.
#[derive(Default)]
pub struct View<'a> {
    /// What the picture as a whole is called, for a screen reader.
    pub title: &'a str,
    /// Whether the coordinates are drawn.
    pub coordinates: bool,
    /// Steps of the turn that is being put together.
    pub chosen: &'a [String],
    /// Cells that can be the next step, with the address that chooses them.
    pub next: &'a [(String, String)],
    /// Whether the glyphs are defined inside this picture; else the page holds [`Diagram::defs`].
    pub defs: bool,
    /// How many turns led to it: a page shows what moved when it goes on to the next.
    pub ply: usize,
}

impl Diagram {
    /// The board turned clockwise by `quarters` quarter turns. Boards that are not square look
    /// right only after half turns.
    #[must_use]
    pub fn turned(mut self, quarters: u8) -> Self {
        for _ in 0..quarters % 4 {
            let (width, height) = self.size;
            let turn = |(x, y): (f32, f32)| (height - y, x);
            let turn_way = |(x, y): (f32, f32)| (-y, x);
            let previews = self.previews.iter_mut().map(|(_, shape)| shape);
            for shape in self.shapes.iter_mut().chain(previews) {
                shape.at = turn(shape.at);
                shape.outline = shape.outline.turned();
                shape.came = shape.came.map(turn_way);
            }
            for cell in &mut self.cells {
                cell.at = turn(cell.at);
                cell.outline = cell.outline.turned();
                for piece in &mut cell.pieces {
                    piece.came = piece.came.map(turn_way);
                    if let Some(quarter) = &mut piece.turned {
                        piece.at = turn_way(piece.at);
                        *quarter = (*quarter + 1) % 4;
                    }
                }
            }
            for label in &mut self.labels {
                label.at = turn(label.at);
            }
            self.size = (height, width);
        }
        self
    }

    /// Whether a cell is called `name`.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.cells.iter().any(|cell| cell.name == name)
    }

    /// The glyphs of this diagram, each once, as SVG definitions.
    #[must_use]
    pub fn defs(&self) -> String {
        let mut glyphs: Vec<&Glyph> = Vec::new();
        for piece in self.cells.iter().flat_map(|cell| &cell.pieces) {
            if !glyphs.iter().any(|glyph| glyph.id == piece.glyph.id) {
                glyphs.push(piece.glyph);
            }
        }
        let mut out = String::from("<defs>");
        for glyph in glyphs {
            let _ = write!(out, "<g id=\"{}\">{}</g>", glyph.id, glyph.svg);
        }
        out + "</defs>"
    }

    /// The board as one SVG element.
    #[must_use]
    pub fn svg(&self, view: &View) -> String {
        let mut out = String::with_capacity(8 * 1024);
        // A margin only where coordinates stand in it: boards are to be as large as they can.
        let margin = |is_beyond: fn(&Label, (f32, f32)) -> bool| {
            if view.coordinates && self.labels.iter().any(|label| is_beyond(label, self.size)) {
                0.5
            } else {
                0.12
            }
        };
        let left = margin(|label, _| label.at.0 < 0.0);
        let top = margin(|label, _| label.at.1 < 0.0);
        let width = self.size.0 + left + margin(|label, size| label.at.0 > size.0);
        let height = self.size.1 + top + margin(|label, size| label.at.1 > size.1);
        let _ = write!(
            out,
            "<svg class=\"board {}\" data-ply=\"{}\" viewBox=\"{:.2} {:.2} {width:.2} {height:.2}\" \
             role=\"group\" aria-label=\"{}\" xmlns=\"http://www.w3.org/2000/svg\">",
            self.class,
            view.ply,
            -left,
            -top,
            escape(view.title)
        );
        if view.defs {
            out.push_str(&self.defs());
        }
        for shape in &self.shapes {
            shape.write(&mut out);
        }
        for cell in &self.cells {
            let mut previews = self.previews.iter();
            let preview = previews.find(|(name, _)| *name == cell.name);
            cell.write(&mut out, view, preview.map(|(_, shape)| shape));
        }
        if view.coordinates {
            out.push_str("<g class=\"labels\" aria-hidden=\"true\">");
            for label in &self.labels {
                let (x, y) = label.at;
                let _ = write!(out, "<text x=\"{x:.2}\" y=\"{y:.2}\">{}</text>", label.text);
            }
            out.push_str("</g>");
        }
        out.push_str("</svg>");
        out
    }
}

/// The attribute that says from where something came.
fn write_came(out: &mut String, came: Option<Way>) {
    if let Some((x, y)) = came {
        let _ = write!(out, " data-came=\"{x:.3} {y:.3}\"");
    }
}

impl Shape {
    fn write(&self, out: &mut String) {
        self.outline.write(out, self.at, self.class, self.came);
    }
}

impl Cell {
    fn write(&self, out: &mut String, view: &View, preview: Option<&Shape>) {
        let chosen = view.chosen.contains(&self.name);
        let next = view.next.iter().find(|(name, _)| *name == self.name);
        let _ = write!(out, "<a class=\"cell {}", self.class);
        if let Some(last) = self.last {
            out.push_str(match last {
                Last::From => " last from",
                Last::To => " last to",
                Last::Moved => " last moved",
                Last::Captured => " last captured",
            });
        }
        if chosen {
            out.push_str(" chosen");
        }
        if next.is_some() {
            out.push_str(" can");
        }
        let says = if self.says.is_empty() {
            "empty"
        } else {
            &self.says
        };
        let _ = write!(
            out,
            "\" data-name=\"{0}\" aria-label=\"{0}: {1}\"",
            escape(&self.name),
            escape(says)
        );
        match next {
            Some((_, address)) => {
                let _ = write!(out, " href=\"{}\"", escape(address));
            }
            // A link without an address: an image for a screen reader.
            None => out.push_str(" role=\"img\""),
        }
        out.push('>');
        self.outline.write(out, self.at, "place", None);
        for piece in &self.pieces {
            let (x, y) = (self.at.0 + piece.at.0, self.at.1 + piece.at.1);
            let _ = write!(
                out,
                "<use href=\"#{}\" class=\"{}\" transform=\"translate({x:.3} {y:.3})",
                piece.glyph.id, piece.class
            );
            if let Some(quarter) = piece.turned.filter(|&quarter| quarter != 0) {
                let _ = write!(out, " rotate({})", u16::from(quarter) * 90);
            }
            if (piece.size - 1.0).abs() > f32::EPSILON {
                let _ = write!(out, " scale({:.3})", piece.size);
            }
            out.push('"');
            write_came(out, piece.came);
            out.push_str("/>");
        }
        if let Some(shape) = preview {
            out.push_str("<g class=\"preview\">");
            shape.write(out);
            out.push_str("</g>");
        }
        self.outline.write(out, self.at, "glow", None);
        out.push_str("</a>");
    }
}

impl Outline {
    fn turned(self) -> Self {
        match self {
            Self::Rect(width, height, radius) => Self::Rect(height, width, radius),
            Self::Arrow(size, quarters) => Self::Arrow(size, (quarters + 1) % 4),
            Self::Hex(_) | Self::Circle(_) => self,
        }
    }

    fn write(self, out: &mut String, (x, y): (f32, f32), class: &str, came: Option<Way>) {
        let _ = match self {
            Self::Rect(width, height, radius) => write!(
                out,
                "<rect class=\"{class}\" x=\"{:.3}\" y=\"{:.3}\" width=\"{width:.3}\" \
                 height=\"{height:.3}\" rx=\"{radius:.3}\"",
                x - width / 2.0,
                y - height / 2.0
            ),
            Self::Circle(radius) => write!(
                out,
                "<circle class=\"{class}\" cx=\"{x:.3}\" cy=\"{y:.3}\" r=\"{radius:.3}\""
            ),
            Self::Hex(r) => {
                let w = r * 0.866;
                write!(
                    out,
                    "<path class=\"{class}\" d=\"M{x:.3} {:.3}l{w:.3} {h:.3}v{r:.3}l{m:.3} \
                     {h:.3}l{m:.3} {n:.3}v{:.3}z\"",
                    y - r,
                    -r,
                    h = r / 2.0,
                    n = -r / 2.0,
                    m = -w
                )
            }
            Self::Arrow(size, quarters) => {
                let s = size / 2.0;
                write!(
                    out,
                    "<path class=\"{class}\" transform=\"translate({x:.3} {y:.3}) rotate({})\" \
                     d=\"M{:.3} {:.3}L{s:.3} 0L{:.3} {s:.3}z\"",
                    u16::from(quarters) * 90,
                    -s,
                    -s,
                    -s
                )
            }
        };
        write_came(out, came);
        out.push_str("/>");
    }
}

/// Writes `text` so that it can stand in an XML text or attribute.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}
