use std::fmt::Display;

use actix_web::HttpResponse;

use crate::web::answer;

/// Characters with which a formula begins in a spreadsheet; some take the wide signs, too.
const FORMULA: [char; 10] = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r'];

/// A line of a table, in which no cell can become a formula in a spreadsheet.
pub fn line(cells: &[&dyn Display]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| quoted(cell.to_string())).collect();
    cells.join(",") + "\r\n"
}

fn quoted(text: String) -> String {
    let text = if text.starts_with(FORMULA) {
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

pub fn file(name: &str, lines: impl IntoIterator<Item = String>) -> HttpResponse {
    // Without the mark at the beginning some spreadsheets misread all letters beyond a to z.
    let text: String = std::iter::once("\u{FEFF}".to_owned())
        .chain(lines)
        .collect();
    answer::file("text/csv; charset=utf-8", name, "private, no-store", text)
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
        assert_eq!(
            line(&[&"＝1+1", &"＋1", &"－1", &"＠A1", &"1＝1"]),
            "'＝1+1,'＋1,'－1,'＠A1,1＝1\r\n"
        );
    }
}
