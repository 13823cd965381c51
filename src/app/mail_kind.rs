//! The kinds of mail: one table.

use crate::store::mail_settings::Delivery;
use crate::store::outbox::Urgency;
use perplex_matches::correspondence::notice::MailKind as MatchMail;
use perplex_matches::team::notice::MailKind as TeamMail;

/// A security notice to the owner of an account, since the act may be another person's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// On a device on which the account was not signed in to before.
    SignedIn,
    NewPassword,
    SecondFactorOn,
    SecondFactorOff,
    /// Switched off by an admin.
    SecondFactorRemoved,
    RecoveryCode {
        left: i64,
    },
}

impl Notice {
    /// This notice, with the number of recovery codes left where it says that.
    #[must_use]
    pub const fn with_left(self, left: i64) -> Self {
        match self {
            Self::RecoveryCode { .. } => Self::RecoveryCode { left },
            other => other,
        }
    }
}

/// A mail about an account, which its owner cannot switch off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountMail {
    /// The link that confirms a new account's address.
    Verify,
    /// The link to a new password.
    Reset,
    /// Somebody signed up with an address that has an account.
    KnownAddress,
    /// The link that confirms an account's new address.
    ChangeAddress,
    /// Tells the address that an account had until then, with a link that brings it back.
    OldAddress,
    Notice(Notice),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailKind {
    Account(AccountMail),
    /// An invitation to a correspondence match, to an address that may have no account.
    Invitation,
    ClassOffer,
    Match(MatchMail),
    Team(TeamMail),
}

impl MailKind {
    /// All kinds; those that can be switched off in the order of the account page.
    pub const ALL: [Self; 29] = [
        Self::Match(MatchMail::YourTurn),
        Self::Match(MatchMail::Reminder),
        Self::Match(MatchMail::GameOver),
        Self::Match(MatchMail::Challenge),
        Self::Match(MatchMail::Started),
        Self::Match(MatchMail::Refused),
        Self::Match(MatchMail::Left),
        Self::Match(MatchMail::DrawOffer),
        Self::Match(MatchMail::DrawDeclined),
        Self::Match(MatchMail::Talk),
        Self::Team(TeamMail::Invitation),
        Self::Team(TeamMail::Declined),
        Self::Team(TeamMail::Turn),
        Self::Team(TeamMail::News),
        Self::Team(TeamMail::Talk),
        Self::Team(TeamMail::Waiting),
        Self::ClassOffer,
        Self::Invitation,
        Self::Account(AccountMail::Verify),
        Self::Account(AccountMail::Reset),
        Self::Account(AccountMail::KnownAddress),
        Self::Account(AccountMail::ChangeAddress),
        Self::Account(AccountMail::OldAddress),
        Self::Account(AccountMail::Notice(Notice::SignedIn)),
        Self::Account(AccountMail::Notice(Notice::NewPassword)),
        Self::Account(AccountMail::Notice(Notice::SecondFactorOn)),
        Self::Account(AccountMail::Notice(Notice::SecondFactorOff)),
        Self::Account(AccountMail::Notice(Notice::SecondFactorRemoved)),
        Self::Account(AccountMail::Notice(Notice::RecoveryCode { left: 0 })),
    ];

    /// The word that the outbox and the settings keep.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Match(MatchMail::YourTurn) => "your-turn",
            Self::Match(MatchMail::Reminder) => "reminder",
            Self::Match(MatchMail::GameOver) => "game-over",
            Self::Match(MatchMail::Challenge) => "challenge",
            Self::Match(MatchMail::Started) => "started",
            Self::Match(MatchMail::Refused) => "refused",
            Self::Match(MatchMail::Left) => "left",
            Self::Match(MatchMail::DrawDeclined) => "draw-declined",
            Self::Match(MatchMail::Talk) => "talk",
            Self::Match(MatchMail::DrawOffer) => "draw-offer",
            Self::Team(TeamMail::Invitation) => "team-invitation",
            Self::Team(TeamMail::Declined) => "team-declined",
            Self::Team(TeamMail::Waiting) => "team-waiting",
            Self::Team(TeamMail::Turn) => "team-turn",
            Self::Team(TeamMail::News) => "team-news",
            Self::Team(TeamMail::Talk) => "team-talk",
            Self::ClassOffer => "class-offer",
            Self::Invitation => "invitation",
            Self::Account(AccountMail::Verify) => "verify",
            Self::Account(AccountMail::Reset) => "reset",
            Self::Account(AccountMail::KnownAddress) => "known-address",
            Self::Account(AccountMail::ChangeAddress) => "change-address",
            Self::Account(AccountMail::OldAddress) => "old-address",
            Self::Account(AccountMail::Notice(Notice::SignedIn)) => "signed-in",
            Self::Account(AccountMail::Notice(Notice::NewPassword)) => "new-password",
            Self::Account(AccountMail::Notice(Notice::SecondFactorOn)) => "second-factor-on",
            Self::Account(AccountMail::Notice(Notice::SecondFactorOff)) => "second-factor-off",
            Self::Account(AccountMail::Notice(Notice::SecondFactorRemoved)) => {
                "second-factor-removed"
            }
            Self::Account(AccountMail::Notice(Notice::RecoveryCode { .. })) => "recovery-code",
        }
    }

    pub fn find(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.key() == key)
    }

    /// True for mails that accounts can switch off.
    pub const fn is_optional(self) -> bool {
        matches!(self, Self::Match(_) | Self::Team(_) | Self::ClassOffer)
    }

    /// The delivery to accounts that chose nothing else.
    pub const fn delivery(self) -> Delivery {
        match self {
            Self::Match(MatchMail::Talk) | Self::Team(TeamMail::News | TeamMail::Talk) => {
                Delivery::Together
            }
            Self::Team(TeamMail::Waiting) => Delivery::Daily,
            _ => Delivery::AtOnce,
        }
    }

    /// The choices that accounts have. A reminder that waits comes too late; what still waits is told by the day.
    pub const fn choices(self) -> &'static [Delivery] {
        use Delivery::{AtOnce, Daily, Never, Together};
        match self {
            Self::Match(MatchMail::Reminder) => &[AtOnce, Never],
            Self::Team(TeamMail::Waiting) => &[Daily, Never],
            _ => &[AtOnce, Together, Daily, Never],
        }
    }

    /// True for mails that others cause as often as they like. A turn of a correspondence match follows one of the
    /// reader's own, and a reminder comes in time or not at all.
    pub const fn can_be_many(self) -> bool {
        self.is_optional()
            && !matches!(self, Self::Match(MatchMail::YourTurn | MatchMail::Reminder))
    }

    /// The kinds that can be switched off.
    pub fn optional() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|kind| kind.is_optional())
    }

    pub const fn urgency(self) -> Urgency {
        match self {
            Self::Account(_) => Urgency::Now,
            Self::Match(
                MatchMail::YourTurn
                | MatchMail::Reminder
                | MatchMail::Challenge
                | MatchMail::Started
                | MatchMail::DrawOffer,
            )
            | Self::Team(TeamMail::Turn)
            | Self::Invitation => Urgency::Soon,
            Self::Match(
                MatchMail::GameOver
                | MatchMail::Refused
                | MatchMail::Left
                | MatchMail::DrawDeclined
                | MatchMail::Talk,
            )
            | Self::Team(
                TeamMail::Invitation
                | TeamMail::Declined
                | TeamMail::News
                | TeamMail::Talk
                | TeamMail::Waiting,
            )
            | Self::ClassOffer => Urgency::Later,
        }
    }

    /// True for mails that may go to an address without an account, whose owner asked for nothing.
    pub fn is_to_strangers(self) -> bool {
        matches!(self, Self::Invitation | Self::Team(TeamMail::Invitation))
    }
}
