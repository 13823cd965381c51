//! Hands: rule cards that a player keeps for one match, and that only they see.

use uuid::Uuid;

use super::error::Fault;
use super::team::TeamAccess;
use super::{App, AppError, Viewer, invalid};
use crate::store::hand_cards::{self as rows, HandCardRow};
use perplex_matches::classroom::own_card::{self, OwnCard};
use perplex_matches::id::{AccountId, MatchId};

/// The hand of an account that plays in a match.
pub struct Hand {
    account: AccountId,
    id: MatchId,
    pub cards: Vec<OwnCard>,
}

impl App {
    pub async fn hand_in_team(&self, access: &TeamAccess, id: &MatchId) -> Result<Hand, AppError> {
        let view = self.load_team_match(access, id, None).await?;
        let plays = view.rights.side.is_some();
        let account = access.account.as_ref().filter(|_| plays);
        Ok(Hand {
            account: account.ok_or(AppError::NotFound)?.id.clone(),
            id: id.clone(),
            cards: view.hand,
        })
    }

    pub async fn hand_in_match(&self, viewer: &Viewer, id: &MatchId) -> Result<Hand, AppError> {
        let view = self
            .load_correspondence_match(Some(viewer), id, None)
            .await?;
        if view.rights.seat.is_none() || view.state.game.flexichess().is_none() {
            return Err(AppError::NotFound);
        }
        Ok(Hand {
            account: viewer.id.clone(),
            id: id.clone(),
            cards: view.hand,
        })
    }

    /// Keeps a card of this name; `turn` is the change that it stands for.
    pub async fn keep_card(&self, hand: &Hand, name: &str, turn: &str) -> Result<(), AppError> {
        let (account, id) = (hand.account.clone(), hand.id.clone());
        let (name, turn, now) = (name.to_owned(), turn.to_owned(), self.now());
        self.write(move |conn| {
            let known = rows::of_player(conn, &id, &account)?;
            let (name, change) = own_card::check(&name, &turn, &known, own_card::MOST_IN_HAND)
                .map_err(|why| invalid("words", Fault::Card(why)))?;
            let row = HandCardRow {
                id: Uuid::now_v7().simple().to_string(),
                match_id: id,
                account_id: account,
                name,
                turn: change.to_string(),
                made_at: now,
            };
            rows::insert(conn, &row)?;
            Ok::<_, AppError>(())
        })
        .await
    }

    pub async fn put_card_away(&self, hand: &Hand, card: &str) -> Result<(), AppError> {
        let (account, id, card) = (hand.account.clone(), hand.id.clone(), card.to_owned());
        self.write(move |conn| rows::remove(conn, &id, &account, &card))
            .await?;
        Ok(())
    }
}
