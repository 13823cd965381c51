//! Addresses without an account that want no invitations, each as a MAC that does not reveal it.

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

pub fn is_there(conn: &mut Conn, address: &str) -> Result<bool, StoreError> {
    let found: Option<String> = on_db!(conn, |c| unwanted_mail::table
        .find(address)
        .select(unwanted_mail::address)
        .get_result(c)
        .optional())?;
    Ok(found.is_some())
}
