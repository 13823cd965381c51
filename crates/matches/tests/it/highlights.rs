//! The rule and the transfer of the day, from the events of a match.

use perplex_matches::journal::Aggregate as _;
use perplex_matches::team::highlights::{Highlights, highlights};
use perplex_matches::team::{Logged, Match};

use crate::announce::{STORY, events};

/// The text of an event, and its number.
type Told = Option<(String, usize)>;

/// The highlights of a match that went on like this after its start: the text and the number of each.
fn told(went_on: &[(&str, &str)]) -> (Told, Told) {
    let mut story = STORY[..16].to_vec();
    story.extend(went_on);
    let state = Match::replay(&events(&story)).unwrap_or_else(|error| panic!("{error}"));
    let in_force: Vec<&Logged> = state
        .log
        .iter()
        .map(AsRef::as_ref)
        .filter(|logged| state.is_in_force(logged))
        .collect();
    let Highlights { rule, transfer } = highlights(&in_force);
    let text = |(logged, count): (&Logged, usize)| (logged.event.kind.to_string(), count);
    (
        rule.map(|(logged, _, count)| text((logged, count))),
        transfer.map(text),
    )
}

const STEP: &str = "line 1 rule N NW \"Knights step.\"";
const TIRED: &str = "line 1 rule N N \"Knights tire.\"";

#[test]
fn the_rule_of_the_day_is_the_one_that_was_used_most() {
    assert_eq!(told(&[("2", "line 1 e2e4")]), (None, None));
    // Not used, it is no rule of the day.
    assert_eq!(told(&[("2", STEP), ("7", "line 1 e7e5")]).0, None);
    let mut story = vec![
        ("2", STEP),
        ("7", "line 1 b8c6"),
        ("2", "line 1 g1f3"),
        ("7", "line 1 e7e5"),
    ];
    assert_eq!(told(&story).0, Some((STEP.to_owned(), 2)));
    // Moves on another board, and after the rule was changed again, are not moves under it.
    story.extend([
        ("3", "line 2 g1f3"),
        ("2", TIRED),
        ("7", "line 1 c6b8"),
        ("2", "line 1 f3g1"),
        ("7", "line 1 b8c6"),
    ]);
    assert_eq!(told(&story).0, Some((TIRED.to_owned(), 3)));
    // What the host has taken back did not happen.
    story.push(("host", "take-back 1"));
    assert_eq!(told(&story).0, Some((STEP.to_owned(), 2)));
}

#[test]
fn the_transfer_of_the_day_helped_to_win() {
    let brought = "line w e4 1>2";
    let mut story = vec![("2", "line 1 e2e4"), ("1", brought)];
    assert_eq!(told(&story).1, None);
    story.extend([("3", "line 2 e4e5"), ("8", "line 2 a7a6")]);
    let mut lost = story.clone();
    lost.push(("3", "line 2 resign"));
    assert_eq!(told(&lost).1, None);
    story.extend([("3", "line 2 a2a3"), ("8", "line 2 resign")]);
    assert_eq!(told(&story).1, Some((brought.to_owned(), 4)));
}
