//! The secret key of an installation, and the links sealed with it, which carry their own proof.
//!
//! A sealed link holds its subject, its expiry, and a MAC over both and over its purpose. Nothing is stored for it,
//! and the database reveals nothing about it.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use perplex_matches::time::Time;

mod key_ring;

pub use key_ring::KeyRing;

/// The secret key: 64 bytes from a cryptographic random source, kept in the data folder.
#[derive(Clone)]
pub struct Key([u8; 64]);

impl Key {
    pub const fn new(bytes: [u8; 64]) -> Self {
        Self(bytes)
    }

    pub const fn bytes(&self) -> &[u8; 64] {
        &self.0
    }

    /// A MAC over `parts` for `purpose`, in hexadecimal, 24 characters: 96 bits, too many to guess by HTTP, but few
    /// enough to keep the QR codes on pupils' cards small.
    pub fn mac(&self, purpose: &str, parts: &[&str]) -> String {
        // A key of any length is valid, so this never fails.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else {
            return String::new();
        };
        for part in std::iter::once(&purpose).chain(parts) {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part.as_bytes());
        }
        hex(&mac.finalize().into_bytes()[..12])
    }

    /// True if `mac` is the MAC over `parts` for `purpose`; compared in constant time.
    pub fn check(&self, purpose: &str, parts: &[&str], mac: &str) -> bool {
        let right = self.mac(purpose, parts);
        right.as_bytes().ct_eq(mac.as_bytes()).into() && !right.is_empty()
    }

    /// A token for `purpose` about `subject`, good until `until`: `SUBJECT.EXPIRY.MAC`. `state` is a value that must
    /// not change in between (a password's hash, say); it is not in the token.
    pub fn seal(&self, purpose: &str, subject: &str, state: &str, until: Time) -> String {
        let until = until.0.to_string();
        let mac = self.mac(purpose, &[subject, state, &until]);
        format!("{subject}.{until}.{mac}")
    }

    /// The subject of a token, unchecked: the caller needs it to find the `state` for [`Key::open`].
    pub fn subject(token: &str) -> Option<&str> {
        let mut parts = token.rsplitn(3, '.');
        parts.nth(2).filter(|subject| !subject.is_empty())
    }

    /// True if the token was sealed for `purpose` in this `state` and is still good at `now`.
    pub fn open(&self, purpose: &str, token: &str, state: &str, now: Time) -> bool {
        let mut parts = token.rsplitn(3, '.');
        let (Some(mac), Some(until), Some(subject)) = (parts.next(), parts.next(), parts.next())
        else {
            return false;
        };
        self.check(purpose, &[subject, state, until], mac)
            && until.parse().is_ok_and(|until| now < Time(until))
    }
}

/// A random token of 160 bits in hexadecimal, from the operating system's random source.
pub fn random_token() -> String {
    hex(&rand::random::<[u8; 20]>())
}

/// The form in which the database stores a random token: its SHA-256 in hexadecimal.
pub fn hash_token(token: &str) -> String {
    hex(&Sha256::digest(token.as_bytes()))
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}
