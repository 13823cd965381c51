//! The process around the code: the clock, the environment, signals. No other module reads them.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use perplex_matches::time::Time;
use tokio::signal::unix::{SignalKind, signal};

use crate::app::{App, Clock};
use crate::cli::Failure;
use crate::config::Config;
use crate::log;
use crate::server;

/// The clock of the machine. It may be set while the program runs: what it shows then is believed once it has stood for
/// a while, so that a clock that is wrong for some seconds changes nothing.
pub fn clock() -> Clock {
    let begun = Instant::now();
    let believed = Mutex::new(Believed::default());
    let wall = move || {
        let mut believed = believed.lock().unwrap_or_else(PoisonError::into_inner);
        believed.read(shown(), begun.elapsed())
    };
    Clock::new(wall, move || begun.elapsed())
}

/// What the machine's clock shows.
fn shown() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    Time(since.map_or(0, |since| {
        i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
    }))
}

/// A clock that is off by more was set, and did not drift.
const JUMP: Duration = Duration::from_secs(5);
/// The time after which a clock that was set is believed.
const DOUBT: Duration = Duration::from_mins(1);

#[derive(Clone, Copy)]
struct Doubt {
    /// What the clock shows too much, in microseconds.
    off: i64,
    since: Duration,
}

#[derive(Default)]
struct Believed {
    /// What was believed last, with the steady time of it.
    last: Option<(Time, Duration)>,
    doubt: Option<Doubt>,
}

impl Believed {
    /// The time, when the clock shows this at the steady time `now`.
    fn read(&mut self, shown: Time, now: Duration) -> Time {
        let (last, at) = *self.last.get_or_insert((shown, now));
        let expected = last + now.saturating_sub(at);
        let is_jump = |off: i64| u128::from(off.unsigned_abs()) > JUMP.as_micros();
        let off = shown.0.saturating_sub(expected.0);
        let doubt = match self.doubt {
            _ if !is_jump(off) => None,
            Some(doubt) if !is_jump(off.saturating_sub(doubt.off)) => Some(doubt),
            _ => Some(Doubt { off, since: now }),
        };
        self.doubt = doubt.filter(|doubt| now.saturating_sub(doubt.since) < DOUBT);
        match (self.doubt, doubt) {
            (Some(_), _) => expected,
            (None, set) => {
                if set.is_some() {
                    let seconds = off / 1_000_000;
                    tracing::warn!(seconds, "the clock of this machine was set");
                }
                self.last = Some((shown, now));
                shown
            }
        }
    }
}

pub fn config() -> Result<Config, Failure> {
    let config = Config::load(|name| std::env::var_os(name));
    config.map_err(|error| Failure::Request(error.to_string()))
}

pub fn serve() -> Result<(), Failure> {
    let mut config = config()?;
    let _log = log::begin()?;
    let failed = |error: server::ServerError| Failure::Request(error.to_string());
    let listener = server::bind(&mut config).map_err(failed)?;
    // The store blocks while it opens; it is opened and dropped outside the runtime.
    let app = Arc::new(server::open(&config, clock()).map_err(failed)?);
    let served = server::serve(config, Arc::clone(&app), listener, told_to_stop());
    let ended = actix_web::rt::System::new().block_on(served);
    close(app);
    ended.map_err(failed)
}

/// What the threads of the server may take to end once it has stopped.
const LAST_THREADS: Duration = Duration::from_secs(10);

/// Closes the database, and with it the files beside SQLite's, when the threads of the server have let go of it. What
/// has been answered is saved even if they do not.
pub fn close(app: Arc<App>) {
    let stopped = Instant::now();
    while Arc::strong_count(&app) > 1 {
        if stopped.elapsed() > LAST_THREADS {
            tracing::warn!("a thread goes on: the database is left open");
            return;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

pub async fn told_to_stop() {
    let (Ok(mut term), Ok(mut interrupt)) = (
        signal(SignalKind::terminate()),
        signal(SignalKind::interrupt()),
    ) else {
        tracing::error!("signals cannot be received; stop the program by killing it");
        return std::future::pending().await;
    };
    tokio::select! {
        _ = term.recv() => {}
        _ = interrupt.recv() => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000;
    const DAY: i64 = 86_400 * SECOND;

    /// Reads the clock in each second from one to another, while it is off by so much, and gives by how much what is
    /// believed is off at the end.
    fn reads(believed: &mut Believed, seconds: std::ops::Range<u64>, off: i64) -> i64 {
        let mut last = 0;
        for second in seconds {
            let now = Duration::from_secs(second);
            let right = Time(1_800_000_000 * SECOND) + now;
            last = believed.read(Time(right.0 + off), now).0 - right.0;
        }
        last
    }

    #[test]
    fn a_clock_that_is_wrong_for_seconds_changes_nothing() {
        let mut believed = Believed::default();
        assert_eq!(reads(&mut believed, 0..10, 0), 0);
        for (begin, off) in [(10, 400 * DAY), (100, -DAY), (200, 3_600 * SECOND)] {
            assert_eq!(reads(&mut believed, begin..begin + 50, off), 0);
            assert_eq!(reads(&mut believed, begin + 50..begin + 90, 0), 0);
        }
        // It never stands still long enough.
        for second in 300..500 {
            let off = i64::try_from(second).expect("a number") * DAY;
            assert_eq!(reads(&mut believed, second..second + 1, off), 0);
        }
    }

    #[test]
    fn a_clock_that_was_set_is_believed_after_a_minute_and_one_that_drifts_at_once() {
        let mut believed = Believed::default();
        reads(&mut believed, 0..10, 0);
        assert_eq!(reads(&mut believed, 10..70, -DAY), 0);
        assert_eq!(reads(&mut believed, 70..71, -DAY), -DAY);
        assert_eq!(reads(&mut believed, 71..130, 0), -DAY);
        assert_eq!(reads(&mut believed, 130..132, 0), 0);
        assert_eq!(reads(&mut believed, 132..140, SECOND), SECOND);
    }
}
