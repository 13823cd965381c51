//! Movements in words.

use super::parse::tokens;
use super::{Family, Mode, Movement, Term, UNLIMITED};

impl Movement {
    /// The movement in words: "moves like a rook, at most two squares; captures like a knight".
    #[must_use]
    pub fn words(&self) -> String {
        if self.terms.is_empty() {
            return "can't move".to_owned();
        }
        let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
        let all_both = self
            .terms
            .iter()
            .all(|term| term.moves == term.captures && !term.initial);
        let never_captures = self.terms.iter().all(|term| term.moves && !term.captures);
        for term in &self.terms {
            let verb = match (term.moves, term.captures) {
                _ if all_both => "moves",
                // Where other terms capture, they say so.
                (true, false) if never_captures => "moves without capturing,",
                (true, false) => "moves",
                (false, true) => "captures",
                _ => "moves and captures",
            };
            let words = term.words();
            match groups.iter_mut().find(|(known, _)| *known == verb) {
                Some((_, list)) => list.push(words),
                None => groups.push((verb, vec![words])),
            }
        }
        let groups: Vec<String> = groups
            .into_iter()
            .map(|(verb, list)| format!("{verb} {}", list.join(", or ")))
            .collect();
        groups.join("; ")
    }
}

impl Term {
    fn words(&self) -> String {
        let one = |n: u8| match n {
            1 => "one square",
            2 => "two squares",
            3 => "three squares",
            4 => "four squares",
            5 => "five squares",
            _ => "six squares",
        };
        let letter = self.atom.letter;
        let unlimited =
            self.steps >= UNLIMITED || (self.atom.family == Family::Oblique && self.steps > 2);
        let piece = match self.atom.family {
            Family::Straight => "a rook",
            Family::Diagonal => "a bishop",
            Family::Royal => "a queen",
            Family::Oblique => "a knight",
        };
        let mut words = match (letter, self.steps) {
            ('D', _) => "two squares straight".to_owned(),
            ('H', _) => "three squares straight".to_owned(),
            ('A', _) => "two squares diagonally".to_owned(),
            ('G', _) => "three squares diagonally".to_owned(),
            ('C' | 'L', _) => "by a camel's leap (three squares and one aside)".to_owned(),
            ('Z' | 'J', _) => "by a zebra's leap (three squares and two aside)".to_owned(),
            ('N', 1) => "like a knight".to_owned(),
            ('N', _) if unlimited => "like a knight that rides on in the same line".to_owned(),
            ('N', _) => "like a knight that may ride on once in the same line".to_owned(),
            (_, 1) => match self.atom.family {
                Family::Straight => "one square straight".to_owned(),
                Family::Diagonal => "one square diagonally".to_owned(),
                _ => "like a king".to_owned(),
            },
            _ if unlimited => format!("like {piece}"),
            (_, n) => format!("like {piece}, at most {}", one(n)),
        };
        if matches!(letter, 'D' | 'H' | 'A' | 'G') && self.mode == Mode::Plain {
            words = format!("by a leap of {words}");
        }
        if !self.dirs.is_empty() {
            let sep = if words.ends_with("straight") || words.ends_with("diagonally") {
                " "
            } else {
                ", "
            };
            words = format!("{words}{sep}{}", self.direction_words());
        }
        match self.mode {
            Mode::Plain => {}
            Mode::Hop => words.push_str(", jumping exactly one piece on the way"),
            Mode::Behind => {
                words.push_str(", but only to the square behind the first piece in the way");
            }
            Mode::Lame if letter == 'N' => {
                words.push_str(", if the square beside it towards there is empty");
            }
            Mode::Lame => words.push_str(", if the square between is empty"),
        }
        if self.initial {
            words.push_str(", from the second rank only");
        }
        if self.passing {
            words.push_str(", also en passant");
        }
        words
    }

    fn direction_words(&self) -> String {
        let tokens = match self.atom.family {
            // Letters of straight steps are read one by one: `fs` is forward, or sideways.
            Family::Straight => self.dirs.split_inclusive(|_| true).collect(),
            _ => tokens(&self.dirs),
        };
        let list: Vec<&str> = tokens
            .iter()
            .map(|token| match (self.atom.family, *token) {
                (Family::Oblique, "f" | "ff") => "the long leg forward",
                (Family::Oblique, "b" | "bb") => "the long leg backward",
                (Family::Oblique, "l" | "ll") => "the long leg to the left",
                (Family::Oblique, "r" | "rr") => "the long leg to the right",
                (Family::Oblique, "v" | "vv") => "the long leg forward or backward",
                (Family::Oblique, "s" | "ss") => "the long leg sideways",
                (Family::Oblique, "fs") => "the long leg sideways and the short one forward",
                (Family::Oblique, "bs") => "the long leg sideways and the short one backward",
                (Family::Oblique, "lv") => "the short leg to the left",
                (Family::Oblique, "rv") => "the short leg to the right",
                (Family::Oblique, "lf") => "the long leg forward and the short one to the left",
                (Family::Oblique, "rf") => "the long leg forward and the short one to the right",
                (Family::Oblique, "lb") => "the long leg backward and the short one to the left",
                (Family::Oblique, "rb") => "the long leg backward and the short one to the right",
                (Family::Oblique, "fl") => "the long leg to the left and the short one forward",
                (Family::Oblique, "fr") => "the long leg to the right and the short one forward",
                (Family::Oblique, "bl") => "the long leg to the left and the short one backward",
                (Family::Oblique, "br") => "the long leg to the right and the short one backward",
                (_, "hr") => "the half that turns right",
                (_, "hl") => "the half that turns left",
                (_, "f" | "fh") => "forward",
                (_, "b" | "bh") => "backward",
                (_, "l" | "lh") => "to the left",
                (_, "r" | "rh") => "to the right",
                (Family::Straight, "v") => "forward or backward",
                (Family::Straight, "s") => "sideways",
                (Family::Royal, "v") => "not straight sideways",
                (Family::Royal, "s") => "not straight forward or backward",
                (_, "v" | "s") => "in all four ways",
                (_, "fl" | "lf") => "forward to the left",
                (_, "fr" | "rf") => "forward to the right",
                (_, "bl" | "lb") => "backward to the left",
                _ => "backward to the right",
            })
            .collect();
        list.join(" or ")
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::betza::{Movement, Mover};

    #[test]
    fn directions_are_told_as_they_are_read() {
        for (betza, words) in [
            ("fsW", "one square straight forward or sideways"),
            ("flW", "one square straight forward or to the left"),
            ("bW", "one square straight backward"),
            ("fsR", "like a rook, forward or sideways"),
            ("flF", "one square diagonally forward to the left"),
            ("brB", "like a bishop, backward to the right"),
            (
                "fsN",
                "like a knight, the long leg sideways and the short one forward",
            ),
        ] {
            let movement = Movement::parse(betza, Mover::Piece).expect(betza);
            assert!(
                movement.words().contains(words),
                "{betza}: {}",
                movement.words()
            );
        }
    }
}
