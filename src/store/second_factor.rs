//! Second factors: the secrets of codes asked for beside the password, and recovery codes that replace a lost device.

use diesel::dsl::not;
use diesel::prelude::*;

use super::schema::{recovery_codes, second_factors};
use super::{Conn, StoreError, on_db};
use perplex_matches::id::AccountId;
use perplex_matches::time::Time;

#[derive(Clone, Queryable, Selectable, Insertable)]
#[diesel(table_name = second_factors)]
pub struct SecondFactorRow {
    pub account_id: AccountId,
    /// The secret from which the owner's app makes codes, sealed.
    pub secret: String,
    /// Codes up to this step are no longer good.
    pub last_step: i64,
    pub created_at: Time,
}

/// A code of the step before is good while one of the step after may have been used.
const STEPS: i64 = 2;

/// Switches a second factor on; `false` if it was on.
pub fn insert(conn: &mut Conn, row: &SecondFactorRow) -> Result<bool, StoreError> {
    let inserted = on_db!(conn, |c| diesel::insert_into(second_factors::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(c))?;
    Ok(inserted == 1)
}

pub fn find(conn: &mut Conn, account: &AccountId) -> Result<Option<SecondFactorRow>, StoreError> {
    Ok(on_db!(conn, |c| second_factors::table
        .find(account)
        .select(SecondFactorRow::as_select())
        .get_result(c)
        .optional())?)
}

/// Those of these accounts that have a second factor.
pub fn among(conn: &mut Conn, accounts: &[AccountId]) -> Result<Vec<AccountId>, StoreError> {
    Ok(on_db!(conn, |c| second_factors::table
        .filter(second_factors::account_id.eq_any(accounts))
        .select(second_factors::account_id)
        .load(c))?)
}

/// Uses up the code of a step: `false` if it, or a later one, was used before. A step that is yet to come was used while
/// the clock was wrong, and tells nothing.
pub fn use_step(conn: &mut Conn, account: &AccountId, step: i64) -> Result<bool, StoreError> {
    let used = on_db!(conn, |c| diesel::update(
        second_factors::table
            .find(account)
            .filter(not(second_factors::last_step.between(step, step + STEPS)))
    )
    .set(second_factors::last_step.eq(step))
    .execute(c))?;
    Ok(used == 1)
}

/// Replaces the recovery codes of an account.
pub fn set_recovery_codes(
    conn: &mut Conn,
    account: &AccountId,
    hashes: &[String],
) -> Result<(), StoreError> {
    forget_recovery_codes(conn, account)?;
    for hash in hashes {
        on_db!(&mut *conn, |c| diesel::insert_into(recovery_codes::table)
            .values((
                recovery_codes::account_id.eq(account),
                recovery_codes::hash.eq(hash),
            ))
            .execute(c))?;
    }
    Ok(())
}

/// Uses up a recovery code: `false` if there is no such code.
/// Uses up the code that has one of these hashes; gives whether there is one.
pub fn use_recovery_code(
    conn: &mut Conn,
    account: &AccountId,
    hashes: &[String],
) -> Result<bool, StoreError> {
    let used = on_db!(conn, |c| diesel::delete(
        recovery_codes::table
            .filter(recovery_codes::account_id.eq(account))
            .filter(recovery_codes::hash.eq_any(hashes))
    )
    .execute(c))?;
    Ok(used == 1)
}

pub fn count_recovery_codes(conn: &mut Conn, account: &AccountId) -> Result<i64, StoreError> {
    Ok(on_db!(conn, |c| recovery_codes::table
        .filter(recovery_codes::account_id.eq(account))
        .count()
        .get_result(c))?)
}

/// Switches a second factor off; `false` if there was none.
pub fn forget(conn: &mut Conn, account: &AccountId) -> Result<bool, StoreError> {
    forget_recovery_codes(conn, account)?;
    let forgotten = on_db!(conn, |c| diesel::delete(
        second_factors::table.find(account)
    )
    .execute(c))?;
    Ok(forgotten == 1)
}

/// Switches off a second factor that was switched on at this time or later; `false` if there was none.
pub fn forget_since(conn: &mut Conn, account: &AccountId, since: Time) -> Result<bool, StoreError> {
    let is_later = find(conn, account)?.is_some_and(|row| row.created_at >= since);
    Ok(is_later && forget(conn, account)?)
}

fn forget_recovery_codes(conn: &mut Conn, account: &AccountId) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::delete(
        recovery_codes::table.filter(recovery_codes::account_id.eq(account))
    )
    .execute(c))?;
    Ok(())
}

/// At most `limit` second factors that are sealed with another key than `key`.
pub fn sealed_otherwise(
    conn: &mut Conn,
    key: &str,
    limit: i64,
) -> Result<Vec<SecondFactorRow>, StoreError> {
    Ok(on_db!(conn, |c| second_factors::table
        .filter(second_factors::secret.not_like(format!("{key}:%")))
        .limit(limit)
        .select(SecondFactorRow::as_select())
        .load(c))?)
}

pub fn set_secret(conn: &mut Conn, account: &AccountId, secret: &str) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(
        second_factors::table.find(account)
    )
    .set(second_factors::secret.eq(secret))
    .execute(c))?;
    Ok(())
}
