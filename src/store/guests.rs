//! Guests: accounts of visitors who play the computer without having made one.

use diesel::dsl::{count_star, exists, not};
use diesel::prelude::*;

use super::schema::{accounts, matches, members, sessions};
use super::{Conn, StoreError, accounts as rows, on_db};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::time::Time;

/// The number of guests.
pub fn count(conn: &mut Conn) -> Result<i64, StoreError> {
    Ok(on_db!(conn, |c| accounts::table
        .filter(accounts::guest_since.is_not_null())
        .select(count_star())
        .get_result(c))?)
}

/// Guests whose session has ended, and who cannot come back: the next after `after`, by their ids.
pub fn gone(conn: &mut Conn, after: &str, limit: i64) -> Result<Vec<AccountId>, StoreError> {
    let session = sessions::table.filter(sessions::account_id.eq(accounts::id));
    Ok(on_db!(conn, |c| accounts::table
        .filter(accounts::guest_since.is_not_null())
        .filter(not(exists(session)))
        .filter(accounts::id.gt(after))
        .order(accounts::id)
        .limit(limit)
        .select(accounts::id)
        .load(c))?)
}

/// Guests who began before that time and have made no turn, the oldest first. In all games that guests begin, the first
/// turn is theirs.
pub fn idle(conn: &mut Conn, before: Time, limit: i64) -> Result<Vec<AccountId>, StoreError> {
    let played = matches::table
        .filter(matches::created_by.eq(accounts::id))
        .filter(matches::ply.gt(0));
    Ok(on_db!(conn, |c| accounts::table
        .filter(accounts::guest_since.lt(before))
        .filter(not(exists(played)))
        .order(accounts::guest_since)
        .limit(limit)
        .select(accounts::id)
        .load(c))?)
}

/// Makes a guest's account that of a person who has just proved their address, with all that the guest has played; the
/// account `made` for the address is gone then. The guest's sessions end. `false` if the guest is gone.
pub fn becomes(
    conn: &mut Conn,
    guest: &AccountId,
    made: &AccountId,
    now: Time,
) -> Result<bool, StoreError> {
    let is_guest = rows::find(conn, guest)?.is_some_and(|row| row.guest_since.is_some());
    let Some(row) = rows::find(conn, made)?.filter(|_| is_guest) else {
        return Ok(false);
    };
    // Names and addresses are unique.
    rows::disown(conn, made, now)?;
    on_db!(&mut *conn, |c| diesel::update(accounts::table.find(guest))
        .set((
            accounts::email.eq(&row.email),
            accounts::email_key.eq(&row.email_key),
            accounts::verified_at.eq(row.verified_at),
            accounts::password.eq(&row.password),
            accounts::preferences.eq(&row.preferences),
            accounts::mail.eq(&row.mail),
            accounts::guest_since.eq(None::<Time>),
        ))
        .execute(c))?;
    let key = row.name_key.unwrap_or_default();
    rows::set_name(conn, guest, &row.name, &key)?;
    rows::end_all_sessions(conn, guest)?;
    Ok(true)
}

/// Removes a guest with their matches. If the guest has come into a match of others, the row stays there, as that of
/// every account that is deleted.
pub fn remove(conn: &mut Conn, id: &AccountId, now: Time) -> Result<(), StoreError> {
    let theirs: Vec<MatchId> = on_db!(&mut *conn, |c| matches::table
        .filter(matches::created_by.eq(id))
        .select(matches::id)
        .load(c))?;
    super::removal::remove_matches(conn, &theirs)?;
    rows::delete(conn, id, now)?;
    let others: i64 = on_db!(&mut *conn, |c| members::table
        .filter(members::account_id.eq(id))
        .select(count_star())
        .get_result(c))?;
    if others > 0 {
        on_db!(conn, |c| diesel::update(accounts::table.find(id))
            .set(accounts::guest_since.eq(None::<Time>))
            .execute(c))?;
        return Ok(());
    }
    on_db!(conn, |c| diesel::delete(
        accounts::table
            .find(id)
            .filter(accounts::guest_since.is_not_null())
    )
    .execute(c))?;
    Ok(())
}
