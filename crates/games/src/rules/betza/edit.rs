//! Editing a movement as people do on a diagram.
//!
//! A movement is taken apart into lines: one direction, one way of going, and the number of steps for each use. A click
//! changes lines; written again, they are a movement in as few terms as they fit in.

use std::collections::BTreeMap;

use super::{Family, Mode, Movement, Mover, Offset, Term, UNLIMITED};

mod ideas;
mod write;

pub use ideas::{Idea, ideas};

/// The way in which a click lets a square be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// A leap over anything between.
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
    /// All ways, with the words of addresses and forms, and those that people read.
    pub const ALL: [(Self, &str, &str); 7] = [
        (Self::Leap, "leap", "jumps there"),
        (Self::Slide, "slide", "slides up to there"),
        (Self::Ride, "ride", "slides as far as it likes"),
        (Self::Lame, "lame", "jumps there, if the way is free"),
        (Self::Hop, "hop", "jumps over one piece"),
        (Self::Behind, "behind", "lands behind a piece"),
        (Self::Never, "never", "not there"),
    ];
}

/// The purpose for which a click lets a square be reached.
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
    /// All purposes, with the words of addresses and forms, and those that people read.
    pub const ALL: [(Self, &str, &str); 5] = [
        (Self::Both, "both", "moves and captures"),
        (Self::Move, "move", "only moves"),
        (Self::Capture, "capture", "only captures"),
        (Self::First, "first", "moves from its starting row"),
        (Self::Passing, "passing", "captures, also en passant"),
    ];

    /// The purposes of a mover: first steps and captures in passing are for pawns.
    pub fn of(mover: Mover) -> impl Iterator<Item = (Self, &'static str, &'static str)> {
        let pawn = mover == Mover::Pawn;
        let all = Self::ALL.into_iter();
        all.filter(move |(purpose, ..)| pawn || !matches!(purpose, Self::First | Self::Passing))
    }
}

/// The other directions in which a click does the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mirror {
    /// In all directions.
    All,
    /// Left and right.
    Sides,
    /// In no other.
    Alone,
}

impl Mirror {
    /// All mirrors, with the words of addresses and forms, and those that people read.
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

/// The effect of a click.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brush {
    /// The way in which the square is reached.
    pub way: Way,
    /// The purpose.
    pub purpose: Purpose,
    /// The other directions in which the same holds.
    pub mirror: Mirror,
}

/// The number of steps of a line for each [`super::Use`].
type Steps = [u8; 4];

/// A movement in lines: their ways of going and unit steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Lines(BTreeMap<(Mode, Offset), Steps>);

/// The absolute legs of a leap, the short one first.
fn legs((dx, dy): Offset) -> (i8, i8) {
    (dx.abs().min(dy.abs()), dx.abs().max(dy.abs()))
}

/// The number of steps of `ray` that lead to `offset`.
fn steps_to(offset: Offset, ray: Offset) -> Option<u8> {
    (1..=UNLIMITED).find(|&n| {
        let n = n.cast_signed();
        (ray.0 * n, ray.1 * n) == offset
    })
}

/// The unit step of the slide that reaches `offset`, and the number of steps that it takes.
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
    /// The line that reaches `offset` in this way, and the number of its steps.
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
    /// The line with `steps` for this use alone; first steps are a use apart, and stay.
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

    /// Applies a click on `offset`.
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

    /// Removes everything that reaches `offset`; slides end before it.
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
}

impl Movement {
    /// The movement after a click on `offset` of its diagram. A click on what is there already removes it.
    ///
    /// # Errors
    /// The reason why this cannot be put there, as a clause.
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
        // Written text can always be read; pawns alone have all the modifiers.
        Self::parse(&lines.text(), Mover::Pawn).unwrap_or_else(|_| Self {
            terms: Vec::new(),
            reach: Box::new([[0; 4]; super::WIDTH * super::WIDTH]),
        })
    }

    /// The movement with another beside it.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        let mut lines = Lines::of(self);
        for term in &other.terms {
            lines.add(term);
        }
        Self::of_lines(&lines)
    }

    /// The rest of the movement after `change` has seen every line: its unit step, and the number of its steps for each
    /// [`super::Use`].
    fn trimmed(&self, change: impl Fn(Offset, Steps) -> Steps) -> Self {
        let mut lines = Lines::of(self);
        for ((_, ray), line) in &mut lines.0 {
            *line = change(*ray, *line);
        }
        lines.tidy();
        Self::of_lines(&lines)
    }
}
