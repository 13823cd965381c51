//! Accounts that are not deleted: rows of matches, classes and sessions name no others.

use diesel::prelude::*;

use super::schema::accounts;
use super::{Conn, StoreError, on_db};
use perplex_matches::id::AccountId;

/// Keeps an account from what new rows would name it until the transaction ends, and waits for what does now. On SQLite
/// every write does.
pub fn hold(conn: &mut Conn, id: &AccountId) -> Result<(), StoreError> {
    if let Conn::Postgres(c) = conn {
        let _: Option<AccountId> = accounts::table
            .find(id)
            .select(accounts::id)
            .for_update()
            .get_result(c)
            .optional()?;
    }
    Ok(())
}

/// Makes sure that none of these accounts is deleted, after rows that name them were written: with these a
/// deletion waits, or they have waited for it.
/// Errors: [`StoreError::Deleted`].
pub(super) fn require(conn: &mut Conn, ids: &[&AccountId]) -> Result<(), StoreError> {
    let gone = accounts::table
        .filter(accounts::id.eq_any(ids))
        .filter(accounts::deleted_at.is_not_null());
    let is_gone = on_db!(conn, |c| diesel::select(diesel::dsl::exists(gone))
        .get_result(c))?;
    if is_gone {
        Err(StoreError::Deleted)
    } else {
        Ok(())
    }
}
