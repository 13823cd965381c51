//! The deck of rule cards: each leads to the editor with its change filled in, to be looked at and played.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

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
use perplex_games::rules::flexichess::{CARDS, Change, Effect, Kind, RuleCard};
use perplex_games::rules::{Rules as _, Side, TurnError};
use perplex_matches::classroom::own_card::OwnCard;

/// Begins the id of a card of a class or of a host.
const OWN: &str = "own-";
/// Begins the id of a card of a hand.
const KEPT: &str = "kept-";

/// A card that players are offered: of the ordinary deck, or made for a class or by a host.
pub struct OfferedCard<'a> {
    pub id: Cow<'static, str>,
    pub name: &'a str,
    pub kind: Kind,
    /// The rule in notation: Betza, or `=` and the kinds to which pawns promote.
    pub rule: Cow<'static, str>,
    pub text: &'a str,
    /// A moment in a game when it helps; empty if its maker named none.
    pub idea: &'static str,
    pub group: CardGroup,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CardGroup {
    /// Kept by the viewer for the match.
    Kept,
    /// Made for the class, or by the host.
    Own,
    Starter,
    Further,
}

impl<'a> OfferedCard<'a> {
    fn printed(card: &'static RuleCard) -> Self {
        Self {
            id: Cow::Borrowed(card.id),
            name: card.name,
            kind: card.kind,
            rule: Cow::Borrowed(card.rule),
            text: card.text,
            idea: card.idea,
            group: if card.starter {
                CardGroup::Starter
            } else {
                CardGroup::Further
            },
        }
    }

    pub fn own(card: &'a OwnCard) -> Self {
        Self::made(card, OWN, CardGroup::Own)
    }

    fn kept(card: &'a OwnCard) -> Self {
        Self::made(card, KEPT, CardGroup::Kept)
    }

    fn made(card: &'a OwnCard, prefix: &str, group: CardGroup) -> Self {
        let Change { effect, text } = &card.change;
        Self {
            id: Cow::Owned(format!("{prefix}{}", card.id)),
            name: &card.name,
            kind: effect.kind().unwrap_or(Kind::Pawn),
            rule: Cow::Owned(effect.notation()),
            text,
            idea: "",
            group,
        }
    }

    /// The id that a card of a class, of a host or of a hand has there.
    pub fn bare_id(&self) -> &str {
        let bare = self.id.strip_prefix(OWN);
        let bare = bare.or_else(|| self.id.strip_prefix(KEPT));
        bare.unwrap_or(&self.id)
    }

    pub fn is_kept(&self) -> bool {
        self.group == CardGroup::Kept
    }

    pub fn is_own(&self) -> bool {
        self.group == CardGroup::Own
    }

    pub fn is_further(&self) -> bool {
        self.group == CardGroup::Further
    }

    pub fn is_starter(&self) -> bool {
        self.group == CardGroup::Starter
    }

    /// The turn that it stands for.
    fn turn(&self) -> String {
        format!(
            "rule {} {} \"{}\"",
            self.kind.letter(),
            self.rule,
            self.text
        )
    }

    /// The movement as a diagram, or the kinds to which pawns promote. Those of printed cards are drawn once.
    pub fn picture(&self) -> Cow<'static, str> {
        static PRINTED: LazyLock<HashMap<&str, String>> = LazyLock::new(|| {
            let drawn = |card: &'static RuleCard| (card.id, OfferedCard::printed(card).draw());
            CARDS.iter().map(drawn).collect()
        });
        match PRINTED.get(&*self.id) {
            Some(picture) => Cow::Borrowed(picture),
            None => Cow::Owned(self.draw()),
        }
    }

    fn draw(&self) -> String {
        match self.rule.strip_prefix('=') {
            Some(kinds) => kinds
                .chars()
                .filter_map(Kind::from_letter)
                .map(draw::picture)
                .collect(),
            None => Movement::parse(&self.rule, self.kind.mover()).map_or_else(
                |_| String::new(),
                |movement| movement_picture(&movement, self.kind, Side::First),
            ),
        }
    }

    /// The fields of the editor that say what the card says.
    fn fields(&self) -> Vec<(&'static str, String)> {
        let mut fields = vec![("rule", self.kind.letter().to_string())];
        match self.rule.strip_prefix('=') {
            Some(kinds) => {
                fields.push(("form", Form::Promote.key().to_owned()));
                fields.push(("to", kinds.to_owned()));
            }
            None => fields.push(("betza", self.rule.to_string())),
        }
        fields.push(("words", self.text.to_owned()));
        fields
    }

    /// The fields with which the editor shows the card.
    fn chosen(&self) -> Vec<(&'static str, String)> {
        let mut fields = self.fields();
        fields.push(("card", self.id.to_string()));
        fields
    }

    /// The address of the page of its deck, at `page`, with the card in the editor.
    pub fn edits(&self, page: &str) -> String {
        let fields = self.fields();
        let fields = fields.iter().map(|(name, value)| (*name, &**value));
        let card = [("edit", self.bare_id()), ("card-name", self.name)];
        format!(
            "{page}{}#rulebook",
            texts::query(card.into_iter().chain(fields))
        )
    }

    /// The address of the try board with the card chosen, or, for one of a class or of a host, its change.
    pub fn tries(&self) -> String {
        let fields = match self.group {
            CardGroup::Own => self.fields(),
            _ => self.chosen(),
        };
        let fields = fields.iter().map(|(name, value)| (*name, &**value));
        format!("/try/flexichess{}#rulebook", texts::query(fields))
    }
}

/// A card in the deck of a board.
pub struct DeckCard<'a> {
    pub card: OfferedCard<'a>,
    pub piece: String,
    pub address: String,
    /// The reason why it cannot be played now, as a clause.
    pub why_not: Option<String>,
}

/// The card that was chosen, in the editor.
pub struct ChosenCard<'a> {
    pub card: OfferedCard<'a>,
    /// The text of the change that it would replace.
    pub replaces: Option<String>,
    /// The editor with the same change, to go on from there.
    pub further: String,
}

impl RuleEditorContext<'_> {
    pub fn deck(&self) -> Vec<DeckCard<'_>> {
        let own = self.own.iter().filter(|_| self.deck.has_own());
        let made = self.hand.iter().map(OfferedCard::kept);
        let made = made.chain(own.map(OfferedCard::own)).map(|card| {
            let why_not = match self.position.read(&card.turn()) {
                Err(TurnError::Illegal(illegal)) => Some(illegal.why),
                _ => None,
            };
            (card, why_not)
        });
        let printed = self.deck.cards().map(|card| {
            let why_not = self.position.why_not_card(card);
            (OfferedCard::printed(card), why_not)
        });
        made.chain(printed)
            .map(|(card, why_not)| DeckCard {
                piece: draw::picture(card.kind),
                address: self.address_of(&card.chosen()),
                why_not: if self.is_in_force(&card) {
                    Some(texts::rulebook::IN_FORCE.to_owned())
                } else {
                    why_not
                },
                card,
            })
            .collect()
    }

    fn is_in_force(&self, card: &OfferedCard) -> bool {
        let rules = self.position.rules();
        let movement = rules.movement(card.kind).map(ToString::to_string);
        movement.as_deref() == Some(&*card.rule) || format!("={}", rules.promotions()) == card.rule
    }

    /// The card that the editor shows, if its fields are still those of the card.
    pub fn chosen_card(&self, editor: &Editor) -> Option<ChosenCard<'_>> {
        let id = self.fields.get("card");
        let own = self.own.iter().map(OfferedCard::own);
        let own = own.chain(self.hand.iter().map(OfferedCard::kept));
        let card = RuleCard::find(id).map(OfferedCard::printed).or_else(|| {
            let mut own = own;
            own.find(|card| card.id == id)
        })?;
        let fields = card.fields();
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

#[derive(Template)]
#[template(path = "rulebook/deck.html")]
struct Page<'a> {
    request: &'a RequestContext,
    glyphs: String,
    cards: Vec<OfferedCard<'static>>,
}

/// The pieces of the cards' pictures, once for a page.
pub fn glyphs() -> String {
    draw::glyphs()
}

/// The whole deck, to be looked at, tried and printed.
pub async fn page(request: RequestContext) -> Answer {
    request.page(&Page {
        request: &request,
        glyphs: draw::glyphs(),
        cards: CARDS.iter().map(OfferedCard::printed).collect(),
    })
}
