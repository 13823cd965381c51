//! The visitor and look of a request.
//!
//! A signed cookie `session` holds the token of a session; visitors have a random signed cookie `visitor`.

use std::future::Future;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;

use actix_web::cookie::Cookie;
use actix_web::cookie::time::Duration;
use actix_web::dev::Payload;
use actix_web::http::header::HeaderValue;
use actix_web::http::{StatusCode, header};
use actix_web::web::{Bytes, Data};
use actix_web::{FromRequest, HttpMessage as _, HttpRequest, HttpResponse};
use askama::Template;

use crate::app::{App, AppError, Credential, Version, Viewer, Visitor};
use crate::secret::hash_token;
use crate::site::SignUpMode;
use crate::texts;
use crate::web::answer::{Answer, Failure};
use crate::web::assets;
use crate::web::cookies;
use crate::web::cookies::{
    DEVICE, GUEST, LEFT, NUMBERED, OTHERS, SESSION, SIGNS, THEME, VISITOR, marked_at, new_mark,
    of_browser, sent, signed, unsigned, verified,
};
use crate::web::fields::LONGEST_QUERY;
use crate::web::forwarded::{address, is_proxied};
use crate::web::places::{ELSEWHERE, is_open_to_guests, may_be_at};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::time::Time;

/// Characters of a browser's description that are kept.
const AGENT: usize = 200;
/// Lifetime of the `guest` cookie, in days.
pub(super) const GUEST_DAYS: i64 = 30;
/// For so long a browser is new, and could be one of many that an attacker has made up.
const YOUNG: std::time::Duration = std::time::Duration::from_mins(10);
/// Number of others that a device remembers.
pub(super) const MOST_OTHERS: usize = 8;
pub const THEMES: [&str; 3] = ["light", "dark", "system"];

#[derive(Clone)]
pub struct RequestContext(Arc<Inner>);

/// Marks a request whose address is too long to stand in a page.
pub struct Unrepeatable;

/// Another pupil who is signed in on the same device.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Other {
    pub account: AccountId,
    pub session: String,
    pub name: String,
    pub token: String,
    /// The session began with the card or the words.
    pub proved: bool,
}

/// All that a page may show of its viewer, except the proof in its forms: pages are kept by this key. So every new
/// thing that pages show of a request belongs here.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PageKey {
    /// The account; `None` for a guest.
    pub viewer: Option<Viewer>,
    /// `light`, `dark` or `system`.
    pub theme: &'static str,
    /// True if chess boards number their squares from 1 to 64.
    pub numbered: bool,
    /// True if boards show the official signs of a game where ours are others.
    pub official_signs: bool,
    /// The requested path, with its query.
    pub path: String,
    /// Other pupils who can go on on this device.
    pub others: Vec<Other>,
}

pub struct Inner {
    pub app: Data<App>,
    pub key: PageKey,
    /// The proof for forms, which belongs to the account, or to the browser of a visitor without one.
    pub csrf: String,
    pub from: Visitor,
    pub now: Time,
    pub(super) secret: String,
    /// The mark of this browser, and if it is a new one.
    browser: String,
    is_new: bool,
}

impl Deref for Inner {
    type Target = PageKey;

    fn deref(&self) -> &PageKey {
        &self.key
    }
}

impl Deref for RequestContext {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl FromRequest for RequestContext {
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Failure>>>>;

    fn from_request(http: &HttpRequest, _: &mut Payload) -> Self::Future {
        let http = http.clone();
        Box::pin(async move { Self::of(&http).await })
    }
}

impl RequestContext {
    /// The visitor behind the request.
    pub async fn of(http: &HttpRequest) -> Result<Self, Failure> {
        if let Some(known) = http.extensions().get::<Self>() {
            return Ok(known.clone());
        }
        Ok(Self::at(http, None).await?.0)
    }

    /// The visitor behind the request, and how far the match has come, if there is one with this id; looked up
    /// together.
    pub async fn at(
        http: &HttpRequest,
        id: Option<&MatchId>,
    ) -> Result<(Self, Option<Version>), Failure> {
        let app = http
            .app_data::<Data<App>>()
            .ok_or_else(|| AppError::Internal("no application".to_owned()))?
            .clone();
        let keys = cookies::keys(&app);
        let session = verified(&app, http, SESSION, &keys).map(Credential::Account);
        let credential = session.or_else(|| {
            is_open_to_guests(http)
                .then(|| verified(&app, http, GUEST, &keys).map(Credential::Guest))?
        });
        let (viewer, version) = app.resolve_session(credential.as_ref(), id).await?;
        let token = credential.map(Credential::into_token);
        let now = app.now();
        let browser = verified(&app, http, VISITOR, &keys);
        let is_new = browser.is_none();
        let browser = browser.unwrap_or_else(|| new_mark(now));
        let mark = hash_token(&browser);
        let tokens = of_browser(&app, http, OTHERS, &keys, &mark);
        let others = others(&app, tokens, token.as_deref()).await?;
        let is_account = viewer.as_ref().is_some_and(|viewer| !viewer.is_guest);
        let known = token.filter(|_| is_account);
        let secret = known.unwrap_or_else(|| browser.clone());
        let cookie = sent(&app, http, THEME);
        let wish = match (&viewer, &cookie) {
            (Some(viewer), _) => viewer.preferences.theme.as_str(),
            (None, Some(cookie)) => cookie.value(),
            (None, None) => "system",
        };
        let left = of_browser(&app, http, LEFT, &keys, &mark);
        let left = left.into_iter().map(AccountId).collect();
        let pupil = viewer.iter().filter(|viewer| viewer.class.is_some());
        let signed_in = pupil
            .map(|viewer| (&viewer.id, viewer.lesson.is_none()))
            .chain(others.iter().map(|other| (&other.account, other.proved)));
        let proved = signed_in.clone().filter(|(_, proved)| *proved);
        let proved = proved.map(|(pupil, _)| pupil.clone()).collect();
        let signed_in = signed_in.map(|(pupil, _)| pupil.clone()).collect();
        let wishes = |name| sent(&app, http, name).is_some_and(|cookie| cookie.value() == "1");
        let page = PageKey {
            theme: known_theme(wish),
            numbered: viewer
                .as_ref()
                .map_or_else(|| wishes(NUMBERED), |viewer| viewer.preferences.numbered),
            official_signs: viewer
                .as_ref()
                .map_or_else(|| wishes(SIGNS), |viewer| viewer.preferences.official_signs),
            path: http
                .uri()
                .path_and_query()
                .filter(|_| !http.extensions().contains::<Unrepeatable>())
                .map_or_else(|| "/".to_owned(), ToString::to_string),
            others,
            viewer,
        };
        let account = page.viewer.as_ref().filter(|viewer| !viewer.is_guest);
        let csrf = app.proof(sender(account, &browser));
        let guest = page.viewer.as_ref().filter(|viewer| viewer.is_guest);
        let guest = guest.map(|viewer| viewer.id.clone());
        let address = address(http);
        let request = Self(Arc::new(Inner {
            key: page,
            csrf,
            from: Visitor {
                is_untold: address.is_none() && is_proxied(http),
                address: address.map_or_else(String::new, |address| address.to_string()),
                agent: text(http, &header::USER_AGENT)
                    .unwrap_or_default()
                    .chars()
                    .take(AGENT)
                    .collect(),
                device: sent(&app, http, DEVICE)
                    .map_or_else(String::new, |cookie| cookie.value().to_owned()),
                browser: mark,
                is_new,
                guest,
                is_young: marked_at(&browser) + YOUNG > now,
                signed_in,
                proved,
                left,
            },
            now,
            secret,
            browser,
            is_new,
            app,
        }));
        http.extensions_mut().insert(request.clone());
        if request
            .viewer
            .as_ref()
            .is_some_and(|viewer| !may_be_at(viewer, http))
        {
            return Err(ELSEWHERE);
        }
        Ok((request, version))
    }

    /// The account; a guest is asked to sign in.
    pub fn viewer(&self) -> Result<&Viewer, Failure> {
        self.viewer.as_ref().ok_or(Failure::App(AppError::SignIn))
    }

    /// The account of a visitor who has one; `None` for a guest.
    pub fn account(&self) -> Option<&Viewer> {
        self.viewer.as_ref().filter(|viewer| !viewer.is_guest)
    }

    /// The visitor as a guest who plays without an account.
    pub fn guest(&self) -> Option<&Viewer> {
        self.viewer.as_ref().filter(|viewer| viewer.is_guest)
    }

    /// The same request after its session got another token.
    #[must_use]
    pub fn renewed(&self, token: &str) -> Self {
        Self(Arc::new(Inner {
            app: self.app.clone(),
            key: self.key.clone(),
            csrf: self.csrf.clone(),
            from: self.from.clone(),
            now: self.now,
            secret: token.to_owned(),
            browser: self.browser.clone(),
            is_new: false,
        }))
    }

    /// The cookie by which a guest is known.
    pub fn guest_cookie(&self, token: &str) -> Cookie<'static> {
        signed(&self.app, GUEST, token, Duration::days(365))
    }

    /// True if this browser is known as a guest's, also where guests are visitors.
    pub fn is_from_guest(&self, http: &HttpRequest) -> bool {
        self.sent_cookie(http, GUEST).is_some()
    }

    /// True if the session of this request has not ended meanwhile, or can't be looked up now.
    pub async fn is_still_signed_in(&self) -> bool {
        match (&self.viewer, self.token()) {
            (Some(_), Some(token)) => self.app.session_is_good(token).await.unwrap_or(true),
            _ => true,
        }
    }

    /// True if visitors make accounts by themselves.
    pub fn can_sign_up(&self) -> bool {
        self.app.site.sign_up == SignUpMode::Open
    }

    pub fn is_pupil(&self) -> bool {
        self.viewer
            .as_ref()
            .is_some_and(|viewer| viewer.class.is_some())
    }

    pub fn token(&self) -> Option<&str> {
        self.account().map(|_| self.secret.as_str())
    }

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "templates have references"
    )]
    pub fn when(&self, time: &Time) -> String {
        texts::moment(*time, self.zone(), self.now)
    }

    pub fn dated(&self, time: Time) -> String {
        texts::dated(time, self.zone())
    }

    /// The text for a moment of an event that began at `begun`.
    pub fn during(&self, time: Time, begun: Option<Time>) -> String {
        texts::during(time, begun, self.zone())
    }

    fn zone(&self) -> chrono_tz::Tz {
        self.viewer
            .as_ref()
            .map_or(chrono_tz::Tz::UTC, Viewer::zone)
    }

    pub fn coordinates(&self) -> bool {
        self.viewer
            .as_ref()
            .is_none_or(|viewer| viewer.preferences.coordinates)
    }

    #[expect(clippy::unused_self, reason = "templates reach it through the request")]
    pub fn asset(&self, name: &str) -> String {
        assets::address(name)
    }

    /// An address of this installation as people type it: without `https://`.
    pub fn typed(&self, path: &str) -> String {
        format!("{}{path}", self.app.typed_address())
    }

    pub fn themes(&self) -> [(&'static str, &'static str, bool); 3] {
        THEMES.map(|key| (key, texts::theme(key), key == self.theme))
    }

    /// True if the page is in this part of the site, for the navigation.
    pub fn within(&self, part: &str) -> bool {
        self.path
            .strip_prefix(part)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
    }

    pub fn next(&self) -> String {
        next(&self.path)
    }

    /// Whom the proof and the number of a form are good for.
    pub fn sender(&self) -> &str {
        sender(self.account(), &self.browser)
    }

    /// Tells a page whether it still has its reader: the account, empty for none.
    pub fn account_mark(&self) -> &str {
        self.account().map_or("", |account| &account.id.0)
    }

    /// A number for a form that makes something, which only accounts do.
    pub fn once(&self) -> Option<String> {
        self.account().map(|account| self.app.once(&account.id))
    }

    /// The sign-in that leads back to this page, if it is one to come back to.
    pub fn sign_in(&self) -> String {
        const ON_THE_WAY: [&str; 7] = [
            "/sign-in",
            "/sign-up",
            "/sign-out",
            "/verify",
            "/reset",
            "/email",
            "/old-address",
        ];
        if self.within("/sign-in") && !self.within("/sign-in/code") {
            self.path.clone()
        } else if self.path == "/" || ON_THE_WAY.iter().any(|part| self.within(part)) {
            "/sign-in".to_owned()
        } else {
            format!("/sign-in?next={}", self.next())
        }
    }

    pub fn page(&self, template: &impl Template) -> Answer {
        self.page_as(StatusCode::OK, template)
    }

    /// A page with another status than 200.
    pub fn page_as(&self, status: StatusCode, template: &impl Template) -> Answer {
        let mut html = String::with_capacity(32 * 1024);
        template.render_into(&mut html)?;
        Ok(self.html(status, html))
    }

    #[expect(clippy::unnecessary_wraps, reason = "handlers end with it")]
    pub fn fragment(&self, html: String) -> Answer {
        Ok(self.html(StatusCode::OK, html))
    }

    pub fn html(&self, status: StatusCode, html: impl Into<Bytes>) -> HttpResponse {
        let mut response = HttpResponse::build(status);
        response
            .insert_header((
                header::CONTENT_TYPE,
                HeaderValue::from_static("text/html; charset=utf-8"),
            ))
            .insert_header((
                header::CACHE_CONTROL,
                HeaderValue::from_static(match self.viewer {
                    // There may be talk or phrases on it: the next user of the device must not find them by going
                    // back.
                    Some(_) => "no-store",
                    None => "private, no-cache",
                }),
            ));
        if self.viewer.is_none() && self.is_new {
            response.cookie(self.browser_cookie(GUEST_DAYS));
        }
        response.body(html.into())
    }

    /// The cookie with the mark of this browser.
    pub(super) fn browser_cookie(&self, days: i64) -> Cookie<'static> {
        signed(&self.app, VISITOR, &self.browser, Duration::days(days))
    }

    /// The [`cookie`](Self::cookie) that the browser sent back.
    pub fn sent_cookie(&self, http: &HttpRequest, name: &'static str) -> Option<Cookie<'static>> {
        sent(&self.app, http, name)
    }

    /// A cookie that scripts can't read and other sites can't send along.
    pub fn cookie(&self, name: &'static str, value: &str, age: Duration) -> Cookie<'static> {
        unsigned(&self.app, name, value, age)
    }
}

/// Whom a form of a page is from: the account, or the browser. A guest is a visitor elsewhere: the forms of both have one
/// proof.
fn sender<'a>(account: Option<&'a Viewer>, browser: &'a str) -> &'a str {
    account.map_or(browser, |account| &account.id.0)
}

/// The page to come back to, for a query; the first page where that would be too long for one.
pub fn next(path: &str) -> String {
    let next = texts::encode(path);
    if next.len() < LONGEST_QUERY - 100 {
        next
    } else {
        texts::encode("/")
    }
}

pub fn known_theme(key: &str) -> &'static str {
    THEMES
        .into_iter()
        .find(|known| *known == key)
        .unwrap_or("system")
}

pub(super) fn text<'a>(http: &'a HttpRequest, name: &header::HeaderName) -> Option<&'a str> {
    http.headers().get(name)?.to_str().ok()
}

/// The other pupils who can go on on this device, in the order in which they last did.
async fn others(
    app: &App,
    mut tokens: Vec<String>,
    current: Option<&str>,
) -> Result<Vec<Other>, Failure> {
    tokens.retain(|token| Some(&**token) != current);
    tokens.truncate(MOST_OTHERS);
    if tokens.is_empty() {
        return Ok(Vec::new());
    }
    let found = app.pupils_on_device(tokens).await?;
    Ok(found
        .into_iter()
        .map(|(token, row)| Other {
            account: row.account,
            session: row.session,
            name: row.name,
            token,
            proved: row.lesson.is_none(),
        })
        .collect())
}
