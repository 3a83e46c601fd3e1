//! Renames and removes files. Nothing is replaced, and the target of a link is not touched.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::replace::{FoundFile, read_found};
use super::target::{SavePlace, SaveTarget};
use super::temporary::{lock, name_for};
use super::{fault, system};
use crate::disk::root::uninterrupted;
use author::saving::{Fingerprint, SaveFailure, SaveFault};

/// Renames a file within its folder.
///
/// # Errors
///
/// Returns an error if that name is taken, among others. The file is where it was.
pub fn rename(from: &SaveTarget, to: &SaveTarget) -> Result<(), SaveFault> {
    let place = own_place(from).map_err(|reason| from.fault(reason))?;
    let new = to.path();
    let name = new.file_name().unwrap_or(OsStr::new("."));
    let result = match system::rename_to_nothing(&place.folder, &place.name, name) {
        Err(error) if system::is_unsupported(&error) => rename_by_link(&place, name),
        result => result,
    };
    match result {
        Ok(()) => {
            // If a power failure restores the old name, nothing is lost.
            let _ = system::sync_folder(&place.folder);
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(to.fault(name_taken(&place, name)))
        }
        Err(error) => Err(from.fault(fault("renamed", &error))),
    }
}

/// Renames by adding a second name and removing the first: neither replaces a file.
fn rename_by_link(place: &SavePlace, name: &OsStr) -> io::Result<()> {
    let (folder, old) = (&place.folder, Path::new(&place.name));
    uninterrupted(|| folder.hard_link(old, folder, name))?;
    uninterrupted(|| folder.remove_file(old))
}

/// Reads all of a file.
///
/// # Errors
///
/// Returns an error if it cannot be read, or is a link or a folder.
pub fn read(target: &SaveTarget) -> Result<Arc<[u8]>, SaveFault> {
    let read = || {
        let place = own_place(target)?;
        Ok(read_found(&place.folder, &place.name)?.ok_or(SaveFailure::FileGone)?.bytes)
    };
    Ok(read().map_err(|reason| target.fault(reason))?.into())
}

/// Reads what a save would replace: the file, or what a link to it leads to; `None` if there is nothing.
///
/// # Errors
///
/// Returns an error if it cannot be read.
pub fn read_replaced(target: &SaveTarget) -> Result<Option<Vec<u8>>, SaveFault> {
    let read = || {
        let place = match target.resolve() {
            // A save creates missing folders, so it would replace nothing there.
            Err(SaveFailure::FolderGone) => return Ok(None),
            place => place?,
        };
        let found = read_found(&place.folder, &place.name)?;
        Ok(found.map(|found| found.bytes))
    };
    read().map_err(|reason| target.fault(reason))
}

/// Removes a file that contains exactly these bytes.
///
/// The file is renamed to a temporary name first and checked once more, so that what another program writes meanwhile is not lost. It
/// is locked meanwhile: after a kill, it is a leftover like that of a save.
///
/// # Errors
///
/// Returns an error if it contains something else, among others. The file is where it was.
pub fn remove(target: &SaveTarget, expected: &[u8]) -> Result<(), SaveFault> {
    let remove = || {
        let place = own_place(target)?;
        let file = check_content(&place, &place.name, expected)?;
        // Where files cannot be locked, the comparison alone must suffice.
        if !lock(&file.file).unwrap_or(true) {
            return Err(SaveFailure::Denied("another program has locked it".into()));
        }
        let temporary = OsString::from(name_for(&place.name));
        let fail = |error: io::Error| fault("removed", &error);
        system::rename_to_nothing(&place.folder, &place.name, &temporary).map_err(fail)?;
        if let Err(reason) = check_content(&place, &temporary, expected) {
            system::rename_to_nothing(&place.folder, &temporary, &place.name).map_err(fail)?;
            return Err(reason);
        }
        uninterrupted(|| place.folder.remove_file(Path::new(&temporary))).map_err(fail)?;
        // If a power failure restores the file, nothing is lost.
        let _ = system::sync_folder(&place.folder);
        Ok(())
    };
    remove().map_err(|reason| target.fault(reason))
}

fn check_content(place: &SavePlace, name: &OsStr, state: &[u8]) -> Result<FoundFile, SaveFailure> {
    let file = read_found(&place.folder, name)?.ok_or(SaveFailure::FileGone)?;
    if file.bytes == state { Ok(file) } else { Err(SaveFailure::ChangedSince) }
}

/// Returns the place of a file itself. A link is not followed.
fn own_place(target: &SaveTarget) -> Result<SavePlace, SaveFailure> {
    let place = target.resolve()?;
    let is_itself = target.path().file_name() == Some(&place.name);
    let metadata = uninterrupted(|| place.folder.symlink_metadata(Path::new(&place.name)));
    match metadata {
        Ok(metadata) if is_itself && metadata.is_file() => Ok(place),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(SaveFailure::FileGone),
        Ok(_) => {
            Err(SaveFailure::Failed { doing: "moved", why: "it is a link or a folder".into() })
        }
        Err(error) => Err(fault("looked at", &error)),
    }
}

/// Returns the reason that a name cannot be taken.
fn name_taken(place: &SavePlace, name: &OsStr) -> SaveFailure {
    let file = read_found(&place.folder, name).ok().flatten();
    file.map_or(
        SaveFailure::Failed {
            doing: "renamed",
            why: "a file with this name already exists".into(),
        },
        |file| SaveFailure::Exists {
            now: Fingerprint::from_bytes(&file.bytes),
            theirs: file.bytes.as_slice().into(),
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_gets_another_name_and_never_one_that_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let target = |name: &str| SaveTarget::chosen(&at(name), None).unwrap();
        for name in ["a", "b"] {
            std::fs::write(at(name), name).unwrap();
        }
        let fault = rename(&target("a"), &target("b")).unwrap_err();
        assert!(matches!(fault.reason, SaveFailure::Exists { .. }), "{fault}");
        rename(&target("a"), &target("c")).unwrap();
        assert!(!at("a").exists());
        assert_eq!(std::fs::read_to_string(at("b")).unwrap(), "b");
        assert_eq!(std::fs::read_to_string(at("c")).unwrap(), "a");
        let fault = rename(&target("a"), &target("d")).unwrap_err();
        assert_eq!(fault.reason, SaveFailure::FileGone);
    }

    #[test]
    fn only_that_exact_file_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        std::fs::write(&file, "mine").unwrap();
        let target = SaveTarget::chosen(&file, None).unwrap();
        let fault = remove(&target, b"other").unwrap_err();
        assert_eq!(fault.reason, SaveFailure::ChangedSince);
        remove(&target, b"mine").unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn where_a_system_cannot_do_it_in_one_step_a_second_name_does() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a"), "a").unwrap();
        std::fs::write(at("b"), "b").unwrap();
        let place = || own_place(&SaveTarget::chosen(&at("a"), None).unwrap()).unwrap();
        let error = rename_by_link(&place(), OsStr::new("b")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        rename_by_link(&place(), OsStr::new("c")).unwrap();
        assert!(!at("a").exists());
        assert_eq!(std::fs::read_to_string(at("c")).unwrap(), "a");
    }
}
