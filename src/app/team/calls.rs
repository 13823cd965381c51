//! Messages of the talk that are to their reader: they name them, were said in secret to few, or by a teacher to all.

use std::sync::Arc;

use perplex_matches::id::MatchId;
use perplex_matches::team::announce::{Names, Said, is_called};
use perplex_matches::team::event::Actor;

use super::talk::{
    Audience, Channel, Hearer, Message, find_readable, heard, listener, opened, readable,
};
use super::{TeamAccess, TeamReader, TeamView};
use crate::app::{App, AppError};
use crate::secret::KeyRing;
use crate::store::{Conn, talk as talk_rows};

/// Those to whom a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// Those whom it names.
    Named,
    /// The few who hear it.
    Few,
    /// All in a lesson, from its teacher.
    All,
}

/// A message that is to its reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub channel: i32,
    pub message: Message,
    pub to: To,
    /// The viewer has not put its card away.
    pub waits: bool,
}

/// True if a message that a reader hears is to them.
fn is_to_reader(reader: &TeamReader, host: &str, message: &Message, to: To) -> bool {
    let said = Said {
        by: message.by,
        event: message.event,
        text: &message.text,
        to_each: to != To::Named,
    };
    let names = Names {
        members: &reader.names,
        host,
    };
    is_called(&reader.state, &reader.viewer, said, names)
}

impl TeamView {
    /// True if a message that the viewer hears names them.
    pub fn is_named_in(&self, message: &Message) -> bool {
        let host = self.host.name.as_deref().unwrap_or_default();
        is_to_reader(self, host, message, To::Named)
    }
}

impl Channel {
    /// Those to whom a message in it is, as a reader has it.
    fn is_to(&self, reader: &TeamReader, message: &Message) -> To {
        let member = reader.viewer.member;
        match &self.audience {
            Audience::Private(_, few) if member.is_some_and(|id| few.contains(&id)) => To::Few,
            Audience::Public if reader.is_lesson && message.by == Actor::Host => To::All,
            _ => To::Named,
        }
    }

    /// The last message that needs no card any more: put away, or, where each message is to each reader, read.
    const fn put_away(&self) -> i32 {
        let read = self.head - self.unread;
        match self.audience {
            Audience::Private(..) if read > self.named => read,
            _ => self.named,
        }
    }
}

/// The messages that are to a reader, the oldest first: of each channel those after the one that `after` gives, if it
/// gives one.
pub fn calls_of(
    conn: &mut Conn,
    ring: &KeyRing,
    id: &MatchId,
    reader: &TeamReader,
    host: &str,
    after: impl Fn(&Channel) -> Option<i32>,
) -> Result<Vec<Call>, AppError> {
    if listener(&reader.viewer, &reader.rights).is_none() {
        return Ok(Vec::new());
    }
    let channels = readable(conn, id, &reader.viewer, &reader.rights)?;
    calls_in(conn, ring, id, reader, host, &channels, after)
}

/// The same in `channels`, up to the last message that they had when they were read together with `reader`.
fn calls_in(
    conn: &mut Conn,
    ring: &KeyRing,
    id: &MatchId,
    reader: &TeamReader,
    host: &str,
    channels: &[Channel],
    after: impl Fn(&Channel) -> Option<i32>,
) -> Result<Vec<Call>, AppError> {
    let state = &reader.state;
    let hearer = Hearer {
        state,
        viewer: &reader.viewer,
        rights: &reader.rights,
    };
    let mut calls = Vec::new();
    for channel in channels {
        let Some(after) = after(channel) else {
            continue;
        };
        let rows = heard(conn, id, hearer, channel, after)?;
        for row in rows.iter().filter(|row| row.number <= channel.head) {
            let message = opened(ring, row, state)?;
            let to = channel.is_to(reader, &message);
            if is_to_reader(reader, host, &message, to) {
                calls.push(Call {
                    channel: channel.number,
                    waits: message.number > channel.put_away(),
                    to,
                    message,
                });
            }
        }
    }
    calls.sort_by_key(|call| call.message.at);
    Ok(calls)
}

impl App {
    /// The messages that are to the viewer, the oldest first: those whose cards wait, or with `all` the latest.
    pub async fn team_calls(&self, view: &TeamView, all: bool) -> Result<Vec<Call>, AppError> {
        let may_be = move |channel: &Channel| all || channel.head > channel.put_away();
        let is_reader = listener(&view.viewer, &view.rights).is_some();
        if !is_reader || !view.channels.iter().any(may_be) {
            return Ok(Vec::new());
        }
        let (id, ring, host) = (
            view.id.clone(),
            Arc::clone(&self.ring),
            view.host.name.clone().unwrap_or_default(),
        );
        let (reader, channels) = (TeamReader::clone(view), view.channels.clone());
        self.read(move |conn| {
            calls_in(conn, &ring, &id, &reader, &host, &channels, |channel| {
                may_be(channel).then_some(if all { 0 } else { channel.put_away() })
            })
        })
        .await
    }

    /// Puts away the viewer's cards of a channel up to a message.
    pub async fn put_away_calls(
        &self,
        access: &TeamAccess,
        id: &MatchId,
        channel: i32,
        number: i32,
    ) -> Result<(), AppError> {
        let asked = id.clone();
        let (loaded, found) = self
            .load_team(access, id, move |conn, loaded| {
                find_readable(conn, &asked, loaded, channel)
            })
            .await?;
        let Some(me) = listener(&loaded.viewer, &loaded.rights) else {
            return Ok(());
        };
        let (id, number) = (id.clone(), number.min(found.head));
        self.write(move |conn| talk_rows::put_away(conn, &id, channel, me, number))
            .await
    }
}
