//! The share of each member in a match, from its log: for the teacher's report and the progress of pupils. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::seating::{Task, task_of};
use crate::team::Happened;
use crate::team::event::{Actor, Duties, Duty, EventKind, MemberId};
use crate::team::{Change, Logged, Match};
use crate::time::Time;
use perplex_games::perplexichess::BoardNo;
use perplex_games::rules::Side;

/// Facts about the members of a match that its log does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// Messages written, by member.
    pub messages: BTreeMap<MemberId, u32>,
    /// The last request from a live page, by member.
    pub seen: BTreeMap<MemberId, Time>,
}

/// The share of one member in a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deeds {
    /// The member.
    pub member: MemberId,
    /// The last team; none for members who only watched.
    pub side: Option<Side>,
    /// The task for most of the time played; none for members who were in no team then.
    pub task: Option<Task>,
    /// Every duty held while the match was played, in the order received.
    pub held: Vec<Duty>,
    /// True if the member played some time without any duty.
    pub was_agent: bool,
    /// Moves, changes of the rules, and turns under written rules.
    pub turns: u32,
    /// Moves that captured.
    pub captures: u32,
    /// Changes of the rules, including rejected ones.
    pub changes: u32,
    /// Pieces brought from board to board.
    pub transfers: u32,
    /// Votes given or changed.
    pub votes: u32,
    /// Draw offers.
    pub offers: u32,
    /// Messages.
    pub messages: u32,
    /// Time present while the match was played, in whole minutes, so that sums agree with their parts.
    pub present: Duration,
}

impl Deeds {
    /// The record of a member who has done nothing yet.
    #[must_use]
    pub fn of(member: MemberId) -> Self {
        Self {
            member,
            side: None,
            task: None,
            held: Vec::new(),
            was_agent: false,
            turns: 0,
            captures: 0,
            changes: 0,
            transfers: 0,
            votes: 0,
            offers: 0,
            messages: 0,
            present: Duration::ZERO,
        }
    }

    /// Adds another record of the same pupil: from another lesson, or as another member of the same one. The task of
    /// the longer presence stays.
    pub fn add(&mut self, other: &Self) {
        if self.task.is_none() || (other.task.is_some() && other.present > self.present) {
            (self.task, self.side) = (other.task, other.side);
        }
        for duty in &other.held {
            if !self.held.contains(duty) {
                self.held.push(*duty);
            }
        }
        self.was_agent |= other.was_agent;
        self.turns += other.turns;
        self.captures += other.captures;
        self.changes += other.changes;
        self.transfers += other.transfers;
        self.votes += other.votes;
        self.offers += other.offers;
        self.messages += other.messages;
        self.present += other.present;
    }

    /// Whole minutes present.
    #[must_use]
    pub const fn minutes(&self) -> u64 {
        self.present.as_secs() / 60
    }

    /// Actions in all, on the boards, for the team and in talk: a measure of activity.
    #[must_use]
    pub const fn acts(&self) -> u32 {
        self.turns + self.transfers + self.votes + self.offers + self.messages
    }
}

/// A change of the rules that took effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    /// The board.
    pub board: BoardNo,
    /// The number of the change on that board.
    pub number: u32,
    /// The side that made it.
    pub side: Side,
    /// The member who made it, and the time.
    pub made: Option<(Actor, Time)>,
    /// The change itself.
    pub change: Change,
}

/// The course of a match and the share of each member in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Every member, by number, except those who left before the match began.
    pub people: Vec<Deeds>,
    /// The changes that took effect, board by board.
    pub changes: Vec<Changed>,
    /// The pieces that changed boards: White's, Black's.
    pub transfers: [u32; 2],
    /// Playing time without pauses.
    pub played: Duration,
}

impl Report {
    /// The report of a match as it stands at `now`.
    #[must_use]
    pub fn of(state: &Match, beside: &Beside, now: Time) -> Self {
        let mut walk = Walk::new(state, beside, now);
        for logged in &state.log {
            walk.step(logged);
        }
        walk.pass(state.ended.unwrap_or(now));
        walk.finish()
    }

    /// Merges the records of members who are one person, as `who` tells: a pupil who left and came back has one record,
    /// under the later number. Members for whom `who` gives `None` stay apart.
    #[must_use]
    pub fn by_person<P: PartialEq>(
        &self,
        who: impl Fn(MemberId) -> Option<P>,
    ) -> Vec<(Option<P>, Deeds)> {
        let mut found: Vec<(Option<P>, Deeds)> = Vec::new();
        for deeds in &self.people {
            let person = who(deeds.member);
            let known = found
                .iter_mut()
                .find(|(known, _)| person.is_some() && *known == person);
            match known {
                Some((_, known)) => {
                    known.add(deeds);
                    known.member = deeds.member;
                }
                None => found.push((person, deeds.clone())),
            }
        }
        found
    }

    /// The lesson as the rotation of duties needs it: the team and task of each member who had both.
    pub fn tasks(&self) -> impl Iterator<Item = (MemberId, Side, Task)> {
        let seated = |deeds: &Deeds| Some((deeds.member, deeds.side?, deeds.task?));
        self.people.iter().filter_map(seated)
    }
}

/// One pass over the log.
struct Walk<'a> {
    state: &'a Match,
    people: BTreeMap<MemberId, Deeds>,
    /// Time for which each member had each task.
    tasks: BTreeMap<(MemberId, Task), Duration>,
    /// The last moment at which each member was there.
    until: BTreeMap<MemberId, Time>,
    sides: BTreeMap<MemberId, Side>,
    duties: [Duties; 2],
    transfers: [u32; 2],
    /// The transfers that count.
    stay: BTreeSet<i32>,
    running: bool,
    /// The moment up to which time was counted.
    at: Time,
    played: Duration,
}

impl<'a> Walk<'a> {
    fn new(state: &'a Match, beside: &Beside, now: Time) -> Self {
        let end = state.ended.unwrap_or(now);
        let mut people = BTreeMap::new();
        let mut until = BTreeMap::new();
        for (id, member) in &state.members {
            let mut deeds = Deeds::of(*id);
            deeds.messages = beside.messages.get(id).copied().unwrap_or(0);
            people.insert(*id, deeds);
            // Members who acted were there, whatever the pages say; members without a live page count as present.
            let by = Actor::Member(*id);
            let acted = state.log.iter().rfind(|logged| logged.event.by == by);
            let gone = member.left.unwrap_or(end);
            let last = match (beside.seen.get(id), acted) {
                (Some(seen), Some(acted)) => (*seen).max(acted.event.at).min(gone),
                (Some(seen), None) => (*seen).min(gone),
                (None, _) => gone,
            };
            until.insert(*id, last);
        }
        Self {
            state,
            people,
            tasks: BTreeMap::new(),
            until,
            sides: BTreeMap::new(),
            duties: [0, 1].map(|_| Duties::none(state.terms.size)),
            transfers: [0, 0],
            stay: state.transfers(),
            running: false,
            at: state.created,
            played: Duration::ZERO,
        }
    }

    /// Counts the time up to `now`.
    fn pass(&mut self, now: Time) {
        let from = self.at;
        self.at = now;
        if !self.running {
            return;
        }
        self.played += from.until(now);
        for (id, side) in &self.sides {
            let last = self.until.get(id).map_or(now, |until| now.min(*until));
            let there = from.until(last);
            let task = task_of(&self.duties[side.index()], *id);
            *self.tasks.entry((*id, task)).or_default() += there;
            if let Some(deeds) = self.people.get_mut(id) {
                deeds.present += there;
            }
        }
    }

    /// Notes the holders of the duties, while the match is running.
    fn note_duties(&mut self) {
        if !self.running {
            return;
        }
        for (id, side) in &self.sides {
            let duties = &self.duties[side.index()];
            // A task counts even if it lasted no time.
            self.tasks.entry((*id, task_of(duties, *id))).or_default();
            let Some(deeds) = self.people.get_mut(id) else {
                continue;
            };
            for duty in duties.of(*id) {
                if !deeds.held.contains(&duty) {
                    deeds.held.push(duty);
                }
            }
        }
    }

    fn settle(&mut self, id: MemberId, side: Option<Side>) {
        for duties in &mut self.duties {
            for duty in duties.of(id) {
                duties.set(duty, None);
            }
        }
        match side {
            Some(side) => {
                self.sides.insert(id, side);
            }
            None => {
                self.sides.remove(&id);
            }
        }
    }

    fn step(&mut self, logged: &Logged) {
        self.pass(logged.event.at);
        match &logged.event.kind {
            EventKind::Start | EventKind::Resume => self.running = true,
            EventKind::Pause => self.running = false,
            EventKind::Join(id, side) | EventKind::Team(id, side) => self.settle(*id, *side),
            EventKind::Leave(id) => self.settle(*id, None),
            EventKind::Duties(side, duties) => self.duties[side.index()] = duties.clone(),
            _ => {}
        }
        self.note_duties();
        let Actor::Member(by) = logged.event.by else {
            return;
        };
        let Some(deeds) = self.people.get_mut(&by) else {
            return;
        };
        match &logged.happened {
            Happened::Voted(_) => deeds.votes += 1,
            Happened::DrawOffered(..) => deeds.offers += 1,
            // Actions that were taken back do not count.
            _ if !self.state.is_in_force(logged) => {}
            Happened::Transferred { transfer, .. } => {
                let counts = u32::from(self.stay.contains(&logged.event.number));
                deeds.transfers += counts;
                self.transfers[transfer.side.index()] += counts;
            }
            happened => {
                deeds.turns += u32::from(happened.is_turn());
                deeds.changes += u32::from(happened.is_change());
                let captures = matches!(happened, Happened::Moved { captures: true, .. });
                deeds.captures += u32::from(captures);
            }
        }
    }

    fn finish(mut self) -> Report {
        for (id, member) in &self.state.members {
            let Some(deeds) = self.people.get_mut(id) else {
                continue;
            };
            deeds.side = member.team;
            let idle = self.tasks.get(&(*id, Task::Agent));
            deeds.was_agent = idle.is_some_and(|time| !time.is_zero());
            deeds.present = Duration::from_mins(deeds.present.as_secs() / 60);
            // The longest task; of equally long ones, the strategist's before the boardman's before the agent's.
            deeds.task = [Task::Strategist, Task::Boardman, Task::Agent]
                .into_iter()
                .filter_map(|task| Some((task, *self.tasks.get(&(*id, task))?)))
                .rev()
                .max_by_key(|(_, time)| *time)
                .map(|(task, _)| task);
        }
        let stayed = |deeds: &Deeds| {
            let left = self.state.members.get(&deeds.member)?.left?;
            Some(self.state.started.is_some_and(|started| left > started))
        };
        self.people.retain(|_, deeds| stayed(deeds).unwrap_or(true));
        Report {
            people: self.people.into_values().collect(),
            changes: changes(self.state),
            transfers: self.transfers,
            played: self.played,
        }
    }
}

/// The changes of the rules that took effect, board by board.
fn changes(state: &Match) -> Vec<Changed> {
    let mut all = Vec::new();
    for (number, board) in state.boards.iter() {
        let mut made = state.changes_made(number);
        for recorded in board.position().changes() {
            all.push(Changed {
                board: number,
                number: recorded.number,
                side: recorded.side,
                made: made.next().map(|logged| (logged.event.by, logged.event.at)),
                change: recorded.change.clone(),
            });
        }
    }
    all
}
