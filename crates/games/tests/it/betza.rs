//! Movements: read, written, put into words, and edited as people do on a diagram.

use std::collections::BTreeMap;

use perplex_games::rules::betza::{Brush, Mirror, Movement, Mover, Offset, Purpose, Way, ideas};
use perplex_games::rules::flexichess::CARDS;
use rand::RngExt as _;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;

use crate::seeded;

fn movement(text: &str) -> Movement {
    Movement::parse(text, Mover::Pawn).unwrap_or_else(|error| panic!("{error}"))
}

fn reached(text: &str) -> Vec<Offset> {
    let mut all: Vec<Offset> = movement(text).marks().map(|mark| mark.offset).collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[track_caller]
fn same(a: &str, b: &str, expected: bool) {
    assert_eq!(movement(a) == movement(b), expected, "{a} and {b}");
}

#[test]
fn directions() {
    assert_eq!(reached("lfN"), [(-1, 2)]);
    assert_eq!(reached("flN"), [(-2, 1)]);
    assert_eq!(reached("hrN"), [(-2, 1), (-1, -2), (1, 2), (2, -1)]);
    assert_eq!(reached("ffrrN"), [(-1, 2), (1, 2), (2, -1), (2, 1)]);
    assert_eq!(reached("fsN"), [(-2, 1), (2, 1)]);
    assert_eq!(reached("lvC"), [(-1, -3), (-1, 3)]);
    assert_eq!(reached("fhZ").len(), 4);
    assert_eq!(reached("fK"), reached("fWfF"));
    assert_eq!(reached("fbK").len(), 6);
    assert_eq!(reached("vK").len(), 6);
    assert_eq!(reached("flA"), [(-2, 2)]);
    assert_eq!(reached("fsD"), [(-2, 0), (0, 2), (2, 0)]);
}

#[test]
fn the_same_however_spelt() {
    same("WW", "R", true);
    same("R0", "R", true);
    same("R8", "R", true);
    same("FF", "B", true);
    same("RB", "Q", true);
    same("WF", "K", true);
    same("K0", "Q", true);
    same("NN", "N3", true);
    same("NN", "N2", false);
    same("WnD", "R2", true);
    same("WD", "R2", false);
    same("DnD", "D", true);
    same("NnN", "N", true);
    same("nN", "N", false);
    same("cRmR", "R", true);
    same("mcR", "R", true);
    same("RpR", "RpRD", true);
    same("pR", "gR", false);
    same("pRgR", "pR", true);
    same("fmWfceFifmnD", "ifmnDfceFfmW", true);
    same("fmWfcF", "fmWfceF", false);
    same("fmWfmnDifmnD", "fmR2", true);
    same("L", "C", true);
    same("-", "", true);
    same("fmWibmD", "fmW", true);
}

#[test]
fn refused_with_the_column() {
    for (text, column) in [
        ("X", 1),
        ("RR", 2),
        ("NNN", 3),
        ("nN2", 3),
        ("nNN", 3),
        ("NN2", 3),
        ("WW3", 3),
        ("pR3", 3),
        ("pN", 2),
        ("nR", 2),
        ("D2", 2),
        ("flK", 2),
        ("fsF", 2),
        ("lvB", 2),
        ("hW", 1),
        ("hN", 1),
        ("fmfW", 3),
        ("mmW", 2),
        ("N-", 2),
        ("m", 2),
        ("iW", 2),
        ("icmW", 2),
        ("W10", 3),
        ("pgR", 2),
    ] {
        let error = Movement::parse(text, Mover::Pawn).expect_err(text);
        assert_eq!(error.column, column, "{error}");
    }
    for text in ["imW", "ceF"] {
        Movement::parse(text, Mover::Piece).expect_err(text);
    }
}

#[test]
fn canonical_order_and_words() {
    let canon = |text| movement(text).to_string();
    assert_eq!(canon("mfW"), "fmW");
    assert_eq!(canon("ecfFnmfiD"), "fceFifmnD");
    assert_eq!(canon("pcR"), "cpR");
    assert_eq!(canon(""), "-");
    let words = |text| movement(text).words();
    assert_eq!(
        words("fmWfceFifmnD"),
        "moves one square straight forward, or two squares straight forward, if the square between is \
         empty, from the second rank only; captures one square diagonally forward, also en passant"
    );
    assert_eq!(
        words("mR2cN"),
        "moves like a rook, at most two squares; captures like a knight"
    );
    assert_eq!(words("NW"), "moves like a knight, or one square straight");
    assert_eq!(words("-"), "can't move");
}

fn brush(way: Way, purpose: Purpose, mirror: Mirror) -> Brush {
    Brush {
        way,
        purpose,
        mirror,
    }
}

#[track_caller]
fn click(before: &str, offset: Offset, brush: Brush, after: &str) {
    let clicked = movement(before).clicked(offset, brush).expect("put there");
    assert_eq!(clicked.to_string(), after, "{before} {offset:?}");
}

#[test]
fn clicks_put_and_take_away() {
    use Mirror::{All, Alone, Sides};
    use Purpose::{Both, Capture, First, Move, Passing};
    click("-", (1, 2), brush(Way::Leap, Both, All), "N");
    click("N", (0, 1), brush(Way::Leap, Both, All), "WN");
    click("WN", (-1, -2), brush(Way::Leap, Both, All), "W");
    click("N", (1, 2), brush(Way::Leap, Both, Sides), "bhsN");
    click("N", (2, 4), brush(Way::Slide, Both, All), "N2");
    click("-", (0, 3), brush(Way::Slide, Both, All), "R3");
    click("R", (3, 0), brush(Way::Slide, Both, All), "R3");
    click("R3", (0, 3), brush(Way::Ride, Both, Alone), "bsR3fR");
    click("R", (0, 3), brush(Way::Never, Both, All), "R2");
    click("B", (1, 1), brush(Way::Leap, Both, All), "F");
    click("R", (1, 1), brush(Way::Ride, Both, All), "Q");
    click("Q", (0, -2), brush(Way::Never, Both, Alone), "bWfsRB");
    click("mR", (0, 2), brush(Way::Hop, Capture, All), "mRcpR");
    click("-", (2, 2), brush(Way::Behind, Both, All), "gB");
    click("-", (2, 2), brush(Way::Lame, Move, Sides), "fmnA");
    click("N", (2, 1), brush(Way::Leap, Move, All), "mN");
    click(
        "fmWfceF",
        (0, 2),
        brush(Way::Lame, First, Sides),
        "fmWfceFifmnD",
    );
    click(
        "fmWfceFifmnD",
        (0, 2),
        brush(Way::Lame, First, Sides),
        "fmWfceF",
    );
    click("fmW", (1, 1), brush(Way::Leap, Passing, Sides), "fmWfceF");
    click("fmW", (1, 1), brush(Way::Leap, Capture, Alone), "fmWfrcF");
}

#[test]
fn what_no_term_says_is_refused() {
    let put = |offset, way| {
        let brush = brush(way, Purpose::Both, Mirror::All);
        movement("N").clicked(offset, brush)
    };
    assert!(put((0, 4), Way::Leap).is_err());
    assert!(put((1, 3), Way::Slide).is_err());
    assert!(put((1, 4), Way::Ride).is_err());
    assert!(put((0, 1), Way::Lame).is_err());
    assert!(put((1, 2), Way::Hop).is_err());
    assert!(put((2, 1), Way::Behind).is_err());
}

#[test]
fn every_set_of_directions_is_written() {
    let halves = ["lf", "rf", "lb", "rb", "fl", "fr", "bl", "br"];
    let leaps = |letter: &str| halves.map(|half| format!("{half}{letter}")).to_vec();
    let rays = |letter: &str, all: [&str; 4]| all.map(|ray| format!("{ray}{letter}")).to_vec();
    for all in [
        leaps("N"),
        leaps("C"),
        rays("W", ["f", "b", "l", "r"]),
        rays("F", ["fl", "fr", "bl", "br"]),
    ] {
        for mask in 1_u32..1 << all.len() {
            let chosen = (0..).zip(&all).filter(|(at, _)| mask >> at & 1 == 1);
            let before = movement(&chosen.map(|(_, term)| term.as_str()).collect::<String>());
            assert_eq!(before.tidy(), before, "{before} and {}", before.tidy());
        }
    }
}

/// Moves in passing take nothing away from shorter captures on the same line.
#[test]
fn captures_stay_beside_moves_in_passing() {
    let before = movement("vKmeFF");
    let tidy = before.tidy();
    assert_eq!(tidy, before, "{tidy}");
}

#[test]
fn a_tidy_movement_is_the_same() {
    let mut rng = seeded();
    let terms = [
        "W", "F", "D", "N", "A", "H", "C", "Z", "G", "K", "R", "B", "Q", "R3", "B2", "Q4", "NN",
        "N2", "nD", "nA", "nN", "pR", "gQ", "pB", "mcR", "eF", "ceF", "ceB", "meF", "imnD", "imR2",
        "flF", "frbN", "hrN", "fhZ", "vK", "sQ", "fK", "lW", "brB", "cfR",
    ];
    for _ in 0..2000 {
        let text: String = (0..rng.random_range(0..6))
            .map(|_| {
                let term = terms.choose(&mut rng).expect("a term");
                let bare = term.starts_with(|c: char| c.is_uppercase());
                let before = ["", "m", "c", "f", "fc", "lm", "v"]
                    .choose(&mut rng)
                    .expect("a modifier");
                if bare {
                    format!("{before}{term}")
                } else {
                    (*term).to_owned()
                }
            })
            .collect();
        let text = if text.is_empty() { "-" } else { &text };
        // Doubled letters are refused.
        let Ok(before) = Movement::parse(text, Mover::Pawn) else {
            continue;
        };
        let tidy = before.tidy();
        assert_eq!(tidy, before, "{text} and {tidy}");
        assert_eq!(tidy.tidy().to_string(), tidy.to_string());
        // A click that the same click takes back leaves nothing new behind.
        let offset = (rng.random_range(-4..=4), rng.random_range(-4..=4));
        let brush = Brush {
            way: Way::ALL.choose(&mut rng).expect("a way").0,
            purpose: Purpose::ALL.choose(&mut rng).expect("a purpose").0,
            mirror: Mirror::ALL.choose(&mut rng).expect("a mirror").0,
        };
        if offset == (0, 0) {
            continue;
        }
        if let Ok(once) = before.clicked(offset, brush) {
            assert_eq!(
                once.tidy().to_string(),
                once.to_string(),
                "{text} {offset:?} {brush:?}"
            );
            if brush.way == Way::Never {
                assert!(
                    once.marks().all(|mark| mark.offset != offset),
                    "{text} {once}"
                );
            } else {
                let twice = once.clicked(offset, brush).expect("as before");
                assert!(
                    twice
                        .marks()
                        .all(|mark| before.marks().any(|m| m.offset == mark.offset)),
                    "{text} {once} {twice}"
                );
            }
        }
    }
}

#[test]
fn ordinary_movements_are_tidy() {
    for text in [
        "fmWfceFifmnD",
        "N",
        "B",
        "R",
        "Q",
        "K",
        "-",
        "mRcpR",
        "gQ",
        "NN",
    ] {
        assert_eq!(movement(text).tidy().to_string(), text);
    }
}

#[test]
fn ideas_go_on_from_the_present_movement() {
    let ideas = |text, mover| {
        let now = Movement::parse(text, mover).expect("a movement");
        let all = ideas(&now, mover).into_iter();
        all.map(|idea| (idea.name, idea.movement.to_string()))
            .collect::<BTreeMap<_, _>>()
    };
    let knight = ideas("N", Mover::Piece);
    assert_eq!(knight["a king"], "KN");
    assert_eq!(knight["no backward moves"], "fhN");
    assert!(!knight.contains_key("like a knight"));
    assert!(!knight.contains_key("ordinary pawn"));
    let queen = ideas("Q", Mover::Piece);
    assert_eq!(queen["at most three squares"], "Q3");
    assert_eq!(queen["no backward moves"], "fsRfB");
    let pawn = ideas("fmWfceFifmnD", Mover::Pawn);
    assert_eq!(pawn["never captures"], "fmWifmnD");
    assert_eq!(pawn["Berolina pawn"], "fmFfceWifmnA");
}

#[test]
fn the_letter_that_is_wrong_is_named() {
    for (text, column) in [
        ("lhB", 2),
        ("lhQ", 2),
        ("fsB", 2),
        ("flK", 2),
        ("hB", 1),
        ("hW", 1),
        ("ffR", 2),
        ("flfR", 3),
        ("WlhB", 3),
        ("vvB", 2),
        ("flvB", 3),
        ("vlK", 2),
        ("hvN", 2),
        ("hhN", 2),
        ("mlhcB", 3),
    ] {
        let error = Movement::parse(text, Mover::Pawn).expect_err(text);
        assert_eq!(error.column, column, "{text}: {error}");
    }
}

/// A movement of random terms, most of which are right.
fn random_movement(rng: &mut StdRng) -> Option<Movement> {
    let directions = [
        "", "", "", "f", "b", "l", "r", "v", "s", "fl", "br", "ff", "fs", "lv", "fh", "hr", "lf",
        "fb", "ffrr",
    ];
    let mut text = String::new();
    for _ in 0..rng.random_range(1..=3) {
        let pick = |rng: &mut StdRng, all: &[&'static str]| *all.choose(rng).expect("some");
        text += pick(rng, &["", "", "", "", "i"]);
        text += pick(rng, &directions);
        text += pick(rng, &["", "", "m", "c"]);
        text += pick(rng, &["", "", "", "", "e"]);
        text += pick(rng, &["", "", "", "n", "p", "g"]);
        text += pick(
            rng,
            &[
                "W", "F", "D", "N", "A", "H", "C", "L", "Z", "J", "G", "K", "R", "B", "Q",
            ],
        );
        text += pick(rng, &["", "", "", "0", "1", "2", "3", "4", "5", "6", "7"]);
    }
    Movement::parse(&text, Mover::Pawn).ok()
}

/// Each movement is told whole: who hears the same words of two has the same movement.
#[test]
fn the_same_words_are_the_same_movement() {
    let mut rng = seeded();
    let mut told: BTreeMap<String, Movement> = BTreeMap::new();
    let cards = CARDS.iter().filter(|card| !card.rule.starts_with('='));
    let mut all: Vec<Movement> = cards.map(|card| movement(card.rule)).collect();
    while all.len() < 10_000 {
        all.extend(random_movement(&mut rng));
    }
    for movement in all {
        let words = movement.words();
        let known = told
            .entry(words.clone())
            .or_insert_with(|| movement.clone());
        assert_eq!(*known, movement, "{known} and {movement}: {words}");
    }
    assert!(told.len() > 3_000, "{} are told", told.len());
}

#[test]
fn modes_are_told() {
    for (text, words) in [
        ("mQ", "moves without capturing, like a queen"),
        ("Q", "moves like a queen"),
        ("cQ", "captures like a queen"),
        ("mQcN", "moves like a queen; captures like a knight"),
        (
            "mQN",
            "moves like a queen; moves and captures like a knight",
        ),
    ] {
        assert_eq!(movement(text).words(), words, "{text}");
    }
}
