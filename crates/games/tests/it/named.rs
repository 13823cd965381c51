//! What written rules name although their limits keep it out.

use crate::seeded;
use perplex_games::rules::Side;
use perplex_games::rules::flexichess::{Fixed, Kind, Named};
use rand::RngExt as _;

const WHITE: Side = Side::First;
const BLACK: Side = Side::Second;

#[track_caller]
fn check(kind: Option<Kind>, text: &str, colours: &[Side], fixed: &[Fixed], kinds: &[Kind]) {
    let named = Named {
        colours: colours.to_vec(),
        fixed: fixed.to_vec(),
        kinds: kinds.to_vec(),
    };
    assert_eq!(Named::of(kind, text), named, "{text}");
    let is_empty = colours.is_empty() && fixed.is_empty() && kinds.is_empty();
    assert_eq!(named.is_empty(), is_empty, "{text}");
}

#[test]
fn rules_within_the_limits_name_nothing() {
    let knight = Some(Kind::Knight);
    check(knight, "A knight may pass the turn.", &[], &[], &[]);
    check(None, "KNIGHTS rest after a knight's leap.", &[], &[], &[]);
    check(None, "Anyone may pass.", &[], &[], &[]);
    for text in [
        "",
        "’s ' `´",
        "No blackboard, no whitewash, no kingdom.",
        "Unchecked paperchecks; a teammate, a roommate, a stalemater.",
        "kingside, queenside, knighthood, pawnshop, rookie, archbishop",
        "king_size king1 2queens",
        // Places on the board.
        "On the king’s side, the queen's side, King-side or queen side.",
        "From a white square to black squares, or white-squared ones.",
        // Letters of other languages belong to words.
        "kingé éking königs kingска",
    ] {
        check(knight, text, &[], &[], &[]);
    }
}

#[test]
fn colours_are_named() {
    for text in [
        "White may pass.",
        "white's turn",
        "WHITE’S TURN",
        "The whites rest.",
        "'White'",
        "‘white’",
        "non-white",
        "(White)",
        "White/",
        "White’s squares",
    ] {
        check(None, text, &[WHITE], &[], &[]);
    }
    check(
        None,
        "Black, then White, then Black.",
        &[BLACK, WHITE],
        &[],
        &[],
    );
}

#[test]
fn the_king_is_named_and_how_it_is_caught() {
    for text in [
        "The king rests.",
        "Kings",
        "KING'S",
        "kings’",
        "kingʼs",
        "a king-like step",
    ] {
        check(None, text, &[], &[Fixed::King], &[]);
    }
    for text in ["Check!", "checks", "is checked", "check’s"] {
        check(None, text, &[], &[Fixed::Check], &[]);
    }
    for text in ["mate", "Checkmate", "checkmates", "mated", "was checkmated"] {
        check(None, text, &[], &[Fixed::Checkmate], &[]);
    }
    check(
        None,
        "No stalemate, no check; the king sleeps.",
        &[],
        &[Fixed::Stalemate, Fixed::Check, Fixed::King],
        &[],
    );
}

#[test]
fn one_kind_may_be_named_and_two_are_pointed_out() {
    let (pawn, knight, queen) = (Kind::Pawn, Kind::Knight, Kind::Queen);
    check(None, "Pawns jump over pawns.", &[], &[], &[]);
    check(
        None,
        "Pawns jump over a Queen’s head.",
        &[],
        &[],
        &[pawn, queen],
    );
    // The rule’s own kind counts, even if its text does not name it.
    check(Some(knight), "Pawns may rest.", &[], &[], &[knight, pawn]);
    check(Some(pawn), "Pawns may rest.", &[], &[], &[]);
    // The king is no kind that rules are about: it is named as itself.
    check(Some(pawn), "Pawns and kings", &[], &[Fixed::King], &[]);
    check(
        Some(knight),
        "White’s king, rooks, bishops and Queens",
        &[WHITE],
        &[Fixed::King],
        &[knight, Kind::Rook, Kind::Bishop, queen],
    );
}

/// Words are found wherever they stand, and whatever stands around them.
#[test]
fn words_are_found_in_random_texts() {
    type Add = fn(&mut Named);
    const NOTHING: Add = |_| {};
    let words: [(&str, Add); 12] = [
        ("White", |named| named.colours.push(WHITE)),
        ("bLACK", |named| named.colours.push(BLACK)),
        ("kings", |named| named.fixed.push(Fixed::King)),
        ("check’s", |named| named.fixed.push(Fixed::Check)),
        ("MATE", |named| named.fixed.push(Fixed::Checkmate)),
        ("pawn", |named| named.kinds.push(Kind::Pawn)),
        ("Rook's", |named| named.kinds.push(Kind::Rook)),
        ("queens", |named| named.kinds.push(Kind::Queen)),
        ("blackboard", NOTHING),
        ("kingside", NOTHING),
        ("é", NOTHING),
        ("走", NOTHING),
    ];
    let between = [
        " ",
        ", ",
        "\u{a0}",
        "–",
        "-",
        "/",
        ".\u{2003}",
        "“",
        " 🙂 ",
        "\u{200b}",
    ];
    let mut rng = seeded();
    for _ in 0..20_000 {
        let mut text = String::new();
        let mut said = Named::default();
        for _ in 0..rng.random_range(0..8) {
            let (word, add) = words[rng.random_range(0..words.len())];
            text += word;
            text += between[rng.random_range(0..between.len())];
            add(&mut said);
        }
        let mut expected = Named {
            colours: each_once(said.colours),
            fixed: each_once(said.fixed),
            kinds: each_once(said.kinds),
        };
        if expected.kinds.len() == 1 {
            expected.kinds.clear();
        }
        assert_eq!(Named::of(None, &text), expected, "{text:?}");
    }
    // Any characters are read.
    for _ in 0..20_000 {
        let text: String = (0..rng.random_range(0..12))
            .map(|_| rng.random::<char>())
            .collect();
        let around = format!("{text} king {text}");
        assert!(
            Named::of(None, &around).fixed.contains(&Fixed::King),
            "{around:?}"
        );
    }
}

fn each_once<T: PartialEq>(all: Vec<T>) -> Vec<T> {
    let mut list = Vec::new();
    for one in all {
        if !list.contains(&one) {
            list.push(one);
        }
    }
    list
}
