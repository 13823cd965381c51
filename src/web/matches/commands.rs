use actix_web::web::Path;

use crate::app::AppError;
use crate::web::answer::{Answer, see};
use crate::web::beside;
use crate::web::fields::Fields;
use crate::web::matches::page::{MatchAddress, Shown, show};
use crate::web::problems::Problems;
use crate::web::rulebook;
use crate::web::submission::Submission;
use perplex_matches::correspondence::{Command, Refusal};
use perplex_matches::id::MatchId;

fn read_turned(query: &Fields) -> Option<u8> {
    query.get("turned").parse().ok()
}

async fn after(
    post: &Submission,
    id: &str,
    query: &Fields,
    result: Result<(), AppError>,
) -> Answer {
    let turned = read_turned(query);
    match result {
        Ok(()) => {
            let id = MatchId(id.to_owned());
            Ok(see(&MatchAddress { id: &id, turned }.with(query)))
        }
        Err(error) => {
            let problems = match error {
                // Beside the field where it was typed.
                AppError::Refused(Refusal::Turn(error)) => {
                    let field = rulebook::fields::field(&post.fields).unwrap_or("turn");
                    Problems::told(vec![(field, error.to_string())])
                }
                error => Problems::of(error)?,
            };
            again(post, id, query, problems).await
        }
    }
}

/// The page with the form as it was typed.
async fn again(post: &Submission, id: &str, query: &Fields, problems: Problems) -> Answer {
    let mut fields = post.fields.clone();
    for (name, value) in rulebook::fields::edited(query) {
        fields = fields.with(name, value);
    }
    if let Some(turned) = read_turned(query) {
        fields = fields.with("turned", turned.to_string());
    }
    let (request, id) = (post.request.clone(), id.to_owned());
    let draw = async move || {
        let shown = Shown {
            ply: None,
            fields: &fields,
            problems: &problems,
            also: None,
        };
        show(&request, &id, &shown).await
    };
    beside::run(post.request.clone(), draw).await
}

/// True if the player can make this turn now, and was not shown yet what is to be pointed out about it.
async fn is_unseen(post: &Submission, id: &str) -> Result<bool, AppError> {
    let (request, fields) = (&post.request, &post.fields);
    // Visitors are told to sign in, as with any turn.
    if request.viewer.is_none() || !rulebook::fields::changes_rule(fields) {
        return Ok(false);
    }
    let (viewer, id) = (request.viewer.as_ref(), MatchId(id.to_owned()));
    let view = request
        .app
        .load_correspondence_match(viewer, &id, None)
        .await?;
    let game = &view.state.game;
    let is_now = fields.get("ply").parse() == Ok(game.turns().len());
    let position = game.flexichess().filter(|_| is_now && view.rights.play);
    Ok(position.is_some_and(|position| rulebook::hint::is_unseen(position, fields)))
}

/// Runs the command for the signed-in account; `link` is the proof of an invitation.
pub async fn act(
    post: &Submission,
    id: &str,
    link: Option<&str>,
    command: Command,
    note: &str,
) -> Result<(), AppError> {
    let Some(viewer) = &post.request.viewer else {
        return Err(AppError::SignIn);
    };
    let id = MatchId(id.to_owned());
    post.request
        .app
        .act(viewer, &id, link, command, note)
        .await?;
    Ok(())
}

pub async fn turn(post: Submission, id: Path<String>, query: Fields) -> Answer {
    let fields = &post.fields;
    if is_unseen(&post, &id).await? {
        return again(&post, &id, &query, Problems::unsent()).await;
    }
    let command = Command::Play {
        // A form without this number counts as out of date.
        ply: fields.get("ply").parse().unwrap_or(usize::MAX),
        turn: rulebook::fields::written_turn(fields),
        offer: fields.has("offer"),
    };
    let result = act(&post, &id, None, command, fields.get("note")).await;
    after(&post, &id, &query, result).await
}

pub async fn hand(post: Submission, id: Path<String>, query: Fields) -> Answer {
    let (app, viewer) = (&post.request.app, post.request.viewer()?);
    let hand = app.hand_in_match(viewer, &MatchId(id.clone())).await?;
    let result = rulebook::hand::change(app, &hand, &post.fields).await;
    after(&post, &id, &query, result).await
}

pub async fn talk(post: Submission, id: Path<String>, query: Fields) -> Answer {
    let viewer = post.request.viewer()?;
    let match_id = MatchId(id.clone());
    let result = post
        .request
        .app
        .say(viewer, &match_id, post.fields.get("text"))
        .await;
    after(&post, &id, &query, result).await
}

pub async fn draw(post: Submission, id: Path<String>, query: Fields) -> Answer {
    let command = match post.fields.get("do") {
        "offer" => Command::Offer,
        "accept" => Command::Accept,
        "decline" => Command::Decline,
        _ => return Err(AppError::NotFound.into()),
    };
    let result = act(&post, &id, None, command, "").await;
    after(&post, &id, &query, result).await
}

pub async fn resign(post: Submission, id: Path<String>, query: Fields) -> Answer {
    let result = act(&post, &id, None, Command::Resign, "").await;
    after(&post, &id, &query, result).await
}

pub fn join_command(fields: &Fields) -> Command {
    Command::Join {
        wish: Some(fields.get("side"))
            .filter(|side| !side.is_empty())
            .map(str::to_owned),
        // The application finds out if the visitor brought a link, and if it is good.
        by_link: false,
    }
}

pub async fn join(post: Submission, id: Path<String>, query: Fields) -> Answer {
    let result = act(&post, &id, None, join_command(&post.fields), "").await;
    after(&post, &id, &query, result).await
}

pub async fn refuse(post: Submission, id: Path<String>, query: Fields) -> Answer {
    match act(&post, &id, None, Command::Refuse, "").await {
        Ok(()) => Ok(see("/matches?done=refused")),
        error => after(&post, &id, &query, error).await,
    }
}

pub async fn invite(post: Submission, id: Path<String>, query: Fields) -> Answer {
    let viewer = post.request.viewer()?;
    let match_id = MatchId(id.clone());
    let name = post.fields.get("invite");
    let result = post.request.app.invite(viewer, &match_id, name).await;
    after(&post, &id, &query, result).await
}

/// Invites an address, invites it again, or withdraws its invitation.
pub async fn address(post: Submission, id: Path<String>, query: Fields) -> Answer {
    let viewer = post.request.viewer()?;
    let (app, fields) = (&post.request.app, &post.fields);
    let (match_id, address) = (MatchId(id.clone()), fields.get("address"));
    let result = match fields.get("do") {
        "withdraw" => app.withdraw_address(viewer, &match_id, address).await,
        _ => app.invite_address(viewer, &match_id, address).await,
    };
    after(&post, &id, &query, result).await
}

pub async fn withdraw(post: Submission, id: Path<String>, query: Fields) -> Answer {
    match act(&post, &id, None, Command::Withdraw, "").await {
        Ok(()) => Ok(see("/matches?done=withdrawn")),
        error => after(&post, &id, &query, error).await,
    }
}
