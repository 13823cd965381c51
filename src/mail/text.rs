//! Other people's text made safe for a mail, and text wrapped into lines.

pub const WIDTH: usize = 72;
pub const NAME: usize = 60;
pub const NOTE: usize = 2_000;

/// True if `c` can hide or reorder the text around it, or is not for reading at all: control characters, overrides of
/// the writing direction, private use. Joiners stay: scripts need them.
fn is_unfit(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{e0fff}' | '\u{f0000}'..='\u{10ffff}')
}

fn bounded(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// `text` on one line of at most `most` characters, without parts that could pass for a header.
pub fn line(text: &str, most: usize) -> String {
    let seen: String = text
        .chars()
        .map(|c| if is_unfit(c) { ' ' } else { c })
        .collect();
    let words: Vec<&str> = seen.split_whitespace().collect();
    // A part that looks like an encoded word would be decoded once more by a reader of the header.
    bounded(&words.join(" ").replace("=?", "= ?"), most)
}

/// True if a mail program could make a link of a part of `text`: a stranger must not be able to send links by our
/// mail.
pub fn leads_away(text: &str) -> bool {
    let text = line(text, usize::MAX).to_lowercase();
    let letters: Vec<char> = text.chars().collect();
    // "example.org" is a link, too; for "Spring 2.0", "e.g." and "7b." either answer is fine.
    let dotted = letters
        .windows(3)
        .any(|three| three[0].is_alphanumeric() && three[1] == '.' && three[2].is_alphabetic());
    dotted
        || ["http", "www", "://", "@"]
            .iter()
            .any(|part| text.contains(part))
}

/// A note of several lines, of at most [`NOTE`] characters and 40 lines.
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

/// The number of columns that `text` takes, roughly: letters of East Asian scripts and pictures take two.
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

/// `text` in lines of at most [`WIDTH`] columns, each with `indent` before it. Line ends in `text` stay. Only an
/// address (`https://…`) may be longer than a line; other long words are cut.
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
