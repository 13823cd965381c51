use std::sync::Arc;

use crate::app::AppError;
use crate::app::team::lessons::Keep;
use crate::web::answer::{Answer, see};
use crate::web::fields::Fields;
use crate::web::problems::Problems;
use crate::web::submission::Submission;
use crate::web::team::commands::after;
use crate::web::team::context::TeamRequest;
use crate::web::team::pages;
use crate::web::team::terms::terms;
use perplex_games::perplexichess::Size;
use perplex_matches::id::AccountId;
use perplex_matches::team::Command;
use perplex_matches::team::event::{MemberId, Terms};

async fn after_in_lesson(
    request: &TeamRequest,
    post: &Submission,
    result: Result<(), AppError>,
) -> Answer {
    match result {
        Ok(()) => Ok(see(&format!("{}/lesson", request.base))),
        Err(error) => pages::lesson::render(request, &post.fields, &Problems::of(error)?).await,
    }
}

/// Settles other terms. With another size seated members stay in their teams, as far as there is room, and get new
/// duties.
async fn settle_as(request: &TeamRequest, terms: Terms) -> Result<(), AppError> {
    let app = &request.app;
    let command = Command::Settle(terms);
    let view = app
        .load_team_match(&request.access, &request.id, None)
        .await?;
    let before = Arc::clone(&view.state);
    app.act_in_team(&request.access, &request.id, command)
        .await?;
    let seated = before.members.values().any(|member| member.team.is_some());
    if seated && before.terms.size != terms.size {
        app.seat_everybody(&request.access, &request.id, Keep::Teams)
            .await?;
    }
    Ok(())
}

pub async fn settle(request: TeamRequest, post: Submission, query: Fields) -> Answer {
    let listed = request.view(None).await?.state.terms.listed;
    let result = match terms(&post.fields) {
        Ok(settled) => settle_as(&request, Terms { listed, ..settled }).await,
        Err(error) => Err(error),
    };
    after(&request, &post.fields, &query, result).await
}

pub async fn resize(request: TeamRequest, post: Submission, query: Fields) -> Answer {
    let size = Size::from_key(post.fields.get("size")).ok_or(AppError::NotFound)?;
    let terms = request.view(None).await?.state.terms;
    let result = settle_as(&request, Terms { size, ..terms }).await;
    after(&request, &Fields::default(), &query, result).await
}

pub async fn seat(request: TeamRequest, post: Submission, query: Fields) -> Answer {
    let keep = match post.fields.get("do") {
        "rest" => Keep::All,
        _ => Keep::Nothing,
    };
    let app = &request.app;
    let result = app.seat_everybody(&request.access, &request.id, keep).await;
    after(&request, &post.fields, &query, result).await
}

pub async fn add(request: TeamRequest, post: Submission, query: Fields) -> Answer {
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

/// Answers requests to join (`in:ID`, `no:all`), settles how latecomers get in (`late:in`, `late:ask`), or starts names
/// anew (`names:anew`), or takes down the hand of a member (`hand:NUMBER`).
pub async fn door(request: TeamRequest, post: Submission, query: Fields) -> Answer {
    let (app, access, id) = (&request.app, &request.access, &request.id);
    let result = match post.fields.get("do").split_once(':') {
        Some(("in", which)) => app.answer_door(access, id, which, true).await,
        Some(("no", which)) => app.answer_door(access, id, which, false).await,
        Some(("late", what)) => app.welcome_latecomers(access, id, what == "in").await,
        Some(("names", "anew")) => app.start_names_anew(access, id).await,
        Some(("hand", member)) => {
            let member = member.parse().map_err(|_| AppError::NotFound)?;
            app.lower_hand(access, id, MemberId(member)).await
        }
        _ => Err(AppError::NotFound),
    };
    after(&request, &post.fields, &query, result).await
}

/// A pupil raises a hand for help (`up=yes`), or takes it down.
pub async fn raise(request: TeamRequest, post: Submission, query: Fields) -> Answer {
    let up = post.fields.get("up") == "yes";
    let (app, access) = (&request.app, &request.access);
    let result = app.raise_hand(access, &request.id, up).await;
    after(&request, &post.fields, &query, result).await
}

pub async fn release_name(request: TeamRequest, _: Submission) -> Answer {
    let code = request
        .app
        .release_name(&request.access, &request.id)
        .await?;
    let next = code.map_or_else(|| "/join".to_owned(), |code| format!("/join/{code}"));
    request.end_session(false, &next).await
}

pub async fn stand_in(request: TeamRequest, post: Submission) -> Answer {
    let result = request
        .request
        .app
        .replace_absent(&request.access, &request.id)
        .await;
    after_in_lesson(&request, &post, result).await
}

pub async fn open_lesson(request: TeamRequest, post: Submission) -> Answer {
    let result = request.app.open_lesson(&request.access, &request.id).await;
    after_in_lesson(&request, &post, result).await
}

pub async fn close_lesson(request: TeamRequest, post: Submission) -> Answer {
    let app = &request.app;
    let result = app.close_lesson(&request.access, &request.id).await;
    if result.is_ok()
        && let Some(lesson) = request.view(None).await?.lesson
    {
        return Ok(see(&format!("/class/{}", lesson.class)));
    }
    after_in_lesson(&request, &post, result).await
}

pub async fn go_on(request: TeamRequest, post: Submission) -> Answer {
    let app = &request.app;
    let done = app
        .act_in_team(&request.access, &request.id, Command::Resume)
        .await;
    match done {
        Ok(_) => Ok(see(&request.base)),
        Err(error) => pages::lesson::render(&request, &post.fields, &Problems::of(error)?).await,
    }
}
