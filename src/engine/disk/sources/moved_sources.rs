//! Finds sources that moved: by their text, and by the git history.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use foldhash::HashMap;

use super::{Memo, SourceKey, candidates, read_present};
use crate::disk::file_names::is_skipped;
use crate::disk::git;
use crate::disk::guard::lock;
use crate::disk::history::{SourceMoves, Trace};
use crate::disk::parallel::map_parallel;
use crate::disk::root::{OpenFolder, Root, joined, parent_folder};
use calls::source::{MovedSource, PresentSource, SourceFinding};
use document::is_machine;

/// New places of moved sources, as they were when first requested.
#[derive(Debug, Default)]
pub(super) struct MovedSources {
    /// Every source below the root, for those that are not where they should be.
    all: Mutex<Option<Arc<AllSources>>>,
    /// Trace of each missing path that a recording in a folder names.
    traces: Memo<SourceKey, Arc<Trace>>,
    /// Moves of the sources of each work tree.
    moves: Memo<Box<str>, Option<Arc<SourceMoves>>>,
    /// The previous results, most of which are still valid.
    previous_moves: Mutex<HashMap<Box<str>, Arc<SourceMoves>>>,
}

/// The most sources and folders in which a moved source is looked for: a project does not have more.
const MAX_FILES: usize = 200_000;

/// Every source below a root.
#[derive(Debug, Default)]
struct AllSources {
    /// By the hashes of its text: as it is, and with other line ends.
    by_hash: HashMap<Arc<str>, Vec<Arc<PresentSource>>>,
    by_path: HashMap<Arc<str>, Arc<PresentSource>>,
}

impl MovedSources {
    /// Forgets everything. Returns false when nothing was requested before.
    pub(super) fn forget(&self) -> bool {
        let mut sources = lock(&self.all);
        self.traces.forget();
        self.moves.forget();
        sources.take().is_some()
    }

    /// Returns where a missing source continues: in the files that contain the text with this hash, whatever their names, and
    /// in those that the history leads to.
    pub(super) fn find(&self, root: &Root, folder: &str, file: &str, hash: &str) -> SourceFinding {
        let sources = self.all(root);
        let trace = self.traces.get((folder.into(), file.into()), || {
            Arc::new(self.trace(root, &sources, folder, file))
        });
        let holders = sources.by_hash.get(hash).into_iter().flatten();
        // First the files with the same text, which is surer than a similar text in the history.
        let mut moved_sources: Vec<MovedSource> =
            holders.map(|s| MovedSource::unchanged(Arc::clone(s))).collect();
        for (path, commit) in &trace.to {
            let moved_source = moved_sources.iter_mut().find(|m| *m.now.path == **path);
            match (moved_source, sources.by_path.get(&**path)) {
                (Some(moved_source), _) => moved_source.commit.clone_from(commit),
                (None, Some(source)) => moved_sources.push(MovedSource {
                    now: Arc::clone(source),
                    same_text: false,
                    commit: commit.clone(),
                }),
                (None, None) => {}
            }
        }
        if moved_sources.is_empty() {
            SourceFinding::Missing(trace.deleted.clone())
        } else {
            SourceFinding::Renamed(moved_sources.into())
        }
    }

    /// Returns what happened to the source that a recording in a folder names.
    fn trace(&self, root: &Root, sources: &AllSources, folder: &str, file: &str) -> Trace {
        let paths = candidates(folder, file).unwrap_or_default();
        let mut traces = paths.iter().filter_map(|path| {
            let work_tree = git::work_tree(root, parent_folder(path))?;
            self.moves(root, work_tree.into(), sources)?.trace(path)
        });
        traces.next().unwrap_or_default()
    }

    /// Returns the moves of the sources of a work tree.
    fn moves(&self, root: &Root, git: Box<str>, sources: &AllSources) -> Option<Arc<SourceMoves>> {
        self.moves.get(git.clone(), || {
            let old_moves = lock(&self.previous_moves).get(&git).cloned();
            let disk_paths = sources.by_path.keys().map(|path| &**path);
            let moves = SourceMoves::read(root, &git, disk_paths, old_moves.as_deref())?;
            let moves = Arc::new(moves);
            lock(&self.previous_moves).insert(git, Arc::clone(&moves));
            Some(moves)
        })
    }

    fn all(&self, root: &Root) -> Arc<AllSources> {
        let mut sources = lock(&self.all);
        // Under the lock, so that other readers wait instead of reading all sources, too.
        Arc::clone(sources.get_or_insert_with(|| Arc::new(AllSources::read(root))))
    }
}

impl AllSources {
    /// Reads every source below the root.
    fn read(root: &Root) -> Self {
        let paths = match root.staged.as_ref() {
            Some(staged) => {
                staged.paths().filter(|path| is_machine(path)).map(str::to_owned).collect()
            }
            None => paths_below(root, ""),
        };
        let read = |path: &String| read_present(root, path).ok();
        // All processors are free, since the readers of a scan wait for this.
        let sources = map_parallel("Reading sources", &paths, &AtomicBool::new(false), read);
        let mut all_sources = Self::default();
        for source in sources.into_iter().flatten().map(Arc::new) {
            for hash in source.hashes() {
                all_sources.by_hash.entry(Arc::clone(hash)).or_default().push(Arc::clone(&source));
            }
            all_sources.by_path.insert(Arc::clone(&source.path), source);
        }
        all_sources
    }
}

/// The paths of every source in a folder and below it, sorted; folder and paths are taken from the root.
pub(crate) fn paths_below(root: &Root, folder: &str) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    let no_cancel = AtomicBool::new(false);
    // Level by level, so that the folders of one are listed on all processors.
    while !folders.is_empty() && files.len() + folders.len() <= MAX_FILES {
        let lists = map_parallel("Listing folders", &folders, &no_cancel, |f| list_folder(root, f));
        folders.clear();
        for (folder_sources, subfolders) in lists {
            files.extend(folder_sources);
            folders.extend(subfolders);
        }
    }
    files.sort_unstable();
    files
}

/// The paths of the sources in a folder, and of the folders in it.
fn list_folder(root: &Root, folder: &str) -> (Vec<String>, Vec<String>) {
    let (mut sources, mut folders) = (Vec::new(), Vec::new());
    let Ok(open_folder) = OpenFolder::open(&root.dir, Path::new(folder)) else {
        return (sources, folders);
    };
    for (name, kind) in open_folder.names().into_iter().flatten() {
        let Ok(name) = name.into_string() else { continue };
        let path = joined(folder, &name);
        if kind.is_dir() && !is_skipped(Path::new(&path)) {
            folders.push(path);
        } else if kind.is_file() && is_machine(&path) {
            sources.push(path);
        }
    }
    (sources, folders)
}
