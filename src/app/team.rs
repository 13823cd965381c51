//! Team matches: who may join one, and the data that each request reads. The rest is in the modules below, one for
//! each job.

use std::sync::Arc;

use super::aggregate::state_of;
use super::{App, AppError, NotAllowed, Viewer as Account};
use crate::app::invited;
use crate::secret::Key;
use crate::store::invited_addresses::{self, InvitedAddress};
use crate::store::matches::{self, MatchRow};
use crate::store::members::{self, MemberRow};
use crate::store::{Conn, MatchKind};
use perplex_matches::classroom::own_card::OwnCard;
use perplex_matches::id::{AccountId, ClassId, MatchId};
use perplex_matches::team::policy::{Rights, Viewer, rights};
use perplex_matches::team::{Match, Phase, Refusal};

mod act;
mod calls;
mod devices;
pub mod door;
mod fault;
mod heads;
mod host;
mod leader;
pub mod lesson;
pub mod lessons;
mod lists;
pub mod mail;
pub mod presence;
pub mod progress;
mod reader;
mod talk;
mod view;

pub use act::LONGEST_TITLE;
pub use calls::{Call, To, calls_of};
pub use fault::TeamFault;
pub use heads::{LessonAsks, TeamHeads};
pub use leader::Leader;
pub use lists::{ListedTeam, TeamLists};
pub use reader::{TeamReader, own_cards};
pub use talk::{Audience, Channel, Message};
pub use view::TeamView;

const LIST: i64 = 100;

#[derive(Clone, Debug, Default)]
pub struct TeamAccess {
    pub account: Option<Account>,
    /// The proof from the link that lets people join.
    pub link: Option<String>,
    /// The proof from the link of the projector.
    pub projector: Option<String>,
    /// True if the visitor may not see what is asked for: a page asks by itself.
    pub is_unattended: bool,
}

struct Loaded {
    row: MatchRow,
    state: Arc<Match>,
    members: Vec<MemberRow>,
    viewer: Viewer,
    /// The address, as addresses are compared, whose invitation the visitor's link is.
    invitation: Option<String>,
    rights: Rights,
}

/// True while the teacher of a lesson has its pupils look up: they can neither play nor write then. `goes_on` is false in
/// a match without a class, and after the end for the day.
pub(super) fn has_eyes_up(state: &Match, goes_on: bool) -> bool {
    goes_on && state.phase == Phase::Paused && !state.gathers_again()
}

impl Loaded {
    fn has_eyes_up(&self) -> bool {
        let goes_on = self.row.class_id.is_some() && self.row.code.is_some();
        has_eyes_up(&self.state, goes_on) && !self.viewer.host
    }

    const fn leader(&self) -> Leader {
        Leader::of(self.row.class_id.is_some())
    }

    const fn refuse(&self, refusal: Refusal) -> AppError {
        refuse(refusal, self.row.class_id.is_some())
    }
}

const fn refuse(refusal: Refusal, is_lesson: bool) -> AppError {
    AppError::RefusedInTeam(refusal, Leader::of(is_lesson))
}

const JOIN: &str = "team-join";
const SHOW: &str = "team-show";

/// The link with which people join a match whose links were replaced `links` times.
pub fn join_link(key: &Key, id: &MatchId, links: i32) -> String {
    format!("/team/{id}/join/{}", proof(key, JOIN, id, links))
}

/// The link in the mail that invites this address, as addresses are compared.
pub fn invitation_link(key: &Key, id: &MatchId, links: i32, address: &str) -> String {
    format!(
        "/team/{id}/join/{}",
        invited::proof(key, id, links, address)
    )
}

fn proof(key: &Key, purpose: &str, id: &MatchId, links: i32) -> String {
    key.mac(purpose, &[&id.0, &links.to_string()])
}

fn proves(key: &Key, purpose: &str, row: &MatchRow, shown: Option<&String>) -> bool {
    let known = [row.id.0.as_str(), &row.links.to_string()];
    shown.is_some_and(|mac| key.check(purpose, &known, mac))
}

impl App {
    pub fn team_join_link(&self, id: &MatchId, links: i32) -> String {
        join_link(&self.key, id, links)
    }

    pub fn projector_link(&self, id: &MatchId, links: i32) -> String {
        format!("/team/{id}/show/{}", proof(&self.key, SHOW, id, links))
    }

    /// Reads a match for one request, and then `more` at the same moment. For a viewer who may not see it the error
    /// is that of [`admitted`].
    async fn load_team<T: Send + 'static>(
        &self,
        access: &TeamAccess,
        id: &MatchId,
        more: impl FnOnce(&mut Conn, &Loaded) -> Result<T, AppError> + Send + 'static,
    ) -> Result<(Loaded, T), AppError> {
        let (kept, asked) = (self.teams.cached(id), id.clone());
        // A guest is known at their own matches only.
        let access = TeamAccess {
            account: access.account.clone().filter(|viewer| !viewer.is_guest),
            ..access.clone()
        };
        let attends = access.account.clone().filter(|_| !access.is_unattended);
        let key = self.key.clone();
        let (loaded, more) = self
            .read(move |conn| {
                let row = find(conn, &asked)?;
                let state = state_of(conn, &asked, row.head, kept)?;
                let members = members::of_match(conn, &asked)?;
                let account = access.account.as_ref();
                let invited = match access.link {
                    Some(_) => invited_addresses::of_match(conn, &asked)?,
                    None => Vec::new(),
                };
                let invitation = invitation_of(&access, &key, &row, &invited);
                let by_invitation = invitation.is_some();
                let hosts = row.hosts(conn)?;
                let viewer = viewer_of(&access, &key, &row, &hosts, &members, by_invitation);
                let rights = admitted(&state, &viewer, account, &row)?;
                let loaded = Loaded {
                    row,
                    state,
                    members,
                    viewer,
                    invitation: invitation.map(|row| row.email_key.clone()),
                    rights,
                };
                let more = more(conn, &loaded)?;
                Ok::<_, AppError>((loaded, more))
            })
            .await?;
        self.teams.cache(id, &loaded.state);
        self.note_presence(id, &loaded.state, &loaded.viewer);
        if let Some(account) = attends {
            self.note_touched(id, &account);
        }
        Ok((loaded, more))
    }
}

fn find(conn: &mut Conn, id: &MatchId) -> Result<MatchRow, AppError> {
    matches::find(conn, id)?
        .filter(|row| row.kind == MatchKind::Team)
        .ok_or(AppError::NotFound)
}

/// True if an account may join at all: a pupil joins lessons of their own class, and, having come by the code of one,
/// only that one.
fn may_come(account: Option<&Account>, row: &MatchRow) -> bool {
    account.is_none_or(|account| {
        let of_class = account.class.is_none() || account.class == row.class_id;
        of_class && account.lesson.as_ref().is_none_or(|id| *id == row.id)
    })
}

/// True if a link lets this account join: into a lesson, only pupils of the class.
fn of_class(account: Option<&Account>, class: Option<&ClassId>) -> bool {
    class.is_none() || account.and_then(|account| account.class.as_ref()) == class
}

/// The rights of a viewer. A viewer who may not see the match gets *not found*; one who took part in it but no longer
/// does is told so.
fn admitted(
    state: &Match,
    viewer: &Viewer,
    account: Option<&Account>,
    row: &MatchRow,
) -> Result<Rights, AppError> {
    let rights = rights(state, viewer);
    match (may_come(account, row), viewer.member, &row.class_id) {
        (true, _, _) if rights.see => Ok(rights),
        (true, Some(member), Some(_)) => Err(AppError::Forbidden(if state.was_removed(member) {
            NotAllowed::TakenOut
        } else {
            NotAllowed::LeftLesson
        })),
        (true, Some(_), None) => Err(AppError::Forbidden(NotAllowed::LeftMatch)),
        _ => Err(AppError::NotFound),
    }
}

/// The invitation that stands whose link the visitor brings.
fn invitation_of<'a>(
    access: &TeamAccess,
    key: &Key,
    row: &MatchRow,
    invited: &'a [InvitedAddress],
) -> Option<&'a InvitedAddress> {
    let link = access.link.as_ref()?;
    invited::proved(key, &row.id, row.links, invited, link)
}

fn viewer_of(
    access: &TeamAccess,
    key: &Key,
    row: &MatchRow,
    hosts: &[AccountId],
    members: &[MemberRow],
    by_invitation: bool,
) -> Viewer {
    let account = access.account.as_ref().map(|account| &account.id);
    Viewer {
        by_link: (by_invitation || proves(key, JOIN, row, access.link.as_ref()))
            && of_class(access.account.as_ref(), row.class_id.as_ref()),
        projector: proves(key, SHOW, row, access.projector.as_ref()),
        ..account.map_or_else(
            || stranger(row),
            |account| known_viewer(account, hosts, row, members),
        )
    }
}

/// A viewer of a match who has nothing to do with it.
fn stranger(row: &MatchRow) -> Viewer {
    Viewer {
        in_lesson: row.class_id.is_some(),
        ..Viewer::default()
    }
}

/// An account as a viewer of a match, without links that it may have.
fn known_viewer(
    account: &AccountId,
    hosts: &[AccountId],
    row: &MatchRow,
    members: &[MemberRow],
) -> Viewer {
    Viewer {
        host: hosts.contains(account),
        member: membership(account, members).map(MemberRow::id),
        ..stranger(row)
    }
}

/// The membership of an account: the one that it has, else the last that it had.
pub fn membership<'a>(account: &AccountId, members: &'a [MemberRow]) -> Option<&'a MemberRow> {
    let of_account = members
        .iter()
        .filter(|row| row.account_id.as_ref() == Some(account));
    of_account.max_by_key(|row| (row.active, row.number))
}

/// A match as an account may see it.
pub fn reader_for(
    account: &AccountId,
    hosts: &[AccountId],
    row: &MatchRow,
    state: Arc<Match>,
    members: Vec<MemberRow>,
    own_cards: Vec<OwnCard>,
) -> TeamReader {
    let viewer = known_viewer(account, hosts, row, &members);
    let rights = rights(&state, &viewer);
    TeamReader::new(row, state, viewer, rights, members, own_cards)
}
