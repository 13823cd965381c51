//! The commands of the host: starting a match, keeping it going, keeping order. Pure.

use super::command::{Refusal, Span, host, no};
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
        host(buffer.who, "deals out teams and duties")?;
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
        host(buffer.who, "starts the match")?;
        self.must_be_gathering()?;
        for side in Side::ALL {
            if self.team(side).members.is_empty() {
                return no("Both teams need a member before the match can start.");
            }
        }
        for side in Side::ALL {
            let most = Team::most(self.terms.size);
            if most.is_some_and(|most| self.team(side).members.len() > most) {
                return no(format!(
                    "There are too many people in a team for {} boards. Choose more boards.",
                    self.terms.size.boards()
                ));
            }
        }
        let missing = self.missing();
        if !short && missing.iter().any(|team| !team.is_empty()) {
            let parts: Vec<String> = ["White", "Black"]
                .iter()
                .zip(&missing)
                .filter(|(_, missing)| !missing.is_empty())
                .map(|(name, missing)| format!("{name} needs {}", missing.join(", ")))
                .collect();
            return no(format!(
                "{}. You can start short-handed: then some have several duties.",
                parts.join("; ")
            ));
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
        host(buffer.who, "says when the match goes on")?;
        self.must_not_be_over()?;
        if !open && self.phase == Phase::Playing {
            buffer.add(Actor::Host, EventKind::Pause)?;
        }
        buffer.add(Actor::Host, EventKind::SetJoinable(open))
    }

    pub(super) fn judge(&self, buffer: &mut EventBuffer, number: BoardNo, holds: bool) -> Decided {
        host(buffer.who, "decides what is disputed")?;
        // Eyes are on the host while the match is paused: a good moment to decide.
        self.must_have_begun()?;
        if !self.status(number).is_some_and(|status| status.disputed) {
            return no("Nothing is disputed on this board.");
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
        host(buffer.who, "takes something back")?;
        self.must_have_begun()?;
        let board = self.board(number)?;
        if board.version() != seen {
            return Err(Refusal::Changed(number));
        }
        self.to_take_back(number).map_err(Refusal::NotAllowed)?;
        buffer.add(Actor::Host, EventKind::TakeBack(number))
    }

    pub(super) fn set_time(&self, buffer: &mut EventBuffer, span: Span) -> Decided {
        host(buffer.who, "sets the time")?;
        self.must_have_begun()?;
        let left = self.time_left(buffer.now).map(|left| {
            let seconds = left.as_millis().div_ceil(1_000);
            i64::try_from(seconds).unwrap_or(i64::MAX)
        });
        let seconds = match (span, left) {
            (Span::Left(seconds), _) => i64::from(seconds),
            (Span::More(more), Some(left)) => left.saturating_add(more.into()),
            (Span::More(_), None) => {
                return no("This match has no time limit. Say how much time shall be left.");
            }
        };
        let Ok(seconds) = u32::try_from(seconds.max(0)) else {
            return no("That is too much time.");
        };
        if seconds == 0 {
            return no("Nothing would be left of the time. If you want to end the match, end it.");
        }
        if seconds > *SECONDS.end() {
            return no(format!(
                "At most {} days can be left.",
                SECONDS.end() / 86_400
            ));
        }
        buffer.add(Actor::Host, EventKind::Time(seconds))
    }

    pub(super) fn rename(&self, buffer: &mut EventBuffer, id: MemberId) -> Decided {
        host(buffer.who, "gives people other names")?;
        if !self.members.contains_key(&id) {
            return no("There is no such member.");
        }
        buffer.add(Actor::Host, EventKind::Rename(id))
    }

    pub(super) fn set_talk(&self, buffer: &mut EventBuffer, mode: TalkMode) -> Decided {
        host(buffer.who, "says how people talk")?;
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
        host(buffer.who, "removes messages")?;
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
        host(
            buffer.who,
            "sends people to another team once the match has begun",
        )?;
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
        host(buffer.who, "replaces people")?;
        self.must_have_begun()?;
        let Some(side) = self.side_of(absent) else {
            return no("Only a member of a team can be replaced.");
        };
        if by == absent || self.side_of(by) != Some(side) {
            return no("Another member of the same team takes over.");
        }
        let team = self.team(side);
        let held = team.duties.of(absent);
        if held.is_empty() {
            return no("There is nothing to take over: an agent has no duty.");
        }
        // The absent member gets nothing in return.
        let mut duties = team.duties.clone();
        for duty in held {
            duties.set(duty, Some(by));
        }
        buffer.add(Actor::Host, EventKind::Duties(side, duties))
    }
}
