//! The talk beside a board, and the notes that come with turns.

use diesel::prelude::*;

use super::schema::{matches, players, talk};
use super::{Conn, StoreError, on_db};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::time::Time;

/// A message.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = talk, treat_none_as_default_value = false)]
pub struct TalkRow {
    /// The match.
    pub match_id: MatchId,
    /// Its number in the match, from 1 without gaps.
    pub number: i32,
    /// When it was said.
    pub at: Time,
    /// Who said it.
    pub by_account: AccountId,
    /// What was said.
    pub text: String,
    /// The number of the event that it came with, if it is a note.
    pub event: Option<i32>,
}

/// Says something in a match, and gives its number. The number is claimed first, which writes, so
/// two messages never get the same; `None` if there is no such match.
pub fn post(
    conn: &mut Conn,
    id: &MatchId,
    by: &AccountId,
    text: &str,
    event: Option<i32>,
    now: Time,
) -> Result<Option<i32>, StoreError> {
    let claimed = on_db!(&mut *conn, |c| diesel::update(matches::table.find(id))
        .set(matches::talk_head.eq(matches::talk_head + 1))
        .execute(c))?;
    if claimed == 0 {
        return Ok(None);
    }
    let number: i32 = on_db!(&mut *conn, |c| matches::table
        .find(id)
        .select(matches::talk_head)
        .get_result(c))?;
    let row = TalkRow {
        match_id: id.clone(),
        number,
        at: now,
        by_account: by.clone(),
        text: text.to_owned(),
        event,
    };
    on_db!(conn, |c| diesel::insert_into(talk::table)
        .values(&row)
        .execute(c))?;
    Ok(Some(number))
}

/// The messages of a match after number `after`, in order.
pub fn list(conn: &mut Conn, id: &MatchId, after: i32) -> Result<Vec<TalkRow>, StoreError> {
    Ok(on_db!(conn, |c| talk::table
        .filter(talk::match_id.eq(id))
        .filter(talk::number.gt(after))
        .order(talk::number)
        .select(TalkRow::as_select())
        .load(c))?)
}

/// Notes that a player has read up to message `number`; never less than before.
pub fn mark_seen(
    conn: &mut Conn,
    id: &MatchId,
    account: &AccountId,
    number: i32,
) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(
        players::table
            .find((id, account))
            .filter(players::seen_talk.lt(number))
    )
    .set(players::seen_talk.eq(number))
    .execute(c))?;
    Ok(())
}
