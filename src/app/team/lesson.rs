//! The lesson's part of a team match: code, presence, requests to join.

use std::collections::BTreeMap;

use perplex_matches::classroom::{roster, words};
use perplex_matches::id::{AccountId, ClassId};
use perplex_matches::team::Phase;
use perplex_matches::team::event::MemberId;
use perplex_matches::team::lineup::Team;
use perplex_matches::team::policy::Viewer;
use perplex_matches::time::Time;

use super::Loaded;
use super::presence::There;
use crate::app::aggregate::MAX_ATTEMPTS;
use crate::app::{AppError, lifetimes};
use crate::store::door::{self as door_rows, KnockRow, TakenName};
use crate::store::members::{self, MemberRow};
use crate::store::{Conn, StoreError, classes as class_rows, lessons};

/// The most lessons of a class that are read.
pub(super) const LESSONS: i64 = 100;

/// A device that asks to join, as the teacher sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Knock {
    pub id: String,
    pub pupil: Option<AccountId>,
    /// `None` for a new pupil who gets a nickname.
    pub name: Option<String>,
    pub wants: Wants,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wants {
    Nickname,
    OtherDevice,
    ToComeLate,
    DeviceOfOtherTeam,
}

#[derive(Clone, Debug)]
pub struct LessonView {
    pub class: ClassId,
    pub class_name: String,
    /// The code that pupils type to join; for teachers and on the projector, while the lesson can be joined.
    pub code: Option<String>,
    /// True if it cannot be joined until its teacher resumes it.
    pub rests: bool,
    /// The time when a page of each member last asked; for teachers and on the projector.
    pub seen: BTreeMap<MemberId, Time>,
    pub missing: Vec<(AccountId, String)>,
    /// The requests to join that wait for an answer; for teachers.
    pub knocks: Vec<Knock>,
    /// Before the start the names that one device has taken, for each with many; for teachers.
    pub many_names: Vec<Vec<String>>,
    /// True if latecomers get in without the teacher's approval.
    pub latecomers: bool,
    /// The members who ask for help, those first who have waited longest; for teachers.
    pub hands: Vec<MemberId>,
    /// True if the viewer asks for help.
    pub is_hand_up: bool,
    /// Number of changes to what waits for the teacher: requests to join, answers, latecomers, links, hands.
    pub door: i32,
}

impl LessonView {
    pub(super) fn read(
        conn: &mut Conn,
        loaded: &Loaded,
        now: Time,
    ) -> Result<Option<Self>, AppError> {
        let Some(class) = loaded.row.class_id.clone() else {
            return Ok(None);
        };
        let teaches = loaded.viewer.host;
        let row = class_rows::find(conn, &class)?.ok_or(AppError::NotFound)?;
        let code = loaded.row.code.clone();
        let mut view = Self {
            class,
            class_name: row.name,
            rests: code.is_none(),
            code: code.filter(|_| teaches || loaded.viewer.projector),
            seen: BTreeMap::new(),
            missing: Vec::new(),
            knocks: Vec::new(),
            many_names: Vec::new(),
            latecomers: loaded.row.latecomers,
            hands: Vec::new(),
            is_hand_up: is_hand_up(&loaded.members, &loaded.viewer),
            door: loaded.row.door,
        };
        if teaches || loaded.viewer.projector {
            view.seen = members::seen(conn, &loaded.row.id)?;
        }
        if teaches {
            let came = |pupil: &AccountId| active(&loaded.members, pupil).is_some();
            let pupils = current(conn, &view.class)?;
            view.hands = hands(&loaded.members);
            view.knocks = knocks(conn, loaded, &pupils, now)?;
            if loaded.state.phase == Phase::Gathering {
                let devices = with_many(&door_rows::taken(conn, &loaded.row.id)?);
                let name = |(id, name): &(AccountId, String), device: &[AccountId]| {
                    device.contains(id).then(|| name.clone())
                };
                let names = |device: Vec<AccountId>| {
                    let names = pupils.iter().filter_map(|pupil| name(pupil, &device));
                    names.collect()
                };
                view.many_names = devices.into_iter().map(names).collect();
            }
            view.missing = pupils
                .into_iter()
                .filter(|(pupil, _)| !came(pupil))
                .collect();
        }
        Ok(Some(view))
    }

    pub(super) fn add_seen(&mut self, later: BTreeMap<MemberId, Time>) {
        add_later(&mut self.seen, later);
    }

    pub(super) fn away(&self, team: &Team, now: Time) -> Vec<MemberId> {
        let away = |id: &MemberId| !self.is_online(*id, now);
        team.members.iter().copied().filter(away).collect()
    }

    pub fn is_online(&self, member: MemberId, now: Time) -> bool {
        There::of(self.seen.get(&member).copied(), now) == There::Here
    }
}

/// The members who ask for help, those first who have waited longest.
fn hands(members: &[MemberRow]) -> Vec<MemberId> {
    let up = members.iter().filter(|row| row.active);
    let mut up: Vec<(Time, MemberId)> = up
        .filter_map(|row| Some((row.hand_at?, row.id())))
        .collect();
    up.sort_unstable();
    up.into_iter().map(|(_, member)| member).collect()
}

/// True if the viewer of a match asks its teacher for help.
pub(super) fn is_hand_up(members: &[MemberRow], viewer: &Viewer) -> bool {
    viewer
        .member
        .is_some_and(|member| hands(members).contains(&member))
}

/// The requests to join a lesson that wait for its teacher.
fn knocks(
    conn: &mut Conn,
    loaded: &Loaded,
    pupils: &[(AccountId, String)],
    now: Time,
) -> Result<Vec<Knock>, StoreError> {
    let taken = door_rows::taken(conn, &loaded.row.id)?;
    let begun = loaded.state.phase != Phase::Gathering;
    let waiting = door_rows::waiting(conn, &loaded.row.id, now - lifetimes::KNOCK)?;
    let knock = |row: KnockRow| {
        let name = match &row.account_id {
            None => None,
            Some(pupil) => Some(pupils.iter().find(|(id, _)| id == pupil)?.1.clone()),
        };
        let is_taken = taken
            .iter()
            .any(|name| Some(&name.account_id) == row.account_id.as_ref());
        Some(Knock {
            id: row.id,
            pupil: row.account_id,
            wants: match (&name, is_taken) {
                (None, _) => Wants::Nickname,
                (_, true) => Wants::OtherDevice,
                (_, false) if begun => Wants::ToComeLate,
                _ => Wants::DeviceOfOtherTeam,
            },
            name,
        })
    };
    Ok(waiting.into_iter().filter_map(knock).collect())
}

/// A device with so many names has many: two share one, and for more than some it needs the teacher's approval.
pub(super) const MANY: usize = 3;

/// The pupils whose names one device has taken, for each device that has taken many.
fn with_many(taken: &[TakenName]) -> Vec<Vec<AccountId>> {
    let mut devices: BTreeMap<&str, Vec<AccountId>> = BTreeMap::new();
    for name in taken.iter().filter(|name| !name.browser.is_empty()) {
        let device = devices.entry(&name.browser).or_default();
        device.push(name.account_id.clone());
    }
    let devices = devices.into_values();
    devices.filter(|names| names.len() >= MANY).collect()
}

/// The pupils who have not left a class, by name.
pub(in crate::app) fn current(
    conn: &mut Conn,
    class: &ClassId,
) -> Result<Vec<(AccountId, String)>, StoreError> {
    let mut pupils: Vec<(AccountId, String)> = class_rows::pupils_of(conn, class)?
        .into_iter()
        .filter(|(pupil, _)| pupil.removed_at.is_none())
        .map(|(pupil, _)| (pupil.account_id, pupil.name))
        .collect();
    pupils.sort_by_cached_key(|(_, name)| roster::order(name));
    Ok(pupils)
}

pub(super) fn account_of(members: &[MemberRow], member: MemberId) -> Option<AccountId> {
    let row = members.iter().find(|row| row.id() == member);
    row.and_then(|row| row.account_id.clone())
}

/// The active member that an account has in a match.
pub(in crate::app) fn active(members: &[MemberRow], account: &AccountId) -> Option<MemberId> {
    let mine = |row: &&MemberRow| row.active && row.account_id.as_ref() == Some(account);
    members.iter().find(mine).map(MemberRow::id)
}

/// Adds times noted in memory to those that were read: a page may have asked since.
pub(super) fn add_later(seen: &mut BTreeMap<MemberId, Time>, later: BTreeMap<MemberId, Time>) {
    for (member, at) in later {
        let seen = seen.entry(member).or_insert(at);
        *seen = (*seen).max(at);
    }
}

pub(in crate::app) fn fresh_code(conn: &mut Conn) -> Result<String, AppError> {
    for _ in 0..MAX_ATTEMPTS {
        let code = words::code(&mut rand::rng());
        if lessons::by_code(conn, &code)?.is_none() {
            return Ok(code);
        }
    }
    Err(AppError::Internal("there are no codes left".to_owned()))
}
