//! The way out of a mail: to a mail server, or into a folder.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use lettre::transport::smtp::PoolConfig;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{AsyncSmtpConnection, Tls, TlsParameters};
use lettre::transport::smtp::extension::{ClientId, Extension};
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Message as Email, Tokio1Executor};
use tokio::task::spawn_blocking;

use super::settings::{Encryption, MailServer};
use crate::app::mails::Failure;
use crate::files;
use crate::secret::hash_token;
use perplex_matches::time::Time;

/// The time for a connection.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest that a mail can take. To the end of its text a server may take ten minutes to answer (RFC 5321, 4.5.3.2.6): a
/// client that does not wait for it sends again what was taken.
pub const LONGEST: Duration = Duration::from_mins(15);
const CONNECTIONS: u32 = 4;

#[derive(Clone, Debug)]
pub enum Transport {
    Smtp(Box<Smtp>),
    Files(PathBuf),
}

/// A mail server, with the connections to it.
#[derive(Clone, Debug)]
pub struct Smtp {
    pub connections: AsyncSmtpTransport<Tokio1Executor>,
    server: MailServer,
    greeting: ClientId,
}

impl Transport {
    /// A mail server; `greeting` is the name in our greeting, if its setting gives none.
    ///
    /// Must be called in the asynchronous runtime.
    /// Errors: a clause that names the error.
    pub fn smtp(server: &MailServer, greeting: &str) -> Result<Self, String> {
        let named = || named(server).map_err(|error| error.to_string());
        let tls = match server.encryption {
            Encryption::Never => Tls::None,
            Encryption::Opportunistic => Tls::Opportunistic(named()?),
            Encryption::Required => Tls::Required(named()?),
            Encryption::FromStart => Tls::Wrapper(named()?),
        };
        // An address in brackets stands there as it is.
        let greeting = ClientId::Domain(server.greeting.as_deref().unwrap_or(greeting).to_owned());
        let pool = PoolConfig::new()
            .max_size(CONNECTIONS)
            .idle_timeout(Duration::from_secs(20));
        let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(&server.host)
            .port(server.port)
            .tls(tls)
            .hello_name(greeting.clone())
            .timeout(Some(PATIENCE))
            .pool_config(pool);
        if let Some((user, password)) = server.login.clone() {
            builder = builder.credentials(Credentials::new(user, password));
        }
        Ok(Self::Smtp(Box::new(Smtp {
            connections: builder.build(),
            server: server.clone(),
            greeting,
        })))
    }

    /// Asks the mail server whether it takes addresses with letters beyond ASCII before the @ (SMTPUTF8). A folder says
    /// nothing of the server to which its mails may go.
    pub async fn takes_letters(&self) -> Result<bool, lettre::transport::smtp::Error> {
        match self {
            Self::Smtp(smtp) => smtp.takes_letters().await,
            Self::Files(_) => Ok(false),
        }
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
            Self::Smtp(smtp) => {
                let unusual = !message
                    .envelope()
                    .to()
                    .iter()
                    .all(|to| to.to_string().is_ascii());
                match tokio::time::timeout(LONGEST, smtp.connections.send(message)).await {
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

fn named(server: &MailServer) -> Result<TlsParameters, lettre::transport::smtp::Error> {
    TlsParameters::new(server.host.clone())
}

impl Smtp {
    async fn takes_letters(&self) -> Result<bool, lettre::transport::smtp::Error> {
        let Self {
            server, greeting, ..
        } = self;
        let from_start = match server.encryption {
            Encryption::FromStart => Some(named(server)?),
            _ => None,
        };
        let place = (server.host.as_str(), server.port);
        let mut connection =
            AsyncSmtpConnection::connect_tokio1(place, Some(PATIENCE), greeting, from_start, None)
                .await?;
        let encrypts = match server.encryption {
            Encryption::Opportunistic => connection.can_starttls(),
            Encryption::Required => true,
            Encryption::Never | Encryption::FromStart => false,
        };
        if encrypts {
            // What it says before that may be another's word.
            connection.starttls(named(server)?, greeting).await?;
        }
        let info = connection.server_info();
        let takes = info.supports_feature(Extension::SmtpUtfEight);
        let _ = connection.quit().await;
        Ok(takes)
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
