//! The end of matches by length: those that began under version 1 of the rules go on, those of version 2 end.

use perplex_games::perplexichess::BoardNo;
use perplex_games::rules::{MOST_TURNS, Outcome, Reason};
use perplex_matches::correspondence::{self, Phase};
use perplex_matches::journal::{Aggregate, Author, Event, EventOf, RULES};
use perplex_matches::team::command::{MOST_EVENTS, MOST_TAKE_BACKS};
use perplex_matches::team::event::MemberId;
use perplex_matches::team::{self, Command, Refusal, Who};
use perplex_matches::time::Time;

const LENGTH: Outcome = Outcome::draw(Reason::Length);

/// Turns of Flexichess that go on for ever.
fn chess() -> impl Iterator<Item = &'static str> {
    let out_and_back = ["g1f3", "g8f6", "f3g1", "f6g8"];
    let changes = ["rule B BW \"more\"", "rule B B \"less\""];
    out_and_back.repeat(3).into_iter().chain(changes).cycle()
}

/// The events with these authors and texts.
fn journal<M: Aggregate>(story: impl IntoIterator<Item = (String, String)>) -> Vec<EventOf<M>> {
    let events = (1..).zip(story).map(|(number, (by, text))| Event {
        number,
        at: Time(1_800_000_000_000_000),
        by: M::Author::read(&by).expect("an author"),
        kind: text.parse().expect("an event"),
    });
    events.collect()
}

/// A correspondence match with so many turns.
pub fn match_of(rules: u16, turns: usize) -> Result<correspondence::Match, String> {
    let begin = [
        (
            "ann",
            format!("create game=flexichess days=3 open=no rules={rules}"),
        ),
        ("ann", "join first".to_owned()),
        ("ben", "join any".to_owned()),
        ("ben", "start ann ben".to_owned()),
    ];
    let players = ["ann", "ben"].into_iter().cycle();
    let turns = players.zip(chess()).take(turns);
    let turns = turns.map(|(player, turn)| (player, format!("turn {turn}")));
    let story = begin.into_iter().chain(turns);
    let events = journal::<correspondence::Match>(story.map(|(by, text)| (by.to_owned(), text)));
    correspondence::Match::replay(&events).map_err(|error| error.to_string())
}

#[test]
fn a_correspondence_match_keeps_the_length_it_began_with() {
    assert_eq!(RULES, 2);
    for rules in [1, 2] {
        let state = match_of(rules, MOST_TURNS - 1).expect("a journal");
        assert_eq!(state.phase, Phase::Playing);
    }
    let ended = match_of(2, MOST_TURNS).expect("a journal");
    assert_eq!((ended.phase, ended.outcome), (Phase::Over, Some(LENGTH)));
    match_of(2, MOST_TURNS + 1).expect_err("no turn follows");
    let goes_on = match_of(1, MOST_TURNS + 400).expect("a journal");
    assert_eq!((goes_on.phase, goes_on.outcome), (Phase::Playing, None));
    // More than 200 changes of its rules.
    let long = match_of(1, 1_500).expect("a journal");
    assert!(long.game.changes().len() > 200);
}

/// The authors and events of a team match in which so many turns were made on board 1.
fn team_story(rules: u16, turns: usize) -> Vec<(String, String)> {
    let begin = [
        ("host", format!("create size=small rules={rules}")),
        ("1", "join 1 white".to_owned()),
        ("2", "join 2 black".to_owned()),
        ("host", "duties white 1 1 1 1".to_owned()),
        ("host", "duties black 2 2 2 2".to_owned()),
        ("host", "start".to_owned()),
    ];
    let players = ["1", "2"].into_iter().cycle();
    let turns = players.zip(chess()).take(turns);
    let turns = turns.map(|(player, turn)| (player, format!("line 1 {turn}")));
    let story = begin.into_iter().chain(turns);
    story.map(|(by, text)| (by.to_owned(), text)).collect()
}

/// The match of that story.
pub fn team_match_of(rules: u16, turns: usize) -> Result<team::Match, String> {
    let events = journal::<team::Match>(team_story(rules, turns));
    team::Match::replay(&events).map_err(|error| error.to_string())
}

#[test]
fn a_board_of_a_team_match_keeps_the_length_it_began_with() {
    let outcome = |state: &team::Match| {
        let board = state.boards.board(BoardNo(1)).expect("a board");
        board.outcome()
    };
    let ended = team_match_of(2, MOST_TURNS).expect("a journal");
    assert_eq!(
        (ended.phase, outcome(&ended)),
        (team::Phase::Playing, Some(LENGTH))
    );
    team_match_of(2, MOST_TURNS + 1).expect_err("no turn follows");
    let goes_on = team_match_of(1, MOST_TURNS + 400).expect("a journal");
    assert_eq!(outcome(&goes_on), None);
    // Other terms before the start are under the same rules.
    let story = [
        ("host", "create size=medium rules=1"),
        (
            "host",
            "terms size=small time=none sight=open supervised=no listed=no reveal=no phrases=no",
        ),
    ];
    let story = story.map(|(by, text)| (by.to_owned(), text.to_owned()));
    let settled = team::Match::replay(&journal::<team::Match>(story)).expect("a journal");
    let mut boards = settled.boards;
    for turn in chess().take(MOST_TURNS + 1) {
        let line = boards.read(&format!("1 {turn}")).expect("a turn");
        boards.take(&line);
    }
    assert_eq!(boards.board(BoardNo(1)).expect("a board").outcome(), None);
}

#[test]
fn a_team_match_takes_no_more_than_it_can_replay() {
    let host = Who {
        host: true,
        member: None,
    };
    let player = |member| Who {
        host: false,
        member: Some(MemberId(member)),
    };
    let decide =
        |state: &team::Match, who: &Who, command: &Command| state.decide(who, command, Time(0), 0);
    // Lines that are taken back.
    let mut story = team_story(2, 0);
    for _ in 0..MOST_TAKE_BACKS {
        story.push(("1".to_owned(), "line 1 e2e4".to_owned()));
        story.push(("host".to_owned(), "take-back 1".to_owned()));
    }
    story.push(("1".to_owned(), "line 1 e2e4".to_owned()));
    let state = team::Match::replay(&journal::<team::Match>(story)).expect("a journal");
    let seen = state.boards.board(BoardNo(1)).expect("a board").version();
    let board = BoardNo(1);
    let again = Command::TakeBack { board, seen };
    assert_eq!(decide(&state, &host, &again), Err(Refusal::TookBackMuch));

    // Events of all kinds.
    let mut story = team_story(2, 0);
    while story.len() < usize::try_from(MOST_EVENTS).expect("a number") {
        let pauses = story.len().is_multiple_of(2);
        let kind = if pauses { "pause" } else { "resume" };
        story.push(("host".to_owned(), kind.to_owned()));
    }
    let state = team::Match::replay(&journal::<team::Match>(story)).expect("a journal");
    let vote = Command::Vote(None);
    assert_eq!(decide(&state, &player(1), &vote), Err(Refusal::Full));
    for command in [Command::Pause, Command::Stop] {
        decide(&state, &host, &command).expect("it leads on");
    }
}
