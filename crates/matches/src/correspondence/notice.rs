//! The mails that follow from the events of a correspondence match.

use super::event::{Event, EventKind};
use super::{Match, Phase};
use crate::id::AccountId;

/// A kind of mail about matches; its receiver can switch it off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MailKind {
    /// A player challenges the receiver by name.
    Challenge,
    /// The match has begun, and it is not the receiver's turn.
    Started,
    /// A challenge of the receiver's was refused.
    Refused,
    /// It is the receiver's turn.
    YourTurn,
    /// A draw is offered to the receiver.
    DrawOffer,
    /// The receiver has a day left.
    Reminder,
    /// The match is over.
    GameOver,
}

impl MailKind {
    /// All kinds, in the order in which the account page lists them.
    pub const ALL: [Self; 7] = [
        Self::YourTurn,
        Self::Reminder,
        Self::GameOver,
        Self::Challenge,
        Self::Started,
        Self::Refused,
        Self::DrawOffer,
    ];

    /// The word that the outbox and the settings keep.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Challenge => "challenge",
            Self::Started => "started",
            Self::Refused => "refused",
            Self::YourTurn => "your-turn",
            Self::DrawOffer => "draw-offer",
            Self::Reminder => "reminder",
            Self::GameOver => "game-over",
        }
    }

    /// The title on the account page.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Challenge => "A player challenges you",
            Self::Started => "A match of yours begins",
            Self::Refused => "Your challenge is declined",
            Self::YourTurn => "It is your turn",
            Self::DrawOffer => "You are offered a draw",
            Self::Reminder => "You have 24 hours left",
            Self::GameOver => "A match of yours is over",
        }
    }

    /// The kind with this key.
    #[must_use]
    pub fn find(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.key() == key)
    }
}

/// A mail to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The receiver.
    pub to: AccountId,
    /// The kind.
    pub kind: MailKind,
    /// The number of the event that it is about.
    pub event: i32,
}

/// The mails that follow from `events`, which led to `after`. No player is told what they did
/// themselves, except that the match is over, or begins with their turn. Each player gets one mail
/// at the most: the one that matters most.
#[must_use]
pub fn notices(after: &Match, events: &[Event]) -> Vec<Notice> {
    let (Some(last), actor) = (events.last(), events.first().and_then(|e| e.by.as_ref())) else {
        return Vec::new();
    };
    let notice = |to: &AccountId, kind| Notice {
        to: to.clone(),
        kind,
        event: last.number,
    };
    let happened = |is: fn(&EventKind) -> bool| events.iter().any(|event| is(&event.kind));
    let mut notices: Vec<Notice> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Invite(account) => Some(notice(account, MailKind::Challenge)),
            _ => None,
        })
        .collect();
    if happened(|kind| matches!(kind, EventKind::Refuse)) {
        notices.push(notice(&after.maker, MailKind::Refused));
        return notices;
    }
    if after.phase == Phase::Over && !after.has_begun() {
        return notices;
    }
    if happened(|kind| matches!(kind, EventKind::Withdraw)) || !after.has_begun() {
        return notices;
    }
    let to_move = after.player_to_move();
    let started = happened(|kind| matches!(kind, EventKind::Start(_)));
    let turned = happened(|kind| matches!(kind, EventKind::Turn(_)));
    let offered = happened(|kind| matches!(kind, EventKind::Offer));
    for player in &after.joined {
        let account = &player.account;
        let is_to_move = Some(account) == to_move;
        if Some(account) == actor && !(started && is_to_move) && after.phase != Phase::Over {
            continue;
        }
        let kind = if after.phase == Phase::Over {
            MailKind::GameOver
        } else if is_to_move && (started || turned) {
            MailKind::YourTurn
        } else if started {
            MailKind::Started
        } else if offered && after.side_of(account) != actor.and_then(|a| after.side_of(a)) {
            MailKind::DrawOffer
        } else {
            continue;
        };
        notices.push(notice(account, kind));
    }
    notices
}
