//! The journal of a correspondence match: what its events say, as canonical text and back.

use std::fmt::{self, Display};
use std::str::FromStr;

use crate::id::AccountId;
use crate::time::Time;

/// One event of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its number in the match, from 1 without gaps.
    pub number: i32,
    /// When the server took it.
    pub at: Time,
    /// Who did it; `None` is the server.
    pub by: Option<AccountId>,
    /// What happened.
    pub what: What,
}

/// What was agreed before a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The game's key in the registry.
    pub game: String,
    /// The variant's key; empty for the ordinary game.
    pub variant: String,
    /// Days for each turn, 1 to 30.
    pub days: u8,
    /// Whether it stands in the lobby for anyone to join.
    pub open: bool,
}

/// What an event says. [`Display`] is the canonical text that the journal keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The match was made; its maker has joined: `create quixo four days=3 open`.
    Create(Terms),
    /// Somebody was challenged by name: `invite ID`.
    Invite(AccountId),
    /// Somebody joined, wishing for the seat with this key, or for none: `join first`, `join any`.
    Join(Option<String>),
    /// Somebody who was challenged said no: `refuse`.
    Refuse,
    /// Somebody who had joined went before it began: `leave`.
    Leave,
    /// The maker called the match off before it began: `withdraw`.
    Withdraw,
    /// The match began with these people in the order of the seats: `start ID ID`.
    Start(Vec<AccountId>),
    /// A turn in the game's canonical notation: `turn c1-a1`.
    Turn(String),
    /// A draw was offered: `offer`.
    Offer,
    /// The offer was accepted: `accept`.
    Accept,
    /// The offer was declined: `decline`.
    Decline,
    /// A player gave up: `resign`.
    Resign,
    /// The days of the player to move ran out: `timeout`.
    Timeout,
}

impl Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Create(terms) => {
                let variant = if terms.variant.is_empty() {
                    "-"
                } else {
                    &terms.variant
                };
                let listed = if terms.open { "open" } else { "closed" };
                write!(
                    f,
                    "create {} {variant} days={} {listed}",
                    terms.game, terms.days
                )
            }
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
            Self::Decline => f.write_str("decline"),
            Self::Resign => f.write_str("resign"),
            Self::Timeout => f.write_str("timeout"),
        }
    }
}

/// A text in the journal that names no event: the database holds what this version never wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownEvent(pub String);

impl Display for UnknownEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the journal holds an event that is not understood: {}",
            self.0
        )
    }
}

impl std::error::Error for UnknownEvent {}

impl FromStr for What {
    type Err = UnknownEvent;

    fn from_str(text: &str) -> Result<Self, UnknownEvent> {
        let unknown = || UnknownEvent(text.to_owned());
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        Ok(match (word, rest) {
            ("create", _) => Self::Create(terms(rest).ok_or_else(unknown)?),
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
            ("decline", "") => Self::Decline,
            ("resign", "") => Self::Resign,
            ("timeout", "") => Self::Timeout,
            _ => return Err(unknown()),
        })
    }
}

fn terms(text: &str) -> Option<Terms> {
    let words: Vec<&str> = text.split(' ').collect();
    let [game, variant, days, listed] = words[..] else {
        return None;
    };
    Some(Terms {
        game: game.to_owned(),
        variant: variant.trim_start_matches('-').to_owned(),
        days: days.strip_prefix("days=")?.parse().ok()?,
        open: match listed {
            "open" => true,
            "closed" => false,
            _ => return None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_reads_back() {
        for text in [
            "create quixo - days=3 open",
            "create quixo four days=30 closed",
            "invite a1",
            "join any",
            "join north",
            "start a1 b2",
            "turn rule N NW \"Knights also step.\"",
            "refuse",
            "leave",
            "withdraw",
            "offer",
            "accept",
            "decline",
            "resign",
            "timeout",
        ] {
            let what: What = text.parse().unwrap();
            assert_eq!(what.to_string(), text);
        }
        for text in ["", "turn", "turn ", "start", "create quixo", "resign now"] {
            assert!(text.parse::<What>().is_err(), "{text}");
        }
    }
}
