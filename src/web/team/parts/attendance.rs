//! A lesson that has begun, for its teacher: presence, and stand-ins for absent members.

use askama::Template;

use crate::app::team::TeamView;
use crate::app::team::lesson::LessonView;
use crate::app::team::lessons::StandIn;
use crate::texts;
use crate::texts::team::duties_in_words;
use crate::texts::team::side_word;
use crate::web::answer::Failure;
use crate::web::team::context::TeamContext;
use crate::web::team::labels::SeatedMember;
use crate::web::team::parts::entrance::Entrance;
use perplex_games::rules::Side;
use perplex_matches::team::Phase;
use perplex_matches::team::event::MemberId;

type TeamPresence = (Side, &'static str, Vec<(SeatedMember, String)>);

struct Change {
    team: &'static str,
    absent: String,
    then: String,
}

#[derive(Template)]
#[template(path = "team/parts/attendance.html")]
struct Now<'a> {
    context: TeamContext<'a>,
    entrance: Option<Entrance>,
    projector_link: Option<String>,
    paused: bool,
    over: bool,
    left: Option<String>,
    teams: Vec<TeamPresence>,
    here: usize,
    people: usize,
    changes: Vec<Change>,
    /// Teams without a present member who could stand in.
    empty: Vec<&'static str>,
}

/// The members who take over duties, with these; absent members who have nothing left to do are not named again.
fn takers(view: &TeamView, one: &StandIn) -> String {
    let mut takers: Vec<MemberId> = Vec::new();
    for duty in one.after.all() {
        let taker = one.after.holder(duty);
        let taker = taker.filter(|taker| one.before.of(*taker) != one.after.of(*taker));
        takers.extend(taker.filter(|taker| !takers.contains(taker)));
    }
    let told: Vec<String> = takers
        .into_iter()
        .map(|taker| {
            let duties = duties_in_words(&one.after.of(taker));
            format!("{}: {duties}", view.name(taker))
        })
        .collect();
    told.join("; ")
}

pub fn render(context: TeamContext, lesson: &LessonView) -> Result<String, Failure> {
    let view = context.view;
    let state = &view.state;
    let at = context.request.now;
    let name = |id: MemberId| view.name(id).to_owned();
    let teams: Vec<TeamPresence> = [Side::First, Side::Second]
        .map(|side| {
            let team = state.team(side);
            let people = team.members.iter().map(|id| {
                let chip = SeatedMember {
                    id: *id,
                    name: name(*id),
                    here: lesson.is_online(*id, at),
                    chosen: false,
                    address: String::new(),
                };
                (chip, duties_in_words(&team.duties.of(*id)))
            });
            (side, side_word(side), people.collect())
        })
        .into();
    let everybody = || teams.iter().flat_map(|(_, _, people)| people);
    let names = |ids: &[MemberId]| {
        let names: Vec<&str> = ids.iter().map(|id| view.name(*id)).collect();
        texts::list(&names)
    };
    let app = &context.request.app;
    let part = Now {
        context,
        entrance: Entrance::of(context),
        projector_link: context.link(view.projector_link.as_ref()),
        paused: state.phase == Phase::Paused,
        over: state.phase == Phase::Over,
        left: state.time_left(at).map(crate::texts::in_words),
        here: everybody().filter(|(chip, _)| chip.here).count(),
        people: everybody().count(),
        changes: app
            .stand_ins(view)
            .into_iter()
            .map(|one| Change {
                team: side_word(one.side),
                absent: names(&one.absent),
                then: takers(view, &one),
            })
            .collect(),
        empty: teams
            .iter()
            .filter(|(_, _, people)| people.iter().all(|(chip, _)| !chip.here))
            .map(|(_, name, _)| *name)
            .collect(),
        teams,
    };
    Ok(part.render()?)
}
