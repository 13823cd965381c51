//! Perplexichess: two teams, three, five or seven boards at once. Pure: the time is an argument, and so is
//! chance.
//!
//! [`perplex_games::perplexichess`] has the boards, [`lineup`] the duties; [`Match`] puts both together as the state
//! that replaying the journal gives; [`decide`] turns a command into events, and [`policy`] gives each viewer their
//! rights.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use crate::journal::RULES;
use crate::time::Time;
pub use perplex_games::rules::flexichess::{
    Change, Effect, Flexichess, Kind, Pending, Piece, RuleCard, Square, Turn, side_name,
};
use perplex_games::rules::{Outcome, Side};

pub mod activity;
pub mod announce;
pub mod command;
pub mod decide;
pub mod dice;
pub mod emblem;
pub mod event;
pub mod happened;
pub mod highlights;
mod host;
pub mod lineup;
mod naming;
pub mod notice;
pub mod phrase;
pub mod policy;
pub mod record;
pub mod seats;
mod take_back;

pub use command::{Command, HostAction, Place, Refusal, Span};
use event::{Actor, Duty, Event, EventKind, MemberId, TalkMode, Terms};
pub use happened::Happened;
use lineup::{Gap, Team};
use perplex_games::perplexichess::{Board, BoardNo, Boards, Line, NoTransfer, Transfer};

/// The shortest and the longest time for a match, in seconds: a minute, and 60 days.
pub const SECONDS: std::ops::RangeInclusive<u32> = 60..=60 * 24 * 3600;
/// The most members that a match takes, including those who left.
pub const MOST_MEMBERS: u16 = 400;

/// The stage of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Teams are being put together.
    Gathering,
    /// It is being played.
    Playing,
    /// The host has stopped the play for a while.
    Paused,
    /// It was decided, or called off before it began: see [`Match::was_called_off`].
    Over,
}

/// A person who joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The team, if any.
    pub team: Option<Side>,
    /// The time of the first joining.
    pub joined: Time,
    /// The time of leaving; none while the member takes part.
    pub left: Option<Time>,
    /// The teams that the member belonged to, one after the other.
    pub stays: Vec<Stay>,
}

/// A member's time in a team, by the numbers of the events with which it began and ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stay {
    /// The team.
    pub side: Side,
    /// The event that brought the member there.
    pub from: i32,
    /// The event with which the member went; none while the stay lasts.
    pub until: Option<i32>,
}

impl Member {
    /// True if the member belonged to a team when `event` was the last one of the match.
    #[must_use]
    pub fn was_in(&self, side: Side, event: i32) -> bool {
        self.stays.iter().any(|stay| {
            stay.side == side && stay.from <= event && stay.until.is_none_or(|until| event < until)
        })
    }

    /// Notes that the member is in this team, or in none, from `event` on.
    fn move_to(&mut self, side: Option<Side>, event: i32) {
        if let Some(last) = self.stays.last_mut() {
            last.until.get_or_insert(event);
        }
        self.stays.extend(side.map(|side| Stay {
            side,
            from: event,
            until: None,
        }));
    }
}

/// The person who gives a command: a host may be a member, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Who {
    /// True for the host of the match.
    pub host: bool,
    /// Their number, if they are a member.
    pub member: Option<MemberId>,
}

/// A board, and the reason why it cannot receive a piece; none if it can.
pub type Receiver = (BoardNo, Option<NoTransfer>);

/// An event as the log shows it, with details that were known only when it happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Logged {
    /// The event.
    pub event: Event,
    /// The event as a fact.
    pub happened: Happened,
    /// The boards that it is about; none if it is about the whole match.
    pub boards: Vec<BoardNo>,
    /// The team, at that time, of the member who did it.
    pub side: Option<Side>,
    /// The boards that it ended, and their outcomes.
    pub ended: Vec<(BoardNo, Outcome)>,
    /// The side whose offer of a draw it declined, as a turn that was played in reply.
    pub declined: Option<Side>,
}

/// The state of a board beside its position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoardStatus {
    /// The side whose offer of a draw stands.
    pub offer: Option<Side>,
    /// True for each side that has offered a draw since its last turn.
    offered: [bool; 2],
    /// True if the proposal there is disputed, and waits for the host.
    pub disputed: bool,
    /// The number of the event that made each change of the rules that took effect; see [`Match::changes_made`].
    changed_with: Vec<i32>,
    /// The number of the last event that changed how the board looks, its boardmen included.
    pub touched: i32,
    /// The number of the event of the last change of the rules, or turn under written rules.
    proposed: Option<i32>,
}

impl BoardStatus {
    /// True while a side may offer a draw: no offer stands, and it has made none since its last turn.
    #[must_use]
    pub const fn may_offer(&self, side: Side) -> bool {
        self.offer.is_none() && !self.offered[side.index()]
    }
}

/// The events with which each of these terms was settled last: they open no talk of before.
#[derive(Clone, Copy, Debug, Default)]
struct Announced {
    supervised: i32,
    history: i32,
    reveal: i32,
}

/// The state of a match after replaying its events.
#[derive(Clone, Debug)]
pub struct Match {
    /// The number of its last event.
    pub head: i32,
    /// The terms.
    pub terms: Terms,
    /// The version of the rules that it is played under.
    pub rules: u16,
    /// The time of its creation.
    pub created: Time,
    /// The stage it has reached.
    pub phase: Phase,
    /// Every member who ever joined.
    pub members: BTreeMap<MemberId, Member>,
    /// White's team and Black's.
    pub teams: [Team; 2],
    /// The boards.
    pub boards: Boards,
    /// The statuses of the boards, in their order.
    pub statuses: Vec<BoardStatus>,
    /// Every event since it was made, for the log.
    pub log: Vec<Arc<Logged>>,
    /// Those of them that are secret from some viewers of the match: votes, elections, duties.
    secrets: Vec<Arc<Logged>>,
    /// The time of its start.
    pub started: Option<Time>,
    /// The time that was left, and the moment of that measurement; only with a limit.
    clock: Option<(Duration, Time)>,
    /// The time at which an outage was last given back.
    given_back: Option<Time>,
    /// The time of its end.
    pub ended: Option<Time>,
    /// The number of the event that decided it.
    decided_with: Option<i32>,
    announced: Announced,
    /// The current mode of talk.
    pub talk: TalkMode,
    /// The numbers of the events that the host has taken back, and of those that went with them.
    withdrawn: BTreeSet<i32>,
}

/// The events that make a match.
///
/// # Errors
/// [`Refusal::TimeLimit`], if the time limit is outside [`SECONDS`].
pub fn create(terms: Terms, now: Time) -> Result<Vec<Event>, Refusal> {
    if let Some(seconds) = terms.seconds
        && !SECONDS.contains(&seconds)
    {
        return Err(Refusal::TimeLimit);
    }
    Ok(vec![Event {
        number: 1,
        at: now,
        by: Actor::Host,
        kind: EventKind::Create(terms, RULES),
    }])
}

impl Match {
    /// The state after the first event.
    fn begin_with(first: &Event) -> Result<Self, String> {
        let EventKind::Create(terms, rules) = &first.kind else {
            return Err("a match begins with `create`".to_owned());
        };
        let mut state = Self {
            head: first.number,
            terms: *terms,
            rules: *rules,
            created: first.at,
            phase: Phase::Gathering,
            members: BTreeMap::new(),
            teams: [Team::new(terms.size), Team::new(terms.size)],
            boards: Boards::under(terms.size, *rules),
            statuses: vec![BoardStatus::default(); usize::from(terms.size.boards())],
            log: Vec::new(),
            secrets: Vec::new(),
            started: None,
            clock: None,
            given_back: None,
            ended: None,
            decided_with: None,
            announced: Announced::default(),
            talk: if terms.phrases {
                TalkMode::Phrases
            } else {
                TalkMode::Free
            },
            withdrawn: BTreeSet::new(),
        };
        let logged = state.logged(first, Happened::Made);
        state.note(logged);
        Ok(state)
    }

    /// Moves the state on by one event.
    fn follow(&mut self, event: &Event) -> Result<(), String> {
        let line = match &event.kind {
            EventKind::Line(text) => {
                Some(self.boards.read(text).map_err(|error| error.to_string())?)
            }
            _ => None,
        };
        let happened = self.happens(event, line.as_ref())?;
        let mut logged = self.logged(event, happened);
        let boardmen = self.boardmen();
        match &event.kind {
            EventKind::Create(..) => return Err("a match is made only once".to_owned()),
            EventKind::Terms(terms) => self.settle(*terms, event.number),
            EventKind::Join(id, team) => {
                let member = self.members.entry(*id).or_insert_with(|| Member {
                    team: *team,
                    joined: event.at,
                    left: Some(event.at),
                    stays: Vec::new(),
                });
                if member.left.take().is_none() {
                    return Err(format!("member {id} joins twice"));
                }
                member.team = *team;
                member.move_to(*team, event.number);
                self.put_in_team(*id, *team);
            }
            EventKind::Team(id, team) => {
                let member = self
                    .members
                    .get_mut(id)
                    .ok_or_else(|| format!("there is no member {id}"))?;
                member.team = *team;
                member.move_to(*team, event.number);
                self.put_in_team(*id, *team);
            }
            EventKind::Leave(id) => {
                if let Some(member) = self.members.get_mut(id) {
                    member.left = Some(event.at);
                    member.move_to(None, event.number);
                }
                self.put_in_team(*id, None);
            }
            EventKind::Duties(side, duties) => {
                let team = &mut self.teams[side.index()];
                if duties.boards.len() != team.duties.boards.len() {
                    return Err("the duties are of another size".to_owned());
                }
                team.duties = duties.clone();
                team.forget_votes();
            }
            EventKind::Vote(choice) => {
                if let Actor::Member(voter) = event.by
                    && let Some(side) = self.side_of(voter)
                {
                    let votes = &mut self.teams[side.index()].votes;
                    match choice {
                        Some(choice) => votes.insert(voter, *choice),
                        None => votes.remove(&voter),
                    };
                }
            }
            EventKind::Elected(side, _) => self.teams[side.index()].votes.clear(),
            EventKind::Emblem(side, emblem) => self.teams[side.index()].emblem = *emblem,
            EventKind::Start => {
                self.phase = Phase::Playing;
                self.started = Some(event.at);
                self.clock = self
                    .terms
                    .seconds
                    .map(|seconds| (Duration::from_secs(u64::from(seconds)), event.at));
            }
            EventKind::CallOff => {
                self.phase = Phase::Over;
                self.ended = Some(event.at);
            }
            EventKind::Pause => {
                self.clock = self.time_left(event.at).map(|left| (left, event.at));
                self.phase = Phase::Paused;
            }
            EventKind::Resume => {
                self.clock = self.clock.map(|(left, _)| (left, event.at));
                self.phase = Phase::Playing;
            }
            EventKind::Line(_) => {
                if let Some(line) = &line {
                    self.apply_line(line, event, &mut logged);
                }
            }
            EventKind::Offer(..) | EventKind::Decline(_) | EventKind::Dispute(_) => {
                note(&mut self.statuses, &event.kind);
            }
            EventKind::TakeBack(board) => {
                self.take_back(*board)?;
            }
            EventKind::Time(seconds) => {
                self.clock = Some((Duration::from_secs(u64::from(*seconds)), event.at));
            }
            EventKind::Away(seconds) => {
                let time = Duration::from_secs(u64::from(*seconds));
                self.clock = self.clock.map(|(left, since)| (left, since + time));
                self.given_back = Some(event.at);
            }
            EventKind::Talk(mode) => self.talk = *mode,
            // Names, messages and the permission to join are kept outside the journal.
            EventKind::Rename(_) | EventKind::RemoveMessage(..) | EventKind::SetJoinable(_) => {}
        }
        self.head = event.number;
        self.touch(&logged, &boardmen);
        self.note(logged);
        Ok(())
    }

    fn note(&mut self, logged: Logged) {
        let logged = Arc::new(logged);
        if logged.happened.is_secret() {
            self.secrets.push(Arc::clone(&logged));
        }
        self.log.push(logged);
    }

    /// The boardmen of every board, White's and Black's.
    fn boardmen(&self) -> Vec<[Option<MemberId>; 2]> {
        let of = |number| [0, 1].map(|side| self.teams[side].duties.holder(Duty::Board(number)));
        self.boards.numbers().map(of).collect()
    }

    /// Marks the boards that look different after an event; `boardmen` are those before it.
    fn touch(&mut self, logged: &Logged, boardmen: &[[Option<MemberId>; 2]]) {
        let kind = &logged.event.kind;
        // Once the match is over, only names change.
        let whole = match kind {
            EventKind::Terms(_)
            | EventKind::Start
            | EventKind::CallOff
            | EventKind::Pause
            | EventKind::Resume => true,
            EventKind::Line(_) => self.phase == Phase::Over,
            _ => false,
        };
        let after = self.boardmen();
        // There may be more boards than before.
        let before = boardmen.iter().map(Some).chain(std::iter::repeat(None));
        let men = before.zip(&after);
        for ((number, status), (before, after)) in
            self.boards.numbers().zip(&mut self.statuses).zip(men)
        {
            let renamed =
                |man: &Option<MemberId>| matches!(kind, EventKind::Rename(id) if *man == Some(*id));
            if whole
                || before != Some(after)
                || after.iter().any(renamed)
                || logged.boards.contains(&number)
            {
                status.touched = logged.event.number;
            }
        }
    }

    /// The log entry of an event that is about to happen.
    fn logged(&self, event: &Event, happened: Happened) -> Logged {
        Logged {
            boards: happened.boards(),
            side: match event.by {
                Actor::Member(member) => self.side_of(member),
                Actor::Host | Actor::Server => None,
            },
            event: event.clone(),
            happened,
            ended: Vec::new(),
            declined: None,
        }
    }

    /// The state of a board beside its position.
    #[must_use]
    pub fn status(&self, board: BoardNo) -> Option<&BoardStatus> {
        self.statuses.get(usize::from(board.0).wrapping_sub(1))
    }

    fn put_in_team(&mut self, id: MemberId, side: Option<Side>) {
        for team in &mut self.teams {
            team.members.remove(&id);
            for duty in team.duties.of(id) {
                team.duties.set(duty, None);
            }
        }
        if let Some(side) = side {
            self.teams[side.index()].members.insert(id);
        }
        for team in &mut self.teams {
            team.forget_votes();
        }
    }

    fn apply_line(&mut self, line: &Line, event: &Event, logged: &mut Logged) {
        let open: Vec<BoardNo> = self.boards.open().collect();
        let number = event.number;
        let offer = match line {
            Line::Turn(board, _) => self.status(*board).and_then(|status| status.offer),
            _ => None,
        };
        take(
            &mut self.boards,
            &mut self.statuses,
            line,
            number,
            self.rules,
        );
        let outcome = |board: BoardNo| Some((board, self.boards.board(board)?.outcome()?));
        logged.ended = open.into_iter().filter_map(outcome).collect();
        let stands = |board: &BoardNo| self.status(*board).is_some_and(|one| one.offer.is_some());
        logged.declined = offer
            .filter(|side| logged.ended.is_empty() && logged.side != Some(*side))
            .filter(|_| !logged.boards.iter().any(stands));
        if self.boards.outcome().is_some() {
            self.clock = self.time_left(event.at).map(|left| (left, event.at));
            self.phase = Phase::Over;
            self.ended = Some(event.at);
            self.decided_with = Some(event.number);
        }
    }

    /// True if the match was decided with this event.
    #[must_use]
    pub fn is_decided_with(&self, logged: &Logged) -> bool {
        self.decided_with == Some(logged.event.number)
    }

    /// The events that made the changes of the rules of a board, in the order of
    /// [`perplex_games::rules::flexichess::Flexichess::changes`].
    pub fn changes_made(&self, board: BoardNo) -> impl Iterator<Item = &Arc<Logged>> {
        let status = self.status(board);
        let numbers = status.map_or(&[][..], |status| &status.changed_with);
        numbers.iter().filter_map(|number| {
            let at = self
                .log
                .binary_search_by_key(number, |logged| logged.event.number);
            self.log.get(at.ok()?)
        })
    }

    /// True if the host called it off before it began.
    #[must_use]
    pub fn was_called_off(&self) -> bool {
        self.phase == Phase::Over && self.started.is_none()
    }

    /// True while a paused match lets people in to go on with it.
    #[must_use]
    pub fn gathers_again(&self) -> bool {
        let mut kinds = self.log.iter().rev().map(|logged| &logged.event.kind);
        let last = kinds.find(|kind| {
            matches!(
                kind,
                EventKind::Pause | EventKind::Resume | EventKind::SetJoinable(_)
            )
        });
        self.phase == Phase::Paused && last == Some(&EventKind::SetJoinable(true))
    }

    /// The outcome; `None` while the match goes on, and if it was called off.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.boards.outcome()
    }

    /// The number of the last event at or before a moment; 0 if there was none.
    #[must_use]
    pub fn head_at(&self, at: Time) -> i32 {
        let mut events = self.log.iter().rev().map(|logged| &logged.event);
        events
            .find(|event| event.at <= at)
            .map_or(0, |event| event.number)
    }

    /// True if the host has removed the member, who has not come back since.
    #[must_use]
    pub fn was_removed(&self, id: MemberId) -> bool {
        let is_gone = |member: &Member| member.left.is_some();
        let leaves = |logged: &&Arc<Logged>| logged.happened == Happened::Left(id);
        self.members.get(&id).is_some_and(is_gone)
            && self
                .log
                .iter()
                .rev()
                .find(leaves)
                .is_some_and(|logged| logged.event.by == Actor::Host)
    }

    /// The team of a member who has not left.
    #[must_use]
    pub fn side_of(&self, id: MemberId) -> Option<Side> {
        let member = self.members.get(&id)?;
        if member.left.is_some() {
            return None;
        }
        member.team
    }

    /// A team.
    #[must_use]
    pub fn team(&self, side: Side) -> &Team {
        &self.teams[side.index()]
    }

    /// The match's time that is left at `now`; `None` without a limit. It stands while the match is paused or over.
    #[must_use]
    pub fn time_left(&self, now: Time) -> Option<Duration> {
        let (left, since) = self.clock?;
        Some(match self.phase {
            Phase::Playing => since.until(since + left).saturating_sub(since.until(now)),
            _ => left,
        })
    }

    /// The moment at which the match's time is up; `None` without a limit, and while the match is not being played.
    #[must_use]
    pub fn deadline(&self) -> Option<Time> {
        let (left, since) = self.clock?;
        (self.phase == Phase::Playing).then_some(since + left)
    }

    /// The boards that a member plays.
    #[must_use]
    pub fn boards_of(&self, id: MemberId) -> Vec<BoardNo> {
        let Some(side) = self.side_of(id) else {
            return Vec::new();
        };
        self.team(side)
            .duties
            .of(id)
            .into_iter()
            .filter_map(|duty| match duty {
                Duty::Board(board) => Some(board),
                Duty::Strategist => None,
            })
            .collect()
    }

    /// True for the member who chooses a team's name and emblem: its grand strategist.
    #[must_use]
    pub fn chooses_emblem(&self, id: MemberId, side: Side) -> bool {
        self.team(side).duties.strategist == Some(id)
    }

    /// True if a member is the grand strategist of their team.
    #[must_use]
    pub fn is_strategist(&self, id: MemberId) -> bool {
        self.side_of(id)
            .is_some_and(|side| self.team(side).duties.strategist == Some(id))
    }

    /// The number that the next member gets.
    #[must_use]
    pub fn next_member(&self) -> MemberId {
        MemberId(self.members.keys().last().map_or(1, |last| last.0 + 1))
    }

    /// The gaps that keep the match from a start at full strength, by team; see [`Team::missing`].
    #[must_use]
    pub fn missing(&self) -> [Vec<Gap>; 2] {
        [0, 1].map(|index| self.teams[index].missing(self.terms.size))
    }

    /// The transfers that a page offers from a square: the kind of piece, and for each other board the reason why it
    /// cannot receive it, or none if it can. `None` if no piece of `side` stands there.
    #[must_use]
    pub fn receivers(
        &self,
        side: Side,
        from: BoardNo,
        square: Square,
    ) -> Option<(Kind, Vec<Receiver>)> {
        let piece = self.boards.piece(from, square)?;
        if piece.side != side {
            return None;
        }
        let boards = self
            .boards
            .numbers()
            .filter(|to| *to != from)
            .map(|to| {
                let transfer = Transfer {
                    side,
                    square,
                    from,
                    to,
                };
                (to, self.boards.why_not_transfer(transfer))
            })
            .collect();
        Some((piece.kind, boards))
    }
}

fn status_of(statuses: &mut [BoardStatus], board: BoardNo) -> Option<&mut BoardStatus> {
    statuses.get_mut(usize::from(board.0).wrapping_sub(1))
}

/// Carries out a line that was read on these `boards`, under this version of the rules; `number` is that of its event.
fn take(boards: &mut Boards, statuses: &mut [BoardStatus], line: &Line, number: i32, rules: u16) {
    let mover = match line {
        Line::Turn(board, _) => boards.board(*board).and_then(Board::to_move),
        _ => None,
    };
    boards.take(line);
    if let Line::Turn(board, turn) = line
        && let Some(status) = status_of(statuses, *board)
    {
        // One's own turn does not withdraw one's own offer (FIDE 9.1.2.1), nor does an answer to a proposal. Under
        // version 1 of the rules every turn did.
        let is_answer = matches!(turn, Turn::Accept | Turn::Reject);
        if rules < 2 || !(is_answer || status.offer == mover) {
            status.offer = None;
        }
        if let Some(side) = mover.filter(|_| !is_answer) {
            status.offered[side.index()] = false;
        }
        status.disputed = false;
        if matches!(turn, Turn::Change(_) | Turn::Under(_)) {
            status.proposed = Some(number);
        }
    }
    for ((_, board), status) in boards.iter().zip(statuses) {
        // A change that has just taken effect was made by its proposer.
        if board.position().changes().len() > status.changed_with.len() {
            status.changed_with.extend(status.proposed);
        }
        if board.outcome().is_some() {
            status.offer = None;
            status.disputed = false;
        }
    }
}

/// Notes an event that is about a board but is no line: a draw offered or declined, or a dispute.
fn note(statuses: &mut [BoardStatus], kind: &EventKind) {
    let (board, change): (BoardNo, &dyn Fn(&mut BoardStatus)) = match kind {
        EventKind::Offer(board, side) => (*board, &|status| {
            status.offer = Some(*side);
            status.offered[side.index()] = true;
        }),
        EventKind::Decline(board) => (*board, &|status| status.offer = None),
        EventKind::Dispute(board) => (*board, &|status| status.disputed = true),
        _ => return,
    };
    if let Some(status) = status_of(statuses, board) {
        change(status);
    }
}
