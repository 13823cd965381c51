//! The projector's page: all boards large, score, clock, the last events; nothing secret, and nothing to do.

use askama::Template;

use crate::app::teams::TeamView;
use crate::web::answer::{Answer, Failure};
use crate::web::fields::Fields;
use crate::web::request::RequestContext;
use crate::web::team::look::Look;
use crate::web::team::page::{Clock, clock, eyes, headline};
use crate::web::team::{TeamContext, TeamRequest, boards, lesson, live, log, record};
use perplex_games::board::flexichess;
use perplex_games::perplexichess::BoardNo;
use perplex_matches::team::Phase;

/// How many of the last events are shown.
const LAST: usize = 5;

#[derive(Template)]
#[template(path = "team-show-status.html")]
struct Status<'a> {
    context: TeamContext<'a>,
    view: &'a TeamView,
    headline: String,
    clock: Option<Clock>,
    /// Another phase has another page, and so has a lesson that is about to go on.
    shape: String,
    /// What lets those in who come late.
    code: Option<&'a str>,
    /// The latest first.
    events: Vec<String>,
}

#[derive(Template)]
#[template(path = "team-show.html")]
struct Show<'a> {
    request: &'a RequestContext,
    context: TeamContext<'a>,
    heads: String,
    glyphs: String,
    status: String,
    eyes: String,
    boards: Vec<(BoardNo, String)>,
    /// In the place of the boards: how to join, before a lesson begins; how it ended, when it is over.
    instead: Option<String>,
}

impl Status<'_> {
    /// The address of the page for codes, as people type it.
    fn joined_at(&self) -> String {
        self.context.request.typed("/join")
    }
}

/// Whether it is a lesson that people come to before it begins or goes on.
fn gathers(view: &TeamView) -> bool {
    let state = &view.state;
    view.lesson.is_some() && (state.phase == Phase::Gathering || state.gathers_again())
}

fn status(context: TeamContext) -> Result<String, Failure> {
    let view = context.view;
    let part = Status {
        context,
        view,
        // That it is being played is seen, and how it ended is said below, larger.
        headline: match view.state.phase {
            Phase::Playing | Phase::Over => String::new(),
            Phase::Gathering | Phase::Paused => headline(view),
        },
        shape: format!("{:?} {}", view.state.phase, view.state.gathers_again()),
        code: view
            .lesson
            .as_ref()
            .and_then(|lesson| lesson.code.as_deref())
            .filter(|_| !gathers(view)),
        clock: clock(context),
        events: view
            .log()
            .rev()
            .filter_map(|logged| log::on_the_wall(view, logged))
            .take(LAST)
            .collect(),
    };
    Ok(part.render()?)
}

/// The page.
pub async fn page(request: TeamRequest, fields: Fields) -> Answer {
    let view = request.view(None).await?;
    let context = TeamContext::now(&request, &view, &fields);
    let look = Look::of(context);
    let instead = match view.state.phase {
        Phase::Over => Some(record::projected(context)?),
        _ if gathers(&view) => Some(lesson::lobby(context)?),
        _ => None,
    };
    let page = Show {
        instead,
        request: &request,
        context,
        heads: live::write(&view.heads()),
        glyphs: flexichess::glyphs(),
        status: status(context)?,
        eyes: eyes(context, &view)?,
        boards: look
            .order
            .iter()
            .map(|number| Ok((*number, boards::render(context, &look, *number)?)))
            .collect::<Result<_, Failure>>()?,
    };
    request.page(&page)
}

/// Score, clock and the last events, fetched again.
pub async fn fragment(request: TeamRequest, fields: Fields) -> Answer {
    let view = request.view(None).await?;
    let context = TeamContext::now(&request, &view, &fields);
    let html = status(context)? + &eyes(context, &view)?;
    request.fragment(html)
}
