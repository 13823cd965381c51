//! The report of a match: each member's deeds, from its log.

use std::time::Duration;

use perplex_games::perplexichess::BoardNo;
use perplex_games::rules::Side;
use perplex_matches::classroom::report::{Beside, Deeds, Report};
use perplex_matches::classroom::seating::Task;
use perplex_matches::journal::Aggregate as _;
use perplex_matches::team::Match;
use perplex_matches::team::event::{Actor, Duty, Event, MemberId};
use perplex_matches::time::Time;

const START: i64 = 1_800_000_000_000_000;

fn minute(minutes: i64) -> Time {
    Time(START + minutes * 60_000_000)
}

/// A match from its journal: minute, actor, event.
fn replay(told: &[(i64, &str, &str)]) -> Match {
    let events: Vec<Event> = (1..)
        .zip(told)
        .map(|(number, (minutes, by, kind))| Event {
            number,
            at: minute(*minutes),
            by: by.parse().expect("an actor"),
            kind: kind.parse().expect("an event"),
        })
        .collect();
    Match::replay(&events).expect("a match")
}

const TOLD: [(i64, &str, &str); 30] = [
    (
        0,
        "host",
        "create size=small time=2700 sight=open supervised=yes listed=no reveal=no phrases=no",
    ),
    (0, "1", "join 1 white"),
    (0, "2", "join 2 white"),
    (0, "3", "join 3 white"),
    (0, "4", "join 4 white"),
    (0, "5", "join 5 white"),
    (1, "6", "join 6 black"),
    (1, "7", "join 7 -"),
    (2, "host", "duties white 1 2 3 4"),
    (2, "host", "duties black 6 6 6 6"),
    (10, "host", "start"),
    (11, "2", "line 1 e2e4"),
    (12, "6", "line 1 d7d5"),
    (13, "2", "line 1 e4d5"),
    (13, "6", "line 1 rule N NW \"Knights exist x step.\""),
    (14, "3", "line 2 rule * written \"Pass if you like.\""),
    (14, "6", "dispute 2"),
    (15, "host", "line 2 reject"),
    (15, "3", "line 2 e2e4"),
    (20, "host", "pause"),
    (30, "host", "resume"),
    (31, "1", "duties white 1 2 5 4"),
    (32, "1", "line w e4 2>3"),
    (32, "1", "line w e4 3>2"),
    (33, "5", "vote 2"),
    (33, "5", "vote -"),
    (34, "2", "offer 1 white"),
    (35, "4", "line 3 e2e4"),
    (36, "6", "line 3 resign black"),
    (40, "4", "leave 4"),
];

#[test]
fn a_report_counts_what_each_pupil_did() {
    let state = replay(&TOLD);
    let mut beside = Beside::default();
    beside.messages.insert(MemberId(2), 4);
    // Member 3 closed the page two minutes after the play went on.
    beside.seen.insert(MemberId(3), minute(32));
    let report = Report::of(&state, &beside, minute(50));
    let of = |id| -> &Deeds {
        let found = report
            .people
            .iter()
            .find(|deeds| deeds.member == MemberId(id));
        found.expect("a member")
    };
    assert_eq!(report.played, Duration::from_mins(30));
    let two = of(2);
    assert_eq!(
        (two.turns, two.captures, two.offers, two.messages),
        (2, 1, 1, 4)
    );
    assert_eq!(two.held, [Duty::Board(BoardNo(1))]);
    assert_eq!(
        (two.side, two.task),
        (Some(Side::First), Some(Task::Boardman))
    );
    assert_eq!(two.present, Duration::from_mins(30));
    let three = of(3);
    assert_eq!((three.turns, three.changes), (2, 1));
    assert_eq!(
        three.task,
        Some(Task::Boardman),
        "ten minutes, then an agent for one"
    );
    assert_eq!(three.present, Duration::from_mins(12));
    assert!(three.was_agent && !two.was_agent);
    // What is undone counts as none.
    assert_eq!((of(1).transfers, report.transfers), (0, [0, 0]));
    let five = of(5);
    assert_eq!((five.votes, five.turns), (2, 0));
    assert_eq!(
        (five.task, five.held.as_slice()),
        (Some(Task::Boardman), &[Duty::Board(BoardNo(2))][..])
    );
    let six = of(6);
    // The text of a change captures nothing, and giving up is no turn.
    assert_eq!((six.turns, six.captures, six.changes), (2, 0, 1));
    assert_eq!((six.task, six.held.len()), (Some(Task::Strategist), 4));
    assert_eq!(of(4).present, Duration::from_mins(20));
    // The control panel counts alike.
    let activity = state.activity();
    for deeds in &report.people {
        let done = activity.get(&deeds.member).copied().unwrap_or_default();
        let alike = [deeds.turns, deeds.changes, deeds.transfers].map(|count| count as usize);
        assert_eq!([done.turns, done.changes, done.transfers], alike);
    }
    let seven = of(7);
    assert_eq!((seven.side, seven.task, seven.acts()), (None, None, 0));
    assert_eq!(report.tasks().count(), 6);
    // The rejected rule is not in force; the movement is.
    assert_eq!(report.changes.len(), 1);
    let change = &report.changes[0];
    assert_eq!(
        (change.board, change.number, change.side),
        (BoardNo(1), 1, Side::Second)
    );
    assert_eq!(change.made, Some((Actor::Member(MemberId(6)), minute(13))));
    assert_eq!(change.change.text, "Knights exist x step.");
    assert_eq!(report.transfers, [0, 0]);
}

#[test]
fn transfers_are_their_strategists() {
    let state = replay(&[
        (
            0,
            "host",
            "create size=small time=none sight=open supervised=no listed=no reveal=no phrases=no",
        ),
        (0, "1", "join 1 white"),
        (0, "2", "join 2 black"),
        (0, "host", "duties white 1 1 1 1"),
        (0, "host", "duties black 2 2 2 2"),
        (0, "host", "start"),
        (1, "1", "line 1 e2e4"),
        (2, "1", "line w e4 1>3"),
        (3, "host", "line time"),
    ]);
    let report = Report::of(&state, &Beside::default(), minute(90));
    assert_eq!(report.transfers, [1, 0]);
    assert_eq!((report.people[0].transfers, report.people[0].turns), (1, 1));
    // The time stands still when the match is over.
    assert_eq!(report.played, Duration::from_mins(3));
    assert_eq!(report.people[1].present, Duration::from_mins(3));
    assert_eq!(report.people[1].acts(), 0);
}
