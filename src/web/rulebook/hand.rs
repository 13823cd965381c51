use crate::app::hand::Hand;
use crate::app::{App, AppError};
use crate::texts;
use crate::web::fields::Fields;
use crate::web::rulebook::fields::turn;
use perplex_games::rules::flexichess::Kind;

/// Carries out a form of a hand: a card is kept, or put away.
pub async fn change(app: &App, hand: &Hand, fields: &Fields) -> Result<(), AppError> {
    let away = fields.get("away");
    if !away.is_empty() {
        return app.put_card_away(hand, away).await;
    }
    let kind = fields
        .get("rule")
        .chars()
        .next()
        .and_then(Kind::from_letter);
    let name = texts::rulebook::name_of_card(kind, &hand.cards);
    let turn = turn(fields).unwrap_or_default();
    app.keep_card(hand, &name, &turn).await
}
