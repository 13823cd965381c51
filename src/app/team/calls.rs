//! Messages of the talk that name their reader.

use std::sync::Arc;

use perplex_matches::id::MatchId;
use perplex_matches::team::announce::{Names, Said, is_called};

use super::talk::{Channel, Hearer, Message, find_readable, heard, listener, opened, readable};
use super::{TeamAccess, TeamReader, TeamView};
use crate::app::{App, AppError};
use crate::secret::KeyRing;
use crate::store::{Conn, talk as talk_rows};

/// A message that names its reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub channel: i32,
    pub message: Message,
    /// The viewer has not put its card away.
    pub waits: bool,
}

/// True if a message that a reader hears names them.
fn names_reader(reader: &TeamReader, host: &str, message: &Message) -> bool {
    let said = Said {
        by: message.by,
        event: message.event,
        text: &message.text,
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
        names_reader(self, self.host.name.as_deref().unwrap_or_default(), message)
    }
}

/// The messages that name a reader, the oldest first: of each channel those after the one that `after` gives, if it
/// gives one.
pub fn calls_of(
    conn: &mut Conn,
    ring: &KeyRing,
    id: &MatchId,
    reader: &TeamReader,
    host: &str,
    after: impl Fn(&Channel) -> Option<i32>,
) -> Result<Vec<Call>, AppError> {
    let (state, viewer, rights) = (&reader.state, &reader.viewer, &reader.rights);
    if listener(viewer, rights).is_none() {
        return Ok(Vec::new());
    }
    let hearer = Hearer {
        state,
        viewer,
        rights,
    };
    let mut calls = Vec::new();
    for channel in readable(conn, id, viewer, rights)? {
        let Some(after) = after(&channel) else {
            continue;
        };
        for row in heard(conn, id, hearer, &channel, after)? {
            let message = opened(ring, &row, state)?;
            if names_reader(reader, host, &message) {
                calls.push(Call {
                    channel: channel.number,
                    waits: message.number > channel.named,
                    message,
                });
            }
        }
    }
    calls.sort_by_key(|call| call.message.at);
    Ok(calls)
}

impl App {
    /// The messages that name the viewer, the oldest first: those whose cards wait, or with `all` the latest.
    pub async fn team_calls(
        &self,
        access: &TeamAccess,
        view: &TeamView,
        all: bool,
    ) -> Result<Vec<Call>, AppError> {
        let may_be = move |channel: &Channel| all || channel.head > channel.named;
        let is_reader = listener(&view.viewer, &view.rights).is_some();
        if !is_reader || !view.channels.iter().any(may_be) {
            return Ok(Vec::new());
        }
        let (asked, ring, host) = (
            view.id.clone(),
            Arc::clone(&self.ring),
            view.host.name.clone().unwrap_or_default(),
        );
        let (_, calls) = self
            .load_team(access, &view.id, move |conn, loaded| {
                let reader = loaded.reader();
                calls_of(conn, &ring, &asked, &reader, &host, |channel| {
                    may_be(channel).then_some(if all { 0 } else { channel.named })
                })
            })
            .await?;
        Ok(calls)
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
