use chrono_tz::Tz;
use diesel::deserialize::FromSqlRow;
use diesel::expression::AsExpression;
use diesel::sql_types::Text;
use serde::{Deserialize, Serialize};

/// An account's choices about the look of pages and the way turns are made. Stored as JSON; a field that is missing
/// there has its default.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, AsExpression, FromSqlRow)]
#[diesel(sql_type = Text)]
#[serde(default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a box of its own, ticked or not"
)]
pub struct Preferences {
    pub zone: String,
    pub confirm_turns: bool,
    pub coordinates: bool,
    /// True if chess boards number their squares from 1 to 64 instead of naming them.
    pub numbered: bool,
    /// True if boards show the official signs of a game where ours are others.
    pub official_signs: bool,
    pub theme: String,
    /// True if a device may chime and vibrate when it becomes the reader's turn.
    pub chimes: bool,
}

impl Default for Preferences {
    fn default() -> Self {
        Self {
            zone: "UTC".to_owned(),
            confirm_turns: true,
            coordinates: true,
            numbered: false,
            official_signs: false,
            theme: "system".to_owned(),
            chimes: true,
        }
    }
}

impl Preferences {
    pub fn zone(&self) -> Tz {
        self.zone.parse().unwrap_or(Tz::UTC)
    }
}
