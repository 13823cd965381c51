//! What a form proves: that one of our own pages has sent it, made for the visitor who sends it now, and that it is the first
//! with its number.
//!
//! Every form carries a [proof](App::proof), so only our own pages can have made it. A form sent from a page of another site
//! is refused before that.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::http::header;
use actix_web::http::header::HeaderValue;
use actix_web::{FromRequest, HttpMessage as _, HttpRequest};

use crate::app::App;
use crate::app::once::Once;
use crate::web::answer::Failure;
use crate::web::cookies;
use crate::web::fields::Fields;
use crate::web::once::{First, makes};
use crate::web::request::{RequestContext, text};

const FETCH_SITE: header::HeaderName = header::HeaderName::from_static("sec-fetch-site");

/// True if the browser says itself that one of our own pages sent the form.
pub fn is_surely_ours(http: &HttpRequest, app: &App) -> bool {
    let says =
        http.headers().contains_key(header::ORIGIN) || http.headers().contains_key(FETCH_SITE);
    says && is_ours(http, app)
}

/// True if one of our own pages sent the form, as far as the browser tells. The request's `Host` decides nothing.
fn is_ours(http: &HttpRequest, app: &App) -> bool {
    let site = text(http, &FETCH_SITE);
    if site.is_some_and(|site| site != "same-origin" && site != "none") {
        return false;
    }
    if !http.headers().contains_key(header::ORIGIN) {
        return true;
    }
    match text(http, &header::ORIGIN) {
        // A page that must not tell where it is, as a proxy has added `Referrer-Policy: no-referrer`.
        Some("null") => site == Some("same-origin"),
        Some(origin) => app.is_own_origin(origin, http.app_config().local_addr().port()),
        None => false,
    }
}

/// True if the browser sent back none of the cookies that every page with a form gives it.
fn lacks_cookies(http: &HttpRequest, app: &App) -> bool {
    let mut given = cookies::OF_VISITORS.into_iter();
    given.all(|name| cookies::sent(app, http, name).is_none())
}

/// Refuses a form that is not from one of our pages, or not from one of this browser's session.
fn check_ours(
    http: &HttpRequest,
    request: &RequestContext,
    fields: &Fields,
) -> Result<(), Failure> {
    let app = &request.app;
    let lacks_cookies = lacks_cookies(http, app);
    // A page that was opened by http at a site with https keeps no cookies.
    let origin = text(http, &header::ORIGIN);
    let is_by_http = lacks_cookies && origin.is_some_and(|origin| app.is_own_by_http(origin));
    let (what, failure) = if !is_by_http && !is_ours(http, app) {
        ("origin", Failure::Elsewhere(app.url.clone()))
    } else if lacks_cookies {
        ("cookie", Failure::NoCookies(app.url.clone()))
    } else if !app.is_proof(request.sender(), fields.get("csrf")) {
        ("proof", Failure::Forged)
    } else {
        return Ok(());
    };
    log_refused(http, app, what);
    Err(failure)
}

/// Tells the log what did not match: people who run a site do not see what their proxy sends.
fn log_refused(http: &HttpRequest, app: &App, what: &'static str) {
    let sent = |name| http.headers().get(name).map(HeaderValue::as_bytes);
    let shown = |name| {
        let value = String::from_utf8_lossy(sent(name)?).into_owned();
        Some(value.chars().take(LONGEST_SHOWN).collect::<String>())
    };
    tracing::warn!(
        expected = %app.url,
        origin = ?shown(&header::ORIGIN),
        site = ?shown(&FETCH_SITE),
        host = ?shown(&header::HOST),
        forwarded_proto = ?shown(&header::X_FORWARDED_PROTO),
        cookies = sent(&header::COOKIE).is_some(),
        "a form was refused: its {what} does not match"
    );
}

/// The most characters of a header in the log.
const LONGEST_SHOWN: usize = 100;

/// Takes a form that makes something, with a number that is good once, if it has one: only the first goes on.
async fn begin_once(
    http: &HttpRequest,
    request: &RequestContext,
    number: &str,
) -> Result<(), Failure> {
    let Some(account) = request.account().filter(|_| makes(http)) else {
        return Ok(());
    };
    match request.app.begin_once(&account.id, number).await? {
        Once::Unknown => Ok(()),
        Once::First(key) => {
            http.extensions_mut().insert(First(key));
            Ok(())
        }
        Once::Done(page) => Err(Failure::Already(page)),
    }
}

/// A form from one of our pages, and its sender's request.
pub struct Submission {
    pub request: RequestContext,
    pub fields: Fields,
}

impl FromRequest for Submission {
    type Error = actix_web::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, actix_web::Error>>>>;

    fn from_request(http: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let http = http.clone();
        let form = Fields::of_form(&http, payload);
        Box::pin(async move {
            let fields = form.await?;
            // For pages that send the same form again: after asking for the password, or once it can be saved.
            http.extensions_mut().insert(fields.clone());
            let request = RequestContext::of(&http).await?;
            check_ours(&http, &request, &fields)?;
            begin_once(&http, &request, fields.get("once")).await?;
            Ok(Self { request, fields })
        })
    }
}
