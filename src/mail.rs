//! Mail: its text ([`compose`], pure), its way out ([`transport`]), and the worker that sends the mails of the outbox
//! ([`worker`]). What a mail tells comes from [`crate::app::mails`].
//!
//! A mail goes out twice at most: the outbox has its Message-ID, so a reader who gets it a second time after a crash
//! can tell.

use std::fmt::{self, Display};
use std::time::{Duration, UNIX_EPOCH};

use askama::Template as _;
use lettre::message::header::ContentTypeErr;
use lettre::message::header::{Header, HeaderName, HeaderValue};
use lettre::message::{Attachment, Mailbox, MultiPart, SinglePart};
use lettre::{Address, Message as Email};

use crate::address;
use crate::app::mails::{Content, Mail, Off};
use crate::picture::picture;
use crate::texts::mail::{SIGN_IN_FIRST, title};
use crate::texts::{self, encode, query};
use perplex_matches::names::isolated;
use perplex_matches::time::Time;

pub mod account;
pub mod correspondence;
pub mod page;
pub mod settings;
pub mod team;
pub mod text;
pub mod transport;
pub mod worker;

pub use transport::Transport;
pub use worker::run;

use account::AccountText;
use correspondence::{Invitation, News};
use page::{Block, Board, Foot, Page, Places, Shown, TurnLine, plain};
use team::TeamText;
use text::Line;

#[derive(Clone, Debug)]
pub struct Sender {
    pub from: Mailbox,
    /// The beginning of all links, without a slash at the end: `https://perplex.example`.
    pub url: String,
    /// The right side of Message-IDs: the domain of `from`.
    pub domain: String,
    /// The name in the greeting to the mail server.
    pub greeting: String,
}

const NAME: &str = "Perplex";
/// The most characters of a subject.
const SUBJECT: usize = 150;
/// The most pictures of boards in a mail that tells of several matches.
const TOGETHER_BOARDS: usize = 6;

impl Sender {
    /// The sender for links that start with `url`. `from` is `MAIL_FROM`: an address, or a name
    /// and an address: `Perplex <games@perplex.example>`.
    /// Errors: a clause that names the error in `from` and the right form.
    pub fn new(url: &str, from: &str) -> Result<Self, String> {
        let mut from = settings::sender(from)?;
        let name = text::line(from.name.as_deref().unwrap_or_default(), text::NAME);
        from.name = Some(if name.is_empty() {
            NAME.to_owned()
        } else {
            name
        });
        let url = url.trim_end_matches('/').to_owned();
        let domain = from.email.domain().to_owned();
        let greeting = settings::greeting(&url, &domain);
        Ok(Self {
            from,
            url,
            domain,
            greeting,
        })
    }
}

/// A mail with its text.
#[derive(Clone, Debug)]
pub struct Message {
    /// The Message-ID from the outbox, with or without angle brackets and host.
    pub message_id: String,
    pub to: String,
    /// Empty for a stranger.
    pub name: String,
    pub at: Time,
    /// The thread that it belongs to, as the left side of a Message-ID; `None` for a mail by itself.
    pub thread: Option<String>,
    pub off: Off,
    pub about: About,
}

impl Message {
    pub fn of(mail: Mail) -> Self {
        Self {
            message_id: mail.message_id,
            to: mail.to,
            name: mail.name,
            at: mail.at,
            thread: mail.thread,
            off: mail.off,
            about: About::of(mail.content),
        }
    }
}

/// The subject of a mail with its data.
#[derive(Clone, Debug)]
pub enum About {
    Account(AccountText),
    Invitation(Invitation),
    Match(Box<News>),
    Team(TeamText),
    /// Several in one mail, the most urgent first.
    Together(Vec<About>),
}

impl About {
    fn of(content: Content) -> Self {
        match content {
            Content::Account(about) => Self::Account(AccountText::of(about)),
            Content::Invitation(invitation) => Self::Invitation(Invitation::of(invitation)),
            Content::Match(news) => Self::Match(Box::new(News(*news))),
            Content::Team(about) => Self::Team(TeamText::of(about)),
            Content::Together(all) => Self::Together(all.into_iter().map(Self::of).collect()),
        }
    }

    /// The filled template: the subject, and after an empty line the paragraphs.
    fn render(&self) -> askama::Result<String> {
        match self {
            Self::Account(text) => text.render(),
            Self::Invitation(text) => text.render(),
            Self::Match(news) => news.render(),
            Self::Team(text) => text.render(),
            Self::Together(_) => Ok(String::new()),
        }
    }

    /// The path of the page that the button opens, with its query. What concerns an account is shown once it is signed in.
    fn path(&self) -> String {
        let signed_in = |path: &str| format!("{path}?{SIGN_IN_FIRST}");
        match self {
            Self::Account(text) => text.path(),
            Self::Invitation(text) => text.path.clone(),
            Self::Match(news) => signed_in(&news.path()),
            Self::Team(text @ TeamText::Invitation { .. }) => text.path(),
            Self::Team(text) => signed_in(&text.path()),
            Self::Together(_) => String::new(),
        }
    }

    /// The news, one by one.
    fn lines(&self) -> Vec<TurnLine> {
        match self {
            Self::Account(_) | Self::Invitation(_) | Self::Together(_) => Vec::new(),
            Self::Match(news) => news.lines(),
            Self::Team(text) => text.lines(),
        }
    }

    fn boards(&self) -> Vec<Board> {
        match self {
            Self::Match(news) => vec![news.board()],
            Self::Team(TeamText::Turn { pictures, .. }) => pictures.clone(),
            _ => Vec::new(),
        }
    }

    /// The subject and the paragraphs.
    fn blocks(&self, url: &str) -> askama::Result<(String, Vec<Block>)> {
        if let Self::Together(parts) = self {
            let mut all = Vec::new();
            let (mut first, mut boards) = (None, 0);
            for part in parts {
                let (subject, blocks) = part.blocks(url)?;
                all.push(Block::Heading(subject.clone()));
                for mut block in blocks {
                    if let Block::Board(board) = &mut block {
                        boards += 1;
                        if boards > TOGETHER_BOARDS {
                            continue;
                        }
                        // Boards in letters would make it endless; the page has them.
                        board.text.clear();
                    }
                    all.push(block);
                }
                first.get_or_insert(subject);
            }
            let subject = texts::mail::together(&first.unwrap_or_default(), parts.len());
            return Ok((text::line(&subject, SUBJECT), all));
        }
        let filled = self.render()?;
        let (subject, filled) = filled.split_once("\n\n").unwrap_or((&filled, ""));
        let places = Places {
            boards: &self.boards(),
            turns: &self.lines(),
            open: &format!("{url}{}", self.path()),
            ..Places::default()
        };
        Ok((text::line(subject, SUBJECT), places.blocks(filled)))
    }
}

/// The reason why a mail could not be composed. Trying again would not help.
#[derive(Debug)]
pub enum ComposeError {
    Address(String),
    Message(String),
}

impl Display for ComposeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(error) => write!(f, "not a mail address: {error}"),
            Self::Message(error) => write!(f, "the mail could not be composed: {error}"),
        }
    }
}

impl std::error::Error for ComposeError {}

/// Makes a type for a header whose value is ours: ASCII without line ends.
macro_rules! fixed_header {
    ($type:ident, $name:literal) => {
        #[derive(Clone)]
        struct $type(String);

        impl Header for $type {
            fn name() -> HeaderName {
                HeaderName::new_from_ascii_str($name)
            }

            fn parse(text: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
                Ok(Self(text.to_owned()))
            }

            fn display(&self) -> HeaderValue {
                HeaderValue::new(Self::name(), self.0.clone())
            }
        }
    };
}

fixed_header!(AutoSubmitted, "Auto-Submitted");
fixed_header!(ListUnsubscribe, "List-Unsubscribe");
fixed_header!(ListUnsubscribePost, "List-Unsubscribe-Post");

/// A Message-ID in angle brackets, reduced to the characters that are allowed there.
fn bracketed(id: &str, host: &str) -> String {
    let id: String = id
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || ".-_@+=".contains(*c))
        .collect();
    if id.contains('@') {
        format!("<{id}>")
    } else {
        format!("<{id}@{host}>")
    }
}

/// Draws the boards among `body`. A board that cannot be drawn stays in letters.
fn draw(body: &mut [Block], message_id: &str) -> Result<Vec<SinglePart>, ContentTypeErr> {
    let mut parts = Vec::new();
    let boards = body.iter_mut().filter_map(|block| match block {
        Block::Board(board) => Some(board),
        _ => None,
    });
    for (number, board) in (1..).zip(boards) {
        match picture(&board.drawing) {
            Ok(picture) => {
                let name = format!("board-{number}");
                let cid = format!("{name}.{}", message_id.trim_matches(['<', '>']));
                let part = Attachment::new_inline_with_name(cid.clone(), format!("{name}.png"));
                parts.push(part.body(picture.png.to_vec(), "image/png".parse()?));
                board.shown = Some(Shown {
                    cid,
                    width: picture.width,
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a board could not be drawn; its mail has it in letters");
            }
        }
    }
    Ok(parts)
}

/// The mail as it is sent. It draws boards, which takes some milliseconds for each.
pub fn compose(message: &Message, sender: &Sender) -> Result<Email, ComposeError> {
    let failed = |error: &dyn Display| ComposeError::Message(error.to_string());
    let address: Address = address::in_ascii(&message.to).parse().map_err(|error| {
        ComposeError::Address(format!("{error}: {}", text::line(&message.to, 254)))
    })?;
    let url = &sender.url;
    let reader = Line::name(&message.name);
    let blocks = message.about.blocks(url);
    let (subject, body) = blocks.map_err(|error| failed(&error))?;
    // Here, so that no kind of mail forgets it.
    let subject = isolated(&text::unlinked(&subject));
    let mut body: Vec<Block> = body.into_iter().map(Block::unlinked).collect();
    body.insert(0, Block::Text(hello(&reader)));
    let message_id = bracketed(&message.message_id, &sender.domain);
    let pictures = draw(&mut body, &message_id).map_err(|error| failed(&error))?;
    let link = |path: &str, token: &str| format!("{url}/mail/{path}/{}", encode(token));
    let off = message.off.token().map(|token| link("off", token));
    let settings = match &message.off {
        Off::Kinds {
            settings, about, ..
        } => {
            let id = about.as_ref().map(|id| ("match", &*id.0));
            link("settings", settings) + &query(id)
        }
        _ => String::new(),
    };
    let kinds = match &message.off {
        Off::Kinds { kinds, .. } => kinds.as_slice(),
        _ => &[],
    };
    let foot = Foot {
        url,
        kinds: kinds.iter().filter_map(|kind| title(*kind)).collect(),
        one: matches!(message.off, Off::Kinds { about: Some(_), .. }),
        stranger: matches!(message.off, Off::Invitations(_)),
    };
    let places = Places {
        off: off.as_deref().unwrap_or_default(),
        settings: &settings,
        ..Places::default()
    };
    let foot = places.blocks(&foot.render().map_err(|error| failed(&error))?);
    let html = Page {
        subject: &subject,
        body: &body,
        foot: &foot,
    };
    let html = html.render().map_err(|error| failed(&error))?;

    let name = (!reader.is_empty()).then(|| reader.to_string());
    let at = Duration::from_micros(u64::try_from(message.at.0).unwrap_or(0));
    let mut email = Email::builder()
        .from(sender.from.clone())
        .to(Mailbox::new(name, address))
        .subject(subject)
        .date(UNIX_EPOCH + at)
        .message_id(Some(message_id));
    if let Some(thread) = &message.thread {
        // The mail with this id need never have been sent: mail programs group the mails that name it.
        let root = bracketed(thread, &sender.domain);
        email = email.in_reply_to(root.clone()).references(root);
    }
    email = email.header(AutoSubmitted("auto-generated".to_owned()));
    if let Some(off) = off {
        email = email
            .header(ListUnsubscribe(format!("<{off}>")))
            .header(ListUnsubscribePost("List-Unsubscribe=One-Click".to_owned()));
    }
    let text = plain(&body, &foot);
    let parts = if pictures.is_empty() {
        MultiPart::alternative_plain_html(text, html)
    } else {
        let whole = MultiPart::related().singlepart(SinglePart::html(html));
        let whole = pictures.into_iter().fold(whole, MultiPart::singlepart);
        let alternative = MultiPart::alternative().singlepart(SinglePart::plain(text));
        alternative.multipart(whole)
    };
    email.multipart(parts).map_err(|error| failed(&error))
}

fn hello(reader: &Line) -> String {
    if reader.is_empty() {
        "Hello,".to_owned()
    } else {
        format!("Hello {reader},")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_that_cannot_be_drawn_stays_in_letters() {
        let board = Board {
            text: "a b c".to_owned(),
            drawing: "<svg".to_owned(),
            ..Board::default()
        };
        let mut body = [Block::Board(board.clone())];
        assert!(draw(&mut body, "<id@host>").expect("a kind").is_empty());
        assert_eq!(body, [Block::Board(board)]);
        let foot = [];
        let page = Page {
            subject: "",
            body: &body,
            foot: &foot,
        };
        let html = page.render().expect("filled");
        assert!(html.contains(">a b c</pre>"), "{html}");
    }
}
