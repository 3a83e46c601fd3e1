//! Reads and writes the user's own settings.

use std::path::Path;
use std::sync::Arc;
use std::{fs, io};

use crate::disk::root::describe_error;
use crate::disk::save::{SaveTarget, open_private, write};
use author::saving::Expected;
use protocol::UserSettingsFile;

/// The largest file that is read.
const MAX_BYTES: u64 = 1 << 20;

/// Reads the file.
///
/// # Errors
///
/// The reason it cannot be read, as a sentence without a full stop. A missing file is no error.
pub fn read(path: &Path) -> UserSettingsFile {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(describe_error(&error)),
    };
    if !metadata.is_file() {
        return Err("Expected a file, found something else".to_owned());
    }
    if metadata.len() > MAX_BYTES {
        return Err("The file is larger than 1 MiB".to_owned());
    }
    Ok(Some(fs::read(path).map_err(|error| describe_error(&error))?.into()))
}

/// Writes the file, and creates its folder. If it is a link, the file that it links to is written.
///
/// # Errors
///
/// A sentence without a full stop, also when another program has changed the file.
pub(crate) fn write_settings(
    path: &Path,
    bytes: Option<&Arc<[u8]>>,
    new_bytes: &Arc<[u8]>,
) -> Result<(), String> {
    let folder = path.parent().unwrap_or(Path::new("."));
    open_private(folder).map_err(|error| describe_error(&error))?;
    // Resolved here, since a save refuses a link that leads out of a project, and the user's home may be one.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let target = SaveTarget::chosen(&path, None).map_err(|fault| fault.to_string())?;
    let result = write(target, Arc::clone(new_bytes), Expected::from_bytes(bytes.map(|b| &**b)));
    result.map_err(|fault| fault.to_string()).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_program_has_written_is_not_overwritten() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("deep/settings.toml");
        assert_eq!(read(&path), Ok(None));
        let (first, second): (Arc<[u8]>, Arc<[u8]>) = ((*b"a = 1").into(), (*b"a = 2").into());
        write_settings(&path, None, &first).unwrap();
        assert!(write_settings(&path, None, &second).is_err());
        assert!(write_settings(&path, Some(&second), &(*b"a = 3").into()).is_err());
        assert_eq!(read(&path), Ok(Some(Arc::clone(&first))));
        write_settings(&path, Some(&first), &second).unwrap();
        assert_eq!(read(&path), Ok(Some(second)));
        assert!(read(temp.path()).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_the_file_stays_a_link() {
        let temp = tempfile::tempdir().unwrap();
        let (target_folder, link) = (temp.path().join("dotfiles"), temp.path().join("config"));
        fs::create_dir(&target_folder).unwrap();
        fs::create_dir(&link).unwrap();
        fs::write(target_folder.join("retake.toml"), "a = 1").unwrap();
        let path = link.join("settings.toml");
        std::os::unix::fs::symlink(target_folder.join("retake.toml"), &path).unwrap();
        let old_bytes = read(&path).unwrap();
        write_settings(&path, old_bytes.as_ref(), &(*b"a = 2").into()).unwrap();
        assert!(fs::symlink_metadata(&path).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(target_folder.join("retake.toml")).unwrap(), "a = 2");
    }
}
