//! The rules of every registered game: the vectors in `tests/rules/*.txt`, and one suite that
//! plays random games of each.
//!
//! `PERPLEX_TURNS=…` is the number of turns played in all.

use std::collections::HashSet;
use std::fs;

use perplex_games::game::AnyGame;
use perplex_games::referee;
use perplex_games::registry::Entry;
use perplex_games::rules::{NotationError, TurnError};
use rand::RngExt as _;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use serde_json::Value;

use crate::{every_variant, seeded};

/// Every vector: a line `> QUESTION` for the referee, then `< ANSWER`, of which each field must be
/// in the referee's answer; `error` needs only be contained in it.
#[test]
fn vectors() {
    let mut cases = 0;
    for file in fs::read_dir("tests/rules").expect("tests/rules") {
        let path = file.expect("entry").path();
        let text = fs::read_to_string(&path).expect("vectors");
        let mut question = None;
        for (number, line) in (1..).zip(text.lines()) {
            let place = format!("{}:{number}", path.display());
            if let Some(asked) = line.strip_prefix("> ") {
                question = Some(asked);
            } else if let Some(expected) = line.strip_prefix("< ") {
                let asked = question.unwrap_or_else(|| panic!("{place}: no question"));
                check(&place, asked, expected);
                cases += 1;
            } else {
                assert!(
                    line.is_empty() || line.starts_with('#'),
                    "{place}: a line starts with `> `, `< ` or `#`"
                );
            }
        }
    }
    assert!(cases > 10, "only {cases} vectors were found");
}

fn check(place: &str, asked: &str, expected: &str) {
    let answer = referee::answer(asked);
    let found: Value = serde_json::from_str(&answer).expect("the referee answers in JSON");
    let expected: Value =
        serde_json::from_str(expected).unwrap_or_else(|error| panic!("{place}: {error}"));
    for (key, value) in expected.as_object().expect("an object") {
        let same = match (key.as_str(), value, &found[key]) {
            ("error", Value::String(part), Value::String(whole)) => whole.contains(part.as_str()),
            (_, value, found) => value == found,
        };
        assert!(same, "{place}: {key} should be {value} in {answer}");
    }
}

/// Random games: they end, and in every position of some of them the texts are sound.
#[test]
fn random_games() {
    let mut rng = seeded();
    let wanted: usize = std::env::var("PERPLEX_TURNS").map_or(100_000, |turns| {
        turns.parse().expect("PERPLEX_TURNS is a number")
    });
    let variants: Vec<_> = every_variant().collect();
    for (entry, variant) in &variants {
        let mut played = 0;
        let mut games = 0;
        while played < wanted / variants.len() {
            // Looking at every text of every position is slow: in one game of ten.
            played += random_game(entry, variant, games % 10 == 0, &mut rng);
            games += 1;
        }
        println!(
            "{} {variant}: {games} games, {played} turns",
            entry.card.key
        );
    }
}

fn random_game(entry: &Entry, variant: &str, thorough: bool, rng: &mut StdRng) -> usize {
    let mut game = entry.setup(variant).expect("a registered variant");
    while game.outcome().is_none() {
        assert!(
            game.turns().len() < 20_000,
            "{} {variant} does not end",
            entry.card.key
        );
        let turns = if thorough {
            examine(entry, variant, game.as_ref(), rng)
        } else {
            game.choices().into_iter().map(|c| c.turn).collect()
        };
        let turn = turns.choose(rng).expect("a game that goes on has a turn");
        game.play(turn)
            .unwrap_or_else(|error| panic!("{:?} then {turn}: {error}", game.turns()));
    }
    assert!(game.legal().is_empty(), "a decided game has no turns");
    assert!(game.to_move().is_none());
    let replay = replay(entry, variant, game.turns());
    assert_eq!(replay.position(), game.position());
    assert_eq!(replay.outcome(), game.outcome());
    assert_eq!(replay.turns(), game.turns());
    game.turns().len()
}

fn replay(entry: &Entry, variant: &str, turns: &[String]) -> Box<dyn AnyGame> {
    let mut game = entry.setup(variant).expect("a registered variant");
    for turn in turns {
        game.play(turn).expect("a played turn");
    }
    game
}

/// Checks the facts that hold in every position; returns the legal turns.
fn examine(entry: &Entry, variant: &str, game: &dyn AnyGame, rng: &mut StdRng) -> Vec<String> {
    let legal = game.legal();
    let place = || format!("{} {variant} after {:?}", entry.card.key, game.turns());
    assert!(!legal.is_empty(), "{}: no turn", place());
    assert!(legal.is_sorted(), "{}: not sorted", place());
    let texts: HashSet<&String> = legal.iter().collect();
    assert_eq!(texts.len(), legal.len(), "{}: a text twice", place());
    assert_eq!(
        game.perft(1),
        legal.len() as u64,
        "{}: perft 1 is the number of turns",
        place()
    );

    let choices = game.choices();
    let steps: HashSet<&Vec<String>> = choices.iter().map(|choice| &choice.steps).collect();
    assert_eq!(choices.len(), legal.len(), "{}: choices", place());
    assert_eq!(steps.len(), legal.len(), "{}: steps twice", place());

    // A position's text reads back to the same position with the same turns.
    let position = game.position();
    let read = entry
        .from_position(variant, &position)
        .unwrap_or_else(|error| panic!("{}: {error}", place()));
    assert_eq!(read.position(), position);
    assert_eq!(
        read.legal(),
        legal,
        "{}: {position} reads otherwise",
        place()
    );

    // Each text means its turn, however it is spaced or capitalised.
    for turn in legal.choose_multiple_for_test(rng) {
        let mut next = game.boxed();
        assert_eq!(next.play(turn).as_ref(), Ok(turn), "{}", place());
        assert_eq!(next.turns().last(), Some(turn));
        let mut spaced = game.boxed();
        assert_eq!(
            spaced.play(&format!("  {turn} ")).as_ref(),
            Ok(turn),
            "{}",
            place()
        );
        assert_eq!(spaced.position(), next.position());
        let undone = next.at(game.turns().len());
        assert_eq!(undone.position(), position, "{}: stepping back", place());
    }

    // Text that is no turn is an error that changes nothing, and never a panic.
    for text in nonsense(&legal, rng) {
        let mut next = game.boxed();
        match next.play(&text) {
            Ok(turn) => assert!(legal.contains(&turn), "{}: {text} is taken", place()),
            Err(error) => {
                assert!(!error.to_string().is_empty());
                assert_eq!(next.position(), position, "{}: {text}", place());
                if let TurnError::Notation(NotationError { column, .. }) = error {
                    assert!(column >= 1);
                }
            }
        }
    }

    // Every step is a place on the board, or a button has a text for it.
    let diagram = game.diagram();
    let names: HashSet<&str> = diagram.cells.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names.len(), diagram.cells.len(), "{}: cells", place());
    for step in choices.iter().flat_map(|choice| &choice.steps) {
        assert!(
            names.contains(step.as_str()) || game.step_label(step) != *step,
            "{}: the step {step} is no cell and has no label",
            place()
        );
    }
    // The name of a turn means that turn.
    for turn in legal.iter().take(2).chain(legal.last()) {
        let mut next = game.boxed();
        let name = game.turn_label(turn);
        assert_eq!(next.play(&name).as_ref(), Ok(turn), "{}: {name}", place());
    }
    for turned in 0..4 {
        let text = game.text(turned);
        assert!(text.lines().all(|line| line.chars().count() <= 72));
    }
    legal
}

trait ChooseSome {
    fn choose_multiple_for_test(&self, rng: &mut StdRng) -> Vec<&String>;
}

impl ChooseSome for Vec<String> {
    fn choose_multiple_for_test(&self, rng: &mut StdRng) -> Vec<&String> {
        self.sample(rng, 5).collect()
    }
}

/// Texts that are nearly turns, and texts that are nothing of the kind.
fn nonsense(legal: &[String], rng: &mut StdRng) -> Vec<String> {
    const ALPHABET: &[char] = &[
        'a',
        'b',
        'e',
        'h',
        'k',
        'n',
        'x',
        'E',
        'R',
        '0',
        '1',
        '2',
        '5',
        '9',
        '-',
        '=',
        '!',
        '>',
        '<',
        '.',
        ':',
        ' ',
        '"',
        '\u{e4}',
        '\u{1f600}',
        '\0',
    ];
    let mut texts = vec![String::new(), "pass".to_owned(), "\u{301}".to_owned()];
    for _ in 0..8 {
        let mut chars: Vec<char> = legal.choose(rng).expect("a turn").chars().collect();
        for _ in 0..rng.random_range(1..4) {
            let at = rng.random_range(0..=chars.len());
            let c = *ALPHABET.choose(rng).expect("a character");
            if rng.random() && at < chars.len() {
                chars[at] = c;
            } else {
                chars.insert(at, c);
            }
        }
        texts.push(chars.into_iter().collect());
    }
    texts
}

/// Position texts that are damaged are refused or read, but never panic.
#[test]
fn damaged_positions() {
    let mut rng = seeded();
    for (entry, variant) in every_variant() {
        for _ in 0..200 {
            let mut game = entry.setup(variant).expect("a registered variant");
            for _ in 0..rng.random_range(0..30) {
                let legal = game.legal();
                let Some(turn) = legal.choose(&mut rng) else {
                    break;
                };
                game.play(turn).expect("a legal turn");
            }
            for text in nonsense(&[game.position()], &mut rng) {
                if let Ok(read) = entry.from_position(variant, &text) {
                    let again = entry.from_position(variant, &read.position());
                    assert_eq!(again.expect("its own text").position(), read.position());
                    let _ = (read.legal(), read.diagram(), read.text(0));
                }
            }
        }
    }
}
