use askama::Template;

use crate::web::answer::{Answer, Failure, see};
use crate::web::fields::Fields;
use crate::web::problems::Problems;
use crate::web::request::RequestContext;
use crate::web::team::context::{TeamContext, TeamRequest};
use crate::web::team::parts::control::SELECTED_TEAMMATE;
use crate::web::team::parts::status::stopped;
use crate::web::team::selection::Selection;
use crate::web::team::{fragments, live, parts};
use perplex_games::board::flexichess;
use perplex_games::perplexichess::BoardNo;

#[derive(Template)]
#[template(path = "team/control.html")]
struct Page<'a> {
    request: &'a RequestContext,
    context: TeamContext<'a>,
    problems: &'a Problems,
    heads: String,
    door: String,
    here: String,
    glyphs: String,
    status: String,
    stopped: String,
    said: String,
    cards: String,
    called: String,
    people_table: String,
    boards: Vec<(BoardNo, String)>,
    talk: String,
}

pub async fn render(context: TeamContext<'_>) -> Answer {
    let (_, there) = fragments::attended(context.request).await?;
    let view = context.view;
    if view.state.was_called_off() {
        return Ok(see(&context.request.home()));
    }
    let selection = Selection::of(context);
    let numbers = view
        .state
        .boards
        .numbers()
        .filter(|_| view.state.started.is_some());
    let page = Page {
        request: context.request,
        context,
        problems: context.problems,
        heads: live::write(&view.heads()),
        door: parts::door::render(context)?,
        here: context.address(&[(
            SELECTED_TEAMMATE,
            &parts::control::chosen(context).map_or_else(String::new, |id| id.to_string()),
        )]),
        glyphs: flexichess::glyphs(),
        status: parts::control::status(context)?,
        stopped: stopped(context, view)?,
        said: parts::said::render(context, None)?,
        cards: parts::cards::render(context)?,
        called: parts::called::render(context).await?,
        people_table: parts::control::people_table(context, &there)?,
        boards: numbers
            .map(|number| Ok((number, parts::control::board(context, &selection, number)?)))
            .collect::<Result<_, Failure>>()?,
        talk: parts::talk::render(context).await?,
    };
    context.problems.page(context.request, &page)
}

pub async fn page(request: TeamRequest, fields: Fields) -> Answer {
    let view = fragments::led(&request).await?;
    render(TeamContext::now(&request, &view, &fields)).await
}
