//! Rule cards that teachers made for a class.

use diesel::prelude::*;

use super::schema::rule_cards;
use super::{Conn, StoreError, on_db};
use perplex_matches::classroom::own_card::{self, OwnCard};
use perplex_matches::id::ClassId;
use perplex_matches::time::Time;

#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = rule_cards)]
pub struct RuleCardRow {
    pub id: String,
    pub class_id: ClassId,
    pub name: String,
    /// The turn that it stands for, in canonical notation.
    pub turn: String,
    pub made_at: Time,
}

/// The cards of a class, the oldest first. One that this version of the rules does not know is left out.
pub fn of_class(conn: &mut Conn, class: &ClassId) -> Result<Vec<OwnCard>, StoreError> {
    let rows: Vec<RuleCardRow> = on_db!(conn, |c| rule_cards::table
        .filter(rule_cards::class_id.eq(class))
        .order((rule_cards::made_at, rule_cards::id))
        .select(RuleCardRow::as_select())
        .load(c))?;
    let rows = rows.into_iter();
    Ok(rows
        .filter_map(|row| own_card::kept(row.id, row.name, &row.turn))
        .collect())
}

pub fn insert(conn: &mut Conn, row: &RuleCardRow) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::insert_into(rule_cards::table)
        .values(row)
        .execute(c))?;
    Ok(())
}

pub fn change(
    conn: &mut Conn,
    class: &ClassId,
    id: &str,
    name: &str,
    turn: &str,
) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(
        rule_cards::table
            .find(id)
            .filter(rule_cards::class_id.eq(class))
    )
    .set((rule_cards::name.eq(name), rule_cards::turn.eq(turn)))
    .execute(c))?;
    Ok(())
}

/// Removes a card of a class; one that is gone already is no error.
pub fn remove(conn: &mut Conn, class: &ClassId, id: &str) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::delete(
        rule_cards::table
            .find(id)
            .filter(rule_cards::class_id.eq(class))
    )
    .execute(c))?;
    Ok(())
}
