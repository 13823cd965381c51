//! The order of the server's modules, as in `ARCHITECTURE.md`: imports point one way. The compiler keeps the crates
//! apart.

use std::fs;
use std::path::Path;

use crate::circles::{sources, without_tests};

/// Each module, and the other modules that it may use.
const ORDER: &[(&str, &[&str])] = &[
    ("log", &[]),
    ("files", &[]),
    ("secret", &["files"]),
    ("address", &[]),
    ("site", &[]),
    ("workers", &[]),
    ("store", &["files", "address", "workers"]),
    ("config", &["site", "store", "mail"]),
    (
        "app",
        &["log", "workers", "secret", "address", "site", "store"],
    ),
    ("texts", &["app"]),
    ("picture", &[]),
    (
        "web",
        &[
            "log", "workers", "secret", "site", "app", "texts", "picture",
        ],
    ),
    (
        "mail",
        &[
            "files", "secret", "address", "site", "app", "texts", "picture",
        ],
    ),
    (
        "server",
        &[
            "log", "files", "workers", "secret", "store", "config", "app", "web", "mail",
        ],
    ),
    ("demo", &["log", "app"]),
    ("preview", &["secret", "site", "store", "app", "mail"]),
    ("cli", &[]),
    ("process", &["log", "app", "cli", "config", "server"]),
];

fn module_of(path: &Path) -> String {
    let inside = path.strip_prefix("src").expect("a path in src");
    let first = inside.iter().next().expect("a name").to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

#[test]
fn imports_point_one_way() {
    let mut found = Vec::new();
    sources(Path::new("src"), &mut found);
    assert!(found.len() > 30, "only {} files were found", found.len());
    for path in found {
        let module = module_of(&path);
        if ["lib", "main"].contains(&module.as_str()) {
            continue;
        }
        let (_, allowed) = ORDER
            .iter()
            .find(|(name, _)| *name == module)
            .unwrap_or_else(|| panic!("{module} has no place in the order"));
        let text = fs::read_to_string(&path).expect("a source file");
        for (number, line) in (1..).zip(text.lines()) {
            // A mention in a comment is no import.
            if line.trim_start().starts_with("//") {
                continue;
            }
            for part in line.split("crate::").skip(1) {
                // `use crate::{a, b}` would escape this test.
                assert!(!part.starts_with('{'), "{}:{number}", path.display());
                let used: String = part
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect();
                let is_module = ORDER.iter().any(|(name, _)| *name == used);
                assert!(
                    !is_module || used == module || allowed.contains(&used.as_str()),
                    "{}:{number}: {module} must not use {used}",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn only_the_registry_names_games() {
    let mut found = Vec::new();
    sources(Path::new("src"), &mut found);
    for path in found {
        // The editor of rules with its words, and the pages of matches that use the boards of one game only.
        let on_its_pages = path == Path::new("src/texts/rulebook.rs")
            || path == Path::new("src/web/rulebook.rs")
            || path.starts_with("src/web/rulebook")
            || path.starts_with("src/web/team");
        if on_its_pages {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source file");
        for entry in perplex_games::registry::GAMES {
            let name = format!("rules::{}", entry.card.key);
            assert!(!text.contains(&name), "{} uses {name}", path.display());
        }
    }
}

/// Browser tests examine every page, but take long; this checks at once that each page is on their list.
#[test]
fn every_page_is_looked_at() {
    let faults = crate::support::pages::faults();
    assert!(faults.is_empty(), "{faults:#?}");
}

/// The calls whose texts are for programmers and logs.
const NOT_FOR_READERS: &[&str] = &[
    "expect",
    "Internal",
    "panic!",
    "assert!",
    "assert_eq!",
    "unreachable!",
    "error!",
    "warn!",
    "info!",
    "debug!",
    "trace!",
];

/// The sentences that may stand outside `texts` and the templates: the file, the text, and the reason.
const SENTENCES: &[(&str, &str, &str)] = &[
    (
        "src/app/error.rs",
        "{0} is too busy",
        "for the log: readers get the words for the status",
    ),
    (
        "src/web/home.rs",
        "the database cannot be written\\n",
        "for programs that watch the server",
    ),
];

/// The string literals of a file outside [`NOT_FOR_READERS`] and attributes, each with its line. The texts of
/// `#[error(…)]` are among them.
fn literals(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    // What stands before each bracket that is open.
    let mut open: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut line = 1;
    let mut rest = code;
    while let Some(c) = rest.chars().next() {
        let raw = rest
            .strip_prefix('r')
            .filter(|_| word.is_empty())
            .map(|after| {
                let hashes = after.len() - after.trim_start_matches('#').len();
                (hashes, &after[hashes..])
            });
        let text = match raw {
            Some((hashes, after)) if after.starts_with('"') => {
                let end = format!("\"{}", "#".repeat(hashes));
                let length = after[1..].find(&end).expect("the end of a raw text");
                Some((&after[1..=length], &after[1 + length + end.len()..]))
            }
            _ if c == '"' => {
                let mut is_escaped = false;
                let end = rest[1..].find(|c| {
                    let ends = c == '"' && !is_escaped;
                    is_escaped = c == '\\' && !is_escaped;
                    ends
                });
                let end = 1 + end.expect("the end of a text");
                Some((&rest[1..end], &rest[end + 1..]))
            }
            _ => None,
        };
        if let Some((text, after)) = text {
            let is_attribute =
                open.iter().any(|word| word == "#") && !open.iter().any(|word| word == "error");
            if !is_attribute
                && !open
                    .iter()
                    .any(|word| NOT_FOR_READERS.contains(&word.as_str()))
            {
                // A backslash joins lines.
                let lines: Vec<&str> = text.split("\\\n").collect();
                let joined: Vec<&str> = std::iter::once(lines[0])
                    .chain(lines[1..].iter().map(|line| line.trim_start()))
                    .collect();
                found.push((line, joined.concat()));
            }
            line += text.matches('\n').count();
            rest = after;
            word.clear();
            continue;
        }
        let mut length = c.len_utf8();
        match c {
            '/' if rest.starts_with("//") => length = rest.find('\n').unwrap_or(rest.len()),
            // A character, not a lifetime.
            '\'' if rest[1..].starts_with('\\') => {
                length = 4 + rest[3..].find('\'').expect("a quote");
            }
            '\'' if rest.chars().nth(2) == Some('\'') => {
                length = rest.chars().take(3).map(char::len_utf8).sum();
            }
            '(' | '[' | '{' => open.push(std::mem::take(&mut word)),
            ')' | ']' | '}' => drop(open.pop()),
            _ => {}
        }
        match c {
            '\n' => line += 1,
            '#' => word.replace_range(.., "#"),
            '!' if word != "#" => word.push('!'),
            '!' => {}
            c if c.is_alphanumeric() || c == '_' => {
                if word == "#" {
                    word.clear();
                }
                word.push(c);
            }
            _ => word.clear(),
        }
        rest = &rest[length..];
    }
    found
}

/// The number of words in lower case.
fn lower(text: &str) -> usize {
    let is_lower = |word: &str| {
        let word = word.trim_end_matches(['.', ',', ';', ':', '!', '?', '”']);
        word.len() > 1 && word.chars().all(|c| c.is_lowercase() || c == '’')
    };
    text.split(' ').filter(|word| is_lower(word)).count()
}

/// True for words that begin with a capital letter or a value and go on in lower case, or that end as a sentence.
fn is_sentence(text: &str) -> bool {
    let first = text.trim_start_matches(['“', '(', ' ']);
    let mut letters = first.chars();
    let begins = letters.next().is_some_and(char::is_uppercase)
        && letters.next().is_none_or(|c| !c.is_uppercase());
    let ends = text.trim_end_matches(['”', ')']).ends_with(['.', '!', '?']);
    let is_whole = text.contains(' ') && ends;
    (begins && (lower(text) >= 1 || is_whole)) || (first.starts_with('{') && lower(text) >= 3)
}

/// True for a part of a sentence. Below `web` there are many, in errors for the log.
fn is_clause(text: &str) -> bool {
    lower(text) >= 3
}

/// Texts for readers are in `texts` and in the templates, where they can be found and translated.
#[test]
fn sentences_are_in_texts() {
    let mut found = Vec::new();
    for folder in ["src/app", "src/store", "src/web"] {
        sources(Path::new(folder), &mut found);
    }
    let mut wrong = Vec::new();
    let mut left: Vec<_> = SENTENCES.to_vec();
    for path in found {
        let name = path.display().to_string();
        let text = fs::read_to_string(&path).expect("a source file");
        for (line, text) in literals(without_tests(&text)) {
            let is_part = path.starts_with("src/web") && is_clause(&text);
            if !(is_sentence(&text) || is_part) {
                continue;
            }
            let known = left
                .iter()
                .position(|(file, known, _)| *file == name && *known == text);
            match known {
                Some(at) => drop(left.remove(at)),
                None => wrong.push(format!("{name}:{line}: {text}")),
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "to be moved to texts or a template: {wrong:#?}"
    );
    assert!(left.is_empty(), "no longer there: {left:?}");
}

#[test]
fn sentences_are_found() {
    let code = r##"
        // Say "A comment is none."
        #[expect(clippy::x, reason = "An attribute is none.")]
        fn f(c: char) -> &'static str {
            tracing::warn!(%c, "A log is none.");
            let said = format!("You have {n} left");
            if c == '"' || c == '\'' { "Please \
                wait." } else { r#"A "raw" text"# }
        }
        #[error("This is one.")]
        const SQL: &str = "SELECT one FROM two";
    "##;
    let found: Vec<_> = literals(code)
        .into_iter()
        .filter(|(_, text)| is_sentence(text))
        .collect();
    let expected = [
        (6, "You have {n} left"),
        (7, "Please wait."),
        (8, "A \"raw\" text"),
        (10, "This is one."),
    ];
    let expected = expected.map(|(line, text)| (line, text.to_owned()));
    assert_eq!(found, expected);
}

/// Each header that leads elsewhere is encoded in one place.
#[test]
fn one_place_leads_to_other_addresses() {
    let mut found = Vec::new();
    sources(Path::new("src"), &mut found);
    for path in found {
        let text = fs::read_to_string(&path).expect("a source file");
        let leads = without_tests(&text).contains("LOCATION");
        let is_place = path == Path::new("src/web/answer.rs");
        assert_eq!(leads, is_place, "{}", path.display());
    }
}

/// What visitors send is read in one place, which bounds it.
#[test]
fn one_place_reads_what_is_sent() {
    const READERS: &[&str] = &["Form", "Query", "Json", "Either", "Payload"];
    let mut found = Vec::new();
    sources(Path::new("src/web"), &mut found);
    assert!(found.len() > 30, "only {} files were found", found.len());
    for path in found {
        if path == Path::new("src/web/fields.rs") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source file");
        for used in without_tests(&text).split("web::").skip(1) {
            let end = if used.starts_with('{') { '}' } else { ';' };
            let names = used.split(end).next().unwrap_or_default();
            let mut names = names.split(|c: char| !c.is_alphanumeric());
            let names: Vec<&str> = if end == '}' {
                names.collect()
            } else {
                names.next().into_iter().collect()
            };
            let reader = READERS.iter().find(|reader| names.contains(reader));
            assert_eq!(reader, None, "{}: use `Fields`", path.display());
        }
    }
}
