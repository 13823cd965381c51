//! The way out of a mail: to a mail server, or into a folder.

use std::fmt::{self, Display};
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use lettre::transport::smtp::PoolConfig;
use lettre::transport::smtp::extension::ClientId;
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Message as Email, Tokio1Executor};
use tokio::task::spawn_blocking;

use crate::files;
use crate::secret::hash_token;
use perplex_matches::time::Time;

const PATIENCE: Duration = Duration::from_secs(30);
const LONGEST: Duration = Duration::from_mins(2);
const CONNECTIONS: u32 = 4;

#[derive(Clone, Debug)]
pub enum Transport {
    Smtp(AsyncSmtpTransport<Tokio1Executor>),
    Files(PathBuf),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The server will never take it: the address does not exist, say.
    Refused(String),
    /// It can't be made.
    Bad(String),
    Later(String),
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Refused(why) | Self::Bad(why) | Self::Later(why)) = self;
        f.write_str(why)
    }
}

impl std::error::Error for Failure {}

impl Transport {
    /// The mail server at `url`: `smtp://USER:PASSWORD@HOST:PORT?tls=required` (the connection is
    /// encrypted by STARTTLS), `?tls=opportunistic` (if the server can), `?tls=none`, or
    /// `smtps://…` (encrypted from the start). Without `tls=` `smtp://` is not encrypted, and
    /// must not hold a password unless it stays on this machine. `host` is the name in our greeting, if the path of
    /// `url` gives none.
    ///
    /// Must be called in the asynchronous runtime.
    /// Errors: a clause that names the error and the right form, without the password.
    pub fn smtp(url: &str, host: &str) -> Result<Self, String> {
        let allowed = "it is smtp://USER:PASSWORD@HOST:PORT?tls=required (or opportunistic, or \
                       none) or smtps://USER:PASSWORD@HOST:PORT";
        let (scheme, rest) = url.split_once("://").ok_or(allowed)?;
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = place.split_once('/').unwrap_or((place, ""));
        let (user, server) = match authority.rsplit_once('@') {
            Some((user, server)) => (Some(user), server),
            None => (None, authority),
        };
        let tls = match (scheme, query) {
            ("smtp" | "smtps", "") => "",
            ("smtp", "tls=none" | "tls=required" | "tls=opportunistic") => &query["tls=".len()..],
            _ => return Err(allowed.to_owned()),
        };
        let local = ["localhost", "127.0.0.1", "[::1]"].iter().any(|name| {
            server
                .strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
        });
        if scheme == "smtp" && tls.is_empty() && user.is_some() && !local {
            return Err(
                "it would send the password in the clear: add ?tls=required to it (or ?tls=none, \
                 if that is meant)"
                    .to_owned(),
            );
        }
        let plain = format!("{scheme}://{place}");
        let url = if matches!(tls, "" | "none") {
            &plain
        } else {
            url
        };
        // The error may hold the address with its password.
        let mut builder =
            AsyncSmtpTransport::<Tokio1Executor>::from_url(url).map_err(|_| allowed)?;
        if path.is_empty() {
            builder = builder.hello_name(ClientId::Domain(host.to_owned()));
        }
        let pool = PoolConfig::new()
            .max_size(CONNECTIONS)
            .idle_timeout(Duration::from_secs(20));
        Ok(Self::Smtp(
            builder.timeout(Some(PATIENCE)).pool_config(pool).build(),
        ))
    }

    pub fn files(folder: PathBuf) -> io::Result<Self> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&folder)?;
        Ok(Self::Files(folder))
    }

    pub async fn send(&self, kind: &str, message: Email, now: Time) -> Result<(), Failure> {
        match self {
            Self::Smtp(server) => {
                let unusual = !message
                    .envelope()
                    .to()
                    .iter()
                    .all(|to| to.to_string().is_ascii());
                match tokio::time::timeout(LONGEST, server.send(message)).await {
                    Ok(Ok(_)) => Ok(()),
                    Ok(Err(error)) if is_final(&error, unusual) => {
                        Err(Failure::Refused(error.to_string()))
                    }
                    Ok(Err(error)) => Err(Failure::Later(error.to_string())),
                    Err(_) => Err(Failure::Later("the mail server takes too long".to_owned())),
                }
            }
            Self::Files(folder) => {
                let address = message.envelope().to().first().map(ToString::to_string);
                let hash = hash_token(&address.unwrap_or_default());
                let time = now.utc().format("%Y%m%dT%H%M%S-%6fZ");
                let name = format!("{time}-{kind}-{}", &hash[..12]);
                let (folder, bytes) = (folder.clone(), message.formatted());
                let written = spawn_blocking(move || write_file(&folder, &name, &bytes)).await;
                match written {
                    Ok(Ok(())) => Ok(()),
                    Ok(Err(error)) => Err(Failure::Later(format!("no file was written: {error}"))),
                    Err(error) => Err(Failure::Later(error.to_string())),
                }
            }
        }
    }
}

/// True if the mail server will never take this mail. An answer about the connection, the password, our protocol or our
/// own address says nothing about the reader's: the people who run the site have to repair that. `unusual` is true if
/// the address is not in ASCII, which a server may be unable to take.
fn is_final(error: &lettre::transport::smtp::Error, unusual: bool) -> bool {
    match error.status() {
        Some(code) => {
            let ours = [
                "500", "501", "502", "503", "504", "521", "530", "534", "535", "538",
            ];
            let is_ours = ours.contains(&code.to_string().as_str()) || is_about_sender(error);
            error.is_permanent() && !is_ours
        }
        None => unusual && error.is_client(),
    }
}

/// True if the answer is about the sender or a policy, by its enhanced status code: X.1.7, X.1.8 or X.7.X of RFC 3463, as
/// when a server relays no mail of ours or misses a signature.
fn is_about_sender(error: &lettre::transport::smtp::Error) -> bool {
    let answer = error.to_string();
    let mut codes = answer.split_whitespace();
    codes.any(|code| code.starts_with("5.7.") || ["5.1.7", "5.1.8"].contains(&code))
}

/// Writes a file that appears whole or not at all, and never replaces another one.
fn write_file(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let passing = folder.join(format!(".{name}-{}", crate::secret::random_token()));
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&passing)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        })
        .and_then(|()| put(folder, name, &passing));
    let _ = fs::remove_file(&passing);
    written
}

fn put(folder: &Path, name: &str, passing: &Path) -> io::Result<()> {
    for number in 1..1_000 {
        let tail = if number == 1 {
            String::new()
        } else {
            format!("-{number}")
        };
        match files::put(passing, &folder.join(format!("{name}{tail}.eml"))) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            done => return done,
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_never_overwritten() {
        let folder = std::env::temp_dir().join(crate::secret::random_token());
        fs::create_dir(&folder).unwrap();
        for text in ["one", "two", "three"] {
            write_file(&folder, "name", text.as_bytes()).unwrap();
        }
        let mut names: Vec<String> = fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort_unstable();
        assert_eq!(names, ["name-2.eml", "name-3.eml", "name.eml"]);
        assert_eq!(fs::read_to_string(folder.join("name.eml")).unwrap(), "one");
        fs::remove_dir_all(&folder).unwrap();
    }
}
