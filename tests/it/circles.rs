//! Checks that inside a crate no two files import each other, nor call each other through `App`: lists the circles,
//! and fails on unknown ones.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// The crates, by the folder of their sources.
const CRATES: &[&str] = &[
    "src",
    "crates/games/src",
    "crates/matches/src",
    "crates/bench/src",
];

/// The accepted circles: their files, and the reason.
const KNOWN: &[(&[&str], &str)] = &[];

type Module = Vec<String>;

/// A file: its imports and its re-exports.
#[derive(Default)]
struct File {
    /// Paths as written, without the braces after them.
    paths: Vec<Module>,
    /// Names of `pub use`, and the paths that they stand for.
    given_on: BTreeMap<String, Module>,
    /// The methods of `App` that it defines.
    methods: BTreeSet<String>,
    /// The methods that it calls on `self` or on an `app`.
    calls: BTreeSet<String>,
}

/// The names after each `start` in a text.
fn words_after<'a>(text: &'a str, start: &str) -> Vec<&'a str> {
    let name = |rest: &'a str| {
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        &rest[..end.unwrap_or(rest.len())]
    };
    text.match_indices(start)
        .map(|(at, _)| name(&text[at + start.len()..]))
        .collect()
}

/// Adds the methods of `App` in a file, and its calls that could be of such. Lines are broken before the dot.
fn app_calls(code: &str, file: &mut File) {
    for (at, _) in code.match_indices("\nimpl App {\n") {
        let block = &code[at..];
        let block = &block[..block.find("\n}\n").unwrap_or(block.len())];
        file.methods
            .extend(words_after(block, "fn ").into_iter().map(str::to_owned));
    }
    let joined: Vec<&str> = code.split_whitespace().collect();
    let joined = joined.join(" ").replace(" .", ".");
    for receiver in ["self.", "app."] {
        // A field sometimes has the name of a method.
        let is_call = |word: &&str| {
            let call = format!("{receiver}{word}");
            joined.contains(&format!("{call}(")) || joined.contains(&format!("{call}::<"))
        };
        let called = words_after(&joined, receiver);
        let called = called.into_iter().filter(is_call);
        file.calls.extend(called.map(str::to_owned));
    }
}

pub fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn module_of(path: &Path, root: &Path) -> Module {
    let inside = path.strip_prefix(root).expect("a path inside");
    let mut module: Module = inside
        .with_extension("")
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    if matches!(module.last().map(String::as_str), Some("lib" | "main")) {
        module.pop();
    }
    module
}

/// The code without the tests at its end.
pub fn without_tests(text: &str) -> &str {
    match text.find("#[cfg(test)]\nmod ") {
        Some(at)
            if !text[at..]
                .lines()
                .nth(1)
                .is_some_and(|line| line.ends_with(';')) =>
        {
            &text[..at]
        }
        _ => text,
    }
}

/// The code without comments and without the tests at its end.
fn code(text: &str) -> String {
    let lines = without_tests(text)
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

fn segments(path: &str) -> Module {
    path.split("::")
        .map(|part| part.trim().to_owned())
        .filter(|part| !part.is_empty())
        .collect()
}

/// Expands `a::{b, c::{d as e, self}}`: each path, and its local name.
fn written_out(tree: &str, before: &[String], found: &mut Vec<(Module, String)>) {
    let tree = tree.trim();
    if let Some(open) = tree.find('{') {
        let mut before = before.to_vec();
        before.extend(segments(&tree[..open]));
        let inside = &tree[open + 1..tree.rfind('}').unwrap_or(tree.len())];
        let (mut depth, mut start) = (0, 0);
        for (at, c) in inside.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    written_out(&inside[start..at], &before, found);
                    start = at + 1;
                }
                _ => {}
            }
        }
        written_out(&inside[start..], &before, found);
    } else if !tree.is_empty() {
        let (path, name) = tree.split_once(" as ").unwrap_or((tree, ""));
        let mut whole = before.to_vec();
        whole.extend(
            segments(path)
                .into_iter()
                .filter(|part| part != "self" || before.is_empty()),
        );
        let name = match name.trim() {
            "" => whole.last().cloned().unwrap_or_default(),
            name => name.to_owned(),
        };
        found.push((whole, name));
    }
}

fn read(text: &str) -> File {
    let code = code(text);
    let mut file = File::default();
    let mut rest = String::new();
    let mut lines = code.lines();
    while let Some(line) = lines.next() {
        let start = line.trim_start();
        let is_public = start.starts_with("pub");
        let after = if is_public {
            start.split_once(' ').map_or("", |(_, after)| after)
        } else {
            start
        };
        let after = after
            .trim_start_matches("(super) ")
            .trim_start_matches("(crate) ");
        if let Some(tree) = after.strip_prefix("use ") {
            let mut tree = tree.to_owned();
            while !tree.contains(';') {
                tree.push(' ');
                tree.push_str(lines.next().expect("the end of an import"));
            }
            let mut found = Vec::new();
            written_out(tree.trim_end_matches(';'), &[], &mut found);
            for (path, name) in found {
                if is_public {
                    file.given_on.insert(name, path);
                } else {
                    file.paths.push(path);
                }
            }
        } else {
            rest.push_str(line);
            rest.push('\n');
        }
    }
    app_calls(&code, &mut file);
    for start in ["crate::", "super::"] {
        for (at, _) in rest.match_indices(start) {
            let before = rest[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            let end = rest[at..]
                .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'))
                .map_or(rest.len(), |length| at + length);
            file.paths.push(segments(&rest[at..end]));
        }
    }
    file
}

/// The file to which a path written in `module` leads, through other files' re-exports; `None` for other crates.
fn leads_to(files: &BTreeMap<Module, File>, module: &[String], path: &[String]) -> Option<Module> {
    let mut at: Module = match path.first()?.as_str() {
        "crate" => Vec::new(),
        "super" | "self" => module.to_vec(),
        child => {
            let mut at = module.to_vec();
            at.push(child.to_owned());
            files.contains_key(&at).then_some(())?;
            at.pop();
            at
        }
    };
    let mut rest = path;
    while let Some((first, after)) = rest.split_first() {
        match first.as_str() {
            "crate" | "self" => {}
            "super" => {
                at.pop();
            }
            name => {
                at.push(name.to_owned());
                if !files.contains_key(&at) {
                    at.pop();
                    let given = files.get(&at).and_then(|file| file.given_on.get(name));
                    return match given {
                        Some(given) => {
                            let mut whole = given.clone();
                            whole.extend(after.iter().cloned());
                            leads_to(files, &at, &whole)
                        }
                        None => Some(at),
                    };
                }
            }
        }
        rest = after;
    }
    Some(at)
}

/// The files that can be reached from `start`.
fn reached(edges: &BTreeMap<Module, BTreeSet<Module>>, start: &Module) -> BTreeSet<Module> {
    let mut seen = BTreeSet::new();
    let mut todo = vec![start.clone()];
    while let Some(module) = todo.pop() {
        for next in edges.get(&module).into_iter().flatten() {
            if seen.insert(next.clone()) {
                todo.push(next.clone());
            }
        }
    }
    seen
}

/// The circles of imports and calls in a crate, each as the names of its files, and all edges inside them.
fn circles(root: &Path) -> Vec<(Vec<String>, Vec<String>)> {
    let mut paths = Vec::new();
    sources(root, &mut paths);
    let mut files: BTreeMap<Module, File> = paths
        .iter()
        .map(|path| {
            let text = fs::read_to_string(path).expect("a source file");
            (module_of(path, root), read(&text))
        })
        .collect();
    // A folder whose module is in braces in another file has no file of its own.
    let folders: Vec<Module> = files
        .keys()
        .flat_map(|module| (1..module.len()).map(|length| module[..length].to_vec()))
        .collect();
    for folder in folders {
        files.entry(folder).or_default();
    }
    let mut edges: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
    let is_app = |module: &Module| module.first().is_some_and(|first| first == "app");
    for (module, file) in files.iter().filter(|(module, _)| is_app(module)) {
        for (other, called) in &files {
            if other != module && !called.methods.is_disjoint(&file.calls) {
                edges
                    .entry(module.clone())
                    .or_default()
                    .insert(other.clone());
            }
        }
    }
    for (module, file) in &files {
        for path in &file.paths {
            if let Some(to) = leads_to(&files, module, path)
                && to != *module
                && !to.is_empty()
            {
                edges.entry(module.clone()).or_default().insert(to);
            }
        }
    }
    let reach: BTreeMap<&Module, BTreeSet<Module>> = files
        .keys()
        .map(|module| (module, reached(&edges, module)))
        .collect();
    let name = |module: &Module| module.join("/");
    let mut done = BTreeSet::new();
    let mut found = Vec::new();
    for module in files.keys() {
        let together: BTreeSet<&Module> = files
            .keys()
            .filter(|other| reach[module].contains(*other) && reach[other].contains(module))
            .collect();
        if together.len() < 2 || !done.insert(together.clone()) {
            continue;
        }
        let imports = together
            .iter()
            .flat_map(|from| {
                edges[*from]
                    .iter()
                    .filter(|to| together.contains(to))
                    .map(|to| format!("{} needs {}", name(from), name(to)))
            })
            .collect();
        found.push((together.into_iter().map(name).collect(), imports));
    }
    found
}

#[test]
fn imports_make_no_circles() {
    let mut unknown = String::new();
    for root in CRATES {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(root);
        for (files, imports) in circles(&root) {
            if !KNOWN.iter().any(|(known, _)| *known == files) {
                let imports = imports.join("\n  ");
                let _ = writeln!(unknown, "a circle in {}:\n  {imports}", root.display());
            }
        }
    }
    assert!(unknown.is_empty(), "{unknown}");
}

#[test]
fn a_circle_is_found() {
    let folder = std::env::temp_dir().join(format!("perplex_circles_{}", std::process::id()));
    fs::create_dir_all(folder.join("a")).expect("a folder");
    fs::create_dir_all(folder.join("app")).expect("a folder");
    for (name, text) in [
        (
            "lib.rs",
            "mod a;\nmod b;\nmod c;\nmod app { mod e; mod f; }\n",
        ),
        ("a.rs", "pub mod d;\npub use d::Given;\nuse crate::b::B;\n"),
        ("a/d.rs", "use crate::c;\n"),
        // A re-exported name leads to its origin: this is no circle with `a`.
        ("b.rs", "use crate::a::Given;\n"),
        ("c.rs", "fn f() { crate::a::d::g(); }\n"),
        // Two that call each other through `App`, in a folder without a file of its own.
        (
            "app/e.rs",
            "use super::f;\nimpl App {\n    fn one(&self) {\n        self\n            .two();\n    }\n}\n",
        ),
        (
            "app/f.rs",
            "\nimpl App {\n    fn two(app: &App) {\n        app.one();\n    }\n}\n",
        ),
    ] {
        fs::write(folder.join(name), text).expect("a file");
    }
    let found = circles(&folder);
    fs::remove_dir_all(&folder).expect("removed");
    let found: Vec<Vec<String>> = found.into_iter().map(|(files, _)| files).collect();
    assert_eq!(found, [["a/d", "c"], ["app/e", "app/f"]]);
}
