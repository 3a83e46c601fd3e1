//! The projects that are open in windows, so that a second start brings the window to the front in place of opening another one.
//!
//! A window holds the lock of a file in the state folder for as long as its project is open. A second start that finds it locked
//! writes a request beside it. The window is notified of that by the system, deletes the request and shows itself. Where files
//! cannot be locked or watched, each start opens a window of its own.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use cap_std::fs::Dir;
use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::engine::disk::save::{lock, open_private, open_to_lock, write_private};
use crate::ops::source::sha256_hex;

/// The folder within the state folder.
const FOLDER: &str = "windows";

/// How often a second start looks whether the window has shown itself, and how long. One that is busy shows itself later.
const WAIT: Duration = Duration::from_millis(10);
const MAX_WAIT: Duration = Duration::from_secs(2);

/// A project that is open in this window, for as long as this is not dropped.
#[derive(Debug)]
pub(super) struct OpenWindow {
    dir: Dir,
    names: Names,
    _watcher: RecommendedWatcher,
    lock: Option<File>,
}

/// The names of the files of a project.
#[derive(Clone, Debug)]
struct Names {
    lock: OsString,
    request: OsString,
}

impl Names {
    fn new(paths: &[PathBuf], root: Option<&Path>) -> Self {
        let mut key = Vec::new();
        for path in root.into_iter().chain(paths.iter().map(PathBuf::as_path)) {
            let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            key.extend_from_slice(path.as_os_str().as_encoded_bytes());
            key.push(0);
        }
        let name = sha256_hex(&key);
        Self { lock: format!("{name}.lock").into(), request: format!("{name}.request").into() }
    }
}

impl OpenWindow {
    /// Registers what this window has opened. `show` is called from another thread when a second start requests the window.
    ///
    /// # Errors
    ///
    /// When the state folder cannot be written or watched.
    pub(super) fn register(
        state: &Path,
        paths: &[PathBuf],
        root: Option<&Path>,
        show: impl Fn() + Send + Sync + 'static,
    ) -> io::Result<Option<Self>> {
        let folder = state.join(FOLDER);
        let dir = open_private(&folder)?;
        let names = Names::new(paths, root);
        // Another window that has the same project open is the one to be shown. Only it may watch: a watcher lives on for a moment
        // after it is dropped, and would delete requests that are not for it.
        let file = dir.create(&names.lock)?.into_std();
        if !lock(&file)? {
            return Ok(None);
        }
        let watched = (dir.try_clone()?, names.clone());
        let on_request = Arc::new(move || {
            let (dir, names) = &watched;
            // Of several notifications for one request, only the first one can delete it.
            if dir.remove_file(&names.request).is_ok() {
                show();
            }
        });
        let notified = Arc::clone(&on_request);
        let mut watcher =
            notify::recommended_watcher(move |_| notified()).map_err(io::Error::other)?;
        watcher.watch(&folder, RecursiveMode::NonRecursive).map_err(io::Error::other)?;
        // It may have been requested before the folder was watched.
        on_request();
        Ok(Some(Self { dir, names, _watcher: watcher, lock: Some(file) }))
    }
}

impl Drop for OpenWindow {
    fn drop(&mut self) {
        // Some systems do not delete an open file. One that stays is not locked.
        self.lock = None;
        let _ = self.dir.remove_file(&self.names.lock);
    }
}

/// Requests the window in which the same paths are open to show itself; false if there is none, or if it is being closed.
pub fn show_open_window(state: &Path, paths: &[PathBuf], root: Option<&Path>) -> bool {
    let request = || {
        let dir = open_private(&state.join(FOLDER))?;
        let names = Names::new(paths, root);
        let lock_again = || lock(&open_to_lock(&dir, &names.lock)?);
        let is_open = || lock_again().is_ok_and(|is_free| !is_free);
        if !is_open() {
            return Ok(false);
        }
        write_private(&dir, &names.request, b"")?;
        let started = Instant::now();
        while dir.exists(&names.request) && started.elapsed() < MAX_WAIT {
            // A window that is being closed deletes no request.
            if !is_open() {
                dir.remove_file(&names.request)?;
                return Ok(false);
            }
            thread::sleep(WAIT);
        }
        io::Result::Ok(true)
    };
    request().unwrap_or(false)
}

/// Opens another window without a project, as a process of its own.
///
/// # Errors
///
/// A message that says why it could not be opened.
pub fn open_new_window() -> Result<(), String> {
    let start = |program| Command::new(program).arg("--new-window").spawn();
    let window = std::env::current_exe().and_then(start);
    let mut window = window.map_err(|error| format!("Cannot open a window: {error}."))?;
    // Some systems keep a process that has ended until its parent has noticed it.
    let _ = thread::Builder::new().name("retake window".into()).spawn(move || window.wait());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_start_shows_the_window_in_which_the_same_paths_are_open() {
        let temp = tempfile::tempdir().unwrap();
        let (state, one, two) = (temp.path(), [PathBuf::from("one")], [PathBuf::from("two")]);
        let (sender, shown) = crossbeam_channel::unbounded();
        assert!(!show_open_window(state, &one, None));
        let show = move || sender.send(()).unwrap_or_default();
        let window = OpenWindow::register(state, &one, None, show).unwrap();
        assert!(window.is_some());
        let another = OpenWindow::register(state, &one, None, || ()).unwrap();
        assert!(another.is_none(), "the first window is the one to be shown");

        assert!(!show_open_window(state, &two, None));
        assert!(!show_open_window(state, &one, Some(Path::new("root"))));
        for _ in 0..2 {
            assert!(show_open_window(state, &one, None));
            shown.recv().unwrap();
        }
        drop(window);
        assert!(!show_open_window(state, &one, None));
        assert!(shown.recv().is_err(), "shown once for each request");
    }

    #[test]
    fn a_window_that_is_being_closed_is_not_shown() {
        let temp = tempfile::tempdir().unwrap();
        let names = Names::new(&["one".into()], None);
        let dir = open_private(&temp.path().join(FOLDER)).unwrap();
        let held = dir.create(&names.lock).unwrap().into_std();
        assert!(lock(&held).unwrap());
        thread::scope(|scope| {
            let second = scope.spawn(|| show_open_window(temp.path(), &["one".into()], None));
            while !dir.exists(&names.request) {
                thread::yield_now();
            }
            drop(held);
            assert!(!second.join().unwrap());
        });
        assert!(!dir.exists(&names.request));
    }

    #[test]
    fn a_lock_that_a_killed_window_left_behind_shows_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let names = Names::new(&["one".into()], None);
        let folder = temp.path().join(FOLDER);
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join(&names.lock), "").unwrap();
        assert!(!show_open_window(temp.path(), &["one".into()], None));
        let window = OpenWindow::register(temp.path(), &["one".into()], None, || ());
        assert!(window.unwrap().is_some());
    }
}
