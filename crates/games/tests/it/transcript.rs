//! Transcripts of Pijersi, as its official programs write them.

use perplex_games::record::{Record, read, transcript};
use perplex_games::registry;
use rand::seq::IndexedRandom as _;

use crate::seeded;

const SETUP: &str = "g16:sprspr f13:prs f4:ww f57:rsp b13:PSR b4:WW b57:SRP a16:RPSRPS";

fn turns(text: &str) -> Vec<String> {
    read(text)
        .unwrap_or_else(|error| panic!("{text}: {error}"))
        .record
        .turns
}

#[test]
fn it_is_read_as_official_programs_write_it() {
    for text in [
        "1 a5-b6=d7  2 f6-g5=e6".to_owned(),
        "1 a5-b6=d7\n2 f6-g5=e6\n".to_owned(),
        "1. a5-b6=d7   2. f6-g5=e6".to_owned(),
        format!("{SETUP}\n\n1 a5-b6=d7   2 f6-g5=e6"),
        format!("{}\r\n1 a5-b6=d7\r2 f6-g5=e6", SETUP.replace(' ', "\r\n")),
        "b4:WW a16:RPSRPS b13:PSR b57:SRP f57:rsp f4:ww f13:prs g16:sprspr 1 a5-b6=d7 2 f6-g5=e6"
            .to_owned(),
        "Game: pijersi\n\na5-b6=d7\nf6-g5=e6".to_owned(),
    ] {
        assert_eq!(turns(&text), ["a5-b6=d7", "f6-g5=e6"], "{text}");
        assert_eq!(read(&text).expect("read").record.position, None, "{text}");
    }
    // Another set-up is another position. In a stack the top stands first, in a position text last.
    let other = SETUP
        .replace("b4:WW", "b4:RW")
        .replace("a16:RPSRPS", "a16:WPSRPS");
    let read = read(&format!("{other}\n1 b4-c4")).expect("a transcript");
    let start = read.record.position.expect("a position");
    assert!(start.contains("P-S-R-WRS-R-P-/W-P-S-R-P-S- w"), "{start}");
}

#[test]
fn random_games_read_back() {
    let mut rng = seeded();
    let entry = registry::find("pijersi").expect("the game");
    for _ in 0..20 {
        let mut game = entry.setup("").expect("the game");
        for _ in 0..60 {
            let legal = game.legal();
            let Some(turn) = legal.choose(&mut rng) else {
                break;
            };
            game.play(turn).expect("legal");
        }
        let record = Record::new("pijersi", "", &*game);
        let text = transcript::write(&record).expect("Pijersi");
        assert!(text.starts_with(SETUP), "{text}");
        assert_eq!(read(&text).expect("read").record, record, "{text}");
    }
    let quixo = registry::find("quixo").expect("a game").setup("");
    let record = Record::new("quixo", "", &*quixo.expect("a start"));
    assert_eq!(transcript::write(&record), None);
}

#[test]
fn what_is_wrong_has_its_place() {
    for (text, line, column, why) in [
        ("1 a5-b6=d7 3 f6-g5=e6", 1, 12, "turn 2 should follow"),
        (
            "1 a5-b6=d7  2 f6-g5=e6 4 a1-b1",
            1,
            24,
            "turn 3 should follow here, not turn 4",
        ),
        ("1 a5-b6=d7  2 f6-g9", 1, 19, "row g"),
        ("1 a5-b6=d7\n2 a1-b1", 2, 3, ""),
        ("1 a5-b6=d7\n2", 2, 1, "turn 2 is missing"),
        ("1 a5-b6=d7 2 f6-g5=e6 a1-b1", 1, 23, "every turn has one"),
        ("a16:RPSRP", 1, 1, "6 cells take 6 cubes"),
        ("a17:RPSRPSW", 1, 1, "the cells 1 to 6"),
        ("a16:RPSRPX", 1, 1, "no cube"),
        ("a16:RPSRPS a1:R", 1, 12, "two pieces on a1"),
        ("b4:WR a16:RPSRPS 1 a1-b1", 1, 1, ""),
    ] {
        let error = read(text).expect_err(text);
        assert_eq!(
            (error.line, error.column),
            (line, column),
            "{text}: {error}"
        );
        assert!(error.why.contains(why), "{text}: {error}");
    }
}

/// What engines write is read wherever a turn is written.
#[test]
fn the_spelling_of_engines_is_read() {
    let mut rng = seeded();
    let entry = registry::find("pijersi").expect("the game");
    for _ in 0..10 {
        let mut game = entry.setup("").expect("the game");
        for _ in 0..40 {
            let legal = game.legal();
            let Some(turn) = legal.choose(&mut rng) else {
                break;
            };
            for turn in &legal {
                let ugi = game.ugi(turn).expect("legal");
                let mut again = game.clone();
                let played = again
                    .play(&ugi)
                    .unwrap_or_else(|error| panic!("{ugi}: {error}"));
                assert_eq!(played, *turn, "{ugi}");
            }
            game.play(turn).expect("legal");
        }
    }
}
