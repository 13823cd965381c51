//! The settings of a class: its name, its teachers, how long it is kept, its export, its end.

use std::fmt::Display;

use actix_web::web::Path;
use askama::Template;

use crate::app::AppError;
use crate::app::classes::{ClassView, KEEP};
use crate::texts;
use crate::web::answer::{self, Answer, see};
use crate::web::class::place::{self, Place};
use crate::web::fields::Fields;
use crate::web::problems::{Problems, Sent};
use crate::web::request::RequestContext;
use crate::web::submission::Submission;
use crate::web::table;
use perplex_matches::id::AccountId;

#[derive(Template)]
#[template(path = "class/settings.html")]
struct SettingsPage<'a> {
    request: &'a RequestContext,
    view: ClassView,
    sent: Sent<'a>,
}

impl SettingsPage<'_> {
    fn times(&self) -> impl Iterator<Item = (i32, String, bool)> {
        KEEP.into_iter().map(|days| {
            (
                days,
                texts::kept_for(days),
                days == self.view.class.keep_days,
            )
        })
    }

    fn gone_at(&self) -> String {
        self.request.when(&self.view.class.kept_until())
    }

    fn count(&self) -> String {
        texts::pupils(self.view.pupils.len() + self.view.former.len())
    }

    /// True if ownership of the class is offered to this teacher.
    fn is_offered(&self, teacher: &AccountId) -> bool {
        self.view.offers.iter().any(|offer| offer.id == *teacher)
    }

    fn me(&self, teacher: &AccountId) -> bool {
        self.request
            .viewer
            .as_ref()
            .is_some_and(|viewer| viewer.id == *teacher)
    }
}

async fn show(request: &RequestContext, place: &Place, sent: Sent<'_>) -> Answer {
    let page = SettingsPage {
        request,
        view: place::view(request, &place.class).await?,
        sent,
    };
    sent.problems.page(request, &page)
}

pub async fn page(request: RequestContext, place: Place, fields: Fields) -> Answer {
    show(&request, &place, Sent::nothing(&fields)).await
}

/// The page after `form` was sent: with a notice of success, or the errors.
async fn after(
    post: &Submission,
    place: &Place,
    form: &str,
    result: Result<(), AppError>,
) -> Answer {
    match result {
        Ok(()) => {
            let settings = format!("/class/{}/settings", place.class);
            Ok(see(&format!("{settings}?done=class-{form}")))
        }
        Err(error) => {
            let problems = Problems::of(error)?;
            show(&post.request, place, Sent::again(post, form, &problems)).await
        }
    }
}

pub async fn name(post: Submission, place: Place) -> Answer {
    let (app, viewer) = (&post.request.app, post.request.viewer()?);
    let name = post.fields.get("name");
    let result = app.rename_class(viewer, &place.class, name).await;
    after(&post, &place, "name", result).await
}

pub async fn keep(post: Submission, place: Place) -> Answer {
    let (app, viewer) = (&post.request.app, post.request.viewer()?);
    let days = post.fields.get("days").parse().unwrap_or(0);
    let result = app.keep_class(viewer, &place.class, days).await;
    after(&post, &place, "keep", result).await
}

pub async fn archive(post: Submission, place: Place) -> Answer {
    let (app, viewer) = (&post.request.app, post.request.viewer()?);
    let archived = post.fields.get("archived") == "yes";
    let result = app.archive_class(viewer, &place.class, archived).await;
    let form = if archived { "archived" } else { "back" };
    after(&post, &place, form, result).await
}

pub async fn share(post: Submission, place: Place) -> Answer {
    let (app, viewer) = (&post.request.app, post.request.viewer()?);
    let teacher = post.fields.get("teacher");
    let result = app.offer_class(viewer, &place.class, teacher).await;
    after(&post, &place, "share", result).await
}

pub async fn unshare(post: Submission, place: Place) -> Answer {
    let (app, viewer) = (&post.request.app, post.request.viewer()?);
    let other = AccountId(post.fields.get("account").to_owned());
    let result = app.unshare_class(viewer, &place.class, &other).await;
    if result.is_ok() && other == viewer.id {
        return Ok(see("/classes?done=class-left"));
    }
    after(&post, &place, "unshare", result).await
}

pub async fn hand_over(post: Submission, place: Place) -> Answer {
    let (app, viewer) = (&post.request.app, post.request.viewer()?);
    let other = AccountId(post.fields.get("account").to_owned());
    let result = app.hand_over_class(viewer, &place.class, &other).await;
    after(&post, &place, "hand-over", result).await
}

pub async fn take_back(post: Submission, place: Place) -> Answer {
    let (app, viewer) = (&post.request.app, post.request.viewer()?);
    let other = AccountId(post.fields.get("account").to_owned());
    let result = app.take_back_class(viewer, &place.class, &other).await;
    after(&post, &place, "take-back", result).await
}

pub async fn remove(post: Submission, place: Place) -> Answer {
    let (app, viewer) = (&post.request.app, post.request.viewer()?);
    let typed = post.fields.get("typed");
    match app.remove_class(viewer, &place.class, typed).await {
        Ok(()) => Ok(see("/classes?done=class-removed")),
        error => after(&post, &place, "remove", error).await,
    }
}

fn file_name(name: &str) -> String {
    let name: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let name = name.trim_matches('-');
    if name.is_empty() {
        "class".to_owned()
    } else {
        name.to_lowercase()
    }
}

pub async fn export(request: RequestContext, place: Place, path: Path<(String, String)>) -> Answer {
    let viewer = request.viewer()?;
    let export = request.app.export_class(viewer, &place.class).await?;
    let form = &path.1;
    let file = format!("{}.{form}", file_name(export.name()));
    if form == "csv" {
        let lines = export.table().into_iter().map(|cells| {
            let cells: Vec<&dyn Display> = cells.iter().map(|cell| cell as &dyn Display).collect();
            table::line(&cells)
        });
        return Ok(table::file(&file, lines));
    }
    let kind = "application/json; charset=utf-8";
    Ok(answer::file(
        kind,
        &file,
        "private, no-store",
        export.json(),
    ))
}
