//! The emblem of a team: its badge and name, and the form with which it is chosen before the start.

use askama::Template;

use crate::texts::capital;
use crate::texts::team::{side_word, team_name};
use crate::web::answer::Failure;
use crate::web::team::context::TeamContext;
use crate::web::team::labels::side_key;
use perplex_games::rules::Side;
use perplex_matches::team::Phase;
use perplex_matches::team::emblem::{COLOURS, Emblem, SIGNS, WORDS};

/// The picture of each sign, in the order of [`SIGNS`], in a box of 24.
const PICTURES: [&str; SIGNS.len()] = [
    "M12 2l3 6.5 7 .8-5.2 4.8 1.4 7-6.2-3.5-6.2 3.5 1.4-7L2 9.3l7-.8z",
    "M14 3a9 9 0 1 0 7 12.5A8 8 0 0 1 14 3z",
    "M12 7.5a4.5 4.5 0 1 0 .01 0M12 1.5v2.7M12 19.8v2.7M1.5 12h2.7M19.8 12h2.7M4.6 4.6l1.9 1.9M17.5 17.5l1.9 1.9M4.6 19.4l1.9-1.9M17.5 6.5l1.9-1.9",
    "M13.5 2L5 13.5h5.5L9 22l9.5-12.5H13z",
    "M12 2c1 4 6.5 6.5 6.5 12a6.5 6.5 0 0 1-13 0c0-3 2-4.5 2.6-7.5 1.6 1 2.2 2.6 2.3 4.5C12 9 12.6 5.5 12 2z",
    "M20.5 3.5C9.5 3.5 4 9 5 16.500L2.5 21l4-1.500c9 1 14-5 14-16z",
    "M2 9.500c3.3-4 5-4 7.5 0s4.2 4 6.5 0 4-3 6-1M2 16.500c3.3-4 5-4 7.5 0s4.2 4 6.5 0 4-3 6-1",
    "M1.5 20L9 6.500l4 6 3-4L22.5 20z",
    "M2.5 9.500h10V4.500L21.5 12l-9 7.500v-5h-10z",
    "M3.5 19h17l1.5-11-5.5 4L12 4 7.5 12 2 8z",
    "M12 2v20M3.3 7l17.4 10M20.7 7L3.3 17M9 3.500l3 3 3-3M9 20.500l3-3 3 3",
    "M12 1.500c4 3 5 7 5 11l3 4-4.2-.500c-.8 1.5-1.3 4-3.8 6.5-2.5-2.5-3-5-3.8-6.500L4 16.500l3-4c0-4 1-8 5-11z",
];

fn badge(emblem: Emblem) -> String {
    let picture = SIGNS
        .iter()
        .zip(PICTURES)
        .find(|(sign, _)| **sign == emblem.sign)
        .map_or("", |(_, picture)| picture);
    format!(
        "<svg class=\"emblem {}\" viewBox=\"-5 -5 34 34\" aria-hidden=\"true\"><path class=\"{}\" d=\"{picture}\"/></svg>",
        emblem.colour, emblem.sign
    )
}

/// A team's badge and name, to stand beside the name of its side; empty without an emblem.
pub fn shown(context: TeamContext, side: Side) -> String {
    let emblem = context.view.state.team(side).emblem;
    emblem.map_or_else(String::new, |emblem| {
        let (badge, name) = (badge(emblem), team_name(emblem));
        format!("<span class=\"team-emblem\">{badge} {name}</span>")
    })
}

/// A list to choose from.
struct List {
    field: &'static str,
    label: &'static str,
    /// Each word as it is sent and as it is shown, with the present one marked.
    words: Vec<(&'static str, String, bool)>,
}

#[derive(Template)]
#[template(path = "team/parts/emblem.html")]
struct Choice<'a> {
    context: TeamContext<'a>,
    key: &'static str,
    name: &'static str,
    now: Option<Emblem>,
    lists: [List; 3],
    /// True for the grand strategist; the host only takes an emblem away.
    chooses: bool,
}

/// The form for who may choose the emblem; empty for others.
pub fn choice(context: TeamContext, side: Side) -> Result<String, Failure> {
    let state = &context.view.state;
    let team = state.team(side);
    let me = context.view.viewer.member;
    let chooses = me.is_some_and(|me| state.chooses_emblem(me, side));
    let may = chooses || (context.view.rights.lead && team.emblem.is_some());
    if !may || state.phase != Phase::Gathering {
        return Ok(String::new());
    }
    let now = team.emblem;
    let typed = |field: &str| context.fields.get(field).to_owned();
    let list = |field: &'static str, label, words: &[&'static str], now: Option<&str>| {
        // After a refusal what was picked stays.
        let typed = typed(field);
        let now = now.filter(|_| typed.is_empty()).unwrap_or(&typed);
        let words = words
            .iter()
            .map(|word| (*word, capital(word), *word == now));
        List {
            field,
            label,
            words: words.collect(),
        }
    };
    let choice = Choice {
        context,
        key: side_key(side),
        name: side_word(side),
        lists: [
            list("word", "Name", &WORDS, now.map(|now| now.word)),
            list("sign", "Sign", &SIGNS, now.map(|now| now.sign)),
            list("colour", "Colour", &COLOURS, now.map(|now| now.colour)),
        ],
        now,
        chooses,
    };
    Ok(choice.render()?)
}
