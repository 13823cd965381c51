//! The worker that makes the computer's turns, through [`App::act`] like all players.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use perplex_matches::correspondence::{Command, Match, Refusal};
use perplex_matches::id::{AccountId, MatchId};

use super::networks::Served;
use super::{ALL, Computer, find};
use crate::app::{App, AppError};
use crate::store::{StoreError, matches};

const LOOK: Duration = Duration::from_secs(1);
/// Answers in one round, and those of guests among them while so many wait.
const AT_A_TIME: usize = 16;
const OF_GUESTS: usize = 4;
/// Guests among whom those of a round are chosen: the ones that have waited longest.
const GUESTS: i64 = 2_000;
/// The parts of a round that one answer gets.
const PARTS_OF_ACCOUNT: u32 = 3;
const PARTS_OF_GUEST: u32 = 1;
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
    resting: HashMap<MatchId, Duration>,
    served: Served,
}

/// A match that waits for the computer, and the network of the guest who began it.
struct Waiting {
    id: MatchId,
    network: Option<String>,
}

impl Waiting {
    const fn parts(&self) -> u32 {
        if self.network.is_some() {
            PARTS_OF_GUEST
        } else {
            PARTS_OF_ACCOUNT
        }
    }
}

impl Player {
    pub fn new(app: Arc<App>, budget: Duration) -> Self {
        Self {
            app,
            budget,
            resting: HashMap::new(),
            served: Served::default(),
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

    /// Makes a turn in some of the matches that wait for the computer: one for each player who began them, those with an
    /// account before guests, whose networks take turns. Together they get the time of one budget: so nobody waits long,
    /// and the computer thinks less the more are waiting. Gives the number of turns made.
    /// Errors: the database's; a match with an error rests, and the others go on.
    pub async fn round(&mut self) -> Result<usize, AppError> {
        let now = self.app.clock.steady();
        self.resting.retain(|_, until| *until > now);
        let next = self.waiting().await?;
        let parts: u32 = next.iter().map(Waiting::parts).sum();
        let mut made = 0;
        for waiting in next {
            let budget = self.budget * waiting.parts() / parts;
            match self.answer(&waiting.id, budget).await {
                Ok(true) => made += 1,
                Ok(false) => {}
                Err(error) => {
                    let id = waiting.id;
                    tracing::error!(%id, %error, "the computer cannot make its turn");
                    self.resting.insert(id, now + REST);
                }
            }
            if let Some(network) = waiting.network {
                self.served.note(network);
            }
        }
        Ok(made)
    }

    /// The matches that get an answer in the next round.
    async fn waiting(&self) -> Result<Vec<Waiting>, AppError> {
        let awake = AT_A_TIME + self.resting.len();
        let most = i64::try_from(awake).unwrap_or(i64::MAX);
        let ids = || -> Vec<AccountId> { ALL.iter().map(|one| one.id.clone()).collect() };
        let computers = ids();
        let (accounts, guests) = self
            .app
            .read(move |conn| {
                Ok::<_, StoreError>((
                    matches::waiting_beginners(conn, &computers, false, most)?,
                    matches::waiting_beginners(conn, &computers, true, GUESTS)?,
                ))
            })
            .await?;
        let guests = self.served.in_turn(guests, &self.app.guest_networks);
        let guests = guests.into_iter().take(awake);
        let guests = guests.map(|(guest, network)| (guest, Some(network)));
        let beginners = accounts.into_iter().map(|one| (one, None)).chain(guests);
        let beginners: Vec<_> = beginners.collect();
        // One more than rest is enough to find one that does not.
        let of_one = i64::try_from(self.resting.len() + 1).unwrap_or(i64::MAX);
        let computers = ids();
        let waiting = self
            .app
            .read(move |conn| {
                let of_each = beginners.into_iter().map(|(beginner, network)| {
                    let theirs = matches::waiting_for(conn, &computers, &beginner, of_one)?;
                    Ok::<_, StoreError>((theirs, network))
                });
                of_each.collect::<Result<Vec<_>, StoreError>>()
            })
            .await?;
        let next = waiting.into_iter().filter_map(|(theirs, network)| {
            let mut theirs = theirs.into_iter();
            let id = theirs.find(|id| !self.resting.contains_key(id))?;
            Some(Waiting { id, network })
        });
        let (mut guests, mut next): (Vec<_>, Vec<_>) = next.partition(|one| one.network.is_some());
        next.truncate(AT_A_TIME - OF_GUESTS.min(guests.len()));
        guests.truncate(AT_A_TIME - next.len());
        next.append(&mut guests);
        Ok(next)
    }

    async fn answer(&self, id: &MatchId, budget: Duration) -> Result<bool, AppError> {
        let (state, _) = self.app.load::<Match>(id).await?;
        let Some(computer) = state.player_to_move().and_then(find) else {
            return Ok(false);
        };
        let (game, level) = (state.game.clone(), computer.level);
        let clock = self.app.clock.clone();
        let until = clock.steady() + budget;
        let mut looks = 0;
        let mut stop = move || {
            looks += 1;
            looks > MOST_LOOKS || clock.steady() >= until
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
