//! Operations that differ between systems.

use std::io;

/// Returns whether an error says that the file system does not support the operation.
pub(super) fn is_unsupported(error: &io::Error) -> bool {
    // Linux reports a flag of `renameat2` that the file system lacks as an invalid argument.
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput)
}

pub(super) use here::*;
pub(crate) use here::{largest_file, sync_folder};

#[cfg(unix)]
mod here {
    use std::ffi::OsStr;
    use std::fs::File;
    use std::io;
    use std::os::unix::fs::MetadataExt as _;
    use std::path::Path;

    use cap_std::fs::{Dir, MetadataExt as _, OpenOptions, OpenOptionsExt as _};
    use rustix::fs::{Access, AtFlags, accessat};
    use rustix::process::{Resource, getrlimit};

    use crate::disk::root::uninterrupted;

    /// Makes a new file readable only by its owner.
    pub(crate) fn for_the_owner(options: &mut OpenOptions) {
        options.mode(0o600);
    }

    /// Returns the largest file that this process may write, in bytes. Exceeding it would end the process by a signal.
    pub(crate) fn largest_file() -> u64 {
        getrlimit(Resource::Fsize).current.unwrap_or(u64::MAX)
    }

    /// Checks whether this user may write a file.
    pub(crate) fn may_be_written(folder: &Dir, name: &OsStr) -> io::Result<()> {
        uninterrupted(|| {
            // The mode alone does not show what access control lists and the file system allow.
            accessat(folder, name, Access::WRITE_OK, AtFlags::empty()).map_err(io::Error::from)
        })
    }

    /// Returns whether a name in a folder is that of an open file.
    pub(crate) fn is_named(folder: &Dir, name: impl AsRef<Path>, file: &File) -> bool {
        let name_metadata = uninterrupted(|| folder.symlink_metadata(&name));
        let file_metadata = uninterrupted(|| file.metadata());
        let (Ok(name_metadata), Ok(file_metadata)) = (name_metadata, file_metadata) else {
            return false;
        };
        (name_metadata.dev(), name_metadata.ino()) == (file_metadata.dev(), file_metadata.ino())
    }

    /// Syncs a folder. The given handle cannot be synced, so the folder is opened again.
    pub(crate) fn sync_folder(folder: &Dir) -> io::Result<()> {
        let folder = uninterrupted(|| folder.open("."))?;
        uninterrupted(|| folder.sync_all())
    }

    /// Exchanges the names of two files of a folder atomically.
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    pub(crate) fn exchange(folder: &Dir, one: &OsStr, other: &OsStr) -> io::Result<()> {
        rename(folder, one, other, rustix::fs::RenameFlags::EXCHANGE)
    }

    /// Renames a file of a folder, unless the new name is taken.
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    pub(crate) fn rename_to_nothing(folder: &Dir, from: &OsStr, to: &OsStr) -> io::Result<()> {
        rename(folder, from, to, rustix::fs::RenameFlags::NOREPLACE)
    }

    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    fn rename(
        folder: &Dir,
        from: &OsStr,
        to: &OsStr,
        flags: rustix::fs::RenameFlags,
    ) -> io::Result<()> {
        uninterrupted(|| {
            rustix::fs::renameat_with(folder, from, folder, to, flags).map_err(io::Error::from)
        })
    }
}

#[cfg(not(unix))]
mod here {
    use std::ffi::OsStr;
    use std::fs::File;
    use std::io;
    use std::path::Path;

    use cap_std::fs::{Dir, OpenOptions};

    pub(crate) fn for_the_owner(_: &mut OpenOptions) {}

    pub(crate) fn largest_file() -> u64 {
        u64::MAX
    }

    pub(crate) fn may_be_written(_: &Dir, _: &OsStr) -> io::Result<()> {
        Ok(())
    }

    /// Always true: open files cannot be renamed or removed here.
    pub(crate) fn is_named(folder: &Dir, name: impl AsRef<Path>, _: &File) -> bool {
        folder.symlink_metadata(name).is_ok()
    }

    pub(crate) fn sync_folder(_: &Dir) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub(super) fn exchange(
    _: &cap_std::fs::Dir,
    _: &std::ffi::OsStr,
    _: &std::ffi::OsStr,
) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub(super) use exchange as rename_to_nothing;
