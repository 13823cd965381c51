//! Queues for work that takes long, beside the threads that answer: a visitor who asks for much waits for it alone.

use std::collections::HashMap;
use std::fmt::Display;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::AppError;
use perplex_matches::id::AccountId;

/// Pieces of work that may wait: of one visitor, and in the queue of all.
const WAITING: usize = 100;
/// Seconds after which a visitor who found the queue full may come again.
const QUEUE_IS_SHORTER: u64 = 3;
/// Above this many visitors, those who wait for nothing are forgotten.
const VISITORS: usize = 1_000;

/// The party for whom work is done. Strangers never take the places of known accounts.
#[derive(Clone, Copy, Debug)]
pub enum Party<'a> {
    /// An account, in a session or on a known device.
    Account(&'a AccountId),
    /// A network of strangers.
    Network(&'a str),
}

impl Party<'_> {
    fn key(self) -> String {
        match self {
            Self::Account(id) => format!("account {id}"),
            Self::Network(network) => format!("network {network}"),
        }
    }
}

/// The queues of one visitor.
struct Turns {
    waiting: Semaphore,
    in_queue: Arc<Semaphore>,
}

/// Does work on a few threads. A visitor who sends much waits for it alone: others wait behind the few pieces of it
/// that are in the queue of all.
pub struct Queue {
    accounts: Semaphore,
    networks: Semaphore,
    visitors: Mutex<HashMap<String, Arc<Turns>>>,
    threads: Arc<Semaphore>,
    /// The threads that work for strangers at most.
    for_networks: Arc<Semaphore>,
    /// Pieces of one visitor that are in the queue of all at once.
    share: usize,
}

impl Queue {
    fn new(threads: usize, for_networks: usize, share: usize) -> Self {
        Self {
            accounts: Semaphore::new(threads + WAITING),
            networks: Semaphore::new(threads + WAITING),
            visitors: Mutex::default(),
            threads: Arc::new(Semaphore::new(threads)),
            for_networks: Arc::new(Semaphore::new(for_networks)),
            share,
        }
    }

    /// For passwords, at some 20 milliseconds and 20 MB each, on as many threads as there are cores.
    pub fn of_passwords() -> Self {
        let cores = cores();
        Self::new(cores, cores, 4)
    }

    /// For pages; strangers have half of the threads, and no visitor has all.
    pub fn of_pages() -> Self {
        let cores = cores();
        let share = (cores - 1).clamp(1, 2);
        Self::new(cores, cores.div_ceil(2), share)
    }

    fn turns_of(&self, visitor: Party<'_>) -> Arc<Turns> {
        let mut visitors = self.visitors.lock().unwrap_or_else(PoisonError::into_inner);
        if visitors.len() > VISITORS {
            visitors.retain(|_, turns| Arc::strong_count(turns) > 1);
        }
        let turns = visitors.entry(visitor.key()).or_insert_with(|| {
            Arc::new(Turns {
                waiting: Semaphore::new(WAITING),
                in_queue: Arc::new(Semaphore::new(self.share)),
            })
        });
        Arc::clone(turns)
    }

    /// Runs `work` on a thread when it is the turn of `visitor`.
    /// Errors: too much of the visitor, or of all, waits already.
    pub async fn run<T: Send + 'static>(
        &self,
        visitor: Party<'_>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, AppError> {
        let broken = |error: &dyn Display| AppError::Internal(error.to_string());
        let turns = self.turns_of(visitor);
        let full = |_| AppError::TooOften(QUEUE_IS_SHORTER);
        let _waits = turns.waiting.try_acquire().map_err(full)?;
        let turn = async |of: &Arc<Semaphore>| {
            let turn = Arc::clone(of).acquire_owned().await;
            turn.map_err(|error| broken(&error))
        };
        let own = turn(&turns.in_queue).await?;
        let (queue, few) = match visitor {
            Party::Account(_) => (&self.accounts, None),
            Party::Network(_) => (&self.networks, Some(&self.for_networks)),
        };
        let _place = queue.try_acquire().map_err(full)?;
        let one_of_few = match few {
            Some(few) => Some(turn(few).await?),
            None => None,
        };
        let thread = turn(&self.threads).await?;
        // The work goes on if its caller does not wait for it: the turns end with the work.
        let done = spawn_blocking(move || {
            let _turns = (own, one_of_few, thread);
            work()
        });
        done.await.map_err(|error| broken(&error))
    }
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, mpsc};

    use super::*;

    #[tokio::test]
    async fn who_sends_much_waits_for_it_alone() {
        let hashing = Arc::new(Queue::of_passwords());
        let (go, begin) = mpsc::channel::<()>();
        let begin = Arc::new(std::sync::Mutex::new(begin));
        let mut many = tokio::task::JoinSet::new();
        for _ in 0..=WAITING {
            let (hashing, begin) = (Arc::clone(&hashing), Arc::clone(&begin));
            many.spawn(async move {
                let work = move || begin.lock().expect("a lock").recv().is_ok();
                hashing.run(Party::Network("many"), work).await
            });
        }
        // When all others wait, one of them is told to come again.
        let refused = many.join_next().await.expect("one").expect("no panic");
        assert!(matches!(refused, Err(AppError::TooOften(_))), "{refused:?}");
        let other = tokio::spawn({
            let hashing = Arc::clone(&hashing);
            async move { hashing.run(Party::Network("other"), || ()).await }
        });
        while hashing
            .turns_of(Party::Network("other"))
            .waiting
            .available_permits()
            == WAITING
        {
            tokio::task::yield_now().await;
        }
        // After those few in the queue of all it is the other's turn.
        for _ in 0..hashing.share {
            go.send(()).expect("they wait");
        }
        other.await.expect("no panic").expect("hashed");
        assert!(many.len() > WAITING / 2);
        drop(go);
        while let Some(done) = many.join_next().await {
            done.expect("no panic").expect("hashed");
        }
    }
}
