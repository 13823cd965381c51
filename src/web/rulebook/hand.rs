use crate::app::own_cards::OwnDeck;
use crate::app::{App, AppError};
use crate::texts;
use crate::web::fields::Fields;
use crate::web::rulebook::fields::turn;
use perplex_games::rules::flexichess::Kind;

/// Carries out a form of a hand: a card is kept, or put away.
pub async fn change(app: &App, hand: &OwnDeck, fields: &Fields) -> Result<(), AppError> {
    let away = fields.get("away");
    if !away.is_empty() {
        return app.remove_own_card(hand, away).await;
    }
    let kind = fields
        .get("rule")
        .chars()
        .next()
        .and_then(Kind::from_letter);
    let name = texts::rulebook::name_of_card(kind, &hand.cards);
    let turn = turn(fields).unwrap_or_default();
    app.add_own_card(hand, &name, &turn).await
}
