//! The pages that `every_page_is_for_all_people` looks at, by the visitor who does: `{lesson}` and the like stand for what
//! a demonstration has. A new page is a line here; without one `it` fails, long before a browser could.

use super::routes::{fits, routes};

/// Links that are found on pages.
pub const PROJECTOR: &str = "/team/{gathering}/show/{token}";
pub const TO_TEAM: &str = "/team/{evening}/join/{token}";
pub const TO_GAME: &str = "/join/{match}/{token}";
pub const CARD: &str = "/card/{user}/{token}";
pub const AWAY: &str = "/team/{lesson}/talk/{channel}/{message}/link/{number}";

pub const GUEST: &[&str] = &[
    "/games/quixo",
    "/try/quixo",
    "/games/perplexus",
    "/try/perplexus",
    "/games/pijersi",
    "/try/pijersi",
    "/games/pylyx",
    "/try/pylyx",
    "/games/flexichess",
    "/try/flexichess",
    "/",
    "/games",
    "/games/perplexichess",
    "/games/perplexichess/card",
    "/try",
    "/lobby",
    "/teams",
    "/classroom",
    "/privacy",
    "/join",
    "/sign-in",
    "/sign-in/code",
    "/sign-up",
    "/sign-up/1",
    "/try/quixo/turns=c1-a1_e5-e1",
    "/reset",
    // What mails lead to asks before it does anything.
    "/reset/1",
    "/verify/1",
    "/email/1",
    "/old-address/1",
    "/mail/off/1",
    NOWHERE,
    PROJECTOR,
    TO_TEAM,
    TO_GAME,
    CARD,
    "/join/{code}",
    "/wait/{late}",
];
/// There is nothing.
const NOWHERE: &str = "/nowhere";

/// A teacher who is an admin: the class, the lesson with its control panel, one that gathers, games by post.
pub const TEACHER: &[&str] = &[
    "/class/{class}",
    "/class/{class}/cards",
    "/class/{class}/settings",
    "/class/{class}/progress",
    "/team/{lesson}",
    "/team/{lesson}?board=2",
    "/team/{lesson}/at/20",
    "/team/{lesson}/control",
    "/team/{lesson}/report",
    "/team/{lesson}/record",
    "/team/{lesson}/moves",
    "/team/{lesson}?help=host-1",
    "/team/{lesson}/lesson",
    "/match/{match}/at/0",
    "/match/{match}/changes",
    "/team/{gathering}",
    "/match/{match}",
    "/matches",
    "/account",
    "/account/second-factor",
    "/classes",
    "/teams",
    "/admin",
    "/admin/users",
    "/admin/mail",
    "/admin/files",
    "/player/Teacher",
];

/// A pupil at play. The account's pages are not for pupils, and say so.
pub const PUPIL: &[&str] = &[
    "/team/{lesson}",
    "/team/{lesson}?board=0",
    "/team/{lesson}?board=1&rule=N&betza=NW",
    "/team/{lesson}?help=strategist-2",
    "/team/{lesson}?help=boardman-3",
    "/team/{lesson}?help=agent-2",
    "/me",
    "/account",
    AWAY,
];

/// The addresses of pages: a link that was found, or else the page with its parts.
pub fn addresses(
    pages: &[&str],
    parts: &[(&str, String)],
    links: &[(&str, String)],
) -> Vec<String> {
    let address = |page: &&str| {
        if let Some((_, link)) = links.iter().find(|(known, _)| known == page) {
            assert!(fits(page, link), "{link} is no {page}");
            return link.clone();
        }
        let filled = parts.iter().fold((*page).to_owned(), |page, (name, part)| {
            page.replace(&format!("{{{name}}}"), part)
        });
        assert!(!filled.contains('{'), "what is meant by {filled}?");
        filled
    };
    pages.iter().map(address).collect()
}

/// Whether there is no page at a route: parts of pages and what scripts ask, records and tables, files.
pub fn is_no_page(pattern: &str) -> bool {
    let parts = [
        "live",
        "heads",
        "{board}",
        "log",
        "members",
        "door",
        "transfer",
        "receivers",
        "people",
        "talk",
        "gather",
        "result",
        "ended",
        "lobby",
        "report.csv",
        "progress.csv",
    ];
    let files = [
        "/static/{hash}/{name}",
        "/admin/files/{name}",
        "/healthz",
        "/readyz",
        "/robots.txt",
    ];
    let last = pattern.rsplit('/').next().unwrap_or_default();
    let within = ["/team/", "/match/", "/class/"];
    files.contains(&pattern)
        || within.iter().any(|within| pattern.starts_with(within))
            && (parts.contains(&last) || last.contains("{form:"))
        // The control panel shows the same page as the match.
        || pattern.ends_with("/control/talk/{channel}/{message}/link/{number}")
}

/// What is wrong with the lists: routes with a page that is on none, and lines of them to which no route leads.
pub fn faults() -> Vec<String> {
    let pages = [GUEST, TEACHER, PUPIL].concat();
    let routes = routes();
    let gets = routes.iter().filter(|(_, method)| *method == "GET");
    let gets: Vec<&str> = gets.map(|(pattern, _)| pattern.as_str()).collect();
    let is_overlooked =
        |pattern: &&&str| !is_no_page(pattern) && !pages.iter().any(|page| fits(pattern, page));
    let leads_nowhere =
        |page: &&&str| **page != NOWHERE && !gets.iter().any(|pattern| fits(pattern, page));
    let overlooked = gets.iter().filter(is_overlooked);
    let overlooked =
        overlooked.map(|pattern| format!("{pattern} is no line of tests/support/pages.rs"));
    let stale = pages.iter().filter(leads_nowhere);
    overlooked
        .chain(
            stale.map(|page| format!("no route leads to {page}, a line of tests/support/pages.rs")),
        )
        .collect()
}
