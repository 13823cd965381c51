//! A row of the outbox: what all kinds of mail read of it.

use std::sync::Arc;

use serde::Deserialize;

use super::off::Off;
use crate::address;
use crate::app::App;
use crate::app::lifetimes::MAIL_SETTINGS_LINK;
use crate::app::mail_kind::MailKind;
use crate::secret::{Key, KeyRing};
use crate::site::SignUpMode;
use crate::store::invited_addresses::{self, InvitedAddress};
use crate::store::outbox::MailRow;
use crate::store::{Conn, StoreError, accounts};
use perplex_matches::correspondence::notice::Stale;
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::journal::BadJournal;
use perplex_matches::time::Time;

/// The parts of the application that are needed to read a mail.
pub struct Context {
    pub key: Key,
    pub ring: Arc<KeyRing>,
    /// True if visitors make accounts themselves.
    pub is_open: bool,
    pub now: Time,
}

impl Context {
    pub fn of(app: &App) -> Self {
        Self {
            key: app.key.clone(),
            ring: Arc::clone(&app.ring),
            is_open: app.site.sign_up == SignUpMode::Open,
            now: app.now(),
        }
    }

    /// The links with which an account ends mails of these kinds, or changes when they come. Both are bound to the
    /// address: whoever has it later changes nothing with old mails.
    pub fn off(
        &self,
        account: &AccountId,
        address: &str,
        kinds: Vec<MailKind>,
        about: Option<MatchId>,
    ) -> Off {
        let until = self.now + MAIL_SETTINGS_LINK;
        let keys: Vec<&str> = kinds.iter().map(|kind| kind.key()).collect();
        let subject = format!("{account}/{}", keys.join(","));
        Off::Kinds {
            kinds,
            token: self.key.seal("mail-off", &subject, address, until),
            settings: self.key.seal("mail-settings", &account.0, address, until),
            about,
        }
    }
}

/// The reason why a row has no mail.
#[derive(Debug)]
pub enum Unsent {
    /// It would not be true, or not welcome, by now.
    Needless(&'static str),
    /// Its reader sleeps until then.
    Quiet(Time),
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

impl From<Stale> for Unsent {
    fn from(stale: Stale) -> Self {
        Self::Needless(match stale {
            Stale::Over => "the match is over",
            Stale::Played => "there was a turn in the meantime",
            Stale::Answered => "the challenge was answered or taken back",
            Stale::OfferGone => "the offer of a draw no longer stands",
            Stale::TimeUp => "the time has run out",
        })
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Payload {
    pub from: Option<String>,
    pub email: Option<String>,
    pub class: Option<String>,
    /// The password and address that a link is for, hashed.
    pub state: String,
    /// The old address that a link brings back.
    pub undo: String,
    /// The User-Agent of the visitor who did it.
    pub agent: String,
    /// Number of recovery codes left.
    pub left: i64,
}

pub const NOTHING_WAITS: Unsent = Unsent::Needless("nothing waits there any more");
pub const TOLD: Unsent = Unsent::Needless("another mail has told it since");
pub const SEEN: Unsent = Unsent::Needless("its reader has seen it on the site");
pub const NAMED_NOWHERE: Unsent = Unsent::Needless("no message that is unread names its reader");
pub const OVER: Unsent = Unsent::Needless("the match is over");
pub const GONE: Unsent = Unsent::Needless("the match was deleted");

pub fn match_of(row: &MailRow) -> Result<MatchId, Unsent> {
    row.match_id.clone().ok_or_else(|| missing("a match"))
}

/// The name of the player who invites or declines.
pub fn named(conn: &mut Conn, payload: Payload) -> Result<String, Unsent> {
    let from = AccountId(payload.from.ok_or_else(|| missing("who it is from"))?);
    let account = accounts::find(conn, &from)?.filter(|account| account.deleted_at.is_none());
    account
        .map(|account| account.name)
        .ok_or(Unsent::Needless("who it is from is gone"))
}

pub fn missing(what: &str) -> Unsent {
    Unsent::Bad(format!("the row lacks {what}"))
}

/// The invitation of the address of `row` was not withdrawn or declined.
pub fn must_stand(conn: &mut Conn, row: &MailRow) -> Result<(), Unsent> {
    let invited = invited_addresses::of_match(conn, &match_of(row)?)?;
    let key = address::key(&row.address);
    let stands = |one: &InvitedAddress| one.email_key == key && !one.declined;
    if invited.iter().any(stands) {
        Ok(())
    } else {
        Err(Unsent::Needless("the invitation was withdrawn or declined"))
    }
}
