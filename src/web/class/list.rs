use askama::Template;

use crate::app::classes::{Class, ClassOffer};
use crate::texts;
use crate::web::answer::{Answer, see};
use crate::web::class::place::Place;
use crate::web::fields::Fields;
use crate::web::problems::Problems;
use crate::web::request::RequestContext;
use crate::web::submission::Submission;
use perplex_matches::classroom::roster;

#[derive(Template)]
#[template(path = "class/teach.html")]
struct TeachPage<'a> {
    request: &'a RequestContext,
}

pub async fn teach(request: RequestContext) -> Answer {
    request.page(&TeachPage { request: &request })
}

#[derive(Template)]
#[template(path = "class/how.html")]
struct HowPage<'a> {
    request: &'a RequestContext,
}

pub async fn how(request: RequestContext) -> Answer {
    request.page(&HowPage { request: &request })
}

#[derive(Template)]
#[template(path = "class/kept.html")]
struct KeptPage<'a> {
    request: &'a RequestContext,
}

pub async fn kept(request: RequestContext) -> Answer {
    request.page(&KeptPage { request: &request })
}

#[derive(Template)]
#[template(path = "class/list.html")]
struct ListPage<'a> {
    request: &'a RequestContext,
    classes: Vec<(Class, bool)>,
    archived: Vec<(Class, bool)>,
    offers: Vec<ClassOffer>,
    fields: &'a Fields,
    problems: &'a Problems,
    done: Option<&'static str>,
    /// True for a teacher or an admin who should have a second factor.
    advises: bool,
}

impl ListPage<'_> {
    /// True for a teacher who has not made a class yet.
    fn is_new(&self) -> bool {
        self.classes.is_empty() && self.archived.is_empty()
    }

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
        .partition(|(class, _)| class.archived.is_some());
    let page = ListPage {
        request,
        classes,
        archived,
        offers: request.app.class_offers(request.viewer()?).await?,
        fields,
        problems,
        done: texts::done(fields.get("done")),
        advises,
    };
    problems.page(request, &page)
}

pub async fn list(request: RequestContext, fields: Fields) -> Answer {
    list_page(&request, &fields, &Problems::default()).await
}

/// The list of names in a form. An error is its fields, to be shown once more with the list as it was read: what its
/// teacher has looked at then is what is made.
pub fn names_in(fields: &Fields) -> Result<String, Fields> {
    let names = fields.get("names");
    let shown = Some(fields.get("read")).filter(|shown| !shown.is_empty());
    if let Some(names) = shown.and_then(|shown| roster::looked_at(names, shown)) {
        return Ok(names);
    }
    match roster::read(names) {
        None => Ok(names.to_owned()),
        Some(read) => {
            let fields = fields.clone().replaced("read", read.clone());
            let fields = fields.replaced("names", read);
            Err(fields.replaced("done", "names-read"))
        }
    }
}

pub async fn create(post: Submission) -> Answer {
    let Submission { request, fields } = post;
    let (app, viewer) = (&request.app, request.viewer()?);
    let (name, roster) = (fields.get("name"), fields.get("roster") != "no");
    let names = if roster {
        names_in(&fields)
    } else {
        Ok(String::new())
    };
    let names = match names {
        Ok(names) => names,
        Err(read) => return list_page(&request, &read, &Problems::default()).await,
    };
    match app.create_class(viewer, name, roster, &names).await {
        Ok(id) => Ok(see(&format!("/class/{id}?done=class-made"))),
        Err(error) => list_page(&request, &fields, &Problems::of(error)?).await,
    }
}

pub async fn accept(post: Submission, place: Place) -> Answer {
    let Submission { request, fields } = post;
    match request
        .app
        .accept_class(request.viewer()?, &place.class)
        .await
    {
        Ok(()) => Ok(see(&format!("/class/{}?done=class-accepted", place.class))),
        Err(error) => list_page(&request, &fields, &Problems::of(error)?).await,
    }
}

pub async fn decline(post: Submission, place: Place) -> Answer {
    let (app, viewer) = (&post.request.app, post.request.viewer()?);
    app.decline_class(viewer, &place.class).await?;
    Ok(see("/classes?done=class-declined"))
}
