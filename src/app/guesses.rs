//! Wrong guesses at short secrets: the codes of lessons, and the three words of pupils.
//!
//! A right guess costs nothing. A wrong one is charged to the device, to the pupil and the class that it was about,
//! and to the network, in turn: one guessing device is stopped alone, and so are guesses at one pupil's words; a
//! class and a network, which a whole school shares, are only slowed down. A device with a signed-in pupil who gave a
//! proof is charged as that pupil, and for nothing that others do; a name that was picked, or was left there, is no
//! proof.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use perplex_matches::id::{AccountId, ClassId};
use perplex_matches::time::Time;

use super::{AppError, Visitor};

/// The least time that a guess waits if its class or network has guessed wrong too often.
const SLOW: Duration = Duration::from_secs(3);
/// Guesses of one network that are checked in this time, one after the other.
const LOOKS: u32 = 60;
/// Guesses that may wait at once: of one browser, of all browsers that have just been given their mark, of all whose
/// mark is young, and of a whole network. A browser that finds the places of new ones taken comes again with its
/// mark, and then has places of its own; a browser that was here before finds a place however many new ones an
/// attacker makes up. Where many wait each browser has one place, so that an attacker needs a thousand marks, got
/// ten minutes before, to take them all.
const OF_ONE: usize = 3;
const MANY: usize = OF_ALL / 4;
const OF_NEW: usize = 60;
const OF_YOUNG: usize = 800;
const OF_ALL: usize = 1_000;
const QUEUE_IS_SHORTER: u64 = 3;

/// Above this many keys, those that have recovered are forgotten.
const KEYS: usize = 10_000;

/// A limit: `burst` wrong guesses at once, and one more after each period.
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

    /// The time until one more wrong guess is allowed.
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
    /// The time that a slowed-down guess waits; zero in tests.
    pub pause: Duration,
    device: Tier,
    pupil: Tier,
    class: Tier,
    network: Tier,
    slow: Mutex<HashMap<String, Lane>>,
}

/// The tiers: the name in `docs/security.md`, wrong guesses at once, and milliseconds until one more.
pub const TIERS: [(&str, i64, i64); 4] = [
    ("guesses, device", 20, 10_000),
    ("guesses, pupil", 10, 60_000),
    ("guesses, class", 60, 5_000),
    ("guesses, network", 300, 200),
];

impl Default for Guesses {
    fn default() -> Self {
        let [device, pupil, class, network] =
            TIERS.map(|(_, burst, period)| Tier::new(burst, period));
        Self {
            pause: SLOW,
            device,
            pupil,
            class,
            network,
            slow: Mutex::default(),
        }
    }
}

/// A guess that is being checked: it stays charged unless it was right.
#[must_use]
pub struct Guess<'a>(Vec<(&'a Tier, String)>);

impl Guess<'_> {
    pub fn was_right(self) {
        for (tier, key) in self.0 {
            tier.refund(&key);
        }
    }
}

/// The waiting guesses of one network.
#[derive(Default)]
struct Lane {
    /// Held by the guess that is checked; the waiting ones get it in the order in which they came.
    turn: Arc<tokio::sync::Mutex<()>>,
    /// Number of waiting guesses by browser; all new browsers together under an empty name.
    waiting: HashMap<String, usize>,
    all: usize,
}

/// A place among the waiting guesses.
struct Slow<'a> {
    guesses: &'a Guesses,
    network: String,
    browser: String,
    turn: Arc<tokio::sync::Mutex<()>>,
}

impl Drop for Slow<'_> {
    fn drop(&mut self) {
        let mut lanes = self.guesses.lanes();
        let Some(lane) = lanes.get_mut(&self.network) else {
            return;
        };
        lane.all -= 1;
        if lane.all == 0 {
            lanes.remove(&self.network);
        } else if let Some(waiting) = lane.waiting.get_mut(&self.browser) {
            *waiting -= 1;
            if *waiting == 0 {
                lane.waiting.remove(&self.browser);
            }
        }
    }
}

impl Guesses {
    /// Charges a visitor's guess at the words of a pupil of a class, or at a code. Gives the guess when it may be
    /// checked.
    ///
    /// # Errors
    /// [`AppError::TooOften`]: the device or the pupil has had too many wrong ones, or too many wait in the network.
    pub async fn enter(
        &self,
        visitor: &Visitor,
        about: Option<(&AccountId, &ClassId)>,
        now: Time,
    ) -> Result<Guess<'_>, AppError> {
        let known = match about {
            Some((pupil, _)) => visitor.proved.contains(pupil),
            None => !visitor.proved.is_empty(),
        };
        let device = visitor.proved.first();
        let device = device.map_or(&visitor.browser, |pupil| &pupil.0);
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
        // These are shared with people who do not guess: they go on, if more slowly.
        let mut slow = false;
        if !known {
            let class = about.map(|(_, class)| (&self.class, class.0.clone()));
            let shared = class
                .into_iter()
                .chain([(&self.network, visitor.network())]);
            for (tier, key) in shared {
                slow |= !tier.wait(&key, now).is_zero();
                tiers.push((tier, key));
            }
        }
        for (tier, key) in &tiers {
            tier.charge(key, now);
        }
        let guess = Guess(tiers);
        if slow && let Err(error) = self.slow_down("guess", visitor).await {
            guess.was_right();
            return Err(error);
        }
        Ok(guess)
    }

    /// Makes a visitor wait whose network has tried too often. Each kind of attempt, `what`, has its own queue.
    ///
    /// # Errors
    /// [`AppError::TooOften`]: too many wait in the queue.
    pub async fn slow_down(&self, what: &str, visitor: &Visitor) -> Result<(), AppError> {
        let begun = Instant::now();
        let place = self.place(what, visitor);
        let place = place.ok_or(AppError::TooOften(QUEUE_IS_SHORTER))?;
        let turn = place.turn.lock().await;
        tokio::time::sleep(self.pause / LOOKS).await;
        drop(turn);
        tokio::time::sleep(self.pause.saturating_sub(begun.elapsed())).await;
        Ok(())
    }

    fn lanes(&self) -> MutexGuard<'_, HashMap<String, Lane>> {
        self.slow.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn place(&self, what: &str, visitor: &Visitor) -> Option<Slow<'_>> {
        let network = format!("{what} {}", visitor.network());
        let (browser, most) = if visitor.is_new {
            (String::new(), OF_NEW)
        } else {
            (visitor.browser.clone(), OF_ONE)
        };
        let mut lanes = self.lanes();
        let lane = lanes.entry(network.clone()).or_default();
        let waiting = lane.waiting.get(&browser).copied().unwrap_or(0);
        let most = if lane.all >= MANY && !visitor.is_new {
            1
        } else {
            most
        };
        let of_all = if visitor.is_young { OF_YOUNG } else { OF_ALL };
        if waiting >= most || lane.all >= of_all {
            return None;
        }
        lane.waiting.insert(browser.clone(), waiting + 1);
        lane.all += 1;
        let turn = Arc::clone(&lane.turn);
        Some(Slow {
            guesses: self,
            network,
            browser,
            turn,
        })
    }
}
