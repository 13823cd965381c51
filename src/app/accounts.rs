//! Accounts. This file has what all actions on them share; each action has a file of its own.
//!
//! No answer tells whether an e-mail address is known: every visitor gets the same answer, and the mail
//! says the rest.

use std::sync::atomic::Ordering;
use std::time::Duration;

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use unicode_normalization::UnicodeNormalization as _;

use super::limits::count;
use super::queue::Party;
use super::{App, AppError, GUEST_NAME, NotAllowed, Viewer, invalid};
use crate::address;
use crate::app::notifications::{Notification, notify};
use crate::secret::{Key, hash_token};
use crate::store::accounts::{self as rows, AccountRow};
use crate::store::{Conn, StoreError, sign_up_links};
use perplex_matches::id::AccountId;
use perplex_matches::names;
use perplex_matches::time::Time;

mod fault;
mod leaving;
mod mail;
mod notice;
mod proof;
mod request;
mod reserved;
pub(in crate::app) mod second_factor;
mod sessions;
mod settings;
mod sign_in;
mod sign_up;
mod typed;

pub use crate::store::mail_settings::{Delivery, MailSettings};
pub use crate::store::preferences::Preferences;
pub use fault::AccountFault;
pub use mail::{MailAbout, RefusedMail, quiet_hours};
pub use reserved::FORMER_NAME;
pub(in crate::app) use reserved::{check_not_reserved, resembles_computer};
pub use second_factor::{HALF_WAY, SecondFactor, Setup};
pub use sessions::{DEVICE_DAYS, Session};
pub use settings::AccountInfo;
pub use sign_up::SignUp;
pub use typed::Typed;

/// Days that a session lasts without being used.
pub const SESSION_DAYS: u64 = 60;
/// Days that a session lasts at most, however much it is used.
pub const LONGEST_SESSION_DAYS: u64 = 180;
/// The time for which a typed password is good for dangerous actions.
pub const PROVED: Duration = Duration::from_mins(15);
pub const SHORTEST_PASSWORD: usize = 8;
pub const LONGEST_PASSWORD: usize = 200;
pub const LONGEST_NAME: usize = 32;
pub const LONGEST_EMAIL: usize = address::LONGEST;

/// True for the letters of names: Latin ones, without those that look like others in lower case.
fn is_letter(c: char) -> bool {
    let is_latin = c.is_ascii() || ('\u{c0}'..='\u{17f}').contains(&c);
    is_latin && c.is_alphabetic() && !matches!(c, '\u{130}' | '\u{131}' | '\u{17f}')
}

/// A hash of no password, verified against when there is no account, so that the answer takes as
/// long as if there were one.
const NO_HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$\
                       7yM9y3jDkBmzT3WJ2RX1j3ZdVHQuSxmY2M7eVXhn3lU";

/// The name of an adult's account in its stored form: "Dr. Weber", say. A full stop ends a word, so that no name looks
/// like an address.
fn read_name(text: &str) -> Result<String, AppError> {
    let wrong = || invalid("name", AccountFault::Name);
    let name = names::name(text, LONGEST_NAME).map_err(|_| wrong())?;
    let fits = name
        .chars()
        .all(|c| is_letter(c) || c.is_ascii_digit() || "-_'. ".contains(c));
    let mut pairs = name.chars().zip(name.chars().skip(1));
    let are_words = pairs.all(|(one, next)| one != '.' || next == ' ');
    if resembles_computer(&name) {
        return Err(invalid("name", AccountFault::NameOfComputer));
    }
    if names::key(&name) == names::key(GUEST_NAME) {
        return Err(invalid("name", AccountFault::NameTaken));
    }
    let is_good = fits && are_words && name.starts_with(is_letter) && names::length(&name) > 1;
    if is_good { Ok(name) } else { Err(wrong()) }
}

/// A password as it is measured and hashed: composed (NFC), so that it is the same from every keyboard.
fn composed(password: &str) -> String {
    password.nfc().collect()
}

/// Checks a new password of an account with this name and address.
fn check_password(password: &str, name: &str, email: &str) -> Result<(), AppError> {
    let password = composed(password);
    let length = password.chars().count();
    if !(SHORTEST_PASSWORD..=LONGEST_PASSWORD).contains(&length) {
        return Err(invalid("password", AccountFault::PasswordLength));
    }
    // Judging a long text takes long, and a text that begins well is good.
    let beginning: String = password.chars().take(40).collect();
    let joined = name.replace(['-', '_'], "");
    let mut known = vec![name, &joined, email, "perplex", "perplexichess"];
    known.extend(email.split(['@', '.']));
    if zxcvbn::zxcvbn(&beginning, &known).score() >= zxcvbn::Score::Three {
        return Ok(());
    }
    Err(invalid("password", AccountFault::EasyPassword))
}

/// Refuses a login or a password that is too long to be right before anything is looked up, counted or hashed for it.
fn check_typed(field: &'static str, text: &str) -> Result<(), AppError> {
    if field == "login" && text.len() > LONGEST_EMAIL {
        return Err(invalid(field, AccountFault::LongLogin));
    }
    if field != "login" && text.nfc().nth(LONGEST_PASSWORD).is_some() {
        return Err(invalid(field, AccountFault::LongPassword));
    }
    Ok(())
}

const fn gone() -> AppError {
    AppError::Forbidden(NotAllowed::OldLink)
}

/// The state that a link for a new password or a new address is bound to: password and address. So a link is good
/// once, and a new password or address ends all links that were asked for before.
pub fn credentials(account: &AccountRow) -> String {
    let email = account.email.as_deref().unwrap_or_default();
    format!("{email}\n{}", account.password)
}

/// The hash of an account's password and of the beginning of its second factor.
struct Credentials(String);

/// The party to whom a limit counts guesses at a password or a code. Strangers' guesses do not keep the owner out of
/// a known device or a session. All devices known by the same credentials share one limit, so that many devices do
/// not add up to many guesses; and devices known by new credentials lose nothing by guesses made on old ones.
///
/// Guesses at codes are counted for the second factor alone: neither a new password nor a new session brings fresh
/// ones. Strangers share one limit; devices on which a code of that second factor was entered share another, so that
/// those who have learnt the password keep the owner out of none of them.
enum Tried<'a> {
    /// A stranger, at a password: by the login as typed, so that the limit does not tell whose address it is.
    Login(&'a str),
    /// A stranger, at the password of an account that is not proved.
    Stranger(&'a AccountId),
    Known(Credentials),
    Session(&'a str),
    /// At a code of this account's second factor, which began then.
    Code(&'a AccountId, Time),
    CodeWhereOneWasEntered(&'a AccountId, Time),
}

impl Tried<'_> {
    /// The key that a limit counts under. No two variants share a key, whatever is typed as a login.
    fn key(&self) -> String {
        match self {
            Self::Login(login) => format!("login {login}"),
            Self::Stranger(id) => format!("stranger {id}"),
            Self::Known(Credentials(hash)) => format!("known {hash}"),
            Self::Session(id) => format!("session {id}"),
            Self::Code(id, Time(since)) => format!("code {id} {since}"),
            Self::CodeWhereOneWasEntered(id, Time(since)) => format!("entered {id} {since}"),
        }
    }
}

fn not_the_password(field: &'static str) -> AppError {
    invalid(field, AccountFault::NotYourPassword)
}

/// The purpose of the sealed link in mails to strangers that ends all invitations to their address.
pub const NO_INVITATIONS: &str = "no-invitations";

/// The hashed forms in which an address without an account may be stored once it wants no invitations; the first is the
/// one that is stored from now on.
pub fn unwanted(key: &Key, address: &str) -> Vec<String> {
    let keys = [
        address::key(address),
        address::former_key(&address::shown(address)),
    ];
    let forms = keys.map(|key_of| key.macs(NO_INVITATIONS, &[&key_of]));
    forms.concat()
}

impl App {
    /// A typed address in its stored form.
    pub(in crate::app) fn read_address(
        &self,
        field: &'static str,
        typed: &str,
    ) -> Result<String, AppError> {
        let email = address::read(typed).ok_or_else(|| invalid(field, AccountFault::Email))?;
        if email.is_ascii() || self.mail_takes_letters.load(Ordering::Relaxed) {
            Ok(email)
        } else {
            Err(invalid(field, AccountFault::EmailLetters))
        }
    }

    /// Notes whether the mail server takes addresses with letters beyond ASCII before the @, as it says itself.
    pub fn note_mail_server(&self, takes_letters: bool) {
        self.mail_takes_letters
            .store(takes_letters, Ordering::Relaxed);
    }

    /// The account that a good mailed link of `purpose` is about.
    async fn sealed(
        &self,
        purpose: &'static str,
        token: &str,
        state: fn(&AccountRow) -> String,
    ) -> Result<AccountRow, AppError> {
        let subject = Key::subject(token).ok_or_else(gone)?;
        let id = AccountId(subject.split('/').next().unwrap_or(subject).to_owned());
        let account = self
            .read(move |conn| rows::find(conn, &id))
            .await?
            .ok_or_else(gone)?;
        if self.key.open(purpose, token, &state(&account), self.now()) {
            Ok(account)
        } else {
            Err(gone())
        }
    }

    /// The hash of a password that `visitor` has chosen.
    async fn hash(&self, visitor: Party<'_>, password: &str) -> Result<String, AppError> {
        let (argon2, password) = (self.argon2.clone(), composed(password));
        let hash = move || argon2.hash_password(password.as_bytes());
        match self.limits.hashing.run(visitor, hash).await? {
            Ok(hash) => Ok(hash.to_string()),
            Err(error) => Err(AppError::Internal(error.to_string())),
        }
    }

    /// The account, if `visitor` has typed its password. A hash from the time before passwords were composed is tried as it
    /// was made, too, and renewed if it fits.
    async fn known_by(
        &self,
        visitor: Party<'_>,
        password: &str,
        account: Option<AccountRow>,
    ) -> Result<Option<AccountRow>, AppError> {
        let hash = account
            .as_ref()
            .map_or(NO_HASH, |account| &account.password)
            .to_owned();
        let right = composed(password);
        if self.fits(visitor, &right, &hash).await? {
            return Ok(account);
        }
        if right == password || !self.fits(visitor, password, &hash).await? {
            return Ok(None);
        }
        let Some(account) = account else {
            return Ok(None);
        };
        let renewed = AccountRow {
            password: self.hash(visitor, password).await?,
            ..account.clone()
        };
        let hash = renewed.password.clone();
        let is_renewed = self
            .write(move |conn| rows::set_password(conn, &account, &hash))
            .await?;
        // Else it has got another address or password in between, and this one is that of no account any more.
        Ok(is_renewed.then_some(renewed))
    }

    /// True if `hash` is that of this text.
    async fn fits(&self, visitor: Party<'_>, password: &str, hash: &str) -> Result<bool, AppError> {
        let (password, hash) = (password.to_owned(), hash.to_owned());
        let verify = move || {
            PasswordHash::new(&hash).is_ok_and(|hash| {
                Argon2::default()
                    .verify_password(password.as_bytes(), &hash)
                    .is_ok()
            })
        };
        self.limits.hashing.run(visitor, verify).await
    }

    async fn send(&self, notification: Notification) -> Result<(), AppError> {
        let now = self.now();
        self.write(move |conn| notify(conn, vec![notification], now))
            .await?;
        self.outbox.notify_one();
        Ok(())
    }

    async fn row(&self, viewer: &Viewer) -> Result<AccountRow, AppError> {
        let id = viewer.id.clone();
        self.read(move |conn| rows::find(conn, &id))
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
        check_typed(field, password)?;
        // By session: strangers' guesses at the sign-in do not count here.
        let tried = Tried::Session(&viewer.session);
        count(&self.limits.sign_in_account, &tried.key())?;
        let account = Some(self.row(viewer).await?);
        let known = self.known_by(Party::Account(&viewer.id), password, account);
        known.await?.ok_or_else(|| not_the_password(field))
    }
}

/// The invitation that stands for the one with which this address has signed up: it corrects the address, until it is
/// proved. So one invitation makes one account.
fn again(email_key: &str) -> String {
    format!("again {}", hash_token(email_key))
}

/// Deletes an account whose address was never proved.
pub(super) fn forget_unproved(
    conn: &mut Conn,
    id: &AccountId,
    now: Time,
) -> Result<(), StoreError> {
    // Without a password it can't be confirmed any more, should that be tried at this moment.
    if rows::set_password_unproved(conn, id, "")? {
        rows::delete(conn, id, now)?;
    }
    Ok(())
}

/// Notes that the address of an account is proved, and gives it the name that was wished for; if another account has
/// got that meanwhile, the next one with a number: it can be changed. `false` if the address was proved already.
fn set_proved(
    conn: &mut Conn,
    id: &AccountId,
    password: &str,
    now: Time,
) -> Result<bool, StoreError> {
    if !rows::set_verified(conn, id, password, now)? {
        return Ok(false);
    }
    let account = rows::find(conn, id)?;
    if let Some(address) = account
        .as_ref()
        .and_then(|account| account.email_key.as_ref())
    {
        sign_up_links::take(conn, &again(address))?;
    }
    let Some(account) = account.filter(|account| account.name_key.is_none()) else {
        return Ok(true);
    };
    for number in 1..1_000 {
        let name = match number {
            1 => account.name.clone(),
            number => format!("{} {number}", account.name),
        };
        match rows::set_name(conn, id, &name, &names::key(&name)) {
            Err(StoreError::NameTaken) => {}
            done => return done.map(|()| true),
        }
    }
    Err(StoreError::NameTaken)
}

/// A unique violation as the error of the field that it is about.
fn taken(error: StoreError) -> AppError {
    match error {
        StoreError::NameTaken => invalid("name", AccountFault::NameTaken),
        StoreError::EmailTaken => invalid("email", AccountFault::EmailTaken),
        error => error.into(),
    }
}
