//! The routes of the site, read from its source.

use std::path::PathBuf;

/// The source of the pages, file by file, without tests.
fn sources() -> Vec<(PathBuf, String)> {
    let mut folders = vec![PathBuf::from("src/web")];
    let mut files = vec![PathBuf::from("src/web.rs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let list = if path.is_dir() {
                &mut folders
            } else {
                &mut files
            };
            list.push(path);
        }
    }
    let read = |file: PathBuf| {
        let text = std::fs::read_to_string(&file).expect("a source file");
        // Tests have routes of their own.
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        (file, text.to_owned())
    };
    files.into_iter().map(read).collect()
}

/// All routes of the site, in the form of the source: `/lobby`, `GET`.
pub fn routes() -> Vec<(String, &'static str)> {
    let mut found = Vec::new();
    for (file, text) in sources() {
        for other in ["web::resource(", "web::scope(\"/", ".route_service("] {
            assert!(!text.contains(other), "{}: {other}", file.display());
        }
        for route in text.split(".route(").skip(1) {
            let route = route.trim_start().strip_prefix('"');
            let (path, rest) = route.and_then(|r| r.split_once('"')).expect("a path");
            let handler = rest.trim_start_matches([',', ' ', '\n']);
            let handler = handler.strip_prefix("making(").unwrap_or(handler);
            let method = ["GET", "POST"]
                .into_iter()
                .find(|method| handler.starts_with(&format!("{}()", method.to_lowercase())));
            found.push((path.to_owned(), method.expect("a method")));
        }
    }
    found.sort();
    found.dedup();
    assert!(found.len() > 90, "only {} routes were found", found.len());
    found
}

/// The names of all fields that pages read of forms and queries.
pub fn fields() -> Vec<String> {
    let mut found = Vec::new();
    for (_, text) in sources() {
        for way in [".get(\"", ".all(\"", ".has(\""] {
            let names = text.split(way).skip(1);
            found.extend(names.filter_map(|rest| Some(rest.split_once("\")")?.0.to_owned())));
        }
    }
    found.sort();
    found.dedup();
    assert!(found.len() > 80, "only {} fields were found", found.len());
    found
}

/// A pattern with its variable parts filled in: from `parts`, else with `1`.
pub fn address(pattern: &str, parts: &[(&str, &str)]) -> String {
    let mut path = String::new();
    let mut rest = pattern;
    while let Some((before, part)) = rest.split_once('{') {
        let (name, after) = part.split_once('}').expect("its end");
        let name = name.split(':').next().expect("a name");
        path += before;
        path += parts
            .iter()
            .find(|(known, _)| *known == name)
            .map_or("1", |(_, is)| is);
        rest = after;
    }
    path + rest
}

/// True if `address`, perhaps with a query, fits `pattern`.
pub fn fits(pattern: &str, address: &str) -> bool {
    let path = address.split('?').next().unwrap_or_default();
    let (patterns, parts) = (pattern.split('/'), path.split('/'));
    pattern.split('/').count() == path.split('/').count()
        && patterns
            .zip(parts)
            .all(|(pattern, part)| match pattern.split_once('{') {
                Some((before, _)) => part.starts_with(before),
                None => pattern == part,
            })
}
