//! Which mails are due, and what became of them.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

use perplex_matches::time::{Time, days};

use super::{DueMail, Failure, Outcome};
use crate::address;
use crate::app::{App, AppError};
use crate::store::outbox::{self, AfterFailure, MailRow};
use crate::store::{Conn, StoreError, accounts, heartbeat, invited_addresses, members};

/// The time that the outbox keeps finished mails.
const KEPT: Duration = days(30);
/// The pauses after failures, in minutes; after one more failure the mail is given up, within
/// three days.
const PAUSES: [u64; 8] = [1, 5, 15, 60, 4 * 60, 12 * 60, 24 * 60, 24 * 60];
/// The most characters of an error that are kept.
const ERROR: usize = 500;

impl App {
    /// Marks mails that are `done`, and leases up to `limit` mails for the time `lease`: those of one group leave as one
    /// mail. Fewer than `limit` are leased only if no others can be until one of those in hand is done.
    pub async fn mark_and_lease(
        &self,
        done: Vec<(DueMail, Outcome)>,
        limit: usize,
        lease: Duration,
    ) -> Result<Vec<Vec<DueMail>>, AppError> {
        let now = self.now();
        let leased = self
            .write(move |conn| {
                for (DueMail(row), outcome) in done {
                    mark(conn, &row, outcome, now)?;
                }
                outbox::lease(conn, now, now + lease, limit)
            })
            .await?;
        let group = |rows: Vec<MailRow>| rows.into_iter().map(DueMail).collect();
        Ok(leased.into_iter().map(group).collect())
    }

    /// Removes mails that were sent or given up long ago: addresses are kept no longer than they are needed.
    pub async fn tidy_outbox(&self) -> Result<(), AppError> {
        let now = self.now();
        self.write(move |conn| match heartbeat::past(conn, now)? {
            Some(past) => outbox::purge_done(conn, past.before(KEPT)).map(drop),
            None => Ok::<_, StoreError>(()),
        })
        .await
    }
}

/// Writes the outcome to a row. A mail that is no longer needed counts as sent, and its row gives the reason.
fn mark(conn: &mut Conn, row: &MailRow, done: Outcome, now: Time) -> Result<(), StoreError> {
    let (id, kind, attempts) = (row.id.as_str(), row.kind.as_str(), row.attempts);
    match done {
        Outcome::Sent(told) => {
            tracing::info!(mail = %id, kind, "mail sent");
            outbox::sent(conn, id, now)?;
            if let Some(account) = &row.account_id {
                // The reader's server takes mail again: what it refused for a while goes out together.
                outbox::hurry(conn, account, now)?;
            }
            note_refusal(conn, row, None)?;
            if let (Some(account), Some(id), Some(event)) = (&row.account_id, &row.match_id, told) {
                accounts::note_waiting_mail(conn, account, now)?;
                members::mail_news(conn, id, account, event)?;
            }
            Ok(())
        }
        Outcome::Needless(why) => {
            tracing::info!(mail = %id, kind, why, "mail not needed");
            outbox::needless(conn, id, why, now)
        }
        Outcome::Postponed(until) => outbox::postpone(conn, id, until),
        Outcome::Failed(failure) => {
            let next = match &failure {
                Failure::Refused(_) | Failure::Bad(_) => AfterFailure::Dead(now),
                Failure::Later(_) => pause(attempts, chance(&row.address))
                    .map_or(AfterFailure::Dead(now), |pause| {
                        AfterFailure::Again(now + pause)
                    }),
            };
            let error: String = failure.to_string().chars().take(ERROR).collect();
            if matches!(failure, Failure::Refused(_)) {
                note_refusal(conn, row, Some(&error))?;
            }
            match next {
                AfterFailure::Dead(_) => {
                    tracing::warn!(mail = %id, kind, attempts, error, "mail given up");
                }
                AfterFailure::Again(due) => {
                    tracing::warn!(mail = %id, kind, attempts, error, %due, "mail not sent yet");
                }
            }
            outbox::failed(conn, id, &error, next)
        }
    }
}

/// Notes, for the reader or the inviter, why the mail server refused a mail; or, by `None`, that it took one.
fn note_refusal(conn: &mut Conn, row: &MailRow, why: Option<&str>) -> Result<(), StoreError> {
    let address = address::key(&row.address);
    match (&row.account_id, &row.match_id, why) {
        (Some(account), _, Some(why)) => accounts::note_refusal(conn, account, &address, why),
        (Some(account), _, None) => accounts::forget_refusal(conn, account, &address),
        (None, Some(id), why) => invited_addresses::note_refusal(conn, id, &address, why.is_some()),
        (None, None, _) => Ok(()),
    }
}

/// The same number for all mails to an address: what failed together for one reader comes back together.
fn chance(address: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    address.hash(&mut hasher);
    hasher.finish()
}

/// The pause after `attempts` attempts; `None` if there is no further one. `chance` spreads it by a fifth to both
/// sides, so that mails to many readers that failed together do not come back together.
fn pause(attempts: i32, chance: u64) -> Option<Duration> {
    let failures = usize::try_from(attempts).unwrap_or(0).max(1);
    let minutes = PAUSES.get(failures - 1)?;
    let percent = 80 + chance % 41;
    Some(Duration::from_millis(minutes * 60 * 10 * percent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use perplex_matches::time::hours;

    #[test]
    fn pauses_grow_and_end_within_three_days() {
        let pauses = |chance| -> Vec<Duration> {
            (1..)
                .map_while(|attempts| pause(attempts, chance))
                .collect()
        };
        assert_eq!(pauses(20)[0], Duration::from_mins(1));
        assert_eq!(pauses(0)[0], Duration::from_secs(48));
        assert_eq!(pauses(40)[0], Duration::from_secs(72));
        assert!(pauses(20).is_sorted());
        let total: Duration = pauses(20).iter().sum();
        assert!(total > hours(48) && total < hours(72), "{total:?}");
        assert_eq!(pause(0, 20), pause(1, 20));
        assert_eq!(pause(i32::MAX, 20), None);
    }
}
