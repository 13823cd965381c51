//! Changes that people make to their accounts: name, password, address, look of the pages, mails.

use chrono_tz::Tz;
use serde_json::json;
use uuid::Uuid;

use super::typed::Typed;
use super::{
    AccountFault, check_not_reserved, check_password, credentials, forget_unproved, gone,
    not_the_password, read_name, set_proved, taken,
};
use crate::address;
use crate::app::limits::count;
use crate::app::mail_kind::{AccountMail, MailKind, Notice};
use crate::app::notifications::{Notification, notify};
use crate::app::queue::Party;
use crate::app::{App, AppError, Viewer, Visitor, invalid};
use crate::secret::{Key, hash_token, random_token};
use crate::store::accounts::{self as rows, AccountRow};
use crate::store::former_names;
use crate::store::mail_settings::MailSettings;
use crate::store::old_addresses::{self, OldAddress};
use crate::store::preferences::Preferences;
use crate::store::{Conn, StoreError, second_factor as factors};
use perplex_matches::id::AccountId;
use perplex_matches::names;
use perplex_matches::time::Time;

#[derive(Clone, Debug)]
pub struct AccountInfo {
    pub name: String,
    /// With its domain in letters.
    pub email: String,
    pub preferences: Preferences,
    pub mail: MailSettings,
}

/// Frees an address, whose owner has proved to have it, from an account that never did: an unconfirmed sign-up keeps
/// no owner out.
fn free(conn: &mut Conn, email: &str, owner: &AccountId, now: Time) -> Result<(), StoreError> {
    match rows::find_by_email(conn, email)? {
        Some(other) if other.id != *owner => forget_unproved(conn, &other.id, now),
        _ => Ok(()),
    }
}

/// Ends the links that undo changes of address since the account first had `email`, as far as is known: whoever holds
/// that mailbox has it again, and those who came later, a thief perhaps, are not to take it back. Links to
/// still earlier addresses stay good.
fn end_later_undo_links(conn: &mut Conn, id: &AccountId, email: &str) -> Result<(), StoreError> {
    let key = address::key(email);
    let known = old_addresses::of_account(conn, id)?;
    match known.iter().find(|old| address::key(&old.email) == key) {
        Some(first) => old_addresses::forget_since(conn, id, first.asked_at),
        None => Ok(()),
    }
}

fn check_new(account: &AccountRow, password: &str) -> Result<(), AppError> {
    let email = account.email.as_deref().unwrap_or_default();
    check_password(password, &account.name, email)
}

impl App {
    pub async fn account(&self, viewer: &Viewer) -> Result<AccountInfo, AppError> {
        let account = self.row(viewer).await?;
        Ok(AccountInfo {
            name: account.name,
            email: address::shown(&account.email.unwrap_or_default()),
            preferences: account.preferences,
            mail: account.mail,
        })
    }

    pub async fn set_name(&self, viewer: &Viewer, name: &str) -> Result<(), AppError> {
        viewer.require_adult_account()?;
        let name = read_name(name)?;
        check_not_reserved(&name)?;
        let (id, now) = (viewer.id.clone(), self.now());
        let former = self.row(viewer).await?.name;
        if former == name {
            return Ok(());
        }
        let hashes = self.hashes_of_name(&name);
        let (asked, own, wanted) = (hashes.clone(), id.clone(), name.clone());
        let is_taken = self.store.read(move |conn| {
            let other = rows::find_by_name(conn, &wanted)?.filter(|other| other.id != own);
            let is_kept = former_names::is_kept_from(conn, &asked, Some(&own), now)?;
            Ok::<_, StoreError>(other.is_some() || is_kept)
        });
        if is_taken.await? {
            return Err(taken(StoreError::NameTaken));
        }
        // Each name that is given up is kept from others.
        count(&self.limits.names_account, &viewer.id.0)?;
        let former = self.former_name(&former, Some(id.clone()));
        let session = viewer.session.clone();
        let renamed = self.write(move |conn| {
            // The account may have been deleted, or its session ended, meanwhile.
            if !rows::hold_session(conn, &session)? {
                return Err(AppError::SignIn);
            }
            if former_names::is_kept_from(conn, &hashes, Some(&id), now)? {
                return Err(taken(StoreError::NameTaken));
            }
            rows::set_name(conn, &id, &name, &names::key(&name)).map_err(taken)?;
            Ok(former_names::keep(conn, &former, &id, now)?)
        });
        renamed.await
    }

    /// Changes the viewer's password, and ends the other sessions. Gives this session's new token.
    pub async fn set_password(
        &self,
        viewer: &Viewer,
        old: &str,
        new: &str,
        visitor: &Visitor,
    ) -> Result<String, AppError> {
        let account = self.row_with(viewer, "old", old).await?;
        check_new(&account, new)?;
        let hash = self.hash(Party::Account(&viewer.id), new).await?;
        let now = self.now();
        let mail = Notice::NewPassword.to(&account, visitor);
        let (session, token) = (viewer.session.clone(), random_token());
        let token_hash = hash_token(&token);
        self.write(move |conn| {
            if !rows::set_password(conn, &account, &hash)? {
                return Err(not_the_password("old"));
            }
            // Where there is a second factor, the password alone proves nothing.
            let proved = factors::find(conn, &account.id)?.is_none().then_some(now);
            if !rows::renew_session(conn, &session, &token_hash, proved)? {
                return Err(AppError::SignIn);
            }
            rows::end_other_sessions(conn, &account.id, &session)?;
            notify(conn, vec![mail], now)?;
            Ok(())
        })
        .await?;
        self.outbox.notify_one();
        Ok(token)
    }

    pub async fn request_reset(&self, email: &str, visitor: &Visitor) -> Result<(), AppError> {
        let email = self.read_address("email", email)?;
        if count(&self.limits.reset_address, &visitor.network()).is_err() {
            self.limits.guesses.slow_down("reset", visitor).await?;
        }
        self.limits
            .count_mail("reset", &email, &visitor.network())?;
        let now = self.now();
        self.write(move |conn| {
            let Some(account) = rows::find_by_email(conn, &email)? else {
                return Ok::<_, StoreError>(());
            };
            let address = account.email.clone().unwrap_or_default();
            let payload = json!({ "state": hash_token(&credentials(&account)) });
            let kind = MailKind::Account(AccountMail::Reset);
            let mail = Notification::to_address(kind, Some(&account.id), &address).with(payload);
            notify(conn, vec![mail], now)?;
            Ok(())
        })
        .await?;
        self.outbox.notify_one();
        Ok(())
    }

    /// Sets a new password with the mailed token. That proves the address, too, and ends all sessions. Gives the
    /// account.
    pub async fn reset(
        &self,
        token: &str,
        password: &str,
        visitor: &Visitor,
    ) -> Result<AccountId, AppError> {
        let account = self.sealed("reset", token, credentials).await?;
        check_new(&account, password)?;
        let (hash, now) = (
            self.hash(Party::Account(&account.id), password).await?,
            self.now(),
        );
        let mail = Notice::NewPassword.to(&account, visitor);
        let id = self
            .write(move |conn| {
                if !rows::set_password(conn, &account, &hash)? {
                    return Err(gone());
                }
                set_proved(conn, &account.id, &hash, now)?;
                rows::end_all_sessions(conn, &account.id)?;
                let email = account.email.as_deref().unwrap_or_default();
                end_later_undo_links(conn, &account.id, email)?;
                notify(conn, vec![mail], now)?;
                Ok(account.id)
            })
            .await?;
        self.outbox.notify_one();
        Ok(id)
    }

    pub async fn request_email(
        &self,
        viewer: &Viewer,
        email: &str,
        typed: impl Into<Typed<'_>>,
    ) -> Result<(), AppError> {
        let email = self.read_address("email", email)?;
        let account = self.row_proved(viewer, "password", typed.into()).await?;
        self.limits.count_mail("address", &email, &viewer.id.0)?;
        let now = self.now();
        let undo = Uuid::now_v7().simple().to_string();
        let state = hash_token(&credentials(&account));
        let payload = json!({ "email": email, "state": state, "undo": undo });
        self.write(move |conn| {
            // If the owner has got the account back since the password was checked, a thief asks.
            if !rows::hold(conn, &account)? {
                return Err(AppError::SignIn);
            }
            let old = account.email.clone().unwrap_or_default();
            let kept = OldAddress {
                id: undo,
                account_id: account.id.clone(),
                email: old.clone(),
                asked_at: now,
            };
            old_addresses::insert(conn, &kept)?;
            let new = match rows::find_by_email(conn, &email)? {
                Some(other) if other.id != account.id && other.verified_at.is_some() => {
                    let kind = MailKind::Account(AccountMail::KnownAddress);
                    Notification::to_address(kind, Some(&other.id), &email)
                }
                _ => {
                    let kind = MailKind::Account(AccountMail::ChangeAddress);
                    Notification::to_address(kind, Some(&account.id), &email).with(payload.clone())
                }
            };
            let kind = MailKind::Account(AccountMail::OldAddress);
            let told = Notification::to_address(kind, Some(&account.id), &old).with(payload);
            notify(conn, vec![new, told], now)?;
            Ok(())
        })
        .await?;
        self.outbox.notify_one();
        Ok(())
    }

    /// Makes the address of the mailed token that of its account, and ends all its sessions but that of `viewer`.
    pub async fn confirm_email(
        &self,
        token: &str,
        viewer: Option<&Viewer>,
    ) -> Result<(), AppError> {
        let account = self.sealed("email", token, credentials).await?;
        let subject = Key::subject(token).unwrap_or_default();
        let email = subject
            .split_once('/')
            .map(|(_, email)| email.to_owned())
            .unwrap_or_default();
        let email = address::read(&email).ok_or_else(|| invalid("email", AccountFault::Email))?;
        let now = self.now();
        let kept = viewer.map_or_else(String::new, |viewer| viewer.session.clone());
        self.write(move |conn| {
            let key = address::key(&email);
            free(conn, &key, &account.id, now)?;
            if !rows::set_email(conn, &account, &email, &key, now).map_err(taken)? {
                return Err(gone());
            }
            rows::end_other_sessions(conn, &account.id, &kept)?;
            end_later_undo_links(conn, &account.id, &email)?;
            Ok(())
        })
        .await
    }

    /// Brings back the address that an account had before another was asked for, with the token that was mailed
    /// there, and sets a new password. Ends all sessions and all links to later addresses, and removes a second
    /// factor that was switched on since: it may be the thief's, and the owner is to get in. One that was on before
    /// stays, since a mailbox alone must not open what it guards. Gives the account.
    pub async fn undo_email(
        &self,
        token: &str,
        password: &str,
        visitor: &Visitor,
    ) -> Result<AccountId, AppError> {
        let account = self.sealed("undo", token, |_| String::new()).await?;
        check_new(&account, password)?;
        let undo = Key::subject(token)
            .and_then(|subject| subject.split_once('/'))
            .map(|(_, undo)| undo.to_owned())
            .ok_or_else(gone)?;
        let (hash, now) = (
            self.hash(Party::Account(&account.id), password).await?,
            self.now(),
        );
        let visitor = visitor.clone();
        let id = self
            .write(move |conn| {
                let (email, asked_at) =
                    old_addresses::take(conn, &account.id, &undo)?.ok_or_else(gone)?;
                let key = address::key(&email);
                free(conn, &key, &account.id, now)?;
                rows::restore(conn, &account.id, (&email, &key), &hash, now).map_err(taken)?;
                rows::end_all_sessions(conn, &account.id)?;
                // Of this address, from the first time on; and this link, where it is younger or known no more.
                end_later_undo_links(conn, &account.id, &email)?;
                old_addresses::forget_since(conn, &account.id, asked_at)?;
                // After the end of the sessions: a second factor that one of them switches on at this moment waits
                // for that.
                let is_off = factors::forget_since(conn, &account.id, asked_at)?;
                let account = AccountRow {
                    email: Some(email),
                    ..account
                };
                let mut mails = vec![Notice::NewPassword.to(&account, &visitor)];
                if is_off {
                    mails.push(Notice::SecondFactorOff.to(&account, &visitor));
                }
                notify(conn, mails, now)?;
                Ok::<_, AppError>(account.id)
            })
            .await?;
        self.outbox.notify_one();
        Ok(id)
    }

    pub async fn set_preferences(
        &self,
        viewer: &Viewer,
        preferences: Preferences,
    ) -> Result<(), AppError> {
        if preferences.zone.parse::<Tz>().is_err() {
            return Err(invalid("zone", AccountFault::TimeZone));
        }
        if !["light", "dark", "system"].contains(&preferences.theme.as_str()) {
            return Err(invalid("theme", AccountFault::Theme));
        }
        let id = viewer.id.clone();
        self.write(move |conn| rows::set_preferences(conn, &id, &preferences))
            .await
    }

    pub async fn set_help_seen(&self, viewer: &Viewer, duty: &'static str) -> Result<(), AppError> {
        let id = viewer.id.clone();
        self.write(move |conn| rows::add_help_seen(conn, &id, duty))
            .await
    }
}
