//! The page of a class: its pupils, and what is done about them.

use askama::Template;

use crate::app::AppError;
use crate::app::classes::{ClassView, Pupil};
use crate::web::answer::{Answer, see};
use crate::web::class::place;
use crate::web::class::place::{Place, pupils};
use crate::web::fields::Fields;
use crate::web::problems::Problems;
use crate::web::request::{Post, RequestContext};
use crate::web::{lesson, words};

#[derive(Template)]
#[template(path = "class/class.html")]
struct ClassPage<'a> {
    request: &'a RequestContext,
    view: ClassView,
    /// The lessons of the class, as a part of the page.
    lessons: String,
    /// What was filled in, where a form is shown again.
    fields: &'a Fields,
    /// The form that is shown again: `names`, or the id of a pupil.
    form: &'a str,
    problems: &'a Problems,
    done: Option<&'static str>,
}

impl ClassPage<'_> {
    /// Everything that is wrong with the names, line by line.
    fn wrong_names(&self) -> Vec<&str> {
        let wrong = self.problems.fields.iter();
        let wrong = wrong.filter(|(field, _)| *field == "names");
        wrong.map(|(_, text)| text.as_str()).collect()
    }

    fn count(&self) -> String {
        pupils(self.view.pupils.len())
    }

    fn again(&self, pupil: &Pupil) -> bool {
        self.form == pupil.id.0
    }

    fn wrong_name(&self, pupil: &Pupil) -> Option<&str> {
        self.problems.at("name").filter(|_| self.again(pupil))
    }

    fn name<'b>(&'b self, pupil: &'b Pupil) -> &'b str {
        if self.again(pupil) {
            self.fields.get("name")
        } else {
            &pupil.name
        }
    }
}

async fn show(
    request: &RequestContext,
    place: &Place,
    fields: &Fields,
    form: &str,
    problems: &Problems,
) -> Answer {
    let view = place::view(request, &place.class).await?;
    let archived = view.row.archived_at.is_some();
    let page = ClassPage {
        request,
        lessons: lesson::of_class(request, &place.class, archived).await?,
        view,
        fields,
        form,
        problems,
        done: words::done(fields.get("done")).filter(|_| form.is_empty()),
    };
    problems.page(request, &page)
}

pub async fn page(request: RequestContext, place: Place, fields: Fields) -> Answer {
    show(&request, &place, &fields, "", &Problems::default()).await
}

async fn after(
    post: &Post,
    place: &Place,
    form: &str,
    done: &str,
    result: Result<(), AppError>,
) -> Answer {
    match result {
        Ok(()) => Ok(see(&format!("/class/{}?done={done}", place.class))),
        Err(error) => {
            let problems = Problems::of(error)?;
            show(&post.request, place, &post.fields, form, &problems).await
        }
    }
}

pub async fn add(post: Post, place: Place) -> Answer {
    let (request, names) = (&post.request, post.fields.get("names"));
    let added = request
        .app
        .add_pupils(request.viewer()?, &place.class, names)
        .await;
    after(&post, &place, "names", "pupils-added", added.map(drop)).await
}

pub async fn rename(post: Post, place: Place) -> Answer {
    let (request, name) = (&post.request, post.fields.get("name"));
    let renamed = request
        .app
        .rename_pupil(request.viewer()?, &place.class, &place.pupil, name)
        .await;
    after(&post, &place, &place.pupil.0, "pupil-renamed", renamed).await
}

/// Gives a pupil another phrase, and shows the card.
pub async fn phrase(post: Post, place: Place) -> Answer {
    let request = &post.request;
    request
        .app
        .reset_phrase(request.viewer()?, &place.class, &place.pupil)
        .await?;
    Ok(see(&format!(
        "/class/{}/cards?pupil={}&done=phrase",
        place.class, place.pupil
    )))
}

pub async fn leave(post: Post, place: Place) -> Answer {
    let request = &post.request;
    let left = request
        .app
        .remove_pupil(request.viewer()?, &place.class, &place.pupil, true)
        .await;
    after(&post, &place, "", "pupil-left", left).await
}

pub async fn come_back(post: Post, place: Place) -> Answer {
    let request = &post.request;
    let back = request
        .app
        .remove_pupil(request.viewer()?, &place.class, &place.pupil, false)
        .await;
    after(&post, &place, "", "pupil-back", back).await
}
