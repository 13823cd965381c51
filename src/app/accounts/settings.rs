//! What people change about their accounts: name, password, address, how pages look, which mails come.

use chrono_tz::Tz;
use serde_json::json;

use super::{
    account_mail, check_email, check_name, check_password, email_key, hash, mail_kinds, name_key,
    taken,
};
use crate::app::classes::require_adult_account;
use crate::app::limits::count;
use crate::app::{App, AppError, Viewer, Visitor, invalid};
use crate::secret::Key;
use crate::store::accounts::{self as rows, AccountRow};
use crate::store::preferences::Preferences;
use crate::store::{StoreError, outbox};

#[derive(Clone, Debug)]
pub struct AccountInfo {
    pub name: String,
    pub email: String,
    pub preferences: Preferences,
    /// The keys of the kinds of mail that are switched off.
    pub mail_off: Vec<String>,
}

/// What must not have changed since a link for a new password was mailed: the password, so that
/// the link is good once, and the address, so that an account that has left a mailbox is safe from it.
#[must_use]
pub fn reset_state(account: &AccountRow) -> String {
    let email = account.email.as_deref().unwrap_or_default();
    format!("{email}\n{}", account.password)
}

impl App {
    pub async fn account(&self, viewer: &Viewer) -> Result<AccountInfo, AppError> {
        let account = self.row(viewer).await?;
        Ok(AccountInfo {
            name: account.name,
            email: account.email.unwrap_or_default(),
            preferences: account.preferences,
            mail_off: account
                .mail_off
                .split(',')
                .filter(|kind| !kind.is_empty())
                .map(str::to_owned)
                .collect(),
        })
    }

    pub async fn set_name(&self, viewer: &Viewer, name: &str) -> Result<(), AppError> {
        require_adult_account(viewer)?;
        let name = name.trim().to_owned();
        check_name(&name)?;
        let id = viewer.id.clone();
        self.store
            .write(move |conn| rows::set_name(conn, &id, &name, &name_key(&name)))
            .await
            .map_err(taken)
    }

    /// Changes the viewer's password, and ends the other sessions.
    /// Errors: the old one is wrong, or the new one too short.
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

    /// Sends the link for a new password, if the address has an account.
    /// Errors: not an address; too often.
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
    /// Errors: the link is no longer good, or the password is too short.
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

    /// Sends a link to a new address; the old one is told, and stays until the link is used.
    /// Errors: not an address; the password is wrong; too often.
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
    /// Errors: the link is no longer good.
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
    /// Errors: a time zone or theme that does not exist.
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
            .write(move |conn| rows::set_preferences(conn, &id, &preferences))
            .await?)
    }

    /// Notes that the walk-through of a duty was seen: it is not shown by itself again.
    pub async fn set_help_seen(&self, viewer: &Viewer, duty: &'static str) -> Result<(), AppError> {
        let id = viewer.id.clone();
        let write = move |conn: &mut _| rows::add_help_seen(conn, &id, duty);
        Ok(self.store.write(write).await?)
    }

    /// Switches kinds of mail off; all others are on.
    /// Errors: only the database's; keys that name no kind are passed over.
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
    /// Errors: the link is not one of ours.
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
}
