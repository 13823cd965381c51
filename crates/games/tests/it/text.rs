//! Boards as plain text, from each player's side.

use perplex_games::game::{AnyGame, play_all};
use perplex_games::registry;
use perplex_games::rules::Seat;

fn after(game: &str, variant: &str, turns: &str) -> Box<dyn AnyGame> {
    let entry = registry::find(game).expect("a game");
    let mut game = entry.setup(variant).expect("a variant");
    play_all(&mut *game, turns, |game, turn| game.play(turn).map(drop)).expect("legal turns");
    game
}

/// Checks the first lines of the text as the player in `seat` sees it.
fn check(game: &dyn AnyGame, seat: u8, expected: &[&str]) {
    let text = game.text(game.facing(Seat(seat)));
    let lines: Vec<&str> = text.lines().take(expected.len()).collect();
    assert_eq!(lines, expected, "{text}");
}

#[test]
fn each_of_four_sees_quixo_from_their_side() {
    let game = after("quixo", "four", "c1-a1.n e5-e1.w a2-a5.s");
    let north = [
        "1 w . . . n",
        "2 . . . . .",
        "3 . . . . .",
        "4 . . . . .",
        "5 . . . . s",
        "  e d c b a",
    ];
    let east = [
        "a n . . . s",
        "b . . . . .",
        "c . . . . .",
        "d . . . . .",
        "e w . . . .",
        "  1 2 3 4 5",
    ];
    let south = [
        "5 s . . . .",
        "4 . . . . .",
        "3 . . . . .",
        "2 . . . . .",
        "1 n . . . w",
        "  a b c d e",
    ];
    let west = [
        "e . . . . w",
        "d . . . . .",
        "c . . . . .",
        "b . . . . .",
        "a s . . . n",
        "  5 4 3 2 1",
    ];
    for (seat, expected) in (0..).zip([north, east, south, west]) {
        check(&*game, seat, &expected);
    }
    // Two sit at the same side.
    let game = after("quixo", "", "c1-a1 e5-e1");
    let last = ["1 X . . . O", "  a b c d e"];
    for seat in [0, 1] {
        let text = game.text(game.facing(Seat(seat)));
        assert!(text.ends_with(&(last.join("\n") + "\n")), "{text}");
    }
}

#[test]
fn white_sits_at_the_other_side_of_perplexus() {
    let turns = "b6-h6 c3-i3 a4-g4 f2-l2 f5-l5 e1-k1 d4 4>";
    let game = after("perplexus", "", turns);
    let white = [
        "1 . . .[- - - - - - -]. . . .",
        "2 . .[- - - - - - -]. . . . .",
        "3 . . . . .[- - - - - - -]. .",
        "4 . . . . . .[- - - W - - -].",
        "5 . .[- - - - - - -]. . . . .",
        "6 . . . . . .[- - - - - - -].",
        "  n m l k j i h g f e d c b a",
    ];
    let black = [
        "6 .[- - - - - - -]. . . . . .",
        "5 . . . . .[- - - - - - -]. .",
        "4 .[- - - W - - -]. . . . . .",
        "3 . .[- - - - - - -]. . . . .",
        "2 . . . . .[- - - - - - -]. .",
        "1 . . . .[- - - - - - -]. . .",
        "  a b c d e f g h i j k l m n",
    ];
    check(&*game, 0, &white);
    check(&*game, 1, &black);
    // A shuttle at an end of the field.
    let game = after("perplexus", "", "h6-n6 a1-g1");
    assert!(game.text(0).starts_with("6 . . . . . . .[- - - - - - -]\n"));
    assert!(game.text(2).starts_with("1 . . . . . . .[- - - - - - -]\n"));
    assert!(game.text(2).contains("\n6[- - - - - - -]. . . . . . .\n"));
}

#[test]
fn black_sees_the_others_from_above() {
    let pylyx = [
        " 1     .   .   .   .   .   .   .   .",
        " 2 .   +   +   +   +   +   +   +   W   .",
        " 3 .   B   +   +   +   +   +   +   +   .",
        " 4 .   +   +   +   +   +   +   +   +   .",
    ];
    let game = after("pylyx", "small", "b2 i3");
    check(&*game, 1, &pylyx);
    assert!(
        game.text(2)
            .contains("\n   j   i   h   g   f   e   d   c   b   a\n")
    );
    let pijersi = [
        "a   S   P   R   S   P   R",
        "b P   R   S   .   R   S   P",
        "c   .   .   W   .   .   .",
        "d .   .   .   W   .   .   .",
        "e   .   .   w   .   .   .",
        "f p   s   r   w   s   r   p",
        "g   r   p   s   r   p   s",
        "    6   5   4   3   2   1       rows a, c, e, g",
        "  7   6   5   4   3   2   1     rows b, d, f",
    ];
    check(&*after("pijersi", "", "b4=c4-d4 f4=e4-f4"), 1, &pijersi);
    let flexichess = [
        "1 R N B K Q B N R",
        "2 P P P . P P P P",
        "3 . . . . . . . .",
        "4 . . . P . . . .",
        "5 . . . . . . . .",
        "6 . . . . . . . .",
        "7 p p p p p p p p",
        "8 r n b k q b n r",
        "  h g f e d c b a",
    ];
    check(&*after("flexichess", "", "e4"), 1, &flexichess);
}

/// Turns of Flexichess and Pijersi in which pieces of both sides leave the board, and the pieces that left.
const CAPTURES: [(&str, &str, &str); 3] = [
    (
        "flexichess",
        "e2e4 d7d5 e4d5 d8d5 b1c3 d5g2 f1g2",
        "White’s 2 pawns; Black’s queen, pawn",
    ),
    // A pawn that has become a queen is gone, too.
    (
        "flexichess",
        "g2g4 h7h5 g4h5 g7g6 h5g6 h8h3 g6g7 h3g3 g7f8q",
        "White’s pawn; Black’s bishop, 2 pawns",
    ),
    (
        "pijersi",
        "b6-b7=d6 g5-f5=d6! a1-b1=c1 d6=e5-e6 c1=e2-f3! g2-f3!",
        "White’s 2 rocks, paper; Black’s scissors",
    ),
];

#[test]
fn pieces_off_the_board_are_told() {
    for (key, turns, expected) in CAPTURES {
        let start = after(key, "", "");
        assert!(start.diagram().gone.is_empty() && !start.text(0).contains("Off the board"));
        let game = after(key, "", turns);
        let line = format!("Off the board: {expected}.");
        assert!(game.notes().contains(&line), "{:?}", game.notes());
        assert!(game.text(2).contains(&line), "{}", game.text(2));
        // The board defines the pictures that the rows beside it show, whichever signs its reader chose.
        for diagram in [game.diagram(), game.diagram().with_official_signs()] {
            let defined = diagram.defs();
            let says: Vec<&str> = diagram.gone.iter().map(|gone| &*gone.says).collect();
            assert_eq!(says.join("; "), expected);
            for row in &diagram.gone {
                let svg = row.svg(diagram.class);
                assert!(
                    svg.contains(&format!("aria-label=\"{}\"", row.says)),
                    "{svg}"
                );
                for piece in &row.pieces {
                    let id = piece.glyph.id;
                    assert!(svg.contains(&format!("href=\"#{id}\"")), "{id}: {svg}");
                    assert!(defined.contains(&format!("<g id=\"{id}\">")), "{id}");
                }
            }
        }
    }
}
