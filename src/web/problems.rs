use actix_web::http::{StatusCode, header};

use crate::app::AppError;
use crate::texts;
use crate::web::answer::{Answer, Failure, status_of};
use crate::web::fields::Fields;
use crate::web::request::RequestContext;
use crate::web::submission::Submission;
use perplex_matches::team::Refusal;

/// The errors of a form, for each field and in general. Empty for a form that is shown for the first time.
#[derive(Debug, Default)]
pub struct Problems {
    /// The names of fields, each with a sentence. An empty name is the form as a whole.
    pub fields: Vec<(&'static str, String)>,
    status: Option<StatusCode>,
    retry: Option<u64>,
}

/// The name of the field that a refusal is about; empty for the form as a whole.
const fn field_of(error: &AppError) -> &'static str {
    match error {
        AppError::RefusedInTeam(Refusal::TimeLimit, _) => "minutes",
        _ => "",
    }
}

pub static NONE: Problems = Problems {
    fields: Vec::new(),
    status: None,
    retry: None,
};

impl Problems {
    /// The errors that `error` reports about the form; an error that has a page of its own comes back.
    pub fn of(error: AppError) -> Result<Self, Failure> {
        let status = Some(status_of(&error));
        let retry = match error {
            AppError::TooOften(seconds) => Some(seconds),
            _ => None,
        };
        let fields = match error {
            AppError::Invalid(fields) => {
                let fields = fields.into_iter();
                let told = fields.map(|(field, fault)| (field, texts::refusal::fault(&fault)));
                told.collect()
            }
            AppError::Refused(_)
            | AppError::RefusedInTeam(..)
            | AppError::Forbidden(_)
            | AppError::TooOften(_) => {
                vec![(field_of(&error), texts::refusal::error(&error))]
            }
            other => return Err(other.into()),
        };
        Ok(Self {
            fields,
            status,
            retry,
        })
    }

    /// The errors of what was typed, in words: for each its field.
    pub fn told(fields: Vec<(&'static str, String)>) -> Self {
        Self {
            fields,
            status: Some(StatusCode::UNPROCESSABLE_ENTITY),
            retry: None,
        }
    }

    /// No errors, and yet the form was not carried out: its page asks something first.
    pub fn unsent() -> Self {
        Self::told(Vec::new())
    }

    pub fn any(&self) -> bool {
        !self.fields.is_empty()
    }

    pub fn at(&self, name: &str) -> Option<&str> {
        self.fields
            .iter()
            .find(|(field, _)| *field == name)
            .map(|(_, text)| text.as_str())
    }

    pub fn all_at(&self, name: &str) -> Vec<&str> {
        let wrong = self.fields.iter().filter(|(field, _)| *field == name);
        wrong.map(|(_, text)| text.as_str()).collect()
    }

    /// The page with the form, with the fitting status.
    pub fn page(&self, request: &RequestContext, template: &impl askama::Template) -> Answer {
        let mut response = request.page_as(self.status.unwrap_or(StatusCode::OK), template)?;
        if let Some(seconds) = self.retry {
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, seconds.into());
        }
        Ok(response)
    }
}

/// The form of a page that is shown again, since it was refused: the typed fields, and the errors.
#[derive(Clone, Copy)]
pub struct Sent<'a> {
    /// Empty if none was sent.
    pub form: &'a str,
    pub fields: &'a Fields,
    pub problems: &'a Problems,
}

impl<'a> Sent<'a> {
    pub fn nothing(query: &'a Fields) -> Self {
        Self {
            form: "",
            fields: query,
            problems: &NONE,
        }
    }

    pub fn again(post: &'a Submission, form: &'a str, problems: &'a Problems) -> Self {
        let fields = &post.fields;
        Self {
            form,
            fields,
            problems,
        }
    }

    /// The value of a field: the typed text, or the saved one.
    pub fn value<'b>(&'b self, form: &str, name: &str, saved: &'b str) -> &'b str {
        if self.form == form {
            self.fields.get(name)
        } else {
            saved
        }
    }

    pub fn wrong(&self, form: &str, field: &str) -> Option<&str> {
        self.problems.at(field).filter(|_| self.form == form)
    }

    pub fn done(&self) -> Option<&'static str> {
        texts::done(self.fields.get("done")).filter(|_| self.form.is_empty())
    }
}
