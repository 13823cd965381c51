use diesel::prelude::*;

use super::matches::{MatchRow, not_called_off};
use super::schema::matches;
use super::{Conn, StoreError, on_db};
use perplex_matches::id::{ClassId, MatchId};

pub fn by_code(conn: &mut Conn, code: &str) -> Result<Option<MatchRow>, StoreError> {
    Ok(on_db!(conn, |c| matches::table
        .filter(matches::code.eq(code))
        .select(MatchRow::as_select())
        .first(c)
        .optional())?)
}

/// The lessons of a class, the latest first, at most `limit`; none that was called off.
pub fn of_class(conn: &mut Conn, class: &ClassId, limit: i64) -> Result<Vec<MatchRow>, StoreError> {
    Ok(on_db!(conn, |c| matches::table
        .filter(matches::class_id.eq(class))
        .filter(not_called_off())
        .order((matches::created_at.desc(), matches::id))
        .limit(limit)
        .select(MatchRow::as_select())
        .load(c))?)
}

/// All lessons of a class in the order in which they were made; those that were called off, too.
pub fn all_of_class(conn: &mut Conn, class: &ClassId) -> Result<Vec<MatchRow>, StoreError> {
    Ok(on_db!(conn, |c| matches::table
        .filter(matches::class_id.eq(class))
        .order((matches::created_at, matches::id))
        .select(MatchRow::as_select())
        .load(c))?)
}

/// The code of the latest lesson of a class that can be joined.
pub fn open_code(conn: &mut Conn, class: &ClassId) -> Result<Option<String>, StoreError> {
    let code: Option<Option<String>> = on_db!(conn, |c| matches::table
        .filter(matches::class_id.eq(class))
        .filter(matches::code.is_not_null())
        .order((matches::created_at.desc(), matches::id))
        .select(matches::code)
        .first(c)
        .optional())?;
    Ok(code.flatten())
}

pub fn set_code(conn: &mut Conn, id: &MatchId, code: Option<&str>) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(matches::table.find(id))
        .set(matches::code.eq(code))
        .execute(c))?;
    Ok(())
}
