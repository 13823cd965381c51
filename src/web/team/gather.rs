//! A match that gathers people: joining, teams and duties, the host's preparations.

use actix_web::http::StatusCode;
use askama::Template;

use crate::web::answer::{Answer, Failure, see};
use crate::web::fields::Fields;
use crate::web::places::PUPIL_HOME;
use crate::web::problems::Problems;
use crate::web::request::{Post, RequestContext};
use crate::web::team::make::{key_of, side};
use crate::web::team::{TeamContext, TeamRequest, after, boards, help, lesson, live, talk};
use crate::web::words;
use perplex_games::rules::Side;
use perplex_matches::team::event::{Duty, MemberId};
use perplex_matches::team::{Command, Phase};

/// A member, to be named.
#[derive(Clone)]
pub struct Person {
    /// The number in the match.
    pub id: MemberId,
    /// What others read.
    pub name: String,
    /// Whether it is the viewer.
    pub is_you: bool,
}

impl Person {
    /// The member `id` as the viewer reads it.
    pub fn new(context: TeamContext, id: MemberId) -> Self {
        Self {
            id,
            name: context.view.name(id).to_owned(),
            is_you: context.view.viewer.member == Some(id),
        }
    }
}

/// What people call a duty.
pub fn duty_name(duty: Duty) -> String {
    match duty {
        Duty::Strategist => "Grand strategist".to_owned(),
        Duty::Board(board) => format!("Board {board}"),
    }
}

/// A duty and who has it.
struct Place {
    key: String,
    name: String,
    holder: Option<Person>,
}

/// A team that is put together.
struct TeamColumn {
    side: Side,
    key: &'static str,
    name: &'static str,
    is_yours: bool,
    /// Whether the viewer may arrange its duties.
    arranges: bool,
    full: bool,
    places: Vec<Place>,
    agents: Vec<Person>,
    everybody: Vec<Person>,
    missing: Vec<String>,
}

fn column(context: TeamContext, side: Side) -> TeamColumn {
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
    TeamColumn {
        side,
        key: key_of(side),
        name: boards::side_word(side),
        is_yours,
        arranges: view.rights.lead || (is_yours && view.rights.choose),
        full: most.is_some_and(|most| team.members.len() >= most),
        places,
        agents: team.agents().map(person).collect(),
        everybody: team.members.iter().copied().map(person).collect(),
        missing: team.missing(size),
    }
}

#[derive(Template)]
#[template(path = "team-gather-part.html")]
struct Part<'a> {
    request: &'a RequestContext,
    context: TeamContext<'a>,
    problems: &'a Problems,
    terms: Vec<String>,
    teams: Vec<TeamColumn>,
    waiting: Vec<Person>,
    you: Option<Person>,
    /// The viewer takes part and has no team.
    teamless: bool,
    begun: bool,
    over: bool,
    join_link: Option<String>,
    projector_link: Option<String>,
    /// Where the form for joining is sent.
    join_action: String,
    /// Where a guest comes back to after signing in.
    back: String,
}

impl Part<'_> {
    fn complete(&self) -> bool {
        self.teams.iter().all(|team| team.missing.is_empty())
    }

    fn invited(&self) -> String {
        let names: Vec<&str> = self
            .context
            .view
            .invited
            .iter()
            .map(String::as_str)
            .collect();
        words::list(&names)
    }
}

#[derive(Template)]
#[template(path = "team-called-off.html")]
struct CalledOff<'a> {
    context: TeamContext<'a>,
    said: String,
    way: String,
    where_to: String,
}

/// What is left of a match that was called off.
fn called_off(context: TeamContext) -> Result<String, Failure> {
    let view = context.view;
    let (said, way, where_to) = match (&view.lesson, view.viewer.host) {
        (Some(lesson), true) => (
            "You or another teacher called this lesson off.".to_owned(),
            format!("/class/{}", lesson.class),
            format!("Back to {}", lesson.class_name),
        ),
        (Some(_), false) => (
            "Your teacher called this lesson off.".to_owned(),
            PUPIL_HOME.to_owned(),
            "To your page".to_owned(),
        ),
        (None, true) => (
            "You called this match off.".to_owned(),
            "/teams".to_owned(),
            "To the team matches".to_owned(),
        ),
        (None, false) => (
            format!("{}, the host, called this match off.", view.host.name),
            "/teams".to_owned(),
            "To the team matches".to_owned(),
        ),
    };
    let part = CalledOff {
        context,
        said,
        way,
        where_to,
    };
    Ok(part.render()?)
}

/// The part of the page that changes.
fn part(context: TeamContext) -> Result<String, Failure> {
    let view = context.view;
    if view.state.was_called_off() {
        return called_off(context);
    }
    match &view.lesson {
        Some(lesson) if view.rights.lead => return lesson::part(context, lesson),
        Some(_) => return lesson::wait(context),
        None => {}
    }
    let state = &view.state;
    let url = &context.request.app.url;
    let full = |path: &Option<String>| path.as_ref().map(|path| format!("{url}{path}"));
    let current = |id: &MemberId| {
        state
            .members
            .get(id)
            .is_some_and(|member| member.left.is_none())
    };
    let you = view.viewer.member.filter(current);
    let join_action = match (&context.request.access.link, view.viewer.by_link) {
        (Some(proof), true) => format!("{}/join/{proof}", context.base()),
        _ => format!("{}/join", context.base()),
    };
    let html = Part {
        request: context.request,
        context,
        problems: context.problems,
        terms: state.terms.in_words(view.host_word()),
        teams: [Side::First, Side::Second]
            .map(|side| column(context, side))
            .into(),
        waiting: state
            .members
            .iter()
            .filter(|(_, member)| member.left.is_none() && member.team.is_none())
            .map(|(id, _)| Person::new(context, *id))
            .collect(),
        teamless: you.is_some() && view.rights.side.is_none(),
        you: you.map(|id| Person::new(context, id)),
        begun: state.phase != Phase::Gathering,
        over: state.phase == Phase::Over,
        join_link: full(&view.join_link),
        projector_link: full(&view.projector_link),
        back: words::encode(if view.viewer.by_link {
            &join_action
        } else {
            context.base()
        }),
        join_action,
    };
    Ok(html.render()?)
}

#[derive(Template)]
#[template(path = "team-gather.html")]
struct Page<'a> {
    request: &'a RequestContext,
    context: TeamContext<'a>,
    heads: String,
    help: String,
    part: String,
    talk: Option<String>,
}

/// The page of a match that gathers people, or was called off; also that of somebody who shows the link of one that
/// has begun.
pub async fn render(context: TeamContext<'_>) -> Answer {
    let rights = &context.view.rights;
    let takes_part = rights.leave || rights.order || rights.speak;
    let page = Page {
        request: context.request,
        context,
        heads: live::write(&context.view.heads()),
        help: help::render(context, false)?,
        part: part(context)?,
        talk: if takes_part {
            Some(talk::render(context).await?)
        } else {
            None
        },
    };
    context.problems.page(context.request, &page)
}

/// The part, fetched again.
pub async fn fragment(request: TeamRequest, fields: Fields) -> Answer {
    let view = request.view(None).await?;
    let html = part(TeamContext::now(&request, &view, &fields))?;
    request.fragment(html)
}

/// The page that the link of a match opens: whoever takes part already is led to the match.
pub async fn invitation(request: TeamRequest, fields: Fields) -> Answer {
    let view = request.view(None).await?;
    // Guests stay here, too: the address keeps its proof until they come back after signing in.
    let mut answer = if view.rights.join && !view.viewer.host {
        render(TeamContext::now(&request, &view, &fields)).await?
    } else {
        see(&request.base)
    };
    request.remember(&mut answer);
    Ok(answer)
}

async fn act(request: &TeamRequest, post: &Post, query: &Fields, command: Command) -> Answer {
    let app = &request.app;
    let result = app.act_in_team(&request.access, &request.id, command).await;
    after(request, &post.fields, query, result.map(|_| ())).await
}

/// Takes part.
pub async fn join(request: TeamRequest, post: Post, query: Fields) -> Answer {
    // The number is given by the application.
    let command = Command::Join(MemberId(0), side(post.fields.get("side")));
    let mut answer = act(&request, &post, &query, command).await?;
    request.remember(&mut answer);
    Ok(answer)
}

/// The member that a form names.
pub fn member(fields: &Fields, name: &str) -> MemberId {
    MemberId(fields.get(name).parse().unwrap_or(0))
}

/// Goes to a team, or is sent there.
pub async fn team(request: TeamRequest, post: Post, query: Fields) -> Answer {
    let command = Command::Team(
        member(&post.fields, "member"),
        side(post.fields.get("side")),
    );
    act(&request, &post, &query, command).await
}

/// Somebody gets a duty, or nobody: `do` is `DUTY:MEMBER`, where no member is nobody.
pub async fn arrange(request: TeamRequest, post: Post, query: Fields) -> Answer {
    let fields = &post.fields;
    let (duty, to) = fields.get("do").split_once(':').unwrap_or_default();
    let (Some(side), Ok(duty)) = (side(fields.get("side")), duty.parse::<Duty>()) else {
        return Err(crate::app::AppError::NotFound.into());
    };
    let to = to.parse().ok().map(MemberId);
    act(&request, &post, &query, Command::Arrange(side, duty, to)).await
}

/// Deals out by chance whoever has no team and whatever duty is vacant.
pub async fn deal(request: TeamRequest, post: Post, query: Fields) -> Answer {
    act(&request, &post, &query, Command::Deal).await
}

/// Begins the match.
pub async fn start(request: TeamRequest, post: Post, query: Fields) -> Answer {
    let short = post.fields.has("short");
    let answer = act(&request, &post, &query, Command::Start { short }).await?;
    // A teacher goes on at the desk.
    if answer.status() == StatusCode::SEE_OTHER && request.view(None).await?.lesson.is_some() {
        return Ok(see(&format!("{}/desk", request.base)));
    }
    Ok(answer)
}

/// Invites somebody.
pub async fn invite(request: TeamRequest, post: Post, query: Fields) -> Answer {
    let app = &request.app;
    let to = post.fields.get("invite");
    let result = app.invite_to_team(&request.access, &request.id, to).await;
    after(&request, &post.fields, &query, result).await
}

/// Leaves the match, or is removed by the host.
pub async fn leave(request: TeamRequest, post: Post, query: Fields) -> Answer {
    let leaver = member(&post.fields, "member");
    let app = &request.app;
    let result = app
        .act_in_team(&request.access, &request.id, Command::Leave(leaver))
        .await;
    // Whoever has left may not see the match any more.
    if result.is_ok() && app.team(&request.access, &request.id, None).await.is_err() {
        return Ok(see("/teams"));
    }
    after(&request, &post.fields, &query, result.map(|_| ())).await
}

/// The routes of this page.
pub fn routes(cfg: &mut actix_web::web::ServiceConfig) {
    use actix_web::web::{get, post};
    cfg.route("/team/{id}/gather", get().to(fragment))
        .route("/team/{id}/join/{token}", get().to(invitation))
        .route("/team/{id}/join/{token}", post().to(join))
        .route("/team/{id}/join", post().to(join))
        .route("/team/{id}/team", post().to(team))
        .route("/team/{id}/arrange", post().to(arrange))
        .route("/team/{id}/deal", post().to(deal))
        .route("/team/{id}/start", post().to(start))
        .route("/team/{id}/invite", post().to(invite))
        .route("/team/{id}/leave", post().to(leave));
}
