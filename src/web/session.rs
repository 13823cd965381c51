//! Sessions in a browser: how they begin, go on and end there.

use actix_web::HttpResponse;
use actix_web::cookie::Cookie;
use actix_web::cookie::time::Duration;
use actix_web::http::header;
use actix_web::http::header::HeaderValue;

use crate::app::Viewer;
use crate::app::accounts::{DEVICE_DAYS, LONGEST_SESSION_DAYS};
use crate::web::answer::{Answer, see};
use crate::web::cookies::{DEVICE, HALF_WAY, LEFT, NEXT, OTHERS, SESSION, list_of_browser, signed};
use crate::web::request::{GUEST_DAYS, MOST_OTHERS, RequestContext};
use perplex_matches::id::AccountId;

const MOST_LEFT: usize = 20;

impl RequestContext {
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
        signed(&self.app, SESSION, token, Duration::days(days))
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
            let mark = &self.from.browser;
            let cookie = list_of_browser(&self.app, LEFT, mark, &list, Duration::days(1));
            let _ = response.add_cookie(&cookie);
        }
        Ok(response)
    }

    fn others_cookie(&self, tokens: &[&str]) -> Cookie<'static> {
        if tokens.is_empty() {
            return self.cookie(OTHERS, "", Duration::ZERO);
        }
        list_of_browser(
            &self.app,
            OTHERS,
            &self.from.browser,
            tokens,
            Duration::days(365),
        )
    }
}
