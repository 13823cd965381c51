//! Classes that are offered to teachers and wait for their answer.

use diesel::prelude::*;

use super::schema::{accounts, class_offers, classes, teachers};
use super::{Conn, StoreError, on_db};
use perplex_matches::id::{AccountId, ClassId};

#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = class_offers, treat_none_as_default_value = false)]
pub struct OfferRow {
    pub class_id: ClassId,
    pub account_id: AccountId,
    /// True if ownership is offered, of a class that the account shares already.
    pub owner: bool,
}

/// Writes an offer; `false` if the class is offered to that account already.
pub fn insert(conn: &mut Conn, row: &OfferRow) -> Result<bool, StoreError> {
    let new = on_db!(conn, |c| diesel::insert_into(class_offers::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(c))?;
    Ok(new == 1)
}

pub fn find(
    conn: &mut Conn,
    class: &ClassId,
    account: &AccountId,
) -> Result<Option<OfferRow>, StoreError> {
    Ok(on_db!(conn, |c| class_offers::table
        .find((account, class))
        .select(OfferRow::as_select())
        .get_result(c)
        .optional())?)
}

/// Removes and gives an offer; `None` if there is none (any more).
pub fn take(
    conn: &mut Conn,
    class: &ClassId,
    account: &AccountId,
) -> Result<Option<OfferRow>, StoreError> {
    let offer = find(conn, class, account)?;
    let taken = on_db!(conn, |c| diesel::delete(
        class_offers::table.find((account, class))
    )
    .execute(c))?;
    // It may have been answered or taken back in between.
    Ok(offer.filter(|_| taken == 1))
}

/// The offers of a class, with the names of their receivers.
pub fn of_class(conn: &mut Conn, class: &ClassId) -> Result<Vec<(OfferRow, String)>, StoreError> {
    Ok(on_db!(conn, |c| class_offers::table
        .inner_join(accounts::table)
        .filter(class_offers::class_id.eq(class))
        .order((accounts::name, accounts::id))
        .select((OfferRow::as_select(), accounts::name))
        .load(c))?)
}

/// The offers to an account, with the name of the class, and that of its owner.
pub fn of_account(
    conn: &mut Conn,
    account: &AccountId,
) -> Result<Vec<(OfferRow, String, String)>, StoreError> {
    Ok(on_db!(conn, |c| class_offers::table
        .inner_join(classes::table.inner_join(teachers::table.inner_join(accounts::table)))
        .filter(class_offers::account_id.eq(account))
        .filter(teachers::owner.eq(true))
        .order((classes::name, classes::id))
        .select((OfferRow::as_select(), classes::name, accounts::name))
        .load(c))?)
}

pub fn forget_account(conn: &mut Conn, account: &AccountId) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::delete(
        class_offers::table.filter(class_offers::account_id.eq(account))
    )
    .execute(c))?;
    Ok(())
}
