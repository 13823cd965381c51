//! Lessons: the matches of classes, their codes, who is there, and who has said how much.

use diesel::dsl::count_star;
use diesel::prelude::*;

use super::schema::{members, messages, team_matches};
use super::teams::TeamRow;
use super::{Conn, StoreError, on_db};
use crate::classroom::ClassId;
use crate::perplexichess::event::MemberId;
use crate::play::event::MatchId;
use crate::time::Time;

/// The lesson that is joined by this code.
pub fn by_code(conn: &mut Conn, code: &str) -> Result<Option<TeamRow>, StoreError> {
    Ok(on_db!(conn, |c| team_matches::table
        .filter(team_matches::code.eq(code))
        .select(TeamRow::as_select())
        .first(c)
        .optional())?)
}

/// The lessons of a class, the latest first.
pub fn of_class(conn: &mut Conn, class: &ClassId, limit: i64) -> Result<Vec<TeamRow>, StoreError> {
    Ok(on_db!(conn, |c| team_matches::table
        .filter(team_matches::class_id.eq(class))
        .order((team_matches::created_at.desc(), team_matches::id))
        .limit(limit)
        .select(TeamRow::as_select())
        .load(c))?)
}

/// Gives a lesson a code, or takes it away.
pub fn set_code(conn: &mut Conn, id: &MatchId, code: Option<&str>) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(team_matches::table.find(id))
        .set(team_matches::code.eq(code))
        .execute(c))?;
    Ok(())
}

/// Notes that a member was there at `now`.
pub fn see(conn: &mut Conn, id: &MatchId, member: MemberId, now: Time) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(
        members::table.find((id, i32::from(member.0)))
    )
    .set(members::seen_at.eq(now))
    .execute(c))?;
    Ok(())
}

/// When each member was last there.
pub fn seen(conn: &mut Conn, id: &MatchId) -> Result<Vec<(MemberId, Time)>, StoreError> {
    let rows: Vec<(i32, Option<Time>)> = on_db!(conn, |c| members::table
        .filter(members::match_id.eq(id))
        .order(members::number)
        .select((members::number, members::seen_at))
        .load(c))?;
    let member = |number| MemberId(u16::try_from(number).unwrap_or(0));
    Ok(rows
        .into_iter()
        .filter_map(|(number, seen)| Some((member(number), seen?)))
        .collect())
}

/// How many messages each has written in a match, in all channels; who, as the journal writes it.
pub fn spoken(conn: &mut Conn, id: &MatchId) -> Result<Vec<(String, i64)>, StoreError> {
    Ok(on_db!(conn, |c| messages::table
        .filter(messages::match_id.eq(id))
        .group_by(messages::by_actor)
        .order(messages::by_actor)
        .select((messages::by_actor, count_star()))
        .load(c))?)
}
