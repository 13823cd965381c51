//! Sends the mails of the outbox. One is leased, read, composed and sent outside any transaction, and then marked.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::{JoinError, JoinSet, spawn_blocking};
use tokio::time::{Instant, MissedTickBehavior, interval, interval_at, sleep, timeout};

use super::transport::{LONGEST, Transport};
use super::{Message, Sender, compose};
use crate::app::App;
use crate::app::mails::{DueMail, Failure, Outcome};
use perplex_matches::time::hours;

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
/// The time between two clean-ups of the outbox.
const TIDY: Duration = hours(1);
/// The pause before a mail server that did not answer is asked again what it takes.
const RETRY: Duration = Duration::from_mins(1);
type Done = (DueMail, Outcome);

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
    // True if there may be mails that can be leased.
    let mut more = false;
    let mut done = Vec::new();
    loop {
        // A mail that is done may let the next one about its match go.
        more |= !done.is_empty();
        let free = if more { AT_ONCE - in_hand.len() } else { 0 };
        if free > 0 {
            let groups = mark_and_lease(&app, std::mem::take(&mut done), free).await;
            more &= groups.len() == free;
            for due in groups {
                let (app, transport, sender) = (
                    Arc::clone(&app),
                    Arc::clone(&transport),
                    Arc::clone(&sender),
                );
                in_hand.spawn(async move { deliver(&app, &transport, &sender, due).await });
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

/// What became of those of a finished mail. A panic is a bug, but no reason to stop all mail: they are due again after
/// their lease.
fn delivered(ended: Result<Vec<Done>, JoinError>) -> Vec<Done> {
    ended
        .inspect_err(|error| tracing::error!(%error, "a mail could not be handled"))
        .unwrap_or_default()
}

async fn tidy(app: &App) {
    if let Err(error) = app.tidy_outbox().await {
        tracing::error!(%error, "the outbox could not be tidied");
    }
}

async fn mark_and_lease(app: &App, done: Vec<Done>, limit: usize) -> Vec<Vec<DueMail>> {
    let marked = done.len();
    let leased = app.mark_and_lease(done, limit, LEASE).await;
    leased.unwrap_or_else(|error| {
        tracing::error!(%error, marked, "the outbox could not be written; mails may go out twice");
        Vec::new()
    })
}

/// Reads, composes and sends the one mail of those that were leased together, without marking them.
pub async fn deliver(
    app: &App,
    transport: &Transport,
    sender: &Sender,
    due: Vec<DueMail>,
) -> Vec<Done> {
    let now = app.now();
    let (mail, outcomes) = match app.read_mails(due.clone()).await {
        Ok(read) => read,
        Err(error) => {
            let failed = Outcome::Failed(Failure::Later(error.to_string()));
            return due.into_iter().map(|one| (one, failed.clone())).collect();
        }
    };
    let sent = match mail {
        None => Ok(()),
        Some(mail) => {
            let (kind, sender) = (mail.kind, sender.clone());
            match spawn_blocking(move || compose(&Message::of(mail), &sender)).await {
                Ok(Ok(email)) => transport.send(kind, email, now).await,
                Ok(Err(error)) => Err(Failure::Bad(error.to_string())),
                Err(error) => Err(Failure::Later(error.to_string())),
            }
        }
    };
    let outcomes = outcomes.into_iter().map(|outcome| outcome.after(&sent));
    due.into_iter().zip(outcomes).collect()
}
