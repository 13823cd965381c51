//! Matches of whole teams: their events, their members, and what lists show of them.

use std::collections::BTreeMap;

use diesel::prelude::*;

use super::prepared::update;
use super::schema::{
    accounts, channels, members, teachers, team_events, team_invitations, team_matches,
};
use super::{Conn, Phase, StoreError, Winner, on_db};
use perplex_matches::id::ClassId;
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::team::event::{Actor, Event, MemberId};
use perplex_matches::time::Time;

/// Where a match stands.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = team_matches, treat_none_as_default_value = false)]
pub struct TeamRow {
    /// Its id.
    pub id: MatchId,
    /// What its host calls it.
    pub title: String,
    /// Whose match it is.
    pub host: AccountId,
    /// The word for its size.
    pub size: String,
    /// How far it has come.
    pub phase: Phase,
    /// Whether it stands in the lobby.
    pub listed: bool,
    /// The number of its last event.
    pub head: i32,
    /// When it was made.
    pub created_at: Time,
    /// When its last event was.
    pub updated_at: Time,
    /// When its time is up.
    pub deadline: Option<Time>,
    /// Who won; `None` while it goes on.
    pub winner: Option<Winner>,
    /// The class of which it is a lesson.
    pub class_id: Option<ClassId>,
    /// What pupils type to join it, while it can be joined.
    pub code: Option<String>,
}

impl TeamRow {
    /// Who hosts it: all who teach the class of a lesson, else whoever made it.
    pub fn hosts(&self, conn: &mut Conn) -> Result<Vec<AccountId>, StoreError> {
        match &self.class_id {
            Some(class) => super::classes::teacher_ids(conn, class),
            None => Ok(vec![self.host.clone()]),
        }
    }
}

/// A member of a match, as others see it.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = members, treat_none_as_default_value = false)]
pub struct MemberRow {
    /// The match.
    pub match_id: MatchId,
    /// The number in it.
    pub number: i32,
    /// Whose account it is, if there is one.
    pub account_id: Option<AccountId>,
    /// The name; empty once deleted.
    pub name: String,
    /// Has not left.
    pub active: bool,
}

impl MemberRow {
    /// The number as the journal knows it.
    #[must_use]
    pub fn id(&self) -> MemberId {
        MemberId(u16::try_from(self.number).unwrap_or(0))
    }
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = team_events, treat_none_as_default_value = false)]
struct EventRow {
    match_id: MatchId,
    number: i32,
    at: Time,
    by_actor: String,
    what: String,
}

/// Claims the next `n` numbers of a match that was loaded when its last event was `from`, as
/// [`super::journal::advance`] does.
pub fn advance(conn: &mut Conn, id: &MatchId, from: i32, n: i32) -> Result<bool, StoreError> {
    let moved = on_db!(conn, |c| update(
        team_matches::table
            .find(id)
            .filter(team_matches::head.eq(from)),
        team_matches::head.eq(team_matches::head + n)
    )
    .execute(c))?;
    Ok(moved == 1)
}

/// Writes events whose numbers were claimed by [`advance`], or by [`create`]'s `head`.
pub fn append(conn: &mut Conn, id: &MatchId, new: &[Event]) -> Result<(), StoreError> {
    // One by one: a statement for several rows is prepared anew each time.
    for event in new {
        let row = EventRow {
            match_id: id.clone(),
            number: event.number,
            at: event.at,
            by_actor: event.by.to_string(),
            what: event.what.to_string(),
        };
        on_db!(&mut *conn, |c| diesel::insert_into(team_events::table)
            .values(&row)
            .execute(c))?;
    }
    Ok(())
}

/// Makes a match with its three channels that everyone has; its `head` counts the events that are appended
/// with it.
pub fn create(conn: &mut Conn, row: &TeamRow) -> Result<(), StoreError> {
    on_db!(&mut *conn, |c| diesel::insert_into(team_matches::table)
        .values(row)
        .execute(c))?;
    for (number, team) in [
        (0, None),
        (1, Some(Winner::First)),
        (2, Some(Winner::Second)),
    ] {
        let values = (
            channels::match_id.eq(&row.id),
            channels::number.eq(number),
            channels::team.eq(team),
            channels::head.eq(0),
        );
        on_db!(&mut *conn, |c| diesel::insert_into(channels::table)
            .values(values)
            .execute(c))?;
    }
    Ok(())
}

/// Writes where a match stands; the head is [`advance`]'s.
pub fn set_projection(conn: &mut Conn, row: &TeamRow) -> Result<(), StoreError> {
    on_db!(conn, |c| update(
        team_matches::table.find(&row.id),
        (
            team_matches::phase.eq(row.phase),
            team_matches::listed.eq(row.listed),
            team_matches::updated_at.eq(row.updated_at),
            team_matches::deadline.eq(row.deadline),
            team_matches::winner.eq(row.winner),
        )
    )
    .execute(c))?;
    Ok(())
}

/// The events of a match after number `after`, in order.
pub fn events(conn: &mut Conn, id: &MatchId, after: i32) -> Result<Vec<Event>, StoreError> {
    let rows: Vec<EventRow> = on_db!(conn, |c| team_events::table
        .filter(team_events::match_id.eq(id))
        .filter(team_events::number.gt(after))
        .order(team_events::number)
        .select(EventRow::as_select())
        .load(c))?;
    rows.into_iter()
        .map(|row| {
            let unknown = |text: &str| StoreError::Corrupt(format!("event {text:?} of {id}"));
            Ok(Event {
                number: row.number,
                at: row.at,
                by: row
                    .by_actor
                    .parse::<Actor>()
                    .map_err(|_| unknown(&row.by_actor))?,
                what: row.what.parse().map_err(|_| unknown(&row.what))?,
            })
        })
        .collect()
}

/// The row of a match.
pub fn find(conn: &mut Conn, id: &MatchId) -> Result<Option<TeamRow>, StoreError> {
    Ok(on_db!(conn, |c| team_matches::table
        .find(id)
        .select(TeamRow::as_select())
        .first(c)
        .optional())?)
}

/// The members of a match, by number.
pub fn members_of(conn: &mut Conn, id: &MatchId) -> Result<Vec<MemberRow>, StoreError> {
    Ok(on_db!(conn, |c| members::table
        .filter(members::match_id.eq(id))
        .order(members::number)
        .select(MemberRow::as_select())
        .load(c))?)
}

/// Writes down who a new member is.
pub fn add_member(conn: &mut Conn, row: &MemberRow) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::insert_into(members::table)
        .values(row)
        .execute(c))?;
    Ok(())
}

/// A member has left.
pub fn end_member(conn: &mut Conn, id: &MatchId, member: MemberId) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(
        members::table.find((id, i32::from(member.0)))
    )
    .set(members::active.eq(false))
    .execute(c))?;
    Ok(())
}

/// When pages of the members of a match last asked; nothing of whoever has not come yet.
pub fn seen(conn: &mut Conn, id: &MatchId) -> Result<BTreeMap<MemberId, Time>, StoreError> {
    let rows: Vec<(i32, Option<Time>)> = on_db!(conn, |c| members::table
        .filter(members::match_id.eq(id))
        .select((members::number, members::seen_at))
        .load(c))?;
    Ok(rows
        .into_iter()
        .filter_map(|(number, at)| Some((MemberId(u16::try_from(number).ok()?), at?)))
        .collect())
}

/// Pages of these members asked at this time.
pub fn set_seen(
    conn: &mut Conn,
    id: &MatchId,
    people: &[MemberId],
    at: Time,
) -> Result<(), StoreError> {
    let numbers: Vec<i32> = people.iter().map(|member| i32::from(member.0)).collect();
    on_db!(conn, |c| diesel::update(
        members::table
            .filter(members::match_id.eq(id))
            .filter(members::number.eq_any(&numbers))
    )
    .set(members::seen_at.eq(at))
    .execute(c))?;
    Ok(())
}

/// Whoever has this account is not there any more, where a page asked later than `until`: gives the matches that are
/// not over.
pub fn set_gone(
    conn: &mut Conn,
    account: &AccountId,
    until: Time,
) -> Result<Vec<(MatchId, MemberId)>, StoreError> {
    let rows: Vec<(MatchId, i32)> = on_db!(&mut *conn, |c| members::table
        .inner_join(team_matches::table)
        .filter(members::account_id.eq(account))
        .filter(members::active.eq(true))
        .filter(team_matches::phase.ne(Phase::Over))
        .select((members::match_id, members::number))
        .load(c))?;
    for (id, number) in &rows {
        on_db!(&mut *conn, |c| diesel::update(
            members::table
                .find((id, number))
                .filter(members::seen_at.gt(until))
        )
        .set(members::seen_at.eq(until))
        .execute(c))?;
    }
    Ok(rows
        .into_iter()
        .filter_map(|(id, number)| Some((id, MemberId(u16::try_from(number).ok()?))))
        .collect())
}

/// A member is called something else in this match.
pub fn rename_member(
    conn: &mut Conn,
    id: &MatchId,
    member: MemberId,
    name: &str,
) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(
        members::table.find((id, i32::from(member.0)))
    )
    .set(members::name.eq(name))
    .execute(c))?;
    Ok(())
}

/// The name of an account has changed: so have the names of its members.
pub fn rename_account(conn: &mut Conn, account: &AccountId, name: &str) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(
        members::table.filter(members::account_id.eq(account))
    )
    .set(members::name.eq(name))
    .execute(c))?;
    Ok(())
}

/// An account is gone: so are the names of its members, and what it was invited to.
pub fn forget_account(conn: &mut Conn, account: &AccountId) -> Result<(), StoreError> {
    rename_account(conn, account, "")?;
    on_db!(conn, |c| diesel::delete(
        team_invitations::table.filter(team_invitations::account_id.eq(account))
    )
    .execute(c))?;
    Ok(())
}

/// Of those that are over, the ones that were played: what was called off stands in no list.
#[diesel::dsl::auto_type]
pub(super) fn not_called_off() -> _ {
    let over: Phase = Phase::Over;
    let open = team_matches::phase.ne(over);
    open.or(team_matches::winner.is_not_null())
}

/// The matches that anybody can look at, the latest first; none whose host has gone.
pub fn lobby(conn: &mut Conn, limit: i64) -> Result<Vec<TeamRow>, StoreError> {
    Ok(on_db!(conn, |c| team_matches::table
        .inner_join(accounts::table)
        .filter(accounts::deleted_at.is_null())
        .filter(team_matches::listed.eq(true))
        .filter(team_matches::phase.ne(Phase::Over))
        .order((team_matches::updated_at.desc(), team_matches::id))
        .limit(limit)
        .select(TeamRow::as_select())
        .load(c))?)
}

/// The matches that an account hosts, those of the classes that it teaches included, the latest first; none that was
/// called off.
pub fn of_host(
    conn: &mut Conn,
    account: &AccountId,
    limit: i64,
) -> Result<Vec<TeamRow>, StoreError> {
    let taught = || {
        teachers::table
            .filter(teachers::account_id.eq(account))
            .select(teachers::class_id.nullable())
    };
    let own = team_matches::class_id
        .is_null()
        .and(team_matches::host.eq(account));
    Ok(on_db!(conn, |c| team_matches::table
        .filter(own.or(team_matches::class_id.eq_any(taught())))
        .filter(not_called_off())
        .order((team_matches::updated_at.desc(), team_matches::id))
        .limit(limit)
        .select(TeamRow::as_select())
        .load(c))?)
}

/// The matches of which an account is a member, the latest first; none that was called off.
pub fn of_member(
    conn: &mut Conn,
    account: &AccountId,
    limit: i64,
) -> Result<Vec<TeamRow>, StoreError> {
    Ok(on_db!(conn, |c| members::table
        .inner_join(team_matches::table)
        .filter(members::account_id.eq(account))
        .filter(members::active.eq(true))
        .filter(not_called_off())
        .order((team_matches::updated_at.desc(), team_matches::id))
        .limit(limit)
        .select(TeamRow::as_select())
        .load(c))?)
}

/// Notes that somebody is invited; `false` if that was so already.
pub fn invite(conn: &mut Conn, id: &MatchId, account: &AccountId) -> Result<bool, StoreError> {
    let values = (
        team_invitations::match_id.eq(id),
        team_invitations::account_id.eq(account),
    );
    let written = on_db!(conn, |c| diesel::insert_into(team_invitations::table)
        .values(values)
        .on_conflict_do_nothing()
        .execute(c))?;
    Ok(written == 1)
}

/// Somebody who was invited has joined, or does not want to.
pub fn forget_invitation(
    conn: &mut Conn,
    id: &MatchId,
    account: &AccountId,
) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::delete(
        team_invitations::table.find((account, id))
    )
    .execute(c))?;
    Ok(())
}

/// Nobody is invited to a match any more.
pub fn forget_invitations(conn: &mut Conn, id: &MatchId) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::delete(
        team_invitations::table.filter(team_invitations::match_id.eq(id))
    )
    .execute(c))?;
    Ok(())
}

/// Who is invited to a match and has not answered.
pub fn invited(conn: &mut Conn, id: &MatchId) -> Result<Vec<AccountId>, StoreError> {
    Ok(on_db!(conn, |c| team_invitations::table
        .filter(team_invitations::match_id.eq(id))
        .order(team_invitations::account_id)
        .select(team_invitations::account_id)
        .load(c))?)
}

/// The matches to which an account is invited and which are not over, the latest first.
pub fn of_invited(
    conn: &mut Conn,
    account: &AccountId,
    limit: i64,
) -> Result<Vec<TeamRow>, StoreError> {
    Ok(on_db!(conn, |c| team_invitations::table
        .inner_join(team_matches::table)
        .filter(team_invitations::account_id.eq(account))
        .filter(team_matches::phase.ne(Phase::Over))
        .order((team_matches::updated_at.desc(), team_matches::id))
        .limit(limit)
        .select(TeamRow::as_select())
        .load(c))?)
}

/// When the match is to be looked at next for what waits in it; never if there is none.
pub fn set_look(conn: &mut Conn, id: &MatchId, at: Option<Time>) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(team_matches::table.find(id))
        .set(team_matches::mail_at.eq(at))
        .execute(c))?;
    Ok(())
}

/// The matches that are to be looked at for what waits in them.
pub fn to_tell(conn: &mut Conn, now: Time, limit: i64) -> Result<Vec<MatchId>, StoreError> {
    Ok(on_db!(conn, |c| team_matches::table
        .filter(team_matches::mail_at.le(now))
        .order((team_matches::mail_at, team_matches::id))
        .limit(limit)
        .select(team_matches::id)
        .load(c))?)
}

/// Claims a match that is to be looked at; the next look is then `next`. `false` if somebody else has.
pub fn claim_look(
    conn: &mut Conn,
    id: &MatchId,
    now: Time,
    next: Time,
) -> Result<bool, StoreError> {
    let claimed = on_db!(conn, |c| diesel::update(
        team_matches::table
            .find(id)
            .filter(team_matches::mail_at.le(now))
    )
    .set(team_matches::mail_at.eq(next))
    .execute(c))?;
    Ok(claimed == 1)
}

/// The unfinished matches that an account hosts or takes part in.
pub fn unfinished(conn: &mut Conn, account: &AccountId) -> Result<Vec<MatchId>, StoreError> {
    let taught = || {
        teachers::table
            .filter(teachers::account_id.eq(account))
            .select(teachers::class_id.nullable())
    };
    let own = team_matches::class_id
        .is_null()
        .and(team_matches::host.eq(account));
    let mut ids: Vec<MatchId> = on_db!(&mut *conn, |c| team_matches::table
        .filter(own.or(team_matches::class_id.eq_any(taught())))
        .filter(team_matches::phase.ne(Phase::Over))
        .select(team_matches::id)
        .load(c))?;
    let member: Vec<MatchId> = on_db!(conn, |c| members::table
        .inner_join(team_matches::table)
        .filter(members::account_id.eq(account))
        .filter(members::active.eq(true))
        .filter(team_matches::phase.ne(Phase::Over))
        .select(team_matches::id)
        .load(c))?;
    ids.extend(member);
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// The matches whose time is up, the longest overdue first.
pub fn overdue(conn: &mut Conn, now: Time, limit: i64) -> Result<Vec<MatchId>, StoreError> {
    Ok(on_db!(conn, |c| team_matches::table
        .filter(team_matches::deadline.le(now))
        .order((team_matches::deadline, team_matches::id))
        .limit(limit)
        .select(team_matches::id)
        .load(c))?)
}
