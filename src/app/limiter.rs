//! A limit by key, in memory of a fixed size: an attempt costs the same, however many keys there are.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::Clock;

/// The keys that a table has room for, and the places among which each finds its own.
const ROOM: usize = 1 << 16;
const PLACES: usize = 8;

/// A number for each key; zero for a key that is not there. A new key takes the place of the least number among those
/// where it could be. So a key with a great number stays, however many others an attacker makes up: which of them
/// share their places is drawn by chance at each start.
pub struct Table {
    seed: RandomState,
    places: Mutex<Places>,
}

struct Places {
    keys: Vec<u64>,
    numbers: Vec<i64>,
}

impl Default for Table {
    fn default() -> Self {
        let places = Places {
            keys: vec![0; ROOM],
            numbers: vec![0; ROOM],
        };
        Self {
            seed: RandomState::new(),
            places: Mutex::new(places),
        }
    }
}

impl Table {
    /// Looks at the number of a key, and perhaps changes it.
    pub fn with<T>(&self, key: &str, change: impl FnOnce(&mut i64) -> T) -> T {
        // Zero is the key of an empty place.
        let key = self.seed.hash_one(key).max(1);
        let first = usize::try_from(key % (ROOM / PLACES) as u64).unwrap_or(0) * PLACES;
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let Places { keys, numbers } = &mut *places;
        let among = first..first + PLACES;
        let known = among.clone().find(|at| keys[*at] == key);
        let before = known.map_or(0, |at| numbers[at]);
        let mut number = before;
        let result = change(&mut number);
        if number != before {
            let least = || among.min_by_key(|at| numbers[*at]);
            let at = known.or_else(least).unwrap_or(first);
            (keys[at], numbers[at]) = (key, number);
        }
        result
    }
}

/// A limit: so many at once, and one more after each period.
pub struct Limiter {
    clock: Clock,
    burst: i64,
    /// In microseconds.
    period: i64,
    /// For each key the steady time at which all is forgiven (the generic cell rate algorithm's theoretical arrival time).
    forgiven: Table,
}

pub(super) fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

impl Limiter {
    pub fn new(clock: &Clock, burst: u32, period: Duration) -> Self {
        Self {
            clock: clock.clone(),
            burst: i64::from(burst.max(1)),
            period: micros(period).max(1),
            forgiven: Table::default(),
        }
    }

    /// Runs `count` with the time until one more is allowed, zero if it is now; the time at which all is forgiven; and the
    /// latest that this is, however many were too many, and whatever the clock did: after twice the time of the burst.
    fn with<T>(&self, key: &str, count: impl FnOnce(Duration, &mut i64, i64) -> T) -> T {
        let now = micros(self.clock.steady());
        let latest = now + 2 * self.burst * self.period;
        self.forgiven.with(key, |kept| {
            let mut forgiven = (*kept).clamp(now, latest);
            let before = forgiven;
            let wait = forgiven - now - (self.burst - 1) * self.period;
            let wait = Duration::from_micros(u64::try_from(wait).unwrap_or(0));
            let result = count(wait, &mut forgiven, latest);
            if forgiven != before {
                *kept = forgiven;
            }
            result
        })
    }

    /// The time until one more is allowed; zero if it is now.
    pub fn wait(&self, key: &str) -> Duration {
        self.with(key, |wait, _, _| wait)
    }

    /// Counts one more.
    ///
    /// # Errors
    /// The time until it is allowed; then it is not counted.
    pub fn take(&self, key: &str) -> Result<(), Duration> {
        self.with(key, |wait, forgiven, _| {
            if !wait.is_zero() {
                return Err(wait);
            }
            *forgiven += self.period;
            Ok(())
        })
    }

    /// Counts one more, allowed or not. Gives the charge, to be [given back](Self::refund).
    pub fn charge(&self, key: &str) -> i64 {
        self.with(key, |_, forgiven, latest| {
            let charge = self.period.min(latest - *forgiven);
            *forgiven += charge;
            charge
        })
    }

    pub fn refund(&self, key: &str, charge: i64) {
        self.with(key, |_, forgiven, _| *forgiven -= charge);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, Ordering};
    use std::time::Duration;

    use perplex_matches::time::Time;

    use super::{Clock, Limiter, ROOM};

    const MINUTE: Duration = Duration::from_mins(1);

    fn clock() -> (Arc<AtomicI64>, Clock) {
        let time = Arc::new(AtomicI64::new(1_800_000_000_000_000));
        let read = Arc::clone(&time);
        let clock = Clock::never_set(move || Time(read.load(Ordering::SeqCst)));
        (time, clock)
    }

    #[test]
    fn so_many_at_once_and_then_one_by_one() {
        let (time, clock) = clock();
        let limiter = Limiter::new(&clock, 3, MINUTE);
        for _ in 0..3 {
            limiter.take("a").expect("at once");
        }
        assert_eq!(limiter.take("a"), Err(MINUTE));
        assert_eq!(
            limiter.take("a"),
            Err(MINUTE),
            "a refused one costs nothing"
        );
        limiter.take("b").expect("another");
        time.fetch_add(60_000_000, Ordering::SeqCst);
        limiter.take("a").expect("a minute later");
        assert_eq!(limiter.take("a"), Err(MINUTE));
    }

    #[test]
    fn a_charge_is_given_back_and_no_more() {
        let (_, clock) = clock();
        let limiter = Limiter::new(&clock, 3, MINUTE);
        let charges: Vec<i64> = (0..100).map(|_| limiter.charge("a")).collect();
        // All is forgiven after six minutes, and not after a hundred.
        assert_eq!(limiter.wait("a"), 4 * MINUTE);
        assert_eq!(charges.iter().sum::<i64>(), 6 * 60_000_000);
        // A charge that was too many gives nothing back.
        limiter.refund("a", charges[99]);
        assert_eq!(limiter.wait("a"), 4 * MINUTE);
        for charge in charges {
            limiter.refund("a", charge);
        }
        assert!(limiter.wait("a").is_zero());
        for _ in 0..3 {
            limiter.take("a").expect("as at first");
        }
        limiter.take("a").expect_err("as at first");
    }

    #[test]
    fn keys_that_are_made_up_free_none_that_is_spent() {
        let (_, clock) = clock();
        let limiter = Limiter::new(&clock, 10, MINUTE);
        let spent: Vec<String> = (0..100).map(|number| format!("spent {number}")).collect();
        for key in &spent {
            while limiter.take(key).is_ok() {}
        }
        for number in 0..4 * ROOM {
            let _ = limiter.take(&number.to_string());
        }
        for key in &spent {
            limiter.take(key).expect_err("it is spent");
        }
        // And the table is no larger than it was.
        let places = limiter.forgiven.places.lock().expect("a lock");
        assert_eq!((places.keys.len(), places.numbers.len()), (ROOM, ROOM));
    }

    #[test]
    fn a_clock_that_is_set_costs_nobody() {
        let (passed, shown) = (Arc::new(AtomicI64::new(0)), Arc::new(AtomicI64::new(0)));
        let (steady, wall) = (Arc::clone(&passed), Arc::clone(&shown));
        let clock = Clock::new(
            move || Time(wall.load(Ordering::SeqCst)),
            move || Time(0).until(Time(steady.load(Ordering::SeqCst))),
        );
        let limiter = Limiter::new(&clock, 3, MINUTE);
        while limiter.take("a").is_ok() {}
        for set in [86_400_000_000, -86_400_000_000, 0] {
            shown.store(set, Ordering::SeqCst);
            assert_eq!(limiter.wait("a"), MINUTE);
        }
        passed.fetch_add(60_000_000, Ordering::SeqCst);
        limiter.take("a").expect("a minute later");
    }
}
