//! Invitations: how many one account sends, and those of an address to a match of either kind.

use serde_json::json;

use super::limits::count;
use super::mail_kind::MailKind;
use super::notifications::{Notification, notify};
use super::{App, AppError};
use crate::address;
use crate::secret::Key;
use crate::store::invited_addresses::{self as rows, InvitedAddress};
use crate::store::{Conn, StoreError};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::time::Time;

/// The proof that a mail invited this address, as addresses are compared, to a match whose links were replaced `links`
/// times. It opens the match as its link does, while the invitation stands.
pub fn proof(key: &Key, id: &MatchId, links: i32, address: &str) -> String {
    key.mac(PROOF, &[&id.0, &links.to_string(), address])
}

/// The invitation to the match that stands and to which this proof belongs.
pub(super) fn proved<'a>(
    key: &Key,
    id: &MatchId,
    links: i32,
    invited: &'a [InvitedAddress],
    shown: &str,
) -> Option<&'a InvitedAddress> {
    let links = links.to_string();
    invited
        .iter()
        .filter(|row| !row.declined)
        .find(|row| key.check(PROOF, &[&id.0, &links, &row.email_key], shown))
}

/// Somebody joins by an invitation of this address, which is used up with that; *not found* if it was withdrawn,
/// declined or used meanwhile.
pub(super) fn use_up(conn: &mut Conn, id: &MatchId, address: &str) -> Result<(), AppError> {
    if rows::take(conn, id, address)? {
        Ok(())
    } else {
        Err(AppError::NotFound)
    }
}

const PROOF: &str = "invited";

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
