//! `perplex mail preview`: a mail of every kind, as files to look at. People who are not there play matches in a database
//! that is thrown away (`stories`); their mails are written to a folder instead of being sent.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use argon2::{Algorithm, Argon2, Params, Version};
use askama::Template;
use mail_parser::decoders::html::html_to_text;
use mail_parser::{MessageParser, MimeHeaders as _};

use crate::app::mails::{DueMail, Outcome};
use crate::app::{App, Clock};
use crate::mail::{Message, Sender, compose};
use crate::secret::{Key, KeyRing, random_token};
use crate::site::Site;
use crate::store::{Address, Store};
use perplex_matches::id::MatchId;
use perplex_matches::time::Time;

mod stories;

const URL: &str = "https://perplex.example";
const FROM: &str = "games@perplex.example";
/// The most mails of one kind about one match or subject: the first is often unlike the later ones.
const ALIKE: usize = 2;
const AT_ONCE: usize = 1_000;
const LEASE: Duration = Duration::from_mins(5);
/// The most characters of the line that lists of mails show beside the subject.
const PREVIEW_LINE: usize = 110;

/// A mail, and its place among the others.
struct Written {
    kind: &'static str,
    /// The game, or another word that tells it from others of its kind; may be empty.
    about: String,
    mail: Vec<u8>,
}

pub struct Preview {
    app: Arc<App>,
    time: Arc<AtomicI64>,
    sender: Sender,
    /// The folder of the database, removed in the end.
    folder: PathBuf,
    matches: HashMap<MatchId, String>,
    mails: Vec<Written>,
}

impl Drop for Preview {
    fn drop(&mut self) {
        // It lies among other temporary files, and holds nothing.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Makes the folder, which must not be there, or be empty.
/// Errors: a sentence for the person who named it.
pub fn make_folder(folder: &Path) -> Result<(), String> {
    let failed = |error: io::Error| format!("{} cannot be made: {error}", folder.display());
    fs::create_dir_all(folder).map_err(failed)?;
    if fs::read_dir(folder).map_err(failed)?.next().is_some() {
        return Err(format!(
            "{} holds something already; name an empty folder, or a new one",
            folder.display()
        ));
    }
    Ok(())
}

impl Preview {
    /// Opens an empty database, at the time `now`. Blocks.
    pub fn new(now: Time) -> Result<Self, String> {
        let folder = std::env::temp_dir().join(format!("perplex-mail-{}", random_token()));
        fs::create_dir(&folder).map_err(told)?;
        let time = Arc::new(AtomicI64::new(now.0));
        let read = Arc::clone(&time);
        let clock = Clock::never_set(move || Time(read.load(Ordering::SeqCst)));
        let store = Store::open(&Address::in_folder(&folder)).map_err(told)?;
        let (key, ring) = (Key::fresh(), KeyRing::fresh());
        let site = Site::default();
        let mut app = App::new(store, key, ring, URL.to_owned(), None, site, clock);
        // The passwords protect nothing.
        let least = Params::new(Params::MIN_M_COST, 1, 1, None).map_err(told)?;
        app.argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, least);
        Ok(Self {
            app: Arc::new(app),
            time,
            sender: Sender::new(URL, FROM)?,
            folder,
            matches: HashMap::new(),
            mails: Vec::new(),
        })
    }

    fn wait(&self, time: Duration) {
        let micros = i64::try_from(time.as_micros()).unwrap_or(0);
        self.time.fetch_add(micros, Ordering::SeqCst);
    }

    /// Composes what is due, lets time pass, and does what is due then.
    async fn pass(&mut self, time: Duration) -> Result<(), String> {
        self.deliver().await?;
        self.wait(time);
        self.app.tick().await.map_err(told)?;
        self.deliver().await
    }

    /// Composes the mails that are due.
    async fn deliver(&mut self) -> Result<(), String> {
        let mut done = Vec::new();
        loop {
            let due = self.app.mark_and_lease(done, AT_ONCE, LEASE).await;
            let due = due.map_err(told)?;
            if due.is_empty() {
                return Ok(());
            }
            done = Vec::new();
            for mails in due {
                let read = self.app.read_mails(mails.clone()).await;
                let (mail, outcomes) = read.map_err(told)?;
                if let Some(mail) = mail {
                    let kind = mail.kind;
                    let text = compose(&Message::of(mail), &self.sender).map_err(told)?;
                    self.keep(kind, &mails, text.formatted());
                }
                for (mail, outcome) in mails.into_iter().zip(outcomes) {
                    if let Outcome::Failed(failure) = outcome {
                        return Err(told(failure));
                    }
                    done.push((mail, outcome));
                }
            }
        }
    }

    fn keep(&mut self, kind: &'static str, due: &[DueMail], mail: Vec<u8>) {
        let about = match due {
            [one] => one.match_id().and_then(|id| self.matches.get(id)),
            _ => None,
        };
        let about = about.cloned().unwrap_or_default();
        let text = without_links(&mail);
        let alike = self.mails.iter();
        let mut alike = alike.filter(|one| one.kind == kind && one.about == about);
        if alike.clone().count() < ALIKE && alike.all(|one| without_links(&one.mail) != text) {
            self.mails.push(Written { kind, about, mail });
        }
    }

    /// Writes the mails to a folder, with an index of them; gives their number.
    pub fn write_to(mut self, folder: &Path) -> Result<usize, String> {
        let kinds = stories::kinds();
        let place = |kind: &str| kinds.iter().position(|one| *one == kind);
        self.mails.sort_by_key(|mail| place(mail.kind));
        let mut listed: Vec<Listed> = Vec::with_capacity(self.mails.len());
        for (number, written) in (1..).zip(&self.mails) {
            listed.push(write(folder, number, written)?);
        }
        let index = Index { mails: &listed }.render().map_err(told)?;
        put(folder, "index.html", index.as_bytes())?;
        Ok(listed.len())
    }
}

/// The plain text of a mail without what is different in each.
fn without_links(mail: &[u8]) -> String {
    let mail = MessageParser::default().parse(mail);
    let text = mail.as_ref().and_then(|mail| mail.body_text(0));
    let text = text.unwrap_or_default();
    let lines = text.lines().filter(|line| !line.starts_with(URL));
    lines.collect()
}

fn put(folder: &Path, name: &str, content: &[u8]) -> Result<(), String> {
    let file = folder.join(name);
    fs::write(&file, content)
        .map_err(|error| format!("{} cannot be written: {error}", file.display()))
}

/// Writes a mail as it is sent, its HTML, and its pictures beside it.
fn write(folder: &Path, number: usize, written: &Written) -> Result<Listed, String> {
    let mut name = format!("{number:03}-{}", written.kind);
    if !written.about.is_empty() {
        name = format!("{name}-{}", written.about);
    }
    put(folder, &format!("{name}.eml"), &written.mail)?;
    let broken = || format!("{name} cannot be read again");
    let mail = MessageParser::default()
        .parse(&written.mail)
        .ok_or_else(broken)?;
    let mut html = mail.body_html(0).ok_or_else(broken)?.into_owned();
    for (number, picture) in (1..).zip(mail.attachments()) {
        let file = format!("{name}-{number}.png");
        put(folder, &file, picture.contents())?;
        let cid = picture.content_id().unwrap_or_default();
        html = html.replace(&format!("cid:{cid}"), &file);
    }
    put(folder, &format!("{name}.html"), html.as_bytes())?;
    let to = mail.to().and_then(|to| to.first());
    // As lists of mails show it, which read the HTML.
    let line = html_to_text(&html);
    let line = line
        .split_whitespace()
        .skip_while(|word| !word.starts_with("Hello"));
    let line = line.collect::<Vec<_>>().join(" ");
    Ok(Listed {
        kind: written.kind,
        about: written.about.clone(),
        to: to
            .and_then(|to| to.address())
            .unwrap_or_default()
            .to_owned(),
        subject: mail.subject().unwrap_or_default().to_owned(),
        line: line.chars().take(PREVIEW_LINE).collect(),
        name,
    })
}

struct Listed {
    kind: &'static str,
    about: String,
    to: String,
    subject: String,
    line: String,
    /// The name of its files without their endings.
    name: String,
}

#[derive(Template)]
#[template(path = "mail/preview.html")]
struct Index<'a> {
    mails: &'a [Listed],
}

impl Index<'_> {
    /// True if the mail before it is of another kind.
    fn begins_kind(&self, index: &usize) -> bool {
        let before = index.checked_sub(1).map(|before| self.mails[before].kind);
        before != Some(self.mails[*index].kind)
    }
}
