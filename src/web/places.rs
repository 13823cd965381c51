//! Where on the site pupils may be.

use actix_web::HttpRequest;

use crate::app::{AppError, Viewer};
use crate::web::answer::Failure;

pub const PUPIL_HOME: &str = "/me";

/// All that is there for pupils: routes, as they stand in the map of the site; one that ends in a slash stands for all
/// that begin with it. Whatever is not among these is not there for a pupil, pages and forms alike. What a pupil may do
/// in a lesson is said by the rules of the match, and the lessons of other classes are not found by pupils.
const PLACES: &[&str] = &[
    "/",
    "/healthz",
    "/readyz",
    "/robots.txt",
    "/privacy",
    "/static/",
    "/theme",
    "/squares",
    "/games",
    "/games/",
    "/try",
    "/try/",
    "/classroom",
    PUPIL_HOME,
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

pub const ELSEWHERE: Failure = Failure::App(AppError::Forbidden(
    "This part of Perplex is not for pupils.",
));
