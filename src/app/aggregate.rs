//! Acts in a match of either kind: load, decide, commit with all that follows, and again if another act came first;
//! then tell the open pages.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use perplex_matches::id::MatchId;
use perplex_matches::journal::{Aggregate, EventOf};
use perplex_matches::time::Time;

use super::memory::Matches;
use super::{App, AppError};
use crate::secret::KeyRing;
use crate::store::journal::{self, NextCheck, Version};
use crate::store::matches::{self, MatchRow};
use crate::store::{Conn, Heads, MatchKind};

pub(super) const MAX_ATTEMPTS: u32 = 50;

/// Properties of a kind of match beside its aggregate: its storage, and what follows from its events.
pub(super) trait StoredMatch: Aggregate {
    const KIND: MatchKind;
    type Snapshot: Send + Sync + 'static;
    /// Data that are written with events but are not part of them.
    type Extra: Send + 'static;

    fn matches(app: &App) -> &Matches<Self, Self::Snapshot>;

    /// Writes the state that lists show into the row, except its head and the time of its last event.
    fn project(&self, row: &mut MatchRow);

    fn next_check(step: &Step<Self>) -> NextCheck;

    /// Writes all that follows from the events, in the same transaction.
    fn follow(conn: &mut Conn, step: &Step<Self>) -> Result<Followed, AppError>;

    fn committed(&self, app: &App);
}

pub(super) struct Step<M: StoredMatch> {
    pub row: MatchRow,
    pub before: Arc<M>,
    pub after: Arc<M>,
    pub events: Vec<EventOf<M>>,
    pub extra: M::Extra,
    pub now: Time,
    pub ring: Arc<KeyRing>,
    /// See [`Site::mail_pause`](crate::site::Site::mail_pause).
    pub mail_pause: Duration,
}

#[derive(Clone, Copy, Default)]
pub(super) struct Followed {
    pub talk: i32,
    pub mail: bool,
}

pub(super) enum Attempt<M: StoredMatch> {
    /// The same act was done before: a second click, or the answer was lost.
    Already(Arc<M>),
    Decided {
        row: Box<MatchRow>,
        state: Arc<M>,
        events: Vec<EventOf<M>>,
        extra: M::Extra,
    },
}

pub(super) type Attempting<'a, M> =
    Pin<Box<dyn Future<Output = Result<Attempt<M>, AppError>> + Send + 'a>>;

pub(super) struct Outcome<M> {
    pub before: Arc<M>,
    pub after: Arc<M>,
}

/// The state of a match whose last event is `head`: `kept`, brought up to date, or replayed. The match may have gone
/// on since `head` was read.
pub(super) fn state_of<M: Aggregate>(
    conn: &mut Conn,
    id: &MatchId,
    head: i32,
    kept: Option<Arc<M>>,
) -> Result<Arc<M>, AppError> {
    match kept {
        Some(state) if state.head() == head => Ok(state),
        Some(state) if state.head() < head => {
            let mut state = M::clone(&state);
            for event in journal::events::<M>(conn, id, state.head())? {
                state.apply(&event)?;
            }
            Ok(Arc::new(state))
        }
        _ => Ok(Arc::new(M::replay(&journal::events::<M>(conn, id, 0)?)?)),
    }
}

impl App {
    /// The state of a match, from memory if the database has not gone on since, and how far the match has come.
    pub(super) async fn load<M: StoredMatch>(
        &self,
        id: &MatchId,
    ) -> Result<(Arc<M>, Version), AppError> {
        let kept = M::matches(self).cached(id);
        let asked = id.clone();
        let version = self
            .store
            .look_up(move |conn| journal::version(conn, &asked, M::KIND))
            .await?
            .ok_or(AppError::NotFound)?;
        if let Some(state) = kept.as_ref().filter(|kept| kept.head() == version.head) {
            return Ok((Arc::clone(state), version));
        }
        let asked = id.clone();
        let state = self
            .read(move |conn| state_of(conn, &asked, version.head, kept))
            .await?;
        M::matches(self).cache(id, &state);
        let head = state.head();
        Ok((state, Version { head, ..version }))
    }

    /// Makes attempts until one is committed. Simultaneous acts in one match wait for each other. A person's act
    /// begins with [`account_for_outage`](super::heartbeat), so that no player loses time in which no player could act.
    pub(super) async fn carry_out<'a, M: StoredMatch>(
        &self,
        id: &MatchId,
        attempt: impl Fn() -> Attempting<'a, M> + Send,
    ) -> Result<Outcome<M>, AppError> {
        let lock = M::matches(self).lock(id);
        let _one_at_a_time = lock.lock().await;
        for _ in 0..MAX_ATTEMPTS {
            match attempt().await? {
                Attempt::Already(state) => {
                    return Ok(Outcome {
                        before: Arc::clone(&state),
                        after: state,
                    });
                }
                Attempt::Decided {
                    row,
                    state,
                    events,
                    extra,
                } => {
                    if let Some(after) = self.commit(*row, &state, events, extra).await? {
                        let before = state;
                        return Ok(Outcome { before, after });
                    }
                }
            }
        }
        Err(AppError::Busy(format!("match {id}")))
    }

    /// Writes the decided events, and tells the open pages; `None` if another act came first.
    async fn commit<M: StoredMatch>(
        &self,
        mut row: MatchRow,
        before: &Arc<M>,
        events: Vec<EventOf<M>>,
        extra: M::Extra,
    ) -> Result<Option<Arc<M>>, AppError> {
        let Some(last) = events.last() else {
            return Ok(Some(Arc::clone(before)));
        };
        let mut after = M::clone(before);
        for event in &events {
            after.apply(event)?;
        }
        let after = Arc::new(after);
        after.project(&mut row);
        row.head = last.number;
        // Time that is given back is nobody's act.
        if let Some(act) = events.iter().rfind(|event| !M::is_time_back(event)) {
            row.updated_at = act.at;
        }
        let id = row.id.clone();
        let event = row.head;
        let step = Step {
            row,
            before: Arc::clone(before),
            after: Arc::clone(&after),
            events,
            extra,
            now: self.now(),
            ring: Arc::clone(&self.ring),
            mail_pause: self.site.mail_pause,
        };
        let written = self
            .write(move |conn| {
                // The first statement of the transaction writes: it is what keeps two acts apart.
                if !journal::advance(conn, step.before.head(), &step.row, M::next_check(&step))? {
                    return Ok(None);
                }
                journal::append::<M>(conn, &step.row.id, &step.events)?;
                let followed = M::follow(conn, &step)?;
                let heads = Heads {
                    event,
                    talk: followed.talk,
                    door: step.row.door,
                };
                Ok::<_, AppError>(Some((followed, heads)))
            })
            .await?;
        let Some((followed, heads)) = written else {
            return Ok(None);
        };
        let matches = M::matches(self);
        matches.cache(&id, &after);
        self.tell(&matches.live, &id, heads);
        if followed.mail {
            self.outbox.notify_one();
        }
        after.committed(self);
        Ok(Some(after))
    }

    pub(super) async fn time_out<M: StoredMatch<Extra: Default>>(
        &self,
        id: &MatchId,
    ) -> Result<(), AppError> {
        self.with_time::<M>(id, |state| state.time_out(self.now()))
            .await
    }

    /// Writes the events that time alone brings, without an actor.
    pub(super) async fn with_time<M: StoredMatch<Extra: Default>>(
        &self,
        id: &MatchId,
        comes: impl Fn(&M) -> Vec<EventOf<M>> + Send + Sync,
    ) -> Result<(), AppError> {
        let comes = &comes;
        let attempt = || -> Attempting<'_, M> {
            Box::pin(async move {
                let (kept, asked) = (M::matches(self).cached(id), id.clone());
                let (row, state) = self
                    .read(move |conn| {
                        let row = matches::find(conn, &asked)?.ok_or(AppError::NotFound)?;
                        let state = state_of(conn, &asked, row.head, kept)?;
                        Ok::<_, AppError>((row, state))
                    })
                    .await?;
                Ok(Attempt::<M>::Decided {
                    events: comes(&state),
                    row: Box::new(row),
                    state,
                    extra: M::Extra::default(),
                })
            })
        };
        self.carry_out(id, attempt).await.map(drop)
    }
}
