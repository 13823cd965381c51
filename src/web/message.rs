use actix_web::http::StatusCode;
use askama::Template;

use crate::app::AppError;
use crate::texts::pages;
use crate::web::answer::{Answer, Failure};
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

/// The answer to a visitor with the link of a match: where it leads nowhere, that is said.
pub fn or_no_link(request: &RequestContext, answer: Answer) -> Answer {
    match answer {
        Err(Failure::App(AppError::NotFound)) => {
            let page = Message::of(request, &pages::NO_LINK);
            request.page_as(StatusCode::NOT_FOUND, &page)
        }
        answer => answer,
    }
}
