//! The answers of handlers, and the one mapping of errors to statuses.

use actix_web::body::BoxBody;
use actix_web::http::{StatusCode, header};
use actix_web::{HttpResponse, ResponseError};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use crate::app::AppError;
use crate::texts;
use perplex_matches::correspondence::Refusal;

pub type Answer = Result<HttpResponse, Failure>;

/// A text that is longer than any that is typed there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLong {
    /// The name of the field; empty for an address, or for a form as a whole.
    pub field: String,
    /// The most characters that it holds.
    pub most: usize,
    /// The beginning of the text, as long as may be.
    pub begins: String,
}

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("{}", texts::refusal::error(.0))]
    App(#[from] AppError),
    /// A form without the proof that it came from one of our pages.
    #[error("{}", texts::refusal::FORGED)]
    Forged,
    /// A form from a page at another address than this one, that of the installation.
    #[error("{}", texts::refusal::elsewhere(.0))]
    Elsewhere(String),
    /// A form from a browser that sends none of our cookies back; with the address of the installation.
    #[error("{}", texts::refusal::no_cookies(.0))]
    NoCookies(String),
    /// A form that was sent before: the first one led to this page.
    #[error("sent before")]
    Already(String),
    /// A text with the character NUL, which PostgreSQL does not store.
    #[error("{}", texts::refusal::NUL)]
    Nul,
    /// More than anybody types.
    #[error("{}", texts::refusal::too_long(&.0.field, .0.most))]
    TooLong(Box<TooLong>),
    #[error("template: {0}")]
    Template(#[from] askama::Error),
}

pub fn status_of(error: &AppError) -> StatusCode {
    match error {
        AppError::NotFound => StatusCode::NOT_FOUND,
        AppError::SignIn | AppError::CodeWanted(_) => StatusCode::SEE_OTHER,
        AppError::Forbidden(_) | AppError::ProveAgain => StatusCode::FORBIDDEN,
        AppError::Refused(Refusal::Changed)
        | AppError::RefusedInTeam(perplex_matches::team::Refusal::Changed(_), _) => {
            StatusCode::CONFLICT
        }
        AppError::Refused(_) | AppError::RefusedInTeam(..) | AppError::Invalid(_) => {
            StatusCode::UNPROCESSABLE_ENTITY
        }
        AppError::TooOften(_) => StatusCode::TOO_MANY_REQUESTS,
        error if error.is_passing() => StatusCode::SERVICE_UNAVAILABLE,
        AppError::Busy(_) | AppError::Store(_) | AppError::Journal(_) | AppError::Internal(_) => {
            StatusCode::INTERNAL_SERVER_ERROR
        }
    }
}

impl ResponseError for Failure {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::App(error) => status_of(error),
            Self::Already(_) => StatusCode::SEE_OTHER,
            Self::Forged | Self::Elsewhere(_) | Self::NoCookies(_) => StatusCode::FORBIDDEN,
            Self::Nul => StatusCode::BAD_REQUEST,
            Self::TooLong(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Template(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// An empty answer: the middleware fills it in, as it knows the visitor.
    fn error_response(&self) -> HttpResponse<BoxBody> {
        HttpResponse::new(self.status_code())
    }
}

/// The page to which an answer of [`see`] leads.
pub fn seen(answer: &HttpResponse) -> Option<String> {
    let page = answer.headers().get(header::LOCATION)?.to_str().ok()?;
    (answer.status() == StatusCode::SEE_OTHER).then(|| page.to_owned())
}

pub fn see(address: &str) -> HttpResponse {
    lead(StatusCode::SEE_OTHER, address)
}

/// The bytes that no address has unencoded; all that are not ASCII are encoded, too.
const NOT_IN_ADDRESSES: &AsciiSet = &CONTROLS.add(b' ');

/// Leads to another address. Parts of a path come here decoded: what can stand in no header is encoded again.
pub fn lead(status: StatusCode, address: &str) -> HttpResponse {
    let address = utf8_percent_encode(address, NOT_IN_ADDRESSES).to_string();
    HttpResponse::build(status)
        .insert_header((header::LOCATION, address))
        .finish()
}

pub fn file(kind: &str, name: &str, cache: &'static str, text: String) -> HttpResponse {
    let disposition = format!("attachment; filename=\"{name}\"");
    HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, kind))
        .insert_header((header::CONTENT_DISPOSITION, disposition))
        .insert_header((header::CACHE_CONTROL, cache))
        .body(text)
}

/// `next`, if it is a path of this site; else `otherwise`.
pub fn local<'a>(next: &'a str, otherwise: &'a str) -> &'a str {
    let is_local = next.starts_with('/')
        && !next.starts_with("//")
        && next.bytes().all(|b| b.is_ascii_graphic() && b != b'\\');
    if is_local { next } else { otherwise }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_pass_asks_to_try_again() {
        let busy = AppError::Busy("match abc".to_owned());
        assert_eq!(status_of(&busy), StatusCode::SERVICE_UNAVAILABLE);
        let broken = AppError::Internal("there are no codes left".to_owned());
        assert_eq!(status_of(&broken), StatusCode::INTERNAL_SERVER_ERROR);
    }

    #[test]
    fn only_paths_of_this_site_are_gone_to() {
        for good in ["/", "/match/abc?step=c1", "/join/a/b"] {
            assert_eq!(local(good, "/x"), good);
        }
        for bad in [
            "",
            "//evil.example",
            "/\\evil",
            "https://evil.example",
            "/a\r\nb",
            "a",
        ] {
            assert_eq!(local(bad, "/x"), "/x", "{bad:?}");
        }
    }
}
