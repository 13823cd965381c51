//! The effect of a change of the rules here, before it is made.

use super::bits::{squares, tables};
use super::{Change, Effect, Flexichess, Kind, Square};
use crate::rules::{Outcome, Rules as _, Side};

/// The effect of a change on the board.
#[derive(Clone, Debug)]
pub struct Preview {
    /// The reason why it is refused; `None` if it is not.
    pub refused: Option<String>,
    /// The position after it, refused or not.
    pub after: Flexichess,
    /// The number of moves that each side would have on its turn, now and after it; `None` where the other king is in
    /// check, so that it cannot be that side's turn.
    pub moves: [[Option<u32>; 2]; 2],
    /// The squares that pieces of the kind reach, for each side.
    pub reach: [Reach; 2],
    /// The pieces of each side that could move differently after it, or become something else.
    pub differ: [Vec<Square>; 2],
    /// The pieces that give check after it: to the king of the side that makes it, which is why it is refused, or else
    /// to the king of the other side.
    pub checkers: Vec<Square>,
    /// The outcome of the game by it.
    pub outcome: Option<Outcome>,
}

/// The squares that a side's pieces of one kind reach, even where that would leave their king in check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// By the rules in force.
    pub now: Vec<Square>,
    /// After the change.
    pub after: Vec<Square>,
}

impl Flexichess {
    /// The number of moves that `side` has if it is its turn; `None` if the other king is in check.
    fn count_for(&self, side: Side) -> Option<u32> {
        let mut board = self.board;
        if board.side != side {
            board.side = side;
            board.passed = None;
        }
        (!board.in_check(&self.rules, side.other())).then(|| board.count(&self.rules, tables()))
    }

    /// The squares to which a side's pieces of a kind could go.
    fn reach_of(&self, kind: Kind, side: Side) -> Vec<Square> {
        let pieces = self.board.kinds[kind as usize] & self.board.sides[side.index()];
        let all = squares(pieces).fold(0, |all, from| {
            all | self.board.reach(&self.rules, Square::from_index(from))
        });
        squares(all).map(Square::from_index).collect()
    }

    /// The pieces of a side that could move differently in `after`, where a change has taken effect.
    fn differ(&self, after: &Self, effect: &Effect, side: Side) -> Vec<Square> {
        let Some(kind) = effect.kind() else {
            return Vec::new();
        };
        let last_rank = match side {
            Side::First => 7,
            Side::Second => 0,
        };
        let pieces = self.board.kinds[kind as usize] & self.board.sides[side.index()];
        let pieces = squares(pieces).map(Square::from_index);
        let differs = |from: &Square| {
            let reach = self.board.reach(&self.rules, *from);
            match effect {
                Effect::Movement(..) => reach != after.board.reach(&after.rules, *from),
                Effect::Promotion(_) => squares(reach)
                    .map(Square::from_index)
                    .any(|to| to.rank() == last_rank),
                Effect::Written(_) => false,
            }
        };
        pieces.filter(differs).collect()
    }

    /// The effect of a change that is not made yet. A written rule does nothing by itself.
    #[must_use]
    pub fn preview(&self, effect: &Effect) -> Preview {
        let change = Change {
            effect: effect.clone(),
            text: String::new(),
        };
        let turn = super::Turn::Change(change.clone());
        let refused = self.why_illegal(&turn);
        let mut after = self.clone();
        if !matches!(effect, Effect::Written(_)) {
            after.take_effect(&change);
        }
        let sides = Side::ALL;
        let moves = sides.map(|side| [self.count_for(side), after.count_for(side)]);
        let kind = match effect {
            Effect::Movement(kind, _) => Some(*kind),
            Effect::Promotion(_) | Effect::Written(_) => None,
        };
        let reach = sides.map(|side| {
            kind.map_or_else(Reach::default, |kind| Reach {
                now: self.reach_of(kind, side),
                after: after.reach_of(kind, side),
            })
        });
        let differ = sides.map(|side| self.differ(&after, effect, side));
        let mut open = after.board;
        open.side = self.board.side;
        let checkers = match open.checkers(&after.rules) {
            none if none.is_empty() => after.checkers(),
            own => own,
        };
        let outcome = after.outcome().filter(|_| refused.is_none());
        Preview {
            refused,
            after,
            moves,
            reach,
            differ,
            checkers,
            outcome,
        }
    }
}
