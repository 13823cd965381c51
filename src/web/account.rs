//! The account page: everything that can be seen and changed about it.

use askama::Template;
use chrono_tz::TZ_VARIANTS;

use crate::app::AppError;
use crate::app::accounts::{AccountInfo, Preferences, SessionInfo, mail_kinds};
use crate::web::answer::{Answer, see};
use crate::web::fields::Fields;
use crate::web::problems::Problems;
use crate::web::request::{Post, RequestContext, THEMES};
use crate::web::words;

#[derive(Template)]
#[template(path = "account/account.html")]
struct AccountPage<'a> {
    request: &'a RequestContext,
    info: AccountInfo,
    sessions: Vec<SessionInfo>,
    /// What was filled in, where a form is shown again.
    fields: &'a Fields,
    form: &'a str,
    problems: &'a Problems,
    none: Problems,
    zones: Vec<&'static str>,
    done: Option<&'static str>,
}

impl AccountPage<'_> {
    fn wrong(&self, form: &str) -> &Problems {
        if self.form == form {
            self.problems
        } else {
            &self.none
        }
    }

    /// What stands in a field: what was typed, or what is saved.
    fn value<'b>(&'b self, form: &str, name: &str, saved: &'b str) -> &'b str {
        if self.form == form {
            self.fields.get(name)
        } else {
            saved
        }
    }

    #[expect(
        clippy::unused_self,
        reason = "the template reaches it through the page"
    )]
    fn browser(&self, session: &SessionInfo) -> String {
        words::browser(&session.agent)
    }

    fn kinds(&self) -> impl Iterator<Item = (&'static str, &'static str, bool)> {
        mail_kinds().map(|(key, title)| {
            let is_on = !self.info.mail_off.iter().any(|off| off == key);
            (key, title, is_on)
        })
    }

    fn themes(&self) -> impl Iterator<Item = (&'static str, &'static str, bool)> {
        THEMES
            .into_iter()
            .map(|(key, name)| (key, name, key == self.info.preferences.theme))
    }
}

async fn page(
    request: &RequestContext,
    fields: &Fields,
    form: &str,
    problems: &Problems,
) -> Answer {
    let viewer = request.viewer()?;
    let info = request.app.account(viewer).await?;
    let sessions = request.app.sessions(viewer).await?;
    let page = AccountPage {
        request,
        info,
        sessions,
        fields,
        form,
        problems,
        none: Problems::default(),
        zones: TZ_VARIANTS.iter().map(|zone| zone.name()).collect(),
        done: words::done(fields.get("done")).filter(|_| form.is_empty()),
    };
    problems.page(request, &page)
}

pub async fn account(request: RequestContext, fields: Fields) -> Answer {
    page(&request, &fields, "", &Problems::default()).await
}

/// The page after `form` was sent: what was done, or what is wrong.
async fn after(post: &Post, form: &'static str, result: Result<(), AppError>) -> Answer {
    match result {
        Ok(()) => Ok(see(&format!("/account?done={form}"))),
        Err(error) => page(&post.request, &post.fields, form, &Problems::of(error)?).await,
    }
}

pub async fn name(post: Post) -> Answer {
    let (request, fields) = (&post.request, &post.fields);
    let result = request
        .app
        .set_name(request.viewer()?, fields.get("name"))
        .await;
    after(&post, "name", result).await
}

pub async fn password(post: Post) -> Answer {
    let (request, fields) = (&post.request, &post.fields);
    let result = request
        .app
        .set_password(request.viewer()?, fields.get("old"), fields.get("password"))
        .await;
    after(&post, "password", result).await
}

pub async fn email(post: Post) -> Answer {
    let (request, fields) = (&post.request, &post.fields);
    let result = request
        .app
        .request_email(
            request.viewer()?,
            fields.get("email"),
            fields.get("password"),
        )
        .await;
    after(&post, "email", result).await
}

pub async fn preferences(post: Post) -> Answer {
    let (request, fields) = (&post.request, &post.fields);
    let preferences = Preferences {
        zone: fields.get("zone").to_owned(),
        confirm_turns: fields.has("confirm"),
        coordinates: fields.has("coordinates"),
        numbered: fields.has("numbered"),
        theme: fields.get("theme").to_owned(),
    };
    let result = request
        .app
        .set_preferences(request.viewer()?, preferences)
        .await;
    after(&post, "preferences", result).await
}

pub async fn mail(post: Post) -> Answer {
    let (request, fields) = (&post.request, &post.fields);
    let off = mail_kinds()
        .map(|(key, _)| key)
        .filter(|key| !fields.all("on").any(|on| on == *key))
        .map(str::to_owned)
        .collect();
    let result = request.app.set_mail(request.viewer()?, off).await;
    after(&post, "mail", result).await
}

pub async fn sessions(post: Post) -> Answer {
    let (request, fields) = (&post.request, &post.fields);
    let viewer = request.viewer()?;
    let result = match fields.get("session") {
        "others" => request.app.end_other_sessions(viewer).await,
        id => request.app.end_session(viewer, id).await,
    };
    after(&post, "sessions", result).await
}

pub async fn delete(post: Post) -> Answer {
    let (request, fields) = (&post.request, &post.fields);
    let password = fields.get("password");
    match request
        .app
        .delete_account(request.viewer()?, password)
        .await
    {
        Ok(()) => request.end_session(false, "/?done=deleted").await,
        error => after(&post, "delete", error).await,
    }
}
