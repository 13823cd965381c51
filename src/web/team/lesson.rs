//! A lesson before it begins, for its teacher: the code, who is there, and who sits where; and the same for a
//! lesson that goes on another day. What pupils see meanwhile.

use std::sync::Arc;

use askama::Template;

use crate::app::teams::TeamView;
use crate::app::teams::lessons::{Keep, LessonView, StandIn};
use crate::web::answer::{Answer, Failure, see};
use crate::web::fields::Fields;
use crate::web::problems::Problems;
use crate::web::request::{Post, RequestContext};
use crate::web::team::gather::{Person, duty_name, member};
use crate::web::team::make::{key_of, side, terms};
use crate::web::team::{TeamContext, TeamRequest, after, boards, live};
use crate::web::{qr, words};
use perplex_games::perplexichess::Size;
use perplex_games::rules::Side;
use perplex_matches::classroom::seating::{Fit, Proposal};
use perplex_matches::id::AccountId;
use perplex_matches::team::event::{Actor, Duty, MemberId, Sight, Terms, What};
use perplex_matches::team::record::duties_in_words;
use perplex_matches::team::seats::Place;
use perplex_matches::team::{Command, Logged, Phase};

/// Somebody who can be put somewhere.
struct Chip {
    id: MemberId,
    name: String,
    /// A page of theirs was heard of lately.
    here: bool,
    /// Is about to be put somewhere.
    chosen: bool,
    /// Where another is chosen by a click.
    address: String,
}

/// A duty that somebody has or not.
struct Seat {
    /// What forms call the place: `white:strategist`.
    key: String,
    name: String,
    holder: Option<Chip>,
}

/// A team that is put together.
struct Column {
    side: Side,
    key: &'static str,
    name: &'static str,
    count: usize,
    seats: Vec<Seat>,
    agents: Vec<Chip>,
    /// What would be there at full strength; empty if it is.
    missing: String,
    /// Whether a duty is nobody's.
    vacant: bool,
}

/// A size that can be chosen.
struct Choice {
    key: &'static str,
    about: String,
    chosen: bool,
}

/// A place that can be chosen by its name.
struct Where {
    key: String,
    name: String,
}

/// How a lesson is joined.
struct Entrance {
    /// The code, in two halves, so that it is read and typed easily.
    halves: [String; 2],
    /// The address, without `https://`.
    address: String,
    picture: String,
}

impl Entrance {
    fn of(context: TeamContext) -> Option<Self> {
        let code = context.view.lesson.as_ref()?.code.as_deref()?;
        let url = &context.request.app.url;
        let (first, last) = code.split_at(code.len() / 2);
        let link = format!("{url}/join/{code}");
        let label = format!("A code to point a camera at; it leads to {link}");
        Some(Self {
            halves: [first.to_owned(), last.to_owned()],
            address: context.request.typed("/join"),
            picture: qr::svg(&link, &label),
        })
    }
}

#[derive(Template)]
#[template(path = "team-lesson-part.html")]
struct Part<'a> {
    request: &'a RequestContext,
    context: TeamContext<'a>,
    problems: &'a Problems,
    lesson: &'a LessonView,
    entrance: Option<Entrance>,
    projector_link: Option<String>,
    people: usize,
    /// Those of them who are there.
    here: usize,
    proposal: Proposal,
    /// Another size that fits better.
    better: Option<Proposal>,
    teams: Vec<Column>,
    tray: Vec<Chip>,
    chosen: Option<Chip>,
    /// Where nobody is chosen.
    unchosen: String,
    everybody: Vec<Person>,
    options: Vec<Where>,
    sizes: Vec<Choice>,
    /// Whether anybody has a team yet.
    seated: bool,
    /// Both teams have somebody, and nobody is left out.
    ready: bool,
    /// What to do next, and more about it.
    next: (&'static str, &'static str),
}

impl Part<'_> {
    fn fits(&self) -> bool {
        self.proposal.fit == Fit::Full
    }

    /// A choice in the settings: what was typed, or what holds.
    fn set(&self, name: &str, value: &str) -> bool {
        let typed = self.context.fields.get(name);
        if !typed.is_empty() {
            return typed == value;
        }
        let terms = &self.context.view.state.terms;
        let holds = match name {
            "sight" => match terms.sight {
                Sight::Open => "open",
                Sight::Rooms => "rooms",
            },
            "supervised" if terms.supervised => "yes",
            "reveal" if terms.reveal => "yes",
            "phrases" if terms.phrases => "yes",
            "limit" if terms.seconds.is_some() => "minutes",
            "limit" => "none",
            _ => "no",
        };
        holds == value
    }

    fn minutes(&self) -> String {
        let typed = self.context.fields.get("minutes");
        match (typed, self.context.view.state.terms.seconds) {
            ("", Some(seconds)) => (seconds / 60).to_string(),
            ("", None) => "35".to_owned(),
            (typed, _) => typed.to_owned(),
        }
    }
}

fn place_key(side: Side, duty: Duty) -> String {
    format!("{}:{duty}", key_of(side))
}

/// The part of the page that changes, for the teacher; once the match has begun that of the other page.
pub fn part(context: TeamContext, lesson: &LessonView) -> Result<String, Failure> {
    let view = context.view;
    if view.state.phase != Phase::Gathering {
        return now_part(context, lesson);
    }
    let state = &view.state;
    let now = context.request.now;
    let picked: Option<MemberId> = context.fields.get("move").parse().ok().map(MemberId);
    let chip = |id: MemberId| Chip {
        id,
        name: view.name(id).to_owned(),
        here: lesson.is_here(id, now),
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
            side,
            key: key_of(side),
            name: boards::side_word(side),
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
            missing: {
                let missing = team.missing(size);
                let missing: Vec<&str> = missing.iter().map(String::as_str).collect();
                words::list(&missing)
            },
            vacant: !team.duties.vacant().is_empty(),
        }
    };
    let teams: Vec<Column> = [Side::First, Side::Second].map(column).into();
    let mut options = Vec::new();
    for team in &teams {
        for seat in &team.seats {
            options.push(Where {
                key: seat.key.clone(),
                name: format!("{}: {}", team.name, seat.name),
            });
        }
        options.push(Where {
            key: format!("{}:agent", team.key),
            name: format!("{}: agent", team.name),
        });
    }
    let tray: Vec<Chip> = current
        .iter()
        .filter(|id| {
            state
                .members
                .get(id)
                .is_some_and(|member| member.team.is_none())
        })
        .map(|id| chip(*id))
        .collect();
    let url = &context.request.app.url;
    let ready = teams.iter().all(|team| team.count > 0) && tray.is_empty();
    let next = match (current.len(), ready) {
        (0, _) => (
            "Next: show the code.",
            "Pupils type it and pick their names, which appear on this page as they come.",
        ),
        (1, _) => (
            "Next: wait for more.",
            "It takes one on each side at least.",
        ),
        (_, false) => (
            "Next: “Seat everyone”,",
            "once all are here. Whoever comes later can still be seated, or joins during the match.",
        ),
        (_, true) => (
            "Next: “Start”.",
            "The boards open on all screens, and you lead from the control desk.",
        ),
    };
    let html = Part {
        request: context.request,
        context,
        problems: context.problems,
        lesson,
        entrance: Entrance::of(context),
        projector_link: view
            .projector_link
            .as_ref()
            .map(|path| format!("{url}{path}")),
        people: current.len(),
        here: current
            .iter()
            .filter(|id| lesson.is_here(**id, now))
            .count(),
        proposal: Proposal::of(size, current.len()),
        better: (best.size != size && current.len() > 1).then_some(best),
        seated: teams.iter().any(|team| team.count > 0),
        ready,
        next,
        teams,
        tray,
        chosen: picked.filter(|id| current.contains(id)).map(chip),
        unchosen: context.address(&[]),
        everybody: current.iter().map(|id| Person::new(context, *id)).collect(),
        options,
        sizes: Size::ALL
            .map(|size| {
                let typed = context.fields.get("size");
                let holds = if typed.is_empty() {
                    state.terms.size.key()
                } else {
                    typed
                };
                Choice {
                    key: size.key(),
                    about: Proposal::of(size, current.len()).in_words(),
                    chosen: holds == size.key(),
                }
            })
            .into(),
    };
    Ok(html.render()?)
}

/// Who is in a team, as pupils read it while they wait.
struct Waiting {
    side: Side,
    name: &'static str,
    /// Everybody with what is to be done.
    people: Vec<(Person, String)>,
}

#[derive(Template)]
#[template(path = "team-lesson-wait.html")]
struct Wait<'a> {
    request: &'a RequestContext,
    context: TeamContext<'a>,
    problems: &'a Problems,
    terms: Vec<String>,
    you: Option<Person>,
    /// The viewer's team and duty.
    yours: Option<String>,
    teams: Vec<Waiting>,
    others: Vec<Person>,
    begun: bool,
}

/// The part of the page that changes, for pupils.
pub fn wait(context: TeamContext) -> Result<String, Failure> {
    let view = context.view;
    let state = &view.state;
    let you = view.viewer.member.filter(|id| {
        let member = state.members.get(id);
        member.is_some_and(|member| member.left.is_none())
    });
    // Of the other team one sees who plays which board, as in the match.
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
        request: context.request,
        context,
        problems: context.problems,
        terms: state.terms.in_words(view.host_word()),
        yours: you.and_then(|id| {
            let side = state.side_of(id)?;
            let team = boards::side_word(side);
            Some(format!("{team}, {}", words_of(side, id)))
        }),
        you: you.map(|id| Person::new(context, id)),
        teams: [Side::First, Side::Second]
            .map(|side| Waiting {
                side,
                name: boards::side_word(side),
                people: state
                    .team(side)
                    .members
                    .iter()
                    .map(|id| (Person::new(context, *id), words_of(side, *id)))
                    .collect(),
            })
            .into(),
        others: state
            .members
            .iter()
            .filter(|(_, member)| member.left.is_none() && member.team.is_none())
            .map(|(id, _)| Person::new(context, *id))
            .collect(),
        begun: state.phase != Phase::Gathering,
    };
    Ok(html.render()?)
}

#[derive(Template)]
#[template(path = "team-show-lobby.html")]
struct Lobby<'a> {
    context: TeamContext<'a>,
    entrance: Option<Entrance>,
    people: Vec<Person>,
}

/// What the projector shows before a lesson begins or goes on: how to join, and who has come. Whoever puts the tablet
/// down meanwhile is still there.
pub fn lobby(context: TeamContext) -> Result<String, Failure> {
    let state = &context.view.state;
    let again = state
        .log
        .iter()
        .rev()
        .find(|logged| state.gathers_again() && matches!(logged.event.what, What::Doors(true)));
    let since = again.map_or(state.created, |logged| logged.event.at);
    let now = context.request.now;
    let lesson = context.view.lesson.as_ref();
    let came = |id: MemberId| {
        let seen = lesson.and_then(|lesson| lesson.seen.get(&id));
        let here = lesson.is_some_and(|lesson| lesson.is_here(id, now));
        // A page that has just been asked for is not noted yet.
        let joined = |logged: &&Arc<Logged>| {
            logged.event.by == Actor::Member(id) && matches!(logged.event.what, What::Join(..))
        };
        let joined = state.log.iter().rev().find(joined);
        let joined = joined.is_some_and(|logged| logged.event.at >= since);
        here || joined || seen.is_some_and(|at| *at >= since)
    };
    let part = Lobby {
        context,
        entrance: Entrance::of(context),
        people: state
            .members
            .iter()
            .filter(|(id, member)| member.left.is_none() && came(**id))
            .map(|(id, _)| Person::new(context, *id))
            .collect(),
    };
    Ok(part.render()?)
}

/// That part, fetched again.
async fn lobby_fragment(request: TeamRequest, fields: Fields) -> Answer {
    let view = request.view(None).await?;
    let html = lobby(TeamContext::now(&request, &view, &fields))?;
    request.fragment(html)
}

/// A team with its name, and each of its people with what is to be done.
type Crew = (Side, &'static str, Vec<(Chip, String)>);

/// A duty of somebody absent, and what would change.
struct Change {
    team: &'static str,
    absent: String,
    then: String,
}

#[derive(Template)]
#[template(path = "team-lesson-now.html")]
struct NowPage<'a> {
    request: &'a RequestContext,
    context: TeamContext<'a>,
    heads: String,
    lesson: &'a LessonView,
    paused: bool,
    part: String,
}

#[derive(Template)]
#[template(path = "team-lesson-now-part.html")]
struct Now<'a> {
    request: &'a RequestContext,
    context: TeamContext<'a>,
    problems: &'a Problems,
    entrance: Option<Entrance>,
    projector_link: Option<String>,
    paused: bool,
    over: bool,
    left: Option<String>,
    teams: Vec<Crew>,
    here: usize,
    people: usize,
    changes: Vec<Change>,
    /// Teams of which nobody is here, so that nobody can stand in.
    empty: Vec<&'static str>,
}

/// Who takes over what; whoever is absent and has nothing to do any more is not named again.
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

/// A lesson that was begun, for its teacher: the code for those who come late or another day, who is there, and
/// who stands in for whom.
async fn now(request: TeamRequest, fields: Fields) -> Answer {
    now_with(&request, &fields, &Problems::default()).await
}

async fn now_with(request: &TeamRequest, fields: &Fields, problems: &Problems) -> Answer {
    let view = request.view(None).await?;
    let context = TeamContext {
        problems,
        ..TeamContext::now(request, &view, fields)
    };
    let Some(lesson) = view.lesson.as_ref().filter(|_| view.viewer.host) else {
        return Err(crate::app::AppError::NotFound.into());
    };
    if view.state.phase == Phase::Gathering || view.state.was_called_off() {
        return Ok(see(&request.base));
    }
    let page = NowPage {
        request: &request,
        context,
        heads: live::write(&view.heads()),
        lesson,
        paused: view.state.phase == Phase::Paused,
        part: now_part(context, lesson)?,
    };
    problems.page(&request, &page)
}

/// What changes of it: how to come in, who is there.
fn now_part(context: TeamContext, lesson: &LessonView) -> Result<String, Failure> {
    let view = context.view;
    let state = &view.state;
    let at = context.request.now;
    let name = |id: MemberId| view.name(id).to_owned();
    let teams: Vec<Crew> = [Side::First, Side::Second]
        .map(|side| {
            let team = state.team(side);
            let people = team.members.iter().map(|id| {
                let chip = Chip {
                    id: *id,
                    name: name(*id),
                    here: lesson.is_here(*id, at),
                    chosen: false,
                    address: String::new(),
                };
                (chip, duties_in_words(&team.duties.of(*id)))
            });
            (side, boards::side_word(side), people.collect())
        })
        .into();
    let everybody = || teams.iter().flat_map(|(_, _, people)| people);
    let names = |ids: &[MemberId]| {
        let names: Vec<&str> = ids.iter().map(|id| view.name(*id)).collect();
        words::list(&names)
    };
    let app = &context.request.app;
    let url = &app.url;
    let part = Now {
        request: context.request,
        context,
        problems: context.problems,
        entrance: Entrance::of(context),
        projector_link: view
            .projector_link
            .as_ref()
            .map(|path| format!("{url}{path}")),
        paused: state.phase == Phase::Paused,
        over: state.phase == Phase::Over,
        left: state.time_left(at).map(perplex_matches::time::in_words),
        here: everybody().filter(|(chip, _)| chip.here).count(),
        people: everybody().count(),
        changes: app
            .stand_ins(view)
            .into_iter()
            .map(|one| Change {
                team: boards::side_word(one.side),
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

/// Back to that page after something was done.
async fn after_now(
    request: &TeamRequest,
    post: &Post,
    result: Result<(), crate::app::AppError>,
) -> Answer {
    match result {
        Ok(()) => Ok(see(&format!("{}/lesson", request.base))),
        Err(error) => now_with(request, &post.fields, &Problems::of(error)?).await,
    }
}

/// Settles other terms. With another size whoever is seated stays in the team, as far as there is room, and gets
/// what there is to do now.
async fn settle_as(request: &TeamRequest, terms: Terms) -> Result<(), crate::app::AppError> {
    let app = &request.app;
    let command = Command::Settle(terms);
    let before = app.team(&request.access, &request.id, None).await?.state;
    app.act_in_team(&request.access, &request.id, command)
        .await?;
    let seated = before.members.values().any(|member| member.team.is_some());
    if seated && before.terms.size != terms.size {
        app.seat_everybody(&request.access, &request.id, Keep::Teams)
            .await?;
    }
    Ok(())
}

/// Settles other terms.
async fn settle(request: TeamRequest, post: Post, query: Fields) -> Answer {
    let listed = request.view(None).await?.state.terms.listed;
    let result = match terms(&post.fields) {
        Ok(settled) => settle_as(&request, Terms { listed, ..settled }).await,
        Err((field, why)) => Err(crate::app::AppError::Invalid(vec![(field, why)])),
    };
    after(&request, &post.fields, &query, result).await
}

/// Another size, and nothing else.
async fn resize(request: TeamRequest, post: Post, query: Fields) -> Answer {
    let size = Size::from_key(post.fields.get("size")).ok_or(crate::app::AppError::NotFound)?;
    let terms = request.view(None).await?.state.terms;
    let result = settle_as(&request, Terms { size, ..terms }).await;
    after(&request, &Fields::default(), &query, result).await
}

/// Seats everybody by rotation, or those who have no place yet.
async fn seat(request: TeamRequest, post: Post, query: Fields) -> Answer {
    let keep = match post.fields.get("do") {
        "rest" => Keep::All,
        _ => Keep::Nothing,
    };
    let app = &request.app;
    let result = app.seat_everybody(&request.access, &request.id, keep).await;
    after(&request, &post.fields, &query, result).await
}

/// The place that a form names: `white:2`, `black:agent`; anything else is no team.
fn place_of(word: &str) -> Place {
    let (team, what) = word.split_once(':').unwrap_or_default();
    match (side(team), what.parse::<Duty>()) {
        (Some(side), Ok(duty)) => Place::Duty(side, duty),
        (Some(side), Err(_)) => Place::Agent(side),
        (None, _) => Place::Nowhere,
    }
}

/// Puts somebody somewhere; `out` is out of the lesson.
async fn place(request: TeamRequest, post: Post, query: Fields) -> Answer {
    let who = member(&post.fields, "member");
    let command = match post.fields.get("place") {
        "out" => Command::Leave(who),
        word => Command::Place(who, place_of(word)),
    };
    let app = &request.app;
    let done = app.act_in_team(&request.access, &request.id, command).await;
    after(&request, &post.fields, &query, done.map(|_| ())).await
}

/// Adds a pupil who has not come, or all of them.
pub async fn add(request: TeamRequest, post: Post, query: Fields) -> Answer {
    let pupil = match post.fields.get("pupil") {
        "all" => None,
        id => Some(AccountId(id.to_owned())),
    };
    let app = &request.app;
    let result = app
        .add_to_lesson(&request.access, &request.id, pupil.as_ref())
        .await;
    after(&request, &post.fields, &query, result).await
}

/// Whoever picked a wrong name is out, and picks again.
async fn not_me(request: TeamRequest, _: Post) -> Answer {
    let code = request.app.not_me(&request.access, &request.id).await?;
    let next = code.map_or_else(|| "/join".to_owned(), |code| format!("/join/{code}"));
    request.end_session(false, &next).await
}

/// Others stand in for whoever is absent.
async fn stand_in(request: TeamRequest, post: Post) -> Answer {
    let result = request
        .request
        .app
        .replace_absent(&request.access, &request.id)
        .await;
    after_now(&request, &post, result).await
}

/// A new code.
async fn open(request: TeamRequest, post: Post) -> Answer {
    let result = request.app.open_lesson(&request.access, &request.id).await;
    after_now(&request, &post, result).await
}

/// Enough for today.
async fn close(request: TeamRequest, post: Post) -> Answer {
    let app = &request.app;
    let result = app.close_lesson(&request.access, &request.id).await;
    if result.is_ok()
        && let Some(lesson) = request.view(None).await?.lesson
    {
        return Ok(see(&format!("/class/{}", lesson.class)));
    }
    after_now(&request, &post, result).await
}

/// It goes on, with whoever is there.
async fn resume(request: TeamRequest, post: Post) -> Answer {
    let app = &request.app;
    let done = app
        .act_in_team(&request.access, &request.id, Command::Resume)
        .await;
    match done {
        Ok(_) => Ok(see(&request.base)),
        Err(error) => now_with(&request, &post.fields, &Problems::of(error)?).await,
    }
}

/// The routes of this file.
pub fn routes(cfg: &mut actix_web::web::ServiceConfig) {
    use actix_web::web::{get, post};
    cfg.route("/team/{id}/lesson", get().to(now))
        .route("/team/{id}/show/{token}/lobby", get().to(lobby_fragment))
        .route("/team/{id}/terms", post().to(settle))
        .route("/team/{id}/size", post().to(resize))
        .route("/team/{id}/seat", post().to(seat))
        .route("/team/{id}/place", post().to(place))
        .route("/team/{id}/add", post().to(add))
        .route("/team/{id}/not-me", post().to(not_me))
        .route("/team/{id}/stand-in", post().to(stand_in))
        .route("/team/{id}/open", post().to(open))
        .route("/team/{id}/close", post().to(close))
        .route("/team/{id}/go-on", post().to(resume));
}
