//! Taking back: the host undoes the last line of a board. The event stays in the journal; the boards that it
//! touched are played again from the lines that remain in force. Pure.
//!
//! Draw offers, their refusals and disputes there since are taken back with it, and the state before it stands again.

use std::sync::Arc;

use super::command::Refusal;
use super::event::{Actor, EventKind, MemberId};
use super::{BoardStatus, Happened, Logged, Match, Phase, note, take};
use perplex_games::perplexichess::{BoardNo, Boards, Transfer};
use perplex_games::rules::flexichess::Kind;

impl Match {
    /// True if an event still counts: the host has not taken it back.
    #[must_use]
    pub fn is_in_force(&self, logged: &Logged) -> bool {
        !self.withdrawn.contains(&logged.event.number)
    }

    /// The last line in force that touched a board.
    #[must_use]
    pub fn last_line(&self, board: BoardNo) -> Option<&Arc<Logged>> {
        self.log.iter().rev().find(|logged| {
            matches!(logged.event.kind, EventKind::Line(_))
                && logged.boards.contains(&board)
                && self.is_in_force(logged)
        })
    }

    /// The last transfer of a grand strategist, with the piece, while nothing else happened on its boards since, and the
    /// piece can go back; none after a transfer that undid one.
    #[must_use]
    pub fn to_undo(&self, member: MemberId) -> Option<(Transfer, Kind)> {
        let (transfer, kind) = self.last_transfer(member)?;
        let (_, receivers) = self.receivers(transfer.side, transfer.to, transfer.square)?;
        let mut back = receivers
            .into_iter()
            .filter(|(board, _)| *board == transfer.from);
        let can_go_back = back.any(|(_, why_not)| why_not.is_none());
        let may = self.is_strategist(member) && self.phase == Phase::Playing;
        (may && can_go_back).then_some((transfer, kind))
    }

    /// True if a transfer of this actor takes their last one back.
    pub(super) fn undoes(&self, transfer: &Transfer, by: Actor) -> bool {
        let Actor::Member(member) = by else {
            return false;
        };
        self.last_transfer(member).is_some_and(|(before, _)| {
            (before.square, before.from, before.to) == (transfer.square, transfer.to, transfer.from)
        })
    }

    /// The last line of a member, if it is a transfer that undid none, and nothing else happened on its boards since.
    fn last_transfer(&self, member: MemberId) -> Option<(Transfer, Kind)> {
        let made = self.log.iter().rev().find(|logged| {
            logged.event.by == Actor::Member(member)
                && matches!(logged.event.kind, EventKind::Line(_))
                && self.is_in_force(logged)
        })?;
        let Happened::Transferred {
            transfer,
            kind,
            undoes: false,
        } = made.happened
        else {
            return None;
        };
        let is_last = |board| {
            let last = self.last_line(board);
            last.is_some_and(|last| last.event.number == made.event.number)
        };
        (is_last(transfer.from) && is_last(transfer.to)).then_some((transfer, kind))
    }

    /// The line that would be taken back on a board.
    ///
    /// # Errors
    /// The reason why nothing can be taken back there.
    pub(super) fn to_take_back(&self, board: BoardNo) -> Result<&Arc<Logged>, Refusal> {
        let line = self
            .last_line(board)
            .ok_or(Refusal::NothingToTakeBack(board))?;
        // A transfer touches two boards: later lines on the other one have to be taken back first.
        let later = line.boards.iter().find(|other| {
            self.last_line(**other)
                .is_none_or(|last| last.event.number != line.event.number)
        });
        match later {
            None => Ok(line),
            Some(other) => Err(Refusal::TakeBackOther {
                board,
                other: *other,
            }),
        }
    }

    /// Takes back the last line of a board.
    pub(super) fn take_back(&mut self, board: BoardNo) -> Result<(), String> {
        let line = self.to_take_back(board);
        let line = Arc::clone(line.map_err(|refusal| refusal.to_string())?);
        let mut since = Vec::new();
        let mut offered = Vec::new();
        let later = self.log.iter().filter(|logged| {
            logged.event.number > line.event.number
                && logged.boards.iter().any(|one| line.boards.contains(one))
        });
        for Logged { event, .. } in later.map(|logged| &**logged) {
            let is_about_it = match event.kind {
                EventKind::Offer(board, _) => {
                    offered.push(board);
                    true
                }
                // An offer from before the line stays declined.
                EventKind::Decline(board) => self.rules < 2 || offered.contains(&board),
                EventKind::Dispute(_) => true,
                _ => false,
            };
            since.extend(is_about_it.then_some(event.number));
        }
        self.withdrawn.insert(line.event.number);
        self.withdrawn.extend(since);

        let mut boards = Boards::under(self.terms.size, self.rules);
        let mut statuses = vec![BoardStatus::default(); self.statuses.len()];
        for logged in self.log.iter().filter(|logged| self.is_in_force(logged)) {
            let event = &logged.event;
            if let EventKind::Line(text) = &event.kind {
                let line = boards.read(text).map_err(|error| error.to_string())?;
                take(&mut boards, &mut statuses, &line, event.number, self.rules);
            } else {
                note(&mut statuses, &event.kind);
            }
        }
        for number in &line.boards {
            self.boards.put_back(*number, &boards);
            let index = usize::from(number.0).wrapping_sub(1);
            if let (Some(status), Some(fresh)) = (self.statuses.get_mut(index), statuses.get(index))
            {
                *status = BoardStatus {
                    touched: status.touched,
                    ..fresh.clone()
                };
            }
        }
        Ok(())
    }
}
