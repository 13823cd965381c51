//! The time in which the server was not there, or could write nothing, is nobody's. Processes note now and then that
//! people can play; where such a note is missing, deadlines and clocks move on by as much, before anything is decided by them.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use perplex_matches::id::MatchId;
use perplex_matches::time::Time;
use perplex_matches::{correspondence, team};

use super::aggregate::StoredMatch;
use super::{App, AppError};
use crate::store::heartbeat::{self as rows, Outage};
use crate::store::{MatchKind, StoreError, matches};

/// How often it is noted.
const OFTEN: Duration = Duration::from_secs(5);
/// After this time without a note, nothing is decided before the next.
const FRESH: Duration = Duration::from_secs(20);
/// What is shorter is a hiccup.
const LEAST: Duration = Duration::from_secs(30);

/// For so long those who come after a failure are told of it, and do not try themselves.
const SHARED: Duration = Duration::from_secs(1);

#[derive(Default)]
pub struct Heartbeat {
    /// When this process last noted it; 0 if it never does, as a command does not.
    last: AtomicI64,
    /// A match has yet to get its time back: none ends by time before.
    unsettled: AtomicBool,
    /// Held while it is noted, with the last failure.
    noting: tokio::sync::Mutex<Option<(Time, StoreError)>>,
}

impl App {
    /// Notes that people can play, and gives back the time in which they could not.
    pub async fn beat(&self) -> Result<(), AppError> {
        self.beat_after(Duration::ZERO).await
    }

    /// [`beat`](Self::beat), if it is time for it.
    pub async fn keep_beating(&self) -> Result<(), AppError> {
        self.beat_after(OFTEN).await
    }

    /// Sees to it that nobody loses by an outage what is decided next.
    pub(super) async fn reckon(&self) -> Result<(), AppError> {
        match self.heartbeat.last.load(Ordering::Acquire) {
            0 => Ok(()),
            _ => self.beat_after(FRESH).await,
        }
    }

    /// Whether what people do can be written.
    /// Errors: the database's, if not.
    pub async fn is_ready(&self) -> Result<(), AppError> {
        match self.heartbeat.last.load(Ordering::Acquire) {
            0 => Ok(()),
            _ => self.keep_beating().await,
        }
    }

    /// Whether every match has got the time back in which nobody could play.
    pub(super) fn time_is_settled(&self) -> bool {
        !self.heartbeat.unsettled.load(Ordering::Acquire)
    }

    fn is_noted(&self, time: Duration) -> bool {
        let last = Time(self.heartbeat.last.load(Ordering::Acquire));
        last <= self.now() && self.now() < last + time
    }

    async fn beat_after(&self, time: Duration) -> Result<(), AppError> {
        if self.is_noted(time) {
            return Ok(());
        }
        let mut failed = self.heartbeat.noting.lock().await;
        // Others may have done it meanwhile, or have found out that it can't be done.
        if self.is_noted(time) {
            return Ok(());
        }
        if let Some((at, error)) = &*failed
            && self.now() < *at + SHARED
        {
            return Err(error.clone().into());
        }
        let done = self.note_now().await;
        *failed = match &done {
            Err(AppError::Store(error)) => Some((self.now(), error.clone())),
            _ => None,
        };
        done
    }

    async fn note_now(&self) -> Result<(), AppError> {
        let now = self.now();
        let pending = self
            .write(move |conn| {
                let since = rows::beat(conn, now)?.unwrap_or(now);
                // As long as something is to be given back, nobody could play for sure.
                let goes_on = since < now && !rows::pending(conn)?.is_empty();
                if since + LEAST <= now || goes_on {
                    rows::record(conn, Outage { since, until: now })?;
                }
                rows::pending(conn)
            })
            .await?;
        let is_settled = pending.is_empty() || self.give_back(&pending).await?;
        let heartbeat = &self.heartbeat;
        heartbeat.unsettled.store(!is_settled, Ordering::Release);
        heartbeat.last.store(now.0, Ordering::Release);
        Ok(())
    }

    /// Gives back these times in all matches; `false` if that failed in one where it may yet succeed.
    async fn give_back(&self, outages: &[Outage]) -> Result<bool, AppError> {
        let running = self.read(matches::with_deadline).await?;
        let seconds: Vec<u64> = outages
            .iter()
            .map(|outage| outage.since.until(outage.until).as_secs())
            .collect();
        tracing::warn!(
            ?seconds,
            matches = running.len(),
            "nobody could play for a while"
        );
        let times: Vec<(Time, Time)> = outages
            .iter()
            .map(|outage| (outage.since, outage.until))
            .collect();
        let mut all = true;
        for (id, kind) in running {
            let given = match kind {
                MatchKind::Correspondence => {
                    self.give_back_in::<correspondence::Match>(&id, &times)
                        .await
                }
                MatchKind::Team => self.give_back_in::<team::Match>(&id, &times).await,
            };
            if let Err(error) = given {
                tracing::error!(%id, %error, "time could not be given back");
                // One that is broken for good keeps no other from being played.
                all &= !may_pass(&error);
            }
        }
        if let (true, Some(last)) = (all, outages.last()) {
            let until = last.until;
            self.write(move |conn| rows::settled(conn, until)).await?;
        }
        Ok(all)
    }

    async fn give_back_in<M: StoredMatch<Extra: Default>>(
        &self,
        id: &MatchId,
        times: &[(Time, Time)],
    ) -> Result<(), AppError> {
        self.with_time::<M>(id, |state| state.give_back(times, self.now()))
            .await
    }
}

/// Whether the same may be done later: the database could not, or others did too much at once.
fn may_pass(error: &AppError) -> bool {
    match error {
        AppError::Store(error) => error.is_passing(),
        AppError::Internal(_) => true,
        _ => false,
    }
}
