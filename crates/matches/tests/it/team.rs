//! Teams: duties and votes, the kinds of lines, ready-made phrases.

use perplex_games::perplexichess::{BoardNo, Size};
use perplex_games::rules::Side;
use perplex_games::rules::flexichess::{Kind, Square};
use perplex_matches::journal::Aggregate;
use perplex_matches::team::Match;
use perplex_matches::team::event::{Duty, Event, MemberId};
use perplex_matches::team::kind::LineKind;
use perplex_matches::team::lineup::Team;
use perplex_matches::team::phrase::{Blanks, PHRASES, Phrase};
use perplex_matches::time::Time;

/// The white team of a match in which this has happened: who did it, and the event's text.
fn white(size: &str, story: &[(&str, &str)]) -> Team {
    let create = format!("create size={size}");
    let events: Vec<Event> = (1..)
        .zip([("host", create.as_str())].iter().chain(story))
        .map(|(number, (by, text))| Event {
            number,
            at: Time(1_800_000_000_000_000),
            by: by.parse().expect("an author"),
            kind: text.parse().expect("an event"),
        })
        .collect();
    let state = Match::replay(&events).expect("a journal");
    state.team(Side::First).clone()
}

fn team(members: u16, duties: &str) -> Team {
    let mut team = white("small", &[("host", &format!("duties white {duties}"))]);
    team.members = (1..=members).map(MemberId).collect();
    team
}

#[test]
fn duties_are_swapped() {
    let full = team(5, "1 2 3 4");
    let board = |number| Duty::Board(BoardNo(number));
    for (duty, to, after) in [
        (board(1), 5, "1 5 3 4"),
        (board(1), 3, "1 3 2 4"),
        (Duty::Strategist, 5, "5 2 3 4"),
        (Duty::Strategist, 2, "2 1 3 4"),
        (board(2), 1, "3 2 1 4"),
    ] {
        assert_eq!(full.given(duty, MemberId(to)).to_string(), after);
    }
    let short = team(3, "1 2 2 1");
    assert_eq!(short.given(board(1), MemberId(3)).to_string(), "1 3 2 1");
    assert_eq!(
        short.given(Duty::Strategist, MemberId(2)).to_string(),
        "2 1 1 2"
    );
}

#[test]
fn nobody_is_left_without_a_boardman() {
    for (members, duties, leaver, after) in [
        (6, "1 2 - 4", 3, "1 2 5 4"),
        (6, "- 2 3 4", 1, "5 2 3 4"),
        (4, "1 2 3 -", 4, "1 2 3 2"),
        (4, "- 2 3 4", 1, "2 2 3 4"),
        (1, "- - - -", 1, "- - - -"),
    ] {
        let mut left = team(members, duties);
        left.members.remove(&MemberId(leaver));
        assert_eq!(left.filled().to_string(), after);
    }
    assert_eq!(team(2, "- - - -").filled().to_string(), "1 2 2 1");
}

#[test]
fn what_is_missing_is_said() {
    assert!(team(4, "1 2 3 4").missing(Size::Small).is_empty());
    assert!(team(6, "1 2 3 4").missing(Size::Small).is_empty());
    assert_eq!(
        team(7, "1 2 3 4").missing(Size::Small),
        ["fewer agents (at most 2)"]
    );
    assert_eq!(
        team(2, "- 2 - -").missing(Size::Small),
        ["a grand strategist", "boardmen for boards 2 and 3"]
    );
    assert_eq!(
        team(2, "1 2 2 1").missing(Size::Small),
        ["a person of its own for every duty"]
    );
    let mut five = white("medium", &[]);
    five.members = (1..=6).map(MemberId).collect();
    five.duties = five.filled();
    assert_eq!(five.missing(Size::Medium), ["an agent"]);
}

#[test]
fn more_than_half_of_the_others_elect() {
    let mut story: Vec<(&str, &str)> = vec![
        ("1", "join 1 white"),
        ("2", "join 2 white"),
        ("3", "join 3 white"),
        ("4", "join 4 white"),
        ("5", "join 5 white"),
        ("host", "duties white 1 2 3 4"),
        ("host", "start"),
    ];
    for (by, vote, elected) in [
        ("2", "vote 5", None),
        ("3", "vote 5", None),
        // Two of four are not more than half.
        ("4", "vote 2", None),
        ("5", "vote 5", Some(5)),
        ("5", "vote 2", None),
        ("4", "leave 4", Some(5)),
    ] {
        story.push((by, vote));
        let team = white("small", &story);
        assert_eq!(team.elected(), elected.map(MemberId), "{by} {vote}");
    }
}

#[test]
fn every_line_has_its_kind() {
    for (line, kind) in [
        ("w e4 1>2", LineKind::Transfer(Side::First)),
        ("b d5 2>1", LineKind::Transfer(Side::Second)),
        ("1 e2e4", LineKind::Move),
        ("3 e7e8q", LineKind::Move),
        (
            "2 rule N NW \"as it was under the old draw\"",
            LineKind::Change,
        ),
        ("2 under 1 b1c4 xd5", LineKind::Under),
        ("1 accept", LineKind::Answer),
        ("1 reject", LineKind::Answer),
        ("1 draw", LineKind::End),
        ("1 resign black", LineKind::End),
        ("time", LineKind::Time),
    ] {
        assert_eq!(LineKind::of(line), kind, "{line}");
    }
}

#[test]
fn every_phrase_is_whole() {
    let all = Blanks {
        board: Some(BoardNo(3)),
        square: Square::read('e', '4'),
        piece: Some(Kind::Knight),
    };
    for phrase in PHRASES.iter().flat_map(|(_, phrases)| *phrases) {
        assert_eq!(
            Phrase::find(phrase.key),
            Some(phrase),
            "two are called {}",
            phrase.key
        );
        let said = phrase.said(all, Size::Small).expect("nothing is missing");
        assert!(!said.contains(['{', '}']), "{said}");
        let pieces: String = phrase
            .pieces()
            .into_iter()
            .map(|(blank, text)| match (blank, text) {
                (false, text) => text,
                (true, "board") => "3",
                (true, "square") => "e4",
                (true, "piece") => "knight",
                (true, other) => panic!("{other}"),
            })
            .collect();
        assert_eq!(pieces, said);
    }
}

#[test]
fn blanks_are_asked_for() {
    let send = Phrase::find("send").expect("a phrase");
    let mut blanks = Blanks::default();
    assert!(
        send.said(blanks, Size::Small)
            .expect_err("no board")
            .contains("board")
    );
    blanks.board = Some(BoardNo(4));
    assert!(
        send.said(blanks, Size::Small)
            .expect_err("too few boards")
            .contains("board")
    );
    assert!(
        send.said(blanks, Size::Medium)
            .expect_err("no piece")
            .contains("piece")
    );
    blanks.piece = Some(Kind::Rook);
    assert_eq!(
        send.said(blanks, Size::Medium).as_deref(),
        Ok("Please send a rook to board 4.")
    );
    assert_eq!(
        Phrase::find("well-played")
            .and_then(|one| one.said(Blanks::default(), Size::Small).ok())
            .as_deref(),
        Some("Well played!")
    );
    assert_eq!(Phrase::find("rude"), None);
}
