//! The audit log: who did or tried an action, from where, and its outcome. One line for each request that changes
//! rights, reads a secret, or was refused; no text that people write, and no secret of a path. Play is in the
//! journals of the matches.

use actix_web::http::{Method, StatusCode};
use actix_web::{HttpMessage as _, HttpRequest};

use crate::log::AUDIT;
use crate::web::request::RequestContext;

/// Forms about play, talk, looks, or only the sender's own view.
const EVERYDAY: &[&str] = &[
    "/theme",
    "/squares",
    "/signs",
    "/try",
    "/me/looks",
    "/account/preferences",
    "/account/mail",
    "/mail/off/{token:.+}",
    "/mail/match/{id}",
    "/mail/settings/{token:.+}",
    "/matches",
    "/play",
    "/match/{id}/address",
    "/match/{id}/invite",
    "/match/{id}/hand",
    "/match/{id}/turn",
    "/match/{id}/talk",
    "/match/{id}/draw",
    "/match/{id}/resign",
    "/match/{id}/join",
    "/match/{id}/refuse",
    "/match/{id}/withdraw",
    "/join/{id}/{token}",
    "/join/{id}/{token}/decline",
    "/teams",
    "/team/{id}/decline",
    "/team/{id}/control/remove-message",
    "/team/{id}/control/talk/{channel}",
    "/team/{id}/draw/{board}",
    "/team/{id}/hand",
    "/team/{id}/help",
    "/team/{id}/news",
    "/team/{id}/raise",
    "/team/{id}/remove-message",
    "/team/{id}/address",
    "/team/{id}/invite",
    "/team/{id}/join",
    "/team/{id}/join/{token}",
    "/team/{id}/resign/{board}",
    "/team/{id}/talk",
    "/team/{id}/talk/{channel}",
    "/team/{id}/transfer",
    "/team/{id}/turn/{board}",
    "/team/{id}/vote",
    "/wait/{code}",
];

/// Pages and files that show secrets, or lists of addresses.
const SECRET: &[&str] = &[
    "/admin/files",
    "/admin/mail",
    "/admin/users",
    "/class/{class}/cards",
    "/class/{class}/export.{form:json|csv}",
    "/admin/files/{name}",
];

/// The pages where visitors who are not signed in are adults: the addresses of pupils are never logged.
const FOR_ADULTS: &[&str] = &[
    "/sign-up",
    "/sign-up/again",
    "/sign-up/{token:.+}",
    "/sign-in/code",
    "/reset",
    "/reset/{token:.+}",
    "/verify/{token:.+}",
    "/email/{token:.+}",
    "/old-address/{token:.+}",
];

/// The parts of a path that name its subject.
const ABOUT: [&str; 3] = ["class", "id", "pupil"];

fn is_told(method: &Method, pattern: &str, status: StatusCode) -> bool {
    let is_form = *method == Method::POST && !EVERYDAY.contains(&pattern);
    is_form || SECRET.contains(&pattern) || status == StatusCode::FORBIDDEN
}

fn outcome(status: StatusCode) -> &'static str {
    match status.as_u16() {
        403 => "forbidden",
        404 => "not found",
        429 => "too often",
        400..=499 => "refused",
        500..=599 => "failed",
        _ => "done",
    }
}

/// Logs an answered request, if it is of a kind that the audit log covers.
pub fn tell(http: &HttpRequest, status: StatusCode) {
    let Some(pattern) = http.match_pattern() else {
        return;
    };
    if !is_told(http.method(), &pattern, status) {
        return;
    }
    let known = http.extensions().get::<RequestContext>().cloned();
    let viewer = known.as_ref().and_then(|request| request.viewer.as_ref());
    let place = known.as_ref().filter(|request| {
        let may_be_pupil = request.viewer.is_none() && !FOR_ADULTS.contains(&pattern.as_str());
        !request.is_pupil() && !may_be_pupil
    });
    let about: Vec<&str> = ABOUT
        .iter()
        .filter_map(|name| http.match_info().get(name))
        .collect();
    tracing::info!(
        target: AUDIT,
        who = viewer.map_or("guest", |viewer| viewer.id.0.as_str()),
        from = place.map_or("", |request| request.from.address.as_str()),
        deed = %format_args!("{} {pattern}", http.method()),
        about = %about.join(" "),
        outcome = outcome(status),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_is_a_route() {
        let routes = [
            include_str!("routes.rs"),
            include_str!("class.rs"),
            include_str!("lesson.rs"),
            include_str!("pupil.rs"),
            include_str!("team/routes.rs"),
        ]
        .concat();
        for pattern in EVERYDAY.iter().chain(SECRET).chain(FOR_ADULTS) {
            assert!(routes.contains(&format!("\"{pattern}\"")), "{pattern}");
        }
    }

    #[test]
    fn what_changes_rights_is_told_and_play_is_not() {
        let ok = StatusCode::SEE_OTHER;
        for (method, pattern, status, told) in [
            (Method::POST, "/sign-in", ok, true),
            (Method::POST, "/class/{class}/share", ok, true),
            (Method::POST, "/team/{id}/talk", ok, false),
            (Method::POST, "/team/{id}/talk", StatusCode::FORBIDDEN, true),
            (Method::GET, "/class/{class}/cards", StatusCode::OK, true),
            (
                Method::GET,
                "/class/{class}/export.{form:json|csv}",
                StatusCode::OK,
                true,
            ),
            (Method::GET, "/admin/files/{name}", StatusCode::OK, true),
            (Method::GET, "/class/{class}", StatusCode::OK, false),
        ] {
            assert_eq!(is_told(&method, pattern, status), told, "{pattern}");
        }
    }
}
