//! Words that children can read, spell and type: for user names, pass phrases, nicknames and join codes.
//!
//! The list is our own. Its words are short, common, of four to seven plain letters, and none of them means anything
//! unkind, beside any other either; none is another with one letter more, less or different.

use rand::seq::IndexedRandom as _;
use rand::{Rng, RngExt as _};

/// What a member can be called: animals and other nice beings.
const BEINGS: [&str; 58] = [
    "badger", "beetle", "bison", "bobcat", "camel", "canary", "cheetah", "condor", "coyote",
    "cricket", "dolphin", "dragon", "eagle", "falcon", "ferret", "finch", "firefly", "gazelle",
    "gecko", "giraffe", "hamster", "heron", "iguana", "impala", "jackdaw", "jaguar", "kestrel",
    "kiwi", "koala", "lemur", "leopard", "lizard", "llama", "lynx", "magpie", "marmot", "meerkat",
    "merlin", "ocelot", "osprey", "otter", "panda", "panther", "pelican", "penguin", "phoenix",
    "puffin", "puma", "rabbit", "raven", "robin", "sparrow", "tiger", "toucan", "turtle",
    "unicorn", "wombat", "zebra",
];

/// How a member can be.
const MANNERS: [&str; 30] = [
    "brave", "bright", "calm", "clever", "cosmic", "daring", "eager", "fair", "gentle", "golden",
    "happy", "honest", "jolly", "keen", "kind", "lively", "loyal", "lucky", "merry", "mighty",
    "nimble", "noble", "patient", "polite", "quick", "quiet", "silver", "steady", "sunny", "wise",
];

/// Everything else.
const THINGS: [&str; 316] = [
    "acorn", "album", "almond", "alpine", "amber", "anchor", "anthem", "apple", "apricot",
    "arcade", "arrow", "atlas", "attic", "autumn", "avocado", "bagel", "bakery", "balcony",
    "ballad", "bamboo", "banjo", "banner", "barley", "basil", "basket", "beacon", "bicycle",
    "biscuit", "blanket", "blossom", "bonfire", "bottle", "breeze", "bridge", "broom", "bucket",
    "buffet", "butter", "button", "cabin", "cactus", "candle", "canoe", "canyon", "caramel",
    "caravan", "carbon", "carpet", "carrot", "castle", "cedar", "cello", "cement", "cereal",
    "chalk", "chapter", "chess", "chorus", "cinema", "circle", "citrus", "clarity", "cloud",
    "cobalt", "coconut", "comet", "compass", "concert", "copper", "coral", "corner", "cottage",
    "cousin", "cradle", "crater", "crayon", "crystal", "cube", "curtain", "cushion", "daisy",
    "dancer", "delta", "diamond", "dinner", "doctor", "domino", "drawer", "dream", "drizzle",
    "drummer", "dune", "easel", "echo", "elbow", "emerald", "engine", "evening", "fabric",
    "farmer", "feather", "fennel", "fiddle", "field", "flame", "flute", "forest", "fossil",
    "friend", "galaxy", "garden", "garlic", "ginger", "glacier", "glider", "glitter", "glove",
    "granite", "gravity", "guitar", "hammock", "harp", "harvest", "hazel", "holiday", "honey",
    "house", "iceberg", "icicle", "indigo", "island", "ivory", "jacket", "jasmine", "jewel",
    "jigsaw", "journey", "juggler", "jungle", "kayak", "kettle", "keyhole", "kitchen", "ladder",
    "lagoon", "lantern", "laptop", "laurel", "leaf", "lemon", "lentil", "letter", "library",
    "lilac", "lily", "linen", "lobby", "lotus", "lullaby", "lunch", "magnet", "mango", "maple",
    "marble", "market", "mask", "meadow", "medal", "melody", "meteor", "minute", "mirror",
    "mitten", "morning", "mosaic", "motor", "mural", "museum", "music", "napkin", "nebula",
    "nickel", "noodle", "number", "nutmeg", "oasis", "oatmeal", "ocean", "octave", "olive", "opal",
    "opera", "orange", "orbit", "orchard", "orchid", "origami", "oyster", "painter", "palace",
    "pancake", "pantry", "paper", "paprika", "parade", "parsley", "pasta", "pasture", "peanut",
    "pebble", "pencil", "pepper", "piano", "picnic", "pigment", "pillow", "pilot", "planet",
    "plaza", "poem", "pollen", "pond", "popcorn", "poppy", "porch", "potato", "pottery", "prism",
    "pulley", "pumpkin", "puzzle", "pyramid", "quartz", "radio", "rainbow", "raisin", "recipe",
    "ribbon", "river", "rocket", "ruby", "runner", "saffron", "sailor", "salad", "sandal",
    "satchel", "saturn", "scarf", "school", "scooter", "season", "sesame", "shadow", "shelter",
    "sketch", "slipper", "snow", "soccer", "sonata", "spark", "spinach", "spiral", "spring",
    "square", "stadium", "story", "summer", "sunset", "supper", "syrup", "teapot", "temple",
    "tennis", "tent", "thimble", "thunder", "ticket", "timber", "toast", "toffee", "tomato",
    "topaz", "tower", "tractor", "travel", "trolley", "trophy", "trumpet", "tuba", "tugboat",
    "tulip", "tundra", "tunnel", "turnip", "uniform", "valley", "vanilla", "velvet", "vessel",
    "village", "violin", "vista", "voyage", "waffle", "wagon", "wallet", "walnut", "wheel",
    "whistle", "window", "winter", "wonder", "yellow", "yodel", "zigzag",
];

/// What join codes are made of: no vowels, so that they are no words, and nothing that looks like another.
const CODE: &[u8; 16] = b"DHJMNPRTVWX34679";
/// How long a join code is.
pub const CODE_LENGTH: usize = 6;
/// How many words a pass phrase has.
const PHRASE: usize = 3;

fn all() -> impl Iterator<Item = &'static str> {
    [&BEINGS[..], &MANNERS, &THINGS]
        .into_iter()
        .flatten()
        .copied()
}

/// One of `words`; there always is one.
fn one(words: &[&'static str], rng: &mut impl Rng) -> &'static str {
    words.choose(rng).copied().unwrap_or_default()
}

/// A user name: `otter47`, or, `long`, with three digits.
#[must_use]
pub fn user_name(rng: &mut impl Rng, long: bool) -> String {
    let number: u16 = if long {
        rng.random_range(100..1_000)
    } else {
        rng.random_range(10..100)
    };
    format!("{}{number}", one(&BEINGS, rng))
}

/// Whether it could be a pupil's user name, whatever the case of its letters.
#[must_use]
pub fn is_user_name(text: &str) -> bool {
    let text = text.to_lowercase();
    let word = text.trim_end_matches(|c: char| c.is_ascii_digit());
    (2..=3).contains(&(text.len() - word.len())) && BEINGS.contains(&word)
}

/// A pass phrase: `tiger banjo orange`, all words different.
#[must_use]
pub fn phrase(rng: &mut impl Rng) -> String {
    let words: Vec<&str> = all().collect();
    let chosen: Vec<&str> = words.sample(rng, PHRASE).copied().collect();
    chosen.join(" ")
}

/// A pass phrase as it is compared: case, spaces and hyphens are forgiven.
#[must_use]
pub fn folded(phrase: &str) -> String {
    phrase
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Whether these are the same phrase; it takes as long wherever they differ.
#[must_use]
pub fn same_phrase(one: &str, other: &str) -> bool {
    let (one, other) = (folded(one), folded(other));
    let different = one
        .bytes()
        .zip(other.bytes())
        .fold(0, |d, (a, b)| d | (a ^ b));
    one.len() == other.len() && different == 0 && !one.is_empty()
}

/// What a pupil is called who picks no name: `Clever Otter`; none of `taken`.
#[must_use]
pub fn nickname(rng: &mut impl Rng, taken: &[String]) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|c| c.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    for _ in 0..64 {
        let name = format!(
            "{} {}",
            capital(one(&MANNERS, rng)),
            capital(one(&BEINGS, rng))
        );
        if !taken.contains(&name) {
            return name;
        }
    }
    // There are some 1,800 of them, and a class is never so large.
    format!(
        "{} {}",
        capital(one(&BEINGS, rng)),
        rng.random_range(100..1_000)
    )
}

/// A join code: `H7T4NX`.
#[must_use]
pub fn code(rng: &mut impl Rng) -> String {
    (0..CODE_LENGTH)
        .map(|_| char::from(CODE[rng.random_range(0..CODE.len())]))
        .collect()
}

/// A join code as a visitor typed it: small letters, spaces and hyphens are forgiven. `None` if it cannot be one.
#[must_use]
pub fn read_code(text: &str) -> Option<String> {
    let code: String = text
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '-')
        .map(|c| c.to_ascii_uppercase())
        .collect();
    let fits = code.len() == CODE_LENGTH && code.bytes().all(|b| CODE.contains(&b));
    fits.then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether two words are one slip of the finger apart.
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

    #[test]
    fn what_is_made_is_read_again() {
        let mut rng = rand::rng();
        for _ in 0..200 {
            for long in [false, true] {
                let name = user_name(&mut rng, long);
                assert!(
                    is_user_name(&name) && is_user_name(&name.to_uppercase()),
                    "{name}"
                );
            }
            let code = code(&mut rng);
            let typed = format!(" {}-{}", code[..3].to_lowercase(), &code[3..]);
            assert_eq!(read_code(&typed), Some(code));
            let phrase = phrase(&mut rng);
            let words: Vec<&str> = phrase.split(' ').collect();
            assert_eq!(words.len(), PHRASE, "{phrase}");
            assert!(words[0] != words[1] && words[1] != words[2] && words[0] != words[2]);
            assert!(same_phrase(
                &phrase,
                &phrase.replace(' ', "-").to_uppercase()
            ));
            assert!(same_phrase(
                &phrase,
                &format!(" {}", phrase.replace(' ', ""))
            ));
            assert!(!same_phrase(&phrase, &phrase[1..]) && !same_phrase(&phrase, ""));
        }
        for none in [
            "",
            "anna12",
            "otter",
            "otter4",
            "otter4711",
            "47",
            "otter47x",
        ] {
            assert!(!is_user_name(none), "{none}");
        }
        for none in ["", "H7T4N", "H7T4NXX", "H7T4NA", "H7T4N0", "H7T4NÄ"] {
            assert_eq!(read_code(none), None, "{none}");
        }
    }

    #[test]
    fn nicknames_differ_within_a_class() {
        let mut rng = rand::rng();
        let mut taken = Vec::new();
        for _ in 0..100 {
            let name = nickname(&mut rng, &taken);
            assert!(!taken.contains(&name), "{name}");
            taken.push(name);
        }
    }
}
