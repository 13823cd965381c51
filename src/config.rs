//! Settings: read once at the start, from a TOML file if there is one and from the environment, which takes
//! precedence. Every error names the setting, the place of its value, and the allowed values. `docs/settings.md` shows what
//! becomes of values that are not quite right.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use crate::mail::settings::{MailServer, sender};
use crate::site::{SignUpMode, Site};
use crate::store::{Address, StoreError};
use value::{Value, origin, origin_of, web};

mod value;

pub use value::ConfigError;

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
    /// The beginning of all links, an origin as browsers write it; `None` follows from `listen`.
    pub url: Option<String>,
    /// Number of proxies before the program, each of which adds to `X-Forwarded-For`.
    pub proxies: usize,
    pub database: Address,
    pub site: Site,
    pub smtp: Option<MailServer>,
    pub mail_from: String,
}

impl Config {
    /// The settings from the environment, which `env` reads, and from the file that
    /// `PERPLEX_CONFIG` names.
    pub fn load(env: impl Fn(&str) -> Option<OsString>) -> Result<Self, ConfigError> {
        let from_env = |name: &str| match env(name) {
            Some(text) => Value::new(name, "in the environment", &text),
            None => Ok(None),
        };
        let (file, file_name) = match from_env("PERPLEX_CONFIG")? {
            Some(value) => (read_file(&value)?, value.text),
            None => (File::default(), String::new()),
        };
        let value = |name: &str, field: &str, in_file: Option<String>| {
            let place = format!("in {file_name}");
            match (from_env(name)?, in_file) {
                (None, Some(text)) => Value::new(field, &place, OsStr::new(&text)),
                (from_env, _) => Ok(from_env),
            }
        };
        let data = value("PERPLEX_DATA", "data", file.data)?
            .map(|value| value.path(&value.text))
            .transpose()?
            .unwrap_or_else(|| "data".into());
        let listen = value("PERPLEX_LISTEN", "listen", file.listen)?
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
        let url = value("PERPLEX_URL", "url", file.url)?
            .map(check_url)
            .transpose()?;
        let proxies = value("PERPLEX_PROXIES", "proxies", file.proxies)?
            .map(|value| {
                let number = value.text.parse().ok().filter(|n| *n <= 10);
                number.ok_or_else(|| {
                    value.wrong("it is the number of proxies in front of Perplex, 0 to 10")
                })
            })
            .transpose()?
            .unwrap_or(0);
        let database = value("DATABASE_URL", "database_url", file.database_url)?
            .map(check_database)
            .transpose()?
            .unwrap_or_else(|| Address::in_folder(&data));
        let sign_up = value("PERPLEX_SIGN_UP", "sign_up", file.sign_up)?
            .map(check_sign_up)
            .transpose()?
            .unwrap_or_default();
        let contact = value("PERPLEX_CONTACT", "contact", file.contact)?
            .map(check_contact)
            .transpose()?;
        let source = value("PERPLEX_SOURCE", "source", file.source)?
            .map(check_source)
            .transpose()?
            .or_else(|| {
                let ours = env!("CARGO_PKG_REPOSITORY");
                (!ours.is_empty()).then(|| ours.to_owned())
            });
        let smtp = value("SMTP_URL", "smtp_url", file.smtp_url)?
            .map(check_smtp)
            .transpose()?;
        let mail_from = value("MAIL_FROM", "mail_from", file.mail_from)?
            .map(|value| match sender(&value.text) {
                Ok(_) => Ok(value.text),
                Err(why) => Err(value.wrong(why)),
            })
            .transpose()?
            .unwrap_or_else(|| "Perplex <perplex@localhost>".to_owned());
        let mail_pause = value("MAIL_PAUSE", "mail_pause", file.mail_pause)?
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

    /// The beginning of all links.
    pub fn origin(&self) -> String {
        self.url.clone().unwrap_or_else(|| origin_of(self.listen))
    }
}

fn read_file(value: &Value) -> Result<File, ConfigError> {
    let name = &value.text;
    let text = fs::read_to_string(value.path(&value.text)?)
        .map_err(|error| value.wrong(format!("the file {name} cannot be read: {error}")))?;
    // Editors of Windows put a mark before the first line.
    toml::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| {
        // The error of the toml crate shows the line and what it expected there.
        value.wrong(format!("{name} is not understood:\n{error}"))
    })
}

fn check_url(value: Value) -> Result<String, ConfigError> {
    let url = web(&value.text);
    let is_bare = url
        .as_ref()
        .is_some_and(|url| url.path() == "/" && url.query().is_none() && url.fragment().is_none());
    match url.and_then(origin) {
        Some(origin) if is_bare => Ok(origin),
        Some(origin) => Err(value.wrong(format!(
            "{} is more than the address of a site: write {origin}, without what follows",
            value.shown()
        ))),
        None => Err(value.wrong(format!(
            "{} is not the address of a site, such as https://perplex.example.org (without a path or password)",
            value.shown()
        ))),
    }
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
    if let Some(url) = web(&value.text) {
        return Ok(url.into());
    }
    if value.text.parse::<lettre::Address>().is_ok() {
        return Ok(value.text);
    }
    Err(value.wrong(format!(
        "{} is neither an address such as ann@example.org nor one such as https://example.org/contact",
        value.shown()
    )))
}

fn check_source(value: Value) -> Result<String, ConfigError> {
    if let Some(url) = web(&value.text) {
        return Ok(url.into());
    }
    Err(value.wrong(format!(
        "{} is not an address such as https://example.org/perplex",
        value.shown()
    )))
}

fn check_database(value: Value) -> Result<Address, ConfigError> {
    let address = value.text.parse();
    let address = address.map_err(|error: StoreError| value.wrong(error.to_string()))?;
    if let Address::Sqlite(path) = &address {
        value.path(&path.to_string_lossy())?;
    }
    Ok(address)
}

fn check_smtp(value: Value) -> Result<MailServer, ConfigError> {
    value.text.parse().map_err(|why: String| value.wrong(why))
}
