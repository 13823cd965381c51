//! What a written rule names although its limits keep it out.
//! Source: "Perplexichess rules", our ruling: a written rule is about one kind of piece, holds for both colours alike, and
//! leaves the king, check, mate and stalemate as they are; a text that names any of them is pointed out.
//!
//! This is a hint about words, not a judgement of the rule: people judge that, and nothing is refused for it.

use super::kind::Kind;
use crate::rules::Side;

/// What no change alters. Check, mate and stalemate belong with the king: the limits name them in one breath, and a text
/// that names them mostly says something about the king.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixed {
    /// The king.
    King,
    /// Check.
    Check,
    /// Checkmate, or mate.
    Checkmate,
    /// Stalemate.
    Stalemate,
}

/// What a written rule names although its limits keep it out, each once, in the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// The colours.
    pub colours: Vec<Side>,
    /// What no change alters.
    pub fixed: Vec<Fixed>,
    /// The kind that the rule is about, and those of its text, if they are more than one; never the king.
    pub kinds: Vec<Kind>,
}

impl Named {
    /// Reads the text of a written rule about `kind`, or about none.
    ///
    /// Whole words count, in any case, in singular and plural, with or without `'s`. Sides of the board and colours of
    /// squares are places: "the king's side" and "white squares" name neither king nor colour.
    #[must_use]
    pub fn of(kind: Option<Kind>, text: &str) -> Self {
        let mut named = Self {
            kinds: Vec::from_iter(kind),
            ..Self::default()
        };
        let written: Vec<&str> = words(text).collect();
        for (at, written_word) in written.iter().enumerate() {
            let word = singular(written_word);
            let next = written.get(at + 1).map(|next| singular(next));
            let next = next.as_deref().unwrap_or_default();
            let is_plain = !written_word.contains(is_apostrophe);
            let is_place = match word.as_str() {
                "white" | "black" => is_plain && matches!(next, "square" | "squared"),
                "king" | "queen" => next == "side",
                _ => false,
            };
            if !is_place {
                named.add(&word);
            }
        }
        if named.kinds.len() < 2 {
            named.kinds.clear();
        }
        named
    }

    /// True if there is nothing to point out.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.colours.is_empty() && self.fixed.is_empty() && self.kinds.is_empty()
    }

    fn add(&mut self, word: &str) {
        match word {
            "white" => once(&mut self.colours, Side::First),
            "black" => once(&mut self.colours, Side::Second),
            "king" => once(&mut self.fixed, Fixed::King),
            "check" | "checked" => once(&mut self.fixed, Fixed::Check),
            "mate" | "mated" | "checkmate" | "checkmated" => {
                once(&mut self.fixed, Fixed::Checkmate);
            }
            "stalemate" | "stalemated" => once(&mut self.fixed, Fixed::Stalemate),
            _ => {
                let mut kinds = Kind::CHANGEABLE.into_iter();
                if let Some(kind) = kinds.find(|kind| kind.name() == word) {
                    once(&mut self.kinds, kind);
                }
            }
        }
    }
}

fn once<T: PartialEq>(list: &mut Vec<T>, one: T) {
    if !list.contains(&one) {
        list.push(one);
    }
}

/// The typewriter's apostrophe, the typographic ones, and what keyboards have in their place.
const fn is_apostrophe(c: char) -> bool {
    matches!(
        c,
        '\'' | '’' | '‘' | '\u{2bc}' | '\u{ff07}' | '`' | '\u{b4}'
    )
}

/// The words of a text with their apostrophes, but without those around them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || is_apostrophe(c)))
        .map(|word| word.trim_matches(is_apostrophe))
        .filter(|word| !word.is_empty())
}

/// A word in small letters, without `'s` and without the `s` of a plural.
fn singular(word: &str) -> String {
    let bare = word.split(is_apostrophe).next().unwrap_or_default();
    let bare = bare.to_ascii_lowercase();
    bare.strip_suffix('s').map_or(bare.clone(), str::to_owned)
}
