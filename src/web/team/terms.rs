//! The form for the terms of a match: of a new match, or of a lesson that has not begun. A new term is a question
//! here; its words are in `texts/terms.rs`.

use askama::Template;

use crate::app::team::TeamFault;
use crate::app::{AppError, invalid};
use crate::texts;
use crate::texts::terms::Term;
use crate::web::fields::Fields;
use crate::web::problems::Problems;
use perplex_games::perplexichess::Size;
use perplex_matches::team::event::{Deck, Sight, Terms};

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
    is_lesson: bool,
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
        questions.push(question(Term::Listed, &CLUB, false));
        let sizes = |size: Size| (texts::terms::size(size), texts::terms::in_each_team(size));
        Self::new(&CLUB, sizes, false, questions, typed, problems)
    }

    pub fn of_lesson(
        terms: &Terms,
        sizes: impl Fn(Size) -> String,
        typed: &Fields,
        problems: &'a Problems,
    ) -> Self {
        let sizes = |size| (sizes(size), String::new());
        let questions = questions(terms, true);
        Self::new(terms, sizes, true, questions, typed, problems)
    }

    fn new(
        terms: &Terms,
        sizes: impl Fn(Size) -> (String, String),
        is_lesson: bool,
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
            is_lesson,
            questions,
        }
    }
}

/// A question of the form: its name there, the values of its answers, and the one that holds.
fn question(term: Term, terms: &Terms, is_lesson: bool) -> Question {
    let no_yes = |holds: bool| (vec!["no", "yes"], usize::from(holds));
    let (name, (values, holds)) = match term {
        Term::Listed => ("listed", no_yes(terms.listed)),
        Term::Sight => {
            let rooms = usize::from(terms.sight == Sight::Rooms);
            ("sight", (vec!["open", "rooms"], rooms))
        }
        Term::Supervised => ("supervised", no_yes(terms.supervised)),
        Term::Phrases => ("phrases", no_yes(terms.phrases)),
        Term::History => ("history", no_yes(terms.history)),
        Term::Reveal => ("reveal", no_yes(terms.reveal)),
        Term::Quiet => ("quiet", no_yes(terms.quiet)),
        Term::Deck => {
            let mut offered = Deck::CHOICES.into_iter();
            let holds = offered.position(|deck| deck == terms.deck);
            let keys = Deck::CHOICES.map(Deck::key).into();
            ("deck", (keys, holds.unwrap_or_default()))
        }
    };
    let asked = texts::terms::question(term, is_lesson);
    let answers = values.into_iter().zip(asked.answers).enumerate();
    Question {
        name,
        legend: asked.legend,
        choices: answers
            .map(|(index, (value, answer))| Choice {
                value,
                label: answer.label.to_owned(),
                about: answer.about.to_owned(),
                chosen: index == holds,
            })
            .collect(),
    }
}

fn questions(terms: &Terms, is_lesson: bool) -> Vec<Question> {
    [
        Term::Sight,
        Term::Supervised,
        Term::Phrases,
        Term::History,
        Term::Reveal,
        Term::Deck,
        Term::Quiet,
    ]
    .map(|term| question(term, terms, is_lesson))
    .into()
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
        deck: Deck::from_key(fields.get("deck")).unwrap_or(Deck::All),
    })
}
