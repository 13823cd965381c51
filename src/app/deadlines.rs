//! Acts of time, in matches of both kinds: time that has run out, reminders, and chores that come round.

use perplex_matches::id::MatchId;
use perplex_matches::{correspondence, team};

use super::accounts::forget_unproved;
use super::lifetimes::{GUEST, INVITED_ADDRESS, VERIFY_LINK};
use super::once::KEPT;
use super::{App, AppError};
use crate::store::{
    MatchKind, StoreError, accounts, done_once, former_names, heartbeat, invited_addresses,
    matches, old_addresses, sign_up_links,
};

const AT_A_TIME: i64 = 100;

impl App {
    /// Does all that is due now. One match that fails does not stop the others.
    pub async fn tick(&self) -> Result<(), AppError> {
        self.account_for_outage().await?;
        if let Err(error) = self.ring.refresh() {
            tracing::error!(%error, "the keys of the talk cannot be read");
        }
        if let Err(error) = self.key.refresh() {
            tracing::error!(%error, "the secret key cannot be read");
        }
        let now = self.now();
        let (overdue, to_look_at) = self
            .read(move |conn| {
                Ok::<_, StoreError>((
                    matches::overdue(conn, now, AT_A_TIME)?,
                    matches::to_look_at(conn, now, AT_A_TIME)?,
                ))
            })
            .await?;
        let is_settled = self.time_is_settled();
        for (id, kind) in overdue.into_iter().filter(|_| is_settled) {
            if let Err(error) = self.end_time(&id, kind).await {
                tracing::error!(%id, %error, "a deadline could not be enforced");
            }
        }
        for row in to_look_at {
            let id = row.id.clone();
            let told = match row.kind {
                MatchKind::Correspondence => self.remind(row).await,
                MatchKind::Team => self.tell_what_waits(row).await,
            };
            match told {
                Ok(true) => self.outbox.notify_one(),
                Ok(false) => {}
                Err(error) => tracing::error!(%id, %error, "mail about what waits was not written"),
            }
        }
        self.write_presence().await?;
        self.purge_classes().await?;
        self.write(move |conn| {
            let Some(past) = heartbeat::past(conn, now)? else {
                return Ok(());
            };
            accounts::purge_sessions(conn, &past, GUEST)?;
            old_addresses::purge(conn, &past)?;
            former_names::purge(conn, &past)?;
            invited_addresses::purge(conn, past.before(INVITED_ADDRESS))?;
            for id in accounts::unproved(conn, past.before(VERIFY_LINK), AT_A_TIME)? {
                forget_unproved(conn, &id, now)?;
            }
            sign_up_links::purge(conn, &past)?;
            done_once::purge(conn, &past, KEPT)
        })
        .await?;
        // Those whose session has just ended.
        self.purge_guests().await
    }

    async fn end_time(&self, id: &MatchId, kind: MatchKind) -> Result<(), AppError> {
        match kind {
            MatchKind::Correspondence => self.time_out::<correspondence::Match>(id).await,
            MatchKind::Team => self.time_out::<team::Match>(id).await,
        }
    }
}
