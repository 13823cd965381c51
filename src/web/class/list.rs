//! The classes of a teacher, and how Perplex is used in a classroom.

use askama::Template;

use crate::store::classes::ClassRow;
use crate::web::answer::{Answer, see};
use crate::web::fields::Fields;
use crate::web::problems::Problems;
use crate::web::request::{Post, RequestContext};
use crate::web::words;

#[derive(Template)]
#[template(path = "class/about.html")]
struct AboutPage<'a> {
    request: &'a RequestContext,
}

pub async fn about(request: RequestContext) -> Answer {
    request.page(&AboutPage { request: &request })
}

#[derive(Template)]
#[template(path = "class/list.html")]
struct ListPage<'a> {
    request: &'a RequestContext,
    classes: Vec<(ClassRow, bool)>,
    archived: Vec<(ClassRow, bool)>,
    fields: &'a Fields,
    problems: &'a Problems,
    done: Option<&'static str>,
}

impl ListPage<'_> {
    /// Everything that is wrong with the names, line by line.
    fn wrong_names(&self) -> Vec<&str> {
        let wrong = self.problems.fields.iter();
        let wrong = wrong.filter(|(field, _)| *field == "names");
        wrong.map(|(_, text)| text.as_str()).collect()
    }

    fn with_roster(&self) -> bool {
        self.fields.get("roster") != "no"
    }
}

async fn list_page(request: &RequestContext, fields: &Fields, problems: &Problems) -> Answer {
    let all = request.app.classes(request.viewer()?).await?;
    let (archived, classes) = all
        .into_iter()
        .partition(|(row, _)| row.archived_at.is_some());
    let page = ListPage {
        request,
        classes,
        archived,
        fields,
        problems,
        done: words::done(fields.get("done")),
    };
    problems.page(request, &page)
}

pub async fn list(request: RequestContext, fields: Fields) -> Answer {
    list_page(&request, &fields, &Problems::default()).await
}

pub async fn create(post: Post) -> Answer {
    let Post { request, fields } = post;
    let roster = fields.get("roster") != "no";
    let made = request
        .app
        .create_class(
            request.viewer()?,
            fields.get("name"),
            roster,
            fields.get("names"),
        )
        .await;
    match made {
        Ok(id) => Ok(see(&format!("/class/{id}?done=class-made"))),
        Err(error) => list_page(&request, &fields, &Problems::of(error)?).await,
    }
}
