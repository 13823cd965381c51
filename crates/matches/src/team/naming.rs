//! Whom a message of the talk names.

/// A name as people write it: the whole one, and in short.
struct Name {
    whole: Vec<String>,
    /// Empty if a single letter would be short for it: that is an article, or a file of the board.
    short: Option<String>,
}

/// The words of a text, in lower case.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

impl Name {
    fn with(whole: Vec<String>, short: Option<String>) -> Self {
        Self {
            short: short.filter(|word| word.chars().nth(1).is_some()),
            whole,
        }
    }

    /// A member's: in short the first word, `Anna` of `Anna B.`
    fn of_member(name: &str) -> Self {
        let whole = words(name);
        let short = whole.first().cloned();
        Self::with(whole, short)
    }

    /// A host's: in short the last word, without a title: `Berg` of `Ms Berg`.
    fn of_host(name: &str) -> Self {
        let whole = words(name);
        let short = whole.last().cloned();
        Self::with(whole, short)
    }

    fn is_whole_in(&self, said: &[String]) -> bool {
        !self.whole.is_empty() && said.starts_with(&self.whole)
    }
}

/// True if a text says this name in whole words, or its short form where that is not the whole name of another.
fn says(text: &str, name: &Name, others: &[Name]) -> bool {
    let text = words(text);
    (0..text.len()).any(|at| {
        let said = &text[at..];
        let theirs = others.iter().filter(|other| other.is_whole_in(said));
        let theirs = theirs.map(|other| other.whole.len()).max();
        if name.is_whole_in(said) {
            theirs.is_none_or(|length| length <= name.whole.len())
        } else {
            theirs.is_none() && name.short.as_ref() == said.first()
        }
    })
}

/// True if a text names the member with this name, among others with theirs.
#[must_use]
pub fn names_member<'a>(text: &str, name: &str, others: impl Iterator<Item = &'a str>) -> bool {
    let others: Vec<Name> = others.map(Name::of_member).collect();
    says(text, &Name::of_member(name), &others)
}

/// True if a text names the host with this name, beside members with theirs.
#[must_use]
pub fn names_host<'a>(text: &str, name: &str, members: impl Iterator<Item = &'a str>) -> bool {
    let members: Vec<Name> = members.map(Name::of_member).collect();
    says(text, &Name::of_host(name), &members)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLASS: [&str; 6] = ["Anna", "Anna B.", "Anna-Lena K.", "Özlem", "J. Roth", "Bo"];

    /// Those whom a text names.
    fn named(text: &str) -> Vec<&'static str> {
        let is_named = |name: &&str| {
            let others = CLASS.into_iter().filter(|other| other != name);
            names_member(text, name, others)
        };
        CLASS.into_iter().filter(is_named).collect()
    }

    #[test]
    fn names_are_whole_words() {
        for (text, expected) in [
            ("anna, look!", &["Anna"][..]),
            ("ANNA B: your knight", &["Anna B."]),
            ("Anna-Lena, and özlem?", &["Anna", "Özlem"]),
            ("Anna-Lena K.!", &["Anna-Lena K."]),
            ("Bo’s queen", &["Bo"]),
            ("Look at the board, Annabel", &[]),
            ("j is no name, e4 neither", &[]),
            ("J. Roth", &["J. Roth"]),
            ("", &[]),
        ] {
            assert_eq!(named(text), expected, "{text}");
        }
    }

    #[test]
    fn a_first_name_of_several_names_them_all() {
        let names = ["Cem A.", "Cem K."];
        for (text, expected) in [
            ("Cem!", [true, true]),
            ("cem k?", [false, true]),
            ("Cemal", [false, false]),
        ] {
            let named = [0, 1].map(|at| names_member(text, names[at], [names[1 - at]].into_iter()));
            assert_eq!(named, expected, "{text}");
        }
    }

    #[test]
    fn a_host_is_named_without_the_title() {
        for (text, expected) in [
            ("Ms Berg, help", true),
            ("help, berg", true),
            ("Ms Lehmann", false),
        ] {
            assert_eq!(names_host(text, "Ms Berg", CLASS.into_iter()), expected);
        }
    }
}
