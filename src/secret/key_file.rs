//! A file of keys, which several processes read, and one replaces at times.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use crate::files;

/// The most bytes of a file of keys.
const LARGEST: u64 = 64 * 1024;

/// A key as it stands in a file.
pub trait InFile: Clone {
    /// What a file of such keys holds, for the error about one that does not.
    const HOLDS: &str;

    /// The keys in a file, if that is what it holds; never none.
    fn read(file: &[u8]) -> Option<Vec<Self>>;

    /// The line of this key.
    fn line(&self) -> String;
}

/// Keys in a file, or in memory only.
pub struct KeyFile<T> {
    file: Option<PathBuf>,
    held: RwLock<Held<T>>,
}

struct Held<T> {
    keys: Arc<[T]>,
    /// Which file was read; `None` before the first reading.
    read: Option<Edition>,
}

/// Tells a file from the one that it replaced, even if both have the same time.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Edition {
    number: u64,
    changed: SystemTime,
}

impl Edition {
    fn of(file: &Metadata) -> io::Result<Self> {
        Ok(Self {
            number: file.ino(),
            changed: file.modified()?,
        })
    }
}

impl<T: InFile> KeyFile<T> {
    /// One key in memory.
    pub fn in_memory(key: T) -> Self {
        let keys = Arc::new([key]);
        Self {
            file: None,
            held: RwLock::new(Held { keys, read: None }),
        }
    }

    /// The keys in `file`; if it does not exist, it is made with `fresh`, readable only for the owner.
    pub fn open(file: &Path, fresh: T) -> io::Result<Self> {
        if !file.exists() {
            // It appears whole or not at all, and two processes that start at once agree on one key.
            let partial = write_aside(file, std::slice::from_ref(&fresh))?;
            let put = files::put(&partial, file);
            let _ = fs::remove_file(&partial);
            match put {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                done => done?,
            }
        }
        let keys = Self {
            file: Some(file.to_owned()),
            ..Self::in_memory(fresh)
        };
        keys.reload()?;
        Ok(keys)
    }

    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    pub fn keys(&self) -> Arc<[T]> {
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&held.keys)
    }

    fn hold(&self, keys: Vec<T>, read: Option<Edition>) {
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        let keys = keys.into();
        *held = Held { keys, read };
    }

    /// Locks the folder of the file, as the file itself is replaced, until what it gives is dropped. Blocks while another
    /// process has locked it.
    pub fn lock(&self) -> io::Result<Option<File>> {
        let Some(folder) = self.file.as_deref().and_then(Path::parent) else {
            return Ok(None);
        };
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        let folder = File::open(folder)?;
        folder.lock()?;
        Ok(Some(folder))
    }

    /// Reads the file again if it has changed, as another process may have replaced it; tells whether it has.
    pub fn refresh(&self) -> io::Result<bool> {
        let Some(file) = &self.file else {
            return Ok(false);
        };
        let there = Edition::of(&fs::metadata(file)?)?;
        let known = {
            let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
            held.read
        };
        if known == Some(there) {
            return Ok(false);
        }
        self.reload()?;
        Ok(true)
    }

    /// Reads the file again, whether it has changed or not.
    pub fn reload(&self) -> io::Result<()> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        let open = File::open(file)?;
        let edition = Edition::of(&open.metadata()?)?;
        let mut bytes = Vec::new();
        open.take(LARGEST).read_to_end(&mut bytes)?;
        let keys = T::read(&bytes).ok_or_else(|| {
            let why = format!("it does not hold {}", T::HOLDS);
            io::Error::new(io::ErrorKind::InvalidData, why)
        })?;
        self.hold(keys, Some(edition));
        Ok(())
    }

    /// Replaces the keys, and the file whole or not at all.
    pub fn replace(&self, keys: Vec<T>) -> io::Result<()> {
        let mut edition = None;
        if let Some(file) = &self.file {
            let partial = write_aside(file, &keys)?;
            edition = Some(Edition::of(&fs::metadata(&partial)?)?);
            fs::rename(&partial, file)?;
        }
        self.hold(keys, edition);
        Ok(())
    }
}

/// Writes keys into another file beside `file`, readable only for the owner; gives its path.
fn write_aside<T: InFile>(file: &Path, keys: &[T]) -> io::Result<PathBuf> {
    let partial = file.with_extension(format!("{}.tmp", std::process::id()));
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let mut new = options.open(&partial)?;
    for key in keys {
        writeln!(new, "{}", key.line())?;
    }
    new.sync_all()?;
    Ok(partial)
}
