//! Deciding: what follows from a command, or why nothing does. Pure.

use super::command::{Command, Refusal, host, no, up_to_host};
use super::event::{Actor, Duty, Event, MemberId, What};
use super::lineup::Team;
use super::notice::Awaited;
use super::{MOST_MEMBERS, Match, Phase, Who};
use crate::journal::Aggregate;
use crate::time::Time;
use perplex_games::perplexichess::{BoardNo, Line, LineError, Transfer};
use perplex_games::rules::Side;
use perplex_games::rules::flexichess::{Kind, Turn, side_name};

impl Aggregate for Match {
    type Author = Actor;
    type What = What;
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

    /// When the time is up the match is over, whatever is commanded then.
    fn decide(
        &self,
        who: &Who,
        command: &Command,
        now: Time,
        chance: u64,
    ) -> Result<Vec<Event>, Refusal> {
        let timeout = self.time_out(now);
        if !timeout.is_empty() {
            return Ok(timeout);
        }
        let mut next = Next {
            state: self.clone(),
            events: Vec::new(),
            now,
        };
        self.carry_out(&mut next, who, command, chance)
            .map_err(|refusal| match refusal {
                Refusal::NotPlaying(_) if self.was_called_off() => Refusal::CalledOff,
                refusal => refusal,
            })?;
        // Votes that stood may decide once a member has gone.
        if matches!(next.state.phase, Phase::Playing | Phase::Paused) {
            for side in [Side::First, Side::Second] {
                let team = next.state.team(side);
                if let Some(elected) = team.elected() {
                    let duties = team.given(Duty::Strategist, elected);
                    next.add(Actor::Server, What::Elected(side, elected))?;
                    next.add(Actor::Server, What::Duties(side, duties))?;
                }
            }
        }
        Ok(next.events)
    }

    fn time_out(&self, now: Time) -> Vec<Event> {
        let is_over = self.deadline().is_some_and(|deadline| deadline <= now);
        let end = is_over.then(|| Event {
            number: self.head + 1,
            at: now,
            by: Actor::Server,
            what: What::Line(Line::Time.to_string()),
        });
        end.into_iter().collect()
    }
}

impl Match {
    fn carry_out(
        &self,
        next: &mut Next,
        who: &Who,
        command: &Command,
        chance: u64,
    ) -> Result<(), Refusal> {
        match command {
            Command::Join(id, team) => self.join(next, who, *id, *team),
            Command::Team(id, team) => self.change_team(next, who, *id, *team),
            Command::Arrange(side, duty, member) => self.arrange(next, who, *side, *duty, *member),
            Command::Deal => self.deal(next, who, chance),
            Command::Settle(terms) => self.settle_anew(next, who, *terms),
            Command::Seat(sides, duties) => self.seat(next, who, sides, duties),
            Command::Place(member, place) => self.place(next, who, *member, *place),
            Command::Redo(side, duties) => self.redo(next, who, *side, duties),
            Command::Start { short } => self.start(next, who, *short),
            Command::Play { board, seen, turn } => self.play(next, who, *board, *seen, turn),
            Command::Transfer { transfer, kind } => self.transfer(next, who, *transfer, *kind),
            Command::Offer(board) => self.offer(next, who, *board),
            Command::AcceptDraw(board) => {
                let (id, side) = self.playing_on(who, *board)?;
                if self.offer_on(*board) != Some(side.other()) {
                    return no("No draw is on offer here.");
                }
                next.line(Actor::Member(id), &Line::Draw(*board))
            }
            Command::Decline(board) => {
                let (id, side) = self.playing_on(who, *board)?;
                if self.offer_on(*board) != Some(side.other()) {
                    return no("No draw is on offer here.");
                }
                next.add(Actor::Member(id), What::Decline(*board))
            }
            Command::Resign(board) => {
                let (id, side) = self.playing_on(who, *board)?;
                let text = format!("{board} resign {}", side_name(side));
                let line = self.boards.read(&text)?;
                next.line(Actor::Member(id), &line)
            }
            Command::Dispute(board) => {
                let id = self.answering(who, *board)?;
                next.add(Actor::Member(id), What::Dispute(*board))
            }
            Command::Decide(board, holds) => self.judge(next, who, *board, *holds),
            Command::Give(side, duty, to) => self.give(next, who, *side, *duty, *to),
            Command::Vote(choice) => self.vote(next, who, *choice),
            Command::Leave(id) => self.leave(next, who, *id),
            Command::Pause => {
                host(who, "stops the play")?;
                self.must_be_playing()?;
                next.add(Actor::Host, What::Pause)
            }
            Command::Resume => {
                host(who, "lets it go on")?;
                if self.phase != Phase::Paused {
                    return no("The match is not paused.");
                }
                next.add(Actor::Host, What::Resume)
            }
            Command::Doors(open) => self.doors(next, who, *open),
            Command::Stop => {
                host(who, "ends the match")?;
                self.must_have_begun()?;
                next.line(Actor::Host, &Line::Time)
            }
            Command::CallOff => {
                host(who, "calls the match off")?;
                self.must_be_gathering()?;
                next.add(Actor::Host, What::CallOff)
            }
            Command::Back { board, seen } => self.back(next, who, *board, *seen),
            Command::Time(span) => self.set_time(next, who, *span),
            Command::Rename(id) => self.rename(next, who, *id),
            Command::Talk(mode) => self.set_talk(next, who, *mode),
            Command::Hush(message, by) => self.hush(next, who, *message, *by),
            Command::Replace(absent, by) => self.replace(next, who, *absent, *by),
        }
    }

    fn must_be_playing(&self) -> Result<(), Refusal> {
        match self.phase {
            Phase::Playing => Ok(()),
            phase => Err(Refusal::NotPlaying(phase)),
        }
    }

    pub(super) fn must_be_gathering(&self) -> Result<(), Refusal> {
        match self.phase {
            Phase::Gathering => Ok(()),
            Phase::Over => Err(Refusal::NotPlaying(Phase::Over)),
            _ => no("The match has begun: that was settled before the start."),
        }
    }

    /// The member who acts, and the team.
    fn member(&self, who: &Who) -> Result<(MemberId, Side), Refusal> {
        let Some(id) = who.member else {
            return no("Only those who take part can do that.");
        };
        match self.side_of(id) {
            Some(side) => Ok((id, side)),
            None => no("You are in no team."),
        }
    }

    /// The boardman who acts on a board while it is being played, and the side. With one person on
    /// both sides of nothing, this is unambiguous: no member is in two teams.
    fn playing_on(&self, who: &Who, board: BoardNo) -> Result<(MemberId, Side), Refusal> {
        let (id, side) = self.member(who)?;
        self.must_be_playing()?;
        let Some(found) = self.boards.board(board) else {
            return no(format!("There is no board {board}."));
        };
        if self.team(side).duties.holder(Duty::Board(board)) != Some(id) {
            return no(format!("Another member plays board {board}."));
        }
        if found.outcome().is_some() {
            return no(format!("Board {board} has ended."));
        }
        Ok((id, side))
    }

    fn offer_on(&self, board: BoardNo) -> Option<Side> {
        self.desk(board)?.offer
    }

    /// The boardman who has to answer what waits on a board.
    fn answering(&self, who: &Who, board: BoardNo) -> Result<MemberId, Refusal> {
        let (id, side) = self.playing_on(who, board)?;
        match self.awaited(board) {
            Some(Awaited::Answer(of)) if of == side => Ok(id),
            Some(Awaited::Decision) => up_to_host("It is disputed already: the {host} decides."),
            _ => no("Nothing waits for your answer here."),
        }
    }

    fn join(
        &self,
        next: &mut Next,
        who: &Who,
        id: MemberId,
        team: Option<Side>,
    ) -> Result<(), Refusal> {
        if self.phase == Phase::Over {
            return Err(Refusal::NotPlaying(Phase::Over));
        }
        if self.members.contains_key(&id) || id.0 > MOST_MEMBERS {
            return no("There is no more room in this match.");
        }
        let actor = if who.host {
            Actor::Host
        } else {
            Actor::Member(id)
        };
        // Once it is being played everybody who comes is in a team.
        let team = match (team, self.phase) {
            (Some(team), _) => Some(team),
            (None, Phase::Gathering) => None,
            (None, _) => Some(self.smaller_team()),
        };
        if let Some(side) = team {
            self.must_have_room(side)?;
        }
        next.add(actor, What::Join(id, team))?;
        match team {
            // A team whose last member had left is there again.
            Some(side) if self.phase != Phase::Gathering => next.fill(side),
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

    pub(super) fn must_have_room(&self, side: Side) -> Result<(), Refusal> {
        match Team::most(self.terms.size) {
            Some(most) if self.team(side).members.len() >= most => no(format!(
                "This team is full: in a match on {} boards a team has at most {most} members.",
                self.terms.size.boards()
            )),
            _ => Ok(()),
        }
    }

    fn change_team(
        &self,
        next: &mut Next,
        who: &Who,
        id: MemberId,
        team: Option<Side>,
    ) -> Result<(), Refusal> {
        if self.phase != Phase::Gathering {
            return self.send(next, who, id, team);
        }
        let actor = self.for_oneself(who, id)?;
        let now = self.members.get(&id).and_then(|member| member.team);
        if now == team {
            return Ok(());
        }
        if let Some(side) = team {
            self.must_have_room(side)?;
        }
        next.add(actor, What::Team(id, team))
    }

    /// The host acts for any member, a member only for themselves.
    pub(super) fn for_oneself(&self, who: &Who, id: MemberId) -> Result<Actor, Refusal> {
        if self
            .members
            .get(&id)
            .is_none_or(|member| member.left.is_some())
        {
            return no("There is no such member.");
        }
        if who.member == Some(id) {
            Ok(Actor::Member(id))
        } else if who.host {
            Ok(Actor::Host)
        } else {
            no("You can do that for yourself only.")
        }
    }

    fn arrange(
        &self,
        next: &mut Next,
        who: &Who,
        side: Side,
        duty: Duty,
        member: Option<MemberId>,
    ) -> Result<(), Refusal> {
        self.must_be_gathering()?;
        let actor = match self.member(who) {
            Ok((id, own)) if own == side => Actor::Member(id),
            _ if who.host => Actor::Host,
            _ => return up_to_host("A team arranges its duties itself, or the {host} does."),
        };
        let team = self.team(side);
        if !team.duties.all().contains(&duty) {
            return no("There is no such duty.");
        }
        if let Some(member) = member
            && !team.members.contains(&member)
        {
            return no("Only a member of the team can have a duty in it.");
        }
        let mut duties = team.duties.clone();
        if let Some(member) = member {
            // One duty for each: what a member had before becomes vacant.
            for old in duties.of(member) {
                duties.set(old, None);
            }
        }
        duties.set(duty, member);
        if duties == team.duties {
            return Ok(());
        }
        next.add(actor, What::Duties(side, duties))
    }

    fn play(
        &self,
        next: &mut Next,
        who: &Who,
        number: BoardNo,
        seen: u32,
        turn: &str,
    ) -> Result<(), Refusal> {
        let (id, side) = self.playing_on(who, number)?;
        let Some(board) = self.boards.board(number) else {
            return no(format!("There is no board {number}."));
        };
        if board.version() != seen {
            return Err(Refusal::Changed(number));
        }
        if board.to_move() != Some(side) {
            return no("It is the other side's turn on this board.");
        }
        if self.desk(number).is_some_and(|desk| desk.disputed) {
            return up_to_host("What was proposed here is disputed: the {host} decides first.");
        }
        let turn = board.read(turn).map_err(LineError::from)?;
        if turn == Turn::Reject {
            return up_to_host(
                "You can accept it or dispute it. If it is disputed, the {host} decides.",
            );
        }
        next.line(Actor::Member(id), &Line::Turn(number, turn))
    }

    fn transfer(
        &self,
        next: &mut Next,
        who: &Who,
        transfer: Transfer,
        kind: Kind,
    ) -> Result<(), Refusal> {
        let (id, side) = self.member(who)?;
        self.must_be_playing()?;
        if side != transfer.side || !self.is_strategist(id) {
            return no("Only the grand strategist of the team transfers its pieces.");
        }
        let piece = self.boards.piece(transfer.from, transfer.square);
        if piece.is_none_or(|piece| piece.side != side || piece.kind != kind) {
            return Err(Refusal::Changed(transfer.from));
        }
        let line = self.boards.read(&transfer.to_string())?;
        next.line(Actor::Member(id), &line)
    }

    fn offer(&self, next: &mut Next, who: &Who, number: BoardNo) -> Result<(), Refusal> {
        let (id, side) = self.playing_on(who, number)?;
        let claim = self.boards.board(number).and_then(|board| {
            let own_turn = board.to_move() == Some(side);
            board.claim().filter(|_| own_turn)
        });
        if claim.is_some() {
            return next.line(Actor::Member(id), &Line::Draw(number));
        }
        match self.offer_on(number) {
            Some(offered) if offered == side => no("Your offer of a draw stands already."),
            Some(_) => next.line(Actor::Member(id), &Line::Draw(number)),
            None => next.add(Actor::Member(id), What::Offer(number, side)),
        }
    }

    fn give(
        &self,
        next: &mut Next,
        who: &Who,
        side: Side,
        duty: Duty,
        to: MemberId,
    ) -> Result<(), Refusal> {
        self.must_have_begun()?;
        let team = self.team(side);
        let actor = match who.member {
            Some(id) if team.duties.strategist == Some(id) => Actor::Member(id),
            _ if who.host => Actor::Host,
            _ => return no("Only the grand strategist gives duties."),
        };
        if !team.duties.all().contains(&duty) {
            return no("There is no such duty.");
        }
        if !team.members.contains(&to) {
            return no("Only a member of the team can have a duty in it.");
        }
        if team.duties.holder(duty) == Some(to) {
            return no("This member has that duty already.");
        }
        next.add(actor, What::Duties(side, team.given(duty, to)))
    }

    fn vote(&self, next: &mut Next, who: &Who, choice: Option<MemberId>) -> Result<(), Refusal> {
        let (id, side) = self.member(who)?;
        self.must_be_playing()?;
        let team = self.team(side);
        if team.duties.strategist == Some(id) {
            return no("The grand strategist has no vote.");
        }
        if let Some(choice) = choice {
            if !team.members.contains(&choice) {
                return no("You can vote for a member of your team only.");
            }
            if team.duties.strategist == Some(choice) {
                return no("This member is grand strategist already.");
            }
        }
        if team.vote_of(id) == choice {
            return Ok(());
        }
        next.add(Actor::Member(id), What::Vote(choice))
    }

    fn leave(&self, next: &mut Next, who: &Who, id: MemberId) -> Result<(), Refusal> {
        if self.phase == Phase::Over {
            return Err(Refusal::NotPlaying(Phase::Over));
        }
        let actor = self.for_oneself(who, id)?;
        let side = self.side_of(id);
        next.add(actor, What::Leave(id))?;
        match side {
            Some(side) if self.phase != Phase::Gathering => next.fill(side),
            _ => Ok(()),
        }
    }
}

/// What follows from a command, event by event.
pub(super) struct Next {
    pub(super) state: Match,
    events: Vec<Event>,
    pub(super) now: Time,
}

impl Next {
    pub(super) fn add(&mut self, by: Actor, what: What) -> Result<(), Refusal> {
        let event = Event {
            number: self.state.head + 1,
            at: self.now,
            by,
            what,
        };
        self.state
            .apply(&event)
            .map_err(|error| Refusal::NotAllowed(error.to_string()))?;
        self.events.push(event);
        Ok(())
    }

    pub(super) fn line(&mut self, by: Actor, line: &Line) -> Result<(), Refusal> {
        self.add(by, What::Line(line.to_string()))
    }

    /// Vacant duties of a team go to other members: an agent, or else the member with the fewest.
    pub(super) fn fill(&mut self, side: Side) -> Result<(), Refusal> {
        let team = self.state.team(side);
        let duties = team.filled();
        if duties == team.duties {
            return Ok(());
        }
        self.add(Actor::Server, What::Duties(side, duties))
    }
}
