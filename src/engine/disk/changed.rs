//! Finds the files of a work tree that differ from a revision of git, and the recordings whose source does.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use gix::ObjectId;
use gix::index::entry::Stat;
use gix::index::entry::stat::Options;

use crate::disk::file_names::is_ours;
use crate::disk::git::{self, WorkTreePlace};
use crate::disk::history::{RevisionTree, read_revision_tree};
use crate::disk::project::Project;
use crate::disk::root::{OpenedPath, display_path, joined, read_file};
use calls::Item;
use calls::source::sha256_hex;
use document::files::file_name;
use document::is_lfs_pointer;

/// The hash of git's objects.
// `gix` is built without SHA-256.
const OBJECT_HASH: gix::hash::Kind = gix::hash::Kind::Sha1;

/// Files that differ from a revision, in the work trees of the opened paths.
pub struct ChangedFiles {
    work_trees: Vec<WorkTree>,
    /// The work tree of each opened path.
    of_opened: Vec<usize>,
}

/// A work tree, and the revision that it is compared with.
struct WorkTree {
    place: WorkTreePlace,
    revision: RevisionTree,
    index: Option<gix::index::File>,
    /// The names of files of the revision that no longer exist.
    removed: HashSet<String>,
    /// Whether a file differs, by its path from the top.
    known: HashMap<String, bool>,
}

impl Project {
    /// Compares the work trees of everything that is open with a revision. Blocks.
    ///
    /// # Errors
    ///
    /// A message without a full stop that says why the revision cannot be read.
    pub fn changed_since(&self, revision: &str) -> Result<ChangedFiles, String> {
        let mut files = ChangedFiles { work_trees: Vec::new(), of_opened: Vec::new() };
        for opened in &self.opened {
            let index = files.work_tree_of(opened, revision)?;
            files.of_opened.push(index);
        }
        Ok(files)
    }
}

impl ChangedFiles {
    /// Returns the number of the work tree of an opened path.
    fn work_tree_of(&mut self, opened: &OpenedPath, revision: &str) -> Result<usize, String> {
        let place = git::enclosing_work_tree(opened)
            .ok_or_else(|| format!("{} is not in a git repository", opened.given))?;
        let is_same = |work_tree: &WorkTree| {
            work_tree.place.bounds.path() == place.bounds.path()
                && (&work_tree.place.top, &work_tree.place.root) == (&place.top, &place.root)
        };
        if let Some(index) = self.work_trees.iter().position(is_same) {
            return Ok(index);
        }
        let revision = read_revision_tree(&place.bounds, &place.top, revision)?;
        let index = git::index(&place.bounds, &place.top);
        let dir = &place.bounds.dir;
        let is_gone = |path: &&String| {
            let path = Path::new(&place.top).join(path);
            // No source is JSON or YAML.
            !is_ours(&path) && dir.symlink_metadata(path).is_err()
        };
        let removed_names =
            revision.files.keys().filter(is_gone).map(|path| file_name(path).to_owned()).collect();
        self.work_trees.push(WorkTree {
            place,
            revision,
            index,
            removed: removed_names,
            known: HashMap::new(),
        });
        Ok(self.work_trees.len() - 1)
    }

    /// Returns whether the file of the item with this number differs, or the source that it names.
    pub fn affects(&mut self, project: &Project, number: usize, item: &Item) -> bool {
        let opened = project.opened_of(number);
        let index = opened.and_then(|opened| self.of_opened.get(opened));
        // Settings that cannot be read are checked besides what was named.
        let Some(work_tree) = index.and_then(|index| self.work_trees.get_mut(*index)) else {
            return true;
        };
        if work_tree.differs(item.root_path()) {
            return true;
        }
        let Some(source) = &item.source else { return false };
        match (source.found.present(), &source.file) {
            (Some(file), _) => work_tree.differs(&file.path),
            // A recording may name its source from another folder than the root, so only the name is compared.
            (None, Some(file)) => work_tree.removed.contains(file_name(file)),
            (None, None) => false,
        }
    }
}

impl WorkTree {
    /// Returns whether a file differs from the revision, by its path from the project root.
    fn differs(&mut self, path: &str) -> bool {
        let path = joined(&self.place.root, path);
        let Some(path) = self.place.path_from_top(&path).map(str::to_owned) else { return true };
        // Many recordings name the same source.
        if let Some(differs) = self.known.get(&path) {
            return *differs;
        }
        let differs = self.compare(&path);
        self.known.insert(path, differs);
        differs
    }

    fn compare(&self, path: &str) -> bool {
        let top = self.place.bounds.path().join(&self.place.top);
        // Git has the name of a link, not what it leads to.
        let real_path = std::fs::canonicalize(top.join(path));
        let path_below_top = real_path.as_deref().ok().and_then(|p| p.strip_prefix(&top).ok());
        let Some(path) = path_below_top.map(display_path) else { return true };
        let Some(old) = self.revision.files.get(&*path) else { return true };
        // The index saves reading and hashing each file that git knows to be unchanged.
        if self.indexed(&top, &path).as_ref() == Some(old) {
            return false;
        }
        let path_in_bounds = Path::new(&self.place.top).join(&*path);
        match read_file(&self.place.bounds.dir, &path_in_bounds) {
            Ok(bytes) => !self.is_same(&bytes, *old),
            // A file that cannot be read counts as changed, so that its problem is reported.
            Err(_) => true,
        }
    }

    /// Returns the content of a file as the index has it; `None` if the file may have been written since.
    fn indexed(&self, top: &Path, path: &str) -> Option<ObjectId> {
        let index = self.index.as_ref()?;
        let entry = index.entry_by_path(path.into())?;
        let metadata = gix::index::fs::Metadata::from_path_no_follow(&top.join(path)).ok()?;
        let stat = Stat::from_fs(&metadata).ok()?;
        let options = Options::default();
        let is_same =
            // A file written within the same tick as the index can have other content under the same stamp.
            entry.stat.matches(&stat, options) && !entry.stat.is_racy(index.timestamp(), options);
        is_same.then_some(entry.id)
    }

    /// Returns whether a file has the content of a blob, or would have it when it is committed: with other line ends, or as a
    /// pointer of Git LFS.
    fn is_same(&self, bytes: &[u8], old: ObjectId) -> bool {
        let is_old = |bytes: &[u8]| {
            let id = gix::objs::compute_hash(OBJECT_HASH, gix::objs::Kind::Blob, bytes);
            id.is_ok_and(|id| id == old)
        };
        if is_old(bytes) {
            return true;
        }
        // Git LFS commits a pointer file with the hash of the content.
        let mut pointer = Vec::new();
        let blob = self.revision.repository.blob(old, &mut pointer);
        if blob && is_lfs_pointer(&pointer) {
            let pointer = String::from_utf8_lossy(&pointer);
            return pointer.contains(&format!("sha256:{}", sha256_hex(bytes)));
        }
        let text = String::from_utf8_lossy(bytes);
        // With `core.autocrlf`, git commits a file with other line ends than it checks out.
        text.contains("\r\n") && is_old(text.replace("\r\n", "\n").as_bytes())
    }
}
