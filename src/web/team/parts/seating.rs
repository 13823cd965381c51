//! A lesson before it begins, for its teacher: presence and seats.

use askama::Template;

use crate::app::team::lesson::LessonView;
use crate::texts;
use crate::texts::team::{duty_name, missing, side_word};
use crate::web::answer::Failure;
use crate::web::team::context::TeamContext;
use crate::web::team::labels::{Person, SeatedMember, side_key};
use crate::web::team::parts::entrance::Entrance;
use crate::web::team::parts::{attendance, emblem};
use crate::web::team::terms::TermsForm;
use perplex_games::rules::Side;
use perplex_matches::classroom::seating::{Fit, Proposal};
use perplex_matches::team::Phase;
use perplex_matches::team::event::{Duty, MemberId};

struct Seat {
    key: String,
    name: String,
    holder: Option<SeatedMember>,
}

struct Column {
    emblem: String,
    side: Side,
    key: &'static str,
    name: &'static str,
    count: usize,
    seats: Vec<Seat>,
    agents: Vec<SeatedMember>,
    missing: String,
    vacant: bool,
}

struct PlaceOption {
    key: String,
    name: String,
}

#[derive(Template)]
#[template(path = "team/parts/seating.html")]
struct Part<'a> {
    context: TeamContext<'a>,
    choices: [String; 2],
    lesson: &'a LessonView,
    entrance: Option<Entrance>,
    projector_link: Option<String>,
    people: usize,
    here: usize,
    proposal: Proposal,
    better: Option<Proposal>,
    teams: Vec<Column>,
    teamless: Vec<SeatedMember>,
    chosen: Option<SeatedMember>,
    unchosen: String,
    everybody: Vec<Person>,
    options: Vec<PlaceOption>,
    terms: String,
    seated: bool,
    ready: bool,
}

impl Part<'_> {
    fn fits(&self) -> bool {
        self.proposal.fit == Fit::Full
    }
}

fn place_key(side: Side, duty: Duty) -> String {
    format!("{}:{duty}", side_key(side))
}

/// The part of the page that changes, for the teacher; once the match has begun, the attendance.
pub fn render(context: TeamContext, lesson: &LessonView) -> Result<String, Failure> {
    let view = context.view;
    if view.state.phase != Phase::Gathering {
        return attendance::render(context, lesson);
    }
    let state = &view.state;
    let now = context.request.now;
    let picked: Option<MemberId> = context.fields.get("move").parse().ok().map(MemberId);
    let chip = |id: MemberId| SeatedMember {
        id,
        name: view.name(id).to_owned(),
        here: lesson.is_online(id, now),
        chosen: picked == Some(id),
        address: context.address(&[("move", &id.to_string())]),
    };
    let current: Vec<MemberId> = state
        .members
        .iter()
        .filter(|(_, member)| member.left.is_none())
        .map(|(id, _)| *id)
        .collect();
    let size = state.terms.size;
    let best = Proposal::best(current.len());
    let column = |side: Side| {
        let team = state.team(side);
        Column {
            emblem: emblem::shown(context, side),
            side,
            key: side_key(side),
            name: side_word(side),
            count: team.members.len(),
            seats: team
                .duties
                .all()
                .into_iter()
                .map(|duty| Seat {
                    key: place_key(side, duty),
                    name: duty_name(duty),
                    holder: team.duties.holder(duty).map(chip),
                })
                .collect(),
            agents: team.agents().map(chip).collect(),
            missing: texts::list(&missing(&team.missing(size))),
            vacant: !team.duties.vacant().is_empty(),
        }
    };
    let teams: Vec<Column> = [Side::First, Side::Second].map(column).into();
    let mut options = Vec::new();
    for team in &teams {
        for seat in &team.seats {
            options.push(PlaceOption {
                key: seat.key.clone(),
                name: format!("{}: {}", team.name, seat.name),
            });
        }
        options.push(PlaceOption {
            key: format!("{}:agent", team.key),
            name: format!("{}: agent", team.name),
        });
    }
    let teamless: Vec<SeatedMember> = current
        .iter()
        .filter(|id| {
            state
                .members
                .get(id)
                .is_some_and(|member| member.team.is_none())
        })
        .map(|id| chip(*id))
        .collect();
    let ready = teams.iter().all(|team| team.count > 0) && teamless.is_empty();
    let html = Part {
        context,
        choices: [
            emblem::choice(context, Side::First)?,
            emblem::choice(context, Side::Second)?,
        ],
        lesson,
        entrance: Entrance::of(context),
        projector_link: context.link(view.projector_link.as_ref()),
        people: current.len(),
        here: current
            .iter()
            .filter(|id| lesson.is_online(**id, now))
            .count(),
        proposal: Proposal::of(size, current.len()),
        better: (best.size != size && current.len() > 1).then_some(best),
        seated: teams.iter().any(|team| team.count > 0),
        ready,
        teams,
        teamless,
        chosen: picked.filter(|id| current.contains(id)).map(chip),
        unchosen: context.address(&[]),
        everybody: current.iter().map(|id| Person::new(context, *id)).collect(),
        options,
        terms: TermsForm::of_lesson(
            &state.terms,
            |size| texts::team::proposal(&Proposal::of(size, current.len())),
            context.fields,
            context.problems,
        )
        .render()?,
    };
    Ok(html.render()?)
}
