//! The rule cards that teachers make for a class: a list to print, and the editor that makes one.

use askama::Template;

use crate::app::AppError;
use crate::app::classes::ClassDeck;
use crate::web::answer::{Answer, see};
use crate::web::class::place::Place;
use crate::web::fields::Fields;
use crate::web::problems::{Problems, Sent};
use crate::web::request::{RequestContext, Submission};
use crate::web::rulebook;
use crate::web::rulebook::deck::OfferedCard;

#[derive(Template)]
#[template(path = "class/rule-cards.html")]
struct RuleCardsPage<'a> {
    request: &'a RequestContext,
    place: &'a Place,
    deck: ClassDeck,
    glyphs: String,
    editor: String,
    sent: Sent<'a>,
}

impl RuleCardsPage<'_> {
    /// The address that opens a card in the editor.
    fn edits(&self, card: &OfferedCard) -> String {
        card.edits(&place_of(self.place))
    }

    fn cards(&self) -> Vec<OfferedCard<'_>> {
        self.deck.cards.iter().map(OfferedCard::own).collect()
    }
}

async fn show(request: &RequestContext, place: &Place, fields: &Fields, sent: Sent<'_>) -> Answer {
    let deck = request
        .app
        .class_deck(request.viewer()?, &place.class)
        .await?;
    let page = RuleCardsPage {
        request,
        place,
        deck,
        glyphs: rulebook::deck::glyphs(),
        editor: rulebook::page::card_maker(request, place_of(place), fields, sent.problems)?,
        sent,
    };
    sent.problems.page(request, &page)
}

fn place_of(place: &Place) -> String {
    format!("/class/{}/rule-cards", place.class)
}

pub async fn page(request: RequestContext, place: Place, fields: Fields) -> Answer {
    show(&request, &place, &fields, Sent::nothing(&fields)).await
}

async fn after(
    post: &Submission,
    place: &Place,
    done: &str,
    result: Result<(), AppError>,
) -> Answer {
    match result {
        Ok(()) => Ok(see(&format!("{}?done={done}", place_of(place)))),
        Err(error) => {
            let problems = Problems::of(error)?;
            let sent = Sent::again(post, "card", &problems);
            show(&post.request, place, &post.fields, sent).await
        }
    }
}

/// Makes a card, or changes the one that is edited.
pub async fn save(post: Submission, place: Place) -> Answer {
    let (app, viewer) = (&post.request.app, post.request.viewer()?);
    let turn = rulebook::fields::turn(&post.fields).unwrap_or_default();
    let name = post.fields.get("card-name");
    let card = post.fields.get("edit");
    if !card.is_empty() {
        let changed = app.change_rule_card(viewer, &place.class, card, name, &turn);
        return after(&post, &place, "card-changed", changed.await).await;
    }
    let added = app.add_rule_card(viewer, &place.class, name, &turn).await;
    after(&post, &place, "card-made", added).await
}

pub async fn remove(post: Submission, place: Place) -> Answer {
    let (app, viewer) = (&post.request.app, post.request.viewer()?);
    let card = post.fields.get("card");
    let removed = app.remove_rule_card(viewer, &place.class, card).await;
    after(&post, &place, "card-removed", removed).await
}
