//! Which account is behind which session, remembered while nothing is committed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::store::accounts::{LiveSession, SignedIn};
use crate::store::journal::Version;
use perplex_matches::id::MatchId;

/// How many are remembered; then it begins anew.
const MOST: usize = 10_000;

/// What came with a request: the hash of the session's token, and the match that was asked for.
pub type SessionKey = (Option<String>, Option<MatchId>);

/// What is known of the session that asked.
#[derive(Debug)]
pub struct ResolvedSession {
    /// The session with its account and, if that is a pupil's, what the class calls the pupil.
    pub session: Option<(LiveSession, SignedIn, Option<String>)>,
    /// How far the match has come.
    pub version: Option<Version>,
}

/// Sessions that were looked up in one version of the database; see [`crate::store::Store::data_version`].
#[derive(Default)]
pub struct SessionCache(Mutex<Entries>);

#[derive(Default)]
struct Entries {
    data_version: i64,
    sessions: HashMap<SessionKey, Arc<ResolvedSession>>,
}

impl SessionCache {
    /// What is known, if it was looked up in this very version.
    pub fn find(&self, data_version: i64, key: &SessionKey) -> Option<Arc<ResolvedSession>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let sessions = (known.data_version == data_version).then_some(&known.sessions)?;
        sessions.get(key).cloned()
    }

    /// Remembers what was looked up after the version had been asked for.
    pub fn keep(&self, data_version: i64, key: SessionKey, resolved: &Arc<ResolvedSession>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.data_version != data_version || known.sessions.len() >= MOST {
            known.sessions.clear();
            known.data_version = data_version;
        }
        known.sessions.insert(key, Arc::clone(resolved));
    }
}
