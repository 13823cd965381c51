//! The talk of matches: channels, their members, and messages, which are sealed before they come here. A
//! correspondence match has one channel, that of its players; a team match has one for all, one for each team, and
//! private ones.

use std::collections::BTreeMap;

use diesel::prelude::*;
use rand::RngExt as _;

use super::prepared::update;
use super::schema::{channels, listeners, matches, messages};
use super::{Conn, MatchKind, StoreError, Winner, on_db};
use perplex_matches::id::MatchId;
use perplex_matches::team::event::{Actor, MemberId};
use perplex_matches::time::Time;

/// The channel that all people of a match read; the only one of a correspondence match.
pub const EVERYBODY: i32 = 0;
/// The first private channel; those before it are the public one and the teams'.
pub const FIRST_PRIVATE: i32 = 3;

#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = channels, treat_none_as_default_value = false)]
pub struct ChannelRow {
    pub match_id: MatchId,
    /// Its number: 0 the public one, 1 White's, 2 Black's, then the private ones.
    pub number: i32,
    pub team: Option<Winner>,
    pub head: i32,
}

#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = listeners, treat_none_as_default_value = false)]
pub struct ListenerRow {
    pub match_id: MatchId,
    pub channel: i32,
    /// The member, or 0 for the host.
    pub member: i32,
    pub admitted: bool,
    pub seen: i32,
    /// The last message whose card was put away: one that names the listener.
    pub named: i32,
}

#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = messages, treat_none_as_default_value = false)]
pub struct MessageRow {
    pub match_id: MatchId,
    pub channel: i32,
    pub number: i32,
    pub at: Time,
    pub by_actor: String,
    pub sealed: String,
    /// In a correspondence match the event whose note it is, if any; in a team match the last event before it, which
    /// tells who belonged to the team then.
    pub event: Option<i32>,
}

pub(super) fn make_channels(
    conn: &mut Conn,
    id: &MatchId,
    kind: MatchKind,
) -> Result<(), StoreError> {
    let teams = match kind {
        MatchKind::Correspondence => &[None][..],
        MatchKind::Team => &[None, Some(Winner::First), Some(Winner::Second)],
    };
    for (number, team) in (EVERYBODY..).zip(teams) {
        let channel = ChannelRow {
            match_id: id.clone(),
            number,
            team: *team,
            head: 0,
        };
        on_db!(&mut *conn, |c| diesel::insert_into(channels::table)
            .values(&channel)
            .execute(c))?;
    }
    Ok(())
}

pub fn channels_of(conn: &mut Conn, id: &MatchId) -> Result<Vec<ChannelRow>, StoreError> {
    Ok(on_db!(conn, |c| channels::table
        .filter(channels::match_id.eq(id))
        .order(channels::number)
        .select(ChannelRow::as_select())
        .load(c))?)
}

pub fn listeners_of(conn: &mut Conn, id: &MatchId) -> Result<Vec<ListenerRow>, StoreError> {
    Ok(on_db!(conn, |c| listeners::table
        .filter(listeners::match_id.eq(id))
        .order((listeners::channel, listeners::member))
        .select(ListenerRow::as_select())
        .load(c))?)
}

/// Opens a private channel of a team for these members, and gives its number, a random one: the numbers of their
/// channels must not tell members how many others there are. The match's row must be locked (see
/// [`super::journal::hold`]), so that two channels get different numbers.
pub fn open(
    conn: &mut Conn,
    id: &MatchId,
    team: Winner,
    people: &[MemberId],
) -> Result<i32, StoreError> {
    let known = channels_of(conn, id)?;
    let number = loop {
        let number = rand::rng().random_range(FIRST_PRIVATE..i32::MAX);
        if !known.iter().any(|channel| channel.number == number) {
            break number;
        }
    };
    let channel = ChannelRow {
        match_id: id.clone(),
        number,
        team: Some(team),
        head: 0,
    };
    on_db!(&mut *conn, |c| diesel::insert_into(channels::table)
        .values(&channel)
        .execute(c))?;
    let rows: Vec<ListenerRow> = people
        .iter()
        .map(|member| ListenerRow {
            match_id: id.clone(),
            channel: number,
            member: i32::from(member.0),
            admitted: true,
            seen: 0,
            named: 0,
        })
        .collect();
    on_db!(conn, |c| diesel::insert_into(listeners::table)
        .values(&rows)
        .execute(c))?;
    Ok(number)
}

/// Claims the number of the next message of a channel, and gives it with the number of messages in the whole match.
/// `None` if there is no such channel. Writes first, so that two messages never get the same number.
pub fn claim(
    conn: &mut Conn,
    id: &MatchId,
    channel: i32,
) -> Result<Option<(i32, i32)>, StoreError> {
    on_db!(&mut *conn, |c| update(
        matches::table.find(id),
        matches::talk_head.eq(matches::talk_head + 1)
    )
    .execute(c))?;
    on_db!(&mut *conn, |c| update(
        channels::table.find((id, channel)),
        channels::head.eq(channels::head + 1)
    )
    .execute(c))?;
    Ok(on_db!(conn, |c| channels::table
        .inner_join(matches::table)
        .filter(channels::match_id.eq(id))
        .filter(channels::number.eq(channel))
        .select((channels::head, matches::talk_head))
        .get_result(c)
        .optional())?)
}

pub fn post(conn: &mut Conn, row: &MessageRow) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::insert_into(messages::table)
        .values(row)
        .execute(c))?;
    Ok(())
}

pub fn messages_of(
    conn: &mut Conn,
    id: &MatchId,
    channel: i32,
    limit: i64,
) -> Result<Vec<MessageRow>, StoreError> {
    messages_after(conn, id, channel, 0, limit)
}

/// The latest messages of a channel before the one with this number, the oldest first.
pub fn messages_before(
    conn: &mut Conn,
    id: &MatchId,
    channel: i32,
    number: i32,
    limit: i64,
) -> Result<Vec<MessageRow>, StoreError> {
    let mut rows: Vec<MessageRow> = on_db!(conn, |c| messages::table
        .filter(messages::match_id.eq(id))
        .filter(messages::channel.eq(channel))
        .filter(messages::number.lt(number))
        .order(messages::number.desc())
        .limit(limit)
        .select(MessageRow::as_select())
        .load(c))?;
    rows.reverse();
    Ok(rows)
}

/// The latest messages of a channel after the one with this number, the oldest first.
pub fn messages_after(
    conn: &mut Conn,
    id: &MatchId,
    channel: i32,
    number: i32,
    limit: i64,
) -> Result<Vec<MessageRow>, StoreError> {
    let mut rows: Vec<MessageRow> = on_db!(conn, |c| messages::table
        .filter(messages::match_id.eq(id))
        .filter(messages::channel.eq(channel))
        .filter(messages::number.gt(number))
        .order(messages::number.desc())
        .limit(limit)
        .select(MessageRow::as_select())
        .load(c))?;
    rows.reverse();
    Ok(rows)
}

pub fn said(conn: &mut Conn, id: &MatchId) -> Result<BTreeMap<MemberId, (i64, Time)>, StoreError> {
    use diesel::dsl::{count_star, max};
    let found: Vec<(String, i64, Option<Time>)> = on_db!(conn, |c| messages::table
        .filter(messages::match_id.eq(id))
        .group_by(messages::by_actor)
        .select((messages::by_actor, count_star(), max(messages::at)))
        .load(c))?;
    Ok(found
        .into_iter()
        .filter_map(|(by, count, last)| match by.parse() {
            Ok(Actor::Member(member)) => Some((member, (count, last?))),
            _ => None,
        })
        .collect())
}

pub fn message(
    conn: &mut Conn,
    id: &MatchId,
    channel: i32,
    number: i32,
) -> Result<Option<MessageRow>, StoreError> {
    Ok(on_db!(conn, |c| messages::table
        .find((id, channel, number))
        .select(MessageRow::as_select())
        .get_result(c)
        .optional())?)
}

/// Makes sure that a member (0: the host) is known as a listener of a channel.
fn know(conn: &mut Conn, id: &MatchId, channel: i32, member: i32) -> Result<(), StoreError> {
    let row = ListenerRow {
        match_id: id.clone(),
        channel,
        member,
        admitted: false,
        seen: 0,
        named: 0,
    };
    on_db!(conn, |c| diesel::insert_into(listeners::table)
        .values(&row)
        .on_conflict_do_nothing()
        .execute(c))?;
    Ok(())
}

/// Notes that a member (0: the host) has put away the cards of a channel up to message `number`, or further before.
pub fn put_away(
    conn: &mut Conn,
    id: &MatchId,
    channel: i32,
    member: i32,
    number: i32,
) -> Result<(), StoreError> {
    know(conn, id, channel, member)?;
    on_db!(conn, |c| diesel::update(
        listeners::table
            .find((id, channel, member))
            .filter(listeners::named.lt(number))
    )
    .set(listeners::named.eq(number))
    .execute(c))?;
    Ok(())
}

/// Notes that a member (0: the host) has read a channel up to message `number`, or further before.
pub fn mark_seen(
    conn: &mut Conn,
    id: &MatchId,
    channel: i32,
    member: i32,
    number: i32,
) -> Result<(), StoreError> {
    know(conn, id, channel, member)?;
    on_db!(conn, |c| diesel::update(
        listeners::table
            .find((id, channel, member))
            .filter(listeners::seen.lt(number))
    )
    .set(listeners::seen.eq(number))
    .execute(c))?;
    Ok(())
}

pub fn sealed_otherwise(
    conn: &mut Conn,
    key: &str,
    limit: i64,
) -> Result<Vec<MessageRow>, StoreError> {
    Ok(on_db!(conn, |c| messages::table
        .filter(messages::sealed.not_like(format!("{key}:%")))
        .limit(limit)
        .select(MessageRow::as_select())
        .load(c))?)
}

pub fn reseal(conn: &mut Conn, row: &MessageRow) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(messages::table.find((
        &row.match_id,
        row.channel,
        row.number
    )))
    .set(messages::sealed.eq(&row.sealed))
    .execute(c))?;
    Ok(())
}
