//! Rule cards that players keep for one match.

use diesel::prelude::*;

use super::schema::hand_cards;
use super::{Conn, StoreError, on_db};
use perplex_matches::classroom::own_card::{self, OwnCard};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::time::Time;

#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = hand_cards)]
pub struct HandCardRow {
    pub id: String,
    pub match_id: MatchId,
    pub account_id: AccountId,
    pub name: String,
    /// The turn that it stands for, in canonical notation.
    pub turn: String,
    pub made_at: Time,
}

/// The cards that a player keeps for a match, the oldest first. One that this version of the rules does not know is left
/// out.
pub fn of_player(
    conn: &mut Conn,
    id: &MatchId,
    account: &AccountId,
) -> Result<Vec<OwnCard>, StoreError> {
    let rows: Vec<HandCardRow> = on_db!(conn, |c| hand_cards::table
        .filter(hand_cards::match_id.eq(id))
        .filter(hand_cards::account_id.eq(account))
        .order((hand_cards::made_at, hand_cards::id))
        .select(HandCardRow::as_select())
        .load(c))?;
    let rows = rows.into_iter();
    Ok(rows
        .filter_map(|row| own_card::kept(row.id, row.name, &row.turn))
        .collect())
}

pub fn insert(conn: &mut Conn, row: &HandCardRow) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::insert_into(hand_cards::table)
        .values(row)
        .execute(c))?;
    Ok(())
}

/// Removes a card that a player keeps; one that is gone already is no error.
pub fn remove(
    conn: &mut Conn,
    id: &MatchId,
    account: &AccountId,
    card: &str,
) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::delete(
        hand_cards::table
            .find(card)
            .filter(hand_cards::match_id.eq(id))
            .filter(hand_cards::account_id.eq(account))
    )
    .execute(c))?;
    Ok(())
}

/// Removes all cards that an account keeps.
pub fn forget_account(conn: &mut Conn, account: &AccountId) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::delete(
        hand_cards::table.filter(hand_cards::account_id.eq(account))
    )
    .execute(c))?;
    Ok(())
}
