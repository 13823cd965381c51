use std::fmt::Write as _;

use fast_qr::{ECL, QRBuilder};

use perplex_games::board::escape;

/// The light margin around a code, in modules; the standard requires four.
const MARGIN: usize = 4;

/// A QR code with the content `text` and the `label` for screen readers. Empty if the text is too long for a code, as
/// none of our addresses is.
pub fn svg(text: &str, label: &str) -> String {
    let Ok(code) = QRBuilder::new(text).ecl(ECL::M).build() else {
        return String::new();
    };
    let side = code.size + 2 * MARGIN;
    // One dashed line as thick as a module runs through all rows, to and fro: a sign-in card takes half the bytes of
    // separate lines.
    let dark = |row: usize, column: usize| {
        let inside = MARGIN..MARGIN + code.size;
        inside.contains(&row)
            && inside.contains(&column)
            && code[row - MARGIN][column - MARGIN].value()
    };
    let mut runs = vec![0];
    let mut is_dark = false;
    for row in 0..side {
        // The step into the next row is in the margin, and light like it.
        for step in 0..=side {
            let column = if row % 2 == 0 {
                step
            } else {
                side - 1 - step.min(side - 1)
            };
            if (step < side && dark(row, column)) != is_dark {
                is_dark = !is_dark;
                runs.push(0);
            }
            if let Some(run) = runs.last_mut() {
                *run += 1;
            }
        }
    }
    let mut dashes = String::from("0");
    for run in &runs {
        let _ = write!(dashes, " {run}");
    }
    // Dashes come in pairs.
    if runs.len() % 2 == 0 {
        dashes.push_str(" 0");
    }
    let path = format!("h{side}v1h-{side}v1").repeat(side.div_ceil(2));
    let label = escape(label);
    format!(
        "<svg class=\"qr\" viewBox=\"0 0 {side} {side}\" role=\"img\" aria-label=\"{label}\" \
         shape-rendering=\"crispEdges\"><rect width=\"{side}\" height=\"{side}\" fill=\"#fff\"/>\
         <path fill=\"none\" stroke=\"#000\" stroke-dasharray=\"{dashes}\" d=\"M0 .5{path}\"/></svg>"
    )
}
