//! The layers around every answer: the line in the log, headers for safety, pages for errors.

use std::fmt::{self, Display};
use std::time::Instant;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode, header};
use actix_web::middleware::Next;
use actix_web::web::Data;
use actix_web::{Error, HttpMessage as _, HttpRequest, HttpResponse, ResponseError as _};
use askama::Template;

use crate::app::{App, AppError, NotAllowed};
use crate::texts;
use crate::texts::mail::SIGN_IN_FIRST;
use crate::web::answer::{Failure, lead, local, see};
use crate::web::carried::{Carried, SECRETS};
use crate::web::fields::{Fields, check_address};
use crate::web::request::{RequestContext, Unrepeatable};
use crate::web::submission::is_surely_ours;
use crate::web::{again, assets, audit, prove, request};
use perplex_matches::classroom::words::read_code;

/// The number that identifies a request, in the log and on an error page.
#[derive(Clone, Copy)]
struct Number(u32);

impl Default for Number {
    fn default() -> Self {
        Self(rand::random())
    }
}

impl Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04x}-{:04x}", self.0 >> 16, self.0 & 0xffff)
    }
}

fn number_of(http: &HttpRequest) -> Number {
    http.extensions().get().copied().unwrap_or_default()
}

/// One line a request. A path with a secret is logged without it: as the route's pattern. A path that is no route may
/// be such a path misspelt, and is not logged. Queries never are.
pub async fn log<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    let start = Instant::now();
    let number = Number::default();
    request.extensions_mut().insert(number);
    let response = next.call(request).await?;
    let request = response.request();
    audit::tell(request, response.status());
    if response.status() == StatusCode::TOO_MANY_REQUESTS
        && let Some(app) = request.app_data::<Data<App>>()
    {
        app.count_refused();
    }
    tracing::info!(
        %number,
        method = %request.method(),
        path = %loggable(request),
        status = response.status().as_u16(),
        micros = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX),
        "request"
    );
    Ok(response)
}

/// The names of secret parts of a path: the proofs of links, and the codes of lessons.
const SECRET: [&str; 2] = ["{token", "{code"];

fn is_secret(request: &HttpRequest) -> bool {
    let pattern = request.match_pattern().unwrap_or_default();
    SECRET.iter().any(|name| pattern.contains(name))
}

fn loggable(request: &HttpRequest) -> String {
    match request.match_pattern() {
        Some(pattern) if is_secret(request) => pattern,
        Some(pattern) if !pattern.is_empty() => request.path().to_owned(),
        _ => "(no page)".to_owned(),
    }
}

const SAFETY: [(HeaderName, &str); 6] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; \
         form-action 'self'; object-src 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "same-origin"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()",
    ),
];

/// Says whom an answer is for.
const ACCOUNT: HeaderName = HeaderName::from_static("perplex-account");

/// For a picture, which brings its own styles: when it is opened alone it moves by them. Nothing else in it counts.
const OF_PICTURES: &str = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/// The headers that forbid browsers what our pages never need.
pub async fn headers<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    let mut response = next.call(request).await?;
    for (name, value) in SAFETY {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    let kind = response.headers().get(header::CONTENT_TYPE);
    if kind.is_some_and(|kind| kind == "image/svg+xml") {
        response.headers_mut().insert(
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static(OF_PICTURES),
        );
    }
    let context = response
        .request()
        .extensions()
        .get::<RequestContext>()
        .cloned();
    let kept = response.headers().get(header::CACHE_CONTROL);
    let is_for_all = kept.is_some_and(|kept| kept.as_bytes().starts_with(b"public"));
    if let Some(context) = context
        && !is_for_all
        && let Ok(mark) = HeaderValue::from_str(context.account_mark())
    {
        response.headers_mut().insert(ACCOUNT, mark);
    }
    let is_https = response
        .request()
        .app_data::<Data<App>>()
        .is_some_and(|app| app.is_https());
    if is_https {
        response.headers_mut().insert(
            header::STRICT_TRANSPORT_SECURITY,
            HeaderValue::from_static("max-age=31536000"),
        );
    }
    if is_secret(response.request()) {
        response
            .headers_mut()
            .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    Ok(response)
}

/// Answers HEAD as GET. The body is left out where the answer is written.
pub async fn answer_head<B: MessageBody + 'static>(
    mut request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    if request.method() == Method::HEAD {
        request.head_mut().method = Method::GET;
    }
    next.call(request).await
}

/// Refuses input that no page expects: NUL in an address; an address that is longer than any of a page; and compressed
/// bodies, which actix-web would unpack before it checks its limits.
pub async fn acceptable<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    if request.headers().contains_key(header::CONTENT_ENCODING) {
        return Ok(request.into_response(HttpResponse::new(StatusCode::UNSUPPORTED_MEDIA_TYPE)));
    }
    let address = request.uri().path_and_query();
    if address.is_some_and(|address| address.as_str().contains("%00")) {
        return Ok(ServiceResponse::from_err(
            Failure::Nul,
            request.into_parts().0,
        ));
    }
    if let Err(failure) = check_address(request.request()) {
        let http = request.into_parts().0;
        http.extensions_mut().insert(Unrepeatable);
        return Ok(ServiceResponse::from_err(failure, http));
    }
    if let Some(path) = without_slashes(request.path()) {
        let address = with_query(path, request.request());
        return Ok(request.into_response(lead(StatusCode::PERMANENT_REDIRECT, &address)));
    }
    Ok(next.call(request).await?.map_into_boxed_body())
}

/// Leads a link of a mail to where it says, by way of signing in where that is needed. Nobody looks at what is there: a link
/// that somebody made up is answered alike.
pub async fn links_of_mails<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    if request.method() != Method::GET || request.query_string() != SIGN_IN_FIRST {
        return Ok(next.call(request).await?.map_into_boxed_body());
    }
    let (http, _) = request.into_parts();
    let path = local(http.path(), "/").to_owned();
    let answer = match RequestContext::of(&http).await {
        Ok(context) if context.account().is_some() => see(&path),
        Ok(_) => see(&format!("/sign-in?next={}", request::next(&path))),
        Err(failure) => return Ok(ServiceResponse::from_err(failure, http)),
    };
    Ok(ServiceResponse::new(http, answer))
}

/// The path that is meant by one with slashes where no page has any: behind it, several before it, or in the code of a lesson.
/// The form of a page is sent again there by the browser.
fn without_slashes(path: &str) -> Option<String> {
    let inside = path.trim_matches('/');
    let code = inside
        .strip_prefix("join/")
        .filter(|code| code.contains('/'));
    let plain = match code.and_then(read_code) {
        Some(code) => format!("/join/{code}"),
        None => format!("/{inside}"),
    };
    (plain != path && local(&plain, "") == plain).then_some(plain)
}

/// A path with the query of a request.
pub fn with_query(path: String, http: &HttpRequest) -> String {
    match http.query_string() {
        "" => path,
        query => format!("{path}?{query}"),
    }
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage<'a> {
    request: &'a RequestContext,
    title: &'static str,
    text: String,
    /// The page to return to after signing in, for a visitor who may see more then.
    next: Option<String>,
    /// What was typed into a form that led to this page, to be copied out of it.
    typed: Vec<&'a str>,
    /// True if it is only the beginning of a text that was too long.
    is_cut: bool,
    /// The page that a pupil may not see now, and perhaps later, when a teacher changes that.
    again: Option<String>,
}

/// Fills in answers that are only a status: with an error page, or a redirect to the sign-in.
pub async fn pages<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let response = next.call(request).await?.map_into_boxed_body();
    let status = response.status();
    let failure = response
        .response()
        .error()
        .and_then(|error| error.as_error::<Failure>());
    if failure.is_none() && (status.as_u16() < 400 || has_content(&response)) {
        return Ok(response);
    }
    if status.is_server_error()
        && let Some(failure) = failure
    {
        let request = response.request();
        tracing::error!(number = %number_of(request), error = %failure, path = %loggable(request), "failed");
    }
    let refused = match failure {
        Some(Failure::Forged) => sent_again(response.request(), true).await,
        Some(Failure::App(AppError::SignIn)) => sent_again(response.request(), false).await,
        _ => None,
    };
    let answer = match failure {
        _ if let Some(answer) = refused => answer,
        Some(Failure::App(AppError::SignIn)) => see(&format!(
            "/sign-in?next={}",
            request::next(&back(response.request()))
        )),
        Some(Failure::Already(page)) => see(page),
        Some(Failure::App(AppError::ProveAgain)) => proof_page(response.request()).await,
        Some(_) if status == StatusCode::SERVICE_UNAVAILABLE => later_page(response.request()),
        failure => {
            let text = match failure {
                Some(failure) if !status.is_server_error() => failure.to_string(),
                _ if status.is_server_error() => {
                    texts::pages::broken(status.as_u16(), number_of(response.request()))
                }
                _ => texts::pages::why_failed(status.as_u16()).to_owned(),
            };
            let title = match failure {
                Some(Failure::App(AppError::Forbidden(NotAllowed::TakenOut))) => {
                    texts::pages::TAKEN_OUT
                }
                _ => texts::pages::failed(status.as_u16()),
            };
            let begins = match failure {
                Some(Failure::TooLong(text)) if !SECRETS.contains(&&*text.field) => &text.begins,
                _ => "",
            };
            let mut answer = error_page(response.request(), status, title, text, begins).await;
            if let Some(Failure::App(AppError::TooOften(seconds))) = failure {
                answer
                    .headers_mut()
                    .insert(header::RETRY_AFTER, (*seconds).into());
            }
            answer
        }
    };
    let (request, _) = response.into_parts();
    Ok(ServiceResponse::new(request, answer))
}

fn has_content(response: &ServiceResponse<BoxBody>) -> bool {
    response.response().error().is_none() && response.headers().contains_key(header::CONTENT_TYPE)
}

/// Asks for the password; the page carries the fields sent.
async fn proof_page(http: &HttpRequest) -> HttpResponse {
    let sent = http.extensions().get::<Fields>().cloned();
    let answer = match RequestContext::of(http).await {
        Ok(request) => prove::ask(&request, http.method(), &sent.unwrap_or_default()).await,
        Err(failure) => Err(failure),
    };
    match answer {
        Ok(answer) => answer,
        Err(failure) => {
            let status = failure.status_code();
            let code = status.as_u16();
            let (title, why) = (texts::pages::failed(code), texts::pages::why_failed(code));
            error_page(http, status, title, why.to_owned(), "").await
        }
    }
}

/// A request that failed for now, to be sent again: with its form, if it had one. Needs no database.
#[derive(Template)]
#[template(path = "later.html")]
struct LaterPage<'a> {
    to: &'a str,
    /// Empty for a page that was requested without a form.
    fields: Fields,
}

/// Seconds until the next attempt.
const LATER: u64 = 5;

impl LaterPage<'_> {
    fn carried(&self) -> Carried<'_> {
        Carried {
            fields: &self.fields,
            without: &[],
        }
    }

    #[expect(clippy::unused_self, reason = "the template asks the page")]
    fn asset(&self, name: &str) -> String {
        assets::address(name)
    }
}

fn later_page(http: &HttpRequest) -> HttpResponse {
    let sent = http.extensions().get::<Fields>().cloned();
    let is_form = sent.is_some();
    let page = LaterPage {
        to: http.path(),
        fields: sent.unwrap_or_default(),
    };
    let mut answer = HttpResponse::ServiceUnavailable();
    answer
        .insert_header((header::CONTENT_TYPE, "text/html; charset=utf-8"))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .insert_header((header::RETRY_AFTER, LATER));
    if !is_form && http.method() == Method::GET {
        answer.insert_header((header::REFRESH, LATER));
    }
    answer.body(page.render().unwrap_or_default())
}

async fn error_page(
    http: &HttpRequest,
    status: StatusCode,
    title: &'static str,
    text: String,
    begins: &str,
) -> HttpResponse {
    let sent = http.extensions().get::<Fields>().cloned();
    // If the visitor cannot be identified either, plain text has to do.
    if let Ok(request) = RequestContext::of(http).await {
        let page = ErrorPage {
            request: &request,
            title,
            text: text.clone(),
            typed: match begins {
                "" => sent.as_ref().map(Carried::texts).unwrap_or_default(),
                begins => vec![begins],
            },
            is_cut: !begins.is_empty(),
            next: (status == StatusCode::NOT_FOUND && request.viewer.is_none())
                .then(|| request::next(&back(http))),
            again: (status == StatusCode::FORBIDDEN
                && request.is_pupil()
                && http.method() == Method::GET)
                .then(|| back(http)),
        };
        if let Ok(answer) = request.page_as(status, &page) {
            return answer;
        }
    }
    HttpResponse::build(status)
        .insert_header((header::CONTENT_TYPE, "text/plain; charset=utf-8"))
        .body(format!("{title}\n\n{text}\n"))
}

/// The page with a form that its sender, or who has come after them, can send again; `is_short` if that is worth it for
/// one without a text, too.
async fn sent_again(http: &HttpRequest, is_short: bool) -> Option<HttpResponse> {
    let sent = http.extensions().get::<Fields>().cloned()?;
    let request = RequestContext::of(http).await.ok()?;
    let is_offered = is_short || !Carried::texts(&sent).is_empty();
    let is_offered = is_offered && is_surely_ours(http, &request.app);
    is_offered.then(|| again::offer(&request, &sent, &back(http)).ok())?
}

/// The page to return to after signing in: the requested page, or the page with the form.
fn back(http: &HttpRequest) -> String {
    if http.method() == Method::GET {
        return http
            .uri()
            .path_and_query()
            .map_or_else(|| "/".to_owned(), ToString::to_string);
    }
    let referer = http
        .headers()
        .get(header::REFERER)
        .and_then(|value| value.to_str().ok())
        .and_then(|address| address.split_once("://"))
        .and_then(|(_, rest)| rest.find('/').map(|slash| rest[slash..].to_owned()));
    referer.unwrap_or_else(|| "/".to_owned())
}

#[cfg(test)]
mod tests {
    use actix_web::App as Site;
    use actix_web::test::{TestRequest, call_and_read_body, init_service};
    use actix_web::web::get;

    use super::*;

    #[actix_web::test]
    async fn nothing_secret_is_logged() {
        let site = Site::new().default_service(get().to(logged));
        let paths = ["/join/{code}", "/card/{user}/{token}", "/team/{id}"];
        let site = paths
            .into_iter()
            .fold(site, |site, path| site.route(path, get().to(logged)));
        let site = init_service(site).await;
        for (path, line) in [
            ("/join/H7T4NX", "/join/{code}"),
            ("/card/otter47/abc", "/card/{user}/{token}"),
            ("/team/abc", "/team/abc"),
            ("/jion/H7T4NX", "(no page)"),
            ("/NT39TW", "(no page)"),
        ] {
            let request = TestRequest::get().uri(path).to_request();
            assert_eq!(call_and_read_body(&site, request).await, line);
        }
    }

    #[test]
    fn no_slashes_lead_to_another_site() {
        for (path, expected) in [
            ("/join/", Some("/join")),
            ("//join//", Some("/join")),
            ("//evil.example/", Some("/evil.example")),
            ("//", Some("/")),
            ("/a//b/", Some("/a//b")),
            ("/join/h7t/4nxp", Some("/join/H7T4NXP")),
            ("/join/h7t/4/nxp/", Some("/join/H7T4NXP")),
            ("/join/H7T4NXP", None),
            ("/join/abcdefghij/h7t4nxp", None),
            ("/", None),
            ("/join", None),
            ("/\\evil.example/", None),
            ("//\\evil.example", None),
        ] {
            assert_eq!(without_slashes(path).as_deref(), expected, "{path}");
        }
    }

    async fn logged(request: HttpRequest) -> String {
        loggable(&request)
    }
}
