//! The requests to join a lesson, for its teacher.

use askama::Template;

use crate::app::team::lesson::LessonView;
use crate::web::answer::Failure;
use crate::web::team::context::TeamContext;
use perplex_matches::team::Phase;

#[derive(Template)]
#[template(path = "team/parts/door.html")]
struct Part<'a> {
    context: TeamContext<'a>,
    lesson: &'a LessonView,
}

impl Part<'_> {
    /// True if the teacher decides here about latecomers.
    fn settles(&self) -> bool {
        let begun = matches!(
            self.context.view.state.phase,
            Phase::Playing | Phase::Paused
        );
        begun && self.context.is_control_panel()
    }
}

/// The part of the page; empty for all but the teachers.
pub fn render(context: TeamContext) -> Result<String, Failure> {
    let view = context.view;
    match &view.lesson {
        Some(lesson) if view.rights.lead => Ok(Part { context, lesson }.render()?),
        _ => Ok(String::new()),
    }
}
