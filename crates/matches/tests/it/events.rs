//! Events: each text reads back, omitted options get their defaults, and other text is refused.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use perplex_matches::{correspondence, team};

/// `good` are texts that read back, `short` reads as `whole`, and `bad` are no events.
fn check<K>(good: &[&str], (short, whole): (&str, &str), bad: &[&str])
where
    K: FromStr<Err: Debug> + Display,
{
    let again = |text: &str| text.parse::<K>().map(|kind| kind.to_string());
    for text in good {
        assert_eq!(again(text).expect("an event"), *text);
    }
    assert_eq!(again(short).expect("an event"), whole);
    for text in bad {
        assert!(again(text).is_err(), "{text}");
    }
}

#[test]
fn events_of_correspondence_matches() {
    check::<correspondence::event::EventKind>(
        &[
            "create game=quixo days=3 open=yes rules=1",
            "create game=quixo variant=four days=30 open=no rules=1",
            "invite a1",
            "join any",
            "join north",
            "start a1 b2",
            "turn rule N NW \"Knights also step.\"",
            "refuse",
            "leave",
            "withdraw",
            "offer",
            "accept",
            "decline",
            "resign",
            "timeout",
            "away 90000",
        ],
        (
            "create game=quixo",
            "create game=quixo days=3 open=no rules=1",
        ),
        &[
            "",
            "turn",
            "turn ",
            "start",
            "create",
            "create quixo",
            "create game=quixo game=pijersi",
            "create game=quixo days=x",
            "create game=quixo rules=0",
            "create game=quixo rules=999",
            "create game=quixo clock=bank",
            "resign now",
            "away",
            "away -1",
        ],
    );
}

#[test]
fn events_of_team_matches() {
    check::<team::event::EventKind>(
        &[
            "create size=small time=3600 sight=open supervised=no listed=yes reveal=no phrases=no rules=1",
            "create size=large time=none sight=rooms supervised=yes listed=no reveal=yes phrases=yes rules=1",
            "terms size=medium time=2100 sight=open supervised=yes listed=no reveal=no phrases=no",
            "terms size=medium time=2100 sight=open supervised=yes listed=no reveal=no phrases=no history=yes quiet=yes",
            "terms size=small time=none sight=open supervised=no listed=no reveal=no phrases=no deck=starter",
            "join 3 white",
            "join 3 -",
            "team 3 black",
            "leave 3",
            "duties white 3 4 - 5",
            "vote 5",
            "vote -",
            "elected black 5",
            "emblem white brave stars blue",
            "emblem black -",
            "start",
            "call-off",
            "pause",
            "resume",
            "joinable yes",
            "joinable no",
            "line 1 rule N NW \"Knights  also step.\"",
            "line w e4 1>3",
            "offer 2 white",
            "decline 2",
            "dispute 2",
            "take-back 2",
            "time 600",
            "away 3600",
            "rename 3",
            "talk free",
            "talk phrases",
            "talk frozen",
            "remove-message 12 3",
            "remove-message 12 host",
        ],
        (
            "create size=small",
            "create size=small time=none sight=open supervised=no listed=no reveal=no phrases=no rules=1",
        ),
        &[
            "",
            "line",
            "join",
            "join 3",
            "join x white",
            "team 3 green",
            "vote",
            "start now",
            "call-off 3",
            "create small",
            "create",
            "create size=small size=large",
            "create size=small rules=999",
            "create size=small clock=bank",
            "duties white",
            "emblem white",
            "emblem white rude stars blue",
            "emblem white brave stars blue pink",
            "talk loud",
            "joinable",
            "time",
            "time -5",
            "remove-message 12",
            "take-back",
        ],
    );
    for actor in ["server", "host", "12"] {
        let read: team::event::Actor = actor.parse().unwrap();
        assert_eq!(read.to_string(), actor);
    }
}
