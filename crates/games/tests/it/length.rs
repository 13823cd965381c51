//! The end by length: games under version 2 of the rules get 1,000 turns, and a board of Flexichess 200 changes of its
//! rules.

use perplex_games::game::AnyGame;
use perplex_games::perplexichess::{BoardNo, Boards, Line, Size};
use perplex_games::referee;
use perplex_games::registry::{Entry, find};
use perplex_games::rules::{MOST_TURNS, Outcome, Reason};
use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;

use crate::{every_variant, seeded};

const LENGTH: Outcome = Outcome::draw(Reason::Length);

/// The longest game that is found by playing turns that do not end it.
fn long_game(entry: &Entry, variant: &str, rng: &mut StdRng) -> Box<dyn AnyGame> {
    let mut game = entry.setup(variant).expect("a variant");
    while game.outcome().is_none() {
        let mut turns = game.legal();
        turns.shuffle(rng);
        let mut next = None;
        for turn in turns {
            let mut after = game.clone();
            after.play(&turn).expect("a legal turn");
            let goes_on = after.outcome().is_none();
            next = Some(after);
            if goes_on {
                break;
            }
        }
        game = next.expect("a game that goes on has a turn");
    }
    game
}

/// The game after these turns under version 1 of the rules.
fn under_1(entry: &Entry, variant: &str, turns: &[String]) -> Box<dyn AnyGame> {
    let mut game = entry.setup_under(variant, 1).expect("a variant");
    for turn in turns {
        game.play(turn).expect("a turn");
    }
    game
}

#[test]
fn games_end_after_a_thousand_turns() {
    let mut rng = seeded();
    for (entry, variant) in every_variant() {
        let key = entry.card.key;
        let mut game = long_game(entry, variant, &mut rng);
        // In the other games each ends in another way before.
        while key == "quixo" && game.outcome() != Some(LENGTH) {
            game = long_game(entry, variant, &mut rng);
        }
        let turns = game.turns();
        assert!(turns.len() <= MOST_TURNS, "{key} {variant}");
        let outcome = game.outcome().expect("an end");
        assert_eq!(
            outcome.reason == Reason::Length,
            turns.len() == MOST_TURNS && outcome == LENGTH
        );
        let old = under_1(entry, variant, turns);
        match outcome.reason {
            Reason::Length => assert_eq!(old.outcome(), None, "{key} {variant}"),
            _ => assert_eq!(old.outcome(), Some(outcome), "{key} {variant}"),
        }
        // What was so earlier is judged as it was then.
        assert_eq!(game.at(turns.len() - 1).outcome(), None);
        assert_eq!(old.at(turns.len()).outcome(), old.outcome());
    }
}

/// Turns of Flexichess that go on for ever: knights go out and back, and before a position has come up too often both
/// sides change a rule.
fn chess() -> impl Iterator<Item = &'static str> {
    let out_and_back = ["g1f3", "g8f6", "f3g1", "f6g8"];
    let changes = ["rule B BW \"more\"", "rule B B \"less\""];
    out_and_back.repeat(3).into_iter().chain(changes).cycle()
}

#[test]
fn a_game_of_flexichess_has_a_thousand_turns() {
    let entry = find("flexichess").expect("a game");
    let mut game = entry.setup("").expect("a start");
    for turn in chess().take(MOST_TURNS) {
        assert_eq!(game.outcome(), None);
        game.play(turn).expect("a turn");
    }
    assert_eq!((game.outcome(), game.to_move()), (Some(LENGTH), None));
    let error = game.play("g1f3").expect_err("the game is over").to_string();
    assert!(error.contains("the game is over (length)"), "{error}");
    let mut old = under_1(entry, "", game.turns());
    old.play(chess().nth(MOST_TURNS).expect("a turn"))
        .expect("version 1 goes on");

    // A win by the last turn is a win.
    let mut turns: Vec<&str> = chess().take(MOST_TURNS - 6).collect();
    turns.extend(["a2a3", "a7a6", "f2f3", "e7e5", "g2g4", "d8h4"]);
    let mut game = entry.setup("").expect("a start");
    for turn in &turns {
        game.play(turn).unwrap_or_else(|error| panic!("{error}"));
    }
    let reason = game.outcome().expect("an end").reason;
    assert_eq!(
        (game.turns().len(), reason),
        (MOST_TURNS, Reason::Checkmate)
    );

    // A rule that waits for its answer then waits no longer.
    let mut game = entry.setup("").expect("a start");
    for turn in chess().take(MOST_TURNS - 1) {
        game.play(turn).expect("a turn");
    }
    game.play("rule * written \"Smile.\"")
        .expect("a rule in words");
    assert_eq!((game.outcome(), game.waits()), (Some(LENGTH), None));
    assert!(game.choices().is_empty());

    // So says the referee.
    let turns: Vec<&str> = chess().take(MOST_TURNS).collect();
    let asked = serde_json::json!({"game": "flexichess", "turns": turns, "want": ["legal"]});
    let answer = referee::answer(&asked.to_string());
    let answer: serde_json::Value = serde_json::from_str(&answer).expect("JSON");
    assert_eq!(answer["reason"], "length");
    assert_eq!(answer["result"], "draw");
    assert_eq!(answer["legal"], serde_json::json!([]));
}

#[test]
fn each_board_of_a_match_has_a_thousand_turns() {
    let (one, two) = (BoardNo(1), BoardNo(2));
    let play = |boards: &mut Boards, board: BoardNo, turn: &str| {
        let line = boards.read(&format!("{board} {turn}"));
        boards.take(&line.unwrap_or_else(|error| panic!("{error}")));
    };
    let of = |boards: &Boards, board| boards.board(board).expect("a board").outcome();
    let mut boards = Boards::new(Size::Small);
    let mut old = Boards::under(Size::Small, 1);
    for turn in chess().take(MOST_TURNS) {
        play(&mut boards, one, turn);
        play(&mut old, one, turn);
        if boards.board(two).expect("a board").version() < 10 {
            play(&mut boards, two, turn);
        }
    }
    assert_eq!(of(&boards, one), Some(LENGTH));
    assert_eq!((of(&boards, two), of(&old, one)), (None, None));
    let error = boards.read("1 g1f3").expect_err("over").to_string();
    assert!(error.contains("this board has ended (length)"), "{error}");
    // Its pieces can still be sent elsewhere, and transfers are no turns.
    let transfers = boards.transfers(perplex_games::rules::Side::First);
    let transfer = transfers.iter().find(|transfer| transfer.from == one);
    let transfer = *transfer.expect("a piece of the board that ended");
    boards.take(&Line::Transfer(transfer));
    assert_eq!(of(&boards, two), None);
}

#[test]
fn a_board_takes_two_hundred_changes_of_its_rules() {
    let entry = find("flexichess").expect("a game");
    let asked = ["rule N NW \"more\"", "rule N N \"less\""];
    let written = ["rule * written \"Smile.\"", "accept"];
    for version in [1, 2] {
        let mut game = entry.setup_under("", version).expect("a start");
        let mut changes = asked.into_iter().cycle();
        for number in 0..200 {
            // Each tenth is in words.
            let turns = if number % 10 == 0 {
                written.to_vec()
            } else {
                vec![changes.next().expect("a change")]
            };
            for turn in turns {
                game.play(turn).expect("a change");
            }
        }
        assert_eq!(game.changes().len(), 200);
        for more in [
            changes.next().expect("a change"),
            written[0],
            "rule P =Q \"x\"",
        ] {
            let answer = game.clone().play(more);
            if version == 1 {
                answer.expect("version 1 takes more");
                continue;
            }
            let error = answer.expect_err("the bound").to_string();
            assert!(error.contains("have been changed 200 times"), "{error}");
            assert!(!error.contains("changes nothing"), "{error}");
        }
        game.play("g1f3").expect("moves go on");
    }
}

#[test]
fn a_movement_has_at_most_a_hundred_characters() {
    let entry = find("flexichess").expect("a game");
    for (notation, fits) in [("NW".repeat(50), true), ("NW".repeat(50) + "W", false)] {
        let turn = format!("rule N {notation} \"x\"");
        for version in [1, 2] {
            let mut game = entry.setup_under("", version).expect("a start");
            match game.play(&turn) {
                Ok(_) => assert!(fits || version == 1),
                Err(error) => {
                    assert!(!fits && version == 2, "{error}");
                    let error = error.to_string();
                    assert!(
                        error.contains("has 101 characters, and at most 100"),
                        "{error}"
                    );
                }
            }
        }
        let rules = [("N".to_owned(), notation)];
        let started = entry.from_position_with("", perplex_games::rules::flexichess::START, &rules);
        assert_eq!(started.is_ok(), fits);
    }
}
