use askama::Template;

use crate::app::team::lesson::LessonView;
use crate::web::answer::{Answer, see};
use crate::web::fields::Fields;
use crate::web::problems::Problems;
use crate::web::request::RequestContext;
use crate::web::team::context::{TeamContext, TeamRequest};
use crate::web::team::{live, parts};
use perplex_matches::team::Phase;

#[derive(Template)]
#[template(path = "team/lesson.html")]
struct NowPage<'a> {
    request: &'a RequestContext,
    context: TeamContext<'a>,
    heads: String,
    door: String,
    lesson: &'a LessonView,
    paused: bool,
    part: String,
}

/// The page of a lesson that has begun, for its teacher: the code for latecomers and other days, presence, and
/// stand-ins for absent members.
pub async fn page(request: TeamRequest, fields: Fields) -> Answer {
    render(&request, &fields, &Problems::default()).await
}

pub async fn render(request: &TeamRequest, fields: &Fields, problems: &Problems) -> Answer {
    let view = request.view(None).await?;
    let context = TeamContext {
        problems,
        ..TeamContext::now(request, &view, fields)
    };
    let Some(lesson) = view.lesson.as_ref().filter(|_| view.viewer.host) else {
        return Err(crate::app::AppError::NotFound.into());
    };
    if view.state.phase == Phase::Gathering || view.state.was_called_off() {
        return Ok(see(&request.base));
    }
    let page = NowPage {
        request,
        context,
        heads: live::write(&view.heads()),
        door: parts::door::render(context)?,
        lesson,
        paused: view.state.phase == Phase::Paused,
        part: parts::attendance::render(context, lesson)?,
    };
    problems.page(request, &page)
}
