//! The pages that `every_page_is_for_all_people` examines, by the visitor who opens them: `{lesson}` and the like
//! stand for parts of a demonstration. A new page needs a line here; without it `it` fails, long before a browser
//! could.

use super::routes::{fits, routes};

/// Links that are read from pages.
pub const PROJECTOR: &str = "/team/{gathering}/show/{token}";
pub const TO_TEAM: &str = "/team/{evening}/join/{token}";
pub const TO_GAME: &str = "/join/{match}/{token}";
pub const CARD: &str = "/card/{user}/{token}";
pub const AWAY: &str = "/team/{lesson}/talk/{channel}/{message}/link/{number}";

pub const GUEST: &[&str] = &[
    "/games/quixo",
    "/learn/quixo/1",
    "/learn/boardman/2",
    "/learn/strategist/1",
    "/learn/agent/4",
    "/learn/agent/6",
    "/try/quixo",
    "/games/perplexus",
    "/try/perplexus",
    "/games/pijersi",
    "/try/pijersi",
    "/games/pylyx",
    "/try/pylyx",
    "/games/flexichess",
    "/games/flexichess/cards",
    "/try/flexichess",
    "/",
    "/games",
    "/games/perplexichess",
    "/games/perplexichess/card",
    "/try",
    "/lobby",
    "/teams",
    "/classroom",
    "/classroom/lesson",
    "/classroom/pupils",
    "/privacy",
    "/join",
    "/sign-in",
    "/sign-in/code",
    "/sign-up",
    "/sign-up/1",
    "/try/quixo/turns=c1-a1_e5-e1",
    "/reset",
    // The links in mails ask before they act.
    "/reset/1",
    "/verify/1",
    "/email/1",
    "/old-address/1",
    "/mail/off/1",
    "/mail/settings/1",
    NOWHERE,
    PROJECTOR,
    TO_TEAM,
    TO_GAME,
    CARD,
    "/join/{code}",
    "/wait/{late}",
];
/// An address without a page.
const NOWHERE: &str = "/nowhere";

/// The pages of a teacher who is an admin: the class, the lesson with its control panel, one that gathers,
/// correspondence matches.
pub const TEACHER: &[&str] = &[
    "/class/{class}",
    "/class/{class}/cards",
    "/class/{class}/rule-cards",
    "/rule-cards",
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
    "/mail/match/{match}",
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

/// The pages of a pupil at play. The account's pages are not for pupils, and say so.
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

/// The addresses of pages: a link that was found, or else the pattern with its parts filled in.
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

/// True for routes without a page: parts of pages, requests of scripts, records and tables, files.
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
        "said",
        "report.csv",
        "progress.csv",
    ];
    let files = [
        "/static/{hash}/{name}",
        "/scene/{hash}",
        "/icon/{size}.png",
        "/manifest.webmanifest",
        "/games/{key}/picture.png",
        "/games/{key}/moving.svg",
        "/match/{id}/picture.png",
        "/match/{id}/game.svg",
        "/team/{id}/picture.png",
        "/admin/files/{name}",
        "/live",
        "/me/called",
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

/// The errors in the lists: routes with a page that is on none, and lines to which no route leads.
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
