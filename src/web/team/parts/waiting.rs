use askama::Template;

use crate::texts;
use crate::texts::team::duties_in_words;
use crate::texts::team::side_word;
use crate::web::answer::Failure;
use crate::web::team::context::TeamContext;
use crate::web::team::labels::{Person, teamless};
use crate::web::team::parts::emblem;
use perplex_games::rules::Side;
use perplex_matches::team::Phase;
use perplex_matches::team::event::{Duty, MemberId};

struct Waiting {
    side: Side,
    name: &'static str,
    emblem: String,
    people: Vec<(Person, String)>,
}

#[derive(Template)]
#[template(path = "team/parts/waiting.html")]
struct Wait<'a> {
    context: TeamContext<'a>,
    terms: Vec<String>,
    you: Option<Person>,
    yours: Option<String>,
    choice: String,
    teams: Vec<Waiting>,
    others: Vec<Person>,
    begun: bool,
}

pub fn render(context: TeamContext) -> Result<String, Failure> {
    let view = context.view;
    let state = &view.state;
    let you = context.you();
    // Of the other team a viewer sees the players of the boards, as in the match.
    let words_of = |side: Side, id: MemberId| {
        let duties = state.team(side).duties.of(id);
        let shown = |duty: &Duty| *duty != Duty::Strategist;
        match view.rights.teams[side.index()] {
            true => duties_in_words(&duties),
            false if !duties.iter().any(shown) => String::new(),
            false => duties_in_words(&duties.into_iter().filter(shown).collect::<Vec<_>>()),
        }
    };
    let html = Wait {
        context,
        terms: texts::team::terms(&state.terms, texts::team::leader(view.leader())),
        yours: you.and_then(|id| {
            let side = state.side_of(id)?;
            let team = side_word(side);
            Some(format!("{team}, {}", words_of(side, id)))
        }),
        choice: match view.rights.side {
            Some(side) => emblem::choice(context, side)?,
            None => String::new(),
        },
        you: you.map(|id| Person::new(context, id)),
        teams: [Side::First, Side::Second]
            .map(|side| Waiting {
                side,
                name: side_word(side),
                emblem: emblem::shown(context, side),
                people: state
                    .team(side)
                    .members
                    .iter()
                    .map(|id| (Person::new(context, *id), words_of(side, *id)))
                    .collect(),
            })
            .into(),
        others: teamless(context),
        begun: state.phase != Phase::Gathering,
    };
    Ok(html.render()?)
}
