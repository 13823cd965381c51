//! Who asks.

use chrono_tz::Tz;
use perplex_matches::id::{AccountId, ClassId};

use crate::store::preferences::Preferences;

/// The account behind a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Viewer {
    pub id: AccountId,
    pub name: String,
    /// The id of the session that the request belongs to.
    pub session: String,
    pub preferences: Preferences,
    pub is_admin: bool,
    pub class: Option<ClassId>,
    /// The duties in team matches whose walk-through was seen, separated by commas.
    pub help_seen: String,
}

impl Viewer {
    /// The time zone in which times are shown.
    #[must_use]
    pub fn zone(&self) -> Tz {
        self.preferences.zone()
    }

    /// Whether pages look the same to both: they are one account with the same preferences, be it in different
    /// sessions.
    #[must_use]
    pub fn sees_as(&self, other: &Self) -> bool {
        // Only what a kept page does not show may differ; a new field counts.
        let neutral = |viewer: &Self| Self {
            session: String::new(),
            help_seen: String::new(),
            ..viewer.clone()
        };
        neutral(self) == neutral(other)
    }
}

/// Where a request comes from, for limits and for the list of sessions.
#[derive(Clone, Debug, Default)]
pub struct Visitor {
    pub address: String,
    pub agent: String,
}
