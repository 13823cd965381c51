//! Compares `docs/security.md` with the code: the lifetimes and the limits, and that the tests which it names exist.

use std::fs;
use std::path::Path;

use perplex::app::guesses::TIERS;
use perplex::app::lifetimes;
use perplex::app::limits::ALLOWANCES;
use perplex::texts::in_words;

/// The first cells of each row of the table under a heading.
fn rows(page: &str, heading: &str) -> Vec<Vec<String>> {
    let part = page.split("\n## ").find(|part| part.starts_with(heading));
    let part = part.unwrap_or_else(|| panic!("no part {heading}"));
    let rows = part.lines().filter(|line| line.starts_with('|')).skip(2);
    rows.map(|row| {
        let cells = row.trim_matches('|').split('|');
        cells.map(|cell| cell.trim().to_owned()).collect()
    })
    .collect()
}

#[test]
fn what_the_page_about_security_says_is_so() {
    let page = fs::read_to_string("docs/security.md").expect("the page");

    let ends = rows(&page, "What opens something");
    let ends: Vec<(&str, &str)> = ends.iter().map(|row| (&*row[0], &*row[1])).collect();
    let expected = lifetimes::ALL.map(|(name, time)| (name, in_words(time)));
    let expected: Vec<(&str, &str)> = expected
        .iter()
        .map(|(name, time)| (*name, &**time))
        .collect();
    assert_eq!(ends, expected);

    let limiters = rows(&page, "Limiters");
    let limiters: Vec<[&str; 3]> = limiters
        .iter()
        .map(|row| [&*row[0], &*row[1], &*row[2]])
        .collect();
    let allowances = ALLOWANCES.iter().map(|allowed| {
        let each = format!("{} s", allowed.seconds);
        (allowed.name, allowed.burst.to_string(), each)
    });
    let tiers = TIERS.iter().map(|(name, burst, millis)| {
        let each = match millis % 1_000 {
            0 => format!("{} s", millis / 1_000),
            _ => format!("0.{} s", millis / 100),
        };
        (*name, burst.to_string(), each)
    });
    let expected: Vec<(&str, String, String)> = allowances.chain(tiers).collect();
    let expected: Vec<[&str; 3]> = expected
        .iter()
        .map(|(name, burst, each)| [*name, &**burst, &**each])
        .collect();
    assert_eq!(limiters, expected);

    let secrets = rows(&page, "Who must never learn what");
    assert!(secrets.len() > 10);
    for row in secrets {
        let held: Vec<&str> = row[2].split('`').skip(1).step_by(2).collect();
        assert!(!held.is_empty(), "{}: held by nothing", row[0]);
        for file in held {
            assert!(Path::new(file).exists(), "{}: {file} is not there", row[0]);
        }
    }
}
