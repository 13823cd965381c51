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
    /// Whether a teacher or an admin is advised to have a second factor.
    advises: bool,
}

impl ListPage<'_> {
    fn with_roster(&self) -> bool {
        self.fields.get("roster") != "no"
    }
}

async fn list_page(request: &RequestContext, fields: &Fields, problems: &Problems) -> Answer {
    let viewer = request.viewer()?;
    let all = request.app.classes(viewer).await?;
    let has_duties = viewer.is_admin || !all.is_empty();
    let advises = has_duties && request.app.second_factor(viewer).await?.is_none();
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
        advises,
    };
    problems.page(request, &page)
}

pub async fn list(request: RequestContext, fields: Fields) -> Answer {
    list_page(&request, &fields, &Problems::default()).await
}

pub async fn create(post: Post) -> Answer {
    let Post { request, fields } = post;
    let (app, viewer) = (&request.app, request.viewer()?);
    let (name, names) = (fields.get("name"), fields.get("names"));
    let roster = fields.get("roster") != "no";
    match app.create_class(viewer, name, roster, names).await {
        Ok(id) => Ok(see(&format!("/class/{id}?done=class-made"))),
        Err(error) => list_page(&request, &fields, &Problems::of(error)?).await,
    }
}
