//! The rule cards that teachers make for a class, and hosts for their team matches: a list to print, and the editor that
//! makes one.

use actix_web::web::{Path, ServiceConfig, get, post};
use askama::Template;

use crate::app::AppError;
use crate::app::own_cards::OwnDeck;
use crate::web::answer::{Answer, Failure, see};
use crate::web::fields::Fields;
use crate::web::problems::{Problems, Sent};
use crate::web::request::RequestContext;
use crate::web::rulebook;
use crate::web::rulebook::deck::OfferedCard;
use crate::web::submission::Submission;
use perplex_matches::id::ClassId;

pub fn routes(cfg: &mut ServiceConfig) {
    cfg.route("/rule-cards", get().to(of_host))
        .route("/rule-cards", post().to(save_for_host))
        .route("/rule-cards/remove", post().to(remove_from_host))
        .route("/class/{class}/rule-cards", get().to(of_class))
        .route("/class/{class}/rule-cards", post().to(save_for_class))
        .route(
            "/class/{class}/rule-cards/remove",
            post().to(remove_from_class),
        );
}

/// A deck and the address of its page.
struct Place {
    deck: OwnDeck,
    address: String,
    /// The address of the page that leads here.
    parent: String,
}

async fn at_class(request: &RequestContext, class: &str) -> Result<Place, Failure> {
    let deck = request
        .app
        .class_deck(request.viewer()?, &ClassId(class.to_owned()))
        .await?;
    Ok(Place {
        deck,
        address: format!("/class/{class}/rule-cards"),
        parent: format!("/class/{class}"),
    })
}

async fn at_host(request: &RequestContext) -> Result<Place, Failure> {
    Ok(Place {
        deck: request.app.host_deck(request.viewer()?).await?,
        address: "/rule-cards".to_owned(),
        parent: "/teams".to_owned(),
    })
}

#[derive(Template)]
#[template(path = "rulebook/own-cards.html")]
struct Page<'a> {
    request: &'a RequestContext,
    place: &'a Place,
    glyphs: String,
    editor: String,
    sent: Sent<'a>,
}

impl Page<'_> {
    fn cards(&self) -> Vec<OfferedCard<'_>> {
        self.place.deck.cards.iter().map(OfferedCard::own).collect()
    }
}

fn show(request: &RequestContext, place: &Place, fields: &Fields, sent: Sent<'_>) -> Answer {
    let address = place.address.clone();
    let page = Page {
        request,
        place,
        glyphs: rulebook::deck::glyphs(),
        editor: rulebook::page::card_maker(request, address, fields, sent.problems)?,
        sent,
    };
    sent.problems.page(request, &page)
}

pub async fn of_class(request: RequestContext, class: Path<String>, fields: Fields) -> Answer {
    let place = at_class(&request, &class).await?;
    show(&request, &place, &fields, Sent::nothing(&fields))
}

pub async fn of_host(request: RequestContext, fields: Fields) -> Answer {
    let place = at_host(&request).await?;
    show(&request, &place, &fields, Sent::nothing(&fields))
}

fn after(post: &Submission, place: &Place, done: &str, result: Result<(), AppError>) -> Answer {
    match result {
        Ok(()) => Ok(see(&format!("{}?done={done}", place.address))),
        Err(error) => {
            let problems = Problems::of(error)?;
            let sent = Sent::again(post, "card", &problems);
            show(&post.request, place, &post.fields, sent)
        }
    }
}

/// Makes a card, or changes the one that is edited.
async fn save(post: &Submission, place: &Place) -> Answer {
    let app = &post.request.app;
    let turn = rulebook::fields::turn(&post.fields).unwrap_or_default();
    let name = post.fields.get("card-name");
    let card = post.fields.get("edit");
    if !card.is_empty() {
        let changed = app.change_own_card(&place.deck, card, name, &turn).await;
        return after(post, place, "card-changed", changed);
    }
    let added = app.add_own_card(&place.deck, name, &turn).await;
    after(post, place, "card-made", added)
}

async fn remove(post: &Submission, place: &Place) -> Answer {
    let card = post.fields.get("card");
    let removed = post.request.app.remove_own_card(&place.deck, card).await;
    after(post, place, "card-removed", removed)
}

pub async fn save_for_class(post: Submission, class: Path<String>) -> Answer {
    save(&post, &at_class(&post.request, &class).await?).await
}

pub async fn save_for_host(post: Submission) -> Answer {
    save(&post, &at_host(&post.request).await?).await
}

pub async fn remove_from_class(post: Submission, class: Path<String>) -> Answer {
    remove(&post, &at_class(&post.request, &class).await?).await
}

pub async fn remove_from_host(post: Submission) -> Answer {
    remove(&post, &at_host(&post.request).await?).await
}
