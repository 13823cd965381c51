//! Classes, for those who teach them.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::web::{ServiceConfig, get, post};
use actix_web::{FromRequest, HttpRequest};
use askama::Template;

use super::problems::Problems;
use super::visit::{Fields, Post, RequestContext, see};
use super::{Answer, Failure, words};
use crate::app::classes::ClassView;
use crate::store::classes::ClassRow;
use perplex_matches::id::AccountId;
use perplex_matches::id::ClassId;

mod cards;
mod page;
mod settings;

/// The routes of classes.
pub fn routes(cfg: &mut ServiceConfig) {
    cfg.route("/classroom", get().to(about))
        .route("/classes", get().to(list))
        .route("/classes", post().to(create))
        .route("/class/{class}", get().to(page::page))
        .route("/class/{class}/pupils", post().to(page::add))
        .route("/class/{class}/pupil/{pupil}/name", post().to(page::rename))
        .route(
            "/class/{class}/pupil/{pupil}/phrase",
            post().to(page::phrase),
        )
        .route("/class/{class}/pupil/{pupil}/leave", post().to(page::leave))
        .route(
            "/class/{class}/pupil/{pupil}/return",
            post().to(page::come_back),
        )
        .route("/class/{class}/cards", get().to(cards::page))
        .route("/class/{class}/settings", get().to(settings::page))
        .route("/class/{class}/name", post().to(settings::name))
        .route("/class/{class}/keep", post().to(settings::keep))
        .route("/class/{class}/archive", post().to(settings::archive))
        .route("/class/{class}/share", post().to(settings::share))
        .route("/class/{class}/unshare", post().to(settings::unshare))
        .route("/class/{class}/hand-over", post().to(settings::hand_over))
        .route("/class/{class}/remove", post().to(settings::remove))
        .route(
            "/class/{class}/export.{form:json|csv}",
            get().to(settings::export),
        );
}

/// Somebody who comes to a class: its id and, in some addresses, a pupil's.
pub struct Place {
    /// The class.
    pub class: ClassId,
    /// The pupil.
    pub pupil: AccountId,
}

impl FromRequest for Place {
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Failure>>>>;

    fn from_request(http: &HttpRequest, _: &mut Payload) -> Self::Future {
        let part = |name: &str| http.match_info().get(name).unwrap_or_default().to_owned();
        let place = Self {
            class: ClassId(part("class")),
            pupil: AccountId(part("pupil")),
        };
        Box::pin(std::future::ready(Ok(place)))
    }
}

/// A class of the viewer's.
async fn view(request: &RequestContext, class: &ClassId) -> Result<ClassView, Failure> {
    Ok(request.app.class(request.viewer()?, class).await?)
}

/// For how long something is kept, in words.
fn kept(days: i32) -> String {
    match days {
        365 => "a year".to_owned(),
        730 => "two years".to_owned(),
        days => format!("{days} days"),
    }
}

/// `1 pupil`, `24 pupils`.
fn pupils(count: usize) -> String {
    match count {
        1 => "1 pupil".to_owned(),
        count => format!("{count} pupils"),
    }
}

#[derive(Template)]
#[template(path = "classroom.html")]
struct AboutPage<'a> {
    request: &'a RequestContext,
}

/// How Perplex is used in a classroom, and what is kept about pupils.
async fn about(request: RequestContext) -> Answer {
    request.page(&AboutPage { request: &request })
}

#[derive(Template)]
#[template(path = "classes.html")]
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

/// The viewer's classes.
async fn list(request: RequestContext, fields: Fields) -> Answer {
    list_page(&request, &fields, &Problems::default()).await
}

/// Makes a class.
async fn create(post: Post) -> Answer {
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
