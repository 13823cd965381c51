use askama::Template;

use crate::texts::pages;
use crate::web::request::RequestContext;

/// A page with one message, and perhaps one button.
#[derive(Template)]
#[template(path = "message.html")]
pub struct Message<'a> {
    pub request: &'a RequestContext,
    pub title: &'a str,
    pub text: &'a str,
    /// The label of the button, which posts to the address of the page.
    pub button: Option<&'a str>,
}

impl<'a> Message<'a> {
    pub const fn of(request: &'a RequestContext, message: &pages::Message) -> Self {
        Self {
            request,
            title: message.title,
            text: message.text,
            button: message.button,
        }
    }
}
