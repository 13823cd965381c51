//! The visitor and look of a request, and the cookies by which a browser is known.
//!
//! A signed cookie `session` holds the token of a session; visitors have a random signed cookie
//! `visitor`. The signature of each cookie covers its name.

use std::borrow::Cow;
use std::future::Future;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;

use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, CookieJar, Key, SameSite};
use actix_web::dev::Payload;
use actix_web::http::header::HeaderValue;
use actix_web::http::{StatusCode, header};
use actix_web::web::{Bytes, Data};
use actix_web::{FromRequest, HttpMessage as _, HttpRequest, HttpResponse};
use askama::Template;

use crate::app::accounts::{DEVICE_DAYS, LONGEST_SESSION_DAYS};
use crate::app::{App, AppError, Credential, Viewer, Visitor};
use crate::secret::{hash_token, random_token};
use crate::site::SignUpMode;
use crate::store::journal::Version;
use crate::texts;
use crate::web::answer::{Answer, Failure, see};
use crate::web::assets;
use crate::web::fields::LONGEST_QUERY;
use crate::web::forwarded::{address, is_proxied};
use crate::web::places::{ELSEWHERE, is_open_to_guests, may_be_at};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::time::Time;

const SESSION: &str = "session";
/// Characters of a browser's description that are kept.
const AGENT: usize = 200;
const VISITOR: &str = "visitor";
/// The session of a visitor who plays without an account.
const GUEST: &str = "guest";
/// The cookie with the tokens of the sessions of other pupils on the same device.
const OTHERS: &str = "others";
/// For so many days a guest's browser keeps its mark.
const GUEST_DAYS: i64 = 30;
const MINUTE: i64 = 60_000_000;
/// For so long a browser is new, and could be one of many that an attacker has made up.
const YOUNG: std::time::Duration = std::time::Duration::from_mins(10);
/// Number of others that a device remembers.
const MOST_OTHERS: usize = 8;
/// The cookie with the browser, and the pupils who have signed out in it: a card opened here again, say from the
/// history, is not enough.
const LEFT: &str = "left";
const MOST_LEFT: usize = 20;
/// Stands between the name and the value that are signed together.
const TAGGED: char = '-';
/// The cookie with the proof that an account was signed in to on this device.
const DEVICE: &str = "device";
/// The cookie with the proof that the right password was typed, until the code of the second factor is, too.
pub const HALF_WAY: &str = "half-way";
pub const THEME: &str = "theme";
/// The cookie of guests who want the squares of chess boards numbered.
pub const NUMBERED: &str = "numbered";
/// The cookie of guests who want the official signs of games.
pub const SIGNS: &str = "signs";
/// The cookie with the page that a visitor wanted before signing up.
pub const NEXT: &str = "next";
/// Every page with a form gives its visitor one of these.
pub(super) const COOKIES_OF_VISITORS: [&str; 3] = [SESSION, GUEST, VISITOR];
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
    secret: String,
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
        let keys = cookie_keys(&app);
        let session = signed(&app, http, SESSION, &keys).map(Credential::Account);
        let credential = session.or_else(|| {
            is_open_to_guests(http)
                .then(|| signed(&app, http, GUEST, &keys).map(Credential::Guest))?
        });
        let (viewer, version) = app.resolve_session(credential.as_ref(), id).await?;
        let token = credential.map(Credential::into_token);
        let now = app.now();
        let browser = signed(&app, http, VISITOR, &keys);
        let is_new = browser.is_none();
        let browser = browser.unwrap_or_else(|| new_mark(now));
        let mark = hash_token(&browser);
        let tokens = of_browser(&app, http, OTHERS, &keys, &mark);
        let others = others(&app, tokens, token.as_deref()).await?;
        let is_account = viewer.as_ref().is_some_and(|viewer| !viewer.is_guest);
        let known = token.filter(|_| is_account);
        let secret = known.unwrap_or_else(|| browser.clone());
        let cookie = app_cookie(&app, http, THEME);
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
        let wishes =
            |name| app_cookie(&app, http, name).is_some_and(|cookie| cookie.value() == "1");
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
                device: app_cookie(&app, http, DEVICE)
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

    /// The cookie by which a guest is known.
    pub fn guest_cookie(&self, token: &str) -> Cookie<'static> {
        self.signed_cookie(GUEST, token, Duration::days(365))
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

    /// Starts a session in this browser and goes to `next`. A pupil who was signed in here stays so, in the
    /// background; another account is signed out, so that no pupil can go on as their teacher.
    pub async fn begin_session(&self, token: &str, next: &str) -> Answer {
        let viewer = self.app.viewer(token).await?;
        let is_new = |before: &Viewer| viewer.as_ref().is_none_or(|new| new.id != before.id);
        let mut others: Vec<&str> = Vec::new();
        match self.account() {
            Some(before) if before.class.is_some() && is_new(before) => others.push(&self.secret),
            Some(_) if self.secret == token => {}
            Some(_) => self.app.sign_out(&self.secret).await?,
            None => {}
        }
        others.extend(self.others.iter().map(|other| other.token.as_str()));
        others.retain(|other| *other != token);
        others.truncate(MOST_OTHERS);
        let mut response = see(next);
        let cookies = [
            self.session_cookie(token),
            self.others_cookie(&others),
            self.cookie(HALF_WAY, "", Duration::ZERO),
            self.cookie(NEXT, "", Duration::ZERO),
            // It says whose device this is, and must not run out before the session.
            self.browser_cookie(i64::try_from(LONGEST_SESSION_DAYS).unwrap_or(0) + GUEST_DAYS),
        ];
        for cookie in cookies {
            // Only a cookie that is no valid header is refused, and these are hexadecimal.
            let _ = response.add_cookie(&cookie);
        }
        if let Some(viewer) = viewer.filter(|viewer| viewer.class.is_none()) {
            self.know(&mut response, &self.app.device(&viewer.id).await?);
        }
        Ok(response)
    }

    fn session_cookie(&self, token: &str) -> Cookie<'static> {
        let days = i64::try_from(LONGEST_SESSION_DAYS).unwrap_or(0);
        self.signed_cookie(SESSION, token, Duration::days(days))
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

    /// Gives the browser the token of a [renewed](Self::renewed) session, after its account got other credentials:
    /// with them the device becomes known again.
    pub async fn keep_session(&self, mut response: HttpResponse) -> Answer {
        let _ = response.add_cookie(&self.session_cookie(&self.secret));
        self.know(&mut response, &self.app.device(&self.viewer()?.id).await?);
        Ok(response)
    }

    /// Makes this device a known one of an account, by the proof of it.
    pub fn know(&self, response: &mut HttpResponse, proof: &str) {
        let days = i64::try_from(DEVICE_DAYS).unwrap_or(0);
        let _ = response.add_cookie(&self.cookie(DEVICE, proof, Duration::days(days)));
    }

    /// Signs out in this browser the account, or, with `everybody`, all accounts on this device; then goes to `next`.
    pub async fn end_session(&self, everybody: bool, next: &str) -> Answer {
        if let Some(token) = self.token() {
            self.app.leave_device(token, &self.from).await?;
        }
        let mut response = see(next);
        let _ = response.add_cookie(&self.cookie(SESSION, "", Duration::ZERO));
        if self.is_pupil() || !self.others.is_empty() {
            // The device may be shared. Pages are not kept anyway; browsers take long to clear the cache.
            response.headers_mut().insert(
                header::CLEAR_SITE_DATA,
                HeaderValue::from_static("\"storage\""),
            );
        }
        let pupil = self.viewer.iter().filter(|viewer| viewer.class.is_some());
        let mut left: Vec<&AccountId> = pupil.map(|viewer| &viewer.id).collect();
        if everybody {
            for other in &self.others {
                self.app.leave_device(&other.token, &self.from).await?;
                left.push(&other.account);
            }
            let _ = response.add_cookie(&self.others_cookie(&[]));
        }
        if !left.is_empty() {
            let before = self.from.left.iter().filter(|id| !left.contains(id));
            let mut list: Vec<&str> = left.iter().map(|id| id.0.as_str()).collect();
            list.extend(before.map(|id| id.0.as_str()));
            list.truncate(MOST_LEFT);
            let _ = response.add_cookie(&self.cookie_of_browser(LEFT, &list, Duration::days(1)));
        }
        Ok(response)
    }

    fn browser_cookie(&self, days: i64) -> Cookie<'static> {
        self.signed_cookie(VISITOR, &self.browser, Duration::days(days))
    }

    fn others_cookie(&self, tokens: &[&str]) -> Cookie<'static> {
        if tokens.is_empty() {
            return self.cookie(OTHERS, "", Duration::ZERO);
        }
        self.cookie_of_browser(OTHERS, tokens, Duration::days(365))
    }

    /// A cookie with a list that this browser alone can give back.
    fn cookie_of_browser(
        &self,
        name: &'static str,
        list: &[&str],
        age: Duration,
    ) -> Cookie<'static> {
        let mut parts = vec![self.from.browser.as_str()];
        parts.extend(list);
        self.signed_cookie(name, &parts.join("."), age)
    }

    /// The [`cookie`](Self::cookie) that the browser sent back.
    pub fn sent_cookie(&self, http: &HttpRequest, name: &'static str) -> Option<Cookie<'static>> {
        app_cookie(&self.app, http, name)
    }

    /// A cookie that scripts can't read and other sites can't send along.
    pub fn cookie(&self, name: &'static str, value: &str, age: Duration) -> Cookie<'static> {
        let secure = self.app.is_https();
        Cookie::build(cookie_name(name, secure), value.to_owned())
            .path("/")
            .http_only(true)
            .same_site(SameSite::Lax)
            .secure(secure)
            .max_age(age)
            .finish()
    }

    fn signed_cookie(&self, name: &'static str, value: &str, age: Duration) -> Cookie<'static> {
        let mut jar = CookieJar::new();
        let value = format!("{name}{TAGGED}{value}");
        let keys = cookie_keys(&self.app);
        if let Some(key) = keys.first() {
            jar.signed_mut(key).add(self.cookie(name, &value, age));
        }
        jar.get(&cookie_name(name, self.app.is_https()))
            .cloned()
            .unwrap_or_else(|| self.cookie(name, "", age))
    }
}

/// The way in which a page is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opening {
    /// Its reader opens it, and has it in front.
    ByReader,
    /// It loads itself anew, or the browser fetches it beforehand: perhaps nobody sees it.
    ByItself,
    /// A script fetches it, or a browser that does not say.
    Unknown,
}

pub fn opening(http: &HttpRequest) -> Opening {
    let said = |name: &str| {
        let value = http.headers().get(name);
        value.and_then(|value| value.to_str().ok()).unwrap_or("")
    };
    if said("Sec-Fetch-Mode") != "navigate" {
        return Opening::Unknown;
    }
    let by_page = said("Sec-Fetch-Site") == "same-origin" && said("Sec-Fetch-User").is_empty();
    if by_page || said("Sec-Purpose").contains("prefetch") {
        Opening::ByItself
    } else {
        Opening::ByReader
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

/// The name of a cookie: browsers take `__Host-` only from this very host, over https.
fn cookie_name(name: &'static str, secure: bool) -> Cow<'static, str> {
    if secure {
        format!("__Host-{name}").into()
    } else {
        name.into()
    }
}

pub(super) fn app_cookie(
    app: &App,
    http: &HttpRequest,
    name: &'static str,
) -> Option<Cookie<'static>> {
    http.cookie(&cookie_name(name, app.is_https()))
}

/// The keys of the signatures of cookies: that of new ones first, then those that are still good.
fn cookie_keys(app: &App) -> Vec<Key> {
    let good = app.key.good();
    good.iter().map(|bytes| Key::from(bytes)).collect()
}

fn signed(app: &App, http: &HttpRequest, name: &'static str, keys: &[Key]) -> Option<String> {
    let cookie = app_cookie(app, http, name)?;
    let verified = |key| CookieJar::new().signed(key).verify(cookie.clone());
    let signed = keys.iter().find_map(verified)?;
    match signed.value().split_once(TAGGED) {
        Some((tag, value)) => (tag == name).then(|| value.to_owned()),
        // Cookies of before 2026-11-27. A guest's token is no account's all the same: see `Credential`.
        None => COOKIES_OF_VISITORS
            .contains(&name)
            .then(|| signed.value().to_owned()),
    }
}

/// The list in a cookie [of this browser](RequestContext::cookie_of_browser), which has this mark. With the mark of another one it
/// says nothing: whoever deletes the mark has not left what was done under it.
fn of_browser(
    app: &App,
    http: &HttpRequest,
    name: &'static str,
    keys: &[Key],
    mark: &str,
) -> Vec<String> {
    let list = signed(app, http, name, keys).unwrap_or_default();
    let mut parts = list.split('.');
    if parts.next() == Some(mark) {
        parts.map(str::to_owned).collect()
    } else {
        Vec::new()
    }
}

/// A mark that tells a browser from others, with the minute in which it was given.
fn new_mark(now: Time) -> String {
    format!("{}.{}", random_token(), now.0 / MINUTE)
}

/// The time when a mark was given; marks of earlier versions are old.
fn marked_at(mark: &str) -> Time {
    let minute = mark
        .rsplit_once('.')
        .and_then(|(_, minute)| minute.parse().ok());
    Time(minute.unwrap_or(0) * MINUTE)
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
