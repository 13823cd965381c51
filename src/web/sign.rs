//! Signing up, in and out, and the links that come by mail.
//!
//! A mailed link opens a page with a button: programs that look into mails follow links, but they
//! press no buttons.

use actix_web::cookie::time::Duration;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path};
use askama::Template;

use super::problems::Problems;
use super::visit::{Fields, NEXT, Post, Visit, local, see};
use super::{Answer, pupil, words};
use crate::app::App;
use crate::app::accounts::SignUp;

/// Where somebody goes after signing in who wanted nothing in particular.
const HOME: &str = "/matches";

#[derive(Template)]
#[template(path = "sign-in.html")]
struct SignInPage<'a> {
    visit: &'a Visit,
    fields: &'a Fields,
    problems: &'a Problems,
    done: Option<&'static str>,
    next: String,
}

impl<'a> SignInPage<'a> {
    fn new(visit: &'a Visit, fields: &'a Fields, problems: &'a Problems) -> Self {
        Self {
            visit,
            fields,
            problems,
            done: words::done(fields.get("done")),
            next: words::encode(fields.get("next")),
        }
    }
}

/// The form for signing in.
pub async fn sign_in_form(visit: Visit, fields: Fields) -> Answer {
    // Several pupils may share a device: each of them signs in on it.
    if let Some(viewer) = &visit.viewer
        && (viewer.class.is_none() || !fields.has("other"))
    {
        let home = if viewer.class.is_some() {
            pupil::HOME
        } else {
            HOME
        };
        return Ok(see(local(fields.get("next"), home)));
    }
    visit.page(&SignInPage::new(&visit, &fields, &Problems::default()))
}

/// Signs in.
pub async fn sign_in(post: Post) -> Answer {
    let Post { visit, fields } = post;
    let (login, password) = (fields.get("login"), fields.get("password"));
    match visit.app.sign_in(login, password, &visit.from).await {
        Ok(token) => {
            let next = pupil::landing(&visit.app, &token, local(fields.get("next"), HOME)).await?;
            visit.begin_session(&token, &next).await
        }
        Err(error) => {
            let problems = Problems::of(error)?;
            problems.page(&visit, &SignInPage::new(&visit, &fields, &problems))
        }
    }
}

/// Signs out, or everybody on this device.
pub async fn sign_out(post: Post) -> Answer {
    let Post { visit, fields } = post;
    visit.end_session(fields.has("everybody"), "/").await
}

#[derive(Template)]
#[template(path = "sign-up.html")]
struct SignUpPage<'a> {
    visit: &'a Visit,
    fields: &'a Fields,
    problems: &'a Problems,
    next: String,
}

impl<'a> SignUpPage<'a> {
    fn new(visit: &'a Visit, fields: &'a Fields, problems: &'a Problems) -> Self {
        Self {
            visit,
            fields,
            problems,
            next: words::encode(fields.get("next")),
        }
    }
}

/// A page that says one thing, and may have one button.
#[derive(Template)]
#[template(path = "message.html")]
pub struct Message<'a> {
    /// Who reads it.
    pub visit: &'a Visit,
    /// The heading.
    pub title: &'a str,
    /// The text.
    pub text: &'a str,
    /// Where the button posts to, and what it says.
    pub button: Option<(&'a str, &'a str)>,
}

/// The form for an account.
pub async fn sign_up_form(visit: Visit, fields: Fields) -> Answer {
    if visit.viewer.is_some() {
        return Ok(see(local(fields.get("next"), HOME)));
    }
    visit.page(&SignUpPage::new(&visit, &fields, &Problems::default()))
}

/// Makes an account, which has to be confirmed by mail.
pub async fn sign_up(post: Post) -> Answer {
    let Post { visit, fields } = post;
    let form = SignUp {
        name: fields.get("name").to_owned(),
        email: fields.get("email").to_owned(),
        password: fields.get("password").to_owned(),
        zone: fields.get("zone").to_owned(),
    };
    if let Err(error) = visit.app.sign_up(form, &visit.from).await {
        let problems = Problems::of(error)?;
        return problems.page(&visit, &SignUpPage::new(&visit, &fields, &problems));
    }
    let mut answer = visit.page(&Message {
        visit: &visit,
        title: "Look into your mail",
        text: "We have sent you a link. Open it to confirm your address, and you are in. If \
               nothing comes within some minutes, look among the unwanted mail.",
        button: None,
    })?;
    let next = local(fields.get("next"), "");
    if !next.is_empty() {
        let _ = answer.add_cookie(&visit.cookie(NEXT, &words::encode(next), Duration::days(2)));
    }
    Ok(answer)
}

/// The page that a link for confirming an account opens.
pub async fn verify_form(visit: Visit) -> Answer {
    visit.page(&Message {
        visit: &visit,
        title: "Welcome",
        text: "One click, and your address is confirmed.",
        button: Some((&visit.path, "Confirm my address and sign in")),
    })
}

/// Confirms an account and signs in.
pub async fn verify(post: Post, token: Path<String>, request: actix_web::HttpRequest) -> Answer {
    let visit = post.visit;
    let session = visit.app.verify(&token, &visit.from).await?;
    let next = request
        .cookie(NEXT)
        .map(|cookie| decode(cookie.value()))
        .unwrap_or_default();
    visit.begin_session(&session, local(&next, HOME)).await
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
#[template(path = "reset-ask.html")]
struct AskResetPage<'a> {
    visit: &'a Visit,
    fields: &'a Fields,
    problems: &'a Problems,
}

/// The form for somebody who has forgotten the password.
pub async fn ask_reset_form(visit: Visit, fields: Fields) -> Answer {
    visit.page(&AskResetPage {
        visit: &visit,
        fields: &fields,
        problems: &Problems::default(),
    })
}

/// Sends the link for a new password.
pub async fn ask_reset(post: Post) -> Answer {
    let Post { visit, fields } = post;
    if let Err(error) = visit
        .app
        .request_reset(fields.get("email"), &visit.from)
        .await
    {
        let problems = Problems::of(error)?;
        let page = AskResetPage {
            visit: &visit,
            fields: &fields,
            problems: &problems,
        };
        return problems.page(&visit, &page);
    }
    visit.page(&Message {
        visit: &visit,
        title: "Look into your mail",
        text: "If there is an account with this address, a link for a new password is on its way.",
        button: None,
    })
}

#[derive(Template)]
#[template(path = "reset.html")]
struct ResetPage<'a> {
    visit: &'a Visit,
    problems: &'a Problems,
}

/// The form for a new password.
pub async fn reset_form(visit: Visit) -> Answer {
    visit.page(&ResetPage {
        visit: &visit,
        problems: &Problems::default(),
    })
}

/// Sets a new password.
pub async fn reset(post: Post, token: Path<String>) -> Answer {
    let Post { visit, fields } = post;
    match visit.app.reset(&token, fields.get("password")).await {
        Ok(()) => visit.end_session(false, "/sign-in?done=reset").await,
        Err(error) => {
            let problems = Problems::of(error)?;
            let page = ResetPage {
                visit: &visit,
                problems: &problems,
            };
            problems.page(&visit, &page)
        }
    }
}

/// The page that the link in a mail to a new address opens.
pub async fn confirm_email_form(visit: Visit) -> Answer {
    visit.page(&Message {
        visit: &visit,
        title: "Your new address",
        text: "From now on, mail will go to this address.",
        button: Some((&visit.path, "Confirm my new address")),
    })
}

/// Confirms a new address.
pub async fn confirm_email(post: Post, token: Path<String>) -> Answer {
    let visit = post.visit;
    visit.app.confirm_email(&token).await?;
    Ok(see("/account?done=new-email"))
}

/// The page that the link at the foot of a mail opens.
pub async fn mail_off_form(visit: Visit) -> Answer {
    visit.page(&Message {
        visit: &visit,
        title: "Less mail",
        text: "You will get no more mail of this kind. You can switch it on again in your account.",
        button: Some((&visit.path, "Switch it off")),
    })
}

/// Switches a kind of mail off. It needs neither cookie nor form: programs for mail do it by
/// themselves when their user says so (RFC 8058).
pub async fn mail_off(
    app: Data<App>,
    token: Path<String>,
    request: actix_web::HttpRequest,
) -> Answer {
    let title = app.mail_off(&token).await?;
    let visit = Visit::of(&request).await?;
    let text = format!(
        "You will get no more mail of the kind “{title}”. You can switch it on again in your \
         account."
    );
    visit.page_as(
        StatusCode::OK,
        &Message {
            visit: &visit,
            title: "Switched off",
            text: &text,
            button: None,
        },
    )
}
