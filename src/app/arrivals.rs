//! Who came with which session, remembered while nothing is committed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::store::accounts::{LiveSession, SignedIn};
use crate::store::journal::Version;
use perplex_matches::id::MatchId;

/// How many are remembered; then it begins anew.
const MOST: usize = 10_000;

/// What came with a request: the hash of the session's token, and the match that was asked for.
pub type Asked = (Option<String>, Option<MatchId>);

/// What is known of the session that asked.
#[derive(Debug)]
pub struct Arrival {
    /// The session with its account and, if that is a pupil's, what the class calls the pupil.
    pub session: Option<(LiveSession, SignedIn, Option<String>)>,
    /// How far the match has come.
    pub version: Option<Version>,
}

/// Arrivals that were looked up at one moment of the database; see [`crate::store::Store::moment`].
#[derive(Default)]
pub struct Arrivals(Mutex<Known>);

#[derive(Default)]
struct Known {
    moment: i64,
    arrivals: HashMap<Asked, Arc<Arrival>>,
}

impl Arrivals {
    /// What is known, if it was looked up at this very moment.
    pub fn find(&self, moment: i64, asked: &Asked) -> Option<Arc<Arrival>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let arrivals = (known.moment == moment).then_some(&known.arrivals)?;
        arrivals.get(asked).cloned()
    }

    /// Remembers what was looked up after the moment had been asked for.
    pub fn keep(&self, moment: i64, asked: Asked, arrival: &Arc<Arrival>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.moment != moment || known.arrivals.len() >= MOST {
            known.arrivals.clear();
            known.moment = moment;
        }
        known.arrivals.insert(asked, Arc::clone(arrival));
    }
}
