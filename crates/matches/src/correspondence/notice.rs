//! The mails that follow from the events of a correspondence match.

use super::event::{Event, EventKind};
use super::{Match, Phase};
use crate::id::AccountId;
use crate::time::Time;

/// A kind of mail about matches; its receiver can switch it off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MailKind {
    /// A player challenges the receiver by name.
    Challenge,
    /// The match has begun, and it is not the receiver's turn.
    Started,
    /// A challenge of the receiver's was refused.
    Refused,
    /// A player who had joined a match of the receiver's left before it began.
    Left,
    /// It is the receiver's turn.
    YourTurn,
    /// A draw is offered to the receiver.
    DrawOffer,
    /// The receiver's offer of a draw was declined.
    DrawDeclined,
    /// A player said something to the receiver.
    Talk,
    /// The receiver's time for a turn is running out.
    Reminder,
    /// The match is over.
    GameOver,
}

/// The reason why a mail no longer holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stale {
    /// The match is over, which another mail says.
    Over,
    /// A turn was made in the meantime.
    Played,
    /// The challenge was answered, or taken back.
    Answered,
    /// The offer no longer stands.
    OfferGone,
    /// The time has run out.
    TimeUp,
}

impl MailKind {
    /// The reason why a mail of this kind to `reader` about `event` no longer holds when the match is as in `state`;
    /// none while it holds.
    #[must_use]
    pub fn why_stale(
        self,
        state: &Match,
        event: i32,
        reader: &AccountId,
        now: Time,
    ) -> Option<Stale> {
        let played = state.turns.last().is_some_and(|(_, turn)| *turn > event);
        let is_to_move = state.player_to_move() == Some(reader);
        let side = state.side_of(reader);
        match self {
            Self::GameOver | Self::Refused | Self::Talk => None,
            Self::Left => (state.phase != Phase::Gathering).then_some(Stale::Answered),
            Self::Challenge => {
                let stands = state.phase == Phase::Gathering && state.invited.contains(reader);
                (!stands).then_some(Stale::Answered)
            }
            _ if state.phase == Phase::Over => Some(Stale::Over),
            // If it is the reader's turn by now, another mail says so.
            Self::Started => (played && is_to_move).then_some(Stale::Played),
            Self::YourTurn | Self::DrawDeclined => played.then_some(Stale::Played),
            Self::DrawOffer => {
                let stands = state.offer.is_some() && state.offer != side;
                (!stands).then_some(Stale::OfferGone)
            }
            Self::Reminder if played || !is_to_move => Some(Stale::Played),
            Self::Reminder => {
                let is_due = state.deadline.is_some_and(|deadline| now < deadline);
                (!is_due).then_some(Stale::TimeUp)
            }
        }
    }
}

/// The parts of the time for a turn, in percent, that are left when the player is reminded.
const REMINDERS: [u32; 2] = [20, 5];

/// The next time after `now` at which the player to move is reminded; `days` is the time for a turn.
#[must_use]
pub fn next_reminder(deadline: Time, days: u8, now: Time) -> Option<Time> {
    let whole = crate::time::days(u64::from(days));
    let due = REMINDERS.map(|percent| deadline - whole * percent / 100);
    due.into_iter().find(|due| *due > now)
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
    if happened(|kind| matches!(kind, EventKind::Leave)) && actor != Some(&after.maker) {
        notices.push(notice(&after.maker, MailKind::Left));
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
    let declined = happened(|kind| matches!(kind, EventKind::Decline));
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
        } else if declined && after.side_of(account) != actor.and_then(|a| after.side_of(a)) {
            MailKind::DrawDeclined
        } else if offered && after.side_of(account) != actor.and_then(|a| after.side_of(a)) {
            MailKind::DrawOffer
        } else {
            continue;
        };
        notices.push(notice(account, kind));
    }
    notices
}
