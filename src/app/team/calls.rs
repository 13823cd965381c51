//! Messages of the talk that name their reader.

use std::sync::Arc;

use perplex_matches::id::MatchId;
use perplex_matches::team::announce::{Names, Said, is_called};

use super::reader::names_of;
use super::talk::{Channel, Message, find_readable, heard, listener, opened, readable, said_after};
use super::{TeamAccess, TeamView};
use crate::app::{App, AppError};
use crate::store::talk as talk_rows;

/// A message that names its reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub channel: i32,
    pub message: Message,
    /// The viewer has not put its card away.
    pub waits: bool,
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
        let (_, mut calls) = self
            .load_team(access, &view.id, move |conn, loaded| {
                let members = names_of(loaded.members.clone());
                let (state, viewer) = (&loaded.state, &loaded.viewer);
                let names = Names {
                    members: &members,
                    host: &host,
                };
                let mut calls = Vec::new();
                for channel in readable(conn, &asked, viewer, &loaded.rights)? {
                    if !may_be(&channel) {
                        continue;
                    }
                    let after = if all { 0 } else { channel.named };
                    for row in heard(conn, &asked, loaded, &channel, after)? {
                        let message = opened(&ring, &row)?;
                        let said = Said {
                            by: message.by,
                            event: said_after(&row, state),
                            text: &message.text,
                        };
                        if is_called(state, viewer, said, names) {
                            calls.push(Call {
                                channel: channel.number,
                                waits: message.number > channel.named,
                                message,
                            });
                        }
                    }
                }
                Ok(calls)
            })
            .await?;
        calls.sort_by_key(|call| call.message.at);
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
