//! The facts of the events, as values with the circumstances at the time. The log, records, reports, the projector and
//! mails put them into words; only [`super::event`] reads the text of an event.

use std::sync::Arc;

use super::emblem::Emblem;
use super::event::{Actor, Duties, Event, EventKind, MemberId, TalkMode, Terms};
use super::{Logged, Match, Phase};
use perplex_games::perplexichess::{BoardNo, Line, Transfer};
use perplex_games::rules::Side;
use perplex_games::rules::flexichess::{Change, Effect, Kind, Move, Turn, Under};

/// The fact of an event.
#[derive(Clone, Debug, PartialEq)]
pub enum Happened {
    /// The match was made.
    Made,
    /// The host settled other terms.
    TermsSettled(Terms),
    /// A member joined, or came back; with a team or without.
    Joined {
        /// The member.
        member: MemberId,
        /// The team.
        side: Option<Side>,
        /// True if the member had been there before.
        again: bool,
    },
    /// A member went to another team, or to none.
    TeamChanged {
        /// The member.
        member: MemberId,
        /// The team from then on.
        side: Option<Side>,
        /// True if the match had begun.
        begun: bool,
    },
    /// A member left, or was removed by another actor.
    Left(MemberId),
    /// The duties of a team changed.
    DutiesChanged {
        /// The team.
        side: Side,
        /// Its duties until then.
        before: Duties,
        /// Its duties from then on.
        after: Duties,
        /// True if the match had begun.
        begun: bool,
    },
    /// A member voted for this one, or took the vote back.
    Voted(Option<MemberId>),
    /// A team elected its grand strategist.
    Elected(Side, MemberId),
    /// A team got this emblem, or lost its emblem.
    EmblemSet(Side, Option<Emblem>),
    /// The match began.
    Started,
    /// The host called the match off.
    CalledOff,
    /// The host stopped the play.
    Paused,
    /// The play went on.
    Resumed,
    /// The host let people in again, or closed the match until another day.
    JoinableSet(bool),
    /// A piece moved.
    Moved {
        /// The board.
        board: BoardNo,
        /// The move.
        movement: Move,
        /// The kind of the piece; the king for castling.
        kind: Kind,
        /// The move in standard algebraic notation.
        san: String,
        /// True if it took a piece.
        captures: bool,
    },
    /// A rule was changed, and holds at once.
    RuleChanged(BoardNo, Change),
    /// A written rule was proposed.
    RuleProposed(BoardNo, Change),
    /// A turn was made under a written rule.
    PlayedUnder(BoardNo, Under),
    /// A proposal was accepted or rejected.
    Answered {
        /// The board.
        board: BoardNo,
        /// True if it holds.
        accepted: bool,
    },
    /// The board was drawn.
    Drawn {
        /// The board.
        board: BoardNo,
        /// True if an offer of the other side was accepted, and not a draw claimed.
        accepted: bool,
    },
    /// The named side, or else the side to move, gave up the board.
    Resigned(BoardNo, Option<Side>),
    /// A piece changed boards.
    Transferred {
        /// The line.
        transfer: Transfer,
        /// The kind of the piece.
        kind: Kind,
        /// True if it undid the actor's last transfer; see [`Match::to_undo`].
        undoes: bool,
    },
    /// The time was up, or the host ended the match: the pieces were counted.
    TimeUp,
    /// The side offered a draw.
    DrawOffered(BoardNo, Side),
    /// The offer of a draw was declined.
    DrawDeclined(BoardNo),
    /// A proposal was disputed, and the host decides.
    Disputed(BoardNo),
    /// The host took back the last line of a board.
    TakenBack(BoardNo, Arc<Logged>),
    /// The host set the time left, in seconds.
    TimeSet(u32),
    /// An outage lasted so many seconds.
    Away(u32),
    /// The host gave a member another name.
    Renamed(MemberId),
    /// The host set the mode of talk.
    TalkSet(TalkMode),
    /// The host removed a message of this author from the public talk.
    MessageRemoved(Actor),
}

impl Happened {
    /// The fact of a line of this actor that is possible now.
    fn of_line(line: &Line, by: Actor, state: &Match) -> Self {
        let boards = &state.boards;
        match line {
            Line::Turn(board, Turn::Move(movement)) => {
                let position = boards
                    .board(*board)
                    .map(perplex_games::perplexichess::Board::position);
                let piece = position.and_then(|position| position.piece(movement.from));
                Self::Moved {
                    board: *board,
                    movement: *movement,
                    kind: piece.map_or(Kind::Pawn, |piece| piece.kind),
                    captures: position.is_some_and(|position| position.captures(*movement)),
                    san: position.map_or_else(String::new, |position| position.san(*movement)),
                }
            }
            Line::Turn(board, Turn::Change(change)) => match change.effect {
                Effect::Written(_) => Self::RuleProposed(*board, change.clone()),
                _ => Self::RuleChanged(*board, change.clone()),
            },
            Line::Turn(board, Turn::Under(under)) => Self::PlayedUnder(*board, under.clone()),
            Line::Turn(board, turn @ (Turn::Accept | Turn::Reject)) => Self::Answered {
                board: *board,
                accepted: *turn == Turn::Accept,
            },
            Line::Draw(board) => Self::Drawn {
                board: *board,
                accepted: boards
                    .board(*board)
                    .is_none_or(|board| board.claim().is_none()),
            },
            Line::Resign(board, side) => Self::Resigned(*board, *side),
            Line::Transfer(transfer) => {
                let piece = boards.piece(transfer.from, transfer.square);
                Self::Transferred {
                    transfer: *transfer,
                    kind: piece.map_or(Kind::Pawn, |piece| piece.kind),
                    undoes: state.undoes(transfer, by),
                }
            }
            Line::Time => Self::TimeUp,
        }
    }

    /// The boards that it is about; none if it is about the whole match.
    #[must_use]
    pub fn boards(&self) -> Vec<BoardNo> {
        match self {
            Self::Moved { board, .. }
            | Self::RuleChanged(board, _)
            | Self::RuleProposed(board, _)
            | Self::PlayedUnder(board, _)
            | Self::Answered { board, .. }
            | Self::Drawn { board, .. }
            | Self::Resigned(board, _)
            | Self::DrawOffered(board, _)
            | Self::DrawDeclined(board)
            | Self::Disputed(board) => vec![*board],
            Self::Transferred { transfer, .. } => vec![transfer.from, transfer.to],
            Self::TakenBack(_, line) => line.happened.boards(),
            _ => Vec::new(),
        }
    }

    /// True for a turn on a board: a move, a change of the rules, or a turn under a written rule.
    #[must_use]
    pub fn is_turn(&self) -> bool {
        matches!(self, Self::Moved { .. } | Self::PlayedUnder(..)) || self.is_change()
    }

    /// True if it may have made another side the one that a board waits for: a turn, an answer, or taking one back.
    #[must_use]
    pub fn passes_on(&self) -> bool {
        self.is_turn() || matches!(self, Self::Answered { .. } | Self::TakenBack(..))
    }

    /// True for a change of the rules, in force at once or proposed.
    #[must_use]
    pub fn is_change(&self) -> bool {
        matches!(self, Self::RuleChanged(..) | Self::RuleProposed(..))
    }

    /// True for a transfer.
    #[must_use]
    pub fn is_transfer(&self) -> bool {
        matches!(self, Self::Transferred { .. })
    }

    /// True if it is known to a team alone, or to one person: all who may see it are named in
    /// [`policy::shows`](super::policy::shows).
    #[must_use]
    pub fn is_secret(&self) -> bool {
        match self {
            Self::Voted(_) | Self::Elected(..) | Self::DutiesChanged { .. } => true,
            Self::Made
            | Self::TermsSettled(_)
            | Self::Joined { .. }
            | Self::TeamChanged { .. }
            | Self::Left(_)
            | Self::EmblemSet(..)
            | Self::Started
            | Self::CalledOff
            | Self::Paused
            | Self::Resumed
            | Self::JoinableSet(_)
            | Self::Moved { .. }
            | Self::RuleChanged(..)
            | Self::RuleProposed(..)
            | Self::PlayedUnder(..)
            | Self::Answered { .. }
            | Self::Drawn { .. }
            | Self::Resigned(..)
            | Self::Transferred { .. }
            | Self::TimeUp
            | Self::DrawOffered(..)
            | Self::DrawDeclined(_)
            | Self::Disputed(_)
            | Self::TakenBack(..)
            | Self::TimeSet(_)
            | Self::Away(_)
            | Self::Renamed(_)
            | Self::TalkSet(_)
            | Self::MessageRemoved(_) => false,
        }
    }

    /// True if it is about the teams: their members, duties and emblems.
    #[must_use]
    pub fn is_about_people(&self) -> bool {
        matches!(
            self,
            Self::Joined { .. }
                | Self::TeamChanged { .. }
                | Self::Left(_)
                | Self::DutiesChanged { .. }
                | Self::Voted(_)
                | Self::Elected(..)
                | Self::EmblemSet(..)
                | Self::Renamed(_)
        )
    }
}

impl Match {
    /// The fact of an event that is about to happen; `line` is its line, if it is one.
    pub(super) fn happens(&self, event: &Event, line: Option<&Line>) -> Result<Happened, String> {
        Ok(match &event.kind {
            EventKind::Create(..) => Happened::Made,
            EventKind::Terms(terms) => Happened::TermsSettled(*terms),
            EventKind::Join(member, side) => Happened::Joined {
                member: *member,
                side: *side,
                again: self.members.contains_key(member),
            },
            EventKind::Team(member, side) => Happened::TeamChanged {
                member: *member,
                side: *side,
                begun: self.phase != Phase::Gathering,
            },
            EventKind::Leave(member) => Happened::Left(*member),
            EventKind::Duties(side, after) => Happened::DutiesChanged {
                side: *side,
                before: self.team(*side).duties.clone(),
                after: after.clone(),
                begun: self.phase != Phase::Gathering,
            },
            EventKind::Vote(member) => Happened::Voted(*member),
            EventKind::Elected(side, member) => Happened::Elected(*side, *member),
            EventKind::Emblem(side, emblem) => Happened::EmblemSet(*side, *emblem),
            EventKind::Start => Happened::Started,
            EventKind::CallOff => Happened::CalledOff,
            EventKind::Pause => Happened::Paused,
            EventKind::Resume => Happened::Resumed,
            EventKind::SetJoinable(open) => Happened::JoinableSet(*open),
            EventKind::Line(_) => line.map_or(Happened::TimeUp, |line| {
                Happened::of_line(line, event.by, self)
            }),
            EventKind::Offer(board, side) => Happened::DrawOffered(*board, *side),
            EventKind::Decline(board) => Happened::DrawDeclined(*board),
            EventKind::Dispute(board) => Happened::Disputed(*board),
            EventKind::TakeBack(board) => {
                let line = self.to_take_back(*board);
                let line = line.map_err(|refusal| refusal.to_string())?;
                Happened::TakenBack(*board, Arc::clone(line))
            }
            EventKind::Time(seconds) => Happened::TimeSet(*seconds),
            EventKind::Away(seconds) => Happened::Away(*seconds),
            EventKind::Rename(member) => Happened::Renamed(*member),
            EventKind::Talk(mode) => Happened::TalkSet(*mode),
            EventKind::RemoveMessage(_, by) => Happened::MessageRemoved(*by),
        })
    }
}
