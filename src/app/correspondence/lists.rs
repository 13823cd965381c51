use std::collections::{HashMap, HashSet};

use super::{LIST, Name, invitation_link, name_of};
use crate::app::{App, AppError, Viewer};
use crate::store::invited_addresses;
use crate::store::matches::{self, MatchRow};
use crate::store::members::{self, MemberRow};
use crate::store::{Conn, MatchKind, Phase as Stage, StoreError, Winner, accounts as account_rows};
use perplex_games::registry;
use perplex_games::rules::Reason;
use perplex_matches::correspondence::event::Terms;
use perplex_matches::correspondence::{self, Phase};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::time::Time;

const KIND: MatchKind = MatchKind::Correspondence;

#[derive(Clone, Debug)]
pub struct Listed {
    pub id: MatchId,
    pub terms: Terms,
    pub people: Vec<Name>,
    pub phase: perplex_matches::correspondence::Phase,
    pub ply: i32,
    pub to_move: Option<AccountId>,
    pub deadline: Option<Time>,
    /// `None` while it is played or if it was called off.
    pub winner: Option<Winner>,
    pub reason: Option<Reason>,
    pub updated: Time,
    pub challenged: bool,
    /// The link of the invitation, if the viewer's address was invited, not the account: the match is seen by it only.
    pub invitation: Option<String>,
    /// True if something was said there that the viewer has not seen.
    pub unread: bool,
}

#[derive(Clone, Debug)]
pub struct GameResults {
    pub game: String,
    pub won: i64,
    pub lost: i64,
    pub drawn: i64,
}

#[derive(Clone, Debug)]
pub struct PlayerPage {
    pub name: String,
    pub since: Time,
    pub results: Vec<GameResults>,
    pub playing: Vec<Listed>,
    pub over: Vec<Listed>,
}

impl App {
    pub async fn lobby(&self, viewer: Option<&Viewer>) -> Result<Vec<Listed>, AppError> {
        let viewer = viewer.map(|viewer| viewer.id.clone());
        self.read(move |conn| {
            let rows = matches::lobby(conn, KIND, LIST)?;
            let mut listed = listed(conn, rows)?;
            if let Some(viewer) = viewer {
                let invited = matches::of_invited(conn, KIND, &viewer, LIST)?;
                for one in &mut listed {
                    one.challenged = invited.iter().any(|row| row.id == one.id);
                }
            }
            Ok::<_, AppError>(listed)
        })
        .await
    }

    /// The viewer's matches: those with the viewer to move first, then by deadline, then those that are over.
    pub async fn mine(&self, viewer: &Viewer) -> Result<Vec<Listed>, AppError> {
        let (viewer, key) = (viewer.id.clone(), self.key.clone());
        self.read(move |conn| {
            let invited = matches::of_invited(conn, KIND, &viewer, LIST)?;
            let mut all = listed(conn, invited)?;
            for one in &mut all {
                one.challenged = true;
            }
            let address = invited_addresses::key_of(conn, &viewer)?;
            let by_mail = invited_addresses::of_account(conn, KIND, &viewer, LIST)?;
            for mut one in listed(conn, by_mail)? {
                let takes_part = one.people.iter().any(|name| name.id == viewer);
                if !takes_part && all.iter().all(|other| other.id != one.id) {
                    one.challenged = true;
                    one.invitation = address
                        .as_ref()
                        .map(|address| invitation_link(&key, &one.id, address));
                    all.push(one);
                }
            }
            let mut rows = Vec::new();
            for stage in [Stage::Gathering, Stage::Playing, Stage::Over] {
                rows.extend(of_member(conn, &viewer, stage)?);
            }
            let unread = unread(conn, &viewer, &rows)?;
            let mut played = listed(conn, rows)?;
            for one in &mut played {
                one.unread = unread.contains(&one.id);
            }
            all.extend(played);
            Ok::<_, AppError>(all)
        })
        .await
    }

    pub async fn player(&self, _: Option<&Viewer>, name: &str) -> Result<PlayerPage, AppError> {
        let name = name.to_owned();
        self.read(move |conn| {
            let account = account_rows::find_by_name(conn, &name)?
                .filter(|account| account.verified_at.is_some())
                .ok_or(AppError::NotFound)?;
            let playing = of_member(conn, &account.id, Stage::Playing)?;
            let over = of_member(conn, &account.id, Stage::Over)?;
            Ok::<_, AppError>(PlayerPage {
                results: results(matches::tallies(conn, &account.id)?),
                playing: listed(conn, playing)?,
                over: listed(conn, over)?,
                name: account.name,
                since: account.created_at,
            })
        })
        .await
    }
}

fn of_member(
    conn: &mut Conn,
    account: &AccountId,
    stage: Stage,
) -> Result<Vec<MatchRow>, StoreError> {
    matches::of_member(conn, KIND, account, &[stage], LIST)
}

/// The matches among these in which something was said that the viewer has not seen.
fn unread(
    conn: &mut Conn,
    viewer: &AccountId,
    rows: &[MatchRow],
) -> Result<HashSet<MatchId>, StoreError> {
    let ids: Vec<MatchId> = rows.iter().map(|row| row.id.clone()).collect();
    let members = members::of_matches(conn, &ids)?;
    let mine = members
        .iter()
        .filter(|member| member.account_id.as_ref() == Some(viewer));
    let seen: HashMap<&MatchId, i32> = mine
        .map(|member| (&member.match_id, member.talk_seen))
        .collect();
    let unread = rows
        .iter()
        .filter(|row| seen.get(&row.id).is_some_and(|seen| *seen < row.talk_head));
    Ok(unread.map(|row| row.id.clone()).collect())
}

fn results(tallies: Vec<matches::Tally>) -> Vec<GameResults> {
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

fn listed(conn: &mut Conn, rows: Vec<MatchRow>) -> Result<Vec<Listed>, AppError> {
    let ids: Vec<MatchId> = rows.iter().map(|row| row.id.clone()).collect();
    let members = members::of_matches(conn, &ids)?;
    let mut accounts: Vec<AccountId> = members
        .iter()
        .filter_map(|member| member.account_id.clone())
        .collect();
    accounts.sort();
    accounts.dedup();
    let names = account_rows::names(conn, &accounts)?;
    let mut people: HashMap<MatchId, Vec<Name>> = HashMap::new();
    for MemberRow {
        match_id,
        account_id,
        ..
    } in members
    {
        let name = account_id.map(|account| name_of(&account, &names));
        people.entry(match_id).or_default().extend(name);
    }
    Ok(rows
        .into_iter()
        .map(|row| Listed {
            people: people.remove(&row.id).unwrap_or_default(),
            challenged: false,
            invitation: None,
            unread: false,
            terms: Terms {
                game: row.game,
                variant: row.variant,
                days: u8::try_from(row.days).unwrap_or(correspondence::MOST_DAYS),
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
            reason: row.reason.as_deref().and_then(Reason::find),
            updated: row.updated_at,
        })
        .collect())
}
