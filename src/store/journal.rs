//! The journals of matches of both kinds: their events, and the head that guards them.
//!
//! A match is its events. Its row in `matches` holds its present state, so that lists need no replay; it is written
//! with the events.

use diesel::prelude::*;
use perplex_matches::id::MatchId;
use perplex_matches::journal::{Aggregate, Author as _, Event, EventOf};
use perplex_matches::time::Time;

use super::matches::MatchRow;
use super::prepared::update;
use super::schema::{events, matches};
use super::{Conn, MatchKind, StoreError, on_db};

/// The state that a page about a match depends on, besides its viewer and the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = matches)]
pub struct Version {
    pub head: i32,
    pub talk_head: i32,
    /// Number of times that people in it were renamed or deleted.
    pub names: i32,
}

/// The time of the next check for waiting people to tell by mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextCheck {
    /// As settled before: an offer of a draw, say, is no reason to remind twice.
    Unchanged,
    At(Option<Time>),
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = events, treat_none_as_default_value = false)]
struct EventRow {
    match_id: MatchId,
    number: i32,
    at: Time,
    by_actor: String,
    what: String,
}

/// Claims the numbers up to `row`'s head for a match that was loaded when its last event was `from`, and writes its
/// state with them. It must be the first statement of a job; `false` means that another act came first (or that there
/// is no such match), and nothing else may be done.
///
/// It leaves `talk_head` and `names` alone, and the columns that were settled when the match was made.
pub fn advance(
    conn: &mut Conn,
    from: i32,
    row: &MatchRow,
    look: NextCheck,
) -> Result<bool, StoreError> {
    let columns = (
        matches::head.eq(row.head),
        matches::variant.eq(&row.variant),
        matches::phase.eq(row.phase),
        matches::listed.eq(row.listed),
        matches::ply.eq(row.ply),
        matches::updated_at.eq(row.updated_at),
        matches::to_move.eq(&row.to_move),
        matches::deadline.eq(row.deadline),
        matches::winner.eq(row.winner),
        matches::reason.eq(&row.reason),
    );
    let unmoved = || matches::table.find(&row.id).filter(matches::head.eq(from));
    let moved = match look {
        NextCheck::Unchanged => on_db!(conn, |c| update(unmoved(), columns).execute(c))?,
        NextCheck::At(at) => on_db!(conn, |c| update(
            unmoved(),
            (columns, matches::look_at.eq(at))
        )
        .execute(c))?,
    };
    Ok(moved == 1)
}

/// Claims the head of a match as it is, before a write that belongs to it and is no event. `false` if there is no
/// such match, or its last event is not `head`.
pub fn hold(conn: &mut Conn, id: &MatchId, head: i32) -> Result<bool, StoreError> {
    let held = on_db!(conn, |c| update(
        matches::table.find(id).filter(matches::head.eq(head)),
        matches::head.eq(head)
    )
    .execute(c))?;
    Ok(held == 1)
}

/// Writes events whose numbers were claimed by [`advance`], or by a new row's `head`.
pub fn append<M: Aggregate>(
    conn: &mut Conn,
    id: &MatchId,
    new: &[EventOf<M>],
) -> Result<(), StoreError> {
    // One by one: a statement for several rows is prepared anew each time.
    for event in new {
        let row = EventRow {
            match_id: id.clone(),
            number: event.number,
            at: event.at,
            by_actor: event.by.text(),
            what: event.kind.to_string(),
        };
        on_db!(&mut *conn, |c| diesel::insert_into(events::table)
            .values(&row)
            .execute(c))?;
    }
    Ok(())
}

pub fn events<M: Aggregate>(
    conn: &mut Conn,
    id: &MatchId,
    after: i32,
) -> Result<Vec<EventOf<M>>, StoreError> {
    let rows = on_db!(conn, |c| events::table
        .filter(events::match_id.eq(id))
        .filter(events::number.gt(after))
        .order(events::number)
        .select(EventRow::as_select())
        .load(c))?;
    rows.into_iter()
        .map(|row| {
            let corrupt =
                |why: &str| StoreError::Corrupt(format!("match {id}, event {}: {why}", row.number));
            Ok(Event {
                number: row.number,
                at: row.at,
                by: M::Author::read(&row.by_actor)
                    .ok_or_else(|| corrupt(&format!("{:?} did it", row.by_actor)))?,
                kind: row
                    .what
                    .parse()
                    .map_err(|error| corrupt(&format!("{error}")))?,
            })
        })
        .collect()
}

/// The version of a match of this kind; `None` for one of the other kind, too.
pub fn version(
    conn: &mut Conn,
    id: &MatchId,
    kind: MatchKind,
) -> Result<Option<Version>, StoreError> {
    Ok(on_db!(conn, |c| matches::table
        .find(id)
        .filter(matches::kind.eq(kind))
        .select(Version::as_select())
        .get_result(c)
        .optional())?)
}
