//! What the host sees: the state of the house, the outbox, the accounts.

use super::{App, AppError, Viewer};
use crate::store::{self, accounts as account_rows, journal, outbox};
use crate::time::Time;

/// How many mails there are of each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MailCounts {
    /// To be sent, now or later.
    pub waiting: i64,
    /// Sent.
    pub sent: i64,
    /// Given up.
    pub dead: i64,
}

/// The state of the house.
#[derive(Clone, Debug)]
pub struct Status {
    /// The version of Perplex.
    pub version: String,
    /// The database and its version.
    pub database: String,
    /// How many accounts there are.
    pub accounts: i64,
    /// How many matches there are in each phase.
    pub matches: Vec<(String, i64)>,
    /// How many mails there are of each state.
    pub mail: MailCounts,
}

/// A mail in the outbox.
#[derive(Clone, Debug)]
pub struct MailInfo {
    /// Its id, for trying it again.
    pub id: String,
    /// What it is about.
    pub kind: String,
    /// To whom.
    pub address: String,
    /// The match that it is about.
    pub match_id: Option<String>,
    /// When it was written.
    pub created: Time,
    /// When it is tried next.
    pub due: Time,
    /// How often it was tried.
    pub tries: i32,
    /// What the last try said.
    pub error: Option<String>,
    /// When it was sent.
    pub sent: Option<Time>,
}

/// An account, as the host sees it.
#[derive(Clone, Debug)]
pub struct UserInfo {
    /// The name that others see.
    pub name: String,
    /// Where mail goes.
    pub email: String,
    /// Whether the address was proved.
    pub verified: bool,
    /// Whether this account keeps the house.
    pub host: bool,
    /// When it was made.
    pub created: Time,
}

/// How many rows a page of a list has.
pub const PAGE: i64 = 50;

fn host(viewer: &Viewer) -> Result<(), AppError> {
    // For everyone else these pages do not exist.
    if viewer.host {
        Ok(())
    } else {
        Err(AppError::NotFound)
    }
}

impl App {
    /// The state of the house.
    ///
    /// # Errors
    /// Not found for anyone but the host.
    pub async fn status(&self, viewer: &Viewer) -> Result<Status, AppError> {
        host(viewer)?;
        self.store
            .read(|conn| {
                let (waiting, sent, dead) = outbox::counts(conn)?;
                Ok(Status {
                    version: env!("CARGO_PKG_VERSION").to_owned(),
                    database: store::version(conn)?,
                    accounts: account_rows::count(conn)?,
                    matches: journal::counts(conn)?,
                    mail: MailCounts {
                        waiting,
                        sent,
                        dead,
                    },
                })
            })
            .await
    }

    /// A page of the outbox: `waiting`, `sent` or `dead` mails, the newest first. Pages count from 0.
    ///
    /// # Errors
    /// Not found for anyone but the host, and for another state.
    pub async fn outbox(
        &self,
        viewer: &Viewer,
        state: &str,
        page: u32,
    ) -> Result<Vec<MailInfo>, AppError> {
        host(viewer)?;
        let state = match state {
            "waiting" => outbox::State::Waiting,
            "sent" => outbox::State::Sent,
            "dead" => outbox::State::Dead,
            _ => return Err(AppError::NotFound),
        };
        let rows = self
            .store
            .read(move |conn| outbox::list(conn, state, PAGE, i64::from(page) * PAGE))
            .await?;
        Ok(rows
            .into_iter()
            .map(|row| MailInfo {
                id: row.id,
                kind: row.kind,
                address: row.address,
                match_id: row.match_id.map(|id| id.0),
                created: row.created_at,
                due: row.due_at,
                tries: row.tries,
                error: row.error,
                sent: row.sent_at,
            })
            .collect())
    }

    /// Tries a mail again at once.
    ///
    /// # Errors
    /// Not found for anyone but the host.
    pub async fn retry_mail(&self, viewer: &Viewer, id: &str) -> Result<(), AppError> {
        host(viewer)?;
        let (id, now) = (id.to_owned(), self.now());
        self.store
            .write(move |conn| outbox::retry(conn, &id, now))
            .await?;
        self.outbox.notify_one();
        Ok(())
    }

    /// A page of the accounts, the newest first. Pages count from 0.
    ///
    /// # Errors
    /// Not found for anyone but the host.
    pub async fn users(&self, viewer: &Viewer, page: u32) -> Result<Vec<UserInfo>, AppError> {
        host(viewer)?;
        let rows = self
            .store
            .read(move |conn| account_rows::list(conn, PAGE, i64::from(page) * PAGE))
            .await?;
        Ok(rows
            .into_iter()
            .map(|row| UserInfo {
                verified: row.verified_at.is_some(),
                email: row.email.unwrap_or_default(),
                name: row.name,
                host: row.host,
                created: row.created_at,
            })
            .collect())
    }
}
