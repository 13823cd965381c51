//! A team: its duties, their transfer, and the election of its grand strategist. Pure.

use std::collections::{BTreeMap, BTreeSet};

use super::emblem::Emblem;
use super::event::{Duties, Duty, MemberId};
use perplex_games::perplexichess::{BoardNo, Size};

/// A gap in a team that keeps a match from a start at full strength.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gap {
    /// It has no grand strategist.
    Strategist,
    /// These boards have no boardman.
    Boardmen(Vec<BoardNo>),
    /// A member has more than one duty.
    Shared,
    /// It has fewer agents than this.
    FewerAgents(usize),
    /// It has more agents than this.
    MoreAgents(usize),
}

/// A team of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Team {
    /// Its members, in the order of joining.
    pub members: BTreeSet<MemberId>,
    /// The holders of the duties.
    pub duties: Duties,
    /// Its emblem, if it chose one.
    pub emblem: Option<Emblem>,
    /// The standing votes: the choice of each voter. Secret.
    pub(super) votes: BTreeMap<MemberId, MemberId>,
}

impl Team {
    pub(super) fn new(size: Size) -> Self {
        Self {
            members: BTreeSet::new(),
            duties: Duties::none(size),
            emblem: None,
            votes: BTreeMap::new(),
        }
    }

    /// The members without a duty.
    pub fn agents(&self) -> impl Iterator<Item = MemberId> {
        self.members
            .iter()
            .copied()
            .filter(|member| self.duties.of(*member).is_empty())
    }

    /// The most members it may have, if there is a limit.
    #[must_use]
    pub fn most(size: Size) -> Option<usize> {
        let (_, most) = size.agents();
        most.map(|agents| agents + 1 + usize::from(size.boards()))
    }

    /// The gaps to fill for a match at full strength, empty if there are none.
    #[must_use]
    pub fn missing(&self, size: Size) -> Vec<Gap> {
        let (fewest, most) = size.agents();
        let mut missing = Vec::new();
        let holders: BTreeSet<MemberId> = self
            .duties
            .all()
            .into_iter()
            .filter_map(|duty| self.duties.holder(duty))
            .collect();
        if self.duties.strategist.is_none() {
            missing.push(Gap::Strategist);
        }
        let boards: Vec<BoardNo> = self
            .duties
            .vacant()
            .into_iter()
            .filter_map(|duty| match duty {
                Duty::Board(board) => Some(board),
                Duty::Strategist => None,
            })
            .collect();
        if !boards.is_empty() {
            missing.push(Gap::Boardmen(boards));
        }
        if self.duties.vacant().is_empty() && holders.len() < self.duties.all().len() {
            missing.push(Gap::Shared);
        }
        let agents = self.agents().count();
        if agents < fewest {
            missing.push(Gap::FewerAgents(fewest));
        }
        if let Some(most) = most.filter(|most| agents > *most) {
            missing.push(Gap::MoreAgents(most));
        }
        missing
    }

    /// The duties once the vacant ones are filled: each goes to the agent who has waited longest,
    /// and then, short-handed, to the member with the fewest duties, the strategist last.
    #[must_use]
    pub fn filled(&self) -> Duties {
        let mut duties = self.duties.clone();
        for duty in duties.vacant() {
            let next = self.members.iter().copied().min_by_key(|member| {
                let strategist = duties.strategist == Some(*member);
                (duties.of(*member).len(), strategist, *member)
            });
            duties.set(duty, next);
        }
        duties
    }

    /// The duties after `duty` goes to `to`. Duties are swapped: the holder gets those of `to`. Where the
    /// holder has several, short-handed, a board goes over alone.
    #[must_use]
    pub fn given(&self, duty: Duty, to: MemberId) -> Duties {
        let mut duties = self.duties.clone();
        match duties.holder(duty) {
            Some(holder) if duty == Duty::Strategist || duties.of(holder).len() == 1 => {
                duties.exchange(holder, to);
            }
            _ => duties.set(duty, Some(to)),
        }
        duties
    }

    /// The member for whom `voter` votes.
    #[must_use]
    pub fn vote_of(&self, voter: MemberId) -> Option<MemberId> {
        self.votes.get(&voter).copied()
    }

    /// The number of members who have a vote: all but the incumbent.
    #[must_use]
    pub fn voters(&self) -> usize {
        let incumbent = self.duties.strategist;
        let votes = |member: &&MemberId| Some(**member) != incumbent;
        self.members.iter().filter(votes).count()
    }

    /// The member elected by the standing votes of more than half of the members other than the incumbent.
    #[must_use]
    pub fn elected(&self) -> Option<MemberId> {
        let incumbent = self.duties.strategist;
        let voters = self.voters();
        let mut counts: BTreeMap<MemberId, usize> = BTreeMap::new();
        for (voter, choice) in &self.votes {
            let counted = Some(*voter) != incumbent
                && Some(*choice) != incumbent
                && self.members.contains(voter)
                && self.members.contains(choice);
            if counted {
                *counts.entry(*choice).or_default() += 1;
            }
        }
        counts
            .into_iter()
            .find(|(_, count)| *count * 2 > voters)
            .map(|(choice, _)| choice)
    }

    /// Forgets the votes that no longer count: by and for members who have left, or who are strategist.
    pub(super) fn forget_votes(&mut self) {
        let incumbent = self.duties.strategist;
        let counts =
            |member: &MemberId| self.members.contains(member) && Some(*member) != incumbent;
        self.votes
            .retain(|voter, choice| counts(voter) && counts(choice));
    }
}
