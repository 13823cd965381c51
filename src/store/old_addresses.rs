//! Former addresses of accounts, kept as long as they can be brought back.

use diesel::prelude::*;

use super::heartbeat::Past;
use super::schema::old_addresses;
use super::{Conn, StoreError, on_db};
use perplex_matches::id::AccountId;
use perplex_matches::time::{Time, days};

/// Days that a row is kept: longer than its link is good, so that a return to this address is known as one.
pub const OLD_ADDRESS_DAYS: u64 = 90;

#[derive(Clone, Insertable, Queryable, Selectable)]
#[diesel(table_name = old_addresses)]
pub struct OldAddress {
    pub id: String,
    pub account_id: AccountId,
    pub email: String,
    pub asked_at: Time,
}

pub fn insert(conn: &mut Conn, row: &OldAddress) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::insert_into(old_addresses::table)
        .values(row)
        .execute(c))?;
    Ok(())
}

/// Removes an address. Gives it and the time at which another was asked for; `None` if it was taken before.
pub fn take(
    conn: &mut Conn,
    account: &AccountId,
    id: &str,
) -> Result<Option<(String, Time)>, StoreError> {
    let row: Option<(String, Time)> = on_db!(&mut *conn, |c| old_addresses::table
        .find(id)
        .filter(old_addresses::account_id.eq(account))
        .select((old_addresses::email, old_addresses::asked_at))
        .get_result(c)
        .optional())?;
    let Some((email, asked_at)) = row else {
        return Ok(None);
    };
    let taken = on_db!(conn, |c| diesel::delete(old_addresses::table.find(id))
        .execute(c))?;
    // Another use of the link may have come in between.
    Ok((taken == 1).then_some((email, asked_at)))
}

/// The addresses that an account had when others were asked for, and when: the earliest first.
pub fn of_account(conn: &mut Conn, account: &AccountId) -> Result<Vec<OldAddress>, StoreError> {
    Ok(on_db!(conn, |c| old_addresses::table
        .filter(old_addresses::account_id.eq(account))
        .order(old_addresses::asked_at)
        .select(OldAddress::as_select())
        .load(c))?)
}

/// Removes the addresses that an account had from `since` on.
pub fn forget_since(conn: &mut Conn, account: &AccountId, since: Time) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::delete(
        old_addresses::table
            .filter(old_addresses::account_id.eq(account))
            .filter(old_addresses::asked_at.ge(since))
    )
    .execute(c))?;
    Ok(())
}

pub fn forget(conn: &mut Conn, account: &AccountId) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::delete(
        old_addresses::table.filter(old_addresses::account_id.eq(account))
    )
    .execute(c))?;
    Ok(())
}

pub fn purge(conn: &mut Conn, past: &Past) -> Result<(), StoreError> {
    let until = past.before(days(OLD_ADDRESS_DAYS));
    on_db!(conn, |c| diesel::delete(
        old_addresses::table.filter(old_addresses::asked_at.le(until))
    )
    .execute(c))?;
    Ok(())
}
