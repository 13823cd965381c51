//! The names that people give to matches, classes, pupils and cards.

use icu_properties::props::{
    CanonicalCombiningClass, DefaultIgnorableCodePoint, EmojiModifier, EnumeratedProperty,
    ExtendedPictographic, GeneralCategory, JoiningType,
};
use icu_properties::{CodePointMapData, CodePointSetData};
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// The fault of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameError {
    /// It has a character that cannot be seen, or shows nothing at all.
    Unseen,
    /// It is empty.
    Empty,
    /// It has this number of characters, more than it may have.
    TooLong(usize),
}

/// Keeps letters apart that would be joined.
const NON_JOINER: char = '\u{200C}';
/// Joins letters, or pictures to one.
const JOINER: char = '\u{200D}';

/// True for characters that are blank though Unicode has them among letters, marks and symbols: Braille without a dot,
/// the place of an object, a note without a head, fillers.
const fn is_blank(c: char) -> bool {
    matches!(
        c,
        '\u{2800}' | '\u{FFFC}' | '\u{1D159}' | '\u{16FE4}' | '\u{13441}' | '\u{13442}'
    )
}

/// True for a character that may be invisible by itself, and is needed beside some others: [`name`] asks which.
const fn is_by_neighbours(c: char) -> bool {
    matches!(c, NON_JOINER | JOINER | '\u{FE0E}' | '\u{FE0F}')
}

fn is<P: EnumeratedProperty>(c: char, one_of: &[P]) -> bool {
    one_of.contains(&CodePointMapData::<P>::new().get(c))
}

/// True for a character that is never seen, or that changes the direction of the text after it. Line ends and tabs are
/// among them; joiners, which scripts and emoji need, are not.
#[must_use]
pub fn is_unseen(c: char) -> bool {
    const UNSEEN: [GeneralCategory; 7] = [
        GeneralCategory::Control,
        GeneralCategory::Format,
        GeneralCategory::PrivateUse,
        GeneralCategory::Surrogate,
        GeneralCategory::Unassigned,
        GeneralCategory::LineSeparator,
        GeneralCategory::ParagraphSeparator,
    ];
    let is_ignored = CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c);
    !is_by_neighbours(c) && (is_ignored || is_blank(c) || is(c, &UNSEEN))
}

/// A text without the characters that hide or turn others, or show nothing: what is read in it is what it says. Line ends,
/// tabs and joiners stay.
#[must_use]
pub fn shown(text: &str) -> String {
    const HIDDEN: [GeneralCategory; 4] = [
        GeneralCategory::Control,
        GeneralCategory::Format,
        GeneralCategory::LineSeparator,
        GeneralCategory::ParagraphSeparator,
    ];
    let is_hidden = |c: char| {
        let is_ignored = CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c);
        !is_by_neighbours(c) && (is_ignored || is_blank(c) || is(c, &HIDDEN))
    };
    let chars = text.chars();
    chars
        .filter(|c| matches!(c, '\n' | '\t') || !is_hidden(*c))
        .collect()
}

/// Marks have no place without a letter.
const MARKS: [GeneralCategory; 4] = [
    GeneralCategory::NonspacingMark,
    GeneralCategory::EnclosingMark,
    GeneralCategory::SpacingMark,
    GeneralCategory::SpaceSeparator,
];

fn is_picture(c: char) -> bool {
    CodePointSetData::new::<ExtendedPictographic>().contains(c)
}

/// True if a character that depends on its neighbours changes what is seen between these, of which the last and the
/// first are the nearest.
fn is_needed(before: &[char], c: char, after: &[char]) -> bool {
    // As Unicode has it for identifiers: after a virama; and between letters that would be joined.
    let is_mark = |c: &&char| is(**c, &[JoiningType::Transparent]);
    let near = before.iter().rev().find(|c| !is_mark(c));
    let next = after.iter().find(|c| !is_mark(c));
    let is_virama = |c: &char| is(*c, &[CanonicalCombiningClass::Virama]);
    let follows_virama = before.last().is_some_and(is_virama);
    let parts_letters = near
        .is_some_and(|c| is(*c, &[JoiningType::DualJoining, JoiningType::LeftJoining]))
        && next.is_some_and(|c| is(*c, &[JoiningType::DualJoining, JoiningType::RightJoining]));
    let is_dressed = |c: &&char| {
        matches!(c, '\u{FE0F}') || CodePointSetData::new::<EmojiModifier>().contains(**c)
    };
    let picture = before.iter().rev().find(|c| !is_dressed(c));
    let follows_picture = picture.is_some_and(|c| is_picture(*c));
    match c {
        NON_JOINER => follows_virama || parts_letters,
        JOINER => {
            follows_virama || (follows_picture && after.first().is_some_and(|c| is_picture(*c)))
        }
        _ => before.last().is_some_and(|c| is_picture(*c)),
    }
}

/// A name in its stored form: no spaces around it, single ones within, and nothing that cannot be seen. All names that
/// people give are read by this.
///
/// # Errors
/// The fault of the name.
pub fn name(text: &str, most: usize) -> Result<String, NameError> {
    // Tabs and line ends are spaces between words.
    let is_space =
        |c: char| matches!(c, '\t' | '\n' | '\r') || is(c, &[GeneralCategory::SpaceSeparator]);
    let words: Vec<&str> = text
        .split(is_space)
        .filter(|word| !word.is_empty())
        .collect();
    let name = words.join(" ");
    if name.is_empty() {
        return Err(NameError::Empty);
    }
    let length = name.chars().count();
    if length > most {
        return Err(NameError::TooLong(length));
    }
    let letters: Vec<char> = name.chars().collect();
    let is_seen = |(at, c): (usize, &char)| {
        !is_unseen(*c)
            && (!is_by_neighbours(*c) || is_needed(&letters[..at], *c, &letters[at + 1..]))
    };
    // Marks alone have no letter to stand on.
    let shows = letters.iter().any(|c| !is(*c, &MARKS));
    if shows && letters.iter().enumerate().all(is_seen) {
        Ok(name)
    } else {
        Err(NameError::Unseen)
    }
}

/// The form in which names are the same that look alike: in small letters without accents, without whatever is between
/// letters (modifier letters, too), and with one letter for all that can be taken for it.
#[must_use]
pub fn skeleton(name: &str) -> String {
    let letters = name.nfkd().filter(|c| !is_combining_mark(*c));
    let letters = letters.flat_map(char::to_lowercase);
    let plain: String = letters
        .map(|c| match c {
            '0' | 'ø' | 'о' | 'ο' => 'o',
            '1' | 'i' | 'ı' | 'ł' | 'ŀ' | '|' | '!' | 'і' | 'ι' | 'ӏ' => 'l',
            '3' | 'ɛ' | 'е' | 'ε' => 'e',
            '4' | '@' | 'ɑ' | 'а' | 'α' => 'a',
            '5' | '$' | 'ѕ' => 's',
            '7' | 'ŧ' | 'т' | 'τ' => 't',
            '8' | 'ƀ' | 'в' | 'β' => 'b',
            '9' => 'g',
            'đ' | 'ð' | 'ԁ' => 'd',
            'ħ' | 'һ' | 'н' => 'h',
            'ŋ' | 'η' | 'п' => 'n',
            'k' | 'ĸ' | 'с' | 'к' | 'κ' | 'ϲ' => 'c',
            'м' => 'm',
            'р' | 'ρ' | 'þ' => 'p',
            'г' => 'r',
            'у' | 'γ' => 'y',
            'х' | 'χ' => 'x',
            'ѵ' | 'ν' => 'v',
            'ԝ' | 'ω' => 'w',
            'ј' => 'j',
            'ԛ' => 'q',
            'υ' => 'u',
            c => c,
        })
        .filter(|c| c.is_alphanumeric() && !('\u{2b0}'..='\u{2ff}').contains(c))
        .collect();
    plain.replace("rn", "m").replace("vv", "w")
}
