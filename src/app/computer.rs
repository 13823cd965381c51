//! The computer as an opponent. Like all players it has accounts (without an address or a password), and it plays
//! through [`App::act`]: a worker looks for matches where one of these accounts is to move. So it goes on after a
//! restart, and several processes may search at once: a late answer is refused, and has no effect.

mod networks;
mod player;

use std::sync::LazyLock;
use std::time::Duration;

use super::{Actor, App, AppError};
use crate::store::accounts::{self as rows, AccountRow};
use crate::store::admin;
use crate::store::preferences::Preferences;
use perplex_games::player::Level;
use perplex_matches::id::{AccountId, AccountKind};
use perplex_matches::names;
use perplex_matches::time::Time;

/// The time in which the computer answers those who wait, all together: nobody waits for more than twice as long, unless
/// there are more than one round has room for.
pub const BUDGET: Duration = Duration::from_millis(1_500);
/// Accounts for each strength: no account has two seats in a match, and no game has more than four.
const OF_EACH: usize = 3;

pub use networks::GuestNetworks;
pub use player::Player;

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

/// The computer does not confirm its turns.
fn preferences() -> Preferences {
    Preferences {
        confirm_turns: false,
        ..Preferences::default()
    }
}

impl Computer {
    pub(super) fn actor(&self) -> Actor {
        Actor {
            account: self.id.clone(),
            kind: AccountKind::Adult,
        }
    }

    fn row(&self, now: Time) -> AccountRow {
        AccountRow {
            name: self.name.clone(),
            name_key: Some(names::key(&self.name)),
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

    /// Makes those of the computer's accounts that are missing.
    /// Errors: the database's; a name that a player took before there was a computer.
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
