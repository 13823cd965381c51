//! The cookies by which a browser is known: their names, signatures and marks. The signature of each covers its name.

use std::borrow::Cow;

use actix_web::HttpRequest;
use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, CookieJar, Key, SameSite};

use crate::app::App;
use crate::secret::random_token;
use perplex_matches::time::Time;

/// The token of a session.
pub const SESSION: &str = "session";
/// The mark of a browser.
pub const VISITOR: &str = "visitor";
/// The session of a visitor who plays without an account.
pub const GUEST: &str = "guest";
/// The cookie with the tokens of the sessions of other pupils on the same device.
pub const OTHERS: &str = "others";
/// The cookie with the browser, and the pupils who have signed out in it: a card opened here again, say from the
/// history, is not enough.
pub const LEFT: &str = "left";
/// The cookie with the proof that an account was signed in to on this device.
pub const DEVICE: &str = "device";
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
pub const OF_VISITORS: [&str; 3] = [SESSION, GUEST, VISITOR];
/// Stands between the name and the value that are signed together.
const TAGGED: char = '-';
const MINUTE: i64 = 60_000_000;

/// The name of a cookie: browsers take `__Host-` only from this very host, over https.
fn cookie_name(name: &'static str, secure: bool) -> Cow<'static, str> {
    if secure {
        format!("__Host-{name}").into()
    } else {
        name.into()
    }
}

/// A cookie that scripts can't read and other sites can't send along.
pub fn unsigned(app: &App, name: &'static str, value: &str, age: Duration) -> Cookie<'static> {
    let secure = app.is_https();
    Cookie::build(cookie_name(name, secure), value.to_owned())
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(secure)
        .max_age(age)
        .finish()
}

/// An [`unsigned`] cookie whose value nobody else can have made.
pub fn signed(app: &App, name: &'static str, value: &str, age: Duration) -> Cookie<'static> {
    let mut jar = CookieJar::new();
    let value = format!("{name}{TAGGED}{value}");
    if let Some(key) = keys(app).first() {
        jar.signed_mut(key).add(unsigned(app, name, &value, age));
    }
    jar.get(&cookie_name(name, app.is_https()))
        .cloned()
        .unwrap_or_else(|| unsigned(app, name, "", age))
}

/// A cookie with a list that the browser with this mark alone can give back.
pub fn list_of_browser(
    app: &App,
    name: &'static str,
    mark: &str,
    list: &[&str],
    age: Duration,
) -> Cookie<'static> {
    let mut parts = vec![mark];
    parts.extend(list);
    signed(app, name, &parts.join("."), age)
}

/// The [`unsigned`] cookie that the browser sent back.
pub fn sent(app: &App, http: &HttpRequest, name: &'static str) -> Option<Cookie<'static>> {
    http.cookie(&cookie_name(name, app.is_https()))
}

/// The keys of the signatures of cookies: that of new ones first, then those that are still good.
pub fn keys(app: &App) -> Vec<Key> {
    let good = app.key.good();
    good.iter().map(|bytes| Key::from(bytes)).collect()
}

/// The value of the [`signed`] cookie that the browser sent back, if one of the keys is that of its signature.
pub fn verified(app: &App, http: &HttpRequest, name: &'static str, keys: &[Key]) -> Option<String> {
    let cookie = sent(app, http, name)?;
    let verify = |key| CookieJar::new().signed(key).verify(cookie.clone());
    let signed = keys.iter().find_map(verify)?;
    match signed.value().split_once(TAGGED) {
        Some((tag, value)) => (tag == name).then(|| value.to_owned()),
        // Cookies of before 2026-11-27. A guest's token is no account's all the same: see [`Credential`](crate::app::Credential).
        None => OF_VISITORS
            .contains(&name)
            .then(|| signed.value().to_owned()),
    }
}

/// The list in a cookie [of this browser](list_of_browser), which has this mark. With the mark of another one it
/// says nothing: whoever deletes the mark has not left what was done under it.
pub fn of_browser(
    app: &App,
    http: &HttpRequest,
    name: &'static str,
    keys: &[Key],
    mark: &str,
) -> Vec<String> {
    let list = verified(app, http, name, keys).unwrap_or_default();
    let mut parts = list.split('.');
    if parts.next() == Some(mark) {
        parts.map(str::to_owned).collect()
    } else {
        Vec::new()
    }
}

/// A mark that tells a browser from others, with the minute in which it was given.
pub fn new_mark(now: Time) -> String {
    format!("{}.{}", random_token(), now.0 / MINUTE)
}

/// The time when a mark was given; marks of earlier versions are old.
pub fn marked_at(mark: &str) -> Time {
    let minute = mark
        .rsplit_once('.')
        .and_then(|(_, minute)| minute.parse().ok());
    Time(minute.unwrap_or(0) * MINUTE)
}
