//! Invitations to an address: each belongs to the address, and waits for whoever has it or gets it.

use serde_json::json;

use crate::address;
use crate::app::invited::{self, proof};
use crate::app::mail_kind::MailKind;
use crate::app::notifications::{Notification, notify};
use crate::app::{App, AppError, Viewer};
use crate::secret::Key;
use crate::store::accounts as account_rows;
use crate::store::invited_addresses::{self as rows, InvitedAddress};
use crate::store::{MatchKind, matches};
use perplex_matches::correspondence::Match;
use perplex_matches::correspondence::notice::MailKind as MatchMail;
use perplex_matches::correspondence::policy::rights;
use perplex_matches::id::MatchId;

/// The link in the mail that invites this address, as addresses are compared.
pub fn invitation_link(key: &Key, id: &MatchId, address: &str) -> String {
    format!("/join/{id}/{}", proof(key, id, NO_LINKS, address))
}

/// The invitation to the match that stands and to which this proof belongs.
pub(super) fn proved<'a>(
    key: &Key,
    id: &MatchId,
    invited: &'a [InvitedAddress],
    shown: &str,
) -> Option<&'a InvitedAddress> {
    invited::proved(key, id, NO_LINKS, invited, shown)
}

/// The link of a match by correspondence is never replaced.
const NO_LINKS: i32 = 0;

impl App {
    /// Invites an address to a match that its maker still waits with, or invites it again.
    pub async fn invite_address(
        &self,
        maker: &Viewer,
        id: &MatchId,
        address: &str,
    ) -> Result<(), AppError> {
        self.must_wait_with(maker, id).await?;
        let invitation =
            self.invitation_to(&maker.id, id, MailKind::Invitation, "address", address)?;
        let now = self.now();
        self.write(move |conn| invitation.write(conn, now)).await?;
        self.outbox.notify_one();
        Ok(())
    }

    /// Withdraws the invitation of an address. Its mail is not sent if it still waits.
    pub async fn withdraw_address(
        &self,
        maker: &Viewer,
        id: &MatchId,
        address: &str,
    ) -> Result<(), AppError> {
        self.must_wait_with(maker, id).await?;
        let (id, key) = (id.clone(), address::key(address));
        self.write(move |conn| Ok::<_, AppError>(rows::remove(conn, &id, &key)?))
            .await
    }

    async fn must_wait_with(&self, maker: &Viewer, id: &MatchId) -> Result<(), AppError> {
        let (state, _) = self.load::<Match>(id).await?;
        if rights(&state, Some(&maker.id), false).withdraw {
            Ok(())
        } else {
            Err(AppError::NotFound)
        }
    }

    /// The invitation that a visitor may decline: that of the mail in which this proof was, or of their own address.
    pub async fn invitation_of(
        &self,
        viewer: Option<&Viewer>,
        id: &MatchId,
        shown: &str,
    ) -> Result<Option<InvitedAddress>, AppError> {
        let (asked, viewer) = (id.clone(), viewer.map(|viewer| viewer.id.clone()));
        let (own, all) = self
            .read(move |conn| {
                let account = match viewer {
                    Some(viewer) => account_rows::find(conn, &viewer)?,
                    None => None,
                };
                let own = account.and_then(|account| account.email_key);
                Ok::<_, AppError>((own, rows::of_match(conn, &asked)?))
            })
            .await?;
        let is_own = |row: &&InvitedAddress| !row.declined && own.as_ref() == Some(&row.email_key);
        let meant = proved(&self.key, id, &all, shown).or_else(|| all.iter().find(is_own));
        Ok(meant.cloned())
    }

    /// Declines an invitation; the maker sees it at the match, and is told by mail.
    pub async fn decline_invitation(
        &self,
        viewer: Option<&Viewer>,
        id: &MatchId,
        shown: &str,
    ) -> Result<(), AppError> {
        let Some(row) = self.invitation_of(viewer, id, shown).await? else {
            return Ok(());
        };
        let now = self.now();
        self.write(move |conn| {
            let id = &row.match_id;
            let asked = matches::find(conn, id)?;
            let asked = asked.filter(|one| one.kind == MatchKind::Correspondence);
            if let Some(asked) = asked
                && rows::decline(conn, id, &row.email_key)?
            {
                let kind = MailKind::Match(MatchMail::Refused);
                let told = Notification::to_account(kind, &asked.created_by)
                    .about(id, None)
                    .with(json!({ "email": row.email }));
                notify(conn, vec![told], now)?;
            }
            Ok::<_, AppError>(())
        })
        .await?;
        self.outbox.notify_one();
        Ok(())
    }
}
