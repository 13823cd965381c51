//! Forms that make something, by the hash of their number: one that is sent twice makes it once.

use std::time::Duration;

use diesel::prelude::*;
use perplex_matches::time::Time;

use super::heartbeat::Past;
use super::schema::done_once;
use super::{Conn, StoreError, on_db};

/// A form that is at work for longer has died with its process.
const AT_WORK: Duration = Duration::from_mins(1);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// It is the first: it is at work from now on.
    First,
    /// The first is at work.
    AtWork,
    /// The first led to this page.
    Done(String),
}

/// Claims to be the first form with a number.
pub fn claim(conn: &mut Conn, number_hash: &str, now: Time) -> Result<Claim, StoreError> {
    let row = (
        done_once::number_hash.eq(number_hash),
        done_once::at.eq(now),
    );
    let first = on_db!(&mut *conn, |c| diesel::insert_into(done_once::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(c))?;
    if first == 1 {
        return Ok(Claim::First);
    }
    let dead = on_db!(&mut *conn, |c| diesel::update(
        done_once::table
            .find(number_hash)
            .filter(done_once::leads_to.is_null())
            .filter(
                done_once::at
                    .le(now - AT_WORK)
                    .or(done_once::at.gt(now + AT_WORK))
            )
    )
    .set(done_once::at.eq(now))
    .execute(c))?;
    if dead == 1 {
        return Ok(Claim::First);
    }
    let leads_to: Option<String> = on_db!(conn, |c| done_once::table
        .find(number_hash)
        .select(done_once::leads_to)
        .get_result(c))?;
    Ok(leads_to.map_or(Claim::AtWork, Claim::Done))
}

/// The first form with a number has made what it should, and led to this page.
pub fn done(conn: &mut Conn, number_hash: &str, leads_to: &str) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(done_once::table.find(number_hash))
        .set(done_once::leads_to.eq(leads_to))
        .execute(c))?;
    Ok(())
}

/// The first form with a number has made nothing: it may be sent again.
pub fn give_back(conn: &mut Conn, number_hash: &str) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::delete(done_once::table.find(number_hash))
        .execute(c))?;
    Ok(())
}

/// Forgets the forms that were on pages for longer than `kept`.
pub fn purge(conn: &mut Conn, past: &Past, kept: Duration) -> Result<(), StoreError> {
    let until = past.before(kept);
    on_db!(conn, |c| diesel::delete(
        done_once::table.filter(done_once::at.le(until))
    )
    .execute(c))?;
    Ok(())
}
