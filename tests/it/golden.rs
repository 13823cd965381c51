//! Golden files: the program's output, in files that people read and tests compare.
//!
//! `PERPLEX_WRITE=1 cargo test -p perplex --test it NAME` rewrites the files of the tests whose names contain `NAME`;
//! then read the output of `git diff`.

use std::fs;

/// The beginning of a line that starts a part of a file; the name of the part follows.
pub const HEADING: &str = "==== ";

/// Compares with `file`, a path in `tests/it`, part by part, and names every part that differs.
pub fn compare(file: &str, found: &str) {
    let path = format!("{}/tests/it/{file}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("PERPLEX_WRITE").is_some() {
        fs::write(&path, found).expect("a file");
    }
    let agreed = fs::read_to_string(&path).unwrap_or_default();
    let differences = differences(&agreed, found);
    assert!(
        differences.is_empty() && agreed == found,
        "tests/it/{file} says otherwise (PERPLEX_WRITE=1 writes it anew; then read `git diff`):\n{}",
        differences.join("\n")
    );
}

/// For each part that differs, its first different line.
fn differences(agreed: &str, found: &str) -> Vec<String> {
    let (agreed, found) = (parts(agreed), parts(found));
    let mut differences = Vec::new();
    for (name, lines) in &found {
        let Some((_, wanted)) = agreed.iter().find(|(known, _)| known == name) else {
            differences.push(format!("{name}: is new"));
            continue;
        };
        let longest = lines.len().max(wanted.len());
        if let Some(at) = (0..longest).find(|&at| text(lines, at) != text(wanted, at)) {
            let number = wanted
                .get(at)
                .or(wanted.last())
                .map_or(0, |(number, _)| *number);
            let [agreed, found] =
                [wanted, lines].map(|lines| text(lines, at).unwrap_or("(its end)"));
            differences.push(format!(
                "line {number}, {name}\n    agreed: {agreed}\n    found:  {found}"
            ));
        }
    }
    for (name, _) in &agreed {
        if found.iter().all(|(known, _)| known != name) {
            differences.push(format!("{name}: is missing"));
        }
    }
    differences
}

fn text<'a>(lines: &[(usize, &'a str)], at: usize) -> Option<&'a str> {
    lines.get(at).map(|(_, line)| *line)
}

/// The parts of a file, each with its numbered lines. Lines before the first heading have the name "".
fn parts(text: &str) -> Vec<(&str, Vec<(usize, &str)>)> {
    let mut parts = vec![("", Vec::new())];
    for (number, line) in (1..).zip(text.lines()) {
        match line.strip_prefix(HEADING) {
            Some(name) => parts.push((name, Vec::new())),
            None => parts.last_mut().expect("the first").1.push((number, line)),
        }
    }
    parts
}

#[test]
fn every_part_that_differs_is_named() {
    let agreed = "all\n==== one\na\nb\n==== two\nc\n==== gone\n";
    let found = "all\n==== one\na\nx\n==== two\nc\nd\n==== new\n";
    assert_eq!(differences(agreed, agreed), [""; 0]);
    assert_eq!(
        differences(agreed, found),
        [
            "line 4, one\n    agreed: b\n    found:  x",
            "line 6, two\n    agreed: (its end)\n    found:  d",
            "new: is new",
            "gone: is missing",
        ]
    );
}
