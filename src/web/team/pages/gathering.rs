use askama::Template;

use crate::web::answer::{Answer, see};
use crate::web::fields::Fields;
use crate::web::message::or_no_link;
use crate::web::request::RequestContext;
use crate::web::team::context::{TeamContext, TeamRequest};
use crate::web::team::{live, parts};

#[derive(Template)]
#[template(path = "team/gathering.html")]
struct Page<'a> {
    request: &'a RequestContext,
    context: TeamContext<'a>,
    heads: String,
    door: String,
    help: String,
    part: String,
    hand: String,
    talk: Option<String>,
}

/// The page of a match that gathers people, or was called off; also that of a visitor with the link of one that has
/// begun.
pub async fn render(context: TeamContext<'_>) -> Answer {
    let rights = &context.view.rights;
    let takes_part = rights.leave || rights.order || rights.speak;
    let page = Page {
        request: context.request,
        context,
        heads: live::write(&context.view.heads()),
        door: parts::door::render(context)?,
        help: parts::help::render(context)?,
        part: parts::gathering::render(context)?,
        hand: parts::hand::render(context)?,
        talk: if takes_part {
            Some(parts::talk::render(context).await?)
        } else {
            None
        },
    };
    context.problems.page(context.request, &page)
}

pub async fn invitation(request: TeamRequest, fields: Fields) -> Answer {
    let view = match request.view(None).await {
        Ok(view) => view,
        Err(failure) => return or_no_link(&request, Err(failure)),
    };
    // Guests stay here, too: the address keeps its proof until they come back after signing in.
    let mut answer = if view.rights.join && !view.viewer.host {
        render(TeamContext::now(&request, &view, &fields)).await?
    } else {
        see(&request.base)
    };
    request.remember(&mut answer);
    Ok(answer)
}
