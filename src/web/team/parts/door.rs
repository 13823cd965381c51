//! The requests of pupils to their teacher: to join a lesson, and for help.

use askama::Template;

use crate::app::team::lesson::LessonView;
use crate::texts::team::raised_hand;
use crate::web::answer::Failure;
use crate::web::team::context::TeamContext;
use perplex_matches::team::Phase;
use perplex_matches::team::event::MemberId;

#[derive(Template)]
#[template(path = "team/parts/door.html")]
struct Part<'a> {
    context: TeamContext<'a>,
    lesson: &'a LessonView,
    /// Each member with a raised hand, with the name and what the teacher is told.
    hands: Vec<(MemberId, String, String)>,
}

impl Part<'_> {
    fn is_calm(&self) -> bool {
        let lesson = self.lesson;
        let nothing = lesson.knocks.is_empty() && lesson.many_names.is_empty();
        nothing && self.hands.is_empty() && !self.settles()
    }

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
        Some(lesson) if view.rights.lead => {
            let hand = |member: &MemberId| {
                let asks = raised_hand(&view.state, *member);
                (*member, view.name(*member).to_owned(), asks)
            };
            let hands = lesson.hands.iter().map(hand).collect();
            Ok(Part {
                context,
                lesson,
                hands,
            }
            .render()?)
        }
        _ => Ok(String::new()),
    }
}
