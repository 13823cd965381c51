//! Classes, who teaches them, and their pupils.

use diesel::prelude::*;

use super::schema::{accounts, classes, pupils, teachers};
use super::{Conn, StoreError, on_db};
use crate::classroom::ClassId;
use crate::play::event::AccountId;
use crate::time::Time;

/// A class.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = classes, treat_none_as_default_value = false)]
pub struct ClassRow {
    /// Its id.
    pub id: ClassId,
    /// What its teachers call it.
    pub name: String,
    /// Whether pupils pick their names from a list; else each gets a nickname on joining.
    pub roster: bool,
    /// After so many days in which it was not used it is removed with all it holds.
    pub keep_days: i32,
    /// When it was made.
    pub created_at: Time,
    /// When it was last used.
    pub used_at: Time,
    /// When it was archived.
    pub archived_at: Option<Time>,
}

/// Somebody who teaches a class.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = teachers, treat_none_as_default_value = false)]
pub struct TeacherRow {
    /// The class.
    pub class_id: ClassId,
    /// Who.
    pub account_id: AccountId,
    /// Whether it is the owner; the others share it.
    pub owner: bool,
}

/// What only pupils have.
#[derive(Clone, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = pupils, treat_none_as_default_value = false)]
pub struct PupilRow {
    /// The account.
    pub account_id: AccountId,
    /// What the class calls them.
    pub name: String,
    /// The pass phrase, sealed.
    pub phrase: String,
    /// When somebody left the class.
    pub removed_at: Option<Time>,
}

/// Makes a class.
pub fn insert(conn: &mut Conn, row: &ClassRow) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::insert_into(classes::table)
        .values(row)
        .execute(c))?;
    Ok(())
}

/// The row of a class.
pub fn find(conn: &mut Conn, id: &ClassId) -> Result<Option<ClassRow>, StoreError> {
    Ok(on_db!(conn, |c| classes::table
        .find(id)
        .select(ClassRow::as_select())
        .get_result(c)
        .optional())?)
}

/// The class, if this account teaches it.
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

/// The classes that an account teaches, the last used first.
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

/// Notes that a class is in use.
pub fn touch(conn: &mut Conn, id: &ClassId, now: Time) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(
        classes::table.find(id).filter(classes::used_at.lt(now))
    )
    .set(classes::used_at.eq(now))
    .execute(c))?;
    Ok(())
}

/// The same of the class of a pupil; of other accounts nothing comes.
pub fn touch_of_pupil(conn: &mut Conn, account: &AccountId, now: Time) -> Result<(), StoreError> {
    let class: Option<Option<ClassId>> = on_db!(&mut *conn, |c| accounts::table
        .find(account)
        .select(accounts::class_id)
        .get_result(c)
        .optional())?;
    match class.flatten() {
        Some(class) => touch(conn, &class, now),
        None => Ok(()),
    }
}

/// Somebody teaches a class.
pub fn add_teacher(conn: &mut Conn, row: &TeacherRow) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::insert_into(teachers::table)
        .values(row)
        .execute(c))?;
    Ok(())
}

/// Who teaches a class, with their names, the owner first.
pub fn teachers_of(conn: &mut Conn, id: &ClassId) -> Result<Vec<(TeacherRow, String)>, StoreError> {
    Ok(on_db!(conn, |c| teachers::table
        .inner_join(accounts::table)
        .filter(teachers::class_id.eq(id))
        .order((teachers::owner.desc(), accounts::name, accounts::id))
        .select((TeacherRow::as_select(), accounts::name))
        .load(c))?)
}

/// The accounts that teach a class.
pub fn teacher_ids(conn: &mut Conn, id: &ClassId) -> Result<Vec<AccountId>, StoreError> {
    Ok(on_db!(conn, |c| teachers::table
        .filter(teachers::class_id.eq(id))
        .order((teachers::owner.desc(), teachers::account_id))
        .select(teachers::account_id)
        .load(c))?)
}

/// What only pupils have; the account is made before.
pub fn add_pupil(conn: &mut Conn, row: &PupilRow) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::insert_into(pupils::table)
        .values(row)
        .execute(c))?;
    Ok(())
}

/// A pupil, by account, with the class.
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

/// The pupils of a class with their user names, former ones too, in the order in which they came.
pub fn pupils_of(conn: &mut Conn, id: &ClassId) -> Result<Vec<(PupilRow, String)>, StoreError> {
    Ok(on_db!(conn, |c| pupils::table
        .inner_join(accounts::table)
        .filter(accounts::class_id.eq(id))
        .order((accounts::created_at, accounts::id))
        .select((PupilRow::as_select(), accounts::name))
        .load(c))?)
}

/// At most `limit` pupils whose phrase another key than `key` sealed.
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

/// Changes the phrase of a pupil, which is sealed.
pub fn set_phrase(conn: &mut Conn, account: &AccountId, sealed: &str) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(pupils::table.find(account))
        .set(pupils::phrase.eq(sealed))
        .execute(c))?;
    Ok(())
}
