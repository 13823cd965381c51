//! How often things may be done, by account or by network address. Kept in memory: a restart
//! forgives.

use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use super::AppError;
use perplex_matches::time::Time;

pub struct Limits {
    /// Attempts to sign in to one account: 10 at once, then one a minute.
    pub sign_in_account: DefaultKeyedRateLimiter<String>,
    /// Attempts to sign in from one address: 60 at once, then one every 5 seconds.
    pub sign_in_address: DefaultKeyedRateLimiter<String>,
    /// New accounts from one address: 30 at once, then one a minute.
    pub sign_up_address: DefaultKeyedRateLimiter<String>,
    /// Mails that visitors have sent to one e-mail address: 5 at once, then one every 10 minutes.
    pub mail_address: DefaultKeyedRateLimiter<String>,
    /// Invitations by e-mail from one account: 20 at once, then one every 5 minutes.
    pub invite_account: DefaultKeyedRateLimiter<String>,
    /// Lines of talk by one account: 20 at once, then one every 2 seconds.
    pub talk_account: DefaultKeyedRateLimiter<String>,
    /// New matches by one account: 50 at once, then one a minute.
    pub create_account: DefaultKeyedRateLimiter<String>,
    /// Pupils who come to the lessons of one class by a code: 60 at once, then one a second.
    pub come_class: DefaultKeyedRateLimiter<String>,
    /// Wrong join codes, of everybody together.
    pub codes: Throttle,
}

/// How many wrong codes are let through without waiting.
const WRONG_CODES: i64 = 30;
/// How long one wrong code slows down those that come after it, in microseconds.
const WRONG_CODE: i64 = 200_000;
/// The longest wait, in microseconds.
const LONGEST_WAIT: i64 = 20_000_000;

/// Slows down the trying of join codes, over all visitors: a whole school comes from one network
/// address. Right codes cost nothing; when many wrong ones came, everybody waits for a turn.
#[derive(Default)]
pub struct Throttle(Mutex<i64>);

impl Throttle {
    /// A visitor tries a code at `now`: how long to wait before looking it up.
    /// Errors: [`AppError::TooOften`] if too many wait already.
    pub fn enter(&self, now: Time) -> Result<Duration, AppError> {
        let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let after = (*free).max(now.0) + WRONG_CODE;
        let wait = (after - now.0 - WRONG_CODES * WRONG_CODE).max(0);
        if wait > LONGEST_WAIT {
            let seconds = u64::try_from(wait / 1_000_000).unwrap_or(1);
            return Err(AppError::TooOften(seconds));
        }
        *free = after;
        Ok(Duration::from_micros(u64::try_from(wait).unwrap_or(0)))
    }

    pub fn was_right(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) -= WRONG_CODE;
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
            sign_in_address: limiter(60, 5),
            sign_up_address: limiter(30, 60),
            mail_address: limiter(5, 600),
            invite_account: limiter(20, 300),
            talk_account: limiter(20, 2),
            create_account: limiter(50, 60),
            come_class: limiter(60, 1),
            codes: Throttle::default(),
        }
    }
}

/// Counts one more for `key`.
/// Errors: [`AppError::TooOften`] with the seconds to wait.
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
