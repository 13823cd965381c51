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
}

pub struct Question {
    pub legend: &'static str,
    pub no: Answer,
    pub yes: Answer,
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

pub const fn question(term: Term, is_lesson: bool) -> Question {
    match (term, is_lesson) {
        (Term::Listed, _) => Question {
            legend: "Who can find it?",
            no: only("People who have the link, or are invited"),
            yes: answer(
                "Everybody",
                "it stands in the list, and visitors may look on",
            ),
        },
        (Term::Sight, _) => Question {
            legend: "Who sees which boards?",
            no: only("Everybody sees every board"),
            yes: answer(
                "Players of a board see that one only",
                "strategists and agents see all",
            ),
        },
        (Term::Supervised, false) => Question {
            legend: "Can you, as the host, read what the teams say among themselves?",
            no: only("No, only the members of a team"),
            yes: answer(
                "Yes",
                "everybody is told before joining, and it stands on the page all the time",
            ),
        },
        (Term::Supervised, true) => Question {
            legend: "Can teachers read what the teams say among themselves?",
            no: only("No, only the members of a team"),
            yes: answer("Yes", "it stands on every pupil’s page all the time"),
        },
        (Term::Phrases, false) => Question {
            legend: "How may people talk?",
            no: only("Freely"),
            yes: answer(
                "In ready-made phrases only",
                "such as “I need help on board 3”; you can change this at any time, and stop the talk for a while",
            ),
        },
        (Term::Phrases, true) => Question {
            legend: "How do pupils talk at the start?",
            no: only("In their own words"),
            yes: answer(
                "In ready-made phrases only",
                "you can change that during the match",
            ),
        },
        (Term::History, _) => Question {
            legend: "What can people who join a team later read?",
            no: only("What the team says from then on"),
            yes: answer(
                "Also what was said before",
                "unless they were on the other side",
            ),
        },
        (Term::Reveal, is_lesson) => Question {
            legend: "And when the match is over?",
            no: only("The teams’ talk stays secret"),
            yes: only(if is_lesson {
                "Everybody in the lesson can read it"
            } else {
                "Everybody who may see the match can read it"
            }),
        },
        (Term::Quiet, _) => Question {
            legend: "What happens when it becomes somebody’s turn?",
            no: answer(
                "Their device chimes softly and vibrates",
                "everybody can switch that off for themselves",
            ),
            yes: only("All devices stay quiet"),
        },
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
