//! Watches folders through the system's notifications, and receives its events.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Receiver, Sender, bounded};
use notify::event::{AccessKind, AccessMode};
use notify::{ErrorKind, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

/// The most waiting events; when there are more, everything is scanned instead.
const WAITING: usize = 1 << 14;

/// Whether the system watches folder by folder. Elsewhere it watches recursively at the same cost.
pub(super) const FOLDER_BY_FOLDER: bool = cfg!(any(target_os = "linux", target_os = "android"));

/// An event of the file system.
#[derive(Debug)]
pub(super) enum Tidings {
    /// Something happened at a path.
    Changed(PathBuf),
    /// Events were lost.
    Lost,
}

/// Why a folder is not watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unwatched {
    /// It is not there.
    Missing,
    /// The system has no watches left.
    NoneLeft,
    /// For this reason.
    Unable(Arc<str>),
}

/// Reports changes in folders: the system, or a test.
pub(super) trait Watcher: Send {
    /// Watches the entries of a folder, whose path has no links in it.
    fn watch(&mut self, folder: &Path) -> Result<(), Unwatched>;
    /// Stops watching a folder.
    fn unwatch(&mut self, folder: &Path);
}

/// A watcher and the receiver of its events.
pub(in crate::engine) struct Senses {
    pub(super) watcher: Box<dyn Watcher>,
    pub(super) ear: Ear,
}

/// Receives file system events.
#[derive(Debug)]
pub(super) struct Ear {
    pub(super) tidings: Receiver<Tidings>,
    overheard: Arc<AtomicBool>,
}

/// Sends file system events. Never blocks: the receiver may be calling the watcher.
#[derive(Debug)]
pub(super) struct Mouth {
    tidings: Sender<Tidings>,
    overheard: Arc<AtomicBool>,
}

/// Creates a channel for file system events.
pub(super) fn hearing() -> (Mouth, Ear) {
    let (sender, listener) = bounded(WAITING);
    let overheard = Arc::new(AtomicBool::new(false));
    let event_sender = Mouth {
        tidings: sender,
        overheard: Arc::clone(&overheard),
    };
    let ear = Ear {
        tidings: listener,
        overheard,
    };
    (event_sender, ear)
}

impl Ear {
    /// Returns whether events were lost since the last call.
    pub(super) fn has_missed(&self) -> bool {
        self.overheard.swap(false, Ordering::Relaxed)
    }

    /// Stops receiving.
    pub(super) fn close(&mut self) {
        self.tidings = crossbeam_channel::never();
    }
}

impl Mouth {
    pub(super) fn tell(&self, event: Tidings) {
        if self.tidings.try_send(event).is_err() {
            self.overheard.store(true, Ordering::Relaxed);
        }
    }

    fn pass_on(&self, event: notify::Result<notify::Event>) {
        match event {
            Ok(event) if event.need_rescan() => self.tell(Tidings::Lost),
            Ok(event) if is_change(event.kind) => {
                for path in event.paths {
                    self.tell(Tidings::Changed(path));
                }
            }
            Ok(_) => {}
            Err(_) => self.tell(Tidings::Lost),
        }
    }
}

/// Returns whether an event is a change. Reading is not: our own reads would trigger each other for ever.
fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
        _ => true,
    }
}

impl Senses {
    /// Creates the system's watcher; if it has none, every folder is refused.
    pub(in crate::engine) fn of_system() -> Self {
        let (sender, ear) = hearing();
        let watcher: Box<dyn Watcher> =
            match notify::recommended_watcher(move |event| sender.pass_on(event)) {
                Ok(watcher) => Box::new(System {
                    watcher,
                    trees: Vec::new(),
                }),
                Err(error) => Box::new(Numb(unwatched(error))),
            };
        Self { watcher, ear }
    }
}

struct System {
    watcher: RecommendedWatcher,
    /// The folders that are watched recursively.
    trees: Vec<PathBuf>,
}

impl Watcher for System {
    fn watch(&mut self, folder: &Path) -> Result<(), Unwatched> {
        if FOLDER_BY_FOLDER {
            let watched = self.watcher.watch(folder, RecursiveMode::NonRecursive);
            return watched.map_err(unwatched);
        }
        if self.trees.iter().any(|tree| folder.starts_with(tree)) {
            return Ok(());
        }
        let watched = self.watcher.watch(folder, RecursiveMode::Recursive);
        watched.map_err(unwatched)?;
        self.trees.push(folder.to_owned());
        Ok(())
    }

    fn unwatch(&mut self, folder: &Path) {
        let is_tree = self.trees.iter().position(|tree| tree == folder);
        if FOLDER_BY_FOLDER || is_tree.is_some() {
            // A removed folder is no longer watched.
            let _ = self.watcher.unwatch(folder);
        }
        if let Some(at) = is_tree {
            self.trees.swap_remove(at);
        }
    }
}

/// A watcher for a system without notifications.
struct Numb(Unwatched);

impl Watcher for Numb {
    fn watch(&mut self, _: &Path) -> Result<(), Unwatched> {
        Err(self.0.clone())
    }

    fn unwatch(&mut self, _: &Path) {}
}

fn unwatched(error: notify::Error) -> Unwatched {
    match &error.kind {
        ErrorKind::MaxFilesWatch => Unwatched::NoneLeft,
        ErrorKind::PathNotFound | ErrorKind::WatchNotFound => Unwatched::Missing,
        ErrorKind::Io(error) if error.kind() == std::io::ErrorKind::NotFound => Unwatched::Missing,
        ErrorKind::Io(error) if is_out_of_handles(error) => Unwatched::NoneLeft,
        ErrorKind::Io(error) => Unwatched::Unable(crate::engine::root::words(error).into()),
        _ => Unwatched::Unable(error.to_string().into()),
    }
}

/// Returns whether the user has reached the system's limit of watches or open files.
#[cfg(unix)]
fn is_out_of_handles(error: &std::io::Error) -> bool {
    use rustix::io::Errno;
    let full = [Errno::MFILE, Errno::NFILE];
    full.iter()
        .any(|full| error.raw_os_error() == Some(full.raw_os_error()))
}

#[cfg(not(unix))]
fn is_out_of_handles(_: &std::io::Error) -> bool {
    false
}
