//! The secret key of an installation, and the links sealed with it, which carry their own proof.
//!
//! A sealed link holds its subject, its expiry, and a MAC over both and over its purpose. Nothing is stored for it,
//! and the database reveals nothing about it.

use std::io;
use std::path::Path;
use std::sync::Arc;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use perplex_matches::time::Time;

mod key_file;
mod key_ring;

use key_file::{InFile, KeyFile};

pub use key_ring::KeyRing;

/// What a secret key is good for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// It seals: the newest.
    Seals,
    /// It still opens what it sealed.
    Opens,
    /// What it sealed is good no longer. What the database holds hashed with it is still found.
    Compares,
}

/// The uses, by their names in the file.
const USES: [(&str, Use); 3] = [
    ("seals", Use::Seals),
    ("opens", Use::Opens),
    ("compares", Use::Compares),
];

type Bytes = [u8; 64];

#[derive(Clone)]
struct Secret {
    good_for: Use,
    bytes: Bytes,
}

impl Secret {
    fn fresh() -> Self {
        let fresh: [[u8; 32]; 2] = rand::random();
        let mut bytes = [0; 64];
        bytes.copy_from_slice(fresh.as_flattened());
        let good_for = Use::Seals;
        Self { good_for, bytes }
    }

    fn mac(&self, purpose: &str, parts: &[&str]) -> String {
        // A key of any length is valid, so this never fails.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.bytes) else {
            return String::new();
        };
        for part in std::iter::once(&purpose).chain(parts) {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part.as_bytes());
        }
        hex(&mac.finalize().into_bytes()[..12])
    }
}

impl InFile for Secret {
    const HOLDS: &str = "a secret key of Perplex";

    fn read(file: &[u8]) -> Option<Vec<Self>> {
        // The form until 2026-11-27: one key, as it is.
        if let Ok(bytes) = file.try_into() {
            let good_for = Use::Seals;
            return Some(vec![Self { good_for, bytes }]);
        }
        let line = |line: &str| {
            let (name, digits) = line.split_once(' ')?;
            let (_, good_for) = *USES.iter().find(|(known, _)| *known == name)?;
            let bytes = bytes(digits.trim())?.try_into().ok()?;
            Some(Self { good_for, bytes })
        };
        let keys: Vec<Self> = str::from_utf8(file)
            .ok()?
            .lines()
            .map(line)
            .collect::<Option<_>>()?;
        let seals: Vec<bool> = keys.iter().map(|key| key.good_for == Use::Seals).collect();
        let is_whole = matches!(&*seals, [true, rest @ ..] if !rest.contains(&true));
        is_whole.then_some(keys)
    }

    fn line(&self) -> String {
        let name = USES.iter().find(|(_, known)| *known == self.good_for);
        format!("{} {}", name.map_or("", |(name, _)| name), hex(&self.bytes))
    }
}

/// The secret key: 64 bytes from a cryptographic random source, kept in the data folder, with those that it replaced.
#[derive(Clone)]
pub struct Key(Arc<KeyFile<Secret>>);

impl Key {
    /// A key in memory.
    pub fn new(bytes: Bytes) -> Self {
        let good_for = Use::Seals;
        Self(Arc::new(KeyFile::in_memory(Secret { good_for, bytes })))
    }

    /// A new key in memory.
    pub fn fresh() -> Self {
        Self(Arc::new(KeyFile::in_memory(Secret::fresh())))
    }

    /// The key in `file`; if it does not exist, it is made with a new key, readable only for the owner.
    pub fn in_file(file: &Path) -> io::Result<Self> {
        Ok(Self(Arc::new(KeyFile::open(file, Secret::fresh())?)))
    }

    /// Reads the file again if it has changed: another process may have replaced the key. Tells whether it has.
    pub fn refresh(&self) -> io::Result<bool> {
        self.0.refresh()
    }

    /// Replaces the key by a new one. What the old one sealed stays good, unless it is `revoked`; that of keys that were
    /// revoked before never is again.
    pub fn rotate(&self, revoked: bool) -> io::Result<()> {
        let _locked = self.0.lock()?;
        self.0.reload()?;
        let mut keys = vec![Secret::fresh()];
        for key in self.0.keys().iter() {
            let good_for = match key.good_for {
                Use::Seals | Use::Opens if !revoked => Use::Opens,
                _ => Use::Compares,
            };
            keys.push(Secret {
                good_for,
                bytes: key.bytes,
            });
        }
        self.0.replace(keys)
    }

    /// The bytes of the key that seals, and after it those of the keys whose seals are still good.
    pub fn good(&self) -> Vec<Bytes> {
        let keys = self.0.keys();
        let good = keys.iter().filter(|key| key.good_for != Use::Compares);
        good.map(|key| key.bytes).collect()
    }

    /// A MAC over `parts` for `purpose`, in hexadecimal, 24 characters: 96 bits, too many to guess by HTTP, but few
    /// enough to keep the QR codes on pupils' cards small.
    pub fn mac(&self, purpose: &str, parts: &[&str]) -> String {
        let keys = self.0.keys();
        let newest = keys.first();
        newest.map_or_else(String::new, |key| key.mac(purpose, parts))
    }

    /// All MACs over `parts` for `purpose` that the database may hold: that of this key, and those of the keys before it.
    pub fn macs(&self, purpose: &str, parts: &[&str]) -> Vec<String> {
        let keys = self.0.keys();
        keys.iter().map(|key| key.mac(purpose, parts)).collect()
    }

    /// True if `mac` is the MAC over `parts` for `purpose` of a key whose seals are good; compared in constant time.
    pub fn check(&self, purpose: &str, parts: &[&str], mac: &str) -> bool {
        let is_good = || {
            let keys = self.0.keys();
            let mut good = keys.iter().filter(|key| key.good_for != Use::Compares);
            good.any(|key| {
                let right = key.mac(purpose, parts);
                right.as_bytes().ct_eq(mac.as_bytes()).into() && !right.is_empty()
            })
        };
        is_good() || (self.refresh().is_ok_and(|is_new| is_new) && is_good())
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

/// The bytes that hexadecimal digits stand for.
fn bytes(hex: &str) -> Option<Vec<u8>> {
    if !hex.is_ascii() || !hex.len().is_multiple_of(2) {
        return None;
    }
    (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).ok())
        .collect()
}
