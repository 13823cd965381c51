//! The games, and the rules page of each, rendered once.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use actix_web::web::Path;
use askama::Template;

use crate::app::AppError;
use crate::texts;
use crate::web::answer::{Answer, Failure};
use crate::web::request::RequestContext;
use perplex_games::board::{Block, Card, Diagram, View, escape};
use perplex_games::game::{AnyGame, play_all};
use perplex_games::registry::{self, Entry, GAMES};

pub struct Listing {
    pub card: &'static Card,
    pub board: &'static str,
}

pub fn listings() -> Vec<Listing> {
    GAMES
        .iter()
        .filter_map(|entry| {
            let page = PAGES.get(entry.card.key)?;
            Some(Listing {
                card: entry.card,
                board: &page.board,
            })
        })
        .collect()
}

/// A game after `turns`, which are separated by spaces; `None` for an unknown variant or an illegal turn.
pub fn after(entry: &Entry, variant: &str, turns: &str) -> Option<Box<dyn AnyGame>> {
    let mut game = entry.setup(variant)?;
    play_all(game.as_mut(), turns, |game, turn| game.play(turn).map(drop)).ok()?;
    Some(game)
}

struct Pages {
    rules: String,
    /// The same with the official signs of the game, where ours are others.
    official: Option<String>,
    board: String,
}

static PAGES: LazyLock<HashMap<&'static str, Pages>> = LazyLock::new(|| {
    GAMES
        .iter()
        .map(|entry| {
            let diagram = entry.setup("").map(|game| game.diagram());
            let has_signs = diagram.is_some_and(|diagram| !diagram.official_signs.is_empty());
            let pages = Pages {
                rules: rules_html(entry, &|diagram| diagram),
                official: has_signs.then(|| rules_html(entry, &Diagram::with_official_signs)),
                board: listed(entry.card),
            };
            (entry.card.key, pages)
        })
        .collect()
});

/// The game called `key` in the example of its rules page with the most turns, or at its start.
pub fn middle_game(key: &str) -> Option<Box<dyn AnyGame>> {
    let entry = registry::find(key)?;
    let longest = entry
        .card
        .rules()
        .into_iter()
        .filter_map(|block| match block {
            Block::Example { variant, turns, .. } => Some((variant, turns)),
            _ => None,
        })
        .max_by_key(|(_, turns)| turns.len());
    longest
        .and_then(|(variant, turns)| after(entry, variant, turns))
        .or_else(|| entry.setup(""))
}

/// A picture for lists.
fn listed(card: &Card) -> String {
    middle_game(card.key).map_or_else(String::new, |game| {
        game.diagram().svg(&View {
            title: card.name,
            defs: true,
            brief: true,
            ..View::default()
        })
    })
}

fn rules_html(entry: &Entry, drawn: &dyn Fn(Diagram) -> Diagram) -> String {
    let mut html = String::new();
    let mut all = Diagram::default();
    for block in entry.card.rules() {
        let _ = match block {
            Block::Heading(text) => write!(html, "<h2>{}</h2>", escape(text)),
            Block::Text(text) => write!(html, "<p>{}</p>", escape(text)),
            Block::Ruling(text) => write!(
                html,
                "<p class=\"ruling\"><strong>{}</strong> {}</p>",
                texts::RULING,
                escape(text)
            ),
            Block::Example {
                variant,
                turns,
                caption,
            } => {
                let Some(game) = after(entry, variant, turns) else {
                    continue;
                };
                let diagram = drawn(game.diagram());
                let svg = diagram.svg(&View {
                    title: &format!("{caption} {}.", diagram.in_words()),
                    coordinates: true,
                    brief: true,
                    ..View::default()
                });
                all.ground = diagram.ground;
                all.cells.extend(diagram.cells);
                write!(
                    html,
                    "<figure>{svg}<figcaption>{}</figcaption></figure>",
                    escape(caption)
                )
            }
        };
    }
    // Every glyph is defined once, before the first picture that uses it.
    format!(
        "<svg class=\"defs\" width=\"0\" height=\"0\" aria-hidden=\"true\">{}</svg>{html}",
        all.defs()
    )
}

#[derive(Template)]
#[template(path = "games/list.html")]
struct List<'a> {
    request: &'a RequestContext,
    games: Vec<Listing>,
}

pub async fn list(request: RequestContext) -> Answer {
    request.page(&List {
        request: &request,
        games: listings(),
    })
}

#[derive(Template)]
#[template(path = "games/rules.html")]
struct Rules<'a> {
    request: &'a RequestContext,
    card: &'static Card,
    text: &'static str,
    has_signs: bool,
}

impl Rules<'_> {
    fn picture(&self) -> String {
        format!("/games/{}/picture.png", self.card.key)
    }
}

pub async fn rules(request: RequestContext, key: Path<String>) -> Answer {
    let nothing = || Failure::App(AppError::NotFound);
    let entry = registry::find(&key).ok_or_else(nothing)?;
    let pages = PAGES.get(entry.card.key).ok_or_else(nothing)?;
    request.page(&Rules {
        request: &request,
        card: entry.card,
        text: match &pages.official {
            Some(official) if request.official_signs => official,
            _ => &pages.rules,
        },
        has_signs: pages.official.is_some(),
    })
}
