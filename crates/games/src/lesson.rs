//! First lessons: a game, or a duty in a match of Perplexichess, in a few steps on its boards, and puzzles after them. The
//! steps are data; a test checks them against the rules.
//!
//! A step begins with `# ` and its title. `>` gives the turns before it, after the key of the variant if it is not the
//! ordinary game; `=` gives the position that it begins in instead of the usual one. `? ` has the turns that the step asks for, and only these can be chosen; `?? ` has the solutions of a
//! puzzle, where every legal turn can be. `! ` says what has happened then. Everything else tells the learner what to do.
//!
//! Some duties are learned on all boards of a small match: there `>` gives lines of a record, separated by `; `, and a step
//! asks for a transfer of White's, `? 1:c4>3`, or for a square to be shown to the team, `? 3:f7`. One that asks neither
//! has answers to choose from, `+ ` the right one and `- ` others.

use crate::game::{AnyGame, Choice, play_all};
use crate::perplexichess::{Boards, Size, Transfer};
use crate::registry;
use crate::rules::Side;
use crate::rules::flexichess::Square;

/// A lesson, and what it is about.
#[derive(Debug)]
pub struct Lesson {
    /// The word in addresses: "quixo", "boardman".
    pub key: &'static str,
    /// The key of the game; empty if it is about the boards of a match.
    pub game: &'static str,
    /// The duty in a match of Perplexichess that it is about; empty if it is about the game.
    pub duty: &'static str,
    text: &'static str,
}

impl Lesson {
    const fn of_game(key: &'static str, text: &'static str) -> Self {
        Self {
            key,
            game: key,
            duty: "",
            text,
        }
    }

    /// The steps in their order.
    #[must_use]
    pub fn steps(&self) -> Vec<Step> {
        read(self.text)
    }
}

/// The lessons; those about a duty are in the order in which a beginner takes them.
pub static LESSONS: &[Lesson] = &[
    Lesson::of_game("quixo", include_str!("lesson/quixo.txt")),
    Lesson::of_game("perplexus", include_str!("lesson/perplexus.txt")),
    Lesson::of_game("pijersi", include_str!("lesson/pijersi.txt")),
    Lesson::of_game("pylyx", include_str!("lesson/pylyx.txt")),
    Lesson::of_game("flexichess", include_str!("lesson/flexichess.txt")),
    Lesson {
        key: "boardman",
        game: "flexichess",
        duty: "Boardman",
        text: include_str!("lesson/boardman.txt"),
    },
    Lesson {
        key: "strategist",
        game: "",
        duty: "Grand strategist",
        text: include_str!("lesson/strategist.txt"),
    },
    Lesson {
        key: "agent",
        game: "",
        duty: "Agent",
        text: include_str!("lesson/agent.txt"),
    },
];

/// The lessons about a duty.
pub fn duties() -> impl Iterator<Item = &'static Lesson> {
    LESSONS.iter().filter(|lesson| !lesson.duty.is_empty())
}

/// The lesson called `key`.
#[must_use]
pub fn find(key: &str) -> Option<&'static Lesson> {
    LESSONS.iter().find(|lesson| lesson.key == key)
}

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
    /// The answers to a question, each with whether it is right; none if a turn is asked for.
    pub answers: Vec<(&'static str, bool)>,
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

    /// The legal turns that can be chosen on `game`, and the rule cards that are asked for.
    #[must_use]
    pub fn choices(&self, game: &dyn AnyGame) -> Vec<Choice> {
        let mut choices = game.choices();
        if !self.is_puzzle {
            choices.retain(|choice| self.accepted.contains(&&*choice.turn));
            let cards = self.accepted.iter().filter(|turn| turn.contains(' '));
            choices.extend(cards.map(|turn| choice(turn, &[turn])));
        }
        choices
    }

    /// The boards of the match as the step begins; `None` if one of the lines is not possible.
    #[must_use]
    pub fn boards(&self) -> Option<Boards> {
        let mut boards = Boards::new(Size::Small);
        for line in self.turns.split("; ") {
            let line = boards.read(line).ok()?;
            boards.take(&line);
        }
        Some(boards)
    }

    /// What can be chosen on `boards`: transfers, `1:c4>3`, in the steps `1:c4` and `3`; squares, `3:f7`; or answers.
    #[must_use]
    pub fn choices_on(&self, boards: &Boards) -> Vec<Choice> {
        let mut choices: Vec<Choice> = Vec::new();
        if self.accepted.iter().any(|asked| asked.contains('>')) {
            for Transfer {
                square, from, to, ..
            } in boards.transfers(Side::First)
            {
                let piece = format!("{from}:{square}");
                choices.push(choice(&format!("{piece}>{to}"), &[&piece, &to.to_string()]));
            }
        } else {
            for number in boards.numbers() {
                for square in Square::all() {
                    let square = format!("{number}:{square}");
                    choices.push(choice(&square, &[&square]));
                }
            }
        }
        if !self.is_puzzle {
            choices.retain(|choice| self.accepted.contains(&&*choice.turn));
        }
        let answers = self.answers.iter();
        choices.extend(answers.map(|(answer, _)| choice(answer, &[answer])));
        choices
    }

    /// True if `turn` is asked for, or the right answer.
    #[must_use]
    pub fn accepts(&self, turn: &str) -> bool {
        self.accepted.contains(&turn) || self.answers.contains(&(turn, true))
    }
}

fn choice(turn: &str, steps: &[&str]) -> Choice {
    Choice {
        turn: turn.to_owned(),
        steps: steps.iter().map(ToString::to_string).collect(),
    }
}

/// The transfer that a step writes as `1:c4>3`, as a line of the record.
#[must_use]
pub fn transfer(text: &str) -> Option<String> {
    let (from, rest) = text.split_once(':')?;
    let (square, to) = rest.split_once('>')?;
    Some(format!("w {square} {from}>{to}"))
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
                answers: Vec::new(),
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
            step.accepted = if turns.starts_with("card ") {
                vec![turns]
            } else {
                turns.split(' ').collect()
            };
        } else if let Some(answer) = line.strip_prefix("+ ") {
            step.answers.push((answer, true));
        } else if let Some(answer) = line.strip_prefix("- ") {
            step.answers.push((answer, false));
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
    use crate::perplexichess::Board;

    #[test]
    fn every_step_can_be_taken() {
        for lesson in LESSONS {
            let steps = lesson.steps();
            let guided = steps.iter().filter(|step| !step.is_puzzle).count();
            assert!((5..=8).contains(&guided), "{}: {guided}", lesson.key);
            assert_eq!(steps.len() - guided, 3, "{}: puzzles", lesson.key);
            for step in &steps {
                let at = format!("{}, {:?}", lesson.key, step.title);
                assert!(!step.text.is_empty() && !step.then.is_empty(), "{at}");
                let choices = match lesson.game {
                    "" => step.choices_on(&step.boards().unwrap_or_else(|| panic!("{at}"))),
                    key => {
                        let mut game = step.game(key).unwrap_or_else(|| panic!("{at}"));
                        let choices = step.choices(&*game);
                        for turn in &step.accepted {
                            let before = game.boxed();
                            game.play(turn).unwrap_or_else(|why| panic!("{at}: {why}"));
                            game = before;
                        }
                        choices
                    }
                };
                let right = step.answers.iter().filter(|(_, right)| *right).count();
                assert_eq!(right, usize::from(step.accepted.is_empty()), "{at}");
                for turn in &step.accepted {
                    let found = choices.iter().any(|choice| choice.turn == *turn);
                    assert!(found, "{at}: {turn} in {choices:?}");
                }
            }
        }
    }

    /// The squares on which a move of White's mates at once, as `3:f7`.
    fn mates(boards: &Boards) -> Vec<String> {
        let mut found = Vec::new();
        for (number, board) in boards.iter() {
            for choice in board.choices() {
                let mut after = boards.clone();
                let line = format!("{number} {}", choice.turn);
                after.take(&after.read(&line).expect("a legal turn"));
                let outcome = after.board(number).and_then(Board::outcome);
                if outcome.is_some_and(|outcome| outcome.winner == Some(Side::First)) {
                    found.push(format!("{number}:{}", &choice.turn[2..4]));
                }
            }
        }
        found.sort();
        found.dedup();
        found
    }

    /// On the boards of a match a puzzle asks for the square of a mate; or for a transfer after which White can mate on
    /// a board. What is accepted is all that does it, and no other.
    #[test]
    fn puzzles_on_boards_have_no_other_solutions() {
        let lessons = LESSONS.iter().filter(|lesson| lesson.game.is_empty());
        for (lesson, step) in lessons.flat_map(|one| one.steps().into_iter().map(move |s| (one, s)))
        {
            if !step.is_puzzle {
                continue;
            }
            let boards = step.boards().expect("boards");
            let solutions = match step.text.split_once("mate at once on board ") {
                None => mates(&boards),
                Some((_, board)) => {
                    let can = |boards: &Boards| {
                        let mates = mates(boards);
                        mates.iter().any(|square| square[..1] == board[..1])
                    };
                    assert!(!can(&boards), "{}, {:?}", lesson.key, step.title);
                    let transfers = step.choices_on(&boards).into_iter();
                    let transfers = transfers.map(|choice| choice.turn);
                    let solves = |turn: &String| {
                        let mut after = boards.clone();
                        let line = transfer(turn).expect("a transfer");
                        after.take(&after.read(&line).expect("a possible one"));
                        can(&after)
                    };
                    transfers.filter(solves).collect()
                }
            };
            assert_eq!(solutions, step.accepted, "{}, {:?}", lesson.key, step.title);
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
        for lesson in LESSONS.iter().filter(|lesson| !lesson.game.is_empty()) {
            for step in lesson.steps().iter().filter(|step| step.is_puzzle) {
                let game = step.game(lesson.game).expect("a game");
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
                assert_eq!(solutions, accepted, "{}, {:?}", lesson.key, step.title);
            }
        }
    }
}
