//! Which folders are watched, and under which names we know them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::system::{FOLDER_BY_FOLDER, Unwatched, Watcher};
use crate::engine::walk::Identity;
use crate::workbench::Cause;

/// The folders that have to be watched, by the names we know them under, with what tells each from another of that name.
pub(super) type Wanted = HashMap<PathBuf, Option<Identity>>;

/// Sees to it that the folders we look at are watched.
pub(super) struct Folders {
    watcher: Box<dyn Watcher>,
    watched: HashMap<PathBuf, Watched>,
    /// The names that each place has. The system tells of places; a link gives one several names.
    names: HashMap<PathBuf, Vec<PathBuf>>,
    /// Why not all that is wanted is watched.
    trouble: Option<Cause>,
}

#[derive(Debug)]
struct Watched {
    /// Its path without links.
    place: PathBuf,
    identity: Option<Identity>,
}

impl Folders {
    pub(super) fn new(watcher: Box<dyn Watcher>) -> Self {
        Self {
            watcher,
            watched: HashMap::new(),
            names: HashMap::new(),
            trouble: None,
        }
    }

    /// Watches exactly what is wanted, and gives back the places that are watched only from now on. What was refused
    /// before is tried again.
    pub(super) fn follow(&mut self, wanted: &Wanted) -> Vec<PathBuf> {
        let outdated = self.watched.iter().filter(|(name, watched)| {
            wanted
                .get(*name)
                .is_none_or(|identity| *identity != watched.identity)
        });
        let outdated: Vec<PathBuf> = outdated.map(|(name, _)| name.clone()).collect();
        for name in outdated {
            self.unwatch(&name);
        }
        let trouble = self.trouble.take();
        let missing = wanted
            .iter()
            .filter(|(name, _)| !self.watched.contains_key(*name));
        // A folder before those in it: where the system watches all below, one is enough.
        let mut missing: Vec<(&PathBuf, &Option<Identity>)> = missing.collect();
        missing.sort_unstable();
        let watched = missing
            .into_iter()
            .filter_map(|(name, identity)| self.watch(name, *identity));
        let watched = watched.collect();
        if !wanted.keys().all(|name| self.watched.contains_key(name)) {
            // One went before it could be watched: whether there are watches enough shows when it is looked for again.
            self.trouble = self.trouble.take().or(trouble);
        }
        watched
    }

    /// Whether what happened at a path happened to a folder that is watched by itself.
    pub(super) fn is_watched(&self, place: &Path) -> bool {
        FOLDER_BY_FOLDER && self.names.contains_key(place)
    }

    /// Lets the next [`follow`](Self::follow) watch a folder anew: it may be another one by now that bears the number of
    /// the one before. Systems give numbers again at once.
    pub(super) fn doubt(&mut self, place: &Path) {
        for name in self.names.get(place).cloned().unwrap_or_default() {
            self.unwatch(&name);
        }
    }

    fn watch(&mut self, name: &Path, identity: Option<Identity>) -> Option<PathBuf> {
        let place = std::fs::canonicalize(name).ok()?;
        let names = self.names.get(&place).map_or(0, Vec::len);
        if names == 0 {
            match self.watcher.watch(&place) {
                Ok(()) => {}
                Err(Unwatched::Missing) => return None,
                Err(Unwatched::NoneLeft) => {
                    self.trouble = Some(Cause::NoWatchesLeft);
                    return None;
                }
                Err(Unwatched::Unable(reason)) => {
                    self.trouble.get_or_insert(Cause::Unable(reason));
                    return None;
                }
            }
        }
        self.names
            .entry(place.clone())
            .or_default()
            .push(name.to_owned());
        let watched = Watched {
            place: place.clone(),
            identity,
        };
        self.watched.insert(name.to_owned(), watched);
        Some(place)
    }

    fn unwatch(&mut self, name: &Path) {
        let Some(Watched { place, .. }) = self.watched.remove(name) else {
            return;
        };
        let Some(names) = self.names.get_mut(&place) else {
            return;
        };
        names.retain(|other| other != name);
        if names.is_empty() {
            self.names.remove(&place);
            self.watcher.unwatch(&place);
        }
    }

    /// The names that we know a path under.
    pub(super) fn names_of(&self, path: &Path) -> Vec<PathBuf> {
        let mut names = self.names.get(path).cloned().unwrap_or_default();
        let folders = path.parent().and_then(|folder| self.names.get(folder));
        if let (Some(folders), Some(name)) = (folders, path.file_name()) {
            names.extend(folders.iter().map(|folder| folder.join(name)));
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Why not everything is watched; `None` when it is.
    pub(super) fn trouble(&self) -> Option<&Cause> {
        self.trouble.as_ref()
    }
}
