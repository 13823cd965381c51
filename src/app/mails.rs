//! The mails of the outbox on their way: which are due, what each has to tell by now, and what became of it. The texts,
//! and the way to a mail server, are made of this elsewhere.
//!
//! If the program ends between sending and marking, a mail is due again when its lease is over, and goes out once more
//! with the same Message-ID: perhaps twice, but at least once.

use std::fmt::{self, Display};

use perplex_matches::id::MatchId;
use perplex_matches::time::Time;

use crate::store::outbox::MailRow;

mod about_account;
mod about_match;
mod about_team;
mod off;
mod outbox;
mod read;
mod row;

pub use about_account::AboutAccount;
pub use about_match::{Invitation, MatchNews};
pub use about_team::{AboutTeam, Invited, TeamNews, Waits};
pub use off::Off;

/// A mail of the outbox that is due.
#[derive(Clone, Debug)]
pub struct DueMail(MailRow);

impl DueMail {
    /// The word of its kind.
    pub fn kind(&self) -> &str {
        &self.0.kind
    }

    /// The address that it was written for.
    pub fn address(&self) -> &str {
        &self.0.address
    }

    pub const fn match_id(&self) -> Option<&MatchId> {
        self.0.match_id.as_ref()
    }
}

impl From<MailRow> for DueMail {
    fn from(row: MailRow) -> Self {
        Self(row)
    }
}

/// What one mail tells by now, for one or more that were due.
#[derive(Clone, Debug)]
pub struct Mail {
    /// The word of its kind, or `together`.
    pub kind: &'static str,
    /// The Message-ID, with or without angle brackets and host.
    pub message_id: String,
    pub to: String,
    /// Empty for a stranger.
    pub name: String,
    pub at: Time,
    /// The thread that it belongs to, as the left side of a Message-ID; `None` for a mail by itself.
    pub thread: Option<String>,
    pub off: Off,
    pub content: Content,
}

#[derive(Clone, Debug)]
pub enum Content {
    Account(AboutAccount),
    Invitation(Invitation),
    Match(Box<MatchNews>),
    Team(AboutTeam),
    /// Several in one mail, the most urgent first.
    Together(Vec<Self>),
}

impl Content {
    /// True if it says what `other` says, so that both together are one too many.
    fn tells(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Match(news), Self::Match(other)) => news.tells(other),
            (Self::Team(about), Self::Team(other)) => about.tells(other),
            _ => false,
        }
    }
}

/// The reason why a mail did not leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The server will never take it: the address does not exist, say.
    Refused(String),
    /// It can't be made.
    Bad(String),
    Later(String),
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Refused(why) | Self::Bad(why) | Self::Later(why)) = self;
        f.write_str(why)
    }
}

impl std::error::Error for Failure {}

/// What became of a mail of the outbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// With the last event of a team match until which it told its reader what happened.
    Sent(Option<i32>),
    Needless(&'static str),
    /// Not before that time.
    Postponed(Time),
    Failed(Failure),
}

impl Outcome {
    /// Another one in the same mail tells it.
    const TOLD_BESIDE: Self = Self::Needless("the mail that leaves with it tells it");

    /// The outcome once the mail was `sent`, or was not.
    #[must_use]
    pub fn after(self, sent: &Result<(), Failure>) -> Self {
        match (self, sent) {
            (Self::Sent(_) | Self::TOLD_BESIDE, Err(failure)) => Self::Failed(failure.clone()),
            (outcome, _) => outcome,
        }
    }
}
