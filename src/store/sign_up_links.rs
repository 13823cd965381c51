//! Invitations to make an account, kept as long as they can be used.

use std::time::Duration;

use diesel::prelude::*;

use super::heartbeat::Past;
use super::schema::sign_up_links;
use super::{Conn, StoreError, on_db};
use perplex_matches::time::Time;

pub fn insert(conn: &mut Conn, id: &str, good_until: Time) -> Result<(), StoreError> {
    let values = (
        sign_up_links::id.eq(id),
        sign_up_links::good_until.eq(good_until),
    );
    on_db!(conn, |c| diesel::insert_into(sign_up_links::table)
        .values(values)
        .execute(c))?;
    Ok(())
}

/// Writes an invitation that may be there already.
pub fn renew(conn: &mut Conn, id: &str, good_until: Time) -> Result<(), StoreError> {
    take(conn, id)?;
    insert(conn, id, good_until)
}

pub fn is_there(conn: &mut Conn, id: &str) -> Result<bool, StoreError> {
    let found: Option<String> = on_db!(conn, |c| sign_up_links::table
        .find(id)
        .select(sign_up_links::id)
        .get_result(c)
        .optional())?;
    Ok(found.is_some())
}

/// Uses an invitation up; `false` if it was used before.
pub fn take(conn: &mut Conn, id: &str) -> Result<bool, StoreError> {
    let taken = on_db!(conn, |c| diesel::delete(sign_up_links::table.find(id))
        .execute(c))?;
    Ok(taken == 1)
}

pub fn purge(conn: &mut Conn, past: &Past) -> Result<(), StoreError> {
    let over = past.before(Duration::ZERO);
    on_db!(conn, |c| diesel::delete(
        sign_up_links::table.filter(sign_up_links::good_until.le(over))
    )
    .execute(c))?;
    Ok(())
}
