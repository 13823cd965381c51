//! Pictures for the world outside the pages: the boards that a link shows where it is shared, and the icons of a home
//! screen.

use std::sync::LazyLock;

use actix_web::HttpResponse;
use actix_web::http::header;
use actix_web::web::{Data, Path};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::app::{App, AppError};
use crate::picture::{self, Picture, PictureError};
use crate::web::answer::{Answer, Failure};
use crate::web::games;
use perplex_games::board::{Diagram, View};
use perplex_matches::id::MatchId;

/// Drawing takes some milliseconds of one core: visitors wait for each other.
static DRAWING: Semaphore = Semaphore::const_new(1);

/// The sizes of the icon that home screens ask for, in pixels.
const ICONS: [u32; 3] = [180, 192, 512];

fn png(bytes: Vec<u8>, seconds: u32) -> HttpResponse {
    HttpResponse::Ok()
        .content_type(header::ContentType::png())
        .insert_header((header::CACHE_CONTROL, format!("public, max-age={seconds}")))
        .body(bytes)
}

/// Draws on a thread where that may take its time.
async fn drawn(
    draw: impl FnOnce() -> Result<Picture, PictureError> + Send + 'static,
) -> Result<Vec<u8>, AppError> {
    let failed = |why: &dyn std::fmt::Display| AppError::Internal(format!("no picture: {why}"));
    let _turn = DRAWING.acquire().await.map_err(|error| failed(&error))?;
    let picture = spawn_blocking(draw).await.map_err(|error| failed(&error))?;
    Ok(picture.map_err(|error| failed(&error))?.png.to_vec())
}

async fn board(diagram: Diagram) -> Result<Vec<u8>, AppError> {
    let drawing = diagram.svg(&View {
        coordinates: true,
        defs: true,
        brief: true,
        ..View::default()
    });
    drawn(move || picture::picture(&drawing)).await
}

/// The board of a game in the middle of play.
pub async fn of_game(key: Path<String>) -> Answer {
    let game = games::middle_game(&key).ok_or(Failure::App(AppError::NotFound))?;
    Ok(png(board(game.diagram()).await?, 86_400))
}

/// The board of a match that every visitor may see.
pub async fn of_match(app: Data<App>, id: Path<String>) -> Answer {
    let id = MatchId(id.into_inner());
    let view = app.load_correspondence_match(None, &id, None).await?;
    Ok(png(board(view.state.game.diagram()).await?, 300))
}

pub async fn icon(size: Path<u32>) -> Answer {
    let size = size.into_inner();
    if !ICONS.contains(&size) {
        return Err(AppError::NotFound.into());
    }
    let icon = include_str!("../../static/icon.svg");
    Ok(png(drawn(move || picture::icon(icon, size)).await?, 86_400))
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
