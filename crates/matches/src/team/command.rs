//! Commands in a team match, and refusals.

use perplex_games::perplexichess::{BoardNo, LineError, Size, Transfer};
use perplex_games::rules::Side;
use perplex_games::rules::flexichess::Kind;

use super::emblem::Emblem;
use super::event::{Actor, Duties, Duty, MemberId, TalkMode, Terms};
use super::lineup::Gap;
use super::{Phase, Who};
use crate::id::AccountKind;
use crate::journal::BadJournal;

/// A place for a member before the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In no team.
    Nowhere,
    /// In this team, without a duty.
    Agent(Side),
    /// In this team, with this duty.
    Duty(Side, Duty),
}

/// A request of a member or the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Take part, in this team or in any. The member is new, or comes back: during play only by the host, and to the
    /// team they left.
    Join(MemberId, Option<Side>),
    /// The host lets a member come back who left or was removed.
    LetBack(MemberId),
    /// Go to a team, or to none, before the start; the host sends any member, later too.
    Team(MemberId, Option<Side>),
    /// Give the duty in the team to this member, or make it vacant, before the start.
    Arrange(Side, Duty, Option<MemberId>),
    /// The host deals out, by chance, teams to all members without one, and vacant duties.
    Deal,
    /// The host settles other terms before the start.
    Settle(Terms),
    /// The host gives these members their teams and both teams their duties, before the start.
    Seat(Vec<(MemberId, Option<Side>)>, [Duties; 2]),
    /// The host gives a member a place before the start; the member who had it changes places.
    Place(MemberId, Place),
    /// The host gives a team these duties during the match, all at once.
    SetDuties(Side, Duties),
    /// The grand strategist of a team gives it an emblem before the start, or none; the host does so, too.
    SetEmblem(Side, Option<Emblem>),
    /// The host begins the match, short-handed if need be.
    Start {
        /// Begin although a team is not at full strength.
        short: bool,
    },
    /// Make a turn on a board, or answer the proposal there.
    Play {
        /// The board.
        board: BoardNo,
        /// The version of the board that was seen; see [`perplex_games::perplexichess::Board::version`].
        seen: u32,
        /// The turn, in any notation that the game reads.
        turn: String,
        /// True if a draw is claimed with it, or offered if that claim is not right (FIDE 9.2.1.1, 9.3.1).
        offer: bool,
    },
    /// Take a piece from one board to another.
    Transfer {
        /// The square and the boards.
        transfer: Transfer,
        /// The kind of piece that was seen there.
        kind: Kind,
    },
    /// Claim a draw on a board in one's own turn, or offer one if that claim is not right; accept one that is offered.
    Offer(BoardNo),
    /// Accept the draw that is on offer on a board.
    AcceptDraw(BoardNo),
    /// Decline it.
    Decline(BoardNo),
    /// Give up a board.
    Resign(BoardNo),
    /// Dispute the proposal on a board: the host decides.
    Dispute(BoardNo),
    /// The host decides a dispute on a board: true if the proposal holds.
    Decide(BoardNo, bool),
    /// Give a duty to a member of the team; duties are swapped.
    Give(Side, Duty, MemberId),
    /// Vote for a grand strategist, or for none.
    Vote(Option<MemberId>),
    /// Leave the match; the host removes any member.
    Leave(MemberId),
    /// The host stops the play for a while.
    Pause,
    /// The host lets the play go on.
    Resume,
    /// The host lets people in again to go on with the match (true), or ends the play until another day.
    SetJoinable(bool),
    /// The host ends the match: pieces are counted.
    Stop,
    /// The host calls the match off before the start.
    CallOff,
    /// The host takes back the last line that touched a board.
    TakeBack {
        /// The board.
        board: BoardNo,
        /// The version of the board that was seen; see [`perplex_games::perplexichess::Board::version`].
        seen: u32,
    },
    /// The host gives the match more time, or less.
    Time(Span),
    /// The host gives a member another name.
    Rename(MemberId),
    /// The host sets the mode of talk.
    Talk(TalkMode),
    /// The host removes a message of the public talk, by its number and author.
    RemoveMessage(i32, Actor),
    /// The host gives all duties of the first member to the second, of the same team.
    Replace(MemberId, MemberId),
}

impl Command {
    /// True if accounts of this kind may give it: guests play the computer, and nothing else.
    #[must_use]
    pub const fn is_for(&self, kind: AccountKind) -> bool {
        matches!(kind, AccountKind::Adult | AccountKind::Pupil)
    }

    /// True for what a match needs to come to its end, however much has happened in it: turns and their answers, and what
    /// stops it or takes something away.
    #[must_use]
    pub const fn leads_on(&self) -> bool {
        matches!(
            self,
            Self::Play { .. }
                | Self::AcceptDraw(_)
                | Self::Resign(_)
                | Self::Dispute(_)
                | Self::Decide(..)
                | Self::Leave(_)
                | Self::Pause
                | Self::Resume
                | Self::Stop
                | Self::CallOff
                | Self::RemoveMessage(..)
        )
    }
}

/// The number of events after which a match takes only commands that [lead on](Command::leads_on): its journal is replayed
/// for ever.
pub const MOST_EVENTS: i32 = 20_000;

/// The number of lines that a host takes back in a match: each makes a replay longer by all lines before it.
pub const MOST_TAKE_BACKS: usize = 100;

/// The host's change of the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// So many seconds are left from now on.
    Left(u32),
    /// So many seconds more than now; fewer if negative.
    More(i32),
}

/// The reason why a command was not carried out. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{self:?}")]
pub enum Refusal {
    /// The board has changed since it was seen, or a piece is no longer where it was seen.
    Changed(BoardNo),
    /// The match is not being played.
    NotPlaying(Phase),
    /// The host has called the match off.
    CalledOff,
    /// The turn or transfer is not possible.
    Line(#[from] LineError),
    /// The events that would follow contradict the match.
    Contradiction(#[from] BadJournal),

    /// Only the host does this.
    OnlyHost(HostAction),
    /// Only members do this.
    OnlyMembers,
    /// Only the host does this for another member.
    OnlyForYourself,
    /// Only the team, or the host, arranges its duties before the start.
    OnlyTheTeam,
    /// Only the grand strategist of a team transfers its pieces.
    OnlyStrategistTransfers,
    /// Only the grand strategist of a team gives its duties.
    OnlyStrategistGives,
    /// Only the grand strategist of a team, or the host, chooses its emblem.
    OnlyStrategistChooses,
    /// The other team has that sign, and the two could not be told apart.
    SignTaken,

    /// There is no such member, or the member has left.
    NoSuchMember,
    /// There is no such duty in a match of this size.
    NoSuchDuty,
    /// There is no such board in a match of this size.
    NoSuchBoard(BoardNo),

    /// It is settled before the start, and the match has begun.
    HasBegun,
    /// The match is not paused, and cannot go on.
    NotPaused,
    /// The time for the whole match is outside [`SECONDS`](super::SECONDS).
    TimeLimit,
    /// The match has no time limit that could be extended.
    NoTimeLimit,
    /// No time would be left.
    NoTimeLeft,
    /// More time would be left than [`SECONDS`](super::SECONDS) allows.
    TooMuchTimeLeft,
    /// A team has no member, and the match cannot start.
    EmptyTeam,
    /// A team has too many members for a match of this size, and the match cannot start.
    TooManyPeople(Size),
    /// The teams, White's and Black's, have gaps, and a short-handed start was not asked for.
    ShortHanded([Vec<Gap>; 2]),

    /// The member takes part already.
    TakesPart {
        /// True if that member gave the command.
        you: bool,
    },
    /// The match takes no more members.
    MatchFull,
    /// The team takes no more members.
    TeamFull {
        /// The size of the match.
        size: Size,
        /// The most members of a team.
        most: usize,
    },
    /// A former member comes back during play only by the host.
    FormerMember,
    /// The member is in no team.
    NoTeam,
    /// Only members of a team have duties in it.
    NotInTeam,
    /// The member has that duty already.
    HasDuty,
    /// A duty would be left without a member.
    VacantDuty,
    /// A member without a team has nothing that others could take over.
    ReplaceWithoutTeam,
    /// Only another member of the same team takes over.
    ReplaceByStranger,
    /// A member without a duty has nothing that others could take over.
    ReplaceWithoutDuty,
    /// The grand strategist does not vote.
    VoteOfStrategist,
    /// Only members of the voter's team can be elected.
    VoteForStranger,
    /// The chosen member is grand strategist already.
    VoteForStrategist,

    /// Another member plays this board.
    NotYourBoard(BoardNo),
    /// The board has ended.
    BoardEnded(BoardNo),
    /// The other side is to move on the board.
    NotYourTurn,
    /// A proposal on the board is disputed, and waits for the host's decision.
    Disputed,
    /// The proposal is disputed already.
    DisputedAlready,
    /// A proposal is rejected by the host only, in a dispute.
    OnlyDisputed,
    /// No proposal waits for the member's answer.
    NothingToAnswer,
    /// No proposal on the board is disputed.
    NothingDisputed,
    /// No draw is on offer on the board.
    NoOffer,
    /// The side's own offer of a draw stands already.
    OfferStands,
    /// The side's offer of a draw was declined, and it has played no turn since.
    OfferDeclined,
    /// No line has touched the board that could be taken back.
    NothingToTakeBack(BoardNo),
    /// So much has happened in the match that it takes only what leads to its end.
    Full,
    /// So many lines were taken back that no other is.
    TookBackMuch,
    /// The last line of a board is a transfer, and the other board has changed since.
    TakeBackOther {
        /// The board.
        board: BoardNo,
        /// The other board of the transfer.
        other: BoardNo,
    },
}

/// An action that only the host takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostAction {
    /// Lets members come back.
    LetBack,
    /// Sends members to another team during the match.
    Send,
    /// Deals out teams and duties.
    Deal,
    /// Settles other terms.
    Settle,
    /// Gives all members their teams and duties.
    Seat,
    /// Gives a member a place.
    Place,
    /// Gives a team all its duties anew.
    SetDuties,
    /// Starts the match.
    Start,
    /// Decides a dispute.
    Decide,
    /// Stops the play for a while.
    Pause,
    /// Lets the play go on.
    Resume,
    /// Opens or closes the match to people who join.
    SetJoinable,
    /// Ends the match.
    Stop,
    /// Calls the match off.
    CallOff,
    /// Takes the last line of a board back.
    TakeBack,
    /// Sets the time that is left.
    Time,
    /// Gives a member another name.
    Rename,
    /// Sets the mode of talk.
    Talk,
    /// Removes a message.
    RemoveMessage,
    /// Gives the duties of a member to another.
    Replace,
}

/// Refuses all but the host.
pub(super) fn host(who: Who, action: HostAction) -> Result<(), Refusal> {
    if who.host {
        Ok(())
    } else {
        Err(Refusal::OnlyHost(action))
    }
}
