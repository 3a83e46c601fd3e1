//! Lists one folder below a handle, with as few system calls as that takes.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use crate::disk::file_stamp::FileStamp;
use cap_std::fs::{Dir, FileType};

/// A folder that is open for listing. Names in it can be used with its handle.
#[derive(Debug)]
pub(crate) struct OpenFolder {
    pub(crate) dir: Dir,
}

impl OpenFolder {
    /// Opens a folder below `dir`; the folder of `dir` itself if the path is empty.
    pub(crate) fn open(dir: &Dir, path: &Path) -> io::Result<Self> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        open_to_list(dir, path).map(|dir| Self { dir })
    }

    /// Returns the names in the folder with their types, in no order.
    pub(crate) fn names(&self) -> io::Result<Vec<(OsString, FileType)>> {
        list(&self.dir)
    }

    /// Returns the stamp of a name that is a regular file.
    pub(crate) fn stamp(&self, name: impl AsRef<Path>) -> Option<FileStamp> {
        let metadata = self.dir.symlink_metadata(name).ok()?;
        FileStamp::exact(&metadata).filter(|_| metadata.is_file())
    }

    /// Returns the type of a name whose type the file system does not report with the name.
    fn type_of(dir: &Dir, name: &Path) -> io::Result<FileType> {
        Ok(dir.symlink_metadata(name)?.file_type())
    }
}

/// A handle from [`Dir::open_dir`] only leads to other files on Linux: to list it, it would be opened twice more.
#[cfg(target_os = "linux")]
fn open_to_list(dir: &Dir, path: &Path) -> io::Result<Dir> {
    use cap_std::fs::{OpenOptions, OpenOptionsExt as _};
    use rustix::fs::OFlags;

    let mut options = OpenOptions::new();
    let flags = OFlags::DIRECTORY | OFlags::NOCTTY;
    options.read(true);
    options.custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
    Ok(Dir::from_std_file(dir.open_with(path, &options)?.into_std()))
}

#[cfg(not(target_os = "linux"))]
fn open_to_list(dir: &Dir, path: &Path) -> io::Result<Dir> {
    dir.open_dir(path)
}

#[cfg(target_os = "linux")]
fn list(dir: &Dir) -> io::Result<Vec<(OsString, FileType)>> {
    use std::ffi::OsStr;
    use std::mem::MaybeUninit;
    use std::os::unix::ffi::OsStrExt as _;

    use rustix::fs::{FileType as EntryType, RawDir};

    /// Bytes of names that one system call returns: more than most folders have.
    const BUFFER_BYTES: usize = 16 << 10;

    let mut names = Vec::new();
    let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
    let mut entries = RawDir::new(dir, &mut buffer);
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if matches!(name, b"." | b"..") {
            continue;
        }
        let name = OsStr::from_bytes(name);
        let kind = match entry.file_type() {
            EntryType::RegularFile => FileType::file(),
            EntryType::Directory => FileType::dir(),
            _ => match OpenFolder::type_of(dir, Path::new(name)) {
                Ok(kind) => kind,
                // The entry was deleted meanwhile.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            },
        };
        names.push((name.to_owned(), kind));
    }
    Ok(names)
}

#[cfg(not(target_os = "linux"))]
fn list(dir: &Dir) -> io::Result<Vec<(OsString, FileType)>> {
    let mut names = Vec::new();
    for entry in dir.entries()? {
        let entry = entry?;
        let name = entry.file_name();
        let mut kind = entry.file_type()?;
        if !(kind.is_dir() || kind.is_file() || kind.is_symlink())
            && let Ok(real_kind) = OpenFolder::type_of(dir, Path::new(&name))
        {
            kind = real_kind;
        }
        names.push((name, kind));
    }
    Ok(names)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use cap_std::ambient_authority;

    use super::*;

    #[test]
    fn all_names_are_listed_with_their_types() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("folder");
        std::fs::create_dir(&folder).unwrap();
        std::fs::create_dir(folder.join("inner")).unwrap();
        symlink("/nowhere", folder.join("link")).unwrap();
        // More names than one system call returns.
        for number in 0..1000 {
            std::fs::write(folder.join(format!("a file with a long name {number}")), "").unwrap();
        }
        let dir = Dir::open_ambient_dir(temp.path(), ambient_authority()).unwrap();
        let names_of = |path: &str| {
            let folder = OpenFolder::open(&dir, Path::new(path)).unwrap();
            let mut names = folder.names().unwrap();
            names.sort_by(|a, b| b.0.cmp(&a.0));
            names
        };
        let names = names_of("folder");
        assert_eq!(names.len(), 1002);
        assert!(names[0].1.is_symlink() && names[1].1.is_dir() && names[2].1.is_file());
        let top = names_of("");
        assert_eq!(top.len(), 1);
        assert!(top[0].0 == "folder" && top[0].1.is_dir());
    }

    #[test]
    fn nothing_outside_the_handle_is_listed() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir(temp.path().join("opened")).unwrap();
        symlink("..", temp.path().join("opened/out")).unwrap();
        std::fs::write(temp.path().join("opened/file"), "").unwrap();
        let path = temp.path().join("opened");
        let dir = Dir::open_ambient_dir(path, ambient_authority()).unwrap();
        for path in ["out", "..", "/", "file", "missing"] {
            assert!(OpenFolder::open(&dir, Path::new(path)).is_err(), "{path}");
        }
    }
}
