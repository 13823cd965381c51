//! Signing in and out, and the sessions in between.

use serde_json::json;
use uuid::Uuid;

use super::notice::Notice;
use super::{Credentials, PROVED, SESSION_DAYS, Tried, account_mail, check_typed, email_key};
use crate::app::classes::require_adult_account;
use crate::app::limits::{Hasher, count};
use crate::app::{AUDIT, App, AppError, Viewer, Visitor, invalid};
use crate::secret::{Key, hash_token, random_token};
use crate::store::accounts::{self as rows, AccountRow, SessionRow};
use crate::store::{Conn, StoreError, classes, door, second_factor as factors};
use perplex_matches::classroom::words::is_user_name;
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::time::{Time, days, hours};

/// A hash of no password, verified against when there is no account, so that the answer takes as
/// long as if there were one.
const NO_HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$\
                       7yM9y3jDkBmzT3WJ2RX1j3ZdVHQuSxmY2M7eVXhn3lU";

/// How many sessions an account has; the oldest end.
const MOST_SESSIONS: i64 = 50;

/// How long a device is known after signing in on it.
pub const DEVICE_DAYS: u64 = 365;

/// What the proof of a device is bound to: after a new password, or once a second factor is switched on or off, a device
/// that was known is a stranger's.
fn credentials_of_device(conn: &mut Conn, account: &AccountRow) -> Result<String, StoreError> {
    let factor = factors::find(conn, &account.id)?;
    let since = factor.map_or(0, |factor| factor.created_at.0);
    Ok(format!("{}\n{since}\n{}", account.id, account.password))
}

impl App {
    pub(super) async fn start_session(
        &self,
        id: &AccountId,
        visitor: &Visitor,
    ) -> Result<String, AppError> {
        self.start_session_in(id, visitor, None).await
    }

    /// A session that is good in one lesson and ends at a given time, or, without, everywhere and some time after it was
    /// last used.
    pub(in crate::app) async fn start_session_in(
        &self,
        id: &AccountId,
        visitor: &Visitor,
        lesson: Option<(&MatchId, Time)>,
    ) -> Result<String, AppError> {
        let token = random_token();
        let now = self.now();
        let mut session = SessionRow {
            id: Uuid::now_v7().simple().to_string(),
            token_hash: hash_token(&token),
            account_id: id.clone(),
            created_at: now,
            seen_at: now,
            expires_at: lesson.map_or_else(|| now + days(SESSION_DAYS), |(_, until)| until),
            agent: visitor.agent.chars().take(200).collect(),
            address: visitor.address.clone(),
            proved_at: now,
            match_id: lesson.map(|(id, _)| id.clone()),
        };
        let from = self
            .write(move |conn| {
                if let Some(class) = classes::of_pupil(conn, &session.account_id)? {
                    classes::touch(conn, &class, now)?;
                    // Of a pupil neither the device nor the place is written down.
                    session.agent.clear();
                    session.address.clear();
                }
                rows::insert_session(conn, &session)?;
                rows::keep_newest_sessions(conn, &session.account_id, MOST_SESSIONS)?;
                Ok::<_, StoreError>(session.address)
            })
            .await?;
        tracing::info!(target: AUDIT, who = %id, from, deed = "session", outcome = "begun");
        Ok(token)
    }

    /// Signs in with a name or an e-mail address; gives the token of the new session.
    /// Errors: [`AppError::CodeWanted`] if the account has a second factor; wrong name, address or password (which of
    /// them is not said); an address that was not proved
    /// yet, in which case the mail is sent once more; too many attempts.
    pub async fn sign_in(
        &self,
        login: &str,
        password: &str,
        visitor: &Visitor,
    ) -> Result<String, AppError> {
        check_typed("login", login)?;
        check_typed("password", password)?;
        let login = login.trim().to_lowercase();
        let found = login.clone();
        let account = self
            .read(move |conn| {
                if found.contains('@') {
                    rows::find_by_email(conn, &found)
                } else {
                    rows::find_by_name(conn, &found)
                }
            })
            .await?;
        let known_since = match &account {
            Some(account) => self.known_since(visitor, account).await?,
            None => None,
        };
        let pupil = account
            .as_ref()
            .filter(|account| account.class_id.is_some());
        // A whole school has one address: who misspells a pupil's name is limited by the name alone. Pupils' phrases are
        // counted where they are checked.
        let apart = if is_user_name(&login) {
            "User name and pass phrase do not belong together. They stand on your card."
        } else {
            "Name (or e-mail address) and password do not belong together."
        };
        let is_stranger = known_since.is_none() && !is_user_name(&login);
        if pupil.is_none() && (account.is_some() || !is_user_name(&login)) {
            let tried = known_since.map_or(Tried::Login(&login), Tried::Known);
            count(&self.limits.sign_in_account, &tried.key())?;
        }
        // A school's pupils and its teachers have one address: what others guess there makes them wait, no more.
        if is_stranger && count(&self.limits.sign_in_address, &visitor.network()).is_err() {
            self.limits.guesses.slow_down("sign-in", visitor).await?;
        }
        let known = account
            .as_ref()
            .filter(|_| pupil.is_none())
            .map_or(NO_HASH, |account| &account.password);
        let right = if let Some(pupil) = pupil {
            let right = self.phrase_is_right(&pupil.id, password, visitor).await?;
            if right && !self.may_come(&pupil.id).await? {
                let why = "You are not in a class that goes on: perhaps yours is in the archive. Ask your teacher.";
                return Err(invalid("login", why));
            }
            right
        } else if account.is_none() && is_user_name(&login) {
            // User names are not secret, and have no hash that takes long.
            let _wrong = self.limits.guesses.enter(visitor, None, self.now()).await?;
            false
        } else {
            // A device that is known does not stand in the queue of its network.
            let own = account.as_ref().filter(|_| !is_stranger);
            let network = visitor.network();
            let hasher = own.map_or(Hasher::Network(&network), |own| Hasher::Account(&own.id));
            self.fits(hasher, password, known).await?
        };
        if let (Some(tried), false) = (&account, right) {
            let is_pupil = tried.class_id.is_some();
            let from = if is_pupil { "" } else { &visitor.address };
            tracing::info!(target: AUDIT, who = %tried.id, from, deed = "session", outcome = "wrong password");
        }
        let Some(account) = account.filter(|_| right) else {
            return Err(invalid("password", apart));
        };
        if account.class_id.is_some() {
            return self.start_session_of_pupil(&account.id, visitor).await;
        }
        if account.verified_at.is_some() {
            return match self.half_way(&account).await? {
                Some(proof) => Err(AppError::CodeWanted(proof)),
                None => self.welcome(&account, visitor).await,
            };
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

    /// Begins the session of a visitor who has proved to own the account; the owner hears of a device that is new.
    pub(super) async fn welcome(
        &self,
        account: &AccountRow,
        visitor: &Visitor,
    ) -> Result<String, AppError> {
        let token = self.start_session(&account.id, visitor).await?;
        let now = self.now();
        // Who has just made an account signs in on one device after the other.
        let is_old = account.created_at + hours(1) < now;
        if is_old && self.known_since(visitor, account).await?.is_none() {
            self.send(Notice::SignedIn.mail(account, visitor, now))
                .await?;
        }
        Ok(token)
    }

    /// Whether the password was typed in this session a short time ago, as what is dangerous needs.
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

    /// Takes the password once more, for what is dangerous.
    pub async fn prove(&self, viewer: &Viewer, password: &str) -> Result<(), AppError> {
        require_adult_account(viewer)?;
        self.row_with(viewer, "proof", password).await?;
        let (session, now) = (viewer.session.clone(), self.now());
        self.write(move |conn| rows::prove_session(conn, &session, now))
            .await
    }

    /// A proof that an account was signed in to on a device, which keeps it after signing out. It holds as long as the
    /// account has the credentials that it has now.
    pub async fn device(&self, account: &AccountId) -> Result<String, AppError> {
        let id = account.clone();
        let state = self.read(move |conn| {
            let account = rows::find(conn, &id)?.ok_or(AppError::NotFound)?;
            Ok::<_, AppError>(credentials_of_device(conn, &account)?)
        });
        let until = self.now() + days(DEVICE_DAYS);
        Ok(self.key.seal("device", &account.0, &state.await?, until))
    }

    /// The credentials with which the account was signed in to on the visitor's device before, if those are the ones that
    /// it has now.
    pub(super) async fn known_since(
        &self,
        visitor: &Visitor,
        account: &AccountRow,
    ) -> Result<Option<Credentials>, AppError> {
        if Key::subject(&visitor.device) != Some(&account.id.0) {
            return Ok(None);
        }
        let account = account.clone();
        let state = self.read(move |conn| credentials_of_device(conn, &account));
        let state = state.await?;
        let is_good = self.key.open("device", &visitor.device, &state, self.now());
        Ok(is_good.then(|| Credentials(hash_token(&state))))
    }

    /// Ends the session with this token. Team matches stop counting it as present.
    pub async fn sign_out(&self, token: &str) -> Result<(), AppError> {
        let hash = hash_token(token);
        let whose = self
            .write(move |conn| rows::end_session_by_token(conn, &hash))
            .await?;
        match whose {
            Some(account) => self.note_absence(account).await,
            None => Ok(()),
        }
    }

    /// As [`sign_out`](Self::sign_out), for a person who leaves the device to the next one: names that the pupil took on it
    /// in lessons belong to no device any more.
    pub async fn leave_device(&self, token: &str, visitor: &Visitor) -> Result<(), AppError> {
        if let Some(viewer) = self.viewer(token).await?
            && viewer.class.is_some()
        {
            let browser = visitor.browser.clone();
            self.write(move |conn| door::disown(conn, &viewer.id, Some(&browser)))
                .await?;
        }
        self.sign_out(token).await
    }

    pub async fn sessions(&self, viewer: &Viewer) -> Result<Vec<SessionRow>, AppError> {
        let (id, now) = (viewer.id.clone(), self.now());
        self.read(move |conn| rows::sessions(conn, &id, now)).await
    }

    /// Ends one of the viewer's sessions; that of another account is left alone.
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
