//! Workers: what goes on beside the requests for as long as the program runs. One that panics is started anew, and for
//! a while the program does not call itself well.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

/// The worker that hears what other processes on the same database change.
pub const OTHERS: &str = "changes by other processes";

/// The pause before a worker is started anew.
const PAUSE: Duration = Duration::from_secs(1);
/// A worker that has run for this time since it was started anew is well.
const PROBATION: Duration = Duration::from_mins(1);

/// The workers that ended badly, and when they did last. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Workers(Arc<Mutex<HashMap<&'static str, Instant>>>);

impl Workers {
    /// Runs a worker until it ends by itself, or nobody waits for this; as often as it panics, it is started anew.
    pub async fn keep<Work: Future<Output = ()> + 'static>(
        &self,
        name: &'static str,
        worker: impl Fn() -> Work,
    ) {
        // A set ends its task with itself.
        let mut running = JoinSet::new();
        running.spawn_local(worker());
        while let Some(Err(error)) = running.join_next().await {
            tracing::error!(name, %error, "a worker ended badly, and is started anew");
            self.note(name);
            sleep(PAUSE).await;
            running.spawn_local(worker());
        }
    }

    /// Takes down that a worker ended badly.
    pub fn note(&self, name: &'static str) {
        let mut fallen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        fallen.insert(name, Instant::now());
    }

    /// The worker that ended badly last, if that was a short time ago.
    pub fn fallen(&self) -> Option<&'static str> {
        self.fallen_before(Instant::now())
    }

    fn fallen_before(&self, now: Instant) -> Option<&'static str> {
        let fallen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = fallen.iter().max_by_key(|(_, at)| **at);
        last.filter(|(_, at)| now.duration_since(**at) < PROBATION)
            .map(|(name, _)| *name)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use tokio::runtime::Builder;
    use tokio::task::LocalSet;

    use super::*;

    #[test]
    fn a_worker_that_panics_is_started_anew_and_health_says_so() {
        let runtime = Builder::new_current_thread().enable_time().build();
        let story = async {
            let (workers, runs) = (Workers::default(), Rc::new(Cell::new(0)));
            let counted = Rc::clone(&runs);
            let kept = workers.keep("mail", || {
                let runs = Rc::clone(&counted);
                async move {
                    runs.set(runs.get() + 1);
                    assert!(runs.get() == 3, "it fails twice");
                }
            });
            assert_eq!(workers.fallen(), None);
            kept.await;
            assert_eq!(runs.get(), 3);
            assert_eq!(workers.fallen(), Some("mail"));
            let later = Instant::now() + PROBATION;
            assert_eq!(workers.fallen_before(later), None);
        };
        LocalSet::new().block_on(&runtime.expect("a runtime"), story);
    }
}
