//! First lessons: a game in a few steps on its board, and puzzles after them. The steps are data; a test checks them
//! against the rules.
//!
//! A step begins with `# ` and its title. `>` gives the turns before it, after the key of the variant if it is not the
//! ordinary game; `=` gives the position that it begins in instead of the usual one. `? ` has the turns that the step asks for, and only these can be chosen; `?? ` has the solutions of a
//! puzzle, where every legal turn can be. `! ` says what has happened then. Everything else tells the learner what to do.

use crate::game::{AnyGame, play_all};
use crate::registry;

/// The lessons by the key of their game.
static LESSONS: &[(&str, &str)] = &[
    ("quixo", include_str!("lesson/quixo.txt")),
    ("perplexus", include_str!("lesson/perplexus.txt")),
    ("pijersi", include_str!("lesson/pijersi.txt")),
    ("pylyx", include_str!("lesson/pylyx.txt")),
    ("flexichess", include_str!("lesson/flexichess.txt")),
];

/// One step of a lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// A few words: "Take a cube".
    pub title: &'static str,
    /// The key of the variant; empty for the ordinary game.
    pub variant: &'static str,
    /// The position text that the game begins with; empty for the usual one.
    pub position: &'static str,
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
    /// The game called `key` as the step begins; `None` if the game, its position or one of the turns is unknown.
    #[must_use]
    pub fn game(&self, key: &str) -> Option<Box<dyn AnyGame>> {
        let entry = registry::find(key)?;
        let mut game = match self.position {
            "" => entry.setup(self.variant)?,
            position => entry.from_position(self.variant, position).ok()?,
        };
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
                position: "",
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
        } else if let Some(position) = line.strip_prefix('=') {
            step.position = position;
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
    use crate::rules::Side;

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

    /// The height of a stack that the sentences of a puzzle ask for.
    fn height_asked_for(text: &str) -> Option<u8> {
        let (_, rest) = text.split_once("a stack of ")?;
        let words = ["four", "five", "six", "seven"];
        let word = rest.split(|letter: char| !letter.is_alphabetic()).next()?;
        let height = (4..).zip(words).find(|(_, one)| *one == word);
        Some(height.expect("a height that this test knows").0)
    }

    /// The tallest stack of `side`, by the position text of Pylyx: `w(5)`.
    fn tallest(game: &dyn AnyGame, side: Side) -> u8 {
        let position = game.position();
        let stack = format!("{}(", side.letter());
        let heights = position.split(&stack).skip(1);
        let heights = heights.map(|rest| rest[..1].parse().expect("one digit"));
        heights.max().unwrap_or(1)
    }

    /// A puzzle asks for a win at once, or for a stack of some height: all turns that reach it are solutions, and
    /// no other.
    #[test]
    fn puzzles_have_no_other_solutions() {
        for (key, _) in LESSONS {
            for step in of(key).iter().filter(|step| step.is_puzzle) {
                let game = step.game(key).expect("a game");
                let mover = game.side_to_move().expect("a game that goes on");
                let asked = height_asked_for(step.text);
                assert!(asked.is_none_or(|height| tallest(&*game, mover) < height));
                let solves = |turn: &String| {
                    let mut after = game.boxed();
                    after.play(turn).expect("legal");
                    match asked {
                        Some(height) => tallest(&*after, mover) >= height,
                        None => after
                            .outcome()
                            .is_some_and(|outcome| outcome.winner == Some(mover)),
                    }
                };
                let legal = game.choices().into_iter().map(|one| one.turn);
                let mut solutions: Vec<String> = legal.filter(solves).collect();
                solutions.sort();
                let mut accepted = step.accepted.clone();
                accepted.sort_unstable();
                assert_eq!(solutions, accepted, "{key}, {:?}", step.title);
            }
        }
    }
}
