//! The settings for mail: the mail server, and the sender.

use std::borrow::Cow;
use std::fmt::{self, Debug, Display};
use std::net::IpAddr;
use std::str::FromStr;

use lettre::Address;
use lettre::message::Mailbox;
use lettre::transport::smtp::{SMTP_PORT, SUBMISSION_PORT, SUBMISSIONS_PORT};
use percent_encoding::percent_decode_str;
use url::{Host, Url};

use crate::address::domain;

/// When the connection to the mail server is encrypted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Encryption {
    Never,
    /// By STARTTLS, if the server can.
    Opportunistic,
    /// By STARTTLS.
    Required,
    FromStart,
}

/// A mail server, as `SMTP_URL` gives it: `smtp://USER:PASSWORD@HOST:PORT?tls=required` (the connection is
/// encrypted by STARTTLS), `?tls=opportunistic` (if the server can), `?tls=none`, or
/// `smtps://…` (encrypted from the start). Without `tls=` `smtp://` is not encrypted, and
/// must not hold a password unless it stays on this machine. A path is the name in our greeting. [`Display`] and [`Debug`] leave
/// user and password out.
#[derive(Clone, PartialEq, Eq)]
pub struct MailServer {
    pub host: String,
    pub port: u16,
    pub encryption: Encryption,
    /// User and password.
    pub login: Option<(String, String)>,
    pub greeting: Option<String>,
}

const ALLOWED: &str = "it is smtp://USER:PASSWORD@HOST:PORT?tls=required (or opportunistic, or none) or \
                       smtps://USER:PASSWORD@HOST:PORT";

impl FromStr for MailServer {
    /// A clause that names the error and the right form, without the password.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (scheme, rest) = text.split_once("://").ok_or(ALLOWED)?;
        let scheme = scheme.to_lowercase();
        let first = rest.find(['/', '?', '#']);
        if first.is_some_and(|first| rest[first..].contains('@')) {
            return Err(
                "in its user and password, / is written %2F, ? is %3F, # is %23, @ is %40 and % is %25".to_owned(),
            );
        }
        let url = Url::parse(&format!("{scheme}://{rest}")).map_err(|_| ALLOWED)?;
        if url.fragment().is_some() {
            return Err(ALLOWED.to_owned());
        }
        let encryption = match (&*scheme, url.query()) {
            ("smtp", None | Some("" | "tls=none")) => Encryption::Never,
            ("smtp", Some("tls=opportunistic")) => Encryption::Opportunistic,
            ("smtp", Some("tls=required")) => Encryption::Required,
            ("smtps", None | Some("")) => Encryption::FromStart,
            _ => return Err(ALLOWED.to_owned()),
        };
        let host = match url.host().ok_or(ALLOWED)? {
            Host::Domain(name) => {
                domain(&percent_decode_str(name).decode_utf8_lossy()).ok_or(ALLOWED)?
            }
            Host::Ipv4(address) => address.to_string(),
            Host::Ipv6(address) => address.to_string(),
        };
        let login = login(&url)?;
        let is_local = host == "localhost"
            || host
                .parse()
                .is_ok_and(|address: IpAddr| address.is_loopback());
        if url.query().is_none_or(str::is_empty) && scheme == "smtp" && login.is_some() && !is_local
        {
            return Err(
                "it would send the password in the clear: add ?tls=required to it (or ?tls=none, \
                 if that is meant)"
                    .to_owned(),
            );
        }
        let usual = match encryption {
            Encryption::Never => SMTP_PORT,
            Encryption::FromStart => SUBMISSIONS_PORT,
            Encryption::Opportunistic | Encryption::Required => SUBMISSION_PORT,
        };
        let greeting = url.path().trim_matches('/');
        Ok(Self {
            host,
            port: url.port().unwrap_or(usual),
            encryption,
            login,
            greeting: (!greeting.is_empty()).then(|| greeting.to_owned()),
        })
    }
}

/// The user and the password, if there are any.
fn login(url: &Url) -> Result<Option<(String, String)>, String> {
    let decoded = |text: &str| {
        let mut after = text.split('%').skip(1);
        let is_byte = |digits: &str| {
            digits.len() > 1
                && digits
                    .bytes()
                    .take(2)
                    .all(|digit| digit.is_ascii_hexdigit())
        };
        let decoded = percent_decode_str(text).decode_utf8().ok();
        let decoded = decoded.filter(|_| after.all(is_byte));
        decoded
            .map(Cow::into_owned)
            .ok_or("a % in its user or password is written %25")
    };
    match (url.username(), url.password()) {
        ("", None) => Ok(None),
        (_, None | Some("")) | ("", _) => Err(format!("user or password is missing: {ALLOWED}")),
        (user, Some(password)) => Ok(Some((decoded(user)?, decoded(password)?))),
    }
}

impl Display for MailServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match self.encryption {
            Encryption::Never => "not encrypted",
            Encryption::Opportunistic => "encrypted if it can",
            Encryption::Required | Encryption::FromStart => "encrypted",
        };
        write!(f, "{}, port {}, {how}", self.host, self.port)
    }
}

impl Debug for MailServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

/// The sender, as `MAIL_FROM` gives it: an address, or a name and an address, `Perplex <games@perplex.example>`.
///
/// # Errors
/// A clause that names the error and the right form.
pub fn sender(text: &str) -> Result<Mailbox, String> {
    let wrong = |why: &str| format!("\"{text}\" {why}");
    let (name, address) = match text.rsplit_once('<') {
        Some((name, rest)) => (
            name.trim(),
            rest.strip_suffix('>')
                .ok_or_else(|| wrong(NO_SENDER))?
                .trim(),
        ),
        None => ("", text.trim()),
    };
    let name = match name
        .strip_prefix('"')
        .and_then(|name| name.strip_suffix('"'))
    {
        Some(quoted) => quoted.replace("\\\"", "\"").replace("\\\\", "\\"),
        None if name.contains([',', ';']) => {
            return Err(wrong(&format!(
                "has a comma in its name: write it in quotation marks, \"{name}\" <{address}>"
            )));
        }
        None if name.contains(['"', '<', '>', '@']) => return Err(wrong(NO_SENDER)),
        None => name.to_owned(),
    };
    if address.contains([',', ';']) {
        return Err(wrong(
            "has a comma, which parts addresses: there is one sender, and a name with a comma stands in quotation marks, such as \
             \"Perplex, the club\" <perplex@example.org>",
        ));
    }
    let (user, place) = address.rsplit_once('@').ok_or_else(|| wrong(NO_SENDER))?;
    if !user.is_ascii() {
        return Err(wrong(
            "has letters before the @ that many mail servers refuse: take an address in plain letters, such as \
             Perplex <perplex@example.org>",
        ));
    }
    // lettre sends nothing from a number in brackets.
    let place = domain(place).filter(|place| !place.starts_with('['));
    let email = place.and_then(|place| Address::new(user, place).ok());
    let email = email.ok_or_else(|| wrong(NO_SENDER))?;
    Ok(Mailbox::new((!name.is_empty()).then_some(name), email))
}

const NO_SENDER: &str = "is no sender such as Perplex <perplex@example.org>";

/// The name in the greeting to a mail server (RFC 5321, 4.1.4): that of the site, if other computers know it, else the
/// domain of the sender, else the site's number in brackets.
pub fn greeting(url: &str, sender: &str) -> String {
    let is_known = |name: &str| {
        let last = name.rsplit_once('.').map(|(_, last)| last);
        last.is_some_and(|last| last != "localhost" && last != "local")
            && name.parse::<IpAddr>().is_err()
    };
    let url = Url::parse(url).ok();
    match url.as_ref().and_then(Url::host) {
        Some(Host::Domain(name)) if is_known(name) => name.to_owned(),
        _ if is_known(sender) => sender.to_owned(),
        Some(Host::Ipv4(address)) if !address.is_unspecified() => format!("[{address}]"),
        Some(Host::Ipv6(address)) if !address.is_unspecified() => format!("[IPv6:{address}]"),
        Some(Host::Domain(name)) => name.to_owned(),
        _ => "[127.0.0.1]".to_owned(),
    }
}
