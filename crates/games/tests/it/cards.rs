//! The deck of rule cards, and cards as turns.

use std::collections::HashSet;

use perplex_games::game::Game;
use perplex_games::perplexichess::{Boards, Size};
use perplex_games::rules::flexichess::{CARDS, Effect, Flexichess, Kind, RuleCard, Turn};
use perplex_games::rules::{Rules, TurnError};
use rand::RngExt as _;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;

use crate::seeded;

const STARTERS: usize = 8;
const LONGEST_NAME: usize = 24;
const LONGEST_SENTENCE: usize = 100;

/// Positions of ordinary games: the start, an opening, a middle game, an ending in which both sides promote.
const ORDINARY: [&str; 4] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 6 5",
    "r2q1rk1/pp2bppp/2n1bn2/2pp4/3P4/2N1PN2/PPQ1BPPP/R1B2RK1 w - - 0 10",
    "8/1P5k/3r4/8/1B3n2/4Q3/2pN1K2/8 w - - 0 50",
];

fn ordinary() -> impl Iterator<Item = Flexichess> {
    let read = |fen| Flexichess::from_position("", fen).expect("a position");
    ORDINARY.into_iter().map(read)
}

fn turn(card: &RuleCard, position: &Flexichess) -> Turn {
    let read = position.read(&format!("card {}", card.id));
    read.unwrap_or_else(|error| panic!("{error}"))
}

fn after(position: Flexichess, turn: &Turn) -> Flexichess {
    let played = position.play(turn);
    played.unwrap_or_else(|refused| panic!("{}", refused.error))
}

#[test]
fn the_deck_is_whole() {
    assert!(CARDS.len() >= 24);
    assert_eq!(CARDS.iter().filter(|card| card.starter).count(), STARTERS);
    let about = |kind, promotes| {
        let mut cards = CARDS.iter();
        cards.any(|card| card.kind == kind && card.rule.starts_with('=') == promotes)
    };
    for kind in Kind::CHANGEABLE {
        assert!(about(kind, false), "no card changes the {}", kind.name());
    }
    assert!(about(Kind::Pawn, true), "no card is about promotion");
}

#[test]
fn words_on_cards_are_short_and_their_own() {
    let all_differ = |part: fn(&RuleCard) -> &'static str| {
        let parts: HashSet<&str> = CARDS.iter().map(part).collect();
        parts.len() == CARDS.len()
    };
    assert!(all_differ(|card| card.id));
    assert!(all_differ(|card| card.name));
    assert!(all_differ(|card| card.text));
    assert!(all_differ(|card| card.idea));
    for card in CARDS {
        let id = card.id;
        assert_eq!(card.name.to_lowercase().replace(' ', "-"), id);
        assert!(card.name.len() <= LONGEST_NAME, "{id}");
        for sentence in [card.text, card.idea] {
            assert!(sentence.len() <= LONGEST_SENTENCE, "{id}: {sentence}");
            assert!(sentence.starts_with(char::is_uppercase), "{id}");
            assert!(sentence.ends_with('.') && sentence.is_ascii(), "{id}");
        }
    }
}

/// Each side may play each card as its first turn, and nothing is decided by that.
#[test]
fn a_card_is_a_legal_change_in_canonical_notation() {
    for card in CARDS {
        for moves in [&[][..], &["e2e4"]] {
            let mut position = ordinary().next().expect("the start");
            for text in moves {
                let turn = position.read(text).expect("legal");
                position.play_unchecked(&turn);
            }
            let turn = turn(card, &position);
            assert_eq!(turn.to_string(), card.turn());
            assert_eq!(position.read(&card.turn()), Ok(turn.clone()));
            let Turn::Change(change) = &turn else {
                panic!("{} is no change", card.id);
            };
            match &change.effect {
                Effect::Movement(kind, _) => assert_eq!(*kind, card.kind),
                Effect::Promotion(_) => assert_eq!(card.kind, Kind::Pawn),
                Effect::Written(_) => panic!("{} is not enforced", card.id),
            }
            let position = after(position, &turn);
            assert!(!position.is_check(), "{}", card.id);
            assert_eq!(position.outcome(), None, "{}", card.id);
        }
    }
}

/// A random game that is not over, in which rules changed, too: its turns as they are written.
fn random_turns(rng: &mut StdRng) -> Vec<String> {
    let mut game = Game::new(Flexichess::setup("").expect("a variant"));
    let mut turns = Vec::new();
    for _ in 0..rng.random_range(0..60) {
        let card = CARDS.choose(rng).expect("a card");
        let change = game.position().read(&card.turn()).ok();
        let change = change.filter(|_| rng.random_bool(0.1));
        let Some(turn) = change.or_else(|| game.legal().choose(rng).cloned()) else {
            break;
        };
        let mut next = game.clone();
        next.push(turn.clone());
        if next.outcome().is_some() {
            break;
        }
        game = next;
        turns.push(turn.to_string());
    }
    turns
}

fn replayed(turns: &[String]) -> Flexichess {
    let start = Flexichess::setup("").expect("a variant");
    turns.iter().fold(start, |position, text| {
        let turn = position.read(text);
        after(position, &turn.unwrap_or_else(|error| panic!("{error}")))
    })
}

/// Wherever a game stands, a card is a legal turn, or refused with a reason; a record replays it.
#[test]
fn cards_in_random_games() {
    let mut rng = seeded();
    let (mut legal, mut refused) = ([0; 2], 0);
    for _ in 0..200 {
        let turns = random_turns(&mut rng);
        let position = replayed(&turns);
        for card in CARDS {
            let place = format!("{} after {turns:?}", card.id);
            let why_not = position.why_not_card(card);
            match position.read(&format!("card {}", card.id)) {
                Ok(turn) => {
                    assert_eq!(position.why_illegal(&turn), None, "{place}");
                    assert_eq!(why_not, None, "{place}");
                    let text = turn.to_string();
                    assert_eq!(text, card.turn(), "{place}");
                    let played = after(position.clone(), &turn);
                    let again = position.read(&text);
                    let again = after(position.clone(), &again.expect("written by the rules"));
                    assert_eq!(played, again, "{place}");
                    legal[position.side().index()] += 1;
                }
                Err(TurnError::Illegal(illegal)) => {
                    assert_eq!(why_not.as_ref(), Some(&illegal.why), "{place}");
                    assert!(!illegal.why.is_empty(), "{place}");
                    let in_full = position.read(&card.turn());
                    assert_eq!(in_full, Err(TurnError::Illegal(illegal)), "{place}");
                    refused += 1;
                }
                Err(error) => panic!("{place}: {error}"),
            }
        }
    }
    assert!(legal.iter().all(|&count| count > 1_000), "{legal:?}");
    assert!(refused > 0);
}

/// A preview counts as differing just the pieces whose squares differ, on both sides alike.
#[test]
fn a_preview_marks_what_could_move_differently() {
    let differ = |position: &Flexichess, card: &str| {
        let card = RuleCard::find(card).expect("a card");
        let Turn::Change(change) = turn(card, position) else {
            panic!("{} is no change", card.id);
        };
        let preview = position.preview(&change.effect);
        preview.differ.map(|squares| {
            let names = squares.iter().map(ToString::to_string);
            names.collect::<Vec<_>>().join(" ")
        })
    };
    let positions: Vec<Flexichess> = ordinary().collect();
    assert_eq!(differ(&positions[0], "knight-in-slippers"), ["", ""]);
    assert_eq!(differ(&positions[0], "jumping-bishop"), ["c1 f1", "c8 f8"]);
    assert_eq!(
        differ(&positions[0], "patient-pawn"),
        ["a2 b2 c2 d2 e2 f2 g2 h2", "a7 b7 c7 d7 e7 f7 g7 h7"]
    );
    // Pawns that could promote at once.
    assert_eq!(differ(&positions[3], "knight-school"), ["b7", "c2"]);
}

/// Each makes a difference in an ordinary game, and no two make the same one.
#[test]
fn a_card_changes_the_moves() {
    let mut effects: Vec<Effect> = Vec::new();
    for card in CARDS {
        let start = ordinary().next().expect("the start");
        let Turn::Change(change) = turn(card, &start) else {
            panic!("{} is no change", card.id);
        };
        let differs = ordinary().any(|position| {
            let preview = position.preview(&change.effect);
            let reach = preview.reach.iter().any(|reach| reach.now != reach.after);
            reach || preview.moves.iter().any(|[now, after]| now != after)
        });
        assert!(differs, "{} makes no difference", card.id);
        assert!(
            !effects.contains(&change.effect),
            "{} is there twice",
            card.id
        );
        effects.push(change.effect);
    }
}

#[test]
fn cards_are_read_leniently() {
    let position = ordinary().next().expect("the start");
    let lazy = turn(RuleCard::find("lazy-rook").expect("a card"), &position);
    assert_eq!(
        lazy.to_string(),
        "rule R R3 \"Rooks go three squares at most.\""
    );
    for text in [
        " card lazy-rook ",
        "CARD Lazy-Rook",
        "card  Lazy rook",
        "card\tlazyrook",
    ] {
        assert_eq!(position.read(text), Ok(lazy.clone()), "{text}");
    }
    // Canonical notation names the change.
    assert!("card lazy-rook".parse::<Turn>().is_err());
}

#[test]
fn an_unknown_card_is_answered_with_the_nearest() {
    let position = ordinary().next().expect("the start");
    let error = |text: &str| position.read(text).expect_err(text).to_string();
    assert_eq!(
        error("card lasy-rok"),
        "\"card lasy-rok\" is not understood: `l` at column 6 should be the name of a rule card, such as \
         `lazy-rook` (`perplex cards` lists them all)"
    );
    assert_eq!(
        error("card "),
        "\"card\" is not understood: it ends where the name of a rule card, such as `lazy-rook` \
         (`perplex cards` lists them all) should follow"
    );
    assert!(error("card knigt-in-sliper").contains("`knight-in-slippers`"));
    // A card whose rule is in force changes nothing.
    let again = after(position.clone(), &position.read("card lazy-rook").unwrap());
    let error = again.read("card lazy-rook").expect_err("twice").to_string();
    assert!(error.contains("it changes nothing"), "{error}");
}

#[test]
fn the_record_of_a_match_keeps_the_change() {
    let mut boards = Boards::new(Size::Small);
    let line = boards.read("2 card small-dreams").expect("a turn");
    assert_eq!(
        line.to_string(),
        "2 rule P =NB \"Pawns promote to knights or bishops only.\""
    );
    boards.take(&line);
    let (_, board) = boards.iter().nth(1).expect("board 2");
    assert_eq!(board.position().rules().promotions().to_string(), "NB");
}
