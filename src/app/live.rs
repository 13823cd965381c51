//! Telling open pages that something changed. Only numbers are told ("match 7 is at 42"); what
//! they stand for is fetched through the ordinary, authorised pages.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tokio::sync::watch;

use crate::play::event::MatchId;
use crate::store::journal::Version;

/// How far a match has come: the number of its last event and of its last line of talk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Heads {
    /// The last event.
    pub event: i32,
    /// The last line of talk.
    pub talk: i32,
}

impl From<Version> for Heads {
    fn from(version: Version) -> Self {
        Self {
            event: version.head,
            talk: version.talk_head,
        }
    }
}

/// The matches that pages listen to.
#[derive(Default)]
pub struct Live {
    topics: Mutex<HashMap<MatchId, watch::Sender<Heads>>>,
}

impl Live {
    /// Hears of every change of `id` from now on.
    pub fn listen(&self, id: &MatchId) -> watch::Receiver<Heads> {
        let mut topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        // Topics that nobody listens to any more go when somebody comes.
        topics.retain(|_, topic| topic.receiver_count() > 0);
        topics.entry(id.clone()).or_default().subscribe()
    }

    /// Tells the listeners of `id` how far it has come. Numbers only ever grow.
    pub fn tell(&self, id: &MatchId, heads: Heads) {
        let topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(topic) = topics.get(id) {
            topic.send_if_modified(|known| {
                let next = Heads {
                    event: known.event.max(heads.event),
                    talk: known.talk.max(heads.talk),
                };
                let changed = *known != next;
                *known = next;
                changed
            });
        }
    }
}
