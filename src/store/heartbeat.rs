//! The time when people could last play, and the outages: their time is given back to players, and nothing that is kept
//! for a while grows older in it.

use std::time::Duration;

use diesel::dsl::not;
use diesel::prelude::*;
use perplex_matches::time::{Time, days, hours};

use super::schema::{heartbeat, outages};
use super::{Conn, StoreError, on_db};

/// A time in which no player could act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Insertable, Queryable, Selectable)]
#[diesel(table_name = outages)]
pub struct Outage {
    pub until: Time,
    pub since: Time,
}

const ONLY: i32 = 1;

/// What was kept for its time stands for this time more before it is deleted.
const GRACE: Duration = days(1);
/// After the clock was set, and after a long outage, nothing is deleted for this time.
const AFTER_A_JUMP: Duration = hours(1);

/// A clock that is behind by less than this is another process's, and changes nothing; a shorter outage is no jump.
const SKEW: Duration = Duration::from_mins(10);

/// When people could play last, as was noted.
pub fn last(conn: &mut Conn) -> Result<Option<Time>, StoreError> {
    Ok(on_db!(conn, |c| heartbeat::table
        .find(ONLY)
        .select(heartbeat::beat_at)
        .get_result(c)
        .optional())?)
}

/// Notes that people can play at `now`; gives when they last could, if that is known.
pub fn beat(conn: &mut Conn, now: Time) -> Result<Option<Time>, StoreError> {
    let row = (heartbeat::id.eq(ONLY), heartbeat::beat_at.eq(now));
    let first = on_db!(&mut *conn, |c| diesel::insert_into(heartbeat::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(c))?;
    if first == 1 {
        jumped(conn, now)?;
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
    if now + SKEW < before {
        set_back(conn, now)?;
    }
    if before < now || now + SKEW < before {
        on_db!(conn, |c| diesel::update(heartbeat::table.find(ONLY))
            .set(heartbeat::beat_at.eq(now))
            .execute(c))?;
    }
    Ok(Some(before))
}

fn jumped(conn: &mut Conn, now: Time) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(heartbeat::table.find(ONLY))
        .set(heartbeat::jumped_at.eq(now))
        .execute(c))?;
    Ok(())
}

/// The clock was set back to `now`: what is still to come was no outage.
fn set_back(conn: &mut Conn, now: Time) -> Result<(), StoreError> {
    let cut = outages::since.lt(now).and(outages::until.ge(now));
    let of_now: Vec<(Time, bool)> = on_db!(&mut *conn, |c| outages::table
        .filter(cut)
        .select((outages::since, outages::settled))
        .load(c))?;
    if let Some(since) = of_now.iter().map(|(since, _)| *since).min() {
        let is_settled = of_now.iter().all(|(_, settled)| *settled);
        on_db!(&mut *conn, |c| diesel::delete(outages::table.filter(cut))
            .execute(c))?;
        let outage = Outage { since, until: now };
        on_db!(&mut *conn, |c| diesel::insert_into(outages::table)
            .values((outage, outages::settled.eq(is_settled)))
            .execute(c))?;
    }
    jumped(conn, now)
}

/// All outages, the latest first.
fn all(conn: &mut Conn) -> Result<Vec<Outage>, StoreError> {
    Ok(on_db!(conn, |c| outages::table
        .order(outages::until.desc())
        .select(Outage::as_select())
        .load(c))?)
}

/// The past without the outages. What is kept for a while is deleted by it, so that a clock that is wrong, or a
/// server that was off, deletes nothing.
#[derive(Debug)]
pub struct Past {
    now: Time,
    outages: Vec<Outage>,
}

impl Past {
    /// What was kept for this time since then, or since before, has stood for a day more: it may be deleted.
    pub fn before(&self, kept: Duration) -> Time {
        let (mut left, mut from) = (kept + GRACE, self.now);
        for outage in &self.outages {
            let until = outage.until.min(from);
            if outage.since >= until {
                continue;
            }
            let between = until.until(from);
            if left <= between {
                break;
            }
            left -= between;
            from = outage.since;
        }
        from - left
    }
}

/// The past; none while it is not sure what time it is, or was not until an hour ago: then nothing is to be deleted.
pub fn past(conn: &mut Conn, now: Time) -> Result<Option<Past>, StoreError> {
    let noted: Option<(Time, Option<Time>)> = on_db!(&mut *conn, |c| heartbeat::table
        .find(ONLY)
        .select((heartbeat::beat_at, heartbeat::jumped_at))
        .get_result(c)
        .optional())?;
    let is_sure = noted.is_some_and(|(beat, jumped)| {
        let is_fresh = beat.until(now) < SKEW && now.until(beat) < SKEW;
        is_fresh && jumped.is_none_or(|jumped| jumped + AFTER_A_JUMP <= now)
    });
    if !is_sure {
        return Ok(None);
    }
    let outages = all(conn)?;
    Ok(Some(Past { now, outages }))
}

pub fn record(conn: &mut Conn, outage: Outage) -> Result<(), StoreError> {
    if outage.since + SKEW <= outage.until {
        jumped(conn, outage.until)?;
    }
    on_db!(conn, |c| diesel::insert_into(outages::table)
        .values((outage, outages::settled.eq(false)))
        .on_conflict_do_nothing()
        .execute(c))?;
    Ok(())
}

/// The outages whose time is not given back yet, the oldest first.
pub fn pending(conn: &mut Conn) -> Result<Vec<Outage>, StoreError> {
    Ok(on_db!(conn, |c| outages::table
        .filter(not(outages::settled))
        .order(outages::until)
        .select(Outage::as_select())
        .load(c))?)
}

pub fn settled(conn: &mut Conn, until: Time) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(
        outages::table.filter(outages::until.le(until))
    )
    .set(outages::settled.eq(true))
    .execute(c))?;
    Ok(())
}
