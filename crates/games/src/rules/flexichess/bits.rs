//! Sets of squares as bits, and the tables of the squares that line pieces reach.
//!
//! Rook and bishop lines are looked up with magic multiplication ("fancy magic bitboards"); the
//! multipliers were found once by random search and stand below. The tables are filled at first use.

use std::sync::LazyLock;

/// A set of squares: bit 0 is a1, bit 7 h1, bit 63 h8.
pub type Bits = u64;

/// The squares of `bits`, from a1 on.
pub fn squares(mut bits: Bits) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if bits == 0 {
            return None;
        }
        let square = bits.trailing_zeros() as usize;
        bits &= bits - 1;
        Some(square)
    })
}

/// The square `(dx, dy)` away from `square`, if it is on the board.
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // below 8, and checked to be at least 0
pub const fn step(square: usize, dx: i8, dy: i8) -> Option<usize> {
    let (x, y) = ((square % 8) as i8 + dx, (square / 8) as i8 + dy);
    if 0 <= x && x < 8 && 0 <= y && y < 8 {
        Some(y as usize * 8 + x as usize)
    } else {
        None
    }
}

struct Magic {
    mask: Bits,
    multiplier: u64,
    shift: u32,
    offset: usize,
}

/// Everything that is looked up by square.
pub struct Tables {
    rook: [Magic; 64],
    bishop: [Magic; 64],
    lines: Vec<Bits>,
    /// The squares strictly between two squares of one rank, file or diagonal.
    pub between: Vec<[Bits; 64]>,
    /// The squares next to a square.
    pub king: [Bits; 64],
}

const ROOK_RAYS: [(i8, i8); 4] = [(0, 1), (0, -1), (1, 0), (-1, 0)];
const BISHOP_RAYS: [(i8, i8); 4] = [(1, 1), (-1, 1), (1, -1), (-1, -1)];

/// The tables, filled at first use.
pub fn tables() -> &'static Tables {
    static TABLES: LazyLock<Box<Tables>> = LazyLock::new(|| Box::new(Tables::new()));
    &TABLES
}

impl Tables {
    fn new() -> Self {
        let mut lines = Vec::new();
        let rook = magics(&ROOK_MULTIPLIERS, ROOK_RAYS, &mut lines);
        let bishop = magics(&BISHOP_MULTIPLIERS, BISHOP_RAYS, &mut lines);
        let mut between = vec![[0; 64]; 64];
        let mut king = [0; 64];
        for square in 0..64 {
            for (dx, dy) in ROOK_RAYS.into_iter().chain(BISHOP_RAYS) {
                let (mut way, mut at) = (0, step(square, dx, dy));
                if let Some(next) = at {
                    king[square] |= 1 << next;
                }
                while let Some(to) = at {
                    between[square][to] = way;
                    way |= 1 << to;
                    at = step(to, dx, dy);
                }
            }
        }
        Self {
            rook,
            bishop,
            lines,
            between,
            king,
        }
    }

    /// The squares that a rook on `square` reaches, the first piece on each line included.
    #[inline]
    pub fn rook(&self, square: usize, occupied: Bits) -> Bits {
        self.lines[self.rook[square].index(occupied)]
    }

    /// The squares that a bishop on `square` reaches, the first piece on each line included.
    #[inline]
    pub fn bishop(&self, square: usize, occupied: Bits) -> Bits {
        self.lines[self.bishop[square].index(occupied)]
    }
}

impl Magic {
    #[inline]
    fn index(&self, occupied: Bits) -> usize {
        #[expect(clippy::cast_possible_truncation)] // at most 12 bits are left
        let hash = ((occupied & self.mask).wrapping_mul(self.multiplier) >> self.shift) as usize;
        self.offset + hash
    }
}

fn ray(square: usize, occupied: Bits, (dx, dy): (i8, i8)) -> Bits {
    let (mut reached, mut at) = (0, step(square, dx, dy));
    while let Some(to) = at {
        reached |= 1 << to;
        at = if occupied & 1 << to == 0 {
            step(to, dx, dy)
        } else {
            None
        };
    }
    reached
}

fn magics(multipliers: &[u64; 64], rays: [(i8, i8); 4], lines: &mut Vec<Bits>) -> [Magic; 64] {
    std::array::from_fn(|square| {
        // The last square of a line never blocks anything.
        let mask: Bits = rays.into_iter().fold(0, |mask, (dx, dy)| {
            let line = ray(square, 0, (dx, dy));
            let inner = squares(line).filter(|&to| step(to, dx, dy).is_some());
            mask | inner.fold(0, |bits, to| bits | 1 << to)
        });
        let bits = mask.count_ones();
        let magic = Magic {
            mask,
            multiplier: multipliers[square],
            shift: 64 - bits,
            offset: lines.len(),
        };
        lines.resize(lines.len() + (1 << bits), 0);
        let mut occupied: Bits = 0;
        loop {
            lines[magic.index(occupied)] = rays
                .into_iter()
                .fold(0, |all, r| all | ray(square, occupied, r));
            occupied = occupied.wrapping_sub(mask) & mask;
            if occupied == 0 {
                return magic;
            }
        }
    })
}

#[rustfmt::skip]
const ROOK_MULTIPLIERS: [u64; 64] = [
    0x2b80_0014_4000_8020, 0x00c0_08c0_2000_9000, 0x4100_2000_1100_0840, 0x0100_0410_0020_0900,
    0x5880_2400_6280_0800, 0x0100_0804_0001_0002, 0x0880_4100_0200_0080, 0xa600_0821_0880_4402,
    0x0090_8000_4000_2099, 0x2804_8020_0040_0888, 0x0280_8020_0080_1000, 0x0001_0010_0008_2100,
    0x0000_8080_0800_0400, 0x0800_8080_0400_0200, 0x0101_0004_0200_0100, 0x0006_0000_8104_004a,
    0x0480_0040_4000_2000, 0xa040_8080_2000_4002, 0x0002_0200_2010_4484, 0x0040_4200_0810_2200,
    0x0000_8080_0800_0400, 0x0200_0801_0440_2010, 0x0c00_8400_1082_0801, 0x0002_0200_0400_a549,
    0x4240_4000_8020_8000, 0x80a1_0081_0020_4000, 0x0100_2082_0042_0010, 0x6000_1000_8008_0082,
    0x0106_0800_8004_0080, 0x0000_0400_8080_0200, 0x0210_0401_0100_0200, 0x0006_0242_0014_00a3,
    0x1280_0020_0040_4000, 0x0000_2000_4040_1008, 0x089c_8200_4200_2010, 0x8000_8008_0080_1000,
    0x0000_8008_0080_0402, 0x0002_0009_a200_1004, 0x0020_0102_0400_9008, 0x0040_0054_0e00_1085,
    0x0002_6188_4000_8008, 0x0000_4420_1005_4002, 0x0001_0040_2001_0010, 0x0006_1108_4202_0020,
    0x0004_0008_0202_8080, 0x0006_0010_2004_0400, 0x0101_00c2_0021_0004, 0x0042_0081_0042_0004,
    0x0000_8000_4000_2080, 0x0000_2001_c000_8280, 0x2001_2002_1000_8880, 0x9020_1000_8008_0080,
    0x8011_4800_5100_0500, 0x0612_0024_0080_0280, 0x00c8_8102_1068_0400, 0x2000_0040_8104_2200,
    0x0401_0020_1040_8001, 0x0200_2081_0010_4202, 0x0020_0010_4208_2101, 0x4081_0004_1001_2109,
    0x1002_0008_1004_2002, 0x0029_0008_0400_0201, 0x2000_2205_1008_048c, 0x0000_0701_2400_4982,
];

#[rustfmt::skip]
const BISHOP_MULTIPLIERS: [u64; 64] = [
    0x8004_5052_1604_0810, 0x0802_2448_2881_0014, 0x0050_0450_4240_0021, 0x2004_1042_1200_0000,
    0x8622_0210_0030_0080, 0x5001_0420_0440_0802, 0x0004_0118_0232_0804, 0x0082_4108_0090_0400,
    0x1002_4228_010c_0080, 0x3000_0808_2080_8202, 0x8005_b0b0_8981_0004, 0x4c04_8404_0084_0000,
    0x4240_0202_1000_0200, 0x1205_0844_5004_0008, 0x0108_0090_8808_4012, 0x2008_0029_0808_0420,
    0x32a0_8104_0810_0100, 0x0018_00a0_01e4_0080, 0x0002_0034_002c_0300, 0x0084_0808_0920_600a,
    0x0c12_00d4_0121_4290, 0x0811_0102_0128_8200, 0xa100_4012_884c_1000, 0x0440_200a_0082_0893,
    0x24e1_0400_0868_0800, 0x0864_1000_0411_a800, 0x8408_0208_0104_0100, 0x4001_0800_140a_00a0,
    0x0806_9400_1080_2008, 0x3044_0100_1890_0089, 0x4001_0100_1044_5024, 0x0009_0202_0100_9892,
    0x4002_9040_4150_1260, 0x0440_8821_0088_5200, 0x0082_0222_0010_2080, 0x0802_0100_4004_0040,
    0x0120_0200_8048_6480, 0x0022_0202_0004_1046, 0x00cc_150c_1000_5418, 0x0508_0109_0000_2080,
    0x0101_1008_2106_8488, 0x8840_4208_2000_0440, 0x0002_1201_1000_0100, 0x0a04_0142_0800_8080,
    0x1040_0401_0c00_0200, 0x0008_1040_8088_2600, 0x4010_2400_8080_442c, 0x3110_1220_8024_4102,
    0x0004_1088_0410_0040, 0x0011_0882_0120_0040, 0x0040_0208_8404_0002, 0x0200_5001_0848_0104,
    0x0520_0040_0292_0300, 0x0000_1202_1001_0002, 0x2484_0810_4400_a040, 0x0050_8429_0042_0040,
    0x881a_0080_4110_5081, 0x0100_0028_8404_2105, 0x0002_1001_0048_1210, 0x2200_8110_0642_1208,
    0x0440_2001_2082_0488, 0x2091_4020_204a_0220, 0x00c0_0908_0810_9400, 0x0008_10c1_0044_0080,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_that_a_walk_finds() {
        let mut noise: u64 = 0x9e37_79b9_7f4a_7c15;
        for round in 0..20_000 {
            noise ^= noise << 13;
            noise ^= noise >> 7;
            noise ^= noise << 17;
            let (square, occupied) = (round % 64, noise & noise.rotate_left(23));
            let walk = |rays: [(i8, i8); 4]| {
                rays.into_iter()
                    .fold(0, |all, r| all | ray(square, occupied, r))
            };
            assert_eq!(tables().rook(square, occupied), walk(ROOK_RAYS));
            assert_eq!(tables().bishop(square, occupied), walk(BISHOP_RAYS));
        }
    }
}
