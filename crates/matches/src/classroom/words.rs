//! Words that children can read, spell and type: for user names, pass phrases, nicknames and join codes.
//!
//! The list is our own. Its words are short and common, of four to seven plain letters. None means anything unkind,
//! alone or beside another; none is another with one letter more, less or different.

use rand::seq::{IndexedRandom as _, IteratorRandom as _};
use rand::{Rng, RngExt as _};
use subtle::ConstantTimeEq as _;

use crate::names::key;

/// Nouns for user names and nicknames: animals and other nice beings.
const BEINGS: &str = include_str!("beings.txt");

/// Adjectives for nicknames.
const MANNERS: &str = include_str!("manners.txt");

/// All other words of pass phrases.
const THINGS: &str = include_str!("things.txt");

/// The characters of join codes: no vowels, so that they form no words, and none that looks like another.
const CODE: &[u8; 16] = b"DHJMNPRTVWX34679";
/// Characters in a join code: one network tries 20 a second at most, which finds one of 50 lessons after some three
/// days.
pub const CODE_LENGTH: usize = 7;
/// Characters in the join codes of lessons begun before codes grew longer.
const OLD_LENGTH: usize = 6;
/// Words in a pass phrase.
const PHRASE: usize = 3;

fn all() -> impl Iterator<Item = &'static str> {
    [BEINGS, MANNERS, THINGS]
        .into_iter()
        .flat_map(str::split_whitespace)
}

/// One of `words`; there always is one.
fn one(words: &'static str, rng: &mut impl Rng) -> &'static str {
    words.split_whitespace().choose(rng).unwrap_or_default()
}

/// A user name: `otter47`, or, `long`, with three digits.
#[must_use]
pub fn user_name(rng: &mut impl Rng, long: bool) -> String {
    let number: u16 = if long {
        rng.random_range(100..1_000)
    } else {
        rng.random_range(10..100)
    };
    format!("{}{number}", one(BEINGS, rng))
}

/// True if `text` could be a pupil's user name, however it was typed.
#[must_use]
pub fn is_user_name(text: &str) -> bool {
    let text = key(text);
    let word = text.trim_end_matches(|c: char| c.is_ascii_digit());
    (2..=3).contains(&(text.len() - word.len()))
        && BEINGS.split_whitespace().any(|being| being == word)
}

/// A pass phrase: `tiger banjo orange`, all words different.
#[must_use]
pub fn phrase(rng: &mut impl Rng) -> String {
    let words: Vec<&str> = all().collect();
    let chosen: Vec<&str> = words.sample(rng, PHRASE).copied().collect();
    chosen.join(" ")
}

/// The form in which pass phrases are compared: case, spaces and hyphens are forgiven.
#[must_use]
pub fn folded(phrase: &str) -> String {
    key(phrase)
        .chars()
        .filter(|c| c.is_alphanumeric())
        .collect()
}

/// True if both are the same phrase; takes equally long wherever they differ.
#[must_use]
pub fn same_phrase(one: &str, other: &str) -> bool {
    let (one, other) = (folded(one), folded(other));
    one.as_bytes().ct_eq(other.as_bytes()).into() && !one.is_empty()
}

/// A nickname for a pupil who picks none: `Clever Otter`; not one of `taken`.
#[must_use]
pub fn nickname(rng: &mut impl Rng, taken: &[String]) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|c| c.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    for _ in 0..64 {
        let (manner, being) = (capital(one(MANNERS, rng)), capital(one(BEINGS, rng)));
        let name = format!("{manner} {being}");
        if taken.iter().all(|known| key(known) != key(&name)) {
            return name;
        }
    }
    // There are some 1,800 nicknames, and a class is never so large.
    let being = capital(one(BEINGS, rng));
    format!("{being} {}", rng.random_range(100..1_000))
}

/// A join code: `H7T4NXP`.
#[must_use]
pub fn code(rng: &mut impl Rng) -> String {
    (0..CODE_LENGTH)
        .map(|_| char::from(CODE[rng.random_range(0..CODE.len())]))
        .collect()
}

/// A join code as a visitor typed it: small letters are forgiven, and whatever is no letter or digit, such as spaces, dashes
/// of any length and slashes. `None` if it cannot be one.
#[must_use]
pub fn read_code(text: &str) -> Option<String> {
    let code: String = text
        .chars()
        .filter(|c| c.is_alphanumeric())
        .map(|c| c.to_ascii_uppercase())
        .collect();
    let fits =
        [CODE_LENGTH, OLD_LENGTH].contains(&code.len()) && code.bytes().all(|b| CODE.contains(&b));
    fits.then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// True if one letter more, less or different makes one word the other.
    fn near(one: &str, other: &str) -> bool {
        let (short, long) = if one.len() <= other.len() {
            (one, other)
        } else {
            (other, one)
        };
        if long.len() - short.len() > 1 {
            return false;
        }
        let same = short
            .bytes()
            .zip(long.bytes())
            .take_while(|(a, b)| a == b)
            .count();
        let rest = if short.len() == long.len() {
            same + 1
        } else {
            same
        };
        short.get(rest..) == long.get(same + 1..)
    }

    #[test]
    fn words_are_easily_spelt_and_told_apart() {
        let words: Vec<&str> = all().collect();
        assert!(words.len() >= 400, "{}", words.len());
        for (number, word) in words.iter().enumerate() {
            assert!((4..=7).contains(&word.len()), "{word}");
            assert!(word.bytes().all(|b| b.is_ascii_lowercase()), "{word}");
            for other in &words[number + 1..] {
                assert!(!near(word, other), "{word}, {other}");
                assert!(
                    !word.starts_with(other) && !other.starts_with(word),
                    "{word}, {other}"
                );
            }
        }
        assert!(near("pillow", "willow") && near("able", "table") && !near("tiger", "tower"));
    }
}
