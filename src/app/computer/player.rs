//! The worker that makes the computer's turns, through [`App::act`] like all players.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use perplex_matches::correspondence::{Command, Match, Refusal};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::time::Time;

use super::{ALL, Computer, find};
use crate::app::{App, AppError};
use crate::store::{StoreError, matches};

const LOOK: Duration = Duration::from_secs(1);
const AT_A_TIME: i64 = 16;
/// The time that a match rests after an error.
const REST: Duration = Duration::from_mins(5);
/// However slowly the clock goes, the search ends after this many times 128 positions.
const MOST_LOOKS: u32 = 40_000;

impl App {
    pub(in crate::app) async fn join_computer(
        &self,
        computer: &Computer,
        id: &MatchId,
    ) -> Result<(), AppError> {
        let join = Command::Join {
            wish: None,
            by_link: false,
        };
        self.act(computer.actor(), id, None, join, "").await?;
        Ok(())
    }
}

pub struct Player {
    app: Arc<App>,
    budget: Duration,
    /// Matches that rest after an error, and until when.
    resting: HashMap<MatchId, Time>,
}

impl Player {
    pub fn new(app: Arc<App>, budget: Duration) -> Self {
        Self {
            app,
            budget,
            resting: HashMap::new(),
        }
    }

    /// Makes turns until `stop` is done. A turn that is being thought about then is made after the next start.
    pub async fn run(mut self, stop: impl Future<Output = ()>) {
        let mut stop = std::pin::pin!(stop);
        let app = Arc::clone(&self.app);
        loop {
            let round = async {
                match self.round().await {
                    Ok(made) => made > 0,
                    Err(error) => {
                        tracing::error!(%error, "the computer cannot look for its matches");
                        false
                    }
                }
            };
            let more = tokio::select! {
                () = &mut stop => return,
                more = round => more,
            };
            if more {
                continue;
            }
            tokio::select! {
                () = &mut stop => return,
                () = app.computers.notified() => {}
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }

    /// Makes a turn in the matches that have waited longest for the computer: one for each player who began them, and
    /// a bounded number, so that a player of many matches keeps no other waiting. Gives the number of turns made.
    /// Errors: the database's; a match with an error rests, and the others go on.
    pub async fn round(&mut self) -> Result<usize, AppError> {
        let now = self.app.now();
        self.resting.retain(|_, until| *until > now);
        let most = i64::try_from(self.resting.len()).unwrap_or(i64::MAX - 1) + 1;
        let waiting = self
            .app
            .read(move |conn| {
                let ids: Vec<AccountId> = ALL.iter().map(|computer| computer.id.clone()).collect();
                let beginners = matches::waiting_beginners(conn, &ids, AT_A_TIME + most)?;
                let of_each = beginners
                    .iter()
                    .map(|beginner| matches::waiting_for(conn, &ids, beginner, most));
                of_each.collect::<Result<Vec<_>, StoreError>>()
            })
            .await?;
        let mut made = 0;
        let next = waiting.into_iter().filter_map(|of_one| {
            let mut awake = of_one.into_iter();
            awake.find(|id| !self.resting.contains_key(id))
        });
        let next: Vec<MatchId> = next.collect();
        for id in next {
            match self.answer(&id).await {
                Ok(true) => made += 1,
                Ok(false) => {}
                Err(error) => {
                    tracing::error!(%id, %error, "the computer cannot make its turn");
                    self.resting.insert(id, now + REST);
                }
            }
        }
        Ok(made)
    }

    async fn answer(&self, id: &MatchId) -> Result<bool, AppError> {
        let (state, _) = self.app.load::<Match>(id).await?;
        let Some(computer) = state.player_to_move().and_then(find) else {
            return Ok(false);
        };
        let (game, level) = (state.game.clone(), computer.level);
        let clock = Arc::clone(&self.app.clock);
        let until = clock() + self.budget;
        let mut looks = 0;
        let mut stop = move || {
            looks += 1;
            looks > MOST_LOOKS || clock() >= until
        };
        let seed: u64 = rand::random();
        let thought = tokio::task::spawn_blocking(move || game.suggest(level, seed, &mut stop));
        let turn = thought
            .await
            .map_err(|error| AppError::Internal(error.to_string()))?
            .ok_or_else(|| AppError::Internal("there is nothing to play".to_owned()))?;
        let play = Command::Play {
            ply: state.turns.len(),
            turn,
            offer: false,
        };
        match self.app.act(computer.actor(), id, None, play, "").await {
            Ok(_) => Ok(true),
            // Another process was quicker, the match is over, or the time had run out.
            Err(AppError::Refused(refusal)) if !matches!(refusal, Refusal::Turn(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }
}
