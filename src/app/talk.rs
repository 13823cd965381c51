//! The talk beside the boards: messages are sealed before they are written, in matches of both kinds.

use perplex_matches::id::MatchId;
use perplex_matches::names;
use perplex_matches::time::Time;

use super::{AppError, Fault, invalid};
use crate::secret::KeyRing;
pub use crate::store::talk::EVERYBODY;
use crate::store::talk::{self, MessageRow};
use crate::store::{Conn, StoreError};

pub const LONGEST_LINE: usize = 1_000;

/// A message or a note as it is stored; `None` if nothing in it can be seen.
pub(super) fn line(field: &'static str, text: &str) -> Result<Option<String>, AppError> {
    let text = names::shown(text);
    let text = text.trim();
    if names::length(text) > LONGEST_LINE {
        return Err(invalid(field, Fault::LongMessage));
    }
    Ok(names::shows(text).then(|| text.to_owned()))
}

/// The context that a message is sealed for: its place and its author.
fn place(id: &MatchId, channel: i32, number: i32, by: &str) -> String {
    format!("{id} {channel} {number} {by}")
}

fn seal(ring: &KeyRing, row: &MessageRow, text: &str) -> Result<String, AppError> {
    let place = place(&row.match_id, row.channel, row.number, &row.by_actor);
    ring.seal(&place, text)
        .ok_or_else(|| AppError::Internal("a text cannot be sealed".to_owned()))
}

pub(super) struct NewMessage<'a> {
    pub id: &'a MatchId,
    pub channel: i32,
    pub by: String,
    pub text: &'a str,
    pub event: Option<i32>,
    pub now: Time,
}

/// Writes a message, and gives its number in the channel and the number of messages in the match.
pub(super) fn post(
    conn: &mut Conn,
    ring: &KeyRing,
    message: NewMessage<'_>,
) -> Result<(i32, i32), AppError> {
    let (number, all) =
        talk::claim(conn, message.id, message.channel)?.ok_or(AppError::NotFound)?;
    let mut row = MessageRow {
        match_id: message.id.clone(),
        channel: message.channel,
        number,
        at: message.now,
        by_actor: message.by,
        sealed: String::new(),
        event: message.event,
    };
    row.sealed = seal(ring, &row, message.text)?;
    talk::post(conn, &row)?;
    Ok((number, all))
}

pub(super) fn open(ring: &KeyRing, row: &MessageRow) -> Result<String, AppError> {
    let place = place(&row.match_id, row.channel, row.number, &row.by_actor);
    ring.open(&place, &row.sealed).ok_or_else(|| {
        AppError::Internal(format!(
            "message {} of channel {} of {} cannot be opened: its key is missing or it was altered",
            row.number, row.channel, row.match_id
        ))
    })
}

/// The number of messages that are shown at once.
pub(super) const MESSAGES: i64 = 200;

/// The latest [`MESSAGES`] of the players of a correspondence match with smaller numbers than `before`, in order; `None`
/// for a message whose key is lost, as the match can be played without it.
pub fn of_players(
    conn: &mut Conn,
    ring: &KeyRing,
    id: &MatchId,
    before: i32,
) -> Result<Vec<(MessageRow, Option<String>)>, StoreError> {
    let rows = talk::messages_before(conn, id, EVERYBODY, before, MESSAGES)?;
    let said = rows.into_iter().map(|row| {
        let text = open(ring, &row)
            .inspect_err(|error| tracing::error!(%error, "a message cannot be read"))
            .ok();
        (row, text)
    });
    Ok(said.collect())
}

pub(super) fn overwrite(
    conn: &mut Conn,
    ring: &KeyRing,
    row: MessageRow,
    text: &str,
) -> Result<(), AppError> {
    let sealed = seal(ring, &row, text)?;
    Ok(talk::reseal(conn, &MessageRow { sealed, ..row })?)
}
