//! The emblem of a team: a sign on a colour, and a name, which its grand strategist chooses before the start. All three
//! come from lists, so nothing stands on the wall that should not.

use std::fmt::{self, Display};
use std::str::FromStr;

use crate::journal::UnknownEvent;

/// The signs, as they end the name of a team: Brave Stars.
pub const SIGNS: [&str; 12] = [
    "stars",
    "moons",
    "suns",
    "bolts",
    "flames",
    "leaves",
    "waves",
    "mountains",
    "arrows",
    "crowns",
    "snowflakes",
    "rockets",
];

/// The words that begin the name of a team.
pub const WORDS: [&str; 16] = [
    "brave", "bright", "bold", "calm", "clever", "daring", "flying", "golden", "happy", "jolly",
    "lucky", "mighty", "quick", "royal", "silver", "wild",
];

/// The colours of an emblem's ground.
pub const COLOURS: [&str; 8] = [
    "red", "orange", "gold", "green", "teal", "blue", "purple", "pink",
];

/// A team's emblem. [`Display`] is the text that the journal keeps: `brave stars blue`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Emblem {
    /// One of [`WORDS`].
    pub word: &'static str,
    /// One of [`SIGNS`].
    pub sign: &'static str,
    /// One of [`COLOURS`].
    pub colour: &'static str,
}

impl Display for Emblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.word, self.sign, self.colour)
    }
}

impl FromStr for Emblem {
    type Err = UnknownEvent;

    fn from_str(text: &str) -> Result<Self, UnknownEvent> {
        let words: Vec<&str> = text.split(' ').collect();
        let one_of =
            |list: &[&'static str], word: &str| list.iter().copied().find(|one| *one == word);
        let emblem = match words[..] {
            [word, sign, colour] => one_of(&WORDS, word)
                .zip(one_of(&SIGNS, sign))
                .zip(one_of(&COLOURS, colour)),
            _ => None,
        };
        let ((word, sign), colour) = emblem.ok_or_else(|| UnknownEvent(text.to_owned()))?;
        Ok(Self { word, sign, colour })
    }
}
