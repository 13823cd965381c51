//! Invitations to a match that were sent to an address, whether it has an account or not.

use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use diesel::upsert::excluded;

use crate::address;

use super::matches::MatchRow;
use super::schema::{MatchKind, Phase, accounts, invited_addresses, matches};
use super::{Conn, StoreError, on_db};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::time::Time;

#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = invited_addresses)]
pub struct InvitedAddress {
    pub match_id: MatchId,
    /// The address as addresses are compared.
    pub email_key: String,
    /// The address as it was typed.
    pub email: String,
    pub sent_at: Time,
    pub declined: bool,
    /// A mail server has refused it.
    pub refused: bool,
}

impl InvitedAddress {
    /// The address as people read it.
    pub fn shown(&self) -> String {
        address::shown(&self.email)
    }
}

/// Brings what addresses are compared by up to date.
pub(super) fn bring_up_to_date(conn: &mut Conn) -> Result<(), StoreError> {
    let is_beyond_ascii = sql::<Bool>("length(email_key) <> octet_length(email_key)");
    let known: Vec<InvitedAddress> = on_db!(&mut *conn, |c| invited_addresses::table
        .filter(is_beyond_ascii)
        .select(InvitedAddress::as_select())
        .load(c))?;
    for mut row in known {
        let key = address::key(&row.email);
        if key == row.email_key {
            continue;
        }
        remove(conn, &row.match_id, &row.email_key)?;
        let others = of_match(conn, &row.match_id)?;
        if others.iter().all(|other| other.email_key != key) {
            row.email_key = key;
            put(conn, &row)?;
        }
    }
    Ok(())
}

/// Notes an invitation, or that it was sent again.
pub fn put(conn: &mut Conn, row: &InvitedAddress) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::insert_into(invited_addresses::table)
        .values(row)
        .on_conflict((invited_addresses::match_id, invited_addresses::email_key))
        .do_update()
        .set((
            invited_addresses::email.eq(excluded(invited_addresses::email)),
            invited_addresses::sent_at.eq(excluded(invited_addresses::sent_at)),
            invited_addresses::declined.eq(excluded(invited_addresses::declined)),
            invited_addresses::refused.eq(excluded(invited_addresses::refused)),
        ))
        .execute(c))?;
    Ok(())
}

/// The invitations to a match, in the order in which they were last sent.
pub fn of_match(conn: &mut Conn, id: &MatchId) -> Result<Vec<InvitedAddress>, StoreError> {
    Ok(on_db!(conn, |c| invited_addresses::table
        .filter(invited_addresses::match_id.eq(id))
        .order((invited_addresses::sent_at, invited_addresses::email_key))
        .select(InvitedAddress::as_select())
        .load(c))?)
}

/// The address of an account as addresses are compared.
pub fn key_of(conn: &mut Conn, account: &AccountId) -> Result<Option<String>, StoreError> {
    let key: Option<Option<String>> = on_db!(conn, |c| accounts::table
        .find(account)
        .select(accounts::email_key)
        .get_result(c)
        .optional())?;
    Ok(key.flatten())
}

/// The unfinished matches of a kind to which an account's address is invited, and has not declined.
pub fn of_account(
    conn: &mut Conn,
    kind: MatchKind,
    account: &AccountId,
    limit: i64,
) -> Result<Vec<MatchRow>, StoreError> {
    let Some(key) = key_of(conn, account)? else {
        return Ok(Vec::new());
    };
    Ok(on_db!(conn, |c| invited_addresses::table
        .inner_join(matches::table)
        .filter(invited_addresses::email_key.eq(&key))
        .filter(invited_addresses::declined.eq(false))
        .filter(matches::kind.eq(kind))
        .filter(matches::phase.ne(Phase::Over))
        .order((matches::updated_at.desc(), matches::id))
        .limit(limit)
        .select(MatchRow::as_select())
        .load(c))?)
}

/// Notes whether a mail server has refused an invitation.
pub fn note_refusal(
    conn: &mut Conn,
    id: &MatchId,
    key: &str,
    refused: bool,
) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(
        invited_addresses::table
            .find((id, key))
            .filter(invited_addresses::refused.ne(refused))
    )
    .set(invited_addresses::refused.eq(refused))
    .execute(c))?;
    Ok(())
}

/// The invitation declines; gives whether it stood.
pub fn decline(conn: &mut Conn, id: &MatchId, key: &str) -> Result<bool, StoreError> {
    let declined = on_db!(conn, |c| diesel::update(
        invited_addresses::table
            .find((id, key))
            .filter(invited_addresses::declined.eq(false))
    )
    .set(invited_addresses::declined.eq(true))
    .execute(c))?;
    Ok(declined > 0)
}

/// The invitation of an account's address is declined; gives the address as it was invited, if it was and had not declined yet.
pub fn decline_of(
    conn: &mut Conn,
    id: &MatchId,
    account: &AccountId,
) -> Result<Option<String>, StoreError> {
    let Some(key) = key_of(conn, account)? else {
        return Ok(None);
    };
    if !decline(conn, id, &key)? {
        return Ok(None);
    }
    let invited = of_match(conn, id)?.into_iter();
    Ok(invited
        .filter(|row| row.email_key == key)
        .map(|row| row.email)
        .next())
}

/// The invitation of an account's address is answered by joining.
pub fn remove_of(conn: &mut Conn, id: &MatchId, account: &AccountId) -> Result<(), StoreError> {
    match key_of(conn, account)? {
        Some(key) => remove(conn, id, &key),
        None => Ok(()),
    }
}

/// Takes an invitation that stands away; gives whether there was one.
pub fn take(conn: &mut Conn, id: &MatchId, key: &str) -> Result<bool, StoreError> {
    let taken = on_db!(conn, |c| diesel::delete(
        invited_addresses::table
            .find((id, key))
            .filter(invited_addresses::declined.eq(false))
    )
    .execute(c))?;
    Ok(taken > 0)
}

/// Withdraws an invitation.
pub fn remove(conn: &mut Conn, id: &MatchId, key: &str) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::delete(
        invited_addresses::table.find((id, key))
    )
    .execute(c))?;
    Ok(())
}

/// Forgets the invitations of an account's address.
pub fn forget_account(conn: &mut Conn, account: &AccountId) -> Result<(), StoreError> {
    let Some(key) = key_of(conn, account)? else {
        return Ok(());
    };
    on_db!(conn, |c| diesel::delete(
        invited_addresses::table.filter(invited_addresses::email_key.eq(&key))
    )
    .execute(c))?;
    Ok(())
}

/// Forgets the invitations that were sent until then.
pub fn purge(conn: &mut Conn, until: Time) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::delete(
        invited_addresses::table.filter(invited_addresses::sent_at.le(until))
    )
    .execute(c))?;
    Ok(())
}

/// Forgets the addresses that were invited to a match.
pub fn clear(conn: &mut Conn, id: &MatchId) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::delete(
        invited_addresses::table.filter(invited_addresses::match_id.eq(id))
    )
    .execute(c))?;
    Ok(())
}
