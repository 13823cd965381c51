//! Rate limits, by account or by network address. Kept in memory: a restart forgives.

use std::collections::HashMap;
use std::fmt::Display;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use governor::clock::{Clock as _, Reference};
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::guesses::Guesses;
use super::{AppError, Clock};
use crate::secret::hash_token;
use perplex_matches::id::AccountId;

/// The limiters' clock: the application's, so that tests need no real time.
#[derive(Clone)]
pub struct LimitsClock(Clock);

/// An instant of that clock, in microseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant(i64);

fn in_micros(nanos: Nanos) -> i64 {
    i64::try_from(nanos.as_u64() / 1_000).unwrap_or(i64::MAX)
}

impl governor::clock::Clock for LimitsClock {
    type Instant = Instant;

    fn now(&self) -> Instant {
        Instant((self.0)().0)
    }
}

impl std::ops::Add<Nanos> for Instant {
    type Output = Self;

    fn add(self, nanos: Nanos) -> Self {
        Self(self.0.saturating_add(in_micros(nanos)))
    }
}

impl Reference for Instant {
    fn duration_since(&self, earlier: Self) -> Nanos {
        let micros = u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0);
        Nanos::new(micros.saturating_mul(1_000))
    }

    fn saturating_sub(&self, nanos: Nanos) -> Self {
        Self(self.0.saturating_sub(in_micros(nanos)))
    }
}

pub type Limiter =
    RateLimiter<String, DefaultKeyedStateStore<String>, LimitsClock, NoOpMiddleware<Instant>>;

/// Passwords that may wait to be hashed, about a second's work: of one visitor, and in the queue of all.
const WAITING: usize = 100;
/// Passwords of one visitor that are in the queue of all at once.
const IN_QUEUE: usize = 4;
/// Seconds after which a visitor who found the queue full may come again.
const QUEUE_IS_SHORTER: u64 = 3;
/// Above this many visitors, those who wait for nothing are forgotten.
const VISITORS: usize = 1_000;

/// The party whose password is hashed. Strangers never take the places of known accounts.
#[derive(Clone, Copy, Debug)]
pub enum Hasher<'a> {
    /// An account, in a session or on a known device.
    Account(&'a AccountId),
    /// A network of strangers.
    Network(&'a str),
}

impl Hasher<'_> {
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
    in_queue: Semaphore,
}

/// Hashes passwords, at some 20 milliseconds and 20 MB each, on as many threads as there are cores. A visitor who
/// sends many waits for them alone: others wait behind [`IN_QUEUE`] of them.
pub struct Hashing {
    accounts: Semaphore,
    networks: Semaphore,
    visitors: Mutex<HashMap<String, Arc<Turns>>>,
    threads: Arc<Semaphore>,
}

impl Default for Hashing {
    fn default() -> Self {
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self {
            accounts: Semaphore::new(cores + WAITING),
            networks: Semaphore::new(cores + WAITING),
            visitors: Mutex::default(),
            threads: Arc::new(Semaphore::new(cores)),
        }
    }
}

impl Hashing {
    fn turns_of(&self, visitor: Hasher<'_>) -> Arc<Turns> {
        let mut visitors = self.visitors.lock().unwrap_or_else(PoisonError::into_inner);
        if visitors.len() > VISITORS {
            visitors.retain(|_, turns| Arc::strong_count(turns) > 1);
        }
        let turns = visitors.entry(short(&visitor.key())).or_insert_with(|| {
            Arc::new(Turns {
                waiting: Semaphore::new(WAITING),
                in_queue: Semaphore::new(IN_QUEUE),
            })
        });
        Arc::clone(turns)
    }

    /// Runs `work` on a thread when it is the turn of `visitor`.
    pub async fn run<T: Send + 'static>(
        &self,
        visitor: Hasher<'_>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, AppError> {
        let broken = |error: &dyn Display| AppError::Internal(error.to_string());
        let turns = self.turns_of(visitor);
        let full = |_| AppError::TooOften(QUEUE_IS_SHORTER);
        let _waits = turns.waiting.try_acquire().map_err(full)?;
        let _comes = turns.in_queue.acquire().await;
        let queue = match visitor {
            Hasher::Account(_) => &self.accounts,
            Hasher::Network(_) => &self.networks,
        };
        let _place = queue.try_acquire().map_err(full)?;
        let turn = Arc::clone(&self.threads).acquire_owned().await;
        let turn = turn.map_err(|error| broken(&error))?;
        // The work goes on if its caller does not wait for it: the turn ends with the work.
        let done = spawn_blocking(move || {
            let _turn = turn;
            work()
        });
        done.await.map_err(|error| broken(&error))
    }
}

fn limiter(clock: &Clock, burst: u32, seconds: u64) -> Limiter {
    let burst = NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN);
    let period = std::time::Duration::from_secs(seconds.max(1));
    let quota = Quota::with_period(period).map(|quota| quota.allow_burst(burst));
    let quota = quota.unwrap_or_else(|| Quota::per_second(burst));
    let clock = LimitsClock(Clock::clone(clock));
    RateLimiter::new(quota, DefaultKeyedStateStore::default(), clock)
}

/// A limit: `burst` at once, then one each `seconds`.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// The name in `docs/security.md`, which says whom the limit may never stop.
    pub name: &'static str,
    pub burst: u32,
    pub seconds: u64,
}

macro_rules! limits {
    ($($(#[$meaning:meta])* $limiter:ident: $name:literal, $burst:literal, $seconds:literal;)*) => {
        pub struct Limits {
            $($(#[$meaning])* pub $limiter: Limiter,)*
            pub guesses: Guesses,
            pub hashing: Hashing,
        }

        pub const ALLOWANCES: &[Allowance] = &[
            $(Allowance { name: $name, burst: $burst, seconds: $seconds },)*
        ];

        impl Limits {
            pub fn new(clock: &Clock) -> Self {
                Self {
                    $($limiter: limiter(clock, $burst, $seconds),)*
                    guesses: Guesses::default(),
                    hashing: Hashing::default(),
                }
            }
        }
    };
}

limits! {
    sign_in_account: "sign-in, account", 10, 60;
    /// Codes of second factors.
    code_account: "code of the second factor", 10, 300;
    sign_in_address: "sign-in, network", 60, 5;
    /// Visitors of one network who begin to play without an account.
    guests_address: "guests, network", 40, 300;
    sign_up_address: "sign-up, network", 30, 60;
    /// Mails that visitors have sent to one e-mail address.
    mail_address: "mail to an address", 5, 600;
    invite_account: "invitations, account", 20, 300;
    /// One account's invitations to addresses, whether or not they have an account.
    invite_address: "invitations to addresses", 5, 3_600;
    talk_account: "talk", 20, 2;
    create_account: "things made", 50, 60;
    /// Devices of one network that ask to join one lesson.
    knocks: "knocks at a lesson", 60, 1;
    /// One device that asks to join one lesson.
    knocks_of_device: "knocks of a device", 5, 10;
    /// Takings of one pupil's name in a lesson.
    names_taken: "a name taken in a lesson", 10, 20;
    /// Mails for a new password that one network asks for.
    reset_address: "new passwords, network", 30, 60;
    /// Nicknames in one class.
    nicknames: "nicknames", 35, 20;
}

/// A key as it is stored: short, however long the typed text is, and without revealing it.
fn short(key: &str) -> String {
    hash_token(key)[..32].to_owned()
}

pub fn count(limiter: &Limiter, key: &str) -> Result<(), AppError> {
    // Keys that have recovered are forgotten now and then, so that memory is bounded.
    if limiter.len() > 10_000 {
        limiter.retain_recent();
    }
    limiter.check_key(&short(key)).map_err(|early| {
        let wait = early.wait_time_from(limiter.clock().now());
        AppError::TooOften(wait.as_secs().max(1))
    })
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, mpsc};

    use perplex_matches::time::Time;

    use super::{AppError, Clock, Hasher, Hashing, WAITING, count, limiter, short};

    #[tokio::test]
    async fn who_sends_many_passwords_waits_for_them_alone() {
        let hashing = Arc::new(Hashing::default());
        let (go, begin) = mpsc::channel::<()>();
        let begin = Arc::new(std::sync::Mutex::new(begin));
        let mut many = tokio::task::JoinSet::new();
        for _ in 0..=WAITING {
            let (hashing, begin) = (Arc::clone(&hashing), Arc::clone(&begin));
            many.spawn(async move {
                let work = move || begin.lock().expect("a lock").recv().is_ok();
                hashing.run(Hasher::Network("many"), work).await
            });
        }
        // When all others wait, one of them is told to come again.
        let refused = many.join_next().await.expect("one").expect("no panic");
        assert!(matches!(refused, Err(AppError::TooOften(_))), "{refused:?}");
        let other = tokio::spawn({
            let hashing = Arc::clone(&hashing);
            async move { hashing.run(Hasher::Network("other"), || ()).await }
        });
        while hashing
            .turns_of(Hasher::Network("other"))
            .waiting
            .available_permits()
            == WAITING
        {
            tokio::task::yield_now().await;
        }
        // After those few in the queue of all it is the other's turn.
        for _ in 0..super::IN_QUEUE {
            go.send(()).expect("they wait");
        }
        other.await.expect("no panic").expect("hashed");
        assert!(many.len() > WAITING / 2);
        drop(go);
        while let Some(done) = many.join_next().await {
            done.expect("no panic").expect("hashed");
        }
    }

    #[test]
    fn long_keys_are_kept_short_and_apart() {
        let (long, longer) = ("a".repeat(60_000), "a".repeat(60_001));
        assert_eq!(short(&long).len(), 32);
        let clock: Clock = Arc::new(|| Time(1));
        let once = limiter(&clock, 1, 60);
        count(&once, &long).expect("the first");
        assert!(count(&once, &long).is_err());
        count(&once, &longer).expect("another");
    }
}
