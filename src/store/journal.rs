//! Matches: their events, who takes part, and what can be looked up about them.
//!
//! The events are what a match is. The row in `matches` and those in `players` say where it
//! stands, so that lists need no replay; they are written with the events.

use diesel::dsl::{case_when, count_star};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Integer, Nullable};
use diesel::upsert::excluded;

use super::prepared::{Prepared, update};
use super::schema::{events, matches, players};
use super::{Conn, Phase, Role, StoreError, Winner, on_db};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::post::event::Event;
use perplex_matches::time::Time;

/// Where a match stands.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = matches, treat_none_as_default_value = false)]
pub struct MatchRow {
    /// Its id.
    pub id: MatchId,
    /// The game's key in the registry.
    pub game: String,
    /// The variant's key; empty for the ordinary game.
    pub variant: String,
    /// Days for each turn.
    pub days: i32,
    /// How far it has come.
    pub phase: Phase,
    /// Whether it stands in the lobby.
    pub listed: bool,
    /// The number of its last event.
    pub head: i32,
    /// How many turns were played.
    pub ply: i32,
    /// The number of the last message of its talk.
    pub talk_head: i32,
    /// Who made it.
    pub created_by: AccountId,
    /// When it was made.
    pub created_at: Time,
    /// When its last event was.
    pub updated_at: Time,
    /// Whose turn it is; `None` unless it is being played.
    pub to_move: Option<AccountId>,
    /// When the time of who is to move runs out.
    pub deadline: Option<Time>,
    /// When who is to move is to be reminded; `None` once that was done.
    pub remind_at: Option<Time>,
    /// Who won; `None` while it goes on, or if it was called off.
    pub winner: Option<Winner>,
    /// Why it ended, as one word.
    pub reason: Option<String>,
}

/// Somebody who has to do with a match.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = players, treat_none_as_default_value = false)]
pub struct PlayerRow {
    /// The match.
    pub match_id: MatchId,
    /// Who.
    pub account_id: AccountId,
    /// As what.
    pub role: Role,
    /// The seat, from 0 in the order of play, once the match began.
    pub seat: Option<i32>,
    /// The number of the last message that this player has read.
    pub seen_talk: i32,
}

/// What a page about a match depends on besides its viewer and the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = matches)]
pub struct Version {
    /// The number of the last event.
    pub head: i32,
    /// The number of the last message of the talk.
    pub talk_head: i32,
    /// How often somebody in it was renamed or deleted.
    pub names: i32,
}

/// How often something came out for a player.
#[derive(Clone, Debug, PartialEq, Eq, Queryable)]
pub struct Tally {
    /// The game's key.
    pub game: String,
    /// The variant's key.
    pub variant: String,
    /// The seat that the player had; the registry says which side that is.
    pub seat: i32,
    /// Who won.
    pub winner: Winner,
    /// How many matches.
    pub matches: i64,
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = events, treat_none_as_default_value = false)]
struct EventRow {
    match_id: MatchId,
    number: i32,
    at: Time,
    by_account: Option<AccountId>,
    what: String,
}

/// Claims the numbers up to `row`'s head for a match that was loaded when its last event was `from`,
/// and writes where it stands with them. It must be the first thing that a job does; `false` means
/// that somebody was quicker (or that there is no such match), and nothing else may be done.
///
/// `talk_head` is left alone, and so is what was agreed when the match was made. While the deadline
/// stays as it is, so does what is left to remind of it: an offer of a draw, say, is no reason to
/// remind twice.
pub fn advance(conn: &mut Conn, from: i32, row: &MatchRow) -> Result<bool, StoreError> {
    let remind_at = || {
        case_when(matches::deadline.eq(row.deadline), matches::remind_at)
            .otherwise(row.remind_at.into_sql::<Nullable<BigInt>>())
    };
    let moved = on_db!(conn, |c| update(
        matches::table.find(&row.id).filter(matches::head.eq(from)),
        (
            matches::head.eq(row.head),
            matches::phase.eq(row.phase),
            matches::listed.eq(row.listed),
            matches::ply.eq(row.ply),
            matches::updated_at.eq(row.updated_at),
            matches::to_move.eq(&row.to_move),
            matches::deadline.eq(row.deadline),
            matches::remind_at.eq(remind_at()),
            matches::winner.eq(row.winner),
            matches::reason.eq(&row.reason),
        )
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
            by_account: event.by.clone(),
            what: event.what.to_string(),
        };
        on_db!(&mut *conn, |c| diesel::insert_into(events::table)
            .values(&row)
            .execute(c))?;
    }
    Ok(())
}

/// Makes a match; its `head` counts the events that are appended with it.
pub fn create(conn: &mut Conn, row: &MatchRow) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::insert_into(matches::table)
        .values(row)
        .execute(c))?;
    Ok(())
}

/// Says who has to do with the match: these, and nobody else. What they have read is kept, so
/// their `seen_talk` counts only for those who are new.
pub fn set_players(conn: &mut Conn, id: &MatchId, rows: &[PlayerRow]) -> Result<(), StoreError> {
    let staying: Vec<&AccountId> = rows.iter().map(|row| &row.account_id).collect();
    on_db!(&mut *conn, |c| diesel::delete(
        players::table
            .filter(players::match_id.eq(id))
            .filter(players::account_id.ne_all(staying))
    )
    .execute(c))?;
    on_db!(conn, |c| diesel::insert_into(players::table)
        .values(rows)
        .on_conflict((players::match_id, players::account_id))
        .do_update()
        .set((
            players::role.eq(excluded(players::role)),
            players::seat.eq(excluded(players::seat)),
        ))
        .execute(c))?;
    Ok(())
}

/// The events of a match after number `after`, in order.
///
/// # Errors
/// [`StoreError::Corrupt`] if one is not understood.
pub fn events(conn: &mut Conn, id: &MatchId, after: i32) -> Result<Vec<Event>, StoreError> {
    let rows = on_db!(conn, |c| events::table
        .filter(events::match_id.eq(id))
        .filter(events::number.gt(after))
        .order(events::number)
        .select(EventRow::as_select())
        .load(c))?;
    rows.into_iter()
        .map(|row| {
            Ok(Event {
                number: row.number,
                at: row.at,
                by: row.by_account,
                what: row.what.parse().map_err(|error| {
                    StoreError::Corrupt(format!("match {id}, event {}: {error}", row.number))
                })?,
            })
        })
        .collect()
}

/// How far a match has come.
pub fn version(conn: &mut Conn, id: &MatchId) -> Result<Option<Version>, StoreError> {
    Ok(on_db!(conn, |c| matches::table
        .find(id)
        .select(Version::as_select())
        .get_result(c)
        .optional())?)
}

/// Where a match stands.
pub fn find(conn: &mut Conn, id: &MatchId) -> Result<Option<MatchRow>, StoreError> {
    Ok(on_db!(conn, |c| matches::table
        .find(id)
        .select(MatchRow::as_select())
        .get_result(c)
        .optional())?)
}

/// Who has to do with a match, by seat.
pub fn players(conn: &mut Conn, id: &MatchId) -> Result<Vec<PlayerRow>, StoreError> {
    players_of(conn, std::slice::from_ref(id))
}

/// Who has to do with some matches, match by match and then by seat.
pub fn players_of(conn: &mut Conn, ids: &[MatchId]) -> Result<Vec<PlayerRow>, StoreError> {
    Ok(on_db!(conn, |c| Prepared(
        players::table
            .filter(players::match_id.eq_any(ids))
            .order((players::match_id, players::seat, players::account_id))
            .select(PlayerRow::as_select())
    )
    .load(c))?)
}

/// The matches that anyone may join, newest first.
pub fn lobby(conn: &mut Conn, limit: i64) -> Result<Vec<MatchRow>, StoreError> {
    Ok(on_db!(conn, |c| matches::table
        .filter(matches::listed)
        .filter(matches::phase.eq(Phase::Gathering))
        .order((matches::created_at.desc(), matches::id))
        .limit(limit)
        .select(MatchRow::as_select())
        .load(c))?)
}

/// The matches in one of `phases` with which an account has to do, and as what: first those where
/// it is to move, then by deadline, then the latest first.
pub fn of_account(
    conn: &mut Conn,
    account: &AccountId,
    phases: &[Phase],
    limit: i64,
) -> Result<Vec<(MatchRow, PlayerRow)>, StoreError> {
    // The databases disagree on where NULL stands in an order.
    let later = |condition: bool| i32::from(condition).into_sql::<Integer>();
    Ok(on_db!(conn, |c| matches::table
        .inner_join(players::table)
        .filter(players::account_id.eq(account))
        .filter(matches::phase.eq_any(phases))
        .order((
            case_when(matches::to_move.eq(account), later(false)).otherwise(later(true)),
            case_when(matches::deadline.is_null(), later(true)).otherwise(later(false)),
            matches::deadline,
            matches::updated_at.desc(),
            matches::id,
        ))
        .limit(limit)
        .select((MatchRow::as_select(), PlayerRow::as_select()))
        .load(c))?)
}

/// The matches that were played to an end, the latest first.
pub fn recent_over(conn: &mut Conn, limit: i64) -> Result<Vec<MatchRow>, StoreError> {
    Ok(on_db!(conn, |c| matches::table
        .filter(matches::phase.eq(Phase::Over))
        .filter(matches::winner.is_not_null())
        .order((matches::updated_at.desc(), matches::id))
        .limit(limit)
        .select(MatchRow::as_select())
        .load(c))?)
}

/// The matches in which somebody plays or played, the latest first. Challenges and matches that
/// were called off are not among them.
pub fn of_player_public(
    conn: &mut Conn,
    account: &AccountId,
    limit: i64,
) -> Result<Vec<MatchRow>, StoreError> {
    Ok(on_db!(conn, |c| matches::table
        .inner_join(players::table)
        .filter(players::account_id.eq(account))
        .filter(players::role.eq(Role::Seated))
        .filter(
            matches::phase
                .eq(Phase::Playing)
                .or(matches::winner.is_not_null())
        )
        .order((matches::updated_at.desc(), matches::id))
        .limit(limit)
        .select(MatchRow::as_select())
        .load(c))?)
}

/// How the matches of an account ended, by game, variant and seat.
pub fn tallies(conn: &mut Conn, account: &AccountId) -> Result<Vec<Tally>, StoreError> {
    Ok(on_db!(conn, |c| matches::table
        .inner_join(players::table)
        .filter(players::account_id.eq(account))
        .filter(matches::phase.eq(Phase::Over))
        .filter(matches::winner.is_not_null())
        .filter(players::seat.is_not_null())
        .group_by((
            matches::game,
            matches::variant,
            players::seat,
            matches::winner
        ))
        .order((matches::game, matches::variant, players::seat))
        .select((
            matches::game,
            matches::variant,
            players::seat.assume_not_null(),
            matches::winner.assume_not_null(),
            count_star(),
        ))
        .load(c))?)
}

/// The matches whose deadline has passed, the longest overdue first.
pub fn overdue(conn: &mut Conn, now: Time, limit: i64) -> Result<Vec<MatchId>, StoreError> {
    Ok(on_db!(conn, |c| matches::table
        .filter(matches::deadline.le(now))
        .order((matches::deadline, matches::id))
        .limit(limit)
        .select(matches::id)
        .load(c))?)
}

/// The matches in which one of `accounts` is to move, those first that have waited longest.
pub fn waiting_for(
    conn: &mut Conn,
    accounts: &[AccountId],
    limit: i64,
) -> Result<Vec<MatchId>, StoreError> {
    Ok(on_db!(conn, |c| matches::table
        .filter(matches::to_move.eq_any(accounts))
        .order((matches::updated_at, matches::id))
        .limit(limit)
        .select(matches::id)
        .load(c))?)
}

/// The matches in which who is to move is to be reminded.
pub fn to_remind(conn: &mut Conn, now: Time, limit: i64) -> Result<Vec<MatchRow>, StoreError> {
    Ok(on_db!(conn, |c| matches::table
        .filter(matches::remind_at.le(now))
        .order((matches::remind_at, matches::id))
        .limit(limit)
        .select(MatchRow::as_select())
        .load(c))?)
}

/// Claims a reminder that was due at `remind_at`; `false` means that another process was quicker,
/// or that a turn was played.
pub fn claim_reminder(conn: &mut Conn, id: &MatchId, remind_at: Time) -> Result<bool, StoreError> {
    let claimed = on_db!(conn, |c| diesel::update(
        matches::table
            .find(id)
            .filter(matches::remind_at.eq(remind_at))
    )
    .set(matches::remind_at.eq(None::<Time>))
    .execute(c))?;
    Ok(claimed == 1)
}
