//! Tables to take away, for a spreadsheet.

use std::fmt::Display;

use actix_web::HttpResponse;
use actix_web::http::header;

/// A line of a table: what a spreadsheet would take for a formula is none.
pub fn line(cells: &[&dyn Display]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| quoted(cell.to_string())).collect();
    cells.join(",") + "\r\n"
}

fn quoted(text: String) -> String {
    let text = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{text}")
    } else {
        text
    };
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

/// The table with these lines, of which the first is its head, as the file `name`.
pub fn file(name: &str, lines: impl IntoIterator<Item = String>) -> HttpResponse {
    // Without the mark at the beginning some spreadsheets misread all letters beyond a to z.
    let text: String = std::iter::once("\u{FEFF}".to_owned())
        .chain(lines)
        .collect();
    HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/csv; charset=utf-8"))
        .insert_header((
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{name}\""),
        ))
        .insert_header((header::CACHE_CONTROL, "private, no-store"))
        .body(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_no_formula_and_keeps_its_commas() {
        assert_eq!(
            line(&[&"Zoë", &"=1+1", &"a, \"b\"", &3]),
            "Zoë,'=1+1,\"a, \"\"b\"\"\",3\r\n"
        );
    }
}
