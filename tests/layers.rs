//! The order of the modules, as `ARCHITECTURE.md` gives it: imports point one way.

use std::fs;
use std::path::Path;

/// Each module, and what it may use beside itself.
const ORDER: &[(&str, &[&str])] = &[
    ("time", &[]),
    ("rules", &[]),
    ("player", &["rules"]),
    ("board", &["rules"]),
    ("games", &["board", "player", "rules"]),
    ("perplexichess", &["time", "rules", "games"]),
    ("classroom", &["time", "rules", "games", "perplexichess"]),
    ("referee", &["games", "rules", "perplexichess"]),
    ("ugi", &["games", "player", "rules"]),
    ("record", &["games", "rules", "time"]),
    ("play", &["time", "rules", "board", "games"]),
    ("secret", &["time"]),
    (
        "store",
        &["time", "rules", "play", "perplexichess", "classroom"],
    ),
    ("config", &["store"]),
    (
        "app",
        &[
            "time",
            "rules",
            "games",
            "player",
            "record",
            "perplexichess",
            "classroom",
            "play",
            "secret",
            "store",
        ],
    ),
    (
        "web",
        &[
            "time",
            "rules",
            "board",
            "games",
            "player",
            "record",
            "perplexichess",
            "classroom",
            "play",
            "secret",
            "store",
            "app",
        ],
    ),
    (
        "mail",
        &[
            "time",
            "rules",
            "board",
            "games",
            "perplexichess",
            "classroom",
            "play",
            "secret",
            "store",
            "app",
        ],
    ),
    (
        "server",
        &["secret", "store", "config", "app", "web", "mail"],
    ),
    (
        "demo",
        &[
            "rules",
            "games",
            "player",
            "perplexichess",
            "classroom",
            "play",
            "app",
        ],
    ),
    ("cli", &["games", "ugi", "bench"]),
    (
        "bench",
        &[
            "time",
            "rules",
            "games",
            "perplexichess",
            "play",
            "secret",
            "store",
            "config",
            "app",
            "server",
        ],
    ),
];

/// Only these may name a game: the rules themselves, their boards, the registry, Perplexichess, whose boards
/// are Flexichess, and the page's part on which the rules of one game are changed.
const MAY_NAME_GAMES: &[&str] = &["rules", "board", "games", "perplexichess"];

fn module_of(path: &Path) -> String {
    let inside = path.strip_prefix("src").expect("a path in src");
    let first = inside.iter().next().expect("a name").to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

fn files(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn imports_point_one_way() {
    let mut found = Vec::new();
    files(Path::new("src"), &mut found);
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
            // What is said of a module below it in its documentation is no import.
            if line.trim_start().starts_with("//") {
                continue;
            }
            for part in line.split("crate::").skip(1) {
                // `use crate::{a, b}` would hide from this test.
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
    files(Path::new("src"), &mut found);
    for path in found {
        // The editor of rules, and the pages of matches whose boards are of one game.
        let on_its_pages = path == Path::new("src/web/rulebook.rs")
            || path.starts_with("src/web/rulebook")
            || path.starts_with("src/web/team");
        if on_its_pages || MAY_NAME_GAMES.contains(&module_of(&path).as_str()) {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source file");
        for entry in perplex::games::GAMES {
            let name = format!("rules::{}", entry.card.key);
            assert!(!text.contains(&name), "{} uses {name}", path.display());
        }
    }
}
