//! The form for the terms of a match: of a new match, or of a lesson that has not begun. A new term is a question
//! here.

use askama::Template;

use crate::app::team::TeamFault;
use crate::app::{AppError, invalid};
use crate::web::fields::Fields;
use crate::web::problems::Problems;
use perplex_games::perplexichess::Size;
use perplex_matches::team::event::{Sight, Terms};
use perplex_matches::team::lineup::Team;

struct Choice {
    value: &'static str,
    label: String,
    about: String,
    chosen: bool,
}

struct Question {
    name: &'static str,
    legend: &'static str,
    choices: Vec<Choice>,
}

#[derive(Template)]
#[template(path = "team/terms.html")]
pub struct TermsForm<'a> {
    problems: &'a Problems,
    sizes: Vec<Choice>,
    has_limit: bool,
    minutes: String,
    about_no_limit: &'static str,
    questions: Vec<Question>,
}

const CLUB: Terms = Terms {
    seconds: Some(3600),
    ..Terms::of(Size::Small)
};

const LESSON_MINUTES: u32 = 35;

impl<'a> TermsForm<'a> {
    pub fn of_club(typed: &Fields, problems: &'a Problems) -> Self {
        let mut questions = questions(&CLUB, false);
        questions.push(question(
            "listed",
            "Who can find it?",
            CLUB.listed,
            ("People who have the link, or are invited", ""),
            (
                "Everybody",
                "it stands in the list, and visitors may look on",
            ),
        ));
        let sizes = |size: Size| {
            let about = format!("{} people in each team", people(size));
            (format!("{} boards", size.boards()), about)
        };
        let about_no_limit = "for play over days";
        Self::new(&CLUB, sizes, about_no_limit, questions, typed, problems)
    }

    pub fn of_lesson(
        terms: &Terms,
        sizes: impl Fn(Size) -> String,
        typed: &Fields,
        problems: &'a Problems,
    ) -> Self {
        let sizes = |size| (sizes(size), String::new());
        let questions = questions(terms, true);
        Self::new(terms, sizes, "", questions, typed, problems)
    }

    fn new(
        terms: &Terms,
        sizes: impl Fn(Size) -> (String, String),
        about_no_limit: &'static str,
        mut questions: Vec<Question>,
        typed: &Fields,
        problems: &'a Problems,
    ) -> Self {
        let or = |name: &str, holds: &'static str| match typed.get(name) {
            "" => holds.to_owned(),
            typed => typed.to_owned(),
        };
        // The typed values stay.
        for question in &mut questions {
            let wanted = typed.get(question.name);
            if question.choices.iter().any(|choice| choice.value == wanted) {
                for choice in &mut question.choices {
                    choice.chosen = choice.value == wanted;
                }
            }
        }
        let size = or("size", terms.size.key());
        let limit = or("limit", terms.seconds.map_or("none", |_| "minutes"));
        let minutes = terms.seconds.map_or(LESSON_MINUTES, |seconds| seconds / 60);
        Self {
            problems,
            sizes: Size::ALL
                .map(|one| {
                    let (label, about) = sizes(one);
                    Choice {
                        value: one.key(),
                        label,
                        about,
                        chosen: size == one.key(),
                    }
                })
                .into(),
            has_limit: limit == "minutes",
            minutes: match typed.get("minutes") {
                "" => minutes.to_string(),
                typed => typed.to_owned(),
            },
            about_no_limit,
            questions,
        }
    }
}

/// A question with two answers, no and yes: each with its label, and a sentence about it.
fn question(
    name: &'static str,
    legend: &'static str,
    holds: bool,
    no: (&str, &str),
    yes: (&str, &str),
) -> Question {
    let choice = |value, (label, about): (&str, &str), chosen| Choice {
        value,
        label: label.to_owned(),
        about: about.to_owned(),
        chosen,
    };
    Question {
        name,
        legend,
        choices: vec![choice("no", no, !holds), choice("yes", yes, holds)],
    }
}

fn questions(terms: &Terms, is_lesson: bool) -> Vec<Question> {
    let words = |club: &'static str, lesson: &'static str| if is_lesson { lesson } else { club };
    let mut sight = question(
        "sight",
        "Who sees which boards?",
        terms.sight == Sight::Rooms,
        ("Everybody sees every board", ""),
        (
            "Players of a board see that one only",
            "strategists and agents see all",
        ),
    );
    for (choice, value) in sight.choices.iter_mut().zip(["open", "rooms"]) {
        choice.value = value;
    }
    vec![
        sight,
        question(
            "supervised",
            words(
                "Can you, as the host, read what the teams say among themselves?",
                "Can teachers read what the teams say among themselves?",
            ),
            terms.supervised,
            ("No, only the members of a team", ""),
            (
                "Yes",
                words(
                    "everybody is told before joining, and it stands on the page all the time",
                    "it stands on every pupil’s page all the time",
                ),
            ),
        ),
        question(
            "phrases",
            words("How may people talk?", "How do pupils talk at the start?"),
            terms.phrases,
            (words("Freely", "In their own words"), ""),
            (
                "In ready-made phrases only",
                words(
                    "such as “I need help on board 3”; you can change this at any time, and stop the talk for a while",
                    "you can change that during the match",
                ),
            ),
        ),
        question(
            "history",
            "What do those read who join a team later?",
            terms.history,
            ("What the team says from then on", ""),
            (
                "Also what was said before",
                "unless they were on the other side",
            ),
        ),
        question(
            "reveal",
            "And when the match is over?",
            terms.reveal,
            ("The teams’ talk stays secret", ""),
            (
                words(
                    "Everybody who may see the match can read it",
                    "Everybody in the lesson can read it",
                ),
                "",
            ),
        ),
        question(
            "quiet",
            "What happens when it becomes somebody’s turn?",
            terms.quiet,
            (
                "Their device chimes softly and vibrates",
                "everybody can switch that off for themselves",
            ),
            ("All devices stay quiet", ""),
        ),
    ]
}

/// Number of people that a team needs: `4 to 6`, `9 or more`.
pub fn people(size: Size) -> String {
    let fewest = 1 + usize::from(size.boards()) + size.agents().0;
    match Team::most(size) {
        Some(most) => format!("{fewest} to {most}"),
        None => format!("{fewest} or more"),
    }
}

pub fn terms(fields: &Fields) -> Result<Terms, AppError> {
    let size =
        Size::from_key(fields.get("size")).ok_or_else(|| invalid("size", TeamFault::NoSize))?;
    let seconds = match (fields.get("limit"), fields.get("minutes").trim()) {
        ("none", _) => None,
        (_, minutes) => {
            let minutes: Option<u32> = minutes.parse().ok();
            let seconds = minutes.and_then(|minutes| minutes.checked_mul(60));
            Some(seconds.ok_or_else(|| invalid("minutes", TeamFault::TimeLimit))?)
        }
    };
    Ok(Terms {
        size,
        seconds,
        sight: if fields.get("sight") == "rooms" {
            Sight::Rooms
        } else {
            Sight::Open
        },
        supervised: fields.get("supervised") == "yes",
        listed: fields.get("listed") == "yes",
        reveal: fields.get("reveal") == "yes",
        phrases: fields.get("phrases") == "yes",
        history: fields.get("history") == "yes",
        quiet: fields.get("quiet") == "yes",
    })
}
