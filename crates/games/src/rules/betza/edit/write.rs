//! Writing lines in Betza's notation, in few terms.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::super::parse::{DIAGONAL, OBLIQUE_PAIRS, STRAIGHT, diagonal, oblique};
use super::super::{Mode, Offset, UNLIMITED};
use super::{Lines, Steps, legs};

impl Lines {
    /// The lines in Betza's notation, in few terms.
    pub(super) fn text(&self) -> String {
        let mut groups: BTreeMap<Group, Vec<Offset>> = BTreeMap::new();
        for (&(mode, ray), &line) in &self.0 {
            for (uses, steps) in parts(line) {
                let group = Group {
                    legs: LEGS
                        .iter()
                        .position(|&known| known == legs(ray))
                        .unwrap_or(0),
                    mode,
                    uses,
                    steps,
                };
                groups.entry(group).or_default().push(ray);
            }
        }
        let mut text = String::new();
        let mut done: Vec<Group> = Vec::new();
        for (group, rays) in &groups {
            if done.contains(group) {
                continue;
            }
            // The same uses and steps straight and diagonally are a king's or a queen's.
            if group.legs == 0 {
                let other = Group { legs: 1, ..*group };
                let dirs = groups.get(&other).and_then(|more| royal(rays, more));
                if let Some(dirs) = dirs {
                    group.write(&mut text, dirs, true);
                    done.push(other);
                    continue;
                }
            }
            group.write(&mut text, &directions(group.legs, rays), false);
        }
        if text.is_empty() {
            text.push('-');
        }
        text
    }
}

/// Legs of the atoms, in the order in which they are written.
const LEGS: [(i8, i8); 9] = [
    (0, 1),
    (1, 1),
    (1, 2),
    (0, 2),
    (2, 2),
    (0, 3),
    (1, 3),
    (2, 3),
    (3, 3),
];

/// The uses of one term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Uses {
    Both { passing: bool },
    Move { passing: bool },
    Capture { passing: bool },
    First,
}

/// The uses of a line, term by term.
fn parts([moves, captures, first, passing]: Steps) -> Vec<(Uses, u8)> {
    let mut parts = Vec::new();
    let (mut moves, mut captures) = (moves, captures);
    if passing > 0 {
        let uses = match (moves >= passing, captures >= passing) {
            (true, true) if moves == passing => Uses::Both { passing: true },
            (true, false) => Uses::Move { passing: true },
            _ => Uses::Capture { passing: true },
        };
        parts.push((uses, passing));
        if captures <= passing && !matches!(uses, Uses::Move { .. }) {
            captures = 0;
        }
        if moves <= passing && !matches!(uses, Uses::Capture { .. }) {
            moves = 0;
        }
    }
    if moves > 0 && moves == captures {
        parts.push((Uses::Both { passing: false }, moves));
    } else {
        if moves > 0 {
            parts.push((Uses::Move { passing: false }, moves));
        }
        if captures > 0 {
            parts.push((Uses::Capture { passing: false }, captures));
        }
    }
    if first > 0 {
        parts.push((Uses::First, first));
    }
    parts
}

/// The common part of the rays of one term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Group {
    /// An index of [`LEGS`].
    legs: usize,
    mode: Mode,
    uses: Uses,
    steps: u8,
}

impl Group {
    fn write(self, text: &mut String, dirs: &str, royal: bool) {
        if self.uses == Uses::First {
            text.push('i');
        }
        text.push_str(dirs);
        let (letters, passing) = match self.uses {
            Uses::Both { passing } => ("", passing),
            Uses::Move { passing } => ("m", passing),
            Uses::Capture { passing } => ("c", passing),
            Uses::First => ("m", false),
        };
        text.push_str(letters);
        if passing {
            text.push('e');
        }
        text.push_str(match self.mode {
            Mode::Plain => "",
            Mode::Hop => "p",
            Mode::Behind => "g",
            Mode::Lame => "n",
        });
        let (step, slide) = match self.legs {
            0 if royal => ('K', 'Q'),
            0 => ('W', 'R'),
            1 => ('F', 'B'),
            other => {
                let letter = ['N', 'D', 'A', 'H', 'C', 'Z', 'G'][other - 2];
                (letter, letter)
            }
        };
        match self.steps {
            1 => text.push(step),
            UNLIMITED if step == slide => text.extend([slide, slide]),
            UNLIMITED => text.push(slide),
            n => {
                text.push(slide);
                text.push_str(&n.to_string());
            }
        }
    }
}

/// The directions before K and Q that name these straight and diagonal rays together.
fn royal(straight: &[Offset], diagonal: &[Offset]) -> Option<&'static str> {
    let names = |rays: &[Offset], all: [Offset; 4], is: &dyn Fn(Offset) -> bool| {
        all.into_iter().all(|ray| rays.contains(&ray) == is(ray))
    };
    let choices: [(&'static str, [Offset; 2]); 6] = [
        ("f", [(0, 1); 2]),
        ("b", [(0, -1); 2]),
        ("l", [(-1, 0); 2]),
        ("r", [(1, 0); 2]),
        ("v", [(0, 1), (0, -1)]),
        ("s", [(-1, 0), (1, 0)]),
    ];
    if straight.len() == 4 && diagonal.len() == 4 {
        return Some("");
    }
    choices.into_iter().find_map(|(dirs, towards)| {
        let beside = |ray: Offset| {
            let along = |way: &Offset| way.0 * ray.0 + way.1 * ray.1 > 0;
            towards.iter().any(along)
        };
        let is_straight = names(straight, STRAIGHT, &|ray| towards.contains(&ray));
        (is_straight && names(diagonal, DIAGONAL, &beside)).then_some(dirs)
    })
}

/// The directions that name `rays`, which have the `legs`-th of [`LEGS`]; empty for all.
fn directions(legs: usize, rays: &[Offset]) -> String {
    let (short, long) = LEGS[legs];
    let is_all = rays.len() == if short == 0 || short == long { 4 } else { 8 };
    if is_all {
        return String::new();
    }
    let signs: Vec<Offset> = rays
        .iter()
        .map(|ray| (ray.0.signum(), ray.1.signum()))
        .collect();
    let has = |ray: Offset| signs.contains(&ray);
    if short == 0 {
        let pair = |one: char, other: char, both: char, (a, b): (bool, bool)| match (a, b) {
            (true, true) => both.to_string(),
            (true, false) => one.to_string(),
            (false, true) => other.to_string(),
            (false, false) => String::new(),
        };
        let upright = pair('f', 'b', 'v', (has((0, 1)), has((0, -1))));
        return upright + &pair('l', 'r', 's', (has((-1, 0)), has((1, 0))));
    }
    if short == long {
        // A half first, then what it leaves.
        let mut text = String::new();
        let mut left = signs;
        for half in ["f", "b", "l", "r"] {
            let named = diagonal(half);
            if named.iter().all(|ray| left.contains(ray)) {
                text.push_str(half);
                left.retain(|ray| !named.contains(ray));
            }
        }
        for one in ["fl", "fr", "bl", "br"] {
            if diagonal(one).iter().all(|ray| left.contains(ray)) {
                text.push_str(one);
            }
        }
        return text;
    }
    // Every oblique leap has a place among the eight of the knight.
    let mask = rays.iter().fold(0, |mask, &(dx, dy)| {
        let shrunk = |n: i8| {
            if n.abs() == long {
                2 * n.signum()
            } else {
                n.signum()
            }
        };
        mask | leap_bit((shrunk(dx), shrunk(dy)))
    });
    PAIRS[usize::from(mask)].clone()
}

/// The bit of one of the knight's leaps.
fn leap_bit(leap: Offset) -> u8 {
    let all = oblique("vv", (1, 2))
        .into_iter()
        .chain(oblique("ss", (1, 2)));
    all.zip(0..)
        .find(|(known, _)| *known == leap)
        .map_or(0, |(_, at)| 1 << at)
}

/// The directions that name each set of the knight's eight leaps.
static PAIRS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let pairs: Vec<(&str, u8)> = OBLIQUE_PAIRS
        .into_iter()
        .map(|pair| {
            let leaps = oblique(pair, (1, 2));
            (
                pair,
                leaps
                    .into_iter()
                    .fold(0, |mask, leap| mask | leap_bit(leap)),
            )
        })
        .collect();
    let mut best: Vec<Option<Vec<&str>>> = vec![None; 256];
    best[0] = Some(Vec::new());
    let mut reached = vec![0_u8];
    let mut next = 0;
    // The sets, in the order of the number of pairs that they need.
    while let Some(&mask) = reached.get(next) {
        next += 1;
        for &(pair, more) in &pairs {
            let union = mask | more;
            if best[usize::from(union)].is_none() {
                let mut way = best[usize::from(mask)].clone().unwrap_or_default();
                way.push(pair);
                best[usize::from(union)] = Some(way);
                reached.push(union);
            }
        }
    }
    best.into_iter()
        .map(|way| shortened(way.unwrap_or_default()))
        .collect()
});

/// Joins pairs in one run. A doubled letter at the end stands alone.
fn shortened(mut pairs: Vec<&str>) -> String {
    let is_double = |pair: &str| pair.chars().next() == pair.chars().last();
    pairs.sort_by_key(|pair| is_double(pair));
    let mut text = pairs.concat();
    if pairs.last().is_some_and(|last| is_double(last)) {
        text.pop();
    }
    text
}
