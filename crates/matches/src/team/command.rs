//! Commands in a team match, and refusals.

use std::fmt::{self, Display};

use perplex_games::perplexichess::{BoardNo, LineError, Transfer};
use perplex_games::rules::Side;
use perplex_games::rules::flexichess::Kind;

use super::event::{Actor, Duties, Duty, MemberId, TalkMode, Terms};
use super::{Phase, Who};

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
    },
    /// Take a piece from one board to another.
    Transfer {
        /// The square and the boards.
        transfer: Transfer,
        /// The kind of piece that was seen there.
        kind: Kind,
    },
    /// Offer a draw on a board, or claim one that may be claimed.
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

/// The host's change of the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// So many seconds are left from now on.
    Left(u32),
    /// So many seconds more than now; fewer if negative.
    More(i32),
}

/// The reason why a command was not carried out. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The board has changed since it was seen, or a piece is no longer where it was seen.
    Changed(BoardNo),
    /// The match is not being played.
    NotPlaying(Phase),
    /// The host has called the match off.
    CalledOff,
    /// The turn or transfer is not possible.
    Line(LineError),
    /// The person may not do this, or not now; the reason is a sentence.
    NotAllowed(String),
    /// The same, with a sentence that speaks of the host, as `{host}`.
    UpToHost(String),
}

impl Refusal {
    /// The refusal as a sentence, with `host` as the word for the host: a club has a host, a lesson a teacher.
    #[must_use]
    pub fn said(&self, host: &str) -> String {
        match self {
            Self::Changed(board) => {
                format!(
                    "Board {board} has changed since you looked at it. This is how it stands now."
                )
            }
            Self::NotPlaying(Phase::Gathering) => "The match has not begun yet.".to_owned(),
            Self::NotPlaying(Phase::Paused) => {
                format!("The match is paused: nothing can be played until the {host} goes on.")
            }
            Self::NotPlaying(_) => "The match is over.".to_owned(),
            Self::CalledOff => format!("The {host} has called this match off."),
            Self::Line(error) => error.to_string(),
            Self::NotAllowed(why) => why.clone(),
            Self::UpToHost(why) => why.replace("{host}", host),
        }
    }
}

impl Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.said("host"))
    }
}

impl std::error::Error for Refusal {}

impl From<LineError> for Refusal {
    fn from(error: LineError) -> Self {
        Self::Line(error)
    }
}

/// A refusal with a reason that speaks of the `{host}`.
pub(super) fn up_to_host<T>(why: &str) -> Result<T, Refusal> {
    Err(Refusal::UpToHost(why.to_owned()))
}

/// A refusal with a reason.
pub(super) fn no<T>(why: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::NotAllowed(why.into()))
}

/// Refuses all but the host.
pub(super) fn host(who: Who, does: &str) -> Result<(), Refusal> {
    if who.host {
        Ok(())
    } else {
        up_to_host(&format!("Only the {{host}} {does}."))
    }
}
