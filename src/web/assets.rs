//! Style sheet, scripts and pictures: compiled in, and served under an address that holds a hash
//! of them all, so that a browser may keep them for ever.

use std::fmt::Write as _;
use std::sync::LazyLock;

use actix_web::HttpResponse;
use actix_web::http::header;
use actix_web::web::Path;

use super::{Answer, Failure};
use crate::app::AppError;
use crate::secret::hash_token;

/// The style sheet, as it is written: what holds for all pages, then the boards of the games.
const STYLES: &str = concat!(
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
    include_str!("../../static/class.css"),
);

/// The style sheet, as it is served.
static STYLE: LazyLock<String> = LazyLock::new(|| expand(STYLES));

/// Writes `light-dark(a, b)` out for browsers that lack it: `var(--light, a) var(--dark, b)`, of
/// which one is nothing, as `static/style.css` sets `--light` and `--dark`.
fn expand(style: &str) -> String {
    const CALL: &str = "light-dark(";
    let mut out = String::with_capacity(style.len() * 2);
    let mut rest = style;
    while let Some((before, call)) = rest.split_once(CALL) {
        out.push_str(before);
        let colours = call.split_once(')');
        if let Some((Some((light, dark)), after)) =
            colours.map(|(colours, after)| (colours.split_once(", "), after))
        {
            let _ = write!(out, "var(--light, {light}) var(--dark, {dark})");
            rest = after;
        } else {
            out.push_str(CALL);
            rest = call;
        }
    }
    out + rest
}

/// All other files: name, type, content.
static FILES: &[(&str, &str, &str)] = &[
    ("gather.js", JS, include_str!("../../static/gather.js")),
    ("talk.js", JS, include_str!("../../static/talk.js")),
    ("page.js", JS, include_str!("../../static/page.js")),
    ("match.js", JS, include_str!("../../static/match.js")),
    ("forms.js", JS, include_str!("../../static/forms.js")),
    ("team.js", JS, include_str!("../../static/team.js")),
    ("live.js", JS, include_str!("../../static/live.js")),
    ("steps.js", JS, include_str!("../../static/steps.js")),
    ("swap.js", JS, include_str!("../../static/swap.js")),
    ("slide.js", JS, include_str!("../../static/slide.js")),
    ("drag.js", JS, include_str!("../../static/drag.js")),
    ("rulebook.js", JS, include_str!("../../static/rulebook.js")),
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
        .chain([STYLES])
        .collect();
    hash_token(&all)[..12].to_owned()
});

/// The name of the style sheet.
const SHEET: &str = "style.css";

static STYLE_ADDRESS: LazyLock<String> = LazyLock::new(|| address(SHEET));

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
    let mut files = FILES.iter().copied();
    let (kind, content) = if name == SHEET {
        ("text/css; charset=utf-8", STYLE.as_str())
    } else {
        files
            .find(|(known, ..)| *known == name)
            .map(|(_, kind, content)| (kind, content))
            .ok_or(Failure::App(AppError::NotFound))?
    };
    // A page of an older version may ask for what has changed since: it is not to keep that.
    let keep = if hash == *HASH {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, kind))
        .insert_header((header::CACHE_CONTROL, keep))
        .body(content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_written_out_for_old_browsers() {
        assert_eq!(
            expand("a { --x: light-dark(#fff, #000); }"),
            "a { --x: var(--light, #fff) var(--dark, #000); }"
        );
        let rules = STYLE.split("*/").map(|part| part.split("/*").next());
        let rules: String = rules.flatten().collect();
        for new in ["light-dark", "color-mix", ":has("] {
            assert!(!rules.contains(new), "{new}");
        }
    }
}
