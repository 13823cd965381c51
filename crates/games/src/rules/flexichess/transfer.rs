//! One board of a Perplexichess match: transfers, and the end of a board.
//!
//! A transfer is two halves: [`Flexichess::take_off`] on one board, [`Flexichess::put_on`] on another. Both
//! give the board as it would be; the match takes both or neither.

use super::{Flexichess, Kind, Pending, Piece, Side, Square, side_name};

impl Flexichess {
    /// The board without the piece that `side`'s strategist takes off `square`, for a transfer.
    ///
    /// # Errors
    /// The reason why the piece cannot leave.
    pub fn take_off(&self, side: Side, square: Square) -> Result<(Self, Piece), String> {
        let piece = match self.piece(square) {
            None => return Err(format!("there is no piece on {square}")),
            Some(piece) if piece.side != side => {
                return Err(format!("the piece on {square} is not {}", side_name(side)));
            }
            Some(piece) if piece.kind == Kind::King => {
                return Err("kings are never transferred".to_owned());
            }
            Some(piece) => piece,
        };
        let mut after = self.clone();
        after.board.clear(square);
        after.transferred(square)?;
        Ok((after, piece))
    }

    /// The board with `piece` put on `square` by a transfer.
    ///
    /// # Errors
    /// The reason why it cannot stand there.
    pub fn put_on(&self, piece: Piece, square: Square) -> Result<Self, String> {
        if piece.kind == Kind::King {
            return Err("kings are never transferred".to_owned());
        }
        if let Some(there) = self.piece(square) {
            return Err(format!("a {} stands on {square}", there.words()));
        }
        let mut after = self.clone();
        after.board.put(square, piece);
        after.transferred(square)?;
        Ok(after)
    }

    /// Makes the changes of every transfer to a board, or gives the reason why the board does not allow it: the king of
    /// the side that is not to move is safe, under either answer to a proposal.
    fn transferred(&mut self, square: Square) -> Result<(), String> {
        if let Some(passed) = self.board.passed
            && (passed.square == square || passed.pawn == square)
        {
            self.board.passed = None;
        }
        self.quiet = 0;
        self.epoch += 1;
        self.taken_back = false;
        if !self.is_sound() {
            let king = self.board.side.other().white_or_black();
            return Err(format!("{king}'s king would be open to capture at once"));
        }
        let accepted = match &self.pending {
            None => Ok(()),
            Some(Pending::Rule(change)) => match self.why_not_change(change) {
                None => Ok(()),
                Some(why) => Err(why),
            },
            Some(Pending::Turn(under)) => self.finish(under).map(|_| ()),
        };
        accepted.map_err(|why| format!("if what waits for its answer is accepted, {why}"))
    }

    /// Ends the board by its own play: its turns are over, both kings are taken off, everything else stays.
    pub fn end(&mut self) {
        for side in Side::ALL {
            if let Some(king) = self.king(side) {
                self.board.clear(king);
            }
        }
        self.close();
    }

    /// Ends the board because the whole match ends: its turns are over, and everything stays where it is.
    pub fn close(&mut self) {
        self.board.castling = 0;
        self.board.passed = None;
        self.pending = None;
        self.ended = true;
    }
}
