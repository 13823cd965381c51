//! What names and addresses are compared by, brought up to date: [`names::key`] and [`address::key`] make the same of what
//! was different once.

use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Bool;

use super::schema::accounts;
use super::{Conn, StoreError, accounts as rows, invited_addresses, on_db};
use crate::address;
use perplex_matches::id::AccountId;
use perplex_matches::names;

/// Brings what accounts are known by up to date. An account whose name or address is the same as another's stays
/// as it is: it is found by what is exactly so.
pub(super) fn bring_up_to_date(conn: &mut Conn) -> Result<(), StoreError> {
    // Plain letters are compared as ever.
    let is_beyond_ascii = || sql::<Bool>("length(name_key) <> octet_length(name_key)");
    let known: Vec<(AccountId, String, Option<String>)> = on_db!(&mut *conn, |c| accounts::table
        .filter(is_beyond_ascii())
        .order((accounts::created_at, accounts::id))
        .select((accounts::id, accounts::name, accounts::name_key))
        .load(c))?;
    for (id, name, known) in known {
        let key = names::key(&name);
        if known.as_ref() == Some(&key) {
            continue;
        }
        match rows::set_name_key(conn, &id, &key) {
            Err(StoreError::NameTaken) => {
                tracing::warn!(account = %id, "its name is another account's by now, and stays as it is");
            }
            done => done?,
        }
    }
    emails(conn)?;
    invited_addresses::bring_up_to_date(conn)
}

fn emails(conn: &mut Conn) -> Result<(), StoreError> {
    let is_beyond_ascii = sql::<Bool>("length(email_key) <> octet_length(email_key)");
    let known: Vec<(AccountId, Option<String>, Option<String>)> =
        on_db!(&mut *conn, |c| accounts::table
            .filter(is_beyond_ascii)
            .order((accounts::created_at, accounts::id))
            .select((accounts::id, accounts::email, accounts::email_key))
            .load(c))?;
    for (id, email, known) in known {
        let key = address::key(&email.unwrap_or_default());
        if known.as_ref() == Some(&key) {
            continue;
        }
        match rows::set_email_key(conn, &id, &key) {
            Err(StoreError::EmailTaken) => {
                tracing::warn!(account = %id, "its address is another account's by now, and stays as it is");
            }
            done => done?,
        }
    }
    Ok(())
}
