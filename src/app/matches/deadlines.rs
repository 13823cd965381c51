//! What comes with time: turns that ran out, reminders.

use super::act::match_mail;
use super::{LIST, TRIES};
use crate::app::{App, AppError};
use crate::store::journal::{self, MatchRow};
use crate::store::{StoreError, accounts as account_rows, outbox};
use perplex_matches::id::MatchId;
use perplex_matches::post::Command;
use perplex_matches::post::notice::Kind;

impl App {
    /// Does what is due at the present time: players whose days ran out lose, reminders go out.
    ///
    /// # Errors
    /// Only the database's; one match that fails does not stop the others.
    pub async fn tick(&self) -> Result<(), AppError> {
        let now = self.now();
        let (overdue, to_remind) = self
            .store
            .read(move |conn| {
                Ok::<_, StoreError>((
                    journal::overdue(conn, now, LIST)?,
                    journal::to_remind(conn, now, LIST)?,
                ))
            })
            .await?;
        for id in overdue {
            if let Err(error) = self.time_out(&id).await {
                tracing::error!(%id, %error, "a deadline could not be enforced");
            }
        }
        for row in to_remind {
            let id = row.id.clone();
            if let Err(error) = self.remind(row).await {
                tracing::error!(%id, %error, "a reminder could not be written");
            }
        }
        self.tick_teams().await
    }

    async fn time_out(&self, id: &MatchId) -> Result<(), AppError> {
        for _ in 0..TRIES {
            let (state, _) = self.load(id).await?;
            let now = self.now();
            let events = state.decide(None, &Command::Tick, now, 0)?;
            if self.commit(id, &state, events, None, now).await?.is_some() {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn remind(&self, row: MatchRow) -> Result<(), AppError> {
        let now = self.now();
        let sent = self
            .store
            .write(move |conn| {
                let (Some(remind_at), Some(account)) = (row.remind_at, row.to_move) else {
                    return Ok(false);
                };
                // Claimed by one process only, and not at all if there was a turn in between.
                if !journal::claim_reminder(conn, &row.id, remind_at)? {
                    return Ok(false);
                }
                let receivers = account_rows::receivers(conn, &[account])?;
                let mails: Vec<_> = receivers
                    .iter()
                    .filter_map(|to| match_mail(to, &row.id, Kind::Reminder, row.head, now))
                    .collect();
                outbox::enqueue(conn, &mails, now)?;
                Ok::<_, AppError>(true)
            })
            .await?;
        if sent {
            self.outbox.notify_one();
        }
        Ok(())
    }
}
