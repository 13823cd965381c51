//! The admins' pages: the state of the installation, its mail, its accounts. For all others these pages do not exist.

use actix_web::web::Path;
use askama::Template;

use crate::app::AppError;
use crate::app::admin::{MailFile, OutboxMail, PAGE, Status, UserInfo};
use crate::site::SignUpMode;
use crate::texts;
use crate::web::answer::{Answer, see};
use crate::web::fields::Fields;
use crate::web::request::RequestContext;
use crate::web::submission::Submission;
use perplex_matches::id::AccountId;

#[derive(Template)]
#[template(path = "admin/status.html")]
struct StatusPage<'a> {
    request: &'a RequestContext,
    status: Status,
}

fn page_number(fields: &Fields) -> u32 {
    fields.get("page").parse().unwrap_or(0)
}

pub async fn status(request: RequestContext) -> Answer {
    let status = request.app.status(request.viewer()?).await?;
    request.page(&StatusPage {
        request: &request,
        status,
    })
}

const STATES: [&str; 3] = ["waiting", "sent", "dead"];

#[derive(Template)]
#[template(path = "admin/mail.html")]
struct OutboxPage<'a> {
    request: &'a RequestContext,
    states: [(&'static str, bool); 3],
    state: &'static str,
    is_sent: bool,
    is_dead: bool,
    mails: Vec<OutboxMail>,
    page: u32,
    done: Option<&'static str>,
}

pub async fn outbox(request: RequestContext, fields: Fields) -> Answer {
    let viewer = request.viewer()?;
    let state = STATES
        .into_iter()
        .find(|key| *key == fields.get("state"))
        .unwrap_or("waiting");
    let page = page_number(&fields);
    let mails = request.app.outbox(viewer, state, page).await?;
    request.page(&OutboxPage {
        request: &request,
        states: STATES.map(|key| (key, key == state)),
        is_sent: state == "sent",
        is_dead: state == "dead",
        state,
        mails,
        page,
        done: texts::done(fields.get("done")),
    })
}

pub async fn retry(post: Submission) -> Answer {
    let Submission { request, fields } = post;
    request
        .app
        .retry_mail(request.viewer()?, fields.get("mail"))
        .await?;
    Ok(see("/admin/mail?state=waiting&done=retry"))
}

pub async fn remove_mail(post: Submission) -> Answer {
    let Submission { request, fields } = post;
    let (viewer, mail) = (request.viewer()?, fields.get("mail"));
    request.app.remove_mail(viewer, mail).await?;
    let state = match fields.get("state") {
        "dead" => "dead",
        _ => "waiting",
    };
    Ok(see(&format!("/admin/mail?state={state}&done=mail-removed")))
}

#[derive(Template)]
#[template(path = "admin/users.html")]
struct UsersPage<'a> {
    request: &'a RequestContext,
    users: Vec<UserInfo>,
    page: u32,
    done: Option<&'static str>,
    /// The link of a new invitation, shown only once.
    link: Option<String>,
}

impl UsersPage<'_> {
    fn invites(&self) -> bool {
        self.request.app.site.sign_up == SignUpMode::Invite
    }

    fn is_full(&self) -> bool {
        i64::try_from(self.users.len()).is_ok_and(|count| count >= PAGE)
    }
}

pub async fn users(request: RequestContext, fields: Fields) -> Answer {
    users_page(&request, &fields, None).await
}

pub async fn invite(post: Submission) -> Answer {
    let request = &post.request;
    let link = request.app.invite_to_sign_up(request.viewer()?).await?;
    users_page(request, &Fields::default(), Some(link)).await
}

async fn users_page(request: &RequestContext, fields: &Fields, link: Option<String>) -> Answer {
    let page = page_number(fields);
    let users = request.app.users(request.viewer()?, page).await?;
    request.page(&UsersPage {
        request,
        users,
        page,
        done: texts::done(fields.get("done")),
        link,
    })
}

pub async fn remove_second_factor(post: Submission) -> Answer {
    let Submission { request, fields } = post;
    let account = AccountId(fields.get("account").to_owned());
    let viewer = request.viewer()?;
    request
        .app
        .remove_second_factor_of(viewer, &account)
        .await?;
    Ok(see("/admin/users?done=user-second-factor"))
}

#[derive(Template)]
#[template(path = "admin/files.html")]
struct FilesPage<'a> {
    request: &'a RequestContext,
    files: Vec<String>,
    open: Option<(&'a str, MailFile)>,
}

/// Lists the mails that were written as files because no mail server is set.
pub async fn files(request: RequestContext) -> Answer {
    let files = request.app.mail_files(request.viewer()?).await?;
    request.page(&FilesPage {
        request: &request,
        files,
        open: None,
    })
}

pub async fn file(request: RequestContext, name: Path<String>) -> Answer {
    let viewer = request.viewer()?;
    if name.contains(['/', '\\']) || name.starts_with('.') {
        return Err(AppError::NotFound.into());
    }
    let mail = request.app.mail_file(viewer, &name).await?;
    let files = request.app.mail_files(viewer).await?;
    request.page(&FilesPage {
        request: &request,
        files,
        open: Some((&name, mail)),
    })
}
