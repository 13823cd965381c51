//! Matches in lists: the lobby, one's own, a player's.

use std::collections::HashMap;

use super::{LIST, Name, name_of};
use crate::app::accounts::name_key;
use crate::app::{App, AppError, Viewer};
use crate::store::journal::{self, MatchRow, PlayerRow};
use crate::store::{Conn, Phase as Stage, Role, StoreError, Winner, accounts as account_rows};
use perplex_games::registry;
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::post::event::Terms;
use perplex_matches::post::{self, Phase};
use perplex_matches::time::Time;

/// A match in a list.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Which.
    pub id: MatchId,
    /// Game, variant, days.
    pub terms: Terms,
    /// Its people: in the order of the seats once it has begun.
    pub people: Vec<Name>,
    /// `gathering`, `playing`, `over`.
    pub phase: perplex_matches::post::Phase,
    /// How many turns were made.
    pub ply: i32,
    /// Who is to move.
    pub to_move: Option<AccountId>,
    /// When the player to move loses on time.
    pub deadline: Option<Time>,
    /// Who won; nothing while it is played or if it was called off.
    pub winner: Option<Winner>,
    /// The word for why it ended.
    pub reason: Option<String>,
    /// When something last happened in it.
    pub updated: Time,
    /// Whether the viewer is challenged to it and has not answered.
    pub challenged: bool,
}

/// A player's results in one game.
#[derive(Clone, Debug)]
pub struct GameResults {
    /// The game's key.
    pub game: String,
    /// Matches won.
    pub won: i64,
    /// Matches lost.
    pub lost: i64,
    /// Matches drawn.
    pub drawn: i64,
}

/// What the page about a player shows.
#[derive(Clone, Debug)]
pub struct PlayerPage {
    /// The name, as its owner writes it.
    pub name: String,
    /// When the account was made.
    pub since: Time,
    /// Results by game.
    pub results: Vec<GameResults>,
    /// Matches that are being played.
    pub playing: Vec<Listed>,
    /// The latest finished matches.
    pub over: Vec<Listed>,
}

impl App {
    /// The matches that anyone can join, the newest first.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn lobby(&self, viewer: Option<&Viewer>) -> Result<Vec<Listed>, AppError> {
        let viewer = viewer.map(|viewer| viewer.id.clone());
        self.store
            .read(move |conn| {
                let rows = journal::lobby(conn, LIST)?;
                listed(conn, rows, viewer.as_ref())
            })
            .await
    }

    /// The viewer's matches: where it is the viewer's turn first, then by deadline, then those that
    /// are over.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn mine(&self, viewer: &Viewer) -> Result<Vec<Listed>, AppError> {
        let viewer = viewer.id.clone();
        self.store
            .read(move |conn| {
                let mut rows = of_account(conn, &viewer, Stage::Gathering)?;
                rows.extend(of_account(conn, &viewer, Stage::Playing)?);
                rows.extend(of_account(conn, &viewer, Stage::Over)?);
                listed(conn, rows, Some(&viewer))
            })
            .await
    }

    /// The page about the player called `name`.
    ///
    /// # Errors
    /// Not found.
    pub async fn player(&self, _: Option<&Viewer>, name: &str) -> Result<PlayerPage, AppError> {
        let key = name_key(name);
        self.store
            .read(move |conn| {
                let account = account_rows::find_by_name(conn, &key)?
                    .filter(|account| account.verified_at.is_some())
                    .ok_or(AppError::NotFound)?;
                let playing = of_account(conn, &account.id, Stage::Playing)?;
                let over = of_account(conn, &account.id, Stage::Over)?
                    .into_iter()
                    // What was called off was never public.
                    .filter(|row| row.winner.is_some())
                    .collect();
                Ok(PlayerPage {
                    results: results(journal::tallies(conn, &account.id)?),
                    playing: listed(conn, playing, None)?,
                    over: listed(conn, over, None)?,
                    name: account.name,
                    since: account.created_at,
                })
            })
            .await
    }
}

fn of_account(
    conn: &mut Conn,
    account: &AccountId,
    stage: Stage,
) -> Result<Vec<MatchRow>, StoreError> {
    let rows = journal::of_account(conn, account, &[stage], LIST)?;
    Ok(rows.into_iter().map(|(row, _)| row).collect())
}

/// Results by game, from the counts by variant, seat and winner.
fn results(tallies: Vec<journal::Tally>) -> Vec<GameResults> {
    let mut results: Vec<GameResults> = Vec::new();
    for tally in tallies {
        let side = registry::find(&tally.game)
            .and_then(|entry| entry.setup(&tally.variant))
            .and_then(|game| {
                let seat = usize::try_from(tally.seat).ok()?;
                Some(game.seats().get(seat)?.side)
            });
        let index = results.iter().position(|known| known.game == tally.game);
        let index = index.unwrap_or_else(|| {
            results.push(GameResults {
                game: tally.game.clone(),
                won: 0,
                lost: 0,
                drawn: 0,
            });
            results.len() - 1
        });
        let counter = match tally.winner {
            Winner::Draw => &mut results[index].drawn,
            winner if side.map(|side| Winner::from(Some(side))) == Some(winner) => {
                &mut results[index].won
            }
            _ => &mut results[index].lost,
        };
        *counter += tally.matches;
    }
    results
}

/// Rows of matches as lists show them.
fn listed(
    conn: &mut Conn,
    rows: Vec<MatchRow>,
    viewer: Option<&AccountId>,
) -> Result<Vec<Listed>, AppError> {
    let ids: Vec<MatchId> = rows.iter().map(|row| row.id.clone()).collect();
    let mut people: HashMap<MatchId, Vec<PlayerRow>> = HashMap::new();
    for player in journal::players_of(conn, &ids)? {
        people
            .entry(player.match_id.clone())
            .or_default()
            .push(player);
    }
    let mut accounts: Vec<AccountId> = people
        .values()
        .flatten()
        .map(|player| player.account_id.clone())
        .collect();
    accounts.sort();
    accounts.dedup();
    let names = account_rows::names(conn, &accounts)?;
    Ok(rows
        .into_iter()
        .map(|row| {
            let mut players = people.remove(&row.id).unwrap_or_default();
            players.sort_by_key(|player| player.seat);
            let challenged = players
                .iter()
                .any(|player| player.role == Role::Invited && Some(&player.account_id) == viewer);
            Listed {
                people: players
                    .iter()
                    .filter(|player| player.role != Role::Invited)
                    .map(|player| name_of(&player.account_id, &names))
                    .collect(),
                challenged,
                terms: Terms {
                    game: row.game,
                    variant: row.variant,
                    days: u8::try_from(row.days).unwrap_or(post::MOST_DAYS),
                    open: row.listed,
                },
                id: row.id,
                phase: match row.phase {
                    Stage::Gathering => Phase::Gathering,
                    Stage::Playing => Phase::Playing,
                    Stage::Over => Phase::Over,
                },
                ply: row.ply,
                to_move: row.to_move,
                deadline: row.deadline,
                winner: row.winner,
                reason: row.reason,
                updated: row.updated_at,
            }
        })
        .collect())
}
