//! Workers: what goes on beside the requests for as long as the program runs. One that panics is started anew, and for
//! a while the program does not call itself well.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::task::spawn_local;
use tokio::time::{Instant, sleep};

/// The pause before a worker is started anew.
const PAUSE: Duration = Duration::from_secs(1);
/// A worker that has run for this time since it was started anew is well.
const PROBATION: Duration = Duration::from_mins(1);

#[derive(Default)]
pub struct Workers(Mutex<HashMap<&'static str, Instant>>);

impl Workers {
    /// Runs a worker until it ends by itself; as often as it panics, it is started anew.
    pub async fn keep<Work: Future<Output = ()> + 'static>(
        &self,
        name: &'static str,
        worker: impl Fn() -> Work,
    ) {
        while let Err(error) = spawn_local(worker()).await {
            tracing::error!(name, %error, "a worker ended badly, and is started anew");
            self.note(name);
            sleep(PAUSE).await;
        }
    }

    fn note(&self, name: &'static str) {
        let mut fallen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        fallen.insert(name, Instant::now());
    }

    /// The worker that ended badly last, if that was a short time ago.
    pub fn fallen(&self) -> Option<&'static str> {
        let fallen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = fallen.iter().max_by_key(|(_, at)| **at);
        last.filter(|(_, at)| at.elapsed() < PROBATION)
            .map(|(name, _)| *name)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use tokio::runtime::Builder;
    use tokio::task::LocalSet;

    use super::Workers;

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
        };
        LocalSet::new().block_on(&runtime.expect("a runtime"), story);
    }
}
