//! Mail addresses: one way to read them, one to compare them, one to show them. A domain is kept in ASCII, as mail
//! servers have it, and shown in its letters.

use std::net::IpAddr;

use unicode_normalization::UnicodeNormalization as _;

/// The most bytes of an address.
pub const LONGEST: usize = 254;

/// A domain in ASCII; `None` if it is none.
pub fn domain(name: &str) -> Option<String> {
    let name = idna::domain_to_ascii(name).ok()?;
    (!name.is_empty()).then_some(name)
}

/// The address with its domain in ASCII, where that is one.
pub fn in_ascii(address: &str) -> String {
    let address: String = address.trim().nfc().collect();
    let parts = address.rsplit_once('@');
    match parts.and_then(|(user, place)| Some((user, domain(place)?))) {
        Some((user, place)) => format!("{user}@{place}"),
        None => address,
    }
}

/// The form in which an address is kept; `None` if it is none to which mail can go. The number of a computer is none:
/// mail is for people.
pub fn read(address: &str) -> Option<String> {
    let address = in_ascii(address);
    let is_plain = !address.contains(|c: char| c.is_control() || c.is_whitespace());
    let (_, place) = address.rsplit_once('@')?;
    let is_number = place.starts_with('[') || place.parse::<IpAddr>().is_ok();
    let is_domain = !is_number && domain(place).is_some();
    let is_one = is_plain && is_domain && address.len() <= LONGEST;
    (is_one && address.parse::<lettre::Address>().is_ok()).then_some(address)
}

/// The form in which addresses are compared.
pub fn key(address: &str) -> String {
    in_ascii(address).to_lowercase()
}

/// The form in which they were compared before domains were kept in ASCII.
pub fn former_key(address: &str) -> String {
    address.trim().to_lowercase()
}

/// The address as people read it: its domain in letters.
pub fn shown(address: &str) -> String {
    match address.rsplit_once('@') {
        Some((user, place)) => format!("{user}@{}", idna::domain_to_unicode(place).0),
        None => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_is_kept_in_ascii_and_shown_in_letters() {
        for (typed, kept, read_as) in [
            ("Ada@Example.org", "Ada@example.org", "Ada@example.org"),
            (
                " ada@schäch.example ",
                "ada@xn--schch-ira.example",
                "ada@schäch.example",
            ),
            (
                "ada@scha\u{308}ch.example",
                "ada@xn--schch-ira.example",
                "ada@schäch.example",
            ),
            (
                "ada@SCHÄCH.example",
                "ada@xn--schch-ira.example",
                "ada@schäch.example",
            ),
            (
                "ada@xn--schch-ira.example",
                "ada@xn--schch-ira.example",
                "ada@schäch.example",
            ),
            (
                "jörg@schäch.example",
                "jörg@xn--schch-ira.example",
                "jörg@schäch.example",
            ),
            (
                "jo\u{308}rg@example.org",
                "jörg@example.org",
                "jörg@example.org",
            ),
        ] {
            let address = read(typed).expect("an address");
            assert_eq!(address, kept, "{typed}");
            assert_eq!(shown(&address), read_as, "{typed}");
            assert_eq!(key(typed), kept.to_lowercase(), "{typed}");
            assert_eq!(key(&key(typed)), key(typed), "{typed}");
        }
        assert_eq!(former_key(" Ada@SCHÄCH.example"), "ada@schäch.example");
    }

    #[test]
    fn a_number_is_no_address() {
        for typed in [
            "anna@[127.0.0.1]",
            "anna@[IPv6:::1]",
            "anna@127.0.0.1",
            "anna@",
            "@example.org",
            "anna",
            "anna@xn--a.example",
            "an na@example.org",
            "anna@exa mple.org",
            "",
        ] {
            assert_eq!(read(typed), None, "{typed}");
        }
        let long = format!("{}@{}.example", "a".repeat(64), "b.".repeat(100));
        assert_eq!(read(&long), None);
    }
}
