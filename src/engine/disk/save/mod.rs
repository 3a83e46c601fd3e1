//! Saves a file so that nothing is lost: whatever happens, the complete old or new text exists.
//!
//! A save writes a temporary file beside the old one, gives it the old one's mode, owner and extended attributes, syncs
//! it, and only then puts it in the old one's place in one step; then it syncs the folder. The file is reached by the
//! handle of the folder that was opened, as in reading: a symbolic link keeps pointing where it did, and its target is
//! replaced if that is in the folder too.
//!
//! **A change by others is never overwritten.** What is on disk is compared, byte for byte, with what the edit is based
//! on: before anything is written, and again when the new text is ready. Then the two files swap names in one step, and
//! the replaced file is checked once more: if another program changed it in that moment, they swap
//! back, and the save fails as it would have before. Two saves by Retake itself never meet there: each locks the file it
//! is about to replace. What remains: a program that opened the old file before the swap
//! and writes into it after the last look writes into a file without a name; and on a file system that cannot swap
//! (NFS, some network and USB file systems) a change between the second look and the rename, microseconds later, is
//! overwritten.
//!
//! Temporary files are recognised by their names and by a lock; see [`clean_leftovers`].

mod metadata;
mod moves;
mod replace;
mod system;
mod target;
mod temporary;

use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, File};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};

pub use moves::{read, read_replaced, remove, rename};
pub use replace::check_expected;
pub use target::SaveTarget;
pub use temporary::{clean_leftovers, is_temporary};

pub(crate) use system::{largest_file, sync_folder};
pub(crate) use temporary::{
    TempFileAccess, clean, clean_beside, create_locked, lock, open_to_lock, random_name,
};

use crate::disk::root::{describe_error, uninterrupted};
use author::saving::{Expected, ReadOnly, SaveFailure, SaveFault, Saved};
use system::for_the_owner;
use temporary::TemporaryFile;

/// A file to be written.
#[derive(Clone, Debug)]
pub struct SaveRequest {
    /// The place of the file.
    pub target: SaveTarget,
    /// Its new content.
    pub bytes: Arc<[u8]>,
    /// The content that must be there now.
    pub expected: Expected,
    /// The decision about a read-only file.
    pub read_only: ReadOnly,
}

/// Writes a file, or changes nothing. A file that already contains these bytes is not touched. Where the settings of its project say
/// so, the text is made stable before.
///
/// # Errors
///
/// The file is as it was, whole; see [`SaveFailure`] for the reasons.
pub fn save(request: &SaveRequest) -> Result<Saved, SaveFault> {
    let (target, stable) = request.target.clone().with_stable_text(&request.bytes);
    let bytes = stable.as_ref().map(|text| text.text().as_bytes().into());
    let request = SaveRequest {
        target,
        bytes: bytes.unwrap_or_else(|| Arc::clone(&request.bytes)),
        ..request.clone()
    };
    let result =
        replace::run(&request).map_err(|r| request.target.fault(r)).map(|s| Saved { stable, ..s });
    match &result {
        Ok(_) => log::info!("Wrote {}", request.target.path().display()),
        Err(fault) => log::warn!("{fault}"),
    }
    result
}

/// As [`save`], but creates the missing folders above a file that may be new, and does not change a read-only file.
///
/// # Errors
///
/// As [`save`], and those of [`SaveTarget::make_folder`].
pub fn write(
    target: SaveTarget,
    bytes: impl Into<Arc<[u8]>>,
    expected: Expected,
) -> Result<Saved, SaveFault> {
    // A file that must exist has its folder.
    if !matches!(expected, Expected::File(_)) {
        target.make_folder()?;
    }
    save(&SaveRequest { target, bytes: bytes.into(), expected, read_only: ReadOnly::Refuse })
}

/// Writes a file, then gives it another name in its folder, which must be free.
///
/// # Errors
///
/// As [`write()`]; when the new name is taken, the file has the new content under its old name.
pub fn rewrite(
    target: SaveTarget,
    bytes: &[u8],
    expected: Expected,
    name: Option<&str>,
) -> Result<(), SaveFault> {
    let old_target = target.clone();
    write(target, bytes, expected)?;
    match name {
        Some(name) => rename(&old_target, &old_target.beside(name)),
        None => Ok(()),
    }
}

/// Opens a folder of Retake's own; creates a missing one so that only its owner may read it.
pub(crate) fn open_private(folder: &Path) -> io::Result<Dir> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    uninterrupted(|| Dir::open_ambient_dir(folder, ambient_authority()))
}

/// Writes a file of Retake's own that only its owner may read, and replaces an existing one.
pub(crate) fn write_private(folder: &Dir, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
    let mut temporary = TemporaryFile::create(folder, name, TempFileAccess::Private)?;
    temporary.write(bytes)?;
    temporary.sync()?;
    temporary.rename(name)
}

/// As [`write_private`], but does not wait for the disk: for what may be lost in a power failure, and is checked when it is
/// read.
pub(crate) fn write_cached(folder: &Dir, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
    let mut temporary = TemporaryFile::create(folder, name, TempFileAccess::Private)?;
    temporary.write(bytes)?;
    temporary.rename(name)
}

/// Returns the files of a folder of Retake's own with such names, each with its time and size, the oldest first.
pub(crate) fn files_by_age(
    folder: &Dir,
    is_ours: impl Fn(&str) -> bool,
) -> io::Result<Vec<(SystemTime, u64, OsString)>> {
    let mut files = Vec::new();
    for entry in folder.entries()?.flatten() {
        let name = entry.file_name();
        // Another window may delete files of the folder meanwhile.
        if let Ok(metadata) = entry.metadata()
            && metadata.is_file()
            && name.to_str().is_some_and(&is_ours)
        {
            files.push((metadata.modified()?.into_std(), metadata.len(), name));
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// Opens a file of Retake's own to append to it; a new one is readable only by its owner.
pub(crate) fn open_append(folder: &Dir, name: &OsStr) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    for_the_owner(&mut options);
    Ok(uninterrupted(|| folder.open_with(name, &options))?.into_std())
}

/// Returns the fault of a step; `doing` completes "could not be".
fn fault(doing: &'static str, error: &io::Error) -> SaveFailure {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => SaveFailure::Full,
        io::ErrorKind::FileTooLarge => SaveFailure::TooLarge,
        io::ErrorKind::ReadOnlyFilesystem => SaveFailure::ReadOnlyFolder,
        _ => SaveFailure::Failed { doing, why: describe_error(error).into() },
    }
}

#[cfg(test)]
mod tests;
