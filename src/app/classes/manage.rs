//! Changes to a class: its name, how long it is kept, its end.

use super::super::{App, AppError, NotAllowed, Viewer, invalid};
use super::{ClassFault, ClassView, class_name, taught};
use crate::app::team::lesson::fresh_code;
use crate::store::classes::{self as rows, ClassRow};
use crate::store::matches::{self, MatchRow};
use crate::store::{Conn, StoreError, class_offers, heartbeat, lessons};
use perplex_matches::id::{AccountId, ClassId};

pub const KEEP: [i32; 5] = [30, 90, 180, 365, 730];
const PURGED: i64 = 20;

pub(super) fn owned(
    conn: &mut Conn,
    id: &ClassId,
    teacher: &AccountId,
) -> Result<ClassRow, AppError> {
    let (row, mine) = taught(conn, id, teacher)?;
    if mine.owner {
        Ok(row)
    } else {
        Err(AppError::Forbidden(NotAllowed::NotOwner))
    }
}

impl App {
    /// Runs a change of a class that the viewer teaches; it counts as using the class.
    pub(super) async fn change_class<T: Send + 'static>(
        &self,
        teacher: &Viewer,
        id: &ClassId,
        change: impl FnOnce(&mut Conn, ClassRow) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let (teacher, id, now) = (teacher.id.clone(), id.clone(), self.now());
        self.write(move |conn| {
            let (row, _) = taught(conn, &id, &teacher)?;
            let done = change(conn, row)?;
            rows::touch(conn, &id, now)?;
            Ok::<_, AppError>(done)
        })
        .await
    }

    pub(super) async fn change_owned(
        &self,
        teacher: &Viewer,
        id: &ClassId,
        change: impl FnOnce(&mut Conn, ClassRow) -> Result<(), AppError> + Send + 'static,
    ) -> Result<(), AppError> {
        let owner = teacher.id.clone();
        self.change_class(teacher, id, move |conn, row| {
            owned(conn, &row.id, &owner)?;
            change(conn, row)
        })
        .await
    }

    pub async fn rename_class(
        &self,
        teacher: &Viewer,
        id: &ClassId,
        name: &str,
    ) -> Result<(), AppError> {
        let name = class_name(name);
        self.change_class(teacher, id, move |conn, row| {
            Ok(rows::set_name(conn, &row.id, &name?)?)
        })
        .await
    }

    pub async fn keep_class(
        &self,
        teacher: &Viewer,
        id: &ClassId,
        days: i32,
    ) -> Result<(), AppError> {
        self.require_proof(teacher)?;
        self.change_owned(teacher, id, move |conn, row| {
            if !KEEP.contains(&days) {
                return Err(invalid("days", ClassFault::KeepDays));
            }
            Ok(rows::set_keep_days(conn, &row.id, days)?)
        })
        .await
    }

    /// Archives a class, so that no pupil can sign in, or brings it back.
    pub async fn archive_class(
        &self,
        teacher: &Viewer,
        id: &ClassId,
        archived: bool,
    ) -> Result<(), AppError> {
        self.require_proof(teacher)?;
        let now = self.now();
        self.change_owned(teacher, id, move |conn, row| {
            rows::set_archived(conn, &row.id, archived.then_some(now))?;
            if archived {
                rows::end_sessions(conn, &row.id)?;
            }
            Ok(())
        })
        .await
    }

    /// Removes a class with everything it holds; its name has to be typed.
    pub async fn remove_class(
        &self,
        teacher: &Viewer,
        id: &ClassId,
        typed: &str,
    ) -> Result<(), AppError> {
        self.require_proof(teacher)?;
        let (teacher, id) = (teacher.id.clone(), id.clone());
        let typed = typed.split_whitespace().collect::<Vec<_>>().join(" ");
        self.write(move |conn| {
            let row = owned(conn, &id, &teacher)?;
            if typed != row.name {
                return Err(invalid("typed", ClassFault::Confirm(row.name)));
            }
            Ok(rows::remove(conn, &id)?)
        })
        .await
    }

    /// Removes the classes that were not used for as long as they are to be kept. One failure does not stop the
    /// others.
    pub(in super::super) async fn purge_classes(&self) -> Result<(), AppError> {
        let now = self.now();
        let due = self
            .read(move |conn| match heartbeat::past(conn, now)? {
                Some(past) => rows::to_purge(conn, &past, PURGED),
                None => Ok(Vec::new()),
            })
            .await?;
        for id in due {
            let purged = id.clone();
            let done = self
                .write(move |conn| {
                    // A teacher may have used it since, and another process may have found that the clock is wrong.
                    let (still, past) = (rows::find(conn, &purged)?, heartbeat::past(conn, now)?);
                    if let (Some(row), Some(past)) = (still, past)
                        && row.is_over(&past)
                    {
                        rows::remove(conn, &purged)?;
                    }
                    Ok::<_, StoreError>(())
                })
                .await;
            match done {
                Ok(()) => tracing::info!(%id, "an unused class was removed"),
                Err(error) => tracing::error!(%id, %error, "a class could not be removed"),
            }
        }
        Ok(())
    }
}

impl ClassView {
    pub fn sharing(&self) -> impl Iterator<Item = &super::Teacher> {
        self.teachers.iter().filter(|teacher| !teacher.owner)
    }
}

/// Takes a teacher whose account is deleted out of all classes: shared ones go to another of their teachers, the rest
/// are removed with all they hold.
pub(in super::super) fn leave_classes(
    conn: &mut Conn,
    teacher: &AccountId,
) -> Result<(), AppError> {
    class_offers::forget_account(conn, teacher)?;
    for (row, mine) in rows::of_teacher(conn, teacher)? {
        let others = rows::teacher_ids(conn, &row.id)?;
        let heir = others.iter().find(|other| *other != teacher);
        match (mine.owner, heir) {
            (true, None) => {
                rows::remove(conn, &row.id)?;
                continue;
            }
            (true, Some(heir)) => rows::set_owner(conn, &row.id, heir)?,
            (false, _) => {}
        }
        rows::remove_teacher(conn, &row.id, teacher)?;
        renew_lessons(conn, &row.id)?;
    }
    Ok(())
}

/// Replaces the links and codes of all lessons of a class, finished ones too: a teacher who leaves knows the old
/// ones. Gives the lessons.
pub(super) fn renew_lessons(conn: &mut Conn, class: &ClassId) -> Result<Vec<MatchRow>, AppError> {
    let lessons = lessons::of_class(conn, class, i64::MAX)?;
    for lesson in &lessons {
        matches::renew_links(conn, &lesson.id)?;
        if lesson.code.is_some() {
            let code = fresh_code(conn)?;
            lessons::set_code(conn, &lesson.id, Some(&code))?;
        }
    }
    Ok(lessons)
}
