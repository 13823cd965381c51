//! Pages of matches, kept as they were made.
//!
//! A page depends on the match, on who looks at it and on the time, and on nothing else. So it is
//! kept with what it was made from: the match's [`Version`], the viewer, and the moment from which
//! on it would tell the time differently. Session and version are looked up at every request, in
//! the database that all processes share; only when nothing has changed is the page given again,
//! to that viewer alone (guests see all the same). Whether the viewer may see the match follows
//! from the match and the viewer: a page that was made for a viewer may be seen again by this one as
//! long as the version is the same.
//!
//! The proof in its forms belongs to a session: another session of the same viewer gets its own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use actix_web::web::Bytes;

use crate::app::Viewer;
use crate::app::post::MatchView;
use crate::store::journal::Version;
use crate::web::request::{PageViewer, RequestContext};
use crate::web::words;
use perplex_matches::id::MatchId;
use perplex_matches::time::Time;

/// How many bytes are kept; then it begins anew.
const MOST: usize = 16 << 20;

#[derive(Default)]
pub struct PageCache(Mutex<Pages>);

#[derive(Default)]
struct Pages {
    by_match: HashMap<MatchId, HashMap<PageViewer, Arc<Page>>>,
    bytes: usize,
}

struct Page {
    version: Version,
    viewer: Option<Viewer>,
    from: Time,
    until: Time,
    /// The page, with the proof of the session for which it was made.
    html: Bytes,
    csrf: String,
}

impl Page {
    fn is_right(&self, request: &RequestContext, version: Version) -> bool {
        let same = match (&self.viewer, &request.viewer) {
            (Some(made), Some(asks)) => made.sees_as(asks),
            (None, None) => true,
            _ => false,
        };
        same && self.version == version && (self.from..self.until).contains(&request.now)
    }
}

impl PageCache {
    /// The page about match `id`, which has this version, if it was kept and is right.
    pub fn find(&self, request: &RequestContext, id: &MatchId, version: Version) -> Option<Bytes> {
        // The head of the page names them, who are this device's, not the viewer's.
        if !request.others.is_empty() {
            return None;
        }
        let page = {
            let pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(pages.by_match.get(id)?.get(&request.who())?)
        };
        if !page.is_right(request, version) {
            return None;
        }
        if page.csrf == request.csrf {
            return Some(page.html.clone());
        }
        let html = std::str::from_utf8(&page.html).ok()?;
        Some(html.replace(&page.csrf, &request.csrf).into())
    }

    /// Keeps the page that was made of `view` for this visitor.
    pub fn keep(&self, request: &RequestContext, view: &MatchView, html: &Bytes) {
        if !request.others.is_empty() {
            return;
        }
        let page = Page {
            version: view.version,
            viewer: request.viewer.clone(),
            from: request.now,
            until: words::left_until(request.now, view.state.deadline),
            html: html.clone(),
            csrf: request.csrf.clone(),
        };
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pages.bytes += page.html.len();
        if pages.bytes > MOST {
            pages.by_match.clear();
            pages.bytes = page.html.len();
        }
        let of_match = pages.by_match.entry(view.id.clone()).or_default();
        if let Some(old) = of_match.insert(request.who(), Arc::new(page)) {
            pages.bytes -= old.html.len();
        }
    }
}
