use std::collections::HashMap;
use std::time::Duration;

use super::{LIST, invitation_link, join_link};
use crate::app::correspondence::{Name, name_of};
use crate::app::listed::ListedMatch;
use crate::app::{App, AppError, Viewer as Account};
use crate::store::matches::{self, MatchRow};
use crate::store::{MatchKind, Phase, accounts as account_rows, invited_addresses};
use perplex_matches::id::AccountId;

#[derive(Clone, Debug)]
pub struct ListedTeam {
    pub of: ListedMatch,
    pub host: Name,
    pub link: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub struct TeamLists {
    pub open: Vec<ListedTeam>,
    pub own: Vec<ListedTeam>,
    pub invited: Vec<ListedTeam>,
}

/// So long after the last event a lesson is no longer being held.
const QUIET: Duration = Duration::from_hours(2);

impl App {
    /// The lesson that a teacher is holding: the newest of their classes that is not over.
    pub async fn lesson_being_held(
        &self,
        teacher: &Account,
    ) -> Result<Option<ListedMatch>, AppError> {
        let (teacher, now) = (teacher.id.clone(), self.now());
        self.read(move |conn| {
            let hosted = matches::of_host(conn, &teacher, LIST)?;
            let is_held = |row: &MatchRow| {
                row.class_id.is_some()
                    && row.phase != Phase::Over
                    && row.updated_at.until(now) < QUIET
            };
            Ok::<_, AppError>(hosted.into_iter().find(is_held).map(ListedMatch::from))
        })
        .await
    }

    pub async fn teams(&self, account: Option<&Account>) -> Result<TeamLists, AppError> {
        let account = account.map(|account| account.id.clone());
        let key = self.key.clone();
        self.read(move |conn| {
            let open = matches::lobby(conn, MatchKind::Team, LIST)?;
            let (mut own, mut invited, mut links) = (Vec::new(), Vec::new(), Vec::new());
            if let Some(account) = &account {
                invited = matches::of_invited(conn, MatchKind::Team, account, LIST)?;
                own = matches::of_host(conn, account, LIST)?;
                for row in matches::of_member(conn, MatchKind::Team, account, Phase::ALL, LIST)? {
                    if !own.iter().any(|known| known.id == row.id) {
                        own.push(row);
                    }
                }
                links = invited
                    .iter()
                    .map(|row: &MatchRow| join_link(&key, &row.id, row.links))
                    .collect();
                let address = invited_addresses::key_of(conn, account)?.unwrap_or_default();
                for row in invited_addresses::of_account(conn, MatchKind::Team, account, LIST)? {
                    let is_known = |known: &MatchRow| known.id == row.id;
                    if !own.iter().chain(&invited).any(is_known) {
                        links.push(invitation_link(&key, &row.id, row.links, &address));
                        invited.push(row);
                    }
                }
                own.sort_by_key(|row| std::cmp::Reverse(row.updated_at));
            }
            let hosts: Vec<AccountId> = open
                .iter()
                .chain(&own)
                .chain(&invited)
                .map(|row| row.created_by.clone())
                .collect();
            let names: HashMap<AccountId, String> = account_rows::names(conn, &hosts)?;
            let listed = |rows: Vec<MatchRow>| -> Vec<ListedTeam> {
                rows.into_iter()
                    .map(|row| ListedTeam {
                        host: name_of(&row.created_by, &names),
                        link: None,
                        of: row.into(),
                    })
                    .collect()
            };
            let mut invited = listed(invited);
            for (one, link) in invited.iter_mut().zip(links) {
                one.link = Some(link);
            }
            Ok::<_, AppError>(TeamLists {
                open: listed(open),
                own: listed(own),
                invited,
            })
        })
        .await
    }
}
