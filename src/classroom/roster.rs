//! The names of a class, as they are typed, or pasted out of a list or a spreadsheet.

/// The longest name of a pupil, in characters.
pub const LONGEST: usize = 40;

/// A name as it is kept: without spaces around it, and with single ones within.
///
/// # Errors
/// What is wrong with it: the end of a sentence.
pub fn name(text: &str) -> Result<String, String> {
    // Tabs and line ends are spaces between words; what else has no look of its own, or turns the order of what
    // follows, is no part of a name.
    let name = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let turns =
        |c: char| matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}');
    if name.chars().any(|c| c.is_control() || turns(c)) {
        return Err("has a character that cannot be shown".to_owned());
    }
    if name.is_empty() {
        return Err("is empty".to_owned());
    }
    match name.chars().count() {
        0..=LONGEST => Ok(name),
        long => Err(format!("has {long} characters; {LONGEST} are the most")),
    }
}

/// A name as it is compared.
#[must_use]
pub fn key(name: &str) -> String {
    name.to_lowercase()
}

/// The names in `text`: one a line, or with commas, semicolons or tabs between them. None of them may be among
/// `known`.
///
/// # Errors
/// For each name that is not right, a sentence that says in which line it stands.
pub fn names(text: &str, known: &[String]) -> Result<Vec<String>, Vec<String>> {
    let known: Vec<String> = known.iter().map(|name| key(name)).collect();
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut wrong = Vec::new();
    let text = text.trim_start_matches('\u{FEFF}');
    for (line, part) in (1..).zip(text.lines()) {
        for part in part.split([',', ';', '\t']) {
            let part = part.trim();
            // Spreadsheets put quotation marks around what they export.
            let inner = part.strip_prefix('"').and_then(|p| p.strip_suffix('"'));
            let part = inner.unwrap_or(part);
            if part.trim().is_empty() {
                continue;
            }
            match name(part) {
                Err(why) => {
                    let shown: String = part.chars().filter(|c| !c.is_control()).take(20).collect();
                    wrong.push(format!("Line {line}: \u{201C}{shown}\u{2026}\u{201D} {why}."));
                }
                Ok(name) if known.contains(&key(&name)) => {
                    wrong.push(format!("Line {line}: there is a \u{201C}{name}\u{201D} in the class already."));
                }
                Ok(name) => match found.iter().find(|(_, other)| key(other) == key(&name)) {
                    Some((first, _)) => wrong.push(format!(
                        "Line {line}: \u{201C}{name}\u{201D} stands in line {first} already. Add a letter, so that the \
                         two can be told apart."
                    )),
                    None => found.push((line, name)),
                },
            }
        }
    }
    if wrong.is_empty() {
        Ok(found.into_iter().map(|(_, name)| name).collect())
    } else {
        Err(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_out_of_lists_and_spreadsheets() {
        let same = ["Anna", "Ben Ali", "Zoë", "李雷", "محمد"];
        for text in [
            "Anna\nBen Ali\nZoë\n李雷\nمحمد",
            "\u{FEFF}Anna,  Ben   Ali ,Zoë;李雷\tمحمد\r\n\r\n",
            "\"Anna\";\"Ben Ali\"\r\n\"Zoë\";;\"李雷\";\r\nمحمد",
        ] {
            assert_eq!(
                names(text, &[]).as_deref(),
                Ok(&same.map(str::to_owned)[..]),
                "{text}"
            );
        }
        assert_eq!(names(" \n,;\n", &[]), Ok(Vec::new()));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let wrong =
            |text: &str| names(text, &["Kim".to_owned()]).expect_err("a name that is wrong");
        let found = wrong("Anna\nBen\nanna, KIM");
        assert!(
            found[0].starts_with("Line 3: \u{201C}anna\u{201D} stands in line 1"),
            "{found:?}"
        );
        assert!(
            found[1].starts_with("Line 3: there is a \u{201C}KIM\u{201D}"),
            "{found:?}"
        );
        let long = wrong(&format!("{}\n{}", "x".repeat(40), "y".repeat(41)));
        assert_eq!(long.len(), 1);
        assert!(
            long[0].starts_with("Line 2") && long[0].contains("41 characters"),
            "{long:?}"
        );
        assert!(wrong("Ann\u{7}a")[0].contains("cannot be shown"));
        assert!(wrong("A\u{202E}nna")[0].contains("cannot be shown"));
        // What joins letters in some scripts is part of a name.
        assert!(name("نی\u{200C}لوفر").is_ok());
    }
}
