use std::fmt::Write as _;

use fast_qr::{ECL, QRBuilder};

use perplex_games::board::escape;

/// The light margin around a code, in modules; four are asked for.
const MARGIN: usize = 4;

/// A code that says `text`, which `label` says to screen readers. Nothing if it does not fit into one, which no
/// address of ours is too long for.
pub fn svg(text: &str, label: &str) -> String {
    let Ok(code) = QRBuilder::new(text).ecl(ECL::M).build() else {
        return String::new();
    };
    let side = code.size + 2 * MARGIN;
    // A line as thick as a module for every row, lifted where it is light.
    let mut path = String::with_capacity(4 * 1024);
    for row in 0..code.size {
        let _ = write!(path, "M{MARGIN} {}.5", row + MARGIN);
        let mut rest = &code[row][..];
        while let Some(first) = rest.first() {
            let length = rest
                .iter()
                .take_while(|module| module.value() == first.value());
            let length = length.count();
            let _ = match (first.value(), length == rest.len()) {
                (true, _) => write!(path, "h{length}"),
                (false, false) => write!(path, "m{length} 0"),
                (false, true) => Ok(()),
            };
            rest = &rest[length..];
        }
    }
    let label = escape(label);
    format!(
        "<svg class=\"qr\" viewBox=\"0 0 {side} {side}\" role=\"img\" aria-label=\"{label}\" \
         shape-rendering=\"crispEdges\"><rect width=\"{side}\" height=\"{side}\" fill=\"#fff\"/>\
         <path stroke=\"#000\" d=\"{path}\"/></svg>"
    )
}
