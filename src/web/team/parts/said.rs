//! The announcements of a match for screen readers, each once and politely: the entries are told apart by their keys, and only
//! a new one is read.

use askama::Template;

use crate::texts::full_stop;
use crate::texts::news::announcement;
use crate::texts::team::sentence;
use crate::web::answer::Failure;
use crate::web::team::context::TeamContext;
use perplex_games::perplexichess::BoardNo;
use perplex_matches::team::Logged;
use perplex_matches::team::announce::Prominence;

/// The entries that stay, so that none is missed that came together with others.
const LATEST: usize = 6;

struct Said {
    key: String,
    text: String,
}

#[derive(Template)]
#[template(path = "team/parts/said.html")]
struct Part<'a> {
    context: TeamContext<'a>,
    said: Vec<Said>,
}

/// The part of the page: the latest events that concern the viewer, and their `task` if there is one.
pub fn render(context: TeamContext, task: Option<&str>) -> Result<String, Failure> {
    let view = context.view;
    let own = &view.rights.play;
    let concerns = |boards: &[BoardNo]| {
        own.is_empty() || boards.is_empty() || boards.iter().any(|board| own.contains(board))
    };
    let is_card = |logged: &Logged| view.prominence(logged) == Some(Prominence::Card);
    let latest = view
        .log()
        .rev()
        .filter(|logged| is_card(logged) || concerns(&logged.boards))
        .take(LATEST);
    let mut said: Vec<Said> = latest
        .map(|logged| Said {
            key: format!("said-{}", view.number(logged.event.number)),
            text: if is_card(logged) {
                let told = announcement(view, logged);
                format!("{} {}", full_stop(&told.headline), full_stop(&told.detail))
            } else {
                full_stop(&sentence(view, logged))
            },
        })
        .collect();
    said.reverse();
    said.extend(task.map(|task| Said {
        key: format!("task-{task}"),
        text: full_stop(task),
    }));
    Ok(Part { context, said }.render()?)
}
