//! The matches that players have before their eyes: mails about them are needless.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use lru::LruCache;

use crate::app::{App, Viewer};
use crate::store::{StoreError, members};
use perplex_matches::id::{AccountId, MatchId};

const KEPT: NonZeroUsize = NonZeroUsize::new(10_000).expect("some");

/// The last events and numbers of messages that were noted lately, so that an open page that asks every few seconds is written once.
#[derive(Debug)]
pub struct LastSeen(Mutex<LruCache<(MatchId, AccountId), (i32, i32)>>);

impl Default for LastSeen {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(KEPT)))
    }
}

impl LastSeen {
    /// Notes it; false if that, or more, is noted already.
    fn note(&self, id: &MatchId, account: &AccountId, event: i32, talk: i32) -> bool {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = kept.get_or_insert_mut((id.clone(), account.clone()), || (0, 0));
        let is_news = last.0 < event || last.1 < talk;
        *last = (event.max(last.0), talk.max(last.1));
        is_news
    }
}

impl App {
    /// Notes that a page in front of the viewer shows the match as it is after `event`, and so many messages. A failure
    /// to write it costs at most a needless mail, so it stops nobody.
    pub async fn note_seen(&self, viewer: Option<&Viewer>, id: &MatchId, event: i32, talk: i32) {
        // What was just shown is in memory.
        let (Some(viewer), Some(state)) = (viewer, self.correspondence.cached(id)) else {
            return;
        };
        let event = event.min(state.head);
        let plays = state.joined.iter().any(|one| one.account == viewer.id);
        if !plays || !self.last_seen.note(id, &viewer.id, event, talk) {
            return;
        }
        let (id, account) = (id.clone(), viewer.id.clone());
        let noted: Result<(), StoreError> = self
            .store
            .write(move |conn| members::see_match(conn, &id, &account, event, talk))
            .await;
        if let Err(error) = noted {
            tracing::debug!(%error, "it could not be noted that a match was seen");
        }
    }
}
