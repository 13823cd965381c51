use std::time::Duration;

use diesel::prelude::*;

use super::heartbeat::Past;
use super::schema::{
    accounts, class_offers, classes, matches, own_cards, pupils, sessions, teachers,
};
use super::{Conn, StoreError, living, on_db};
use perplex_matches::id::{AccountId, ClassId, MatchId};
use perplex_matches::time::{Time, days};

#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = classes, treat_none_as_default_value = false)]
pub struct ClassRow {
    pub id: ClassId,
    pub name: String,
    /// True if pupils pick their names from a list; else each gets a nickname on joining.
    pub roster: bool,
    /// Days without use after which it is removed with all it holds.
    pub keep_days: i32,
    pub created_at: Time,
    pub used_at: Time,
    pub archived_at: Option<Time>,
}

impl ClassRow {
    pub fn is_over(&self, past: &Past) -> bool {
        self.used_at <= past.before(kept_for(self.keep_days))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = teachers, treat_none_as_default_value = false)]
pub struct TeacherRow {
    pub class_id: ClassId,
    pub account_id: AccountId,
    pub owner: bool,
}

#[derive(Clone, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = pupils, treat_none_as_default_value = false)]
pub struct PupilRow {
    pub account_id: AccountId,
    pub name: String,
    pub phrase: String,
    pub removed_at: Option<Time>,
}

pub fn insert(conn: &mut Conn, row: &ClassRow) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::insert_into(classes::table)
        .values(row)
        .execute(c))?;
    Ok(())
}

pub fn find(conn: &mut Conn, id: &ClassId) -> Result<Option<ClassRow>, StoreError> {
    Ok(on_db!(conn, |c| classes::table
        .find(id)
        .select(ClassRow::as_select())
        .get_result(c)
        .optional())?)
}

pub fn find_taught(
    conn: &mut Conn,
    id: &ClassId,
    teacher: &AccountId,
) -> Result<Option<(ClassRow, TeacherRow)>, StoreError> {
    Ok(on_db!(conn, |c| teachers::table
        .inner_join(classes::table)
        .filter(teachers::class_id.eq(id))
        .filter(teachers::account_id.eq(teacher))
        .select((ClassRow::as_select(), TeacherRow::as_select()))
        .get_result(c)
        .optional())?)
}

pub fn of_teacher(
    conn: &mut Conn,
    teacher: &AccountId,
) -> Result<Vec<(ClassRow, TeacherRow)>, StoreError> {
    Ok(on_db!(conn, |c| teachers::table
        .inner_join(classes::table)
        .filter(teachers::account_id.eq(teacher))
        .order((classes::used_at.desc(), classes::id))
        .select((ClassRow::as_select(), TeacherRow::as_select()))
        .load(c))?)
}

pub fn touch(conn: &mut Conn, id: &ClassId, now: Time) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(
        classes::table.find(id).filter(classes::used_at.lt(now))
    )
    .set(classes::used_at.eq(now))
    .execute(c))?;
    Ok(())
}

/// The class of a pupil; `None` for other accounts.
pub fn of_pupil(conn: &mut Conn, account: &AccountId) -> Result<Option<ClassId>, StoreError> {
    let class: Option<Option<ClassId>> = on_db!(conn, |c| accounts::table
        .find(account)
        .select(accounts::class_id)
        .get_result(c)
        .optional())?;
    Ok(class.flatten())
}

pub fn add_teacher(conn: &mut Conn, row: &TeacherRow) -> Result<(), StoreError> {
    on_db!(&mut *conn, |c| diesel::insert_into(teachers::table)
        .values(row)
        .execute(c))?;
    living::require(conn, &[&row.account_id])
}

pub fn teachers_of(conn: &mut Conn, id: &ClassId) -> Result<Vec<(TeacherRow, String)>, StoreError> {
    Ok(on_db!(conn, |c| teachers::table
        .inner_join(accounts::table)
        .filter(teachers::class_id.eq(id))
        .order((teachers::owner.desc(), accounts::name, accounts::id))
        .select((TeacherRow::as_select(), accounts::name))
        .load(c))?)
}

pub fn teacher_ids(conn: &mut Conn, id: &ClassId) -> Result<Vec<AccountId>, StoreError> {
    Ok(on_db!(conn, |c| teachers::table
        .filter(teachers::class_id.eq(id))
        .order((teachers::owner.desc(), teachers::account_id))
        .select(teachers::account_id)
        .load(c))?)
}

pub fn add_pupil(conn: &mut Conn, row: &PupilRow) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::insert_into(pupils::table)
        .values(row)
        .execute(c))?;
    Ok(())
}

pub fn find_pupil(
    conn: &mut Conn,
    account: &AccountId,
) -> Result<Option<(PupilRow, ClassId)>, StoreError> {
    let found: Option<(PupilRow, Option<ClassId>)> = on_db!(conn, |c| pupils::table
        .inner_join(accounts::table)
        .filter(pupils::account_id.eq(account))
        .select((PupilRow::as_select(), accounts::class_id))
        .get_result(c)
        .optional())?;
    Ok(found.and_then(|(row, class)| Some((row, class?))))
}

/// The pupils of a class with their user names, former ones too, in the order in which they joined.
pub fn pupils_of(conn: &mut Conn, id: &ClassId) -> Result<Vec<(PupilRow, String)>, StoreError> {
    Ok(on_db!(conn, |c| pupils::table
        .inner_join(accounts::table)
        .filter(accounts::class_id.eq(id))
        .order((accounts::created_at, accounts::id))
        .select((PupilRow::as_select(), accounts::name))
        .load(c))?)
}

pub fn sealed_otherwise(
    conn: &mut Conn,
    key: &str,
    limit: i64,
) -> Result<Vec<PupilRow>, StoreError> {
    Ok(on_db!(conn, |c| pupils::table
        .filter(pupils::phrase.not_like(format!("{key}:%")))
        .limit(limit)
        .select(PupilRow::as_select())
        .load(c))?)
}

/// Keeps a class as it is until the transaction ends: what would archive or remove it waits.
pub fn hold(conn: &mut Conn, id: &ClassId) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(classes::table.find(id))
        .set(classes::name.eq(classes::name))
        .execute(c))?;
    Ok(())
}

/// Keeps a pupil's words and place in the class as they are until the transaction ends: what would change them waits.
pub fn hold_pupil(conn: &mut Conn, account: &AccountId) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(pupils::table.find(account))
        .set(pupils::phrase.eq(pupils::phrase))
        .execute(c))?;
    Ok(())
}

pub fn set_phrase(conn: &mut Conn, account: &AccountId, sealed: &str) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(pupils::table.find(account))
        .set(pupils::phrase.eq(sealed))
        .execute(c))?;
    Ok(())
}

pub fn set_name(conn: &mut Conn, id: &ClassId, name: &str) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(classes::table.find(id))
        .set(classes::name.eq(name))
        .execute(c))?;
    Ok(())
}

pub fn set_keep_days(conn: &mut Conn, id: &ClassId, days: i32) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(classes::table.find(id))
        .set(classes::keep_days.eq(days))
        .execute(c))?;
    Ok(())
}

pub fn set_archived(conn: &mut Conn, id: &ClassId, at: Option<Time>) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(classes::table.find(id))
        .set(classes::archived_at.eq(at))
        .execute(c))?;
    Ok(())
}

/// Removes a teacher from a class; `false` if there is no such teacher. The owner stays.
pub fn remove_teacher(
    conn: &mut Conn,
    id: &ClassId,
    teacher: &AccountId,
) -> Result<bool, StoreError> {
    let gone = on_db!(conn, |c| diesel::delete(
        teachers::table
            .find((teacher, id))
            .filter(teachers::owner.eq(false))
    )
    .execute(c))?;
    Ok(gone == 1)
}

/// Makes a teacher the only owner of a class; the former owner shares it, and all offers of the class end.
pub fn set_owner(conn: &mut Conn, id: &ClassId, teacher: &AccountId) -> Result<(), StoreError> {
    // Offers of the former owner are not the new one's.
    on_db!(&mut *conn, |c| diesel::delete(
        class_offers::table.filter(class_offers::class_id.eq(id))
    )
    .execute(c))?;
    on_db!(conn, |c| diesel::update(
        teachers::table.filter(teachers::class_id.eq(id))
    )
    .set(teachers::owner.eq(teachers::account_id.eq(teacher)))
    .execute(c))?;
    Ok(())
}

pub fn set_pupil_name(conn: &mut Conn, account: &AccountId, name: &str) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(pupils::table.find(account))
        .set(pupils::name.eq(name))
        .execute(c))?;
    Ok(())
}

pub fn set_removed(
    conn: &mut Conn,
    account: &AccountId,
    at: Option<Time>,
) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(pupils::table.find(account))
        .set(pupils::removed_at.eq(at))
        .execute(c))?;
    Ok(())
}

pub fn end_sessions(conn: &mut Conn, id: &ClassId) -> Result<(), StoreError> {
    let people: Vec<AccountId> = on_db!(&mut *conn, |c| accounts::table
        .filter(accounts::class_id.eq(id))
        .select(accounts::id)
        .load(c))?;
    on_db!(conn, |c| diesel::delete(
        sessions::table.filter(sessions::account_id.eq_any(&people))
    )
    .execute(c))?;
    Ok(())
}

/// The classes that were not used for as long as they are to be kept.
pub fn to_purge(conn: &mut Conn, past: &Past, limit: i64) -> Result<Vec<ClassId>, StoreError> {
    let kept: Vec<i32> = on_db!(&mut *conn, |c| classes::table
        .select(classes::keep_days)
        .distinct()
        .load(c))?;
    let mut due = Vec::new();
    for keep_days in kept {
        let before = past.before(kept_for(keep_days));
        let found: Vec<ClassId> = on_db!(&mut *conn, |c| classes::table
            .filter(classes::keep_days.eq(keep_days))
            .filter(classes::used_at.le(before))
            .order((classes::used_at, classes::id))
            .limit(limit)
            .select(classes::id)
            .load(c))?;
        due.extend(found);
    }
    Ok(due)
}

pub fn kept_for(keep_days: i32) -> Duration {
    days(u64::try_from(keep_days).unwrap_or(1).max(1))
}

/// Removes a class with everything it holds: its lessons with their events and their talk, its pupils with their
/// accounts and sessions, and its teachers' shares.
pub fn remove(conn: &mut Conn, id: &ClassId) -> Result<(), StoreError> {
    let lessons: Vec<MatchId> = on_db!(&mut *conn, |c| matches::table
        .filter(matches::class_id.eq(id))
        .select(matches::id)
        .load(c))?;
    let people: Vec<AccountId> = on_db!(&mut *conn, |c| accounts::table
        .filter(accounts::class_id.eq(id))
        .select(accounts::id)
        .load(c))?;
    super::removal::remove_matches(conn, &lessons)?;
    macro_rules! delete {
        ($($rows:expr),* $(,)?) => {
            $(on_db!(&mut *conn, |c| diesel::delete($rows).execute(c))?;)*
        };
    }
    delete!(
        sessions::table.filter(sessions::account_id.eq_any(&people)),
        pupils::table.filter(pupils::account_id.eq_any(&people)),
        accounts::table.filter(accounts::class_id.eq(id)),
        teachers::table.filter(teachers::class_id.eq(id)),
        class_offers::table.filter(class_offers::class_id.eq(id)),
        own_cards::table.filter(own_cards::class_id.eq(id)),
        classes::table.find(id),
    );
    Ok(())
}
