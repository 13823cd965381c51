//! A team: its duties, how they are handed on, and the election of its grand strategist. Pure.

use std::collections::{BTreeMap, BTreeSet};

use super::event::{Duties, Duty, MemberId};
use perplex_games::perplexichess::Size;

/// A team of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Team {
    /// Its members, in the order of joining.
    pub members: BTreeSet<MemberId>,
    /// Who has which duty.
    pub duties: Duties,
    /// The standing votes: who votes for whom. Secret.
    pub(super) votes: BTreeMap<MemberId, MemberId>,
}

impl Team {
    pub(super) fn new(size: Size) -> Self {
        Self {
            members: BTreeSet::new(),
            duties: Duties::none(size),
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

    /// How many members it may have at most, if there is a limit.
    #[must_use]
    pub fn most(size: Size) -> Option<usize> {
        let (_, most) = size.agents();
        most.map(|agents| agents + 1 + usize::from(size.boards()))
    }

    /// What is missing for a match at full strength, as clauses; nothing if nothing is.
    #[must_use]
    pub fn missing(&self, size: Size) -> Vec<String> {
        let (fewest, most) = size.agents();
        let mut missing = Vec::new();
        let holders: BTreeSet<MemberId> = self
            .duties
            .all()
            .into_iter()
            .filter_map(|duty| self.duties.holder(duty))
            .collect();
        if self.duties.strategist.is_none() {
            missing.push("a grand strategist".to_owned());
        }
        let boards: Vec<String> = self
            .duties
            .vacant()
            .into_iter()
            .filter_map(|duty| match duty {
                Duty::Board(board) => Some(board.to_string()),
                Duty::Strategist => None,
            })
            .collect();
        match &boards[..] {
            [] => {}
            [one] => missing.push(format!("a boardman for board {one}")),
            [rest @ .., last] => {
                missing.push(format!(
                    "boardmen for boards {} and {last}",
                    rest.join(", ")
                ));
            }
        }
        if self.duties.vacant().is_empty() && holders.len() < self.duties.all().len() {
            missing.push("a person of its own for every duty".to_owned());
        }
        let agents = self.agents().count();
        if agents < fewest {
            missing.push(if fewest == 1 {
                "an agent".to_owned()
            } else {
                format!("{fewest} agents")
            });
        }
        if most.is_some_and(|most| agents > most) {
            missing.push(format!(
                "fewer agents (at most {})",
                most.unwrap_or_default()
            ));
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

    /// The duties when `duty` is given to `to`. Duties are swapped: the holder gets what `to` had. Where
    /// a member holds several, short-handed, a board goes over alone.
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

    /// Who is elected by the votes that stand: the member with those of more than half of the members other
    /// than the incumbent.
    #[must_use]
    pub fn elected(&self) -> Option<MemberId> {
        let incumbent = self.duties.strategist;
        let voters = self
            .members
            .iter()
            .filter(|member| Some(**member) != incumbent)
            .count();
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

    /// Forgets the votes that no longer count: those of and for members who have left or are strategist.
    pub(super) fn forget_votes(&mut self) {
        let incumbent = self.duties.strategist;
        let counts =
            |member: &MemberId| self.members.contains(member) && Some(*member) != incumbent;
        self.votes
            .retain(|voter, choice| counts(voter) && counts(choice));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perplex_games::perplexichess::BoardNo;

    fn team(members: u16, duties: &str) -> Team {
        let mut team = Team::new(Size::Small);
        team.members = (1..=members).map(MemberId).collect();
        let kind = format!("duties white {duties}").parse().unwrap();
        let super::super::event::EventKind::Duties(_, duties) = kind else {
            unreachable!()
        };
        team.duties = duties;
        team
    }

    #[test]
    fn duties_are_swapped() {
        let full = team(5, "1 2 3 4");
        let board = |number| Duty::Board(BoardNo(number));
        for (duty, to, after) in [
            (board(1), 5, "1 5 3 4"),
            (board(1), 3, "1 3 2 4"),
            (Duty::Strategist, 5, "5 2 3 4"),
            (Duty::Strategist, 2, "2 1 3 4"),
            (board(2), 1, "3 2 1 4"),
        ] {
            assert_eq!(full.given(duty, MemberId(to)).to_string(), after);
        }
        let short = team(3, "1 2 2 1");
        assert_eq!(short.given(board(1), MemberId(3)).to_string(), "1 3 2 1");
        assert_eq!(
            short.given(Duty::Strategist, MemberId(2)).to_string(),
            "2 1 1 2"
        );
    }

    #[test]
    fn nobody_is_left_without_a_boardman() {
        for (members, duties, leaver, after) in [
            (6, "1 2 - 4", 3, "1 2 5 4"),
            (6, "- 2 3 4", 1, "5 2 3 4"),
            (4, "1 2 3 -", 4, "1 2 3 2"),
            (4, "- 2 3 4", 1, "2 2 3 4"),
            (1, "- - - -", 1, "- - - -"),
        ] {
            let mut left = team(members, duties);
            left.members.remove(&MemberId(leaver));
            assert_eq!(left.filled().to_string(), after);
        }
        assert_eq!(team(2, "- - - -").filled().to_string(), "1 2 2 1");
    }

    #[test]
    fn what_is_missing_is_said() {
        assert!(team(4, "1 2 3 4").missing(Size::Small).is_empty());
        assert!(team(6, "1 2 3 4").missing(Size::Small).is_empty());
        assert_eq!(
            team(7, "1 2 3 4").missing(Size::Small),
            ["fewer agents (at most 2)"]
        );
        assert_eq!(
            team(2, "- 2 - -").missing(Size::Small),
            ["a grand strategist", "boardmen for boards 2 and 3"]
        );
        assert_eq!(
            team(2, "1 2 2 1").missing(Size::Small),
            ["a person of its own for every duty"]
        );
        let mut five = Team::new(Size::Medium);
        five.members = (1..=6).map(MemberId).collect();
        five.duties = five.filled();
        assert_eq!(five.missing(Size::Medium), ["an agent"]);
    }

    #[test]
    fn more_than_half_of_the_others_elect() {
        let mut team = team(5, "1 2 3 4");
        let mut vote = |voter: u16, choice: u16| {
            team.votes.insert(MemberId(voter), MemberId(choice));
            team.elected().map(|MemberId(member)| member)
        };
        assert_eq!(vote(2, 5), None);
        assert_eq!(vote(3, 5), None);
        // Two of four are not more than half.
        assert_eq!(vote(4, 2), None);
        assert_eq!(vote(5, 5), Some(5));
        assert_eq!(vote(5, 2), None);
        team.members.remove(&MemberId(4));
        team.forget_votes();
        assert_eq!(team.elected(), Some(MemberId(5)));
    }
}
