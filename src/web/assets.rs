//! Style sheet, scripts and pictures: compiled in, and served under an address that holds a hash
//! of them all, so that a browser may keep them for ever.

use std::sync::LazyLock;

use actix_web::HttpResponse;
use actix_web::http::header;
use actix_web::web::Path;

use super::{Answer, Failure};
use crate::app::AppError;
use crate::secret::hash_token;

/// The style sheet: what holds for all pages, then the boards of the games.
const STYLE: &str = concat!(
    include_str!("../../static/style.css"),
    include_str!("../../static/match.css"),
    include_str!("../../static/team.css"),
    include_str!("../../static/show.css"),
    include_str!("../../static/board-hand.css"),
    include_str!("../../static/board-quixo.css"),
    include_str!("../../static/board-perplexus.css"),
    include_str!("../../static/board-pijersi.css"),
    include_str!("../../static/board-pylyx.css"),
    include_str!("../../static/board-flexichess.css"),
    include_str!("../../static/rulebook.css"),
    include_str!("../../static/team-people.css"),
);

/// All files: name, type, content.
static FILES: &[(&str, &str, &str)] = &[
    ("style.css", "text/css; charset=utf-8", STYLE),
    ("gather.js", JS, include_str!("../../static/gather.js")),
    ("talk.js", JS, include_str!("../../static/talk.js")),
    ("page.js", JS, include_str!("../../static/page.js")),
    ("match.js", JS, include_str!("../../static/match.js")),
    ("forms.js", JS, include_str!("../../static/forms.js")),
    ("team.js", JS, include_str!("../../static/team.js")),
    ("live.js", JS, include_str!("../../static/live.js")),
    ("steps.js", JS, include_str!("../../static/steps.js")),
    ("swap.js", JS, include_str!("../../static/swap.js")),
    ("rulebook.js", JS, include_str!("../../static/rulebook.js")),
    ("try.js", JS, include_str!("../../static/try.js")),
    (
        "icon.svg",
        "image/svg+xml",
        include_str!("../../static/icon.svg"),
    ),
];

const JS: &str = "text/javascript; charset=utf-8";

/// One hash over all files: scripts load each other by their bare names.
static HASH: LazyLock<String> = LazyLock::new(|| {
    let all: String = FILES
        .iter()
        .flat_map(|(name, _, content)| [*name, *content])
        .collect();
    hash_token(&all)[..12].to_owned()
});

static STYLE_ADDRESS: LazyLock<String> = LazyLock::new(|| address("style.css"));

/// The address of the style sheet.
pub fn style() -> &'static str {
    &STYLE_ADDRESS
}

/// The address of a file.
pub fn address(name: &str) -> String {
    format!("/static/{}/{name}", *HASH)
}

/// A file.
pub async fn serve(path: Path<(String, String)>) -> Answer {
    let (hash, name) = path.into_inner();
    let (_, kind, content) = FILES
        .iter()
        .find(|(known, ..)| *known == name)
        .ok_or(Failure::App(AppError::NotFound))?;
    // A page of an older version may ask for what has changed since: it is not to keep that.
    let keep = if hash == *HASH {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, *kind))
        .insert_header((header::CACHE_CONTROL, keep))
        .body(*content))
}
