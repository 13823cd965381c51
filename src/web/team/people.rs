//! The people of a match: who has which duty, the election, request and going, what the host decides.

use askama::Template;

use crate::app::AppError;
use crate::web::answer::{Answer, Failure};
use crate::web::fields::Fields;
use crate::web::problems::Problems;
use crate::web::request::{Post, RequestContext};
use crate::web::team::boards::side_word;
use crate::web::team::gather::{Person, duty_name, member};
use crate::web::team::make::{key_of, side};
use crate::web::team::{TeamContext, TeamRequest, after};
use perplex_games::perplexichess::BoardNo;
use perplex_games::rules::Side;
use perplex_games::rules::flexichess::Pending;
use perplex_matches::team::event::{Duty, MemberId, TalkMode};
use perplex_matches::team::record::{duties_in_words, swap_in_words};
use perplex_matches::team::{Command, Phase, Span};

/// A team as the viewer may see it.
struct Team {
    side: Side,
    name: &'static str,
    is_yours: bool,
    /// Each duty and who has it; for the other team the boards only.
    posts: Vec<(String, Option<Person>)>,
    /// Nobody, where they may not be seen.
    agents: Vec<Person>,
    /// Whether all of it may be seen.
    whole: bool,
    members: Vec<Person>,
}

/// Duties that are given, by whoever may.
struct Giving {
    key: &'static str,
    name: &'static str,
    duties: Vec<(String, String, bool)>,
    people: Vec<(Person, String, bool)>,
    /// What would change, and the duties as they would be, once both are chosen.
    swap: Option<(String, String)>,
    duty: String,
    to: String,
}

/// What is disputed on a board.
pub struct Dispute {
    pub board: BoardNo,
    pub by: &'static str,
    pub text: String,
}

/// The viewer's vote.
struct Vote {
    choices: Vec<(Person, bool)>,
    stands: Option<String>,
}

#[derive(Template)]
#[template(path = "team-people.html")]
struct People<'a> {
    request: &'a RequestContext,
    context: TeamContext<'a>,
    problems: &'a Problems,
    /// What the address of the page keeps, for a form that asks.
    kept: Vec<(&'static str, String)>,
    teams: Vec<Team>,
    giving: Vec<Giving>,
    vote: Option<Vote>,
    you: Option<Person>,
    paused: bool,
    over: bool,
    late: bool,
    full: [bool; 2],
    join_link: Option<String>,
    projector_link: Option<String>,
    open_boards: String,
}

fn team(context: TeamContext, side: Side) -> Team {
    let view = context.view;
    let team = view.state.team(side);
    let whole = view.rights.teams[side.index()];
    let person = |id| Person::new(context, id);
    Team {
        side,
        name: side_word(side),
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

/// The teams whose duties the viewer may give, with what was chosen so far.
fn giving(context: TeamContext) -> Vec<Giving> {
    let view = context.view;
    let state = &view.state;
    if context.at.is_some() || !matches!(state.phase, Phase::Playing | Phase::Paused) {
        return Vec::new();
    }
    let asked = side(context.fields.get("side"));
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
                let chosen = member(context.fields, "to");
                to = Some(chosen).filter(|to| team.members.contains(to));
            }
            // What nobody has is most likely to be given.
            let meant = duty.or_else(|| team.duties.vacant().into_iter().next());
            let swap = match (duty, to) {
                (Some(duty), Some(to)) if team.duties.holder(duty) != Some(to) => {
                    let after = team.given(duty, to);
                    let name = |id| view.name(id).to_owned();
                    let told = swap_in_words(&team.duties, &after, name);
                    Some((told, after.to_string()))
                }
                _ => None,
            };
            Giving {
                key: key_of(side),
                name: side_word(side),
                duties: team
                    .duties
                    .all()
                    .into_iter()
                    .map(|one| {
                        let holder = team.duties.holder(one);
                        let holder = holder.map_or("nobody", |holder| view.name(holder));
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
    })
}

/// What waits for the host's decision.
pub fn disputes(context: TeamContext) -> Vec<Dispute> {
    let state = &context.view.state;
    if !context.view.rights.lead || context.at.is_some() {
        return Vec::new();
    }
    state
        .boards
        .iter()
        .filter(|(number, _)| state.desk(*number).is_some_and(|desk| desk.disputed))
        .filter_map(|(board, found)| {
            let position = found.position();
            let text = match position.pending()? {
                Pending::Rule(change) => change.text.clone(),
                Pending::Turn(under) => {
                    let rule = position
                        .changes()
                        .iter()
                        .find(|recorded| recorded.number == under.number)
                        .map_or_else(String::new, |recorded| recorded.change.text.clone());
                    format!("{under}, by the rule: {rule}")
                }
            };
            Some(Dispute {
                board,
                by: side_word(position.side()),
                text,
            })
        })
        .collect()
}

/// The part of the page.
pub fn render(context: TeamContext) -> Result<String, Failure> {
    let view = context.view;
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
    let first = view.rights.side.unwrap_or(Side::First);
    let most = perplex_matches::team::lineup::Team::most(state.terms.size);
    let open: Vec<String> = state.boards.open().map(|board| board.to_string()).collect();
    let html = People {
        request: context.request,
        context,
        problems: context.problems,
        kept: context.kept(),
        teams: vec![team(context, first), team(context, first.other())],
        giving: giving(context),
        vote: vote(context),
        you: you.map(|id| Person::new(context, id)),
        paused: state.phase == Phase::Paused,
        over: state.phase == Phase::Over,
        late: view.rights.join && state.phase != Phase::Over && context.at.is_none(),
        full: [0, 1].map(|index| most.is_some_and(|most| state.teams[index].members.len() >= most)),
        join_link: full(&view.join_link),
        projector_link: full(&view.projector_link),
        open_boards: perplex_matches::team::record::boards_in_words(&open),
    };
    Ok(html.render()?)
}

/// The part, fetched again.
pub async fn fragment(request: TeamRequest, fields: Fields) -> Answer {
    let view = request.view(None).await?;
    let html = render(TeamContext::now(&request, &view, &fields))?;
    request.fragment(html)
}

async fn act(request: &TeamRequest, post: &Post, query: &Fields, command: Command) -> Answer {
    let app = &request.app;
    let result = app.act_in_team(&request.access, &request.id, command).await;
    after(request, &post.fields, query, result.map(|_| ())).await
}

/// Gives a duty, if what would change is what was confirmed.
pub async fn give(request: TeamRequest, post: Post, query: Fields) -> Answer {
    let fields = &post.fields;
    let (Some(side), Ok(duty)) = (side(fields.get("side")), fields.get("duty").parse::<Duty>())
    else {
        return Err(AppError::NotFound.into());
    };
    let to = member(fields, "to");
    let view = request.view(None).await?;
    if view.state.team(side).given(duty, to).to_string() != fields.get("after") {
        let why = "The duties have changed since you looked at them. Please look at what would change now.";
        let result = Err(AppError::Invalid(vec![("duty", why.to_owned())]));
        return after(&request, fields, &query, result).await;
    }
    act(&request, &post, &query, Command::Give(side, duty, to)).await
}

/// Votes, or withdraws the vote.
pub async fn elect(request: TeamRequest, post: Post, query: Fields) -> Answer {
    let choice = post.fields.get("vote").parse().ok().map(MemberId);
    act(&request, &post, &query, Command::Vote(choice)).await
}

/// A duty that the host gives, if whoever had it then has it still.
async fn exchange(request: &TeamRequest, words: &[&str]) -> Result<Option<Command>, Failure> {
    let [team, duty, to, known] = words else {
        return Ok(None);
    };
    let (Some(side), Ok(duty), Ok(to)) = (side(team), duty.parse::<Duty>(), to.parse()) else {
        return Ok(None);
    };
    let view = request.view(None).await?;
    let holder = view.state.team(side).duties.holder(duty);
    if holder.map_or_else(|| "-".to_owned(), |id| id.to_string()) != *known {
        let why = "The duties have changed since you looked at them. This is how they are now.";
        return Err(AppError::Invalid(vec![("duty", why.to_owned())]).into());
    }
    Ok(Some(Command::Give(side, duty, MemberId(to))))
}

/// What the host does, as the buttons say it: a word, and what it is about.
async fn deed(request: &TeamRequest, fields: &Fields) -> Result<Option<Command>, Failure> {
    let words: Vec<&str> = fields.get("do").split(':').collect();
    let board = |text: &str| BoardNo(text.parse().unwrap_or(0));
    let member = |text: &str| MemberId(text.parse().unwrap_or(0));
    Ok(Some(match words[..] {
        ["pause"] => Command::Pause,
        ["resume"] => Command::Resume,
        ["stop"] => Command::Stop,
        ["call-off"] => Command::CallOff,
        ["holds", number] => Command::Decide(board(number), true),
        ["falls", number] => Command::Decide(board(number), false),
        ["back", number, seen] => Command::Back {
            board: board(number),
            // A page that does not say what it saw has seen nothing.
            seen: seen.parse().unwrap_or(u32::MAX),
        },
        ["talk", mode] => match TalkMode::from_key(mode) {
            Some(mode) => Command::Talk(mode),
            None => return Ok(None),
        },
        ["more", seconds] => Command::Time(Span::More(seconds.parse().unwrap_or(0))),
        ["left"] => {
            let minutes: Option<u32> = fields.get("minutes").trim().parse().ok();
            let seconds = minutes.and_then(|minutes| minutes.checked_mul(60));
            let why = "Please write how many minutes shall be left, such as 20.";
            let wrong = || AppError::Invalid(vec![("minutes", why.to_owned())]);
            Command::Time(Span::Left(seconds.ok_or_else(wrong)?))
        }
        ["replace", absent, by] => Command::Replace(member(absent), member(by)),
        ["give", ref words @ ..] => return exchange(request, words).await,
        _ => return Ok(None),
    }))
}

/// Does what the host does.
pub async fn lead(request: TeamRequest, post: Post, query: Fields) -> Answer {
    match deed(&request, &post.fields).await {
        Ok(Some(command)) => act(&request, &post, &query, command).await,
        Ok(None) => Err(AppError::NotFound.into()),
        Err(Failure::App(error)) => after(&request, &post.fields, &query, Err(error)).await,
        Err(other) => Err(other),
    }
}

/// Gives somebody another name.
pub async fn rename(request: TeamRequest, post: Post, query: Fields) -> Answer {
    let (app, fields) = (&request.app, &post.fields);
    let (who, name) = (member(fields, "member"), fields.get("name"));
    let result = app
        .rename_in_team(&request.access, &request.id, who, name)
        .await;
    after(&request, fields, &query, result).await
}

/// The routes of this part.
pub fn routes(cfg: &mut actix_web::web::ServiceConfig) {
    use actix_web::web::post;
    cfg.route("/team/{id}/give", post().to(give))
        .route("/team/{id}/vote", post().to(elect))
        .route("/team/{id}/lead", post().to(lead))
        .route("/team/{id}/rename", post().to(rename));
}
