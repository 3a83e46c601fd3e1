//! Finds the sources that recordings name, and hashes each once.

mod memo;
mod moved_sources;
mod stored_sources;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use self::moved_sources::MovedSources;
pub(crate) use self::stored_sources::StoredSources;
use crate::disk::guard::lock;
use crate::disk::history::{SearchBounds, find_as_recorded};
use crate::disk::root::{ReadRefusal, Root, beneath, parent_folder};
use crate::disk::snapshots::Snapshots;
use calls::source::{PresentSource, SourceFinding, SourceState};
use document::recording::{Recording, SourceMetadata};
use document::text;
use document::text::Source;
use machine::{Machine, RecordingFacts, affected};

pub(crate) use memo::Memo;
pub(crate) use moved_sources::paths_below;

/// The sources below one root, as they were when first read. Shared by all readers of a scan.
#[derive(Debug)]
pub(crate) struct RootSources {
    root: Arc<Root>,
    /// The file at each path, as it is when it is found at the root, or its absence.
    files: Memo<Box<str>, SourceLocation>,
    /// The location of a source, by a folder and the path that a recording in it names.
    located: Memo<SourceKey, SourceLocation>,
    /// A changed source now, and as it was when a recording with this hash was made.
    changes: Memo<SourceKey, Option<Arc<ChangedSource>>>,
    /// Number of sources that may still be searched for in the history, so that a scan ends soon.
    searches: AtomicUsize,
    /// Finds sources that were moved.
    moved: MovedSources,
    /// Stores copies of sources for when they have changed; `None` when none are stored.
    snapshots: Option<Arc<Snapshots>>,
    /// Hashes of files from earlier scans, while a scan runs.
    stored: Mutex<Option<Arc<StoredSources>>>,
    /// The hashes of the stored copies.
    kept_hashes: Memo<Arc<str>, ()>,
}

/// A folder and a path, or a path and a hash.
type SourceKey = (Arc<str>, Arc<str>);

/// A changed source, parsed as a machine: now, and as it was, if that was found.
#[derive(Debug)]
struct ChangedSource {
    before: Option<Machine>,
    after: Machine,
}

/// The most sources that are searched for in the history during a scan.
const MAX_SEARCHES: usize = 64;

/// The limits of the search for one of them.
// Smaller than the default, since a scan may do up to 64 of these searches.
const SEARCH_BOUNDS: SearchBounds = SearchBounds { commits: 2_000, bytes: 64 << 20 };

/// The file at a path, or at those at which the source that a recording names may be.
#[derive(Clone, Debug, PartialEq, Eq)]
enum SourceLocation {
    Present(Arc<PresentSource>),
    Missing,
    Refused(Arc<str>),
}

impl RootSources {
    /// Finds sources below `root`, and stores copies of unchanged ones.
    pub(crate) fn new(root: Arc<Root>, snapshots: Option<Arc<Snapshots>>) -> Self {
        Self {
            root,
            files: Memo::default(),
            located: Memo::default(),
            changes: Memo::default(),
            searches: AtomicUsize::new(MAX_SEARCHES),
            moved: MovedSources::default(),
            snapshots,
            stored: Mutex::default(),
            kept_hashes: Memo::default(),
        }
    }

    /// Returns the state of the source of a recording in `folder` (a path from the root).
    pub(crate) fn state(&self, folder: &str, recording: &Recording) -> SourceState {
        let metadata = recording.source.as_ref().map(|field| &field.value);
        let field_text = |pick: fn(&SourceMetadata) -> Option<&str>| metadata.and_then(pick);
        let file = field_text(|metadata| text(&metadata.file)).map(Arc::from);
        let hash = field_text(|metadata| text(&metadata.hash)).map(Arc::from);
        self.state_of(folder, file, hash, || RecordingFacts::from_recording(recording))
    }

    /// Returns the state of the source that a recording in `folder` names by this file and hash. What else is known of the
    /// recording is needed only if the source has changed.
    pub(crate) fn state_of<'r>(
        &self,
        folder: &str,
        file: Option<Arc<str>>,
        hash: Option<Arc<str>>,
        facts: impl FnOnce() -> RecordingFacts<'r>,
    ) -> SourceState {
        let finding = self.find(folder, file.as_ref(), hash.as_deref());
        if let SourceFinding::Fresh(source_file) = &finding {
            self.keep(source_file);
        }
        let change = match (finding.changed(), &file, &hash) {
            (Some(source_file), Some(file), Some(hash)) => {
                self.changed(source_file, hash, || candidates(folder, file).unwrap_or_default())
            }
            _ => None,
        };
        let state = SourceState::new(file, hash, finding);
        match change {
            Some(change) => affected(&facts(), change.before.as_ref(), &change.after).judge(state),
            None => state,
        }
    }

    /// Returns a source that changed since a recording with this hash was made. `other_paths` are the paths at which it may have been
    /// then, if not at its present one.
    fn changed(
        &self,
        source_file: &PresentSource,
        hash: &str,
        other_paths: impl FnOnce() -> Vec<String>,
    ) -> Option<Arc<ChangedSource>> {
        self.changes.get((source_file.path.clone(), hash.into()), || {
            let read = |bytes| Machine::read(&Source::from_bytes(bytes));
            let new_machine = read(self.root.read(&source_file.path).ok()?);
            // First the present path, where the source most likely was.
            let mut paths = vec![source_file.path.to_string()];
            paths.extend(other_paths().into_iter().filter(|path| **path != *source_file.path));
            let old_machine = self.read_as_recorded(&paths, hash).map(read);
            Some(Arc::new(ChangedSource { before: old_machine, after: new_machine }))
        })
    }

    /// Stores a copy of a source for when it has changed.
    fn keep(&self, source_file: &PresentSource) {
        if let Some(snapshots) = &self.snapshots {
            let hash = &source_file.hash;
            // Many recordings name the same source.
            self.kept_hashes.get(hash.clone(), || {
                snapshots.keep(hash, || self.root.read(&source_file.path).ok());
            });
        }
    }

    /// Returns the text with this hash from the stored copies or from the history, unless that would take long.
    fn read_as_recorded(&self, paths: &[String], hash: &str) -> Option<Vec<u8>> {
        if let Some(snapshot) = self.snapshots.as_ref().and_then(|s| s.find(hash)) {
            return Some(snapshot.bytes);
        }
        let decrement = |count: usize| count.checked_sub(1);
        let ordering = Ordering::Relaxed;
        self.searches.fetch_update(ordering, ordering, decrement).ok()?;
        let no_cancel = AtomicBool::new(false);
        Some(find_as_recorded(&self.root, paths, hash, SEARCH_BOUNDS, &no_cancel).ok()?.bytes)
    }

    /// Finds the source of a recording in `dir` that names this file and hash.
    pub(crate) fn find(
        &self,
        dir: &str,
        file: Option<&Arc<str>>,
        hash: Option<&str>,
    ) -> SourceFinding {
        match (file, hash) {
            (Some(file), Some(hash)) => match self.locate(dir, file) {
                SourceLocation::Present(source_file) => SourceFinding::compare(hash, source_file),
                SourceLocation::Missing => self.moved.find(&self.root, dir, file, hash),
                SourceLocation::Refused(reason) => SourceFinding::Outside(reason),
            },
            _ => SourceFinding::Unstamped,
        }
    }

    /// Returns the paths that were checked, relative to the root, whether or not they exist.
    pub(crate) fn looked_at(&self) -> Vec<Box<str>> {
        self.files.questions()
    }

    /// Counts the paths that were checked.
    pub(crate) fn places(&self) -> usize {
        self.files.len()
    }

    /// Checks those of some paths again that were checked, and returns those that have changed.
    pub(crate) fn recheck(&self, paths: Vec<Box<str>>) -> Vec<Box<str>> {
        let mut changed_paths = paths;
        changed_paths
            .retain(|p| self.files.contains(p) && self.files.update(p.clone(), self.look(p)));
        if !changed_paths.is_empty() {
            self.located.forget();
            self.changes.forget();
            self.searches.store(MAX_SEARCHES, Ordering::Relaxed);
        }
        changed_paths
    }

    /// Forgets the new places of moved sources. Returns the paths at which there is no source.
    pub(crate) fn forget_moved(&self) -> Vec<Box<str>> {
        if !self.moved.forget() {
            return Vec::new();
        }
        let mut missing_paths = self.looked_at();
        missing_paths.retain(|path| self.files.known(path) == Some(SourceLocation::Missing));
        missing_paths
    }

    fn locate(&self, folder: &str, file: &Arc<str>) -> SourceLocation {
        self.located.get((folder.into(), Arc::clone(file)), || self.look_upwards(folder, file))
    }

    fn look_upwards(&self, folder: &str, file: &str) -> SourceLocation {
        let paths = match candidates(folder, file) {
            Ok(paths) => paths,
            Err(refusal) => return SourceLocation::Refused(refusal.to_string().into()),
        };
        for (index, path) in paths.into_iter().enumerate() {
            match self.files.get(path.as_str().into(), || self.look(&path)) {
                SourceLocation::Present(place) if index > 0 => {
                    let place = PresentSource { at_root: false, ..PresentSource::clone(&place) };
                    return SourceLocation::Present(place.into());
                }
                SourceLocation::Missing => {}
                location => return location,
            }
        }
        SourceLocation::Missing
    }

    /// Uses the hashes of files that have not changed since an earlier scan, until others or none are set.
    pub(crate) fn use_stored(&self, stored: Option<StoredSources>) {
        *lock(&self.stored) = stored.map(Arc::new);
    }

    fn look(&self, path: &str) -> SourceLocation {
        let stored = lock(&self.stored).clone();
        let read = || read_present(&self.root, path);
        let source_file = match stored {
            Some(stored) => stored.find(&self.root, path, read),
            None => read(),
        };
        match source_file {
            Ok(source_file) => SourceLocation::Present(source_file.into()),
            Err(ReadRefusal::Missing) => SourceLocation::Missing,
            Err(ReadRefusal::Outside(reason) | ReadRefusal::Unreadable(reason)) => {
                SourceLocation::Refused(reason)
            }
        }
    }
}

/// Reads a file below the root as a source.
fn read_present(root: &Root, path: &str) -> Result<PresentSource, ReadRefusal> {
    Ok(PresentSource::from_bytes(path, &root.read(path)?, true))
}

/// Returns where the source that a recording names may be, relative to the root: at the root itself, then from the recording's folder
/// upwards.
///
/// # Errors
///
/// Returns an error if the path leads out; see [`beneath`].
pub(crate) fn candidates(folder: &str, file: &str) -> Result<Vec<String>, ReadRefusal> {
    let file = beneath(file)?;
    let mut paths = vec![file.clone()];
    let mut folder = folder;
    while !folder.is_empty() {
        paths.push(format!("{folder}/{file}"));
        folder = parent_folder(folder);
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use calls::source::sha256_hex;

    #[test]
    fn a_source_that_is_gone_is_known_again_by_its_text() {
        let temp = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = temp.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("new/name.dygram", "a\r\nb");
        write("node_modules/x.dygram", "a\nb");
        write("notes.txt", "a\nb");
        let sources = RootSources::new(Arc::new(Root::open(temp.path()).unwrap()), None);
        let hash = sha256_hex(b"a\nb");
        let find = || match sources.find("", Some(&"old.dygram".into()), Some(&hash)) {
            SourceFinding::Renamed(to) => to.iter().map(|m| m.now.path.to_string()).collect(),
            other => vec![other.as_str().to_owned()],
        };
        assert_eq!(find(), ["new/name.dygram"]);
        write("copy.mach", "a\nb");
        assert_eq!(find(), ["new/name.dygram"]);
        assert_eq!(sources.forget_moved(), ["old.dygram".into()]);
        assert_eq!(find(), ["copy.mach", "new/name.dygram"]);
    }

    #[test]
    fn a_source_is_looked_for_at_the_root_and_then_upwards() {
        let temp = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = temp.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("top.dygram", "top");
        write("a/top.dygram", "not this one");
        write("a/machines/x.dygram", "x");
        write("a/b/c/here.dygram", "here");

        let sources = RootSources::new(Arc::new(Root::open(temp.path()).unwrap()), None);
        let find = |file: &str| match sources.locate("a/b/c", &file.into()) {
            SourceLocation::Present(source_file) => {
                format!("{} {}", source_file.path, source_file.at_root)
            }
            SourceLocation::Missing => "missing".to_owned(),
            SourceLocation::Refused(reason) => reason.to_string(),
        };
        assert_eq!(find("top.dygram"), "top.dygram true");
        assert_eq!(find("machines/x.dygram"), "a/machines/x.dygram false");
        assert_eq!(find("./here.dygram"), "a/b/c/here.dygram false");
        assert_eq!(find("none.dygram"), "missing");
        assert_eq!(find("../top.dygram"), "the path contains `..`");
        assert_eq!(find("a/machines"), "it is a folder, not a file");

        // What was read once is not read again in the same scan.
        write("top.dygram", "changed");
        let SourceLocation::Present(source_file) = sources.locate("", &"top.dygram".into()) else {
            panic!("it is there");
        };
        assert_eq!(*source_file.hash, *sha256_hex(b"top"));

        // Unless someone says that it changed.
        let changed_paths = sources.recheck(vec!["never-checked".into(), "top.dygram".into()]);
        assert_eq!(changed_paths, ["top.dygram".into()]);
        assert!(sources.recheck(sources.looked_at()).is_empty());
        let SourceLocation::Present(source_file) = sources.locate("", &"top.dygram".into()) else {
            panic!("it is there");
        };
        assert_eq!(*source_file.hash, *sha256_hex(b"changed"));
    }
}
