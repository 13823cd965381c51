//! Rule cards of their own: teachers make them for a class, hosts for the team matches that they make, and players keep
//! them for one match.

use uuid::Uuid;

use super::classes;
use super::error::Fault;
use super::team::TeamAccess;
use super::{App, AppError, Viewer, invalid};
use crate::store::own_cards::{self as rows, DeckOwner};
use crate::store::{Conn, classes as class_rows};
use perplex_matches::classroom::own_card::{self, NoCard, OwnCard};
use perplex_matches::id::{ClassId, MatchId};

/// The cards of an owner.
pub struct OwnDeck {
    owner: DeckOwner,
    /// The name of the class whose cards they are.
    pub class: Option<String>,
    pub cards: Vec<OwnCard>,
}

const fn most(owner: &DeckOwner) -> usize {
    match owner {
        DeckOwner::Class(_) | DeckOwner::Host(_) => own_card::MOST_IN_DECK,
        DeckOwner::Player(..) => own_card::MOST_IN_HAND,
    }
}

/// A card of this id beside the others of its deck.
fn checked(
    owner: &DeckOwner,
    others: &[OwnCard],
    id: String,
    name: &str,
    turn: &str,
) -> Result<OwnCard, AppError> {
    let checked = own_card::check(name, turn, others, most(owner));
    let (name, change) = checked.map_err(|why| {
        // The name of a card that a player keeps is given to it.
        let is_named = !matches!(owner, DeckOwner::Player(..));
        let field = match why {
            NoCard::Name(_) | NoCard::Taken(_) if is_named => "card-name",
            _ => "words",
        };
        invalid(field, Fault::Card(why))
    })?;
    Ok(OwnCard { id, name, change })
}

impl App {
    /// The cards of a class, for one of its teachers.
    pub async fn class_deck(&self, teacher: &Viewer, id: &ClassId) -> Result<OwnDeck, AppError> {
        let (teacher, id) = (teacher.id.clone(), id.clone());
        self.read(move |conn| {
            let (row, _) = classes::taught(conn, &id, &teacher)?;
            let owner = DeckOwner::Class(id);
            Ok::<_, AppError>(OwnDeck {
                class: Some(row.name),
                cards: rows::of(conn, &owner)?,
                owner,
            })
        })
        .await
    }

    /// The cards of a host.
    pub async fn host_deck(&self, host: &Viewer) -> Result<OwnDeck, AppError> {
        host.require_adult_account()?;
        let owner = DeckOwner::Host(host.id.clone());
        self.read(move |conn| {
            Ok::<_, AppError>(OwnDeck {
                class: None,
                cards: rows::of(conn, &owner)?,
                owner,
            })
        })
        .await
    }

    /// The hand of a player of a team match.
    pub async fn hand_in_team(
        &self,
        access: &TeamAccess,
        id: &MatchId,
    ) -> Result<OwnDeck, AppError> {
        let view = self.load_team_match(access, id, None).await?;
        let plays = view.rights.side.is_some();
        let account = access.account.as_ref().filter(|_| plays);
        let account = account.ok_or(AppError::NotFound)?.id.clone();
        Ok(OwnDeck {
            owner: DeckOwner::Player(account, id.clone()),
            class: None,
            cards: view.hand,
        })
    }

    /// The hand of a player of a correspondence match.
    pub async fn hand_in_match(&self, viewer: &Viewer, id: &MatchId) -> Result<OwnDeck, AppError> {
        let view = self
            .load_correspondence_match(Some(viewer), id, None)
            .await?;
        if view.rights.seat.is_none() || view.state.game.flexichess().is_none() {
            return Err(AppError::NotFound);
        }
        Ok(OwnDeck {
            owner: DeckOwner::Player(viewer.id.clone(), id.clone()),
            class: None,
            cards: view.hand,
        })
    }

    /// Carries out a change of a deck, which gets its present cards.
    async fn change_deck(
        &self,
        deck: &OwnDeck,
        change: impl FnOnce(&mut Conn, &DeckOwner, Vec<OwnCard>) -> Result<(), AppError>
        + Send
        + 'static,
    ) -> Result<(), AppError> {
        let (owner, now) = (deck.owner.clone(), self.now());
        self.write(move |conn| {
            let cards = rows::of(conn, &owner)?;
            change(conn, &owner, cards)?;
            if let DeckOwner::Class(class) = &owner {
                class_rows::touch(conn, class, now)?;
            }
            Ok::<_, AppError>(())
        })
        .await
    }

    /// Adds a card of this name to a deck; `turn` is the change that it stands for.
    pub async fn add_own_card(
        &self,
        deck: &OwnDeck,
        name: &str,
        turn: &str,
    ) -> Result<(), AppError> {
        let (name, turn, now) = (name.to_owned(), turn.to_owned(), self.now());
        self.change_deck(deck, move |conn, owner, cards| {
            let id = Uuid::now_v7().simple().to_string();
            let card = checked(owner, &cards, id, &name, &turn)?;
            Ok(rows::insert(conn, owner, card, now)?)
        })
        .await
    }

    /// Gives a card of a deck another name and another change. Matches keep what was played with it before, and whoever
    /// has it chosen plays what they were shown.
    pub async fn change_own_card(
        &self,
        deck: &OwnDeck,
        card: &str,
        name: &str,
        turn: &str,
    ) -> Result<(), AppError> {
        let [card, name, turn] = [card, name, turn].map(str::to_owned);
        self.change_deck(deck, move |conn, owner, mut cards| {
            let known = cards.iter().position(|other| other.id == card);
            cards.swap_remove(known.ok_or(AppError::NotFound)?);
            let card = checked(owner, &cards, card, &name, &turn)?;
            Ok(rows::change(conn, &card)?)
        })
        .await
    }

    /// Removes a card of a deck; one that is gone already is no error.
    pub async fn remove_own_card(&self, deck: &OwnDeck, card: &str) -> Result<(), AppError> {
        let card = card.to_owned();
        self.change_deck(deck, move |conn, _, cards| {
            if cards.iter().any(|known| known.id == card) {
                rows::remove(conn, &card)?;
            }
            Ok(())
        })
        .await
    }
}
