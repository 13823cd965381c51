//! The computer player, in every registered game.

use perplex_games::game::AnyGame;
use perplex_games::player::{Level, Limits, Score};
use perplex_games::registry::Entry;
use perplex_games::rules::Side;
use rand::RngExt as _;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;

use crate::{every_variant, seeded};

/// A budget that says stop at the `times`th question: the same on every machine.
fn patience(times: u32) -> impl FnMut() -> bool {
    let mut left = times;
    move || {
        left = left.saturating_sub(1);
        left == 0
    }
}

fn random_turn(game: &mut dyn AnyGame, rng: &mut StdRng) {
    let choices = game.choices();
    let turn = &choices.choose(rng).expect("a turn").turn;
    game.play(turn).expect("a legal turn");
}

/// Plays a game of the computer, as `side`, against chance; returns the winner.
fn against_chance(
    (entry, variant): (&Entry, &str),
    side: Side,
    level: Level,
    rng: &mut StdRng,
) -> Option<Side> {
    let mut game = entry.setup(variant).expect("a variant");
    while game.outcome().is_none() {
        if game.side_to_move() == Some(side) {
            let turn = game
                .suggest(level, rng.random(), &mut patience(10))
                .expect("a turn");
            assert_eq!(game.play(&turn).as_ref(), Ok(&turn));
        } else {
            random_turn(game.as_mut(), rng);
        }
    }
    game.outcome().and_then(|outcome| outcome.winner)
}

#[test]
fn beats_chance() {
    let mut rng = seeded();
    for (entry, variant) in every_variant() {
        for (level, least) in [(Level::Easy, 3), (Level::Medium, 3), (Level::Hard, 4)] {
            let mut won = 0;
            for number in 0..4 {
                let side = [Side::First, Side::Second][number % 2];
                let winner = against_chance((entry, variant), side, level, &mut rng);
                won += u32::from(winner == Some(side));
            }
            println!("{} {variant} {level}: {won} of 4", entry.card.key);
            assert!(won >= least, "{} {variant} {level}: {won}", entry.card.key);
        }
    }
}

/// The result of a turn: a win for `side`, a position in which the other side wins at once, or
/// neither.
enum After {
    Won,
    Lost,
    Open,
}

fn after(game: &dyn AnyGame, turn: &str, side: Side) -> After {
    let mut next = game.boxed();
    next.play(turn).expect("a legal turn");
    match next.outcome().map(|outcome| outcome.winner) {
        Some(Some(winner)) if winner == side => return After::Won,
        Some(Some(_)) => return After::Lost,
        Some(None) => return After::Open,
        None => (),
    }
    for answer in next.choices() {
        let mut last = next.boxed();
        last.play(&answer.turn).expect("a legal turn");
        if last.outcome().and_then(|outcome| outcome.winner) == Some(side.other()) {
            return After::Lost;
        }
    }
    After::Open
}

/// In positions of random games, the strongest player takes a win in one and avoids a loss in one,
/// even when it is told to stop at once; every level plays legal turns, the same ones again.
#[test]
fn tactics() {
    let mut rng = seeded();
    for (entry, variant) in every_variant() {
        let (mut wins, mut threats) = (0, 0);
        for _ in 0..15 {
            let mut game = entry.setup(variant).expect("a variant");
            while game.outcome().is_none() {
                random_turn(game.as_mut(), &mut rng);
            }
            // Tactics come up in the last positions of a game.
            let length = game.turns().len();
            for back in 1..=3.min(length) {
                let game = game.at(length - back);
                let place = format!("{} {variant} {:?}", entry.card.key, game.position());
                let side = game.side_to_move().expect("not over");
                let mut stop_at_once = || true;
                let turn = game
                    .suggest(Level::Hard, rng.random(), &mut stop_at_once)
                    .expect("a turn");
                let all = game.legal();
                assert!(all.contains(&turn), "{place}: {turn}");
                // Looking at all answers to all turns of all games takes too long.
                if all.len() > 60 && back > 1 {
                    continue;
                }
                let verdicts: Vec<After> = all
                    .iter()
                    .map(|turn| after(game.as_ref(), turn, side))
                    .collect();
                let chosen = after(game.as_ref(), &turn, side);
                if verdicts.iter().any(|verdict| matches!(verdict, After::Won)) {
                    wins += 1;
                    assert!(matches!(chosen, After::Won), "{place}: {turn} does not win");
                } else if verdicts
                    .iter()
                    .any(|verdict| matches!(verdict, After::Open))
                {
                    threats += 1;
                    assert!(matches!(chosen, After::Open), "{place}: {turn} loses");
                }
            }
            for level in Level::ALL {
                let game = game.at(length / 2);
                let seed = rng.random();
                let first = game.suggest(level, seed, &mut patience(3)).expect("a turn");
                let again = game.suggest(level, seed, &mut patience(3)).expect("a turn");
                assert_eq!(first, again);
                assert!(game.legal().contains(&first));
            }
        }
        println!(
            "{} {variant}: {wins} wins, {threats} threats",
            entry.card.key
        );
    }
}

#[test]
fn rejects_what_it_does_not_understand() {
    let mut game = perplex_games::registry::find("flexichess")
        .and_then(|entry| entry.setup(""))
        .expect("Flexichess");
    game.play(r#"rule N written "A knight may pass the turn.""#)
        .expect("a legal turn");
    let turn = game.suggest(Level::Hard, 0, &mut || false);
    assert_eq!(turn.as_deref(), Some("reject"));
    game.play("reject").expect("a legal turn");
}

#[test]
fn sees_a_forced_win() {
    let game = perplex_games::registry::find("quixo")
        .expect("Quixo")
        .from_position("", "5/5/5/5/xxxx1 x")
        .expect("a position");
    let limits = Limits::default();
    let thought = game
        .think(&limits, &mut || false, &mut |_| ())
        .expect("a turn");
    assert_eq!(thought.score, Score::Wins(1));
    let mut next = game.boxed();
    next.play(&thought.turn).expect("a legal turn");
    assert!(next.outcome().is_some());
    assert_eq!(next.suggest(Level::Hard, 0, &mut || false), None);
}

/// Not a test but a measurement: the levels against one another, at `PERPLEX_PATIENCE`, in
/// `PERPLEX_GAME` or all.
/// `cargo test --release --test it player -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn tournament() {
    let mut rng = seeded();
    let times =
        std::env::var("PERPLEX_PATIENCE").map_or(500, |times| times.parse().expect("a number"));
    let only = std::env::var("PERPLEX_GAME").unwrap_or_default();
    for (entry, variant) in every_variant() {
        if !only.is_empty() && entry.card.key != only {
            continue;
        }
        for (better, worse) in [
            (Level::Hard, Level::Medium),
            (Level::Medium, Level::Easy),
            (Level::Hard, Level::Easy),
        ] {
            let (mut won, mut lost, mut turns) = (0, 0, 0);
            for number in 0..20 {
                let side = [Side::First, Side::Second][number % 2];
                let mut game = entry.setup(variant).expect("a variant");
                while game.outcome().is_none() {
                    let own = game.side_to_move() == Some(side);
                    let level = if own { better } else { worse };
                    let turn = game
                        .suggest(level, rng.random(), &mut patience(times))
                        .expect("a turn");
                    game.play(&turn).expect("a legal turn");
                }
                turns += game.turns().len();
                match game.outcome().and_then(|outcome| outcome.winner) {
                    Some(winner) if winner == side => won += 1,
                    Some(_) => lost += 1,
                    None => (),
                }
            }
            println!(
                "{} {variant}: {better} beats {worse} {won} to {lost} of 20, {} turns a game",
                entry.card.key,
                turns / 20
            );
        }
    }
}
