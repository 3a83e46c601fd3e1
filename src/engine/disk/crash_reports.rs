//! Crash reports, kept in the state folder: the latest ten. The next window offers the latest report of a crash, once.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::disk::root::uninterrupted;
use crate::disk::save::{open_private, write_private};
use author::stored_text::StoredText;

/// The folder within the state folder.
const FOLDER_NAME: &str = "crashes";

/// The file with the name of the latest report that was offered.
const OFFERED_NAME: &str = "offered";

/// Number of reports that are kept.
const MAX_REPORTS: usize = 10;

/// The ending of a report about a failure that did not end the program.
const TASK_ENDING: &str = "-task.txt";

/// Whether the program went on after a panic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PanicOutcome {
    /// It ended.
    Ended,
    /// Only a task or a thread failed.
    Continued,
}

/// Writes a report in a state folder, deletes the oldest ones, and returns its path.
pub(crate) fn write(state: &Path, outcome: PanicOutcome, text: &str) -> io::Result<PathBuf> {
    let folder = state.join(FOLDER_NAME);
    let dir = open_private(&folder)?;
    // Hyphens instead of colons, which Windows does not allow in names. Names sort by time.
    let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H-%M-%S.%6fZ");
    let ending = match outcome {
        PanicOutcome::Ended => ".txt",
        PanicOutcome::Continued => TASK_ENDING,
    };
    // Two windows may crash in the same microsecond, and share this folder.
    let name = format!("{now}-{}{ending}", std::process::id());
    write_private(&dir, OsStr::new(&name), text.as_bytes())?;
    let names = list(&folder);
    for name in &names[..names.len().saturating_sub(MAX_REPORTS)] {
        // A report that cannot be deleted now is deleted after the next crash.
        let _ = uninterrupted(|| dir.remove_file(name));
    }
    Ok(folder.join(name))
}

/// Returns the report of the latest crash if no window has offered it.
pub(crate) fn take_latest(state: &Path) -> Option<StoredText> {
    let folder = state.join(FOLDER_NAME);
    let names = list(&folder);
    // A failure that did not end the program was reported while it ran.
    let name = names.iter().rev().find(|name| !name.ends_with(TASK_ENDING))?;
    let last_offered = fs::read_to_string(folder.join(OFFERED_NAME)).unwrap_or_default();
    if *name <= last_offered {
        return None;
    }
    let path = folder.join(name);
    let text = fs::read(&path).ok()?;
    let dir = open_private(&folder).ok()?;
    // If the write fails, the report is offered again, which loses nothing.
    let _ = write_private(&dir, OsStr::new(OFFERED_NAME), name.as_bytes());
    Some(StoredText { text: String::from_utf8_lossy(&text).into_owned(), path })
}

/// Returns the names of the reports, the oldest first: they begin with the time.
fn list(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".txt"))
        .collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_reports_are_kept_and_the_latest_crash_is_offered_once() {
        let state = tempfile::tempdir().unwrap();
        assert_eq!(take_latest(state.path()), None);
        for number in 0..12 {
            let text = format!("report {number}");
            write(state.path(), PanicOutcome::Ended, &text).unwrap();
        }
        write(state.path(), PanicOutcome::Continued, "a task").unwrap();
        assert_eq!(list(&state.path().join(FOLDER_NAME)).len(), MAX_REPORTS);
        assert_eq!(take_latest(state.path()).unwrap().text, "report 11");
        assert_eq!(take_latest(state.path()), None);

        let path = write(state.path(), PanicOutcome::Ended, "another").unwrap();
        assert_eq!(take_latest(state.path()).unwrap().path, path);
    }

    #[cfg(unix)]
    #[test]
    fn only_its_owner_may_read_a_report() {
        use std::os::unix::fs::MetadataExt as _;
        let state = tempfile::tempdir().unwrap();
        let path = write(state.path(), PanicOutcome::Ended, "report").unwrap();
        assert_eq!(fs::metadata(path).unwrap().mode() & 0o777, 0o600);
    }
}
