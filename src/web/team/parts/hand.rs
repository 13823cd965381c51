//! The hand that a pupil raises in a lesson, to ask the teacher for help.

use askama::Template;

use crate::web::answer::Failure;
use crate::web::team::context::TeamContext;
use perplex_matches::team::Phase;

#[derive(Template)]
#[template(path = "team/parts/hand.html")]
struct Part<'a> {
    context: TeamContext<'a>,
    up: bool,
    over: bool,
}

/// The part of the page; empty for all but the pupils of a lesson.
pub fn render(context: TeamContext) -> Result<String, Failure> {
    let view = context.view;
    match &view.lesson {
        Some(lesson) if context.you().is_some() && !view.viewer.host && context.at.is_none() => {
            let part = Part {
                context,
                up: lesson.is_hand_up,
                over: view.state.phase == Phase::Over,
            };
            Ok(part.render()?)
        }
        _ => Ok(String::new()),
    }
}
