//! Sessions, and the devices on which an account is known.

use uuid::Uuid;

use super::{Credentials, PROVED, SESSION_DAYS};
use crate::app::mail_kind::Notice;
use crate::app::{App, AppError, Viewer, Visitor};
use crate::log::AUDIT;
use crate::secret::{Key, hash_token, random_token};
use crate::store::accounts::{self as rows, AccountRow, SessionRow};
use crate::store::second_factor::{self as factors, SecondFactorRow};
use crate::store::{Conn, classes};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::time::{Time, days, hours};

/// Number of sessions that an account has at most; the oldest end.
const MOST_SESSIONS: i64 = 50;

/// Days that a device is known after signing in on it.
pub const DEVICE_DAYS: u64 = 365;

/// The beginning of a second factor as the proof of a device names it; of none without a second factor.
fn beginning(factor: Option<&SecondFactorRow>) -> String {
    factor.map_or_else(String::new, |factor| factor.created_at.0.to_string())
}

/// What the MAC of credentials is for.
const CREDENTIALS: &str = "credentials";

/// The credentials that the proof of a device names, as a MAC: a new password, or a second factor switched on or off, makes a
/// known device a stranger's.
fn credentials_of_device(account: &AccountRow, factor: Option<&SecondFactorRow>) -> [String; 3] {
    let (id, password) = (account.id.0.clone(), account.password.clone());
    [id, beginning(factor), password]
}

/// Holds in a transaction in which the account still has the password that was checked, and needs no code of a second factor
/// that was not entered (`coded`).
pub(super) fn has_password(
    account: AccountRow,
    coded: bool,
) -> impl FnOnce(&mut Conn) -> Result<Option<()>, AppError> + Send {
    move |conn| {
        let has = rows::hold(conn, &account)?;
        let is_enough = has && (coded || factors::find(conn, &account.id)?.is_none());
        Ok(is_enough.then_some(()))
    }
}

/// A session of an account, as its owner sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    pub id: String,
    /// The User-Agent with which it began.
    pub agent: String,
    /// The network address from which it began, or nothing.
    pub address: String,
    pub created: Time,
    pub seen: Time,
}

impl From<SessionRow> for Session {
    fn from(row: SessionRow) -> Self {
        Self {
            id: row.id,
            agent: row.agent,
            address: row.address,
            created: row.created_at,
            seen: row.seen_at,
        }
    }
}

impl App {
    /// Starts a session that is good in one lesson until a given time, or, without a lesson, everywhere until some time
    /// after its last use. `None` if what the visitor has proved no longer `holds`, as the session begins and until its
    /// transaction ends: by then the account may have got another password, or the pupil other words. Else it gives the
    /// token, and what `holds` gave.
    pub(in crate::app) async fn start_session<T: Send + 'static>(
        &self,
        id: &AccountId,
        visitor: &Visitor,
        lesson: Option<(MatchId, Time)>,
        holds: impl FnOnce(&mut Conn) -> Result<Option<T>, AppError> + Send + 'static,
    ) -> Result<Option<(String, T)>, AppError> {
        let token = random_token();
        let now = self.now();
        let mut session = SessionRow {
            id: Uuid::now_v7().simple().to_string(),
            token_hash: hash_token(&token),
            account_id: id.clone(),
            created_at: now,
            seen_at: now,
            expires_at: lesson
                .as_ref()
                .map_or_else(|| now + days(SESSION_DAYS), |(_, until)| *until),
            agent: visitor.agent.clone(),
            address: visitor.address.clone(),
            proved_at: now,
            match_id: lesson.map(|(id, _)| id),
        };
        let begun = self
            .write(move |conn| {
                let Some(held) = holds(conn)? else {
                    return Ok(None);
                };
                if let Some(class) = classes::of_pupil(conn, &session.account_id)? {
                    classes::touch(conn, &class, now)?;
                    // For a pupil neither the device nor the address is stored.
                    session.agent.clear();
                    session.address.clear();
                }
                rows::insert_session(conn, &session)?;
                rows::keep_newest_sessions(conn, &session.account_id, MOST_SESSIONS)?;
                Ok::<_, AppError>(Some((session.address, held)))
            })
            .await?;
        let Some((from, held)) = begun else {
            return Ok(None);
        };
        tracing::info!(target: AUDIT, who = %id, from, deed = "session", outcome = "begun");
        Ok(Some((token, held)))
    }

    /// Begins the session of a visitor who has proved to own the account, `coded` as for [`has_password`]; the owner
    /// gets a mail about a new device. `None` if the password is no longer the account's.
    pub(super) async fn welcome(
        &self,
        account: &AccountRow,
        coded: bool,
        visitor: &Visitor,
    ) -> Result<Option<String>, AppError> {
        let holds = has_password(account.clone(), coded);
        let begun = self
            .start_session(&account.id, visitor, None, holds)
            .await?;
        let Some((token, ())) = begun else {
            return Ok(None);
        };
        let now = self.now();
        // The owner of a new account signs in on one device after the other.
        let is_old = account.created_at + hours(1) < now;
        if is_old && self.known_since(visitor, account).await?.is_none() {
            self.send(Notice::SignedIn.to(account, visitor)).await?;
        }
        Ok(Some(token))
    }

    /// True if the password was typed in this session within the last [`PROVED`], as dangerous actions need.
    pub fn is_proved(&self, viewer: &Viewer) -> bool {
        self.now() < viewer.proved_at + PROVED
    }

    pub(in crate::app) fn require_proof(&self, viewer: &Viewer) -> Result<(), AppError> {
        if self.is_proved(viewer) {
            Ok(())
        } else {
            Err(AppError::ProveAgain)
        }
    }

    /// A proof that an account was signed in to on a device, which keeps it after signing out. It names the credentials
    /// that were given there, so that what it is good for ends with them.
    pub async fn device(&self, account: &AccountId) -> Result<String, AppError> {
        self.device_where(account, |_| true).await
    }

    /// As [`device`](Self::device), for one on which a new password was set by a mailed link: a mailbox says nothing of
    /// the second factor, of which a code may have been entered there before.
    pub async fn device_by_mail(
        &self,
        account: &AccountId,
        visitor: &Visitor,
    ) -> Result<String, AppError> {
        self.device_where(account, |factor| self.code_was_entered(visitor, factor))
            .await
    }

    async fn device_where(
        &self,
        account: &AccountId,
        was_entered: impl FnOnce(&SecondFactorRow) -> bool,
    ) -> Result<String, AppError> {
        let id = account.clone();
        let read = self.read(move |conn| {
            let account = rows::find(conn, &id)?.ok_or(AppError::NotFound)?;
            Ok::<_, AppError>((account, factors::find(conn, &id)?))
        });
        let (account, factor) = read.await?;
        let parts = credentials_of_device(&account, factor.as_ref());
        let credentials = self
            .key
            .mac(CREDENTIALS, &parts.each_ref().map(|part| &**part));
        let entered = beginning(factor.as_ref().filter(|factor| was_entered(factor)));
        let subject = format!("{}/{credentials}/{entered}", account.id);
        let until = self.now() + days(DEVICE_DAYS);
        Ok(self.key.seal("device", &subject, "", until))
    }

    /// The credentials that the proof of the visitor's device names, and the beginning of the second factor of which a
    /// code was entered there; `None` if it is about no or another account.
    fn named_by_device<'a>(
        &self,
        visitor: &'a Visitor,
        account: &AccountId,
    ) -> Option<(&'a str, &'a str)> {
        let mut parts = Key::subject(&visitor.device)?.split('/');
        let (id, credentials, entered) = (parts.next()?, parts.next()?, parts.next()?);
        let is_good = id == account.0 && self.key.open("device", &visitor.device, "", self.now());
        is_good.then_some((credentials, entered))
    }

    /// The credentials with which the account was signed in to on the visitor's device before, if they are still the
    /// account's.
    pub(super) async fn known_since(
        &self,
        visitor: &Visitor,
        account: &AccountRow,
    ) -> Result<Option<Credentials>, AppError> {
        let Some((named, _)) = self.named_by_device(visitor, &account.id) else {
            return Ok(None);
        };
        let id = account.id.clone();
        let factor = self.read(move |conn| factors::find(conn, &id)).await?;
        let parts = credentials_of_device(account, factor.as_ref());
        let parts = parts.each_ref().map(|part| &**part);
        let is_known = self.key.check(CREDENTIALS, &parts, named);
        Ok(is_known.then(|| Credentials(self.key.mac(CREDENTIALS, &parts))))
    }

    /// True if a code of this second factor was entered on the visitor's device.
    pub(super) fn code_was_entered(&self, visitor: &Visitor, factor: &SecondFactorRow) -> bool {
        let named = self.named_by_device(visitor, &factor.account_id);
        named.is_some_and(|(_, entered)| entered == beginning(Some(factor)))
    }

    /// Ends the session with this token; gives its account.
    pub(in crate::app) async fn end_session_with(
        &self,
        token: &str,
    ) -> Result<Option<AccountId>, AppError> {
        let hash = hash_token(token);
        self.write(move |conn| rows::end_session_by_token(conn, &hash))
            .await
    }

    pub async fn sessions(&self, viewer: &Viewer) -> Result<Vec<Session>, AppError> {
        let (id, now) = (viewer.id.clone(), self.now());
        let sessions = self
            .read(move |conn| rows::sessions(conn, &id, now))
            .await?;
        Ok(sessions.into_iter().map(Session::from).collect())
    }

    /// Ends one of the viewer's sessions; never that of another account.
    pub async fn end_session(&self, viewer: &Viewer, session: &str) -> Result<(), AppError> {
        let (id, session) = (viewer.id.clone(), session.to_owned());
        self.write(move |conn| rows::end_session(conn, &id, &session).map(drop))
            .await
    }

    pub async fn end_other_sessions(&self, viewer: &Viewer) -> Result<(), AppError> {
        let (id, session) = (viewer.id.clone(), viewer.session.clone());
        self.write(move |conn| rows::end_other_sessions(conn, &id, &session).map(drop))
            .await
    }
}
