//! The computer as an opponent. It has accounts like everybody, without an address or a password,
//! and it plays through [`App::act`] like everybody: a worker looks for matches where one of these
//! accounts is to move. So it goes on after a restart, and several processes may look at once: a
//! late answer is refused, and nothing comes of it.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use super::accounts::name_key;
use super::{Actor, App, AppError};
use crate::store::accounts::{self as rows, AccountRow};
use crate::store::preferences::Preferences;
use crate::store::{StoreError, admin, matches};
use perplex_games::player::Level;
use perplex_matches::correspondence::{Command, Match, Refusal};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::time::Time;

pub const BUDGET: Duration = Duration::from_millis(1_500);
const LOOK: Duration = Duration::from_secs(1);
const AT_A_TIME: i64 = 16;
/// How long a match rests where something went wrong.
const REST: Duration = Duration::from_mins(5);
/// So many accounts for each strength: no account has two seats in a match, and no game has more than
/// four.
const OF_EACH: usize = 3;
/// However slowly the clock goes, it looks at no more than this many times 128 positions.
const MOST_LOOKS: u32 = 40_000;
/// A mail that it is a player's turn waits this long when the computer has moved: who plays in the
/// browser has answered by then, and gets none.
pub const MAIL_PAUSE: Duration = Duration::from_mins(10);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Computer {
    pub id: AccountId,
    pub name: String,
    pub level: Level,
}

static ALL: LazyLock<Vec<Computer>> = LazyLock::new(|| {
    let of = |level: Level| {
        (1..=OF_EACH).map(move |number| {
            let suffix = match number {
                1 => level.to_string(),
                _ => format!("{level}-{number}"),
            };
            Computer {
                id: AccountId(format!("computer-{suffix}")),
                name: format!("Computer-{suffix}"),
                level,
            }
        })
    };
    Level::ALL.into_iter().flat_map(of).collect()
});

pub fn find(id: &AccountId) -> Option<&'static Computer> {
    ALL.iter().find(|computer| computer.id == *id)
}

pub fn of_level(level: Level) -> impl Iterator<Item = &'static Computer> {
    ALL.iter().filter(move |computer| computer.level == level)
}

/// The computer needs no second look at its turns.
fn preferences() -> Preferences {
    Preferences {
        confirm_turns: false,
        ..Preferences::default()
    }
}

impl Computer {
    fn actor(&self) -> Actor {
        Actor {
            account: self.id.clone(),
            class: None,
        }
    }

    fn row(&self, now: Time) -> AccountRow {
        AccountRow {
            name: self.name.clone(),
            name_key: Some(name_key(&self.name)),
            // It can be found by its name, like an account with a proved address.
            verified_at: Some(now),
            preferences: preferences(),
            ..AccountRow::new(self.id.clone(), now)
        }
    }
}

impl App {
    pub async fn is_empty(&self) -> Result<bool, AppError> {
        let own: Vec<AccountId> = ALL.iter().map(|computer| computer.id.clone()).collect();
        self.read(move |conn| admin::is_empty(conn, &own)).await
    }

    /// Makes the computer's accounts where they are missing.
    /// Errors: the database's; a name that a player has taken before there was a computer.
    pub async fn make_computers(&self) -> Result<(), AppError> {
        let now = self.now();
        for computer in ALL.iter() {
            let known = || self.read(|conn| rows::find(conn, &computer.id));
            if known().await?.is_some() {
                continue;
            }
            let row = computer.row(now);
            let made = self.write(move |conn| rows::insert(conn, &row)).await;
            // Another process that starts at the same time may have made it.
            if let Err(error) = made
                && known().await?.is_none()
            {
                return Err(error);
            }
        }
        Ok(())
    }

    pub(super) async fn join_computer(
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
    /// Matches where something went wrong, and until when they rest.
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

    /// Makes turns until `stop` is done. A turn that is being thought about then is made after the
    /// next start.
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

    /// Makes a turn in the matches that have waited longest for the computer, in one of each who began them, and in a
    /// bounded number: who plays many keeps nobody waiting. Gives how many turns were made.
    /// Errors: the database's; a match where something goes wrong rests, and the others go on.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::accounts::resembles_computer;

    #[test]
    fn nobody_can_be_taken_for_the_computer() {
        for computer in ALL.iter() {
            assert!(resembles_computer(&computer.name), "{}", computer.name);
            assert_eq!(find(&computer.id), Some(computer));
        }
        for name in [
            "computer",
            "C0MPUTER-1",
            "Kom-puter",
            "The_Computer",
            "Cornputer",
        ] {
            assert!(resembles_computer(name), "{name}");
        }
        for name in ["Ada", "Compote", "Putter"] {
            assert!(!resembles_computer(name), "{name}");
        }
        assert_eq!(of_level(Level::Hard).count(), OF_EACH);
    }
}
