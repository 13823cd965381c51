//! The time when people could last play, and the outages whose time has yet to be given back.

use std::time::Duration;

use diesel::prelude::*;
use perplex_matches::time::Time;

use super::schema::{heartbeat, outages};
use super::{Conn, StoreError, on_db};

/// A time in which no player could act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Insertable, Queryable)]
pub struct Outage {
    pub until: Time,
    pub since: Time,
}

const ONLY: i32 = 1;

/// A clock that is behind by less than this is another process's, and changes nothing.
const SKEW: Duration = Duration::from_mins(10);

/// Notes that people can play at `now`; gives when they last could, if that is known.
pub fn beat(conn: &mut Conn, now: Time) -> Result<Option<Time>, StoreError> {
    let row = (heartbeat::id.eq(ONLY), heartbeat::beat_at.eq(now));
    let first = on_db!(&mut *conn, |c| diesel::insert_into(heartbeat::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(c))?;
    if first == 1 {
        return Ok(None);
    }
    // It writes first, so that of two processes one waits for the other.
    on_db!(&mut *conn, |c| diesel::update(heartbeat::table.find(ONLY))
        .set(heartbeat::beat_at.eq(heartbeat::beat_at))
        .execute(c))?;
    let before: Time = on_db!(&mut *conn, |c| heartbeat::table
        .find(ONLY)
        .select(heartbeat::beat_at)
        .get_result(c))?;
    if before < now || now + SKEW < before {
        on_db!(conn, |c| diesel::update(heartbeat::table.find(ONLY))
            .set(heartbeat::beat_at.eq(now))
            .execute(c))?;
    }
    Ok(Some(before))
}

pub fn record(conn: &mut Conn, outage: Outage) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::insert_into(outages::table)
        .values(outage)
        .on_conflict_do_nothing()
        .execute(c))?;
    Ok(())
}

/// The outages whose time is not given back yet, the oldest first.
pub fn pending(conn: &mut Conn) -> Result<Vec<Outage>, StoreError> {
    Ok(on_db!(conn, |c| outages::table
        .order(outages::until)
        .load(c))?)
}

pub fn settled(conn: &mut Conn, until: Time) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::delete(
        outages::table.filter(outages::until.le(until))
    )
    .execute(c))?;
    Ok(())
}
