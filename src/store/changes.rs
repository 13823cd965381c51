//! What processes on one PostgreSQL tell each other: how far a match has come. Numbers only; they may come
//! late or not at all, so nothing but the freshness of open pages hangs on them.

use std::fmt::{self, Display};
use std::str::FromStr;

use diesel::prelude::*;
use diesel::sql_types::Text;

use super::{Conn, StoreError};
use perplex_matches::id::MatchId;

pub(super) const CHANNEL: &str = "perplex";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Match {
        id: MatchId,
        event: i32,
        talk: i32,
    },
    /// Anything may have happened meanwhile.
    Missed,
}

/// As it is told: `match abcdefghij 42 7`.
impl Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Match { id, event, talk } => write!(f, "match {id} {event} {talk}"),
            Self::Missed => f.write_str("missed"),
        }
    }
}

/// What another version of the program tells may mean anything: it is `Missed`.
impl FromStr for Change {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let words: Vec<&str> = text.split(' ').collect();
        let &[kind, id, event, talk] = words.as_slice() else {
            return Ok(Self::Missed);
        };
        let id = MatchId(id.to_owned());
        Ok(match (kind, event.parse(), talk.parse()) {
            ("match", Ok(event), Ok(talk)) => Self::Match { id, event, talk },
            _ => Self::Missed,
        })
    }
}

diesel::define_sql_function! {
    fn pg_notify(channel: Text, payload: Text) -> Text;
}

/// Tells the other processes on the same database, once the job is committed.
pub fn announce(conn: &mut Conn, change: &Change) -> Result<(), StoreError> {
    // SQLite is one process's.
    if let Conn::Postgres(c) = conn {
        diesel::select(pg_notify(CHANNEL, change.to_string())).execute(c)?;
    }
    Ok(())
}
