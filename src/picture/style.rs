//! A board with its styles written out, for programs that know no style sheets: what a browser does with the sheets of
//! the site, as far as boards need it. Custom properties are inherited, also by what `<use>` shows; colours are those
//! of the light theme; letters become outlines.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use perplex_games::board::escape;
use perplex_games::registry::GAMES;
use resvg::usvg::roxmltree::{Document, Error, Node};
use simplecss::{AttributeOperator, Element, PseudoClass, StyleSheet};

use super::letters;

/// The ground on which a board lies in a picture.
pub struct Ground {
    pub at: (f32, f32),
    pub size: (f32, f32),
    /// The length of a CSS pixel.
    pub pixel: f32,
}

/// The styles of the ground.
const GROUND: &str = "
svg { color: var(--text); }
.ground { fill: var(--sheet); stroke: var(--line); }
.score { fill: var(--text); font-size: .9px; }
";

/// The style sheets of boards, those of the site first. A custom property `--name`, which simplecss does not know, is
/// `v-name` in them, and so is its use: `var(--name)`.
static SHEET: LazyLock<StyleSheet<'static>> = LazyLock::new(|| {
    let mut text = concat!(
        include_str!("../../static/style.css"),
        include_str!("../../static/match.css"),
        include_str!("../../static/correspondence.css"),
    )
    .replace(":root {", "svg {");
    text.push_str(GROUND);
    for entry in GAMES {
        text.push_str(entry.card.style);
    }
    let mut sheet = StyleSheet::parse(simplified(&text).leak());
    // Every rule is tried on every element of every board.
    sheet.rules.retain(|rule| {
        let has_state = rule.selector.to_string().contains(':');
        !has_state && rule.declarations.iter().any(|one| is_used(one.name))
    });
    sheet
});

/// True if the property can change a picture.
fn is_used(property: &str) -> bool {
    SHOWN.contains(&property)
        || matches!(property, "font" | "font-size" | "transform")
        || property.starts_with("v-")
}

/// The properties that a picture shows.
const SHOWN: &[&str] = &[
    "color",
    "fill",
    "fill-opacity",
    "filter",
    "opacity",
    "paint-order",
    "stroke",
    "stroke-dasharray",
    "stroke-linecap",
    "stroke-linejoin",
    "stroke-opacity",
    "stroke-width",
];

/// True if the attribute is for pages, not for pictures.
fn is_for_pages(attribute: &str) -> bool {
    matches!(attribute, "class" | "href" | "id" | "role")
        || ["aria-", "data-"]
            .iter()
            .any(|start| attribute.starts_with(start))
}

/// Writes `light-dark(a, b)` as `a`, and `var(--name)` and `--name` as `v-name`.
fn simplified(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, call)) = rest.split_once("light-dark(") {
        let (colours, after) = call.split_once(')').unwrap_or((call, ""));
        out.push_str(before);
        out.push_str(colours.split(',').next().unwrap_or_default());
        rest = after;
    }
    out.push_str(rest);
    let mut parts = out.split("var(--");
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, after) = part.split_once(')').unwrap_or((part, ""));
        let _ = write!(all, "v-{name}{after}");
    }
    all.replace("--", "v-")
}

/// An element as the selectors of a style sheet see it.
struct Selected<'a, 'i>(Node<'a, 'i>);

impl Element for Selected<'_, '_> {
    fn parent_element(&self) -> Option<Self> {
        self.0.parent_element().map(Self)
    }

    fn prev_sibling_element(&self) -> Option<Self> {
        self.0.prev_sibling_element().map(Self)
    }

    fn has_local_name(&self, name: &str) -> bool {
        self.0.tag_name().name() == name
    }

    fn attribute_matches(&self, name: &str, operator: AttributeOperator) -> bool {
        self.0
            .attribute(name)
            .is_some_and(|value| operator.matches(value))
    }

    fn pseudo_class_matches(&self, _: PseudoClass) -> bool {
        false
    }
}

/// The writer of one board.
struct Writer<'a, 'i> {
    glyphs: HashMap<&'a str, Node<'a, 'i>>,
    /// The custom properties in force, the innermost last.
    custom: Vec<(&'static str, String)>,
    out: String,
}

/// The board `svg` on its ground, with all styles written out.
pub fn written_out(svg: &str, ground: &Ground) -> Result<String, Error> {
    let Ground { at, size, pixel } = ground;
    let whole = format!(
        "<svg><rect class=\"ground\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\" \
         stroke-width=\"{pixel}\"/>{svg}</svg>",
        at.0 + pixel / 2.0,
        at.1 + pixel / 2.0,
        size.0 - pixel,
        size.1 - pixel,
        pixel * 10.0,
    );
    let document = Document::parse(&whole)?;
    let glyphs = document
        .descendants()
        .filter_map(|node| Some((node.attribute("id")?, node)));
    let mut writer = Writer {
        glyphs: glyphs.collect(),
        custom: Vec::new(),
        out: format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{} {} {} {}\">",
            at.0, at.1, size.0, size.1
        ),
    };
    writer.write(document.root_element());
    writer.out.push_str("</svg>");
    Ok(writer.out)
}

impl<'a, 'i> Writer<'a, 'i> {
    /// `value` with the values of the custom properties in it.
    fn resolved(&self, value: &str) -> String {
        let word = |word: &str| match self.custom.iter().rfind(|(name, _)| *name == word) {
            Some((_, value)) => value.clone(),
            None => word.to_owned(),
        };
        let is_part = |c: char| c.is_alphanumeric() || c == '-';
        let mut out = String::with_capacity(value.len());
        let mut rest = value;
        while let Some(start) = rest.find("v-") {
            let length = rest[start..]
                .find(|c| !is_part(c))
                .unwrap_or(rest.len() - start);
            out.push_str(&rest[..start]);
            out.push_str(&word(&rest[start..start + length]));
            rest = &rest[start + length..];
        }
        out.push_str(rest);
        out
    }

    /// Writes the transformation of a rectangle around its centre, as in a style sheet.
    fn transform(&mut self, node: Node, value: &str) {
        let number = |name| -> f32 {
            let number = node.attribute(name).and_then(|value| value.parse().ok());
            number.unwrap_or_default()
        };
        let x = number("x") + number("width") / 2.0;
        let y = number("y") + number("height") / 2.0;
        let value = value
            .replace("translateY(", "translate(0 ")
            .replace("px", "");
        let _ = write!(
            self.out,
            " transform=\"translate({x} {y}) {value} translate({} {})\"",
            -x, -y
        );
    }

    fn write(&mut self, node: Node<'a, 'i>) {
        let tag = node.tag_name().name();
        if !node.is_element() || tag == "defs" {
            return;
        }
        let outside = self.custom.len();
        let selected = Selected(node);
        let declared: Vec<(&'static str, &'static str)> = SHEET
            .rules
            .iter()
            .filter(|rule| rule.selector.matches(&selected))
            .flat_map(|rule| &rule.declarations)
            .map(|declaration| (declaration.name, declaration.value))
            .collect();
        for (name, value) in &declared {
            if name.starts_with("v-") {
                let value = self.resolved(value);
                self.custom.push((name, value));
            }
        }
        // Paths of letters, and groups instead of what has a meaning for pages only.
        let name = match tag {
            "circle" | "ellipse" | "line" | "path" | "polygon" | "polyline" | "rect" => tag,
            _ => "g",
        };
        let _ = write!(self.out, "<{name}");
        if !matches!(tag, "svg" | "text" | "use") {
            for attribute in node.attributes() {
                if !is_for_pages(attribute.name()) {
                    let value = escape(attribute.value());
                    let _ = write!(self.out, " {}=\"{value}\"", attribute.name());
                }
            }
        }
        if tag == "use" {
            let at = |name| node.attribute(name).unwrap_or("0");
            let transform = node.attribute("transform").unwrap_or_default();
            let (x, y) = (at("x"), at("y"));
            let _ = write!(self.out, " transform=\"{transform}translate({x} {y})\"");
        }
        if let Some((_, value)) = declared.iter().rfind(|(name, _)| *name == "transform") {
            self.transform(node, value);
        }
        self.out.push_str(" style=\"");
        for (name, value) in &declared {
            if SHOWN.contains(name) {
                let value = self.resolved(value);
                let _ = write!(self.out, "{name}:{};", escape(&value));
            }
        }
        self.out.push_str("\">");
        match tag {
            "text" => letters::write(&mut self.out, node, size(&declared)),
            "use" => {
                let glyph = node.attribute("href").and_then(|to| to.strip_prefix('#'));
                if let Some(glyph) = glyph.and_then(|id| self.glyphs.get(id).copied()) {
                    self.write(glyph);
                }
            }
            _ => node.children().for_each(|child| self.write(child)),
        }
        let _ = write!(self.out, "</{name}>");
        self.custom.truncate(outside);
    }
}

/// The size of letters from the properties `font` and `font-size`, of which the last holds.
fn size(declared: &[(&str, &str)]) -> f32 {
    let sizes = declared
        .iter()
        .rev()
        .filter(|(name, _)| matches!(*name, "font" | "font-size"));
    let mut sizes =
        sizes.filter_map(|(_, value)| value.split(' ').find_map(|word| word.strip_suffix("px")));
    let size = sizes.next().and_then(|size| size.parse().ok());
    size.unwrap_or(0.3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_custom_properties_are_simplified() {
        assert_eq!(
            simplified("a { --b: light-dark(#111, #222); c: d(var(--b)) e(var(--f)); }"),
            "a { v-b: #111; c: d(v-b) e(v-f); }"
        );
    }

    #[test]
    fn what_is_shown_takes_its_colours_from_where_it_is_shown() {
        let svg = concat!(
            r##"<svg class="board quixo"><defs><g id="x"><path class="ink" fill-rule="evenodd"/></g></defs>"##,
            r##"<a href="/e1" class="cell"><use href="#x" class="first" x="2"/></a>"##,
            r##"<use href="#x" class="second" transform="scale(2)"/></svg>"##,
        );
        let ground = Ground {
            at: (0.0, 0.0),
            size: (5.0, 5.0),
            pixel: 0.1,
        };
        let svg = written_out(svg, &ground).expect("well-formed");
        for part in [
            r#"<g transform="translate(2 0)" style=""><g style=""><path fill-rule="evenodd" style="fill:none;stroke:#173a63;"#,
            r#"<g transform="scale(2)translate(0 0)" style=""><g style=""><path fill-rule="evenodd" style="fill:none;stroke:#951f0e;"#,
        ] {
            assert!(svg.contains(part), "{svg}");
        }
        assert!(!svg.contains("/e1") && !svg.contains("cell"), "{svg}");
    }
}
