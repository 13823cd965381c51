//! The page of the account's second factor: setting it up, new recovery codes, switching it off.

use askama::Template;

use crate::app::AppError;
use crate::app::accounts::{SecondFactor, Setup};
use crate::web::answer::{Answer, see};
use crate::web::fields::Fields;
use crate::web::problems::{Problems, Sent};
use crate::web::qr;
use crate::web::request::RequestContext;
use crate::web::submission::Submission;

#[derive(Template)]
#[template(path = "account/second-factor.html")]
struct FactorPage<'a> {
    request: &'a RequestContext,
    name: &'a str,
    state: State,
    sent: Sent<'a>,
}

enum State {
    On(SecondFactor),
    Off(Setup),
}

impl FactorPage<'_> {
    #[expect(
        clippy::unused_self,
        reason = "the template reaches it through the page"
    )]
    fn code(&self, setup: &Setup, label: &str) -> String {
        qr::svg(&setup.link, label)
    }

    /// The secret in groups of four, to be typed.
    #[expect(
        clippy::unused_self,
        reason = "the template reaches it through the page"
    )]
    fn groups<'a>(&self, setup: &'a Setup) -> impl Iterator<Item = &'a str> {
        let groups = setup.secret.as_bytes().chunks(4);
        groups.filter_map(|group| std::str::from_utf8(group).ok())
    }
}

async fn show(request: &RequestContext, sent: Sent<'_>) -> Answer {
    let viewer = request.viewer()?;
    let state = if let Some(factor) = request.app.second_factor(viewer).await? {
        State::On(factor)
    } else {
        // The secret stays the same while a form is corrected: the app has it by then.
        let kept = sent.value("on", "secret", "");
        State::Off(request.app.set_up_second_factor(viewer, kept)?)
    };
    let page = FactorPage {
        request,
        name: &viewer.name,
        state,
        sent,
    };
    sent.problems.page(request, &page)
}

pub async fn page(request: RequestContext, fields: Fields) -> Answer {
    show(&request, Sent::nothing(&fields)).await
}

async fn again(post: &Submission, form: &str, error: AppError) -> Answer {
    let problems = Problems::of(error)?;
    show(&post.request, Sent::again(post, form, &problems)).await
}

/// The recovery codes, shown only once.
#[derive(Template)]
#[template(path = "account/recovery-codes.html")]
struct CodesPage<'a> {
    request: &'a RequestContext,
    is_new: bool,
    codes: Vec<String>,
}

pub async fn on(post: Submission) -> Answer {
    let Submission { request, fields } = &post;
    let viewer = request.viewer()?;
    let (password, code) = (fields.get("password"), fields.get("code"));
    let setup = request
        .app
        .set_up_second_factor(viewer, fields.get("secret"))?;
    let switched =
        request
            .app
            .switch_second_factor_on(viewer, password, &setup, code, &request.from);
    match switched.await {
        Ok((token, codes)) => {
            let request = request.renewed(&token);
            let page = CodesPage {
                request: &request,
                is_new: true,
                codes,
            };
            request.keep_session(request.page(&page)?).await
        }
        Err(error) => again(&post, "on", error).await,
    }
}

pub async fn codes(post: Submission) -> Answer {
    let Submission { request, fields } = &post;
    let (password, code) = (fields.get("password"), fields.get("code"));
    let viewer = request.viewer()?;
    match request
        .app
        .renew_recovery_codes(viewer, password, code)
        .await
    {
        Ok(codes) => request.page(&CodesPage {
            request,
            is_new: false,
            codes,
        }),
        Err(error) => again(&post, "codes", error).await,
    }
}

pub async fn off(post: Submission) -> Answer {
    let Submission { request, fields } = &post;
    let (password, code) = (fields.get("password"), fields.get("code"));
    let viewer = request.viewer()?;
    let switched = request
        .app
        .switch_second_factor_off(viewer, password, code, &request.from);
    match switched.await {
        Ok(()) => {
            let mut answer = see("/account?done=second-factor-off");
            request.know(&mut answer, &request.app.device(&viewer.id).await?);
            Ok(answer)
        }
        Err(error) => again(&post, "off", error).await,
    }
}
