//! The page for a form that was refused though nothing may be wrong with it, since somebody else is signed in now, or
//! nobody: it comes back with its fields, and one button sends it again.

use actix_web::http::StatusCode;
use askama::Template;

use crate::texts;
use crate::web::answer::Answer;
use crate::web::carried::Carried;
use crate::web::fields::Fields;
use crate::web::request::{self, RequestContext};

/// The fields that each page has itself.
const OWN: [&str; 2] = ["csrf", "once"];

#[derive(Template)]
#[template(path = "again.html")]
struct AgainPage<'a> {
    request: &'a RequestContext,
    title: &'static str,
    why: String,
    button: String,
    fields: &'a Fields,
    carried: Carried<'a>,
    /// The page to come to by signing in, for somebody who is not.
    sign_in: Option<String>,
}

/// The page with a form that came from the page `from`.
pub fn offer(request: &RequestContext, fields: &Fields, from: &str) -> Answer {
    let name = request.account().map(|viewer| viewer.name.as_str());
    let page = AgainPage {
        request,
        title: texts::refusal::NOT_SENT,
        why: texts::refusal::not_sent(name),
        button: texts::refusal::send_again(name),
        fields,
        carried: Carried {
            fields,
            without: &OWN,
        },
        sign_in: name.is_none().then(|| request::next(from)),
    };
    request.page_as(StatusCode::FORBIDDEN, &page)
}
