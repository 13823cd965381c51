//! Records and PGN: a written record reads back, and an error names its place.

use perplex_games::game::AnyGame;
use perplex_games::record::{Record, pgn, read};
use perplex_games::registry;
use rand::RngExt as _;
use rand::seq::IndexedRandom as _;

use crate::{every_variant, seeded};

#[test]
fn random_games_of_every_game_read_back() {
    let mut rng = seeded();
    for (entry, variant) in every_variant() {
        for _ in 0..3 {
            let mut game = entry.setup(variant).unwrap();
            let length = rng.random_range(0..80);
            while game.turns().len() < length {
                let legal = game.legal();
                let Some(turn) = legal.choose(&mut rng) else {
                    break;
                };
                game.play(turn).unwrap();
            }
            let record = Record::new(entry.card.key, variant, &*game)
                .with("Started", "2026-11-21T09:00:00Z")
                .with("Na\nme:", "Ada: the \"first\"\r");
            let replayed = read(&record.to_string()).unwrap();
            assert_eq!(replayed.record, record);
            assert_eq!(replayed.game.position(), game.position());
            let json = read(&record.json()).unwrap();
            assert_eq!(json.record, sorted(&record));
            let again = Record {
                position: Some(game.position()),
                turns: Vec::new(),
                changes: Vec::new(),
                ..record
            };
            assert_eq!(read(&again.to_string()).unwrap().record, again);
        }
    }
}

/// The record with sorted headers, because JSON has no order of headers.
fn sorted(record: &Record) -> Record {
    let mut record = record.clone();
    record.headers.sort();
    record
}

#[test]
fn changed_rules_read_back() {
    let mut game = registry::find("flexichess").unwrap().setup("").unwrap();
    let turns = ["rule N NW \"Knights: 1. also_step ~ .\"", "accept"];
    for turn in turns {
        let _ = game.play(turn);
    }
    assert!(!game.turns().is_empty());
    let record = Record::new("flexichess", "", &*game);
    assert_eq!(read(&record.to_string()).unwrap().record, record);
    assert_eq!(read(&record.json()).unwrap().record, record);
    let told = "# 1. White, turn 1, in force: N N -> NW (the knight moves like a knight -> the knight \
                moves like a knight, or one square straight) \"Knights: 1. also_step ~ .\"";
    assert!(record.to_string().contains(told), "{record}");
    assert!(
        record.json().contains("\"in_force\": true"),
        "{}",
        record.json()
    );
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    for (text, line, column, why) in [
        ("", 1, 1, "begins with"),
        ("1. c1-a1", 1, 4, "begins with"),
        ("1. c1-a1 2. e5-e1", 1, 4, "begins with"),
        ("hello", 1, 1, "begins with"),
        ("Game: chess\n", 1, 7, "there is no game"),
        ("\nGame: quixo\nVariant:  five\n", 3, 11, "no variant"),
        ("Game: quixo\nGame: pylyx\n", 2, 1, "two headers"),
        ("Game: quixo\nPosition: x\n", 2, 11, ""),
        ("Game: quixo\n\n1. c1-a1\n3. e5-e1", 4, 1, "turn 2"),
        ("Game: quixo\n\n1. c1-a1\n2. c3-a3", 4, 4, ""),
        ("Game: quixo\n\n1. c1-a1\n\n  2. c9-a3", 5, 7, ""),
        ("Game: quixo\n\n1.\n", 3, 3, "missing"),
        ("{\"game\": 1}", 1, 10, "not a record"),
        (
            "{\"game\": \"quixo\",\n \"turns\": [\"c1-a1\",\n  \"c3-a3\"]}",
            3,
            3,
            "turn 2",
        ),
    ] {
        let error = read(text).unwrap_err();
        assert_eq!(
            (error.line, error.column),
            (line, column),
            "{text}: {error}"
        );
        assert!(error.why.contains(why), "{text}: {error}");
    }
}

#[test]
fn it_is_read_leniently() {
    let text = "\u{feff}\r\n GAME : Quixo\r\nDate: today\r\n\r\nC1 A1\r\n2.e5e1\r\n";
    let read = read(text).unwrap();
    assert_eq!(read.record.turns, ["c1-a1", "e5-e1"]);
    assert_eq!(
        read.record.headers,
        [("date".to_owned(), "today".to_owned())]
    );
}

fn played(turns: &[&str]) -> Box<dyn AnyGame> {
    let entry = registry::find("flexichess").expect("the game");
    let mut game = entry.setup("").expect("the game");
    for turn in turns {
        game.play(turn).unwrap_or_else(|error| panic!("{error}"));
    }
    game
}

fn round_trip(turns: &[&str]) -> String {
    let game = played(turns);
    let record = Record::new("flexichess", "", &*game);
    let text = pgn::write(&record, &*game).expect("chess");
    let read = read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(read.record.turns, record.turns, "{text}");
    assert_eq!(read.game.position(), game.position());
    assert_eq!(read.record.changes, record.changes);
    text
}

#[test]
fn plain_chess_is_plain_pgn() {
    let text = round_trip(&["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "O-O"]);
    assert!(
        text.ends_with("\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. O-O *\n"),
        "{text}"
    );
    assert!(!text.contains("Rules"), "{text}");
}

#[test]
fn changes_are_turns() {
    let text = round_trip(&[
        "e4",
        "rule N NW \"Knights {also} step, 50%]; yes.\"",
        "rule * written \"Pawns may  pass.\"",
        "reject",
        "rule * written \"A knight may pass.\"",
        "accept",
        "e5",
        "under 2 a2a3",
        "accept",
        "b8c6",
    ]);
    let line = "1. e4 --\n{[%turn rule N NW \"Knights {also%7D step, 50%25%5D; yes.\"]}\n";
    assert!(text.contains(line), "{text}");
    assert!(text.contains("[Rules \"Flexichess\"]"), "{text}");
}

#[test]
fn other_programs_are_read() {
    let text = "[Event \"A \\\"cup\\\"\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 5\"]\n\n\
                5.e4 $1 {good} Kd7 (5... Kf7 6. e5 (6. Kd2)) 6. e5+? ; rest\n 6... Ke6 1/2-1/2\n\n[Event \"2\"]";
    let read = read(text).unwrap();
    assert_eq!(read.record.turns, ["e2e4", "e8d7", "e4e5", "d7e6"]);
    assert_eq!(read.record.headers[0].1, "A \"cup\"");
}

#[test]
fn what_is_wrong_has_its_place() {
    for (text, line, column) in [
        ("[Event \"x\"]\n\n1. e4 e9", 3, 8),
        ("[Event x]\n\n1. e4", 1, 1),
        ("[FEN \"x\"]\n\n1. e4", 1, 1),
        ("[Event \"x\"]\n1. e4\n{[%turn rule N N \"x\"]}", 3, 9),
    ] {
        let error = read(text).unwrap_err();
        assert_eq!((error.line, error.column), (line, column), "{error}");
    }
}

/// Found by `perplex-bench fuzz`: records with these names could not be read again.
#[test]
fn headers_with_strange_names_are_written_so_that_they_are_read_again() {
    let strange = "[Event \"?\"]\n[Game \"quixo\"]\n[ß \"x\"]\n[Resul-4t \"x\"]\n[White \"A\nB\"]\n\n1. e4 *\n";
    let first = read(strange).expect("PGN").record;
    names_are_read_again(&first, &["resul-t", "white"]);
    let strange = "Game: quixo\nResule r\u{b8ba7}ult: *\nß: x\nWhite: A\n\n1. a1-a5\n";
    let first = read(strange).expect("a record").record;
    names_are_read_again(&first, &["resule rult", "white"]);
}

fn names_are_read_again(first: &Record, expected: &[&str]) {
    let names: Vec<&str> = first
        .headers
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, expected);
    let written = first.to_string();
    assert_eq!(read(&written).expect("a record").record, *first);
}
