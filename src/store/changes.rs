//! Messages between processes on one PostgreSQL: how far a match has come. Numbers only; they may come late or not at
//! all, so only the freshness of open pages depends on them.

use std::fmt::{self, Display};
use std::str::FromStr;

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, Text};

use super::journal::Version;
use super::schema::matches;
use super::{Conn, StoreError, on_db};
use perplex_matches::id::MatchId;

pub(super) const CHANNEL: &str = "perplex";

/// The progress of a match; unknown numbers are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Heads {
    pub event: i32,
    pub talk: i32,
    /// Number of changes to the access to a lesson.
    pub door: i32,
}

impl Heads {
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            event: self.event.max(other.event),
            talk: self.talk.max(other.talk),
            door: self.door.max(other.door),
        }
    }
}

impl From<Version> for Heads {
    fn from(version: Version) -> Self {
        Self {
            event: version.head,
            talk: version.talk_head,
            door: 0,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Match {
        id: MatchId,
        heads: Heads,
    },
    /// Any change may have happened meanwhile.
    Missed,
}

/// The text of the message: `match abcdefghij 42 7 0`.
impl Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Match { id, heads } => {
                let Heads { event, talk, door } = heads;
                write!(f, "match {id} {event} {talk} {door}")
            }
            Self::Missed => f.write_str("missed"),
        }
    }
}

/// Messages of another version of the program may mean anything: they are `Missed`.
impl FromStr for Change {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let words: Vec<&str> = text.split(' ').collect();
        let &[kind, id, event, talk, door] = words.as_slice() else {
            return Ok(Self::Missed);
        };
        let id = MatchId(id.to_owned());
        Ok(match (kind, event.parse(), talk.parse(), door.parse()) {
            ("match", Ok(event), Ok(talk), Ok(door)) => Self::Match {
                id,
                heads: Heads { event, talk, door },
            },
            _ => Self::Missed,
        })
    }
}

/// How far these matches have come.
pub fn heads(conn: &mut Conn, ids: &[MatchId]) -> Result<Vec<(MatchId, Heads)>, StoreError> {
    let rows: Vec<(MatchId, i32, i32, i32)> = on_db!(conn, |c| matches::table
        .filter(matches::id.eq_any(ids))
        .select((
            matches::id,
            matches::head,
            matches::talk_head,
            matches::door
        ))
        .load(c))?;
    let heads = rows
        .into_iter()
        .map(|(id, event, talk, door)| (id, Heads { event, talk, door }));
    Ok(heads.collect())
}

/// Tells the other processes on the same database. From a message to the end of its transaction the database keeps one
/// lock for all its databases: so it is a transaction of its own, which does not wait for the disk.
pub(super) fn announce(conn: &mut Conn, changes: &[Change]) -> Result<(), StoreError> {
    if let Conn::Postgres(c) = conn {
        let told: Vec<String> = changes.iter().map(ToString::to_string).collect();
        let statement = "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, told) \
                         FROM unnest($2) AS told";
        sql_query(statement)
            .bind::<Text, _>(CHANNEL)
            .bind::<Array<Text>, _>(told)
            .execute(c)?;
    }
    Ok(())
}
