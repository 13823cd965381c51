//! Sends the mails of the outbox. A row is leased, its message is loaded, composed and sent outside any transaction,
//! and then the row is marked.
//!
//! If the program ends between sending and marking, the row is due again when its lease is over, and the mail goes
//! out once more with the same Message-ID: perhaps twice, but at least once.

use std::future::Future;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::{JoinError, JoinSet, spawn_blocking};
use tokio::time::{Instant, MissedTickBehavior, interval, interval_at, sleep, timeout};

use super::load::load;
use super::row::{Context, Unsent};
use super::transport::{Failure, LONGEST, Transport};
use super::{About, Message, Sender, compose};
use crate::address;
use crate::app::App;
use crate::app::mail_kind::MailKind;
use crate::store::outbox::{self, AfterFailure, MailRow};
use crate::store::{Conn, StoreError, accounts, heartbeat, invited_addresses, members};
use perplex_matches::time::{Time, days, hours};

const AT_ONCE: usize = 4;
/// The duration of a lease: longer than a mail can take, with the time to compose it.
const LEASE: Duration = Duration::from_mins(20);
const _: () = assert!(
    LEASE.as_secs() >= LONGEST.as_secs() + 5 * 60,
    "a mail outlasts its lease"
);
/// The time for the mails in progress when the program is to stop.
const PARTING: Duration = Duration::from_secs(5);
const CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// The time that the outbox keeps finished mails, and the time between two clean-ups.
const KEPT: Duration = days(30);
const TIDY: Duration = hours(1);
/// The pause before a mail server that did not answer is asked again what it takes.
const RETRY: Duration = Duration::from_mins(1);
/// The pauses after failures, in minutes; after one more failure the mail is given up, within
/// three days.
const PAUSES: [u64; 8] = [1, 5, 15, 60, 4 * 60, 12 * 60, 24 * 60, 24 * 60];
const ERROR: usize = 500;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// With the last event of a team match until which it told its reader what happened.
    Sent(Option<i32>),
    Needless(&'static str),
    /// Not before that time.
    Postponed(Time),
    Failed(Failure),
}

impl Outcome {
    /// Another row in the same mail tells it.
    const TOLD_BESIDE: Self = Self::Needless("the mail that leaves with it tells it");

    /// The outcome of a row once its mail was `sent`, or was not.
    #[must_use]
    pub fn after(self, sent: &Result<(), Failure>) -> Self {
        match (self, sent) {
            (Self::Sent(_) | Self::TOLD_BESIDE, Err(failure)) => Self::Failed(failure.clone()),
            (outcome, _) => outcome,
        }
    }
}

type Done = (MailRow, Outcome);

/// Sends mails until `stop` is ready; then finishes those in progress, for at most [`PARTING`], and returns.
pub async fn run(
    app: Arc<App>,
    transport: Arc<Transport>,
    sender: Arc<Sender>,
    stop: impl Future<Output = ()>,
) {
    let mut stop = pin!(stop);
    let mut in_hand = JoinSet::new();
    // Mails do not wait for it; it ends with this worker.
    let mut asking = JoinSet::new();
    asking.spawn(ask(Arc::clone(&app), Arc::clone(&transport)));
    let mut tick = interval(CHECK_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut tidying = interval_at(Instant::now() + TIDY, TIDY);
    tidy(&app).await;
    // True if there may be rows that can be leased.
    let mut more = false;
    let mut done = Vec::new();
    loop {
        // A mail that is done may let the next one about its match go.
        more |= !done.is_empty();
        let free = if more { AT_ONCE - in_hand.len() } else { 0 };
        if free > 0 {
            let groups = mark_and_lease(&app, std::mem::take(&mut done), free).await;
            more &= groups.len() == free;
            for rows in groups {
                let (app, transport, sender) = (
                    Arc::clone(&app),
                    Arc::clone(&transport),
                    Arc::clone(&sender),
                );
                in_hand.spawn(async move { deliver(&app, &transport, &sender, rows).await });
            }
        }
        tokio::select! {
            () = &mut stop => break,
            Some(ended) = in_hand.join_next() => {
                done.extend(delivered(ended));
                // Mails that have ended by now are marked in one go.
                while let Some(ended) = in_hand.try_join_next() {
                    done.extend(delivered(ended));
                }
            }
            () = app.outbox.notified() => more = true,
            _ = tick.tick() => more = true,
            _ = tidying.tick() => tidy(&app).await,
        }
    }
    let parting = async {
        while let Some(ended) = in_hand.join_next().await {
            done.extend(delivered(ended));
        }
    };
    // A mail that the server does not take meanwhile is due again when its lease is over.
    if timeout(PARTING, parting).await.is_err() {
        tracing::warn!(
            "a mail server does not answer; the mails in hand are sent after the next start"
        );
    }
    mark_and_lease(&app, done, 0).await;
}

/// Asks the mail server again and again what it takes, and notes it.
async fn ask(app: Arc<App>, transport: Arc<Transport>) {
    loop {
        let asked = timeout(LONGEST, transport.takes_letters()).await;
        let pause = match asked {
            Ok(Ok(takes)) => {
                app.note_mail_server(takes);
                TIDY
            }
            // What it says of mails is told elsewhere.
            Ok(Err(_)) | Err(_) => RETRY,
        };
        sleep(pause).await;
    }
}

/// The outcomes of the rows of a finished mail. A panic is a bug, but no reason to stop all mail: its rows are due again
/// after their lease.
fn delivered(ended: Result<Vec<Done>, JoinError>) -> Vec<Done> {
    ended
        .inspect_err(|error| tracing::error!(%error, "a mail could not be handled"))
        .unwrap_or_default()
}

/// Removes mails that were sent or given up long ago: addresses are kept no longer than they are needed.
async fn tidy(app: &App) {
    let now = app.now();
    let gone: Result<usize, StoreError> = app
        .store
        .write(move |conn| match heartbeat::past(conn, now)? {
            Some(past) => outbox::purge_done(conn, past.before(KEPT)),
            None => Ok(0),
        })
        .await;
    if let Err(error) = gone {
        tracing::error!(%error, "the outbox could not be tidied");
    }
}

async fn mark_and_lease(app: &App, done: Vec<Done>, limit: usize) -> Vec<Vec<MailRow>> {
    let now = app.now();
    let marked = done.len();
    let leased = app
        .store
        .write(move |conn| {
            for (row, done) in done {
                mark(conn, &row, done, now)?;
            }
            outbox::lease(conn, now, now + LEASE, limit)
        })
        .await;
    leased.unwrap_or_else(|error: StoreError| {
        tracing::error!(%error, marked, "the outbox could not be written; mails may go out twice");
        Vec::new()
    })
}

/// Loads, composes and sends the mail of rows that were leased together, without marking them.
pub async fn deliver(
    app: &App,
    transport: &Transport,
    sender: &Sender,
    rows: Vec<MailRow>,
) -> Vec<Done> {
    let context = Context::of(app);
    let now = context.now;
    let asked = rows.clone();
    let loaded = app
        .store
        .read(move |conn| Ok::<_, StoreError>(together(conn, &context, &asked)))
        .await;
    let (message, outcomes) = match loaded {
        Ok(loaded) => loaded,
        Err(error) => {
            let failed = Outcome::Failed(Failure::Later(error.to_string()));
            return rows.into_iter().map(|row| (row, failed.clone())).collect();
        }
    };
    let sent = match message {
        None => Ok(()),
        Some((kind, message)) => {
            let sender = sender.clone();
            match spawn_blocking(move || compose(&message, &sender)).await {
                Ok(Ok(email)) => transport.send(kind, email, now).await,
                Ok(Err(error)) => Err(Failure::Bad(error.to_string())),
                Err(error) => Err(Failure::Later(error.to_string())),
            }
        }
    };
    let outcomes = outcomes.into_iter().map(|outcome| outcome.after(&sent));
    rows.into_iter().zip(outcomes).collect()
}

/// The message of rows that were leased together, with the word for its kind, and the outcome of each row once it is
/// sent.
pub fn together(
    conn: &mut Conn,
    context: &Context,
    rows: &[MailRow],
) -> (Option<(&'static str, Message)>, Vec<Outcome>) {
    let loaded: Vec<Result<Message, Unsent>> =
        rows.iter().map(|row| load(conn, context, row)).collect();
    let abouts: Vec<Option<&About>> = loaded
        .iter()
        .map(|one| one.as_ref().ok().map(|message| &message.about))
        .collect();
    let is_told = |number: usize| {
        let others = abouts
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != number);
        let mut others = others.filter_map(|(other, about)| Some((other, (*about)?)));
        abouts[number].is_some_and(|about| {
            others.any(|(other, told)| told.tells(about) && (!about.tells(told) || other < number))
        })
    };
    let told: Vec<bool> = (0..rows.len()).map(is_told).collect();
    let mut parts = Vec::new();
    let outcomes = loaded
        .into_iter()
        .zip(told)
        .zip(rows)
        .map(|((loaded, is_told), row)| match loaded {
            Ok(_) if is_told => Outcome::TOLD_BESIDE,
            Ok(message) => {
                let told = message.told;
                parts.push((row, message));
                Outcome::Sent(told)
            }
            Err(Unsent::Needless(why)) => Outcome::Needless(why),
            Err(Unsent::Quiet(until)) => Outcome::Postponed(until),
            Err(Unsent::Store(error)) => Outcome::Failed(Failure::Later(error.to_string())),
            Err(Unsent::Bad(why)) => Outcome::Failed(Failure::Bad(why)),
        });
    let outcomes = outcomes.collect();
    (message_of(parts, context), outcomes)
}

/// The one message of these, with the word for its kind. Several are to the same account, and belong to no thread.
fn message_of(
    mut parts: Vec<(&MailRow, Message)>,
    context: &Context,
) -> Option<(&'static str, Message)> {
    let kind = |row: &MailRow| MailKind::find(&row.kind);
    if parts.len() == 1 {
        let (row, message) = parts.pop()?;
        return Some((kind(row)?.key(), message));
    }
    let mut kinds: Vec<MailKind> = Vec::new();
    for kind in parts.iter().filter_map(|(row, _)| kind(row)) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let (row, first) = parts.first()?;
    let together = Message {
        message_id: format!("together-{}", first.message_id),
        off: context.off(row.account_id.as_ref()?, &first.to, kinds, None),
        told: None,
        thread: None,
        ..first.clone()
    };
    let about = parts
        .into_iter()
        .map(|(_, message)| message.about)
        .collect();
    let about = About::Together(about);
    Some(("together", Message { about, ..together }))
}

/// Writes the outcome to a row. A mail that is no longer needed counts as sent, and its row gives the reason.
pub fn mark(conn: &mut Conn, row: &MailRow, done: Outcome, now: Time) -> Result<(), StoreError> {
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
