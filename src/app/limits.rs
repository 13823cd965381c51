//! Rate limits, by account or by network address. Kept in memory: a restart forgives.

use std::num::NonZeroU32;

use governor::clock::{Clock as _, Reference};
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};

use super::guesses::Guesses;
use super::queue::Queue;
use super::{AppError, Clock};
use crate::secret::hash_token;

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
            /// Passwords that are hashed.
            pub hashing: Queue,
            /// Pages that replay, draw or read much.
            pub drawing: Queue,
        }

        pub const ALLOWANCES: &[Allowance] = &[
            $(Allowance { name: $name, burst: $burst, seconds: $seconds },)*
        ];

        impl Limits {
            pub fn new(clock: &Clock) -> Self {
                Self {
                    $($limiter: limiter(clock, $burst, $seconds),)*
                    guesses: Guesses::default(),
                    hashing: Queue::of_passwords(),
                    drawing: Queue::of_pages(),
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
    /// Challenges, invitations and offers of a class that one account sends.
    invite_account: "invitations, account", 20, 300;
    /// Those of one account to the same person.
    invite_person: "invitations to a person", 10, 600;
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
    use std::sync::Arc;

    use perplex_matches::time::Time;

    use super::{Clock, count, limiter, short};

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
