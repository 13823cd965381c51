//! Style sheet, scripts and pictures: compiled in, and served under an address that holds a hash
//! of them all, so that a browser may keep them for ever.

use std::fmt::Write as _;
use std::sync::LazyLock;

use actix_web::http::header::{self, ContentEncoding};
use actix_web::web::{Bytes, Path};
use actix_web::{HttpRequest, HttpResponse};
use perplex_games::board::Card;
use perplex_games::registry::GAMES;

use crate::app::AppError;
use crate::secret::hash_token;
use crate::web::answer::{Answer, Failure};
use crate::web::packed;

/// The style sheets in source form: for all pages; for the rulebook of a chess board; for matches, to which the
/// boards of the other games are added; for team matches, the control panel and the projector; for classes and
/// lessons. Each page names those that it needs.
static SHEETS: &[(&str, &[&str])] = &[
    (
        "style.css",
        &[
            include_str!("../../static/style.css"),
            include_str!("../../static/match.css"),
            include_str!("../../crates/games/src/board/flexichess.css"),
        ],
    ),
    ("rulebook.css", &[include_str!("../../static/rulebook.css")]),
    (
        "pages.css",
        &[
            include_str!("../../static/pages.css"),
            include_str!("../../static/correspondence.css"),
            include_str!("../../static/rules-card.css"),
            include_str!("../../static/gather.css"),
        ],
    ),
    (
        "team.css",
        &[
            include_str!("../../static/team.css"),
            include_str!("../../static/team-people.css"),
            include_str!("../../static/team-help.css"),
        ],
    ),
    (
        "team-plain.css",
        &[include_str!("../../static/team-plain.css")],
    ),
    ("control.css", &[include_str!("../../static/control.css")]),
    (
        "show.css",
        &[
            include_str!("../../static/show.css"),
            include_str!("../../static/sketch.css"),
        ],
    ),
    (
        "lesson.css",
        &[
            include_str!("../../static/lesson.css"),
            include_str!("../../static/class.css"),
            include_str!("../../static/sketch.css"),
        ],
    ),
];

/// Writes `light-dark(a, b)` out for browsers that lack it: `var(--light, a) var(--dark, b)`, of which one is empty,
/// as `static/style.css` sets `--light` and `--dark`.
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

/// The styles of the boards of a game, for a drawing that stands by itself: the colours of the site, and its own.
pub fn board_style(card: &Card) -> String {
    let site = include_str!("../../static/style.css");
    let colours = site
        .split_once(":root {")
        .and_then(|(_, rest)| rest.split_once(":root[data-theme"))
        .map_or("", |(colours, _)| colours);
    let boards = include_str!("../../static/correspondence.css").lines();
    let boards: String = boards.filter(|line| line.starts_with(".board ")).collect();
    expand(&format!(":root {{{colours}{boards}{}", card.style))
}

/// All other files in source form: name, type, content.
static FILES: &[(&str, &str, &str)] = &[
    ("living.js", JS, include_str!("../../static/living.js")),
    ("there.js", JS, include_str!("../../static/there.js")),
    ("wait.js", JS, include_str!("../../static/wait.js")),
    ("gather.js", JS, include_str!("../../static/gather.js")),
    ("seats.js", JS, include_str!("../../static/seats.js")),
    ("chime.js", JS, include_str!("../../static/chime.js")),
    ("talk.js", JS, include_str!("../../static/talk.js")),
    ("new.js", JS, include_str!("../../static/new.js")),
    ("scene.js", JS, include_str!("../../static/scene.js")),
    ("page.js", JS, include_str!("../../static/page.js")),
    ("match.js", JS, include_str!("../../static/match.js")),
    ("forms.js", JS, include_str!("../../static/forms.js")),
    ("team.js", JS, include_str!("../../static/team.js")),
    ("sheets.js", JS, include_str!("../../static/sheets.js")),
    ("live.js", JS, include_str!("../../static/live.js")),
    ("focus.js", JS, include_str!("../../static/focus.js")),
    ("eyes.js", JS, include_str!("../../static/eyes.js")),
    ("called.js", JS, include_str!("../../static/called.js")),
    ("share.js", JS, include_str!("../../static/share.js")),
    ("touch.js", JS, include_str!("../../static/touch.js")),
    ("steps.js", JS, include_str!("../../static/steps.js")),
    ("turns.js", JS, include_str!("../../static/turns.js")),
    ("say.js", JS, include_str!("../../static/say.js")),
    ("swap.js", JS, include_str!("../../static/swap.js")),
    ("morph.js", JS, include_str!("../../static/morph.js")),
    ("request.js", JS, include_str!("../../static/request.js")),
    ("press.js", JS, include_str!("../../static/press.js")),
    ("slide.js", JS, include_str!("../../static/slide.js")),
    ("pieces.js", JS, include_str!("../../static/pieces.js")),
    ("drag.js", JS, include_str!("../../static/drag.js")),
    ("rulebook.js", JS, include_str!("../../static/rulebook.js")),
    (
        "icon.svg",
        "image/svg+xml",
        include_str!("../../static/icon.svg"),
    ),
];

const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";

/// A text without the comments that stand on lines of their own. The lines stay, so that what a browser says of one is
/// found in the source.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut within = false;
    for line in text.lines() {
        let start = line.trim_start();
        let code = if within || start.starts_with("/*") {
            let end = start.find("*/");
            within = end.is_none();
            end.map_or("", |end| &start[end + 2..])
        } else if start.starts_with("//") {
            ""
        } else {
            line
        };
        out += code;
        out.push('\n');
    }
    out
}

/// A file as it is served: without comments, and compressed once, as far as possible.
struct Served {
    name: &'static str,
    kind: &'static str,
    text: String,
    packed: Bytes,
}

static SERVED: LazyLock<Vec<Served>> = LazyLock::new(|| {
    let sheets = SHEETS.iter().map(|(name, parts)| {
        let mut text = parts.concat();
        if *name == "pages.css" {
            // The boards of all games but chess, which every page has.
            let styles = GAMES.iter().map(|entry| entry.card.style);
            text.extend(styles.filter(|style| !SHEETS[0].1.contains(style)));
        }
        (*name, CSS, without_comments(&expand(&text)))
    });
    let files = FILES
        .iter()
        .map(|(name, kind, text)| (*name, *kind, without_comments(text)));
    let all = sheets.chain(files).map(|(name, kind, text)| Served {
        name,
        kind,
        packed: packed::pack(text.as_bytes(), packed::FILES).into(),
        text,
    });
    all.collect()
});

/// One hash over all files: scripts load each other by their bare names.
static HASH: LazyLock<String> = LazyLock::new(|| {
    let all: String = SERVED
        .iter()
        .flat_map(|file| [file.name, &*file.text])
        .collect();
    hash_token(&all)[..12].to_owned()
});

pub fn address(name: &str) -> String {
    format!("/static/{}/{name}", *HASH)
}

pub async fn serve(http: HttpRequest, path: Path<(String, String)>) -> Answer {
    let (hash, name) = path.into_inner();
    let file = SERVED.iter().find(|file| file.name == name);
    let file = file.ok_or(Failure::App(AppError::NotFound))?;
    // A page of an older version may ask for a file that has changed since: its browser must not keep that.
    let keep = if hash == *HASH {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let mut answer = HttpResponse::Ok();
    answer
        .insert_header((header::CONTENT_TYPE, file.kind))
        .insert_header((header::CACHE_CONTROL, keep))
        .insert_header((header::VARY, "accept-encoding"));
    if !packed::takes_gzip(&http) {
        return Ok(answer.body(file.text.as_str()));
    }
    answer.insert_header(ContentEncoding::Gzip);
    Ok(answer.body(file.packed.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_left_out_and_lines_stay() {
        let text = "// Why.\nlet a = 1; // here\n/** What\n * it is. */\nlet b = \"/* no */\";\n/* Bar */ .b { }\n";
        let lean = "\nlet a = 1; // here\n\n\nlet b = \"/* no */\";\n .b { }\n";
        assert_eq!(without_comments(text), lean);
    }

    #[test]
    fn colours_are_written_out_for_old_browsers() {
        assert_eq!(
            expand("a { --x: light-dark(#fff, #000); }"),
            "a { --x: var(--light, #fff) var(--dark, #000); }"
        );
        for Served { name, text, .. } in SERVED.iter().filter(|file| file.kind == CSS) {
            for new in ["light-dark", "color-mix", ":has("] {
                assert!(!text.contains(new), "{name}: {new}");
            }
        }
    }
}
