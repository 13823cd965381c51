//! The order of the server's modules, as in `ARCHITECTURE.md`: imports point one way. The compiler keeps the crates
//! apart.

use std::fs;
use std::path::Path;

use crate::circles::sources;

/// Each module, and the other modules that it may use.
const ORDER: &[(&str, &[&str])] = &[
    ("secret", &[]),
    ("site", &[]),
    ("store", &[]),
    ("config", &["site", "store"]),
    ("app", &["secret", "site", "store"]),
    ("texts", &["app"]),
    ("web", &["secret", "site", "store", "app", "texts"]),
    ("mail", &["secret", "site", "store", "app", "texts"]),
    (
        "server",
        &["secret", "store", "config", "app", "web", "mail"],
    ),
    ("demo", &["app"]),
    ("cli", &[]),
    ("process", &["app", "cli", "config", "server"]),
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
        // The editor of rules, and the pages of matches that use the boards of one game only.
        let on_its_pages = path == Path::new("src/web/rulebook.rs")
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
