//! Settings: read once at the start, from a TOML file if there is one and from the environment, which takes
//! precedence. Every error names the setting, the place of its value, and the allowed values.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::site::{SignUpMode, Site};
use crate::store::{Address, StoreError};
use url::Url;

pub const NAMES: &[&str] = &[
    "PERPLEX_CONFIG",
    "PERPLEX_DATA",
    "PERPLEX_LISTEN",
    "PERPLEX_URL",
    "PERPLEX_PROXIES",
    "DATABASE_URL",
    "PERPLEX_SIGN_UP",
    "PERPLEX_CONTACT",
    "PERPLEX_SOURCE",
    "SMTP_URL",
    "MAIL_FROM",
    "MAIL_PAUSE",
];

/// The content of the TOML file. Unknown names are errors, so that a misspelt one is noticed.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    data: Option<String>,
    listen: Option<String>,
    url: Option<String>,
    proxies: Option<String>,
    sign_up: Option<String>,
    contact: Option<String>,
    source: Option<String>,
    database_url: Option<String>,
    smtp_url: Option<String>,
    mail_from: Option<String>,
    mail_pause: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Config {
    /// The folder for the database, the key and mails that are not sent.
    pub data: PathBuf,
    pub listen: SocketAddr,
    /// The beginning of all links, without a slash at the end; `None` follows from `listen`.
    pub url: Option<String>,
    /// Number of proxies before the program, each of which adds to `X-Forwarded-For`.
    pub proxies: usize,
    pub database: Address,
    pub site: Site,
    pub smtp: Option<String>,
    pub mail_from: String,
}

#[derive(Clone, Debug, thiserror::Error)]
#[error("the setting {setting} ({place}) is not right: {why}")]
pub struct ConfigError {
    setting: String,
    place: String,
    why: String,
}

struct Value {
    setting: String,
    place: String,
    text: String,
}

impl Value {
    fn wrong(&self, why: impl Into<String>) -> ConfigError {
        ConfigError {
            setting: self.setting.clone(),
            place: self.place.clone(),
            why: why.into(),
        }
    }
}

impl Config {
    /// The settings from the environment, which `env` reads, and from the file that
    /// `PERPLEX_CONFIG` names.
    pub fn load(env: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let (file, file_name) = match env("PERPLEX_CONFIG") {
            Some(name) => (read_file(&name)?, name),
            None => (File::default(), String::new()),
        };
        let value = |name: &str, field: &str, in_file: Option<String>| {
            let from_env = env(name).map(|text| Value {
                setting: name.to_owned(),
                place: "in the environment".to_owned(),
                text,
            });
            from_env.or_else(|| {
                in_file.map(|text| Value {
                    setting: field.to_owned(),
                    place: format!("in {file_name}"),
                    text,
                })
            })
        };
        let data = value("PERPLEX_DATA", "data", file.data);
        let data = PathBuf::from(data.map_or_else(|| "data".to_owned(), |value| value.text));
        let listen = value("PERPLEX_LISTEN", "listen", file.listen)
            .map(|value| {
                value.text.parse().map_err(|_| {
                    value.wrong(format!(
                        "\"{}\" is not an address and port, such as 127.0.0.1:8080 or [::]:80",
                        value.text
                    ))
                })
            })
            .transpose()?
            .unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 8080)));
        let url = value("PERPLEX_URL", "url", file.url)
            .map(check_url)
            .transpose()?;
        let proxies = value("PERPLEX_PROXIES", "proxies", file.proxies)
            .map(|value| {
                let number = value.text.parse().ok().filter(|n| *n <= 10);
                number.ok_or_else(|| {
                    value.wrong("it is the number of proxies in front of Perplex, 0 to 10")
                })
            })
            .transpose()?
            .unwrap_or(0);
        let database = value("DATABASE_URL", "database_url", file.database_url)
            .map(check_database)
            .transpose()?
            .unwrap_or_else(|| Address::in_folder(&data));
        let sign_up = value("PERPLEX_SIGN_UP", "sign_up", file.sign_up)
            .map(check_sign_up)
            .transpose()?
            .unwrap_or_default();
        let contact = value("PERPLEX_CONTACT", "contact", file.contact)
            .map(check_contact)
            .transpose()?;
        let source = value("PERPLEX_SOURCE", "source", file.source)
            .map(check_source)
            .transpose()?
            .or_else(|| {
                let ours = env!("CARGO_PKG_REPOSITORY");
                (!ours.is_empty()).then(|| ours.to_owned())
            });
        let smtp = value("SMTP_URL", "smtp_url", file.smtp_url)
            .map(check_smtp)
            .transpose()?;
        let mail_from = value("MAIL_FROM", "mail_from", file.mail_from)
            .map(
                |value| match value.text.parse::<lettre::message::Mailbox>() {
                    Ok(_) => Ok(value.text),
                    Err(error) => Err(value.wrong(format!(
                        "\"{}\" is no sender such as Perplex <perplex@example.org> ({error})",
                        value.text
                    ))),
                },
            )
            .transpose()?
            .unwrap_or_else(|| "Perplex <perplex@localhost>".to_owned());
        let mail_pause = value("MAIL_PAUSE", "mail_pause", file.mail_pause)
            .map(|value| {
                let minutes = value.text.parse().ok().filter(|minutes| *minutes <= 60);
                minutes
                    .map(Duration::from_mins)
                    .ok_or_else(|| value.wrong("it is a number of minutes, 0 to 60"))
            })
            .transpose()?
            .unwrap_or(Site::default().mail_pause);
        Ok(Self {
            data,
            listen,
            url,
            proxies,
            database,
            site: Site {
                sign_up,
                contact,
                source,
                mail_pause,
            },
            smtp,
            mail_from,
        })
    }
}

fn read_file(name: &str) -> Result<File, ConfigError> {
    let wrong = |why: String| ConfigError {
        setting: "PERPLEX_CONFIG".to_owned(),
        place: "in the environment".to_owned(),
        why,
    };
    let text = std::fs::read_to_string(Path::new(name))
        .map_err(|error| wrong(format!("the file {name} cannot be read: {error}")))?;
    toml::from_str(&text).map_err(|error| {
        // The error of the toml crate shows the line and what it expected there.
        wrong(format!("{name} is not understood:\n{error}"))
    })
}

/// An address of the web, as it is typed into a browser.
fn web(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    (matches!(url.scheme(), "http" | "https") && !text.contains(' ')).then_some(url)
}

fn check_url(value: Value) -> Result<String, ConfigError> {
    let is_bare = |url: Url| {
        url.path() == "/"
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none()
    };
    if web(&value.text).is_some_and(is_bare) {
        return Ok(value.text.trim_end_matches('/').to_owned());
    }
    Err(value.wrong(format!(
        "\"{}\" is not the address of a site, such as https://perplex.example.org (without a path)",
        value.text
    )))
}

fn check_sign_up(value: Value) -> Result<SignUpMode, ConfigError> {
    match &*value.text {
        "open" => Ok(SignUpMode::Open),
        "invite" => Ok(SignUpMode::Invite),
        "closed" => Ok(SignUpMode::Closed),
        other => Err(value.wrong(format!("\"{other}\" is none of open, invite and closed"))),
    }
}

fn check_contact(value: Value) -> Result<String, ConfigError> {
    if web(&value.text).is_some() || value.text.parse::<lettre::Address>().is_ok() {
        return Ok(value.text);
    }
    Err(value.wrong(format!(
        "\"{}\" is neither an address such as ann@example.org nor one such as https://example.org/contact",
        value.text
    )))
}

fn check_source(value: Value) -> Result<String, ConfigError> {
    if web(&value.text).is_some() {
        return Ok(value.text);
    }
    Err(value.wrong(format!(
        "\"{}\" is not an address such as https://example.org/perplex",
        value.text
    )))
}

fn check_database(value: Value) -> Result<Address, ConfigError> {
    value
        .text
        .parse()
        .map_err(|error: StoreError| value.wrong(error.to_string()))
}

fn check_smtp(value: Value) -> Result<String, ConfigError> {
    if value.text.starts_with("smtp://") || value.text.starts_with("smtps://") {
        return Ok(value.text);
    }
    Err(value.wrong(
        "it is smtp://USER:PASSWORD@HOST:PORT or smtps://USER:PASSWORD@HOST:PORT".to_owned(),
    ))
}
