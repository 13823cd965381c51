//! Removing matches with everything they hold.

use diesel::prelude::*;

use super::schema::{
    channels, events, invitations, knocks, left_names, listeners, matches, members, messages,
    outbox, taken_names,
};
use super::{Conn, StoreError, on_db};
use perplex_matches::id::MatchId;

/// Removes matches with everything they hold: their events, their talk, their members, and mail about them.
pub fn remove_matches(conn: &mut Conn, ids: &[MatchId]) -> Result<(), StoreError> {
    macro_rules! delete {
        ($($table:ident),*) => {
            $(on_db!(&mut *conn, |c| diesel::delete(
                $table::table.filter($table::match_id.eq_any(ids))
            )
            .execute(c))?;)*
        };
    }
    delete!(
        messages,
        listeners,
        channels,
        members,
        knocks,
        taken_names,
        left_names,
        events,
        invitations,
        outbox
    );
    on_db!(conn, |c| diesel::delete(
        matches::table.filter(matches::id.eq_any(ids))
    )
    .execute(c))?;
    Ok(())
}
