//! The names that people give to accounts, matches, classes, pupils and cards, and the texts that they write: one way to
//! read them, one to compare them, one to measure them.

use icu_properties::props::{
    BidiClass, CanonicalCombiningClass, DefaultIgnorableCodePoint, EmojiModifier,
    EnumeratedProperty, ExtendedPictographic, GeneralCategory, JoiningType,
};
use icu_properties::{CodePointMapData, CodePointSetData};
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation as _;

/// The fault of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameError {
    /// It has a character that has no form of its own, or not yet: others would see a box.
    Unseen,
    /// It is empty.
    Empty,
    /// Nothing in it can be seen.
    Blank,
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

/// True for a character that may be invisible by itself, and is needed beside some others: [`shown`] asks which.
const fn is_by_neighbours(c: char) -> bool {
    matches!(c, NON_JOINER | JOINER | '\u{FE0E}' | '\u{FE0F}')
}

fn is<P: EnumeratedProperty>(c: char, one_of: &[P]) -> bool {
    one_of.contains(&CodePointMapData::<P>::new().get(c))
}

/// True for a character that is never seen, that nobody knows, or that changes the direction of the text after it. Line ends and tabs are
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

/// The beginning of an isolate whose direction is that of its first letter, and its end (UAX #9, 2.4).
const ISOLATE: char = '\u{2068}';
const END_OF_ISOLATE: char = '\u{2069}';

/// A sentence in which what is written from right to left is isolated, so that the words beside it keep their place. A
/// line end, a letter written from left to right, and signs that part names end an isolate. What is isolated already stays as it is.
#[must_use]
pub fn isolated(text: &str) -> String {
    let class = |c: char| CodePointMapData::<BidiClass>::new().get(c);
    let is_from_right =
        |c: char| matches!(class(c), BidiClass::RightToLeft | BidiClass::ArabicLetter);
    let mut out = String::with_capacity(text.len() + 12);
    let mut rest = text;
    while let Some(begin) = rest.find(|c| c == ISOLATE || is_from_right(c)) {
        let (before, run) = rest.split_at(begin);
        out += before;
        if run.starts_with(ISOLATE) {
            let len = run.find(END_OF_ISOLATE).unwrap_or(run.len());
            out += &run[..len];
            rest = &run[len..];
            continue;
        }
        // Names that stand beside each other are parted by signs.
        let stops = |c: char| {
            matches!(
                class(c),
                BidiClass::LeftToRight | BidiClass::ParagraphSeparator
            ) || ",;:()[]\"“”".contains(c)
        };
        let room = &run[..run.find(stops).unwrap_or(run.len())];
        // Marks belong to the letter before them.
        let last = room.rfind(|c| is_from_right(c) || class(c) == BidiClass::NonspacingMark);
        let len = last.map_or(room.len(), |last| {
            last + run[last..].chars().next().map_or(0, char::len_utf8)
        });
        let (run, after) = run.split_at(len);
        out.push(ISOLATE);
        out += run;
        out.push(END_OF_ISOLATE);
        rest = after;
    }
    out += rest;
    out
}

/// True for a character that hides or turns others, or shows nothing.
fn is_hidden(c: char) -> bool {
    const HIDDEN: [GeneralCategory; 4] = [
        GeneralCategory::Control,
        GeneralCategory::Format,
        GeneralCategory::LineSeparator,
        GeneralCategory::ParagraphSeparator,
    ];
    let is_ignored = CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c);
    is_ignored || is_blank(c) || is(c, &HIDDEN)
}

/// The flags that are written with letters that are not seen: those of England, Scotland and Wales.
const FLAGS: [&str; 3] = [
    "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
    "\u{1F3F4}\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}",
];

/// A text as it is kept, and as it is read: composed (NFC), and without the characters that hide or turn others, or show
/// nothing. Line ends and tabs stay; so do joiners within words and emoji, and what follows an emoji to choose its form.
#[must_use]
pub fn shown(text: &str) -> String {
    let mut kept: Vec<char> = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(flag) = FLAGS.iter().find(|flag| rest.starts_with(**flag)) {
            kept.extend(flag.chars());
            rest = &rest[flag.len()..];
            continue;
        }
        rest = &rest[c.len_utf8()..];
        let stays = match c {
            '\n' | '\t' => true,
            c if is_by_neighbours(c) => is_needed(&kept, c, rest),
            c => !is_hidden(c),
        };
        if stays {
            kept.push(c);
        } else if c == '\r' && !rest.starts_with('\n') {
            kept.push('\n');
        }
    }
    kept.into_iter().nfc().collect()
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

/// The most marks, before and after a joiner, beyond which the next letter is looked for: no script has more.
const NEAR: usize = 16;

/// True if a character that depends on its neighbours changes what is seen between these, of which the last and the
/// first are the nearest. Before it stands what is kept, after it the text as it came.
fn is_needed(before: &[char], c: char, after: &str) -> bool {
    // As Unicode has it for identifiers: after a virama; and between letters that would be joined.
    let is_mark = |c: &char| is(*c, &[JoiningType::Transparent]);
    let mut nearest = before.iter().rev().take(NEAR);
    let near = nearest.find(|c| !is_mark(c));
    let next = after.chars().take(NEAR).find(|c| !is_mark(c));
    let is_virama = |c: &char| is(*c, &[CanonicalCombiningClass::Virama]);
    let follows_virama = before.last().is_some_and(is_virama);
    let parts_letters = near
        .is_some_and(|c| is(*c, &[JoiningType::DualJoining, JoiningType::LeftJoining]))
        && next.is_some_and(|c| is(c, &[JoiningType::DualJoining, JoiningType::RightJoining]));
    let is_dressed = |c: &&char| {
        matches!(c, '\u{FE0F}') || CodePointSetData::new::<EmojiModifier>().contains(**c)
    };
    let picture = before
        .iter()
        .rev()
        .take(NEAR)
        .find(|c| !is_dressed(c))
        .copied();
    let first = after.chars().next();
    match c {
        NON_JOINER => follows_virama || parts_letters,
        JOINER => {
            follows_virama || (picture.is_some_and(is_picture) && first.is_some_and(is_picture))
        }
        // Digits are emoji only as keys.
        _ => before
            .last()
            .is_some_and(|c| is_picture(*c) || (is_key(*c) && first == Some(KEY))),
    }
}

/// Makes a key of a digit: 1️⃣.
const KEY: char = '\u{20E3}';

const fn is_key(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '#' | '*')
}

/// The length of a text as it is counted everywhere: in characters as people see them, whatever they are made of. One that
/// is made of very many, as no letter and no emoji is, counts more than once.
#[must_use]
pub fn length(text: &str) -> usize {
    let seen = text.graphemes(true);
    seen.map(|one| one.chars().count().div_ceil(MOST_PARTS))
        .sum()
}

/// The most that one emoji is made of.
const MOST_PARTS: usize = 10;

/// True if something in a text can be seen. Marks alone have no letter to stand on.
#[must_use]
pub fn shows(text: &str) -> bool {
    let is_by_itself =
        |c: char| !is_hidden(c) && !is_by_neighbours(c) && !c.is_whitespace() && !is(c, &MARKS);
    text.chars().any(is_by_itself)
}

/// Others would see a box for them.
const UNKNOWN: [GeneralCategory; 2] = [GeneralCategory::PrivateUse, GeneralCategory::Unassigned];

/// A name in its stored form: composed, no spaces around it, single ones within, and without what cannot be seen and
/// changes nothing. All names that people give are read by this.
///
/// # Errors
/// The fault of the name.
pub fn name(text: &str, most: usize) -> Result<String, NameError> {
    // Tabs and line ends are spaces between words.
    let spaced = text.replace(char::is_whitespace, " ");
    if spaced.bytes().all(|c| c == b' ') {
        return Err(NameError::Empty);
    }
    let name = words(&shown(&spaced));
    if !shows(&name) {
        return Err(NameError::Blank);
    }
    let length = length(&name);
    if length > most {
        return Err(NameError::TooLong(length));
    }
    if name.chars().any(|c| is(c, &UNKNOWN)) {
        return Err(NameError::Unseen);
    }
    Ok(name)
}

fn words(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// The form in which names are compared: whatever the case, the width and the way in which it was typed, and without what
/// cannot be seen (nearly the `NFKC_Casefold` of Unicode).
#[must_use]
pub fn key(name: &str) -> String {
    let seen = |c: &char| !is_hidden(*c) && !is_by_neighbours(*c);
    let spaced = name.replace(char::is_whitespace, " ");
    let plain = spaced.chars().filter(seen).nfkc();
    // The small letters of the capital ones, so that ß is ss; ı has no capital of its own.
    let folded = plain.flat_map(char::to_lowercase).flat_map(|c| {
        let capital = c.to_uppercase().filter(move |_| c != 'ı');
        let rest = (c == 'ı').then_some(c);
        capital.chain(rest).flat_map(char::to_lowercase)
    });
    // What is folded may compose anew.
    let folded: String = folded.nfkc().filter(seen).collect();
    words(&folded)
}

/// The form in which names were compared before there was [`key`]: names that were different then, and are the same now,
/// are still known by it.
#[must_use]
pub fn former_key(name: &str) -> String {
    name.trim().to_lowercase()
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
