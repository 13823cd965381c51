//! Sentences in which a browser's translator leaves alone what must stay as it is: names of people, and what is
//! written in notation.

use askama::filters::{Escaper as _, Html};

/// A part of a sentence.
#[derive(Clone, Copy)]
enum Piece {
    /// It keeps its place in the sentence, in whatever direction it is written.
    Name,
    Notation,
    Words,
}

/// A sentence as HTML. Of several names that begin alike the longest is meant: "Anna K", not "Anna".
pub fn named<'a>(text: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
    let mut html = String::with_capacity(2 * text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let begun = names.iter().filter(|name| begins_with(rest, name));
        let name = begun.max_by_key(|name| name.len());
        let (kind, len) = match name {
            Some(name) => (Piece::Name, name.len()),
            None => next_piece(rest),
        };
        let (piece, after) = rest.split_at(len);
        let (begins, ends) = match kind {
            Piece::Name => ("<bdi translate=\"no\">", "</bdi>"),
            Piece::Notation => ("<span translate=\"no\">", "</span>"),
            Piece::Words => ("", ""),
        };
        html += begins;
        // Writing into a text does not fail.
        let _ = Html.write_escaped_str(&mut html, piece);
        html += ends;
        rest = after;
    }
    html
}

/// A sentence without people, as HTML.
pub fn notation(text: &str) -> String {
    named(text, [])
}

fn begins_with(text: &str, name: &str) -> bool {
    text.strip_prefix(name)
        .is_some_and(|after| !after.starts_with(char::is_alphanumeric))
}

/// What stands at the beginning of a text, and its length: of notation a word, with the signs inside it
/// and the ones at its end that belong to turns, or else what stands between two words.
fn next_piece(text: &str) -> (Piece, usize) {
    let until = |is_end: fn(char) -> bool| text.find(is_end).unwrap_or(text.len());
    let between = until(char::is_alphanumeric);
    if between > 0 {
        return (Piece::Words, between);
    }
    let whole = &text[..until(char::is_whitespace)];
    let word = whole.trim_end_matches(|c: char| !c.is_alphanumeric() && !"+#".contains(c));
    if is_notation(word) {
        return (Piece::Notation, word.len());
    }
    (Piece::Words, until(|c| !c.is_alphanumeric()))
}

/// True for a word with letters and digits, as turns, squares and codes are, and for castling.
fn is_notation(word: &str) -> bool {
    let is_castling = matches!(word.trim_end_matches(['+', '#']), "O-O" | "O-O-O");
    let has = |is: fn(&char) -> bool| word.chars().any(|c| is(&c));
    is_castling || has(char::is_ascii_digit) && has(char::is_ascii_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, names: &[&str], marked: &str) {
        let html = named(text, names.iter().copied());
        let brief = html
            .replace("<span translate=\"no\">", "[")
            .replace("</span>", "]")
            .replace("<bdi translate=\"no\">", "{")
            .replace("</bdi>", "}");
        assert_eq!(brief, marked);
    }

    #[test]
    fn names_and_turns_are_kept_as_whole_words() {
        let names = ["Anna", "Anna K", "Will", "O’Hara", "محمد", ""];
        check(
            "Anna K played Nf3+ on board 2.",
            &names,
            "{Anna K} played [Nf3+] on board 2.",
        );
        check(
            "Anna’s turn: c1-a1, then O-O!",
            &names,
            "{Anna}’s turn: [c1-a1], then [O-O]!",
        );
        check(
            "Annabel and Will, or O’Hara",
            &names,
            "Annabel and {Will}, or {O’Hara}",
        );
        check(
            "\u{2068}محمد\u{2069} joined",
            &names,
            "\u{2068}{محمد}\u{2069} joined",
        );
        check(
            "e4 1>3: “Knights also step.”",
            &names,
            "[e4] 1&#62;3: “Knights also step.”",
        );
        check(
            "well-known, <b>, 10:30",
            &names,
            "well-known, &#60;b&#62;, 10:30",
        );
        check("", &names, "");
    }

    #[test]
    fn nothing_in_a_name_becomes_html() {
        check(
            "<i>\"&' left",
            &["<i>\"&'"],
            "{&#60;i&#62;&#34;&#38;&#39;} left",
        );
    }
}
