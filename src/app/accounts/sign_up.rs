//! Getting an account: signing up, and proving the address.

use chrono_tz::Tz;
use uuid::Uuid;

use super::{
    AccountFault, Tried, check_email, check_name, check_password, check_typed, email_key, gone,
    name_key, set_proved, taken,
};
use crate::app::admin::require_admin;
use crate::app::lifetimes;
use crate::app::limits::{Hasher, count};
use crate::app::mail_kind::{AccountMail, MailKind};
use crate::app::notifications::{Notification, notify};
use crate::app::{App, AppError, NotAllowed, Viewer, Visitor, invalid};
use crate::secret::Key;
use crate::site::SignUpMode;
use crate::store::accounts::{self as rows, AccountRow};
use crate::store::preferences::Preferences;
use crate::store::{Conn, StoreError, guests, sign_up_links};
use perplex_matches::id::AccountId;

#[derive(Clone, Debug, Default)]
pub struct SignUp {
    pub name: String,
    pub email: String,
    /// In clear, as typed; it is hashed at once.
    pub password: String,
    /// An IANA time zone; UTC if it is not known.
    pub zone: String,
    /// The token of an admin's invitation, needed where accounts are made by invitation only.
    pub link: String,
}

const INVITATION: &str = "sign-up";

impl App {
    /// Makes an account that is good once its address is proved, and sends the mail for that. If the address has an
    /// account already, its owner gets a mail instead.
    pub async fn sign_up(&self, form: SignUp, visitor: &Visitor) -> Result<(), AppError> {
        let invitation = self.invitation(&form.link).await?;
        let name = form.name.trim().to_owned();
        let email = form.email.trim().to_owned();
        let wrong: Vec<_> = [
            check_name(&name),
            check_email("email", &email),
            check_password(&form.password, &name, &email),
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
        count(&self.limits.sign_up_address, &visitor.network())?;
        count(&self.limits.mail_address, &email_key(&email))?;
        let id = AccountId(Uuid::now_v7().simple().to_string());
        let account = AccountRow {
            // It gets the name once its address is proved.
            name,
            email_key: Some(email_key(&email)),
            email: Some(email),
            password: self
                .hash(Hasher::Network(&visitor.network()), &form.password)
                .await?,
            preferences: Preferences {
                zone: form.zone.parse::<Tz>().unwrap_or(Tz::UTC).to_string(),
                ..Preferences::default()
            },
            ..AccountRow::new(id, self.now())
        };
        self.write(move |conn| {
            if let Some(id) = invitation
                && !sign_up_links::take(conn, &id)?
            {
                return Err(AppError::Forbidden(NotAllowed::NotInvited));
            }
            sign_up(conn, &account)
        })
        .await?;
        self.outbox.notify_one();
        Ok(())
    }

    /// The invitation with which a visitor makes an account; `None` where none is needed.
    /// Errors: the visitor may not make an account.
    pub async fn invitation(&self, link: &str) -> Result<Option<String>, AppError> {
        match self.site.sign_up {
            SignUpMode::Open => return Ok(None),
            SignUpMode::Invite => {}
            SignUpMode::Closed => return Err(AppError::Forbidden(NotAllowed::SignUpClosed)),
        }
        if !self.key.open(INVITATION, link, "", self.now()) {
            return Err(AppError::Forbidden(NotAllowed::NotInvited));
        }
        let id = Key::subject(link).unwrap_or_default().to_owned();
        let asked = id.clone();
        let is_there = self
            .read(move |conn| sign_up_links::is_there(conn, &asked))
            .await?;
        if is_there {
            Ok(Some(id))
        } else {
            Err(AppError::Forbidden(NotAllowed::NotInvited))
        }
    }

    /// Makes an invitation: a link with which one person makes an account.
    pub async fn invite_to_sign_up(&self, admin: &Viewer) -> Result<String, AppError> {
        require_admin(admin)?;
        self.require_proof(admin)?;
        if self.site.sign_up != SignUpMode::Invite {
            return Err(AppError::Forbidden(NotAllowed::NoInvitations));
        }
        let until = self.now() + lifetimes::INVITATION;
        let id = Uuid::now_v7().simple().to_string();
        let link = self.key.seal(INVITATION, &id, "", until);
        self.write(move |conn| sign_up_links::insert(conn, &id, until))
            .await?;
        Ok(format!("{}/sign-up/{link}", self.url))
    }

    /// Proves the address with the mailed token, and signs in. Asks for the password: the address may belong to
    /// another person than the one who signed up, and opening the mail must not make a stranger's password good.
    pub async fn verify(
        &self,
        token: &str,
        password: &str,
        visitor: &Visitor,
    ) -> Result<String, AppError> {
        check_typed("password", password)?;
        let account = self
            .sealed("verify", token, |account| account.password.clone())
            .await?;
        if account.verified_at.is_some() {
            return Err(gone());
        }
        let tried = Tried::Stranger(&account.id);
        count(&self.limits.sign_in_account, &tried.key())?;
        if !self
            .fits(
                Hasher::Network(&visitor.network()),
                password,
                &account.password,
            )
            .await?
        {
            return Err(invalid("password", AccountFault::NotFirstPassword));
        }
        let (id, hash, now) = (account.id.clone(), account.password, self.now());
        let guest = visitor.guest.clone();
        let proved = self
            .write(move |conn| {
                if !set_proved(conn, &id, &hash, now)? {
                    return Ok(None);
                }
                match guest {
                    Some(guest) if guests::becomes(conn, &guest, &id, now)? => Ok(Some(guest)),
                    _ => Ok::<_, StoreError>(Some(id)),
                }
            })
            .await?;
        // The link signs in, so it is good once only.
        let id = proved.ok_or_else(gone)?;
        self.start_session(&id, visitor).await
    }

    /// Makes an account that is good at once, from the command line.
    pub async fn create_account(&self, form: SignUp, is_admin: bool) -> Result<(), AppError> {
        check_name(&form.name)?;
        check_email("email", &form.email)?;
        check_password(&form.password, &form.name, &form.email)?;
        let now = self.now();
        let id = AccountId(Uuid::now_v7().simple().to_string());
        let account = AccountRow {
            name_key: Some(name_key(&form.name)),
            name: form.name,
            email_key: Some(email_key(&form.email)),
            email: Some(form.email),
            verified_at: Some(now),
            password: self.hash(Hasher::Network(""), &form.password).await?,
            is_admin,
            ..AccountRow::new(id, now)
        };
        self.store
            .write(move |conn| rows::insert(conn, &account))
            .await
            .map_err(taken)
    }
}

/// Writes a new account, or the mail to the owner of an address that has one.
fn sign_up(conn: &mut Conn, account: &AccountRow) -> Result<(), AppError> {
    // Another process may take the name or the address after they were looked up. Then they are looked up again, so
    // that the answer is the same as if it had taken them a moment earlier.
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
    // Names belong to accounts whose address is proved, and everybody sees those: the answer tells nothing of the
    // address.
    if rows::find_by_name(conn, &name_key(&account.name))?.is_some() {
        return Err(taken(StoreError::NameTaken));
    }
    let known = rows::find_by_email(conn, account.email_key.as_deref().unwrap_or_default())?;
    let (kind, id) = match known {
        Some(known) if known.verified_at.is_some() => (AccountMail::KnownAddress, known.id),
        // No account has proved this address yet: the latest sign-up counts, earlier links are void.
        Some(known) => {
            if !rows::set_password_unproved(conn, &known.id, &account.password)? {
                return Err(StoreError::EmailTaken.into());
            }
            rows::set_wished_name(conn, &known.id, &account.name)?;
            (AccountMail::Verify, known.id)
        }
        None => {
            rows::insert(conn, account)?;
            (AccountMail::Verify, account.id.clone())
        }
    };
    let mail = Notification::to_address(MailKind::Account(kind), Some(&id), address);
    notify(conn, vec![mail], now)?;
    Ok(())
}
