//! Writes a [`Diagram`] as SVG: whole, with every place by itself, or in brief, for the boards beside the one in use.

use std::fmt::Write as _;

use super::{Cell, Diagram, Glyph, Label, Last, Outline, Piece, Shape, Way};

/// A viewer's choices for a diagram.
#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a wish of its own, and most pictures have none"
)]
pub struct View<'a> {
    /// The name of the whole picture, for a screen reader.
    pub title: &'a str,
    /// True if the coordinates are drawn.
    pub coordinates: bool,
    /// True if it is small on the page: style sheets can leave its coordinates out.
    pub small: bool,
    /// Steps of the turn that is being put together.
    pub chosen: &'a [String],
    /// Cells that can be the next step, with the address that chooses them.
    pub next: &'a [(String, String)],
    /// True if the glyphs are defined inside this picture; else the page holds [`Diagram::defs`].
    pub defs: bool,
    /// True for one picture, whose title has to name the pieces and their places: above the ground only cells with
    /// pieces, marks or a link are drawn, and only those with a link have names for a screen reader. Without `defs` the
    /// page holds the ground, too.
    pub brief: bool,
    /// An id for the drawing, so that the page can show it again; empty for none.
    pub id: &'a str,
    /// The id of the same drawing elsewhere on the page, which is shown again; empty for none.
    pub same_as: &'a str,
    /// The number of turns before it: a page shows what moved when it goes on to the next.
    pub ply: usize,
}

impl Diagram {
    /// The glyphs of this diagram, each once, and its ground, as SVG definitions.
    #[must_use]
    pub fn defs(&self) -> String {
        definitions(&self.all_glyphs())
    }

    fn glyphs(&self) -> Vec<&'static Glyph> {
        let mut glyphs: Vec<&'static Glyph> = Vec::new();
        let on_board = self.cells.iter().flat_map(|cell| &cell.pieces);
        let gone = self.gone.iter().flat_map(|gone| &gone.pieces);
        for piece in on_board.chain(gone) {
            if !glyphs.iter().any(|glyph| glyph.id == piece.glyph.id) {
                glyphs.push(piece.glyph);
            }
        }
        glyphs
    }

    /// Its glyphs, and its ground.
    pub(super) fn all_glyphs(&self) -> Vec<&'static Glyph> {
        let mut glyphs = self.glyphs();
        glyphs.extend(self.ground);
        glyphs
    }

    /// The drawing in parts, from below, each with a name under which the next turn has it again.
    pub(super) fn parts(&self) -> Vec<(String, String)> {
        let mut parts = Vec::new();
        let mut add = |name: String, write: &dyn Fn(&mut String)| {
            let mut svg = String::new();
            write(&mut svg);
            parts.push((name, svg));
        };
        if let Some(ground) = self.ground {
            add("ground".to_owned(), &|out| {
                let _ = write!(out, "<use href=\"#{}\"/>", ground.id);
            });
        } else {
            for (index, shape) in self.shapes.iter().enumerate() {
                add(format!("shape {index}"), &|out| shape.write(out));
            }
        }
        for (index, cell) in self.cells.iter().enumerate() {
            let name = match &*cell.name {
                "" => format!("cell {index}"),
                name => name.to_owned(),
            };
            if self.ground.is_some() {
                let brief = View {
                    brief: true,
                    ..View::default()
                };
                add(name, &|out| cell.write_above(out, &brief));
            } else if cell.is_drawn(self) {
                add(name, &|out| cell.write_picture(out));
            }
        }
        parts
    }

    /// The board as one SVG element.
    #[must_use]
    pub fn svg(&self, view: &View) -> String {
        let ground = self.ground;
        let mut out = String::with_capacity(if view.brief { 4 } else { 16 } * 1024);
        // A margin only where coordinates stand in it, so that boards are as large as possible.
        let margin = |is_beyond: &dyn Fn((f32, f32)) -> bool| {
            if view.coordinates && self.labels.iter().any(|label| is_beyond(label.at)) {
                0.5
            } else {
                0.12
            }
        };
        let left = margin(&|at| at.0 < 0.0);
        let top = margin(&|at| at.1 < 0.0);
        let width = self.size.0 + left + margin(&|at| at.0 > self.size.0);
        let height = self.size.1 + top + margin(&|at| at.1 > self.size.1);
        // A turn that has begun: the places that can be chosen are where it goes on, not where one begins.
        let begun = if view.chosen.is_empty() { "" } else { " begun" };
        let _ = write!(out, "<svg class=\"board {}{begun}\"", self.class);
        if view.ply > 0 {
            let _ = write!(out, " data-ply=\"{}\"", view.ply);
        }
        out.push_str(" viewBox=\"");
        numbers(&mut out, &[-left, -top, width, height]);
        // A group of places with names of their own, or one picture.
        let role = if view.brief && view.next.is_empty() {
            "img"
        } else {
            "group"
        };
        let _ = write!(out, "\" role=\"{role}\" aria-label=\"");
        escape_into(&mut out, view.title);
        out.push_str("\">");
        if view.defs {
            out.push_str(&definitions(&self.all_glyphs()));
        }
        if !view.same_as.is_empty() {
            let _ = write!(out, "<use href=\"#{}\"/></svg>", view.same_as);
            return out;
        }
        if !view.id.is_empty() {
            // Styles know it by its class, wherever it is shown.
            let _ = write!(out, "<g id=\"{}\" class=\"{}\">", view.id, self.class);
        }
        if let Some(ground) = ground {
            let _ = write!(out, "<use href=\"#{}\"/>", ground.id);
            for cell in &self.cells {
                cell.write_above(&mut out, view);
            }
        } else {
            for shape in &self.shapes {
                shape.write(&mut out);
            }
            for cell in &self.cells {
                if !view.brief {
                    let mut previews = self.previews.iter();
                    let preview = previews.find(|(name, _)| *name == cell.name);
                    cell.write(&mut out, view, preview.map(|(_, shape)| shape));
                } else if cell.is_drawn(self) {
                    cell.write_picture(&mut out);
                }
            }
        }
        if !view.id.is_empty() {
            out.push_str("</g>");
        }
        if view.coordinates {
            self.write_labels(&mut out, view.small);
        }
        out.push_str("</svg>");
        out
    }

    /// Writes the coordinates: those of one character together, each at its place. A wide board can be shown upright,
    /// and then each has to turn by itself.
    fn write_labels(&self, out: &mut String, small: bool) {
        let class = if small { "labels small" } else { "labels" };
        let _ = write!(
            out,
            "<g class=\"{class}\" aria-hidden=\"true\" translate=\"no\">"
        );
        let within = self.cells.iter().filter(|_| self.labels_within);
        let within = within.flat_map(|cell| Label::within(cell, self.size.1));
        let within: Vec<Label> = within.collect();
        let labels = || self.labels.iter().chain(&within);
        let is_wide = self.size.0 > 1.5 * self.size.1;
        let mut write = |labels: &[&Label]| {
            let Some(first) = labels.first() else {
                return;
            };
            let (xs, ys): (Vec<f32>, Vec<f32>) = labels.iter().map(|label| label.at).unzip();
            out.push_str("<text");
            if !first.class.is_empty() {
                let _ = write!(out, " class=\"{}\"", first.class);
            }
            out.push_str(" x=\"");
            numbers(out, &xs);
            out.push_str("\" y=\"");
            numbers(out, &ys);
            out.push_str("\">");
            for label in labels {
                out.push_str(&label.text);
            }
            out.push_str("</text>");
        };
        for class in ["", "on-light", "on-dark"] {
            let of_class = labels().filter(|label| label.class == class);
            let is_single = |label: &&Label| !is_wide && label.text.chars().count() == 1;
            let (single, others): (Vec<&Label>, Vec<&Label>) = of_class.partition(is_single);
            write(&single);
            for label in others {
                write(&[label]);
            }
        }
        out.push_str("</g>");
    }
}

/// Glyphs as SVG definitions, for pictures elsewhere on the page.
pub(super) fn definitions(glyphs: &[&Glyph]) -> String {
    let mut out = String::from("<defs>");
    for glyph in glyphs {
        let _ = write!(out, "<g id=\"{}\">{}</g>", glyph.id, glyph.svg);
    }
    out + "</defs>"
}

/// Writes the attribute for the name of a place, if it has one.
fn write_name(out: &mut String, name: &str) {
    if name.is_empty() {
        return;
    }
    out.push_str(" data-name=\"");
    escape_into(out, name);
    out.push('"');
}

/// Writes the attribute for the way back of something that moved.
fn write_came(out: &mut String, came: Option<Way>) {
    if let Some((x, y)) = came {
        out.push_str(" data-came=\"");
        numbers(out, &[x, y]);
        out.push('"');
    }
}

impl Shape {
    fn write(&self, out: &mut String) {
        self.outline.write(out, self.at, self.class, self.came);
    }
}

impl Cell {
    fn write_class(&self, out: &mut String, is_chosen: bool, can: bool) {
        out.push_str(" class=\"cell ");
        out.push_str(self.class);
        self.write_marks(out, is_chosen, can);
        out.push('"');
    }

    /// Writes the classes for the trace of the last turn, and for a place that is chosen or can be.
    fn write_marks(&self, out: &mut String, is_chosen: bool, can: bool) {
        if let Some(last) = self.last {
            out.push_str(match last {
                Last::From => " last from",
                Last::To => " last to",
                Last::Moved => " last moved",
                Last::Captured => " last captured",
            });
        }
        if is_chosen {
            out.push_str(" chosen");
        }
        if can {
            out.push_str(" can");
        }
    }

    /// Writes its label for a screen reader.
    fn write_label(&self, out: &mut String) {
        out.push_str(" aria-label=\"");
        escape_into(out, &self.label());
        out.push('"');
    }

    fn write(&self, out: &mut String, view: &View, preview: Option<&Shape>) {
        let next = self.link(view);
        out.push_str("<a");
        self.write_class(out, view.chosen.contains(&self.name), next.is_some());
        write_name(out, &self.name);
        self.write_label(out);
        write_link(out, next);
        self.outline.write(out, self.at, "place", None);
        for piece in &self.pieces {
            piece.write(out, self.at, None);
        }
        if let Some(shape) = preview {
            out.push_str("<g class=\"preview\">");
            shape.write(out);
            out.push_str("</g>");
        }
        // Scripts add it to the places that can be chosen next.
        if self.last.is_some() || next.is_some() || view.chosen.contains(&self.name) {
            self.outline.write(out, self.at, "glow", None);
        }
        out.push_str("</a>");
    }

    /// True if it is drawn in a picture of `diagram`.
    fn is_drawn(&self, diagram: &Diagram) -> bool {
        self.last.is_some() || !self.pieces.is_empty() || !diagram.unseen.contains(&self.class)
    }

    /// Writes it as a part of one picture.
    fn write_picture(&self, out: &mut String) {
        out.push_str("<g");
        self.write_class(out, false, false);
        out.push('>');
        self.outline.write(out, self.at, "place", None);
        for piece in &self.pieces {
            piece.write(out, self.at, None);
        }
        if self.last.is_some() {
            self.outline.write(out, self.at, "glow", None);
        }
        out.push_str("</g>");
    }

    /// The address that chooses it.
    fn link<'a>(&self, view: &View<'a>) -> Option<&'a str> {
        let next = view.next.iter().find(|(name, _)| *name == self.name);
        next.map(|(_, address)| address.as_str())
    }

    /// Writes it above a ground that shows it empty: its outline is there to be hit and to be marked.
    fn write_above(&self, out: &mut String, view: &View) {
        let link = self.link(view);
        let is_chosen = view.chosen.contains(&self.name);
        let is_named = !view.brief || link.is_some();
        if !is_named && !is_chosen && self.last.is_none() {
            for piece in &self.pieces {
                piece.write(out, self.at, Some(&self.name));
            }
            return;
        }
        out.push_str(if is_named {
            "<a class=\"cell"
        } else {
            "<g class=\"cell"
        });
        self.write_marks(out, is_chosen, link.is_some());
        out.push('"');
        write_name(out, &self.name);
        if is_named {
            self.write_label(out);
            write_link(out, link);
        } else {
            out.push('>');
        }
        out.push_str("<path d=\"");
        self.outline.path(out, self.at);
        out.push_str("\"/>");
        for piece in &self.pieces {
            piece.write(out, self.at, None);
        }
        out.push_str(if is_named { "</a>" } else { "</g>" });
    }
}

/// Writes the address to which a place leads, and ends its tag.
fn write_link(out: &mut String, link: Option<&str>) {
    match link {
        Some(address) => {
            out.push_str(" href=\"");
            escape_into(out, address);
            out.push('"');
        }
        // A link without an address: an image for a screen reader.
        None => out.push_str(" role=\"img\""),
    }
    out.push('>');
}

impl Piece {
    /// Writes the picture on a cell at `at`, with the cell's `name` if no element around it has that.
    pub(super) fn write(&self, out: &mut String, at: (f32, f32), name: Option<&str>) {
        let (x, y) = (at.0 + self.at.0, at.1 + self.at.1);
        let _ = write!(out, "<use href=\"#{}\"", self.glyph.id);
        if !self.class.is_empty() {
            let _ = write!(out, " class=\"{}\"", self.class);
        }
        let quarter = self.turned.filter(|&quarter| quarter != 0);
        let is_scaled = (self.size - 1.0).abs() > f32::EPSILON;
        if quarter.is_none() && !is_scaled {
            attribute(out, "x", x);
            attribute(out, "y", y);
        } else {
            out.push_str(" transform=\"translate(");
            numbers(out, &[x, y]);
            out.push(')');
            if let Some(quarter) = quarter {
                let _ = write!(out, "rotate({})", u16::from(quarter) * 90);
            }
            if is_scaled {
                out.push_str("scale(");
                number(out, self.size);
                out.push(')');
            }
            out.push('"');
        }
        if let Some(name) = name {
            write_name(out, name);
        }
        write_came(out, self.came);
        out.push_str("/>");
    }
}

impl Outline {
    fn write(self, out: &mut String, (x, y): (f32, f32), class: &str, came: Option<Way>) {
        let name = match self {
            Self::Rect(.., radius) if radius > 0.0 => "rect",
            Self::Circle(_) => "circle",
            _ => "path",
        };
        let _ = write!(out, "<{name} class=\"{class}\"");
        match self {
            Self::Rect(width, height, radius) if radius > 0.0 => {
                attribute(out, "x", x - width / 2.0);
                attribute(out, "y", y - height / 2.0);
                attribute(out, "width", width);
                attribute(out, "height", height);
                attribute(out, "rx", radius);
            }
            Self::Rect(..) | Self::Hex(_) => {
                out.push_str(" d=\"");
                self.path(out, (x, y));
                out.push('"');
            }
            Self::Circle(radius) => {
                attribute(out, "cx", x);
                attribute(out, "cy", y);
                attribute(out, "r", radius);
            }
            Self::Arrow(size, quarters) => {
                let half = size / 2.0;
                out.push_str(" transform=\"translate(");
                numbers(out, &[x, y]);
                let _ = write!(out, ")rotate({})\" d=\"M", u16::from(quarters) * 90);
                numbers(out, &[-half, -half, half, 0.0, -half, half]);
                out.push_str("z\"");
            }
        }
        write_came(out, came);
        out.push_str("/>");
    }

    /// Writes its path, as in the attribute `d`; nothing for an outline that is drawn otherwise.
    fn path(self, out: &mut String, (x, y): (f32, f32)) {
        match self {
            Self::Rect(width, height, _) => {
                out.push('M');
                numbers(out, &[x - width / 2.0, y - height / 2.0]);
                for (way, length) in [('h', width), ('v', height), ('h', -width)] {
                    out.push(way);
                    number(out, length);
                }
                out.push('z');
            }
            Self::Hex(r) => {
                let (wide, half) = (r * 0.866, r / 2.0);
                out.push('M');
                numbers(out, &[x, y - r]);
                out.push('l');
                numbers(out, &[wide, half]);
                out.push('v');
                number(out, r);
                out.push('l');
                numbers(out, &[-wide, half, -wide, -half]);
                out.push('v');
                number(out, -r);
                out.push('z');
            }
            Self::Circle(_) | Self::Arrow(..) => {}
        }
    }
}

fn attribute(out: &mut String, name: &str, value: f32) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    number(out, value);
    out.push('"');
}

/// Writes numbers with a space between them.
fn numbers(out: &mut String, values: &[f32]) {
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            out.push(' ');
        }
        number(out, *value);
    }
}

/// Writes a length to a thousandth, as short as it can be: `3`, `-.5`, `1.25`. Pages of boards have hundreds of them,
/// so the digits are written one by one.
fn number(out: &mut String, value: f32) {
    #[expect(clippy::cast_possible_truncation, reason = "boards are small")]
    let thousandths = (value * 1000.0).round() as i32;
    if thousandths < 0 {
        out.push('-');
    }
    let (whole, mut rest) = (
        thousandths.unsigned_abs() / 1000,
        thousandths.unsigned_abs() % 1000,
    );
    let digit = |value| char::from_digit(value, 10).unwrap_or_default();
    if whole > 9 {
        let _ = write!(out, "{whole}");
    } else if whole > 0 || rest == 0 {
        out.push(digit(whole));
    }
    if rest > 0 {
        out.push('.');
    }
    while rest > 0 {
        out.push(digit(rest / 100));
        rest = rest % 100 * 10;
    }
}

/// Writes `text` so that it can stand in an XML text or attribute.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    escape_into(&mut out, text);
    out
}

fn escape_into(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>', '"', '\'']) {
        out.push_str(&rest[..at]);
        out.push_str(match rest.as_bytes()[at] {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            _ => "&#39;",
        });
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_written_shortly() {
        let mut out = String::new();
        numbers(
            &mut out,
            &[0.0, -0.0, 3.0, -0.5, 0.125, 12.25, 0.01, 0.9996, -2.007],
        );
        assert_eq!(out, "0 0 3 -.5 .125 12.25 .01 1 -2.007");
    }

    #[test]
    fn what_means_something_to_xml_is_escaped() {
        assert_eq!(escape("a<b>&\"c'é"), "a&lt;b&gt;&amp;&quot;c&#39;é");
    }
}
