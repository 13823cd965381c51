//! Perplexus and Pylyx more closely: fast counting against plain generating, the generator against
//! the reasons for refusing, lines against a search square by square, and positions that games
//! hardly reach.

use std::collections::HashSet;

use perplex_games::game::Game;
use perplex_games::rules::perplexus::{self, Perplexus, Way};
use perplex_games::rules::pylyx::{self, Pylyx};
use perplex_games::rules::{Outcome, Reason, Rules, Side};
use rand::RngExt as _;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom as _, SliceRandom as _};

use crate::seeded;

/// A position of a random game of `variant` after at most `most` turns.
fn random_position<R: Rules>(variant: &str, most: usize, rng: &mut StdRng) -> R {
    let mut game = Game::new(R::setup(variant).expect("a variant"));
    for _ in 0..rng.random_range(0..most) {
        let Some(turn) = game.legal().choose(rng).cloned() else {
            break;
        };
        game.push(turn);
    }
    game.position().clone()
}

/// Counts the sequences of turns by making each turn.
pub fn plain<R: Rules>(position: &R, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let count = |turn: &R::Turn| {
        let mut next = position.clone();
        next.play_unchecked(turn);
        plain(&next, depth - 1)
    };
    position.legal().iter().map(count).sum()
}

fn counts_agree<R: Rules>(variant: &str, most: usize, rng: &mut StdRng) {
    for _ in 0..60 {
        let position: R = random_position(variant, most, rng);
        for depth in 0..=2 {
            let (fast, plain) = (position.perft(depth), plain(&position, depth));
            assert_eq!(fast, plain, "perft {depth} of {}", position.position());
        }
    }
}

#[test]
fn fast_counts_are_right() {
    let mut rng = seeded();
    counts_agree::<Perplexus>("", 80, &mut rng);
    counts_agree::<Pylyx>("", 100, &mut rng);
    counts_agree::<Pylyx>("small", 100, &mut rng);
}

/// Checks that the turns without a refusal are the legal ones, among `all` that can be written.
fn refusals_agree<R: Rules<Turn: Eq + std::hash::Hash>>(position: &R, all: &[R::Turn]) {
    let legal: HashSet<R::Turn> = position.legal().into_iter().collect();
    for turn in all {
        assert_eq!(
            position.why_illegal(turn),
            (!legal.contains(turn)).then(|| position.why_illegal(turn).unwrap_or_default()),
            "{turn} in {}",
            position.position()
        );
        assert_eq!(turn.to_string().parse().as_ref(), Ok(turn));
    }
    assert!(legal.iter().all(|turn| all.contains(turn)));
}

#[test]
fn perplexus_refuses_what_it_does_not_generate() {
    let mut rng = seeded();
    let mut all: Vec<_> = perplexus::Square::all()
        .map(perplexus::Turn::Piece)
        .collect();
    all.extend(
        perplexus::Square::all()
            .filter(|square| square.col() < 8)
            .map(perplexus::Turn::Shuttle),
    );
    for row in 0..6 {
        all.extend(Way::ALL.map(|way| perplexus::Turn::Shift { row, way }));
    }
    for _ in 0..300 {
        refusals_agree(&random_position::<Perplexus>("", 80, &mut rng), &all);
    }
}

#[test]
fn pylyx_refuses_what_it_does_not_generate() {
    let mut rng = seeded();
    for variant in ["", "small"] {
        let board = Pylyx::setup("").expect("the game");
        let mut all: Vec<_> = board.squares().map(pylyx::Turn::Place).collect();
        all.push(pylyx::Turn::Pass);
        for from in board.squares() {
            for to in board.squares() {
                let tops = [None, Some(1), Some(2), Some(3), Some(4)];
                all.extend(tops.map(|top| pylyx::Turn::Move { top, from, to }));
            }
        }
        for _ in 0..10 {
            let position = random_position::<Pylyx>(variant, 150, &mut rng);
            let all: Vec<_> = all.sample(&mut rng, 20_000).copied().collect();
            let all = [all, position.legal()].concat();
            refusals_agree(&position, &all);
        }
    }
}

/// True if `side` has five in a line, looked for from every square.
fn has_line(position: &Perplexus, side: Side) -> bool {
    perplexus::Square::all().any(|square| {
        [(1, 0), (0, 1), (1, 1), (1, -1)].into_iter().any(|(x, y)| {
            (0..5).all(|i| {
                let col = square.col().checked_add_signed(x * i).filter(|&c| c < 14);
                let row = square.row().checked_add_signed(y * i).filter(|&r| r < 6);
                let (Some(col), Some(row)) = (col, row) else {
                    return false;
                };
                position.piece(perplexus::Square::new(col, row)) == Some(side)
            })
        })
    })
}

#[test]
fn perplexus_lines() {
    let mut rng = seeded();
    let mut lines = 0;
    for _ in 0..2000 {
        let position: Perplexus = random_position("", 80, &mut rng);
        let mover = position.side_to_move().other();
        let winner = [mover, mover.other()]
            .into_iter()
            .find(|&side| has_line(&position, side));
        lines += u32::from(winner.is_some());
        let outcome = winner.map(|side| Outcome::win(side, Reason::Line));
        assert_eq!(position.outcome(), outcome, "{}", position.position());
    }
    println!("{lines} lines");
}

/// Checks a part of the error about a position text.
#[track_caller]
fn complains<R: Rules>(variant: &str, text: &str, part: &str) {
    let error = R::from_position(variant, text).expect_err("a damaged position");
    assert!(error.to_string().contains(part), "{text}: {error}");
}

fn texts<R: Rules>(position: &R) -> Vec<String> {
    position.legal().iter().map(ToString::to_string).collect()
}

#[test]
fn perplexus_with_an_empty_hand() {
    let mut rng = seeded();
    let mut men: Vec<char> = "w".repeat(18).chars().collect();
    men.extend("b".repeat(18).chars().chain("1".repeat(6).chars()));
    let position = loop {
        men.shuffle(&mut rng);
        // `111` is written 3.
        let row = |men: &[char]| {
            let row = String::from_iter(men);
            (2..7).rev().fold(row, |row, run| {
                row.replace(&"1".repeat(run), &run.to_string())
            })
        };
        let rows: Vec<String> = men.chunks(7).map(row).collect();
        let starts = [1, 2, 0, 2, 5, 4];
        let rows: Vec<String> = (0..6)
            .map(|row| format!("{}[{}]{}", starts[row], rows[row], 7 - starts[row]))
            .map(|row| row.replace("0[", "["))
            .collect();
        let text = format!("{} w 7", rows.join("/"));
        let position = Perplexus::from_position("", &text).expect("a position");
        if position.outcome().is_none() {
            break position;
        }
    };
    assert_eq!(position.hand(Side::First), 0);
    assert_eq!(position.hand(Side::Second), 0);
    let turns = texts(&position);
    assert!(!turns.is_empty());
    assert!(turns.iter().all(|turn| turn.ends_with(['<', '>'])));
    let free = perplexus::Square::all()
        .find(|&square| position.is_covered(square) && position.piece(square).is_none())
        .expect("six squares are free");
    let error = position.read(&free.to_string()).expect_err("no piece");
    let error = error.to_string();
    assert!(error.contains("White has no piece left to put"), "{error}");
}

#[test]
fn perplexus_always_has_a_turn() {
    // All places of shuttles in touch: some shuttle can move, whatever the hands.
    for places in 0..8_u32.pow(6) {
        let place = |row: u32| places / 8_u32.pow(row) % 8;
        if (0..5).any(|row| place(row).abs_diff(place(row + 1)) > 6) {
            continue;
        }
        let free = |row: u32, to: u32| {
            [row.wrapping_sub(1), row + 1]
                .into_iter()
                .filter(|&other| other < 6)
                .all(|other| place(other).abs_diff(to) <= 6)
        };
        let moves = (0..6).any(|row| {
            let at = place(row);
            (at > 0 && free(row, at - 1)) || (at < 7 && free(row, at + 1))
        });
        assert!(moves, "{places:o}");
    }
}

#[test]
fn perplexus_position_texts() {
    let cases = [
        ("", "`14` for a row without a shuttle"),
        ("15/14", "`14` for a row without a shuttle"),
        (
            "1[7]7/14/14/14/14/14 b 0",
            "the bare squares of the row, 6 to 6",
        ),
        (
            "1[8]6/14/14/14/14/14 b 0",
            "a number of free squares, 1 to 7",
        ),
        (
            "1[6]6/14/14/14/14/14 b 0",
            "a number of free squares, 1 to 1",
        ),
        (
            "1[7]6/14/14/14/14/14 w 0",
            "with 1 shuttles of White and 0 of Black",
        ),
        ("1[w6]6/14/14/14/14/14 b 0", "a field without pieces"),
        (
            "[7]7/7[7]/14/14/14/14 w 0",
            "a shuttle that touches the one in row 6",
        ),
        (
            "1[7]6/14/14/14/14/14 b 1",
            "the number of shuttle moves in a row, 0 to 0",
        ),
        ("1[7]6/14/14/14/14/14 b 0 ", "the end of the position"),
        ("1[7]6/14/14/14/14/14 x 0", "the side to move"),
        (
            "[wwwwwww]7/[wwwwwww]7/[wwwwwww]7/[7]7/[7]7/[7]7 w 0",
            "no more than 18 pieces of White",
        ),
    ];
    for (text, part) in cases {
        complains::<Perplexus>("", text, part);
    }
    complains::<Perplexus>("four", "", "no variant");
}

/// A board of ten rows, empty except those given from the bottom.
fn small_board(rows: &[&str]) -> String {
    let mut all = vec!["10"; 10 - rows.len()];
    all.extend(rows.iter().rev());
    all.join("/")
}

#[test]
fn pylyx_passes() {
    // White's single checker on a2 is shut in by b1 and b3, and its stack of seven on j2 by all
    // five squares around it.
    let board = small_board(&["1b6b1", "w7bw(7)", "1b6bb"]);
    let text = format!("{board} w 7,2 3 0");
    let position = Pylyx::from_position("small", &text).expect("a position");
    assert_eq!(position.position(), text);
    assert_eq!(texts(&position), ["pass"]);
    assert_eq!(position.perft(1), 1);
    let mut next = position.clone();
    next.play_unchecked(&pylyx::Turn::Pass);
    assert!(
        next.position().ends_with(" b 7,2 4 1"),
        "{}",
        next.position()
    );
    assert_eq!(next.outcome(), None);
    assert!(next.legal().len() > 1);
    assert!(next.read("pass").is_err());

    // The other side has passed before: two passes in a row.
    let text = format!("{board} w 7,2 3 1");
    let mut position = Pylyx::from_position("small", &text).expect("a position");
    position.play_unchecked(&pylyx::Turn::Pass);
    assert_eq!(position.outcome(), Some(Outcome::draw(Reason::Passes)));
    assert!(position.legal().is_empty());
    assert_eq!(position.perft(3), 0);

    // A placed checker starts both counts again, and they are no part of the key.
    let text = format!("{board} b 7,2 3 1");
    let mut moved = Pylyx::from_position("small", &text).expect("a position");
    let turn = moved.legal()[0];
    moved.play_unchecked(&turn);
    assert!(moved.position().ends_with(" 0 0"), "{}", moved.position());
    let other = Pylyx::from_position("small", &format!("{board} b 7,3 50 0")).expect("a position");
    let text = Pylyx::from_position("small", &text).expect("a position");
    assert_eq!(text.key(), other.key());
}

#[test]
fn pylyx_progress_is_a_taller_stack_than_ever() {
    let board = small_board(&["10", "1w(2)w7", "2w6b"]);
    for (tallest, quiet) in [(2, 0), (3, 10)] {
        let text = format!("{board} w {tallest},1 9 0");
        let mut position = Pylyx::from_position("small", &text).expect("a position");
        let turn = "b2-c2".parse().expect("a turn");
        position.play_unchecked(&turn);
        let fields = format!(" b 3,1 {quiet} 0");
        assert!(
            position.position().ends_with(&fields),
            "{}",
            position.position()
        );
    }
}

#[test]
fn pylyx_position_texts() {
    let cases = [
        ("", "a number of empty squares, 1 to 10"),
        ("11/10", "a number of empty squares, 1 to 10"),
        ("w9/", "`w` at column 1 should be a number of empty squares"),
        ("1w(9)8/", "the height of a stack, 1 to 8"),
        ("1w(8)w7/", "no more than 8 checkers of White"),
        ("1w(8w7/", "`)` after the height of a stack"),
        ("1w(2)7", "a number of empty squares, 1 to 1"),
        (
            "1w(2)8/10/10/10/10/10/10/10/10/10 w 1,0 0 0",
            "White's tallest stack so far, 2 to 7",
        ),
        (
            "1w(2)8/10/10/10/10/10/10/10/10/10 w 8,0 0 0",
            "White's tallest stack so far, 2 to 7",
        ),
        (
            "10/10/10/10/10/10/10/10/10/10 w 0,0 101 0",
            "without progress, 0 to 100",
        ),
        (
            "10/10/10/10/10/10/10/10/10/10 w 0,0 0 3",
            "the passes in a row, 0 to 2",
        ),
        (
            "10/10/10/10/10/10/10/10/10/10 w 0,0 0 0 0",
            "the end of the position",
        ),
    ];
    for (text, part) in cases {
        complains::<Pylyx>("small", text, part);
    }
    complains::<Pylyx>("tiny", "", "no variant, or `small`");
    let won = "1w(8)8/10/10/10/10/10/10/10/10/10 b 8,0 0 0";
    let won = Pylyx::from_position("small", won).expect("a position");
    assert_eq!(
        won.outcome(),
        Some(Outcome::win(Side::First, Reason::Stack))
    );
}
