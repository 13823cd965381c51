use std::collections::HashMap;
use std::fmt::{self, Debug};
use std::time::Duration;

use diesel::prelude::*;
use diesel::result::{DatabaseErrorKind, Error::DatabaseError};

use crate::address;

use super::heartbeat::Past;
use super::journal::Version;
use super::mail_settings::MailSettings;
use super::preferences::Preferences;
use super::prepared::Prepared;
use super::schema::{accounts, matches, pupils, sessions};
use super::{
    Conn, Page, StoreError, former_names, invited_addresses, living, members, old_addresses, on_db,
    outbox, own_cards, second_factor, transaction,
};
use perplex_matches::id::{AccountId, ClassId, MatchId};
use perplex_matches::names;
use perplex_matches::time::{Time, days};

/// A session that was seen less than this ago is not updated again.
pub const TOUCH_EVERY: Duration = Duration::from_mins(5);

/// An account. [`Debug`] shows only its id.
#[derive(Clone, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = accounts, treat_none_as_default_value = false)]
pub struct AccountRow {
    pub id: AccountId,
    /// The public name; empty once the account is deleted.
    pub name: String,
    /// The name as it is compared ([`names::key`]); unique.
    pub name_key: Option<String>,
    /// Its domain is in ASCII; in letters where it was typed so before 2026-11-28.
    pub email: Option<String>,
    /// The address as it is compared ([`address::key`]); unique.
    pub email_key: Option<String>,
    pub verified_at: Option<Time>,
    /// The password's argon2id hash; empty once the account is deleted.
    pub password: String,
    pub preferences: Preferences,
    pub mail: MailSettings,
    pub is_admin: bool,
    pub created_at: Time,
    pub deleted_at: Option<Time>,
    pub class_id: Option<ClassId>,
    /// The time at which a visitor began to play without an account; `None` for all others.
    pub guest_since: Option<Time>,
}

impl AccountRow {
    /// A new account, without a name, an address or a password: it cannot sign in.
    pub fn new(id: AccountId, created_at: Time) -> Self {
        Self {
            id,
            name: String::new(),
            name_key: None,
            email: None,
            email_key: None,
            verified_at: None,
            password: String::new(),
            preferences: Preferences::default(),
            mail: MailSettings::default(),
            is_admin: false,
            created_at,
            deleted_at: None,
            class_id: None,
            guest_since: None,
        }
    }
}

impl Debug for AccountRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccountRow")
            .field("id", &self.id.0)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

#[derive(Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = accounts)]
pub struct Receiver {
    pub id: AccountId,
    pub email: Option<String>,
    pub preferences: Preferences,
    pub mail: MailSettings,
}

impl Receiver {
    pub fn address_for(&self, kind: &str) -> Option<&str> {
        self.email.as_deref().filter(|_| !self.mail.is_off(kind))
    }
}

#[derive(Clone, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = sessions, treat_none_as_default_value = false)]
pub struct SessionRow {
    pub id: String,
    pub token_hash: String,
    pub account_id: AccountId,
    pub created_at: Time,
    pub seen_at: Time,
    pub expires_at: Time,
    pub agent: String,
    pub address: String,
    /// The time at which the password was last typed in it.
    pub proved_at: Time,
    /// The lesson by whose code it began. Use prolongs only sessions without one.
    pub match_id: Option<MatchId>,
}

impl Debug for SessionRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionRow")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = sessions)]
pub struct LiveSession {
    pub id: String,
    pub seen_at: Time,
    pub address: String,
    pub created_at: Time,
    pub expires_at: Time,
    pub proved_at: Time,
    pub match_id: Option<MatchId>,
}

#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = accounts)]
pub struct SignedIn {
    pub id: AccountId,
    pub name: String,
    pub preferences: Preferences,
    pub is_admin: bool,
    pub class_id: Option<ClassId>,
    /// The duties whose walk-through the viewer has seen, separated by commas.
    pub help_seen: String,
    pub guest_since: Option<Time>,
}

/// Runs a change that may break a unique name or address, in a savepoint, so that the job may go on after the refusal
/// on PostgreSQL too.
fn unless_taken(
    conn: &mut Conn,
    job: impl FnOnce(&mut Conn) -> QueryResult<usize>,
) -> Result<usize, StoreError> {
    transaction(conn, |conn| Ok(job(conn)?)).map_err(|error: StoreError| {
        let StoreError::Database(cause) = &error else {
            return error;
        };
        let DatabaseError(DatabaseErrorKind::UniqueViolation, about) = cause.as_ref() else {
            return error;
        };
        // PostgreSQL names the constraint, SQLite the column in its message.
        let place = about.constraint_name().unwrap_or(about.message());
        if place.contains("name_key") {
            StoreError::NameTaken
        } else if place.contains("email_key") {
            StoreError::EmailTaken
        } else {
            error
        }
    })
}

pub fn insert(conn: &mut Conn, row: &AccountRow) -> Result<(), StoreError> {
    unless_taken(conn, |conn| {
        on_db!(conn, |c| diesel::insert_into(accounts::table)
            .values(row)
            .execute(c))
    })?;
    Ok(())
}

pub fn find(conn: &mut Conn, id: &AccountId) -> Result<Option<AccountRow>, StoreError> {
    Ok(on_db!(conn, |c| accounts::table
        .find(id)
        .select(AccountRow::as_select())
        .get_result(c)
        .optional())?)
}

/// The account that is called so, however that is typed. Of two whose names were different once, and are the same now, the
/// one that is called exactly so.
pub fn find_by_name(conn: &mut Conn, name: &str) -> Result<Option<AccountRow>, StoreError> {
    let exact = names::former_key(name);
    let keys = [&exact, &names::key(name)];
    let found: Vec<AccountRow> = on_db!(conn, |c| accounts::table
        .filter(accounts::name_key.eq_any(keys))
        .select(AccountRow::as_select())
        .load(c))?;
    let is_other = |row: &AccountRow| row.name_key.as_ref() != Some(&exact);
    Ok(found.into_iter().min_by_key(is_other))
}

/// The account that has this address, however that is typed; as [`find_by_name`].
pub fn find_by_email(conn: &mut Conn, email: &str) -> Result<Option<AccountRow>, StoreError> {
    let exact = address::former_key(email);
    let keys = [&exact, &address::key(email)];
    let found: Vec<AccountRow> = on_db!(conn, |c| accounts::table
        .filter(accounts::email_key.eq_any(keys))
        .select(AccountRow::as_select())
        .load(c))?;
    let is_other = |row: &AccountRow| row.email_key.as_ref() != Some(&exact);
    Ok(found.into_iter().min_by_key(is_other))
}

pub fn names(conn: &mut Conn, ids: &[AccountId]) -> Result<HashMap<AccountId, String>, StoreError> {
    let rows: Vec<(AccountId, String)> = on_db!(conn, |c| Prepared(
        accounts::table
            .filter(accounts::id.eq_any(ids))
            .select((accounts::id, accounts::name))
    )
    .load(c))?;
    Ok(rows.into_iter().collect())
}

pub fn created(conn: &mut Conn, ids: &[AccountId]) -> Result<HashMap<AccountId, Time>, StoreError> {
    let rows: Vec<(AccountId, Time)> = on_db!(conn, |c| accounts::table
        .filter(accounts::id.eq_any(ids))
        .select((accounts::id, accounts::created_at))
        .load(c))?;
    Ok(rows.into_iter().collect())
}

/// Those of these accounts that have used the site since then.
pub fn seen_since(
    conn: &mut Conn,
    ids: &[AccountId],
    since: Time,
) -> Result<Vec<AccountId>, StoreError> {
    Ok(on_db!(conn, |c| Prepared(
        sessions::table
            .filter(sessions::account_id.eq_any(ids))
            .filter(sessions::seen_at.ge(since))
            .select(sessions::account_id)
    )
    .load(c))?)
}

/// These accounts as receivers of mail, except deleted ones.
pub fn receivers(conn: &mut Conn, ids: &[AccountId]) -> Result<Vec<Receiver>, StoreError> {
    Ok(on_db!(conn, |c| Prepared(
        accounts::table
            .filter(accounts::id.eq_any(ids))
            .filter(accounts::deleted_at.is_null())
            .select(Receiver::as_select())
    )
    .load(c))?)
}

/// Notes that a person who knows the password has proved the address of an account; `false` if that is noted already,
/// or if `password` is no longer its hash.
pub fn set_verified(
    conn: &mut Conn,
    id: &AccountId,
    password: &str,
    now: Time,
) -> Result<bool, StoreError> {
    let noted = on_db!(conn, |c| diesel::update(
        accounts::table
            .find(id)
            .filter(accounts::password.eq(password))
            .filter(accounts::verified_at.is_null())
    )
    .set(accounts::verified_at.eq(now))
    .execute(c))?;
    Ok(noted == 1)
}

pub fn end_session_by_token(
    conn: &mut Conn,
    token_hash: &str,
) -> Result<Option<AccountId>, StoreError> {
    let session = || sessions::table.filter(sessions::token_hash.eq(token_hash));
    let whose: Option<AccountId> = on_db!(&mut *conn, |c| session()
        .select(sessions::account_id)
        .first(c)
        .optional())?;
    on_db!(conn, |c| diesel::delete(session()).execute(c))?;
    Ok(whose)
}

/// A page of all accounts that were not deleted, newest first; without pupils, who are their teachers' concern, and
/// without guests.
pub fn list(conn: &mut Conn, page: Page) -> Result<Vec<AccountRow>, StoreError> {
    Ok(on_db!(conn, |c| accounts::table
        .filter(accounts::deleted_at.is_null())
        .filter(accounts::class_id.is_null())
        .filter(accounts::guest_since.is_null())
        .order((accounts::created_at.desc(), accounts::id))
        .limit(page.size)
        .offset(page.offset())
        .select(AccountRow::as_select())
        .load(c))?)
}

/// Sets the name that an account gets once its address is proved.
pub fn set_wished_name(
    conn: &mut Conn,
    id: &AccountId,
    name: &str,
    now: Time,
) -> Result<(), StoreError> {
    // It is as new as its latest sign-up.
    on_db!(conn, |c| diesel::update(accounts::table.find(id))
        .set((accounts::name.eq(name), accounts::created_at.eq(now)))
        .execute(c))?;
    Ok(())
}

/// Changes the name, in the account's matches, too.
/// Errors: [`StoreError::NameTaken`]; the job may go on after it.
pub fn set_name(conn: &mut Conn, id: &AccountId, name: &str, key: &str) -> Result<(), StoreError> {
    unless_taken(conn, |conn| {
        on_db!(conn, |c| diesel::update(accounts::table.find(id))
            .set((accounts::name.eq(name), accounts::name_key.eq(key)))
            .execute(c))
    })?;
    members::rename_account(conn, id, name)
}

/// Sets what the name is compared by.
/// Errors: [`StoreError::NameTaken`]; the job may go on after it.
pub(super) fn set_name_key(conn: &mut Conn, id: &AccountId, key: &str) -> Result<(), StoreError> {
    unless_taken(conn, |conn| {
        on_db!(conn, |c| diesel::update(accounts::table.find(id))
            .set(accounts::name_key.eq(key))
            .execute(c))
    })?;
    Ok(())
}

/// Sets what the address is compared by.
/// Errors: [`StoreError::EmailTaken`]; the job may go on after it.
pub(super) fn set_email_key(conn: &mut Conn, id: &AccountId, key: &str) -> Result<(), StoreError> {
    unless_taken(conn, |conn| {
        on_db!(conn, |c| diesel::update(accounts::table.find(id))
            .set(accounts::email_key.eq(key))
            .execute(c))
    })?;
    Ok(())
}

/// Sets a proved address; `false` if the account has got another address or password since it was read.
/// Errors: [`StoreError::EmailTaken`]; the job may go on after it.
pub fn set_email(
    conn: &mut Conn,
    account: &AccountRow,
    email: &str,
    key: &str,
    now: Time,
) -> Result<bool, StoreError> {
    let set = unless_taken(conn, |conn| {
        on_db!(conn, |c| diesel::update(
            accounts::table
                .find(&account.id)
                .filter(accounts::email_key.eq(&account.email_key))
                .filter(accounts::password.eq(&account.password))
        )
        .set((
            accounts::email.eq(email),
            accounts::email_key.eq(key),
            accounts::verified_at.eq(now),
            accounts::mail_refused.eq(None::<&str>),
        ))
        .execute(c))
    })?;
    Ok(set == 1)
}

pub fn set_preferences(
    conn: &mut Conn,
    id: &AccountId,
    preferences: &Preferences,
) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(accounts::table.find(id))
        .set(accounts::preferences.eq(preferences))
        .execute(c))?;
    Ok(())
}

pub fn add_help_seen(conn: &mut Conn, id: &AccountId, duty: &str) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(accounts::table.find(id))
        .filter(accounts::help_seen.not_like(format!("%{duty}%")))
        .set(accounts::help_seen.eq(accounts::help_seen.concat(format!(",{duty}"))))
        .execute(c))?;
    Ok(())
}

/// Sets the password; `false` if the account has got another address or password since it was read.
pub fn set_password(conn: &mut Conn, account: &AccountRow, hash: &str) -> Result<bool, StoreError> {
    let set = on_db!(conn, |c| diesel::update(
        accounts::table
            .find(&account.id)
            .filter(accounts::email_key.eq(&account.email_key))
            .filter(accounts::password.eq(&account.password))
    )
    .set(accounts::password.eq(hash))
    .execute(c))?;
    Ok(set == 1)
}

/// True if the account has still the address and the password that were read. It keeps them until the transaction ends: what
/// would change them waits.
pub fn hold(conn: &mut Conn, account: &AccountRow) -> Result<bool, StoreError> {
    set_password(conn, account, &account.password)
}

/// Sets the password of an account whose address was not proved yet; `false` if it was.
pub fn set_password_unproved(
    conn: &mut Conn,
    id: &AccountId,
    hash: &str,
) -> Result<bool, StoreError> {
    let set = on_db!(conn, |c| diesel::update(
        accounts::table
            .find(id)
            .filter(accounts::verified_at.is_null())
    )
    .set(accounts::password.eq(hash))
    .execute(c))?;
    Ok(set == 1)
}

/// Sets a proved address (as written, as compared) and a password.
/// Errors: [`StoreError::EmailTaken`]; the job may go on after it.
pub fn restore(
    conn: &mut Conn,
    id: &AccountId,
    (email, key): (&str, &str),
    hash: &str,
    now: Time,
) -> Result<(), StoreError> {
    unless_taken(conn, |conn| {
        on_db!(conn, |c| diesel::update(accounts::table.find(id))
            .set((
                accounts::email.eq(email),
                accounts::email_key.eq(key),
                accounts::verified_at.eq(now),
                accounts::password.eq(hash),
                accounts::mail_refused.eq(None::<&str>),
            ))
            .execute(c))
    })?;
    Ok(())
}

/// Notes why a mail server has refused mail to this address of an account. If the account has another one by now, it
/// notes nothing.
pub fn note_refusal(
    conn: &mut Conn,
    id: &AccountId,
    key: &str,
    why: &str,
) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(
        accounts::table.find(id).filter(accounts::email_key.eq(key))
    )
    .set(accounts::mail_refused.eq(why))
    .execute(c))?;
    Ok(())
}

/// Notes that a mail server has taken mail to this address of an account.
pub fn forget_refusal(conn: &mut Conn, id: &AccountId, key: &str) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(
        accounts::table
            .find(id)
            .filter(accounts::email_key.eq(key))
            .filter(accounts::mail_refused.is_not_null())
    )
    .set(accounts::mail_refused.eq(None::<&str>))
    .execute(c))?;
    Ok(())
}

/// The address of an account to which mail was refused, and why.
pub fn refusal(conn: &mut Conn, id: &AccountId) -> Result<Option<(String, String)>, StoreError> {
    Ok(on_db!(conn, |c| accounts::table
        .find(id)
        .filter(accounts::email.is_not_null())
        .filter(accounts::mail_refused.is_not_null())
        .select((
            accounts::email.assume_not_null(),
            accounts::mail_refused.assume_not_null(),
        ))
        .get_result(c)
        .optional())?)
}

pub fn set_mail(conn: &mut Conn, id: &AccountId, mail: &MailSettings) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(accounts::table.find(id))
        .set(accounts::mail.eq(mail))
        .execute(c))?;
    Ok(())
}

/// Makes an account nobody's: its name, address, password and rights are gone.
pub(super) fn disown(conn: &mut Conn, id: &AccountId, now: Time) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(accounts::table.find(id))
        .set((
            accounts::name.eq(""),
            accounts::name_key.eq(None::<&str>),
            accounts::email.eq(None::<&str>),
            accounts::email_key.eq(None::<&str>),
            accounts::verified_at.eq(None::<Time>),
            accounts::password.eq(""),
            accounts::is_admin.eq(false),
            accounts::mail_refused.eq(None::<&str>),
            accounts::deleted_at.eq(now),
        ))
        .execute(c))?;
    Ok(())
}

/// Deletes an account: its name, address and password are gone, and the mails to it; its sessions end. The row stays,
/// because its matches do.
pub fn delete(conn: &mut Conn, id: &AccountId, now: Time) -> Result<(), StoreError> {
    // By its address, while it still has one.
    invited_addresses::forget_account(conn, id)?;
    let address = find(conn, id)?.and_then(|account| account.email);
    outbox::forget(conn, id, address.as_deref().unwrap_or_default())?;
    disown(conn, id, now)?;
    members::forget_account(conn, id)?;
    old_addresses::forget(conn, id)?;
    former_names::forget_account(conn, id)?;
    second_factor::forget(conn, id)?;
    own_cards::forget_account(conn, id)?;
    end_all_sessions(conn, id)?;
    Ok(())
}

/// Claims the one mail a day that tells what waits in team matches: `false` if one went out less than a day before
/// `now`.
pub fn claim_waiting_mail(conn: &mut Conn, id: &AccountId, now: Time) -> Result<bool, StoreError> {
    let claimed = on_db!(conn, |c| diesel::update(
        accounts::table.find(id).filter(
            accounts::waiting_mail_at
                .is_null()
                .or(accounts::waiting_mail_at.le(now - days(1)))
        )
    )
    .set(accounts::waiting_mail_at.eq(now))
    .execute(c))?;
    Ok(claimed == 1)
}

/// Notes that a mail told an account what waits in team matches.
pub fn note_waiting_mail(conn: &mut Conn, id: &AccountId, now: Time) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(accounts::table.find(id))
        .set(accounts::waiting_mail_at.eq(now))
        .execute(c))?;
    Ok(())
}

/// True if a mail told an account after that moment what waits in team matches.
pub fn has_waiting_mail(conn: &mut Conn, id: &AccountId, after: Time) -> Result<bool, StoreError> {
    let rows = accounts::table
        .find(id)
        .filter(accounts::waiting_mail_at.gt(after));
    Ok(on_db!(conn, |c| diesel::select(diesel::dsl::exists(rows))
        .get_result(c))?)
}

pub fn insert_session(conn: &mut Conn, row: &SessionRow) -> Result<(), StoreError> {
    on_db!(&mut *conn, |c| diesel::insert_into(sessions::table)
        .values(row)
        .execute(c))?;
    living::require(conn, &[&row.account_id])
}

/// Ends all sessions of an account but the `most` newest.
pub fn keep_newest_sessions(
    conn: &mut Conn,
    account: &AccountId,
    most: i64,
) -> Result<(), StoreError> {
    let kept: Vec<String> = on_db!(&mut *conn, |c| sessions::table
        .filter(sessions::account_id.eq(account))
        .order((sessions::created_at.desc(), sessions::id.desc()))
        .limit(most)
        .select(sessions::id)
        .load(c))?;
    on_db!(conn, |c| diesel::delete(
        sessions::table
            .filter(sessions::account_id.eq(account))
            .filter(sessions::id.ne_all(kept))
    )
    .execute(c))?;
    Ok(())
}

/// A session found by its token: it, its account, a pupil's name in the class, and the version of a match.
pub type Come = (LiveSession, SignedIn, Option<String>, Option<Version>);

/// The session whose token has this hash, unless it has ended, with its account and a pupil's name in the class; and
/// the version of a match, if `id` names one that exists.
pub fn find_session(
    conn: &mut Conn,
    token_hash: &str,
    id: Option<&MatchId>,
    now: Time,
) -> Result<Option<Come>, StoreError> {
    Ok(on_db!(conn, |c| sessions::table
        .inner_join(accounts::table.left_join(pupils::table))
        .left_join(matches::table.on(matches::id.nullable().eq(id)))
        .filter(sessions::token_hash.eq(token_hash))
        .filter(sessions::expires_at.gt(now))
        .filter(accounts::deleted_at.is_null())
        .select((
            LiveSession::as_select(),
            SignedIn::as_select(),
            pupils::name.nullable(),
            Option::<Version>::as_select(),
        ))
        .get_result(c)
        .optional())?)
}

#[derive(Queryable)]
pub struct PupilSession {
    pub token_hash: String,
    pub session: String,
    pub account: AccountId,
    /// The pupil's name in the class.
    pub name: String,
    /// The lesson by whose code the session began, if any.
    pub lesson: Option<MatchId>,
}

/// The sessions of pupils whose tokens have these hashes and which have not ended.
pub fn pupils_on_device(
    conn: &mut Conn,
    token_hashes: &[String],
    now: Time,
) -> Result<Vec<PupilSession>, StoreError> {
    Ok(on_db!(conn, |c| sessions::table
        .inner_join(accounts::table.inner_join(pupils::table))
        .filter(sessions::token_hash.eq_any(token_hashes))
        .filter(sessions::expires_at.gt(now))
        .filter(accounts::deleted_at.is_null())
        .select((
            sessions::token_hash,
            sessions::id,
            sessions::account_id,
            pupils::name,
            sessions::match_id
        ))
        .load(c))?)
}

/// Notes that a session is in use, and prolongs it until `expires_at`; at most once in [`TOUCH_EVERY`], which its
/// `seen_at` shows without a query.
pub fn touch_session(
    conn: &mut Conn,
    id: &str,
    address: &str,
    now: Time,
    expires_at: Time,
) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(
        sessions::table
            .find(id)
            .filter(sessions::seen_at.le(now - TOUCH_EVERY))
    )
    .set((
        sessions::seen_at.eq(now),
        sessions::address.eq(address),
        sessions::expires_at.eq(expires_at),
    ))
    .execute(c))?;
    Ok(())
}

/// Gives a session another token, as it has other rights from now on; `proved` if all was typed that dangerous actions
/// need. `false` if it has ended.
pub fn renew_session(
    conn: &mut Conn,
    id: &str,
    token_hash: &str,
    proved: Option<Time>,
) -> Result<bool, StoreError> {
    let renewed = on_db!(conn, |c| diesel::update(sessions::table.find(id))
        .set((
            sessions::token_hash.eq(token_hash),
            proved.map(|at| sessions::proved_at.eq(at)),
        ))
        .execute(c))?;
    Ok(renewed == 1)
}

/// True if a session has not been ended. It is not before the transaction ends, either: what would end it waits.
pub fn hold_session(conn: &mut Conn, id: &str) -> Result<bool, StoreError> {
    let held = on_db!(conn, |c| diesel::update(sessions::table.find(id))
        .set(sessions::seen_at.eq(sessions::seen_at))
        .execute(c))?;
    Ok(held == 1)
}

/// Notes that the password was typed in a session.
pub fn prove_session(conn: &mut Conn, id: &str, now: Time) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(sessions::table.find(id))
        .set(sessions::proved_at.eq(now))
        .execute(c))?;
    Ok(())
}

pub fn sessions(
    conn: &mut Conn,
    account: &AccountId,
    now: Time,
) -> Result<Vec<SessionRow>, StoreError> {
    Ok(on_db!(conn, |c| sessions::table
        .filter(sessions::account_id.eq(account))
        .filter(sessions::expires_at.gt(now))
        .order((sessions::seen_at.desc(), sessions::id))
        .select(SessionRow::as_select())
        .load(c))?)
}

pub fn end_session(conn: &mut Conn, account: &AccountId, id: &str) -> Result<bool, StoreError> {
    let ended = on_db!(conn, |c| diesel::delete(
        sessions::table
            .find(id)
            .filter(sessions::account_id.eq(account))
    )
    .execute(c))?;
    Ok(ended == 1)
}

pub fn end_other_sessions(
    conn: &mut Conn,
    account: &AccountId,
    kept: &str,
) -> Result<usize, StoreError> {
    Ok(on_db!(conn, |c| diesel::delete(
        sessions::table
            .filter(sessions::account_id.eq(account))
            .filter(sessions::id.ne(kept))
    )
    .execute(c))?)
}

pub fn end_all_sessions(conn: &mut Conn, account: &AccountId) -> Result<usize, StoreError> {
    Ok(on_db!(conn, |c| diesel::delete(
        sessions::table.filter(sessions::account_id.eq(account))
    )
    .execute(c))?)
}

/// Sign-ups whose address was not proved, made before this time.
pub fn unproved(conn: &mut Conn, before: Time, limit: i64) -> Result<Vec<AccountId>, StoreError> {
    Ok(on_db!(conn, |c| accounts::table
        .filter(accounts::verified_at.is_null())
        .filter(accounts::email_key.is_not_null())
        .filter(accounts::guest_since.is_null())
        .filter(accounts::class_id.is_null())
        .filter(accounts::deleted_at.is_null())
        .filter(accounts::created_at.lt(before))
        .order(accounts::created_at)
        .limit(limit)
        .select(accounts::id)
        .load(c))?)
}

/// Removes the sessions that are over. Those of guests, with which all goes that they have played, were not used for
/// `guest`, without outages.
pub fn purge_sessions(conn: &mut Conn, past: &Past, guest: Duration) -> Result<usize, StoreError> {
    let (over, unused) = (past.before(Duration::ZERO), past.before(guest));
    let guests = accounts::table
        .filter(accounts::guest_since.is_not_null())
        .select(accounts::id);
    let ended = on_db!(&mut *conn, |c| diesel::delete(
        sessions::table
            .filter(sessions::expires_at.le(over))
            .filter(sessions::account_id.ne_all(guests))
    )
    .execute(c))?;
    let gone = on_db!(conn, |c| diesel::delete(
        sessions::table
            .filter(sessions::seen_at.le(unused))
            .filter(sessions::account_id.eq_any(guests))
    )
    .execute(c))?;
    Ok(ended + gone)
}
