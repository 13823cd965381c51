//! The terms of a match in words, as the form asks for them. `texts::team::terms` has them as statements.

use perplex_games::perplexichess::Size;
use perplex_matches::team::lineup::Team;

#[derive(Clone, Copy)]
pub enum Term {
    Listed,
    Sight,
    Supervised,
    Phrases,
    History,
    Reveal,
    Quiet,
    Deck,
}

pub struct Question {
    pub legend: &'static str,
    /// In the order of the values in the form.
    pub answers: Vec<Answer>,
}

pub struct Answer {
    pub label: &'static str,
    /// Empty if the label says it all.
    pub about: &'static str,
}

const fn only(label: &'static str) -> Answer {
    Answer { label, about: "" }
}

const fn answer(label: &'static str, about: &'static str) -> Answer {
    Answer { label, about }
}

pub fn question(term: Term, is_lesson: bool) -> Question {
    let (legend, answers) = asked(term, is_lesson);
    Question { legend, answers }
}

fn asked(term: Term, is_lesson: bool) -> (&'static str, Vec<Answer>) {
    match (term, is_lesson) {
        (Term::Listed, _) => (
            "Who can find it?",
            vec![
                only("People who have the link, or are invited"),
                answer(
                    "Everybody",
                    "it stands in the list, and visitors may look on",
                ),
            ],
        ),
        (Term::Sight, _) => (
            "Who sees which boards?",
            vec![
                only("Everybody sees every board"),
                answer(
                    "Players of a board see that one only",
                    "strategists and agents see all",
                ),
            ],
        ),
        (Term::Supervised, false) => (
            "Can you, as the host, read what the teams say among themselves?",
            vec![
                only("No, only the members of a team"),
                answer(
                    "Yes",
                    "everybody is told before joining, and it stands on the page all the time",
                ),
            ],
        ),
        (Term::Supervised, true) => (
            "Can teachers read what the teams say among themselves?",
            vec![
                only("No, only the members of a team"),
                answer("Yes", "it stands on every pupil’s page all the time"),
            ],
        ),
        (Term::Phrases, false) => (
            "How may people talk?",
            vec![
                only("Freely"),
                answer(
                    "In ready-made phrases only",
                    "such as “I need help on board 3”; you can change this at any time, and stop the talk for a while",
                ),
            ],
        ),
        (Term::Phrases, true) => (
            "How do pupils talk at the start?",
            vec![
                only("In their own words"),
                answer(
                    "In ready-made phrases only",
                    "you can change that during the match",
                ),
            ],
        ),
        (Term::History, _) => (
            "What can people who join a team later read?",
            vec![
                only("What the team says from then on"),
                answer(
                    "Also what was said before",
                    "unless they were on the other side",
                ),
            ],
        ),
        (Term::Reveal, is_lesson) => (
            "And when the match is over?",
            vec![
                only("The teams’ talk stays secret"),
                only(if is_lesson {
                    "Everybody in the lesson can read it"
                } else {
                    "Everybody who may see the match can read it"
                }),
            ],
        ),
        (Term::Deck, true) => (
            "Which rule cards are pupils offered?",
            vec![
                answer(
                    "All cards",
                    "those of the class and the beginners’ cards first",
                ),
                answer(
                    "The beginners’ cards only",
                    "eight that are quick to understand",
                ),
                only("The cards of the class only"),
                answer("None", "they make their own rules"),
            ],
        ),
        (Term::Deck, false) => (
            "Which rule cards are players offered?",
            vec![
                answer("All cards", "your own and the beginners’ cards first"),
                answer(
                    "The beginners’ cards only",
                    "eight that are quick to understand",
                ),
                only("Your own cards only"),
                answer("None", "they make their own rules"),
            ],
        ),
        (Term::Quiet, _) => (
            "What happens when it becomes somebody’s turn?",
            vec![
                answer(
                    "Their device chimes softly and vibrates",
                    "everybody can switch that off for themselves",
                ),
                only("All devices stay quiet"),
            ],
        ),
    }
}

pub fn size(size: Size) -> String {
    format!("{} boards", size.boards())
}

pub fn in_each_team(size: Size) -> String {
    format!("{} people in each team", people(size))
}

/// Number of people that a team needs: `4 to 6`, `9 or more`.
pub fn people(size: Size) -> String {
    let fewest = 1 + usize::from(size.boards()) + size.agents().0;
    range(fewest, Team::most(size))
}

/// Number of agents that a team has.
pub fn agents(size: Size) -> String {
    let (fewest, most) = size.agents();
    range(fewest, most)
}

fn range(fewest: usize, most: Option<usize>) -> String {
    match most {
        Some(most) => format!("{fewest} to {most}"),
        None => format!("{fewest} or more"),
    }
}
