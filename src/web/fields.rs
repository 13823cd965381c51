//! The fields of forms and of queries, as they were sent. All that visitors type comes through here, and is bounded
//! here: a field that is new holds [`LONGEST`] characters until it stands in [`BOUNDS`].
//!
//! The bounds only keep out what nobody types. What a field is for may be shorter, and is checked where it is read, with
//! the form that comes back; so the bounds are wide enough for what is only a little too long.

use std::future::Ready;

use actix_web::dev::Payload;
use actix_web::web::{Form, Query};
use actix_web::{Error, FromRequest, HttpRequest};

use crate::web::answer::{Failure, TooLong};

/// The most fields of a form: several for each member of the largest match.
const MOST: usize = 2_000;
/// The most characters of a field, unless [`BOUNDS`] has it.
const LONGEST: usize = 500;
/// The most characters of the name of a field.
const LONGEST_NAME: usize = 100;
/// The fields that hold more, or less, with the most characters of each.
const BOUNDS: [(&str, usize); 12] = [
    // A movement, as the rules bound it.
    ("betza", 100),
    ("deeds", 1_000),
    ("names", 20_000),
    // Pages to go on to: on the try board an address has the whole game.
    ("next", LONGEST_QUERY),
    ("note", 20_000),
    ("proof-to", LONGEST_QUERY),
    ("receipt", 4_000),
    ("record", 40_000),
    ("text", 20_000),
    ("turn", 2_000),
    ("turns", LONGEST_QUERY),
    ("words", 1_000),
];
/// The most bytes of a query.
pub const LONGEST_QUERY: usize = 12_000;
/// The most bytes of a path; on the try board it has a game, which is bounded there.
const LONGEST_PATH: usize = 4_000;
/// The most bytes of a path with a game.
const LONGEST_GAME: usize = 64_000;

/// The fields of a form with their values, in the order of the form.
#[derive(Clone, Debug, Default)]
pub struct Fields(Vec<(String, String)>);

impl Fields {
    /// The fields, if each is one that can have been typed.
    fn bounded(pairs: Vec<(String, String)>) -> Result<Self, Failure> {
        let too_long = |field: &str, most, begins| {
            let field = field.to_owned();
            Err(Failure::TooLong(Box::new(TooLong {
                field,
                most,
                begins,
            })))
        };
        if pairs.len() > MOST {
            return too_long("", MOST, String::new());
        }
        for (name, value) in &pairs {
            if value.contains('\0') {
                return Err(Failure::Nul);
            }
            if name.chars().nth(LONGEST_NAME).is_some() {
                return too_long("", LONGEST_NAME, String::new());
            }
            let bound = BOUNDS.iter().find(|(known, _)| known == name);
            let most = bound.map_or(LONGEST, |(_, most)| *most);
            if let Some((end, _)) = value.char_indices().nth(most) {
                return too_long(name, most, value[..end].to_owned());
            }
        }
        Ok(Self(pairs))
    }

    /// The fields of a form that is sent.
    pub fn of_form(
        http: &HttpRequest,
        payload: &mut Payload,
    ) -> impl Future<Output = Result<Self, Error>> + use<> {
        let form = Form::<Vec<(String, String)>>::from_request(http, payload);
        async move { Ok(Self::bounded(form.await?.into_inner())?) }
    }

    /// The fields in the address of a request, which [`check_address`] has checked.
    pub fn of_query(http: &HttpRequest) -> Self {
        Self(pairs(http.query_string()))
    }

    /// The fields in a part of a path. It holds a game, whose length is the reader's matter.
    pub fn of_game(text: &str) -> Self {
        Self(pairs(text))
    }

    pub fn get(&self, name: &str) -> &str {
        self.all(name).next().unwrap_or_default()
    }

    /// True if there is a field `name`, as for a ticked box.
    pub fn has(&self, name: &str) -> bool {
        self.all(name).next().is_some()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn has_only(&self, names: &[&str]) -> bool {
        self.iter().all(|(name, _)| names.contains(&name.as_str()))
    }

    pub fn iter(&self) -> impl Iterator<Item = &(String, String)> {
        self.0.iter()
    }

    pub fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        let name = name.to_owned();
        self.iter()
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

fn pairs(text: &str) -> Vec<(String, String)> {
    let pairs = Query::<Vec<(String, String)>>::from_query(text);
    pairs.map(Query::into_inner).unwrap_or_default()
}

/// Refuses an address that is longer than any of a page, or has a field in its query that nobody has typed.
pub fn check_address(http: &HttpRequest) -> Result<(), Failure> {
    let (path, query) = (http.path(), http.query_string());
    let longest = if path.starts_with("/try/") {
        LONGEST_GAME
    } else {
        LONGEST_PATH
    };
    for (part, most) in [(path, longest), (query, LONGEST_QUERY)] {
        if part.len() > most {
            return Err(Failure::TooLong(Box::new(TooLong {
                field: String::new(),
                most,
                begins: String::new(),
            })));
        }
    }
    Fields::bounded(pairs(query)).map(drop)
}

impl FromRequest for Fields {
    type Error = Failure;
    type Future = Ready<Result<Self, Failure>>;

    fn from_request(http: &HttpRequest, _: &mut Payload) -> Self::Future {
        std::future::ready(Ok(Self::of_query(http)))
    }
}
