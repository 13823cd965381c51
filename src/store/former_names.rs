//! Names that accounts had until they were deleted or renamed: keyed hashes, as the names themselves are gone.

use std::time::Duration;

use diesel::prelude::*;

use super::heartbeat::Past;
use super::schema::former_names;
use super::{Conn, StoreError, on_db};
use perplex_matches::id::AccountId;
use perplex_matches::time::Time;

#[derive(Clone, Insertable, AsChangeset)]
#[diesel(table_name = former_names)]
#[diesel(treat_none_as_null = true)]
pub struct FormerName {
    pub name_hash: String,
    /// The account that has another name now; `None` once it is deleted.
    pub account_id: Option<AccountId>,
    pub until: Time,
}

/// Keeps the name that `account` had from all others. One that is kept for another already, as the two look alike, stays
/// as it is.
pub fn keep(
    conn: &mut Conn,
    row: &FormerName,
    account: &AccountId,
    now: Time,
) -> Result<(), StoreError> {
    let hash = std::slice::from_ref(&row.name_hash);
    if is_kept_from(conn, hash, Some(account), now)? {
        return Ok(());
    }
    on_db!(conn, |c| diesel::insert_into(former_names::table)
        .values(row)
        .on_conflict(former_names::name_hash)
        .do_update()
        .set(row)
        .execute(c))?;
    Ok(())
}

/// True if a name is kept from `account`, or from an account that has yet to be made.
pub fn is_kept_from(
    conn: &mut Conn,
    hashes: &[String],
    account: Option<&AccountId>,
    now: Time,
) -> Result<bool, StoreError> {
    let owners: Vec<Option<AccountId>> = on_db!(conn, |c| former_names::table
        .filter(former_names::name_hash.eq_any(hashes))
        .filter(former_names::until.gt(now))
        .select(former_names::account_id)
        .load(c))?;
    let is_other = |owner: &Option<AccountId>| owner.is_none() || owner.as_ref() != account;
    Ok(owners.iter().any(is_other))
}

/// Forgets which names an account had; they stay kept.
pub fn forget_account(conn: &mut Conn, account: &AccountId) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(
        former_names::table.filter(former_names::account_id.eq(account))
    )
    .set(former_names::account_id.eq(None::<AccountId>))
    .execute(c))?;
    Ok(())
}

pub fn purge(conn: &mut Conn, past: &Past) -> Result<(), StoreError> {
    let over = past.before(Duration::ZERO);
    on_db!(conn, |c| diesel::delete(
        former_names::table.filter(former_names::until.le(over))
    )
    .execute(c))?;
    Ok(())
}
