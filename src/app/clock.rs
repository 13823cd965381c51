//! The time, twice: as the clock on the wall shows it, which whoever runs the machine may set, and as it passes.

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;
use std::time::Duration;

use perplex_matches::time::Time;

/// Reads the time. `main` gives the real clock, tests give their own.
#[derive(Clone)]
pub struct Clock {
    wall: Arc<dyn Fn() -> Time + Send + Sync>,
    steady: Arc<dyn Fn() -> Duration + Send + Sync>,
}

impl Debug for Clock {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({})", self.now())
    }
}

impl Clock {
    pub fn new(
        wall: impl Fn() -> Time + Send + Sync + 'static,
        steady: impl Fn() -> Duration + Send + Sync + 'static,
    ) -> Self {
        Self {
            wall: Arc::new(wall),
            steady: Arc::new(steady),
        }
    }

    /// A clock that nobody sets: time passes as `wall` shows it.
    pub fn never_set(wall: impl Fn() -> Time + Clone + Send + Sync + 'static) -> Self {
        let steady = wall.clone();
        Self::new(wall, move || Time(0).until(steady()))
    }

    /// What the clock on the wall shows: for all that is stored, and all that people are told.
    pub fn now(&self) -> Time {
        (self.wall)()
    }

    /// The time that has passed since some moment, whatever the clock on the wall was set to meanwhile: for limits, and
    /// for what is kept in memory.
    pub fn steady(&self) -> Duration {
        (self.steady)()
    }
}
