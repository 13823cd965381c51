//! Accounts that want no mail about a match.

use std::collections::HashSet;

use diesel::prelude::*;

use super::schema::muted_matches;
use super::{Conn, StoreError, on_db};
use perplex_matches::id::{AccountId, MatchId};

pub fn of_match(conn: &mut Conn, id: &MatchId) -> Result<HashSet<AccountId>, StoreError> {
    let muted: Vec<AccountId> = on_db!(conn, |c| muted_matches::table
        .filter(muted_matches::match_id.eq(id))
        .select(muted_matches::account_id)
        .load(c))?;
    Ok(muted.into_iter().collect())
}

pub fn set(
    conn: &mut Conn,
    id: &MatchId,
    account: &AccountId,
    muted: bool,
) -> Result<(), StoreError> {
    if muted {
        let row = (
            muted_matches::match_id.eq(id),
            muted_matches::account_id.eq(account),
        );
        on_db!(conn, |c| diesel::insert_into(muted_matches::table)
            .values(row)
            .on_conflict_do_nothing()
            .execute(c))?;
    } else {
        on_db!(conn, |c| diesel::delete(
            muted_matches::table.find((id, account))
        )
        .execute(c))?;
    }
    Ok(())
}
