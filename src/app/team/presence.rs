//! Presence: when a page of each member last asked, and when a page last told that its reader had just touched it. Noted
//! in memory, and written in batches.
//!
//! An open stream says little: a tablet that sleeps does not close it. So pages ask regularly, and only that counts. What
//! a page shows counts as seen only if its reader touched it lately: it may be in front of nobody.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::super::{App, AppError, Viewer as Account};
use crate::store::{Conn, StoreError, members, talk};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::team::Match;
use perplex_matches::team::event::MemberId;
use perplex_matches::team::policy::Viewer;
use perplex_matches::time::Time;

/// A member who has not been heard of for so long is absent, everywhere. A page in front asks every 20 seconds or so, a
/// hidden one does not: to look at something else for a moment, or to lose the network for one, is no absence.
const AWAY: Duration = Duration::from_secs(90);
/// A member who asks again within this time is not noted again.
const NOTED: Duration = Duration::from_secs(15);
const WRITTEN: Duration = Duration::from_secs(5);
/// Older notes are dropped from memory; they are written long since.
const FORGOTTEN: Duration = Duration::from_mins(5);

/// Whether somebody is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum There {
    Here,
    /// For so long nothing was heard of them.
    Away(Duration),
    NotYet,
}

impl There {
    /// Of somebody whose page asked last at `seen`.
    pub fn of(seen: Option<Time>, now: Time) -> Self {
        match seen.map(|seen| seen.until(now)) {
            None => Self::NotYet,
            Some(since) if since < AWAY => Self::Here,
            Some(since) => Self::Away(since),
        }
    }
}

struct LastAsked {
    at: Time,
    written: bool,
}

struct Notes<P> {
    by_match: HashMap<MatchId, BTreeMap<P, LastAsked>>,
    written: Option<Time>,
}

impl<P> Default for Notes<P> {
    fn default() -> Self {
        Self {
            by_match: HashMap::new(),
            written: None,
        }
    }
}

/// The times noted of people: `P` is a member, or an account.
pub struct Presence<P = MemberId>(Mutex<Notes<P>>);

impl<P> Default for Presence<P> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

/// A write for one match: the people who were present, and when the last of them asked.
type Batch<P> = (MatchId, Vec<P>, Time);

impl<P: Clone + Ord> Presence<P> {
    fn notes(&self) -> std::sync::MutexGuard<'_, Notes<P>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn note(&self, id: &MatchId, person: P, now: Time) {
        let mut notes = self.notes();
        let people = notes.by_match.entry(id.clone()).or_default();
        let fresh = |last: &LastAsked| last.at.until(now) < NOTED && last.at <= now;
        if !people.get(&person).is_some_and(fresh) {
            let last = LastAsked {
                at: now,
                written: false,
            };
            people.insert(person, last);
        }
    }

    fn forget(&self, id: &MatchId, person: &P) {
        if let Some(people) = self.notes().by_match.get_mut(id) {
            people.remove(person);
        }
    }

    /// The batches to write now; they count as written.
    fn due(&self, now: Time) -> Vec<Batch<P>> {
        let mut notes = self.notes();
        if notes
            .written
            .is_some_and(|at| at <= now && at.until(now) < WRITTEN)
        {
            return Vec::new();
        }
        notes.written = Some(now);
        let mut due = Vec::new();
        for (id, people) in &mut notes.by_match {
            people.retain(|_, last| !last.written || last.at.until(now) < FORGOTTEN);
            let mut new: Vec<(Time, P)> = people
                .iter_mut()
                .filter(|(_, last)| !last.written)
                .map(|(person, last)| {
                    last.written = true;
                    (last.at, person.clone())
                })
                .collect();
            new.sort_unstable();
            // Members who asked at about the same time go into one batch.
            for group in new.chunk_by(|one, next| one.0.until(next.0) < WRITTEN) {
                let people = group.iter().map(|(_, person)| person.clone()).collect();
                let last = group.last().map_or(now, |(at, _)| *at);
                due.push((id.clone(), people, last));
            }
        }
        notes.by_match.retain(|_, people| !people.is_empty());
        due
    }

    pub(super) fn seen(&self, id: &MatchId) -> BTreeMap<P, Time> {
        let notes = self.notes();
        let people = notes.by_match.get(id).into_iter().flatten();
        people
            .map(|(person, last)| (person.clone(), last.at))
            .collect()
    }
}

#[derive(Clone, Debug)]
pub struct Attendance {
    pub seen: BTreeMap<MemberId, Time>,
    pub said: BTreeMap<MemberId, (i64, Time)>,
}

pub(super) fn attendance(conn: &mut Conn, id: &MatchId) -> Result<Attendance, StoreError> {
    Ok(Attendance {
        seen: members::seen(conn, id)?,
        said: talk::said(conn, id)?,
    })
}

impl App {
    pub(super) fn note_presence(&self, id: &MatchId, state: &Match, viewer: &Viewer) {
        let current = viewer.member.filter(|member| {
            let member = state.members.get(member);
            member.is_some_and(|member| member.left.is_none())
        });
        if let Some(member) = current {
            self.presence.note(id, member, self.now());
        }
    }

    /// Notes that an account has a page of the match before it that shows its present state, and has just touched it.
    pub fn note_touched(&self, id: &MatchId, account: &Account) {
        self.touches.note(id, account.id.clone(), self.now());
    }

    pub(in crate::app) async fn write_presence(&self) -> Result<(), AppError> {
        let due = self.presence.due(self.now());
        let touched = self.touches.due(self.now());
        if due.is_empty() && touched.is_empty() {
            return Ok(());
        }
        self.write(move |conn| {
            due.iter()
                .try_for_each(|(id, people, at)| members::set_seen(conn, id, people, *at))?;
            touched
                .iter()
                .try_for_each(|(id, people, at)| members::set_touched(conn, id, people, *at))
        })
        .await
    }

    /// Notes that an account has signed out: its members are absent from now on.
    pub(in crate::app) async fn note_absence(&self, account: AccountId) -> Result<(), AppError> {
        let until = self.now() - AWAY;
        let gone = self.write(move |conn| members::set_gone(conn, &account, until));
        for (id, member) in gone.await? {
            self.presence.forget(&id, &member);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(number: i64) -> Time {
        Time(1_800_000_000_000_000 + number * 1_000_000)
    }

    #[test]
    fn forty_people_are_written_in_few_batches() {
        let presence = Presence::<MemberId>::default();
        let id = MatchId("a".to_owned());
        let (mut batches, mut rows) = (0, 0);
        // Each asks every four seconds, for two minutes.
        for now in 0..120 {
            for member in (1..=40).filter(|member| (now + i64::from(*member)) % 4 == 0) {
                presence.note(&id, MemberId(member), second(now));
            }
            for (_, people, at) in presence.due(second(now)) {
                batches += 1;
                rows += people.len();
                assert!(at.until(second(now)) <= WRITTEN);
            }
        }
        assert!(batches <= 24, "{batches}");
        // Each is noted at most every 15 seconds.
        assert!((200..=320).contains(&rows), "{rows}");
        let seen = presence.seen(&id);
        assert_eq!(seen.len(), 40);
        assert!(
            seen.values()
                .all(|at| at.until(second(120)) <= Duration::from_secs(16))
        );
        // Absent members are dropped from memory in the end.
        assert!(presence.due(second(600)).is_empty());
        assert!(presence.seen(&id).is_empty() && presence.notes().by_match.is_empty());
    }
}
