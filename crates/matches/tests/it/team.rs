//! Teams: duties and votes, facts, ready-made phrases.

use perplex_games::perplexichess::{BoardNo, Size};
use perplex_games::rules::Side;
use perplex_games::rules::flexichess::{Kind, Square};
use perplex_matches::journal::Aggregate;
use perplex_matches::team::event::{Duty, Event, MemberId};
use perplex_matches::team::lineup::{Gap, Team};
use perplex_matches::team::phrase::{Blank, Blanks, PHRASES, Phrase};
use perplex_matches::team::policy::{Viewer, hears, rights};
use perplex_matches::team::{Command, Happened, Logged, Match, Refusal, Who};
use perplex_matches::time::Time;

/// The white team of a match after these events: the author and the text of each.
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
fn gaps_are_found() {
    assert!(team(4, "1 2 3 4").missing(Size::Small).is_empty());
    assert!(team(6, "1 2 3 4").missing(Size::Small).is_empty());
    assert_eq!(
        team(7, "1 2 3 4").missing(Size::Small),
        [Gap::MoreAgents(2)]
    );
    assert_eq!(
        team(2, "- 2 - -").missing(Size::Small),
        [Gap::Strategist, Gap::Boardmen(vec![BoardNo(2), BoardNo(3)])]
    );
    assert_eq!(team(2, "1 2 2 1").missing(Size::Small), [Gap::Shared]);
    let mut five = white("medium", &[]);
    five.members = (1..=6).map(MemberId).collect();
    five.duties = five.filled();
    assert_eq!(five.missing(Size::Medium), [Gap::FewerAgents(1)]);
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

/// Facts keep the circumstances of their moment, whatever happens later.
#[test]
fn facts_say_what_was_so_then() {
    let mut story = vec![("host".to_owned(), "create size=small".to_owned())];
    for (by, text) in [
        ("1", "join 1 white"),
        ("2", "join 2 black"),
        ("host", "duties white 1 1 1 1"),
        ("host", "duties black 2 2 2 2"),
        ("host", "start"),
        ("1", "line 1 e2e4"),
        ("2", "line 1 d7d5"),
        ("1", "line 1 e4d5"),
        ("2", "line 1 rule N NW \"Knights step.\""),
        ("1", "line 1 rule N written \"Knights rest.\""),
        ("2", "line 1 reject"),
        ("1", "line w d5 1>2"),
        ("2", "leave 2"),
        ("2", "join 2 black"),
        ("1", "line 3 resign"),
        ("host", "take-back 3"),
    ] {
        story.push((by.to_owned(), text.to_owned()));
    }
    let events: Vec<Event> = (1..)
        .zip(&story)
        .map(|(number, (by, text))| Event {
            number,
            at: Time(1_800_000_000_000_000 + i64::from(number)),
            by: by.parse().expect("an author"),
            kind: text.parse().expect("an event"),
        })
        .collect();
    let state = Match::replay(&events).expect("a journal");
    let fact = |text: &str| {
        let is_it = |one: &&std::sync::Arc<Logged>| one.event.kind.to_string() == text;
        let mut found = state.log.iter().rev().filter(is_it);
        found.next().unwrap_or_else(|| panic!("{text}"))
    };
    let board = BoardNo(1);
    assert!(matches!(
        &fact("line 1 e4d5").happened,
        Happened::Moved { captures: true, san, .. } if san == "exd5"
    ));
    let change = &fact("line 1 rule N NW \"Knights step.\"").happened;
    assert!(matches!(change, Happened::RuleChanged(on, _) if *on == board) && change.is_change());
    let proposed = &fact("line 1 rule N written \"Knights rest.\"").happened;
    assert!(matches!(proposed, Happened::RuleProposed(..)) && proposed.is_turn());
    let answer = Happened::Answered {
        board,
        accepted: false,
    };
    assert_eq!(fact("line 1 reject").happened, answer);
    assert!(matches!(
        &fact("line w d5 1>2").happened,
        Happened::Transferred { transfer, kind: Kind::Pawn, undoes: false } if transfer.to == BoardNo(2)
    ));
    let again = fact("join 2 black");
    assert!(matches!(
        again.happened,
        Happened::Joined { again: true, .. }
    ));
    // The end that was taken back stays a fact of its moment.
    let resigned = fact("line 3 resign");
    assert_eq!(resigned.ended.len(), 1);
    assert_eq!(resigned.side, Some(Side::First));
    assert!(!state.is_in_force(resigned));
    let taken_back = &fact("take-back 3").happened;
    assert!(matches!(taken_back, Happened::TakenBack(_, line) if line.event == resigned.event));
}

/// Talk was said under the terms of its time: those that are settled later open only what comes then.
#[test]
fn terms_open_no_talk_of_before() {
    let looser = "terms size=small listed=yes supervised=yes reveal=yes history=yes";
    let mut story = crate::announce::STORY[..12].to_vec();
    story.extend([
        ("host", looser),
        ("11", "join 11 white"),
        ("host", "duties white 1 2 3 4"),
        ("host", "duties black 6 7 8 9"),
        ("host", "start"),
        ("9", "line 3 resign"),
        ("8", "line 2 resign"),
    ]);
    let ended = [&story[..], &[("7", "line 1 resign")]].concat();
    let host = Viewer {
        host: true,
        ..Viewer::default()
    };
    let member = |number| Viewer {
        member: Some(MemberId(number)),
        ..Viewer::default()
    };
    for (what, story, viewer) in [
        ("supervised", &story, host),
        ("history", &story, member(11)),
        ("reveal", &ended, member(7)),
    ] {
        let state = Match::replay(&crate::announce::events(story)).expect("a journal");
        let hears = |event| {
            hears(
                &state,
                &viewer,
                &rights(&state, &viewer),
                Side::First,
                event,
            )
        };
        assert_eq!(
            [11, 12, 13, 14].map(hears),
            [false, false, true, true],
            "{what}"
        );
    }
    // A member of then goes on hearing it.
    let state = Match::replay(&crate::announce::events(&story)).expect("a journal");
    let own = rights(&state, &member(2));
    assert!(hears(&state, &member(2), &own, Side::First, 12));
}

/// The grand strategist gives the team its emblem before the start, or the host does; no two have one sign.
#[test]
fn the_strategist_chooses_the_emblem() {
    let mut story = crate::announce::STORY[..15].to_vec();
    let choose = |story: &[(&str, &str)], who: Who, side, emblem: &str| {
        let state = Match::replay(&crate::announce::events(story)).expect("a journal");
        let command = Command::SetEmblem(side, emblem.parse().ok());
        let events = state.decide(&who, &command, state.created, 0)?;
        Ok(events
            .iter()
            .map(|event| event.kind.to_string())
            .collect::<Vec<_>>())
    };
    let member = |number| Who {
        host: false,
        member: Some(MemberId(number)),
    };
    let host = Who {
        host: true,
        member: None,
    };
    let stars = "brave stars blue";
    let white = Side::First;
    let set = Ok(vec!["emblem white brave stars blue".to_owned()]);
    assert_eq!(choose(&story, member(1), white, stars), set);
    assert_eq!(choose(&story, host, white, stars), set);
    for other in [2, 6] {
        let refused = Err(Refusal::OnlyStrategistChooses);
        assert_eq!(choose(&story, member(other), white, stars), refused);
    }
    story.push(("1", "emblem white brave stars blue"));
    assert_eq!(choose(&story, member(1), white, stars), Ok(Vec::new()));
    let taken = Err(Refusal::SignTaken);
    assert_eq!(
        choose(&story, member(6), Side::Second, "wild stars red"),
        taken
    );
    let gone = Ok(vec!["emblem white -".to_owned()]);
    assert_eq!(choose(&story, host, white, ""), gone);
    story.push(("host", "start"));
    let begun = Err(Refusal::HasBegun);
    assert_eq!(choose(&story, member(1), white, ""), begun);
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
    assert_eq!(send.said(blanks, Size::Small), Err(Blank::Board));
    blanks.board = Some(BoardNo(4));
    assert_eq!(send.said(blanks, Size::Small), Err(Blank::Board));
    assert_eq!(send.said(blanks, Size::Medium), Err(Blank::Piece));
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
