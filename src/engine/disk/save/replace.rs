//! The steps of a save, in their order.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::path::Path;

use cap_std::fs::Dir;

use super::metadata::copy_metadata;
use super::target::{SavePlace, SaveTarget, refused};
use super::temporary::{TempFileAccess, TemporaryFile, lock};
use super::{SaveRequest, fault, system};
use crate::disk::root::{
    ReadRefusal, describe_error, is_compressed, is_packed, kind_name, read_and_keep, uninterrupted,
};
use author::saving::{Expected, Fingerprint, ReadOnly, SaveFailure, SaveFault, SaveRemark, Saved};
use document::body::{gzip, is_gzip};
use document::eval_archive::is_archive;

/// Number of times that a file is read when another program keeps replacing it.
const MAX_TRIES: usize = 8;

/// A file as it was found.
pub(super) struct FoundFile {
    /// Open for reading.
    pub(super) file: File,
    pub(super) bytes: Vec<u8>,
}

pub(super) fn run(request: &SaveRequest) -> Result<Saved, SaveFailure> {
    let place = request.target.resolve()?;
    let old_file = read_found(&place.folder, &place.name)?;
    let now = Fingerprint::from_bytes(&request.bytes);
    // Before the comparison with what was expected: a file that has the new text already is no conflict.
    if old_file.as_ref().is_some_and(|old_file| *old_file.bytes == *request.bytes) {
        return Ok(Saved { now, remarks: Vec::new(), stable: None });
    }
    compare(&request.expected, old_file.as_ref().map(|old_file| &*old_file.bytes))?;
    if let (Some(old_file), ReadOnly::Refuse) = (&old_file, request.read_only) {
        may_be_written(&place, old_file)?;
    }
    let head = old_file.as_ref().map(|old_file| head_of(&old_file.file)).unwrap_or_default();
    if is_packed(place.name.as_ref()) && is_archive(&head) {
        let why = "it is an archive, which is only read".into();
        return Err(SaveFailure::Failed { doing: "replaced", why });
    }

    let access = match old_file {
        // No one may read the new text before it has the permissions of the old file.
        Some(_) => TempFileAccess::Private,
        None => TempFileAccess::AsNew,
    };
    let mut temporary = TemporaryFile::create(&place.folder, &place.name, access)
        .map_err(|error| creation_fault(&error))?;
    // A file may have the ending of a compressed one and be none.
    let is_stored_packed = old_file.is_none() || is_gzip(&head);
    let is_compressed = is_compressed(place.name.as_ref()) && is_stored_packed;
    let packed = is_compressed.then(|| gzip(&request.bytes)).transpose();
    let result =
        packed.and_then(|packed| temporary.write(packed.as_deref().unwrap_or(&request.bytes)));
    result.map_err(|error| fault("written", &error))?;
    let mut remarks = match &old_file {
        Some(old_file) => copy_metadata(&old_file.file, &temporary.file)?,
        None => Vec::new(),
    };
    // After the metadata, so that they are on disk, too, when the file gets its name.
    let result = temporary.sync();
    result.map_err(|error| fault("written to disk", &error))?;

    match &old_file {
        Some(old_file) => {
            let remark = swap(&place, &mut temporary, &old_file.bytes, &mut remarks)?;
            remarks.extend(remark);
        }
        None => put_new(&place, &temporary)?,
    }
    // Before the folder is synced, so that the removal is synced, too.
    drop(temporary);
    remarks.extend(sync(&place.folder));
    Ok(Saved { now, remarks, stable: None })
}

/// Reads the existing file, if there is one.
pub(super) fn read_found(folder: &Dir, name: &OsStr) -> Result<Option<FoundFile>, SaveFailure> {
    let name = Path::new(name);
    let refuse = |reason: &str| SaveFailure::Failed { doing: "replaced", why: reason.into() };
    // Links were resolved on the way here.
    match uninterrupted(|| folder.symlink_metadata(name)) {
        Ok(metadata) if metadata.is_symlink() => {
            return Err(refuse("it is a broken link"));
        }
        Ok(metadata) if metadata.is_dir() => return Err(refuse("it is a folder, not a file")),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(fault("looked at", &error)),
    }
    match read_and_keep(folder, name) {
        Ok((file, bytes)) => Ok(Some(FoundFile { file: file.into_std(), bytes })),
        Err(ReadRefusal::Missing) => Ok(None),
        Err(refusal) => Err(refused("read", refusal)),
    }
}

/// Returns the first bytes of a file; none if it is shorter or cannot be read.
fn head_of(mut file: &File) -> [u8; 4] {
    let mut head = [0; 4];
    let result = file.rewind().and_then(|()| file.read_exact(&mut head));
    result.map_or([0; 4], |()| head)
}

/// Syncs a folder, so that its names are on disk.
fn sync(folder: &Dir) -> Option<SaveRemark> {
    match system::sync_folder(folder) {
        Err(error) if !system::is_unsupported(&error) => {
            Some(SaveRemark::FolderNotSynced(describe_error(&error)))
        }
        // Some file systems do not need a sync of the folder.
        _ => None,
    }
}

/// Compares the content of a file, or that there is none, with what a save expects.
///
/// # Errors
///
/// As the save.
pub fn check_expected(
    target: &SaveTarget,
    expected: &Expected,
    bytes: Option<&[u8]>,
) -> Result<(), SaveFault> {
    compare(expected, bytes).map_err(|reason| target.fault(reason))
}

fn compare(expected: &Expected, bytes: Option<&[u8]>) -> Result<(), SaveFailure> {
    match (expected, bytes) {
        (Expected::Anything, _) | (Expected::Nothing, None) => Ok(()),
        (Expected::File(_), None) => Err(SaveFailure::FileGone),
        (Expected::Nothing, Some(bytes)) => {
            Err(SaveFailure::Exists { now: Fingerprint::from_bytes(bytes), theirs: bytes.into() })
        }
        (Expected::File(base), Some(bytes)) => match Fingerprint::from_bytes(bytes) {
            now if now == *base => Ok(()),
            _ => Err(changed_fault(bytes)),
        },
    }
}

fn changed_fault(theirs: &[u8]) -> SaveFailure {
    SaveFailure::Changed { now: Fingerprint::from_bytes(theirs), theirs: theirs.into() }
}

/// Fails for a file that is read-only, or that this user may not write: in a writable folder it
/// could be replaced anyway.
fn may_be_written(place: &SavePlace, file: &FoundFile) -> Result<(), SaveFailure> {
    let metadata = uninterrupted(|| file.file.metadata()).map_err(|e| fault("looked at", &e))?;
    if metadata.permissions().readonly() {
        return Err(SaveFailure::ReadOnlyFile);
    }
    system::may_be_written(&place.folder, &place.name).map_err(|error| match error.kind() {
        io::ErrorKind::PermissionDenied => SaveFailure::ReadOnlyFile,
        _ => fault("looked at", &error),
    })
}

fn creation_fault(error: &io::Error) -> SaveFailure {
    match error.kind() {
        io::ErrorKind::PermissionDenied => SaveFailure::ReadOnlyFolder,
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => SaveFailure::FolderGone,
        _ => fault("written", error),
    }
}

/// Puts the new file where the old one is, if that is still as it was.
///
/// The old file is locked meanwhile, so that of two saves by Retake one waits for the other, and neither takes the
/// replaced file for a leftover. The remarks are replaced by those about the file as it is now.
pub(super) fn swap(
    place: &SavePlace,
    temporary: &mut TemporaryFile,
    old: &[u8],
    remarks: &mut Vec<SaveRemark>,
) -> Result<Option<SaveRemark>, SaveFailure> {
    let SavePlace { folder, name } = place;
    for _ in 0..MAX_TRIES {
        let file = read_found(folder, name)?.ok_or(SaveFailure::FileGone)?;
        if file.bytes != old {
            return Err(changed_fault(&file.bytes));
        }
        // Where files cannot be locked, the exchange alone must suffice.
        if !lock(&file.file).unwrap_or(true) {
            return Err(SaveFailure::Denied("another program has locked it".into()));
        }
        // Between reading and locking, another program may have put a new file under the name.
        if system::is_named(folder, name, &file.file) {
            // The mode and the links of the old file may have changed while the new one was written.
            *remarks = copy_metadata(&file.file, &temporary.file)?;
            return exchange_if(place, temporary, old);
        }
    }
    Err(SaveFailure::Denied("another program keeps replacing it".into()))
}

/// Exchanges the new file with the old one in one step, and reverts that if the replaced file is not `old`.
pub(super) fn exchange_if(
    place: &SavePlace,
    temporary: &mut TemporaryFile,
    old: &[u8],
) -> Result<Option<SaveRemark>, SaveFailure> {
    let SavePlace { folder, name } = place;
    let old_name = temporary.name.to_owned();
    let old_name = OsStr::new(&old_name);
    match system::exchange(folder, old_name, name) {
        Err(error) if system::is_unsupported(&error) => {
            check_renamed(temporary.rename(name), temporary, name)?;
            return Ok(None);
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(SaveFailure::FileGone),
        result => check_renamed(result, temporary, name)?,
    }
    let fault = match check_swapped_out(folder, old_name, old) {
        Ok(()) => return Ok(None),
        Err(fault) => fault,
    };
    // Another program was faster; restore its file.
    if system::exchange(folder, old_name, name).is_err() && temporary.rename(name).is_err() {
        temporary.leave();
        return Ok(Some(SaveRemark::TheirsSavedBeside(temporary.name.to_owned())));
    }
    Err(fault)
}

/// Fails unless the replaced file has these bytes.
fn check_swapped_out(folder: &Dir, old_name: &OsStr, old: &[u8]) -> Result<(), SaveFailure> {
    match uninterrupted(|| folder.symlink_metadata(old_name)) {
        Ok(metadata) if !metadata.is_file() => {
            let kind = kind_name(metadata.file_type());
            return Err(SaveFailure::Denied(
                format!("another program put {kind} in its place").into(),
            ));
        }
        Ok(_) => {}
        // The replaced file was removed meanwhile, and had the expected content a moment ago.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(fault("looked at", &error)),
    }
    match read_found(folder, old_name)? {
        Some(file) if file.bytes != old => Err(changed_fault(&file.bytes)),
        _ => Ok(()),
    }
}

/// Puts a new file where none is.
fn put_new(place: &SavePlace, temporary: &TemporaryFile) -> Result<(), SaveFailure> {
    let SavePlace { folder, name } = place;
    let result = match system::rename_to_nothing(folder, temporary.name.as_ref(), name) {
        // This file system replaces whatever has the name, so the last look is right before it.
        Err(error) if system::is_unsupported(&error) => match read_found(folder, name)? {
            None => temporary.rename(name),
            Some(_) => Err(io::ErrorKind::AlreadyExists.into()),
        },
        result => result,
    };
    match result {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let file = read_found(folder, name)?;
            compare(&Expected::Nothing, file.as_ref().map(|file| &*file.bytes))
        }
        result => check_renamed(result, temporary, name),
    }
}

/// Returns the result of a rename. A network file system may report a failure although it renamed the file.
fn check_renamed(
    result: io::Result<()>,
    temporary: &TemporaryFile,
    name: &OsStr,
) -> Result<(), SaveFailure> {
    match result {
        Err(_) if temporary.is_at(name) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            Err(SaveFailure::Denied(describe_error(&error).into()))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(SaveFailure::FolderGone),
        result => result.map_err(|error| fault("replaced", &error)),
    }
}
