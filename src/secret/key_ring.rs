//! The keys that seal the talk of teams: in a file beside the database, never in it.
//!
//! A message is sealed with XChaCha20-Poly1305 under the newest key, bound to its place, so that it cannot be
//! read, altered or moved with the database alone. Older keys still open what they sealed.

use std::fmt::Debug;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};
use std::time::SystemTime;

use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};

use super::hex;

#[derive(Clone)]
struct Named {
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

pub struct KeyRing {
    keys: RwLock<Vec<Named>>,
    file: Option<PathBuf>,
    read: RwLock<Option<SystemTime>>,
}

impl Debug for KeyRing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyRing")
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

/// Number of keys kept: the newest, and the one before it, with which another process may still have sealed while the
/// key was changed.
const KEPT: usize = 2;

impl KeyRing {
    pub fn fresh() -> Self {
        Self {
            keys: RwLock::new(vec![Named::fresh()]),
            file: None,
            read: RwLock::new(None),
        }
    }

    /// The keys in `file`; if it does not exist, it is made with a new key, readable only for the owner.
    pub fn in_file(file: &Path) -> io::Result<Self> {
        let ring = Self {
            file: Some(file.to_owned()),
            ..Self::fresh()
        };
        if !file.exists() {
            ring.write()?;
        }
        ring.refresh()?;
        Ok(ring)
    }

    fn keys(&self) -> Vec<Named> {
        self.keys
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Reads the file again if it has changed: another process may have added a key.
    pub fn refresh(&self) -> io::Result<()> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        let changed = fs::metadata(file)?.modified()?;
        let read = *self.read.read().unwrap_or_else(PoisonError::into_inner);
        if read == Some(changed) {
            return Ok(());
        }
        self.load(file, changed)
    }

    fn load(&self, file: &Path, changed: SystemTime) -> io::Result<()> {
        let text = fs::read_to_string(file)?;
        let keys: Option<Vec<Named>> = text.lines().map(line).collect();
        let keys = keys.filter(|keys| !keys.is_empty()).ok_or_else(|| {
            let why = "a line is not a name and 64 hexadecimal digits";
            io::Error::new(io::ErrorKind::InvalidData, why)
        })?;
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = keys;
        *self.read.write().unwrap_or_else(PoisonError::into_inner) = Some(changed);
        Ok(())
    }

    /// Reads the file again though its time has not changed: two changes may have the same time.
    fn reload(&self) -> io::Result<()> {
        match &self.file {
            Some(file) => self.load(file, fs::metadata(file)?.modified()?),
            None => Ok(()),
        }
    }

    /// Replaces the file, whole or not at all.
    fn write(&self) -> io::Result<()> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        let lines: Vec<String> = self
            .keys()
            .iter()
            .map(|named| format!("{} {}", named.id, hex(&named.key)))
            .collect();
        let text = lines.join("\n") + "\n";
        let partial = file.with_extension(format!("{}.tmp", std::process::id()));
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut new = options.open(&partial)?;
        new.write_all(text.as_bytes())?;
        new.sync_all()?;
        fs::rename(&partial, file)
    }

    pub fn add(&self) -> io::Result<()> {
        self.reload()?;
        self.keys
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .push(Named::fresh());
        self.write()
    }

    /// Removes keys that no longer seal any text: all but the last two.
    pub fn forget(&self) -> io::Result<()> {
        {
            let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
            let old = keys.len().saturating_sub(KEPT);
            keys.drain(..old);
        }
        self.write()
    }

    pub fn newest(&self) -> String {
        self.keys()
            .last()
            .map(|named| named.id.clone())
            .unwrap_or_default()
    }

    /// `text` sealed for `place`: `KEY:NONCE:TEXT`, the last two in hexadecimal. `None` never happens with texts that
    /// fit in memory.
    pub fn seal(&self, place: &str, text: &str) -> Option<String> {
        let keys = self.keys();
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
        let find = || self.keys().into_iter().find(|named| named.id == id);
        let named = find().or_else(|| {
            self.reload().ok()?;
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

fn bytes(hex: &str) -> Option<Vec<u8>> {
    if !hex.is_ascii() || !hex.len().is_multiple_of(2) {
        return None;
    }
    (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).ok())
        .collect()
}
