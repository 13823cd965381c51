//! Guests: accounts of visitors who play the computer without having made one.

use diesel::dsl::{count_star, exists, not};
use diesel::prelude::*;

use super::schema::{accounts, matches, sessions};
use super::{Conn, StoreError, on_db};
use perplex_matches::id::{AccountId, MatchId};

/// The number of guests.
pub fn count(conn: &mut Conn) -> Result<i64, StoreError> {
    Ok(on_db!(conn, |c| accounts::table
        .filter(accounts::guest_since.is_not_null())
        .select(count_star())
        .get_result(c))?)
}

/// Guests whose session has ended, and who cannot come back.
pub fn gone(conn: &mut Conn, limit: i64) -> Result<Vec<AccountId>, StoreError> {
    let session = sessions::table.filter(sessions::account_id.eq(accounts::id));
    Ok(on_db!(conn, |c| accounts::table
        .filter(accounts::guest_since.is_not_null())
        .filter(not(exists(session)))
        .order(accounts::guest_since)
        .limit(limit)
        .select(accounts::id)
        .load(c))?)
}

/// Removes a guest with their matches.
pub fn remove(conn: &mut Conn, id: &AccountId) -> Result<(), StoreError> {
    let theirs: Vec<MatchId> = on_db!(&mut *conn, |c| matches::table
        .filter(matches::created_by.eq(id))
        .select(matches::id)
        .load(c))?;
    super::removal::remove_matches(conn, &theirs)?;
    on_db!(&mut *conn, |c| diesel::delete(
        sessions::table.filter(sessions::account_id.eq(id))
    )
    .execute(c))?;
    on_db!(conn, |c| diesel::delete(
        accounts::table
            .find(id)
            .filter(accounts::guest_since.is_not_null())
    )
    .execute(c))?;
    Ok(())
}
