use actix_web::web::Path;
use askama::Template;

use crate::app::AppError;
use crate::web::answer::Answer;
use crate::web::request::RequestContext;
use crate::web::team::context::TeamRequest;
use crate::web::team::parts;
use crate::web::team::parts::talk::Points;

#[derive(Template)]
#[template(path = "team/link.html")]
pub struct Away<'a> {
    request: &'a RequestContext,
    address: &'a str,
    who: &'a str,
    back: String,
}

/// Asks whether the reader really wants to follow a link from the talk. Only readers of the message can open it.
pub async fn link(request: TeamRequest, path: Path<(String, i32, i32, usize)>) -> Answer {
    let (_, channel, number, index) = path.into_inner();
    let view = request.view(None).await?;
    let app = &request.app;
    let messages = app.messages(&request.access, &request.id, channel).await?;
    let message = messages
        .iter()
        .find(|message| message.number == number)
        .ok_or(AppError::NotFound)?;
    let range = parts::talk::pieces(&message.text, view.state.terms.size.boards())
        .into_iter()
        .filter(|(_, points)| *points == Points::Away)
        .nth(index)
        .map(|(range, _)| range)
        .ok_or(AppError::NotFound)?;
    request.page(&Away {
        request: &request,
        address: &message.text[range],
        who: view.actor(message.by),
        back: format!("{}?channel={channel}#talk", request.base),
    })
}
