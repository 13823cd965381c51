//! PGN of other programs: what becomes of each token, and that nothing is passed over that would make it another game.

use perplex_games::record::read;

/// The moves of a game that is read, or the place and the reason of what is wrong.
fn opened(text: &str) -> Result<Vec<String>, (usize, usize, String)> {
    match read(text) {
        Ok(replayed) => Ok(replayed.record.turns),
        Err(error) => Err((error.line, error.column, error.why)),
    }
}

const E4_E5: [&str; 2] = ["e2e4", "e7e5"];
const PASSANT: [&str; 5] = ["e2e4", "a7a6", "e4e5", "d7d5", "e5d6"];

#[test]
fn what_may_be_passed_over_is() {
    for text in [
        "1. e4 e5",
        "1.e4 e5",
        "1 e4 e5",
        "1 . e4 e5 *",
        "e4 e5",
        "1. e4 1... e5",
        "1. e4 1. ... e5",
        "1. e4 1… e5",
        "1. e4 {a comment; with (all) [sorts] of $1 signs} e5",
        "1. e4 ; a comment } ) [ 1-0\ne5",
        "% escaped\n1. e4\n% escaped } (\ne5",
        "1. e4 (1. d4 d5 (1... Nf6 {)} 2. c4) 2. c4 -- *) e5",
        "1. e4 () e5 (1... c5)",
        "{first} 1. e4 e5",
        "1. e4 ...e5",
        "1. e4 ... e5",
        "1.e4 …e5",
        "1. e4 N! e5",
        "; made by x\n[Event \"x\"]\n; more\n[White \"y\"] {and} [Black \"z\"]\n\n{so} 1. e4 e5 *",
        "{\"The game\"} 1. e4 e5",
        "1. e4 $1 $14 e5$2 $139",
        "1. e4!$5 e5?!$6$10",
        "1. e4! e5?? *",
        "1. e4 !? e5 ?!",
        "1. e4+- e5-+ *",
        "1. e4+/- e5 += 1/2-1/2",
        "1. e4 = e5= *",
        "1. e4 ± e5∞ ⩲ *",
        "1. e4 N e5 *",
        "1. e2-e4 e7e5",
        "e2:e4 e7:e5",
        "[Event \"x\"]\n\n1. e4 e5 *",
        "\u{feff}[Event \"x\"]\r\n\r\n1. e4\r\ne5 *\r\n",
        "\u{feff}1. e4 ; comment\re5\r*\r",
        "[Event \"x\" ]\n[ White \"y\"]\n[Variant \"Standard\"] 1. e4 e5 *",
        "[Variant \"From Position\"]\n1. e4 e5 *",
        "[SetUp \"0\"]\n1. e4 e5 *",
        "[SetUp \"1\"]\n[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"]\n1. e4 e5 *",
        "1. e4 e5 1-0",
        "1. e4 e5 0-1",
        "1. e4 e5 ½-½",
        "1. e4 e5 1/2",
        "1. e4 e5 1:0",
        "1. e4 e5 0:1 {it ended so} ; and so\n",
        "1. e4 e5 1–0",
        "[Event \"1\"]\n\n1. e4 e5 *\n\n[Event \"2\"]\n\n1. d4 *\n",
        "[Event \"1\"]\n\n1. e4 e5\n\n[Event \"2\"]",
        "[Event \"1\"]\n\n1. e4 e5\n\n[Event \"2\"] [White \"y\"]\n1. d4 *",
    ] {
        assert_eq!(
            opened(text),
            Ok(E4_E5.map(str::to_owned).to_vec()),
            "{text}"
        );
    }
    for text in [
        "exd6",
        "exd6 e.p.",
        "exd6e.p.",
        "exd6 ep",
        "exd6ep!",
        "exd6 e.p. $1",
        "exd6 e.p.+",
        "exd6 e.p.!",
    ] {
        let text = format!("1. e4 a6 2. e5 d5 3. {text} *");
        assert_eq!(
            opened(&text),
            Ok(PASSANT.map(str::to_owned).to_vec()),
            "{text}"
        );
    }
    for text in [
        "h8(Q)",
        "h8=Q",
        "h8Q",
        "h8(Q)+!",
        "h8/Q",
        "1. h8(Q) {good}",
        "h8=Q (h8=R)",
        "h8(Q)(h8(R))",
    ] {
        let text =
            format!("; a comment\n[FEN \"4k3/7P/8/8/8/8/8/4K3 w - - 0 1\"]\n; [\n{{[}}\n\n{text}");
        assert_eq!(opened(&text), Ok(vec!["h7h8q".to_owned()]), "{text}");
    }
}

#[test]
fn what_is_not_understood_is_refused_with_its_place() {
    for (text, line, column, why) in [
        // White's move is not given to Black.
        ("1. e4 -- 2. e5 *", 1, 7, "null move"),
        ("1. e4 Z0 2. e5 *", 1, 7, "null move"),
        ("1. e4 -- {Black passes} 2. e5 *", 1, 7, "null move"),
        ("1. e4 --", 1, 7, "null move"),
        ("1. e4 {a comment e5", 1, 7, "`}` is missing"),
        ("1. e4 (1. d4 (d5) e5", 1, 7, "`)` is missing"),
        ("1. e4 (1. d4 {d5) e5", 1, 14, "`}` is missing"),
        ("1. e4 ) e5", 1, 7, "`)` has no beginning"),
        ("1. e4 } e5", 1, 7, "`}` has no beginning"),
        ("1. e4 ] e5", 1, 7, "`]` has no beginning"),
        (
            "1. e4 e5 3. Nf3",
            1,
            10,
            "move 2 should follow here, not move 3",
        ),
        ("2. e4 e5", 1, 1, "move 1 should follow here"),
        ("1. e4 2. e5", 1, 7, "move 1 should follow here, not move 2"),
        ("1... e4 e5", 1, 1, "it is White"),
        ("1. ... e4", 1, 4, "it is White"),
        ("1. ...e4", 1, 4, "it is White"),
        ("1. e4 e5 2. … Nf3", 1, 13, "it is White"),
        ("1. e4 --! e5", 1, 7, "null move"),
        ("1. e4 e5 2. N Nf3 $", 1, 19, "followed by a number"),
        (
            "[Event \"1\"]\n1.\n[Event \"2\"]\n1. e4 *",
            3,
            1,
            "no move yet",
        ),
        ("1. e4 hello e5", 1, 7, "`hello` is not understood"),
        ("1. e4 nf6 e5", 1, 7, "`nf6` is not understood"),
        ("1. E4 e5", 1, 4, "`E4` is not understood"),
        ("1. e4 12-28", 1, 7, "`12-28` is not understood"),
        ("1. e4 e5 ~", 1, 10, ""),
        ("1. e4 e5 &", 1, 10, ""),
        ("1. e4 $ e5", 1, 7, "followed by a number"),
        ("1. e4$x e5", 1, 4, "followed by a number"),
        ("1. e4 e9", 1, 8, ""),
        ("1. e4 e5 1-0 2. Nf3", 1, 14, "nothing follows the result"),
        ("1. e4 % e5", 1, 7, ""),
        ("1. e4-- e5", 1, 4, "`e4--` is not understood"),
        // A check, and a null move.
        ("1. e4+-- e5", 1, 4, "`e4+--` is not understood"),
        ("1. (d4) e4 e5", 1, 4, "a variation follows"),
        ("1. e4 [ e5", 1, 7, "on a line of their own"),
        ("1. e4 [Event \"2\"] e5", 1, 7, "on a line of their own"),
        ("1. e4\n[ e5", 2, 1, "on a line of their own"),
        ("1. e4\n[Event \"2\"] e5 *", 2, 1, "on a line of their own"),
        ("[\"x\"]\n1. e4 e5 *", 1, 1, "a tag is written"),
        ("[Event x]\n1. e4 e5 *", 1, 1, "a tag is written"),
        ("[ 1. h3[Event \"2\"]\n*", 1, 1, "a tag is written"),
        ("[Event \"x]\n1. e4 e5 *", 1, 1, "a tag is written"),
        ("[Event \"x\" y]\n1. e4 e5 *", 1, 1, "a tag is written"),
        (
            "[White \"x\"]\n[Variant \"Atomic\"]\n1. e4 e5 *",
            2,
            1,
            "Atomic",
        ),
        ("[Variant \"Chess960\"]\n1. e4 e5 *", 1, 1, "Chess960"),
        (
            "[SetUp \"0\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n1. e4 *",
            1,
            1,
            "begins as usual",
        ),
        ("[SetUp \"1\"]\n1. e4 *", 1, 1, "no tag `FEN`"),
        ("1. e4 {[%turn rule N NW} e5", 1, 8, "`]` is missing"),
        ("; nothing\n", 1, 1, "no move"),
    ] {
        let (at_line, at_column, told) = opened(text).expect_err(text);
        assert_eq!((at_line, at_column), (line, column), "{text}: {told}");
        assert!(told.contains(why), "{text}: {told}");
    }
}

#[test]
fn of_several_games_the_first_is_read_and_that_is_told() {
    for (text, is_first) in [
        (
            "[Event \"1\"]\n\n1. e4 e5 *\n\n[Event \"2\"]\n\n1. d4 *\n",
            true,
        ),
        ("[Event \"1\"]\n\n1. e4 e5 *\n", false),
    ] {
        let replayed = read(text).expect(text);
        assert_eq!(replayed.is_first, is_first, "{text}");
    }
}

#[test]
fn json_may_begin_with_a_mark_of_its_encoding() {
    let text = "\u{feff}{\"game\": \"quixo\", \"turns\": [\"c1-a1\"]}\r\n";
    assert_eq!(opened(text), Ok(vec!["c1-a1".to_owned()]));
}

#[test]
fn a_turn_in_a_comment_may_be_broken_by_a_program_that_wraps_lines() {
    let rule = "rule N NW \"Knights also step.\"";
    for text in [
        "1. e4 -- {[%turn rule N NW \"Knights also\nstep.\"]}",
        "1. e4 --\n{[%turn\nrule N NW\r\n\"Knights also step.\"]}",
        "1. e4 -- $1 {[%turn rule N NW \"Knights also step.\"]}",
    ] {
        assert_eq!(
            opened(text),
            Ok(vec!["e2e4".to_owned(), rule.to_owned()]),
            "{text}"
        );
    }
    // A game may begin with one.
    let text = "[Event \"x\"]\n\n{[%turn rule N NW \"Knights also step.\"]} 1... e5";
    assert_eq!(opened(text), Ok(vec![rule.to_owned(), "e7e5".to_owned()]));
}
