//! Telling open pages about changes. Only numbers are told ("match 7 is at 42"); the pages fetch the content through
//! the ordinary, authorised routes.
//!
//! The match decides which viewer may hear which numbers. So a listener that hears of a change reads the match again,
//! but once for all listeners in this process: the first to hear reads, and the others take its result
//! ([`Listening::latest`]).
//!
//! Processes on one PostgreSQL tell each other ([`super::App::follow`]).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{self, watch};

use crate::store::Heads;
use perplex_matches::id::MatchId;

/// The numbers that listeners are told; they only grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct Announced {
    heads: Heads,
    /// Number of times that news may have been lost.
    missed: u32,
}

/// The last result read of a match, and the numbers told before it was read.
type SharedRead<T> = Arc<sync::Mutex<Option<(Announced, Arc<T>)>>>;

struct Topic<T> {
    told: watch::Sender<Announced>,
    read: SharedRead<T>,
}

/// The matches that pages listen to; a `T` is the result read once for all listeners of a match.
pub struct Live<T> {
    topics: Mutex<HashMap<MatchId, Topic<T>>>,
}

impl<T> Default for Live<T> {
    fn default() -> Self {
        Self {
            topics: Mutex::default(),
        }
    }
}

impl<T> Live<T> {
    pub fn listen(&self, id: &MatchId) -> Listening<T> {
        let mut topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        if !topics.contains_key(id) {
            // Topics without listeners are dropped when a listener is added.
            topics.retain(|_, topic| topic.told.receiver_count() > 0);
        }
        let topic = topics.entry(id.clone()).or_insert_with(|| Topic {
            told: watch::Sender::default(),
            read: SharedRead::default(),
        });
        Listening {
            told: topic.told.subscribe(),
            read: Arc::clone(&topic.read),
        }
    }

    pub fn tell(&self, id: &MatchId, heads: Heads) {
        let topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(topic) = topics.get(id) {
            topic.told.send_if_modified(|told| {
                let next = told.heads.max(heads);
                let changed = told.heads != next;
                told.heads = next;
                changed
            });
        }
    }

    /// The matches that pages listen to.
    pub(super) fn listened(&self) -> Vec<MatchId> {
        let topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        let heard = topics
            .iter()
            .filter(|(_, topic)| topic.told.receiver_count() > 0);
        heard.map(|(id, _)| id.clone()).collect()
    }

    pub(super) fn tell_missed(&self) {
        let topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        for topic in topics.values() {
            topic.told.send_modify(|told| told.missed += 1);
        }
    }
}

pub struct Listening<T> {
    told: watch::Receiver<Announced>,
    read: SharedRead<T>,
}

impl<T> Listening<T> {
    /// Waits for news. A listener that reads before it hears has missed nothing.
    pub async fn changed(&mut self) {
        if self.told.changed().await.is_err() {
            // The application is gone: nothing can change any more.
            std::future::pending::<()>().await;
        }
    }

    /// The progress of the match, by the numbers told since the first listener came.
    pub fn heads(&self) -> Heads {
        self.told.borrow().heads
    }

    /// The result of `reading`, or the one that another listener has read since the last change was told.
    pub async fn latest<E>(
        &mut self,
        reading: impl Future<Output = Result<T, E>>,
    ) -> Result<Arc<T>, E> {
        let told = *self.told.borrow_and_update();
        let mut read = self.read.lock().await;
        if let Some((before, read)) = &*read
            && before.missed >= told.missed
            && before.heads == before.heads.max(told.heads)
        {
            return Ok(Arc::clone(read));
        }
        let fresh = Arc::new(reading.await?);
        *read = Some((told, Arc::clone(&fresh)));
        Ok(fresh)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicI32, Ordering};

    use futures_util::future::join_all;

    use super::*;

    #[tokio::test]
    async fn one_reads_for_all() {
        let live = Live::<i32>::default();
        let id = MatchId("a".to_owned());
        let mut all: Vec<_> = (0..40).map(|_| live.listen(&id)).collect();
        let reads = AtomicI32::new(0);
        let event = |event| Heads {
            event,
            ..Heads::default()
        };
        for (number, change) in (1..).zip([Some(5), Some(7), None, Some(8), None]) {
            match change {
                Some(head) => live.tell(&id, event(head)),
                None => live.tell_missed(),
            }
            let looks = all.iter_mut().map(async |listening| {
                listening.changed().await;
                let reading = async {
                    tokio::task::yield_now().await;
                    Ok::<_, Infallible>(reads.fetch_add(1, Ordering::SeqCst) + 1)
                };
                *listening.latest(reading).await.unwrap_or_default()
            });
            assert_eq!(join_all(looks).await, [number; 40]);
        }
        // A number told late is known already.
        live.tell(&id, event(3));
        for listening in &all {
            assert!(!listening.told.has_changed().expect("live"));
            assert_eq!(listening.heads(), event(8));
        }
        // A later listener, and another match.
        let mut late = live.listen(&id);
        assert_eq!(
            late.latest(async { Err("read again") }).await.as_deref(),
            Ok(&5)
        );
        let mut other = live.listen(&MatchId("b".to_owned()));
        let failed = other.latest(async { Err("out of order") }).await;
        assert_eq!(failed, Err("out of order"));
        // Only the listener that read gets the error.
        live.tell(&id, event(9));
        let failed = all[0].latest(async { Err("out of order") }).await;
        assert_eq!(failed, Err("out of order"));
        let read = all[1].latest(async { Ok::<_, Infallible>(9) }).await;
        assert_eq!(read.as_deref(), Ok(&9));
    }
}
