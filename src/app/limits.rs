//! How often things may be done, by account or by network address. Kept in memory: a restart
//! forgives.

use std::fmt::Display;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;
use std::thread;

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::AppError;
use super::guesses::Guesses;

pub struct Limits {
    pub sign_in_account: DefaultKeyedRateLimiter<String>,
    /// Codes of second factors: 10 at once, then one every 5 minutes.
    pub code_account: DefaultKeyedRateLimiter<String>,
    pub sign_in_address: DefaultKeyedRateLimiter<String>,
    pub sign_up_address: DefaultKeyedRateLimiter<String>,
    /// Mails that visitors have sent to one e-mail address: 5 at once, then one every 10 minutes.
    pub mail_address: DefaultKeyedRateLimiter<String>,
    pub invite_account: DefaultKeyedRateLimiter<String>,
    /// Invitations of one account to addresses, whether they have an account or not: 5 an hour.
    pub invite_address: DefaultKeyedRateLimiter<String>,
    pub talk_account: DefaultKeyedRateLimiter<String>,
    pub create_account: DefaultKeyedRateLimiter<String>,
    /// Devices of one network that knock at one lesson: 60 at once, then one a second.
    pub knocks: DefaultKeyedRateLimiter<String>,
    /// Nicknames in one class: a room full at once, then three a minute.
    pub nicknames: DefaultKeyedRateLimiter<String>,
    pub guesses: Guesses,
    pub hashing: Hashing,
}

/// How many passwords may wait to be hashed: about a second's.
const WAITING: usize = 100;
/// When those who found the queue full may come again, in seconds.
const QUEUE_IS_SHORTER: u64 = 3;

/// Passwords are hashed, which takes some 20 milliseconds and 20 MB each, by as many threads as there are cores.
pub struct Hashing {
    queue: Semaphore,
    threads: Arc<Semaphore>,
}

impl Default for Hashing {
    fn default() -> Self {
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self {
            queue: Semaphore::new(cores + WAITING),
            threads: Arc::new(Semaphore::new(cores)),
        }
    }
}

impl Hashing {
    /// Runs `work` on a thread when its turn has come.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, AppError> {
        let broken = |error: &dyn Display| AppError::Internal(error.to_string());
        let place = self.queue.try_acquire();
        let _place = place.map_err(|_| AppError::TooOften(QUEUE_IS_SHORTER))?;
        let turn = Arc::clone(&self.threads).acquire_owned().await;
        let turn = turn.map_err(|error| broken(&error))?;
        // Work goes on if its caller does not wait for it: the turn ends with the work.
        let done = spawn_blocking(move || {
            let _turn = turn;
            work()
        });
        done.await.map_err(|error| broken(&error))
    }
}

fn limiter(burst: u32, seconds: u64) -> DefaultKeyedRateLimiter<String> {
    let burst = NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN);
    let period = std::time::Duration::from_secs(seconds.max(1));
    let quota = Quota::with_period(period).map(|quota| quota.allow_burst(burst));
    RateLimiter::keyed(quota.unwrap_or_else(|| Quota::per_second(burst)))
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            sign_in_account: limiter(10, 60),
            code_account: limiter(10, 300),
            sign_in_address: limiter(60, 5),
            sign_up_address: limiter(30, 60),
            mail_address: limiter(5, 600),
            invite_account: limiter(20, 300),
            invite_address: limiter(5, 3_600),
            talk_account: limiter(20, 2),
            create_account: limiter(50, 60),
            knocks: limiter(60, 1),
            nicknames: limiter(35, 20),
            guesses: Guesses::default(),
            hashing: Hashing::default(),
        }
    }
}

pub fn count(limiter: &DefaultKeyedRateLimiter<String>, key: &str) -> Result<(), AppError> {
    // Keys that have recovered are forgotten now and then, so that memory is bounded.
    if limiter.len() > 10_000 {
        limiter.retain_recent();
    }
    limiter.check_key(&key.to_owned()).map_err(|early| {
        let wait = early.wait_time_from(DefaultClock::default().now());
        AppError::TooOften(wait.as_secs().max(1))
    })
}
