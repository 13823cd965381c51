//! Security mails to the owner of an account about acts that may be another person's.

use serde_json::json;

use super::account_mail;
use crate::app::Visitor;
use crate::app::mail_kind::{AccountMail, MailKind, Notice};
use crate::store::accounts::AccountRow;
use crate::store::outbox::NewMail;
use perplex_matches::time::Time;

impl Notice {
    /// The mail to the owner of `account` about what `visitor` has done.
    pub(super) fn mail(self, account: &AccountRow, visitor: &Visitor, now: Time) -> NewMail {
        let address = account.email.as_deref().unwrap_or_default();
        let left = match self {
            Self::RecoveryCode { left } => left,
            _ => 0,
        };
        let payload = json!({ "browser": visitor.browser(), "left": left });
        account_mail(
            MailKind::Account(AccountMail::Notice(self)),
            Some(&account.id),
            address,
            &payload,
            now,
        )
    }
}
