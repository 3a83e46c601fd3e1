//! Temporary files: their names, how a file in use differs from a leftover, and how leftovers are removed.

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use cap_std::fs::{Dir, OpenOptions};

use super::system::{for_the_owner, is_named, largest_file};
use super::target::SaveTarget;
use crate::disk::file_names::SKIPPED_FOLDERS;
use crate::disk::root::uninterrupted;

/// Number of names that are tried. One is enough, unless a cleaner takes a new file for a leftover.
const MAX_TRIES: usize = 8;

/// Number of bytes of a file's name that are kept in that of its temporary file: the whole must stay below 255.
const MAX_NAME_BYTES: usize = 160;

/// Readers of a temporary file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TempFileAccess {
    /// Only its owner; further permissions are set before it is moved into place.
    Private,
    /// Everyone who may read a new file.
    AsNew,
}

/// A file that is being written, beside the one it will replace. Dropping it removes the file with its name.
///
/// It is locked for as long as it is open: a leftover is one that is not locked.
#[derive(Debug)]
pub(crate) struct TemporaryFile<'a> {
    folder: &'a Dir,
    pub(crate) name: String,
    pub(super) file: File,
    is_left: bool,
}

impl<'a> TemporaryFile<'a> {
    /// Makes one for the file `name`.
    pub(crate) fn create(folder: &'a Dir, name: &OsStr, mode: TempFileAccess) -> io::Result<Self> {
        for _ in 0..MAX_TRIES {
            let name = name_for(name);
            if let Some(file) = create_locked(folder, &name, mode)? {
                return Ok(Self { folder, name, file, is_left: false });
            }
        }
        Err(io::Error::other("a temporary file there is removed as soon as it is made"))
    }

    /// Writes its content.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.len() as u64 > largest_file() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.file.write_all(bytes)
    }

    /// Waits until it is on disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        uninterrupted(|| self.file.sync_all())
    }

    /// Puts it in the place of `name`, whatever is there.
    pub(crate) fn rename(&self, name: &OsStr) -> io::Result<()> {
        uninterrupted(|| self.folder.rename(&self.name, self.folder, name))
    }

    /// Returns whether it has a name: a rename that reports a failure may have succeeded.
    pub(super) fn is_at(&self, name: &OsStr) -> bool {
        is_named(self.folder, name, &self.file)
    }

    /// Keeps the file with its name on drop.
    pub(super) fn leave(&mut self) {
        self.is_left = true;
    }
}

impl Drop for TemporaryFile<'_> {
    fn drop(&mut self) {
        if !self.is_left {
            // A file that cannot be removed now is cleaned up as a leftover later.
            let _ = uninterrupted(|| self.folder.remove_file(&self.name));
        }
    }
}

/// Creates a file and locks it; `None` when the name exists, or when the file was removed as a leftover.
pub(crate) fn create_locked(
    folder: &Dir,
    name: &str,
    access: TempFileAccess,
) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    // Opens no existing file and follows no link.
    options.write(true).create_new(true);
    if access == TempFileAccess::Private {
        for_the_owner(&mut options);
    }
    let file = match uninterrupted(|| folder.open_with(name, &options)) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
        file => file?.into_std(),
    };
    // Where files cannot be locked, none is taken for a leftover.
    let is_locked = lock(&file).unwrap_or(true);
    // A cleaner may have removed the file before it was locked.
    Ok((is_locked && is_named(folder, name, &file)).then_some(file))
}

/// Locks a file for this process, until it is closed; false when another has it.
pub(crate) fn lock(file: &File) -> io::Result<bool> {
    uninterrupted(|| match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    })
}

/// Opens a file to check whether it is locked. Some file systems lock only writable files.
pub(crate) fn open_to_lock(folder: &Dir, name: &OsStr) -> io::Result<File> {
    let open_with = |options: &OpenOptions| uninterrupted(|| folder.open_with(name, options));
    let mut options = OpenOptions::new();
    options.read(true);
    let file = open_with(options.clone().write(true)).or_else(|_| open_with(&options));
    file.map(cap_std::fs::File::into_std)
}

/// Returns a unique, hidden name such as `.turn-1.json.retake-0123456789abcdef.tmp`.
pub(super) fn name_for(name: &OsStr) -> String {
    let name = name.to_string_lossy();
    let name = &name[..name.floor_char_boundary(MAX_NAME_BYTES)];
    format!(".{name}.retake-{}.tmp", random_name())
}

/// 16 hexadecimal digits, never the same twice.
pub(crate) fn random_name() -> String {
    // Names need not be secret, only unique: each `RandomState` has another key, from a random start.
    format!("{:016x}", RandomState::new().build_hasher().finish())
}

/// Whether a name is one that a save gives to its temporary files.
pub fn is_temporary(name: &OsStr) -> bool {
    let random = name.to_str().and_then(|name| {
        let (_, random) = name.strip_prefix('.')?.rsplit_once(".retake-")?;
        random.strip_suffix(".tmp")
    });
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    random.is_some_and(|random| random.len() == 16 && random.bytes().all(is_digit))
}

/// Removes temporary files of interrupted saves in a folder and below it. Links are not followed, and folders without
/// fixtures are skipped.
///
/// A file is removed only when its name is one that a save gives, it is a regular file, and it is not locked. What
/// cannot be read or removed stays.
pub fn clean_leftovers(dir: &Dir, cancel: &AtomicBool) {
    let mut folders = vec![PathBuf::from(".")];
    while let Some(path) = folders.pop() {
        if cancel.load(Ordering::Relaxed) {
            return;
        }
        if let Ok(folder) = dir.open_dir(&path) {
            clean(&folder, &mut |name| folders.push(path.join(name)));
        }
    }
}

/// Removes the leftovers in one folder, and reports its subfolders.
pub(crate) fn clean(folder: &Dir, visit_folder: &mut dyn FnMut(&OsStr)) {
    let Ok(entries) = folder.entries() else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && !SKIPPED_FOLDERS.iter().any(|s| name == *s) {
            visit_folder(&name);
        } else if kind.is_file() && is_temporary(&name) {
            remove_leftover(folder, &name);
        }
    }
}

/// Removes temporary files of interrupted saves in the folder of a file; see [`clean_leftovers`].
pub(crate) fn clean_beside(target: &SaveTarget) {
    if let Ok(place) = target.resolve() {
        clean(&place.folder, &mut |_| {});
    }
}

fn remove_leftover(folder: &Dir, name: &OsStr) {
    let Ok(file) = open_to_lock(folder, name) else { return };
    // Where files cannot be locked, one in use looks like a leftover, so it stays. The save may also just have moved it into place.
    if lock(&file).unwrap_or(false) && is_named(folder, name, &file) {
        let _ = folder.remove_file(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cap_std::ambient_authority;

    #[test]
    fn a_temporary_file_is_recognised_by_its_name() {
        for name in ["a.json", "ünïcode.yaml", &"x".repeat(255), ""] {
            let temporary = name_for(name.as_ref());
            assert!(is_temporary(temporary.as_ref()), "{temporary}");
            assert!(temporary.len() <= 255, "{temporary}");
        }
        for name in [
            ".a.retake-0123456789abcde.tmp",
            ".a.retake-0123456789abcdeg.tmp",
            ".a.retake-0123456789ABCDEF.tmp",
            ".a.retake-+123456789abcdef.tmp",
            "a.retake-0123456789abcdef.tmp",
            ".a.retake-0123456789abcdef.tmp.json",
            ".a-0123456789abcdef.tmp",
        ] {
            assert!(!is_temporary(name.as_ref()), "{name}");
        }
    }

    #[test]
    fn leftovers_go_and_nothing_else_does() {
        let temp = tempfile::tempdir().unwrap();
        let place = |path: &str| temp.path().join(path);
        let leftover = ".a.json.retake-0123456789abcdef.tmp";
        for folder in ["deep/er", "target", "is-a-folder/.b.retake-0123456789abcdef.tmp"] {
            std::fs::create_dir_all(place(folder)).unwrap();
        }
        for folder in ["", "deep/", "deep/er/", "target/"] {
            std::fs::write(place(&format!("{folder}{leftover}")), "half").unwrap();
            std::fs::write(place(&format!("{folder}.a.json.tmp")), "not ours").unwrap();
        }
        let dir = Dir::open_ambient_dir(temp.path(), ambient_authority()).unwrap();
        let living = TemporaryFile::create(&dir, "c.json".as_ref(), TempFileAccess::AsNew).unwrap();

        clean_leftovers(&dir, &AtomicBool::new(false));
        for folder in ["", "deep/", "deep/er/"] {
            assert!(!place(&format!("{folder}{leftover}")).exists(), "{folder}");
            assert!(place(&format!("{folder}.a.json.tmp")).exists(), "{folder}");
        }
        assert!(place(&format!("target/{leftover}")).exists());
        assert!(place("is-a-folder/.b.retake-0123456789abcdef.tmp").exists());
        assert!(place(&living.name).exists());

        let name = living.name.to_owned();
        drop(living);
        assert!(!place(&name).exists());
    }

    #[cfg(unix)]
    #[test]
    fn no_link_is_followed_and_none_removed() {
        let temp = tempfile::tempdir().unwrap();
        let place = |path: &str| temp.path().join(path);
        let leftover = ".a.json.retake-0123456789abcdef.tmp";
        std::fs::create_dir_all(place("root")).unwrap();
        std::fs::create_dir_all(place("outside")).unwrap();
        std::fs::write(place("outside").join(leftover), "").unwrap();
        std::os::unix::fs::symlink("../outside", place("root/link")).unwrap();
        std::os::unix::fs::symlink("nothing", place("root").join(leftover)).unwrap();
        let dir = Dir::open_ambient_dir(place("root"), ambient_authority()).unwrap();
        clean_leftovers(&dir, &AtomicBool::new(false));
        assert!(place("outside").join(leftover).exists());
        assert!(place("root").join(leftover).symlink_metadata().is_ok());
    }
}
