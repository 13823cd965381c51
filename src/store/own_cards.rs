//! Rule cards of their own: of a class, of a host, and those that players keep for one match.

use diesel::prelude::*;

use super::schema::own_cards;
use super::{Conn, StoreError, living, on_db};
use perplex_matches::classroom::own_card::{self, OwnCard};
use perplex_matches::id::{AccountId, ClassId, MatchId};
use perplex_matches::time::Time;

/// The owner of rule cards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeckOwner {
    /// A class: for its lessons.
    Class(ClassId),
    /// A host: for the team matches that they made, lessons excepted.
    Host(AccountId),
    /// A player: for one match, and seen by them alone.
    Player(AccountId, MatchId),
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = own_cards)]
struct OwnCardRow {
    id: String,
    class_id: Option<ClassId>,
    account_id: Option<AccountId>,
    match_id: Option<MatchId>,
    name: String,
    turn: String,
    made_at: Time,
}

/// The cards of an owner, the oldest first. One that this version of the rules does not know is left out.
pub fn of(conn: &mut Conn, owner: &DeckOwner) -> Result<Vec<OwnCard>, StoreError> {
    macro_rules! load {
        ($filter:expr) => {
            on_db!(conn, |c| own_cards::table
                .filter($filter)
                .order((own_cards::made_at, own_cards::id))
                .select(OwnCardRow::as_select())
                .load(c))
        };
    }
    let rows: Vec<OwnCardRow> = match owner {
        DeckOwner::Class(class) => load!(own_cards::class_id.eq(class)),
        DeckOwner::Host(account) => {
            load!(
                own_cards::account_id
                    .eq(account)
                    .and(own_cards::match_id.is_null())
            )
        }
        DeckOwner::Player(account, id) => {
            load!(
                own_cards::account_id
                    .eq(account)
                    .and(own_cards::match_id.eq(id))
            )
        }
    }?;
    let rows = rows.into_iter();
    Ok(rows
        .filter_map(|row| own_card::kept(row.id, row.name, &row.turn))
        .collect())
}

pub fn insert(
    conn: &mut Conn,
    owner: &DeckOwner,
    card: OwnCard,
    made_at: Time,
) -> Result<(), StoreError> {
    let (class_id, account_id, match_id) = match owner.clone() {
        DeckOwner::Class(class) => (Some(class), None, None),
        DeckOwner::Host(account) => (None, Some(account), None),
        DeckOwner::Player(account, id) => (None, Some(account), Some(id)),
    };
    let owner = account_id.clone();
    let row = OwnCardRow {
        id: card.id,
        class_id,
        account_id,
        match_id,
        name: card.name,
        turn: card.change.to_string(),
        made_at,
    };
    on_db!(&mut *conn, |c| diesel::insert_into(own_cards::table)
        .values(row)
        .execute(c))?;
    living::require(conn, &owner.iter().collect::<Vec<_>>())
}

/// Gives the card with this id its present name and change.
pub fn change(conn: &mut Conn, card: &OwnCard) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(own_cards::table.find(&card.id))
        .set((
            own_cards::name.eq(&card.name),
            own_cards::turn.eq(card.change.to_string()),
        ))
        .execute(c))?;
    Ok(())
}

pub fn remove(conn: &mut Conn, id: &str) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::delete(own_cards::table.find(id))
        .execute(c))?;
    Ok(())
}

/// Removes all cards of an account, those that it keeps for matches too.
pub fn forget_account(conn: &mut Conn, account: &AccountId) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::delete(
        own_cards::table.filter(own_cards::account_id.eq(account))
    )
    .execute(c))?;
    Ok(())
}
