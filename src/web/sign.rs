//! Signing up, in and out, and the links in mails.
//!
//! A mailed link opens a page with a button: programs that check mails follow links, but they press no buttons.

use actix_web::HttpRequest;
use actix_web::cookie::time::Duration;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path};
use askama::Template;
use percent_encoding::percent_decode_str;

use crate::app::accounts::{HALF_WAY as HALF_WAY_TIME, SignUp};
use crate::app::{App, AppError, Phase};
use crate::site::SignUpMode;
use crate::texts;
use crate::texts::pages;
use crate::web::answer::{Answer, Failure, local, see};
use crate::web::cookies::{HALF_WAY, NEXT};
use crate::web::fields::Fields;
use crate::web::message::Message;
use crate::web::places::PUPIL_HOME;
use crate::web::problems::{NONE, Problems};
use crate::web::pupil;
use crate::web::request::RequestContext;
use crate::web::submission::Submission;
use perplex_matches::id::AccountId;

const HOME: &str = "/matches";

#[derive(Template)]
#[template(path = "account/sign-in.html")]
struct SignInPage<'a> {
    request: &'a RequestContext,
    fields: &'a Fields,
    problems: &'a Problems,
}

impl SignInPage<'_> {
    fn done(&self) -> Option<&'static str> {
        texts::done(self.fields.get("done"))
    }

    fn next(&self) -> String {
        texts::encode(self.fields.get("next"))
    }
}

fn sign_in_page(request: &RequestContext, fields: &Fields, problems: &Problems) -> Answer {
    let page = SignInPage {
        request,
        fields,
        problems,
    };
    problems.page(request, &page)
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
    // One of their class picks a name, as long as there is a lesson.
    if let Some(viewer) = &request.viewer
        && fields.get("other") == "yes"
        && let Some(code) = request.app.code_for_another(viewer).await?
    {
        return Ok(see(&format!("/join/{code}")));
    }
    sign_in_page(&request, &fields, &NONE)
}

/// The page for an account that has just signed in with this token and wanted to go on to `next`. Whoever holds a lesson
/// and wanted nothing else goes to it.
async fn landing(app: &App, token: &str, next: &str) -> Result<String, Failure> {
    let next = pupil::landing(app, token, local(next, HOME)).await?;
    let viewer = app.viewer(token).await?.filter(|_| next == HOME);
    let Some(viewer) = viewer else {
        return Ok(next);
    };
    Ok(match app.lesson_being_held(&viewer).await? {
        Some(lesson) if lesson.phase == Phase::Gathering => format!("/team/{}", lesson.id),
        Some(lesson) => format!("/team/{}/control", lesson.id),
        None => next,
    })
}

pub async fn sign_in(post: Submission) -> Answer {
    let Submission { request, fields } = post;
    let (login, password) = (fields.get("login"), fields.get("password"));
    match request.app.sign_in(login, password, &request.from).await {
        Ok(token) => {
            let next = landing(&request.app, &token, fields.get("next")).await?;
            request.begin_session(&token, &next).await
        }
        Err(AppError::CodeWanted(proof)) => {
            let next = texts::encode(fields.get("next"));
            let mut answer = see(&format!("/sign-in/code?next={next}"));
            let age = Duration::try_from(HALF_WAY_TIME).unwrap_or_default();
            let _ = answer.add_cookie(&request.cookie(HALF_WAY, &proof, age));
            Ok(answer)
        }
        Err(error) => sign_in_page(&request, &fields, &Problems::of(error)?),
    }
}

#[derive(Template)]
#[template(path = "account/code.html")]
struct CodePage<'a> {
    request: &'a RequestContext,
    fields: &'a Fields,
    problems: &'a Problems,
}

fn code_page(request: &RequestContext, fields: &Fields, problems: &Problems) -> Answer {
    let page = CodePage {
        request,
        fields,
        problems,
    };
    problems.page(request, &page)
}

/// Asks for the code of the second factor, after the password.
pub async fn code_form(request: RequestContext, fields: Fields) -> Answer {
    code_page(&request, &fields, &NONE)
}

pub async fn code(post: Submission, http: HttpRequest) -> Answer {
    let Submission { request, fields } = post;
    let proof = request.sent_cookie(&http, HALF_WAY);
    let proof = proof.as_ref().map_or("", |cookie| cookie.value());
    let code = fields.get("code");
    match request
        .app
        .sign_in_with_code(proof, code, &request.from)
        .await
    {
        Ok(token) => {
            let next = landing(&request.app, &token, fields.get("next")).await?;
            request.begin_session(&token, &next).await
        }
        Err(error) => code_page(&request, &fields, &Problems::of(error)?),
    }
}

pub async fn sign_out(post: Submission) -> Answer {
    let Submission { request, fields } = post;
    request.end_session(fields.has("everybody"), "/").await
}

#[derive(Template)]
#[template(path = "account/sign-up.html")]
struct SignUpPage<'a> {
    request: &'a RequestContext,
    fields: &'a Fields,
    problems: &'a Problems,
    /// The address of the form.
    action: &'a str,
    /// True if the visitor may make an account.
    may: bool,
}

impl SignUpPage<'_> {
    fn is_closed(&self) -> bool {
        self.request.app.site.sign_up == SignUpMode::Closed
    }

    fn next(&self) -> String {
        texts::encode(self.fields.get("next"))
    }
}

async fn sign_up_page(
    request: &RequestContext,
    fields: &Fields,
    problems: &Problems,
    link: &str,
) -> Answer {
    let page = SignUpPage {
        request,
        fields,
        problems,
        action: &request.path,
        may: request.app.invitation(link).await.is_ok(),
    };
    problems.page(request, &page)
}

async fn sign_up_with(request: RequestContext, fields: Fields, link: &str) -> Answer {
    if request.viewer.is_some() {
        return Ok(see(local(fields.get("next"), HOME)));
    }
    sign_up_page(&request, &fields, &NONE, link).await
}

pub async fn sign_up_form(request: RequestContext, fields: Fields) -> Answer {
    sign_up_with(request, fields, "").await
}

pub async fn sign_up_by_link_form(
    request: RequestContext,
    fields: Fields,
    token: Path<String>,
) -> Answer {
    sign_up_with(request, fields, &token).await
}

pub async fn sign_up(post: Submission, http: HttpRequest) -> Answer {
    signed_up(post, &http, "").await
}

pub async fn sign_up_by_link(post: Submission, http: HttpRequest, token: Path<String>) -> Answer {
    signed_up(post, &http, &token).await
}

async fn signed_up(post: Submission, http: &HttpRequest, link: &str) -> Answer {
    let Submission { request, fields } = post;
    let is_guest = request.is_from_guest(http);
    let form = SignUp {
        name: fields.get("name").to_owned(),
        email: fields.get("email").to_owned(),
        password: fields.get("password").to_owned(),
        zone: fields.get("zone").to_owned(),
        link: link.to_owned(),
    };
    let receipt = match request.app.sign_up(form, &request.from).await {
        Ok(receipt) => receipt,
        Err(error) => return sign_up_page(&request, &fields, &Problems::of(error)?, link).await,
    };
    let mut answer = signed_up_page(&request, &fields, is_guest, &receipt, None, &NONE)?;
    let next = local(fields.get("next"), "");
    if !next.is_empty() {
        let _ = answer.add_cookie(&request.cookie(NEXT, &texts::encode(next), Duration::days(2)));
    }
    Ok(answer)
}

/// The page after a sign-up: where the mail went, and the form that sends it again.
#[derive(Template)]
#[template(path = "account/signed-up.html")]
struct SignedUpPage<'a> {
    request: &'a RequestContext,
    name: &'a str,
    email: &'a str,
    /// True if there are matches of a guest to take along.
    is_guest: bool,
    receipt: &'a str,
    done: Option<&'a str>,
    problems: &'a Problems,
}

fn signed_up_page(
    request: &RequestContext,
    fields: &Fields,
    is_guest: bool,
    receipt: &str,
    done: Option<&str>,
    problems: &Problems,
) -> Answer {
    let page = SignedUpPage {
        request,
        name: fields.get("name").trim(),
        email: fields.get("email").trim(),
        is_guest,
        receipt,
        done,
        problems,
    };
    problems.page(request, &page)
}

/// Sends the mail of a sign-up again, perhaps to a corrected address.
pub async fn sign_up_again(post: Submission, http: HttpRequest) -> Answer {
    let Submission { request, fields } = post;
    let is_guest = request.is_from_guest(&http);
    let (app, receipt) = (&request.app, fields.get("receipt"));
    let who = (fields.get("name"), fields.get("email"));
    match app.sign_up_again(receipt, who, &request.from).await {
        Ok(receipt) => {
            let done = texts::done("sign-up-again");
            signed_up_page(&request, &fields, is_guest, &receipt, done, &NONE)
        }
        Err(error @ (AppError::Invalid(_) | AppError::TooOften(_))) => signed_up_page(
            &request,
            &fields,
            is_guest,
            receipt,
            None,
            &Problems::of(error)?,
        ),
        Err(error) => Err(error.into()),
    }
}

#[derive(Template)]
#[template(path = "account/verify.html")]
struct VerifyPage<'a> {
    request: &'a RequestContext,
    problems: &'a Problems,
}

fn verify_page(request: &RequestContext, problems: &Problems) -> Answer {
    problems.page(request, &VerifyPage { request, problems })
}

pub async fn verify_form(request: RequestContext) -> Answer {
    verify_page(&request, &NONE)
}

pub async fn verify(post: Submission, token: Path<String>, http: HttpRequest) -> Answer {
    let Submission { request, fields } = post;
    let password = fields.get("password");
    let session = match request.app.verify(&token, password, &request.from).await {
        Ok(session) => session,
        Err(error) => return verify_page(&request, &Problems::of(error)?),
    };
    let next = request
        .sent_cookie(&http, NEXT)
        .map(|cookie| decode(cookie.value()))
        .unwrap_or_default();
    request.begin_session(&session, local(&next, HOME)).await
}

/// The page to go on to, out of its cookie.
fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// The form that asks for a link for a new password, and the page of that link, or of one that brings back an
/// address.
#[derive(Template)]
#[template(path = "account/reset.html")]
struct ResetPage<'a> {
    request: &'a RequestContext,
    fields: &'a Fields,
    problems: &'a Problems,
    asks: bool,
    keeps_address: bool,
}

fn ask_reset_page(request: &RequestContext, fields: &Fields, problems: &Problems) -> Answer {
    let page = ResetPage {
        request,
        fields,
        problems,
        asks: true,
        keeps_address: false,
    };
    problems.page(request, &page)
}

pub async fn ask_reset_form(request: RequestContext, fields: Fields) -> Answer {
    ask_reset_page(&request, &fields, &NONE)
}

pub async fn ask_reset(post: Submission) -> Answer {
    let Submission { request, fields } = post;
    let (app, email) = (&request.app, fields.get("email"));
    if let Err(error) = app.request_reset(email, &request.from).await {
        return ask_reset_page(&request, &fields, &Problems::of(error)?);
    }
    request.page(&Message::of(&request, &pages::RESET_REQUESTED))
}

fn reset_page(request: &RequestContext, keeps_address: bool, problems: &Problems) -> Answer {
    let page = ResetPage {
        request,
        fields: &Fields::default(),
        problems,
        asks: false,
        keeps_address,
    };
    problems.page(request, &page)
}

pub async fn reset_form(request: RequestContext) -> Answer {
    reset_page(&request, false, &NONE)
}

/// Sends an owner who has set a password by a mailed link to the sign-in, on a device that is now known: so the owner
/// can sign in, however often strangers guess at the password.
async fn to_sign_in(request: &RequestContext, account: &AccountId, done: &str) -> Answer {
    let sign_in = format!("/sign-in?done={done}");
    let mut answer = request.end_session(false, &sign_in).await?;
    let proof = request.app.device_by_mail(account, &request.from).await?;
    request.know(&mut answer, &proof);
    Ok(answer)
}

pub async fn reset(post: Submission, token: Path<String>) -> Answer {
    let Submission { request, fields } = post;
    let password = fields.get("password");
    match request.app.reset(&token, password, &request.from).await {
        Ok(account) => to_sign_in(&request, &account, "reset").await,
        Err(error) => reset_page(&request, false, &Problems::of(error)?),
    }
}

pub async fn confirm_email_form(request: RequestContext) -> Answer {
    request.page(&Message::of(&request, &pages::NEW_ADDRESS))
}

pub async fn confirm_email(post: Submission, token: Path<String>) -> Answer {
    let request = post.request;
    let viewer = request.viewer.as_ref();
    request.app.confirm_email(&token, viewer).await?;
    // A signed-in owner is led on from there.
    let account = texts::encode("/account?done=new-email");
    Ok(see(&format!("/sign-in?done=new-email&next={account}")))
}

pub async fn undo_email_form(request: RequestContext) -> Answer {
    reset_page(&request, true, &NONE)
}

pub async fn undo_email(post: Submission, token: Path<String>) -> Answer {
    let Submission { request, fields } = post;
    let password = fields.get("password");
    match request
        .app
        .undo_email(&token, password, &request.from)
        .await
    {
        Ok(account) => to_sign_in(&request, &account, "old-email").await,
        Err(error) => reset_page(&request, true, &Problems::of(error)?),
    }
}

/// Asks first: programs that check mails follow links.
pub async fn mail_off_form(request: RequestContext, token: Path<String>) -> Answer {
    let text = match request.app.mail_to_switch_off(&token).await {
        Ok(kinds) => texts::mail::switch_off(&kinds),
        Err(AppError::Forbidden(_) | AppError::NotFound) => pages::LESS_MAIL.text.to_owned(),
        Err(error) => return Err(error.into()),
    };
    request.page(&Message {
        text: &text,
        ..Message::of(&request, &pages::LESS_MAIL)
    })
}

/// Switches a kind of mail off. It needs neither cookie nor form: mail programs do it by themselves when their user
/// says so (RFC 8058).
pub async fn mail_off(app: Data<App>, token: Path<String>, http: HttpRequest) -> Answer {
    let kinds = app.mail_off(&token).await?;
    let request = RequestContext::of(&http).await?;
    let text = texts::mail::switched_off(&kinds);
    request.page_as(
        StatusCode::OK,
        &Message {
            request: &request,
            title: pages::SWITCHED_OFF,
            text: &text,
            button: None,
        },
    )
}
