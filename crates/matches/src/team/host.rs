//! The commands of the host: starting a match, keeping it going, keeping order. Pure.

use super::command::{HostAction, MOST_TAKE_BACKS, Refusal, Span, host};
use super::decide::{Decided, EventBuffer};
use super::dice::Dice;
use super::event::{Actor, EventKind, MemberId, TalkMode};
use super::lineup::Team;
use super::{Match, Phase, SECONDS};
use perplex_games::perplexichess::{BoardNo, Line};
use perplex_games::rules::Side;
use perplex_games::rules::flexichess::Turn;

impl Match {
    pub(super) fn deal(&self, buffer: &mut EventBuffer, chance: u64) -> Decided {
        host(buffer.who, HostAction::Deal)?;
        self.must_be_gathering()?;
        let mut dice = Dice::new(chance);
        let mut waiting: Vec<MemberId> = self
            .members
            .iter()
            .filter(|(_, member)| member.left.is_none() && member.team.is_none())
            .map(|(id, _)| *id)
            .collect();
        dice.shuffle(&mut waiting);
        for id in waiting {
            let side = buffer.state.smaller_team();
            // A match may have more people than places; the rest watch.
            if buffer.state.must_have_room(side).is_ok() {
                buffer.add(Actor::Host, EventKind::Team(id, Some(side)))?;
            }
        }
        for side in Side::ALL {
            let team = buffer.state.team(side);
            let mut idle: Vec<MemberId> = team.agents().collect();
            dice.shuffle(&mut idle);
            let mut duties = team.duties.clone();
            for (duty, member) in duties.vacant().into_iter().zip(idle) {
                duties.set(duty, Some(member));
            }
            if duties != team.duties {
                buffer.add(Actor::Host, EventKind::Duties(side, duties))?;
            }
        }
        Ok(())
    }

    pub(super) fn start(&self, buffer: &mut EventBuffer, short: bool) -> Decided {
        host(buffer.who, HostAction::Start)?;
        self.must_be_gathering()?;
        for side in Side::ALL {
            if self.team(side).members.is_empty() {
                return Err(Refusal::EmptyTeam);
            }
        }
        for side in Side::ALL {
            let most = Team::most(self.terms.size);
            if most.is_some_and(|most| self.team(side).members.len() > most) {
                return Err(Refusal::TooManyPeople(self.terms.size));
            }
        }
        let missing = self.missing();
        if !short && missing.iter().any(|team| !team.is_empty()) {
            return Err(Refusal::ShortHanded(missing));
        }
        for side in Side::ALL {
            let team = buffer.state.team(side);
            let duties = team.filled();
            if duties != team.duties {
                buffer.add(Actor::Host, EventKind::Duties(side, duties))?;
            }
        }
        buffer.add(Actor::Host, EventKind::Start)
    }

    pub(super) fn set_joinable(&self, buffer: &mut EventBuffer, open: bool) -> Decided {
        host(buffer.who, HostAction::SetJoinable)?;
        self.must_not_be_over()?;
        if !open && self.phase == Phase::Playing {
            buffer.add(Actor::Host, EventKind::Pause)?;
        }
        buffer.add(Actor::Host, EventKind::SetJoinable(open))
    }

    pub(super) fn judge(&self, buffer: &mut EventBuffer, number: BoardNo, holds: bool) -> Decided {
        host(buffer.who, HostAction::Decide)?;
        // Eyes are on the host while the match is paused: a good moment to decide.
        self.must_have_begun()?;
        if !self.status(number).is_some_and(|status| status.disputed) {
            return Err(Refusal::NothingDisputed);
        }
        let turn = if holds { Turn::Accept } else { Turn::Reject };
        buffer.line(Actor::Host, &Line::Turn(number, turn))
    }

    /// Refuses unless the match is being played or paused.
    pub(super) fn must_have_begun(&self) -> Decided {
        match self.phase {
            Phase::Playing | Phase::Paused => Ok(()),
            phase => Err(Refusal::NotPlaying(phase)),
        }
    }

    pub(super) fn take_line_back(
        &self,
        buffer: &mut EventBuffer,
        number: BoardNo,
        seen: u32,
    ) -> Decided {
        host(buffer.who, HostAction::TakeBack)?;
        self.must_have_begun()?;
        let board = self.board(number)?;
        if board.version() != seen {
            return Err(Refusal::Changed(number));
        }
        self.to_take_back(number)?;
        let kinds = self.log.iter().map(|logged| &logged.event.kind);
        let taken_back = kinds.filter(|kind| matches!(kind, EventKind::TakeBack(_)));
        if taken_back.count() >= MOST_TAKE_BACKS {
            return Err(Refusal::TookBackMuch);
        }
        buffer.add(Actor::Host, EventKind::TakeBack(number))
    }

    pub(super) fn set_time(&self, buffer: &mut EventBuffer, span: Span) -> Decided {
        host(buffer.who, HostAction::Time)?;
        self.must_have_begun()?;
        let left = self.time_left(buffer.now).map(|left| {
            let seconds = left.as_millis().div_ceil(1_000);
            i64::try_from(seconds).unwrap_or(i64::MAX)
        });
        let seconds = match (span, left) {
            (Span::Left(seconds), _) => i64::from(seconds),
            (Span::More(more), Some(left)) => left.saturating_add(more.into()),
            (Span::More(_), None) => {
                return Err(Refusal::NoTimeLimit);
            }
        };
        let seconds = u32::try_from(seconds.max(0)).unwrap_or(u32::MAX);
        if seconds == 0 {
            return Err(Refusal::NoTimeLeft);
        }
        if seconds > *SECONDS.end() {
            return Err(Refusal::TooMuchTimeLeft);
        }
        buffer.add(Actor::Host, EventKind::Time(seconds))
    }

    pub(super) fn rename(&self, buffer: &mut EventBuffer, id: MemberId) -> Decided {
        host(buffer.who, HostAction::Rename)?;
        if !self.members.contains_key(&id) {
            return Err(Refusal::NoSuchMember);
        }
        buffer.add(Actor::Host, EventKind::Rename(id))
    }

    pub(super) fn set_talk(&self, buffer: &mut EventBuffer, mode: TalkMode) -> Decided {
        host(buffer.who, HostAction::Talk)?;
        if self.talk == mode {
            return Ok(());
        }
        buffer.add(Actor::Host, EventKind::Talk(mode))
    }

    pub(super) fn remove_message(
        &self,
        buffer: &mut EventBuffer,
        message: i32,
        by: Actor,
    ) -> Decided {
        host(buffer.who, HostAction::RemoveMessage)?;
        let kind = EventKind::RemoveMessage(message, by);
        if self.log.iter().any(|logged| logged.event.kind == kind) {
            return Ok(());
        }
        buffer.add(Actor::Host, kind)
    }

    /// Sends a member to another team, or to none, for the host while the match is being played; the duties fall to
    /// others, as when a member leaves.
    pub(super) fn send(
        &self,
        buffer: &mut EventBuffer,
        id: MemberId,
        team: Option<Side>,
    ) -> Decided {
        self.must_have_begun()?;
        host(buffer.who, HostAction::Send)?;
        self.for_oneself(buffer.who, id)?;
        let now = self.side_of(id);
        if now == team {
            return Ok(());
        }
        if let Some(side) = team {
            self.must_have_room(side)?;
        }
        buffer.add(Actor::Host, EventKind::Team(id, team))?;
        for side in [now, team].into_iter().flatten() {
            buffer.fill(side)?;
        }
        Ok(())
    }

    /// Gives all duties of `absent` to `by`.
    pub(super) fn replace(
        &self,
        buffer: &mut EventBuffer,
        absent: MemberId,
        by: MemberId,
    ) -> Decided {
        host(buffer.who, HostAction::Replace)?;
        self.must_have_begun()?;
        let Some(side) = self.side_of(absent) else {
            return Err(Refusal::ReplaceWithoutTeam);
        };
        if by == absent || self.side_of(by) != Some(side) {
            return Err(Refusal::ReplaceByStranger);
        }
        let team = self.team(side);
        let held = team.duties.of(absent);
        if held.is_empty() {
            return Err(Refusal::ReplaceWithoutDuty);
        }
        // The absent member gets nothing in return.
        let mut duties = team.duties.clone();
        for duty in held {
            duties.set(duty, Some(by));
        }
        buffer.add(Actor::Host, EventKind::Duties(side, duties))
    }
}
