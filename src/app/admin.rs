use super::accounts::AccountFault;
use super::floods::Flood;
use super::mail_kind::MailKind;
use super::{App, AppError, Viewer, invalid};
use crate::address;
use crate::store::admin::{Counts, counts};
use crate::store::outbox::{self, MailRow, OutboxState};
use crate::store::{self, Page, accounts as account_rows, second_factor};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::time::Time;

#[derive(Clone, Debug)]
pub struct Status {
    pub version: String,
    pub database: String,
    pub counts: Counts,
    pub flood: Option<Flood>,
}

/// A mail of the outbox, as admins see it.
#[derive(Clone, Debug)]
pub struct OutboxMail {
    pub id: String,
    pub address: String,
    pub kind: String,
    pub match_id: Option<MatchId>,
    pub created: Time,
    /// The time at which it was sent or given up, or else will be tried.
    pub time: Time,
    pub attempts: i32,
    pub error: Option<String>,
    pub has_failed: bool,
}

impl From<MailRow> for OutboxMail {
    fn from(row: MailRow) -> Self {
        Self {
            has_failed: row.has_failed(),
            id: row.id,
            address: row.address,
            kind: row.kind,
            match_id: row.match_id,
            created: row.created_at,
            time: row.sent_at.or(row.dead_at).unwrap_or(row.due_at),
            attempts: row.attempts,
            error: row.error,
        }
    }
}

impl OutboxMail {
    /// The page of the match that it is about.
    pub fn path(&self) -> Option<String> {
        let id = self.match_id.as_ref()?;
        Some(match MailKind::find(&self.kind) {
            Some(MailKind::Team(_)) => format!("/team/{id}"),
            _ => format!("/match/{id}"),
        })
    }
}

#[derive(Clone, Debug)]
pub struct MailFile {
    pub to: String,
    pub subject: String,
    pub lines: Vec<String>,
    pub raw: String,
}

#[derive(Clone, Debug)]
pub struct UserInfo {
    pub id: AccountId,
    pub name: String,
    pub email: String,
    pub verified: bool,
    pub is_admin: bool,
    pub has_second_factor: bool,
    pub created: Time,
}

pub const PAGE: i64 = 50;

fn rows_of(page: u32) -> Page {
    Page {
        number: i64::from(page),
        size: PAGE,
    }
}

pub(super) fn require_admin(viewer: &Viewer) -> Result<(), AppError> {
    // For all others these pages do not exist.
    if viewer.is_admin {
        Ok(())
    } else {
        Err(AppError::NotFound)
    }
}

impl App {
    pub async fn status(&self, viewer: &Viewer) -> Result<Status, AppError> {
        require_admin(viewer)?;
        let (now, flood) = (self.now(), self.last_flood());
        self.read(move |conn| {
            Ok::<_, AppError>(Status {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                database: store::version(conn)?,
                counts: counts(conn, now)?,
                flood,
            })
        })
        .await
    }

    /// A page of the outbox: `waiting`, `sent` or `dead` mails, the newest first. Pages count from 0.
    pub async fn outbox(
        &self,
        viewer: &Viewer,
        state: &str,
        page: u32,
    ) -> Result<Vec<OutboxMail>, AppError> {
        require_admin(viewer)?;
        let state = match state {
            "waiting" => OutboxState::Waiting,
            "sent" => OutboxState::Sent,
            "dead" => OutboxState::Dead,
            _ => return Err(AppError::NotFound),
        };
        let rows = self
            .read(move |conn| outbox::list(conn, state, rows_of(page)))
            .await?;
        Ok(rows.into_iter().map(OutboxMail::from).collect())
    }

    pub async fn retry_mail(&self, viewer: &Viewer, id: &str) -> Result<(), AppError> {
        require_admin(viewer)?;
        self.require_proof(viewer)?;
        let (id, now) = (id.to_owned(), self.now());
        self.write(move |conn| outbox::retry(conn, &id, now))
            .await?;
        self.outbox.notify_one();
        Ok(())
    }

    pub async fn remove_mail(&self, viewer: &Viewer, id: &str) -> Result<(), AppError> {
        require_admin(viewer)?;
        self.require_proof(viewer)?;
        let id = id.to_owned();
        self.write(move |conn| outbox::remove(conn, &id)).await?;
        Ok(())
    }

    pub async fn users(&self, viewer: &Viewer, page: u32) -> Result<Vec<UserInfo>, AppError> {
        require_admin(viewer)?;
        let (rows, factors) = self
            .read(move |conn| {
                let rows = account_rows::list(conn, rows_of(page))?;
                let ids: Vec<AccountId> = rows.iter().map(|row| row.id.clone()).collect();
                Ok::<_, AppError>((rows, second_factor::among(conn, &ids)?))
            })
            .await?;
        Ok(rows
            .into_iter()
            .map(|row| UserInfo {
                has_second_factor: factors.contains(&row.id),
                id: row.id,
                verified: row.verified_at.is_some(),
                email: address::shown(&row.email.unwrap_or_default()),
                name: row.name,
                is_admin: row.is_admin,
                created: row.created_at,
            })
            .collect())
    }

    /// Switches off the second factor of a person who has lost device and recovery codes.
    pub async fn remove_second_factor_of(
        &self,
        viewer: &Viewer,
        id: &AccountId,
    ) -> Result<(), AppError> {
        require_admin(viewer)?;
        self.require_proof(viewer)?;
        let id = id.clone();
        let account = self.read(move |conn| account_rows::find(conn, &id)).await?;
        self.remove_second_factor(account.ok_or(AppError::NotFound)?)
            .await
            .map(drop)
    }

    /// [`remove_second_factor_of`](Self::remove_second_factor_of) by the name of the account, from the command line;
    /// `false` if it was off.
    pub async fn remove_second_factor_by_name(&self, name: &str) -> Result<bool, AppError> {
        let asked = name.to_owned();
        let account = self
            .read(move |conn| account_rows::find_by_name(conn, &asked))
            .await?;
        let account =
            account.ok_or_else(|| invalid("name", AccountFault::NoAccount(name.to_owned())))?;
        self.remove_second_factor(account).await
    }

    pub async fn mail_files(&self, viewer: &Viewer) -> Result<Vec<String>, AppError> {
        require_admin(viewer)?;
        // The links in them open every account.
        self.require_proof(viewer)?;
        let Some(folder) = self.mail_folder.clone() else {
            return Ok(Vec::new());
        };
        let names = tokio::task::spawn_blocking(move || {
            let mut names: Vec<String> = std::fs::read_dir(folder)?
                .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
                .filter(|name| is_mail(name))
                .collect();
            names.sort_unstable_by(|a, b| b.cmp(a));
            names.truncate(200);
            Ok::<_, std::io::Error>(names)
        });
        match names.await {
            Ok(Ok(names)) => Ok(names),
            // The first mail makes the folder.
            _ => Ok(Vec::new()),
        }
    }

    pub async fn mail_file(&self, viewer: &Viewer, name: &str) -> Result<MailFile, AppError> {
        require_admin(viewer)?;
        self.require_proof(viewer)?;
        let folder = self.mail_folder.as_ref().ok_or(AppError::NotFound)?;
        if !is_mail(name) {
            return Err(AppError::NotFound);
        }
        let file = folder.join(name);
        let text = tokio::task::spawn_blocking(move || std::fs::read(file));
        let Ok(Ok(bytes)) = text.await else {
            return Err(AppError::NotFound);
        };
        let mail = mail_parser::MessageParser::default()
            .parse(&bytes)
            .ok_or(AppError::NotFound)?;
        let to = mail.to().and_then(|to| to.first());
        Ok(MailFile {
            to: to
                .and_then(|to| to.address())
                .unwrap_or_default()
                .to_owned(),
            subject: mail.subject().unwrap_or_default().to_owned(),
            lines: mail
                .body_text(0)
                .unwrap_or_default()
                .lines()
                .map(str::to_owned)
                .collect(),
            raw: String::from_utf8_lossy(&bytes).into_owned(),
        })
    }
}

/// True if `name` can be that of a mail: it never leads out of the folder.
fn is_mail(name: &str) -> bool {
    let stem = name.strip_suffix(".eml");
    stem.is_some_and(|stem| {
        !stem.is_empty()
            && stem
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    })
}
