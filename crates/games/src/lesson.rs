//! First lessons: a game in a few steps on its board, and puzzles after them. The steps are data; a test checks them
//! against the rules.
//!
//! A step begins with `# ` and its title. `>` gives the turns before it, after the key of the variant if it is not the
//! ordinary game. `? ` has the turns that the step asks for, and only these can be chosen; `?? ` has the solutions of a
//! puzzle, where every legal turn can be. `! ` says what has happened then. Everything else tells the learner what to do.

use crate::game::{AnyGame, play_all};
use crate::registry;

/// The lessons by the key of their game.
static LESSONS: &[(&str, &str)] = &[
    ("quixo", include_str!("lesson/quixo.txt")),
    ("perplexus", include_str!("lesson/perplexus.txt")),
    ("pijersi", include_str!("lesson/pijersi.txt")),
    ("flexichess", include_str!("lesson/flexichess.txt")),
];

/// One step of a lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// A few words: "Take a cube".
    pub title: &'static str,
    /// The key of the variant; empty for the ordinary game.
    pub variant: &'static str,
    /// The turns before it, separated by spaces.
    pub turns: &'static str,
    /// The sentences that tell the learner what to do.
    pub text: &'static str,
    /// The turns that are asked for, or that solve the puzzle.
    pub accepted: Vec<&'static str>,
    /// True if every legal turn can be chosen.
    pub is_puzzle: bool,
    /// The sentences about the board after such a turn.
    pub then: &'static str,
}

impl Step {
    /// The game called `key` as the step begins; `None` if the game or one of the turns is unknown.
    #[must_use]
    pub fn game(&self, key: &str) -> Option<Box<dyn AnyGame>> {
        let mut game = registry::find(key)?.setup(self.variant)?;
        play_all(game.as_mut(), self.turns, |game, turn| {
            game.play(turn).map(drop)
        })
        .ok()?;
        Some(game)
    }
}

/// The lesson of the game called `key`; empty if it has none.
#[must_use]
pub fn of(key: &str) -> Vec<Step> {
    let lesson = LESSONS.iter().find(|(known, _)| *known == key);
    lesson.map_or_else(Vec::new, |(_, text)| read(text))
}

fn read(text: &'static str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(title) = line.strip_prefix("# ") {
            steps.push(Step {
                title,
                variant: "",
                turns: "",
                text: "",
                accepted: Vec::new(),
                is_puzzle: false,
                then: "",
            });
            continue;
        }
        let Some(step) = steps.last_mut() else {
            continue;
        };
        if let Some(game) = line.strip_prefix('>') {
            (step.variant, step.turns) = game.split_once(' ').unwrap_or((game, ""));
        } else if let Some(turns) = line.strip_prefix("?? ") {
            step.accepted = turns.split(' ').collect();
            step.is_puzzle = true;
        } else if let Some(turns) = line.strip_prefix("? ") {
            step.accepted = turns.split(' ').collect();
        } else if let Some(then) = line.strip_prefix("! ") {
            step.then = then;
        } else {
            step.text = line;
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_can_be_taken() {
        for (key, _) in LESSONS {
            let steps = of(key);
            let guided = steps.iter().filter(|step| !step.is_puzzle).count();
            assert!((5..=8).contains(&guided), "{key}: {guided} steps");
            assert_eq!(steps.len() - guided, 3, "{key}: puzzles");
            for step in &steps {
                let at = format!("{key}, {:?}", step.title);
                assert!(!step.text.is_empty() && !step.then.is_empty(), "{at}");
                let game = step.game(key).unwrap_or_else(|| panic!("{at}: its turns"));
                let legal: Vec<String> = game.choices().into_iter().map(|one| one.turn).collect();
                assert!(!step.accepted.is_empty(), "{at}");
                for turn in &step.accepted {
                    assert!(
                        legal.iter().any(|one| one == turn),
                        "{at}: {turn} in {legal:?}"
                    );
                }
            }
        }
    }

    /// A puzzle asks for a win at once: all turns that win are solutions, and no other.
    #[test]
    fn puzzles_have_no_other_solutions() {
        for (key, _) in LESSONS {
            for step in of(key).iter().filter(|step| step.is_puzzle) {
                let game = step.game(key).expect("a game");
                let mover = game
                    .to_move()
                    .map(|seat| game.seats()[usize::from(seat.0)].side);
                let wins = |turn: &String| {
                    let mut after = game.boxed();
                    after.play(turn).expect("legal");
                    let outcome = after.outcome();
                    outcome.is_some_and(|outcome| outcome.winner == mover)
                };
                let legal = game.choices().into_iter().map(|one| one.turn);
                let mut winning: Vec<String> = legal.filter(wins).collect();
                winning.sort();
                let mut accepted = step.accepted.clone();
                accepted.sort_unstable();
                assert_eq!(winning, accepted, "{key}, {:?}", step.title);
            }
        }
    }
}
