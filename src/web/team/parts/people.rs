use askama::Template;

use crate::texts;
use crate::texts::team::duties_in_words;
use crate::texts::team::{duty_name, side_word};
use crate::web::answer::Failure;
use crate::web::team::context::TeamContext;
use crate::web::team::labels::{Person, gone, read_member, read_side, side_key};
use crate::web::team::parts::emblem;
use perplex_games::rules::Side;
use perplex_matches::team::Phase;
use perplex_matches::team::event::Duty;

struct Team {
    side: Side,
    name: &'static str,
    emblem: String,
    is_yours: bool,
    /// Each duty with its member; for the other team the boards only.
    posts: Vec<(String, Option<Person>)>,
    agents: Vec<Person>,
    whole: bool,
    members: Vec<Person>,
}

struct Giving {
    key: &'static str,
    name: &'static str,
    duties: Vec<(String, String, bool)>,
    people: Vec<(Person, String, bool)>,
    /// The change, and the duties after it, once both are chosen.
    swap: Option<(String, String)>,
    duty: String,
    to: String,
}

struct Vote {
    choices: Vec<(Person, bool)>,
    stands: Option<String>,
    voters: usize,
    /// The votes for one member that decide.
    needed: usize,
}

#[derive(Template)]
#[template(path = "team/parts/people.html")]
struct People<'a> {
    context: TeamContext<'a>,
    kept: Vec<(&'static str, String)>,
    teams: Vec<Team>,
    giving: Vec<Giving>,
    vote: Option<Vote>,
    you: Option<Person>,
    paused: bool,
    over: bool,
    late: bool,
    gone: Vec<Person>,
    full: [bool; 2],
    join_link: Option<String>,
    projector_link: Option<String>,
    open_boards: String,
}

impl People<'_> {
    /// True if the viewer left, or was removed.
    fn has_gone(&self) -> bool {
        self.you.is_none() && self.context.view.viewer.member.is_some() && !self.over
    }
}

fn team(context: TeamContext, side: Side) -> Team {
    let view = context.view;
    let team = view.state.team(side);
    let whole = view.rights.teams[side.index()];
    let person = |id| Person::new(context, id);
    Team {
        side,
        name: side_word(side),
        emblem: emblem::shown(context, side),
        is_yours: view.rights.side == Some(side),
        posts: team
            .duties
            .all()
            .into_iter()
            .filter(|duty| whole || *duty != Duty::Strategist)
            .map(|duty| (duty_name(duty), team.duties.holder(duty).map(person)))
            .collect(),
        agents: if whole {
            team.agents().map(person).collect()
        } else {
            Vec::new()
        },
        members: if whole {
            team.members.iter().copied().map(person).collect()
        } else {
            Vec::new()
        },
        whole,
    }
}

fn giving(context: TeamContext) -> Vec<Giving> {
    let view = context.view;
    let state = &view.state;
    if context.at.is_some() || !matches!(state.phase, Phase::Playing | Phase::Paused) {
        return Vec::new();
    }
    let asked = read_side(context.fields.get("side"));
    let leads = |side: Side| {
        let strategist = state.team(side).duties.strategist;
        strategist.is_some() && strategist == view.viewer.member
    };
    [Side::First, Side::Second]
        .into_iter()
        .filter(|side| leads(*side) || view.rights.lead)
        .map(|side| {
            let team = state.team(side);
            let (mut duty, mut to) = (None, None);
            if asked == Some(side) {
                let chosen: Option<Duty> = context.fields.get("duty").parse().ok();
                duty = chosen.filter(|duty| team.duties.all().contains(duty));
                let chosen = read_member(context.fields, "to");
                to = Some(chosen).filter(|to| team.members.contains(to));
            }
            // A vacant duty is the most likely one to give.
            let meant = duty.or_else(|| team.duties.vacant().into_iter().next());
            let swap = match (duty, to) {
                (Some(duty), Some(to)) if team.duties.holder(duty) != Some(to) => {
                    let after = team.given(duty, to);
                    let name = |id| view.name(id).to_owned();
                    let told = texts::team::swap(&team.duties, &after, name);
                    Some((told, after.to_string()))
                }
                _ => None,
            };
            Giving {
                key: side_key(side),
                name: side_word(side),
                duties: team
                    .duties
                    .all()
                    .into_iter()
                    .map(|one| {
                        let holder = team.duties.holder(one);
                        let holder = holder.map_or("vacant", |holder| view.name(holder));
                        let name = format!("{} ({holder})", duty_name(one));
                        (one.to_string(), name, Some(one) == meant)
                    })
                    .collect(),
                people: team
                    .members
                    .iter()
                    .map(|id| {
                        let duties = duties_in_words(&team.duties.of(*id));
                        (Person::new(context, *id), duties, Some(*id) == to)
                    })
                    .collect(),
                swap,
                duty: duty.map_or_else(String::new, |duty| duty.to_string()),
                to: to.map_or_else(String::new, |to| to.to_string()),
            }
        })
        .collect()
}

fn vote(context: TeamContext) -> Option<Vote> {
    let view = context.view;
    let (me, side) = (view.viewer.member?, view.rights.side?);
    if !view.rights.vote || context.at.is_some() {
        return None;
    }
    let team = view.state.team(side);
    let mine = team.vote_of(me);
    Some(Vote {
        choices: team
            .members
            .iter()
            .filter(|id| team.duties.strategist != Some(**id))
            .map(|id| (Person::new(context, *id), mine == Some(*id)))
            .collect(),
        stands: mine.map(|id| view.name(id).to_owned()),
        voters: team.voters(),
        needed: team.voters() / 2 + 1,
    })
}

pub fn render(context: TeamContext) -> Result<String, Failure> {
    let view = context.view;
    let state = &view.state;
    let you = context.you();
    let first = view.rights.side.unwrap_or(Side::First);
    let most = perplex_matches::team::lineup::Team::most(state.terms.size);
    let open: Vec<String> = state.boards.open().map(|board| board.to_string()).collect();
    let html = People {
        context,
        kept: context.kept(),
        teams: vec![team(context, first), team(context, first.other())],
        giving: giving(context),
        vote: vote(context),
        you: you.map(|id| Person::new(context, id)),
        paused: state.phase == Phase::Paused,
        over: state.phase == Phase::Over,
        gone: gone(context),
        late: view.rights.join && state.phase != Phase::Over && context.at.is_none(),
        full: [0, 1].map(|index| most.is_some_and(|most| state.teams[index].members.len() >= most)),
        join_link: context.link(view.join_link.as_ref()),
        projector_link: context.link(view.projector_link.as_ref()),
        open_boards: texts::team::boards(&open),
    };
    Ok(html.render()?)
}
