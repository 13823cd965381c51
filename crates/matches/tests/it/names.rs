//! Names: whatever can be seen, in any script, and nothing else.

use perplex_matches::names::{NameError, is_unseen, name, shown};

/// Characters of each kind that is not seen, where they stand between letters.
const UNSEEN: &str = "\u{0}\u{7}\u{b}\u{1b}\u{7f}\u{85}\u{ad}\u{34f}\u{600}\u{61c}\u{6dd}\u{70f}\u{115f}\u{1160}\u{17b4}\
    \u{17b5}\u{180b}\u{180e}\u{200b}\u{200c}\u{200d}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202e}\u{2060}\u{2064}\
    \u{2065}\u{2066}\u{2069}\u{206f}\u{2800}\u{3164}\u{e000}\u{f8ff}\u{fdd0}\u{fe00}\u{fe0e}\u{fe0f}\u{feff}\u{ffa0}\
    \u{fff0}\u{fff9}\u{fffb}\u{fffc}\u{fffe}\u{13430}\u{13441}\u{1bca0}\u{1d159}\u{1d173}\u{1d17a}\u{e0001}\u{e0041}\
    \u{e0100}\u{e01ef}\u{f0000}\u{10fffd}\u{378}";

#[test]
fn what_cannot_be_seen_is_in_no_name() {
    for c in UNSEEN.chars() {
        for text in [
            c.to_string(),
            format!("An{c}na"),
            format!("{c}Anna"),
            format!("Anna{c}"),
            format!("Anna {c} Berg"),
            format!("{c}{c}"),
        ] {
            assert_eq!(
                name(&text, 40),
                Err(NameError::Unseen),
                "{:x} {text:?}",
                u32::from(c)
            );
        }
    }
    // Every character: what is taken is seen.
    for c in '\0'..=char::MAX {
        if name(&format!("A{c}a"), 40).is_ok() {
            assert!(
                !is_unseen(c) || matches!(c, '\t' | '\n' | '\r'),
                "{:x}",
                u32::from(c)
            );
        }
    }
    for (text, error) in [
        ("", NameError::Empty),
        (" \u{a0}\t\u{3000}\u{2003}", NameError::Empty),
        ("\u{301}", NameError::Unseen),
        ("\u{301} \u{20dd}", NameError::Unseen),
    ] {
        assert_eq!(name(text, 40), Err(error), "{text:?}");
    }
    assert_eq!(name("Anna", 3), Err(NameError::TooLong(4)));
    // Joiners that join nothing: two names that look the same.
    for text in [
        "را\u{200c}ن",
        "❤\u{200d}",
        "\u{200d}❤",
        "A\u{fe0f}",
        "क\u{200d}",
        "❤\u{fe0f}\u{fe0f}",
        "न\u{94d}\u{200d}\u{200d}",
    ] {
        assert_eq!(name(text, 40), Err(NameError::Unseen), "{text:?}");
    }
}

#[test]
fn names_are_written_in_any_script() {
    for text in [
        "Anna-Lena O’Brien",
        "Zoë Ångström",
        "Zoe\u{308}",
        "Łukasz",
        "Александра",
        "Ελένη",
        "李小龙",
        "さくら",
        "김민준",
        "محمد",
        "نی\u{200c}لوفر",
        "יעל",
        "क्षितिज",
        "ക\u{d4d}\u{200d}",
        "ශ\u{dca}\u{200d}රී",
        "நிலா",
        "ณัฐ",
        "👩\u{200d}🚀",
        "👩🏽\u{200d}🚀",
        "❤\u{fe0f}",
        "❤\u{fe0f}\u{200d}🔥",
        "🇺🇦 7b",
        "7b ♞",
        "...",
        "R2-D2",
    ] {
        assert_eq!(name(text, 40).as_deref(), Ok(text), "{text:?}");
    }
    let spaced = name("\u{a0}Anna \u{3000}\tvan\r\n der  Berg ", 40);
    assert_eq!(spaced.as_deref(), Ok("Anna van der Berg"));
}

#[test]
fn a_text_is_what_is_read_in_it() {
    let hidden = "Whi\u{200b}te\u{ad} kings\u{202e} \u{2066}ignore\u{2069} che\u{feff}ck.\u{7}\u{2028}\u{2800}";
    assert_eq!(shown(hidden), "White kings ignore check.");
    for text in [
        "One line\nand\tanother",
        "می\u{200c}خواهم 👩\u{200d}🔬 ❤\u{fe0f} Grüße",
        "क\u{94d}\u{200d}ष",
    ] {
        assert_eq!(shown(text), text);
    }
}
