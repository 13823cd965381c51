//! The form for which mails an account gets, and when: in the account, and behind the link of each mail.

use std::collections::BTreeMap;

use actix_web::web::Path;
use askama::Template;

use crate::app::accounts::{Delivery, MailAbout, MailSettings, quiet_hours};
use crate::app::mail_kind::MailKind;
use crate::app::{App, AppError, MatchKind};
use crate::texts::mail::{delivery, title};
use crate::texts::{done, game_called, query};
use crate::web::answer::{Answer, see};
use crate::web::fields::Fields;
use crate::web::problems::{Problems, Sent};
use crate::web::request::RequestContext;
use crate::web::submission::Submission;
use perplex_matches::id::{AccountId, MatchId};

const DELIVERIES: [(Delivery, &str); 4] = [
    (Delivery::AtOnce, "at-once"),
    (Delivery::Together, "together"),
    (Delivery::Daily, "daily"),
    (Delivery::Never, "never"),
];

fn word(delivery: Delivery) -> &'static str {
    let known = DELIVERIES.iter().find(|(one, _)| *one == delivery);
    known.map_or("", |(_, word)| word)
}

/// A choice of a list: its word, its label, and whether it is the chosen one.
type Choice = (String, String, bool);

pub struct MailForm {
    pub kinds: Vec<(&'static str, &'static str, Vec<Choice>)>,
    pub from: Vec<Choice>,
    pub to: Vec<Choice>,
    pub seen_too: bool,
    pub quiet_fault: Option<String>,
}

impl MailForm {
    pub fn new(settings: &MailSettings, sent: &Sent) -> Self {
        let kinds = MailKind::optional().filter_map(|kind| {
            let saved = settings.when.get(kind.key()).copied();
            let saved = word(saved.unwrap_or(kind.delivery()));
            let chosen = sent.value("mail", kind.key(), saved);
            let choices = DELIVERIES
                .into_iter()
                .filter(|(one, _)| kind.choices().contains(one));
            let choices = choices
                .map(|(one, word)| (word.to_owned(), delivery(one).to_owned(), word == chosen));
            Some((kind.key(), title(kind)?, choices.collect()))
        });
        let hours = |name: &str, saved: Option<u8>| -> Vec<Choice> {
            let saved = saved.map(|hour| hour.to_string()).unwrap_or_default();
            let chosen = sent.value("mail", name, &saved).to_owned();
            let none = (String::new(), "–".to_owned(), chosen.is_empty());
            let hour = |hour: u8| {
                let word = hour.to_string();
                let is_chosen = chosen == word;
                (word, format!("{hour}:00"), is_chosen)
            };
            std::iter::once(none).chain((0..24).map(hour)).collect()
        };
        Self {
            kinds: kinds.collect(),
            from: hours("quiet-from", settings.quiet.map(|quiet| quiet.from)),
            to: hours("quiet-to", settings.quiet.map(|quiet| quiet.to)),
            seen_too: match sent.form {
                "mail" => sent.fields.has("seen-too"),
                _ => settings.seen_too,
            },
            quiet_fault: sent.wrong("mail", "quiet").map(str::to_owned),
        }
    }

    /// The settings that the form has sent.
    pub fn read(fields: &Fields) -> Result<MailSettings, AppError> {
        let mut when = BTreeMap::new();
        for kind in MailKind::optional() {
            let word = fields.get(kind.key());
            let chosen = DELIVERIES.iter().find(|(_, known)| *known == word);
            // What comes as it does by default goes on doing so if that changes.
            if let Some((chosen, _)) = chosen.filter(|(one, _)| *one != kind.delivery()) {
                when.insert(kind.key().to_owned(), *chosen);
            }
        }
        Ok(MailSettings {
            when,
            quiet: quiet_hours(fields.get("quiet-from"), fields.get("quiet-to"))?,
            seen_too: fields.has("seen-too"),
        })
    }
}

#[derive(Template)]
#[template(path = "account/mail-settings.html")]
struct MailPage<'a> {
    request: &'a RequestContext,
    name: String,
    mail: MailForm,
    /// The match of the mail that led here.
    about: Option<AboutMatch>,
    sent: Sent<'a>,
}

async fn page(request: &RequestContext, token: &str, sent: Sent<'_>) -> Answer {
    let account = request.app.mail_by_link(token).await?;
    let id = MatchId(sent.fields.get("match").to_owned());
    let page = MailPage {
        request,
        mail: MailForm::new(&account.mail, &sent),
        about: match AboutMatch::of(request, &account.id, &id).await {
            Ok(about) => Some(about),
            Err(AppError::NotFound) => None,
            Err(error) => return Err(error.into()),
        },
        name: account.name,
        sent,
    };
    sent.problems.page(request, &page)
}

/// The switch for mail about one match.
struct AboutMatch {
    id: MatchId,
    title: String,
    path: String,
    muted: bool,
    /// The address that the form is sent to.
    action: String,
}

impl AboutMatch {
    async fn of(
        request: &RequestContext,
        account: &AccountId,
        id: &MatchId,
    ) -> Result<Self, AppError> {
        let MailAbout { of, muted } = request.app.mail_about(account, id).await?;
        let (path, title) = match of.kind {
            MatchKind::Team => (format!("/team/{id}"), of.title),
            MatchKind::Correspondence => {
                let game = game_called(&of.game, &of.variant);
                (format!("/match/{id}"), game)
            }
        };
        Ok(Self {
            id: id.clone(),
            title,
            path,
            muted,
            action: request.path.clone(),
        })
    }
}

#[derive(Template)]
#[template(path = "account/mail-about.html")]
struct AboutPage<'a> {
    request: &'a RequestContext,
    about: AboutMatch,
    done: Option<&'static str>,
}

/// The page about the mail of one match, for who is signed in.
pub async fn about(request: RequestContext, fields: Fields, id: Path<String>) -> Answer {
    let viewer = request.viewer()?;
    viewer.require_adult_account()?;
    request.page(&AboutPage {
        request: &request,
        about: AboutMatch::of(&request, &viewer.id, &MatchId(id.clone())).await?,
        done: done(fields.get("done")),
    })
}

pub async fn set_about(post: Submission, id: Path<String>) -> Answer {
    let viewer = post.request.viewer()?;
    viewer.require_adult_account()?;
    let muted = post.fields.get("mute") == "yes";
    let app = &post.request.app;
    let id = MatchId(id.clone());
    app.set_mail_about(&viewer.id, &id, muted).await?;
    Ok(see(&format!("{}?done=mail", post.request.path)))
}

pub async fn form(request: RequestContext, fields: Fields, token: Path<String>) -> Answer {
    page(&request, &token, Sent::nothing(&fields)).await
}

pub async fn save(post: Submission, token: Path<String>) -> Answer {
    match set(&post.request.app, &token, &post.fields).await {
        Ok(()) => {
            let id = post.fields.get("match");
            let about = (!id.is_empty()).then_some(("match", id));
            let query = query(about.into_iter().chain([("done", "mail")]));
            Ok(see(&format!("{}{query}", post.request.path)))
        }
        Err(error) => {
            let problems = Problems::of(error)?;
            let sent = Sent::again(&post, "mail", &problems);
            page(&post.request, &token, sent).await
        }
    }
}

async fn set(app: &App, token: &str, fields: &Fields) -> Result<(), AppError> {
    if fields.has("mute") {
        let account = app.mail_by_link(token).await?;
        let id = MatchId(fields.get("match").to_owned());
        return app
            .set_mail_about(&account.id, &id, fields.get("mute") == "yes")
            .await;
    }
    app.set_mail_by_link(token, MailForm::read(fields)?).await
}
