//! The journal of a correspondence match: its events, as canonical text and back.

use std::fmt::{self, Display};
use std::str::FromStr;

use crate::id::AccountId;
use crate::journal::{self, Options, UnknownEvent, yes_or_no};

/// One event of a match; `None` as its author is the server.
pub type Event = journal::Event<Option<AccountId>, EventKind>;

/// The terms agreed before a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The game's key in the registry.
    pub game: String,
    /// The variant's key; empty for the ordinary game.
    pub variant: String,
    /// Days for each turn, 1 to 30.
    pub days: u8,
    /// True if the lobby lists it, for anyone to join.
    pub open: bool,
}

impl Terms {
    /// The terms that hold unless others are named: the ordinary game, three days, by invitation.
    #[must_use]
    pub fn of(game: &str) -> Self {
        Self {
            game: game.to_owned(),
            variant: String::new(),
            days: 3,
            open: false,
        }
    }
}

/// The content of an event. [`Display`] is the canonical text that the journal keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The match was made on these terms, to be played under this version of the rules:
    /// `create game=quixo variant=four days=3 open=yes rules=2`.
    Create(Terms, u16),
    /// A player was challenged by name: `invite ID`.
    Invite(AccountId),
    /// A player joined, wishing for the seat with this key, or for none: `join first`, `join any`.
    Join(Option<String>),
    /// A challenged player said no: `refuse`.
    Refuse,
    /// A player who had joined left before it began: `leave`.
    Leave,
    /// The maker called the match off before it began: `withdraw`.
    Withdraw,
    /// The match began with these people in the order of the seats: `start ID ID`.
    Start(Vec<AccountId>),
    /// A turn in the game's canonical notation: `turn c1-a1`.
    Turn(String),
    /// A draw was offered: `offer`.
    Offer,
    /// The offer was accepted, or met by another: `accept`.
    Accept,
    /// A draw was claimed that the game allows to claim: `claim`.
    Claim,
    /// The offer was declined: `decline`.
    Decline,
    /// A player gave up: `resign`.
    Resign,
    /// The days of the player to move ran out: `timeout`.
    Timeout,
    /// An outage lasted so many seconds, and the player to move has as many more: `away 90000`.
    Away(u32),
}

impl Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "game={}", self.game)?;
        if !self.variant.is_empty() {
            write!(f, " variant={}", self.variant)?;
        }
        write!(f, " days={} open={}", self.days, yes_or_no(self.open))
    }
}

impl Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Create(terms, rules) => write!(f, "create {terms} rules={rules}"),
            Self::Invite(account) => write!(f, "invite {account}"),
            Self::Join(seat) => write!(f, "join {}", seat.as_deref().unwrap_or("any")),
            Self::Refuse => f.write_str("refuse"),
            Self::Leave => f.write_str("leave"),
            Self::Withdraw => f.write_str("withdraw"),
            Self::Start(people) => {
                f.write_str("start")?;
                people
                    .iter()
                    .try_for_each(|account| write!(f, " {account}"))
            }
            Self::Turn(turn) => write!(f, "turn {turn}"),
            Self::Offer => f.write_str("offer"),
            Self::Accept => f.write_str("accept"),
            Self::Claim => f.write_str("claim"),
            Self::Decline => f.write_str("decline"),
            Self::Resign => f.write_str("resign"),
            Self::Timeout => f.write_str("timeout"),
            Self::Away(seconds) => write!(f, "away {seconds}"),
        }
    }
}

impl FromStr for EventKind {
    type Err = UnknownEvent;

    fn from_str(text: &str) -> Result<Self, UnknownEvent> {
        let unknown = || UnknownEvent(text.to_owned());
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        Ok(match (word, rest) {
            ("create", _) => create(rest).ok_or_else(unknown)?,
            ("invite", _) if !rest.is_empty() => Self::Invite(AccountId(rest.to_owned())),
            ("join", "any") => Self::Join(None),
            ("join", _) if !rest.is_empty() => Self::Join(Some(rest.to_owned())),
            ("start", _) if !rest.is_empty() => Self::Start(
                rest.split(' ')
                    .map(|account| AccountId(account.to_owned()))
                    .collect(),
            ),
            ("turn", _) if !rest.is_empty() => Self::Turn(rest.to_owned()),
            ("refuse", "") => Self::Refuse,
            ("leave", "") => Self::Leave,
            ("withdraw", "") => Self::Withdraw,
            ("offer", "") => Self::Offer,
            ("accept", "") => Self::Accept,
            ("claim", "") => Self::Claim,
            ("decline", "") => Self::Decline,
            ("resign", "") => Self::Resign,
            ("timeout", "") => Self::Timeout,
            ("away", seconds) => Self::Away(seconds.parse().map_err(|_| unknown())?),
            _ => return Err(unknown()),
        })
    }
}

fn create(text: &str) -> Option<EventKind> {
    let mut options = Options::read(text)?;
    let rules = options.rules()?;
    let otherwise = options.require("game", |game| Some(Terms::of(game)))?;
    let terms = Terms {
        variant: options.take("variant", String::new(), |key| Some(key.to_owned()))?,
        days: options.take("days", otherwise.days, |days| days.parse().ok())?,
        open: options.flag("open")?,
        ..otherwise
    };
    options.end()?;
    Some(EventKind::Create(terms, rules))
}
