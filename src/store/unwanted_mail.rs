//! Addresses without an account that want no invitations, each as a MAC that does not reveal it.

use diesel::dsl::exists;
use diesel::prelude::*;

use super::schema::unwanted_mail;
use super::{Conn, StoreError, on_db};

pub fn insert(conn: &mut Conn, address: &str) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::insert_into(unwanted_mail::table)
        .values(unwanted_mail::address.eq(address))
        .on_conflict_do_nothing()
        .execute(c))?;
    Ok(())
}

/// True if there is one of these, the MACs of an address.
pub fn is_there(conn: &mut Conn, address: &[String]) -> Result<bool, StoreError> {
    Ok(on_db!(conn, |c| diesel::select(exists(
        unwanted_mail::table.filter(unwanted_mail::address.eq_any(address))
    ))
    .get_result(c))?)
}
