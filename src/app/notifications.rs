//! Notifications: what a person is to be told, written in the transaction of what it tells of.
//!
//! The way to the reader is chosen here: a mail, which is a row of the outbox, unless the account wants no mail of that
//! kind. What happened in a match is shown on the site without a row: the journal has it.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use chrono::{NaiveDate, TimeDelta, TimeZone as _, Timelike as _};
use chrono_tz::Tz;
use serde_json::{Value, json};
use uuid::Uuid;

use super::mail_kind::MailKind;
use crate::store::accounts::{self, Receiver};
use crate::store::mail_settings::{Delivery, QuietHours};
use crate::store::muted_matches;
use crate::store::outbox::{self, NewMail};
use crate::store::{Conn, StoreError};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::time::{Time, hours};

#[derive(Clone, Debug)]
pub struct Notification {
    kind: MailKind,
    to: To,
    match_id: Option<MatchId>,
    event: Option<i32>,
    payload: Value,
    message_id: Option<String>,
    when: When,
    /// The delivery by default, if it is another than that of its kind.
    default: Option<Delivery>,
    joins: Option<i32>,
}

#[derive(Clone, Debug)]
enum To {
    /// An account, at its present address, if it wants to be told.
    Account(AccountId),
    /// This address, whatever the account it belongs to wants.
    Address(Option<AccountId>, String),
}

/// The time at which a mail that is sent at once leaves.
#[derive(Clone, Copy, Debug)]
pub enum When {
    Now,
    /// Later by this time to a reader who is on the site: what is seen or answered there needs no mail.
    Paused(Duration),
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
            when: When::Now,
            default: None,
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

    /// Gives it another delivery than that of its kind, for those who chose none.
    #[must_use]
    pub fn by_default(self, delivery: Delivery) -> Self {
        let default = Some(delivery);
        Self { default, ..self }
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

    /// The time at which it is sent to `receiver`; `None` for never.
    fn due(
        &self,
        conn: &mut Conn,
        receiver: &Receiver,
        is_here: bool,
        now: Time,
    ) -> Result<Option<Time>, StoreError> {
        // What waits to be sent soon takes it along.
        let with_next = |conn: &mut Conn, within: Duration| -> Result<Time, StoreError> {
            let next = outbox::next_due(conn, &receiver.id, now, now + within)?;
            Ok(next.unwrap_or(now + within))
        };
        let default = self.default.unwrap_or(self.kind.delivery());
        let chosen = receiver.mail.when.get(self.kind.key()).copied();
        let zone = receiver.preferences.zone();
        let delivery = chosen.unwrap_or(default);
        let are_many = delivery == Delivery::AtOnce
            && self.kind.can_be_many()
            && outbox::written_since(conn, &receiver.id, now - MANY_WITHIN)? >= MANY;
        let due = match (delivery, self.when) {
            (Delivery::Never, _) => return Ok(None),
            (Delivery::AtOnce, _) if are_many => with_next(conn, MANY_WITHIN)?,
            (Delivery::AtOnce, When::Paused(pause)) if is_here => now + pause,
            (Delivery::AtOnce, _) => now,
            (Delivery::Together, _) => with_next(conn, TOGETHER)?,
            (Delivery::Daily, _) => next_hour(now, DAILY_AT, zone),
        };
        Ok(Some(out_of_quiet(due, receiver.mail.quiet, zone)))
    }

    fn mail(self, account_id: Option<AccountId>, address: String, due_at: Time) -> NewMail {
        let key = self.kind.key();
        NewMail {
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
        }
    }
}

/// The time for which mails that leave together are gathered.
pub const TOGETHER: Duration = hours(3);
/// A reader who was written so many mails within [`MANY_WITHIN`], whoever caused them, gets the next ones together.
const MANY: i64 = 10;
const MANY_WITHIN: Duration = hours(1);
/// The hour at which daily mails leave, in the zone of their reader.
const DAILY_AT: u8 = 8;

/// The first moment from `time` on at which clocks in `zone` show this full hour.
fn next_hour(time: Time, hour: u8, zone: Tz) -> Time {
    let today = time.utc().with_timezone(&zone).date_naive();
    let full = |date: NaiveDate| {
        let clock = date.and_hms_opt(hour.min(23).into(), 0, 0)?;
        // An hour that clocks leave out in spring begins where they go on.
        let moment = zone.from_local_datetime(&clock).earliest().or_else(|| {
            zone.from_local_datetime(&(clock + TimeDelta::hours(1)))
                .earliest()
        })?;
        Some(Time(moment.timestamp_micros()))
    };
    let mut days = today.iter_days().take(3).filter_map(full);
    days.find(|moment| *moment >= time).unwrap_or(time)
}

/// The first moment from `time` on that is outside the quiet hours.
pub fn out_of_quiet(time: Time, quiet: Option<QuietHours>, zone: Tz) -> Time {
    let Some(QuietHours { from, to }) = quiet.filter(|quiet| quiet.from != quiet.to) else {
        return time;
    };
    let hour = time.utc().with_timezone(&zone).hour();
    let (from, until) = (u32::from(from), u32::from(to));
    let is_quiet = if from < until {
        (from..until).contains(&hour)
    } else {
        hour >= from || hour < until
    };
    if is_quiet {
        next_hour(time, to, zone)
    } else {
        time
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
    let mut muted: HashMap<MatchId, HashSet<AccountId>> = HashMap::new();
    for id in notifications.iter().filter_map(|one| one.match_id.as_ref()) {
        if !muted.contains_key(id) {
            muted.insert(id.clone(), muted_matches::of_match(conn, id)?);
        }
    }
    let mut new = Vec::with_capacity(notifications.len());
    for notification in notifications {
        let is_muted = |account| {
            let id = notification.match_id.as_ref();
            id.is_some_and(|id| muted[id].contains(account))
        };
        if matches!(&notification.to, To::Account(account) if is_muted(account)) {
            continue;
        }
        let joins = notification.joins;
        let mail = match notification.to.clone() {
            To::Address(account, address) => notification.mail(account, address, now),
            To::Account(id) => {
                let receiver = receivers.iter().find(|receiver| receiver.id == id);
                let Some((receiver, address)) =
                    receiver.and_then(|one| Some((one, one.email.clone()?)))
                else {
                    continue;
                };
                let is_here = here.contains(&id);
                let Some(due) = notification.due(conn, receiver, is_here, now)? else {
                    continue;
                };
                notification.mail(Some(id), address, due)
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;

    fn at(text: &str) -> Time {
        Time(
            DateTime::parse_from_rfc3339(text)
                .expect("a time")
                .timestamp_micros(),
        )
    }

    #[test]
    fn the_night_is_quiet_in_the_zone_of_the_reader() {
        let night = Some(QuietHours { from: 22, to: 7 });
        let cases = [
            // Winter: an hour ahead of UTC.
            ("2026-11-26T20:59:00Z", "2026-11-26T20:59:00Z"),
            ("2026-11-26T21:00:00Z", "2026-11-27T06:00:00Z"),
            ("2026-11-27T05:59:59Z", "2026-11-27T06:00:00Z"),
            ("2026-11-27T06:00:00Z", "2026-11-27T06:00:00Z"),
            // The night in which clocks go forward, and the one in which they go back.
            ("2027-03-27T23:00:00Z", "2027-03-28T05:00:00Z"),
            ("2027-10-30T23:00:00Z", "2027-10-31T06:00:00Z"),
        ];
        for (time, expected) in cases {
            let found = out_of_quiet(at(time), night, Tz::Europe__Berlin);
            assert_eq!(found, at(expected), "{time}");
        }
        let noon = Some(QuietHours { from: 12, to: 14 });
        let (time, expected) = (at("2026-11-26T12:30:00Z"), at("2026-11-26T14:00:00Z"));
        assert_eq!(out_of_quiet(time, noon, Tz::UTC), expected);
        assert_eq!(out_of_quiet(time, None, Tz::UTC), time);
        let never = Some(QuietHours { from: 9, to: 9 });
        assert_eq!(out_of_quiet(time, never, Tz::UTC), time);
    }

    #[test]
    fn an_hour_that_clocks_leave_out_begins_where_they_go_on() {
        let found = next_hour(at("2027-03-27T12:00:00Z"), 2, Tz::Europe__Berlin);
        assert_eq!(found, at("2027-03-28T01:00:00Z"));
        let found = next_hour(at("2026-11-26T07:00:01Z"), 8, Tz::Europe__Berlin);
        assert_eq!(found, at("2026-11-27T07:00:00Z"));
    }
}
