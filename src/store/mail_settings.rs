use std::collections::BTreeMap;

use diesel::deserialize::FromSqlRow;
use diesel::expression::AsExpression;
use diesel::sql_types::Text;
use serde::{Deserialize, Serialize};

/// The times at which mails of one kind are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Delivery {
    AtOnce,
    /// Every few hours, in one mail with others.
    Together,
    /// Once a day, in one mail with others.
    Daily,
    Never,
}

/// The hours of the day, in the zone of the account, from which and until which no mail is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuietHours {
    pub from: u8,
    pub to: u8,
}

/// An account's choices about its mail. Stored as JSON; a field that is missing there has its default.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, AsExpression, FromSqlRow,
)]
#[diesel(sql_type = Text)]
#[serde(default)]
pub struct MailSettings {
    /// By the word of the kind; a kind that is missing comes as it does by default.
    pub when: BTreeMap<String, Delivery>,
    pub quiet: Option<QuietHours>,
    /// True to be told by mail, too, what was seen on the site.
    pub seen_too: bool,
}

impl MailSettings {
    pub fn is_off(&self, kind: &str) -> bool {
        self.when.get(kind) == Some(&Delivery::Never)
    }

    /// These settings without mails of that kind.
    #[must_use]
    pub fn without(mut self, kind: &str) -> Self {
        self.when.insert(kind.to_owned(), Delivery::Never);
        self
    }
}
