//! What is wrong with a form that is shown again.

use actix_web::http::{StatusCode, header};

use crate::app::AppError;
use crate::web::answer::{Answer, Failure, status_of};
use crate::web::request::RequestContext;

/// What is wrong, for each field and in general. Nothing for a form that is shown at first.
#[derive(Debug, Default)]
pub struct Problems {
    /// The names of fields, each with a sentence. An empty name is the form as a whole.
    pub fields: Vec<(&'static str, String)>,
    status: Option<StatusCode>,
    retry: Option<u64>,
}

/// Nothing is wrong.
pub static NONE: Problems = Problems {
    fields: Vec::new(),
    status: None,
    retry: None,
};

impl Problems {
    /// What `error` says about the form.
    ///
    /// # Errors
    /// An error that has a page of its own comes back.
    pub fn of(error: AppError) -> Result<Self, Failure> {
        let status = Some(status_of(&error));
        let mut retry = None;
        let fields = match error {
            AppError::Invalid(fields) => fields,
            AppError::TooOften(seconds) => {
                retry = Some(seconds);
                vec![("", error.to_string())]
            }
            AppError::Refused(_) | AppError::RefusedInTeam(..) | AppError::Forbidden(_) => {
                vec![("", error.to_string())]
            }
            other => return Err(other.into()),
        };
        Ok(Self {
            fields,
            status,
            retry,
        })
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

    /// The page with the form, with the status that fits.
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
