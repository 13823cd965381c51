//! Who may see and do what in a team match, as one value that pages, streams, mails and the programming
//! interface all ask for.

use super::boards::{BoardNo, Line};
use super::event::{Actor, Event, MemberId, Sight, What};
use super::{Match, Phase};
use crate::rules::Side;

/// Who looks at a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "somebody can be several of these at once"
)]
pub struct Viewer {
    /// The host of the match.
    pub host: bool,
    /// A member, perhaps one who has left.
    pub member: Option<MemberId>,
    /// Somebody who shows the link of the match, which lets people join.
    pub by_link: bool,
    /// The projector, or whoever opens its link.
    pub projector: bool,
}

/// What one viewer may see and do in one match.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a right of its own, and pages ask for each by its name"
)]
pub struct Rights {
    /// See that the match exists, its terms, score, clock and who plays which board.
    pub see: bool,
    /// The boards whose positions and events may be seen.
    pub boards: Vec<BoardNo>,
    /// The viewer's own team.
    pub side: Option<Side>,
    /// The teams whose duties, elections and agents may be seen: White's, Black's.
    pub teams: [bool; 2],
    /// The teams whose talk may be read: White's, Black's. Private channels of a team are its members', and
    /// in a supervised match the host's.
    pub team_talk: [bool; 2],
    /// Read the public talk.
    pub public_talk: bool,
    /// Write in the public talk.
    pub speak: bool,
    /// Take part.
    pub join: bool,
    /// Leave.
    pub leave: bool,
    /// Choose a team, and arrange duties in the own one.
    pub choose: bool,
    /// The boards on which the viewer plays now.
    pub play: Vec<BoardNo>,
    /// Transfer pieces and give duties for the own team now.
    pub command: bool,
    /// Vote for a grand strategist.
    pub vote: bool,
    /// Lead the match: start, pause, end, decide disputes, remove people.
    pub lead: bool,
}

/// The rights of `viewer`.
#[must_use]
pub fn rights(state: &Match, viewer: &Viewer) -> Rights {
    let over = state.phase == Phase::Over;
    let gathering = state.phase == Phase::Gathering;
    let current = viewer.member.filter(|id| {
        state
            .members
            .get(id)
            .is_some_and(|member| member.left.is_none())
    });
    let side = current.and_then(|id| state.side_of(id));
    let see = viewer.host
        || current.is_some()
        || viewer.by_link
        || viewer.projector
        || state.terms.listed;
    if !see {
        return Rights::default();
    }
    let own = current.map_or_else(Vec::new, |id| state.boards_of(id));
    let strategist = current.is_some_and(|id| state.is_strategist(id));
    // Whoever only plays boards has a room of their own.
    let sees_all = over
        || viewer.host
        || viewer.projector
        || state.terms.sight == Sight::Open
        || (side.is_some() && (strategist || own.is_empty()));
    let boards = state
        .boards
        .numbers()
        .filter(|board| sees_all || own.contains(board))
        .collect();
    let playing = state.phase == Phase::Playing;
    let team = |index: usize| side.is_some_and(|side| side.index() == index);
    Rights {
        see,
        boards,
        side,
        teams: [0, 1].map(|index| viewer.host || over || team(index)),
        team_talk: [0, 1].map(|index| {
            team(index) || (viewer.host && state.terms.supervised) || (over && state.terms.reveal)
        }),
        public_talk: true,
        speak: viewer.host || current.is_some(),
        join: current.is_none() && !over && !viewer.projector,
        leave: current.is_some() && !over,
        choose: gathering && current.is_some(),
        play: if playing { own } else { Vec::new() },
        command: playing && strategist,
        vote: playing && side.is_some() && !strategist,
        lead: viewer.host && !over,
    }
}

/// Whether somebody with `rights` may see an event in the log; `before` is the match as it was before it.
/// `viewer` sees the own vote, and nobody sees another's. Of another team one sees who plays which board, and
/// nothing else of its duties.
#[must_use]
pub fn shows(rights: &Rights, viewer: &Viewer, event: &Event, before: &Match) -> bool {
    if !rights.see {
        return false;
    }
    match &event.what {
        What::Create(_)
        | What::Start
        | What::Pause
        | What::Resume
        | What::Join(..)
        | What::Team(..)
        | What::Leave(_) => true,
        What::Elected(side, _) => rights.teams[side.index()],
        What::Duties(side, duties) => {
            rights.teams[side.index()] || before.team(*side).duties.boards != duties.boards
        }
        What::Vote(_) => {
            viewer.member.is_some()
                && event.by == viewer.member.map_or(Actor::Server, Actor::Member)
        }
        What::Offer(board, _) | What::Decline(board) | What::Dispute(board) => {
            rights.boards.contains(board)
        }
        What::Line(text) => boards_of_line(text, before)
            .is_none_or(|boards| boards.iter().any(|board| rights.boards.contains(board))),
    }
}

/// The boards that a line of the record touches; `None` for a line that touches the whole match.
#[must_use]
pub fn boards_of_line(text: &str, state: &Match) -> Option<Vec<BoardNo>> {
    if text == Line::Time.to_string() {
        return None;
    }
    let number = |word: &str| -> Option<BoardNo> {
        let number = BoardNo(word.parse().ok()?);
        state.boards.board(number).map(|_| number)
    };
    let mut words = text.split(' ');
    let first = words.next()?;
    if let Some(board) = number(first) {
        return Some(vec![board]);
    }
    let (from, to) = words.nth(1)?.split_once('>')?;
    Some(vec![number(from)?, number(to)?])
}
