//! Finds the commit that removed the recordings of a folder.

use std::collections::{BinaryHeap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gix::ObjectId;

use super::objects::{Objects, SearchBounds, TreePaths};
use super::revision::open;
use crate::disk::git;
use crate::disk::guard::catch;
use crate::disk::project::Project;
use crate::disk::root::joined;
use document::files::file_name;
use play::triage::{CommittedRecordings, EmptyFolder};

impl Project {
    /// Finds what is committed of a folder that a log names and that has no recordings: by the longest end of its path that has some
    /// in the history of HEAD, since the log may be of another computer. Blocks; stops soon after `cancel` is set.
    pub(crate) fn empty_folder(&self, directory: &Arc<str>, cancel: &AtomicBool) -> EmptyFolder {
        // The pack reader is not hardened against hostile input.
        let location = catch(|| self.find_committed(directory, cancel)).ok().flatten();
        let exists = |folder: &str| {
            let mut roots = self.root_contexts.iter();
            roots.any(|context| context.root.folder(Path::new(folder)).is_some())
        };
        let (folder, committed, exists) = match location {
            Some((folder, committed)) => {
                let exists = exists(&folder);
                (folder, Some(committed), exists)
            }
            None => {
                let path = rooted_path(directory);
                let mut ends = path_ends(&path);
                let exists = ends.any(|end| self.is_end_of_project(&path, end) && exists(end));
                (Arc::clone(directory), None, exists)
            }
        };
        EmptyFolder { folder, exists, committed }
    }

    /// Returns whether the end of a path that a log names is a path from a project root: the whole, what follows the name of the root,
    /// or, since another computer may name the root otherwise, more than a name.
    fn is_end_of_project(&self, path: &str, end: &str) -> bool {
        let name = file_name(path[..path.len() - end.len()].trim_end_matches('/'));
        let roots = self.root_contexts.iter();
        let mut names = roots.filter_map(|context| context.root.path().file_name());
        name.is_empty() || end.contains('/') || names.any(|root| root == name)
    }

    /// Walks the commits without such a folder, the newest first, to the first whose parents have one.
    /// Returns it with the number of its recordings and the revision that has them.
    fn find_committed(
        &self,
        directory: &str,
        cancel: &AtomicBool,
    ) -> Option<(Arc<str>, CommittedRecordings)> {
        let place = self.opened.iter().find_map(git::enclosing_work_tree)?;
        let repository = open(&place.bounds, &place.top).ok()?;
        let mut objects = Objects::new(&repository, SearchBounds::default(), cancel);
        let mut paths = TreePaths::default();
        let path = rooted_path(directory);
        let root = place.path_from_top(&place.root).unwrap_or_default();
        // Returns the end of the path that is a folder in a tree, and the number of its JSON files.
        let mut recordings = |objects: &mut Objects<'_>, tree: ObjectId| {
            path_ends(&path).find_map(|folder| {
                let tree = paths.find(objects, tree, &joined(root, folder), true)?;
                let mut files = objects.tree(tree);
                files.retain(|entry| !entry.is_tree && entry.name.ends_with(b".json"));
                (!files.is_empty()).then_some((folder, files.len()))
            })
        };
        let folder_and_commit = |(folder, count): (&str, usize), revision: String| {
            let committed = CommittedRecordings {
                count,
                revision: revision.into(),
                path_from_top: joined(root, folder).into(),
            };
            // A work tree below the project root has its own paths.
            (joined(&place.top, folder).into(), committed)
        };
        let head = objects.head()?;
        let head = objects.commit(head)?;
        if let Some(head_recordings) = recordings(&mut objects, head.tree) {
            return Some(folder_and_commit(head_recordings, "HEAD".to_owned()));
        }
        let mut seen_commits: HashSet<ObjectId> = HashSet::from([head.id]);
        let mut queue = BinaryHeap::from([head]);
        while let Some(commit) = queue.pop() {
            objects.check_bounds().ok()?;
            let mut removed_recordings = None;
            for (number, id) in commit.parents.iter().enumerate() {
                let Some(parent) = objects.commit(*id) else { continue };
                let parent_recordings = recordings(&mut objects, parent.tree);
                // A parent that has recordings is not walked: the removal is between it and its child.
                if parent_recordings.is_none() && seen_commits.insert(parent.id) {
                    queue.push(parent);
                }
                // The recordings are named by the first parent of the commit.
                if number == 0 {
                    removed_recordings = parent_recordings;
                }
            }
            if let Some(last_recordings) = removed_recordings {
                let commit = commit.id.to_hex_with_len(7).to_string();
                return Some(folder_and_commit(last_recordings, format!("{commit}~1")));
            }
        }
        None
    }
}

/// Returns a path of any computer with `/` before each of its parts.
fn rooted_path(path: &str) -> String {
    format!("/{}", path.replace('\\', "/").trim_matches('/'))
}

/// Returns the ends of such a path that consist of whole parts, the longest first.
fn path_ends(path: &str) -> impl Iterator<Item = &str> {
    // Each end is looked up in every commit.
    const MAX_PARTS: usize = 32;
    let parts = path.match_indices('/').count();
    let slashes = path.match_indices('/');
    slashes.skip(parts.saturating_sub(MAX_PARTS)).map(move |(i, _)| &path[i + 1..])
}
