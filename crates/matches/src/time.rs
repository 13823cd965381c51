//! Points in time. Only `main` reads the clock; all other code takes the time as an argument.

use std::fmt::{self, Display};
use std::ops::{Add, Sub};
use std::time::Duration;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

/// A point in time: microseconds since 1970-01-01 UTC. Both databases keep it exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "diesel",
    derive(diesel::expression::AsExpression, diesel::deserialize::FromSqlRow)
)]
#[cfg_attr(feature = "diesel", diesel(sql_type = diesel::sql_types::BigInt))]
pub struct Time(pub i64);

impl Time {
    /// The moment as a calendar date, for showing it.
    #[must_use]
    pub fn utc(self) -> DateTime<Utc> {
        DateTime::from_timestamp_micros(self.0).unwrap_or_default()
    }

    /// The moment as people in `zone` write it: `21 November 2026, 08:30 (UTC)`.
    #[must_use]
    pub fn local(self, zone: Tz) -> String {
        self.utc()
            .with_timezone(&zone)
            .format("%-d %B %Y, %H:%M (%Z)")
            .to_string()
    }

    /// The time until `later`; zero if that has passed.
    #[must_use]
    pub fn until(self, later: Self) -> Duration {
        Duration::from_micros(u64::try_from(later.0 - self.0).unwrap_or(0))
    }
}

impl Add<Duration> for Time {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self(self.0 + i64::try_from(duration.as_micros()).unwrap_or(i64::MAX / 4))
    }
}

impl Sub<Duration> for Time {
    type Output = Self;

    fn sub(self, duration: Duration) -> Self {
        Self(self.0 - i64::try_from(duration.as_micros()).unwrap_or(i64::MAX / 4))
    }
}

/// RFC 3339 in UTC, to the second.
impl Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.utc().format("%Y-%m-%dT%H:%M:%SZ"))
    }
}

/// A number of days.
#[must_use]
pub const fn days(days: u64) -> Duration {
    Duration::from_secs(days * 24 * 60 * 60)
}

/// A number of hours.
#[must_use]
pub const fn hours(hours: u64) -> Duration {
    Duration::from_secs(hours * 60 * 60)
}
