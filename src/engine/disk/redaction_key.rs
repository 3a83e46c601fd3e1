//! The key of a project by which the same value always gets the same placeholder. It is kept outside the project, so that it is
//! never committed.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::disk::root::describe_error;
use crate::disk::save::{open_private, write_private};
use crate::disk::state;
use calls::secret::RedactionKey;
use calls::source::sha256_hex;

/// Returns the folder of the key of the project in `root`, and the name of its file.
fn key_file(root: &Path) -> Option<(PathBuf, String)> {
    let name = format!("{}.key", &sha256_hex(root.to_string_lossy().as_bytes())[..16]);
    Some((state::folder()?.join("redaction"), name))
}

/// Returns the key of the project in `root`, if it has one that can be read.
pub(crate) fn known_key(root: &Path) -> Option<RedactionKey> {
    let (folder, name) = key_file(root)?;
    read_key(&folder.join(name)).ok()
}

/// Returns the key of the project in `root`; makes one if there is none, unless nothing may be written.
///
/// # Errors
///
/// The reason it cannot be read or written, as a sentence without a full stop.
pub fn project_key(root: &Path, may_write: bool) -> Result<RedactionKey, String> {
    let (folder, name) =
        key_file(root).ok_or("There is no folder for the key: set RETAKE_STATE_DIR")?;
    let file = folder.join(&name);
    if file.exists() {
        // A key that cannot be read is not replaced: with a new one, the same values would get other placeholders.
        return read_key(&file);
    }
    let mut random = [0; 32];
    getrandom::fill(&mut random).map_err(|e| format!("There are no random numbers: {e}"))?;
    let key = RedactionKey::from_random(&random);
    if may_write {
        let fail = |error: std::io::Error| {
            format!("The key cannot be written: {}", describe_error(&error))
        };
        let dir = open_private(&folder).map_err(fail)?;
        write_private(&dir, OsStr::new(&name), key.to_text().as_bytes()).map_err(fail)?;
    }
    Ok(key)
}

/// Reads the key in a file.
///
/// # Errors
///
/// The reason it cannot be read, as a sentence without a full stop.
pub fn read_key(file: &Path) -> Result<RedactionKey, String> {
    RedactionKey::parse(&read_text(file)?)
        .ok_or_else(|| format!("{}: expected a key of 64 hexadecimal digits", file.display()))
}

/// Reads a text that the user names: a key, or a list of names.
///
/// # Errors
///
/// The reason it cannot be read, as a sentence without a full stop.
pub fn read_text(file: &Path) -> Result<String, String> {
    let text = fs::read_to_string(file);
    text.map_err(|error| format!("{}: {}", file.display(), describe_error(&error)))
}
