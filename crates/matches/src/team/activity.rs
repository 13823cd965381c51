//! The activity of each member of a match, as far as it still counts. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::announce::is_undone;
use super::event::{Actor, EventKind, MemberId};
use super::{Happened, Logged, Match};
use crate::time::Time;

/// The activity of one member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Activity {
    /// Moves, changes of the rules, and turns under written rules.
    pub turns: usize,
    /// The changes of rules among them.
    pub changes: usize,
    /// Pieces taken from board to board, and not back.
    pub transfers: usize,
    /// The time of the last action that everybody may know of; votes are secret.
    pub last: Option<Time>,
}

impl Match {
    /// The numbers of the transfers that stay: in force, and neither undone nor an undoing.
    #[must_use]
    pub fn transfers(&self) -> BTreeSet<i32> {
        let mut stay: Vec<&Logged> = Vec::new();
        for logged in self.log.iter().filter(|logged| self.is_in_force(logged)) {
            match &logged.happened {
                Happened::Transferred { undoes: true, .. } => {
                    let undone = stay.iter().rposition(|before| is_undone(before, logged));
                    undone.map(|at| stay.remove(at));
                }
                Happened::Transferred { .. } => stay.push(logged),
                _ => {}
            }
        }
        stay.into_iter().map(|logged| logged.event.number).collect()
    }

    /// The activity of each member who has done anything. Actions that the host has taken back count for nothing, but
    /// show that the member was there.
    #[must_use]
    pub fn activity(&self) -> BTreeMap<MemberId, Activity> {
        let mut all: BTreeMap<MemberId, Activity> = BTreeMap::new();
        let transfers = self.transfers();
        for logged in &self.log {
            let Actor::Member(member) = logged.event.by else {
                continue;
            };
            if matches!(logged.event.kind, EventKind::Vote(_)) {
                continue;
            }
            let one = all.entry(member).or_default();
            one.last = Some(logged.event.at);
            if !self.is_in_force(logged) {
                continue;
            }
            one.turns += usize::from(logged.happened.is_turn());
            one.changes += usize::from(logged.happened.is_change());
            one.transfers += usize::from(transfers.contains(&logged.event.number));
        }
        all
    }

    /// The time played since a moment, without pauses.
    #[must_use]
    pub fn played_since(&self, since: Time, now: Time) -> Duration {
        let mut running = None;
        let mut played = Duration::ZERO;
        let length = |from: Time, to: Time| from.max(since).until(to);
        for logged in &self.log {
            match logged.event.kind {
                EventKind::Start | EventKind::Resume => running = Some(logged.event.at),
                EventKind::Pause => {
                    let ran = running.take().map(|from| length(from, logged.event.at));
                    played += ran.unwrap_or_default();
                }
                _ => {}
            }
        }
        played + running.map_or(Duration::ZERO, |from| length(from, now))
    }
}
