use std::future::Ready;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};

use crate::web::answer::Failure;

/// The fields of a form with their values, in the order of the form.
#[derive(Clone, Debug, Default)]
pub struct Fields(pub Vec<(String, String)>);

impl Fields {
    pub fn of_query(http: &HttpRequest) -> Self {
        actix_web::web::Query::<Vec<(String, String)>>::from_query(http.query_string())
            .map(|query| Self(query.into_inner()))
            .unwrap_or_default()
    }

    pub fn get(&self, name: &str) -> &str {
        self.all(name).next().unwrap_or_default()
    }

    /// True if there is a field `name`, as for a ticked box.
    pub fn has(&self, name: &str) -> bool {
        self.all(name).next().is_some()
    }

    pub fn has_only(&self, names: &[&str]) -> bool {
        self.0
            .iter()
            .all(|(name, _)| names.contains(&name.as_str()))
    }

    pub fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        let name = name.to_owned();
        self.0
            .iter()
            .filter(move |(key, _)| *key == name)
            .map(|(_, value)| value.as_str())
    }

    pub fn replaced(mut self, name: &str, value: impl Into<String>) -> Self {
        self.0.retain(|(key, _)| key != name);
        self.with(name, value)
    }

    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.0.push((name.to_owned(), value.into()));
        self
    }
}

impl FromRequest for Fields {
    type Error = Failure;
    type Future = Ready<Result<Self, Failure>>;

    fn from_request(http: &HttpRequest, _: &mut Payload) -> Self::Future {
        std::future::ready(Ok(Self::of_query(http)))
    }
}
