//! The deck of rule cards: each leads to the editor with its change filled in, to be looked at and played.

use askama::Template;

use crate::texts;
use crate::web::answer::Answer;
use crate::web::request::RequestContext;
use crate::web::rulebook::context::RuleEditorContext;
use crate::web::rulebook::editor::{Editor, Form};
use crate::web::rulebook::pictures::movement_picture;
use perplex_games::board::flexichess as draw;
use perplex_games::rules::betza::Movement;
pub use perplex_games::rules::flexichess::Deck;
use perplex_games::rules::flexichess::{CARDS, Effect, Kind, RuleCard};
use perplex_games::rules::{Rules as _, Side, TurnError};

/// A card of the deck.
pub struct DeckCard {
    pub card: &'static RuleCard,
    pub piece: String,
    pub address: String,
    /// The reason why it cannot be played now, as a clause.
    pub why_not: Option<String>,
}

/// The card that was chosen, in the editor.
pub struct ChosenCard {
    pub card: &'static RuleCard,
    /// The text of the change that it would replace.
    pub replaces: Option<String>,
    /// The editor with the same change, to go on from there.
    pub further: String,
}

impl RuleEditorContext<'_> {
    pub fn deck(&self) -> Vec<DeckCard> {
        let cards = self.deck.cards().map(|card| {
            let why_not = match self.position.read(&card.turn()) {
                _ if self.is_in_force(card) => Some(texts::rulebook::IN_FORCE.to_owned()),
                Err(TurnError::Illegal(illegal)) => Some(illegal.why),
                _ => None,
            };
            DeckCard {
                card,
                piece: draw::picture(card.kind),
                address: self.address_of(&chosen(card)),
                why_not,
            }
        });
        cards.collect()
    }

    fn is_in_force(&self, card: &RuleCard) -> bool {
        let rules = self.position.rules();
        let movement = rules.movement(card.kind).map(ToString::to_string);
        movement.as_deref() == Some(card.rule) || format!("={}", rules.promotions()) == card.rule
    }

    /// The card that the editor shows, if its fields are still those of the card.
    pub fn chosen_card(&self, editor: &Editor) -> Option<ChosenCard> {
        let card = RuleCard::find(self.fields.get("card"))?;
        let fields = fields_of(card);
        let is_as_printed = fields
            .iter()
            .all(|(name, value)| self.fields.all(name).collect::<String>() == *value);
        let is_about = |effect: &Effect| match (effect, editor.form) {
            (Effect::Movement(kind, _), Form::Move) => *kind == card.kind,
            (Effect::Promotion(_), Form::Promote) => true,
            _ => false,
        };
        let mut before = self.position.changes().iter().rev();
        let before = before.find(|recorded| is_about(&recorded.change.effect));
        is_as_printed.then(|| ChosenCard {
            card,
            replaces: before.map(|recorded| recorded.change.text.clone()),
            further: self.address_of(&fields),
        })
    }

    fn address_of(&self, fields: &[(&'static str, String)]) -> String {
        let fields: Vec<(&str, &str)> = fields
            .iter()
            .map(|(name, value)| (*name, &**value))
            .collect();
        self.address(&fields)
    }
}

/// The fields with which the editor shows the card.
fn chosen(card: &RuleCard) -> Vec<(&'static str, String)> {
    let mut fields = fields_of(card);
    fields.push(("card", card.id.to_owned()));
    fields
}

/// The fields of the editor that say what the card says.
fn fields_of(card: &RuleCard) -> Vec<(&'static str, String)> {
    let mut fields = vec![("rule", card.kind.letter().to_string())];
    match card.rule.strip_prefix('=') {
        Some(kinds) => {
            fields.push(("form", Form::Promote.key().to_owned()));
            fields.push(("to", kinds.to_owned()));
        }
        None => fields.push(("betza", card.rule.to_owned())),
    }
    fields.push(("words", card.text.to_owned()));
    fields
}

/// A card on the page of the deck.
struct PrintedCard {
    card: &'static RuleCard,
    picture: String,
    /// The try board, with the card chosen.
    address: String,
}

#[derive(Template)]
#[template(path = "rulebook/deck.html")]
struct Page<'a> {
    request: &'a RequestContext,
    glyphs: String,
    cards: Vec<PrintedCard>,
}

/// The movement as a diagram, or the kinds to which pawns promote.
fn picture(card: &RuleCard) -> String {
    match card.rule.strip_prefix('=') {
        Some(kinds) => kinds
            .chars()
            .filter_map(Kind::from_letter)
            .map(draw::picture)
            .collect(),
        None => Movement::parse(card.rule, card.kind.mover()).map_or_else(
            |_| String::new(),
            |movement| movement_picture(&movement, card.kind, Side::First),
        ),
    }
}

/// The whole deck, to be looked at, tried and printed.
pub async fn page(request: RequestContext) -> Answer {
    let cards = CARDS.iter().map(|card| {
        let fields = chosen(card);
        let fields = fields.iter().map(|(name, value)| (*name, &**value));
        PrintedCard {
            card,
            picture: picture(card),
            address: format!("/try/flexichess{}#rulebook", texts::query(fields)),
        }
    });
    request.page(&Page {
        request: &request,
        glyphs: draw::glyphs(),
        cards: cards.collect(),
    })
}
