//! The projector’s page: all boards large, score, clock, the last events; no secrets, and no actions.

use askama::Template;

use crate::web::answer::{Answer, Failure};
use crate::web::fields::Fields;
use crate::web::request::RequestContext;
use crate::web::team::context::{TeamContext, TeamRequest};
use crate::web::team::parts::status::stopped;
use crate::web::team::selection::Selection;
use crate::web::team::{live, parts};
use perplex_games::board::flexichess;
use perplex_games::perplexichess::BoardNo;
use perplex_matches::team::Phase;

#[derive(Template)]
#[template(path = "team/projector.html")]
struct Show<'a> {
    request: &'a RequestContext,
    context: TeamContext<'a>,
    heads: String,
    glyphs: String,
    status: String,
    talk: String,
    stopped: String,
    card: String,
    boards: Vec<(BoardNo, String)>,
    /// The content that replaces the boards: how to join, before a lesson begins; the result, when it is over.
    instead: Option<String>,
}

pub async fn page(request: TeamRequest, fields: Fields) -> Answer {
    let view = request.view(None).await?;
    let context = TeamContext::now(&request, &view, &fields);
    let selection = Selection::of(context);
    let instead = match view.state.phase {
        Phase::Over => Some(parts::result::render_projected(context)?),
        _ if parts::projector::gathers(&view) => Some(parts::entrance::render_lobby(context)?),
        _ => None,
    };
    let page = Show {
        instead,
        request: &request,
        context,
        heads: live::write(&view.heads()),
        glyphs: flexichess::glyphs(),
        status: parts::projector::status(context)?,
        talk: parts::projector::talk(context).await?,
        stopped: stopped(context, &view)?,
        card: parts::cards::render_for_wall(context)?,
        boards: selection
            .order
            .iter()
            .map(|number| Ok((*number, parts::board::render(context, &selection, *number)?)))
            .collect::<Result<_, Failure>>()?,
    };
    request.page(&page)
}
