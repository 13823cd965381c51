//! Signing up, in and out, and the links that come by mail.
//!
//! A mailed link opens a page with a button: programs that look into mails follow links, but they
//! press no buttons.

use actix_web::cookie::time::Duration;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path};
use askama::Template;

use crate::app::App;
use crate::app::accounts::SignUp;
use crate::web::answer::{Answer, local, see};
use crate::web::fields::Fields;
use crate::web::message::Message;
use crate::web::places::PUPIL_HOME;
use crate::web::problems::Problems;
use crate::web::request::{NEXT, Post, RequestContext};
use crate::web::{pupil, words};

/// Where a sign-in leads that was not on the way to another page.
const HOME: &str = "/matches";

#[derive(Template)]
#[template(path = "account/sign-in.html")]
struct SignInPage<'a> {
    request: &'a RequestContext,
    fields: &'a Fields,
    problems: &'a Problems,
    done: Option<&'static str>,
    next: String,
}

impl<'a> SignInPage<'a> {
    fn new(request: &'a RequestContext, fields: &'a Fields, problems: &'a Problems) -> Self {
        Self {
            request,
            fields,
            problems,
            done: words::done(fields.get("done")),
            next: words::encode(fields.get("next")),
        }
    }
}

pub async fn sign_in_form(request: RequestContext, fields: Fields) -> Answer {
    // Several pupils may share a device: each of them signs in on it.
    if let Some(viewer) = &request.viewer
        && (viewer.class.is_none() || !fields.has("other"))
    {
        let home = if viewer.class.is_some() {
            PUPIL_HOME
        } else {
            HOME
        };
        return Ok(see(local(fields.get("next"), home)));
    }
    request.page(&SignInPage::new(&request, &fields, &Problems::default()))
}

pub async fn sign_in(post: Post) -> Answer {
    let Post { request, fields } = post;
    let (login, password) = (fields.get("login"), fields.get("password"));
    match request.app.sign_in(login, password, &request.from).await {
        Ok(token) => {
            let next =
                pupil::landing(&request.app, &token, local(fields.get("next"), HOME)).await?;
            request.begin_session(&token, &next).await
        }
        Err(error) => {
            let problems = Problems::of(error)?;
            problems.page(&request, &SignInPage::new(&request, &fields, &problems))
        }
    }
}

pub async fn sign_out(post: Post) -> Answer {
    let Post { request, fields } = post;
    request.end_session(fields.has("everybody"), "/").await
}

#[derive(Template)]
#[template(path = "account/sign-up.html")]
struct SignUpPage<'a> {
    request: &'a RequestContext,
    fields: &'a Fields,
    problems: &'a Problems,
    next: String,
}

impl<'a> SignUpPage<'a> {
    fn new(request: &'a RequestContext, fields: &'a Fields, problems: &'a Problems) -> Self {
        Self {
            request,
            fields,
            problems,
            next: words::encode(fields.get("next")),
        }
    }
}

pub async fn sign_up_form(request: RequestContext, fields: Fields) -> Answer {
    if request.viewer.is_some() {
        return Ok(see(local(fields.get("next"), HOME)));
    }
    request.page(&SignUpPage::new(&request, &fields, &Problems::default()))
}

pub async fn sign_up(post: Post) -> Answer {
    let Post { request, fields } = post;
    let form = SignUp {
        name: fields.get("name").to_owned(),
        email: fields.get("email").to_owned(),
        password: fields.get("password").to_owned(),
        zone: fields.get("zone").to_owned(),
    };
    if let Err(error) = request.app.sign_up(form, &request.from).await {
        let problems = Problems::of(error)?;
        return problems.page(&request, &SignUpPage::new(&request, &fields, &problems));
    }
    let mut answer = request.page(&Message {
        request: &request,
        title: "Look into your mail",
        text: "We have sent you a link. Open it to confirm your address, and you are in. If \
               nothing comes within some minutes, look among the unwanted mail.",
        button: None,
    })?;
    let next = local(fields.get("next"), "");
    if !next.is_empty() {
        let _ = answer.add_cookie(&request.cookie(NEXT, &words::encode(next), Duration::days(2)));
    }
    Ok(answer)
}

pub async fn verify_form(request: RequestContext) -> Answer {
    request.page(&Message {
        request: &request,
        title: "Welcome",
        text: "One click, and your address is confirmed.",
        button: Some((&request.path, "Confirm my address and sign in")),
    })
}

pub async fn verify(post: Post, token: Path<String>, http: actix_web::HttpRequest) -> Answer {
    let request = post.request;
    let session = request.app.verify(&token, &request.from).await?;
    let next = http
        .cookie(NEXT)
        .map(|cookie| decode(cookie.value()))
        .unwrap_or_default();
    request.begin_session(&session, local(&next, HOME)).await
}

/// Undoes [`words::encode`].
fn decode(text: &str) -> String {
    actix_web::web::Query::<Vec<(String, String)>>::from_query(&format!("t={text}"))
        .ok()
        .and_then(|query| query.into_inner().into_iter().next())
        .map(|(_, text)| text)
        .unwrap_or_default()
}

#[derive(Template)]
#[template(path = "account/reset-ask.html")]
struct AskResetPage<'a> {
    request: &'a RequestContext,
    fields: &'a Fields,
    problems: &'a Problems,
}

pub async fn ask_reset_form(request: RequestContext, fields: Fields) -> Answer {
    request.page(&AskResetPage {
        request: &request,
        fields: &fields,
        problems: &Problems::default(),
    })
}

pub async fn ask_reset(post: Post) -> Answer {
    let Post { request, fields } = post;
    if let Err(error) = request
        .app
        .request_reset(fields.get("email"), &request.from)
        .await
    {
        let problems = Problems::of(error)?;
        let page = AskResetPage {
            request: &request,
            fields: &fields,
            problems: &problems,
        };
        return problems.page(&request, &page);
    }
    request.page(&Message {
        request: &request,
        title: "Look into your mail",
        text: "If there is an account with this address, a link for a new password is on its way.",
        button: None,
    })
}

#[derive(Template)]
#[template(path = "account/reset.html")]
struct ResetPage<'a> {
    request: &'a RequestContext,
    problems: &'a Problems,
}

pub async fn reset_form(request: RequestContext) -> Answer {
    request.page(&ResetPage {
        request: &request,
        problems: &Problems::default(),
    })
}

pub async fn reset(post: Post, token: Path<String>) -> Answer {
    let Post { request, fields } = post;
    match request.app.reset(&token, fields.get("password")).await {
        Ok(()) => request.end_session(false, "/sign-in?done=reset").await,
        Err(error) => {
            let problems = Problems::of(error)?;
            let page = ResetPage {
                request: &request,
                problems: &problems,
            };
            problems.page(&request, &page)
        }
    }
}

pub async fn confirm_email_form(request: RequestContext) -> Answer {
    request.page(&Message {
        request: &request,
        title: "Your new address",
        text: "From now on, mail will go to this address.",
        button: Some((&request.path, "Confirm my new address")),
    })
}

pub async fn confirm_email(post: Post, token: Path<String>) -> Answer {
    let request = post.request;
    request.app.confirm_email(&token).await?;
    Ok(see("/account?done=new-email"))
}

pub async fn mail_off_form(request: RequestContext) -> Answer {
    request.page(&Message {
        request: &request,
        title: "Less mail",
        text: "You will get no more mail of this kind. You can switch it on again in your account.",
        button: Some((&request.path, "Switch it off")),
    })
}

/// Switches a kind of mail off. It needs neither cookie nor form: programs for mail do it by
/// themselves when their user says so (RFC 8058).
pub async fn mail_off(app: Data<App>, token: Path<String>, http: actix_web::HttpRequest) -> Answer {
    let title = app.mail_off(&token).await?;
    let request = RequestContext::of(&http).await?;
    let text = format!(
        "You will get no more mail of the kind “{title}”. You can switch it on again in your \
         account."
    );
    request.page_as(
        StatusCode::OK,
        &Message {
            request: &request,
            title: "Switched off",
            text: &text,
            button: None,
        },
    )
}
