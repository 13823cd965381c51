use askama::Template;
use chrono_tz::TZ_VARIANTS;

use crate::app::AppError;
use crate::app::accounts::{AccountInfo, Preferences, RefusedMail, SecondFactor, Session, Typed};
use crate::texts;
use crate::web::answer::{Answer, see};
use crate::web::fields::Fields;
use crate::web::mail_settings::MailForm;
use crate::web::problems::{Problems, Sent};
use crate::web::request::{RequestContext, THEMES};
use crate::web::submission::Submission;

#[derive(Template)]
#[template(path = "account/account.html")]
struct AccountPage<'a> {
    request: &'a RequestContext,
    info: AccountInfo,
    mail: MailForm,
    sessions: Vec<Session>,
    second_factor: Option<SecondFactor>,
    refused: Option<RefusedMail>,
    sent: Sent<'a>,
    zones: Vec<&'static str>,
}

impl AccountPage<'_> {
    #[expect(
        clippy::unused_self,
        reason = "the template reaches it through the page"
    )]
    fn browser(&self, session: &Session) -> String {
        texts::browser(&session.agent)
    }

    fn is_current(&self, session: &Session) -> bool {
        let viewer = self.request.viewer.as_ref();
        viewer.is_some_and(|viewer| viewer.session == session.id)
    }

    fn themes(&self) -> impl Iterator<Item = (&'static str, &'static str, bool)> {
        THEMES
            .into_iter()
            .map(|key| (key, texts::theme(key), key == self.info.preferences.theme))
    }
}

async fn page(request: &RequestContext, sent: Sent<'_>) -> Answer {
    let viewer = request.viewer()?;
    let info = request.app.account(viewer).await?;
    let page = AccountPage {
        request,
        mail: MailForm::new(&info.mail, &sent),
        info,
        sessions: request.app.sessions(viewer).await?,
        second_factor: request.app.second_factor(viewer).await?,
        refused: request.app.refused_mail(viewer).await?,
        sent,
        zones: TZ_VARIANTS.iter().map(|zone| zone.name()).collect(),
    };
    sent.problems.page(request, &page)
}

pub async fn account(request: RequestContext, fields: Fields) -> Answer {
    page(&request, Sent::nothing(&fields)).await
}

async fn after(post: &Submission, form: &'static str, result: Result<(), AppError>) -> Answer {
    match result {
        Ok(()) => Ok(see(&format!("/account?done={form}"))),
        Err(error) => {
            let problems = Problems::of(error)?;
            page(&post.request, Sent::again(post, form, &problems)).await
        }
    }
}

pub async fn name(post: Submission) -> Answer {
    let (app, viewer) = (&post.request.app, post.request.viewer()?);
    let result = app.set_name(viewer, post.fields.get("name")).await;
    after(&post, "name", result).await
}

pub async fn password(post: Submission) -> Answer {
    let (app, viewer) = (&post.request.app, post.request.viewer()?);
    let (old, new) = (post.fields.get("old"), post.fields.get("password"));
    match app.set_password(viewer, old, new, &post.request.from).await {
        Ok(token) => {
            let request = post.request.renewed(&token);
            request.keep_session(see("/account?done=password")).await
        }
        Err(error) => after(&post, "password", Err(error)).await,
    }
}

fn typed(fields: &Fields) -> Typed<'_> {
    Typed {
        password: fields.get("password"),
        code: fields.get("code"),
    }
}

pub async fn email(post: Submission) -> Answer {
    let (app, viewer) = (&post.request.app, post.request.viewer()?);
    let email = post.fields.get("email");
    let result = app.request_email(viewer, email, typed(&post.fields)).await;
    after(&post, "email", result).await
}

pub async fn preferences(post: Submission) -> Answer {
    let (request, fields) = (&post.request, &post.fields);
    let preferences = Preferences {
        zone: fields.get("zone").to_owned(),
        confirm_turns: fields.has("confirm"),
        coordinates: fields.has("coordinates"),
        numbered: fields.has("numbered"),
        official_signs: fields.has("signs"),
        theme: fields.get("theme").to_owned(),
        chimes: fields.has("chimes"),
    };
    let viewer = request.viewer()?;
    let result = request.app.set_preferences(viewer, preferences).await;
    after(&post, "preferences", result).await
}

pub async fn mail(post: Submission) -> Answer {
    let (request, fields) = (&post.request, &post.fields);
    let viewer = request.viewer()?;
    let result = match MailForm::read(fields) {
        Ok(settings) => request.app.set_mail(viewer, settings).await,
        Err(error) => Err(error),
    };
    after(&post, "mail", result).await
}

pub async fn sessions(post: Submission) -> Answer {
    let (request, fields) = (&post.request, &post.fields);
    let viewer = request.viewer()?;
    let (done, result) = match fields.get("session") {
        "others" => (
            "sessions-others",
            request.app.end_other_sessions(viewer).await,
        ),
        id => ("sessions", request.app.end_session(viewer, id).await),
    };
    after(&post, done, result).await
}

pub async fn delete(post: Submission) -> Answer {
    let request = &post.request;
    let viewer = request.viewer()?;
    let deleted = request.app.delete_account(viewer, typed(&post.fields));
    match deleted.await {
        Ok(()) => request.end_session(false, "/?done=deleted").await,
        error => after(&post, "delete", error).await,
    }
}
