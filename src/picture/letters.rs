//! Letters and digits as outlines, so that drawing a picture needs no fonts of the system. They all stand in the middle
//! of their place, as the style sheets of boards have it.

use std::fmt::Write as _;
use std::sync::LazyLock;

use resvg::usvg::roxmltree::Node;
use ttf_parser::{Face, OutlineBuilder};

static FACE: LazyLock<Option<Face<'static>>> =
    LazyLock::new(|| Face::parse(notosans::BOLD_TTF, 0).ok());

/// A letter that is written as a path.
struct Outline<'o> {
    out: &'o mut String,
    /// The left end of its baseline.
    at: (f32, f32),
    /// The length of the font's unit.
    unit: f32,
}

impl Outline<'_> {
    fn step(&mut self, way: char, points: &[(f32, f32)]) {
        self.out.push(way);
        for (x, y) in points {
            let (x, y) = (self.at.0 + x * self.unit, self.at.1 - y * self.unit);
            let _ = write!(self.out, "{x:.4} {y:.4} ");
        }
    }
}

impl OutlineBuilder for Outline<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        self.step('M', &[(x, y)]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.step('L', &[(x, y)]);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.step('Q', &[(x1, y1), (x, y)]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.step('C', &[(x1, y1), (x2, y2), (x, y)]);
    }

    fn close(&mut self) {
        self.out.push('z');
    }
}

/// Writes the text of the element `node` as a path. If it names several places, each has one letter.
pub fn write(out: &mut String, node: Node, size: f32) {
    let Some(face) = &*FACE else {
        return;
    };
    let numbers = |name| -> Vec<f32> {
        let list = node.attribute(name).unwrap_or("0").split(' ');
        list.filter_map(|number| number.parse().ok()).collect()
    };
    let text = node.text().unwrap_or_default();
    let places: Vec<(f32, f32)> = numbers("x").into_iter().zip(numbers("y")).collect();
    out.push_str("<path d=\"");
    match places.as_slice() {
        [place] => write_at(out, face, text, *place, size),
        places => {
            for (letter, place) in text.chars().zip(places) {
                write_at(out, face, letter.encode_utf8(&mut [0; 4]), *place, size);
            }
        }
    }
    out.push_str("\"/>");
}

/// Writes the steps of the path of `text`, whose middle is at `place`.
fn write_at(out: &mut String, face: &Face, text: &str, place: (f32, f32), size: f32) {
    let unit = size / f32::from(face.units_per_em());
    let glyphs: Vec<_> = text.chars().filter_map(|c| face.glyph_index(c)).collect();
    let width = |glyph| f32::from(face.glyph_hor_advance(glyph).unwrap_or(0)) * unit;
    let whole: f32 = glyphs.iter().map(|glyph| width(*glyph)).sum();
    let height = f32::from(face.capital_height().unwrap_or(0)) * unit;
    let mut at = (place.0 - whole / 2.0, place.1 + height / 2.0);
    for glyph in glyphs {
        face.outline_glyph(glyph, &mut Outline { out, at, unit });
        at.0 += width(glyph);
    }
}
