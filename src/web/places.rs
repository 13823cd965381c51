//! The parts of the site that are open to pupils.

use actix_web::HttpRequest;
use actix_web::http::Method;

use crate::app::{AppError, NotAllowed, Viewer};
use crate::web::answer::Failure;

pub const PUPIL_HOME: &str = "/me";

/// All routes that are open to pupils, as in the routes of the site; one that ends in a slash stands for all that
/// begin with it. All others do not exist for a pupil, pages and forms alike. The rules of the match say what a pupil
/// may do in a lesson, and pupils do not find the lessons of other classes.
const PLACES: &[&str] = &[
    "/",
    "/healthz",
    "/readyz",
    "/robots.txt",
    "/privacy",
    "/static/",
    "/theme",
    "/squares",
    "/live",
    "/games",
    "/games/",
    "/try",
    "/try/",
    "/learn/",
    "/classroom",
    "/classroom/",
    PUPIL_HOME,
    "/me/called",
    "/me/looks",
    "/card/",
    "/join",
    "/join/{code}",
    "/wait/{code}",
    "/sign-in",
    "/sign-in/code",
    "/sign-out",
    "/switch",
    // For the reader of the mail, with an account or without.
    "/mail/off/",
    "/team/{id}",
    "/team/{id}/",
];

pub fn may_be_at(viewer: &Viewer, http: &HttpRequest) -> bool {
    let pattern = http.match_pattern();
    viewer.class.is_none()
        || pattern.is_none_or(|pattern| {
            PLACES.iter().any(|place| {
                pattern == *place
                    || (place.len() > 1 && place.ends_with('/') && pattern.starts_with(place))
            })
        })
}

/// True for the routes where a visitor who plays without an account is known as a guest. Everywhere else guests are
/// visitors.
pub fn is_open_to_guests(http: &HttpRequest) -> bool {
    let pattern = http.match_pattern().unwrap_or_default();
    // Whoever proves the address of a new account takes along what they have played.
    let is_proof = pattern == "/verify/{token:.+}" && http.method() == Method::POST;
    let is_open = ["/play", "/theme", "/squares", "/live"].contains(&&*pattern);
    is_proof || is_open || pattern.starts_with("/match/{id}")
}

pub const ELSEWHERE: Failure = Failure::App(AppError::Forbidden(NotAllowed::Pupil));
