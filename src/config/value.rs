//! The value of one setting: what copying leaves around it is cut off, and what it cannot be is refused.

use std::ffi::OsStr;
use std::net::SocketAddr;
use std::path::PathBuf;

use url::{Host, Url};

#[derive(Clone, Debug, thiserror::Error)]
#[error("the setting {setting} ({place}) is not right: {why}")]
pub struct ConfigError {
    pub setting: String,
    pub place: String,
    pub why: String,
}

/// A value that has at least one character, none of them a line end.
pub struct Value {
    setting: String,
    place: String,
    pub text: String,
}

/// Characters without width or sign, which come along when a value is copied, or at the beginning of a file.
const UNSEEN: [char; 6] = [
    '\u{feff}', '\u{200b}', '\u{200e}', '\u{200f}', '\u{2060}', '\u{ad}',
];

const QUOTES: [char; 3] = ['"', '\'', '`'];

impl Value {
    /// The value of a setting; `None` if nothing can be seen in it.
    pub fn new(setting: &str, place: &str, value: &OsStr) -> Result<Option<Self>, ConfigError> {
        let around = |c: char| c.is_whitespace() || c.is_control() || UNSEEN.contains(&c);
        let is_line_end = |c: char| c.is_control() || ['\u{2028}', '\u{2029}'].contains(&c);
        let text = value.to_str();
        let value = Self {
            setting: setting.to_owned(),
            place: place.to_owned(),
            text: text.unwrap_or_default().trim_matches(around).to_owned(),
        };
        // None of these repeats the value, which may hold a password.
        if text.is_none() {
            return Err(value.wrong("it is not text in UTF-8"));
        }
        if value.text.contains(is_line_end) {
            return Err(value.wrong(
                "there is a line end or another control character in it: write it in one line",
            ));
        }
        let is_quoted = |quote| {
            value.text.len() > 1 && value.text.starts_with(quote) && value.text.ends_with(quote)
        };
        if QUOTES.into_iter().any(is_quoted) {
            return Err(value.wrong(
                "it stands in quotation marks, which count as a part of it: write it without them",
            ));
        }
        Ok((!value.text.is_empty()).then_some(value))
    }

    pub fn wrong(&self, why: impl Into<String>) -> ConfigError {
        ConfigError {
            setting: self.setting.clone(),
            place: self.place.clone(),
            why: why.into(),
        }
    }

    /// The value for an error; not that of an address with a name, which may be followed by a password.
    pub fn shown(&self) -> String {
        if self.text.contains("://") && self.text.contains('@') {
            "it".to_owned()
        } else {
            format!("\"{}\"", self.text)
        }
    }

    /// The path that this is, or `text` in it. What only a shell would replace is refused: it would become the name of a
    /// folder.
    pub fn path(&self, text: &str) -> Result<PathBuf, ConfigError> {
        let why = if text.contains("://") || text.starts_with("file:") {
            "is an address"
        } else if text.starts_with('~') {
            "begins with ~, which only a shell replaces"
        } else if text.starts_with('$') || text.contains("${") {
            "names a variable, which only a shell replaces"
        } else if text.starts_with(QUOTES) || text.ends_with(QUOTES) {
            "has a quotation mark at its end"
        } else {
            return Ok(text.into());
        };
        Err(self.wrong(format!(
            "\"{text}\" {why}: write the path itself, such as /var/lib/perplex"
        )))
    }
}

/// An address of the web, as it is typed into a browser, without a name and password.
pub fn web(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let is_web = matches!(url.scheme(), "http" | "https") && !text.contains(' ');
    (is_web && url.username().is_empty() && url.password().is_none()).then_some(url)
}

/// The origin of an address, as browsers write it; `None` if its host is no name or number of a computer.
pub fn origin(mut url: Url) -> Option<String> {
    if let Some(Host::Domain(name)) = url.host() {
        // A dot at the end says that the name is whole, and makes another origin of it.
        let name = name.strip_suffix('.').unwrap_or(name).to_owned();
        let is_label = |label: &str| {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || ['-', '_'].contains(&c);
            !label.is_empty() && label.chars().all(is_plain)
        };
        if !name.split('.').all(is_label) {
            return None;
        }
        url.set_host(Some(&name)).ok()?;
    }
    (url.port() != Some(0)).then(|| url.origin().ascii_serialization())
}

/// The address at which the program listens, as the beginning of links. The zone of an address is only this computer's.
pub fn origin_of(listen: SocketAddr) -> String {
    let plain = format!("http://{}", SocketAddr::new(listen.ip(), listen.port()));
    let url = Url::parse(&plain).ok();
    url.map_or(plain, |url| url.origin().ascii_serialization())
}
