//! The time in which the server was not there, or could write nothing, is nobody's. Processes note now and then that
//! people can play; where such a note is missing, deadlines and clocks move on by as much, before anything is decided by them.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use perplex_matches::id::MatchId;
use perplex_matches::time::Time;
use perplex_matches::{correspondence, team};

use super::aggregate::StoredMatch;
use super::{App, AppError};
use crate::store::heartbeat::{self as rows, Outage};
use crate::store::{MatchKind, matches};

/// How often it is noted.
const OFTEN: Duration = Duration::from_secs(5);
/// After this time without a note, nothing is decided before the next.
const FRESH: Duration = Duration::from_secs(20);
/// What is shorter is a hiccup.
const LEAST: Duration = Duration::from_secs(30);

#[derive(Default)]
pub struct Heartbeat {
    /// When this process last noted it; 0 if it never does, as a command does not.
    last: AtomicI64,
    settling: tokio::sync::Mutex<()>,
}

impl App {
    /// Notes that people can play, and gives back the time in which they could not.
    pub async fn beat(&self) -> Result<(), AppError> {
        let _one_at_a_time = self.heartbeat.settling.lock().await;
        let now = self.now();
        let pending = self
            .write(move |conn| {
                let since = rows::beat(conn, now)?;
                if since + LEAST <= now {
                    rows::record(conn, Outage { since, until: now })?;
                }
                rows::pending(conn)
            })
            .await?;
        for outage in pending {
            self.give_back(outage).await?;
        }
        self.heartbeat.last.store(now.0, Ordering::Release);
        Ok(())
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

    async fn beat_after(&self, time: Duration) -> Result<(), AppError> {
        let last = Time(self.heartbeat.last.load(Ordering::Acquire));
        if last <= self.now() && self.now() < last + time {
            return Ok(());
        }
        self.beat().await
    }

    async fn give_back(&self, outage: Outage) -> Result<(), AppError> {
        let running = self.read(matches::with_deadline).await?;
        let length = outage.since.until(outage.until).as_secs();
        tracing::warn!(
            seconds = length,
            matches = running.len(),
            "nobody could play for a while"
        );
        for (id, kind) in running {
            let given = match kind {
                MatchKind::Correspondence => {
                    self.give_back_in::<correspondence::Match>(&id, outage)
                        .await
                }
                MatchKind::Team => self.give_back_in::<team::Match>(&id, outage).await,
            };
            match given {
                Err(AppError::Store(error)) if error.is_passing() => return Err(error.into()),
                // One that is broken keeps no other from being played.
                Err(error) => tracing::error!(%id, %error, "time could not be given back"),
                Ok(()) => {}
            }
        }
        self.write(move |conn| rows::settled(conn, outage)).await
    }

    async fn give_back_in<M: StoredMatch<Extra: Default>>(
        &self,
        id: &MatchId,
        outage: Outage,
    ) -> Result<(), AppError> {
        let Outage { since, until } = outage;
        self.with_time::<M>(id, |state| state.give_back(since, until, self.now()))
            .await
    }
}
