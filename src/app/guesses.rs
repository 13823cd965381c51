//! Wrong guesses at secrets that are short: the codes of lessons, and the three words of pupils.
//!
//! A right guess costs nothing. A wrong one is charged to the device, to the pupil and the class that it was about, and
//! to the network, in turn: one device that guesses is stopped alone, and so are guesses at one pupil's words; a class and
//! a network, which a whole school shares, are only slowed down. A device on which pupils have signed in is charged
//! for what they do, and for nothing that others do.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use perplex_matches::id::{AccountId, ClassId};
use perplex_matches::time::Time;

use super::{AppError, Visitor};

/// How long a guess waits if its class or network has guessed wrong too often, and how many of a network may wait.
const SLOW: Duration = Duration::from_secs(3);
const WAITING: usize = 60;
const QUEUE_IS_SHORTER: u64 = 3;

/// Above this many keys those that have recovered are forgotten.
const KEYS: usize = 10_000;

/// So many wrong guesses at once, and one more after each period.
struct Tier {
    burst: i64,
    /// In microseconds.
    period: i64,
    /// For each key the time at which all is forgiven (the generic cell rate algorithm's theoretical arrival time).
    forgiven: Mutex<HashMap<String, i64>>,
}

impl Tier {
    fn new(burst: i64, milliseconds: i64) -> Self {
        Self {
            burst,
            period: milliseconds * 1_000,
            forgiven: Mutex::default(),
        }
    }

    fn with<T>(&self, change: impl FnOnce(&mut HashMap<String, i64>) -> T) -> T {
        let mut forgiven = self.forgiven.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut forgiven)
    }

    /// How long until one more wrong guess is allowed.
    fn wait(&self, key: &str, now: Time) -> Duration {
        let forgiven = self.with(|keys| keys.get(key).copied().unwrap_or(0));
        let wait = forgiven - now.0 - (self.burst - 1) * self.period;
        Duration::from_micros(u64::try_from(wait).unwrap_or(0))
    }

    fn charge(&self, key: &str, now: Time) {
        self.with(|keys| {
            if keys.len() > KEYS {
                keys.retain(|_, forgiven| *forgiven > now.0);
            }
            let forgiven = keys.entry(key.to_owned()).or_default();
            *forgiven = (*forgiven).max(now.0) + self.period;
        });
    }

    fn refund(&self, key: &str) {
        self.with(|keys| {
            if let Some(forgiven) = keys.get_mut(key) {
                *forgiven -= self.period;
            }
        });
    }
}

pub struct Guesses {
    /// How long what is slowed down waits; no time in tests.
    pub pause: Duration,
    device: Tier,
    pupil: Tier,
    class: Tier,
    network: Tier,
    slow: Mutex<HashMap<String, usize>>,
}

impl Default for Guesses {
    fn default() -> Self {
        Self {
            pause: SLOW,
            device: Tier::new(20, 10_000),
            pupil: Tier::new(10, 60_000),
            class: Tier::new(60, 5_000),
            network: Tier::new(300, 200),
            slow: Mutex::default(),
        }
    }
}

/// A guess that is being looked at: it stays charged unless it was right.
#[must_use]
pub struct Guess<'a>(Vec<(&'a Tier, String)>);

impl Guess<'_> {
    pub fn was_right(self) {
        for (tier, key) in self.0 {
            tier.refund(&key);
        }
    }
}

/// One of the guesses that wait, in one network.
struct Slow<'a>(&'a Guesses, String);

impl Drop for Slow<'_> {
    fn drop(&mut self) {
        let mut slow = self.0.slow.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(waiting) = slow.get_mut(&self.1) {
            *waiting -= 1;
            if *waiting == 0 {
                slow.remove(&self.1);
            }
        }
    }
}

impl Guesses {
    /// A visitor guesses at the words of a pupil of a class, or at a code. Gives the guess when it may be looked at.
    ///
    /// # Errors
    /// [`AppError::TooOften`]: the device or the pupil has had too many wrong ones, or too many wait in the network.
    pub async fn enter(
        &self,
        visitor: &Visitor,
        about: Option<(&AccountId, &ClassId)>,
        now: Time,
    ) -> Result<Guess<'_>, AppError> {
        let signed_in_here = visitor.pupils.first();
        let known = match about {
            Some((pupil, _)) => visitor.pupils.contains(pupil),
            None => signed_in_here.is_some(),
        };
        let device = signed_in_here.map_or(&visitor.browser, |pupil| &pupil.0);
        let mut tiers = Vec::new();
        if !device.is_empty() {
            tiers.push((&self.device, device.clone()));
        }
        if let (Some((pupil, _)), false) = (about, known) {
            tiers.push((&self.pupil, pupil.0.clone()));
        }
        for (tier, key) in &tiers {
            let wait = tier.wait(key, now);
            if !wait.is_zero() {
                return Err(AppError::TooOften(wait.as_secs() + 1));
            }
        }
        // These are shared with people who guess nothing: they go on, if more slowly.
        let network = visitor.network();
        let mut slow = false;
        if !known {
            let class = about.map(|(_, class)| (&self.class, class.0.clone()));
            let shared = class.into_iter().chain([(&self.network, network.clone())]);
            for (tier, key) in shared {
                slow |= !tier.wait(&key, now).is_zero();
                tiers.push((tier, key));
            }
        }
        for (tier, key) in &tiers {
            tier.charge(key, now);
        }
        let guess = Guess(tiers);
        if slow && let Err(error) = self.slow_down(network).await {
            guess.was_right();
            return Err(error);
        }
        Ok(guess)
    }

    /// Waits, for a visitor in a network that has tried too often.
    ///
    /// # Errors
    /// [`AppError::TooOften`]: too many wait in it.
    pub async fn slow_down(&self, network: String) -> Result<(), AppError> {
        let place = self.place(network);
        let _place = place.ok_or(AppError::TooOften(QUEUE_IS_SHORTER))?;
        tokio::time::sleep(self.pause).await;
        Ok(())
    }

    fn place(&self, network: String) -> Option<Slow<'_>> {
        let mut slow = self.slow.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = slow.entry(network.clone()).or_default();
        if *waiting >= WAITING {
            return None;
        }
        *waiting += 1;
        Some(Slow(self, network))
    }
}
