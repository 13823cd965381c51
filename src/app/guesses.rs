//! Wrong guesses at short secrets: the codes of lessons, and the three words of pupils.
//!
//! A right guess costs nothing. A wrong one is charged to the device, to the pupil and the class that it was about,
//! and to the network, in turn: one guessing device is stopped alone, and so are guesses at one pupil's words; a
//! class and a network, which a whole school shares, are only slowed down. A device with a signed-in pupil who gave a
//! proof is charged as that pupil, and for nothing that others do; a name that was picked, or was left there, is no
//! proof.
//!
//! Wrong codes have a ceiling, too, for all visitors together. Above it each network has a share, and so has each pupil
//! who is signed in, so that a class begins as ever; all other guesses are looked at one after the other, and the
//! networks take turns. A code that was right for a browser or a network is known there, and no guess: so one pupil of
//! a class lets all others in, and those who know a code learn no other by it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use perplex_matches::id::{AccountId, ClassId};
use perplex_matches::time::hours;

use super::limiter::{Limiter, Table, micros};
use super::{AppError, Clock, Visitor};

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
/// A right code is known for so long to those who gave it.
const KNOWN: Duration = hours(12);

pub struct Guesses {
    /// The time that a slowed-down guess waits; shorter in tests.
    pub pause: Duration,
    clock: Clock,
    device: Limiter,
    pupil: Limiter,
    class: Limiter,
    network: Limiter,
    all: Limiter,
    share_of_network: Limiter,
    share_of_pupil: Limiter,
    /// The codes that were right lately, each with a browser or a network that gave it, and until when they are known
    /// there.
    known_to_browsers: Table,
    known_to_networks: Table,
    slow: Mutex<HashMap<String, Lane>>,
    /// Held by the guess that is checked, of all networks, while the ceiling is reached.
    turn_of_all: tokio::sync::Mutex<()>,
}

/// The tiers: the name in `docs/security.md`, wrong guesses at once, and milliseconds until one more.
pub const TIERS: [(&str, u32, u64); 7] = [
    ("guesses, device", 20, 10_000),
    ("guesses, pupil", 10, 60_000),
    ("guesses, class", 60, 5_000),
    ("guesses, network", 300, 200),
    ("codes, all visitors", 1_000, 500),
    ("codes, network, above the ceiling", 60, 60_000),
    ("codes, pupil, above the ceiling", 5, 120_000),
];

/// The short secret that is guessed at.
#[derive(Clone, Copy, Debug)]
pub enum Secret<'a> {
    /// The words of a pupil of a class.
    Words(&'a AccountId, &'a ClassId),
    /// The code of a lesson, or a pupil's user name.
    Code(&'a str),
}

/// A guess that is being checked: it stays charged unless it was right.
#[must_use]
pub struct Guess<'a> {
    guesses: &'a Guesses,
    charged: Vec<(&'a Limiter, String, i64)>,
    /// The code with the browser and with the network that gave it.
    code: Option<[String; 2]>,
}

impl Guess<'_> {
    /// Takes the charge back. A code is known from then on to the browser and the network that gave it: there it is
    /// guessed no more.
    pub fn was_right(self) {
        let guesses = self.guesses;
        let until = micros(guesses.clock.steady() + KNOWN);
        if let Some([browser, network]) = &self.code {
            guesses
                .known_to_browsers
                .with(browser, |known| *known = until);
            guesses
                .known_to_networks
                .with(network, |known| *known = until);
        }
        self.was_not_looked_at();
    }

    fn was_not_looked_at(self) {
        for (limiter, key, charge) in self.charged {
            limiter.refund(&key, charge);
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
    pub fn new(clock: &Clock) -> Self {
        let tiers = TIERS
            .map(|(_, burst, millis)| Limiter::new(clock, burst, Duration::from_millis(millis)));
        let [
            device,
            pupil,
            class,
            network,
            all,
            share_of_network,
            share_of_pupil,
        ] = tiers;
        Self {
            pause: SLOW,
            clock: clock.clone(),
            device,
            pupil,
            class,
            network,
            all,
            share_of_network,
            share_of_pupil,
            known_to_browsers: Table::default(),
            known_to_networks: Table::default(),
            slow: Mutex::default(),
            turn_of_all: tokio::sync::Mutex::default(),
        }
    }

    /// Charges a visitor's guess at a secret. Gives the guess when it may be checked.
    ///
    /// # Errors
    /// [`AppError::TooOften`]: the device or the pupil has had too many wrong ones, or too many wait in the network.
    pub async fn enter(
        &self,
        visitor: &Visitor,
        secret: Secret<'_>,
    ) -> Result<Guess<'_>, AppError> {
        let network = visitor.network();
        let (is_known, code) = match secret {
            Secret::Words(pupil, _) => (visitor.proved.contains(pupil), None),
            Secret::Code(code) => {
                let by = |who: &str| format!("{who} {code}");
                (
                    !visitor.proved.is_empty(),
                    Some([by(&visitor.browser), by(&network)]),
                )
            }
        };
        let device = visitor.proved.first();
        let device = device.map_or(&visitor.browser, |pupil| &pupil.0);
        let mut tiers = Vec::new();
        if !device.is_empty() {
            tiers.push((&self.device, device.clone()));
        }
        if let (Secret::Words(pupil, _), false) = (secret, is_known) {
            tiers.push((&self.pupil, pupil.0.clone()));
        }
        for (tier, key) in &tiers {
            let wait = tier.wait(key);
            if !wait.is_zero() {
                return Err(AppError::TooOften(wait.as_secs() + 1));
            }
        }
        if code.as_ref().is_some_and(|code| self.knows(code)) {
            return Ok(Guess {
                guesses: self,
                charged: Vec::new(),
                code,
            });
        }
        // These are shared with people who do not guess: they go on, if more slowly.
        let mut is_slow = false;
        if !is_known {
            let class = match secret {
                Secret::Words(_, class) => Some((&self.class, class.0.clone())),
                Secret::Code(_) => None,
            };
            for (tier, key) in class.into_iter().chain([(&self.network, network.clone())]) {
                is_slow |= !tier.wait(&key).is_zero();
                tiers.push((tier, key));
            }
        }
        let is_above = code.is_some() && !self.all.wait("").is_zero();
        if code.is_some() {
            let pupil = visitor.signed_in.first();
            let pupil = pupil.map(|pupil| (&self.share_of_pupil, pupil.0.clone()));
            let shares = pupil.into_iter().chain([(&self.share_of_network, network)]);
            let mut has_share = false;
            for (tier, key) in shares {
                has_share |= tier.wait(&key).is_zero();
                tiers.push((tier, key));
            }
            is_slow |= is_above && !has_share;
            tiers.push((&self.all, String::new()));
        }
        let charged = tiers.into_iter().map(|(tier, key)| {
            let charge = tier.charge(&key);
            (tier, key, charge)
        });
        let guess = Guess {
            guesses: self,
            charged: charged.collect(),
            code,
        };
        if is_slow && let Err(error) = self.wait_in_line("guess", visitor, is_above).await {
            guess.was_not_looked_at();
            return Err(error);
        }
        Ok(guess)
    }

    /// True if this code was right lately for this browser, or for another one of its network.
    fn knows(&self, [browser, network]: &[String; 2]) -> bool {
        let now = micros(self.clock.steady());
        let is_known = |table: &Table, key: &str| table.with(key, |until| *until > now);
        is_known(&self.known_to_browsers, browser) || is_known(&self.known_to_networks, network)
    }

    /// Makes a visitor wait whose network has tried too often. Each kind of attempt, `what`, has its own queue.
    ///
    /// # Errors
    /// [`AppError::TooOften`]: too many wait in the queue.
    pub async fn slow_down(&self, what: &str, visitor: &Visitor) -> Result<(), AppError> {
        self.wait_in_line(what, visitor, false).await
    }

    /// As [`slow_down`](Self::slow_down); with `of_all`, the networks take turns, too.
    async fn wait_in_line(
        &self,
        what: &str,
        visitor: &Visitor,
        of_all: bool,
    ) -> Result<(), AppError> {
        let begun = Instant::now();
        let place = self.place(what, visitor);
        let place = place.ok_or(AppError::TooOften(QUEUE_IS_SHORTER))?;
        let turn = place.turn.lock().await;
        let turn_of_all = if of_all {
            Some(self.turn_of_all.lock().await)
        } else {
            None
        };
        tokio::time::sleep(self.pause / LOOKS).await;
        drop((turn, turn_of_all));
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
