//! Whether a page that has been open for long shows what a fresh one would.

use serde_json::Value;

use super::person::Person;

/// What is not on the page that a fresh one has, in words and pieces; what passes with time is left out.
const STALE: &str = "const done = arguments[arguments.length - 1]; \
    const said = (part) => { \
        const copy = part.cloneNode(true); \
        for (const passing of copy.querySelectorAll('#clock, time, .unread, .there, .crew td:last-child')) passing.remove(); \
        const pieces = [...copy.querySelectorAll('use')].map((use) => ['href', 'x', 'y'].map((name) => use.getAttribute(name))); \
        return copy.textContent.replace(/\\s+/g, ' ') + pieces.sort().join(); }; \
    const parts = (page) => [...page.querySelectorAll('[data-of]')].filter(({ id }) => id !== 'needs'); \
    fetch(location.href).then((answer) => answer.text()).then((text) => { \
        const fresh = new DOMParser().parseFromString(text, 'text/html'); \
        const ids = (page) => parts(page).map(({ id }) => id).join(); \
        const old = parts(fresh).filter((part) => { \
            const here = document.getElementById(part.id); \
            return !here || said(here) !== said(part); }); \
        done(old.map(({ id }) => id).join() + (ids(fresh) === ids(document) ? '' : ' other parts')); \
    }, (error) => done(String(error)));";

impl Person {
    /// Waits until the page shows what a fresh one would.
    pub async fn is_as_fresh(&self) {
        self.patiently("a page like a fresh one", async || {
            match self.client.execute_async(STALE, Vec::new()).await {
                Ok(Value::String(old)) if old.is_empty() => Ok(()),
                other => Err(format!("{other:?}")),
            }
        })
        .await;
    }
}
