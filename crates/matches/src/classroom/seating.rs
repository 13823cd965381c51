//! Seating in a lesson: the size that fits, teams of the same number, and duties by rotation. Pure.
//!
//! The pupil who had a duty least often gets it first, and chance breaks ties: so of two pupils who come to the same
//! lessons, neither is grand strategist two times more than the other.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::team::dice::Dice;
use crate::team::event::{Duties, Duty, MemberId};
use crate::team::lineup::Team;
use perplex_games::perplexichess::Size;
use perplex_games::rules::Side;

/// The most rounds in which pairs of members change places for newer company.
const ROUNDS: usize = 20;

/// The main task of a pupil in a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Task {
    /// Grand strategist, with or without boards.
    Strategist,
    /// Boardman of one board or several.
    Boardman,
    /// No duty.
    Agent,
}

/// The number of lessons in which a pupil had each task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Past {
    /// As grand strategist.
    pub strategist: u32,
    /// As boardman.
    pub boardman: u32,
    /// As agent.
    pub agent: u32,
}

impl Past {
    /// Counts a lesson with `task`.
    pub fn add(&mut self, task: Task) {
        match task {
            Task::Strategist => self.strategist += 1,
            Task::Boardman => self.boardman += 1,
            Task::Agent => self.agent += 1,
        }
    }

    /// Lessons with a duty.
    #[must_use]
    pub const fn active(self) -> u32 {
        self.strategist + self.boardman
    }

    /// Lessons in all.
    #[must_use]
    pub const fn lessons(self) -> u32 {
        self.active() + self.agent
    }
}

/// The record of the earlier lessons of a class; `P` identifies a pupil.
#[derive(Clone, Debug)]
pub struct Earlier<P> {
    past: BTreeMap<P, Past>,
    /// Lessons that two pupils spent in one team; the smaller key comes first.
    together: BTreeMap<(P, P), u32>,
}

impl<P> Default for Earlier<P> {
    fn default() -> Self {
        Self {
            past: BTreeMap::new(),
            together: BTreeMap::new(),
        }
    }
}

impl<P: Clone + Ord> Earlier<P> {
    /// Adds a lesson: the team and task of each pupil.
    pub fn add(&mut self, lesson: &[(P, Side, Task)]) {
        for (index, (one, side, task)) in lesson.iter().enumerate() {
            self.past.entry(one.clone()).or_default().add(*task);
            for (other, _, _) in lesson[index + 1..].iter().filter(|(_, s, _)| s == side) {
                *self.together.entry(pair(one, other)).or_default() += 1;
            }
        }
    }

    /// The tasks that a pupil has had.
    #[must_use]
    pub fn past(&self, one: &P) -> Past {
        self.past.get(one).copied().unwrap_or_default()
    }

    /// The number of lessons that two pupils spent in one team.
    #[must_use]
    pub fn together(&self, one: &P, other: &P) -> u32 {
        self.together.get(&pair(one, other)).copied().unwrap_or(0)
    }
}

fn pair<P: Clone + Ord>(one: &P, other: &P) -> (P, P) {
    if one <= other {
        (one.clone(), other.clone())
    } else {
        (other.clone(), one.clone())
    }
}

/// The fit of a size for a number of people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// Both teams are at full strength.
    Full,
    /// Every duty has a member, but a team lacks the agent that it should have.
    NoAgent,
    /// This many duties have no member of their own: some members have several.
    Short(usize),
    /// This many members find no place, and watch.
    Crowded(usize),
    /// A team would be empty.
    Empty,
}

/// A size, and its fit for the people present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The size.
    pub size: Size,
    /// The number of people.
    pub people: usize,
    /// The fit.
    pub fit: Fit,
}

impl Proposal {
    /// The fit of a size for `people`, in two teams of the same number or nearly so.
    #[must_use]
    pub fn of(size: Size, people: usize) -> Self {
        let (fewest, _) = size.agents();
        let duties = 1 + usize::from(size.boards());
        let teams = [people / 2, people.div_ceil(2)];
        let lacking: usize = teams.iter().map(|team| duties.saturating_sub(*team)).sum();
        let over = Team::most(size).map_or(0, |most| people.saturating_sub(2 * most));
        let fit = if teams[0] == 0 {
            Fit::Empty
        } else if over > 0 {
            Fit::Crowded(over)
        } else if lacking > 0 {
            Fit::Short(lacking)
        } else if teams[0] < duties + fewest {
            Fit::NoAgent
        } else {
            Fit::Full
        };
        Self { size, people, fit }
    }

    /// The size proposed for so many people: the largest at full strength, else the largest in which every duty has a
    /// member, else the smallest.
    #[must_use]
    pub fn best(people: usize) -> Self {
        let all = Self::all(people);
        let largest = |fit: Fit| all.iter().rfind(|one| one.fit == fit).copied();
        largest(Fit::Full)
            .or_else(|| largest(Fit::NoAgent))
            .unwrap_or(all[0])
    }

    /// Every size for so many people.
    #[must_use]
    pub fn all(people: usize) -> [Self; 3] {
        Size::ALL.map(|size| Self::of(size, people))
    }
}

/// A member to be seated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Person {
    /// Their number in the match.
    pub id: MemberId,
    /// Their team, if it is settled.
    pub side: Option<Side>,
    /// Their earlier lessons.
    pub past: Past,
}

/// The teams and duties of all members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seating {
    /// The team of each; none for a member without a place.
    pub sides: BTreeMap<MemberId, Option<Side>>,
    /// The duties in White's team and in Black's.
    pub duties: [Duties; 2],
}

/// Seats all members. Members with a side keep it, and so do the holders of `duties`; `together` is the number of
/// lessons that two spent in one team.
#[must_use]
pub fn seat(
    size: Size,
    people: &[Person],
    duties: [Duties; 2],
    together: impl Fn(MemberId, MemberId) -> u32,
    chance: u64,
) -> Seating {
    // Squared: one pair together for the third time weighs more than two pairs for the second time.
    let together = |one, other| together(one, other).saturating_pow(2);
    let mut table = Table::new(size, people, duties, chance);
    table.give(Task::Strategist, &together);
    table.give(Task::Boardman, &together);
    table.place_agents(&together);
    table.mix(&together);
    table.fill();
    Seating {
        sides: people
            .iter()
            .map(|person| person.id)
            .zip(table.sides)
            .collect(),
        duties: table.duties,
    }
}

/// The duties after those of `absent` members have gone to teammates who are there: to agents who had them least, else,
/// short-handed, to the members with the fewest. Absent members have none then, unless all are absent.
#[must_use]
pub fn stand_in(team: &[Person], duties: &Duties, absent: &[MemberId], chance: u64) -> Duties {
    let there: Vec<Person> = team
        .iter()
        .filter(|person| !absent.contains(&person.id))
        .map(|person| Person {
            side: Some(Side::First),
            ..*person
        })
        .collect();
    if there.is_empty() {
        return duties.clone();
    }
    let mut left = duties.clone();
    for one in absent {
        for duty in left.of(*one) {
            left.set(duty, None);
        }
    }
    let none = Duties {
        strategist: None,
        boards: Vec::new(),
    };
    let mut table = Table {
        sides: vec![Some(Side::First); there.len()],
        people: &there,
        duties: [left, none],
        room: [0, 0],
        dice: Dice::new(chance),
    };
    table.give(Task::Strategist, &|_, _| 0);
    table.give(Task::Boardman, &|_, _| 0);
    table.fill();
    let [after, _] = table.duties;
    after
}

/// A seating in progress.
struct Table<'a> {
    people: &'a [Person],
    /// The team of each so far.
    sides: Vec<Option<Side>>,
    duties: [Duties; 2],
    /// Free places in each team.
    room: [usize; 2],
    dice: Dice,
}

impl<'a> Table<'a> {
    fn new(size: Size, people: &'a [Person], duties: [Duties; 2], chance: u64) -> Self {
        let mut dice = Dice::new(chance);
        let sides: Vec<Option<Side>> = people.iter().map(|person| person.side).collect();
        let settled = Side::ALL.map(|side| sides.iter().filter(|s| **s == Some(side)).count());
        let total = people.len();
        // Of an odd number, chance gives one more to either team.
        let first = total / 2 + (total % 2) * dice.below(2);
        let first = first.clamp(settled[0], total - settled[1]);
        let most = Team::most(size).unwrap_or(usize::MAX);
        let aims = [first, total - first].map(|aim| aim.min(most));
        Self {
            people,
            sides,
            duties,
            room: [0, 1].map(|index| aims[index].saturating_sub(settled[index])),
            dice,
        }
    }

    fn is_idle(&self, index: usize) -> bool {
        let id = self.people[index].id;
        self.duties.iter().all(|duties| duties.of(id).is_empty())
    }

    /// Members without a duty, in random order.
    fn idle(&mut self) -> Vec<usize> {
        let mut idle: Vec<usize> = (0..self.people.len())
            .filter(|index| self.is_idle(*index))
            .collect();
        self.dice.shuffle(&mut idle);
        idle
    }

    /// The sum of `together` over a member and the present members of a team.
    fn company(
        &self,
        index: usize,
        side: Side,
        together: &impl Fn(MemberId, MemberId) -> u32,
    ) -> u32 {
        let me = self.people[index].id;
        self.people
            .iter()
            .zip(&self.sides)
            .filter(|(other, s)| **s == Some(side) && other.id != me)
            .map(|(other, _)| together(me, other.id))
            .sum()
    }

    /// Finds a team among `open` for a member: the settled one, or the one with newer company. None if there is no
    /// place.
    fn choose(
        &mut self,
        index: usize,
        open: [bool; 2],
        together: &impl Fn(MemberId, MemberId) -> u32,
    ) -> Option<Side> {
        if let Some(side) = self.sides[index] {
            return open[side.index()].then_some(side);
        }
        let mut sides: Vec<Side> = Side::ALL
            .into_iter()
            .filter(|side| open[side.index()] && self.room[side.index()] > 0)
            .collect();
        self.dice.shuffle(&mut sides);
        let side = sides
            .into_iter()
            .min_by_key(|side| self.company(index, *side, together))?;
        self.room[side.index()] -= 1;
        self.sides[index] = Some(side);
        Some(side)
    }

    /// Gives the vacant duties of a task to the members who had it least.
    fn give(&mut self, task: Task, together: &impl Fn(MemberId, MemberId) -> u32) {
        let mut vacant = [0, 1].map(|index| -> Vec<Duty> {
            let is_task = |duty: &Duty| (*duty == Duty::Strategist) == (task == Task::Strategist);
            let all = self.duties[index].vacant();
            all.into_iter().filter(is_task).collect()
        });
        for duties in &mut vacant {
            self.dice.shuffle(duties);
        }
        let mut idle = self.idle();
        let people = self.people;
        idle.sort_by_key(|index| {
            let past = people[*index].past;
            match task {
                Task::Strategist => (past.strategist, Reverse(0)),
                // The pupil who was agent most often plays first.
                _ => (past.active(), Reverse(past.agent)),
            }
        });
        for index in idle {
            let open = [0, 1].map(|side: usize| !vacant[side].is_empty());
            if let Some(side) = self.choose(index, open, together)
                && let Some(duty) = vacant[side.index()].pop()
            {
                self.duties[side.index()].set(duty, Some(people[index].id));
            }
        }
    }

    /// Finds a team for members without one.
    fn place_agents(&mut self, together: &impl Fn(MemberId, MemberId) -> u32) {
        let mut idle = self.idle();
        // If there are too many, members with fewer lessons come first.
        let people = self.people;
        idle.sort_by_key(|index| people[*index].past.lessons());
        for index in idle {
            self.choose(index, [true, true], together);
        }
    }

    /// The task of a member in a team: only members with the same task change places.
    fn task(&self, index: usize) -> Option<Task> {
        let id = self.people[index].id;
        let side = self.sides[index]?;
        Some(task_of(&self.duties[side.index()], id))
    }

    /// Lets pairs of the two teams with the same task change places, while that makes for newer company.
    fn mix(&mut self, together: &impl Fn(MemberId, MemberId) -> u32) {
        let free: Vec<usize> = (0..self.people.len())
            .filter(|index| self.people[*index].side.is_none() && self.sides[*index].is_some())
            .collect();
        for _ in 0..ROUNDS {
            let mut changed = false;
            for (place, one) in free.iter().enumerate() {
                for other in &free[place + 1..] {
                    changed |= self.exchange(*one, *other, together);
                }
            }
            if !changed {
                break;
            }
        }
    }

    fn exchange(
        &mut self,
        one: usize,
        other: usize,
        together: &impl Fn(MemberId, MemberId) -> u32,
    ) -> bool {
        let (Some(here), Some(there)) = (self.sides[one], self.sides[other]) else {
            return false;
        };
        if here == there || self.task(one) != self.task(other) {
            return false;
        }
        let ids = [self.people[one].id, self.people[other].id];
        let apart = together(ids[0], ids[1]);
        let now = self.company(one, here, together) + self.company(other, there, together);
        let then = self.company(one, there, together) + self.company(other, here, together);
        // `then` counts the two as company for each other, but they stay in different teams.
        if then.saturating_sub(2 * apart) >= now {
            return false;
        }
        self.sides.swap(one, other);
        for duties in &mut self.duties {
            duties.exchange(ids[0], ids[1]);
        }
        true
    }

    /// Short-handed: gives each duty still vacant to the member with the fewest, the strategist last.
    fn fill(&mut self) {
        for (index, side) in Side::ALL.into_iter().enumerate() {
            let mut team: Vec<&Person> = self
                .people
                .iter()
                .zip(&self.sides)
                .filter(|(_, s)| **s == Some(side))
                .map(|(person, _)| person)
                .collect();
            self.dice.shuffle(&mut team);
            let duties = &mut self.duties[index];
            for duty in duties.vacant() {
                let next = team.iter().min_by_key(|person| {
                    let strategist = duties.strategist == Some(person.id);
                    (duties.of(person.id).len(), strategist)
                });
                duties.set(duty, next.map(|person| person.id));
            }
        }
    }
}

/// The main task of a member of a team with these duties.
#[must_use]
pub fn task_of(duties: &Duties, member: MemberId) -> Task {
    match duties.of(member).as_slice() {
        [] => Task::Agent,
        duties if duties.contains(&Duty::Strategist) => Task::Strategist,
        _ => Task::Boardman,
    }
}
