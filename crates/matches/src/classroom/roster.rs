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

/// The cells of a line between separators, without the quotation marks that spreadsheets put around what they export.
fn cells<'a>(line: &'a str, separators: &[char]) -> Vec<&'a str> {
    let mut cells = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() {
        let quoted = rest
            .strip_prefix('"')
            .and_then(|inner| inner.split_once('"'));
        // What stands behind the second quotation mark before the next separator is not part of a cell.
        let (cell, after) = match quoted {
            Some((inner, after)) if after.is_empty() || after.starts_with(separators) => {
                (inner, after)
            }
            _ => rest.split_at(rest.find(separators).unwrap_or(rest.len())),
        };
        if !cell.trim().is_empty() {
            cells.push(cell.trim());
        }
        let mut after = after.chars();
        after.next();
        rest = after.as_str().trim_start_matches(' ');
    }
    cells
}

/// The name in a row of a table: its first two columns, numbers and addresses left out, which are no names.
fn of_row(row: &[&str]) -> String {
    let is_name = |cell: &&&str| !cell.contains('@') && !cell.starts_with(|c: char| c.is_numeric());
    let names: Vec<&str> = row.iter().filter(is_name).take(2).copied().collect();
    names.join(" ")
}

/// What stands in a text, each with the number of its line: a pupil a line, if the lines have columns; else a list.
///
/// - Several lines of which one has tabs or semicolons are a table.
/// - Several lines with one comma each are `Surname, First name`.
/// - Everything else is a list: commas, semicolons and tabs separate pupils, as line ends do.
fn found(text: &str) -> Vec<(usize, String)> {
    let lines: Vec<(usize, &str)> = (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty())
        .collect();
    let all = |separators: &[char]| -> Vec<(usize, Vec<&str>)> {
        let cells = lines
            .iter()
            .map(|(nr, line)| (*nr, cells(line, separators)));
        cells.filter(|(_, cells)| !cells.is_empty()).collect()
    };
    if lines.len() > 1 {
        let rows = all(&['\t', ';']);
        if rows.iter().any(|(_, row)| row.len() > 1) {
            return rows.iter().map(|(nr, row)| (*nr, of_row(row))).collect();
        }
        let rows = all(&[',']);
        if rows.iter().all(|(_, row)| row.len() == 2) && rows.len() == lines.len() {
            return rows
                .iter()
                .map(|(nr, row)| (*nr, format!("{} {}", row[1], row[0])))
                .collect();
        }
    }
    let list = all(&[',', ';', '\t']);
    list.iter()
        .flat_map(|(nr, names)| names.iter().map(|name| (*nr, (*name).to_owned())))
        .collect()
}

/// The names in `text`, as a teacher typed or pasted it. None of them may be among `known`.
///
/// # Errors
/// For each name that is not right, a sentence that says in which line it stands.
pub fn names(text: &str, known: &[String]) -> Result<Vec<String>, Vec<String>> {
    let known: Vec<String> = known.iter().map(|name| key(name)).collect();
    let mut right: Vec<(usize, String)> = Vec::new();
    let mut wrong = Vec::new();
    for (line, part) in found(text.trim_start_matches('\u{FEFF}')) {
        match name(&part) {
            Err(why) => {
                let shown: String = part.chars().filter(|c| !c.is_control()).take(20).collect();
                wrong.push(format!("Line {line}: \u{201C}{shown}\u{2026}\u{201D} {why}."));
            }
            Ok(name) if known.contains(&key(&name)) => {
                wrong.push(format!("Line {line}: there is a \u{201C}{name}\u{201D} in the class already."));
            }
            Ok(name) => match right.iter().find(|(_, other)| key(other) == key(&name)) {
                Some((first, _)) => wrong.push(format!(
                    "Line {line}: \u{201C}{name}\u{201D} stands in line {first} already. Add a letter, so that the \
                     two can be told apart."
                )),
                None => right.push((line, name)),
            },
        }
    }
    if wrong.is_empty() {
        Ok(right.into_iter().map(|(_, name)| name).collect())
    } else {
        Err(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_out_of_lists() {
        let same = ["Anna", "Ben Ali", "Zoë", "李雷", "محمد"];
        for text in [
            "Anna\nBen Ali\nZoë\n李雷\nمحمد",
            "\u{FEFF}Anna,  Ben   Ali ,Zoë;李雷\tمحمد\r\n\r\n",
            "Anna, Ben Ali,\nZoë, 李雷,\nمحمد",
            "Anna, Ben Ali\nZoë, 李雷, محمد",
            "\"Anna\";\"Ben Ali\";\"Zoë\";;\"李雷\"; محمد ;",
            "\"Anna\"\r\n\"Ben Ali\"\r\nZoë\r\n\"李雷\"\r\nمحمد\r\n",
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
    fn a_row_of_a_table_is_one_pupil() {
        let same = ["Anna Muster", "Ben Ali Öz", "Zoë"];
        for text in [
            // Out of a spreadsheet, with and without what else stands there.
            "Anna\tMuster\nBen Ali\tÖz\nZoë",
            "Anna\tMuster\t\r\nBen Ali\tÖz\t\r\nZoë\t\t\r\n",
            "1\tAnna\tMuster\t12.3.2014\tanna@example.org\n2\tBen Ali\tÖz\t1.4.2014\tben@example.org\n3\tZoë\t\t\t",
            "Anna;Muster;7b\nBen Ali;Öz;7b\n\nZoë;;",
            "\"Anna\";\"Muster\"\r\n\"Ben Ali\";\"Öz\"\r\n\"Zoë\";\r\n",
        ] {
            assert_eq!(
                names(text, &[]).as_deref(),
                Ok(&same.map(str::to_owned)[..]),
                "{text:?}"
            );
        }
        // Surnames first.
        for text in [
            "Muster, Anna\nÖz, Ben Ali",
            "Muster,Anna\r\n\r\nÖz,Ben Ali\r\n",
        ] {
            assert_eq!(
                names(text, &[]).as_deref(),
                Ok(&["Anna Muster".to_owned(), "Ben Ali Öz".to_owned()][..]),
                "{text:?}"
            );
        }
        // A comma within quotation marks is part of the cell.
        assert_eq!(
            names("\"Muster, Anna\";7b\nÖz;7b", &[]).as_deref(),
            Ok(&["Muster, Anna".to_owned(), "Öz".to_owned()][..])
        );
        let wrong = names("Anna\tMuster\nBen\tÖz\nanna\tMUSTER", &[]).expect_err("twice the same");
        assert!(
            wrong[0].starts_with("Line 3: \u{201C}anna MUSTER\u{201D} stands in line 1"),
            "{wrong:?}"
        );
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
