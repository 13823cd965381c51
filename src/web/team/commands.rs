//! Acts in a match: one form is one [`Command`], or one call of the application. The forms of the control panel are
//! the same, and lead back there.

pub mod lesson;
pub mod talk;

use crate::app::team::{TeamFault, TeamView};
use crate::app::{AppError, invalid};
use crate::texts;
use crate::texts::help::Topic;
use crate::web::answer::{Answer, Failure, see};
use crate::web::beside;
use crate::web::fields::Fields;
use crate::web::rulebook;
use crate::web::submission::Submission;
use crate::web::team::context::{STICKY_PARAMS, TeamContext, TeamRequest, read_board};
use crate::web::team::labels::{read_member, read_side};
use crate::web::team::pages;
use crate::web::team::selection::read_piece;
use crate::web::team::turn::waits;
use actix_web::HttpRequest;
use perplex_games::perplexichess::{BoardNo, Line, LineError, Transfer};
use perplex_games::rules::Side;
use perplex_matches::team::announce::KEPT;
use perplex_matches::team::event::{Duty, MemberId, TalkMode};
use perplex_matches::team::notice::Waiting;
use perplex_matches::team::{Command, Kind, Place, Refusal, Span, side_name};

/// The page after an act: the match in its present state, or the errors, with all that was typed. `query` is that of
/// the form's address.
pub async fn after(
    request: &TeamRequest,
    typed: &Fields,
    query: &Fields,
    result: Result<(), AppError>,
) -> Answer {
    match result {
        Ok(()) => Ok(see(&format!(
            "{}{}",
            request.base,
            texts::query(kept(query))
        ))),
        Err(error) => {
            let (again, fields) = (request.clone(), sticky(typed, query));
            let draw = async move || pages::play::refused(&again, &fields, error).await;
            beside::run(request.request.clone(), draw).await
        }
    }
}

/// The part of a form's address that the page keeps in its own; see [`TeamContext::act_beside`].
fn kept(query: &Fields) -> impl Iterator<Item = (&str, &str)> {
    let names = STICKY_PARAMS.into_iter().chain(["take"]);
    let kept = names.map(|name| (name, query.get(name)));
    let kept = kept.filter(|(_, value)| !value.is_empty());
    kept.chain(rulebook::fields::edited(query))
}

/// The fields of a form, with what the page keeps in its address.
fn sticky(typed: &Fields, query: &Fields) -> Fields {
    kept(query).fold(typed.clone(), |fields, (name, value)| {
        fields.with(name, value)
    })
}

/// The command that the form at `/team/{id}/ACTION` or `/team/{id}/control/ACTION` means.
async fn read(
    request: &TeamRequest,
    http: &HttpRequest,
    fields: &Fields,
) -> Result<Command, Failure> {
    let pattern = http.match_pattern().unwrap_or_default();
    let action = pattern.strip_prefix("/team/{id}/").unwrap_or_default();
    let action = action.strip_prefix("control/").unwrap_or(action);
    let side = || read_side(fields.get("side"));
    Ok(match action.split('/').next().unwrap_or_default() {
        "turn" => turn(read_board(http)?, fields),
        "draw" => {
            // A viewer who may not see the match is told so first.
            request.view(None).await?;
            draw(read_board(http)?, fields.get("do"))?
        }
        "resign" => Command::Resign(read_board(http)?),
        "transfer" => transfer(&request.view(None).await?, fields)?,
        "join" => Command::Join(NEW_MEMBER, side()),
        "team" => Command::Team(read_member(fields, "member"), side()),
        "arrange" => arrange(fields)?,
        "place" => place(fields),
        "emblem" => emblem(fields)?,
        "deal" => Command::Deal,
        "start" => Command::Start {
            short: fields.has("short"),
        },
        "give" => give(request, fields).await?,
        "vote" => Command::Vote(fields.get("vote").parse().ok().map(MemberId)),
        "lead" => lead(request, fields).await?,
        "leave" => Command::Leave(read_member(fields, "member")),
        _ => return Err(AppError::NotFound.into()),
    })
}

fn emblem(fields: &Fields) -> Result<Command, Failure> {
    let side = read_side(fields.get("side")).ok_or(AppError::NotFound)?;
    if fields.has("none") {
        return Ok(Command::SetEmblem(side, None));
    }
    let words = ["word", "sign", "colour"].map(|field| fields.get(field));
    let emblem = words.join(" ").parse().map_err(|_| AppError::NotFound)?;
    Ok(Command::SetEmblem(side, Some(emblem)))
}

const NEW_MEMBER: MemberId = MemberId(0);

async fn act(
    request: &TeamRequest,
    http: &HttpRequest,
    post: &Submission,
) -> Result<Result<(), AppError>, Failure> {
    let command = match read(request, http, &post.fields).await {
        Ok(command) => command,
        // Forms of ours are understood; others are NotFound, which has a page of its own.
        Err(Failure::App(error)) if !matches!(error, AppError::NotFound) => {
            // A viewer who may not see the match is told so first.
            request.view(None).await?;
            return Ok(Err(error));
        }
        Err(other) => return Err(other),
    };
    let (access, id) = (&request.access, &request.id);
    let done = request.app.act_in_team(access, id, command).await;
    Ok(done.map(drop))
}

pub async fn command(
    request: TeamRequest,
    http: HttpRequest,
    post: Submission,
    query: Fields,
) -> Answer {
    let result = act(&request, &http, &post).await?;
    after(&request, &post.fields, &query, result).await
}

/// A turn. A rule in words comes back first if there is something to point out about it.
pub async fn play(
    request: TeamRequest,
    http: HttpRequest,
    post: Submission,
    query: Fields,
) -> Answer {
    let fields = &post.fields;
    if rulebook::fields::changes_rule(fields) {
        let number = read_board(&http)?;
        let view = request.view(None).await?;
        if is_unseen(TeamContext::now(&request, &view, fields), number) {
            let fields = sticky(fields, &query).replaced("board", number.to_string());
            return pages::play::unsent(&request, &view, &fields).await;
        }
    }
    command(request, http, post, query).await
}

/// True if the member can make the turn of the form now, and was not shown yet what is to be pointed out about it.
fn is_unseen(context: TeamContext, number: BoardNo) -> bool {
    let board = context.view.state.boards.board(number);
    let board = board.filter(|board| {
        let is_now = context.fields.get("ply").parse() == Ok(board.version());
        is_now && waits(context).contains(&Waiting::Turn(number))
    });
    board.is_some_and(|board| rulebook::hint::is_unseen(board.position(), context.fields))
}

/// Joins a match; the browser keeps the link for the other pages of the match.
pub async fn join(
    request: TeamRequest,
    http: HttpRequest,
    post: Submission,
    query: Fields,
) -> Answer {
    let result = act(&request, &http, &post).await?;
    let mut answer = after(&request, &post.fields, &query, result).await?;
    request.remember(&mut answer);
    Ok(answer)
}

pub async fn start(
    request: TeamRequest,
    http: HttpRequest,
    post: Submission,
    query: Fields,
) -> Answer {
    let result = act(&request, &http, &post).await?;
    if result.is_ok() && request.view(None).await?.lesson.is_some() {
        return Ok(see(&format!("{}/control", request.base)));
    }
    after(&request, &post.fields, &query, result).await
}

/// Leaves the match, or removes a member for the host. A member who has left may not see the match any more.
pub async fn leave(
    request: TeamRequest,
    http: HttpRequest,
    post: Submission,
    query: Fields,
) -> Answer {
    let result = act(&request, &http, &post).await?;
    if result.is_ok() && request.view(None).await.is_err() {
        return Ok(see("/teams"));
    }
    after(&request, &post.fields, &query, result).await
}

pub async fn invite(request: TeamRequest, post: Submission, query: Fields) -> Answer {
    let to = post.fields.get("invite");
    let app = &request.app;
    let result = app.invite_to_team(&request.access, &request.id, to).await;
    after(&request, &post.fields, &query, result).await
}

/// Invites an address again, or withdraws its invitation.
pub async fn address(request: TeamRequest, post: Submission, query: Fields) -> Answer {
    let (app, address) = (&request.app, post.fields.get("address"));
    let (access, id) = (&request.access, &request.id);
    let result = match post.fields.get("do") {
        "withdraw" => app.withdraw_team_address(access, id, address).await,
        _ => app.invite_to_team(access, id, address).await,
    };
    after(&request, &post.fields, &query, result).await
}

/// Replaces the links of the match.
pub async fn links(request: TeamRequest, post: Submission, query: Fields) -> Answer {
    let app = &request.app;
    let result = app.renew_team_links(&request.access, &request.id).await;
    after(&request, &post.fields, &query, result).await
}

pub async fn rename(request: TeamRequest, post: Submission, query: Fields) -> Answer {
    let fields = &post.fields;
    let (member, name) = (read_member(fields, "member"), fields.get("name"));
    let app = &request.app;
    let result = app
        .rename_in_team(&request.access, &request.id, member, name)
        .await;
    after(&request, fields, &query, result).await
}

pub async fn help_seen(request: TeamRequest, post: Submission, query: Fields) -> Answer {
    // Only for viewers of the match.
    request.view(None).await?;
    let viewer = request.viewer()?;
    let topic = Topic::of(post.fields.get("duty")).ok_or(AppError::NotFound)?;
    let done = request.app.set_help_seen(viewer, topic.key()).await;
    after(&request, &post.fields, &query, done).await
}

/// A card was put away: of an event, or of messages.
pub async fn news_seen(request: TeamRequest, post: Submission, query: Fields) -> Answer {
    // A form without numbers puts nothing away.
    let number = |name| post.fields.get(name).parse().unwrap_or(0);
    let kept = post.fields.all("keep");
    let kept: Vec<i32> = kept
        .filter_map(|number| number.parse().ok())
        .take(KEPT)
        .collect();
    let app = &request.app;
    let done = app
        .see_team_news(
            &request.access,
            &request.id,
            number("card"),
            number("event"),
            &kept,
        )
        .await;
    if done.is_err() {
        return after(&request, &post.fields, &query, done).await;
    }
    // A card shows no more.
    let calls = post.fields.all("call").take(KEPT).filter_map(|call| {
        let (channel, number) = call.split_once('.')?;
        Some((channel.parse().ok()?, number.parse().ok()?))
    });
    for (channel, number) in calls {
        app.put_away_calls(&request.access, &request.id, channel, number)
            .await?;
    }
    after(&request, &post.fields, &query, done).await
}

pub async fn hand(request: TeamRequest, post: Submission, query: Fields) -> Answer {
    let app = &request.app;
    let hand = app.hand_in_team(&request.access, &request.id).await?;
    let result = rulebook::hand::change(app, &hand, &post.fields).await;
    after(&request, &post.fields, &query, result).await
}

fn turn(board: BoardNo, fields: &Fields) -> Command {
    match fields.get("turn") {
        "dispute" => Command::Dispute(board),
        _ => Command::Play {
            board,
            // A form without this number counts as out of date.
            seen: fields.get("ply").parse().unwrap_or(u32::MAX),
            turn: rulebook::fields::written_turn(fields),
            offer: fields.has("offer"),
        },
    }
}

fn draw(board: BoardNo, what: &str) -> Result<Command, AppError> {
    match what {
        "offer" => Ok(Command::Offer(board)),
        "accept" => Ok(Command::AcceptDraw(board)),
        "decline" => Ok(Command::Decline(board)),
        _ => Err(AppError::NotFound),
    }
}

fn transfer(view: &TeamView, fields: &Fields) -> Result<Command, AppError> {
    // First, before anything is read on boards that others do not see.
    let Some(side) = view.rights.side.filter(|_| view.leads_team()) else {
        return Err(view.refuse(Refusal::OnlyStrategistTransfers));
    };
    let written = fields.get("transfer").trim();
    if !written.is_empty() {
        let line = format!("{} {written}", side_name(side));
        return match view.state.boards.read(&line) {
            Ok(Line::Transfer(transfer)) => {
                let piece = view.state.boards.piece(transfer.from, transfer.square);
                let kind = piece.map_or(Kind::Pawn, |piece| piece.kind);
                Ok(Command::Transfer { transfer, kind })
            }
            Ok(_) => Err(AppError::NotFound),
            // The message quotes the typed text, without the side that was put before it.
            Err(LineError::Turn(error)) => {
                Err(invalid("", TeamFault::Transfer(written.to_owned(), error)))
            }
            Err(error) => Err(view.refuse(Refusal::Line(error))),
        };
    }
    let piece = read_piece(fields.get("take"));
    let kind = fields
        .get("kind")
        .chars()
        .next()
        .and_then(Kind::from_letter);
    let to = fields.get("to").parse().ok().map(BoardNo);
    let (Some((from, square)), Some(kind), Some(to)) = (piece, kind, to) else {
        return Err(invalid("", TeamFault::NoTransfer));
    };
    Ok(Command::Transfer {
        transfer: Transfer {
            side,
            square,
            from,
            to,
        },
        kind,
    })
}

/// `do` is `DUTY:MEMBER`; without a member the duty becomes vacant.
fn arrange(fields: &Fields) -> Result<Command, AppError> {
    let (duty, to) = fields.get("do").split_once(':').unwrap_or_default();
    match (read_side(fields.get("side")), duty.parse()) {
        (Some(side), Ok(duty)) => Ok(Command::Arrange(side, duty, to.parse().ok().map(MemberId))),
        _ => Err(AppError::NotFound),
    }
}

/// The place is `white:2`, `black:agent`, or `out` of the lesson; any other means no team.
fn place(fields: &Fields) -> Command {
    let member = read_member(fields, "member");
    let place = fields.get("place");
    if place == "out" {
        return Command::Leave(member);
    }
    let (team, duty) = place.split_once(':').unwrap_or_default();
    let place = match (read_side(team), duty.parse::<Duty>()) {
        (Some(side), Ok(duty)) => Place::Duty(side, duty),
        (Some(side), Err(_)) => Place::Agent(side),
        (None, _) => Place::Nowhere,
    };
    Command::Place(member, place)
}

/// First, before anything is compared with who has the duties: only their own team knows that.
fn may_give(view: &TeamView, side: Side) -> Result<(), AppError> {
    let leads = view.leads_team() && view.rights.side == Some(side);
    if view.viewer.host || leads {
        return Ok(());
    }
    Err(view.refuse(Refusal::OnlyStrategistGives))
}

/// The command that gives a duty, if the change is still the one that was confirmed.
async fn give(request: &TeamRequest, fields: &Fields) -> Result<Command, Failure> {
    let (Some(side), Ok(duty)) = (read_side(fields.get("side")), fields.get("duty").parse()) else {
        return Err(AppError::NotFound.into());
    };
    let to = read_member(fields, "to");
    let view = request.view(None).await?;
    may_give(&view, side)?;
    if view.state.team(side).given(duty, to).to_string() != fields.get("after") {
        return Err(invalid("duty", TeamFault::DutiesChanged).into());
    }
    Ok(Command::Give(side, duty, to))
}

/// The host's command that gives a duty, if the member who had it still has it.
fn exchange(view: &TeamView, words: &[&str]) -> Result<Command, AppError> {
    let [team, duty, to, known] = words else {
        return Err(AppError::NotFound);
    };
    let (Some(side), Ok(duty), Ok(to)) = (read_side(team), duty.parse::<Duty>(), to.parse()) else {
        return Err(AppError::NotFound);
    };
    may_give(view, side)?;
    let holder = view.state.team(side).duties.holder(duty);
    if holder.map_or_else(|| "-".to_owned(), |id| id.to_string()) != *known {
        return Err(invalid("duty", TeamFault::DutiesChanged));
    }
    Ok(Command::Give(side, duty, MemberId(to)))
}

async fn lead(request: &TeamRequest, fields: &Fields) -> Result<Command, Failure> {
    let words: Vec<&str> = fields.get("do").split(':').collect();
    let board = |text: &str| BoardNo(text.parse().unwrap_or(0));
    let member = |text: &str| MemberId(text.parse().unwrap_or(0));
    let seconds = |minutes: &str| minutes.trim().parse::<u32>().ok()?.checked_mul(60);
    Ok(match words[..] {
        ["pause"] => Command::Pause,
        ["resume"] => Command::Resume,
        ["stop"] => Command::Stop,
        ["call-off"] => Command::CallOff,
        ["holds", number] => Command::Decide(board(number), true),
        ["falls", number] => Command::Decide(board(number), false),
        ["back", number, seen] => Command::TakeBack {
            board: board(number),
            // A form without this number counts as out of date.
            seen: seen.parse().unwrap_or(u32::MAX),
        },
        ["talk", mode] => Command::Talk(TalkMode::from_key(mode).ok_or(AppError::NotFound)?),
        ["more", seconds] => Command::Time(Span::More(seconds.parse().unwrap_or(0))),
        ["left"] => {
            let wrong = || invalid("minutes", TeamFault::TimeLeft);
            Command::Time(Span::Left(
                seconds(fields.get("minutes")).ok_or_else(wrong)?,
            ))
        }
        ["let-back", gone] => Command::LetBack(member(gone)),
        ["replace", absent, by] => Command::Replace(member(absent), member(by)),
        ["give", ref words @ ..] => exchange(&request.view(None).await?, words)?,
        _ => return Err(AppError::NotFound.into()),
    })
}
