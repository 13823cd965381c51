//! The landing page, and pages that belong to no match.

use actix_web::cookie::time::Duration;
use actix_web::http::{StatusCode, header};
use actix_web::{HttpRequest, HttpResponse, Responder};
use askama::Template;

use crate::app::AppError;
use crate::app::accounts::{LONGEST_SESSION_DAYS, Preferences, SESSION_DAYS};
use crate::app::lifetimes::OLD_ADDRESS_DAYS;
use crate::texts;
use crate::web::answer::{Answer, Failure, lead, local, see};
use crate::web::cookies::{NUMBERED, SIGNS, THEME};
use crate::web::fields::Fields;
use crate::web::middleware::with_query;
use crate::web::places::PUPIL_HOME;
use crate::web::request::{RequestContext, known_theme};
use crate::web::submission::Submission;
use crate::web::team::scene::Scene;
use perplex_games::registry::{Entry, GAMES};

#[derive(Template)]
#[template(path = "landing/landing.html")]
struct Landing<'a> {
    request: &'a RequestContext,
    scene: Scene,
    games: &'static [Entry],
    done: Option<&'static str>,
}

pub async fn landing(request: RequestContext, query: Fields) -> Answer {
    if request.is_pupil() {
        return Ok(see(PUPIL_HOME));
    }
    request.page(&Landing {
        request: &request,
        scene: Scene::new(),
        games: GAMES,
        done: texts::done(query.get("done")),
    })
}

#[derive(Template)]
#[template(path = "privacy.html")]
struct Privacy<'a> {
    request: &'a RequestContext,
    /// Days that a session lasts without being used.
    session_days: u64,
    longest_session_days: u64,
    old_address_days: u64,
}

pub async fn privacy(request: RequestContext) -> Answer {
    request.page(&Privacy {
        request: &request,
        session_days: SESSION_DAYS,
        longest_session_days: LONGEST_SESSION_DAYS,
        old_address_days: OLD_ADDRESS_DAYS,
    })
}

/// The address of the page that is meant by one without a page: it has moved, or its first word was typed in capitals, as
/// phones begin what is typed.
fn meant(path: &str) -> Option<String> {
    let rest = path.strip_prefix("/host");
    if let Some(rest) = rest.filter(|rest| rest.is_empty() || rest.starts_with('/')) {
        return Some(format!("/admin{rest}"));
    }
    let lesson = path
        .strip_prefix("/team/")
        .and_then(|path| path.strip_suffix("/desk"));
    if let Some(lesson) = lesson.filter(|lesson| !lesson.contains('/')) {
        return Some(format!("/team/{lesson}/control"));
    }
    let inside = path.strip_prefix('/')?;
    let (first, rest) = inside.split_at(inside.find('/').unwrap_or(inside.len()));
    let is_word = first
        .bytes()
        .all(|byte| byte.is_ascii_alphabetic() || byte == b'-');
    let lower = first.to_ascii_lowercase();
    (is_word && lower != first).then(|| format!("/{lower}{rest}"))
}

/// The answer at an address without a page.
pub async fn nothing(http: HttpRequest) -> Result<HttpResponse, Failure> {
    let address = meant(http.path()).filter(|address| local(address, "") == address);
    let address = with_query(address.ok_or(AppError::NotFound)?, &http);
    Ok(lead(StatusCode::PERMANENT_REDIRECT, &address))
}

/// Says whether the program does all that it should. One that does not is still there, and tries again by itself.
pub async fn health(app: actix_web::web::Data<crate::app::App>) -> HttpResponse {
    match app.workers().fallen() {
        None => plain(StatusCode::OK, "ok\n".to_owned()),
        Some(name) => plain(StatusCode::SERVICE_UNAVAILABLE, format!("failed: {name}\n")),
    }
}

/// Succeeds if the site can be used: it can write. (Its tables are up to date, or it would not have started.)
pub async fn ready(app: actix_web::web::Data<crate::app::App>) -> HttpResponse {
    match app.is_ready().await {
        Ok(()) => plain(StatusCode::OK, "ready\n".to_owned()),
        Err(error) => {
            tracing::error!(%error, "not ready");
            plain(
                StatusCode::SERVICE_UNAVAILABLE,
                "the database cannot be written\n".to_owned(),
            )
        }
    }
}

fn plain(status: StatusCode, text: String) -> HttpResponse {
    HttpResponse::build(status)
        .insert_header((header::CONTENT_TYPE, "text/plain; charset=utf-8"))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .body(text)
}

/// The rules for robots: no address that carries a secret.
pub async fn robots() -> impl Responder {
    "User-agent: *\nDisallow: /join/\nDisallow: /sign-up/\nDisallow: /verify/\nDisallow: /reset/\nDisallow: /email/\n\
     Disallow: /mail/\nDisallow: /account\nDisallow: /admin\nDisallow: /card/\nDisallow: /class/\n"
}

/// Switches between light and dark: for accounts in their preferences, for guests in a cookie.
pub async fn theme(post: Submission) -> Answer {
    let Submission { request, fields } = post;
    let theme = known_theme(fields.get("theme"));
    let mut response = see(local(fields.get("next"), "/"));
    if let Some(viewer) = &request.viewer {
        let preferences = Preferences {
            theme: theme.to_owned(),
            ..viewer.preferences.clone()
        };
        request.app.set_preferences(viewer, preferences).await?;
    }
    // The browser also keeps it for the time after signing out.
    let _ = response.add_cookie(&request.cookie(THEME, theme, Duration::days(365)));
    Ok(response)
}

/// Sets how squares of chess boards are labelled.
pub async fn squares(post: Submission) -> Answer {
    let numbered = post.fields.get("squares") == "numbers";
    keep(post, NUMBERED, numbered, |preferences| {
        preferences.numbered = numbered;
    })
    .await
}

/// Sets whether boards show our signs or the official ones.
pub async fn signs(post: Submission) -> Answer {
    let official = post.fields.get("signs") == "official";
    keep(post, SIGNS, official, |preferences| {
        preferences.official_signs = official;
    })
    .await
}

/// Keeps a wish about boards: for accounts in their preferences, for guests in a cookie.
async fn keep(
    post: Submission,
    cookie: &'static str,
    wished: bool,
    set: impl FnOnce(&mut Preferences),
) -> Answer {
    let Submission { request, fields } = post;
    let mut response = see(local(fields.get("next"), "/"));
    if let Some(viewer) = &request.viewer {
        let mut preferences = viewer.preferences.clone();
        set(&mut preferences);
        request.app.set_preferences(viewer, preferences).await?;
    } else {
        let value = if wished { "1" } else { "" };
        let _ = response.add_cookie(&request.cookie(cookie, value, Duration::days(365)));
    }
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::meant;

    #[test]
    fn addresses_that_are_not_quite_right_lead_on() {
        for (typed, page) in [
            ("/host", Some("/admin")),
            ("/host/mail", Some("/admin/mail")),
            ("/team/abc/desk", Some("/team/abc/control")),
            ("/Join", Some("/join")),
            ("/JOIN/h7t4nxp", Some("/join/h7t4nxp")),
            ("/Sign-In", Some("/sign-in")),
            ("/Verify/aB.1", Some("/verify/aB.1")),
            ("/hosts", None),
            ("/H7T4NXP", None),
            ("/team/abc/desk/live", None),
        ] {
            assert_eq!(meant(typed).as_deref(), page, "{typed}");
        }
    }
}
