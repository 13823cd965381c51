//! The host's pages: how the house is, its mail, its people. For all others they do not exist.

use actix_web::web::Path;
use askama::Template;

use super::visit::{Fields, Post, Visit, see};
use super::{Answer, words};
use crate::app::AppError;
use crate::app::host::{MailFile, MailInfo, PAGE, Status, UserInfo};

#[derive(Template)]
#[template(path = "host.html")]
struct StatusPage<'a> {
    visit: &'a Visit,
    status: Status,
}

fn page_number(fields: &Fields) -> u32 {
    fields.get("page").parse().unwrap_or(0)
}

/// How the house is.
pub async fn status(visit: Visit) -> Answer {
    let status = visit.app.status(visit.viewer()?).await?;
    visit.page(&StatusPage {
        visit: &visit,
        status,
    })
}

const STATES: [(&str, &str); 3] = [
    ("waiting", "Waiting"),
    ("sent", "Sent"),
    ("dead", "Given up"),
];

#[derive(Template)]
#[template(path = "host-mail.html")]
struct OutboxPage<'a> {
    visit: &'a Visit,
    states: [(&'static str, &'static str, bool); 3],
    state: &'static str,
    is_sent: bool,
    mails: Vec<MailInfo>,
    page: u32,
    done: Option<&'static str>,
}

/// The mail: what waits, what is sent, what was given up.
pub async fn outbox(visit: Visit, fields: Fields) -> Answer {
    let viewer = visit.viewer()?;
    let state = STATES
        .iter()
        .map(|(key, _)| *key)
        .find(|key| *key == fields.get("state"))
        .unwrap_or("waiting");
    let page = page_number(&fields);
    let mails = visit.app.outbox(viewer, state, page).await?;
    visit.page(&OutboxPage {
        visit: &visit,
        states: STATES.map(|(key, name)| (key, name, key == state)),
        is_sent: state == "sent",
        state,
        mails,
        page,
        done: words::done(fields.get("done")),
    })
}

/// Tries a mail again.
pub async fn retry(post: Post) -> Answer {
    let Post { visit, fields } = post;
    visit
        .app
        .retry_mail(visit.viewer()?, fields.get("mail"))
        .await?;
    Ok(see("/host/mail?state=waiting&done=retry"))
}

#[derive(Template)]
#[template(path = "host-users.html")]
struct UsersPage<'a> {
    visit: &'a Visit,
    users: Vec<UserInfo>,
    page: u32,
}

impl UsersPage<'_> {
    /// Whether there may be more people than the page has room for.
    fn is_full(&self) -> bool {
        i64::try_from(self.users.len()).is_ok_and(|count| count >= PAGE)
    }
}

/// The people.
pub async fn users(visit: Visit, fields: Fields) -> Answer {
    let page = page_number(&fields);
    let users = visit.app.users(visit.viewer()?, page).await?;
    visit.page(&UsersPage {
        visit: &visit,
        users,
        page,
    })
}

#[derive(Template)]
#[template(path = "host-files.html")]
struct FilesPage<'a> {
    visit: &'a Visit,
    files: Vec<String>,
    /// The name of the one that is read, and what it holds.
    open: Option<(&'a str, MailFile)>,
}

/// The mails that were written as files because there is nobody to send them.
pub async fn files(visit: Visit) -> Answer {
    let files = visit.app.mail_files(visit.viewer()?).await?;
    visit.page(&FilesPage {
        visit: &visit,
        files,
        open: None,
    })
}

/// One of them.
pub async fn file(visit: Visit, name: Path<String>) -> Answer {
    let viewer = visit.viewer()?;
    if name.contains(['/', '\\']) || name.starts_with('.') {
        return Err(AppError::NotFound.into());
    }
    let mail = visit.app.mail_file(viewer, &name).await?;
    let files = visit.app.mail_files(viewer).await?;
    visit.page(&FilesPage {
        visit: &visit,
        files,
        open: Some((&name, mail)),
    })
}
