//! Journals that released versions have written are read for ever: each line is the time of an event, its author and
//! its text. The results were noted when the journals were kept.

use perplex_games::rules::{Outcome, Reason, Rules as _, Side};
use perplex_matches::journal::{Aggregate, Author, Event, EventOf};
use perplex_matches::time::Time;
use perplex_matches::{correspondence, team};

fn journal<M: Aggregate>(text: &str) -> Vec<EventOf<M>> {
    (1..)
        .zip(text.lines())
        .map(|(number, line)| {
            let [at, by, kind] = line.splitn(3, ' ').collect::<Vec<_>>()[..] else {
                panic!("{line:?} is no event");
            };
            Event {
                number,
                at: Time(at.parse().expect("a time")),
                by: M::Author::read(by).expect("an author"),
                kind: kind.parse().expect("an event"),
            }
        })
        .collect()
}

/// The state after a journal, whose events are written as they were read.
fn kept<M: Aggregate>(text: &str) -> M {
    let events = journal::<M>(text);
    for (line, event) in text.lines().zip(&events) {
        let written = format!("{} {} {}", event.at.0, event.by.text(), event.kind);
        assert_eq!(written, line);
    }
    M::replay(&events).expect("a state")
}

#[test]
fn a_correspondence_match_of_2026_11_22() {
    let state: correspondence::Match = kept(include_str!("../kept/post-2026-11-22.txt"));
    assert_eq!(state.rules, 1);
    assert_eq!(state.game.position(), POST);
    let outcome = Outcome::win(Side::Second, Reason::Resign);
    assert_eq!(state.outcome, Some(outcome));
}

#[test]
fn a_team_match_of_2026_11_22() {
    let state: team::Match = kept(include_str!("../kept/team-2026-11-22.txt"));
    assert_eq!(state.rules, 1);
    let boards = state.boards.numbers();
    let positions: Vec<String> = boards
        .filter_map(|number| Some(state.boards.board(number)?.position().position()))
        .collect();
    assert_eq!(positions, TEAM);
    let score = state.boards.score();
    assert_eq!((score.white, score.black, score.drawn), (2, 2, 1));
}

const POST: &str = "r2qkb1r/2p5/p2pp2n/1p1bnp1p/5Np1/BP2P1P1/P1PN1P1P/R1KQ1BR1 w k - 0 16";
const TEAM: [&str; 5] = [
    "rnbqkbnr/2p1ppp1/ppn4p/4p3/5P2/1P5N/P1PKP1PP/RNBQ1B1R w - - 0 7",
    "rnbqk2r/pppp1ppp/3bpn2/8/5P2/1PN3P1/P1PPP2P/RNBQKBNR w - - 0 7",
    "r2qkbnr/p1p2ppp/1p2b3/3p2P1/1P3P2/2P1P3/P2P3P/RNBQKBNR w - - 0 7",
    "r1bqkbnr/1ppp2pp/8/p3pp2/1P1n4/P1P5/1R2PPPP/2BQKBNR w - - 0 8",
    "rnbqk1nr/pppp1p1p/8/4p1p1/8/P4N1P/P1PPPPP1/R1BQKB1R b - - 0 4",
];
