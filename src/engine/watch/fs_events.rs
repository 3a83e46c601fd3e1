//! Watches folders through the system's notifications, and receives its events.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Receiver, Sender, bounded};
use notify::event::{AccessKind, AccessMode};
use notify::{ErrorKind, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

/// The most waiting events; when there are more, everything is scanned instead.
const MAX_WAITING_EVENTS: usize = 1 << 14;

/// Whether the system watches folder by folder. Elsewhere it watches recursively at the same cost.
pub(super) const WATCHES_EACH_FOLDER: bool = cfg!(any(target_os = "linux", target_os = "android"));

/// An event of the file system.
#[derive(Debug)]
pub(super) enum FsEvent {
    /// Something happened at a path.
    Changed(PathBuf),
    /// A program has written the file at a path and closed it.
    Written(PathBuf),
    /// Events were lost.
    Lost,
}

/// Reason that a folder is not watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WatchError {
    /// The folder does not exist.
    Missing,
    /// The user has reached the system's limit of watches.
    NoneLeft,
    /// Another reason, as text.
    Unable(Arc<str>),
}

/// Reports changes in folders: the system, or a test.
pub(super) trait Watcher: Send {
    /// Watches the entries of a folder, whose path has no links in it.
    fn watch(&mut self, folder: &Path) -> Result<(), WatchError>;
    /// Stops watching a folder.
    fn unwatch(&mut self, folder: &Path);
}

/// A watcher and the receiver of its events.
pub(crate) struct FsWatch {
    pub(super) watcher: Box<dyn Watcher>,
    pub(super) receiver: FsEventReceiver,
}

/// Receives file system events.
#[derive(Debug)]
pub(super) struct FsEventReceiver {
    pub(super) events: Receiver<FsEvent>,
    has_lost: Arc<AtomicBool>,
}

/// Sends file system events. Never blocks: the receiver may be calling the watcher.
#[derive(Debug)]
pub(super) struct FsEventSender {
    events: Sender<FsEvent>,
    has_lost: Arc<AtomicBool>,
}

/// Creates a channel for file system events.
pub(super) fn event_channel() -> (FsEventSender, FsEventReceiver) {
    let (sender, receiver) = bounded(MAX_WAITING_EVENTS);
    let has_lost = Arc::new(AtomicBool::new(false));
    let event_sender = FsEventSender { events: sender, has_lost: Arc::clone(&has_lost) };
    (event_sender, FsEventReceiver { events: receiver, has_lost })
}

impl FsEventReceiver {
    /// Returns whether events were lost since the last call.
    pub(super) fn take_lost(&self) -> bool {
        self.has_lost.swap(false, Ordering::Relaxed)
    }

    /// Stops receiving.
    pub(super) fn close(&mut self) {
        self.events = crossbeam_channel::never();
    }
}

impl FsEventSender {
    pub(super) fn send(&self, event: FsEvent) {
        if self.events.try_send(event).is_err() {
            self.has_lost.store(true, Ordering::Relaxed);
        }
    }

    fn pass_on(&self, event: notify::Result<notify::Event>) {
        match event {
            // The system itself has lost events, as when its queue was full.
            Ok(event) if event.need_rescan() => self.send(FsEvent::Lost),
            Ok(event) if is_change(event.kind) => {
                let is_written = matches!(event.kind, EventKind::Access(_));
                let make_event = if is_written { FsEvent::Written } else { FsEvent::Changed };
                event.paths.into_iter().for_each(|path| self.send(make_event(path)));
            }
            Ok(_) => {}
            // An error does not say which changes were missed.
            Err(_) => self.send(FsEvent::Lost),
        }
    }
}

/// Returns whether an event is a change. Reading is not: our own reads would trigger each other forever.
fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
        _ => true,
    }
}

impl FsWatch {
    /// Creates the system's watcher; if it has none, every folder is refused.
    pub(crate) fn from_system() -> Self {
        let (sender, receiver) = event_channel();
        let watcher = notify::recommended_watcher(move |event| sender.pass_on(event));
        let watcher = SystemWatcher { watcher: watcher.map_err(unwatched), trees: Vec::new() };
        Self { watcher: Box::new(watcher), receiver }
    }
}

struct SystemWatcher {
    /// The reason if the system has none.
    watcher: Result<RecommendedWatcher, WatchError>,
    /// The folders that are watched recursively.
    trees: Vec<PathBuf>,
}

impl Watcher for SystemWatcher {
    fn watch(&mut self, folder: &Path) -> Result<(), WatchError> {
        let watcher = self.watcher.as_mut().map_err(|error| error.clone())?;
        if WATCHES_EACH_FOLDER {
            return watcher.watch(folder, RecursiveMode::NonRecursive).map_err(unwatched);
        }
        if self.trees.iter().any(|tree| folder.starts_with(tree)) {
            return Ok(());
        }
        watcher.watch(folder, RecursiveMode::Recursive).map_err(unwatched)?;
        self.trees.push(folder.to_owned());
        Ok(())
    }

    fn unwatch(&mut self, folder: &Path) {
        let tree_index = self.trees.iter().position(|tree| tree == folder);
        if let Ok(watcher) = &mut self.watcher
            && (WATCHES_EACH_FOLDER || tree_index.is_some())
        {
            // A removed folder is no longer watched.
            let _ = watcher.unwatch(folder);
        }
        if let Some(index) = tree_index {
            self.trees.swap_remove(index);
        }
    }
}

fn unwatched(error: notify::Error) -> WatchError {
    match &error.kind {
        ErrorKind::MaxFilesWatch => WatchError::NoneLeft,
        ErrorKind::PathNotFound | ErrorKind::WatchNotFound => WatchError::Missing,
        ErrorKind::Io(error) if error.kind() == std::io::ErrorKind::NotFound => WatchError::Missing,
        ErrorKind::Io(error) if is_out_of_handles(error) => WatchError::NoneLeft,
        ErrorKind::Io(error) => WatchError::Unable(crate::disk::root::describe_error(error).into()),
        _ => WatchError::Unable(error.to_string().into()),
    }
}

/// Returns whether the user has reached the system's limit of watches or open files.
#[cfg(unix)]
fn is_out_of_handles(error: &std::io::Error) -> bool {
    use rustix::io::Errno;
    let codes = [Errno::MFILE, Errno::NFILE];
    codes.iter().any(|code| error.raw_os_error() == Some(code.raw_os_error()))
}

#[cfg(not(unix))]
fn is_out_of_handles(_: &std::io::Error) -> bool {
    false
}
