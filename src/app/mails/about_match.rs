//! What mails about correspondence matches tell.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono_tz::Tz;

use super::row::{Context, GONE, Payload, SEEN, Unsent, match_of, missing, must_stand, named};
use crate::address;
use crate::app::correspondence::invitation_link;
use crate::app::talk::of_players;
use crate::app::team::membership;
use crate::store::accounts::AccountRow;
use crate::store::outbox::MailRow;
use crate::store::talk::MessageRow;
use crate::store::{Conn, StoreError, accounts, journal, members};
use perplex_matches::correspondence::event::{Event, EventKind};
use perplex_matches::correspondence::notice::{MailKind as MatchMail, Stale};
use perplex_matches::correspondence::{Match, Phase};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::journal::Aggregate as _;
use perplex_matches::time::Time;

/// An invitation to a match, to an address that may have no account.
#[derive(Clone, Debug)]
pub struct Invitation {
    pub from: String,
    pub path: String,
    /// The key of the game.
    pub game: String,
    /// For each turn.
    pub days: u8,
    /// True if visitors make accounts themselves.
    pub open: bool,
}

#[derive(Clone, Debug)]
pub struct MatchNews {
    pub kind: MatchMail,
    /// The time at which it is told.
    pub at: Time,
    pub id: MatchId,
    pub state: Match,
    pub event: Event,
    pub reader: AccountId,
    pub zone: Tz,
    /// True if the reader wants the official signs of games.
    pub official_signs: bool,
    pub names: BTreeMap<AccountId, String>,
    /// The time in which no player could act, since the reader's last turn.
    pub away: Duration,
    /// The messages that the reader has not seen, each with its author, and without its text if its key is lost; only in
    /// mails about talk.
    pub said: Vec<(AccountId, Option<String>)>,
    /// The address whose owner declined an invitation; empty in other mails.
    pub address: String,
    /// The notes that came with events: by the number of the event, the author and the text, likewise.
    pub notes: BTreeMap<i32, (AccountId, Option<String>)>,
}

impl MatchNews {
    /// True if a mail of it says what one of `other` would.
    pub fn tells(&self, other: &Self) -> bool {
        use MatchMail::{DrawOffer, Reminder, Started, Talk, YourTurn};
        let tells = match self.kind {
            YourTurn => matches!(other.kind, YourTurn | Reminder | DrawOffer | Started),
            Reminder => matches!(other.kind, Reminder | DrawOffer | Started),
            DrawOffer | Talk => other.kind == self.kind,
            _ => false,
        };
        tells && self.id == other.id
    }
}

/// The news of a match for `reader`, told as the match is now.
pub fn match_news(
    conn: &mut Conn,
    context: &Context,
    row: &MailRow,
    kind: MatchMail,
    reader: &AccountRow,
    payload: Payload,
) -> Result<MatchNews, Unsent> {
    let now = context.now;
    let id = match_of(row)?;
    let address = address::shown(&payload.email.unwrap_or_default());
    let events = journal::events::<Match>(conn, &id, 0)?;
    if events.is_empty() {
        return Err(GONE);
    }
    let state = Match::replay(&events)?;
    let number = row.event.unwrap_or(state.head);
    if let Some(stale) = kind.why_stale(&state, number, &reader.id, now) {
        return Err(stale.into());
    }
    if !address.is_empty() && state.phase != Phase::Gathering {
        return Err(Stale::Answered.into());
    }
    let messages = of_players(conn, &context.ring, &id, i32::MAX)?;
    let said = match kind {
        MatchMail::Talk => unseen(conn, row, &id, reader, &messages)?,
        _ => Vec::new(),
    };
    let is_seen = match kind {
        // A reminder is for those who have seen it, and did nothing.
        MatchMail::Reminder => false,
        MatchMail::Talk => said.is_empty(),
        _ if reader.mail.seen_too || !address.is_empty() => false,
        _ => members::has_seen(conn, &id, &reader.id, number)?,
    };
    if is_seen {
        return Err(SEEN);
    }
    let by_reader = |event: &&Event| event.by.as_ref() == Some(&reader.id);
    let since = events
        .iter()
        .rev()
        .find(by_reader)
        .map_or(0, |event| event.number);
    let lost = events
        .iter()
        .filter(|event| event.number > since)
        .map(|event| match event.kind {
            EventKind::Away(seconds) => Duration::from_secs(u64::from(seconds)),
            _ => Duration::ZERO,
        });
    let away = lost.sum();
    let event = events.into_iter().find(|event| event.number == number);
    let event = event.ok_or_else(|| missing("an event"))?;
    let notes = messages
        .into_iter()
        .filter_map(|(line, text)| Some((line.event?, (AccountId(line.by_actor), text))))
        .collect();
    let mut people: Vec<AccountId> = state.joined.iter().map(|p| p.account.clone()).collect();
    people.extend(state.invited.iter().cloned());
    people.extend([state.maker.clone(), reader.id.clone()]);
    people.extend(event.by.clone());
    people.sort_unstable();
    people.dedup();
    let names = accounts::names(conn, &people)?.into_iter().collect();
    Ok(MatchNews {
        kind,
        at: now,
        id,
        state,
        event,
        reader: reader.id.clone(),
        zone: reader.preferences.zone(),
        official_signs: reader.preferences.official_signs,
        away,
        said,
        address,
        names,
        notes,
    })
}

/// The messages that others wrote without a turn since the mail was written, and the reader has not seen.
fn unseen(
    conn: &mut Conn,
    mail: &MailRow,
    id: &MatchId,
    reader: &AccountRow,
    messages: &[(MessageRow, Option<String>)],
) -> Result<Vec<(AccountId, Option<String>)>, StoreError> {
    let members = members::of_match(conn, id)?;
    let seen = match membership(&reader.id, &members) {
        Some(_) if reader.mail.seen_too => 0,
        Some(member) => member.talk_seen,
        None => i32::MAX,
    };
    Ok(messages
        .iter()
        .filter(|(row, _)| row.number > seen && row.at >= mail.created_at)
        .filter(|(row, _)| row.event.is_none() && row.by_actor != reader.id.0)
        .map(|(row, text)| (AccountId(row.by_actor.clone()), text.clone()))
        .collect())
}

/// The invitation to the match of `row`, which has not begun.
pub fn invitation(
    conn: &mut Conn,
    context: &Context,
    row: &MailRow,
    payload: Payload,
) -> Result<Invitation, Unsent> {
    let id = match_of(row)?;
    let from = named(conn, payload)?;
    let events = journal::events::<Match>(conn, &id, 0)?;
    if events.is_empty() {
        return Err(GONE);
    }
    let state = Match::replay(&events)?;
    if state.phase != Phase::Gathering {
        return Err(Unsent::Needless("the match is no longer waiting"));
    }
    must_stand(conn, row)?;
    Ok(Invitation {
        from,
        path: invitation_link(&context.key, &id, &address::key(&row.address)),
        game: state.terms.game,
        days: state.terms.days,
        open: context.is_open,
    })
}
