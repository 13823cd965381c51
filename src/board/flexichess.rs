//! How Flexichess looks, and what its rules page says.

use super::{Card, Cell, Diagram, Draw, Outline, Variant};
use crate::rules::flexichess::{Flexichess, Square, Turn};

impl Draw for Flexichess {
    const CARD: Card = Card {
        key: "flexichess",
        name: "Flexichess",
        by: "superpublius",
        source: "",
        tagline: "Chess in which, instead of moving, you may change a rule.",
        variants: &[Variant { key: "", name: "" }],
        rules: &[],
    };
    fn diagram(&self, _last: Option<&Turn>) -> Diagram {
        Diagram { cells: Square::all().map(|s| Cell { name: s.to_string(), at: (0.0, 0.0), outline: Outline::Rect(1.0, 1.0, 0.0), class: "", pieces: vec![], says: String::new(), last: None }).collect(), ..Diagram::default() }
    }
    fn text(&self) -> String {
        String::new()
    }
}
