//! QR codes, as SVG within a page.

use std::fmt::Write as _;

use fast_qr::{ECL, QRBuilder};

use crate::board::escape;

/// The light margin around a code, in modules; four are asked for.
const MARGIN: usize = 4;

/// A code that says `text`, which `label` says to whoever cannot see it. Nothing if it does not fit into one, which no
/// address of ours is too long for.
pub fn svg(text: &str, label: &str) -> String {
    let Ok(code) = QRBuilder::new(text).ecl(ECL::M).build() else {
        return String::new();
    };
    let side = code.size + 2 * MARGIN;
    let mut path = String::with_capacity(16 * 1024);
    for row in 0..code.size {
        let mut column = 0;
        while column < code.size {
            let rest = &code[row][column..];
            let length = rest.iter().take_while(|module| module.value()).count();
            if length > 0 {
                let (x, y) = (column + MARGIN, row + MARGIN);
                let _ = write!(path, "M{x} {y}h{length}v1h-{length}z");
            }
            column += length + 1;
        }
    }
    let label = escape(label);
    format!(
        "<svg class=\"qr\" viewBox=\"0 0 {side} {side}\" role=\"img\" aria-label=\"{label}\" \
         shape-rendering=\"crispEdges\"><rect width=\"{side}\" height=\"{side}\" fill=\"#fff\"/>\
         <path fill=\"#000\" d=\"{path}\"/></svg>"
    )
}
