//! The rules in force on a board: the movement of each kind and the promotions of pawns, compiled into tables by
//! square.

use std::sync::Arc;

use super::bits::{Bits, Tables, squares, step};
use super::change::{MOST_NOTATION, promotions};
use super::kind::{Kind, Promotions};
use crate::rules::betza::{How, Movement, Offset, Use};
use crate::rules::{NotationError, Side};

/// The worth to the computer player of pieces that move as in ordinary chess; the king is never lost.
pub(super) const WORTH: [i32; 6] = [100, 310, 325, 500, 950, 0];

const LEAP: u8 = 1;
const STRAIGHT: u8 = 2;
const DIAGONAL: u8 = 4;
const HOP: u8 = 8;
const BEHIND: u8 = 16;
const OBLIQUE: u8 = 32;
/// The ways of unusual movements only.
const RARE: u8 = HOP | BEHIND | OBLIQUE;

/// Leaps that need squares off the straight lines to be empty: lame knights and knightriders.
#[derive(Clone, Debug, Default)]
struct Oblique {
    /// The start of each square's list; one more for the end.
    start: Vec<u16>,
    /// The square reached, and those that must be empty.
    list: Vec<(Bits, Bits)>,
}

impl Oblique {
    fn of(&self, square: usize) -> &[(Bits, Bits)] {
        match (self.start.get(square), self.start.get(square + 1)) {
            (Some(&from), Some(&to)) => &self.list[usize::from(from)..usize::from(to)],
            _ => &[],
        }
    }
}

/// The squares that are reached from each square for one use, by each way of getting there.
#[derive(Clone, Debug)]
pub(super) struct Reach {
    has: u8,
    leap: [Bits; 64],
    straight: [Bits; 64],
    diagonal: [Bits; 64],
    hop: [Bits; 64],
    behind: [Bits; 64],
    oblique: Oblique,
}

impl Reach {
    const NONE: Self = Self {
        has: 0,
        leap: [0; 64],
        straight: [0; 64],
        diagonal: [0; 64],
        hop: [0; 64],
        behind: [0; 64],
        oblique: Oblique {
            start: Vec::new(),
            list: Vec::new(),
        },
    };

    /// The squares reached from `square`, empty or not.
    #[inline]
    pub(super) fn from(&self, t: &Tables, square: usize, occupied: Bits) -> Bits {
        let mut to = self.leap[square];
        if self.has & STRAIGHT != 0 {
            to |= t.rook(square, occupied) & self.straight[square];
        }
        if self.has & DIAGONAL != 0 {
            to |= t.bishop(square, occupied) & self.diagonal[square];
        }
        if self.has & RARE != 0 {
            to |= self.rare_from(t, square, occupied);
        }
        to
    }

    fn rare_from(&self, t: &Tables, square: usize, occupied: Bits) -> Bits {
        let mut to = 0;
        if self.has & HOP != 0 {
            // Beyond the first piece of each line, up to the second.
            let far = |line: fn(&Tables, usize, Bits) -> Bits| {
                let near = line(t, square, occupied);
                line(t, square, occupied & !near) & !near
            };
            to |= (far(Tables::rook) | far(Tables::bishop)) & self.hop[square];
        }
        if self.has & BEHIND != 0 {
            to |= squares(self.behind[square])
                .filter(|&target| is_behind(t, square, target, occupied))
                .fold(0, |bits, target| bits | 1 << target);
        }
        for &(target, way) in self.oblique.of(square) {
            if occupied & way == 0 {
                to |= target;
            }
        }
        to
    }
}

/// True if the one piece between `from` and `to` stands next to `to`.
fn is_behind(t: &Tables, from: usize, to: usize, occupied: Bits) -> bool {
    let way = t.between[from][to];
    let last = way & t.king[to];
    way & occupied == last
}

/// The movement of one kind of one side.
#[derive(Clone, Debug)]
pub(super) struct Kinematics {
    /// Moves to empty squares, first steps included.
    pub(super) moves: Reach,
    /// Captures.
    pub(super) captures: Reach,
    /// Captures in passing.
    pub(super) passing: Option<Box<Reach>>,
    /// The squares from which each square is attacked.
    pub(super) attackers: Reach,
    /// True if moves and captures are alike.
    pub(super) same: bool,
    /// The squares that a first step of two squares reaches from each square, and no other move, if the square between
    /// is empty: such a step can be captured in passing.
    pub(super) double: Option<Box<[Bits; 64]>>,
}

impl Kinematics {
    fn new(movement: &Movement, side: Side) -> Self {
        let marks: Vec<_> = movement.marks().collect();
        let of = |wanted: &[Use], turned: bool| {
            let list = marks
                .iter()
                .filter(|mark| wanted.contains(&mark.purpose))
                .map(|mark| (mark.offset, mark.how, mark.purpose == Use::FirstStep));
            compile(movement, list, side, turned)
        };
        let captures = of(&[Use::Capture], false);
        let moves = of(&[Use::Move, Use::FirstStep], false);
        let has = |purpose| marks.iter().any(|mark| mark.purpose == purpose);
        let same = !has(Use::FirstStep)
            && marks.iter().all(|mark| {
                let other = match mark.purpose {
                    Use::Move => Use::Capture,
                    Use::Capture => Use::Move,
                    _ => return true,
                };
                movement.reaches(mark.offset, other, mark.how)
            });
        Self {
            attackers: of(&[Use::Capture], true),
            passing: has(Use::Passing).then(|| Box::new(of(&[Use::Passing], false))),
            double: has(Use::FirstStep).then(|| Box::new(double_steps(movement, side))),
            moves,
            captures,
            same,
        }
    }

    /// The squares that a piece on `square` can move to or capture on, if its king did not matter.
    #[inline]
    pub(super) fn targets(&self, t: &Tables, square: usize, own: Bits, enemy: Bits) -> Bits {
        let occupied = own | enemy;
        let captures = self.captures.from(t, square, occupied);
        if self.same {
            captures & !own
        } else {
            (captures & enemy) | (self.moves.from(t, square, occupied) & !occupied)
        }
    }
}

fn turned((dx, dy): Offset) -> Offset {
    (-dx, -dy)
}

/// The offset on the board, for a side.
fn for_side(offset: Offset, side: Side) -> Offset {
    match side {
        Side::First => offset,
        Side::Second => turned(offset),
    }
}

const fn second_rank(side: Side) -> usize {
    match side {
        Side::First => 1,
        Side::Second => 6,
    }
}

/// First steps of two squares, straight or diagonal, that no other move makes when the square between is empty.
fn double_steps(movement: &Movement, side: Side) -> [Bits; 64] {
    let empty_between = [How::Leap, How::Slide];
    let mut double = [0; 64];
    for dx in [-2, 0, 2] {
        for dy in [-2, 0, 2] {
            let offset = (dx, dy);
            let by = |purpose| {
                empty_between
                    .iter()
                    .any(|&how| movement.reaches(offset, purpose, how))
            };
            if !by(Use::FirstStep) || by(Use::Move) {
                continue;
            }
            let (dx, dy) = for_side(offset, side);
            for from in (0..8).map(|file| second_rank(side) * 8 + file) {
                if let Some(to) = step(from, dx, dy) {
                    double[from] |= 1 << to;
                }
            }
        }
    }
    double
}

/// Compiles the squares that are reached from each square, or (`reversed`) those from which it is reached.
fn compile(
    movement: &Movement,
    list: impl Iterator<Item = (Offset, How, bool)>,
    side: Side,
    reversed: bool,
) -> Reach {
    let mut reach = Reach::NONE;
    let mut oblique: Vec<(usize, Bits, Bits)> = Vec::new();
    for (offset, how, first_step) in list {
        let (dx, dy) = for_side(offset, side);
        let straight = dx == 0 || dy == 0;
        let on_line = straight || dx.abs() == dy.abs();
        let sliding = |at: Offset| {
            [Use::Move, Use::Capture]
                .iter()
                .any(|&purpose| movement.reaches(at, purpose, How::Slide))
        };
        // A single step belongs to its slide if there is one.
        let how = match how {
            How::Leap if dx.abs().max(dy.abs()) == 1 && sliding((offset.0 * 2, offset.1 * 2)) => {
                How::Slide
            }
            how => how,
        };
        for from in 0..64 {
            if first_step && from / 8 != second_rank(side) {
                continue;
            }
            let Some(to) = step(from, dx, dy) else {
                continue;
            };
            let (at, reached) = if reversed { (to, from) } else { (from, to) };
            let bit = 1u64 << reached;
            let (way, flag) = match how {
                How::Leap => (&mut reach.leap, LEAP),
                How::Slide if straight => (&mut reach.straight, STRAIGHT),
                How::Slide if on_line => (&mut reach.diagonal, DIAGONAL),
                How::Slide => {
                    oblique.push((at, bit, way_of(from, dx, dy)));
                    reach.has |= OBLIQUE;
                    continue;
                }
                How::Hop => (&mut reach.hop, HOP),
                How::Behind => (&mut reach.behind, BEHIND),
            };
            way[at] |= bit;
            reach.has |= flag;
        }
    }
    if !oblique.is_empty() {
        oblique.sort_unstable();
        reach.oblique.start = (0..=64)
            .map(|square| {
                let before = oblique.iter().take_while(|(at, ..)| *at < square).count();
                u16::try_from(before).unwrap_or(u16::MAX)
            })
            .collect();
        reach.oblique.list = oblique.into_iter().map(|(_, to, way)| (to, way)).collect();
    }
    reach
}

/// The squares that must be empty on a knight's way: beside it for one leap (a lame one), else
/// those of the leaps before.
fn way_of(from: usize, dx: i8, dy: i8) -> Bits {
    let leaps = dx.abs().min(dy.abs());
    let mut way = 0;
    let mut add = |dx, dy| {
        if let Some(square) = step(from, dx, dy) {
            way |= 1 << square;
        }
    };
    if leaps == 1 {
        add(dx / 2, dy / 2);
    }
    for leap in 1..leaps {
        add(dx / leaps * leap, dy / leaps * leap);
    }
    way
}

/// The rules in force on a board.
#[derive(Clone, Debug)]
pub struct Ruleset {
    movements: [Arc<Movement>; 5],
    pub(super) compiled: [Arc<[Kinematics; 2]>; 5],
    pub(super) promotions: Promotions,
    pub(super) promotion_count: u32,
    /// True if pawns move as in ordinary chess.
    pub(super) plain_pawns: bool,
    /// The worth of each kind to the computer player.
    pub(super) worth: [i32; 6],
}

impl PartialEq for Ruleset {
    fn eq(&self, other: &Self) -> bool {
        self.promotions == other.promotions
            && self
                .movements
                .iter()
                .zip(&other.movements)
                .all(|(a, b)| Arc::ptr_eq(a, b) || a.to_string() == b.to_string())
    }
}

impl Ruleset {
    /// The rules of ordinary chess, compiled once.
    ///
    /// # Panics
    /// Never: the movements are known to be right.
    #[must_use]
    pub fn ordinary() -> Arc<Self> {
        static ORDINARY: std::sync::LazyLock<Arc<Ruleset>> = std::sync::LazyLock::new(|| {
            let movements = Kind::CHANGEABLE.map(ordinary_movement);
            Arc::new(Ruleset {
                compiled: movements.each_ref().map(|movement| compile_both(movement)),
                movements,
                promotions: Promotions::ALL,
                promotion_count: 4,
                plain_pawns: true,
                worth: WORTH,
            })
        });
        ORDINARY.clone()
    }

    /// The movement of `kind`; `None` for the king, who always moves like a king.
    #[must_use]
    pub fn movement(&self, kind: Kind) -> Option<&Movement> {
        self.movements.get(kind as usize).map(Arc::as_ref)
    }

    /// The kinds to which a pawn may promote.
    #[must_use]
    pub fn promotions(&self) -> Promotions {
        self.promotions
    }

    /// True if `kind` moves as in ordinary chess.
    #[must_use]
    pub fn is_ordinary(&self, kind: Kind) -> bool {
        let ordinary = Self::ordinary();
        match (self.movement(kind), ordinary.movement(kind)) {
            (Some(now), Some(then)) => std::ptr::eq(now, then) || now == then,
            _ => true,
        }
    }

    /// These rules with another movement for `kind` (not the king).
    #[must_use]
    pub fn with_movement(&self, kind: Kind, movement: Movement) -> Self {
        let compiled = compile_both(&movement);
        self.with_compiled(kind, Arc::new(movement), compiled)
    }

    /// These rules with the movement that `kind` (not the king) has in others, where it was compiled.
    pub(super) fn with_movement_of(&self, kind: Kind, other: &Self) -> Self {
        let index = kind as usize;
        match (other.movements.get(index), other.compiled.get(index)) {
            (Some(movement), Some(compiled)) => {
                self.with_compiled(kind, Arc::clone(movement), Arc::clone(compiled))
            }
            _ => self.clone(),
        }
    }

    fn with_compiled(
        &self,
        kind: Kind,
        movement: Arc<Movement>,
        compiled: Arc<[Kinematics; 2]>,
    ) -> Self {
        let mut rules = self.clone();
        let index = kind as usize;
        if index < rules.movements.len() {
            rules.compiled[index] = compiled;
            rules.movements[index] = movement;
            rules.plain_pawns = rules.is_ordinary(Kind::Pawn);
            rules.worth[index] = rules.worth_of(kind);
        }
        rules
    }

    /// These rules with another promotion set.
    #[must_use]
    pub fn with_promotions(&self, promotions: Promotions) -> Self {
        Self {
            promotions,
            promotion_count: promotions.kinds().map(|_| 1).sum(),
            ..self.clone()
        }
    }

    /// Every kind whose movement differs from ordinary chess, by its letter, with its Betza text;
    /// a restricted promotion set under `=`.
    #[must_use]
    pub fn differences(&self) -> Vec<(String, String)> {
        let mut list: Vec<(String, String)> = Kind::CHANGEABLE
            .into_iter()
            .filter(|&kind| !self.is_ordinary(kind))
            .filter_map(|kind| Some((kind.letter().to_string(), self.movement(kind)?.to_string())))
            .collect();
        if self.promotions != Promotions::ALL {
            list.push(("=".to_owned(), self.promotions.to_string()));
        }
        list
    }

    /// Ordinary chess with the given differences, as [`Ruleset::differences`] writes them.
    ///
    /// # Errors
    /// An entry that names no kind, movement or promotion set.
    pub fn from_differences<'a>(
        list: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, NotationError> {
        let mut rules = Self::ordinary().as_ref().clone();
        for (key, value) in list {
            let mut chars = key.chars();
            match (chars.next(), chars.next()) {
                (Some('='), None) => {
                    rules = rules.with_promotions(promotions(value, 0, value)?);
                }
                (Some(c @ ('P' | 'N' | 'B' | 'R' | 'Q')), None) => {
                    let kind = Kind::from_letter(c).unwrap_or(Kind::Pawn);
                    if value.chars().count() > MOST_NOTATION {
                        let expected = "the end of the movement: at most 100 characters";
                        return Err(NotationError::new(value, MOST_NOTATION + 1, expected));
                    }
                    rules = rules.with_movement(kind, Movement::parse(value, kind.mover())?);
                }
                _ => {
                    return Err(NotationError::new(
                        key,
                        1,
                        "a kind whose movement can be changed (P, N, B, R or Q), or `=` for promotion",
                    ));
                }
            }
        }
        Ok(rules)
    }

    /// True if pieces of `side` among `attackers` attack `square` on the board `kinds`.
    #[inline]
    pub(super) fn attacked(
        &self,
        t: &Tables,
        square: usize,
        occupied: Bits,
        kinds: &[Bits; 6],
        side: Side,
        attackers: Bits,
    ) -> bool {
        if t.king[square] & kinds[Kind::King as usize] & attackers != 0 {
            return true;
        }
        let (mut straight, mut diagonal) = (0, 0);
        let mut rare = 0;
        for (compiled, pieces) in self.compiled.iter().zip(kinds) {
            let reach = &compiled[side.index()].attackers;
            let pieces = pieces & attackers;
            if reach.leap[square] & pieces != 0 {
                return true;
            }
            if reach.has & STRAIGHT != 0 {
                straight |= reach.straight[square] & pieces;
            }
            if reach.has & DIAGONAL != 0 {
                diagonal |= reach.diagonal[square] & pieces;
            }
            rare |= reach.has & RARE;
        }
        (straight != 0 && t.rook(square, occupied) & straight != 0)
            || (diagonal != 0 && t.bishop(square, occupied) & diagonal != 0)
            || (rare != 0 && self.attacked_rarely(t, square, occupied, kinds, side, attackers))
    }

    fn attacked_rarely(
        &self,
        t: &Tables,
        square: usize,
        occupied: Bits,
        kinds: &[Bits; 6],
        side: Side,
        attackers: Bits,
    ) -> bool {
        self.compiled.iter().zip(kinds).any(|(compiled, pieces)| {
            let reach = &compiled[side.index()].attackers;
            let pieces = pieces & attackers;
            reach.has & RARE != 0
                && pieces != 0
                && (squares(reach.hop[square] & pieces)
                    .any(|from| (t.between[square][from] & occupied).is_power_of_two())
                    || squares(reach.behind[square] & pieces)
                        .any(|from| is_behind(t, from, square, occupied))
                    || reach
                        .oblique
                        .of(square)
                        .iter()
                        .any(|&(from, way)| from & pieces != 0 && way & occupied == 0))
        })
    }

    /// The danger of the pieces `enemy` of `side` for the king on `square`.
    #[inline]
    pub(super) fn danger(
        &self,
        t: &Tables,
        square: usize,
        occupied: Bits,
        kinds: &[Bits; 6],
        side: Side,
        enemy: Bits,
    ) -> Danger {
        let mut danger = Danger::NONE;
        let (mut straight, mut diagonal) = (0, 0);
        let (mut leapers, mut rare) = (0, 0);
        for (compiled, pieces) in self.compiled.iter().zip(kinds) {
            let reach = &compiled[side.index()].attackers;
            let pieces = pieces & enemy;
            leapers |= reach.leap[square] & pieces;
            if reach.has & STRAIGHT != 0 {
                straight |= reach.straight[square] & pieces;
            }
            if reach.has & DIAGONAL != 0 {
                diagonal |= reach.diagonal[square] & pieces;
            }
            rare |= reach.has & RARE;
        }
        let own = occupied & !enemy;
        if leapers != 0 {
            danger.check = true;
            danger.answers = if leapers.is_power_of_two() {
                leapers
            } else {
                0
            };
        }
        for from in squares(straight | diagonal) {
            danger.slide(1 << from, t.between[square][from], occupied, own);
        }
        if rare != 0 {
            self.rare_danger(t, square, occupied, kinds, side, enemy, &mut danger);
        }
        danger
    }

    #[expect(clippy::too_many_arguments)] // the same as of `danger`, of which it is a part
    fn rare_danger(
        &self,
        t: &Tables,
        square: usize,
        occupied: Bits,
        kinds: &[Bits; 6],
        side: Side,
        enemy: Bits,
        danger: &mut Danger,
    ) {
        let own = occupied & !enemy;
        for (compiled, pieces) in self.compiled.iter().zip(kinds) {
            let reach = &compiled[side.index()].attackers;
            let pieces = pieces & enemy;
            if reach.has & RARE == 0 || pieces == 0 {
                continue;
            }
            for from in squares(reach.hop[square] & pieces) {
                let way = t.between[square][from];
                match (way & occupied).count_ones() {
                    0 => danger.entering |= way,
                    1 => danger.hopped(),
                    2 => danger.leaving |= way & own,
                    _ => {}
                }
            }
            for from in squares(reach.behind[square] & pieces) {
                let way = t.between[square][from];
                let last = way & t.king[square];
                let rest = way & !last & occupied;
                match (rest.count_ones(), last & occupied != 0) {
                    (0, true) => danger.hopped(),
                    (0, false) => danger.entering |= last,
                    (1, _) => danger.leaving |= rest & own,
                    _ => {}
                }
            }
            for &(from, way) in reach.oblique.of(square) {
                if from & pieces != 0 {
                    danger.slide(from, way, occupied, own);
                }
            }
        }
    }
}

/// The danger of the other side's pieces for a king.
pub(super) struct Danger {
    /// True if the king is attacked.
    pub(super) check: bool,
    /// The squares where a move of another piece must end to answer every attack; meaningful only if `exact`.
    pub(super) answers: Bits,
    /// True if `answers` says all; else each move has to be tried.
    pub(super) exact: bool,
    /// The king's own pieces that uncover it if they leave, perhaps.
    pub(super) leaving: Bits,
    /// Squares that expose the king if they are entered.
    pub(super) entering: Bits,
}

impl Danger {
    const NONE: Self = Self {
        check: false,
        answers: !0,
        exact: true,
        leaving: 0,
        entering: 0,
    };

    #[inline]
    fn slide(&mut self, from: Bits, way: Bits, occupied: Bits, own: Bits) {
        let blockers = way & occupied;
        if blockers == 0 {
            self.check = true;
            self.answers &= from | way;
        } else if blockers.is_power_of_two() {
            self.leaving |= blockers & own;
        }
    }

    fn hopped(&mut self) {
        self.check = true;
        self.exact = false;
    }
}

fn ordinary_movement(kind: Kind) -> Arc<Movement> {
    let movement = Movement::parse(kind.ordinary(), kind.mover());
    Arc::new(movement.unwrap_or_else(|error| unreachable!("{error}")))
}

fn compile_both(movement: &Movement) -> Arc<[Kinematics; 2]> {
    Arc::new(Side::ALL.map(|side| Kinematics::new(movement, side)))
}
