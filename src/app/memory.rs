use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;
use perplex_matches::id::MatchId;
use perplex_matches::journal::Aggregate;

use super::live::Live;

/// Above this many matches, the states unused for longest are dropped.
const MOST_STATES: NonZeroUsize = match NonZeroUsize::new(2_000) {
    Some(most) => most,
    None => NonZeroUsize::MIN,
};

/// The matches of one kind: their states, the locks of those who act, and the listening pages. `S` is the result read
/// once for all listeners of a match.
pub struct Matches<M, S> {
    pub live: Live<S>,
    /// States by match; each is checked against the head in the database before it is used.
    states: Mutex<LruCache<MatchId, Arc<M>>>,
    /// Simultaneous acts in a match, in this process, wait for each other here: each decides on the result of the one
    /// before, instead of all but one deciding again.
    locks: Mutex<HashMap<MatchId, Arc<tokio::sync::Mutex<()>>>>,
}

impl<M, S> Default for Matches<M, S> {
    fn default() -> Self {
        Self {
            live: Live::default(),
            states: Mutex::new(LruCache::new(MOST_STATES)),
            locks: Mutex::default(),
        }
    }
}

impl<M: Aggregate, S> Matches<M, S> {
    fn states(&self) -> MutexGuard<'_, LruCache<MatchId, Arc<M>>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn cached(&self, id: &MatchId) -> Option<Arc<M>> {
        self.states().get(id).cloned()
    }

    /// Keeps the state of a match, unless a later one is kept.
    pub fn cache(&self, id: &MatchId, state: &Arc<M>) {
        let mut states = self.states();
        let is_older = states
            .peek(id)
            .is_some_and(|kept| kept.head() > state.head());
        if !is_older {
            states.put(id.clone(), Arc::clone(state));
        }
    }

    pub fn lock(&self, id: &MatchId) -> Arc<tokio::sync::Mutex<()>> {
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        if !locks.contains_key(id) {
            // Locks that no act waits for are dropped when another comes.
            locks.retain(|_, lock| Arc::strong_count(lock) > 1);
        }
        Arc::clone(locks.entry(id.clone()).or_default())
    }
}
