//! Counting turns fast: the last ply is counted without making its turns.
//!
//! The number of a side's turns is a sum over the cells that are not its own, and each summand depends only on the
//! roles that may land there. Those are the four 16-bit *lanes* of a `u64`, one a role, so that one addition counts for
//! all roles. The share of the side's own pieces ([`Replies`]) stays the same over all turns of the other side that
//! capture nothing; those turns change up to three cells of the [`Field`].

use super::{Carry, Cell, DIRECTIONS, PLACES, Pijersi, Role, Turn, Unit, goal_of};
use crate::rules::{Rules, Side};

/// Four 16-bit lanes, one a role.
type Lanes = u64;

/// 1 in every lane.
const ONES: Lanes = 0x0001_0001_0001_0001;
/// Every bit of every lane.
const ALL: Lanes = Lanes::MAX;

impl Pijersi {
    /// The number of sequences of `depth` turns.
    pub(super) fn count(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        if self.has_goal(Side::First) || self.has_goal(Side::Second) {
            return 0;
        }
        match depth {
            1 => Replies::new(self, self.to_move).count(&Field::new(self, self.to_move)),
            2 => two_plies(self),
            _ => {
                let mut total = 0;
                self.each_turn(|turn| {
                    let mut next = *self;
                    next.play_unchecked(&turn);
                    total += next.count(depth - 1);
                });
                total
            }
        }
    }
}

fn two_plies(position: &Pijersi) -> u64 {
    let other = position.to_move.other();
    let replies = Replies::new(position, other);
    let mut field = Field::new(position, other);
    let mut total = 0;
    position.each_turn(|turn| {
        if turn.captures() {
            let mut next = *position;
            next.play_unchecked(&turn);
            if !next.has_goal(position.to_move) {
                total += Replies::new(&next, other).count(&Field::new(&next, other));
            }
        } else if let Some(changes) = Changes::of(position, turn) {
            let before = field.apply(&changes);
            total += replies.count(&field);
            field.restore(&changes, &before);
        }
    });
    total
}

/// The up to three cells that a turn without a capture changes, each with the role on top, if any. Later entries hold
/// where a cell occurs twice.
struct Changes([(Cell, Option<Role>); 3]);

impl Changes {
    /// The changes that `turn` makes; `None` if it wins.
    fn of(position: &Pijersi, turn: Turn) -> Option<Self> {
        let Unit { side, top, under } = position.unit(turn.from)?;
        let wins = |cell: Cell, role| role != Role::Wise && cell.row() == goal_of(side);
        let (first, last) = (turn.first.to, turn.last());
        let (left, middle) = match turn.carry {
            // Where a built stack moves on, the cell it was built on is empty in the end.
            Carry::Cube => (under, None),
            Carry::Stack => (None, under),
        };
        if wins(last, top) || (turn.second.is_some() && middle.is_some_and(|r| wins(first, r))) {
            return None;
        }
        Some(Self([
            (turn.from, left),
            (first, middle),
            (last, Some(top)),
        ]))
    }
}

/// The board from the view of the side whose turns are counted.
struct Field {
    /// The roles that may land on a cell that is not the side's own, by moving or by capturing: whole lanes.
    land: [Lanes; PLACES],
    /// All bits where the cell is empty.
    pass: [Lanes; PLACES],
}

impl Field {
    fn new(position: &Pijersi, side: Side) -> Self {
        let mut field = Self {
            land: [0; PLACES],
            pass: [0; PLACES],
        };
        for cell in Cell::all() {
            let i = cell.index();
            (field.land[i], field.pass[i]) = match position.unit(cell) {
                Some(unit) if unit.side == side => (0, 0),
                unit => Self::spot(unit.map(|unit| unit.top)),
            };
        }
        field
    }

    /// The two entries of a cell that is empty or shows the other side's `role`.
    fn spot(role: Option<Role>) -> (Lanes, Lanes) {
        match role {
            None => (ALL, ALL),
            Some(role) => (role.captor().map_or(0, |captor| 0xffff << shift(captor)), 0),
        }
    }

    fn apply(&mut self, changes: &Changes) -> [(Lanes, Lanes); 3] {
        changes.0.map(|(cell, role)| {
            let i = cell.index() % PLACES;
            let before = (self.land[i], self.pass[i]);
            (self.land[i], self.pass[i]) = Self::spot(role);
            before
        })
    }

    fn restore(&mut self, changes: &Changes, before: &[(Lanes, Lanes); 3]) {
        for ((cell, _), before) in changes.0.iter().zip(before).rev() {
            let i = cell.index() % PLACES;
            (self.land[i], self.pass[i]) = *before;
        }
    }
}

const fn shift(role: Role) -> u32 {
    16 * role as u32
}

const fn lane(lanes: Lanes, shift: u32) -> u64 {
    (lanes >> shift) & 0xffff
}

/// The place reached from `place` by a step. It may be no cell.
const fn step(place: usize, direction: u8) -> usize {
    (place + direction as usize) % PLACES
}

/// The share of one side's pieces in the number of its turns, whatever the other side does without capturing.
struct Replies {
    /// Cube moves that build a stack, and those stacks going back to the cell of a single cube.
    fixed: u64,
    /// The number of turns, by the role that moves, for a cell that the role may land on.
    near: [Lanes; PLACES],
    /// Stacks that stand or can be built, and go two cells.
    far: Vec<Far>,
    /// Stacks that stand: their place, and the shift of their role's lane.
    stacks: Vec<(usize, u32)>,
    /// The number of neighbours of a cell on which a cube of each role may build a stack.
    builds: [Lanes; PLACES],
}

/// A place from which stacks go two cells, with their number for each role.
struct Far {
    place: usize,
    /// The number of stacks, in binary: the whole lanes of the roles in whose number the bit is set.
    bits: [Lanes; 3],
}

impl Replies {
    fn new(position: &Pijersi, side: Side) -> Self {
        let mut replies = Self {
            fixed: 0,
            near: [0; PLACES],
            far: Vec::with_capacity(16),
            stacks: Vec::with_capacity(8),
            builds: [0; PLACES],
        };
        let own = |place: usize| position.board[place].filter(|unit| unit.side == side);
        // The number of stacks of each role that may start from a place, as they stand or once built.
        let mut stacks = [0; PLACES];
        for from in Cell::all() {
            let place = from.index();
            let Some(Unit { top, under, .. }) = own(place) else {
                continue;
            };
            let (single, one) = (under.is_none(), 1 << shift(top));
            if single {
                let may_lie = Role::ALL.into_iter().filter(|role| role.lies_on(top));
                let lanes = may_lie.map(|role| 1 << shift(role)).sum::<Lanes>();
                for d in DIRECTIONS {
                    replies.builds[step(place, d)] += lanes;
                }
            } else {
                stacks[place] += one;
                replies.stacks.push((place, shift(top)));
            }
            for d in DIRECTIONS {
                let to = step(place, d);
                replies.near[to] += one;
                let builds = own(to).is_some_and(|u| u.under.is_none() && top.lies_on(u.top));
                if builds {
                    replies.fixed += 1;
                    stacks[to] += one;
                    if single {
                        // The stack may go back to where the cube came from, or beyond.
                        replies.fixed += 1;
                        replies.near[step(place, 64 - d)] += one;
                    }
                }
            }
        }
        for (place, lanes) in stacks
            .into_iter()
            .enumerate()
            .filter(|(_, lanes)| *lanes != 0)
        {
            for d in DIRECTIONS {
                replies.near[step(place, d)] += lanes;
            }
            let bits = [0, 1, 2].map(|bit| ((lanes >> bit) & ONES) * 0xffff);
            replies.far.push(Far { place, bits });
        }
        replies
    }

    /// The number of turns.
    fn count(&self, field: &Field) -> u64 {
        let mut lanes: Lanes = 0;
        for (near, land) in self.near.iter().zip(&field.land) {
            lanes = lanes.wrapping_add(near & land);
        }
        for Far { place, bits } in &self.far {
            let mut reached: Lanes = 0;
            for d in DIRECTIONS {
                let over = step(*place, d);
                reached += field.pass[over] & field.land[step(over, d)] & ONES;
            }
            lanes += (reached & bits[0]) + ((reached & bits[1]) << 1) + ((reached & bits[2]) << 2);
        }
        let mut total = self.fixed;
        for role in Role::ALL {
            total += lane(lanes, shift(role));
        }
        for &(place, shift) in &self.stacks {
            total += self.unstacking(field, place, shift);
        }
        total
    }

    /// The turns in which the stack on `place` moves and then its top does.
    fn unstacking(&self, field: &Field, place: usize, shift: u32) -> u64 {
        let mut total = 0;
        for d in DIRECTIONS {
            let next = step(place, d);
            // The cell that the stack has left is free for its top.
            let after = self.top_moves(field, next, shift) + 1;
            total += lane(field.land[next], shift) & after;
            let beyond = step(next, d);
            let open = field.pass[next] & field.land[beyond];
            if open != 0 {
                total += lane(open, shift) & self.top_moves(field, beyond, shift);
            }
        }
        total
    }

    /// The number of moves that a cube has from `place`.
    fn top_moves(&self, field: &Field, place: usize, shift: u32) -> u64 {
        let mut lanes = self.builds[place];
        for d in DIRECTIONS {
            lanes += field.land[step(place, d)] & ONES;
        }
        lane(lanes, shift)
    }
}
