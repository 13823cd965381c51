//! Settings of the host before the start, in one go: other terms, and everybody's place. Pure.

use super::command::{HostAction, Place, Refusal, host};
use super::decide::{Decided, EventBuffer};
use super::event::{Actor, Duties, Duty, EventKind, MemberId, Terms};
use super::{BoardStatus, Match, SECONDS};
use perplex_games::perplexichess::Boards;
use perplex_games::rules::Side;

impl Match {
    /// Replaces the terms; duties on boards that are no more are gone.
    pub(super) fn settle(&mut self, terms: Terms, event: i32) {
        if terms.size != self.terms.size {
            let boards = usize::from(terms.size.boards());
            self.boards = Boards::under(terms.size, self.rules);
            self.statuses = vec![BoardStatus::default(); boards];
            for team in &mut self.teams {
                team.duties.boards.resize(boards, None);
            }
        }
        let (before, announced) = (self.terms, &mut self.announced);
        for (was, is, since) in [
            (
                before.supervised,
                terms.supervised,
                &mut announced.supervised,
            ),
            (before.history, terms.history, &mut announced.history),
            (before.reveal, terms.reveal, &mut announced.reveal),
        ] {
            if is && !was {
                *since = event;
            }
        }
        self.terms = terms;
    }

    pub(super) fn settle_anew(&self, buffer: &mut EventBuffer, terms: Terms) -> Decided {
        host(buffer.who, HostAction::Settle)?;
        self.must_be_gathering()?;
        if let Some(seconds) = terms.seconds
            && !SECONDS.contains(&seconds)
        {
            return Err(Refusal::TimeLimit);
        }
        if terms == self.terms {
            return Ok(());
        }
        buffer.add(Actor::Host, EventKind::Terms(terms))
    }

    pub(super) fn seat(
        &self,
        buffer: &mut EventBuffer,
        sides: &[(MemberId, Option<Side>)],
        duties: &[Duties; 2],
    ) -> Decided {
        host(buffer.who, HostAction::Seat)?;
        self.must_be_gathering()?;
        for (id, side) in sides {
            let member = buffer.state.members.get(id);
            let Some(member) = member.filter(|member| member.left.is_none()) else {
                return Err(Refusal::NoSuchMember);
            };
            if member.team != *side {
                buffer.add(Actor::Host, EventKind::Team(*id, *side))?;
            }
        }
        for (side, duties) in Side::ALL.into_iter().zip(duties) {
            buffer.set_duties(side, duties)?;
        }
        Ok(())
    }

    pub(super) fn place(&self, buffer: &mut EventBuffer, id: MemberId, place: Place) -> Decided {
        host(buffer.who, HostAction::Place)?;
        self.must_be_gathering()?;
        let Some(member) = self.members.get(&id).filter(|m| m.left.is_none()) else {
            return Err(Refusal::NoSuchMember);
        };
        let before = member.team;
        let had = before.map_or_else(Vec::new, |side| self.team(side).duties.of(id));
        let (to, duty) = match place {
            Place::Nowhere => (None, None),
            Place::Agent(side) => (Some(side), None),
            Place::Duty(side, duty) => (Some(side), Some(duty)),
        };
        if let (Some(side), Some(duty)) = (to, duty)
            && !self.team(side).duties.all().contains(&duty)
        {
            return Err(Refusal::NoSuchDuty);
        }
        // The holder of the duty takes the newcomer's former place; a newcomer without a team pushes no member out of
        // one.
        let holder = match (to, duty) {
            (Some(side), Some(duty)) => self.team(side).duties.holder(duty),
            _ => None,
        }
        .filter(|holder| *holder != id);
        let crosses = before.is_some() && before != to && holder.is_some();
        if to != before {
            if let Some(side) = to
                && !crosses
            {
                self.must_have_room(side)?;
            }
            buffer.add(Actor::Host, EventKind::Team(id, to))?;
        }
        if crosses && let Some(holder) = holder {
            buffer.add(Actor::Host, EventKind::Team(holder, before))?;
        }
        if let Some(side) = to {
            let mut duties = buffer.state.team(side).duties.clone();
            for old in duties.of(id) {
                duties.set(old, None);
            }
            if let Some(holder) = holder.filter(|_| !crosses) {
                // In one team: the holder gets the newcomer's former duties, and only those.
                for old in duties.of(holder) {
                    duties.set(old, None);
                }
                for old in had.iter().filter(|_| before == to) {
                    duties.set(*old, Some(holder));
                }
            }
            if let Some(duty) = duty {
                duties.set(duty, Some(id));
            }
            buffer.set_duties(side, &duties)?;
        }
        if crosses && let (Some(side), Some(holder)) = (before, holder) {
            let mut duties = buffer.state.team(side).duties.clone();
            for old in had {
                duties.set(old, Some(holder));
            }
            buffer.set_duties(side, &duties)?;
        }
        Ok(())
    }

    pub(super) fn replace_duties(
        &self,
        buffer: &mut EventBuffer,
        side: Side,
        duties: &Duties,
    ) -> Decided {
        host(buffer.who, HostAction::SetDuties)?;
        self.must_have_begun()?;
        if !duties.vacant().is_empty() {
            return Err(Refusal::VacantDuty);
        }
        buffer.set_duties(side, duties)
    }
}

impl EventBuffer {
    /// Gives a team duties, if they differ from its own; only its members can have them.
    fn set_duties(&mut self, side: Side, duties: &Duties) -> Decided {
        let team = self.state.team(side);
        if team.duties == *duties {
            return Ok(());
        }
        let is_stranger = |duty: &Duty| {
            let holder = duties.holder(*duty);
            holder.is_some_and(|holder| !team.members.contains(&holder))
        };
        if duties.all().iter().any(is_stranger) {
            return Err(Refusal::NotInTeam);
        }
        self.add(Actor::Host, EventKind::Duties(side, duties.clone()))
    }
}
