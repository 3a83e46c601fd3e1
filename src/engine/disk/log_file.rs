//! The file of the log, and the older files that it replaces. Several windows may write to it at once: each write opens the file,
//! appends whole lines, and closes it, so a file that another window has just renamed loses none.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;

use crate::disk::root::{read_file, uninterrupted};
use crate::disk::save::{largest_file, lock, open_append, open_private};

/// The folder within the state folder.
const FOLDER_NAME: &str = "log";

const FILE_NAME: &str = "retake.log";

/// Its lock is held while files are renamed.
const LOCK_NAME: &str = "retake.lock";

/// The size at which a new file is begun: 1 MiB.
const MAX_BYTES: u64 = 1 << 20;

/// Number of older files that are kept.
const MAX_OLD_FILES: usize = 3;

/// The log's files.
#[derive(Debug)]
pub(crate) struct LogFile {
    dir: Dir,
    max_bytes: u64,
}

impl LogFile {
    /// Opens the log in a state folder.
    pub(crate) fn open(state: &Path) -> io::Result<Self> {
        Ok(Self { dir: open_private(&state.join(FOLDER_NAME))?, max_bytes: MAX_BYTES })
    }

    /// Returns the path of the file with the latest lines.
    pub(crate) fn path(state: &Path) -> PathBuf {
        state.join(FOLDER_NAME).join(FILE_NAME)
    }

    /// Appends lines, each with its line end, and begins a new file if this one is full.
    pub(crate) fn append(&self, lines: &str) -> io::Result<()> {
        let mut file = open_append(&self.dir, OsStr::new(FILE_NAME))?;
        let size = file.metadata()?.len();
        // Exceeding a limit of the system would end the process.
        if size + lines.len() as u64 > largest_file() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        file.write_all(lines.as_bytes())?;
        if size + lines.len() as u64 >= self.max_bytes {
            drop(file);
            self.rotate()?;
        }
        Ok(())
    }

    /// Renames the files, and deletes the oldest one. Another window that does the same now leaves it to this one.
    fn rotate(&self) -> io::Result<()> {
        let lock_file: File = open_append(&self.dir, OsStr::new(LOCK_NAME))?;
        if !lock(&lock_file)? {
            return Ok(());
        }
        match self.dir.metadata(FILE_NAME) {
            Ok(metadata) if metadata.len() >= self.max_bytes => {}
            // Another window renamed the full file before this one had the lock.
            Ok(_) => return Ok(()),
            // Another window has just renamed it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        }
        for number in (1..MAX_OLD_FILES).rev() {
            let result = self.rename(&old_file(number), &old_file(number + 1));
            if let Err(error) = result
                // A young log has fewer files.
                && error.kind() != io::ErrorKind::NotFound
            {
                return Err(error);
            }
        }
        self.rename(FILE_NAME, &old_file(1))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        uninterrupted(|| self.dir.rename(from, &self.dir, to))
    }

    /// Returns the last lines, the latest at the end, with those of the file before if this one has fewer.
    pub(crate) fn tail(&self, count: usize) -> Vec<String> {
        let text = |name: &str| {
            let bytes = read_file(&self.dir, name.as_ref()).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let new_text = text(FILE_NAME);
        let head =
            if new_text.lines().count() < count { text(&old_file(1)) } else { String::new() };
        let mut lines: Vec<String> = head.lines().chain(new_text.lines()).map(Into::into).collect();
        lines.drain(..lines.len().saturating_sub(count));
        lines
    }
}

fn old_file(number: usize) -> String {
    format!("retake.{number}.log")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the files with the numbers that their lines begin with.
    fn content(state: &Path) -> String {
        let folder = state.join(FOLDER_NAME);
        let mut names: Vec<String> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".log"))
            .collect();
        names.sort_unstable();
        let files = names.iter().map(|name| {
            let text = std::fs::read_to_string(folder.join(name)).unwrap();
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            format!("{name}: {}\n", lines.join(" "))
        });
        files.collect()
    }

    #[test]
    fn a_full_log_begins_a_new_file_and_three_old_ones_are_kept() {
        let state = tempfile::tempdir().unwrap();
        let log = LogFile { max_bytes: 20, ..LogFile::open(state.path()).unwrap() };
        for number in 1..=11 {
            log.append(&format!("{number:>9}\n")).unwrap();
        }
        insta::assert_snapshot!(content(state.path()), @r"
        retake.1.log: 9 10
        retake.2.log: 7 8
        retake.3.log: 5 6
        retake.log: 11
        ");
        assert_eq!(log.tail(2).len(), 2);
        assert_eq!(log.tail(500).last().unwrap().trim(), "11");
    }

    #[test]
    fn windows_that_write_at_once_lose_no_line() {
        let state = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for window in 0..4 {
                let state = state.path();
                scope.spawn(move || {
                    let log = LogFile { max_bytes: 6_000, ..LogFile::open(state).unwrap() };
                    for number in 0..100 {
                        log.append(&format!("{window:>5}{number:>5} {}\n", "x".repeat(30)))
                            .unwrap();
                    }
                });
            }
        });
        let files = content(state.path());
        let lines = files.matches(&"x".repeat(30)).count();
        assert_eq!(lines, 400, "{files}");
    }

    #[cfg(unix)]
    #[test]
    fn only_its_owner_may_read_the_log() {
        use std::os::unix::fs::MetadataExt as _;
        let state = tempfile::tempdir().unwrap();
        let log = LogFile::open(state.path()).unwrap();
        log.append("a line\n").unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().mode() & 0o777;
        assert_eq!(mode(&LogFile::path(state.path())), 0o600);
        assert_eq!(mode(&state.path().join(FOLDER_NAME)), 0o700);
    }
}
