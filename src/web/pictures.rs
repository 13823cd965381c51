//! Pictures for the world outside the pages: the boards that a link shows where it is shared, and the icons of a home
//! screen.

use std::collections::HashMap;
use std::sync::LazyLock;

use actix_web::HttpResponse;
use actix_web::http::header;
use actix_web::web::{Data, Path};

use crate::app::queue::Party;
use crate::app::team::TeamAccess;
use crate::app::{App, AppError};
use crate::picture::{self, Picture, PictureError};
use crate::texts;
use crate::web::answer::{Answer, Failure, file};
use crate::web::assets::board_style;
use crate::web::games;
use crate::web::request::RequestContext;
use crate::web::team;
use perplex_games::board::{Card, Diagram, View, moving};
use perplex_games::game::AnyGame;
use perplex_games::lesson::{self, Lesson};
use perplex_games::registry::{self, GAMES};
use perplex_matches::id::MatchId;

/// The sizes of the icon that home screens ask for, in pixels.
const ICONS: [u32; 3] = [180, 192, 512];

fn png(bytes: Vec<u8>, seconds: u32) -> HttpResponse {
    HttpResponse::Ok()
        .content_type(header::ContentType::png())
        .insert_header((header::CACHE_CONTROL, format!("public, max-age={seconds}")))
        .body(bytes)
}

/// Draws in the queue of pages. Each picture takes some milliseconds: those who want pictures share one place in it.
async fn drawn(
    app: &App,
    draw: impl FnOnce() -> Result<Picture, PictureError> + Send + 'static,
) -> Result<Vec<u8>, AppError> {
    let failed = |why: &dyn std::fmt::Display| AppError::Internal(format!("no picture: {why}"));
    let picture = app.limits.drawing.run(Party::Network("pictures"), draw);
    let picture = picture.await?;
    Ok(picture.map_err(|error| failed(&error))?.png.to_vec())
}

async fn board(app: &App, diagram: Diagram) -> Result<Vec<u8>, AppError> {
    let drawing = diagram.svg(&View {
        coordinates: true,
        defs: true,
        brief: true,
        ..View::default()
    });
    drawn(app, move || picture::picture(&drawing)).await
}

/// The board of a game in the middle of play.
pub async fn of_game(app: Data<App>, key: Path<String>) -> Answer {
    let game = games::middle_game(&key).ok_or(Failure::App(AppError::NotFound))?;
    Ok(png(board(&app, game.diagram()).await?, 86_400))
}

/// The turns of a match that its moving picture has at most: the last ones.
const MOST_TURNS: usize = 300;
/// The bytes that a moving picture has at most; packed, some 20 KB.
const MOST_BYTES: usize = 500_000;
/// The same for a picture of a game.
const FEW_TURNS: usize = 12;

/// The end of a game as a picture that plays by itself, with `most` turns or fewer so that it has `bytes` at most; `None` if
/// one of its turns cannot be played again.
fn moving_picture(game: &dyn AnyGame, card: &Card, most: usize, bytes: usize) -> Option<String> {
    let turns = game.turns();
    let most = most.min(turns.len());
    let before = turns.len() - most;
    let mut at = game.at(before);
    let mut frames = vec![at.diagram()];
    for turn in &turns[before..] {
        at.play(turn).ok()?;
        frames.push(at.diagram());
    }
    let title = texts::matches::game_in_turns(card.name, turns.len());
    let picture = moving(&frames, &title, &board_style(card));
    if picture.len() > bytes && most > 0 {
        return moving_picture(game, card, most * 3 / 4, bytes);
    }
    Some(picture)
}

/// The longest game that the rules page or the lesson of a game has.
fn longest_game(key: &str) -> Option<Box<dyn AnyGame>> {
    let steps = lesson::find(key).map_or_else(Vec::new, Lesson::steps);
    let from_start = steps.iter().filter(|step| step.position.is_empty());
    let played = from_start.filter_map(|step| {
        let mut game = step.game(key)?;
        game.play(step.accepted.first()?).ok()?;
        Some(game)
    });
    let games = played.chain(games::middle_game(key));
    games.max_by_key(|game| game.turns().len())
}

/// The moving pictures of the games.
static MOVING: LazyLock<HashMap<&'static str, String>> = LazyLock::new(|| {
    let cards = GAMES.iter().map(|entry| entry.card);
    let pictures = cards.filter_map(|card| {
        let game = longest_game(card.key)?;
        Some((
            card.key,
            moving_picture(&*game, card, FEW_TURNS, MOST_BYTES)?,
        ))
    });
    pictures.collect()
});

/// A few turns of a game, as a picture that plays by itself.
pub async fn moving_of_game(key: Path<String>) -> Answer {
    let svg = MOVING
        .get(key.as_str())
        .ok_or(Failure::App(AppError::NotFound))?;
    Ok(HttpResponse::Ok()
        .content_type("image/svg+xml")
        .insert_header((header::CACHE_CONTROL, "public, max-age=86400"))
        .body(svg.as_str()))
}

/// A match that is over as a picture that plays by itself, to take along.
pub async fn moving_of_match(request: RequestContext, id: Path<String>) -> Answer {
    let id = MatchId(id.into_inner());
    let view = request
        .app
        .load_correspondence_match(request.viewer.as_ref(), &id, None)
        .await?;
    let state = view.state;
    let entry = registry::find(&state.terms.game).filter(|_| state.outcome.is_some());
    let card = entry.ok_or(AppError::NotFound)?.card;
    let svg = moving_picture(&*state.game, card, MOST_TURNS, MOST_BYTES);
    let svg = svg.ok_or(AppError::NotFound)?;
    let name = format!("perplex-{id}.svg");
    Ok(file("image/svg+xml", &name, "private, no-cache", svg))
}

/// The board of a match that every visitor may see.
pub async fn of_match(app: Data<App>, id: Path<String>) -> Answer {
    let id = MatchId(id.into_inner());
    let view = app.load_correspondence_match(None, &id, None).await?;
    Ok(png(board(&app, view.state.game.diagram()).await?, 300))
}

/// The boards of a team match that every visitor may see, as far as they may.
pub async fn of_team_match(app: Data<App>, id: Path<String>) -> Answer {
    let id = MatchId(id.into_inner());
    let visitor = TeamAccess::default();
    let view = app.load_team_match(&visitor, &id, None).await?;
    let drawing = team::picture::drawing(&view).ok_or(AppError::NotFound)?;
    let picture = drawn(&app, move || picture::of_boards(&drawing)).await?;
    Ok(png(picture, 300))
}

pub async fn icon(app: Data<App>, size: Path<u32>) -> Answer {
    let size = size.into_inner();
    if !ICONS.contains(&size) {
        return Err(AppError::NotFound.into());
    }
    let icon = include_str!("../../static/icon.svg");
    Ok(png(
        drawn(&app, move || picture::icon(icon, size)).await?,
        86_400,
    ))
}

static MANIFEST: LazyLock<String> = LazyLock::new(|| {
    let icons: Vec<_> = ICONS[1..]
        .iter()
        .map(|size| {
            serde_json::json!({
                "src": format!("/icon/{size}.png"), "sizes": format!("{size}x{size}"), "type": "image/png",
            })
        })
        .collect();
    serde_json::json!({
        "name": "Perplex", "short_name": "Perplex", "start_url": "/", "display": "standalone",
        "background_color": "#f6f0e4", "theme_color": "#f6f0e4", "icons": icons,
    })
    .to_string()
});

/// The manifest by which a browser puts the site on a home screen.
pub async fn manifest() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("application/manifest+json")
        .insert_header((header::CACHE_CONTROL, "public, max-age=86400"))
        .body(MANIFEST.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_game_is_cut_at_its_beginning() {
        let entry = registry::find("perplexus").expect("a game");
        let mut game = entry.setup("").expect("the usual game");
        while game.outcome().is_none() {
            let legal = game.legal();
            let turn = &legal[game.turns().len() * 7 % legal.len()];
            game.play(turn).expect("legal");
        }
        let turns = game.turns().len();
        let picture = |bytes| {
            let picture = moving_picture(&*game, entry.card, MOST_TURNS, bytes);
            let picture = picture.expect("a picture");
            let mut styles = picture.split("animation:");
            let seconds =
                styles.find_map(|style| style.split_once("s step-end")?.0.parse::<usize>().ok());
            assert!(picture.contains(&format!("{turns} turns")), "the title");
            (picture.len(), seconds.expect("a length"))
        };
        let (bytes, seconds) = picture(MOST_BYTES);
        assert!(turns > 60 && seconds > turns && bytes <= MOST_BYTES);
        let (cut, fewer) = picture(bytes / 2);
        assert!(cut <= bytes / 2 && cut > bytes / 4, "{cut} of {bytes}");
        assert!(fewer < turns && fewer > turns / 4, "{fewer} of {turns}");
    }
}
