use askama::Template;

use crate::web::request::RequestContext;

/// A page that says one thing, and may have one button.
#[derive(Template)]
#[template(path = "message.html")]
pub struct Message<'a> {
    pub request: &'a RequestContext,
    pub title: &'a str,
    pub text: &'a str,
    /// Where the button posts to, and what it says.
    pub button: Option<(&'a str, &'a str)>,
}
