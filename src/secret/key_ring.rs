//! The keys that seal the talk of teams: in a file beside the database, never in it.
//!
//! A message is sealed with XChaCha20-Poly1305 under the newest key, bound to its place, so that it cannot be
//! read, altered or moved with the database alone. Older keys still open what they sealed.

use std::fmt::Debug;
use std::fs::File;
use std::io;
use std::path::Path;

use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};

use super::key_file::{InFile, KeyFile};
use super::{bytes, hex};

#[derive(Clone)]
pub struct Named {
    id: String,
    key: [u8; 32],
}

impl Named {
    fn fresh() -> Self {
        Self {
            id: hex(&rand::random::<[u8; 4]>()),
            key: rand::random(),
        }
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&self.key.into())
    }
}

impl InFile for Named {
    const HOLDS: &str = "a name and 64 hexadecimal digits in each line";

    fn read(file: &[u8]) -> Option<Vec<Self>> {
        let keys: Option<Vec<Self>> = str::from_utf8(file).ok()?.lines().map(line).collect();
        keys.filter(|keys| !keys.is_empty())
    }

    fn line(&self) -> String {
        format!("{} {}", self.id, hex(&self.key))
    }
}

pub struct KeyRing(KeyFile<Named>);

impl Debug for KeyRing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyRing")
            .field("file", &self.0.file())
            .finish_non_exhaustive()
    }
}

/// Number of keys kept: the newest, and the one before it, with which another process may still have sealed while the
/// key was changed.
const KEPT: usize = 2;

impl KeyRing {
    pub fn fresh() -> Self {
        Self(KeyFile::in_memory(Named::fresh()))
    }

    /// The keys in `file`; if it does not exist, it is made with a new key, readable only for the owner.
    pub fn in_file(file: &Path) -> io::Result<Self> {
        Ok(Self(KeyFile::open(file, Named::fresh())?))
    }

    /// Reads the file again if it has changed: another process may have added a key.
    pub fn refresh(&self) -> io::Result<()> {
        self.0.refresh().map(drop)
    }

    pub fn add(&self) -> io::Result<()> {
        self.0.reload()?;
        let mut keys = self.0.keys().to_vec();
        keys.push(Named::fresh());
        self.0.replace(keys)
    }

    /// Keeps other processes from changing the keys until it is dropped. Blocks while one does.
    pub fn lock(&self) -> io::Result<Option<File>> {
        self.0.lock()
    }

    /// Removes keys that no longer seal any text: all but the last two.
    pub fn forget(&self) -> io::Result<()> {
        self.0.reload()?;
        let keys = self.0.keys();
        let old = keys.len().saturating_sub(KEPT);
        self.0.replace(keys[old..].to_vec())
    }

    pub fn newest(&self) -> String {
        self.0
            .keys()
            .last()
            .map(|named| named.id.clone())
            .unwrap_or_default()
    }

    /// `text` sealed for `place`: `KEY:NONCE:TEXT`, the last two in hexadecimal. `None` never happens with texts that
    /// fit in memory.
    pub fn seal(&self, place: &str, text: &str) -> Option<String> {
        let keys = self.0.keys();
        let named = keys.last()?;
        let nonce: [u8; 24] = rand::random();
        let payload = Payload {
            msg: text.as_bytes(),
            aad: place.as_bytes(),
        };
        let sealed = named.cipher().encrypt(&XNonce::from(nonce), payload).ok()?;
        Some(format!("{}:{}:{}", named.id, hex(&nonce), hex(&sealed)))
    }

    /// The text that was sealed for `place`; `None` if the key is not known or a part was altered.
    pub fn open(&self, place: &str, sealed: &str) -> Option<String> {
        let mut parts = sealed.splitn(3, ':');
        let id = parts.next()?;
        let nonce: [u8; 24] = bytes(parts.next()?)?.try_into().ok()?;
        let text = bytes(parts.next()?)?;
        let find = || self.0.keys().iter().find(|named| named.id == id).cloned();
        let named = find().or_else(|| {
            self.0.reload().ok()?;
            find()
        })?;
        let payload = Payload {
            msg: &text,
            aad: place.as_bytes(),
        };
        let opened = named.cipher().decrypt(&XNonce::from(nonce), payload).ok()?;
        String::from_utf8(opened).ok()
    }
}

fn line(text: &str) -> Option<Named> {
    let (id, key) = text.split_once(' ')?;
    Some(Named {
        id: id.to_owned(),
        key: bytes(key.trim())?.try_into().ok()?,
    })
}
