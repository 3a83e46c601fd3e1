//! The watched folders, and the names under which they are known.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::fs_events::{WATCHES_EACH_FOLDER, WatchError, Watcher};
use crate::disk::file_stamp::Identity;
use protocol::WatchFailure;

/// The folders to watch, by the names under which they are known, with their identities.
pub(super) type FoldersToWatch = HashMap<PathBuf, Option<Identity>>;

/// Watches the folders that are read.
pub(super) struct WatchedFolders {
    watcher: Box<dyn Watcher>,
    watched: HashMap<Arc<Path>, WatchedFolder>,
    /// The names of each real path. The system reports real paths; links give one several names.
    names: HashMap<Arc<Path>, Vec<Arc<Path>>>,
    /// The reason that not all of the folders are watched.
    pub(super) failure: Option<WatchFailure>,
}

#[derive(Debug)]
struct WatchedFolder {
    /// Its path without links.
    place: Arc<Path>,
    identity: Option<Identity>,
}

impl WatchedFolders {
    pub(super) fn new(watcher: Box<dyn Watcher>) -> Self {
        Self { watcher, watched: HashMap::new(), names: HashMap::new(), failure: None }
    }

    /// Watches exactly these folders, and returns the newly watched paths. What was refused
    /// before is tried again.
    pub(super) fn update(&mut self, folders: &FoldersToWatch) -> Vec<PathBuf> {
        let outdated_names: Vec<Arc<Path>> = self
            .watched
            .iter()
            .filter(|(name, folder)| folders.get(&***name).is_none_or(|id| *id != folder.identity))
            .map(|(name, _)| Arc::clone(name))
            .collect();
        for name in outdated_names {
            self.unwatch(&name);
        }
        let failure = self.failure.take();
        let gaps = folders.iter().filter(|(name, _)| !self.watched.contains_key(name.as_path()));
        // A folder before its subfolders: where the system watches recursively, one is enough.
        let mut gaps: Vec<(&PathBuf, &Option<Identity>)> = gaps.collect();
        gaps.sort_unstable();
        let new_places = gaps.into_iter().filter_map(|(name, id)| self.watch(name, *id)).collect();
        if !folders.keys().all(|name| self.watched.contains_key(name.as_path())) {
            // A folder was removed before it could be watched: the next update shows whether there are enough watches.
            self.failure = self.failure.take().or(failure);
        }
        new_places
    }

    /// Returns whether a path is itself a watched folder.
    pub(super) fn is_watched(&self, place: &Path) -> bool {
        WATCHES_EACH_FOLDER && self.names.contains_key(place)
    }

    /// Returns whether a folder is watched under this name.
    pub(super) fn has_name(&self, name: &Path) -> bool {
        self.watched.contains_key(name)
    }

    /// Makes the next `update` watch a folder again: it may have been replaced by one with the same inode number.
    /// Systems reuse inode numbers at once.
    pub(super) fn mark_for_rewatch(&mut self, place: &Path) {
        for name in self.names.get(place).cloned().unwrap_or_default() {
            self.unwatch(&name);
        }
    }

    fn watch(&mut self, name: &Path, identity: Option<Identity>) -> Option<PathBuf> {
        let place: Arc<Path> = std::fs::canonicalize(name).ok()?.into();
        // Mostly both are the same, and then in memory once.
        let name = if *place == *name { Arc::clone(&place) } else { name.into() };
        let names = self.names.get(&place).map_or(0, Vec::len);
        // The system watches a real path once, however many names it has.
        if names == 0
            && let Err(error) = self.watcher.watch(&place)
        {
            match error {
                WatchError::Missing => {}
                WatchError::NoneLeft => self.failure = Some(WatchFailure::NoWatchesLeft),
                WatchError::Unable(reason) => {
                    self.failure.get_or_insert(WatchFailure::Unable(reason));
                }
            }
            return None;
        }
        self.names.entry(Arc::clone(&place)).or_default().push(Arc::clone(&name));
        self.watched.insert(name, WatchedFolder { place: Arc::clone(&place), identity });
        Some(place.to_path_buf())
    }

    fn unwatch(&mut self, name: &Path) {
        let Some(WatchedFolder { place, .. }) = self.watched.remove(name) else { return };
        let Some(names) = self.names.get_mut(&place) else { return };
        names.retain(|other| **other != *name);
        if names.is_empty() {
            self.names.remove(&place);
            self.watcher.unwatch(&place);
        }
    }

    /// Returns the names under which a path is known.
    pub(super) fn names_of(&self, path: &Path) -> Vec<PathBuf> {
        let own_names = self.names.get(path).into_iter().flatten();
        let mut names: Vec<PathBuf> = own_names.map(|name| name.to_path_buf()).collect();
        // Only folders are watched; a file has the names of its folder.
        let folders = path.parent().and_then(|folder| self.names.get(folder));
        if let (Some(folders), Some(name)) = (folders, path.file_name()) {
            names.extend(folders.iter().map(|folder| folder.join(name)));
        }
        names.sort_unstable();
        names.dedup();
        names
    }
}
