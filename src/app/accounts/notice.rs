//! Security notices to the owner of an account about acts that may be another person's.

use serde_json::json;

use crate::app::Visitor;
use crate::app::mail_kind::{AccountMail, MailKind, Notice};
use crate::app::notifications::Notification;
use crate::store::accounts::AccountRow;

impl Notice {
    /// The notice to the owner of `account` about what `visitor` has done.
    pub(super) fn to(self, account: &AccountRow, visitor: &Visitor) -> Notification {
        let address = account.email.as_deref().unwrap_or_default();
        let left = match self {
            Self::RecoveryCode { left } => left,
            _ => 0,
        };
        let kind = MailKind::Account(AccountMail::Notice(self));
        Notification::to_address(kind, Some(&account.id), address)
            .with(json!({ "agent": visitor.agent, "left": left }))
    }
}
