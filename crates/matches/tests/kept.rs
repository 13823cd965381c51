//! Journals that released versions have written are read for ever: each line is an event, its time, who did it and its
//! text. What they come to was noted when they were kept.

use perplex_matches::journal::{Aggregate, Author, Event, EventOf};
use perplex_matches::time::Time;
use perplex_matches::{post, team};

fn journal<M: Aggregate>(text: &str) -> Vec<EventOf<M>> {
    (1..)
        .zip(text.lines())
        .map(|(number, line)| {
            let [at, by, what] = line.splitn(3, ' ').collect::<Vec<_>>()[..] else {
                panic!("{line:?} is no event");
            };
            Event {
                number,
                at: Time(at.parse().expect("a time")),
                by: M::Author::read(by).expect("an author"),
                what: what.parse().expect("an event"),
            }
        })
        .collect()
}

/// Every event is written as it was read.
fn is_written_alike<M: Aggregate>(text: &str, events: &[EventOf<M>]) {
    for (line, event) in text.lines().zip(events) {
        let written = format!("{} {} {}", event.at.0, event.by.text(), event.what);
        assert_eq!(written, line);
    }
}

#[test]
fn a_correspondence_match_of_2026_11_22() {
    let text = include_str!("kept/post-2026-11-22.txt");
    let events = journal::<post::Match>(text);
    is_written_alike::<post::Match>(text, &events);
    let state = post::Match::replay(&events).expect("a state");
    assert_eq!(state.rules, 1);
    assert_eq!(state.game.position(), POST);
    assert_eq!(state.outcome.map(|outcome| outcome.to_string()).as_deref(), POST_OUTCOME);
}

#[test]
fn a_team_match_of_2026_11_22() {
    let text = include_str!("kept/team-2026-11-22.txt");
    let events = journal::<team::Match>(text);
    is_written_alike::<team::Match>(text, &events);
    let state = team::Match::replay(&events).expect("a state");
    assert_eq!(state.rules, 1);
    let positions: Vec<String> = state
        .boards
        .numbers()
        .filter_map(|number| Some(state.boards.board(number)?.position().to_string()))
        .collect();
    assert_eq!(positions, TEAM);
}

const POST: &str = "";
const POST_OUTCOME: Option<&str> = None;
const TEAM: [&str; 3] = [""; 3];
