//! The fields of a form that was not carried out, in a page that keeps them.

use askama::Template;

use crate::web::fields::Fields;

/// Fields that must not be in a page: they are typed again.
pub const SECRETS: [&str; 7] = [
    "password",
    "old",
    "new",
    "proof",
    "proof-code",
    "phrase",
    "code",
];

/// Fields that hold whatever people write, be it one word.
const WRITTEN: [&str; 6] = ["name", "names", "note", "text", "title", "words"];

/// The fields of a form, to be sent again with it. What people wrote is seen and can be changed.
#[derive(Template)]
#[template(path = "carried.html")]
pub struct Carried<'a> {
    pub fields: &'a Fields,
    /// The names of fields that the page has itself.
    pub without: &'a [&'a str],
}

impl<'a> Carried<'a> {
    fn all(&self) -> impl Iterator<Item = &(String, String)> {
        let fields = self.fields.iter();
        fields.filter(|(name, _)| !self.without.contains(&name.as_str()))
    }

    /// What people wrote, as far as it is more than is typed again at once.
    pub fn texts(fields: &'a Fields) -> Vec<&'a str> {
        let texts = fields
            .iter()
            .filter(|(name, value)| !is_secret(name) && is_text(name, value));
        texts.map(|(_, value)| value.as_str()).collect()
    }
}

fn is_secret(name: &str) -> bool {
    SECRETS.contains(&name)
}

/// True for words. All else is one of few, or was put into the form by its page.
fn is_text(name: &str, value: &str) -> bool {
    let is_long = value.contains(char::is_whitespace) || !value.is_ascii();
    is_long || (WRITTEN.contains(&name) && !value.is_empty())
}
