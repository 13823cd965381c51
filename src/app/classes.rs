//! Classes of a school: their teachers, their pupils, and how pupils sign in.
//!
//! A pupil is an account of a class, without an address or a password: a user name and a pass phrase, both printed on
//! a card. Phrases are sealed like the teams' talk, so that cards can be printed again but the database alone reveals
//! none.

use uuid::Uuid;

mod export;
mod fault;
mod manage;
mod pupils;
mod share;

use super::limits::count;
use super::{App, AppError, Fault, NotAllowed, Viewer, invalid};
use crate::secret::KeyRing;
use crate::store::accounts::{self as account_rows, AccountRow};
use crate::store::class_offers;
use crate::store::classes::{self as rows, ClassRow, PupilRow, TeacherRow};
use crate::store::preferences::Preferences;
use crate::store::{Conn, StoreError};
use perplex_matches::classroom::{roster, words};
use perplex_matches::id::{AccountId, ClassId};
use perplex_matches::names;
use perplex_matches::time::Time;

pub use export::{ClassExport, ExportedLesson, LessonPart, LessonResult, LessonState};
pub use fault::ClassFault;
pub use manage::KEEP;
pub(super) use manage::leave_classes;
pub(in crate::app) use pupils::has_words;
pub use pupils::{CardOwner, PupilHome, Running};
pub use share::ClassOffer;

pub const LONGEST_NAME: usize = 60;
pub const MOST_PUPILS: usize = 120;
pub const MOST_CLASSES: usize = 60;
pub const KEEP_DAYS: i32 = 365;
const MAX_ATTEMPTS: usize = 16;

#[derive(Clone, Debug)]
pub struct Class {
    pub id: ClassId,
    pub name: String,
    /// True if pupils pick their names from a list; else each gets a nickname on joining.
    pub roster: bool,
    /// Days without use after which it is removed with all it holds.
    pub keep_days: i32,
    pub created: Time,
    pub used: Time,
    pub archived: Option<Time>,
}

impl From<ClassRow> for Class {
    fn from(row: ClassRow) -> Self {
        Self {
            id: row.id,
            name: row.name,
            roster: row.roster,
            keep_days: row.keep_days,
            created: row.created_at,
            used: row.used_at,
            archived: row.archived_at,
        }
    }
}

impl Class {
    /// The time at which it is removed if it is not used until then.
    pub fn kept_until(&self) -> Time {
        self.used + rows::kept_for(self.keep_days)
    }
}

#[derive(Clone, Debug)]
pub struct ClassView {
    pub class: Class,
    pub owner: bool,
    pub teachers: Vec<Teacher>,
    /// The teachers to whom it is offered; only the owner sees them.
    pub offers: Vec<Teacher>,
    pub pupils: Vec<Pupil>,
    pub former: Vec<Pupil>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Teacher {
    pub id: AccountId,
    pub name: String,
    /// True for the owner, or the one to whom ownership is offered.
    pub owner: bool,
}

#[derive(Clone, PartialEq, Eq)]
pub struct Pupil {
    pub id: AccountId,
    pub name: String,
    pub user: String,
    pub phrase: String,
}

/// Without the phrase.
impl std::fmt::Debug for Pupil {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pupil")
            .field("id", &self.id.0)
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}

/// The context that a pupil's phrase is sealed for.
fn place(pupil: &AccountId) -> String {
    format!("pupil {pupil}")
}

fn open(ring: &KeyRing, row: &PupilRow) -> Result<String, AppError> {
    ring.open(&place(&row.account_id), &row.phrase)
        .ok_or_else(|| {
            AppError::Internal(format!(
                "the phrase of pupil {} cannot be opened: its key is missing or it was altered",
                row.account_id
            ))
        })
}

pub(super) fn seal(ring: &KeyRing, pupil: &AccountId, phrase: &str) -> Result<String, AppError> {
    ring.seal(&place(pupil), phrase)
        .ok_or_else(|| AppError::Internal("a phrase cannot be sealed".to_owned()))
}

/// Seals again, with the current key, at most `limit` phrases that an older key has sealed; gives their number.
pub(super) fn reseal(conn: &mut Conn, ring: &KeyRing, limit: i64) -> Result<usize, AppError> {
    let found = rows::sealed_otherwise(conn, &ring.newest(), limit)?;
    for row in &found {
        let sealed = seal(ring, &row.account_id, &open(ring, row)?)?;
        rows::set_phrase(conn, &row.account_id, &sealed)?;
    }
    Ok(found.len())
}

fn class_name(text: &str) -> Result<String, AppError> {
    names::name(text, LONGEST_NAME).map_err(|_| invalid("name", ClassFault::Name))
}

pub(super) fn taught(
    conn: &mut Conn,
    id: &ClassId,
    teacher: &AccountId,
) -> Result<(ClassRow, TeacherRow), AppError> {
    rows::find_taught(conn, id, teacher)?.ok_or(AppError::NotFound)
}

/// The names given in a class, those of former pupils too: so no pupil takes the place of another in a report.
fn given(conn: &mut Conn, id: &ClassId) -> Result<Vec<String>, StoreError> {
    let pupils = rows::pupils_of(conn, id)?;
    Ok(pupils.into_iter().map(|(row, _)| row.name).collect())
}

fn read_names(text: &str, known: &[String]) -> Result<Vec<String>, AppError> {
    let names = roster::names(text, known).map_err(|wrong| {
        let faults = wrong.into_iter().map(Fault::Listed);
        AppError::Invalid(faults.map(|fault| ("names", fault)).collect())
    })?;
    if names.len() + known.len() > MOST_PUPILS {
        return Err(invalid("names", ClassFault::ManyPupils));
    }
    Ok(names)
}

fn add_pupils(
    conn: &mut Conn,
    ring: &KeyRing,
    class: &ClassId,
    zone: &str,
    names: Vec<String>,
    now: Time,
) -> Result<Vec<AccountId>, AppError> {
    let mut rng = rand::rng();
    let mut made = Vec::new();
    for name in names {
        let id = AccountId(Uuid::now_v7().simple().to_string());
        let mut account = AccountRow {
            preferences: Preferences {
                zone: zone.to_owned(),
                ..Preferences::default()
            },
            class_id: Some(class.clone()),
            ..AccountRow::new(id, now)
        };
        let mut tries = 0..MAX_ATTEMPTS;
        loop {
            let Some(number) = tries.next() else {
                return Err(AppError::Internal(
                    "there are no user names left".to_owned(),
                ));
            };
            account.name = words::user_name(&mut rng, number >= MAX_ATTEMPTS / 4);
            account.name_key = Some(names::key(&account.name));
            match account_rows::insert(conn, &account) {
                Ok(()) => break,
                Err(StoreError::NameTaken) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let phrase = seal(ring, &account.id, &words::phrase(&mut rng))?;
        let pupil = PupilRow {
            account_id: account.id.clone(),
            name,
            phrase,
            removed_at: None,
        };
        rows::add_pupil(conn, &pupil)?;
        made.push(account.id);
    }
    Ok(made)
}

impl App {
    /// Makes a class that the viewer owns: with a roster, with the pupils in `names` (as [`roster::names`] reads
    /// them), or without, for pupils who get a nickname when they join.
    pub async fn create_class(
        &self,
        teacher: &Viewer,
        name: &str,
        roster: bool,
        names: &str,
    ) -> Result<ClassId, AppError> {
        teacher.require_adult_account()?;
        let name = class_name(name);
        let names = if roster {
            read_names(names, &[])
        } else {
            Ok(Vec::new())
        };
        let (name, names) = match (name, names) {
            (Ok(name), Ok(names)) => (name, names),
            (Err(AppError::Invalid(mut one)), Err(AppError::Invalid(other))) => {
                one.extend(other);
                return Err(AppError::Invalid(one));
            }
            (Err(error), _) | (_, Err(error)) => return Err(error),
        };
        count(&self.limits.create_account, &teacher.id.0)?;
        let now = self.now();
        let row = ClassRow {
            id: ClassId(Uuid::now_v7().simple().to_string()),
            name,
            roster,
            keep_days: KEEP_DAYS,
            created_at: now,
            used_at: now,
            archived_at: None,
        };
        let id = row.id.clone();
        let owner = TeacherRow {
            class_id: id.clone(),
            account_id: teacher.id.clone(),
            owner: true,
        };
        let (ring, zone) = (self.ring.clone(), teacher.preferences.zone.clone());
        self.write(move |conn| {
            if rows::of_teacher(conn, &owner.account_id)?.len() >= MOST_CLASSES {
                return Err(AppError::Forbidden(NotAllowed::ManyClasses));
            }
            rows::insert(conn, &row)?;
            rows::add_teacher(conn, &owner)?;
            add_pupils(conn, &ring, &row.id, &zone, names, now)?;
            Ok::<_, AppError>(())
        })
        .await?;
        Ok(id)
    }

    pub async fn classes(&self, teacher: &Viewer) -> Result<Vec<(Class, bool)>, AppError> {
        let teacher = teacher.id.clone();
        let found = self
            .read(move |conn| rows::of_teacher(conn, &teacher))
            .await?;
        Ok(found
            .into_iter()
            .map(|(row, teacher)| (row.into(), teacher.owner))
            .collect())
    }

    /// A class with the pass phrases of its pupils, to be printed.
    pub async fn cards(&self, teacher: &Viewer, id: &ClassId) -> Result<ClassView, AppError> {
        self.require_proof(teacher)?;
        self.class(teacher, id).await
    }

    pub async fn class(&self, teacher: &Viewer, id: &ClassId) -> Result<ClassView, AppError> {
        let (id, teacher, ring) = (id.clone(), teacher.id.clone(), self.ring.clone());
        self.read(move |conn| {
            let (row, mine) = taught(conn, &id, &teacher)?;
            let (mut pupils, mut former) = (Vec::new(), Vec::new());
            for (pupil, user) in rows::pupils_of(conn, &id)? {
                let list = match pupil.removed_at {
                    None => &mut pupils,
                    Some(_) => &mut former,
                };
                list.push(Pupil {
                    phrase: open(&ring, &pupil)?,
                    id: pupil.account_id,
                    name: pupil.name,
                    user,
                });
            }
            for list in [&mut pupils, &mut former] {
                list.sort_by_cached_key(|pupil| roster::order(&pupil.name));
            }
            let teachers = rows::teachers_of(conn, &id)?
                .into_iter()
                .map(|(row, name)| Teacher {
                    id: row.account_id,
                    name,
                    owner: row.owner,
                })
                .collect();
            let offers = if mine.owner {
                class_offers::of_class(conn, &id)?
            } else {
                Vec::new()
            };
            let offers = offers.into_iter().map(|(row, name)| Teacher {
                id: row.account_id,
                name,
                owner: row.owner,
            });
            Ok::<_, AppError>(ClassView {
                class: row.into(),
                owner: mine.owner,
                teachers,
                offers: offers.collect(),
                pupils,
                former,
            })
        })
        .await
    }
}
