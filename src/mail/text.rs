//! Other people's text made safe for a mail, and text brought into lines.

pub const WIDTH: usize = 72;
pub const NAME: usize = 60;
pub const NOTE: usize = 2_000;

/// Whether `c` can hide or reorder what stands around it, or is not for reading at all: control
/// characters, overrides of the writing direction, private use. Joiners stay: scripts need them.
fn is_unfit(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{e0fff}' | '\u{f0000}'..='\u{10ffff}')
}

/// At most `most` characters of `text`; an ellipsis says that there was more.
fn bounded(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// `text` on one line, without what could pass for a header, and of at most `most` characters.
#[must_use]
pub fn line(text: &str, most: usize) -> String {
    let seen: String = text
        .chars()
        .map(|c| if is_unfit(c) { ' ' } else { c })
        .collect();
    let words: Vec<&str> = seen.split_whitespace().collect();
    // What looks like an encoded word would be decoded once more by a reader of the header.
    bounded(&words.join(" ").replace("=?", "= ?"), most)
}

/// A note of several lines, of at most [`NOTE`] characters and 40 lines.
#[must_use]
pub fn note(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<String> = text
        .trim()
        .lines()
        .take(40)
        .map(|one| line(one, NOTE))
        .collect();
    bounded(&lines.join("\n"), NOTE)
}

/// How many columns `text` takes, roughly: letters of East Asian scripts and pictures take two.
fn columns(text: &str) -> usize {
    text.chars()
        .map(|c| match c {
            '\u{300}'..='\u{36f}' | '\u{200c}'..='\u{200d}' | '\u{fe00}'..='\u{fe0f}' => 0,
            '\u{1100}'..='\u{115f}'
            | '\u{2e80}'..='\u{a4cf}'
            | '\u{ac00}'..='\u{d7a3}'
            | '\u{f900}'..='\u{faff}'
            | '\u{fe30}'..='\u{fe6f}'
            | '\u{ff00}'..='\u{ff60}'
            | '\u{ffe0}'..='\u{ffe6}'
            | '\u{1f300}'..='\u{1faff}'
            | '\u{20000}'..='\u{3fffd}' => 2,
            _ => 1,
        })
        .sum()
}

/// `text` in lines of at most [`WIDTH`] columns, each begun with `indent`. Line ends in `text`
/// stay. Only an address (`https://…`) may be longer than a line; other long words are cut.
#[must_use]
pub fn wrap(text: &str, indent: &str) -> String {
    let room = WIDTH - columns(indent);
    let mut out = String::new();
    for paragraph in text.lines() {
        let mut used = 0;
        let mut fresh = true;
        for word in paragraph.split_whitespace() {
            for piece in pieces(word, room) {
                let wide = columns(&piece);
                if !fresh && used + 1 + wide > room {
                    out.push('\n');
                    fresh = true;
                }
                if fresh {
                    out.push_str(indent);
                    used = 0;
                } else {
                    out.push(' ');
                    used += 1;
                }
                out.push_str(&piece);
                used += wide;
                fresh = false;
            }
        }
        if fresh {
            out.push_str(indent.trim_end());
        }
        out.push('\n');
    }
    out
}

/// `word`, cut where it is wider than a line.
fn pieces(word: &str, room: usize) -> Vec<String> {
    if columns(word) <= room || word.starts_with("http://") || word.starts_with("https://") {
        return vec![word.to_owned()];
    }
    let mut pieces = vec![String::new()];
    let mut used = 0;
    for c in word.chars() {
        let wide = columns(c.encode_utf8(&mut [0; 4]));
        if used + wide > room {
            pieces.push(String::new());
            used = 0;
        }
        if let Some(last) = pieces.last_mut() {
            last.push(c);
        }
        used += wide;
    }
    pieces
}

/// Names as people list them: "Ada", "Ada and Ben", "Ada, Ben and Cleo".
#[must_use]
pub fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// `text` as it can stand in the path of an address, slashes included.
#[must_use]
pub fn percent(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            use std::fmt::Write as _;
            let _ = write!(out, "%{byte:02X}");
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_bounded_line() {
        assert_eq!(line("Eve\r\nBcc: x", NAME), "Eve Bcc: x");
        assert_eq!(line(" A\u{202e}d\u{0}a\u{2028} ", NAME), "A d a");
        assert_eq!(line("=?utf-8?q?x?=", NAME), "= ?utf-8?q?x?=");
        assert_eq!(line(&"x".repeat(99), 10), "xxxxxxxxx…");
        assert_eq!(line("José 🦊 李", NAME), "José 🦊 李");
    }

    #[test]
    fn notes_keep_their_lines() {
        assert_eq!(note("one\r\ntwo\rthree\n\n"), "one\ntwo\nthree");
        assert!(note(&"a\n".repeat(500)).lines().count() <= 40);
        assert!(note(&"a".repeat(5_000)).chars().count() <= NOTE);
    }

    #[test]
    fn lines_are_wrapped() {
        let text = wrap(&"word ".repeat(60), "> ");
        assert!(
            text.lines()
                .all(|l| l.chars().count() <= WIDTH && l.starts_with("> word"))
        );
        let text = wrap(&"x".repeat(200), "");
        assert!(text.lines().all(|l| l.chars().count() <= WIDTH));
        let text = wrap(&"李".repeat(100), "  ");
        assert!(text.lines().all(|l| columns(l) <= WIDTH));
        let address = format!("https://{}", "x".repeat(100));
        assert_eq!(wrap(&address, ""), format!("{address}\n"));
        assert_eq!(wrap("a\n\nb", "> "), "> a\n>\n> b\n");
    }

    #[test]
    fn names_are_listed() {
        let names = ["Ada", "Ben", "Cleo"].map(str::to_owned);
        assert_eq!(list(&names), "Ada, Ben and Cleo");
        assert_eq!(list(&names[..2]), "Ada and Ben");
        assert_eq!(list(&[]), "");
    }
}
