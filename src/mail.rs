//! Mail: its text ([`compose`], pure), its way out ([`transport`]), and the worker that sends the mails of the outbox
//! ([`worker`]).
//!
//! A mail goes out twice at most: the row of the outbox has its Message-ID, so a reader who gets it a second time
//! after a crash can tell.

use std::fmt::{self, Display};
use std::time::{Duration, UNIX_EPOCH};

use askama::Template as _;
use lettre::message::header::{Header, HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::{Address, Message as Email};
use url::Url;

use crate::app::mail_kind::{MailKind, Notice};
use crate::texts::news::Announcement;
use crate::texts::{capital, encode, full_stop, list};
use perplex_matches::correspondence::notice::MailKind as MatchMail;
use perplex_matches::team::notice::MailKind as TeamMail;
use perplex_matches::time::Time;

use crate::site::SignUpMode;

pub mod load;
pub mod page;
pub mod summary;
pub mod text;
pub mod transport;
pub mod words;
pub mod worker;

pub use transport::Transport;
pub use worker::run;

use page::{Page, Places, plain};
use summary::{MatchSummary, News, TurnLine};
use words::{Foot, Words};

#[derive(Clone, Debug)]
pub struct Sender {
    pub from: Mailbox,
    /// The beginning of all links, without a slash at the end: `https://perplex.example`.
    pub url: String,
    /// The right side of Message-IDs, and the name given to the mail server.
    pub host: String,
    /// The way in which visitors get an account.
    pub sign_up: SignUpMode,
}

const NAME: &str = "Perplex";
/// The news of a team match that a mail tells; of more it tells the latest.
const NEWS_TOLD: usize = 12;

impl Sender {
    /// The sender for links that start with `url`. `from` is `MAIL_FROM`: an address, or a name
    /// and an address: `Perplex <games@perplex.example>`.
    /// Errors: a clause that names the error in `from` and the right form.
    pub fn new(url: &str, from: &str) -> Result<Self, String> {
        let mut from: Mailbox = from.trim().parse().map_err(|error| {
            format!(
                "\"{from}\" is not a sender ({error}); write it like games@perplex.example or \
                 Perplex <games@perplex.example>"
            )
        })?;
        let name = text::line(from.name.as_deref().unwrap_or_default(), text::NAME);
        from.name = Some(if name.is_empty() {
            NAME.to_owned()
        } else {
            name
        });
        let url = url.trim_end_matches('/').to_owned();
        let host = host(&url);
        Ok(Self {
            from,
            url,
            host,
            sign_up: SignUpMode::Open,
        })
    }
}

/// The host in an address of the web, without its port; `localhost` for a number.
fn host(url: &str) -> String {
    let url = Url::parse(url).ok();
    let domain = url.as_ref().and_then(Url::domain);
    domain.unwrap_or("localhost").to_owned()
}

#[derive(Clone, Debug)]
pub struct Message {
    /// The Message-ID from the outbox, with or without angle brackets and host.
    pub message_id: String,
    pub to: String,
    pub name: String,
    pub at: Time,
    /// The last event of a team match until which it tells its reader what happened.
    pub told: Option<i32>,
    /// The thread that it belongs to, as the left side of a Message-ID; `None` for a mail by itself.
    pub thread: Option<String>,
    /// The token of the link that switches mails of this kind off, or ends all invitations to a stranger; empty for
    /// none.
    pub off: String,
    pub about: About,
}

/// The subject of a mail with its data. Tokens are sealed just before and stored nowhere.
#[derive(Clone, Debug)]
pub enum About {
    Verify {
        token: String,
    },
    Reset {
        token: String,
    },
    /// A visitor signed up with an address that has an account.
    KnownAddress,
    ChangeAddress {
        token: String,
    },
    /// The account's mails are to go to another address; this mail goes to the present one.
    OldAddress {
        new: String,
        token: String,
    },
    /// A security notice to the owner of an account, since the act may be another person's.
    Notice {
        notice: Notice,
        when: String,
        browser: String,
    },
    Invitation {
        from: String,
        path: String,
        game: String,
        tagline: String,
        days: u8,
    },
    TeamInvitation {
        from: String,
        path: String,
        title: String,
        terms: String,
        /// True if it can be switched off: the receiver has an account.
        known: bool,
    },
    /// A class is offered to a teacher, to share or to own.
    ClassOffer {
        from: String,
        class: String,
        owner: bool,
    },
    TeamWaiting {
        matches: Vec<Waits>,
    },
    TeamTurn {
        waits: Waits,
        /// The last turn on each of the boards, with the rules in force there.
        boards: Vec<TurnLine>,
        /// What happened before that, the latest last.
        news: Vec<Announcement>,
    },
    TeamNews {
        waits: Waits,
        /// What happened, the latest last.
        news: Vec<Announcement>,
    },
    News(Box<News>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waits {
    pub title: String,
    pub path: String,
    pub what: Vec<String>,
    pub left: Option<String>,
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

pub fn compose(message: &Message, sender: &Sender) -> Result<Email, ComposeError> {
    let failed = |error: &dyn Display| ComposeError::Message(error.to_string());
    let address: Address = message.to.parse().map_err(|error| {
        ComposeError::Address(format!("{error}: {}", text::line(&message.to, 254)))
    })?;
    let url = &sender.url;
    let reader = text::line(&message.name, text::NAME);
    let match_summary = match &message.about {
        About::News(news) => news.summary(message.at),
        _ => MatchSummary::default(),
    };
    let (words, open, kind) = say(message, sender, &reader, &match_summary);

    let filled = words.render().map_err(|error| failed(&error))?;
    let (subject, filled) = filled.split_once("\n\n").unwrap_or((&filled, ""));
    let subject = text::line(subject, 150);
    let can_end = !message.off.is_empty();
    let switched = kind.filter(|_| can_end);
    let off = format!("{url}/mail/off/{}", encode(&message.off));
    let told: Vec<TurnLine> = match &message.about {
        About::TeamWaiting { matches } => matches.iter().map(Waits::in_turns).collect(),
        About::TeamTurn { boards, news, .. } => {
            let mut told = in_turns(news);
            told.extend(boards.iter().cloned());
            told
        }
        About::TeamNews { news, .. } => in_turns(news),
        _ => match_summary.turns.clone(),
    };
    let places = Places {
        board: &match_summary.board,
        turns: &told,
        open: &open,
        off: if can_end { &off } else { "" },
        account: &format!("{url}/account"),
    };
    let body = places.blocks(filled);
    let foot = Foot {
        url,
        kind: switched,
        stranger: can_end && switched.is_none(),
    };
    let foot = places.blocks(&foot.render().map_err(|error| failed(&error))?);
    let html = Page {
        subject: &subject,
        body: &body,
        foot: &foot,
    };
    let html = html.render().map_err(|error| failed(&error))?;

    let name = (!reader.is_empty()).then_some(reader);
    let at = Duration::from_micros(u64::try_from(message.at.0).unwrap_or(0));
    let mut email = Email::builder()
        .from(sender.from.clone())
        .to(Mailbox::new(name, address))
        .subject(subject)
        .date(UNIX_EPOCH + at)
        .message_id(Some(bracketed(&message.message_id, &sender.host)));
    if let Some(thread) = &message.thread {
        // The mail with this id need never have been sent: mail programs group the mails that name it.
        let root = bracketed(thread, &sender.host);
        email = email.in_reply_to(root.clone()).references(root);
    }
    email = email.header(AutoSubmitted("auto-generated".to_owned()));
    if can_end {
        email = email
            .header(ListUnsubscribe(format!("<{off}>")))
            .header(ListUnsubscribePost("List-Unsubscribe=One-Click".to_owned()));
    }
    email
        .multipart(MultiPart::alternative_plain_html(plain(&body, &foot), html))
        .map_err(|error| failed(&error))
}

impl Waits {
    fn told(&self) -> String {
        let mut text = list(&self.what);
        if let Some(left) = &self.left {
            text.push_str("; ");
            text.push_str(left);
            text.push_str(" left in the match");
        }
        capital(&text) + "."
    }

    fn in_turns(&self) -> TurnLine {
        let title = text::line(&self.title, text::NAME);
        TurnLine {
            turn: format!("{title}: {}", self.told()),
            note: String::new(),
        }
    }
}

/// The latest news as lines; what is left out is counted.
fn in_turns(news: &[Announcement]) -> Vec<TurnLine> {
    let left_out = news.len().saturating_sub(NEWS_TOLD);
    let more = (left_out > 0).then(|| TurnLine {
        turn: format!("{left_out} more before that: “News” on the page of the match has them all."),
        note: String::new(),
    });
    let told = news[left_out..].iter().map(|one| TurnLine {
        turn: full_stop(&text::line(&one.headline, text::NOTE)),
        note: text::note(&one.detail),
    });
    more.into_iter().chain(told).collect()
}

fn say<'a>(
    message: &'a Message,
    sender: &'a Sender,
    reader: &'a str,
    match_summary: &'a MatchSummary,
) -> (Words<'a>, String, Option<&'static str>) {
    let url = sender.url.as_str();
    let open = sender.sign_up == SignUpMode::Open;
    let account = format!("{url}/account");
    let sealed = |path: &str, token: &str| format!("{url}/{path}/{}", encode(token));
    match &message.about {
        About::Verify { token } => (Words::Verify { reader }, sealed("verify", token), None),
        About::Reset { token } => (Words::Reset { reader }, sealed("reset", token), None),
        About::KnownAddress => (Words::KnownAddress { reader }, account, None),
        About::ChangeAddress { token } => (
            Words::ChangeAddress { reader },
            sealed("email", token),
            None,
        ),
        About::OldAddress { new, token } => {
            let new = text::line(new, 254);
            (
                Words::OldAddress { reader, new },
                sealed("old-address", token),
                None,
            )
        }
        About::Notice {
            notice,
            when,
            browser,
        } => {
            let words = Words::Notice {
                reader,
                notice: *notice,
                when,
                browser,
            };
            (words, format!("{url}/reset"), None)
        }
        About::Invitation {
            from,
            path,
            game,
            tagline,
            days,
        } => {
            let words = Words::Invitation {
                from: text::line(from, text::NAME),
                game,
                tagline,
                days: summary::days(*days),
                url,
                open,
            };
            (words, format!("{url}{path}"), None)
        }
        About::TeamInvitation {
            from,
            path,
            title,
            terms,
            known,
        } => {
            let words = Words::TeamInvitation {
                reader,
                from: text::line(from, text::NAME),
                title: if *known || !text::leads_away(title) {
                    text::line(title, text::NAME)
                } else {
                    String::new()
                },
                terms,
                url,
                open,
            };
            let kind = MailKind::Team(TeamMail::Invitation)
                .title()
                .filter(|_| *known);
            (words, format!("{url}{path}"), kind)
        }
        About::ClassOffer { from, class, owner } => {
            let words = Words::ClassOffer {
                reader,
                from: text::line(from, text::NAME),
                class: text::line(class, text::NAME),
                owner: *owner,
                url,
            };
            (
                words,
                format!("{url}/classes"),
                MailKind::ClassOffer.title(),
            )
        }
        About::TeamWaiting { matches } => {
            let words = Words::TeamWaiting {
                reader,
                one: matches.len() == 1,
            };
            let open = match &matches[..] {
                [one] => format!("{url}{}", one.path),
                _ => format!("{url}/teams"),
            };
            (words, open, MailKind::Team(TeamMail::Waiting).title())
        }
        About::TeamTurn { waits, .. } => {
            let what = list(&waits.what);
            let words = Words::TeamTurn {
                reader,
                title: text::line(&waits.title, text::NAME),
                subject: capital(&what),
                what,
                left: &waits.left,
            };
            let open = format!("{url}{}", waits.path);
            (words, open, MailKind::Team(TeamMail::Turn).title())
        }
        About::TeamNews { waits, news } => {
            let latest = news.last().map_or("", |one| one.headline.as_str());
            let words = Words::TeamNews {
                reader,
                title: text::line(&waits.title, text::NAME),
                latest: text::line(latest, text::NOTE),
                more: news.len() > 1,
                waits: (!waits.what.is_empty()).then(|| waits.told()),
            };
            let open = format!("{url}{}", waits.path);
            (words, open, MailKind::Team(TeamMail::News).title())
        }
        About::News(news) => {
            let m = match_summary;
            let words = match news.kind {
                MatchMail::Challenge => Words::Challenge { m },
                MatchMail::Started => Words::Started { m },
                MatchMail::Refused => Words::Refused { m },
                MatchMail::Left => Words::Left { m },
                MatchMail::DrawDeclined => Words::DrawDeclined { m },
                MatchMail::Talk => Words::Talk { m },
                MatchMail::YourTurn => Words::YourTurn { m },
                MatchMail::DrawOffer => Words::DrawOffer { m },
                MatchMail::Reminder => Words::Reminder { m },
                MatchMail::GameOver => Words::GameOver { m },
            };
            (
                words,
                format!("{url}/match/{}", news.id),
                MailKind::Match(news.kind).title(),
            )
        }
    }
}
