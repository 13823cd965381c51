use askama::Template;

use crate::app::AppError;
use crate::app::classes::ClassView;
use crate::texts;
use crate::web::answer::{Answer, see};
use crate::web::class::list::names_in;
use crate::web::class::place::{self, Place};
use crate::web::fields::Fields;
use crate::web::lesson;
use crate::web::problems::{Problems, Sent};
use crate::web::request::RequestContext;
use crate::web::submission::Submission;

#[derive(Template)]
#[template(path = "class/class.html")]
struct ClassPage<'a> {
    request: &'a RequestContext,
    view: ClassView,
    lessons: String,
    /// The form is `names`, or the id of a pupil.
    sent: Sent<'a>,
}

impl ClassPage<'_> {
    /// True if the page shows pass phrases: only if the teacher has just typed the password, as for cards.
    fn shows_phrases(&self) -> bool {
        let viewer = self.request.viewer.as_ref();
        viewer.is_some_and(|viewer| self.request.app.is_proved(viewer))
    }

    fn count(&self) -> String {
        texts::pupils(self.view.pupils.len())
    }
}

async fn show(request: &RequestContext, place: &Place, sent: Sent<'_>) -> Answer {
    let view = place::view(request, &place.class).await?;
    let archived = view.class.archived.is_some();
    let page = ClassPage {
        request,
        lessons: lesson::of_class(request, &place.class, archived).await?,
        view,
        sent,
    };
    sent.problems.page(request, &page)
}

pub async fn page(request: RequestContext, place: Place, fields: Fields) -> Answer {
    show(&request, &place, Sent::nothing(&fields)).await
}

async fn after(
    post: &Submission,
    place: &Place,
    form: &str,
    done: &str,
    result: Result<(), AppError>,
) -> Answer {
    match result {
        Ok(()) => Ok(see(&format!("/class/{}?done={done}", place.class))),
        Err(error) => {
            let problems = Problems::of(error)?;
            show(&post.request, place, Sent::again(post, form, &problems)).await
        }
    }
}

pub async fn add(post: Submission, place: Place) -> Answer {
    let (app, viewer) = (&post.request.app, post.request.viewer()?);
    let names = match names_in(&post.fields) {
        Ok(names) => names,
        Err(read) => return show(&post.request, &place, Sent::nothing(&read)).await,
    };
    let added = app.add_pupils(viewer, &place.class, &names).await;
    after(&post, &place, "names", "pupils-added", added.map(drop)).await
}

pub async fn rename(post: Submission, place: Place) -> Answer {
    let (app, viewer) = (&post.request.app, post.request.viewer()?);
    let (Place { class, pupil }, name) = (&place, post.fields.get("name"));
    let renamed = app.rename_pupil(viewer, class, pupil, name).await;
    after(&post, &place, &pupil.0, "pupil-renamed", renamed).await
}

pub async fn phrase(post: Submission, place: Place) -> Answer {
    let (app, viewer) = (&post.request.app, post.request.viewer()?);
    let Place { class, pupil } = &place;
    app.reset_phrase(viewer, class, pupil).await?;
    let cards = format!("/class/{class}/cards?pupil={pupil}&done=phrase");
    Ok(see(&cards))
}

async fn remove(post: Submission, place: Place, removed: bool) -> Answer {
    let (app, viewer) = (&post.request.app, post.request.viewer()?);
    let Place { class, pupil } = &place;
    let result = app.remove_pupil(viewer, class, pupil, removed).await;
    let done = if removed { "pupil-left" } else { "pupil-back" };
    after(&post, &place, "", done, result).await
}

pub async fn leave(post: Submission, place: Place) -> Answer {
    remove(post, place, true).await
}

pub async fn come_back(post: Submission, place: Place) -> Answer {
    remove(post, place, false).await
}
