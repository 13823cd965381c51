//! Joining a lesson: requests that wait for the teacher, and names that belong to a device.

use diesel::prelude::*;

use super::schema::{knocks, left_names, matches, sessions, taken_names};
use super::{Conn, Heads, Phase, StoreError, on_db};
use perplex_matches::id::{AccountId, ClassId, MatchId};
use perplex_matches::time::Time;

#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = knocks, treat_none_as_default_value = false)]
pub struct KnockRow {
    pub id: String,
    pub match_id: MatchId,
    /// The pupil; `None` if a nickname is requested.
    pub account_id: Option<AccountId>,
    /// The mark that tells the browser from others.
    pub browser: String,
    pub at: Time,
    /// The teacher's answer.
    pub let_in: Option<bool>,
    /// A fingerprint of the network from which it came.
    pub network: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = taken_names)]
pub struct TakenName {
    pub match_id: MatchId,
    pub account_id: AccountId,
    pub browser: String,
}

/// The requests to join a lesson that have no answer, in the order in which they came.
pub fn waiting(conn: &mut Conn, id: &MatchId, since: Time) -> Result<Vec<KnockRow>, StoreError> {
    Ok(on_db!(conn, |c| knocks::table
        .filter(knocks::match_id.eq(id))
        .filter(knocks::at.gt(since))
        .filter(knocks::let_in.is_null())
        .order((knocks::at, knocks::id))
        .select(KnockRow::as_select())
        .load(c))?)
}

/// The request to join of a browser.
pub fn of_browser(
    conn: &mut Conn,
    id: &MatchId,
    browser: &str,
    since: Time,
) -> Result<Option<KnockRow>, StoreError> {
    Ok(on_db!(conn, |c| knocks::table
        .filter(knocks::match_id.eq(id))
        .filter(knocks::browser.eq(browser))
        .filter(knocks::at.gt(since))
        .select(KnockRow::as_select())
        .get_result(c)
        .optional())?)
}

pub fn insert(conn: &mut Conn, row: &KnockRow) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::insert_into(knocks::table)
        .values(row)
        .execute(c))?;
    Ok(())
}

/// Takes back the request to join of a browser; gives whether there was one.
pub fn take_back(conn: &mut Conn, id: &MatchId, browser: &str) -> Result<bool, StoreError> {
    let gone = on_db!(conn, |c| diesel::delete(
        knocks::table
            .filter(knocks::match_id.eq(id))
            .filter(knocks::browser.eq(browser))
    )
    .execute(c))?;
    Ok(gone > 0)
}

pub fn answer(
    conn: &mut Conn,
    id: &MatchId,
    knocks: &[String],
    let_in: bool,
) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(
        knocks::table
            .filter(knocks::match_id.eq(id))
            .filter(knocks::id.eq_any(knocks))
    )
    .set(knocks::let_in.eq(let_in))
    .execute(c))?;
    Ok(())
}

pub fn purge(conn: &mut Conn, until: Time) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::delete(
        knocks::table.filter(knocks::at.le(until))
    )
    .execute(c))?;
    Ok(())
}

/// Counts a change to the access to a lesson; gives how far the lesson has come.
pub fn changed(conn: &mut Conn, id: &MatchId) -> Result<Heads, StoreError> {
    on_db!(&mut *conn, |c| diesel::update(matches::table.find(id))
        .set(matches::door.eq(matches::door + 1))
        .execute(c))?;
    let (event, talk, door) = on_db!(conn, |c| matches::table
        .find(id)
        .select((matches::head, matches::talk_head, matches::door))
        .get_result(c))?;
    Ok(Heads { event, talk, door })
}

pub fn set_latecomers(conn: &mut Conn, id: &MatchId, welcome: bool) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(matches::table.find(id))
        .set(matches::latecomers.eq(welcome))
        .execute(c))?;
    Ok(())
}

pub fn taken(conn: &mut Conn, id: &MatchId) -> Result<Vec<TakenName>, StoreError> {
    Ok(on_db!(conn, |c| taken_names::table
        .filter(taken_names::match_id.eq(id))
        .select(TakenName::as_select())
        .load(c))?)
}

/// The pupils whose names this device has, or had before names were started anew.
pub fn used_on(conn: &mut Conn, id: &MatchId, browser: &str) -> Result<Vec<AccountId>, StoreError> {
    // A name without a device has none.
    if browser.is_empty() {
        return Ok(Vec::new());
    }
    let mut used: Vec<AccountId> = on_db!(&mut *conn, |c| taken_names::table
        .filter(taken_names::match_id.eq(id))
        .filter(taken_names::browser.eq(browser))
        .select(taken_names::account_id)
        .load(c))?;
    used.extend::<Vec<AccountId>>(on_db!(conn, |c| left_names::table
        .filter(left_names::match_id.eq(id))
        .filter(left_names::browser.eq(browser))
        .select(left_names::account_id)
        .load(c))?);
    Ok(used)
}

/// True if this device had a name before names were started anew, and has none since.
pub fn is_asked_anew(conn: &mut Conn, id: &MatchId, browser: &str) -> Result<bool, StoreError> {
    let used = used_on(conn, id, browser)?;
    let has = taken(conn, id)?;
    Ok(!used.is_empty() && has.iter().all(|name| name.browser != browser))
}

/// Frees all names of a lesson, and ends all sessions by its code.
pub fn free_all(conn: &mut Conn, id: &MatchId) -> Result<(), StoreError> {
    for name in taken(conn, id)? {
        if name.browser.is_empty() {
            continue;
        }
        on_db!(&mut *conn, |c| diesel::insert_into(left_names::table)
            .values((
                left_names::match_id.eq(&name.match_id),
                left_names::account_id.eq(&name.account_id),
                left_names::browser.eq(&name.browser),
            ))
            .on_conflict_do_nothing()
            .execute(c))?;
    }
    on_db!(&mut *conn, |c| diesel::delete(
        taken_names::table.filter(taken_names::match_id.eq(id))
    )
    .execute(c))?;
    on_db!(conn, |c| diesel::delete(
        sessions::table.filter(sessions::match_id.eq(id))
    )
    .execute(c))?;
    Ok(())
}

/// Takes a free name; gives whether it was free.
pub fn take(conn: &mut Conn, row: &TakenName) -> Result<bool, StoreError> {
    let written = on_db!(conn, |c| diesel::insert_into(taken_names::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(c))?;
    Ok(written == 1)
}

/// Gives a name to a device, from whichever had it. Ends the name's other sessions by the code of this lesson alone.
pub fn hand(conn: &mut Conn, row: &TakenName) -> Result<(), StoreError> {
    on_db!(&mut *conn, |c| diesel::insert_into(taken_names::table)
        .values(row)
        .on_conflict((taken_names::match_id, taken_names::account_id))
        .do_update()
        .set(taken_names::browser.eq(&row.browser))
        .execute(c))?;
    end_sessions_by_code(conn, &row.match_id, &row.account_id)
}

/// True if a device has a name in a lesson. It keeps it until the transaction ends: what would take it away waits.
pub fn hold(conn: &mut Conn, row: &TakenName) -> Result<bool, StoreError> {
    let held = on_db!(conn, |c| diesel::update(
        taken_names::table
            .find((&row.match_id, &row.account_id))
            .filter(taken_names::browser.eq(&row.browser))
    )
    .set(taken_names::browser.eq(&row.browser))
    .execute(c))?;
    Ok(held == 1)
}

/// Gives a pupil's names in all unfinished lessons of the class to a device. Whoever waited at the door of one of them in
/// this browser no longer does: gives these lessons.
pub fn hand_all(
    conn: &mut Conn,
    pupil: &AccountId,
    class: &ClassId,
    browser: &str,
) -> Result<Vec<MatchId>, StoreError> {
    let lessons: Vec<MatchId> = on_db!(&mut *conn, |c| matches::table
        .filter(matches::class_id.eq(class))
        .filter(matches::phase.ne(Phase::Over))
        .select(matches::id)
        .load(c))?;
    let mut left = Vec::new();
    for match_id in lessons {
        let row = TakenName {
            match_id,
            account_id: pupil.clone(),
            browser: browser.to_owned(),
        };
        hand(conn, &row)?;
        if take_back(conn, &row.match_id, browser)? {
            left.push(row.match_id);
        }
    }
    Ok(left)
}

/// Takes a pupil's names from this device, or from all devices. That does not free them: a proof or the teacher gives
/// them to another.
pub fn disown(
    conn: &mut Conn,
    account: &AccountId,
    browser: Option<&str>,
) -> Result<(), StoreError> {
    match browser {
        Some(browser) => on_db!(conn, |c| diesel::update(
            taken_names::table
                .filter(taken_names::account_id.eq(account))
                .filter(taken_names::browser.eq(browser))
        )
        .set(taken_names::browser.eq(""))
        .execute(c))?,
        None => on_db!(conn, |c| diesel::update(
            taken_names::table.filter(taken_names::account_id.eq(account))
        )
        .set(taken_names::browser.eq(""))
        .execute(c))?,
    };
    Ok(())
}

/// Takes back all requests to join with the name of a pupil, answered ones too.
pub fn take_back_for(conn: &mut Conn, account: &AccountId) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::delete(
        knocks::table.filter(knocks::account_id.eq(account))
    )
    .execute(c))?;
    Ok(())
}

/// Ends a pupil's sessions by the code of this lesson alone.
pub fn end_sessions_by_code(
    conn: &mut Conn,
    id: &MatchId,
    account: &AccountId,
) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::delete(
        sessions::table
            .filter(sessions::account_id.eq(account))
            .filter(sessions::match_id.eq(id))
    )
    .execute(c))?;
    Ok(())
}

/// The one of these pupils who joined last by the code of this lesson.
pub fn last_by_code(
    conn: &mut Conn,
    id: &MatchId,
    accounts: &[AccountId],
) -> Result<Option<AccountId>, StoreError> {
    Ok(on_db!(conn, |c| sessions::table
        .filter(sessions::account_id.eq_any(accounts))
        .filter(sessions::match_id.eq(id))
        .order((sessions::created_at.desc(), sessions::id.desc()))
        .select(sessions::account_id)
        .first(c)
        .optional())?)
}

pub fn free(conn: &mut Conn, id: &MatchId, account: &AccountId) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::delete(
        taken_names::table.find((id, account))
    )
    .execute(c))?;
    Ok(())
}
