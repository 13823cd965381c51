//! Mail to send. It is written in the transaction of the change it tells about; a worker leases it, sends it outside
//! any transaction and marks it sent.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use diesel::dsl::count_star;
use diesel::prelude::*;

use super::prepared::update;
use super::schema::outbox;
use super::{Conn, Page, StoreError, new_id, on_db};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::time::{Time, hours};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMail {
    /// The kind of mail, as one word; accounts switch kinds off by it.
    pub kind: String,
    /// `None` for a receiver without an account.
    pub account_id: Option<AccountId>,
    pub address: String,
    pub match_id: Option<MatchId>,
    pub event: Option<i32>,
    pub payload: String,
    /// The time to send it; later than now for mail that may prove needless.
    pub due_at: Time,
    /// The `Message-ID`: the same in every attempt.
    pub message_id: String,
    pub urgency: Urgency,
}

/// How much a mail that is due can wait for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    /// Its reader waits for it: it leaves before all others.
    Now,
    /// Something waits for its reader.
    Soon,
    /// It lets those pass for which something waits, if they are due within [`LOW_PRIORITY_DELAY`] after it.
    Later,
}

/// The bound on how long a mail that can wait is overtaken, however many urgent ones keep coming.
const LOW_PRIORITY_DELAY: Duration = hours(6);

impl Urgency {
    const fn delay(self) -> Duration {
        match self {
            Self::Now | Self::Soon => Duration::ZERO,
            Self::Later => LOW_PRIORITY_DELAY,
        }
    }
}

/// The mails of one urgency that are due and not leased, in the order in which they are due.
struct Queue {
    urgency: Urgency,
    /// The due time and the id of the last one that was read.
    read: (Time, String),
    mails: VecDeque<MailRow>,
}

impl Queue {
    const fn new(urgency: Urgency) -> Self {
        Self {
            urgency,
            read: (Time(i64::MIN), String::new()),
            mails: VecDeque::new(),
        }
    }

    /// The time that decides when its first mail leaves; `None` if there is none.
    fn first(&mut self, conn: &mut Conn, now: Time) -> Result<Option<Time>, StoreError> {
        if self.mails.is_empty() {
            self.mails = due_after(conn, self.urgency, now, &self.read)?.into();
            if let Some(last) = self.mails.back() {
                self.read = (last.due_at, last.id.clone());
            }
        }
        let first = self.mails.front();
        Ok(first.map(|mail| mail.due_at + self.urgency.delay()))
    }
}

/// The next mail of these queues.
fn next_of(
    queues: &mut [Queue],
    conn: &mut Conn,
    now: Time,
) -> Result<Option<MailRow>, StoreError> {
    let mut first: Option<(Time, usize)> = None;
    for (index, queue) in queues.iter_mut().enumerate() {
        if let Some(time) = queue.first(conn, now)?
            && first.is_none_or(|(earliest, _)| time < earliest)
        {
            first = Some((time, index));
        }
    }
    Ok(first.and_then(|(_, index)| queues[index].mails.pop_front()))
}

#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = outbox, treat_none_as_default_value = false)]
pub struct MailRow {
    pub id: String,
    pub kind: String,
    pub account_id: Option<AccountId>,
    pub address: String,
    pub match_id: Option<MatchId>,
    pub event: Option<i32>,
    pub payload: String,
    pub created_at: Time,
    pub due_at: Time,
    /// Number of times that it was leased, this one included.
    pub attempts: i32,
    pub leased_until: Option<Time>,
    pub sent_at: Option<Time>,
    pub dead_at: Option<Time>,
    pub error: Option<String>,
    pub message_id: String,
    pub urgency: i32,
}

impl MailRow {
    /// True if it was given up, or waits after a failure: no worker has it in hand.
    pub const fn has_failed(&self) -> bool {
        self.error.is_some() && self.sent_at.is_none() && self.leased_until.is_none()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterFailure {
    Again(Time),
    Dead(Time),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutboxState {
    Waiting,
    Sent,
    Dead,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub waiting: i64,
    pub sent: i64,
    pub dead: i64,
}

pub fn enqueue(conn: &mut Conn, mails: &[NewMail], now: Time) -> Result<(), StoreError> {
    // One by one: a statement for several rows is prepared anew each time.
    for mail in mails.iter().cloned() {
        let row = MailRow {
            id: new_id(now),
            kind: mail.kind,
            account_id: mail.account_id,
            address: mail.address,
            match_id: mail.match_id,
            event: mail.event,
            payload: mail.payload,
            created_at: now,
            due_at: mail.due_at,
            attempts: 0,
            leased_until: None,
            sent_at: None,
            dead_at: None,
            error: None,
            message_id: mail.message_id,
            urgency: mail.urgency as i32,
        };
        on_db!(&mut *conn, |c| diesel::insert_into(outbox::table)
            .values(&row)
            .execute(c))?;
    }
    Ok(())
}

/// Leaves to a mail of the same kind about the same match, which waits to be sent, what `mail` would tell; `false` if
/// there is none from event `since` on. It is sent when the earlier one of both is due.
pub fn join_waiting(conn: &mut Conn, mail: &NewMail, since: i32) -> Result<bool, StoreError> {
    let waiting: Option<(String, Time)> = on_db!(&mut *conn, |c| outbox::table
        .filter(outbox::account_id.eq(&mail.account_id))
        .filter(outbox::kind.eq(&mail.kind))
        .filter(outbox::match_id.eq(&mail.match_id))
        .filter(outbox::event.ge(since))
        .filter(outbox::sent_at.is_null())
        .filter(outbox::dead_at.is_null())
        .filter(outbox::leased_until.is_null())
        .order(outbox::due_at)
        .select((outbox::id, outbox::due_at))
        .first(c)
        .optional())?;
    let Some((id, due)) = waiting else {
        return Ok(false);
    };
    if mail.due_at < due {
        on_db!(conn, |c| update(
            outbox::table.find(&id),
            outbox::due_at.eq(mail.due_at)
        )
        .execute(c))?;
    }
    Ok(true)
}

/// The time at which the next mail to an account leaves after `now`, if that is by `until`.
pub fn next_due(
    conn: &mut Conn,
    account: &AccountId,
    now: Time,
    until: Time,
) -> Result<Option<Time>, StoreError> {
    Ok(on_db!(conn, |c| outbox::table
        .filter(outbox::account_id.eq(account))
        .filter(outbox::sent_at.is_null())
        .filter(outbox::dead_at.is_null())
        .filter(outbox::urgency.ne(Urgency::Now as i32))
        .filter(outbox::due_at.gt(now))
        .filter(outbox::due_at.le(until))
        .order(outbox::due_at)
        .select(outbox::due_at)
        .first(c)
        .optional())?)
}

/// Number of mails to an account that were written since then and were not needless, without those for which its reader
/// waits.
pub fn written_since(conn: &mut Conn, account: &AccountId, since: Time) -> Result<i64, StoreError> {
    Ok(on_db!(conn, |c| outbox::table
        .filter(outbox::account_id.eq(account))
        .filter(outbox::created_at.gt(since))
        .filter(outbox::urgency.ne(Urgency::Now as i32))
        // What was needless has the reason there.
        .filter(outbox::sent_at.is_null().or(outbox::error.is_null()))
        .select(count_star())
        .get_result(c))?)
}

/// The event from which on a mail of this kind about a match tells an account, if one waits to be sent.
pub fn waits_from(
    conn: &mut Conn,
    id: &MatchId,
    account: &AccountId,
    kind: &str,
) -> Result<Option<i32>, StoreError> {
    let events: Vec<Option<i32>> = on_db!(conn, |c| outbox::table
        .filter(outbox::account_id.eq(account))
        .filter(outbox::kind.eq(kind))
        .filter(outbox::match_id.eq(id))
        .filter(outbox::sent_at.is_null())
        .filter(outbox::dead_at.is_null())
        .select(outbox::event)
        .load(c))?;
    Ok(events.into_iter().flatten().min())
}

/// The mails looked at in one go for those that may be leased.
const LOOKED_AT: i64 = 50;

/// Leases up to `limit` mails that are due, until `until`: no other worker gets them earlier, in this process or
/// another. A mail whose worker died is due again when its lease is over. What is due for one account is one mail, but
/// for mails that its reader waits for; while it is in hand, no other is leased. What is urgent comes first, as
/// [`Urgency`] says. Fewer than `limit` are leased only if no others can be until one of those in hand is done.
pub fn lease(
    conn: &mut Conn,
    now: Time,
    until: Time,
    limit: usize,
) -> Result<Vec<Vec<MailRow>>, StoreError> {
    let mut leased = Vec::with_capacity(limit);
    if limit == 0 {
        return Ok(leased);
    }
    let mut busy: HashSet<AccountId> = on_db!(&mut *conn, |c| outbox::table
        .filter(outbox::sent_at.is_null())
        .filter(outbox::dead_at.is_null())
        .filter(outbox::leased_until.gt(now))
        .filter(outbox::urgency.ne(Urgency::Now as i32))
        .filter(outbox::account_id.is_not_null())
        .select(outbox::account_id.assume_not_null())
        .load(c))?
    .into_iter()
    .collect();
    for mut queues in [
        vec![Queue::new(Urgency::Now)],
        vec![Queue::new(Urgency::Soon), Queue::new(Urgency::Later)],
    ] {
        // One by one and in the same order everywhere, so that no two workers wait for each other.
        while let Some(mail) = next_of(&mut queues, conn, now)? {
            let mails = match &mail.account_id {
                Some(account) if mail.urgency != Urgency::Now as i32 => {
                    if !busy.insert(account.clone()) {
                        continue;
                    }
                    due_for(conn, account, now)?
                }
                _ => vec![mail],
            };
            let mut taken = Vec::with_capacity(mails.len());
            for mail in mails {
                taken.extend(take(conn, mail, until)?);
            }
            if !taken.is_empty() {
                leased.push(taken);
            }
            if leased.len() == limit {
                return Ok(leased);
            }
        }
    }
    Ok(leased)
}

/// The mails to an account that are due and not leased, but those that its reader waits for. What is urgent comes first.
fn due_for(conn: &mut Conn, account: &AccountId, now: Time) -> Result<Vec<MailRow>, StoreError> {
    Ok(on_db!(conn, |c| outbox::table
        .filter(outbox::account_id.eq(account))
        .filter(outbox::sent_at.is_null())
        .filter(outbox::dead_at.is_null())
        .filter(outbox::urgency.ne(Urgency::Now as i32))
        .filter(outbox::due_at.le(now))
        .filter(
            outbox::leased_until
                .is_null()
                .or(outbox::leased_until.le(now))
        )
        .order((outbox::urgency, outbox::due_at, outbox::id))
        .limit(LOOKED_AT)
        .select(MailRow::as_select())
        .load(c))?)
}

/// The first mails of this urgency that are due and not leased, after the one with this time and id.
fn due_after(
    conn: &mut Conn,
    urgency: Urgency,
    now: Time,
    (due_at, id): &(Time, String),
) -> Result<Vec<MailRow>, StoreError> {
    Ok(on_db!(conn, |c| outbox::table
        .filter(outbox::sent_at.is_null())
        .filter(outbox::dead_at.is_null())
        .filter(outbox::urgency.eq(urgency as i32))
        .filter(outbox::due_at.between(due_at, now))
        .filter(outbox::due_at.gt(due_at).or(outbox::id.gt(id)))
        .filter(
            outbox::leased_until
                .is_null()
                .or(outbox::leased_until.le(now))
        )
        .order((outbox::due_at, outbox::id))
        .limit(LOOKED_AT)
        .select(MailRow::as_select())
        .load(c))?)
}

/// Leases a mail as it was read; none if another worker was faster, since every lease counts an attempt.
fn take(conn: &mut Conn, mail: MailRow, until: Time) -> Result<Option<MailRow>, StoreError> {
    let taken = on_db!(conn, |c| update(
        outbox::table
            .find(&mail.id)
            .filter(outbox::attempts.eq(mail.attempts))
            .filter(outbox::sent_at.is_null())
            .filter(outbox::dead_at.is_null()),
        (
            outbox::attempts.eq(outbox::attempts + 1),
            outbox::leased_until.eq(until),
        )
    )
    .execute(c))?;
    Ok((taken == 1).then(|| MailRow {
        attempts: mail.attempts + 1,
        leased_until: Some(until),
        ..mail
    }))
}

pub fn sent(conn: &mut Conn, id: &str, now: Time) -> Result<(), StoreError> {
    on_db!(conn, |c| update(
        outbox::table.find(id),
        (
            outbox::sent_at.eq(now),
            outbox::leased_until.eq(None::<Time>),
            outbox::error.eq(None::<&str>),
        )
    )
    .execute(c))?;
    Ok(())
}

/// Makes the mails to an account due that wait after a failure.
pub fn hurry(conn: &mut Conn, account: &AccountId, now: Time) -> Result<(), StoreError> {
    on_db!(conn, |c| update(
        outbox::table
            .filter(outbox::account_id.eq(account))
            .filter(outbox::sent_at.is_null())
            .filter(outbox::dead_at.is_null())
            .filter(outbox::leased_until.is_null())
            .filter(outbox::error.is_not_null())
            .filter(outbox::due_at.gt(now)),
        outbox::due_at.eq(now)
    )
    .execute(c))?;
    Ok(())
}

/// Marks a mail that is no longer needed as sent; its error gives the reason.
pub fn needless(conn: &mut Conn, id: &str, why: &str, now: Time) -> Result<(), StoreError> {
    on_db!(conn, |c| update(
        outbox::table.find(id),
        (
            outbox::sent_at.eq(now),
            outbox::leased_until.eq(None::<Time>),
            outbox::error.eq(format!("not sent: {why}")),
        )
    )
    .execute(c))?;
    Ok(())
}

/// Puts a mail off that was leased, without counting an attempt.
pub fn postpone(conn: &mut Conn, id: &str, due: Time) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(outbox::table.find(id))
        .set((
            outbox::attempts.eq(outbox::attempts - 1),
            outbox::due_at.eq(due),
            outbox::leased_until.eq(None::<Time>),
        ))
        .execute(c))?;
    Ok(())
}

pub fn failed(
    conn: &mut Conn,
    id: &str,
    error: &str,
    next: AfterFailure,
) -> Result<(), StoreError> {
    let (due, dead) = match next {
        AfterFailure::Again(due) => (due, None),
        AfterFailure::Dead(dead) => (dead, Some(dead)),
    };
    on_db!(conn, |c| diesel::update(outbox::table.find(id))
        .set((
            outbox::error.eq(error),
            outbox::due_at.eq(due),
            outbox::dead_at.eq(dead),
            outbox::leased_until.eq(None::<Time>),
        ))
        .execute(c))?;
    Ok(())
}

pub fn list(conn: &mut Conn, state: OutboxState, page: Page) -> Result<Vec<MailRow>, StoreError> {
    Ok(on_db!(conn, |c| {
        let mails = outbox::table.into_boxed();
        let mails = match state {
            OutboxState::Waiting => mails
                .filter(outbox::sent_at.is_null())
                .filter(outbox::dead_at.is_null())
                .order((outbox::due_at, outbox::id)),
            OutboxState::Sent => mails
                .filter(outbox::sent_at.is_not_null())
                .order((outbox::sent_at.desc(), outbox::id)),
            OutboxState::Dead => mails
                .filter(outbox::dead_at.is_not_null())
                .order((outbox::dead_at.desc(), outbox::id)),
        };
        mails
            .limit(page.size)
            .offset(page.offset())
            .select(MailRow::as_select())
            .load(c)
    })?)
}

/// The mail with this id, if it [has failed](MailRow::has_failed).
fn find_failed(conn: &mut Conn, id: &str) -> Result<Option<MailRow>, StoreError> {
    let mail: Option<MailRow> = on_db!(conn, |c| outbox::table
        .find(id)
        .select(MailRow::as_select())
        .get_result(c)
        .optional())?;
    Ok(mail.filter(MailRow::has_failed))
}

/// Makes a mail that has failed due at once; `false` if it has not.
pub fn retry(conn: &mut Conn, id: &str, now: Time) -> Result<bool, StoreError> {
    let Some(mail) = find_failed(conn, id)? else {
        return Ok(false);
    };
    // Every lease counts an attempt: no worker has taken it since it was read.
    let revived = on_db!(conn, |c| diesel::update(
        outbox::table
            .find(id)
            .filter(outbox::attempts.eq(mail.attempts))
    )
    .set((
        outbox::dead_at.eq(None::<Time>),
        outbox::due_at.eq(now),
        outbox::attempts.eq(0),
    ))
    .execute(c))?;
    Ok(revived == 1)
}

/// Removes a mail that has failed; `false` if it has not.
pub fn remove(conn: &mut Conn, id: &str) -> Result<bool, StoreError> {
    let Some(mail) = find_failed(conn, id)? else {
        return Ok(false);
    };
    let removed = on_db!(conn, |c| diesel::delete(
        outbox::table
            .find(id)
            .filter(outbox::attempts.eq(mail.attempts))
    )
    .execute(c))?;
    Ok(removed == 1)
}

/// Removes the mails to an account and to its address, sent or not.
pub fn forget(conn: &mut Conn, account: &AccountId, address: &str) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::delete(
        outbox::table.filter(
            outbox::account_id.eq(account).or(outbox::account_id
                .is_null()
                .and(outbox::address.eq(address)))
        )
    )
    .execute(c))?;
    Ok(())
}

pub fn counts(conn: &mut Conn) -> Result<Counts, StoreError> {
    let count = |conn: &mut Conn| -> QueryResult<Counts> {
        Ok(Counts {
            waiting: on_db!(&mut *conn, |c| outbox::table
                .filter(outbox::sent_at.is_null())
                .filter(outbox::dead_at.is_null())
                .select(count_star())
                .get_result(c))?,
            sent: on_db!(&mut *conn, |c| outbox::table
                .filter(outbox::sent_at.is_not_null())
                .select(count_star())
                .get_result(c))?,
            dead: on_db!(conn, |c| outbox::table
                .filter(outbox::dead_at.is_not_null())
                .select(count_star())
                .get_result(c))?,
        })
    };
    Ok(count(conn)?)
}

/// Removes mails that were sent or given up before then.
pub fn purge_done(conn: &mut Conn, before: Time) -> Result<usize, StoreError> {
    Ok(on_db!(conn, |c| diesel::delete(outbox::table.filter(
        outbox::sent_at.lt(before).or(outbox::dead_at.lt(before))
    ))
    .execute(c))?)
}
