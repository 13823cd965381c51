use askama::Template;

use crate::web::request::RequestContext;

/// A page with one message, and perhaps one button.
#[derive(Template)]
#[template(path = "message.html")]
pub struct Message<'a> {
    pub request: &'a RequestContext,
    pub title: &'a str,
    pub text: &'a str,
    /// The address to which the button posts, and its label.
    pub button: Option<(&'a str, &'a str)>,
}
