//! Invitations: how many one account sends, and those of an address to a match of either kind.

use serde_json::json;

use super::limits::count;
use super::mail_kind::MailKind;
use super::notifications::{Notification, notify};
use super::{App, AppError};
use crate::address;
use crate::store::invited_addresses::{self as rows, InvitedAddress};
use crate::store::{Conn, StoreError};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::time::Time;

/// An invitation with its mail.
pub(super) struct Invitation {
    row: InvitedAddress,
    told: Notification,
}

impl Invitation {
    pub(super) fn write(self, conn: &mut Conn, now: Time) -> Result<(), StoreError> {
        rows::put(conn, &self.row)?;
        notify(conn, vec![self.told], now)?;
        Ok(())
    }
}

impl App {
    /// Counts an invitation of a player of whatever kind: a challenge, an invitation to a match, the offer of a class.
    /// Each makes a mail to a person who asked for none. Those to addresses are counted apart, so that no counter
    /// tells whose address one is.
    pub(super) fn count_invitation(
        &self,
        from: &AccountId,
        to: &AccountId,
    ) -> Result<(), AppError> {
        count(&self.limits.invite_person, &format!("{from} {to}"))?;
        count(&self.limits.invite_account, &from.0)
    }

    /// The invitation of the address `email` to a match by mail of this kind. Invitations are counted, repeated ones, too.
    pub(super) fn invitation_to(
        &self,
        from: &AccountId,
        id: &MatchId,
        kind: MailKind,
        field: &'static str,
        email: &str,
    ) -> Result<Invitation, AppError> {
        let email = self.read_address(field, email)?;
        count(&self.limits.invite_account, &from.0)?;
        count(&self.limits.invite_address, &from.0)?;
        self.limits.count_mail("invitation", &email, &from.0)?;
        Ok(Invitation {
            row: InvitedAddress {
                match_id: id.clone(),
                email_key: address::key(&email),
                email: email.clone(),
                sent_at: self.now(),
                declined: false,
                refused: false,
            },
            told: Notification::to_address(kind, None, &email)
                .about(id, None)
                .with(json!({ "from": from.0 })),
        })
    }
}
