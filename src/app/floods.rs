//! Floods: who runs the site is told once that very much is refused.

use std::sync::{Mutex, PoisonError};

use perplex_matches::time::Time;

use super::App;

const HOUR: u64 = 3_600;
/// Requests refused in an hour that are a flood.
pub const MANY: u64 = 5_000;

/// The last flood.
#[derive(Clone, Copy, Debug)]
pub struct Flood {
    /// When it was noticed.
    pub at: Time,
    /// Requests that were refused in that hour.
    pub refused: u64,
}

/// The refusals of an hour of the steady clock, and the last hour that had very many.
#[derive(Debug, Default)]
struct Counted {
    hour: u64,
    refused: u64,
    last: Option<Flood>,
}

#[derive(Debug, Default)]
pub(super) struct Floods(Mutex<Counted>);

impl App {
    /// Counts a request that was refused because there were too many.
    pub fn count_refused(&self) {
        let (now, hour) = (self.now(), self.clock.steady().as_secs() / HOUR);
        let mut counted = self.floods.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counted.hour != hour {
            counted.hour = hour;
            counted.refused = 0;
        }
        counted.refused += 1;
        let refused = counted.refused;
        if refused == MANY {
            tracing::warn!(
                refused,
                "a flood: very many requests are refused in this hour"
            );
            counted.last = Some(Flood { at: now, refused });
        } else if refused > MANY
            && let Some(last) = &mut counted.last
        {
            last.refused = refused;
        }
    }

    pub fn last_flood(&self) -> Option<Flood> {
        let counted = self.floods.0.lock().unwrap_or_else(PoisonError::into_inner);
        counted.last
    }
}
