//! The computer player's estimate of a position: pieces, and a little of their places.

use super::bits::{Bits, squares, tables};
use super::board::Board;
use super::kind::Kind;
use super::ruleset::{Reach, Ruleset, WORTH};
use crate::rules::Side;

/// The worth of a changed piece for each square that it reaches from the middle.
const REACHED: i32 = 36;
/// The middle of the board, and its four inmost squares.
const MIDDLE: Bits = 0x0000_3c3c_3c3c_0000;
const INMOST: Bits = 0x0000_0018_1800_0000;
/// The worth of a pawn's advance, by rank.
const ADVANCED: [i32; 8] = [0, 0, 2, 6, 14, 30, 60, 0];
/// A side whose pieces are worth less has its king driven to the edge.
const FEW: i32 = 1300;

impl Ruleset {
    /// The worth of a piece of `kind`.
    pub(super) fn worth_of(&self, kind: Kind) -> i32 {
        if self.is_ordinary(kind) {
            return WORTH[kind as usize];
        }
        let [first, _] = self.compiled[kind as usize].as_ref();
        let reached: u32 = squares(INMOST)
            .map(|square| {
                let reached = |reach: &Reach| reach.from(tables(), square, 0).count_ones();
                reached(&first.moves) + reached(&first.captures)
            })
            .sum();
        // Four squares, moves and captures.
        REACHED * reached.cast_signed() / 8 + 10
    }
}

impl Board {
    /// The value of the position for the side to move, in hundredths of a pawn.
    pub(super) fn estimate(&self, rules: &Ruleset) -> i32 {
        let pieces = |side: Side| -> i32 {
            (self.kinds.iter().zip(rules.worth))
                .map(|(kind, worth)| worth * count(kind & self.sides[side.index()]))
                .sum()
        };
        let (own, other) = (pieces(self.side), pieces(self.side.other()));
        own - other + self.places(self.side, other) - self.places(self.side.other(), own)
    }

    /// The worth of the places of `side`'s pieces; the other side's pieces are worth `other`.
    fn places(&self, side: Side, other: i32) -> i32 {
        let us = self.sides[side.index()];
        let [pawns, knights, bishops, _, _, kings] = self.kinds;
        let light = (knights | bishops) & us;
        let mut sum = 8 * count(light & MIDDLE) + 6 * count((light | (pawns & us)) & INMOST);
        for (rank, gain) in (0..8).zip(ADVANCED) {
            let from_behind = match side {
                Side::First => rank,
                Side::Second => 7 - rank,
            };
            sum += gain * count(pawns & us & (0xff << (8 * from_behind)));
        }
        let king = |kings: Bits| (kings != 0).then(|| kings.trailing_zeros().cast_signed());
        if other < FEW
            && let (Some(own), Some(driven)) = (king(kings & us), king(kings & !us))
        {
            let (col, row) = (driven % 8, driven / 8);
            let from_middle = (2 * col - 7).abs() + (2 * row - 7).abs();
            let apart = (own % 8 - col).abs().max((own / 8 - row).abs());
            sum += 5 * from_middle - 6 * apart;
        } else {
            // The king does not fight yet.
            sum -= 12 * count(kings & us & MIDDLE);
        }
        sum
    }
}

fn count(bits: Bits) -> i32 {
    bits.count_ones().cast_signed()
}
