//! Accounts: signing up, proving an address, signing in, sessions, changing and deleting.
//!
//! No answer tells whether an e-mail address is known: whoever asks hears the same, and the mail
//! says the rest.

use std::sync::Arc;

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use chrono_tz::Tz;
use serde_json::json;
use uuid::Uuid;

use super::arrivals::{Arrival, Asked};
use super::limits::count;
use super::{App, AppError, Viewer, Visitor, invalid};
use crate::classroom::words::is_user_name;
use crate::perplexichess::notice::Kind as TeamKind;
use crate::perplexichess::{Command as TeamCommand, Phase as TeamPhase};
use crate::play::event::{AccountId, MatchId};
use crate::play::notice::Kind;
use crate::play::{Command, Phase};
use crate::secret::{Key, hash_token, random_token};
use crate::store::accounts::{self as rows, AccountRow, LiveSession, SessionRow, SignedIn};
use crate::store::journal::{self, Version};
use crate::store::{Conn, Phase as Stage, StoreError, classes, outbox, teams};
use crate::time::{Time, days};

/// How long a session lasts without being used.
pub const SESSION_DAYS: u64 = 60;
/// The shortest password, in characters.
pub const SHORTEST_PASSWORD: usize = 8;

/// What somebody fills in to get an account.
#[derive(Clone, Debug, Default)]
pub struct SignUp {
    /// The name that others will see.
    pub name: String,
    /// Where mail goes.
    pub email: String,
    /// In clear, as typed; it is hashed at once.
    pub password: String,
    /// An IANA time zone; UTC if it is not known.
    pub zone: String,
}

/// What somebody may change about how pages look.
#[derive(Clone, Debug)]
pub struct Preferences {
    /// An IANA time zone.
    pub zone: String,
    /// Whether a turn is confirmed before it is sent.
    pub confirm_turns: bool,
    /// Whether boards show their coordinates.
    pub coordinates: bool,
    /// Whether chess boards number their squares from 1 to 64 instead of naming them.
    pub numbered: bool,
    /// `light`, `dark`, or `system`.
    pub theme: String,
}

/// What the account page shows.
#[derive(Clone, Debug)]
pub struct AccountInfo {
    /// The name that others see.
    pub name: String,
    /// Where mail goes.
    pub email: String,
    /// An IANA time zone.
    pub zone: String,
    /// Whether a turn is confirmed before it is sent.
    pub confirm_turns: bool,
    /// Whether boards show their coordinates.
    pub coordinates: bool,
    /// Whether chess boards number their squares from 1 to 64 instead of naming them.
    pub numbered: bool,
    /// `light`, `dark`, or `system`.
    pub theme: String,
    /// The keys of the kinds of mail that are switched off.
    pub mail_off: Vec<String>,
}

/// One of somebody's sessions.
#[derive(Clone, Debug)]
pub struct SessionInfo {
    /// Its id, for ending it.
    pub id: String,
    /// When it began.
    pub created: Time,
    /// When it was last used, to within some minutes.
    pub seen: Time,
    /// What the browser calls itself.
    pub agent: String,
    /// The network address.
    pub address: String,
    /// Whether it is the one that asks.
    pub current: bool,
}

/// The name as it is compared: capital and small letters are the same.
#[must_use]
pub fn name_key(name: &str) -> String {
    name.to_lowercase()
}

fn email_key(email: &str) -> String {
    email.trim().to_lowercase()
}

fn check_name(name: &str) -> Result<(), AppError> {
    let length = name.chars().count();
    let fits = name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if super::computer::resembles(name) {
        return Err(invalid(
            "name",
            "This name could be taken for the computer's; please choose another.",
        ));
    }
    if (2..=24).contains(&length) && fits && name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return Ok(());
    }
    Err(invalid(
        "name",
        "A name has 2 to 24 letters, digits, hyphens or underscores, and starts with a letter.",
    ))
}

pub(super) fn check_email(email: &str) -> Result<(), AppError> {
    let plain = !email.chars().any(|c| c.is_control() || c.is_whitespace());
    let dotted = email
        .rsplit_once('@')
        .is_some_and(|(local, domain)| !local.is_empty() && !domain.is_empty());
    if plain && dotted && email.len() <= 254 && email.parse::<lettre::Address>().is_ok() {
        return Ok(());
    }
    Err(invalid(
        "email",
        "This is not an e-mail address; it should look like ada@example.org.",
    ))
}

fn check_password(password: &str) -> Result<(), AppError> {
    let length = password.chars().count();
    if (SHORTEST_PASSWORD..=200).contains(&length) {
        return Ok(());
    }
    Err(invalid(
        "password",
        format!("A password has at least {SHORTEST_PASSWORD} characters (and at most 200)."),
    ))
}

/// Hashes a password on a thread of its own: it takes some 20 milliseconds of computing.
async fn hash(password: &str) -> Result<String, AppError> {
    let password = password.to_owned();
    let hashed = tokio::task::spawn_blocking(move || {
        Argon2::default()
            .hash_password(password.as_bytes())
            .map(|hash| hash.to_string())
    })
    .await;
    match hashed {
        Ok(Ok(hash)) => Ok(hash),
        Ok(Err(error)) => Err(AppError::Internal(error.to_string())),
        Err(error) => Err(AppError::Internal(error.to_string())),
    }
}

async fn verify(password: &str, hash: &str) -> bool {
    let (password, hash) = (password.to_owned(), hash.to_owned());
    tokio::task::spawn_blocking(move || {
        PasswordHash::new(&hash).is_ok_and(|hash| {
            Argon2::default()
                .verify_password(password.as_bytes(), &hash)
                .is_ok()
        })
    })
    .await
    .unwrap_or(false)
}

/// The answer to a mailed link that was used or has expired.
const fn gone() -> AppError {
    AppError::Forbidden(
        "This link is no longer good: it was used, or it is too old. Please ask for a new one.",
    )
}

/// What must not have changed since a link for a new password was mailed: the password, so that
/// the link is good once, and the address, so that whoever has left a mailbox is safe from it.
#[must_use]
pub fn reset_state(account: &AccountRow) -> String {
    let email = account.email.as_deref().unwrap_or_default();
    format!("{email}\n{}", account.password)
}

/// A hash of no password, verified against when there is no account, so that the answer takes as
/// long as if there were one.
const NO_HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$\
                       7yM9y3jDkBmzT3WJ2RX1j3ZdVHQuSxmY2M7eVXhn3lU";

/// A mail about an account, for the outbox.
pub(super) fn account_mail(
    kind: &str,
    account: Option<&AccountId>,
    address: &str,
    payload: &serde_json::Value,
    now: Time,
) -> outbox::NewMail {
    outbox::NewMail {
        kind: kind.to_owned(),
        account_id: account.cloned(),
        address: address.to_owned(),
        match_id: None,
        team_id: None,
        event: None,
        payload: payload.to_string(),
        due_at: now,
        message_id: format!("{kind}.{}", Uuid::now_v7().simple()),
    }
}

/// The kinds of mail that can be switched off: the key, and what the account page calls it.
pub fn mail_kinds() -> impl Iterator<Item = (&'static str, &'static str)> {
    let post = Kind::ALL.into_iter().map(|kind| (kind.key(), kind.title()));
    let team = TeamKind::ALL
        .into_iter()
        .map(|kind| (kind.key(), kind.title()));
    post.chain(team)
}

/// The kinds of mail that are switched off until somebody wants them.
const OFF_AT_FIRST: TeamKind = TeamKind::Turn;

impl App {
    /// The account behind the token of a session, if the session is good.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn viewer(&self, token: &str) -> Result<Option<Viewer>, AppError> {
        Ok(self.arrive(Some(token), None).await?.0)
    }

    /// The account behind the token of a session, if there is a good one, and how far a match has
    /// come, if there is such a match: all that has to be looked up when somebody comes. Whether
    /// the match may be seen is not said.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn arrive(
        &self,
        token: Option<&str>,
        id: Option<&MatchId>,
    ) -> Result<(Option<Viewer>, Option<Version>), AppError> {
        let asked: Asked = (token.map(hash_token), id.cloned());
        if asked == Asked::default() {
            return Ok((None, None));
        }
        let now = self.now();
        let moment = self.store.moment();
        let known = moment.and_then(|moment| self.arrivals.find(moment, &asked));
        let arrival = if let Some(known) = known {
            known
        } else {
            let looked_up = Arc::new(self.look_up_arrival(&asked, now).await?);
            if let Some(moment) = moment {
                self.arrivals.keep(moment, asked, &looked_up);
            }
            looked_up
        };
        let lasting = |found: &&(LiveSession, _, _)| found.0.expires_at > now;
        let viewer = match arrival.session.as_ref().filter(lasting) {
            Some((session, account, called)) => {
                Some(self.seen(session, account, called.as_ref(), now).await?)
            }
            None => None,
        };
        Ok((viewer, arrival.version))
    }

    async fn look_up_arrival(&self, asked: &Asked, now: Time) -> Result<Arrival, StoreError> {
        let (hash, id) = asked.clone();
        self.store
            .look_up(move |conn| {
                if let Some(hash) = hash
                    && let Some((session, account, called, version)) =
                        rows::find_session(conn, &hash, id.as_ref(), now)?
                {
                    return Ok(Arrival {
                        session: Some((session, account, called)),
                        version,
                    });
                }
                let version = match id {
                    Some(id) => journal::version(conn, &id)?,
                    None => None,
                };
                let session = None;
                Ok(Arrival { session, version })
            })
            .await
    }

    /// The viewer in a session, which is noted to be in use.
    async fn seen(
        &self,
        session: &LiveSession,
        account: &SignedIn,
        called: Option<&String>,
        now: Time,
    ) -> Result<Viewer, AppError> {
        if session.seen_at + std::time::Duration::from_mins(10) < now {
            let (id, address) = (session.id.clone(), session.address.clone());
            let until = if session.renews {
                now + days(SESSION_DAYS)
            } else {
                session.expires_at
            };
            let class = account.class_id.clone();
            self.store
                .write(move |conn| {
                    rows::touch_session(conn, &id, &address, now, until)?;
                    match class {
                        Some(class) => classes::touch(conn, &class, now),
                        None => Ok(()),
                    }
                })
                .await?;
        }
        Ok(Viewer {
            id: account.id.clone(),
            // What the class calls a pupil: others never read the user name.
            name: called.unwrap_or(&account.name).clone(),
            session: session.id.clone(),
            zone: account.zone.parse().unwrap_or(Tz::UTC),
            confirm_turns: account.confirm_turns,
            coordinates: account.coordinates,
            numbered: account.numbered,
            theme: account.theme.clone(),
            host: account.host,
            class: account.class_id.clone(),
            helped: account.helped.clone(),
        })
    }

    /// Makes an account that is good once its address is proved, and sends the mail for that.
    /// For an address that has an account already, that account's owner gets a mail instead.
    ///
    /// # Errors
    /// Fields that are not right; a name that is taken; too many new accounts.
    pub async fn sign_up(&self, form: SignUp, visitor: &Visitor) -> Result<(), AppError> {
        let name = form.name.trim().to_owned();
        let email = form.email.trim().to_owned();
        let wrong: Vec<_> = [
            check_name(&name),
            check_email(&email),
            check_password(&form.password),
        ]
        .into_iter()
        .filter_map(|checked| match checked {
            Err(AppError::Invalid(fields)) => Some(fields),
            _ => None,
        })
        .flatten()
        .collect();
        if !wrong.is_empty() {
            return Err(AppError::Invalid(wrong));
        }
        count(&self.limits.sign_up_address, &visitor.address)?;
        count(&self.limits.mail_address, &email_key(&email))?;
        let account = AccountRow {
            id: AccountId(Uuid::now_v7().simple().to_string()),
            name_key: Some(name_key(&name)),
            name,
            email_key: Some(email_key(&email)),
            email: Some(email),
            verified_at: None,
            password: hash(&form.password).await?,
            zone: form.zone.parse::<Tz>().unwrap_or(Tz::UTC).to_string(),
            confirm_turns: true,
            coordinates: true,
            numbered: false,
            theme: "system".to_owned(),
            mail_off: OFF_AT_FIRST.key().to_owned(),
            host: false,
            created_at: self.now(),
            deleted_at: None,
            class_id: None,
        };
        self.store
            .write(move |conn| sign_up(conn, &account))
            .await?;
        self.outbox.notify_one();
        Ok(())
    }

    /// The account that a mailed link of `purpose` is about, if the link is good.
    async fn sealed(
        &self,
        purpose: &'static str,
        token: &str,
        state: fn(&AccountRow) -> String,
    ) -> Result<AccountRow, AppError> {
        let subject = Key::subject(token).ok_or_else(gone)?;
        let id = AccountId(subject.split('/').next().unwrap_or(subject).to_owned());
        let account = self
            .store
            .read(move |conn| rows::find(conn, &id))
            .await?
            .ok_or_else(gone)?;
        if self.key.open(purpose, token, &state(&account), self.now()) {
            Ok(account)
        } else {
            Err(gone())
        }
    }

    /// Proves the address of a new account with the mailed token, and signs its owner in.
    ///
    /// # Errors
    /// The link is no longer good.
    pub async fn verify(&self, token: &str, visitor: &Visitor) -> Result<String, AppError> {
        let account = self
            .sealed("verify", token, |account| account.password.clone())
            .await?;
        let (id, now) = (account.id.clone(), self.now());
        let is_new = self
            .store
            .write(move |conn| rows::set_verified(conn, &id, now))
            .await?;
        // The link signs in, so it is good once only.
        if !is_new {
            return Err(gone());
        }
        self.start_session(&account.id, visitor).await
    }

    async fn start_session(&self, id: &AccountId, visitor: &Visitor) -> Result<String, AppError> {
        self.start_session_until(id, visitor, None).await
    }

    /// A session that ends at `until`, or, without, some time after it was last used.
    pub(super) async fn start_session_until(
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
    ///
    /// # Errors
    /// Wrong name, address or password (which of them is not said); an address that was not proved
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

    async fn send(&self, mail: outbox::NewMail) -> Result<(), AppError> {
        let now = self.now();
        self.store
            .write(move |conn| outbox::enqueue(conn, &[mail], now))
            .await?;
        self.outbox.notify_one();
        Ok(())
    }

    /// Ends the session with this token.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn sign_out(&self, token: &str) -> Result<(), AppError> {
        let hash = hash_token(token);
        Ok(self
            .store
            .write(move |conn| rows::end_session_by_token(conn, &hash))
            .await?)
    }

    /// The viewer's sessions, the most recently used first.
    ///
    /// # Errors
    /// Only the database's.
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
    ///
    /// # Errors
    /// Only the database's; a session of somebody else's is left alone.
    pub async fn end_session(&self, viewer: &Viewer, session: &str) -> Result<(), AppError> {
        let (id, session) = (viewer.id.clone(), session.to_owned());
        Ok(self
            .store
            .write(move |conn| rows::end_session(conn, &id, &session).map(drop))
            .await?)
    }

    /// Ends all of the viewer's sessions but this one.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn end_other_sessions(&self, viewer: &Viewer) -> Result<(), AppError> {
        let (id, session) = (viewer.id.clone(), viewer.session.clone());
        Ok(self
            .store
            .write(move |conn| rows::end_other_sessions(conn, &id, &session).map(drop))
            .await?)
    }

    /// Sends the link for a new password, if the address has an account.
    ///
    /// # Errors
    /// Not an address; too often.
    pub async fn request_reset(&self, email: &str, visitor: &Visitor) -> Result<(), AppError> {
        let email = email.trim().to_owned();
        check_email(&email)?;
        count(&self.limits.sign_up_address, &visitor.address)?;
        count(&self.limits.mail_address, &email_key(&email))?;
        let now = self.now();
        self.store
            .write(move |conn| {
                let Some(account) = rows::find_by_email(conn, &email_key(&email))? else {
                    return Ok::<_, StoreError>(());
                };
                let address = account.email.clone().unwrap_or_default();
                let mail = account_mail("reset", Some(&account.id), &address, &json!({}), now);
                outbox::enqueue(conn, &[mail], now)
            })
            .await?;
        self.outbox.notify_one();
        Ok(())
    }

    /// Sets a new password with the mailed token. That proves the address, too, and ends all
    /// sessions.
    ///
    /// # Errors
    /// The link is no longer good, or the password is too short.
    pub async fn reset(&self, token: &str, password: &str) -> Result<(), AppError> {
        check_password(password)?;
        let account = self.sealed("reset", token, reset_state).await?;
        let (hash, now) = (hash(password).await?, self.now());
        Ok(self
            .store
            .write(move |conn| {
                rows::set_password(conn, &account.id, &hash)?;
                rows::set_verified(conn, &account.id, now)?;
                rows::end_all_sessions(conn, &account.id).map(drop)
            })
            .await?)
    }

    async fn row(&self, viewer: &Viewer) -> Result<AccountRow, AppError> {
        let id = viewer.id.clone();
        self.store
            .read(move |conn| rows::find(conn, &id))
            .await?
            .ok_or(AppError::NotFound)
    }

    /// The row of the viewer's account, if `password` is right.
    async fn row_with(
        &self,
        viewer: &Viewer,
        field: &'static str,
        password: &str,
    ) -> Result<AccountRow, AppError> {
        count(&self.limits.sign_in_account, &name_key(&viewer.name))?;
        let account = self.row(viewer).await?;
        if verify(password, &account.password).await {
            Ok(account)
        } else {
            Err(invalid(field, "This is not your password."))
        }
    }

    /// What the account page shows.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn account(&self, viewer: &Viewer) -> Result<AccountInfo, AppError> {
        let account = self.row(viewer).await?;
        Ok(AccountInfo {
            name: account.name,
            email: account.email.unwrap_or_default(),
            zone: account.zone,
            confirm_turns: account.confirm_turns,
            coordinates: account.coordinates,
            numbered: account.numbered,
            theme: account.theme,
            mail_off: account
                .mail_off
                .split(',')
                .filter(|kind| !kind.is_empty())
                .map(str::to_owned)
                .collect(),
        })
    }

    /// Changes the viewer's name.
    ///
    /// # Errors
    /// Not a name, or taken.
    pub async fn set_name(&self, viewer: &Viewer, name: &str) -> Result<(), AppError> {
        super::classes::grown(viewer)?;
        let name = name.trim().to_owned();
        check_name(&name)?;
        let id = viewer.id.clone();
        self.store
            .write(move |conn| {
                rows::set_name(conn, &id, &name, &name_key(&name))?;
                teams::rename_account(conn, &id, &name)
            })
            .await
            .map_err(taken)
    }

    /// Changes the viewer's password, and ends the other sessions.
    ///
    /// # Errors
    /// The old one is wrong, or the new one too short.
    pub async fn set_password(
        &self,
        viewer: &Viewer,
        old: &str,
        new: &str,
    ) -> Result<(), AppError> {
        check_password(new)?;
        self.row_with(viewer, "old", old).await?;
        let hash = hash(new).await?;
        let (id, session) = (viewer.id.clone(), viewer.session.clone());
        Ok(self
            .store
            .write(move |conn| {
                rows::set_password(conn, &id, &hash)?;
                rows::end_other_sessions(conn, &id, &session).map(drop)
            })
            .await?)
    }

    /// Sends a link to a new address; the old one is told, and stays until the link is used.
    ///
    /// # Errors
    /// Not an address; the password is wrong; too often.
    pub async fn request_email(
        &self,
        viewer: &Viewer,
        email: &str,
        password: &str,
    ) -> Result<(), AppError> {
        let email = email.trim().to_owned();
        check_email(&email)?;
        let account = self.row_with(viewer, "password", password).await?;
        count(&self.limits.mail_address, &email_key(&email))?;
        let now = self.now();
        let payload = json!({ "email": email });
        self.store
            .write(move |conn| {
                let old = account.email.clone().unwrap_or_default();
                let new = match rows::find_by_email(conn, &email_key(&email))? {
                    Some(other) if other.id != account.id => {
                        account_mail("known-address", Some(&other.id), &email, &json!({}), now)
                    }
                    _ => account_mail("change-address", Some(&account.id), &email, &payload, now),
                };
                let told = account_mail("old-address", Some(&account.id), &old, &payload, now);
                outbox::enqueue(conn, &[new, told], now)
            })
            .await
            .map_err(|error: StoreError| AppError::from(error))?;
        self.outbox.notify_one();
        Ok(())
    }

    /// Changes the address with the token that was mailed to the new one.
    ///
    /// # Errors
    /// The link is no longer good.
    pub async fn confirm_email(&self, token: &str) -> Result<(), AppError> {
        let account = self
            .sealed("email", token, |account| {
                account.email.clone().unwrap_or_default()
            })
            .await?;
        let subject = Key::subject(token).unwrap_or_default();
        let email = subject
            .split_once('/')
            .map(|(_, email)| email.to_owned())
            .unwrap_or_default();
        check_email(&email)?;
        let now = self.now();
        self.store
            .write(move |conn| {
                rows::set_email(conn, &account.id, &email, &email_key(&email), Some(now))
            })
            .await
            .map_err(taken)
    }

    /// Changes how pages look for the viewer.
    ///
    /// # Errors
    /// A time zone or theme that does not exist.
    pub async fn set_preferences(
        &self,
        viewer: &Viewer,
        preferences: Preferences,
    ) -> Result<(), AppError> {
        if preferences.zone.parse::<Tz>().is_err() {
            return Err(invalid(
                "zone",
                "This time zone is not known; it should look like Europe/Berlin.",
            ));
        }
        if !["light", "dark", "system"].contains(&preferences.theme.as_str()) {
            return Err(invalid("theme", "The theme is light, dark or system."));
        }
        let id = viewer.id.clone();
        Ok(self
            .store
            .write(move |conn| {
                rows::set_zone(conn, &id, &preferences.zone)?;
                let likes = rows::Preferences {
                    confirm_turns: preferences.confirm_turns,
                    coordinates: preferences.coordinates,
                    numbered: preferences.numbered,
                    theme: preferences.theme,
                };
                rows::set_preferences(conn, &id, &likes)
            })
            .await?)
    }

    /// Notes that the walk-through of a duty was seen: it is not shown by itself again.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn set_helped(&self, viewer: &Viewer, duty: &'static str) -> Result<(), AppError> {
        let id = viewer.id.clone();
        let write = move |conn: &mut _| rows::add_helped(conn, &id, duty);
        Ok(self.store.write(write).await?)
    }

    /// Switches kinds of mail off; all others are on.
    ///
    /// # Errors
    /// Only the database's; keys that name no kind are passed over.
    pub async fn set_mail(&self, viewer: &Viewer, off: Vec<String>) -> Result<(), AppError> {
        let id = viewer.id.clone();
        let off: Vec<&str> = mail_kinds()
            .map(|(key, _)| key)
            .filter(|key| off.iter().any(|off| off == key))
            .collect();
        let off = off.join(",");
        Ok(self
            .store
            .write(move |conn| rows::set_mail_off(conn, &id, &off))
            .await?)
    }

    /// Switches off the kind of mail that a mailed link names; gives its title.
    ///
    /// # Errors
    /// The link is not one of ours.
    pub async fn mail_off(&self, token: &str) -> Result<&'static str, AppError> {
        let account = self.sealed("mail-off", token, |_| String::new()).await?;
        let kind = Key::subject(token)
            .and_then(|subject| subject.split_once('/'))
            .and_then(|(_, kind)| mail_kinds().find(|(key, _)| *key == kind))
            .ok_or(AppError::NotFound)?;
        let mut off: Vec<&str> = account
            .mail_off
            .split(',')
            .filter(|k| !k.is_empty())
            .collect();
        let (key, title) = kind;
        if !off.contains(&key) {
            off.push(key);
        }
        let off = off.join(",");
        self.store
            .write(move |conn| rows::set_mail_off(conn, &account.id, &off))
            .await?;
        Ok(title)
    }

    /// Deletes the viewer's account. What is running is resigned or called off; what is finished
    /// stays, under "deleted player".
    ///
    /// # Errors
    /// The password is wrong.
    pub async fn delete_account(&self, viewer: &Viewer, password: &str) -> Result<(), AppError> {
        self.row_with(viewer, "password", password).await?;
        let id = viewer.id.clone();
        let running = self
            .store
            .read(move |conn| {
                journal::of_account(conn, &id, &[Stage::Gathering, Stage::Playing], i64::MAX)
            })
            .await?;
        for id in running.into_iter().map(|(row, _)| row.id) {
            self.leave(viewer, &id).await?;
        }
        self.leave_teams(viewer).await?;
        let (id, now) = (viewer.id.clone(), self.now());
        Ok(self
            .store
            .write(move |conn| {
                super::classes::leave_classes(conn, &id)?;
                rows::delete(conn, &id, now)?;
                teams::forget_account(conn, &id)
            })
            .await?)
    }

    /// Takes the viewer out of all team matches. Those that the viewer hosts end if they are being played, as nobody
    /// else could decide a dispute in them, and are called off if they have not begun.
    async fn leave_teams(&self, viewer: &Viewer) -> Result<(), AppError> {
        let id = viewer.id.clone();
        let unfinished = self
            .store
            .read(move |conn| teams::unfinished(conn, &id))
            .await?;
        let visit = super::teams::Visit {
            account: Some(viewer.clone()),
            ..super::teams::Visit::default()
        };
        for id in unfinished {
            let view = self.team(&visit, &id, None).await?;
            let begun = view.state.phase != TeamPhase::Gathering;
            let alone = view.viewer.host && view.lesson.is_none();
            let command = if alone && begun {
                Some(TeamCommand::Stop)
            } else if alone {
                Some(TeamCommand::CallOff)
            } else {
                let member = view.viewer.member.filter(|_| view.rights.leave);
                member.map(TeamCommand::Leave)
            };
            let Some(command) = command else {
                continue;
            };
            match self.act_in_team(&visit, &id, command).await {
                // It ended in between, or the host has removed the viewer.
                Ok(_) | Err(AppError::RefusedInTeam(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Takes the viewer out of a match, in whatever way its state allows.
    async fn leave(&self, viewer: &Viewer, id: &MatchId) -> Result<(), AppError> {
        let state = self.view(Some(viewer), id, None).await?.state;
        let command = match state.phase {
            Phase::Playing => Command::Resign,
            Phase::Gathering if state.maker == viewer.id => Command::Withdraw,
            Phase::Gathering if state.invited.contains(&viewer.id) => Command::Refuse,
            Phase::Gathering => Command::Leave,
            Phase::Over => return Ok(()),
        };
        match self.act(viewer, id, None, command, "").await {
            // It ended in between.
            Ok(_) | Err(AppError::Refused(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Makes an account that is good at once: the host's, from the command line.
    ///
    /// # Errors
    /// Fields that are not right; a name or an address that is taken.
    pub async fn create_host(&self, form: SignUp) -> Result<(), AppError> {
        check_name(&form.name)?;
        check_email(&form.email)?;
        check_password(&form.password)?;
        let now = self.now();
        let account = AccountRow {
            id: AccountId(Uuid::now_v7().simple().to_string()),
            name_key: Some(name_key(&form.name)),
            name: form.name,
            email_key: Some(email_key(&form.email)),
            email: Some(form.email),
            verified_at: Some(now),
            password: hash(&form.password).await?,
            zone: Tz::UTC.to_string(),
            confirm_turns: true,
            coordinates: true,
            numbered: false,
            theme: "system".to_owned(),
            mail_off: OFF_AT_FIRST.key().to_owned(),
            host: true,
            created_at: now,
            deleted_at: None,
            class_id: None,
        };
        self.store
            .write(move |conn| rows::insert(conn, &account))
            .await
            .map_err(taken)
    }
}

/// A unique violation as the error of the field that it is about.
fn taken(error: StoreError) -> AppError {
    match error {
        StoreError::NameTaken => invalid("name", "This name is taken; please choose another."),
        StoreError::EmailTaken => invalid("email", "This address has an account already."),
        error => error.into(),
    }
}

/// Writes a new account, or what follows from an address that has one.
fn sign_up(conn: &mut Conn, account: &AccountRow) -> Result<(), AppError> {
    // Another process may take the name or the address after they were looked up. Then they are
    // looked up again, so that the answer is the same as if it had come a moment earlier.
    for _ in 0..3 {
        match try_sign_up(conn, account) {
            Err(AppError::Store(StoreError::NameTaken | StoreError::EmailTaken)) => {}
            done => return done,
        }
    }
    Err(taken(StoreError::NameTaken))
}

fn try_sign_up(conn: &mut Conn, account: &AccountRow) -> Result<(), AppError> {
    let now = account.created_at;
    let address = account.email.as_deref().unwrap_or_default();
    let name_key = account.name_key.as_deref().unwrap_or_default();
    // In this order: whoever is found by the name is then found by the address, too, even if the
    // account was made a moment ago.
    let named = rows::find_by_name(conn, name_key)?;
    let known = rows::find_by_email(conn, account.email_key.as_deref().unwrap_or_default())?;
    let same = |row: &AccountRow| known.as_ref().is_some_and(|known| known.id == row.id);
    if named.as_ref().is_some_and(|named| !same(named)) {
        return Err(taken(StoreError::NameTaken));
    }
    let mail = match known {
        Some(known) if known.verified_at.is_some() => {
            account_mail("known-address", Some(&known.id), address, &json!({}), now)
        }
        // Nobody has proved this address yet: the latest wish counts, earlier links are void.
        Some(known) => {
            rows::set_name(conn, &known.id, &account.name, name_key)?;
            rows::set_password(conn, &known.id, &account.password)?;
            account_mail("verify", Some(&known.id), address, &json!({}), now)
        }
        None => {
            rows::insert(conn, account)?;
            account_mail("verify", Some(&account.id), address, &json!({}), now)
        }
    };
    Ok(outbox::enqueue(conn, &[mail], now)?)
}
