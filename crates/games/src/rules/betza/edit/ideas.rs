//! Named movements, and named changes of a movement.

use super::super::{Movement, Mover};
use super::legs;

/// A named movement, or a named change of the present one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idea {
    /// The name that people read.
    pub name: &'static str,
    /// The movement.
    pub movement: Movement,
    /// True if it adds the movement of `name` to the present one.
    pub also: bool,
}

/// Ideas for a kind that moves like `now`, without those that would change nothing.
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
    const ALSO: [(&str, &str); 5] = [
        ("a king", "K"),
        ("a knight", "N"),
        ("a bishop", "B"),
        ("a rook", "R"),
        ("a queen", "Q"),
    ];
    let read = |text: &str| Movement::parse(text, mover).ok();
    let of = |(name, text): (&'static str, &str)| {
        Some(Idea {
            name,
            movement: read(text)?,
            also: false,
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
    let also = ALSO.into_iter().filter_map(|(name, text)| {
        Some(Idea {
            name,
            movement: now.with(&read(text)?),
            also: true,
        })
    });
    let trimmed = trimmed.map(|(name, movement)| Idea {
        name,
        movement,
        also: false,
    });
    let mut all: Vec<Idea> = also.collect();
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
