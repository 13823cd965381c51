//! What processes on one database tell each other: how far a match has come. Numbers only. They are told after the
//! commit, by one task of a process, those of one match together. They may be lost; then the next look at the matches
//! that pages listen to finds them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval, sleep};

use super::App;
use super::live::Live;
use crate::store::{Change, Heads, Kind, Store, heads};
use crate::workers::OTHERS;
use perplex_matches::id::MatchId;

/// The time between two checks.
const CHECK_INTERVAL: Duration = Duration::from_secs(3);
/// The pause before a connection that failed is replaced.
const PAUSE: Duration = Duration::from_secs(1);

#[derive(Default)]
struct Untold {
    heads: HashMap<MatchId, Heads>,
    /// True while a task tells them.
    is_telling: bool,
}

/// What other processes are still to be told.
#[derive(Default)]
pub struct Others(Mutex<Untold>);

impl Others {
    fn untold(&self) -> MutexGuard<'_, Untold> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if the caller has to begin to tell.
    fn add(&self, id: &MatchId, heads: Heads) -> bool {
        let mut untold = self.untold();
        let known = untold.heads.entry(id.clone()).or_default();
        *known = known.max(heads);
        !std::mem::replace(&mut untold.is_telling, true)
    }

    /// What to tell next. Nothing ends the task that tells.
    fn next(&self) -> Vec<Change> {
        let mut untold = self.untold();
        let heads = std::mem::take(&mut untold.heads);
        untold.is_telling = !heads.is_empty();
        let changes = heads.into_iter();
        changes
            .map(|(id, heads)| Change::Match { id, heads })
            .collect()
    }
}

/// A task that tells; if it is dropped on the way another one can begin.
struct Telling(Arc<Others>);

impl Telling {
    async fn run(self, store: Store) {
        loop {
            let changes = self.0.next();
            if changes.is_empty() {
                return;
            }
            if let Err(error) = store.announce(changes).await {
                tracing::debug!(%error, "other processes are not told of a change");
            }
        }
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        // One that ends as it should may have a successor already; two of them do no harm.
        self.0.untold().is_telling = false;
    }
}

impl App {
    /// Tells the open pages how far a match has come, here and in other processes.
    pub(super) fn tell<T>(&self, live: &Live<T>, id: &MatchId, heads: Heads) {
        live.tell(id, heads);
        // Only one process uses SQLite.
        if self.store.kind() == Kind::Postgres && self.others.add(id, heads) {
            let telling = Telling(Arc::clone(&self.others));
            tokio::spawn(telling.run(self.store.clone()));
        }
    }

    /// Tells the open pages about changes by other processes on the same database, until `stop` is done.
    pub async fn follow(&self, stop: impl Future<Output = ()>) {
        let mut stop = std::pin::pin!(stop);
        let Some(mut changes) = self.store.changes() else {
            return stop.await;
        };
        let mut checks = interval(CHECK_INTERVAL);
        checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let change = tokio::select! {
                () = &mut stop => return,
                change = changes.recv() => change,
                _ = checks.tick() => {
                    self.check_heads().await;
                    continue;
                }
            };
            match change {
                Some(Change::Match { id, heads }) => self.hear(&id, heads),
                Some(Change::Missed) => {
                    self.correspondence.live.tell_missed();
                    self.teams.live.tell_missed();
                }
                None => {
                    tracing::error!(
                        "other processes were heard no more; they are listened to anew"
                    );
                    self.workers().note(OTHERS);
                    tokio::select! {
                        () = &mut stop => return,
                        () = sleep(PAUSE) => {}
                    }
                    let Some(anew) = self.store.changes() else {
                        return stop.await;
                    };
                    changes = anew;
                }
            }
        }
    }

    fn hear(&self, id: &MatchId, heads: Heads) {
        // A match is of one kind, and pages of no other listen to it.
        self.correspondence.live.tell(id, heads);
        self.teams.live.tell(id, heads);
    }

    /// Finds what was not heard: a process may die between its commit and its message.
    async fn check_heads(&self) {
        let mut ids = self.correspondence.live.listened();
        ids.extend(self.teams.live.listened());
        if ids.is_empty() {
            return;
        }
        let all = self.store.look_up(move |conn| heads(conn, &ids)).await;
        match all {
            Ok(all) => all.iter().for_each(|(id, heads)| self.hear(id, *heads)),
            Err(error) => tracing::debug!(%error, "the progress of matches is not seen"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(event: i32) -> Heads {
        Heads {
            event,
            ..Heads::default()
        }
    }

    #[test]
    fn one_task_tells_of_each_match_once() {
        let others = Arc::new(Others::default());
        let [a, b] = ["a", "b"].map(|id| MatchId(id.to_owned()));
        assert!(others.add(&a, event(1)), "a task begins");
        assert!(
            !others.add(&a, event(3)) && !others.add(&a, event(2)) && !others.add(&b, event(5))
        );
        let mut told = others.next();
        told.sort_by_key(ToString::to_string);
        assert_eq!(
            told,
            [(&a, 3), (&b, 5)].map(|(id, number)| Change::Match {
                id: id.clone(),
                heads: event(number)
            })
        );
        // It goes on with what came meanwhile, and then ends.
        assert!(!others.add(&a, event(4)));
        assert_eq!(others.next().len(), 1);
        assert_eq!(others.next(), []);
        assert!(others.add(&a, event(5)), "another task begins");
        // One that ends on its way gives place to another.
        drop(Telling(Arc::clone(&others)));
        assert!(others.add(&a, event(6)));
    }
}
