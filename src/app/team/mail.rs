//! Mail about team matches: invitations, and turns and tasks that wait in matches over days.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::team::announce::is_mailed;
use perplex_matches::team::notice::{MailKind as TeamMail, Waiting};
use perplex_matches::team::policy::rights;
use perplex_matches::team::{Happened, Logged, Match, Phase};
use perplex_matches::time::{Time, days, hours};

use super::{TeamAccess, TeamFault, known_viewer};
use crate::address;
use crate::app::aggregate::{Step, state_of};
use crate::app::mail_kind::MailKind;
use crate::app::notifications::{Notification, When, notify};
use crate::app::{App, AppError, NotAllowed, computer, invalid};
use crate::store::accounts as account_rows;
use crate::store::invited_addresses;
use crate::store::journal::NextCheck;
use crate::store::mail_settings::Delivery;
use crate::store::matches::{self, MatchRow};
use crate::store::members::{self, MemberRow};
use crate::store::muted_matches;
use crate::store::{Conn, StoreError};

const CHECK_INTERVAL: Duration = hours(1);
/// A task that was told at once is told again after this time.
const AGAIN: Duration = days(1);
/// The mail for each turn, and the one that gathers news.
pub const TURN: &str = MailKind::Team(TeamMail::Turn).key();
pub const NEWS: &str = MailKind::Team(TeamMail::News).key();

fn notification(to: &AccountId, id: &MatchId, kind: TeamMail, event: Option<i32>) -> Notification {
    Notification::to_account(MailKind::Team(kind), to).about(id, event)
}

/// The accounts of active members, and of hosts, with the tasks that wait there for each; none without a task.
pub fn waiting_by_account(
    hosts: &[AccountId],
    state: &Match,
    members: &[MemberRow],
) -> Vec<(AccountId, Vec<Waiting>)> {
    let mut found: Vec<(AccountId, Vec<Waiting>)> = members
        .iter()
        .filter(|member| member.active)
        .filter_map(|member| Some((member.account_id.clone()?, state.waits_for(member.id()))))
        .collect();
    let disputes = state.waits_for_host();
    for host in hosts {
        match found.iter_mut().find(|(account, _)| account == host) {
            Some((_, waiting)) => waiting.extend(&disputes),
            None => found.push((host.clone(), disputes.clone())),
        }
    }
    found.retain(|(_, waiting)| !waiting.is_empty());
    found
}

/// Writes the mails that follow from a step of a match over days: about tasks that are new, and about what happened.
pub(super) fn enqueue(conn: &mut Conn, step: &Step<Match>) -> Result<bool, StoreError> {
    let (before, after) = (&step.before, &step.after);
    if !after.terms.over_days() || after.phase == Phase::Gathering {
        return Ok(false);
    }
    let members = members::of_match(conn, &step.row.id)?;
    let hosts = step.row.hosts(conn)?;
    let (id, head, pause) = (&step.row.id, after.head, step.mail_pause);
    let news = about_news(conn, step, &hosts, &members)?;
    let mut told: Vec<Notification> = news
        .iter()
        .map(|(to, event)| {
            let news = notification(to, id, TeamMail::News, Some(*event)).when(When::Paused(pause));
            // The beginning and the end of a match are told soon; the rest waits for what else will happen.
            if before.phase == after.phase {
                news
            } else {
                news.by_default(Delivery::AtOnce)
            }
        })
        .collect();
    // A turn that waited before a pause is not news after it.
    if before.phase != Phase::Paused && after.phase == Phase::Playing {
        let turns = new_tasks(step, &hosts, &members).into_iter();
        told.extend(
            turns.map(|to| {
                notification(&to, id, TeamMail::Turn, Some(head)).when(When::Paused(pause))
            }),
        );
    }
    let told = told.into_iter().map(|one| one.joining(0)).collect();
    notify(conn, told, step.now)
}

/// The accounts for which a task is new after the step's events.
fn new_tasks(step: &Step<Match>, hosts: &[AccountId], members: &[MemberRow]) -> Vec<AccountId> {
    let earlier = waiting_by_account(hosts, &step.before, members);
    waiting_by_account(hosts, &step.after, members)
        .into_iter()
        .filter(|(account, waiting)| {
            let known = earlier.iter().find(|(other, _)| other == account);
            let known = known.map_or(&[][..], |(_, waiting)| waiting);
            waiting.iter().any(|one| !known.contains(one))
        })
        .map(|(account, _)| account)
        .collect()
}

/// The accounts that an event of the step concerns and that want news, each with the first such event.
fn about_news(
    conn: &mut Conn,
    step: &Step<Match>,
    hosts: &[AccountId],
    members: &[MemberRow],
) -> Result<Vec<(AccountId, i32)>, StoreError> {
    let state = &step.after;
    let first = state
        .log
        .partition_point(|logged| logged.event.number <= step.before.head);
    let told = |account: &AccountId, by_turn: bool| {
        let viewer = known_viewer(account, hosts, &step.row, members);
        let rights = rights(state, &viewer);
        let mut new = state.log[first..].iter();
        let told = new.find(|logged| is_mailed(state, &viewer, &rights, logged, by_turn))?;
        Some(told.event.number)
    };
    let active = members.iter().filter(|member| member.active);
    let accounts: BTreeSet<&AccountId> = active
        .filter_map(|member| member.account_id.as_ref())
        .chain(hosts)
        .collect();
    let concerned: Vec<AccountId> = accounts
        .into_iter()
        .filter(|account| told(account, false).is_some())
        .cloned()
        .collect();
    if concerned.is_empty() {
        return Ok(Vec::new());
    }
    let receivers = account_rows::receivers(conn, &concerned)?.into_iter();
    Ok(receivers
        .filter(|receiver| receiver.address_for(NEWS).is_some())
        .filter_map(|receiver| {
            let event = told(&receiver.id, !receiver.mail.is_off(TURN))?;
            Some((receiver.id, event))
        })
        .collect())
}

pub(super) fn next_look(before: &Match, after: &Match, now: Time) -> NextCheck {
    if !after.terms.over_days() || before.phase == after.phase {
        return NextCheck::Unchanged;
    }
    match after.phase {
        Phase::Playing if before.phase == Phase::Gathering => {
            NextCheck::At(Some(now + CHECK_INTERVAL))
        }
        Phase::Over => NextCheck::At(None),
        _ => NextCheck::Unchanged,
    }
}

impl App {
    /// Invites to a team match that the viewer hosts: a player by name, or the reader of an e-mail
    /// address.
    pub async fn invite_to_team(
        &self,
        access: &TeamAccess,
        id: &MatchId,
        to: &str,
    ) -> Result<(), AppError> {
        let view = self.load_team_match(access, id, None).await?;
        let Some(host) = access.account.as_ref().filter(|_| view.rights.lead) else {
            let why = NotAllowed::InviteNotHost(view.leader());
            return Err(AppError::Forbidden(why));
        };
        let to = to.trim();
        let now = self.now();
        if to.contains('@') {
            let kind = MailKind::Team(TeamMail::Invitation);
            let invitation = self.invitation_to(&host.id, id, kind, "invite", to)?;
            self.write(move |conn| invitation.write(conn, now)).await?;
        } else {
            let account = self.player_called("invite", to).await?;
            if computer::find(&account).is_some() {
                return Err(invalid("invite", TeamFault::InvitesComputer));
            }
            self.count_invitation(&host.id, &account)?;
            let id = id.clone();
            let payload = json!({ "from": host.id.0 });
            self.write(move |conn| {
                let takes_part = members::of_match(conn, &id)?
                    .iter()
                    .any(|member| member.active && member.account_id.as_ref() == Some(&account));
                if takes_part {
                    return Err(invalid("invite", TeamFault::TakesPart));
                }
                if !members::invite(conn, &id, &account)? {
                    return Err(invalid("invite", TeamFault::InvitedAlready));
                }
                let told = notification(&account, &id, TeamMail::Invitation, None).with(payload);
                notify(conn, vec![told], now)?;
                Ok(())
            })
            .await?;
        }
        self.outbox.notify_one();
        Ok(())
    }

    /// Declines an invitation; the host sees it at the match, and is told by mail.
    pub async fn decline_team(&self, access: &TeamAccess, id: &MatchId) -> Result<(), AppError> {
        let account = access.account.as_ref().ok_or(AppError::SignIn)?.id.clone();
        let (id, now) = (id.clone(), self.now());
        self.write(move |conn| {
            let address = invited_addresses::decline_of(conn, &id, &account)?;
            let by_name = members::forget_invitation(conn, &id, &account)?;
            // By an address the host learns of no account.
            let who = match address {
                _ if by_name => json!({ "from": account.0 }),
                Some(address) => json!({ "email": address }),
                None => return Ok(()),
            };
            if let Some(row) = matches::find(conn, &id)? {
                let told = notification(&row.created_by, &id, TeamMail::Declined, None).with(who);
                notify(conn, vec![told], now)?;
            }
            Ok::<_, AppError>(())
        })
        .await?;
        self.outbox.notify_one();
        Ok(())
    }

    /// Withdraws the invitation of an address. Its mail is not sent if it still waits.
    pub async fn withdraw_team_address(
        &self,
        access: &TeamAccess,
        id: &MatchId,
        address: &str,
    ) -> Result<(), AppError> {
        let view = self.load_team_match(access, id, None).await?;
        if !view.rights.lead {
            let why = NotAllowed::InviteNotHost(view.leader());
            return Err(AppError::Forbidden(why));
        }
        let (id, key) = (id.clone(), address::key(address));
        self.write(move |conn| invited_addresses::remove(conn, &id, &key))
            .await
    }

    /// Tells people by mail what waits for them in a match over days, once a day at most; `false` if there is no mail
    /// to send.
    pub(in crate::app) async fn tell_what_waits(&self, row: MatchRow) -> Result<bool, AppError> {
        let (kept, now) = (self.teams.cached(&row.id), self.now());
        self.write(move |conn| {
            // Only one process claims it.
            if !matches::claim_look(conn, &row.id, now, Some(now + CHECK_INTERVAL))? {
                return Ok(false);
            }
            tell_members(conn, &row, kept, now)
        })
        .await
    }
}

/// The event since which a task waits: the last one on its board, or the beginning of the match.
pub fn began(state: &Match, task: Waiting) -> Option<&Logged> {
    let touched = state.status(task.board())?.touched;
    let mut log = state.log.iter().map(AsRef::as_ref).rev();
    log.find(|logged: &&Logged| {
        logged.event.number <= touched || logged.happened == Happened::Started
    })
}

fn tell_members(
    conn: &mut Conn,
    row: &MatchRow,
    kept: Option<Arc<Match>>,
    now: Time,
) -> Result<bool, AppError> {
    let id = &row.id;
    let state = state_of(conn, id, row.head, kept)?;
    let members = members::of_match(conn, id)?;
    let waiting = waiting_by_account(&row.hosts(conn)?, &state, &members);
    let muted = muted_matches::of_match(conn, id)?;
    let accounts: Vec<AccountId> = waiting
        .iter()
        .map(|(account, _)| account.clone())
        .filter(|account| !muted.contains(account))
        .collect();
    let waits_long = |account: &AccountId| {
        let (_, tasks) = waiting.iter().find(|(other, _)| other == account)?;
        let first = tasks
            .iter()
            .filter_map(|task| Some(began(&state, *task)?.event.at))
            .min()?;
        Some(first + AGAIN <= now)
    };
    let mut told = Vec::new();
    for receiver in account_rows::receivers(conn, &accounts)? {
        if !receiver.mail.is_off(TURN) && waits_long(&receiver.id) != Some(true) {
            continue;
        }
        let kind = MailKind::Team(TeamMail::Waiting);
        if receiver.address_for(kind.key()).is_some()
            && account_rows::claim_waiting_mail(conn, &receiver.id, now)?
        {
            // It is claimed once a day.
            let waiting = notification(&receiver.id, id, TeamMail::Waiting, None);
            told.push(waiting.by_default(Delivery::AtOnce));
        }
    }
    Ok(notify(conn, told, now)?)
}
