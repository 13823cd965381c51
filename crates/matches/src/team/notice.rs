//! The tasks that wait for people in a team match, and the kinds of mail about team matches. Pure.

use super::event::{MemberId, Terms};
use super::{Match, Phase};
use perplex_games::perplexichess::{Board, BoardNo};
use perplex_games::rules::Side;

/// Above this limit, in seconds, a match is played over days: players look in now and then.
const SLOW: u32 = 6 * 3600;

/// A kind of mail about team matches; its receiver can switch it off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MailKind {
    /// The receiver is invited to a match.
    Invitation,
    /// An invitation to a match of the receiver's was declined.
    Declined,
    /// Tasks wait for the receiver in matches over days; once a day at most.
    Waiting,
    /// It is the receiver's turn on a board of a match over days.
    Turn,
    /// News of a match over days that concern the receiver.
    News,
    /// A message in the talk of a match over days names the receiver.
    Talk,
}

/// The step that a board waits for, and the side that takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// The turn of a side.
    Turn(Side),
    /// A side's answer to a proposal.
    Answer(Side),
    /// The host's decision of a dispute.
    Decision,
}

impl Awaited {
    /// The side whose boardman has to act; none if the host has to.
    #[must_use]
    pub const fn side(self) -> Option<Side> {
        match self {
            Self::Turn(side) | Self::Answer(side) => Some(side),
            Self::Decision => None,
        }
    }
}

/// A task that waits for a member or the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// A turn on a board.
    Turn(BoardNo),
    /// A proposal on a board, to accept or dispute.
    Answer(BoardNo),
    /// An offer of a draw on a board, to accept or decline.
    Offer(BoardNo),
    /// A draw on a board, which can be claimed.
    Claim(BoardNo),
    /// A dispute on a board, for the host to decide.
    Dispute(BoardNo),
}

impl Waiting {
    /// The board of the task.
    #[must_use]
    pub const fn board(self) -> BoardNo {
        match self {
            Self::Turn(board)
            | Self::Answer(board)
            | Self::Offer(board)
            | Self::Claim(board)
            | Self::Dispute(board) => board,
        }
    }
}

impl Terms {
    /// True if the match is played over days, so that mails tell members of waiting tasks.
    #[must_use]
    pub fn over_days(&self) -> bool {
        self.seconds.is_none_or(|seconds| seconds > SLOW)
    }
}

impl Match {
    /// The step that a board waits for; none before the start, and once the board has ended.
    #[must_use]
    pub fn awaited(&self, number: BoardNo) -> Option<Awaited> {
        self.started?;
        let board = self.boards.board(number)?;
        let side = board.to_move()?;
        Some(if self.status(number)?.disputed {
            Awaited::Decision
        } else if board.position().pending().is_some() {
            Awaited::Answer(side)
        } else {
            Awaited::Turn(side)
        })
    }

    /// The tasks that wait for a member, by board; none unless the match is being played.
    #[must_use]
    pub fn waits_for(&self, member: MemberId) -> Vec<Waiting> {
        let Some(side) = self
            .side_of(member)
            .filter(|_| self.phase == Phase::Playing)
        else {
            return Vec::new();
        };
        let mut waiting = Vec::new();
        for number in self.boards_of(member) {
            match self.awaited(number) {
                Some(Awaited::Turn(of)) if of == side => {
                    waiting.push(Waiting::Turn(number));
                    let claim = self.boards.board(number).and_then(Board::claim);
                    waiting.extend(claim.map(|_| Waiting::Claim(number)));
                }
                Some(Awaited::Answer(of)) if of == side => waiting.push(Waiting::Answer(number)),
                _ => {}
            }
            let offer = self.status(number).and_then(|status| status.offer);
            if offer == Some(side.other()) {
                waiting.push(Waiting::Offer(number));
            }
        }
        waiting
    }

    /// The tasks that wait for the host: the disputed boards.
    #[must_use]
    pub fn waits_for_host(&self) -> Vec<Waiting> {
        self.boards
            .numbers()
            .filter(|number| self.awaited(*number) == Some(Awaited::Decision))
            .map(Waiting::Dispute)
            .collect()
    }
}
