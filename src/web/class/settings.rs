//! What becomes of a class: its name, who shares it, how long it is kept, what of it is taken away, its end.

use std::fmt::Display;

use actix_web::HttpResponse;
use actix_web::http::header;
use actix_web::web::Path;
use askama::Template;

use crate::app::AppError;
use crate::app::classes::{ClassView, KEEP};
use crate::web::answer::{Answer, see};
use crate::web::class::place;
use crate::web::class::place::{Place, pupils, time_in_words};
use crate::web::fields::Fields;
use crate::web::problems::Problems;
use crate::web::request::{Post, RequestContext};
use crate::web::{table, words};
use perplex_matches::id::AccountId;

#[derive(Template)]
#[template(path = "class/settings.html")]
struct SettingsPage<'a> {
    request: &'a RequestContext,
    view: ClassView,
    /// What was filled in, where a form is shown again.
    fields: &'a Fields,
    form: &'a str,
    problems: &'a Problems,
    done: Option<&'static str>,
}

impl SettingsPage<'_> {
    fn wrong(&self, form: &str, field: &str) -> Option<&str> {
        self.problems.at(field).filter(|_| self.form == form)
    }

    /// What stands in a field: what was typed, or what is saved.
    fn value<'b>(&'b self, form: &str, name: &str, saved: &'b str) -> &'b str {
        if self.form == form {
            self.fields.get(name)
        } else {
            saved
        }
    }

    fn times(&self) -> impl Iterator<Item = (i32, String, bool)> {
        KEEP.into_iter()
            .map(|days| (days, time_in_words(days), days == self.view.row.keep_days))
    }

    /// When the class goes if it is not used.
    fn gone_at(&self) -> String {
        self.request.when(&self.view.row.kept_until())
    }

    fn count(&self) -> String {
        pupils(self.view.pupils.len() + self.view.former.len())
    }

    fn me(&self, teacher: &AccountId) -> bool {
        self.request
            .viewer
            .as_ref()
            .is_some_and(|viewer| viewer.id == *teacher)
    }
}

async fn show(
    request: &RequestContext,
    place: &Place,
    fields: &Fields,
    form: &str,
    problems: &Problems,
) -> Answer {
    let page = SettingsPage {
        request,
        view: place::view(request, &place.class).await?,
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

/// The page after `form` was sent: what was done, or what is wrong.
async fn after(post: &Post, place: &Place, form: &str, result: Result<(), AppError>) -> Answer {
    match result {
        Ok(()) => Ok(see(&format!(
            "/class/{}/settings?done=class-{form}",
            place.class
        ))),
        Err(error) => {
            let problems = Problems::of(error)?;
            show(&post.request, place, &post.fields, form, &problems).await
        }
    }
}

pub async fn name(post: Post, place: Place) -> Answer {
    let request = &post.request;
    let result = request
        .app
        .rename_class(request.viewer()?, &place.class, post.fields.get("name"))
        .await;
    after(&post, &place, "name", result).await
}

pub async fn keep(post: Post, place: Place) -> Answer {
    let request = &post.request;
    let days = post.fields.get("days").parse().unwrap_or(0);
    let result = request
        .app
        .keep_class(request.viewer()?, &place.class, days)
        .await;
    after(&post, &place, "keep", result).await
}

pub async fn archive(post: Post, place: Place) -> Answer {
    let request = &post.request;
    let archived = post.fields.get("archived") == "yes";
    let result = request
        .app
        .archive_class(request.viewer()?, &place.class, archived)
        .await;
    after(
        &post,
        &place,
        if archived { "archived" } else { "back" },
        result,
    )
    .await
}

/// Lets another teacher share the class.
pub async fn share(post: Post, place: Place) -> Answer {
    let request = &post.request;
    let result = request
        .app
        .share_class(request.viewer()?, &place.class, post.fields.get("teacher"))
        .await;
    after(&post, &place, "share", result).await
}

pub async fn unshare(post: Post, place: Place) -> Answer {
    let request = &post.request;
    let viewer = request.viewer()?;
    let other = AccountId(post.fields.get("account").to_owned());
    let result = request
        .app
        .unshare_class(viewer, &place.class, &other)
        .await;
    if result.is_ok() && other == viewer.id {
        return Ok(see("/classes?done=class-left"));
    }
    after(&post, &place, "unshare", result).await
}

/// Makes another teacher the owner.
pub async fn hand_over(post: Post, place: Place) -> Answer {
    let request = &post.request;
    let other = AccountId(post.fields.get("account").to_owned());
    let result = request
        .app
        .hand_over_class(request.viewer()?, &place.class, &other)
        .await;
    after(&post, &place, "hand-over", result).await
}

pub async fn remove(post: Post, place: Place) -> Answer {
    let request = &post.request;
    let typed = post.fields.get("typed");
    match request
        .app
        .remove_class(request.viewer()?, &place.class, typed)
        .await
    {
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
    let export = request
        .app
        .export_class(request.viewer()?, &place.class)
        .await?;
    let form = &path.1;
    let file = format!("{}.{form}", file_name(export.name()));
    if form == "csv" {
        let lines = export.table().into_iter().map(|cells| {
            let cells: Vec<&dyn Display> = cells.iter().map(|cell| cell as &dyn Display).collect();
            table::line(&cells)
        });
        return Ok(table::file(&file, lines));
    }
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "application/json; charset=utf-8"))
        .insert_header((
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{file}\""),
        ))
        .insert_header((header::CACHE_CONTROL, "private, no-store"))
        .body(export.json()))
}
