//! Flexichess beyond the vectors: other notations, transfers, changes and their preview.

use std::sync::Arc;

use perplex_games::registry::find;
use perplex_games::rules::flexichess::{
    Change, Effect, Flexichess, Kind, Piece, Reach, Ruleset, START, Square, Turn, Under,
};
use perplex_games::rules::{
    ChangingRules, OtherNotation, Outcome, Reason, RuleChange, Rules, Side, TurnError,
};

fn game(fen: &str, turns: &[&str]) -> Flexichess {
    let start = Flexichess::from_fen(fen, Ruleset::ordinary()).expect("a position");
    turns.iter().fold(start, |position, text| {
        let turn = position.read(text).unwrap_or_else(|e| panic!("{e}"));
        position.play(&turn).expect("legal")
    })
}

fn piece(side: Side, kind: Kind) -> Piece {
    Piece { side, kind }
}

#[track_caller]
fn square(name: &str) -> Square {
    let mut chars = name.chars();
    let (file, rank) = (chars.next().expect("file"), chars.next().expect("rank"));
    Square::read(file, rank).expect("a square")
}

#[test]
#[ignore = "slow without optimisation"]
fn perft_6() {
    assert_eq!(game(START, &[]).perft(6), 119_060_324);
}

#[test]
fn other_notations() {
    let san = |fen: &str, turns: &[&str], text: &str| {
        let position = game(fen, turns);
        let turn = position.read(text).expect("legal");
        position.also(&turn)
    };
    assert_eq!(san(START, &[], "e2e4"), ["e4", "53-37"]);
    let start = find("flexichess").expect("a game").setup("");
    assert_eq!(start.expect("a start").turn_label("e2e4"), "e4");
    assert_eq!(san(START, &["e4", "d5"], "e4d5"), ["exd5", "37-28"]);
    assert_eq!(san(START, &["f3", "e5", "g4"], "d8h4"), ["Qh4#", "4-40"]);
    let fen = "r3k2r/P6P/8/3N4/8/N7/8/R3K2R w KQkq - 0 1";
    assert_eq!(san(fen, &[], "e1c1"), ["O-O-O", "61-59"]);
    assert_eq!(san(fen, &[], "h1h5"), ["Rh5", "64-32"]);
    let fen = "4k3/2P5/8/8/8/8/8/R3K2R w KQ - 0 1";
    assert_eq!(san(fen, &[], "c7c8r"), ["c8=R+", "11-3=R"]);
    assert_eq!(san(fen, &["Rh2", "Ke7"], "a1a2")[0], "Raa2");
    let fen = "4k3/8/8/R7/8/8/8/R3K3 w Q - 0 1";
    assert_eq!(san(fen, &[], "a5a3")[0], "R5a3");
    let fen = "k7/8/8/8/N3N3/8/8/N3K3 w - - 0 1";
    assert_eq!(san(fen, &[], "a4c3")[0], "Nac3");
    let wide = ["rule P K \"x\"", "Kd8"];
    let fen = "4k3/8/8/8/8/2P1P3/8/4K3 w - - 0 1";
    assert_eq!(san(fen, &wide, "c3d4")[0], "cd4");
}

/// Every SAN that is written reads back as its move.
#[test]
fn written_san_reads_back() {
    let rules = [("P", "K"), ("N", "NQ2"), ("B", "Q"), ("R", "RpB")];
    let rules = Arc::new(Ruleset::from_differences(rules).expect("rules"));
    for fen in [
        "r1b1k2r/pp1b1ppp/2n2n2/3B4/2P5/2N1PN2/PP3PPP/R1B1K2R w KQkq - 0 1",
        "4k3/1P3P1P/2B1B1B1/8/2B1B1B1/8/2N1N1N1/4K3 w - - 0 1",
    ] {
        for rules in [Ruleset::ordinary(), rules.clone()] {
            let Ok(position) = Flexichess::from_fen(fen, rules) else {
                continue;
            };
            for movement in position.moves() {
                let turn = Turn::Move(movement);
                for text in position.also(&turn) {
                    assert_eq!(position.read(&text), Ok(turn.clone()), "{text}");
                }
            }
        }
    }
}

#[test]
fn any_piece_says_where_it_could_go() {
    let reach = |turns: &[&str], from: &str| -> Vec<String> {
        let squares = game(START, turns).reach(square(from));
        squares.iter().map(Square::to_string).collect()
    };
    for turns in [&[][..], &["e4"]] {
        assert_eq!(reach(turns, "b8"), ["a6", "c6"], "whosever turn it is");
    }
    assert_eq!(reach(&[], "e8"), [""; 0]);
    assert_eq!(reach(&[], "e4"), [""; 0], "an empty square");
    assert_eq!(reach(&["e4", "d5"], "e4"), ["d5", "e5"]);
}

#[test]
fn transfers() {
    let board = game("4k3/8/8/8/4r3/8/4N3/4K2R w K - 7 9", &[]);
    // White may uncover White's king on White's turn, but Black may not attack it on Black's.
    let (open, knight) = board
        .take_off(Side::First, square("e2"))
        .expect("uncovered");
    assert!(open.is_check());
    assert_eq!(open.position(), "4k3/8/8/8/4r3/8/8/4K2R w K - 0 9");
    // The same board, but repetition counts anew.
    let back = open.put_on(knight, square("e2")).expect("back");
    assert_ne!(back.key(), board.key());
    let black = game("4k3/8/8/8/4r3/8/4N3/4K2R b - - 7 9", &[]);
    let why = black.take_off(Side::First, square("e2")).expect_err("open");
    assert!(why.contains("White's king"), "{why}");
    let rook = piece(Side::Second, Kind::Rook);
    black
        .put_on(rook, square("a1"))
        .expect_err("attacks on Black's turn");
    board
        .put_on(rook, square("a1"))
        .expect("gives check on White's turn");
    for (side, name) in [
        (Side::First, "e1"),
        (Side::First, "e4"),
        (Side::First, "a8"),
    ] {
        board.take_off(side, square(name)).expect_err(name);
    }
    board.put_on(knight, square("h1")).expect_err("not empty");
    // A rook that comes back cannot castle.
    let (without, rook) = board.take_off(Side::First, square("h1")).expect("a rook");
    let returned = without.put_on(rook, square("h1")).expect("back");
    assert_eq!(returned.position(), "4k3/8/8/8/4r3/8/4N3/4K2R w - - 0 9");
    assert_eq!(
        (returned.count(Side::First), returned.count(Side::Second)),
        (3, 2)
    );
}

#[test]
fn a_transfer_ends_the_capture_in_passing_that_it_touches() {
    let board = game("4k3/8/8/8/3p4/8/4P2N/4K3 w - - 0 1", &["e4"]);
    let knight = piece(Side::First, Kind::Knight);
    let fen = |board: Flexichess| board.position();
    assert!(fen(board.put_on(knight, square("a1")).expect("far away")).contains(" e3 "));
    assert!(fen(board.put_on(knight, square("e3")).expect("passed over")).contains(" - "));
    let (gone, pawn) = board.take_off(Side::First, square("e4")).expect("the pawn");
    assert!(fen(gone.put_on(pawn, square("e4")).expect("back")).contains(" - "));
}

#[test]
fn transfers_are_sound_under_either_answer() {
    let waits = |turn: &str| {
        let rule = ["rule * written \"x\"", "accept", "Kd8", turn];
        game("4k3/8/8/8/8/8/4N3/4K3 w - - 0 1", &rule)
    };
    let rook = piece(Side::Second, Kind::Rook);
    // It is White's turn if the turn is rejected, Black's if it is accepted.
    let pending = waits("under 1 e2c3");
    let why = pending
        .put_on(rook, square("e8"))
        .expect_err("White's king is open after it");
    assert!(why.contains("accepted"), "{why}");
    pending
        .take_off(Side::First, square("e2"))
        .expect_err("the knight has to move");
    pending
        .put_on(rook, square("c3"))
        .expect_err("c3 has to be empty");
    pending.put_on(rook, square("a8")).expect("harmless");
    let rook = piece(Side::First, Kind::Rook);
    pending
        .put_on(rook, square("a8"))
        .expect_err("attacks on White's turn");
}

/// A turn under a written rule is put together deed by deed: its king may be open in between, and not at its end.
#[test]
fn a_turn_under_a_written_rule_is_drafted() {
    let board = game(
        "3rk3/8/8/8/8/8/3N4/3K4 w - - 0 1",
        &["rule * written \"x\"", "accept", "Ke7"],
    );
    let under = |text: &str| Under::read(text).expect(text);
    let open = under("under 1 d2f3");
    let draft = board.draft(&open).expect("a draft");
    assert_eq!(draft.piece(square("f3")), board.piece(square("d2")));
    assert_eq!(draft.side(), board.side());
    board
        .clone()
        .play(&Turn::Under(open))
        .expect_err("the king is open");
    let closed = under("under 1 d2f3 xd8");
    board.draft(&closed).expect("a draft");
    board.clone().play(&Turn::Under(closed)).expect("a turn");
    board
        .draft(&under("under 1 d1e1"))
        .expect_err("kings stay where they are");
}

#[test]
fn an_ended_board_keeps_its_pieces() {
    let mut board = game("4k3/8/8/8/3p4/8/4P3/R3K3 w Q - 3 9", &["e4"]);
    board.end();
    assert_eq!(board.position(), "8/8/8/8/3pP3/8/8/R7 b - - 0 9");
    assert!(board.legal().is_empty() && board.outcome().is_none());
    assert_eq!(board.perft(2), 0);
    let (board, pawn) = board
        .take_off(Side::First, square("e4"))
        .expect("still there");
    let board = board
        .put_on(pawn, square("h7"))
        .expect("no kings, no check");
    assert_eq!(board.count(Side::First), 2);
}

#[test]
fn changes_are_recorded() {
    let board = game(
        START,
        &[
            "rule N NW \"one\"",
            "rule * written \"two\"",
            "accept",
            "rule P =N \"three\"",
            "rule N NF \"four\"",
        ],
    );
    let list: Vec<(u32, Option<String>, bool)> = board
        .changes()
        .iter()
        .map(|change| {
            let before = change.before.as_ref().map(Effect::notation);
            (change.number, before, change.replaced)
        })
        .collect();
    assert_eq!(
        list,
        [
            (1, Some("N".to_owned()), true),
            (2, None, false),
            (3, Some("=QRBN".to_owned()), false),
            (4, Some("NW".to_owned()), false)
        ]
    );
    assert_eq!(board.changes()[3].turn, 2);
}

#[test]
fn a_change_is_previewed() {
    let effect = |text: &str| {
        let turn = format!("rule {text} \"x\"");
        Change::read(&turn).expect("a change").effect
    };
    let start = game(START, &[]);
    let shown = start.preview(&effect("N NW"));
    assert_eq!(shown.refused, None);
    assert_eq!(shown.moves, [[Some(20), Some(20)], [Some(20), Some(20)]]);
    assert_eq!(
        shown.after.position(),
        game(START, &["rule N NW \"x\""]).position()
    );
    // A knight on c3 that turns camel too reaches more, and both sides see it.
    let open = game(START, &["Nc3", "a6"]);
    let shown = open.preview(&effect("N NC"));
    assert_eq!(shown.moves, [[Some(22), Some(27)], [Some(19), Some(23)]]);
    assert_eq!(shown.reach[0].now.len(), 7);
    assert!(shown.reach[0].after.contains(&square("b6")));
    assert!(shown.reach[1].after.contains(&square("f5")));
    assert!(shown.checkers.is_empty());
    // On d5 it mates by the change alone.
    let near = game(START, &["Nc3", "a6", "Nd5", "b6"]);
    let shown = near.preview(&effect("N NC"));
    assert_eq!(shown.checkers, [square("d5")]);
    assert_eq!(
        shown.outcome,
        Some(Outcome::win(Side::First, Reason::Checkmate))
    );
    assert_eq!(shown.moves[0][1], None);
    assert_eq!(shown.moves[1][1], Some(0));
    // A change that opens the king of the side that makes it is refused, and names the piece that
    // attacks it.
    let shown = start.preview(&effect("P pR"));
    assert!(
        shown
            .refused
            .is_some_and(|why| why.contains("your king on e1"))
    );
    assert_eq!(shown.checkers, [square("e7")]);
    assert_eq!(shown.outcome, None);
    assert!(start.preview(&effect("N N")).refused.is_some());
    let promotions = start.preview(&effect("P =NB"));
    assert_eq!(
        (promotions.refused, &promotions.reach[0]),
        (None, &Reach::default())
    );
    let written = start.preview(&effect("* written"));
    assert_eq!(written.refused, None);
    assert_eq!(written.after, start);
    // Nothing changes while a proposal waits.
    let waits = game(START, &["rule * written \"x\""]);
    assert!(waits.preview(&effect("N NW")).refused.is_some());
}

#[test]
fn changes_are_told() {
    let turns = [
        "rule N NW \"One.\"",
        "rule * written \"Two.\"",
        "accept",
        "rule N N \"Three.\"",
        "rule P =NB \"Four.\"",
    ];
    let told = ChangingRules::changes(&game(START, &turns));
    let told: Vec<_> = told
        .iter()
        .map(|change| {
            let RuleChange {
                number,
                turn,
                before,
                after,
                text,
                replaced,
                ..
            } = change;
            (
                *number,
                *turn,
                before.as_str(),
                after.as_str(),
                text.as_str(),
                *replaced,
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (1, 1, "N", "NW", "One.", true),
            (2, 1, "", "written", "Two.", false),
            (3, 2, "NW", "N", "Three.", false),
            (4, 2, "=QRBN", "=NB", "Four.", false),
        ]
    );
}

/// A refused move says the true reason and names moves nearby, however it is written.
#[test]
fn a_refused_move_says_the_true_reason() {
    let pinned = "4r1k1/8/8/8/8/2N5/4N3/4K3 w - - 0 1";
    let two = "rule P =NB \"Pawns become knights and bishops.\"";
    let promotes = "4k3/7P/8/8/8/8/8/4K3 w - - 0 1";
    let checked = "4k3/8/8/8/7b/8/8/4K1N1 w - - 0 1";
    let queen = "4k3/8/8/8/8/8/6p1/3QK1Q1 w - - 0 1";
    let pinned_pawn = "4r1k1/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
    let pinned_by_rank = "6k1/8/8/r2pP2K/8/8/8/8 w - d6 0 1";
    let passing_in_check = "6k1/8/8/3pP3/8/8/4r3/4K3 w - d6 0 1";
    for (fen, turns, san, coordinates, why) in [
        (
            pinned,
            &[][..],
            "Nd4",
            "e2d4",
            "it would leave your king in check",
        ),
        (
            pinned,
            &[],
            "N2d4",
            "e2d4",
            "it would leave your king in check",
        ),
        (
            promotes,
            &[two, "Ke7"],
            "h8=Q",
            "h7h8q",
            "pawns do not promote to queens",
        ),
        (
            promotes,
            &[],
            "h8=K",
            "h7h8k",
            "pawns do not promote to kings",
        ),
        (promotes, &[], "h8", "h7h8", "promote"),
        (
            checked,
            &[],
            "Nf3",
            "g1f3",
            "the king would still be in check",
        ),
        (queen, &[], "Qxg2=Q", "g1g2q", "only pawns promote"),
        (
            pinned_pawn,
            &[],
            "exd6",
            "e5d6",
            "it would leave your king in check",
        ),
        (
            pinned_by_rank,
            &[],
            "exd6",
            "e5d6",
            "it would leave your king in check",
        ),
        (
            passing_in_check,
            &[],
            "exd6",
            "29-20",
            "the king would still be in check",
        ),
        (START, &[], "O-O", "e1g1", "castling needs empty squares"),
        (
            START,
            &["rule * written \"x\""],
            "e5",
            "e7e5",
            "Black first answers `rule * written \"x\"`",
        ),
        (START, &[], "Ke2", "e1e2", "one of your pieces is on e2"),
        (START, &[], "Ke3", "e1e3", "the king on e1 cannot go to e3"),
        (
            START,
            &[],
            "e4=Q",
            "e2e4q",
            "a pawn promotes on its last rank only",
        ),
    ] {
        let position = game(fen, turns);
        let told = |text: &str| match position.read(text) {
            Err(TurnError::Illegal(illegal)) => (illegal.why, illegal.nearest),
            other => panic!("{text}: {other:?}"),
        };
        let (by_san, near_san) = told(san);
        let (by_coordinates, near) = told(coordinates);
        assert_eq!(by_san, by_coordinates, "{san}");
        assert!(by_san.contains(why), "{san}: {by_san}");
        assert_eq!(near_san, near, "{san}");
        let has_none = [checked, pinned_by_rank, passing_in_check].contains(&fen)
            || position.pending().is_some();
        assert!(!near_san.is_empty() || has_none, "{san}");
    }
    let knights = "4k3/8/8/8/8/5N2/8/N3K3 w - - 0 1";
    for (fen, san, why, near) in [
        (
            knights,
            "Nbd2",
            "no knight on the b-file can go to d2 here",
            "f3d2",
        ),
        (knights, "N2d2", "no knight on rank 2 can go to d2", "f3d2"),
        (knights, "Nh8", "no knight can go to h8 here", "a1b3"),
        (START, "Ra5", "no rook can go to a5 here", ""),
    ] {
        let refused = game(fen, &[]).read(san);
        let Err(TurnError::Illegal(illegal)) = refused else {
            panic!("{san}: {refused:?}");
        };
        assert!(illegal.why.contains(why), "{san}: {}", illegal.why);
        let nearest = illegal.nearest.first().map_or("", String::as_str);
        assert_eq!(nearest, near, "{san}");
    }
}
