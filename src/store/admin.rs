use diesel::dsl::count_star;
use diesel::prelude::*;

use super::schema::{accounts, events, matches, sessions};
use super::{Conn, MatchKind, Phase, StoreError, on_db, outbox};
use perplex_matches::id::AccountId;
use perplex_matches::time::Time;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    pub accounts: i64,
    pub sessions: i64,
    pub gathering: i64,
    pub playing: i64,
    pub over: i64,
    pub events: i64,
    pub mails: outbox::Counts,
}

/// True if there are no accounts but those of `own`. That covers matches and classes: each has an account, whose row
/// stays when it is deleted.
pub fn is_empty(conn: &mut Conn, own: &[AccountId]) -> Result<bool, StoreError> {
    let others: i64 = on_db!(conn, |c| accounts::table
        .filter(accounts::id.ne_all(own))
        .select(count_star())
        .get_result(c))?;
    Ok(others == 0)
}

pub fn counts(conn: &mut Conn, now: Time) -> Result<Counts, StoreError> {
    let phases: Vec<(Phase, i64)> = on_db!(&mut *conn, |c| matches::table
        .filter(matches::kind.eq(MatchKind::Correspondence))
        .group_by(matches::phase)
        .select((matches::phase, count_star()))
        .load(c))?;
    let matches_in = |wanted| {
        phases
            .iter()
            .find_map(|&(phase, count)| (phase == wanted).then_some(count))
            .unwrap_or(0)
    };
    Ok(Counts {
        accounts: on_db!(&mut *conn, |c| accounts::table
            .filter(accounts::deleted_at.is_null())
            .filter(accounts::guest_since.is_null())
            .select(count_star())
            .get_result(c))?,
        sessions: on_db!(&mut *conn, |c| sessions::table
            .filter(sessions::expires_at.gt(now))
            .select(count_star())
            .get_result(c))?,
        gathering: matches_in(Phase::Gathering),
        playing: matches_in(Phase::Playing),
        over: matches_in(Phase::Over),
        events: on_db!(&mut *conn, |c| events::table
            .select(count_star())
            .get_result(c))?,
        mails: outbox::counts(conn)?,
    })
}
