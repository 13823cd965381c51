//! The readers that each event of a team match concerns, and the form in which they are told. Pages, the
//! projector, the list of news and mail all ask it. Pure.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::mem::discriminant;
use std::sync::Arc;
use std::time::Duration;

use super::event::{Actor, Duty, MemberId};
use super::naming::{names_host, names_member};
use super::notice::Awaited;
use super::policy::{Rights, Viewer, shows};
use super::{Happened, Logged, Match, Phase};
use perplex_games::perplexichess::BoardNo;
use perplex_games::rules::Side;

/// The form in which an event is told to a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Prominence {
    /// It stands in the list of news.
    News,
    /// It stands in the list of news, and is shown at once, until the reader puts it away.
    Card,
}

use Prominence::{Card, News};

/// Events of one kind on the same boards within this time make one card.
pub const TOGETHER: Duration = Duration::from_secs(5);

/// So many cards wait for a reader, one behind the other; what else happened is in the list of news.
pub const KEPT: usize = 3;

/// What a reader of a match has been told, by the numbers of its events.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Told {
    /// The last event whose card has been put away, or left to the list of news.
    pub seen: i32,
    /// The events up to it whose cards wait nevertheless.
    pub kept: Vec<i32>,
}

impl Told {
    /// True if the card of an event waits.
    #[must_use]
    pub fn waits(&self, event: i32) -> bool {
        event > self.seen || self.kept.contains(&event)
    }

    /// Puts away the card of an event on a page that knew the events up to `until`, where the cards of `kept` waited
    /// behind it. A page that is behind another brings nothing back.
    #[must_use]
    pub fn without(&self, card: i32, until: i32, kept: &[i32]) -> Self {
        let stays = |event: &i32| {
            *event != card && self.waits(*event) && (kept.contains(event) || until < self.seen)
        };
        let mut events: Vec<i32> = self
            .kept
            .iter()
            .chain(kept)
            .copied()
            .filter(stays)
            .collect();
        events.sort_unstable();
        events.dedup();
        Self {
            seen: self.seen.max(until),
            kept: events,
        }
    }
}

/// The cards of the greatest urgency come first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Urgency {
    /// What the reader must do.
    ToDo,
    End,
    /// What the reader has just done, and can undo.
    Done,
    /// What is about the reader, or a board of theirs.
    Own,
    Team,
    Rest,
}

/// A reader of a match, with what matters for news: duties as they are now.
struct Reader<'a> {
    state: &'a Match,
    viewer: &'a Viewer,
    /// The reader as a member who has not left.
    member: Option<MemberId>,
    side: Option<Side>,
    boards: Vec<BoardNo>,
    is_strategist: bool,
}

impl<'a> Reader<'a> {
    fn new(state: &'a Match, viewer: &'a Viewer) -> Self {
        let is_here = |id: &MemberId| {
            let member = state.members.get(id);
            !viewer.projector && member.is_some_and(|member| member.left.is_none())
        };
        let member = viewer.member.filter(is_here);
        Self {
            state,
            viewer,
            member,
            side: member.and_then(|id| state.side_of(id)),
            boards: member.map_or_else(Vec::new, |id| state.boards_of(id)),
            is_strategist: member.is_some_and(|id| state.is_strategist(id)),
        }
    }

    fn told(&self, rights: &Rights, logged: &Logged) -> Option<Prominence> {
        let is_told = shows(rights, self.viewer, logged)
            && self.state.is_in_force(logged)
            && !self.came_after(logged.event.number);
        is_told.then(|| self.prominence(logged)).flatten()
    }

    fn is(&self, member: MemberId) -> bool {
        self.member == Some(member)
    }

    fn did(&self, logged: &Logged) -> bool {
        self.is_actor(logged.event.by)
    }

    fn is_actor(&self, actor: Actor) -> bool {
        match actor {
            Actor::Member(member) => self.is(member),
            Actor::Host => self.viewer.host,
            Actor::Server => false,
        }
    }

    /// True if the reader was not in the match yet.
    fn came_after(&self, event: i32) -> bool {
        let member = self.member.and_then(|id| self.state.members.get(&id));
        let first = member.and_then(|member| member.stays.first());
        self.member.is_some() && first.is_none_or(|stay| event < stay.from)
    }

    /// True if the reader was in this team then.
    fn was_in(&self, side: Side, event: i32) -> bool {
        let member = self.member.and_then(|id| self.state.members.get(&id));
        member.is_some_and(|member| member.was_in(side, event))
    }

    /// True if the reader plays one of these boards, leads a team, or is the projector.
    fn watches(&self, boards: &[BoardNo]) -> bool {
        self.viewer.projector
            || self.is_strategist
            || boards.iter().any(|board| self.boards.contains(board))
    }

    /// True for members of a team who have no duty: they look at all boards.
    fn is_agent(&self) -> bool {
        self.side.is_some() && self.boards.is_empty() && !self.is_strategist
    }

    /// True for members of a team and for the projector: what concerns the whole match concerns them.
    fn takes_part(&self) -> bool {
        self.viewer.projector || self.side.is_some()
    }

    /// True if the reader plays a board for this side.
    fn plays_for(&self, board: BoardNo, side: Option<Side>) -> bool {
        self.side.is_some() && self.side == side && self.boards.contains(&board)
    }

    /// The boards that ended with an event concern both teams, whoever did it, and a host who did not do it.
    fn is_told_of_the_end(&self, logged: &Logged) -> bool {
        let leads = self.viewer.host && !self.did(logged);
        !logged.ended.is_empty() && (self.takes_part() || leads)
    }

    /// True if a turn declined an offer of a draw by the reader's side on their board.
    fn is_declined(&self, logged: &Logged) -> bool {
        let mut boards = logged.boards.iter();
        logged.declined.is_some() && boards.any(|board| self.plays_for(*board, logged.declined))
    }

    /// True if an event on boards of others is told to the reader only for their team’s sake, or as an agent: the end of
    /// one, and a rule.
    fn is_told_as_mate(&self, logged: &Logged) -> bool {
        let is_such =
            !logged.ended.is_empty() || matches!(logged.happened, Happened::RuleChanged(..));
        is_such && !self.watches(&logged.boards) && !self.state.is_decided_with(logged)
    }

    fn prominence(&self, logged: &Logged) -> Option<Prominence> {
        let card_if = |concerns: bool| Some(if concerns { Card } else { News });
        let news_if = |concerns: bool| concerns.then_some(News);
        let leads = self.viewer.host;
        let is_of = |side: Option<Side>| side.is_some() && self.side == side;
        match &logged.happened {
            // The projector's whole page is the result.
            _ if self.viewer.projector && self.state.is_decided_with(logged) => Some(News),
            _ if self.is_told_of_the_end(logged) || self.is_declined(logged) => Some(Card),
            Happened::Made | Happened::Voted(_) => None,
            // A move shows on its board.
            Happened::Moved { .. } => news_if(self.viewer.projector || !logged.ended.is_empty()),
            // The elected member gets a card by the duties that follow.
            Happened::Elected(side, member) => card_if(
                (self.was_in(*side, logged.event.number) && !self.is(*member))
                    || self.viewer.projector
                    || leads,
            ),
            _ if is_welcome(self.state, self.viewer, logged) => Some(Card),
            _ if self.did(logged) => None,
            Happened::CalledOff | Happened::TimeSet(_) | Happened::TimeUp => {
                card_if(self.takes_part())
            }
            // The page itself says so as long as it lasts, or until it is answered.
            Happened::TermsSettled(_)
            | Happened::EmblemSet(..)
            | Happened::DrawOffered(..)
            | Happened::Started
            | Happened::Paused
            | Happened::Resumed
            | Happened::JoinableSet(_)
            | Happened::Away(_)
            | Happened::TalkSet(_) => Some(News),
            Happened::Left(_) => news_if(leads || self.side.is_some()),
            // Before the start people are seated on a page of their own.
            Happened::DutiesChanged { begun: false, .. } => None,
            Happened::TeamChanged {
                member,
                begun: true,
                ..
            } if self.is(*member) => Some(Card),
            Happened::Joined { side, .. } | Happened::TeamChanged { side, .. } => {
                news_if(leads || is_of(*side))
            }
            Happened::DutiesChanged { before, after, .. } => {
                card_if(self.member.is_some_and(|me| before.of(me) != after.of(me)))
            }
            Happened::RuleChanged(board, _) => {
                card_if(self.watches(&[*board]) || is_of(logged.side) || self.is_agent())
            }
            Happened::Answered { board, .. }
            | Happened::Drawn { board, .. }
            | Happened::Resigned(board, _)
            | Happened::TakenBack(board, _) => card_if(self.watches(&[*board])),
            // The host decides.
            Happened::Disputed(board) => card_if(leads || self.watches(&[*board])),
            // What the reader has to answer stands above the boards until it is answered.
            Happened::RuleProposed(board, _) | Happened::PlayedUnder(board, _) => {
                let asked = logged.side.map(Side::other);
                card_if(self.watches(&[*board]) && !self.plays_for(*board, asked))
            }
            Happened::Transferred { transfer, .. } => {
                card_if(self.watches(&[transfer.from, transfer.to]))
            }
            Happened::DrawDeclined(board) => {
                card_if(self.plays_for(*board, logged.side.map(Side::other)))
            }
            Happened::Renamed(member) if self.is(*member) => Some(Card),
            Happened::Renamed(_) => news_if(leads),
            Happened::MessageRemoved(Actor::Member(member)) => self.is(*member).then_some(Card),
            Happened::MessageRemoved(_) => None,
        }
    }
}

/// The form in which an event is told to a reader; none if it does not concern them, or they may not know of it.
#[must_use]
pub fn prominence(
    state: &Match,
    viewer: &Viewer,
    rights: &Rights,
    logged: &Logged,
) -> Option<Prominence> {
    let reader = Reader::new(state, viewer);
    reader.told(rights, logged)
}

/// True if a reader of a match over days is told of an event by mail: what they get as a card, and when the match
/// begins, is paused and goes on. `by_turn`: they get a mail for each turn, which tells what the opponent did.
#[must_use]
pub fn is_mailed(
    state: &Match,
    viewer: &Viewer,
    rights: &Rights,
    logged: &Logged,
    by_turn: bool,
) -> bool {
    let reader = Reader::new(state, viewer);
    if let Happened::RuleChanged(board, _) | Happened::Moved { board, .. } = &logged.happened
        && by_turn
        && logged.ended.is_empty()
        && reader.plays_for(*board, logged.side.map(Side::other))
    {
        return false;
    }
    match reader.told(rights, logged) {
        // A host who is no member gets mail for what waits, and finds the rest at the control panel.
        Some(Card) => {
            let comes_by_themselves = is_welcome(state, viewer, logged) && reader.did(logged);
            (reader.member.is_some() || reader.takes_part())
                && !reader.is_told_as_mate(logged)
                && !comes_by_themselves
        }
        Some(News) => {
            let is_about_all = matches!(
                logged.happened,
                Happened::Started | Happened::Paused | Happened::Resumed
            );
            is_about_all && reader.takes_part()
        }
        None => false,
    }
}

/// True if `before` is the transfer that `logged` undid.
pub(super) fn is_undone(before: &Logged, logged: &Logged) -> bool {
    match (&before.happened, &logged.happened) {
        (
            Happened::Transferred { transfer: made, .. },
            Happened::Transferred {
                transfer: back,
                undoes: true,
                ..
            },
        ) => {
            before.event.by == logged.event.by
                && (made.square, made.from, made.to) == (back.square, back.to, back.from)
        }
        _ => false,
    }
}

/// The reader's duties, each with the event since which they have it.
fn held_since(reader: &Reader) -> Vec<(Duty, i32)> {
    let (Some(me), Some(side)) = (reader.member, reader.side) else {
        return Vec::new();
    };
    let since = |duty: Duty| {
        let given = reader.state.log.iter().rev().find(|logged| {
            matches!(&logged.happened, Happened::DutiesChanged { before, after, .. }
                if after.of(me).contains(&duty) && !before.of(me).contains(&duty))
        });
        (duty, given.map_or(0, |logged| logged.event.number))
    };
    let duties = reader.state.team(side).duties.of(me);
    duties.into_iter().map(since).collect()
}

/// True if an event was on no board of the reader, or they had one already, or led the team. What was before they know as
/// the board shows it.
fn had_its_board(reader: &Reader, held: &[(Duty, i32)], logged: &Logged) -> bool {
    let has = |(duty, since): &(Duty, i32)| {
        let is_it = match duty {
            Duty::Strategist => true,
            Duty::Board(board) => logged.boards.contains(board),
        };
        is_it && *since <= logged.event.number
    };
    let is_theirs = |board: &BoardNo| reader.boards.contains(board);
    !logged.boards.iter().any(is_theirs) || held.iter().any(has)
}

/// True if both events gave the same duty: that of leading a team, or those of the reader. The later one counts.
fn gives_anew(before: &Logged, logged: &Logged) -> bool {
    match (&before.happened, &logged.happened) {
        (Happened::Elected(one, _), Happened::Elected(other, _))
        | (
            Happened::DutiesChanged { side: one, .. },
            Happened::DutiesChanged { side: other, .. },
        ) => one == other,
        _ => false,
    }
}

/// True if the match went on so that a card of the event would say what no longer is: a duty that changed since, a
/// dispute that was decided, the time that was set anew. A board that ended, and a match that is over, leave nothing but
/// that to tell of it.
fn is_outdated(reader: &Reader, logged: &Logged) -> bool {
    let state = reader.state;
    let duties = |side| &state.team(side).duties;
    let number = logged.event.number;
    let came_later = |is_it: &dyn Fn(&Happened) -> bool| {
        let later = state.log.iter().rev();
        let mut later = later.take_while(|one| one.event.number > number);
        later.any(|one| is_it(&one.happened))
    };
    let has_ended = |board: &BoardNo| {
        let board = state.boards.board(*board);
        board.is_some_and(|board| board.outcome().is_some())
    };
    if state.phase == Phase::Over {
        let is_last = matches!(logged.happened, Happened::CalledOff | Happened::TimeUp)
            || state.is_decided_with(logged);
        let is_to_reader = matches!(
            logged.happened,
            Happened::Renamed(_) | Happened::MessageRemoved(_)
        );
        return !is_last && !is_to_reader;
    }
    if logged.ended.is_empty() && !logged.boards.is_empty() && logged.boards.iter().all(has_ended) {
        return true;
    }
    match &logged.happened {
        Happened::TimeSet(_) => came_later(&|one| matches!(one, Happened::TimeSet(_))),
        Happened::Disputed(board) => {
            state.awaited(*board) != Some(Awaited::Decision)
                || came_later(&|one| *one == Happened::Disputed(*board))
        }
        Happened::RuleProposed(board, _) | Happened::PlayedUnder(board, _) => {
            came_later(&|one| match one {
                Happened::Answered { board: on, .. } | Happened::Disputed(on) => on == board,
                _ => false,
            })
        }
        Happened::Elected(side, member) => duties(*side).strategist != Some(*member),
        Happened::DutiesChanged { side, after, .. } => reader
            .member
            .is_some_and(|me| reader.side != Some(*side) || duties(*side).of(me) != after.of(me)),
        Happened::Joined { member, side, .. } | Happened::TeamChanged { member, side, .. } => {
            reader.is(*member) && reader.side != *side
        }
        _ => false,
    }
}

/// True if the viewer made this transfer, or undid one by it.
#[must_use]
pub fn is_sent(viewer: &Viewer, logged: &Logged) -> bool {
    matches!(logged.happened, Happened::Transferred { .. })
        && viewer.member.map(Actor::Member) == Some(logged.event.by)
}

/// True if an event is about the reader alone, or happened on a board that they play.
fn is_personal(reader: &Reader, logged: &Logged) -> bool {
    match &logged.happened {
        Happened::DutiesChanged { .. } | Happened::MessageRemoved(_) => true,
        Happened::Joined { member, .. }
        | Happened::TeamChanged { member, .. }
        | Happened::Renamed(member) => reader.is(*member),
        _ => logged
            .boards
            .iter()
            .any(|board| reader.boards.contains(board)),
    }
}

/// The urgency of an event that is shown as a card.
fn urgency(reader: &Reader, logged: &Logged) -> Urgency {
    let is_mine = |side: Option<Side>| side.is_some() && side == reader.side;
    let elects = |happened: &Happened| matches!(happened, Happened::Elected(side, _) if is_mine(Some(*side)));
    match &logged.happened {
        // Disputes wait for the host.
        Happened::Disputed(_) if reader.viewer.host => Urgency::ToDo,
        Happened::CalledOff | Happened::TimeUp => Urgency::End,
        _ if reader.state.is_decided_with(logged) => Urgency::End,
        _ if is_sent(reader.viewer, logged) => Urgency::Done,
        _ if is_personal(reader, logged) => Urgency::Own,
        happened if elects(happened) || is_mine(logged.side) => Urgency::Team,
        _ => Urgency::Rest,
    }
}

/// True for the event that brought a viewer into a team for the first time, if the match had begun: a latecomer is welcomed.
#[must_use]
pub fn is_welcome(state: &Match, viewer: &Viewer, logged: &Logged) -> bool {
    let is_late = state.started.is_some_and(|start| start < logged.event.at);
    let member = viewer.member.and_then(|id| state.members.get(&id));
    let first = member
        .filter(|member| member.left.is_none())
        .and_then(|member| member.stays.first());
    is_late && first.is_some_and(|stay| stay.from == logged.event.number)
}

/// The events that are shown to a reader as cards, the most urgent first, of these the latest: what others did, and the
/// reader’s last transfer. What is taken back or undone is not shown, nor what the match has gone past, nor what was on a
/// board before the reader had it; of several of one kind on the same boards within [`TOGETHER`] the last one is.
#[must_use]
pub fn cards(state: &Match, viewer: &Viewer, rights: &Rights, told: &Told) -> Vec<Arc<Logged>> {
    let reader = Reader::new(state, viewer);
    let held = held_since(&reader);
    let mut cards: Vec<Arc<Logged>> = Vec::new();
    let first = told.kept.iter().min().map_or(told.seen + 1, |kept| *kept);
    let after = state
        .log
        .partition_point(|logged| logged.event.number < first);
    let waits = |logged: &&Arc<Logged>| told.waits(logged.event.number);
    for logged in state.log[after..].iter().filter(waits) {
        if reader.member.is_some() && is_sent(viewer, logged) {
            // Their own last transfer is told to strategists, who can undo it there.
            cards.retain(|before| !is_sent(viewer, before));
            let undoes = matches!(&logged.happened, Happened::Transferred { undoes: true, .. });
            if state.is_in_force(logged) && !undoes {
                cards.push(Arc::clone(logged));
            }
            continue;
        }
        if reader.told(rights, logged) != Some(Card) || is_outdated(&reader, logged) {
            continue;
        }
        if !held.is_empty()
            && !state.is_decided_with(logged)
            && !had_its_board(&reader, &held, logged)
        {
            continue;
        }
        let is_same = |before: &Arc<Logged>| {
            discriminant(&before.happened) == discriminant(&logged.happened)
                && before.boards == logged.boards
                && before.event.at.until(logged.event.at) <= TOGETHER
        };
        cards.retain(|before| {
            !is_same(before) && !is_undone(before, logged) && !gives_anew(before, logged)
        });
        cards.push(Arc::clone(logged));
    }
    cards.sort_by_key(|logged| (urgency(&reader, logged), Reverse(logged.event.number)));
    cards
}

/// A message of the talk that its reader hears (see [`super::policy::hears`]).
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    /// Its author.
    pub by: Actor,
    /// The last event of the match before it.
    pub event: i32,
    /// Its text; empty if it was removed.
    pub text: &'a str,
    /// True if it is to each of those who hear it, named or not.
    pub to_each: bool,
}

/// The names that members and the host are called by.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// Those of the members.
    pub members: &'a BTreeMap<MemberId, String>,
    /// The name of the host.
    pub host: &'a str,
}

/// True if a message is to its reader, who then gets a card: it names them, or is to each of its hearers; it is by
/// another, and from the time when the reader was in the match.
#[must_use]
pub fn is_called(state: &Match, viewer: &Viewer, said: Said, names: Names) -> bool {
    let reader = Reader::new(state, viewer);
    if reader.is_actor(said.by) || reader.came_after(said.event) {
        return false;
    }
    if said.to_each {
        return !said.text.is_empty();
    }
    let reader = &reader;
    let others = || {
        let members = names.members.iter();
        let is_here = |id: &MemberId| state.members.get(id).is_some_and(|one| one.left.is_none());
        members
            .filter(move |(id, _)| !reader.is(**id) && is_here(id))
            .map(|(_, name)| name.as_str())
    };
    let own = reader.member.and_then(|id| names.members.get(&id));
    own.is_some_and(|name| names_member(said.text, name, others()))
        || (viewer.host && names_host(said.text, names.host, others()))
}
