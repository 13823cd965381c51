//! Getting an account: signing up, and proving the address.

use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::sessions::has_password;
use super::{
    AccountFault, Tried, again, check_not_reserved, check_password, check_typed, credentials,
    forget_unproved, gone, read_name, set_proved, taken,
};
use crate::address;
use crate::app::admin::require_admin;
use crate::app::lifetimes;
use crate::app::limits::count;
use crate::app::mail_kind::{AccountMail, MailKind};
use crate::app::notifications::{Notification, notify};
use crate::app::queue::Party;
use crate::app::{App, AppError, NotAllowed, Viewer, Visitor, invalid};
use crate::secret::Key;
use crate::site::SignUpMode;
use crate::store::accounts::{self as rows, AccountRow};
use crate::store::preferences::Preferences;
use crate::store::{Conn, StoreError, former_names, guests, sign_up_links};
use perplex_matches::id::AccountId;
use perplex_matches::names;
use perplex_matches::time::Time;

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
/// The place that receipts are sealed for.
const RECEIPT: &str = "sign-up receipt";

/// A sign-up whose address is not proved yet. The page after the sign-up carries it, sealed: with it the mail is sent
/// again, to the same address or to a corrected one. It says nothing of accounts that the address may have.
#[derive(Clone, Deserialize, Serialize)]
struct Receipt {
    name: String,
    email: String,
    /// The hash of the password.
    password: String,
    zone: String,
    /// Microseconds since 1970.
    until: i64,
}

impl Receipt {
    fn account(&self, now: Time) -> AccountRow {
        let id = AccountId(Uuid::now_v7().simple().to_string());
        AccountRow {
            // It gets the name once its address is proved.
            name: self.name.clone(),
            email_key: Some(address::key(&self.email)),
            email: Some(self.email.clone()),
            password: self.password.clone(),
            preferences: Preferences {
                zone: self.zone.parse::<Tz>().unwrap_or(Tz::UTC).to_string(),
                ..Preferences::default()
            },
            ..AccountRow::new(id, now)
        }
    }
}

impl App {
    /// Makes an account that is good once its address is proved, and sends the mail for that. If the address has an
    /// account already, its owner gets a mail instead. Gives the receipt for [`sign_up_again`](Self::sign_up_again).
    pub async fn sign_up(&self, form: SignUp, visitor: &Visitor) -> Result<String, AppError> {
        let invitation = self.invitation(&form.link).await?;
        let name = self.new_name(&form.name).await;
        let email = self.read_address("email", &form.email);
        let called = name.as_deref().unwrap_or(&form.name);
        let password = check_password(&form.password, called, &form.email);
        let (name, email) = both(name, both(email, password))?;
        let email = email.0;
        self.count_sign_up(&email, visitor)?;
        let hasher = visitor.network();
        let receipt = Receipt {
            name,
            email,
            password: self.hash(Party::Network(&hasher), &form.password).await?,
            zone: form.zone,
            until: (self.now() + lifetimes::SIGN_UP_RECEIPT).0,
        };
        self.write_sign_up(receipt, invitation, None).await
    }

    /// Sends the mail of a sign-up again, to `email`, which may be another address: then the mail to the former one is
    /// good for nothing. Gives the new receipt.
    pub async fn sign_up_again(
        &self,
        receipt: &str,
        (name, email): (&str, &str),
        visitor: &Visitor,
    ) -> Result<String, AppError> {
        let opened = self.ring.open(RECEIPT, receipt);
        let before: Receipt = opened
            .and_then(|text| serde_json::from_str(&text).ok())
            .filter(|before: &Receipt| Time(before.until) > self.now())
            .ok_or_else(gone)?;
        let invitation = match self.site.sign_up {
            SignUpMode::Open => None,
            SignUpMode::Invite => Some(again(&address::key(&before.email))),
            SignUpMode::Closed => return Err(AppError::Forbidden(NotAllowed::SignUpClosed)),
        };
        let name = self.new_name(name).await?;
        let email = self.read_address("email", email)?;
        self.count_sign_up(&email, visitor)?;
        let receipt = Receipt {
            name,
            email,
            ..before.clone()
        };
        self.write_sign_up(receipt, invitation, Some(before)).await
    }

    /// The name of a new account. Refuses what is no name, a name of the site, and that of an account that was deleted or
    /// renamed a short time ago.
    async fn new_name(&self, name: &str) -> Result<String, AppError> {
        let name = read_name(name)?;
        check_not_reserved(&name)?;
        let (hashes, now) = (self.hashes_of_name(&name), self.now());
        let is_kept = self.read(move |conn| former_names::is_kept_from(conn, &hashes, None, now));
        if is_kept.await? {
            return Err(taken(StoreError::NameTaken));
        }
        Ok(name)
    }

    fn count_sign_up(&self, email: &str, visitor: &Visitor) -> Result<(), AppError> {
        let network = visitor.network();
        count(&self.limits.sign_up_address, &network)?;
        self.limits.count_mail("sign-up", email, &network)
    }

    /// Writes a sign-up, and takes back the one `before` it. `invitation` is used up, where one is needed; from then on
    /// the receipt stands for it.
    async fn write_sign_up(
        &self,
        receipt: Receipt,
        invitation: Option<String>,
        before: Option<Receipt>,
    ) -> Result<String, AppError> {
        let unsealed = || AppError::Internal("a receipt cannot be sealed".to_owned());
        let text = serde_json::to_string(&receipt).map_err(|_| unsealed())?;
        let sealed = self.ring.seal(RECEIPT, &text).ok_or_else(unsealed)?;
        let account = receipt.account(self.now());
        self.write(move |conn| {
            let address = address::key(&receipt.email);
            if let Some(invitation) = invitation {
                if !sign_up_links::take(conn, &invitation)? {
                    return Err(AppError::Forbidden(NotAllowed::NotInvited));
                }
                sign_up_links::renew(conn, &again(&address), Time(receipt.until))?;
            }
            if let Some(before) = before.map(|before| address::key(&before.email))
                && before != address
                && let Some(before) = rows::find_by_email(conn, &before)?
                && before.password == receipt.password
            {
                forget_unproved(conn, &before.id, account.created_at)?;
            }
            sign_up(conn, &account)
        })
        .await?;
        self.outbox.notify_one();
        Ok(sealed)
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
        let account = self.sealed("verify", token, credentials).await?;
        if account.verified_at.is_some() {
            return Err(gone());
        }
        let tried = Tried::Stranger(&account.id);
        count(&self.limits.sign_in_account, &tried.key())?;
        let network = visitor.network();
        let known = self.known_by(Party::Network(&network), password, Some(account));
        let Some(account) = known.await? else {
            return Err(invalid("password", AccountFault::NotFirstPassword));
        };
        let (id, hash, now) = (account.id.clone(), account.password, self.now());
        let guest = visitor.guest.clone();
        let proved = self
            .write(move |conn| {
                if !set_proved(conn, &id, &hash, now)? {
                    return Ok(None);
                }
                let id = match guest {
                    Some(guest) if guests::becomes(conn, &guest, &id, now)? => guest,
                    _ => id,
                };
                rows::find(conn, &id)
            })
            .await?;
        // The link signs in, so it is good once only.
        let account = proved.ok_or_else(gone)?;
        let id = account.id.clone();
        let holds = has_password(account, false);
        let begun = self.start_session(&id, visitor, None, holds).await?;
        begun.map(|(token, ())| token).ok_or_else(gone)
    }

    /// Makes an account that is good at once, from the command line.
    pub async fn create_account(&self, form: SignUp, is_admin: bool) -> Result<(), AppError> {
        let name = read_name(&form.name)?;
        let email = self.read_address("email", &form.email)?;
        check_password(&form.password, &name, &form.email)?;
        let now = self.now();
        let id = AccountId(Uuid::now_v7().simple().to_string());
        let account = AccountRow {
            name_key: Some(names::key(&name)),
            name,
            email_key: Some(address::key(&email)),
            email: Some(email),
            verified_at: Some(now),
            password: self.hash(Party::Network(""), &form.password).await?,
            is_admin,
            ..AccountRow::new(id, now)
        };
        self.store
            .write(move |conn| rows::insert(conn, &account))
            .await
            .map_err(taken)
    }
}

/// Both of what was read; if not all is right, the faults of both.
fn both<A, B>(one: Result<A, AppError>, other: Result<B, AppError>) -> Result<(A, B), AppError> {
    match (one, other) {
        (Ok(one), Ok(other)) => Ok((one, other)),
        (Err(AppError::Invalid(mut one)), Err(AppError::Invalid(other))) => {
            one.extend(other);
            Err(AppError::Invalid(one))
        }
        // What is no fault of a field comes first.
        (Err(AppError::Invalid(_)) | Ok(_), Err(error)) | (Err(error), _) => Err(error),
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
    if rows::find_by_name(conn, &account.name)?.is_some() {
        return Err(taken(StoreError::NameTaken));
    }
    let known = rows::find_by_email(conn, address)?;
    let (kind, id) = match known {
        Some(known) if known.verified_at.is_some() => (AccountMail::KnownAddress, known.id),
        // No account has proved this address yet: the latest sign-up counts, earlier links are void.
        Some(known) => {
            if !rows::set_password_unproved(conn, &known.id, &account.password)? {
                return Err(StoreError::EmailTaken.into());
            }
            rows::set_wished_name(conn, &known.id, &account.name, now)?;
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
