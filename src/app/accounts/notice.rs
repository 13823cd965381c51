//! Security mails to the owner of an account about acts that may be another person's.

use serde_json::json;

use super::account_mail;
use crate::app::Visitor;
use crate::store::accounts::AccountRow;
use crate::store::outbox::NewMail;
use perplex_matches::time::Time;

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
    const fn kind(self) -> &'static str {
        match self {
            Self::SignedIn => "signed-in",
            Self::NewPassword => "new-password",
            Self::SecondFactorOn => "second-factor-on",
            Self::SecondFactorOff => "second-factor-off",
            Self::SecondFactorRemoved => "second-factor-removed",
            Self::RecoveryCode { .. } => "recovery-code",
        }
    }

    /// The notice with this mail kind; `left` is the number of recovery codes left.
    pub fn find(kind: &str, left: i64) -> Option<Self> {
        let all = [
            Self::SignedIn,
            Self::NewPassword,
            Self::SecondFactorOn,
            Self::SecondFactorOff,
            Self::SecondFactorRemoved,
            Self::RecoveryCode { left },
        ];
        all.into_iter().find(|notice| notice.kind() == kind)
    }

    /// The mail to the owner of `account` about what `visitor` has done.
    pub(super) fn mail(self, account: &AccountRow, visitor: &Visitor, now: Time) -> NewMail {
        let address = account.email.as_deref().unwrap_or_default();
        let left = match self {
            Self::RecoveryCode { left } => left,
            _ => 0,
        };
        let payload = json!({ "browser": visitor.browser(), "left": left });
        account_mail(self.kind(), Some(&account.id), address, &payload, now)
    }
}
