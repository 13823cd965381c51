//! Rule cards that teachers make for a class.

use uuid::Uuid;

use super::super::error::Fault;
use super::super::{App, AppError, Viewer, invalid};
use super::taught;
use crate::store::rule_cards::{self as rows, RuleCardRow};
use perplex_matches::classroom::own_card::{self, NoCard, OwnCard};
use perplex_matches::id::ClassId;
use perplex_matches::team::Change;

/// The name and the change of a card beside the others of its class.
fn checked(name: &str, turn: &str, others: &[OwnCard]) -> Result<(String, Change), AppError> {
    own_card::check(name, turn, others, own_card::MOST_IN_CLASS).map_err(|why| {
        let field = match why {
            NoCard::Name(_) | NoCard::Taken(_) => "card-name",
            NoCard::Turn(_) | NoCard::NoChange | NoCard::Many(_) => "words",
        };
        invalid(field, Fault::Card(why))
    })
}

/// The rule cards of a class, and its name.
pub struct ClassDeck {
    pub class: String,
    pub cards: Vec<OwnCard>,
}

impl App {
    pub async fn class_deck(&self, teacher: &Viewer, id: &ClassId) -> Result<ClassDeck, AppError> {
        let (teacher, id) = (teacher.id.clone(), id.clone());
        self.read(move |conn| {
            let (row, _) = taught(conn, &id, &teacher)?;
            Ok::<_, AppError>(ClassDeck {
                class: row.name,
                cards: rows::of_class(conn, &id)?,
            })
        })
        .await
    }

    /// Makes a card of this name for a class; `turn` is the change that it stands for.
    pub async fn add_rule_card(
        &self,
        teacher: &Viewer,
        id: &ClassId,
        name: &str,
        turn: &str,
    ) -> Result<(), AppError> {
        let (name, turn, now) = (name.to_owned(), turn.to_owned(), self.now());
        self.change_class(teacher, id, move |conn, class| {
            let known = rows::of_class(conn, &class.id)?;
            let (name, change) = checked(&name, &turn, &known)?;
            let row = RuleCardRow {
                id: Uuid::now_v7().simple().to_string(),
                class_id: class.id,
                name,
                turn: change.to_string(),
                made_at: now,
            };
            rows::insert(conn, &row)?;
            Ok(())
        })
        .await
    }

    /// Gives a card of a class another name and another change. Lessons keep what was played with it before, and who has
    /// it chosen plays what they were shown.
    pub async fn change_rule_card(
        &self,
        teacher: &Viewer,
        id: &ClassId,
        card: &str,
        name: &str,
        turn: &str,
    ) -> Result<(), AppError> {
        let [card, name, turn] = [card, name, turn].map(str::to_owned);
        self.change_class(teacher, id, move |conn, class| {
            let mut others = rows::of_class(conn, &class.id)?;
            let count = others.len();
            others.retain(|other| other.id != card);
            if others.len() == count {
                return Err(AppError::NotFound);
            }
            let (name, change) = checked(&name, &turn, &others)?;
            rows::change(conn, &class.id, &card, &name, &change.to_string())?;
            Ok(())
        })
        .await
    }

    pub async fn remove_rule_card(
        &self,
        teacher: &Viewer,
        id: &ClassId,
        card: &str,
    ) -> Result<(), AppError> {
        let card = card.to_owned();
        self.change_class(teacher, id, move |conn, class| {
            rows::remove(conn, &class.id, &card)?;
            Ok(())
        })
        .await
    }
}
