//! From a row of the outbox to its message: reads what the message needs and seals its links. Secrets are made here
//! and stored nowhere.

use serde::Deserialize;

use super::summary::News;
use super::{About, Message, Waits};
use crate::app::accounts::{
    CLASS_OFFER, NO_INVITATIONS, Notice, credentials, mail_kinds, unwanted,
};
use crate::app::lifetimes::{NEW_ADDRESS_LINK, RESET_LINK, UNDO_ADDRESS_LINK, VERIFY_LINK};
use crate::app::talk::of_players;
use crate::app::team::join_link;
use crate::app::team::mail::waiting_by_account;
use crate::secret::{Key, KeyRing, hash_token};
use crate::store::accounts::AccountRow;
use crate::store::matches::{self, MatchRow};
use crate::store::outbox::MailRow;
use crate::store::{
    Conn, MatchKind, StoreError, accounts, class_offers, journal, members, unwanted_mail,
};
use perplex_games::registry;
use perplex_matches::correspondence::notice::MailKind;
use perplex_matches::correspondence::{Match, Phase};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::journal::{Aggregate as _, BadJournal};
use perplex_matches::team::notice::{MailKind as TeamMailKind, Waiting};
use perplex_matches::team::{self, Phase as TeamPhase};
use perplex_matches::time::{Time, days, in_words};

#[derive(Debug)]
pub enum Loaded {
    Message(Box<Message>),
    Needless(&'static str),
}

#[derive(Debug)]
pub enum LoadError {
    Store(StoreError),
    /// The row, or data that it refers to, is not in this version's format; trying again won't help.
    Bad(String),
}

impl From<StoreError> for LoadError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<BadJournal> for LoadError {
    fn from(error: BadJournal) -> Self {
        Self::Bad(error.to_string())
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Payload {
    from: Option<String>,
    email: Option<String>,
    class: Option<String>,
    /// The password and address that a link is for, hashed.
    state: String,
    /// The old address that a link brings back.
    undo: String,
    /// The browser of the visitor who did it.
    browser: String,
    /// Number of recovery codes left.
    left: i64,
}

pub fn load(
    conn: &mut Conn,
    key: &Key,
    ring: &KeyRing,
    row: &MailRow,
    now: Time,
) -> Result<Loaded, LoadError> {
    let payload: Payload = serde_json::from_str(&row.payload)
        .map_err(|error| LoadError::Bad(format!("the payload is not understood: {error}")))?;
    let account = match &row.account_id {
        Some(id) => match accounts::find(conn, id)? {
            Some(account) if account.deleted_at.is_none() => Some(account),
            _ => return Ok(Loaded::Needless("the account was deleted")),
        },
        None => None,
    };
    let mut message = Message {
        message_id: row.message_id.clone(),
        to: row.address.clone(),
        name: account
            .as_ref()
            .map_or_else(String::new, |account| account.name.clone()),
        at: now,
        off: String::new(),
        about: About::KnownAddress,
    };
    let (post, team) = (MailKind::find(&row.kind), TeamMailKind::find(&row.kind));
    let can_be_off = mail_kinds().any(|(kind, _)| kind == row.kind);
    if let Some(account) = account.as_ref().filter(|_| can_be_off) {
        if account.mail_off.split(',').any(|off| off == row.kind) {
            return Ok(Loaded::Needless("mails of this kind are switched off"));
        }
        let subject = format!("{}/{}", account.id, row.kind);
        message.off = key.seal("mail-off", &subject, "", now + days(3_650));
    }
    if account.is_none() && (row.kind == "invitation" || team == Some(TeamMailKind::Invitation)) {
        let address = unwanted(key, &row.address);
        if unwanted_mail::is_there(conn, &address)? {
            return Ok(Loaded::Needless("this address wants no invitations"));
        }
        message.off = key.seal(NO_INVITATIONS, &address, "", now + days(3_650));
    }
    let (about, needless) = match (post, team) {
        (Some(kind), _) => {
            let account = account.ok_or_else(|| missing("an account"))?;
            let news = news(conn, ring, row, kind, &account, now)?;
            let about = news.map(|news| About::News(Box::new(news)));
            (about, "there was a turn in the meantime")
        }
        (None, Some(kind)) => {
            let about = match (kind, account) {
                (TeamMailKind::Invitation, account) => {
                    team_invitation(conn, key, row, payload, account.is_some())?
                }
                (TeamMailKind::Waiting, Some(account)) => all_that_waits(conn, &account, now)?,
                (TeamMailKind::Turn, Some(account)) => {
                    waits_in(conn, &match_of(row)?, &account, now)?.map(About::TeamTurn)
                }
                (_, None) => return Err(missing("an account")),
            };
            (about, "nothing waits there any more")
        }
        (None, None) if row.kind == "invitation" => {
            let about = invitation(conn, key, row, payload)?;
            (about, "the match is no longer waiting")
        }
        (None, None) if row.kind == CLASS_OFFER.0 => {
            let account = account.ok_or_else(|| missing("an account"))?;
            let about = class_offer(conn, payload, &account.id)?;
            (about, "the offer was answered or taken back")
        }
        (None, None) => {
            let about = about_account(key, row, payload, account, now)?;
            (about, "the password or the address is another now")
        }
    };
    let Some(about) = about else {
        return Ok(Loaded::Needless(needless));
    };
    message.about = about;
    Ok(Loaded::Message(Box::new(message)))
}

fn about_account(
    key: &Key,
    row: &MailRow,
    payload: Payload,
    account: Option<AccountRow>,
    now: Time,
) -> Result<Option<About>, LoadError> {
    let is_void = |state: &str| hash_token(state) != payload.state;
    Ok(Some(match (row.kind.as_str(), account) {
        ("verify", Some(account)) => About::Verify {
            token: key.seal(
                "verify",
                &account.id.0,
                &account.password,
                now + VERIFY_LINK,
            ),
        },
        ("reset", Some(account)) => {
            let state = credentials(&account);
            if is_void(&state) {
                return Ok(None);
            }
            About::Reset {
                token: key.seal("reset", &account.id.0, &state, now + RESET_LINK),
            }
        }
        ("known-address", Some(_)) => About::KnownAddress,
        ("change-address", Some(account)) => {
            let state = credentials(&account);
            if is_void(&state) {
                return Ok(None);
            }
            let new = payload.email.unwrap_or_else(|| row.address.clone());
            let subject = format!("{}/{new}", account.id);
            About::ChangeAddress {
                token: key.seal("email", &subject, &state, now + NEW_ADDRESS_LINK),
            }
        }
        ("old-address", Some(account)) => {
            let subject = format!("{}/{}", account.id, payload.undo);
            About::OldAddress {
                new: payload
                    .email
                    .unwrap_or_else(|| "another address".to_owned()),
                token: key.seal("undo", &subject, "", now + UNDO_ADDRESS_LINK),
            }
        }
        (kind, Some(account)) if let Some(notice) = Notice::find(kind, payload.left) => {
            About::Notice {
                notice,
                when: row.created_at.local(account.preferences.zone()),
                browser: payload.browser,
            }
        }
        (kind, _) => {
            let why = format!("no kind of mail for this row: {kind}");
            return Err(LoadError::Bad(why));
        }
    }))
}

fn match_of(row: &MailRow) -> Result<MatchId, LoadError> {
    row.match_id.clone().ok_or_else(|| missing("a match"))
}

/// The name of the player who invites, unless the account is gone.
fn inviter(conn: &mut Conn, payload: Payload) -> Result<Option<String>, LoadError> {
    let from = AccountId(payload.from.ok_or_else(|| missing("who invites"))?);
    let account = accounts::find(conn, &from)?.filter(|account| account.deleted_at.is_none());
    Ok(account.map(|account| account.name))
}

fn missing(what: &str) -> LoadError {
    LoadError::Bad(format!("the row lacks {what}"))
}

/// The news of a match for `reader`; `None` if it is a reminder that came too late.
fn news(
    conn: &mut Conn,
    ring: &KeyRing,
    row: &MailRow,
    kind: MailKind,
    reader: &AccountRow,
    now: Time,
) -> Result<Option<News>, LoadError> {
    let id = match_of(row)?;
    if kind == MailKind::Reminder {
        let current = matches::find(conn, &id)?.ok_or_else(|| missing("a match"))?;
        let due = current.deadline.is_some_and(|deadline| now < deadline);
        if current.to_move.as_ref() != Some(&reader.id) || !due {
            return Ok(None);
        }
    }
    let mut events = journal::events::<Match>(conn, &id, 0)?;
    if let Some(last) = row.event {
        events.retain(|event| event.number <= last);
    }
    let state = Match::replay(&events)?;
    let event = events.pop().ok_or_else(|| missing("an event"))?;
    let notes = of_players(conn, ring, &id)?
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
    Ok(Some(News {
        kind,
        id,
        state,
        event,
        reader: reader.id.clone(),
        zone: reader.preferences.zone(),
        names,
        notes,
    }))
}

/// The invitation to the match of `row`; `None` if it has begun or was called off, or if the player who invited is
/// gone.
fn invitation(
    conn: &mut Conn,
    key: &Key,
    row: &MailRow,
    payload: Payload,
) -> Result<Option<About>, LoadError> {
    let id = match_of(row)?;
    let from = inviter(conn, payload)?;
    let state = Match::replay(&journal::events::<Match>(conn, &id, 0)?)?;
    let Some(from) = from.filter(|_| state.phase == Phase::Gathering) else {
        return Ok(None);
    };
    let card = registry::find(&state.terms.game).map(|entry| entry.card);
    Ok(Some(About::Invitation {
        from,
        mac: key.mac("join", &[&id.0]),
        game: card.map_or("a game", |card| card.name).to_owned(),
        tagline: card.map_or("", |card| card.tagline).to_owned(),
        days: state.terms.days,
        id,
    }))
}

fn class_offer(
    conn: &mut Conn,
    payload: Payload,
    reader: &AccountId,
) -> Result<Option<About>, LoadError> {
    let id = payload.class.ok_or_else(|| missing("a class"))?;
    let offers = class_offers::of_account(conn, reader)?;
    let offer = offers.into_iter().find(|(row, ..)| row.class_id.0 == id);
    Ok(offer.map(|(row, class, from)| About::ClassOffer {
        from,
        class,
        owner: row.owner,
    }))
}

fn team(conn: &mut Conn, id: &MatchId) -> Result<(MatchRow, team::Match), LoadError> {
    let row = matches::find(conn, id)?.ok_or_else(|| missing("a match"))?;
    let state = team::Match::replay(&journal::events::<team::Match>(conn, id, 0)?)?;
    Ok((row, state))
}

/// The invitation to the team match of `row`; `None` if it is over, or if the player who invited is gone.
fn team_invitation(
    conn: &mut Conn,
    key: &Key,
    row: &MailRow,
    payload: Payload,
    known: bool,
) -> Result<Option<About>, LoadError> {
    let id = match_of(row)?;
    let Some(from) = inviter(conn, payload)? else {
        return Ok(None);
    };
    let (row, state) = team(conn, &id)?;
    if state.phase == TeamPhase::Over {
        return Ok(None);
    }
    Ok(Some(About::TeamInvitation {
        from,
        path: join_link(key, &id, row.links),
        title: row.title,
        terms: state.terms.in_words("host").join(" "),
        known,
    }))
}

fn waits_in(
    conn: &mut Conn,
    id: &MatchId,
    account: &AccountRow,
    now: Time,
) -> Result<Option<Waits>, LoadError> {
    let (row, state) = team(conn, id)?;
    let members = members::of_match(conn, id)?;
    let waiting = waiting_by_account(&row.hosts(conn)?, &state, &members)
        .into_iter()
        .find(|(other, _)| *other == account.id);
    Ok(waiting.map(|(_, waiting)| Waits {
        title: row.title,
        path: format!("/team/{id}"),
        what: waiting.iter().map(|waiting| clause(*waiting)).collect(),
        left: state.time_left(now).map(in_words),
    }))
}

fn clause(waiting: Waiting) -> String {
    match waiting {
        Waiting::Turn(board) => format!("it is your turn on board {board}"),
        Waiting::Answer(board) => format!("your answer is wanted on board {board}"),
        Waiting::Offer(board) => format!("you are offered a draw on board {board}"),
        Waiting::Dispute(board) => format!("you are to decide a dispute on board {board}"),
    }
}

fn all_that_waits(
    conn: &mut Conn,
    account: &AccountRow,
    now: Time,
) -> Result<Option<About>, LoadError> {
    let mut matches = Vec::new();
    for id in matches::unfinished(conn, MatchKind::Team, &account.id)? {
        let (_, state) = team(conn, &id)?;
        if state.terms.over_days() {
            matches.extend(waits_in(conn, &id, account, now)?);
        }
    }
    Ok((!matches.is_empty()).then_some(About::TeamWaiting { matches }))
}
