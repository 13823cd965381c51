//! Names: whatever can be seen, in any script, and nothing else.

use perplex_matches::names::{
    NameError, former_key, is_unseen, isolated, key, length, name, shown, shows,
};

/// Characters of each kind that is not seen, where they stand between letters.
const UNSEEN: &str = "\u{0}\u{7}\u{1b}\u{7f}\u{ad}\u{34f}\u{600}\u{61c}\u{6dd}\u{70f}\u{115f}\u{1160}\u{17b4}\
    \u{17b5}\u{180b}\u{180e}\u{200b}\u{200c}\u{200d}\u{200e}\u{200f}\u{202a}\u{202e}\u{2060}\u{2064}\
    \u{2065}\u{2066}\u{2069}\u{206f}\u{2800}\u{3164}\u{fe00}\u{fe0e}\u{fe0f}\u{feff}\u{ffa0}\
    \u{fff0}\u{fff9}\u{fffb}\u{fffc}\u{13430}\u{13441}\u{1bca0}\u{1d159}\u{1d173}\u{1d17a}\u{e0001}\u{e0041}\
    \u{e0100}\u{e01ef}";

#[test]
fn what_cannot_be_seen_is_in_no_name() {
    for c in UNSEEN.chars() {
        let about = format!("{:x}", u32::from(c));
        for text in [
            format!("An{c}na"),
            format!("{c}Anna"),
            format!("Anna{c}"),
            format!("{c} Anna{c} {c}"),
            format!("{c}{c}An{c}{c}na"),
        ] {
            assert_eq!(name(&text, 4).as_deref(), Ok("Anna"), "{about}");
            assert_eq!(key(&text), "anna", "{about}");
        }
        let two = format!("Anna {c} Berg");
        assert_eq!(name(&two, 40).as_deref(), Ok("Anna Berg"), "{about}");
        for text in [c.to_string(), format!("{c} {c}"), format!("{c}\u{301}")] {
            assert_eq!(name(&text, 40), Err(NameError::Blank), "{about}");
            assert!(!shows(&text), "{about}");
        }
    }
    // Others would see boxes.
    for c in "\u{e000}\u{f8ff}\u{fdd0}\u{fffe}\u{f0000}\u{10fffd}\u{378}".chars() {
        let about = format!("{:x}", u32::from(c));
        for text in [c.to_string(), format!("An{c}na")] {
            assert_eq!(name(&text, 40), Err(NameError::Unseen), "{about}");
        }
    }
    // Every character: what is taken is seen.
    for c in '\0'..=char::MAX {
        if let Ok(name) = name(&format!("A{c}a"), 40) {
            assert!(!name.contains(is_unseen), "{:x}", u32::from(c));
        }
    }
    for (text, error) in [
        ("", NameError::Empty),
        (" \u{a0}\t\u{3000}\u{2003}\u{2028}", NameError::Empty),
        ("\u{301}", NameError::Blank),
        ("\u{301} \u{20dd}", NameError::Blank),
    ] {
        assert_eq!(name(text, 40), Err(error), "{text:?}");
    }
    // Joiners that join nothing, and what chooses the form of nothing: two names that look the same.
    for (text, read) in [
        ("را\u{200c}ن", "ران"),
        ("❤\u{200d}", "❤"),
        ("\u{200d}❤", "❤"),
        ("❤\u{200d}\u{200d}🔥", "❤\u{200d}🔥"),
        ("A\u{fe0f}", "A"),
        ("1\u{fe0f}", "1"),
        ("क\u{200d}", "क"),
        ("❤\u{fe0f}\u{fe0f}", "❤\u{fe0f}"),
        ("न\u{94d}\u{200d}\u{200d}", "न\u{94d}\u{200d}"),
        ("🏴\u{e0067}\u{e0062}", "🏴"),
        ("Zoe\u{200b}\u{308}", "Zoë"),
    ] {
        assert_eq!(name(text, 40).as_deref(), Ok(read), "{text:?}");
    }
}

#[test]
fn names_are_written_in_any_script() {
    for text in [
        "Anna-Lena O’Brien",
        "Zoë Ångström",
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
        "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} 7b",
        "1\u{fe0f}\u{20e3}",
        "7b ♞",
        "...",
        "R2-D2",
    ] {
        assert_eq!(name(text, 40).as_deref(), Ok(text), "{text:?}");
        assert_eq!(shown(text), text);
    }
    let spaced = name("\u{a0}Anna \u{3000}\tvan\r\n der  Berg ", 40);
    assert_eq!(spaced.as_deref(), Ok("Anna van der Berg"));
    // Whichever keyboard: composed.
    assert_eq!(name("Zoe\u{308}", 3).as_deref(), Ok("Zoë"));
}

#[test]
fn names_are_the_same_however_they_are_typed() {
    for [one, other] in [
        ["Zoë", "ZOE\u{308}"],
        ["Weiß", "WEISS"],
        ["WEIẞ", "weiss"],
        ["Anna", "Ａｎｎａ"],
        ["ﬁn", "FIN"],
        ["نی\u{200c}لوفر", "نیلوفر"],
        ["Σίσυφος", "ΣΊΣΥΦΟΣ"],
        ["Dr. Weber", " dr. \u{a0}weber "],
        ["An\u{ad}na", "\u{feff}Anna"],
        ["ｶﾞ", "ガ"],
        ["❤\u{fe0f}", "❤"],
        ["Ann\u{3164}", "Ann"],
    ] {
        assert_eq!(key(one), key(other), "{one:?} {other:?}");
        assert_eq!(key(&key(one)), key(one), "{one:?}");
    }
    for [one, other] in [["Zoë", "Zoe"], ["Nazlı", "Nazli"], ["Anna", "Аnna"]] {
        assert_ne!(key(one), key(other), "{one:?} {other:?}");
    }
    assert_eq!(former_key(" Weiß"), "weiß");
    // The key of a key is the same, and of a name in its stored form that of the name, for every character that has two
    // cases or several forms.
    for c in ('\0'..'\u{3400}')
        .chain('\u{a640}'..'\u{ac00}')
        .chain('\u{f900}'..='\u{ffff}')
    {
        let text = format!("A{c}a");
        let key_of = key(&text);
        assert_eq!(key(&key_of), key_of, "{:x}", u32::from(c));
        if let Ok(name) = name(&text, 40) {
            assert_eq!(key(&name), key_of, "{:x}", u32::from(c));
        }
    }
}

#[test]
fn what_is_seen_is_counted() {
    for (text, seen) in [
        ("Anna", 4),
        ("Zoe\u{308}", 3),
        ("👩🏻\u{200d}❤\u{fe0f}\u{200d}💋\u{200d}👨🏼", 1),
        ("🇺🇦🇺🇦", 2),
        ("क्षि", 1),
        ("한글", 2),
    ] {
        assert_eq!(length(text), seen, "{text:?}");
    }
    assert_eq!(name("Anna", 3), Err(NameError::TooLong(4)));
    assert_eq!(name("An\u{200b}na", 4).as_deref(), Ok("Anna"));
    let tall = format!("A{}", "\u{301}".repeat(401));
    assert_eq!(length(&tall), 41);
    assert!(name(&tall, 40).is_err());
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

/// In a sentence the words beside a name stay where they are, in whatever direction the name is written.
#[test]
fn what_is_written_from_right_to_left_is_isolated() {
    for (sentence, marked) in [
        ("محمد played e4 on board 2", "<محمد> played e4 on board 2"),
        ("Anna and דוד 3", "Anna and <דוד> 3"),
        ("דוד בן-עמי, and Anna", "<דוד בן-עמי>, and Anna"),
        ("מ2ד won", "<מ2ד> won"),
        ("مُحَمَّدٌ won", "<مُحَمَّدٌ> won"),
        ("דוד, משה and Anna", "<דוד>, <משה> and Anna"),
        ("דוד 3, משה 2", "<דוד> 3, <משה> 2"),
        ("דוד (משה)", "<דוד> (<משה>)"),
        ("محمد\nدוד", "<محمد>\n<دוד>"),
        ("<محمد> wrote “قف”", "<محمد> wrote “<قف>”"),
        ("Anna, Zoë and 李雷", "Anna, Zoë and 李雷"),
        ("", ""),
    ] {
        let marks = |text: &str| text.replace('<', "\u{2068}").replace('>', "\u{2069}");
        assert_eq!(isolated(&marks(sentence)), marks(marked), "{sentence}");
    }
}
