//! The bar of the projector, the public talk on it, and the content that can replace the boards.

use std::time::Duration;

use askama::Template;

use crate::app::talk::EVERYBODY;
use crate::app::team::TeamView;
use crate::texts;
use crate::texts::team::headline;
use crate::web::answer::Failure;
use crate::web::team::context::TeamContext;
use crate::web::team::parts::board::on_the_wall;
use crate::web::team::parts::emblem;
use crate::web::team::parts::status::{Clock, clock};
use perplex_games::rules::Side;
use perplex_matches::team::{Happened, Logged, Phase};

const LAST: usize = 5;

/// So long a message of the public talk stands on the wall, and so many at once.
const ALOUD: Duration = Duration::from_mins(1);
const LOUDEST: usize = 3;

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
    /// The badges and names of White's team and Black's.
    teams: [String; 2],
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
        teams: Side::ALL.map(|side| emblem::shown(context, side)),
        events: view
            .log()
            .rev()
            .filter(|logged| !stands(view, logged))
            .filter_map(|logged| texts::team::for_projector(view, logged))
            .take(LAST)
            .collect(),
    };
    Ok(part.render()?)
}

/// True for a rule that stands under its board: it is not said twice.
fn stands(view: &TeamView, logged: &Logged) -> bool {
    let boards = &view.state.boards;
    let (Happened::RuleChanged(number, change) | Happened::RuleProposed(number, change)) =
        &logged.happened
    else {
        return false;
    };
    let in_force = boards
        .board(*number)
        .map(|board| board.position().in_force().collect::<Vec<_>>())
        .unwrap_or_default();
    let room = on_the_wall(boards.iter().count());
    let mut shown = in_force.iter().rev().take(room);
    shown.any(|recorded| recorded.change == *change)
}

struct Aloud<'a> {
    number: i32,
    name: &'a str,
    text: String,
}

#[derive(Template)]
#[template(path = "team/parts/projector-talk.html")]
struct Talk<'a> {
    context: TeamContext<'a>,
    heads: String,
    /// The latest last.
    said: Vec<Aloud<'a>>,
}

/// What was said to everybody within the last minute.
pub async fn talk(context: TeamContext<'_>) -> Result<String, Failure> {
    let (request, view) = (context.request, context.view);
    let now = request.app.now();
    let messages = request
        .app
        .messages(&request.access, &request.id, EVERYBODY)
        .await?;
    let mut said: Vec<Aloud> = messages
        .into_iter()
        .rev()
        .take_while(|message| message.at.until(now) < ALOUD)
        .filter(|message| !message.text.is_empty())
        .take(LOUDEST)
        .map(|message| Aloud {
            number: message.number,
            name: view.actor(message.by),
            text: message.text,
        })
        .collect();
    said.reverse();
    let part = Talk {
        context,
        heads: view.heads().talk(),
        said,
    };
    Ok(part.render()?)
}
