//! Rendered pages of matches, kept for the next request.
//!
//! A page depends on the match, on the time, and on the viewer as the [`PageKey`] describes them. Session and version
//! are looked up at every request, in the database that all processes share; the page is given again only if nothing
//! has changed. The match and the viewer decide if the viewer may see the match: so a viewer may see a page made for
//! them again as long as the version is the same.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use actix_web::web::Bytes;

use crate::app::Version;
use crate::web::request::{PageKey, RequestContext};
use perplex_matches::time::Time;

/// Number of bytes kept; above it the cache is emptied.
const MOST: usize = 16 << 20;

#[derive(Default)]
pub struct PageCache(Mutex<Pages>);

#[derive(Default)]
struct Pages {
    by_key: HashMap<PageKey, Page>,
    bytes: usize,
}

#[derive(Clone)]
struct Page {
    version: Version,
    from: Time,
    /// The moment from which it would show other times.
    until: Time,
    html: Bytes,
    /// The proof in its forms: guests with the same key have different ones.
    csrf: String,
}

impl PageCache {
    /// The requested page, if it was kept for this version of its match and still shows the right times.
    pub fn find(&self, request: &RequestContext, version: Version) -> Option<Bytes> {
        let page = {
            let pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            pages.by_key.get(&request.key)?.clone()
        };
        if page.version != version || !(page.from..page.until).contains(&request.now) {
            return None;
        }
        if page.csrf == request.csrf {
            return Some(page.html);
        }
        let html = std::str::from_utf8(&page.html).ok()?;
        Some(html.replace(&page.csrf, &request.csrf).into())
    }

    /// Keeps the page made of this version until it would show other times.
    pub fn keep(&self, request: &RequestContext, version: Version, until: Time, html: &Bytes) {
        let page = Page {
            version,
            from: request.now,
            until,
            html: html.clone(),
            csrf: request.csrf.clone(),
        };
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pages.bytes += html.len();
        if pages.bytes > MOST {
            pages.by_key.clear();
            pages.bytes = html.len();
        }
        if let Some(old) = pages.by_key.insert(request.key.clone(), page) {
            pages.bytes -= old.html.len();
        }
    }
}
