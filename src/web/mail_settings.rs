//! The form for which mails an account gets, and when: in the account, and behind the link of each mail.

use std::collections::BTreeMap;

use actix_web::web::Path;
use askama::Template;

use crate::app::accounts::{Delivery, MailSettings, quiet_hours};
use crate::app::mail_kind::MailKind;
use crate::app::{App, AppError};
use crate::texts::mail::{delivery, title};
use crate::web::answer::{Answer, see};
use crate::web::fields::Fields;
use crate::web::problems::{Problems, Sent};
use crate::web::request::{RequestContext, Submission};

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
    sent: Sent<'a>,
}

async fn page(request: &RequestContext, token: &str, sent: Sent<'_>) -> Answer {
    let (name, settings) = request.app.mail_by_link(token).await?;
    let page = MailPage {
        request,
        name,
        mail: MailForm::new(&settings, &sent),
        sent,
    };
    sent.problems.page(request, &page)
}

pub async fn form(request: RequestContext, fields: Fields, token: Path<String>) -> Answer {
    page(&request, &token, Sent::nothing(&fields)).await
}

pub async fn save(post: Submission, token: Path<String>) -> Answer {
    match set(&post.request.app, &token, &post.fields).await {
        Ok(()) => Ok(see(&format!("{}?done=mail", post.request.path))),
        Err(error) => {
            let problems = Problems::of(error)?;
            let sent = Sent::again(&post, "mail", &problems);
            page(&post.request, &token, sent).await
        }
    }
}

async fn set(app: &App, token: &str, fields: &Fields) -> Result<(), AppError> {
    app.set_mail_by_link(token, MailForm::read(fields)?).await
}
