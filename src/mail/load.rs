//! From a row of the outbox to its message: reads what the message needs and seals its links. Secrets are made here
//! and stored nowhere.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;

use super::summary::{News, TurnLine};
use super::text::{NOTE, line, note};
use super::{About, Message, Waits};
use crate::app::accounts::{NO_INVITATIONS, credentials, unwanted};
use crate::app::correspondence::proof_of_invitation;
use crate::app::lifetimes::{NEW_ADDRESS_LINK, RESET_LINK, UNDO_ADDRESS_LINK, VERIFY_LINK};
use crate::app::mail_kind::{AccountMail, MailKind};
use crate::app::talk::of_players;
use crate::app::team::mail::{NEWS, TURN, began, waiting_by_account};
use crate::app::team::{TeamReader, join_link, membership, reader_for};
use crate::secret::{Key, KeyRing, hash_token};
use crate::store::accounts::AccountRow;
use crate::store::invited_addresses::{self, InvitedAddress};
use crate::store::matches::{self, MatchRow};
use crate::store::members::MemberRow;
use crate::store::outbox::{self, MailRow};
use crate::store::talk::MessageRow;
use crate::store::{
    Conn, MatchKind, StoreError, accounts, class_offers, journal, members, unwanted_mail,
};
use crate::texts::news::announcement;
use crate::texts::team::{last_on, sentence};
use crate::texts::{self, full_stop};
use perplex_games::registry;
use perplex_matches::correspondence::event::{Event, EventKind};
use perplex_matches::correspondence::notice::{Lapse, MailKind as MatchMail};
use perplex_matches::correspondence::{Match, Phase};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::journal::{Aggregate as _, BadJournal};
use perplex_matches::team::announce::is_mailed;
use perplex_matches::team::notice::{MailKind as TeamMail, Waiting};
use perplex_matches::team::{self, Logged, Phase as TeamPhase};
use perplex_matches::time::{Time, days, in_words};

/// The reason why a row has no message.
#[derive(Debug)]
pub enum Unsent {
    /// It would not be true, or not welcome, by now.
    Needless(&'static str),
    Store(StoreError),
    /// The row, or data that it refers to, is not in this version's format; trying again won't help.
    Bad(String),
}

impl From<StoreError> for Unsent {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<BadJournal> for Unsent {
    fn from(error: BadJournal) -> Self {
        Self::Bad(error.to_string())
    }
}

impl From<Lapse> for Unsent {
    fn from(lapse: Lapse) -> Self {
        Self::Needless(match lapse {
            Lapse::Over => "the match is over",
            Lapse::Played => "there was a turn in the meantime",
            Lapse::Answered => "the challenge was answered or taken back",
            Lapse::OfferGone => "the offer of a draw no longer stands",
            Lapse::TimeUp => "the time has run out",
        })
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
) -> Result<Message, Unsent> {
    let payload: Payload = serde_json::from_str(&row.payload)
        .map_err(|error| Unsent::Bad(format!("the payload is not understood: {error}")))?;
    let kind = MailKind::find(&row.kind)
        .ok_or_else(|| Unsent::Bad(format!("no kind of mail is called {}", row.kind)))?;
    let account = match &row.account_id {
        Some(id) => match accounts::find(conn, id)? {
            Some(account) if account.deleted_at.is_none() => Some(account),
            _ => return Err(Unsent::Needless("the account was deleted")),
        },
        None => None,
    };
    let off = match &account {
        Some(account) if kind.title().is_some() => {
            if account.mail_off.split(',').any(|off| off == row.kind) {
                return Err(Unsent::Needless("mails of this kind are switched off"));
            }
            let subject = format!("{}/{}", account.id, row.kind);
            key.seal("mail-off", &subject, "", now + days(3_650))
        }
        None if kind.is_to_strangers() => {
            let address = unwanted(key, &row.address);
            if unwanted_mail::is_there(conn, &address)? {
                return Err(Unsent::Needless("this address wants no invitations"));
            }
            key.seal(NO_INVITATIONS, &address, "", now + days(3_650))
        }
        _ => String::new(),
    };
    // What is not about the account itself goes to the address that it has now: the one that it had may be another
    // person's.
    let to = match (kind, &account) {
        (MailKind::Account(_), _) | (_, None) => row.address.clone(),
        (_, Some(account)) => account
            .email
            .clone()
            .ok_or(Unsent::Needless("the account has no address"))?,
    };
    let name = account
        .as_ref()
        .map_or_else(String::new, |account| account.name.clone());
    let mut head = None;
    let about = match (kind, account) {
        (MailKind::Invitation, _) => invitation(conn, key, row, payload)?,
        (MailKind::Team(TeamMail::Invitation), account) => {
            team_invitation(conn, key, row, payload, account.is_some())?
        }
        (_, None) => return Err(missing("an account")),
        (MailKind::Match(kind), Some(reader)) => {
            About::News(Box::new(news(conn, ring, row, kind, &reader, now)?))
        }
        (MailKind::Team(TeamMail::Waiting), Some(reader)) => {
            if accounts::has_waiting_mail(conn, &reader.id, row.created_at)? {
                return Err(TOLD);
            }
            all_that_waits(conn, &reader, now)?
        }
        (MailKind::Team(TeamMail::Turn), Some(reader)) => {
            let found = team_state(conn, &match_of(row)?, &reader)?;
            head = Some(found.reader.state.head);
            team_turn(conn, found, now)?
        }
        (MailKind::Team(TeamMail::News), Some(reader)) => {
            let found = team_state(conn, &match_of(row)?, &reader)?;
            head = Some(found.reader.state.head);
            team_news(row, found, now)?
        }
        (MailKind::ClassOffer, Some(reader)) => class_offer(conn, payload, &reader.id)?,
        (MailKind::Account(kind), Some(account)) => {
            about_account(key, kind, row, payload, &account, now)?
        }
    };
    let is_about_one = !matches!(kind, MailKind::Team(TeamMail::Waiting));
    let thread = row.match_id.as_ref().filter(|_| is_about_one);
    let thread = thread.zip(row.account_id.as_ref());
    let told = match about {
        About::TeamTurn { .. } | About::TeamNews { .. } => head,
        _ => None,
    };
    Ok(Message {
        told,
        thread: thread.map(|(id, account)| format!("match.{id}.{account}")),
        message_id: row.message_id.clone(),
        to,
        name,
        at: now,
        off,
        about,
    })
}

const NOTHING_WAITS: Unsent = Unsent::Needless("nothing waits there any more");
const TOLD: Unsent = Unsent::Needless("another mail has told it since");
const SEEN: Unsent = Unsent::Needless("its reader has seen it on the site");
const GONE: Unsent = Unsent::Needless("the match was deleted");

fn about_account(
    key: &Key,
    kind: AccountMail,
    row: &MailRow,
    payload: Payload,
    account: &AccountRow,
    now: Time,
) -> Result<About, Unsent> {
    // The account as it must still be, for a link to be good.
    let state = credentials(account);
    if matches!(kind, AccountMail::Reset | AccountMail::ChangeAddress)
        && hash_token(&state) != payload.state
    {
        return Err(Unsent::Needless(
            "the password or the address is another now",
        ));
    }
    let id = &account.id;
    Ok(match kind {
        AccountMail::Verify => About::Verify {
            token: key.seal("verify", &id.0, &account.password, now + VERIFY_LINK),
        },
        AccountMail::Reset => About::Reset {
            token: key.seal("reset", &id.0, &state, now + RESET_LINK),
        },
        AccountMail::ChangeAddress => {
            let new = payload.email.unwrap_or_else(|| row.address.clone());
            About::ChangeAddress {
                token: key.seal(
                    "email",
                    &format!("{id}/{new}"),
                    &state,
                    now + NEW_ADDRESS_LINK,
                ),
            }
        }
        AccountMail::OldAddress => {
            let subject = format!("{id}/{}", payload.undo);
            About::OldAddress {
                new: payload
                    .email
                    .unwrap_or_else(|| "another address".to_owned()),
                token: key.seal("undo", &subject, "", now + UNDO_ADDRESS_LINK),
            }
        }
        AccountMail::Notice(notice) => About::Notice {
            notice: notice.with_left(payload.left),
            when: row.created_at.local(account.preferences.zone()),
            browser: payload.browser,
        },
        AccountMail::KnownAddress => About::KnownAddress,
    })
}

fn match_of(row: &MailRow) -> Result<MatchId, Unsent> {
    row.match_id.clone().ok_or_else(|| missing("a match"))
}

/// The name of the player who invites.
fn inviter(conn: &mut Conn, payload: Payload) -> Result<String, Unsent> {
    let from = AccountId(payload.from.ok_or_else(|| missing("who invites"))?);
    let account = accounts::find(conn, &from)?.filter(|account| account.deleted_at.is_none());
    account
        .map(|account| account.name)
        .ok_or(Unsent::Needless("who invited is gone"))
}

fn missing(what: &str) -> Unsent {
    Unsent::Bad(format!("the row lacks {what}"))
}

/// The news of a match for `reader`, told as the match is now.
fn news(
    conn: &mut Conn,
    ring: &KeyRing,
    row: &MailRow,
    kind: MatchMail,
    reader: &AccountRow,
    now: Time,
) -> Result<News, Unsent> {
    let id = match_of(row)?;
    let events = journal::events::<Match>(conn, &id, 0)?;
    if events.is_empty() {
        return Err(GONE);
    }
    let state = Match::replay(&events)?;
    let number = row.event.unwrap_or(state.head);
    if let Some(lapse) = kind.lapse(&state, number, &reader.id, now) {
        return Err(lapse.into());
    }
    let messages = of_players(conn, ring, &id)?;
    let said = match kind {
        MatchMail::Talk => unseen(conn, row, &id, &reader.id, &messages)?,
        _ => Vec::new(),
    };
    let is_seen = match kind {
        // A reminder is for those who have seen it, and did nothing.
        MatchMail::Reminder => false,
        MatchMail::Talk => said.is_empty(),
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
    Ok(News {
        kind,
        id,
        state,
        event,
        reader: reader.id.clone(),
        zone: reader.preferences.zone(),
        away,
        said,
        names,
        notes,
    })
}

/// What others said without a turn since the mail was written, and the reader has not seen.
fn unseen(
    conn: &mut Conn,
    mail: &MailRow,
    id: &MatchId,
    reader: &AccountId,
    messages: &[(MessageRow, String)],
) -> Result<Vec<(AccountId, String)>, StoreError> {
    let members = members::of_match(conn, id)?;
    let seen = membership(reader, &members).map_or(i32::MAX, |member| member.talk_seen);
    Ok(messages
        .iter()
        .filter(|(row, _)| row.number > seen && row.at >= mail.created_at)
        .filter(|(row, _)| row.event.is_none() && row.by_actor != reader.0)
        .map(|(row, text)| (AccountId(row.by_actor.clone()), text.clone()))
        .collect())
}

/// The invitation of the address of `row` was not withdrawn or declined.
fn must_stand(conn: &mut Conn, row: &MailRow) -> Result<(), Unsent> {
    let invited = invited_addresses::of_match(conn, &match_of(row)?)?;
    let stands = |one: &InvitedAddress| one.email == row.address && !one.declined;
    if invited.iter().any(stands) {
        Ok(())
    } else {
        Err(Unsent::Needless("the invitation was withdrawn or declined"))
    }
}

/// The invitation to the match of `row`, which has not begun.
fn invitation(
    conn: &mut Conn,
    key: &Key,
    row: &MailRow,
    payload: Payload,
) -> Result<About, Unsent> {
    let id = match_of(row)?;
    let from = inviter(conn, payload)?;
    let events = journal::events::<Match>(conn, &id, 0)?;
    if events.is_empty() {
        return Err(GONE);
    }
    let state = Match::replay(&events)?;
    if state.phase != Phase::Gathering {
        return Err(Unsent::Needless("the match is no longer waiting"));
    }
    must_stand(conn, row)?;
    let card = registry::find(&state.terms.game).map(|entry| entry.card);
    Ok(About::Invitation {
        from,
        path: format!(
            "/join/{id}/{}?for={}",
            key.mac("join", &[&id.0]),
            proof_of_invitation(key, &id, &row.address)
        ),
        game: card.map_or("a game", |card| card.name).to_owned(),
        tagline: card.map_or("", |card| card.tagline).to_owned(),
        days: state.terms.days,
    })
}

fn class_offer(conn: &mut Conn, payload: Payload, reader: &AccountId) -> Result<About, Unsent> {
    let id = payload.class.ok_or_else(|| missing("a class"))?;
    let offers = class_offers::of_account(conn, reader)?;
    let offer = offers.into_iter().find(|(row, ..)| row.class_id.0 == id);
    let (row, class, from) =
        offer.ok_or(Unsent::Needless("the offer was answered or taken back"))?;
    Ok(About::ClassOffer {
        from,
        class,
        owner: row.owner,
    })
}

fn team(conn: &mut Conn, id: &MatchId) -> Result<(MatchRow, team::Match), Unsent> {
    let row = matches::find(conn, id)?.ok_or(GONE)?;
    let state = team::Match::replay(&journal::events::<team::Match>(conn, id, 0)?)?;
    Ok((row, state))
}

/// The invitation to the team match of `row`, which is not over.
fn team_invitation(
    conn: &mut Conn,
    key: &Key,
    row: &MailRow,
    payload: Payload,
    known: bool,
) -> Result<About, Unsent> {
    let id = match_of(row)?;
    let from = inviter(conn, payload)?;
    if !known {
        must_stand(conn, row)?;
    }
    let (row, state) = team(conn, &id)?;
    if state.phase == TeamPhase::Over {
        return Err(Unsent::Needless("the match is over"));
    }
    Ok(About::TeamInvitation {
        from,
        path: join_link(key, &id, row.links),
        title: row.title,
        terms: texts::team::terms(&state.terms, "host").join(" "),
        known,
    })
}

/// A team match as the account sees it now, with its row, its membership there, and when it last saw a page of it.
struct TeamState {
    row: MatchRow,
    account: AccountId,
    /// The account gets a mail for each turn.
    by_turn: bool,
    reader: TeamReader,
    member: Option<MemberRow>,
    seen_at: Option<Time>,
    waiting: Vec<Waiting>,
}

fn team_state(conn: &mut Conn, id: &MatchId, account: &AccountRow) -> Result<TeamState, Unsent> {
    let (row, state) = team(conn, id)?;
    let members = members::of_match(conn, id)?;
    let hosts = row.hosts(conn)?;
    let waiting = waiting_by_account(&hosts, &state, &members)
        .into_iter()
        .find(|(other, _)| *other == account.id);
    let member = membership(&account.id, &members).cloned();
    let seen_at = match &member {
        Some(member) => members::seen(conn, id)?.get(&member.id()).copied(),
        None => None,
    };
    Ok(TeamState {
        account: account.id.clone(),
        by_turn: account.mail_off.split(',').all(|off| off != TURN),
        reader: reader_for(&account.id, &hosts, &row, Arc::new(state), members),
        member,
        seen_at,
        row,
        waiting: waiting.map_or_else(Vec::new, |(_, waiting)| waiting),
    })
}

impl TeamState {
    fn waits(&self, now: Time) -> Waits {
        Waits {
            title: self.row.title.clone(),
            path: format!("/team/{}", self.row.id),
            what: self
                .waiting
                .iter()
                .map(|waiting| clause(*waiting))
                .collect(),
            left: self.reader.state.time_left(now).map(in_words),
        }
    }

    /// The last event that a mail has told.
    fn mailed(&self) -> i32 {
        self.member.as_ref().map_or(0, |member| member.news_mailed)
    }

    /// True if no page of the match was open after the event.
    fn is_unseen(&self, logged: &Logged) -> bool {
        self.seen_at.is_none_or(|seen| logged.event.at > seen)
    }

    /// What is mailed from that event on: nothing that the reader has seen on the site, or a mail has told.
    fn news(&self, since: i32) -> Vec<&Logged> {
        let reader = &self.reader;
        let known = self
            .member
            .as_ref()
            .map_or(0, |member| member.news_seen.max(member.news_mailed));
        let log = reader.state.log.iter().map(AsRef::as_ref);
        log.filter(|logged: &&Logged| logged.event.number >= since.max(known + 1))
            .filter(|logged| self.is_unseen(logged))
            .filter(|logged| {
                is_mailed(
                    &reader.state,
                    &reader.viewer,
                    &reader.rights,
                    logged,
                    self.by_turn,
                )
            })
            .collect()
    }
}

fn team_turn(conn: &mut Conn, found: TeamState, now: Time) -> Result<About, Unsent> {
    if found.waiting.is_empty() {
        return Err(NOTHING_WAITS);
    }
    // The row may be older than the turn: what follows joins a mail that waits.
    let state = &found.reader.state;
    let began = || {
        let tasks = found.waiting.iter();
        tasks.filter_map(|task| began(state, *task))
    };
    if began().all(|logged| logged.event.number <= found.mailed()) {
        return Err(TOLD);
    }
    if began().all(|logged| logged.event.number <= found.mailed() || !found.is_unseen(logged)) {
        return Err(SEEN);
    }
    let reader = &found.reader;
    // What waits to be told is told with it.
    let id = &found.row.id;
    let since = outbox::waits_from(conn, id, &found.account, NEWS)?;
    let news = since.map_or_else(Vec::new, |since| found.news(since));
    let boards = found.waiting.iter().filter_map(|waiting| {
        let board = waiting.board();
        let logged = last_on(reader, board)?;
        let is_told = news
            .iter()
            .any(|one| one.event.number == logged.event.number);
        let sentence = full_stop(&line(&sentence(reader, logged), NOTE));
        let rules = reader.state.boards.board(board)?.position().in_force();
        let rules: Vec<String> = rules
            .map(|rule| format!("“{}”", rule.change.text))
            .collect();
        let in_force = format!("In force on board {board}: {}", rules.join(" "));
        Some(match (is_told, rules.is_empty()) {
            (true, true) => return None,
            (true, false) => TurnLine {
                turn: line(&in_force, NOTE),
                note: String::new(),
            },
            (false, without) => TurnLine {
                turn: sentence,
                note: if without {
                    String::new()
                } else {
                    note(&in_force)
                },
            },
        })
    });
    Ok(About::TeamTurn {
        boards: boards.collect(),
        waits: found.waits(now),
        news: news
            .iter()
            .map(|logged| announcement(reader, logged))
            .collect(),
    })
}

/// What happened in a team match since the event of the row, and concerns the reader, who has not seen it.
fn team_news(row: &MailRow, found: TeamState, now: Time) -> Result<About, Unsent> {
    let news = found.news(row.event.unwrap_or(0));
    if news.is_empty() {
        let is_told = row.event.is_some_and(|event| event <= found.mailed());
        return Err(if is_told { TOLD } else { SEEN });
    }
    let reader = &found.reader;
    Ok(About::TeamNews {
        waits: found.waits(now),
        news: news
            .iter()
            .map(|logged| announcement(reader, logged))
            .collect(),
    })
}

fn clause(waiting: Waiting) -> String {
    match waiting {
        Waiting::Turn(board) => format!("it is your turn on board {board}"),
        Waiting::Answer(board) => format!("your answer is wanted on board {board}"),
        Waiting::Offer(board) => format!("you are offered a draw on board {board}"),
        Waiting::Dispute(board) => format!("you are to decide a dispute on board {board}"),
    }
}

fn all_that_waits(conn: &mut Conn, account: &AccountRow, now: Time) -> Result<About, Unsent> {
    let mut matches = Vec::new();
    for id in matches::unfinished(conn, MatchKind::Team, &account.id)? {
        let (_, state) = team(conn, &id)?;
        if state.terms.over_days() {
            let found = team_state(conn, &id, account)?;
            if !found.waiting.is_empty() {
                matches.push(found.waits(now));
            }
        }
    }
    if matches.is_empty() {
        return Err(NOTHING_WAITS);
    }
    Ok(About::TeamWaiting { matches })
}
