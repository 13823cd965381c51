//! Notifications: what a person is to be told, written in the transaction of what it tells of.
//!
//! The way to the reader is chosen here: a mail, which is a row of the outbox, unless the account wants no mail of that
//! kind. What happened in a match is shown on the site without a row: the journal has it.

use std::time::Duration;

use serde_json::{Value, json};
use uuid::Uuid;

use super::mail_kind::MailKind;
use crate::store::accounts::{self, Receiver};
use crate::store::outbox::{self, NewMail};
use crate::store::{Conn, StoreError};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::time::Time;

#[derive(Clone, Debug)]
pub struct Notification {
    kind: MailKind,
    to: To,
    match_id: Option<MatchId>,
    event: Option<i32>,
    payload: Value,
    message_id: Option<String>,
    when: When,
    joins: Option<i32>,
}

#[derive(Clone, Debug)]
enum To {
    /// An account, at its present address, if it wants to be told.
    Account(AccountId),
    /// This address, whatever the account it belongs to wants.
    Address(Option<AccountId>, String),
}

#[derive(Clone, Copy, Debug)]
pub enum When {
    AtOnce,
    /// Later by this time to a reader who is on the site: what is seen or answered there needs no mail.
    Paused(Duration),
    /// After this time, together with what happens meanwhile.
    After(Duration),
}

impl Notification {
    fn new(kind: MailKind, to: To) -> Self {
        Self {
            kind,
            to,
            match_id: None,
            event: None,
            payload: json!({}),
            message_id: None,
            when: When::AtOnce,
            joins: None,
        }
    }

    pub fn to_account(kind: MailKind, account: &AccountId) -> Self {
        Self::new(kind, To::Account(account.clone()))
    }

    pub fn to_address(kind: MailKind, account: Option<&AccountId>, address: &str) -> Self {
        Self::new(kind, To::Address(account.cloned(), address.to_owned()))
    }

    #[must_use]
    pub fn about(self, id: &MatchId, event: Option<i32>) -> Self {
        let match_id = Some(id.clone());
        Self {
            match_id,
            event,
            ..self
        }
    }

    #[must_use]
    pub fn with(self, payload: Value) -> Self {
        Self { payload, ..self }
    }

    /// Gives it a Message-ID that follows from what it tells, instead of one drawn by chance.
    #[must_use]
    pub fn called(self, message_id: String) -> Self {
        let message_id = Some(message_id);
        Self { message_id, ..self }
    }

    #[must_use]
    pub fn when(self, when: When) -> Self {
        Self { when, ..self }
    }

    /// Leaves what it tells to a mail of the same kind about the same match that waits and tells from event `since` on.
    #[must_use]
    pub fn joining(self, since: i32) -> Self {
        let joins = Some(since);
        Self { joins, ..self }
    }

    const fn reader(&self) -> Option<&AccountId> {
        match &self.to {
            To::Account(id) => Some(id),
            To::Address(id, _) => id.as_ref(),
        }
    }

    fn mail(self, receivers: &[Receiver], here: &[AccountId], now: Time) -> Option<NewMail> {
        let key = self.kind.key();
        let due_at = match self.when {
            When::After(time) => now + time,
            When::Paused(pause) if self.reader().is_some_and(|id| here.contains(id)) => now + pause,
            When::AtOnce | When::Paused(_) => now,
        };
        let (account_id, address) = match self.to {
            To::Address(account, address) => (account, address),
            To::Account(id) => {
                let receiver = receivers.iter().find(|receiver| receiver.id == id)?;
                let address = receiver.address_for(key)?.to_owned();
                (Some(id), address)
            }
        };
        Some(NewMail {
            kind: key.to_owned(),
            account_id,
            address,
            match_id: self.match_id,
            event: self.event,
            payload: self.payload.to_string(),
            due_at,
            message_id: self
                .message_id
                .unwrap_or_else(|| format!("{key}.{}", Uuid::now_v7().simple())),
            urgency: self.kind.urgency(),
        })
    }
}

/// A reader who used the site within this time may still be there. Sessions note their use every ten minutes, so that
/// it is ten minutes at least.
const MAY_BE_HERE: Duration = Duration::from_mins(20);

/// Writes notifications on their way; `false` if there is no new mail to send.
pub fn notify(
    conn: &mut Conn,
    notifications: Vec<Notification>,
    now: Time,
) -> Result<bool, StoreError> {
    let ids = |is_meant: fn(&Notification) -> bool| -> Vec<AccountId> {
        let meant = notifications.iter().filter(|one| is_meant(one));
        meant.filter_map(Notification::reader).cloned().collect()
    };
    let receivers = match ids(|one| matches!(one.to, To::Account(_))) {
        ids if ids.is_empty() => Vec::new(),
        ids => accounts::receivers(conn, &ids)?,
    };
    let here = match ids(|one| matches!(one.when, When::Paused(_))) {
        ids if ids.is_empty() => Vec::new(),
        ids => accounts::seen_since(conn, &ids, now - MAY_BE_HERE)?,
    };
    let mut new = Vec::with_capacity(notifications.len());
    for notification in notifications {
        let joins = notification.joins;
        let Some(mail) = notification.mail(&receivers, &here, now) else {
            continue;
        };
        let is_told = match joins {
            Some(since) => outbox::join_waiting(conn, &mail, since)?,
            None => false,
        };
        if !is_told {
            new.push(mail);
        }
    }
    outbox::enqueue(conn, &new, now)?;
    Ok(!new.is_empty())
}
