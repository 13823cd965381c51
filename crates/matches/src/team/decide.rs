//! Decisions: the events that follow from a command, or a refusal. Pure.

use super::command::{Command, HostAction, MOST_EVENTS, Refusal, host};
use super::emblem::Emblem;
use super::event::{Actor, Duty, Event, EventKind, MemberId};
use super::lineup::Team;
use super::notice::Awaited;
use super::{MOST_MEMBERS, Match, Phase, Who};
use crate::journal::{Aggregate, lost_since};
use crate::time::Time;
use perplex_games::perplexichess::{Board, BoardNo, Line, LineError, Transfer};
use perplex_games::rules::Side;
use perplex_games::rules::flexichess::{Kind, Turn, side_name};

impl Aggregate for Match {
    type Author = Actor;
    type EventKind = EventKind;
    type Commander = Who;
    type Command = Command;
    type Refusal = Refusal;

    fn begin(first: &Event) -> Result<Self, String> {
        Self::begin_with(first)
    }

    fn head(&self) -> i32 {
        self.head
    }

    fn change(&mut self, event: &Event) -> Result<(), String> {
        self.follow(event)
    }

    fn decide_in_time(
        &self,
        who: &Who,
        command: &Command,
        now: Time,
        chance: u64,
    ) -> Result<Vec<Event>, Refusal> {
        if self.head >= MOST_EVENTS && !command.leads_on() {
            return Err(Refusal::Full);
        }
        let mut buffer = EventBuffer {
            state: self.clone(),
            events: Vec::new(),
            who: *who,
            now,
        };
        self.carry_out(&mut buffer, command, chance)
            .map_err(|refusal| match refusal {
                Refusal::NotPlaying(_) if self.was_called_off() => Refusal::CalledOff,
                refusal => refusal,
            })?;
        // Standing votes may decide once a member has gone.
        if matches!(buffer.state.phase, Phase::Playing | Phase::Paused) {
            for side in Side::ALL {
                let team = buffer.state.team(side);
                if let Some(elected) = team.elected() {
                    let duties = team.given(Duty::Strategist, elected);
                    buffer.add(Actor::Server, EventKind::Elected(side, elected))?;
                    buffer.add(Actor::Server, EventKind::Duties(side, duties))?;
                }
            }
        }
        Ok(buffer.events)
    }

    fn time_out(&self, now: Time) -> Vec<Event> {
        let is_over = self.deadline().is_some_and(|deadline| deadline <= now);
        let end = is_over.then(|| Event {
            number: self.head + 1,
            at: now,
            by: Actor::Server,
            kind: EventKind::Line(Line::Time.to_string()),
        });
        end.into_iter().collect()
    }

    fn is_time_back(event: &Event) -> bool {
        matches!(event.kind, EventKind::Away(_))
    }

    fn give_back(&self, outages: &[(Time, Time)], now: Time) -> Vec<Event> {
        let Some((_, running)) = self.clock.filter(|_| self.phase == Phase::Playing) else {
            return Vec::new();
        };
        // Earlier outages were given back already.
        let from = self.given_back.map_or(running, |given| running.max(given));
        let lost = lost_since(outages, from).as_secs();
        let event = (lost > 0).then(|| Event {
            number: self.head + 1,
            at: now,
            by: Actor::Server,
            kind: EventKind::Away(u32::try_from(lost).unwrap_or(u32::MAX)),
        });
        event.into_iter().collect()
    }
}

impl Match {
    fn carry_out(&self, buffer: &mut EventBuffer, command: &Command, chance: u64) -> Decided {
        match command {
            Command::Join(id, team) => self.join(buffer, *id, *team),
            Command::LetBack(id) => {
                host(buffer.who, HostAction::LetBack)?;
                if !self.members.contains_key(id) {
                    return Err(Refusal::NoSuchMember);
                }
                self.join(buffer, *id, None)
            }
            Command::Team(id, team) => self.change_team(buffer, *id, *team),
            Command::Arrange(side, duty, member) => self.arrange(buffer, *side, *duty, *member),
            Command::Deal => self.deal(buffer, chance),
            Command::Settle(terms) => self.settle_anew(buffer, *terms),
            Command::Seat(sides, duties) => self.seat(buffer, sides, duties),
            Command::Place(member, place) => self.place(buffer, *member, *place),
            Command::SetDuties(side, duties) => self.replace_duties(buffer, *side, duties),
            Command::SetEmblem(side, emblem) => self.set_emblem(buffer, *side, *emblem),
            Command::Start { short } => self.start(buffer, *short),
            Command::Play {
                board,
                seen,
                turn,
                offer,
            } => self.play(buffer, *board, *seen, turn, *offer),
            Command::Transfer { transfer, kind } => self.transfer(buffer, *transfer, *kind),
            Command::Offer(board) => self.offer(buffer, *board),
            Command::AcceptDraw(board) => {
                let actor = self.answering_offer(buffer.who, *board)?;
                buffer.line(actor, &Line::Draw(*board))
            }
            Command::Decline(board) => {
                let actor = self.answering_offer(buffer.who, *board)?;
                buffer.add(actor, EventKind::Decline(*board))
            }
            Command::Resign(board) => {
                let (id, side) = self.playing_on(buffer.who, *board)?;
                let text = format!("{board} resign {}", side_name(side));
                let line = self.boards.read(&text)?;
                buffer.line(Actor::Member(id), &line)
            }
            Command::Dispute(board) => {
                let id = self.answering(buffer.who, *board)?;
                buffer.add(Actor::Member(id), EventKind::Dispute(*board))
            }
            Command::Decide(board, holds) => self.judge(buffer, *board, *holds),
            Command::Give(side, duty, to) => self.give(buffer, *side, *duty, *to),
            Command::Vote(choice) => self.vote(buffer, *choice),
            Command::Leave(id) => self.leave(buffer, *id),
            Command::Pause => {
                host(buffer.who, HostAction::Pause)?;
                self.must_be_playing()?;
                buffer.add(Actor::Host, EventKind::Pause)
            }
            Command::Resume => {
                host(buffer.who, HostAction::Resume)?;
                if self.phase != Phase::Paused {
                    return Err(Refusal::NotPaused);
                }
                buffer.add(Actor::Host, EventKind::Resume)
            }
            Command::SetJoinable(open) => self.set_joinable(buffer, *open),
            Command::Stop => {
                host(buffer.who, HostAction::Stop)?;
                self.must_have_begun()?;
                buffer.line(Actor::Host, &Line::Time)
            }
            Command::CallOff => {
                host(buffer.who, HostAction::CallOff)?;
                self.must_be_gathering()?;
                buffer.add(Actor::Host, EventKind::CallOff)
            }
            Command::TakeBack { board, seen } => self.take_line_back(buffer, *board, *seen),
            Command::Time(span) => self.set_time(buffer, *span),
            Command::Rename(id) => self.rename(buffer, *id),
            Command::Talk(mode) => self.set_talk(buffer, *mode),
            Command::RemoveMessage(message, by) => self.remove_message(buffer, *message, *by),
            Command::Replace(absent, by) => self.replace(buffer, *absent, *by),
        }
    }

    fn must_be_playing(&self) -> Decided {
        match self.phase {
            Phase::Playing => Ok(()),
            phase => Err(Refusal::NotPlaying(phase)),
        }
    }

    pub(super) fn must_not_be_over(&self) -> Decided {
        match self.phase {
            Phase::Over => Err(Refusal::NotPlaying(Phase::Over)),
            _ => Ok(()),
        }
    }

    pub(super) fn must_be_gathering(&self) -> Decided {
        match self.phase {
            Phase::Gathering => Ok(()),
            Phase::Over => Err(Refusal::NotPlaying(Phase::Over)),
            _ => Err(Refusal::HasBegun),
        }
    }

    /// The member who acts, and their team.
    fn member(&self, who: Who) -> Result<(MemberId, Side), Refusal> {
        let Some(id) = who.member else {
            return Err(Refusal::OnlyMembers);
        };
        match self.side_of(id) {
            Some(side) => Ok((id, side)),
            None => Err(Refusal::NoTeam),
        }
    }

    /// The boardman who acts on a board while it is being played, and their side: no member is in two teams.
    fn playing_on(&self, who: Who, board: BoardNo) -> Result<(MemberId, Side), Refusal> {
        let (id, side) = self.member(who)?;
        self.must_be_playing()?;
        let found = self.board(board)?;
        if self.team(side).duties.holder(Duty::Board(board)) != Some(id) {
            return Err(Refusal::NotYourBoard(board));
        }
        if found.outcome().is_some() {
            return Err(Refusal::BoardEnded(board));
        }
        Ok((id, side))
    }

    pub(super) fn board(&self, number: BoardNo) -> Result<&Board, Refusal> {
        let board = self.boards.board(number);
        board.ok_or(Refusal::NoSuchBoard(number))
    }

    fn offer_on(&self, board: BoardNo) -> Option<Side> {
        self.status(board)?.offer
    }

    /// The boardman to whom a draw is offered on a board.
    fn answering_offer(&self, who: Who, board: BoardNo) -> Result<Actor, Refusal> {
        let (id, side) = self.playing_on(who, board)?;
        if self.offer_on(board) != Some(side.other()) {
            return Err(Refusal::NoOffer);
        }
        Ok(Actor::Member(id))
    }

    /// The boardman who has to answer the proposal on a board.
    fn answering(&self, who: Who, board: BoardNo) -> Result<MemberId, Refusal> {
        let (id, side) = self.playing_on(who, board)?;
        match self.awaited(board) {
            Some(Awaited::Answer(of)) if of == side => Ok(id),
            Some(Awaited::Decision) => Err(Refusal::DisputedAlready),
            _ => Err(Refusal::NothingToAnswer),
        }
    }

    fn set_emblem(&self, buffer: &mut EventBuffer, side: Side, emblem: Option<Emblem>) -> Decided {
        let actor = match buffer.who.member {
            Some(id) if self.chooses_emblem(id, side) => Actor::Member(id),
            _ if buffer.who.host => Actor::Host,
            _ => return Err(Refusal::OnlyStrategistChooses),
        };
        self.must_be_gathering()?;
        let other = self.team(side.other()).emblem;
        if let Some((emblem, other)) = emblem.zip(other)
            && emblem.sign == other.sign
        {
            return Err(Refusal::SignTaken);
        }
        if self.team(side).emblem == emblem {
            return Ok(());
        }
        buffer.add(actor, EventKind::Emblem(side, emblem))
    }

    fn join(&self, buffer: &mut EventBuffer, id: MemberId, team: Option<Side>) -> Decided {
        self.must_not_be_over()?;
        let before = self.members.get(&id);
        if before.is_some_and(|member| member.left.is_none()) {
            return Err(Refusal::TakesPart {
                you: !buffer.who.host,
            });
        }
        if before.is_none() && id.0 > MOST_MEMBERS {
            return Err(Refusal::MatchFull);
        }
        if before.is_some() && self.phase != Phase::Gathering && !buffer.who.host {
            return Err(Refusal::FormerMember);
        }
        let actor = if buffer.who.host {
            Actor::Host
        } else {
            Actor::Member(id)
        };
        // Once it is being played, every member who joins is in a team: a member who comes back, in the one they left.
        let left = before.and_then(|member| member.team);
        let team = match (team, self.phase) {
            (team, Phase::Gathering) => team,
            (team, _) => Some(left.or(team).unwrap_or_else(|| self.smaller_team())),
        };
        if let Some(side) = team {
            self.must_have_room(side)?;
        }
        buffer.add(actor, EventKind::Join(id, team))?;
        match team {
            // The team may have been empty, and its duties vacant.
            Some(side) if self.phase != Phase::Gathering => buffer.fill(side),
            _ => Ok(()),
        }
    }

    pub(super) fn smaller_team(&self) -> Side {
        if self.teams[1].members.len() < self.teams[0].members.len() {
            Side::Second
        } else {
            Side::First
        }
    }

    pub(super) fn must_have_room(&self, side: Side) -> Decided {
        match Team::most(self.terms.size) {
            Some(most) if self.team(side).members.len() >= most => Err(Refusal::TeamFull {
                size: self.terms.size,
                most,
            }),
            _ => Ok(()),
        }
    }

    fn change_team(&self, buffer: &mut EventBuffer, id: MemberId, team: Option<Side>) -> Decided {
        if self.phase != Phase::Gathering {
            return self.send(buffer, id, team);
        }
        let actor = self.for_oneself(buffer.who, id)?;
        let now = self.members.get(&id).and_then(|member| member.team);
        if now == team {
            return Ok(());
        }
        if let Some(side) = team {
            self.must_have_room(side)?;
        }
        buffer.add(actor, EventKind::Team(id, team))
    }

    /// The host acts for any member, a member only for themselves.
    pub(super) fn for_oneself(&self, who: Who, id: MemberId) -> Result<Actor, Refusal> {
        if self
            .members
            .get(&id)
            .is_none_or(|member| member.left.is_some())
        {
            return Err(Refusal::NoSuchMember);
        }
        if who.member == Some(id) {
            Ok(Actor::Member(id))
        } else if who.host {
            Ok(Actor::Host)
        } else {
            Err(Refusal::OnlyForYourself)
        }
    }

    fn arrange(
        &self,
        buffer: &mut EventBuffer,
        side: Side,
        duty: Duty,
        member: Option<MemberId>,
    ) -> Decided {
        self.must_be_gathering()?;
        let actor = match self.member(buffer.who) {
            Ok((id, own)) if own == side => Actor::Member(id),
            _ if buffer.who.host => Actor::Host,
            _ => return Err(Refusal::OnlyTheTeam),
        };
        let team = self.team(side);
        if !team.duties.all().contains(&duty) {
            return Err(Refusal::NoSuchDuty);
        }
        if let Some(member) = member
            && !team.members.contains(&member)
        {
            return Err(Refusal::NotInTeam);
        }
        let mut duties = team.duties.clone();
        if let Some(member) = member {
            // One duty for each: a member's former duty becomes vacant.
            for old in duties.of(member) {
                duties.set(old, None);
            }
        }
        duties.set(duty, member);
        if duties == team.duties {
            return Ok(());
        }
        buffer.add(actor, EventKind::Duties(side, duties))
    }

    fn play(
        &self,
        buffer: &mut EventBuffer,
        number: BoardNo,
        seen: u32,
        turn: &str,
        offer: bool,
    ) -> Decided {
        let (id, side) = self.playing_on(buffer.who, number)?;
        let board = self.board(number)?;
        if board.version() != seen {
            return Err(Refusal::Changed(number));
        }
        if board.to_move() != Some(side) {
            return Err(Refusal::NotYourTurn);
        }
        if self.status(number).is_some_and(|status| status.disputed) {
            return Err(Refusal::Disputed);
        }
        let turn = board.read(turn).map_err(LineError::from)?;
        if turn == Turn::Reject {
            return Err(Refusal::OnlyDisputed);
        }
        buffer.line(Actor::Member(id), &Line::Turn(number, turn))?;
        let is_open = |board: &Board| board.outcome().is_none();
        if !offer || !buffer.state.boards.board(number).is_some_and(is_open) {
            return Ok(());
        }
        let claims = |board: &Board| board.claim().is_some();
        let is_met = self.offer_on(number) == Some(side.other());
        if is_met || buffer.state.boards.board(number).is_some_and(claims) {
            return buffer.line(Actor::Member(id), &Line::Draw(number));
        }
        // One's own offer may stand already.
        match buffer.state.offer_on(number) {
            None => buffer.add(Actor::Member(id), EventKind::Offer(number, side)),
            Some(_) => Ok(()),
        }
    }

    fn transfer(&self, buffer: &mut EventBuffer, transfer: Transfer, kind: Kind) -> Decided {
        let (id, side) = self.member(buffer.who)?;
        self.must_be_playing()?;
        if side != transfer.side || !self.is_strategist(id) {
            return Err(Refusal::OnlyStrategistTransfers);
        }
        let piece = self.boards.piece(transfer.from, transfer.square);
        if piece.is_none_or(|piece| piece.side != side || piece.kind != kind) {
            return Err(Refusal::Changed(transfer.from));
        }
        let line = self.boards.read(&transfer.to_string())?;
        buffer.line(Actor::Member(id), &line)
    }

    fn offer(&self, buffer: &mut EventBuffer, number: BoardNo) -> Decided {
        let (id, side) = self.playing_on(buffer.who, number)?;
        let claim = self.boards.board(number).and_then(|board| {
            let own_turn = board.to_move() == Some(side);
            board.claim().filter(|_| own_turn)
        });
        if claim.is_some() {
            return buffer.line(Actor::Member(id), &Line::Draw(number));
        }
        match self.offer_on(number) {
            Some(offered) if offered == side => Err(Refusal::OfferStands),
            Some(_) => buffer.line(Actor::Member(id), &Line::Draw(number)),
            None if !self.status(number).is_some_and(|one| one.may_offer(side)) => {
                Err(Refusal::OfferDeclined)
            }
            None => buffer.add(Actor::Member(id), EventKind::Offer(number, side)),
        }
    }

    fn give(&self, buffer: &mut EventBuffer, side: Side, duty: Duty, to: MemberId) -> Decided {
        self.must_have_begun()?;
        let team = self.team(side);
        let actor = match buffer.who.member {
            Some(id) if team.duties.strategist == Some(id) => Actor::Member(id),
            _ if buffer.who.host => Actor::Host,
            _ => return Err(Refusal::OnlyStrategistGives),
        };
        if !team.duties.all().contains(&duty) {
            return Err(Refusal::NoSuchDuty);
        }
        if !team.members.contains(&to) {
            return Err(Refusal::NotInTeam);
        }
        if team.duties.holder(duty) == Some(to) {
            return Err(Refusal::HasDuty);
        }
        buffer.add(actor, EventKind::Duties(side, team.given(duty, to)))
    }

    fn vote(&self, buffer: &mut EventBuffer, choice: Option<MemberId>) -> Decided {
        let (id, side) = self.member(buffer.who)?;
        self.must_be_playing()?;
        let team = self.team(side);
        if team.duties.strategist == Some(id) {
            return Err(Refusal::VoteOfStrategist);
        }
        if let Some(choice) = choice {
            if !team.members.contains(&choice) {
                return Err(Refusal::VoteForStranger);
            }
            if team.duties.strategist == Some(choice) {
                return Err(Refusal::VoteForStrategist);
            }
        }
        if team.vote_of(id) == choice {
            return Ok(());
        }
        buffer.add(Actor::Member(id), EventKind::Vote(choice))
    }

    fn leave(&self, buffer: &mut EventBuffer, id: MemberId) -> Decided {
        self.must_not_be_over()?;
        let actor = self.for_oneself(buffer.who, id)?;
        let side = self.side_of(id);
        buffer.add(actor, EventKind::Leave(id))?;
        match side {
            Some(side) if self.phase != Phase::Gathering => buffer.fill(side),
            _ => Ok(()),
        }
    }
}

/// A refusal, or success: the events are in the buffer then.
pub(super) type Decided = Result<(), Refusal>;

/// The events that follow from a command, and the state after them.
pub(super) struct EventBuffer {
    pub(super) state: Match,
    events: Vec<Event>,
    pub(super) who: Who,
    pub(super) now: Time,
}

impl EventBuffer {
    pub(super) fn add(&mut self, by: Actor, kind: EventKind) -> Decided {
        let event = Event {
            number: self.state.head + 1,
            at: self.now,
            by,
            kind,
        };
        let text = event.kind.to_string();
        debug_assert_eq!(text.parse().ok().as_ref(), Some(&event.kind), "{text}");
        self.state.apply(&event)?;
        self.events.push(event);
        Ok(())
    }

    pub(super) fn line(&mut self, by: Actor, line: &Line) -> Decided {
        self.add(by, EventKind::Line(line.to_string()))
    }

    /// Gives the vacant duties of a team to other members: an agent, or else the member with the fewest.
    pub(super) fn fill(&mut self, side: Side) -> Decided {
        let team = self.state.team(side);
        let duties = team.filled();
        if duties == team.duties {
            return Ok(());
        }
        self.add(Actor::Server, EventKind::Duties(side, duties))
    }
}
