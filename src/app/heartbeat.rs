//! Outages count for no player: while the server was not there, or could write nothing, no time runs. Processes note
//! regularly that people can play; where a note is missing, deadlines and clocks move on by as much, before anything
//! is decided by them.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use perplex_matches::id::MatchId;
use perplex_matches::time::Time;
use perplex_matches::{correspondence, team};

use super::aggregate::StoredMatch;
use super::{App, AppError};
use crate::store::heartbeat::{self as rows, Outage};
use crate::store::{MatchKind, StoreError, matches};

/// The time between two notes.
const OFTEN: Duration = Duration::from_secs(5);
/// After this time without a note, nothing is decided before the next.
const FRESH: Duration = Duration::from_secs(20);
/// A shorter gap is no outage.
const LEAST: Duration = Duration::from_secs(30);

/// For this time after a failure others are told of it, and do not try themselves.
const SHARED: Duration = Duration::from_secs(1);

#[derive(Default)]
pub struct Heartbeat {
    /// The time of this process's last note; 0 if it never makes any, like a command.
    last: AtomicI64,
    /// True if a match has yet to get its time back: until then none ends by time.
    unsettled: AtomicBool,
    /// Held during a note, with the last failure.
    noting: tokio::sync::Mutex<Option<(Duration, StoreError)>>,
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

    /// Gives back the time of an outage before the next decision, so that no player loses by it.
    pub(super) async fn account_for_outage(&self) -> Result<(), AppError> {
        match self.heartbeat.last.load(Ordering::Acquire) {
            0 => Ok(()),
            _ => self.beat_after(FRESH).await,
        }
    }

    /// Succeeds if people's acts can be written.
    /// Errors: the database's, if not.
    pub async fn is_ready(&self) -> Result<(), AppError> {
        match self.heartbeat.last.load(Ordering::Acquire) {
            0 => Ok(()),
            _ => self.keep_beating().await,
        }
    }

    /// True if every match has got back the time in which no player could play.
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
        // Others may have noted it meanwhile, or have found out that it can't be done.
        if self.is_noted(time) {
            return Ok(());
        }
        if let Some((at, error)) = &*failed
            && self.clock.steady() < *at + SHARED
        {
            return Err(error.clone().into());
        }
        let done = self.note_now().await;
        *failed = match &done {
            Err(AppError::Store(error)) => Some((self.clock.steady(), error.clone())),
            _ => None,
        };
        done
    }

    async fn note_now(&self) -> Result<(), AppError> {
        let now = self.now();
        let pending = self
            .write(move |conn| {
                let since = rows::beat(conn, now)?.unwrap_or(now);
                // While some time is still to be given back, it is not sure that people could play.
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
                // A match that is broken for good does not stop the others from being played.
                all &= !error.is_passing();
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
