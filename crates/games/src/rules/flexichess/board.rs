//! The pieces on the board, and their legal moves.

use super::bits::{Bits, Tables, squares, step, tables};
use super::kind::Kind;
use super::ruleset::Ruleset;
use super::square::{Piece, Square};
use crate::rules::Side;

/// The effect of a move beside moving a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Special {
    None,
    Castle,
    Passing,
    Promotion(Kind),
}

/// A move, with all that is needed to make it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Action {
    pub(super) kind: Kind,
    pub(super) from: Square,
    pub(super) to: Square,
    pub(super) special: Special,
}

impl Action {
    pub(super) const fn promotion(self) -> Option<Kind> {
        match self.special {
            Special::Promotion(kind) => Some(kind),
            _ => None,
        }
    }
}

/// A pawn that can be captured in passing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Passed {
    /// The square passed over.
    pub(super) square: Square,
    /// The square where the pawn stands now.
    pub(super) pawn: Square,
}

/// Pieces, side to move, rights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Board {
    pub(super) kinds: [Bits; 6],
    pub(super) sides: [Bits; 2],
    /// Rooks that may still castle.
    pub(super) castling: Bits,
    pub(super) passed: Option<Passed>,
    pub(super) side: Side,
}

const FILE_A: Bits = 0x0101_0101_0101_0101;
const FILE_H: Bits = FILE_A << 7;
const RANK_1: Bits = 0xff;

/// The rank where a side's pawns promote.
pub(super) const fn last_rank(side: Side) -> Bits {
    match side {
        Side::First => RANK_1 << 56,
        Side::Second => RANK_1,
    }
}

/// The square where a side's king stands at the start.
pub(super) const fn king_home(side: Side) -> Square {
    match side {
        Side::First => Square::new(4, 0),
        Side::Second => Square::new(4, 7),
    }
}

/// Takes the legal moves as they are found.
pub(super) trait Sink {
    /// Moves of one piece, without promotion.
    fn piece(&mut self, kind: Kind, from: usize, to: Bits);
    /// Moves of pawns, each `by` squares on, without promotion.
    fn pawns(&mut self, to: Bits, by: i8);
    /// Moves of a pawn that promotes.
    fn promotions(&mut self, from: usize, to: Bits);
    /// Castling or a capture in passing.
    fn special(&mut self, kind: Kind, from: usize, to: usize, special: Special);
}

/// Counts moves.
struct Count {
    moves: u32,
    promotions: u32,
}

impl Sink for Count {
    #[inline]
    fn piece(&mut self, _: Kind, _: usize, to: Bits) {
        self.moves += to.count_ones();
    }

    #[inline]
    fn pawns(&mut self, to: Bits, _: i8) {
        self.moves += to.count_ones();
    }

    #[inline]
    fn promotions(&mut self, _: usize, to: Bits) {
        self.moves += to.count_ones() * self.promotions;
    }

    #[inline]
    fn special(&mut self, _: Kind, _: usize, _: usize, _: Special) {
        self.moves += 1;
    }
}

/// Does something with each move.
struct Each<'a, F: FnMut(Action)> {
    rules: &'a Ruleset,
    then: F,
}

impl<F: FnMut(Action)> Sink for Each<'_, F> {
    #[inline]
    fn piece(&mut self, kind: Kind, from: usize, to: Bits) {
        for to in squares(to) {
            (self.then)(Action {
                kind,
                from: Square::from_index(from),
                to: Square::from_index(to),
                special: Special::None,
            });
        }
    }

    #[inline]
    fn pawns(&mut self, to: Bits, by: i8) {
        for to in squares(to) {
            self.piece(
                Kind::Pawn,
                to.wrapping_add_signed(-isize::from(by)),
                1 << to,
            );
        }
    }

    fn promotions(&mut self, from: usize, to: Bits) {
        for to in squares(to) {
            for kind in self.rules.promotions.kinds() {
                self.special(Kind::Pawn, from, to, Special::Promotion(kind));
            }
        }
    }

    fn special(&mut self, kind: Kind, from: usize, to: usize, special: Special) {
        (self.then)(Action {
            kind,
            from: Square::from_index(from),
            to: Square::from_index(to),
            special,
        });
    }
}

impl Board {
    pub(super) const EMPTY: Self = Self {
        kinds: [0; 6],
        sides: [0; 2],
        castling: 0,
        passed: None,
        side: Side::First,
    };

    pub(super) fn occupied(&self) -> Bits {
        self.sides[0] | self.sides[1]
    }

    pub(super) fn piece(&self, square: Square) -> Option<Piece> {
        let bit = square.bit();
        let side = Side::ALL
            .into_iter()
            .find(|side| self.sides[side.index()] & bit != 0)?;
        let kind = Kind::ALL
            .into_iter()
            .find(|&kind| self.kinds[kind as usize] & bit != 0)?;
        Some(Piece { side, kind })
    }

    pub(super) fn put(&mut self, square: Square, piece: Piece) {
        self.clear(square);
        self.kinds[piece.kind as usize] |= square.bit();
        self.sides[piece.side.index()] |= square.bit();
    }

    /// Takes off the piece on `square`, and the rights that go with it.
    pub(super) fn clear(&mut self, square: Square) {
        let bit = !square.bit();
        self.kinds.iter_mut().for_each(|kind| *kind &= bit);
        self.sides.iter_mut().for_each(|side| *side &= bit);
        self.castling &= bit;
    }

    /// The square of a side's king.
    #[inline]
    pub(super) fn king(&self, side: Side) -> Option<usize> {
        let king = self.kinds[Kind::King as usize] & self.sides[side.index()];
        (king != 0).then(|| king.trailing_zeros() as usize)
    }

    /// True if `side`'s king is attacked.
    pub(super) fn in_check(&self, rules: &Ruleset, side: Side) -> bool {
        self.king(side).is_some_and(|king| {
            let enemy = self.sides[side.other().index()];
            rules.attacked(
                tables(),
                king,
                self.occupied(),
                &self.kinds,
                side.other(),
                enemy,
            )
        })
    }

    /// The opponent's pieces that attack the king of the side to move.
    pub(super) fn checkers(&self, rules: &Ruleset) -> Vec<Square> {
        let side = self.side.other();
        let Some(king) = self.king(self.side) else {
            return Vec::new();
        };
        squares(self.sides[side.index()])
            .filter(|from| {
                rules.attacked(
                    tables(),
                    king,
                    self.occupied(),
                    &self.kinds,
                    side,
                    1 << from,
                )
            })
            .map(Square::from_index)
            .collect()
    }

    /// Calls `then` with each legal move.
    pub(super) fn each(&self, rules: &Ruleset, then: impl FnMut(Action)) {
        self.generate(rules, tables(), &mut Each { rules, then });
    }

    /// All legal moves.
    pub(super) fn moves(&self, rules: &Ruleset) -> Vec<Action> {
        let mut moves = Vec::with_capacity(48);
        self.each(rules, |action| moves.push(action));
        moves
    }

    /// The number of legal moves.
    pub(super) fn count(&self, rules: &Ruleset, t: &Tables) -> u32 {
        let mut count = Count {
            moves: 0,
            promotions: rules.promotion_count,
        };
        self.generate(rules, t, &mut count);
        count.moves
    }

    pub(super) fn perft(&self, rules: &Ruleset, t: &Tables, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        if depth == 1 {
            return u64::from(self.count(rules, t));
        }
        let mut total = 0;
        let then = |action| {
            let mut next = *self;
            next.play(rules, action);
            total += next.perft(rules, t, depth - 1);
        };
        self.generate(rules, t, &mut Each { rules, then });
        total
    }

    /// True if the capture in passing that the last move allowed is legal for some pawn.
    pub(super) fn can_capture_in_passing(&self, rules: &Ruleset) -> bool {
        let mut can = false;
        if self.passed.is_some() {
            self.each(rules, |action| can |= action.special == Special::Passing);
        }
        can
    }

    /// True if the king of the side to move is safe after its piece has gone from `from` to `to`, while the piece on
    /// `captured` is gone.
    #[inline]
    fn is_safe(
        &self,
        rules: &Ruleset,
        t: &Tables,
        king: usize,
        (from, to, captured): (Bits, Bits, Bits),
    ) -> bool {
        let them = self.side.other();
        let occupied = (self.occupied() & !from & !captured) | to;
        let enemy = self.sides[them.index()] & !captured;
        !rules.attacked(t, king, occupied, &self.kinds, them, enemy)
    }

    /// Finds the legal moves: those that cannot endanger the king all at once, the others one by one.
    #[inline]
    pub(super) fn generate<S: Sink>(&self, rules: &Ruleset, t: &Tables, sink: &mut S) {
        let (us, them) = (self.side, self.side.other());
        let (own, enemy) = (self.sides[us.index()], self.sides[them.index()]);
        let occupied = own | enemy;
        let Some(king) = self.king(us) else {
            return;
        };
        let danger = rules.danger(t, king, occupied, &self.kinds, them, enemy);

        let bit = 1 << king;
        let mut steps = 0;
        for to in squares(t.king[king] & !own) {
            if self.is_safe(rules, t, to, (bit, 1 << to, 1 << to)) {
                steps |= 1 << to;
            }
        }
        sink.piece(Kind::King, king, steps);
        if self.castling & own != 0 && !danger.check {
            self.castle(rules, t, king, sink);
        }
        if danger.check && danger.exact && danger.answers == 0 {
            return;
        }

        let try_all = danger.check && !danger.exact;
        let careful = if try_all { !0 } else { danger.leaving };
        let answers = if danger.exact { danger.answers } else { !0 };
        let last = last_rank(us);
        let allowed = |from: usize, to: Bits| {
            let to = to & answers;
            let unsure = if careful & 1 << from == 0 {
                to & danger.entering
            } else {
                to
            };
            if unsure == 0 {
                return to;
            }
            let safe = squares(unsure)
                .filter(|&to| self.is_safe(rules, t, king, (1 << from, 1 << to, enemy & 1 << to)))
                .fold(0, |bits, to| bits | 1 << to);
            (to & !unsure) | safe
        };
        for kind in [Kind::Knight, Kind::Bishop, Kind::Rook, Kind::Queen] {
            let moves = &rules.compiled[kind as usize][us.index()];
            for from in squares(self.kinds[kind as usize] & own) {
                let to = allowed(from, moves.targets(t, from, own, enemy));
                sink.piece(kind, from, to);
            }
        }
        let mut pawns = self.kinds[Kind::Pawn as usize] & own;
        let moves = &rules.compiled[Kind::Pawn as usize][us.index()];
        if rules.plain_pawns && danger.entering == 0 {
            self.plain_pawns(pawns & !careful, answers, sink);
            pawns &= careful;
        }
        for from in squares(pawns) {
            let to = allowed(from, moves.targets(t, from, own, enemy));
            sink.piece(Kind::Pawn, from, to & !last);
            if to & last != 0 {
                sink.promotions(from, to & last);
            }
        }
        if let (Some(passed), Some(reach)) = (self.passed, &moves.passing) {
            let target = passed.square.bit();
            for from in squares(self.kinds[Kind::Pawn as usize] & own) {
                // A plain move to the same square takes its place.
                if reach.from(t, from, occupied) & target & !occupied != 0
                    && moves.moves.from(t, from, occupied) & target == 0
                    && self.is_safe(rules, t, king, (1 << from, target, passed.pawn.bit()))
                {
                    sink.special(Kind::Pawn, from, passed.square.index(), Special::Passing);
                }
            }
        }
    }

    /// The moves of ordinary pawns that cannot uncover their king.
    #[inline]
    fn plain_pawns<S: Sink>(&self, pawns: Bits, answers: Bits, sink: &mut S) {
        let enemy = self.sides[self.side.other().index()];
        let empty = !self.occupied();
        let last = last_rank(self.side);
        let (single, double, left, right) = match self.side {
            Side::First => {
                let single = (pawns << 8) & empty;
                let double = ((single & (RANK_1 << 16)) << 8) & empty;
                let left = ((pawns & !FILE_A) << 7) & enemy;
                let right = ((pawns & !FILE_H) << 9) & enemy;
                ((single, 8), (double, 16), (left, 7), (right, 9))
            }
            Side::Second => {
                let single = (pawns >> 8) & empty;
                let double = ((single & (RANK_1 << 40)) >> 8) & empty;
                let left = ((pawns & !FILE_A) >> 9) & enemy;
                let right = ((pawns & !FILE_H) >> 7) & enemy;
                ((single, -8), (double, -16), (left, -9), (right, -7))
            }
        };
        for (to, by) in [single, double, left, right] {
            let to = to & answers;
            sink.pawns(to & !last, by);
            for to in squares(to & last) {
                let from = to.wrapping_add_signed(-isize::from(by));
                sink.promotions(from, 1 << to);
            }
        }
    }

    /// Castling: no piece stands between king and rook, and the rules in force attack neither the king's way nor his
    /// goal.
    fn castle<S: Sink>(&self, rules: &Ruleset, t: &Tables, king: usize, sink: &mut S) {
        let bit = 1 << king;
        for rook in squares(self.castling & self.sides[self.side.index()]) {
            if t.between[king][rook] & self.occupied() != 0 {
                continue;
            }
            let way: [usize; 2] = if rook > king {
                [king + 1, king + 2]
            } else {
                [king - 1, king - 2]
            };
            let free = |to: usize| self.is_safe(rules, t, to, (bit, 1 << to, 0));
            // And at the end: a piece of the other side may now jump over the rook.
            let done = (bit | 1 << rook, 1 << way[0] | 1 << way[1], 0);
            if way.into_iter().all(free) && self.is_safe(rules, t, way[1], done) {
                sink.special(Kind::King, king, way[1], Special::Castle);
            }
        }
    }

    /// Makes a legal move.
    #[inline]
    pub(super) fn play(&mut self, rules: &Ruleset, action: Action) {
        let (us, them) = (self.side.index(), self.side.other().index());
        let (from, to) = (action.from.bit(), action.to.bit());
        let occupied = self.occupied();
        if self.sides[them] & to != 0 {
            self.sides[them] &= !to;
            for kind in &mut self.kinds[..5] {
                *kind &= !to;
            }
        }
        let kind = action.kind as usize;
        self.kinds[kind] ^= from | to;
        self.sides[us] ^= from | to;
        let passed = self.passed.take();
        self.castling &= !(from | to);
        match action.kind {
            Kind::King => {
                if self.castling != 0 {
                    self.castling &= !self.sides[us];
                }
                if action.special == Special::Castle {
                    let (from, to) = if action.to > action.from {
                        (to << 1, to >> 1)
                    } else {
                        (to >> 2, to << 1)
                    };
                    self.kinds[Kind::Rook as usize] ^= from | to;
                    self.sides[us] ^= from | to;
                    self.castling &= !from;
                }
            }
            Kind::Pawn => match action.special {
                Special::Promotion(promotion) => {
                    self.kinds[kind] ^= to;
                    self.kinds[promotion as usize] ^= to;
                }
                Special::Passing => {
                    if let Some(passed) = passed {
                        self.kinds[kind] &= !passed.pawn.bit();
                        self.sides[them] &= !passed.pawn.bit();
                    }
                }
                _ => {
                    let double = rules.compiled[kind][us].double.as_ref();
                    if double.is_some_and(|double| double[action.from.index()] & to != 0) {
                        let middle = Square::from_index(usize::midpoint(
                            action.from.index(),
                            action.to.index(),
                        ));
                        // A capture there is no first step.
                        if occupied & (middle.bit() | to) == 0 {
                            self.passed = Some(Passed {
                                square: middle,
                                pawn: action.to,
                            });
                        }
                    }
                }
            },
            _ => {}
        }
        self.side = self.side.other();
    }

    /// The action of the move `from`–`to`, legal or not.
    pub(super) fn action(
        &self,
        rules: &Ruleset,
        from: Square,
        to: Square,
        promotion: Option<Kind>,
    ) -> Option<Action> {
        let Piece { kind, .. } = self.piece(from)?;
        let special = if let Some(kind) = promotion {
            Special::Promotion(kind)
        } else if kind == Kind::King && from.file().abs_diff(to.file()) == 2 {
            Special::Castle
        } else if kind == Kind::Pawn
            && self.passed.is_some_and(|passed| passed.square == to)
            && !self.pawn_steps(rules, from, to)
        {
            Special::Passing
        } else {
            Special::None
        };
        Some(Action {
            kind,
            from,
            to,
            special,
        })
    }

    /// True if the pawn on `from` reaches `to` by a plain move.
    fn pawn_steps(&self, rules: &Ruleset, from: Square, to: Square) -> bool {
        let moves = &rules.compiled[Kind::Pawn as usize][self.side.index()].moves;
        moves.from(tables(), from.index(), self.occupied()) & to.bit() != 0
    }

    /// The squares that the piece on `from` could go to if its king did not matter.
    pub(super) fn reach(&self, rules: &Ruleset, from: Square) -> Bits {
        let Some(Piece { side, kind }) = self.piece(from) else {
            return 0;
        };
        let own = self.sides[side.index()];
        let enemy = self.sides[side.other().index()];
        match rules.compiled.get(kind as usize) {
            Some(compiled) => compiled[side.index()].targets(tables(), from.index(), own, enemy),
            None => tables().king[from.index()] & !own,
        }
    }

    /// The squares that the piece of the side to move on `from` could go to now if its king did not matter, by a capture
    /// in passing, too.
    pub(super) fn reach_now(&self, rules: &Ruleset, from: Square) -> Bits {
        let moves = &rules.compiled[Kind::Pawn as usize][self.side.index()];
        let is_pawn = self
            .piece(from)
            .is_some_and(|piece| piece.kind == Kind::Pawn);
        let in_passing = match (self.passed, &moves.passing) {
            (Some(passed), Some(reach)) if is_pawn => {
                reach.from(tables(), from.index(), self.occupied()) & passed.square.bit()
            }
            _ => 0,
        };
        self.reach(rules, from) | in_passing
    }

    /// The pawn on `pawn`, of the side that is not to move, which has passed over the empty `square`.
    pub(super) fn passer_on(&self, square: Square, pawn: Square) -> Option<Passed> {
        let side = self.side.other();
        let kind = Kind::Pawn;
        (self.piece(square).is_none() && self.piece(pawn) == Some(Piece { side, kind }))
            .then_some(Passed { square, pawn })
    }

    /// The pawn of the side that is not to move that can have passed over `square` just now: by a first step in force
    /// (straight on if several fit), else straight on.
    pub(super) fn passer(&self, rules: &Ruleset, square: Square) -> Option<Passed> {
        let them = self.side.other();
        if self.occupied() & square.bit() != 0 {
            return None;
        }
        let pawns = self.kinds[Kind::Pawn as usize] & self.sides[them.index()];
        let forward = if them == Side::First { 1 } else { -1 };
        let ways = [(0, 1), (-1, 1), (1, 1), (-1, 0), (1, 0)];
        let found: Vec<(Square, Square)> = ways
            .into_iter()
            .filter_map(|(dx, dy)| {
                let pawn = step(square.index(), dx, dy * forward)?;
                let from = step(square.index(), -dx, -dy * forward)?;
                let home = if them == Side::First { 1 } else { 6 };
                (pawns & 1 << pawn != 0 && self.occupied() & 1 << from == 0 && from / 8 == home)
                    .then(|| (Square::from_index(from), Square::from_index(pawn)))
            })
            .collect();
        let double = &rules.compiled[Kind::Pawn as usize][them.index()].double;
        let steps = |(from, pawn): &&(Square, Square)| {
            double
                .as_ref()
                .is_some_and(|double| double[from.index()] & pawn.bit() != 0)
        };
        let straight = |(from, pawn): &&(Square, Square)| from.file() == pawn.file();
        let (_, pawn) = found
            .iter()
            .find(steps)
            .or_else(|| found.iter().find(straight))?;
        Some(Passed {
            square,
            pawn: *pawn,
        })
    }
}
