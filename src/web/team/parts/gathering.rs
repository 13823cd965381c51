use askama::Template;

use crate::texts;
use crate::texts::team::{duty_name, missing, side_word};
use crate::web::answer::Failure;
use crate::web::team::context::TeamContext;
use crate::web::team::labels::{Person, side_key, teamless};
use crate::web::team::parts::{emblem, seating, waiting};
use perplex_games::rules::Side;
use perplex_matches::names::isolated;
use perplex_matches::team::Phase;

struct Place {
    key: String,
    name: String,
    holder: Option<Person>,
}

struct TeamColumn {
    side: Side,
    key: &'static str,
    name: &'static str,
    emblem: String,
    choice: String,
    is_yours: bool,
    arranges: bool,
    full: bool,
    places: Vec<Place>,
    agents: Vec<Person>,
    everybody: Vec<Person>,
    missing: Vec<String>,
}

fn column(context: TeamContext, side: Side) -> Result<TeamColumn, Failure> {
    let view = context.view;
    let team = view.state.team(side);
    let size = view.state.terms.size;
    let most = perplex_matches::team::lineup::Team::most(size);
    let is_yours = view.rights.side == Some(side);
    let person = |id| Person::new(context, id);
    let places = team
        .duties
        .all()
        .into_iter()
        .map(|duty| Place {
            key: duty.to_string(),
            name: duty_name(duty),
            holder: team.duties.holder(duty).map(person),
        })
        .collect();
    Ok(TeamColumn {
        side,
        key: side_key(side),
        name: side_word(side),
        emblem: emblem::shown(context, side),
        choice: emblem::choice(context, side)?,
        is_yours,
        arranges: view.rights.lead || (is_yours && view.rights.choose),
        full: most.is_some_and(|most| team.members.len() >= most),
        places,
        agents: team.agents().map(person).collect(),
        everybody: team.members.iter().copied().map(person).collect(),
        missing: missing(&team.missing(size)),
    })
}

#[derive(Template)]
#[template(path = "team/parts/gathering.html")]
struct Part<'a> {
    context: TeamContext<'a>,
    terms: Vec<String>,
    teams: Vec<TeamColumn>,
    waiting: Vec<Person>,
    you: Option<Person>,
    teamless: bool,
    begun: bool,
    over: bool,
    join_link: Option<String>,
    projector_link: Option<String>,
    join_action: String,
    /// The page to which a guest returns after signing in.
    back: String,
}

impl Part<'_> {
    fn complete(&self) -> bool {
        self.teams.iter().all(|team| team.missing.is_empty())
    }

    fn invited(&self) -> String {
        let invited = &self.context.view.invited;
        let names = invited.iter().map(|name| isolated(texts::person(name)));
        let names: Vec<String> = names.collect();
        texts::list(&names)
    }
}

#[derive(Template)]
#[template(path = "team/parts/called-off.html")]
struct CalledOff<'a> {
    context: TeamContext<'a>,
}

fn called_off(context: TeamContext) -> Result<String, Failure> {
    let part = CalledOff { context };
    Ok(part.render()?)
}

pub fn render(context: TeamContext) -> Result<String, Failure> {
    let view = context.view;
    if view.state.was_called_off() {
        return called_off(context);
    }
    match &view.lesson {
        Some(lesson) if view.rights.lead => return seating::render(context, lesson),
        Some(_) => return waiting::render(context),
        None => {}
    }
    let state = &view.state;
    let you = context.you();
    let join_action = match (&context.request.access.link, view.viewer.by_link) {
        (Some(proof), true) => format!("{}/join/{proof}", context.base()),
        _ => format!("{}/join", context.base()),
    };
    let html = Part {
        context,
        terms: texts::team::terms(&state.terms, texts::team::leader(view.leader())),
        teams: vec![
            column(context, Side::First)?,
            column(context, Side::Second)?,
        ],
        waiting: teamless(context),
        teamless: you.is_some() && view.rights.side.is_none(),
        you: you.map(|id| Person::new(context, id)),
        begun: state.phase != Phase::Gathering,
        over: state.phase == Phase::Over,
        join_link: context.link(view.join_link.as_ref()),
        projector_link: context.link(view.projector_link.as_ref()),
        back: texts::encode(if view.viewer.by_link {
            &join_action
        } else {
            context.base()
        }),
        join_action,
    };
    Ok(html.render()?)
}
