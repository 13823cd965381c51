//! The bar of the projector, and the content that can replace the boards.

use askama::Template;

use crate::app::team::TeamView;
use crate::texts;
use crate::web::answer::Failure;
use crate::web::team::context::TeamContext;

use crate::texts::team::headline;
use crate::web::team::parts::emblem;
use crate::web::team::parts::status::{Clock, clock};
use perplex_games::rules::Side;
use perplex_matches::team::Phase;

const LAST: usize = 5;

#[derive(Template)]
#[template(path = "team/parts/projector-bar.html")]
struct Status<'a> {
    context: TeamContext<'a>,
    view: &'a TeamView,
    headline: String,
    clock: Option<Clock>,
    /// Another phase has another page, and so has a lesson that is about to go on.
    shape: String,
    code: Option<&'a str>,
    events: Vec<String>,
    /// The badges of White's team and Black's.
    badges: [String; 2],
}

impl Status<'_> {
    fn joined_at(&self) -> String {
        self.context.request.typed("/join")
    }
}

/// True for a lesson that people join before it begins or goes on.
pub fn gathers(view: &TeamView) -> bool {
    let state = &view.state;
    view.lesson.is_some() && (state.phase == Phase::Gathering || state.gathers_again())
}

pub fn status(context: TeamContext) -> Result<String, Failure> {
    let view = context.view;
    let part = Status {
        context,
        view,
        // The boards show that it is being played, and the result is below, larger.
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
        badges: Side::ALL.map(|side| emblem::badge_of(context, side)),
        events: view
            .log()
            .rev()
            .filter_map(|logged| texts::team::for_projector(view, logged))
            .take(LAST)
            .collect(),
    };
    Ok(part.render()?)
}
