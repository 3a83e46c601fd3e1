//! Paths as text: as written in a file, as given by the user, as shown.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::ReadRefusal;

/// Converts a path that a file contains to one below the root: parts joined by `/`, `.` removed.
///
/// # Errors
///
/// [`ReadRefusal::Outside`] for what could lead out on any system: `..`, an absolute path, a drive letter, a backslash, an
/// empty part, a zero byte. Paths are checked in the same way everywhere, so that a check has the same result on every machine.
pub fn beneath(path: &str) -> Result<String, ReadRefusal> {
    let refuse = |reason: &str| Err(ReadRefusal::Outside(reason.into()));
    check_relative(path)?;
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" => return refuse("the path contains an empty part"),
            ".." => return refuse("the path contains `..`"),
            "." => {}
            part => parts.push(part),
        }
    }
    if parts.is_empty() {
        return refuse("the path names no file");
    }
    Ok(parts.join("/"))
}

/// Fails for what could lead out on any system, except for `..`.
pub(super) fn check_relative(path: &str) -> Result<(), ReadRefusal> {
    let mut letters = path.chars();
    let has_drive = letters.next().is_some_and(|letter| letter.is_ascii_alphabetic())
        && letters.next() == Some(':');
    let reason = if path.is_empty() {
        "the path is empty"
    } else if has_drive {
        "the path starts with a drive letter"
    } else if path.contains('\\') {
        "the path contains a backslash"
    } else if path.starts_with('/') {
        "the path is absolute"
    } else if path.contains('\0') {
        "the path contains a zero byte"
    } else {
        return Ok(());
    };
    Err(ReadRefusal::Outside(reason.into()))
}

/// Returns the relative path from a folder up to one above it.
pub(crate) fn path_up(folder: &Path, ancestor: &Path) -> PathBuf {
    let path = folder.strip_prefix(ancestor);
    std::iter::repeat_n("..", path.map_or(0, |path| path.components().count())).collect()
}

/// Returns the folder of a path; empty for a bare name.
pub(crate) fn parent_folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Joins a folder, which may be empty, and a path from there.
pub(crate) fn joined(folder: &str, path: &str) -> String {
    if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") }
}

/// Returns the path of what is in a folder, which may be empty, from there; empty for the folder itself, `None` for what is elsewhere.
pub(crate) fn path_below<'a>(folder: &str, path: &'a str) -> Option<&'a str> {
    match path.strip_prefix(folder)? {
        rest if folder.is_empty() || rest.is_empty() => Some(rest),
        rest => rest.strip_prefix('/'),
    }
}

/// Returns the folder of a path; `.` for a bare name.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

/// A path as it is shown: parts joined with `/`, what is not UTF-8 replaced.
pub(crate) fn display_path(path: &Path) -> Arc<str> {
    let parts: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/").into()
}

/// A path as it was given; only the platform's separator is changed, and the last one dropped.
pub(crate) fn given_path(path: &Path) -> String {
    let mut text = path.to_string_lossy().into_owned();
    if std::path::MAIN_SEPARATOR != '/' {
        text = text.replace(std::path::MAIN_SEPARATOR, "/");
    }
    text.truncate(text.trim_end_matches('/').len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_could_lead_out_on_any_system_is_refused() {
        let reason = |path| match beneath(path) {
            Ok(path) => path,
            Err(refusal) => format!("refused: {refusal}"),
        };
        assert_eq!(reason("./machines/./a.dygram"), "machines/a.dygram");
        assert_eq!(reason("a..b/…"), "a..b/…");
        for (path, word) in [
            ("", "empty"),
            (".", "names no file"),
            ("/etc/passwd", "absolute"),
            ("../a", "`..`"),
            ("a/../../b", "`..`"),
            ("a//b", "empty part"),
            ("a/", "empty part"),
            ("C:/a", "drive letter"),
            ("c:a", "drive letter"),
            ("..\\a", "backslash"),
            ("\\\\host\\share", "backslash"),
            ("a\0b", "zero byte"),
        ] {
            assert!(reason(path).contains(word), "{path:?}: {}", reason(path));
        }
    }
}
