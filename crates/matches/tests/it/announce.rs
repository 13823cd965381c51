//! The readers of each kind of event: a table of events by readers in `announce.txt`, which
//! `PERPLEX_WRITE=1` writes anew.

use std::fmt::Write as _;
use std::path::Path;

use perplex_matches::journal::Aggregate as _;
use perplex_matches::team::announce::{Prominence, Told, cards, is_mailed, prominence};
use perplex_matches::team::event::{Event, MemberId};
use perplex_matches::team::policy::{Viewer, rights};
use perplex_matches::team::{Logged, Match};
use perplex_matches::time::Time;

/// Two teams of five on three boards, one event of each kind and more. Member 1 leads White, 2, 3 and 4 play its boards,
/// 5 is its agent; 6 to 10 are the same for Black. The seconds between two events are 60.
pub const STORY: &[(&str, &str)] = &[
    ("host", "create size=small listed=yes"),
    ("1", "join 1 white"),
    ("2", "join 2 white"),
    ("3", "join 3 white"),
    ("4", "join 4 white"),
    ("5", "join 5 black"),
    ("6", "join 6 black"),
    ("7", "join 7 black"),
    ("8", "join 8 black"),
    ("9", "join 9 black"),
    ("10", "join 10 black"),
    ("host", "team 5 white"),
    ("host", "terms size=small listed=yes reveal=yes"),
    ("host", "duties white 1 2 3 4"),
    ("host", "duties black 6 7 8 9"),
    ("1", "emblem white brave stars blue"),
    ("host", "start"),
    ("2", "line 1 e2e4"),
    ("7", "line 1 rule N NW \"Knights step.\""),
    ("2", "line 1 rule * written \"Nobody sighs.\""),
    ("7", "dispute 1"),
    ("host", "line 1 accept"),
    ("7", "line 1 rule P written \"Pawns rest.\""),
    ("2", "line 1 reject"),
    ("1", "line w e4 1>2"),
    ("7", "offer 1 black"),
    ("2", "decline 1"),
    ("host", "take-back 1"),
    ("1", "duties white 1 5 3 4"),
    ("1", "duties white 1 2 3 4"),
    ("host", "team 10 white"),
    ("host", "team 10 black"),
    ("7", "vote 8"),
    ("9", "vote 8"),
    ("10", "vote 8"),
    ("server", "elected black 8"),
    ("server", "duties black 8 7 6 9"),
    ("host", "rename 5"),
    ("host", "talk phrases"),
    ("host", "remove-message 3 5"),
    ("host", "remove-message 4 host"),
    ("host", "pause"),
    ("host", "joinable yes"),
    ("host", "resume"),
    ("host", "time 600"),
    ("server", "away 90"),
    ("5", "leave 5"),
    ("host", "join 5 white"),
    ("9", "line 3 resign"),
    ("2", "line 1 resign"),
    ("6", "line 2 resign"),
];

/// The readers: as what they look at the match.
fn readers() -> Vec<(&'static str, Viewer)> {
    let member = |number| Viewer {
        member: Some(MemberId(number)),
        ..Viewer::default()
    };
    vec![
        ("W leads", member(1)),
        ("W 1", member(2)),
        ("W 2", member(3)),
        ("W agent", member(5)),
        ("B leads", member(6)),
        ("B 1", member(7)),
        ("B 2", member(8)),
        ("B agent", member(10)),
        (
            "host",
            Viewer {
                host: true,
                ..Viewer::default()
            },
        ),
        ("guest", Viewer::default()),
        (
            "wall",
            Viewer {
                projector: true,
                ..Viewer::default()
            },
        ),
    ]
}

pub fn events(story: &[(&str, &str)]) -> Vec<Event> {
    (1..)
        .zip(story)
        .map(|(number, (by, text))| Event {
            number,
            at: Time(1_800_000_000_000_000 + i64::from(number) * 60_000_000),
            by: by.parse().expect("an author"),
            kind: text.parse().unwrap_or_else(|_| panic!("{text}")),
        })
        .collect()
}

/// With an "@" for what is mailed, in a match over days, to a reader who gets a mail for each turn.
fn told(state: &Match, viewer: &Viewer, logged: &Logged) -> String {
    let rights = rights(state, viewer);
    let told = match prominence(state, viewer, &rights, logged) {
        None => "-",
        Some(Prominence::News) => "news",
        Some(Prominence::Card) => "CARD",
    };
    let is_mailed = is_mailed(state, viewer, &rights, logged, true);
    format!("{told}{}", if is_mailed { "@" } else { "" })
}

#[test]
fn each_event_reaches_those_whom_it_concerns() {
    let events = events(STORY);
    let mut table = format!("{:46}", "");
    for (name, _) in readers() {
        let _ = write!(table, "{name:9}");
    }
    table.push('\n');
    for until in 1..=events.len() {
        let state = Match::replay(&events[..until]).unwrap_or_else(|error| panic!("{error}"));
        let logged = state.log.last().expect("an event");
        let what = format!("{} {}", logged.event.by, logged.event.kind);
        let _ = write!(table, "{:46}", what.chars().take(44).collect::<String>());
        for (_, viewer) in readers() {
            let _ = write!(table, "{:9}", told(&state, &viewer, logged));
        }
        table.truncate(table.trim_end().len());
        table.push('\n');
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/announce.txt");
    if std::env::var_os("PERPLEX_WRITE").is_some() {
        std::fs::write(&file, &table).expect("written");
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(table, expected, "PERPLEX_WRITE=1 writes announce.txt anew");
}

/// The texts of the events whose cards wait for a member.
fn waiting(story: &[(&str, &str)], member: u16, seen: i32) -> Vec<String> {
    let viewer = Viewer {
        member: Some(MemberId(member)),
        ..Viewer::default()
    };
    waiting_for(story, &viewer, seen)
}

fn waiting_for(story: &[(&str, &str)], viewer: &Viewer, seen: i32) -> Vec<String> {
    let state = Match::replay(&events(story)).unwrap_or_else(|error| panic!("{error}"));
    let told = Told {
        seen,
        ..Told::default()
    };
    let waiting = cards(&state, viewer, &rights(&state, viewer), &told);
    let texts = waiting.iter().map(|logged| logged.event.kind.to_string());
    texts.collect()
}

#[test]
fn cards_wait_until_they_are_put_away() {
    let until = |text: &str| {
        STORY
            .iter()
            .position(|(_, event)| *event == text)
            .expect(text)
            + 1
    };
    let changed = until("line 1 rule N NW \"Knights step.\"");
    let rule = "line 1 rule N NW \"Knights step.\"";
    assert_eq!(waiting(&STORY[..changed], 2, 0), [rule]);
    let seen = i32::try_from(changed).expect("a number");
    assert_eq!(waiting(&STORY[..changed], 2, seen), [""; 0]);
    // What is taken back is withdrawn, and that is told.
    let back = until("take-back 1");
    let told = waiting(&STORY[..back], 3, 0);
    assert!(!told.contains(&"line w e4 1>2".to_owned()), "{told:?}");
    assert!(waiting(&STORY[..back - 1], 3, 0).contains(&"line w e4 1>2".to_owned()));
    // A member who came later gets no cards of what was before, and is welcomed.
    let mut late = STORY[..back].to_vec();
    late.push(("11", "join 11 black"));
    assert_eq!(waiting(&late, 11, 0), ["join 11 black"]);
    // Nor does one who came from the other team get those of the team.
    let elected = "elected black 8";
    let mut sent = STORY[..until("duties black 8 7 6 9")].to_vec();
    assert!(waiting(&sent, 10, 0).contains(&elected.to_owned()));
    sent.push(("host", "team 5 black"));
    let told = waiting(&sent, 5, 0);
    assert!(told.contains(&"team 5 black".to_owned()), "{told:?}");
    assert!(!told.contains(&elected.to_owned()), "{told:?}");
}

#[test]
fn a_board_is_taken_over_as_it_is() {
    let until = STORY
        .iter()
        .position(|(_, event)| *event == "duties white 1 5 3 4");
    let until = until.expect("a swap") + 1;
    // White's agent now plays board 1, where a rule was changed, and Black's boardman knows of that.
    let rule = "line 1 rule N NW \"Knights step.\"".to_owned();
    assert_eq!(waiting(&STORY[..until], 5, 0), [STORY[until - 1].1]);
    assert!(waiting(&STORY[..until], 6, 0).contains(&rule));
    // Who leads the team is told of all boards.
    assert!(waiting(&STORY[..until], 1, 0).contains(&rule));
}

#[test]
fn a_duty_that_changed_since_has_no_card() {
    let until = STORY
        .iter()
        .position(|(_, event)| *event == "duties black 8 7 6 9");
    let mut story = STORY[..=until.expect("an election")].to_vec();
    let member = story.len().try_into().map_or(0, |last: i32| last - 2);
    assert_eq!(waiting(&story, 7, member), ["elected black 8"]);
    // Member 9 leads now, and 8 plays board 3.
    story.extend([
        ("server", "elected black 9"),
        ("server", "duties black 9 7 6 8"),
    ]);
    assert_eq!(waiting(&story, 7, member), ["elected black 9"]);
    assert_eq!(
        waiting(&story, 8, member),
        ["duties black 9 7 6 8", "elected black 9"]
    );
    // Member 6 took over and gave back, and the one who played on never knew.
    story.extend([("9", "duties black 6 7 9 8"), ("6", "duties black 9 7 6 8")]);
    assert_eq!(waiting(&story, 9, member), ["duties black 9 7 6 8"]);
    story.push(("9", "duties black 6 7 9 8"));
    assert_eq!(waiting(&story, 7, member), [""; 0]);
}

#[test]
fn strategists_are_told_of_their_own_last_transfer() {
    let mut story = STORY[..17].to_vec();
    story.extend([
        ("2", "line 1 e2e4"),
        ("7", "line 1 e7e5"),
        ("2", "line 1 d2d4"),
        ("1", "line w e4 1>2"),
    ]);
    assert_eq!(waiting(&story, 1, 0), ["line w e4 1>2"]);
    story.push(("1", "line w d4 1>3"));
    assert_eq!(waiting(&story, 1, 0), ["line w d4 1>3"]);
    // It stays when others play on there, and goes when it is undone.
    let mut played = story.clone();
    played.extend([("3", "line 2 a2a3"), ("host", "time 600")]);
    assert_eq!(waiting(&played, 1, 0), ["line w d4 1>3", "time 600"]);
    story.push(("1", "line w d4 3>1"));
    assert_eq!(waiting(&story, 1, 0), [""; 0]);
}

#[test]
fn what_comes_together_is_one_card() {
    let mut story = STORY[..17].to_vec();
    story.extend([
        ("2", "line 1 e2e4"),
        ("7", "line 1 e7e5"),
        ("2", "line 1 d2d4"),
        ("1", "line w e4 1>2"),
        ("1", "line w d4 1>2"),
    ]);
    let mut events = events(&story);
    let last = events.len() - 1;
    let viewer = Viewer {
        member: Some(MemberId(8)),
        ..Viewer::default()
    };
    for (apart, count) in [(4, 1), (6, 2)] {
        events[last].at = Time(events[last - 1].at.0 + apart * 1_000_000);
        let state = Match::replay(&events).expect("a journal");
        let waiting = cards(&state, &viewer, &rights(&state, &viewer), &Told::default());
        assert_eq!(waiting.len(), count);
        assert_eq!(waiting[0].event.number, state.head);
    }
}

/// The story until one of its events, with it.
fn until(text: &str) -> Vec<(&'static str, &'static str)> {
    let last = STORY.iter().position(|(_, event)| *event == text);
    STORY[..=last.unwrap_or_else(|| panic!("{text}"))].to_vec()
}

#[test]
fn the_most_urgent_and_newest_card_is_in_front() {
    let host = Viewer {
        host: true,
        ..Viewer::default()
    };
    let rule = "line 1 rule * written \"Nobody sighs.\"";
    let mut story = until(rule);
    let seen = i32::try_from(story.len()).expect("a number") - 1;
    // What a boardman's team did comes before what happened elsewhere, and the own board before both.
    story.extend([
        ("2", "offer 1 white"),
        ("host", "time 600"),
        ("7", "dispute 1"),
        ("8", "line 2 resign"),
    ]);
    assert_eq!(
        waiting_for(&story, &host, seen),
        ["dispute 1", "line 2 resign"]
    );
    assert_eq!(waiting(&story, 3, seen), ["line 2 resign", "time 600"]);
    assert_eq!(
        waiting(&story, 2, seen),
        ["dispute 1", "line 2 resign", "time 600"]
    );
    assert_eq!(
        waiting(&story, 1, seen),
        ["line 2 resign", "dispute 1", "time 600"]
    );
}

#[test]
fn what_the_match_has_gone_past_has_no_card() {
    let host = Viewer {
        host: true,
        ..Viewer::default()
    };
    let mut story = until("dispute 1");
    let seen = i32::try_from(story.len()).expect("a number") - 2;
    assert_eq!(waiting_for(&story, &host, seen), ["dispute 1"]);
    assert_eq!(waiting(&story, 2, seen), ["dispute 1"]);
    assert_eq!(waiting(&story, 6, seen - 1)[..1], ["dispute 1"]);
    // The decision, not that it is awaited.
    story.push(("host", "line 1 accept"));
    assert_eq!(waiting_for(&story, &host, seen), [""; 0]);
    assert_eq!(waiting(&story, 2, seen), ["line 1 accept"]);
    // The last time that was set.
    story.extend([("host", "time 600"), ("host", "time 60")]);
    assert_eq!(waiting(&story, 2, seen), ["line 1 accept", "time 60"]);
    // The end of a board is all that there is to tell of it.
    story.push(("7", "line 1 resign"));
    assert_eq!(waiting(&story, 2, seen), ["line 1 resign", "time 60"]);
    // And that of the match.
    story.extend([("8", "line 2 resign"), ("9", "line 3 resign")]);
    for member in [2, 3, 5, 6, 10] {
        let told = waiting(&story, member, seen);
        assert_eq!(told.len(), 1, "{member}: {told:?}");
        assert!(told[0].ends_with("resign"), "{told:?}");
    }
}

#[test]
fn a_page_that_is_behind_brings_no_card_back() {
    let told = |seen, kept: &[i32]| Told {
        seen,
        kept: kept.to_vec(),
    };
    // Three cards, put away one after the other; what came after the page was made waits.
    let first = told(10, &[]).without(20, 23, &[14, 18]);
    assert_eq!(first, told(23, &[14, 18]));
    assert!(first.waits(14) && first.waits(24) && !first.waits(20) && !first.waits(12));
    let second = first.without(18, 25, &[14]);
    assert_eq!(second, told(25, &[14]));
    assert_eq!(second.without(14, 25, &[]), told(25, &[]));
    // Another page still shows all of them.
    assert_eq!(second.without(20, 23, &[14, 18]), told(25, &[14]));
    assert_eq!(told(25, &[]).without(20, 23, &[14, 18]), told(25, &[]));
    // A card that is no longer among the three is left to the list of news.
    assert_eq!(second.without(30, 31, &[28, 29]), told(31, &[28, 29]));
    // Nothing is put away by a form without numbers.
    assert_eq!(second.without(0, 0, &[]), second);
}
