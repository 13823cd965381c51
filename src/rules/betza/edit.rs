//! Editing a movement as people do on a diagram, and by ideas that have a name.
//!
//! A movement is taken apart into lines: one direction, one way of going, and how far it goes for
//! each use. A click changes lines; written again, they are a movement in as few terms as they fit in.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::parse::{DIAGONAL, OBLIQUE_PAIRS, STRAIGHT, diagonal, oblique};
use super::{Family, Mode, Movement, Mover, Offset, Term, UNLIMITED};

/// How a click says that a square is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// A leap, whatever stands between.
    Leap,
    /// A slide that ends there.
    Slide,
    /// A slide on that line, as far as it goes.
    Ride,
    /// A leap for which the square between has to be empty.
    Lame,
    /// A jump over exactly one piece, anywhere on that line.
    Hop,
    /// A jump to the square behind the first piece on that line.
    Behind,
    /// Not reached any more.
    Never,
}

impl Way {
    /// All ways, with the words that addresses and forms use, and what people read.
    pub const ALL: [(Self, &str, &str); 7] = [
        (Self::Leap, "leap", "leap there"),
        (Self::Slide, "slide", "slide up to there"),
        (Self::Ride, "ride", "slide without end"),
        (Self::Lame, "lame", "leap, if not blocked"),
        (Self::Hop, "hop", "jump over one piece"),
        (Self::Behind, "behind", "land behind a piece"),
        (Self::Never, "never", "not there"),
    ];
}

/// For what a click says that a square is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To move and to capture.
    Both,
    /// To move.
    Move,
    /// To capture.
    Capture,
    /// To move, from the pawn's second rank only.
    First,
    /// To capture, in passing too: pawns alone.
    Passing,
}

impl Purpose {
    /// All purposes, with the words that addresses and forms use, and what people read.
    pub const ALL: [(Self, &str, &str); 5] = [
        (Self::Both, "both", "move and capture"),
        (Self::Move, "move", "move only"),
        (Self::Capture, "capture", "capture only"),
        (Self::First, "first", "move from the second rank"),
        (Self::Passing, "passing", "capture, in passing too"),
    ];

    /// Those of a mover: first steps and captures in passing are for pawns.
    pub fn of(mover: Mover) -> impl Iterator<Item = (Self, &'static str, &'static str)> {
        let pawn = mover == Mover::Pawn;
        let all = Self::ALL.into_iter();
        all.filter(move |(purpose, ..)| pawn || !matches!(purpose, Self::First | Self::Passing))
    }
}

/// Where else a click does the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mirror {
    /// In all directions.
    All,
    /// Left and right.
    Sides,
    /// Nowhere.
    Alone,
}

impl Mirror {
    /// All mirrors, with the words that addresses and forms use, and what people read.
    pub const ALL: [(Self, &str, &str); 3] = [
        (Self::All, "all", "in all directions"),
        (Self::Sides, "sides", "left and right alike"),
        (Self::Alone, "alone", "only there"),
    ];

    fn images(self, (dx, dy): Offset) -> Vec<Offset> {
        let mut images = match self {
            Self::Alone => vec![(dx, dy)],
            Self::Sides => vec![(dx, dy), (-dx, dy)],
            Self::All => [(dx, dy), (dy, dx)]
                .into_iter()
                .flat_map(|(x, y)| [(x, y), (-x, y), (x, -y), (-x, -y)])
                .collect(),
        };
        images.sort_unstable();
        images.dedup();
        images
    }
}

/// What clicks do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brush {
    /// How the square is reached.
    pub way: Way,
    /// For what.
    pub purpose: Purpose,
    /// Where else the same holds.
    pub mirror: Mirror,
}

/// How many steps a line has for each [`super::Use`].
type Steps = [u8; 4];

/// A movement in lines: their ways of going and unit steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Lines(BTreeMap<(Mode, Offset), Steps>);

/// The absolute legs of a leap, the short one first.
fn legs((dx, dy): Offset) -> (i8, i8) {
    (dx.abs().min(dy.abs()), dx.abs().max(dy.abs()))
}

/// How many steps of `ray` lead to `offset`.
fn steps_to(offset: Offset, ray: Offset) -> Option<u8> {
    (1..=UNLIMITED).find(|&n| {
        let n = n.cast_signed();
        (ray.0 * n, ray.1 * n) == offset
    })
}

/// The unit step of the slide that reaches `offset`, and how many of them it takes.
fn slide_to(offset: Offset) -> Option<(Offset, u8)> {
    let (dx, dy) = offset;
    (1..=UNLIMITED).rev().find_map(|n| {
        let by = n.cast_signed();
        let ray = (dx / by, dy / by);
        let fits = (ray.0 * by, ray.1 * by) == offset;
        (fits && matches!(legs(ray), (0 | 1, 1) | (1, 2))).then_some((ray, n))
    })
}

impl Way {
    /// The line that reaches `offset` so, and how many steps it has.
    fn line(self, offset: Offset) -> Result<(Mode, Offset, u8), &'static str> {
        match self {
            Self::Leap if legs(offset).1 <= 3 => Ok((Mode::Plain, offset, 1)),
            Self::Leap => Err("a leap goes at most three squares far"),
            Self::Slide | Self::Ride => {
                let (ray, steps) = slide_to(offset).ok_or(
                    "pieces slide straight, diagonally, or ride on in a knight's leaps, and none of these lines leads there",
                )?;
                let ends = self == Self::Slide && !(legs(ray) == (1, 2) && steps > 2);
                Ok((Mode::Plain, ray, if ends { steps } else { UNLIMITED }))
            }
            Self::Lame => match legs(offset) {
                (0..=2, 2) => Ok((Mode::Lame, offset, 1)),
                _ => Err(
                    "only a leap of two squares, straight or diagonal, or a knight's can be blocked on its way",
                ),
            },
            Self::Hop | Self::Behind => {
                let mode = if self == Self::Hop {
                    Mode::Hop
                } else {
                    Mode::Behind
                };
                match slide_to(offset) {
                    Some((ray, _)) if legs(ray).1 == 1 => Ok((mode, ray, UNLIMITED)),
                    _ => Err("pieces jump over others on straight and diagonal lines only"),
                }
            }
            Self::Never => Err("nothing is put there"),
        }
    }
}

impl Purpose {
    /// A line of `steps` for this use alone, beside what else the line was good for.
    fn put(self, line: Steps, steps: u8) -> Steps {
        let [_, _, first, _] = line;
        match self {
            Self::Both => [steps, steps, first, 0],
            Self::Move => [steps, 0, first, 0],
            Self::Capture => [0, steps, first, 0],
            Self::First => [line[0], line[1], steps, line[3]],
            Self::Passing => [0, steps, first, steps],
        }
    }
}

impl Lines {
    fn of(movement: &Movement) -> Self {
        let mut lines = Self::default();
        for term in &movement.terms {
            lines.add(term);
        }
        lines
    }

    fn add(&mut self, term: &Term) {
        for &ray in &term.rays {
            let oblique = term.atom.family == Family::Oblique;
            let steps = if oblique && term.steps > 2 {
                UNLIMITED
            } else {
                term.steps
            };
            let line = self.0.entry((term.mode, ray)).or_default();
            for purpose in term.uses() {
                let known = &mut line[purpose as usize];
                *known = (*known).max(steps);
            }
        }
    }

    /// After a click on `offset`.
    fn click(&mut self, offset: Offset, brush: Brush) -> Result<(), &'static str> {
        let Brush {
            way,
            purpose,
            mirror,
        } = brush;
        let images = mirror.images(offset);
        if way == Way::Never {
            for image in images {
                self.never(image);
            }
            return Ok(());
        }
        let lines: Vec<(Mode, Offset, u8)> = images
            .into_iter()
            .map(|image| way.line(image))
            .collect::<Result<_, _>>()?;
        let is_there = lines.iter().all(|&(mode, ray, steps)| {
            let line = self.0.get(&(mode, ray)).copied();
            line.is_some_and(|line| purpose.put(line, steps) == line)
        });
        for (mode, ray, steps) in lines {
            let line = self.0.entry((mode, ray)).or_default();
            *line = purpose.put(*line, if is_there { 0 } else { steps });
        }
        self.tidy();
        Ok(())
    }

    /// Nothing reaches `offset` any more; slides end before it.
    fn never(&mut self, offset: Offset) {
        for (&(mode, ray), line) in &mut self.0 {
            let Some(at) = steps_to(offset, ray) else {
                continue;
            };
            let most = match mode {
                Mode::Plain | Mode::Lame => at - 1,
                Mode::Hop | Mode::Behind => 0,
            };
            *line = line.map(|steps| steps.min(most));
        }
        self.tidy();
    }

    fn tidy(&mut self) {
        self.0.retain(|_, line| line.iter().any(|&steps| steps > 0));
    }

    /// In Betza's notation, in few terms.
    fn text(&self) -> String {
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
            // The same straight and diagonally is a king's or a queen's.
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

/// What one term is used for.
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
        if captures <= passing {
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

/// What the rays of one term share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Group {
    /// Which of [`LEGS`].
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

/// For each set of the knight's eight leaps, the directions that name it.
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
    // The sets in the order of how many pairs they need.
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

/// Pairs in one run. A doubled letter at the end stands alone.
fn shortened(mut pairs: Vec<&str>) -> String {
    let is_double = |pair: &str| pair.chars().next() == pair.chars().last();
    pairs.sort_by_key(|pair| is_double(pair));
    let mut text = pairs.concat();
    if pairs.last().is_some_and(|last| is_double(last)) {
        text.pop();
    }
    text
}

impl Movement {
    /// The movement after a click on `offset` of its diagram. What is there already goes away.
    ///
    /// # Errors
    /// Why this cannot be put there, as a clause.
    pub fn clicked(&self, offset: Offset, brush: Brush) -> Result<Self, &'static str> {
        let mut lines = Lines::of(self);
        lines.click(offset, brush)?;
        Ok(Self::of_lines(&lines))
    }

    /// The same movement in as few terms as it fits in.
    #[must_use]
    pub fn tidy(&self) -> Self {
        Self::of_lines(&Lines::of(self))
    }

    fn of_lines(lines: &Lines) -> Self {
        // What is written is always read; pawns alone have all the modifiers.
        Self::parse(&lines.text(), Mover::Pawn).unwrap_or_else(|_| Self {
            terms: Vec::new(),
            reach: Box::new([[0; 4]; super::WIDTH * super::WIDTH]),
        })
    }

    /// With another movement beside it.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        let mut lines = Lines::of(self);
        for term in &other.terms {
            lines.add(term);
        }
        Self::of_lines(&lines)
    }

    /// What is left of it after `change` has looked at every line: its unit step, and how many steps it has for
    /// each [`super::Use`].
    fn trimmed(&self, change: impl Fn(Offset, Steps) -> Steps) -> Self {
        let mut lines = Lines::of(self);
        for ((_, ray), line) in &mut lines.0 {
            *line = change(*ray, *line);
        }
        lines.tidy();
        Self::of_lines(&lines)
    }
}

/// A movement that has a name, or a change of the present one that has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idea {
    /// What people read.
    pub name: &'static str,
    /// The movement.
    pub movement: Movement,
}

/// Ideas for a kind that moves like `now`; those that would change nothing are left out.
#[must_use]
pub fn ideas(now: &Movement, mover: Mover) -> Vec<Idea> {
    const WHOLE: [(&str, &str); 17] = [
        ("like a king", "K"),
        ("like a knight", "N"),
        ("like a bishop", "B"),
        ("like a rook", "R"),
        ("like a queen", "Q"),
        ("rook of range 3", "R3"),
        ("bishop of range 3", "B3"),
        ("knight that rides on", "NN"),
        ("grasshopper", "gQ"),
        ("cannon", "mRcpR"),
        ("horse that can be blocked", "nN"),
        ("elephant (leaps two diagonally)", "A"),
        ("camel", "C"),
        ("zebra", "Z"),
        ("forward like a rook, back like a king", "fRbK"),
        ("checkers man (one step diagonally)", "F"),
        ("can’t move", "-"),
    ];
    const PAWNS: [(&str, &str); 3] = [
        ("ordinary pawn", "fmWfceFifmnD"),
        ("Berolina pawn", "fmFfceWifmnA"),
        ("pawn without a double step", "fmWfcF"),
    ];
    const BESIDE: [(&str, &str); 3] = [
        ("also steps like a king", "K"),
        ("also one square straight", "W"),
        ("also leaps like a knight", "N"),
    ];
    let read = |text: &str| Movement::parse(text, mover).ok();
    let of = |(name, text): (&'static str, &str)| {
        Some(Idea {
            name,
            movement: read(text)?,
        })
    };
    let trimmed: [(&'static str, Movement); 5] = [
        (
            "no backward moves",
            now.trimmed(|(_, dy), line| if dy < 0 { [0; 4] } else { line }),
        ),
        (
            "at most three squares",
            now.trimmed(|ray, line| {
                let most = if legs(ray).1 == 1 { 3 } else { 1 };
                line.map(|steps| steps.min(most))
            }),
        ),
        (
            "never captures",
            now.trimmed(|_, [moves, _, first, _]| [moves, 0, first, 0]),
        ),
        (
            "only captures",
            now.trimmed(|_, [_, captures, _, passing]| [0, captures, 0, passing.min(captures)]),
        ),
        (
            "forward only",
            now.trimmed(|(_, dy), line| if dy > 0 { line } else { [0; 4] }),
        ),
    ];
    let pawn = mover == Mover::Pawn;
    let beside = BESIDE.into_iter().filter_map(|(name, text)| {
        Some(Idea {
            name,
            movement: now.with(&read(text)?),
        })
    });
    let trimmed = trimmed.map(|(name, movement)| Idea { name, movement });
    let mut all: Vec<Idea> = beside.collect();
    all.extend(trimmed);
    all.extend(PAWNS.into_iter().filter(|_| pawn).filter_map(of));
    all.extend(WHOLE.into_iter().filter_map(of));
    let mut seen = vec![now.clone()];
    all.retain(|idea| {
        let is_new = !seen.contains(&idea.movement);
        if is_new {
            seen.push(idea.movement.clone());
        }
        is_new
    });
    all
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::seq::IndexedRandom as _;
    use rand::{RngExt as _, SeedableRng as _};

    use super::*;

    fn movement(text: &str) -> Movement {
        Movement::parse(text, Mover::Pawn).unwrap_or_else(|error| panic!("{error}"))
    }

    fn brush(way: Way, purpose: Purpose, mirror: Mirror) -> Brush {
        Brush {
            way,
            purpose,
            mirror,
        }
    }

    #[track_caller]
    fn click(before: &str, offset: Offset, brush: Brush, after: &str) {
        let clicked = movement(before).clicked(offset, brush).expect("put there");
        assert_eq!(clicked.to_string(), after, "{before} {offset:?}");
    }

    #[test]
    fn clicks_put_and_take_away() {
        use Mirror::{All, Alone, Sides};
        use Purpose::{Both, Capture, First, Move, Passing};
        click("-", (1, 2), brush(Way::Leap, Both, All), "N");
        click("N", (0, 1), brush(Way::Leap, Both, All), "WN");
        click("WN", (-1, -2), brush(Way::Leap, Both, All), "W");
        click("N", (1, 2), brush(Way::Leap, Both, Sides), "bhsN");
        click("N", (2, 4), brush(Way::Slide, Both, All), "N2");
        click("-", (0, 3), brush(Way::Slide, Both, All), "R3");
        click("R", (3, 0), brush(Way::Slide, Both, All), "R3");
        click("R3", (0, 3), brush(Way::Ride, Both, Alone), "bsR3fR");
        click("R", (0, 3), brush(Way::Never, Both, All), "R2");
        click("B", (1, 1), brush(Way::Leap, Both, All), "F");
        click("R", (1, 1), brush(Way::Ride, Both, All), "Q");
        click("Q", (0, -2), brush(Way::Never, Both, Alone), "bWfsRB");
        click("mR", (0, 2), brush(Way::Hop, Capture, All), "mRcpR");
        click("-", (2, 2), brush(Way::Behind, Both, All), "gB");
        click("-", (2, 2), brush(Way::Lame, Move, Sides), "fmnA");
        click("N", (2, 1), brush(Way::Leap, Move, All), "mN");
        click(
            "fmWfceF",
            (0, 2),
            brush(Way::Lame, First, Sides),
            "fmWfceFifmnD",
        );
        click(
            "fmWfceFifmnD",
            (0, 2),
            brush(Way::Lame, First, Sides),
            "fmWfceF",
        );
        click("fmW", (1, 1), brush(Way::Leap, Passing, Sides), "fmWfceF");
        click("fmW", (1, 1), brush(Way::Leap, Capture, Alone), "fmWfrcF");
    }

    #[test]
    fn what_no_term_says_is_refused() {
        let put = |offset, way| {
            let brush = brush(way, Purpose::Both, Mirror::All);
            movement("N").clicked(offset, brush)
        };
        assert!(put((0, 4), Way::Leap).is_err());
        assert!(put((1, 3), Way::Slide).is_err());
        assert!(put((1, 4), Way::Ride).is_err());
        assert!(put((0, 1), Way::Lame).is_err());
        assert!(put((1, 2), Way::Hop).is_err());
        assert!(put((2, 1), Way::Behind).is_err());
    }

    #[test]
    fn every_set_of_directions_is_written() {
        for (letter, all) in [
            ('N', oblique("vv", (1, 2))),
            ('C', oblique("vv", (1, 3))),
            ('W', STRAIGHT.to_vec()),
            ('F', DIAGONAL.to_vec()),
        ] {
            let mut all = all;
            if letter == 'N' {
                all.extend(oblique("ss", (1, 2)));
            } else if letter == 'C' {
                all.extend(oblique("ss", (1, 3)));
            }
            for mask in 1_u32..1 << all.len() {
                let rays = (0..).zip(&all).filter(|(at, _)| mask >> at & 1 == 1);
                let lines: BTreeMap<_, _> = rays
                    .map(|(_, &ray)| ((Mode::Plain, ray), [1, 1, 0, 0]))
                    .collect();
                let lines = Lines(lines);
                let text = lines.text();
                assert_eq!(Lines::of(&movement(&text)), lines, "{text}");
            }
        }
    }

    #[test]
    fn a_tidy_movement_is_the_same() {
        let seed: u64 = rand::random();
        println!("seed {seed}");
        let mut rng = StdRng::seed_from_u64(seed);
        let terms = [
            "W", "F", "D", "N", "A", "H", "C", "Z", "G", "K", "R", "B", "Q", "R3", "B2", "Q4",
            "NN", "N2", "nD", "nA", "nN", "pR", "gQ", "pB", "mcR", "eF", "ceF", "ceB", "meF",
            "imnD", "imR2", "flF", "frbN", "hrN", "fhZ", "vK", "sQ", "fK", "lW", "brB", "cfR",
        ];
        for _ in 0..2000 {
            let text: String = (0..rng.random_range(0..6))
                .map(|_| {
                    let term = terms.choose(&mut rng).expect("a term");
                    let bare = term.starts_with(|c: char| c.is_uppercase());
                    let before = ["", "m", "c", "f", "fc", "lm", "v"]
                        .choose(&mut rng)
                        .expect("a modifier");
                    if bare {
                        format!("{before}{term}")
                    } else {
                        (*term).to_owned()
                    }
                })
                .collect();
            let text = if text.is_empty() { "-" } else { &text };
            // Letters that would be doubled.
            let Ok(before) = Movement::parse(text, Mover::Pawn) else {
                continue;
            };
            let tidy = before.tidy();
            assert_eq!(tidy, before, "{text} and {tidy}");
            assert_eq!(tidy.tidy().to_string(), tidy.to_string());
            // What is put there and taken away again leaves nothing behind that was not there.
            let offset = (rng.random_range(-4..=4), rng.random_range(-4..=4));
            let brush = Brush {
                way: Way::ALL.choose(&mut rng).expect("a way").0,
                purpose: Purpose::ALL.choose(&mut rng).expect("a purpose").0,
                mirror: Mirror::ALL.choose(&mut rng).expect("a mirror").0,
            };
            if offset == (0, 0) {
                continue;
            }
            if let Ok(once) = before.clicked(offset, brush) {
                assert_eq!(
                    once.tidy().to_string(),
                    once.to_string(),
                    "{text} {offset:?} {brush:?}"
                );
                if brush.way == Way::Never {
                    assert!(
                        once.marks().all(|mark| mark.offset != offset),
                        "{text} {once}"
                    );
                } else {
                    let twice = once.clicked(offset, brush).expect("as before");
                    assert!(
                        twice
                            .marks()
                            .all(|mark| before.marks().any(|m| m.offset == mark.offset)),
                        "{text} {once} {twice}"
                    );
                }
            }
        }
    }

    #[test]
    fn ordinary_movements_are_tidy() {
        for text in [
            "fmWfceFifmnD",
            "N",
            "B",
            "R",
            "Q",
            "K",
            "-",
            "mRcpR",
            "gQ",
            "NN",
        ] {
            assert_eq!(movement(text).tidy().to_string(), text);
        }
    }

    #[test]
    fn ideas_go_on_from_the_present_movement() {
        let ideas = |text, mover| {
            let now = Movement::parse(text, mover).expect("a movement");
            let all = ideas(&now, mover).into_iter();
            all.map(|idea| (idea.name, idea.movement.to_string()))
                .collect::<BTreeMap<_, _>>()
        };
        let knight = ideas("N", Mover::Piece);
        assert_eq!(knight["also steps like a king"], "KN");
        assert_eq!(knight["no backward moves"], "fhN");
        assert!(!knight.contains_key("like a knight"));
        assert!(!knight.contains_key("ordinary pawn"));
        let queen = ideas("Q", Mover::Piece);
        assert_eq!(queen["at most three squares"], "Q3");
        assert_eq!(queen["no backward moves"], "fsRfB");
        let pawn = ideas("fmWfceFifmnD", Mover::Pawn);
        assert_eq!(pawn["never captures"], "fmWifmnD");
        assert_eq!(pawn["Berolina pawn"], "fmFfceWifmnA");
    }
}
