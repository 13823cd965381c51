//! Pijersi: the fast code against slow, obvious code: a board as a map from names to letters, with
//! neighbours by their distance on paper.

use std::collections::{BTreeMap, BTreeSet};

use perplex_games::rules::Rules;
use perplex_games::rules::pijersi::{Carry, Cell, Hop, Pijersi, Turn};
use rand::RngExt as _;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;

use crate::grid::plain;
use crate::seeded;

/// A board: the letters of the cubes on each cell that is not empty, bottom first.
#[derive(Clone)]
struct Slow {
    cubes: BTreeMap<String, String>,
    white: bool,
}

fn names() -> Vec<String> {
    let rows = [
        ("a", 6),
        ("b", 7),
        ("c", 6),
        ("d", 7),
        ("e", 6),
        ("f", 7),
        ("g", 6),
    ];
    let cells = |(row, length): (&str, u8)| {
        let row = row.to_owned();
        (1..=length).map(move |number| format!("{row}{number}"))
    };
    rows.into_iter().flat_map(cells).collect()
}

/// The place of a cell on paper, in half cells across and in rows up.
fn place(name: &str) -> (i32, i32) {
    let bytes = name.as_bytes();
    let (row, number) = (i32::from(bytes[0] - b'a'), i32::from(bytes[1] - b'0'));
    (2 * number + i32::from(row % 2 == 0), row)
}

/// The number of cells on a straight way from one cell to another, and the cell halfway if it is
/// two.
fn way(from: &str, to: &str) -> Option<(u8, Option<String>)> {
    let ((x, y), (u, v)) = (place(from), place(to));
    let (dx, dy) = (u - x, v - y);
    match (dx.abs(), dy.abs()) {
        (2, 0) | (1, 1) => Some((1, None)),
        (4, 0) | (2, 2) => {
            let halfway = (x + dx / 2, y + dy / 2);
            Some((2, names().into_iter().find(|name| place(name) == halfway)))
        }
        _ => None,
    }
}

impl Slow {
    fn read(psn: &str) -> Self {
        let mut words = psn.split(' ');
        let mut cubes = BTreeMap::new();
        let rows = words.next().expect("the board").split('/');
        for (row, letter) in rows.zip(["g", "f", "e", "d", "c", "b", "a"]) {
            let mut number = 1;
            let mut chars = row.chars();
            while let Some(c) = chars.next() {
                if let Some(run) = c.to_digit(10) {
                    number += run;
                } else {
                    let both: String = [c, chars.next().expect("what lies on it")].iter().collect();
                    cubes.insert(format!("{letter}{number}"), both.replace('-', ""));
                    number += 1;
                }
            }
        }
        let white = words.next() == Some("w");
        Self { cubes, white }
    }

    fn write(&self) -> String {
        let mut rows = Vec::new();
        for letter in ["g", "f", "e", "d", "c", "b", "a"] {
            let mut row = String::new();
            let mut empty = 0;
            for name in names().iter().filter(|name| name.starts_with(letter)) {
                if let Some(cubes) = self.cubes.get(name) {
                    if empty > 0 {
                        row += &empty.to_string();
                    }
                    empty = 0;
                    row += cubes;
                    row += if cubes.len() == 1 { "-" } else { "" };
                } else {
                    empty += 1;
                }
            }
            if empty > 0 {
                row += &empty.to_string();
            }
            rows.push(row);
        }
        rows.join("/") + if self.white { " w" } else { " b" }
    }

    fn position(&self) -> Pijersi {
        let text = self.write() + " 0 1";
        Pijersi::from_position("", &text).expect("a position")
    }

    fn is_own(&self, cubes: &str) -> bool {
        cubes.starts_with(char::is_uppercase) == self.white
    }

    fn won(&self) -> bool {
        self.cubes.iter().any(|(name, cubes)| {
            (name.starts_with('g') && cubes.ends_with(['R', 'P', 'S']))
                || (name.starts_with('a') && cubes.ends_with(['r', 'p', 's']))
        })
    }

    fn captures(attacker: &str, victim: &str) -> bool {
        let role = |cubes: &str| cubes.to_lowercase().pop().expect("a cube");
        ["rs", "sp", "pr"].contains(&format!("{}{}", role(attacker), role(victim)).as_str())
    }

    /// All hops of one cube or one stack: the notation, the goal and the board after each.
    fn hops(&self, sign: char, from: &str) -> Vec<(String, String, Self)> {
        let mut found = Vec::new();
        let Some(cubes) = self.cubes.get(from).filter(|cubes| self.is_own(cubes)) else {
            return found;
        };
        for to in names() {
            let mut next = self.clone();
            let there = self.cubes.get(&to).cloned();
            let enemy = there.as_ref().filter(|there| !self.is_own(there));
            let own = there.as_ref().filter(|there| self.is_own(there));
            let captures = enemy.is_some_and(|enemy| Self::captures(cubes, enemy));
            let moved = if sign == '-' {
                if !matches!(way(from, &to), Some((1, _))) || (enemy.is_some() && !captures) {
                    continue;
                }
                let (left, top) = cubes.split_at(cubes.len() - 1);
                if left.is_empty() {
                    next.cubes.remove(from);
                } else {
                    next.cubes.insert(from.to_owned(), left.to_owned());
                }
                match own {
                    None => top.to_owned(),
                    Some(own) if own.len() == 2 => continue,
                    Some(own) if "Ww".contains(top) && !"Ww".contains(own.as_str()) => continue,
                    Some(own) => format!("{own}{top}"),
                }
            } else {
                let free = match way(from, &to) {
                    None => false,
                    Some((_, None)) => true,
                    Some((_, Some(halfway))) => !self.cubes.contains_key(&halfway),
                };
                if !free || cubes.len() != 2 || own.is_some() || (enemy.is_some() && !captures) {
                    continue;
                }
                next.cubes.remove(from);
                cubes.clone()
            };
            next.cubes.insert(to.clone(), moved);
            let mark = if captures { "!" } else { "" };
            found.push((format!("{sign}{to}{mark}"), to, next));
        }
        found
    }

    /// All turns: the notation of each and the board after it.
    fn turns(&self) -> BTreeMap<String, Self> {
        let mut turns = BTreeMap::new();
        if self.won() {
            return turns;
        }
        for from in names() {
            for (sign, other) in [('-', '='), ('=', '-')] {
                for (first, middle, halfway) in self.hops(sign, &from) {
                    if halfway.cubes[&middle].len() == 2 {
                        for (second, _, next) in halfway.hops(other, &middle) {
                            turns.insert(format!("{from}{first}{second}"), next);
                        }
                    }
                    turns.insert(format!("{from}{first}"), halfway);
                }
            }
        }
        for next in turns.values_mut() {
            next.white = !next.white;
        }
        turns
    }
}

/// Positions of random games, thinned out so that captures, goals and lone pieces are frequent.
fn positions(rng: &mut StdRng, games: usize) -> Vec<Pijersi> {
    let mut positions = Vec::new();
    for _ in 0..games {
        let mut position = Pijersi::setup("").expect("the game");
        if rng.random() {
            let keep = rng.random_range(0.1..1.0);
            let mut slow = Slow::read(&position.position());
            slow.cubes.retain(|_, _| rng.random_bool(keep));
            position = slow.position();
        }
        for _ in 0..rng.random_range(0..60) {
            let legal = position.legal();
            let Some(turn) = legal.choose(rng) else {
                break;
            };
            position.play_unchecked(turn);
        }
        positions.push(position);
    }
    positions
}

#[test]
fn the_turns_are_those_of_the_slow_code() {
    let mut rng = seeded();
    for position in positions(&mut rng, 60) {
        let psn = position.position();
        let slow = Slow::read(&psn);
        let wanted = slow.turns();
        let legal = position.legal();
        let texts: BTreeSet<String> = legal.iter().map(ToString::to_string).collect();
        assert_eq!(texts.len(), legal.len(), "{psn}: a text twice");
        assert!(
            texts.iter().eq(wanted.keys()),
            "{psn}: other turns than {wanted:?}",
            wanted = wanted.keys()
        );
        assert_eq!(
            position.outcome().is_some(),
            wanted.is_empty(),
            "{psn}: decided, or not"
        );
        for turn in legal {
            let next = position.play(&turn).expect("a legal turn");
            let text = next.position();
            let board = wanted[&turn.to_string()].write();
            assert!(
                text.starts_with(&(board + " ")),
                "{psn}: {turn} leads to {text}"
            );
        }
    }
}

#[test]
fn counting_is_playing() {
    let mut rng = seeded();
    for position in positions(&mut rng, 40) {
        for depth in 0..=2 {
            let psn = position.position();
            let counted = plain(&position, depth);
            assert_eq!(position.perft(depth), counted, "{psn} at {depth}");
        }
    }
}

/// Every turn that can be written is legal, or there is a reason why not.
#[test]
fn reasons_are_given_exactly_where_a_turn_is_not_legal() {
    let mut rng = seeded();
    for position in positions(&mut rng, 6) {
        let legal: BTreeSet<String> = position.legal().iter().map(ToString::to_string).collect();
        let hop = |to, captures| Hop { to, captures };
        let marks = [(false, false), (false, true), (true, false), (true, true)];
        let mut found = 0;
        for _ in 0..4000 {
            let mut cell = || {
                let cells: Vec<Cell> = Cell::all().collect();
                *cells.choose(&mut rng).unwrap()
            };
            let (from, middle, last) = (cell(), cell(), cell());
            for carry in [Carry::Cube, Carry::Stack] {
                for (one, two) in marks {
                    for second in [None, Some(hop(last, two))] {
                        let first = hop(middle, one);
                        let turn = Turn {
                            from,
                            carry,
                            first,
                            second,
                        };
                        let is_legal = legal.contains(&turn.to_string());
                        assert_eq!(position.why_illegal(&turn).is_none(), is_legal, "{turn}");
                        found += usize::from(is_legal);
                    }
                }
            }
        }
        println!("{found} legal turns were tried");
    }
}

#[test]
fn ugi_round_trip() {
    let mut rng = seeded();
    for _ in 0..30 {
        let mut position = Pijersi::setup("").unwrap();
        for _ in 0..80 {
            let legal = position.legal();
            let Some(turn) = legal.choose(&mut rng) else {
                break;
            };
            let ugi: BTreeSet<String> = legal.iter().map(|turn| position.to_ugi(turn)).collect();
            assert_eq!(
                ugi.len(),
                legal.len(),
                "{}: a text twice",
                position.position()
            );
            for turn in &legal {
                let text = position.to_ugi(turn);
                assert_eq!(position.from_ugi(&text), Ok(*turn), "{text}");
            }
            position.play_unchecked(turn);
        }
    }
}

#[test]
fn ugi_spelling() {
    let start = Pijersi::setup("").unwrap();
    let cases = [
        ("a1-b1", "a1b1"),
        ("b4-c4", "b4b4c4"),
        ("b4=d5", "b4d5d5"),
        ("b4=c4-d4", "b4c4d4"),
        ("b4=c4-b4", "b4c4b4"),
        ("a1-b1=d2", "a1b1d2"),
        ("a1-b1=a1", "a1b1a1"),
    ];
    for (text, ugi) in cases {
        let turn: Turn = text.parse().unwrap();
        assert_eq!(start.to_ugi(&turn), ugi);
        assert_eq!(start.from_ugi(ugi), Ok(turn));
    }
    // The example of the engines' own description of PSN and UGI.
    let next = start.play(&start.from_ugi("a4b5c4").unwrap()).unwrap();
    let psn = "s-p-r-s-p-r-/p-r-s-wwr-s-p-/6/7/3SR2/P-S-R-WW1R-P-/R-P-S-1P-S- b 1 1";
    assert_eq!(next.position(), psn);
    for wrong in [
        "", "a1", "a1b", "b4c4", "a1a1b1", "a1b1b1", "a1b1c1d1", "a1-b1", "h1a1", "A1B1",
    ] {
        assert!(start.from_ugi(wrong).is_err(), "{wrong}");
    }
    assert!(next.from_ugi("a1b1").is_err(), "it is Black's turn");
}

/// A cube goes to the neighbours, and a stack two cells far too, unless a cube is between.
#[test]
fn ways_are_those_on_paper() {
    let legal = |cubes: &[(&str, &str)], from, carry, to| {
        let own = |&(name, letters): &(&str, &str)| (name.to_owned(), letters.to_owned());
        let cubes = cubes.iter().map(own).collect();
        let position = Slow { cubes, white: true }.position();
        let captures = false;
        let first = Hop { to, captures };
        let turn = Turn {
            from,
            carry,
            first,
            second: None,
        };
        position.why_illegal(&turn).is_none()
    };
    for from in Cell::all() {
        for to in Cell::all() {
            let name = from.to_string();
            let way = way(&name, &to.to_string());
            let steps = way.as_ref().map(|(steps, _)| *steps);
            let cube = legal(&[(&name, "W")], from, Carry::Cube, to);
            assert_eq!(cube, steps == Some(1), "{from}-{to}");
            let stack = legal(&[(&name, "WW")], from, Carry::Stack, to);
            assert_eq!(stack, steps.is_some(), "{from}={to}");
            if let Some((_, Some(halfway))) = way {
                let cubes = [(name.as_str(), "WW"), (&halfway, "W")];
                assert!(!legal(&cubes, from, Carry::Stack, to), "{from}={to}");
            }
        }
    }
}

#[test]
fn position_texts() {
    let read = |text| Pijersi::from_position("", text);
    for text in [
        "s-p-r-s-p-r-/p-r-s-wwr-s-p-/6/7/6/P-S-R-WWS-R-P-/R-P-S-R-P-S- w 0 1",
        "6/7/6/WRWPWSPS3/rs5/7/6 b 19 400",
    ] {
        assert_eq!(read(text).unwrap().position(), text);
    }
    let cases = [
        ("", 1, "a cube"),
        ("s-p-r-s-p-r-", 13, "`/` after a whole row"),
        ("7/7/6/7/6/7/6 w 0 1", 1, "empty cells, 1 to 6"),
        ("5R-/7/6/7/6/7/6w 0 1", 16, "a blank after a whole row"),
        (
            "5RW/7/6/7/6/7/6 w 0 1",
            3,
            "what lies on `R` (rock): `-` for nothing, `R`, `P`, `S`",
        ),
        ("5Rs/7/6/7/6/7/6 w 0 1", 3, "what lies on `R`"),
        ("5W", 3, "`W`"),
        ("6/7/6/7/6/7/6 x 0 1", 15, "`w` or `b`"),
        (
            "6/7/6/7/6/7/6 w -1 1",
            17,
            "the turns since the last capture",
        ),
        ("6/7/6/7/6/7/6 w 0", 18, "a blank"),
        ("6/7/6/7/6/7/6 w 0 0", 19, "the turn's number, from 1"),
        ("6/7/6/7/6/7/6 w 0 1 ", 20, "the end"),
    ];
    for (text, column, expected) in cases {
        let error = read(text).unwrap_err();
        assert_eq!(error.column, column, "{text}: {error}");
        assert!(error.expected.contains(expected), "{text}: {error}");
    }
    assert!(Pijersi::from_position("small", "").is_err());
}

/// The published counts. Depth 4 takes long where the code is not optimised.
#[test]
fn perft() {
    let start = Pijersi::setup("").unwrap();
    let counts = [1, 186, 34_054, 6_410_472, 1_181_445_032];
    let depths = if cfg!(debug_assertions) { 4 } else { 5 };
    for (depth, count) in (0..).zip(counts).take(depths) {
        assert_eq!(start.perft(depth), count);
    }
}

/// A page asks about a stack: does all of it move, or the cube on its top?
#[test]
fn steps() {
    for (text, steps) in [
        ("a1-b1", "a1 b1"),
        ("a1-b1=d2", "a1 b1 d2"),
        ("b4-c4", "b4 - c4"),
        ("b4=c4", "b4 = c4"),
        ("b4=c4-b4", "b4 = c4 b4"),
        ("b4=d5", "b4 = d5"),
        ("b4=d5-d6", "b4 = d5 d6"),
    ] {
        let start = Pijersi::setup("").unwrap();
        assert_eq!(start.steps(&text.parse().unwrap()).join(" "), steps);
    }
}
