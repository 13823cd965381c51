//! Asks for the password once more before a dangerous action, and then carries it out: opens the page, or sends the
//! form again unchanged.

use actix_web::http::{Method, StatusCode};
use askama::Template;

use crate::app::accounts::Typed;
use crate::web::answer::{Answer, Failure, lead, local, see};
use crate::web::fields::Fields;
use crate::web::problems::{NONE, Problems};
use crate::web::request::RequestContext;
use crate::web::submission::Submission;

/// The page's own fields; all others are those of the form to send again.
const OWN: [&str; 5] = ["csrf", "proof", "proof-code", "proof-for", "proof-to"];

#[derive(Template)]
#[template(path = "account/prove.html")]
struct ProvePage<'a> {
    request: &'a RequestContext,
    problems: &'a Problems,
    /// `post`, or `get` for a page.
    method: &'a str,
    to: &'a str,
    fields: &'a Fields,
    /// True if a code is asked for, too.
    has_factor: bool,
}

impl ProvePage<'_> {
    fn name(&self) -> &str {
        let viewer = self.request.viewer.as_ref();
        viewer.map_or("", |viewer| viewer.name.as_str())
    }

    fn carried(&self) -> impl Iterator<Item = &(String, String)> {
        let fields = self.fields.iter();
        fields.filter(|(name, _)| !OWN.contains(&name.as_str()))
    }
}

/// The page that replaces the answer to `method`, with the fields sent.
pub async fn ask(request: &RequestContext, method: &Method, fields: &Fields) -> Answer {
    let page = ProvePage {
        request,
        problems: &NONE,
        method: if method == Method::POST {
            "post"
        } else {
            "get"
        },
        to: &request.path,
        fields,
        has_factor: has_factor(request).await?,
    };
    request.page_as(StatusCode::FORBIDDEN, &page)
}

async fn has_factor(request: &RequestContext) -> Result<bool, Failure> {
    let factor = request.app.second_factor(request.viewer()?).await?;
    Ok(factor.is_some())
}

pub async fn prove(post: Submission) -> Answer {
    let Submission { request, fields } = post;
    let (method, to) = (fields.get("proof-for"), local(fields.get("proof-to"), "/"));
    let typed = Typed {
        password: fields.get("proof"),
        code: fields.get("proof-code"),
    };
    let proved = request.app.prove(request.viewer()?, typed);
    if let Err(error) = proved.await {
        let problems = Problems::of(error)?;
        let page = ProvePage {
            request: &request,
            problems: &problems,
            method,
            to,
            fields: &fields,
            has_factor: has_factor(&request).await?,
        };
        return problems.page(&request, &page);
    }
    if method != "post" {
        return Ok(see(to));
    }
    // Browsers send the form once more, to its first address.
    Ok(lead(StatusCode::TEMPORARY_REDIRECT, to))
}
