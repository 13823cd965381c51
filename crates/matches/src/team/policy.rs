//! Rights in a team match, as one value that pages, streams, mails and the programming interface all ask for.

use super::event::{Actor, EventKind, MemberId, Sight, TalkMode, Terms};
use super::{Happened, Logged, Match, Phase};
use perplex_games::perplexichess::BoardNo;
use perplex_games::rules::Side;

/// A viewer of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Viewer {
    /// True for the host of the match.
    pub host: bool,
    /// A member, perhaps one who has left.
    pub member: Option<MemberId>,
    /// True if they have shown the link of the match, which lets people join.
    pub by_link: bool,
    /// True if they have shown the link of the projector.
    pub projector: bool,
    /// True if the match is a lesson.
    pub in_lesson: bool,
}

/// The rights of one viewer in one match.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Rights {
    /// See that the match exists, its terms, score, clock and boardmen.
    pub see: bool,
    /// The boards whose positions and events may be seen.
    pub boards: Vec<BoardNo>,
    /// The viewer's team.
    pub side: Option<Side>,
    /// The teams whose duties, elections and agents may be seen: White's, Black's.
    pub teams: [bool; 2],
    /// The teams whose talk may be read: White's, Black's. Private channels of a team are its members', and
    /// in a supervised match the host's.
    pub team_talk: [bool; 2],
    /// See all talk, private channels too: the match is over, and the terms announced that.
    pub reveals: bool,
    /// Read the public talk.
    pub public_talk: bool,
    /// Write in the public talk, and in the viewer's other channels.
    pub speak: bool,
    /// Take part.
    pub join: bool,
    /// Leave.
    pub leave: bool,
    /// Choose a team, and arrange duties in it.
    pub choose: bool,
    /// The boards on which the viewer plays now.
    pub play: Vec<BoardNo>,
    /// Transfer pieces and give duties for the viewer's team now.
    pub command: bool,
    /// Vote for a grand strategist.
    pub vote: bool,
    /// Lead the match: start, pause, end, decide disputes, take back, set the time, move and remove people.
    pub lead: bool,
    /// Keep order: names, messages of the public talk, the mode of talk. After the end, too.
    pub order: bool,
}

/// True if every visitor may see a match with these terms: it is listed, and no lesson.
#[must_use]
pub const fn is_public(terms: &Terms, is_lesson: bool) -> bool {
    terms.listed && !is_lesson
}

/// The rights of `viewer`.
#[must_use]
pub fn rights(state: &Match, viewer: &Viewer) -> Rights {
    let over = state.phase == Phase::Over;
    // A match that never began shows no more after its end.
    let played = over && !state.was_called_off();
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
        || is_public(&state.terms, viewer.in_lesson);
    if !see {
        return Rights::default();
    }
    let own = current.map_or_else(Vec::new, |id| state.boards_of(id));
    let strategist = current.is_some_and(|id| state.is_strategist(id));
    // In [`Sight::Rooms`], members who only play boards see no others.
    let sees_all = played
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
        teams: [0, 1].map(|index| viewer.host || played || team(index)),
        team_talk: [0, 1].map(|index| {
            team(index) || (viewer.host && state.terms.supervised) || (played && state.terms.reveal)
        }),
        reveals: played && state.terms.reveal,
        public_talk: true,
        speak: viewer.host || (current.is_some() && state.talk != TalkMode::Frozen),
        // A member who left during play comes back only if the host lets them.
        join: current.is_none()
            && !over
            && !viewer.projector
            && (viewer.member.is_none() || gathering),
        leave: current.is_some() && !over,
        choose: gathering && current.is_some(),
        play: if playing { own } else { Vec::new() },
        command: playing && strategist,
        vote: playing && side.is_some() && !strategist,
        lead: viewer.host && !over,
        order: viewer.host,
    }
}

/// True if a viewer with `rights` may read messages of a team's talk from the time when `event` was the last one of the
/// match: members of the team at that time; and later members, if the terms announced that, who were never on the other
/// side. Terms open only the talk since they were announced. RULES.md, Talk.
#[must_use]
pub fn hears(state: &Match, viewer: &Viewer, rights: &Rights, side: Side, event: i32) -> bool {
    if !rights.team_talk[side.index()] {
        return false;
    }
    let announced = &state.announced;
    if (rights.reveals && event >= announced.reveal)
        || (viewer.host && state.terms.supervised && event >= announced.supervised)
    {
        return true;
    }
    let member = viewer.member.and_then(|id| state.members.get(&id));
    member.is_some_and(|member| {
        member.was_in(side, event)
            || (state.terms.history
                && event >= announced.history
                && member.stays.iter().all(|stay| stay.side == side))
    })
}

/// The number by which a viewer with `rights` knows `event` (its number in the journal): the number of events up to it
/// without votes, and without those that only the other team heard of. So no gap reveals a secret. It only grows,
/// whatever becomes of the viewer: an event that they did not hear of then is not counted later, until the match is
/// over.
#[must_use]
pub fn number_for(state: &Match, viewer: &Viewer, rights: &Rights, event: i32) -> i32 {
    let member = viewer
        .member
        .filter(|_| !viewer.host && state.phase != Phase::Over)
        .and_then(|id| state.members.get(&id));
    let heard = |logged: &Logged, side: Side| {
        let number = logged.event.number;
        member.map_or(rights.teams[side.index()], |member| {
            member.was_in(side, number)
        })
    };
    let counted = |logged: &Logged| match &logged.happened {
        Happened::Voted(_) => false,
        Happened::Elected(side, _) => heard(logged, *side),
        Happened::DutiesChanged {
            side,
            before,
            after,
            ..
        } => heard(logged, *side) || before.boards != after.boards,
        happened => !happened.is_secret(),
    };
    let until = state.secrets.iter();
    let uncounted = until
        .take_while(|logged| logged.event.number <= event)
        .filter(|logged| !counted(logged))
        .count();
    event - i32::try_from(uncounted).unwrap_or(0)
}

/// [`number_for`] for live pages, which hear of the viewer's own votes, too.
#[must_use]
pub fn head_for(state: &Match, viewer: &Viewer, rights: &Rights, event: i32) -> i32 {
    let own = state.secrets.iter().filter(|logged| {
        logged.event.number <= event
            && matches!(logged.event.kind, EventKind::Vote(_))
            && shows(rights, viewer, logged)
    });
    let own = i32::try_from(own.count()).unwrap_or(0);
    number_for(state, viewer, rights, event) + own
}

/// True if a viewer with `rights` may see an event in the log. `viewer` sees their own votes, and no others. Of another
/// team they see changes of the boardmen, and of no other duties.
#[must_use]
pub fn shows(rights: &Rights, viewer: &Viewer, logged: &Logged) -> bool {
    if !rights.see {
        return false;
    }
    match &logged.happened {
        Happened::Elected(side, _) => rights.teams[side.index()],
        Happened::DutiesChanged {
            side,
            before,
            after,
            ..
        } => rights.teams[side.index()] || before.boards != after.boards,
        // In a lesson it is nobody else’s affair whom the teacher takes out.
        Happened::Left(member) if viewer.in_lesson && logged.event.by == Actor::Host => {
            viewer.host || viewer.member == Some(*member)
        }
        Happened::Voted(_) => viewer
            .member
            .is_some_and(|member| logged.event.by == Actor::Member(member)),
        happened if happened.is_secret() => false,
        _ => {
            logged.boards.is_empty()
                || logged
                    .boards
                    .iter()
                    .any(|board| rights.boards.contains(board))
        }
    }
}
