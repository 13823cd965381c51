//! Files that appear whole or not at all, and what to do where the program may not write.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// Gives the file at `partial` the name `file`, unless there is such a file: it is never replaced. The caller removes
/// `partial`, which may still be there.
pub fn put(partial: &Path, file: &Path) -> io::Result<()> {
    match fs::hard_link(partial, file) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {}
        done => return done,
    }
    // Some file systems have no hard links: exFAT, and some that are shared over a network or with a virtual machine. To
    // rename replaces, so it is looked first, under a lock that other programs of ours take, too. Where there are no
    // locks either, two that start for the first time at once are not told apart.
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let folder = File::open(folder)?;
    let _ = folder.lock();
    match fs::symlink_metadata(file) {
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => fs::rename(partial, file),
        Err(error) => Err(error),
    }
}

/// The clause for an error at a path that belongs to another user than the one who runs the program; else empty.
pub fn advice(path: &Path) -> String {
    let mut there = path.ancestors().filter_map(|path| {
        let path = if path.as_os_str().is_empty() {
            Path::new(".")
        } else {
            path
        };
        Some((path, fs::metadata(path).ok()?.uid()))
    });
    // The kernel shows each process as its user's.
    let own = fs::metadata("/proc/self").map(|process| process.uid());
    match (there.next(), own) {
        (Some((path, owner)), Ok(own)) if owner != own && own != 0 => format!(
            "; {} belongs to user {owner}, and the program runs as user {own}: give it to that one (chown -R {own} {}), or \
             set PERPLEX_DATA to a folder of its own",
            path.display(),
            path.display()
        ),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_replaced() {
        let folder = std::env::temp_dir().join(format!("perplex-files-{}", std::process::id()));
        fs::create_dir(&folder).expect("a folder");
        let (partial, file) = (folder.join("partial"), folder.join("file"));
        for (text, kind) in [
            ("first", None),
            ("second", Some(io::ErrorKind::AlreadyExists)),
        ] {
            fs::write(&partial, text).expect("a file");
            let put = put(&partial, &file);
            assert_eq!(put.err().map(|error| error.kind()), kind);
            assert_eq!(fs::read_to_string(&file).expect("a file"), "first");
            // It may be the same file under two names, or have gone.
            let _ = fs::remove_file(&partial);
        }
        fs::remove_dir_all(&folder).expect("our folder");
    }
}
