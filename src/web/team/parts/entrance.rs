//! Joining a lesson: its code, and the projector before it begins or goes on.

use std::sync::Arc;

use askama::Template;

use crate::texts;
use crate::texts::team::{duty_name, side_word};
use crate::web::answer::Failure;
use crate::web::qr;
use crate::web::team::context::TeamContext;
use crate::web::team::labels::Person;
use crate::web::team::parts::emblem;
use perplex_games::rules::Side;
use perplex_matches::classroom::roster;
use perplex_matches::team::event::{Actor, Duty, EventKind, MemberId};
use perplex_matches::team::{Logged, Phase};

pub struct Entrance {
    pub halves: [String; 2],
    pub address: String,
    pub picture: String,
}

impl Entrance {
    pub fn of(context: TeamContext) -> Option<Self> {
        let code = context.view.lesson.as_ref()?.code.as_deref()?;
        let url = &context.request.app.url;
        let (first, last) = code.split_at(code.len() / 2);
        let link = format!("{url}/join/{code}");
        let label = texts::team::code(&link);
        Some(Self {
            halves: [first.to_owned(), last.to_owned()],
            address: context.request.typed("/join"),
            picture: qr::svg(&link, &label),
        })
    }
}

/// A team that has been seated, as both teams may see it: who leads it, and who is an agent, is not said.
struct Seated {
    side: &'static str,
    name: &'static str,
    emblem: String,
    /// Each board with the name of its boardman.
    boards: Vec<(String, String)>,
    /// The members who play no board.
    others: String,
}

fn seated(context: TeamContext, side: Side) -> Seated {
    let view = context.view;
    let team = view.state.team(side);
    let duties = team.duties.all();
    let boards = duties.into_iter().filter(|duty| *duty != Duty::Strategist);
    let holder = |duty| team.duties.holder(duty).map_or("–", |id| view.name(id));
    let plays = |id: &MemberId| !view.state.boards_of(*id).is_empty();
    let others = team.members.iter().filter(|id| !plays(id));
    let mut others: Vec<&str> = others.map(|id| view.name(*id)).collect();
    others.sort_by_cached_key(|name| roster::order(name));
    Seated {
        side: side.key(),
        name: side_word(side),
        emblem: emblem::shown(context, side),
        boards: boards
            .map(|duty| (duty_name(duty), holder(duty).to_owned()))
            .collect(),
        others: texts::list(&others),
    }
}

#[derive(Template)]
#[template(path = "team/parts/projector-lobby.html")]
struct Lobby<'a> {
    context: TeamContext<'a>,
    entrance: Option<Entrance>,
    people: Vec<Person>,
    /// The teams, once duties are given; until then empty.
    teams: Vec<Seated>,
}

/// The projector's content before a lesson begins or goes on: how to join, and who has joined, or who does what. A pupil who puts the
/// tablet down meanwhile still counts as present.
pub fn render_lobby(context: TeamContext) -> Result<String, Failure> {
    let state = &context.view.state;
    let again = state.log.iter().rev().find(|logged| {
        state.gathers_again() && matches!(logged.event.kind, EventKind::SetJoinable(true))
    });
    let since = again.map_or(state.created, |logged| logged.event.at);
    let now = context.request.now;
    let lesson = context.view.lesson.as_ref();
    let came = |id: MemberId| {
        let seen = lesson.and_then(|lesson| lesson.seen.get(&id));
        let here = lesson.is_some_and(|lesson| lesson.is_online(id, now));
        // A page that has just asked is not noted yet.
        let joined = |logged: &&Arc<Logged>| {
            logged.event.by == Actor::Member(id) && matches!(logged.event.kind, EventKind::Join(..))
        };
        let joined = state.log.iter().rev().find(joined);
        let joined = joined.is_some_and(|logged| logged.event.at >= since);
        here || joined || seen.is_some_and(|at| *at >= since)
    };
    let has_duties = |side| {
        let duties = &state.team(side).duties;
        duties
            .all()
            .into_iter()
            .any(|duty| duties.holder(duty).is_some())
    };
    // When a match goes on, what matters is who is back.
    let is_seated = state.phase == Phase::Gathering && Side::ALL.into_iter().any(has_duties);
    let part = Lobby {
        context,
        entrance: Entrance::of(context),
        teams: if is_seated {
            Side::ALL.map(|side| seated(context, side)).into()
        } else {
            Vec::new()
        },
        people: state
            .members
            .iter()
            .filter(|(id, member)| member.left.is_none() && came(**id))
            .filter(|(_, member)| !is_seated || member.team.is_none())
            .map(|(id, _)| Person::new(context, *id))
            .collect(),
    };
    Ok(part.render()?)
}
