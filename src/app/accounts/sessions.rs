//! Signing in and out, and the sessions in between.

use serde_json::json;
use uuid::Uuid;

use super::{SESSION_DAYS, account_mail, email_key, verify};
use crate::app::limits::count;
use crate::app::{App, AppError, Viewer, Visitor, invalid};
use crate::secret::{hash_token, random_token};
use crate::store::accounts::{self as rows, SessionRow};
use crate::store::classes;
use perplex_matches::classroom::words::is_user_name;
use perplex_matches::id::AccountId;
use perplex_matches::time::{Time, days};

#[derive(Clone, Debug)]
pub struct SessionInfo {
    pub id: String,
    pub created: Time,
    /// When it was last used, to within some minutes.
    pub seen: Time,
    /// What the browser calls itself.
    pub agent: String,
    pub address: String,
    pub current: bool,
}

/// A hash of no password, verified against when there is no account, so that the answer takes as
/// long as if there were one.
const NO_HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$\
                       7yM9y3jDkBmzT3WJ2RX1j3ZdVHQuSxmY2M7eVXhn3lU";

impl App {
    pub(super) async fn start_session(
        &self,
        id: &AccountId,
        visitor: &Visitor,
    ) -> Result<String, AppError> {
        self.start_session_until(id, visitor, None).await
    }

    /// A session that ends at `until`, or, without, some time after it was last used.
    pub(in crate::app) async fn start_session_until(
        &self,
        id: &AccountId,
        visitor: &Visitor,
        until: Option<Time>,
    ) -> Result<String, AppError> {
        let token = random_token();
        let now = self.now();
        let mut session = SessionRow {
            id: Uuid::now_v7().simple().to_string(),
            token_hash: hash_token(&token),
            account_id: id.clone(),
            created_at: now,
            seen_at: now,
            expires_at: until.unwrap_or_else(|| now + days(SESSION_DAYS)),
            agent: visitor.agent.chars().take(200).collect(),
            address: visitor.address.clone(),
            renews: until.is_none(),
        };
        self.store
            .write(move |conn| {
                if let Some(class) = classes::of_pupil(conn, &session.account_id)? {
                    classes::touch(conn, &class, now)?;
                    // Of a pupil neither the device nor the place is written down.
                    session.agent.clear();
                    session.address.clear();
                }
                rows::insert_session(conn, &session)
            })
            .await?;
        Ok(token)
    }

    /// Signs in with a name or an e-mail address; gives the token of the new session.
    /// Errors: wrong name, address or password (which of them is not said); an address that was not proved
    /// yet, in which case the mail is sent once more; too many attempts.
    pub async fn sign_in(
        &self,
        login: &str,
        password: &str,
        visitor: &Visitor,
    ) -> Result<String, AppError> {
        let login = login.trim().to_lowercase();
        // A whole school has one address: who signs in as a pupil, or misspells a pupil's name, is limited by the
        // name alone.
        let apart = if is_user_name(&login) {
            "User name and pass phrase do not belong together. They stand on your card."
        } else {
            count(&self.limits.sign_in_address, &visitor.address)?;
            "Name (or e-mail address) and password do not belong together."
        };
        count(&self.limits.sign_in_account, &login)?;
        let account = self
            .store
            .read(move |conn| {
                if login.contains('@') {
                    rows::find_by_email(conn, &login)
                } else {
                    rows::find_by_name(conn, &login)
                }
            })
            .await?;
        let pupil = account
            .as_ref()
            .filter(|account| account.class_id.is_some());
        let known = account
            .as_ref()
            .filter(|_| pupil.is_none())
            .map_or(NO_HASH, |account| &account.password);
        let mut right = verify(password, known).await;
        if let Some(pupil) = pupil {
            right = self.phrase_is_right(&pupil.id, password).await?;
            if right && !self.may_come(&pupil.id).await? {
                let why = "You are not in a class that goes on: perhaps yours is in the archive. Ask your teacher.";
                return Err(invalid("login", why));
            }
        }
        let Some(account) = account.filter(|_| right) else {
            return Err(invalid("password", apart));
        };
        if account.class_id.is_some() || account.verified_at.is_some() {
            return self.start_session(&account.id, visitor).await;
        }
        let email = account.email.clone().unwrap_or_default();
        count(&self.limits.mail_address, &email_key(&email))?;
        self.send(account_mail(
            "verify",
            Some(&account.id),
            &email,
            &json!({}),
            self.now(),
        ))
        .await?;
        Err(invalid(
            "login",
            "Your e-mail address is not confirmed yet. We have sent you the link once more.",
        ))
    }

    /// Ends the session with this token. Team matches stop counting it as present.
    pub async fn sign_out(&self, token: &str) -> Result<(), AppError> {
        let hash = hash_token(token);
        let whose = self
            .store
            .write(move |conn| rows::end_session_by_token(conn, &hash))
            .await?;
        match whose {
            Some(account) => self.note_absence(account).await,
            None => Ok(()),
        }
    }

    /// The viewer's sessions, the most recently used first.
    pub async fn sessions(&self, viewer: &Viewer) -> Result<Vec<SessionInfo>, AppError> {
        let (id, now) = (viewer.id.clone(), self.now());
        let sessions = self
            .store
            .read(move |conn| rows::sessions(conn, &id, now))
            .await?;
        Ok(sessions
            .into_iter()
            .map(|session| SessionInfo {
                current: session.id == viewer.session,
                id: session.id,
                created: session.created_at,
                seen: session.seen_at,
                agent: session.agent,
                address: session.address,
            })
            .collect())
    }

    /// Ends one of the viewer's sessions.
    /// Errors: only the database's; the session of another account is left alone.
    pub async fn end_session(&self, viewer: &Viewer, session: &str) -> Result<(), AppError> {
        let (id, session) = (viewer.id.clone(), session.to_owned());
        Ok(self
            .store
            .write(move |conn| rows::end_session(conn, &id, &session).map(drop))
            .await?)
    }

    /// Ends all of the viewer's sessions but this one.
    pub async fn end_other_sessions(&self, viewer: &Viewer) -> Result<(), AppError> {
        let (id, session) = (viewer.id.clone(), viewer.session.clone());
        Ok(self
            .store
            .write(move |conn| rows::end_other_sessions(conn, &id, &session).map(drop))
            .await?)
    }
}
