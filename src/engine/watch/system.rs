//! How the system is asked to tell of changes, and how what it tells comes in.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Receiver, Sender, bounded};
use notify::event::{AccessKind, AccessMode};
use notify::{ErrorKind, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

/// Tidings that wait at most; when there are more, everything is looked through instead.
const WAITING: usize = 1 << 14;

/// Whether the system watches folder by folder. Elsewhere it watches a folder with all below it, at no more cost.
pub(super) const FOLDER_BY_FOLDER: bool = cfg!(any(target_os = "linux", target_os = "android"));

/// What the system tells.
#[derive(Debug)]
pub(super) enum Tidings {
    /// Something happened at a path.
    Changed(PathBuf),
    /// More happened than it could tell.
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

/// Whoever can be asked to tell of changes: the system, or a test.
pub(super) trait Watcher: Send {
    /// Asks for tidings of the names in a folder, whose path has no links in it.
    fn watch(&mut self, folder: &Path) -> Result<(), Unwatched>;
    /// Wants no more of them.
    fn unwatch(&mut self, folder: &Path);
}

/// Whom to ask and where its tidings come in.
pub(in crate::engine) struct Senses {
    pub(super) watcher: Box<dyn Watcher>,
    pub(super) ear: Ear,
}

/// Where tidings come in.
#[derive(Debug)]
pub(super) struct Ear {
    pub(super) tidings: Receiver<Tidings>,
    overheard: Arc<AtomicBool>,
}

/// Where tidings are told. Never waits: whoever tells may be asked something by the one who listens.
#[derive(Debug)]
pub(super) struct Mouth {
    tidings: Sender<Tidings>,
    overheard: Arc<AtomicBool>,
}

/// A way for tidings.
pub(super) fn hearing() -> (Mouth, Ear) {
    let (teller, listener) = bounded(WAITING);
    let overheard = Arc::new(AtomicBool::new(false));
    let mouth = Mouth {
        tidings: teller,
        overheard: Arc::clone(&overheard),
    };
    let ear = Ear {
        tidings: listener,
        overheard,
    };
    (mouth, ear)
}

impl Ear {
    /// Whether tidings were lost since the last time this was asked.
    pub(super) fn has_missed(&self) -> bool {
        self.overheard.swap(false, Ordering::Relaxed)
    }

    /// From now on, silence.
    pub(super) fn close(&mut self) {
        self.tidings = crossbeam_channel::never();
    }
}

impl Mouth {
    pub(super) fn tell(&self, tidings: Tidings) {
        if self.tidings.try_send(tidings).is_err() {
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

/// Reading is no change; our own would else never end.
fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
        _ => true,
    }
}

impl Senses {
    /// Those of the system; where it has none to give, every folder is refused.
    pub(in crate::engine) fn of_system() -> Self {
        let (mouth, ear) = hearing();
        let watcher: Box<dyn Watcher> =
            match notify::recommended_watcher(move |event| mouth.pass_on(event)) {
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
    /// What is watched with all below it.
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
            // A folder that is gone is not watched any more.
            let _ = self.watcher.unwatch(folder);
        }
        if let Some(at) = is_tree {
            self.trees.swap_remove(at);
        }
    }
}

/// What stands for a system that tells nothing.
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

/// Whether the user has as many watchers as the system allows, or as many open files.
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
