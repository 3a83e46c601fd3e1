//! The versions of one file in the history of HEAD, followed through renames.

use std::collections::{BinaryHeap, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gix::ObjectId;

use super::objects::{Commit, Objects, SearchBounds, TreePaths};
use super::revision::open;
use super::search_result::NotFound;
use super::source_moves::find_renamed;
use crate::disk::git;
use crate::disk::root::{OpenedPath, joined, to_sentence};
use crate::progress::Phase;
use document::commit::CommitSummary;

/// The versions of a file, the oldest first.
#[derive(Default)]
pub(crate) struct SourceVersionList {
    pub(crate) versions: Vec<CommittedVersion>,
    /// The position of the version that is checked out.
    pub(crate) head: Option<usize>,
}

/// A version of a file.
pub(crate) struct CommittedVersion {
    /// The commit that changed the file.
    pub(crate) commit: Arc<CommitSummary>,
    pub(crate) text: Vec<u8>,
    /// The positions of the versions in its parents.
    pub(crate) older: Vec<usize>,
}

/// Reads the newest versions of a file in the history of HEAD. `path` is from the root of what was opened. Blocks; stops soon after
/// `cancel` is set.
///
/// # Errors
///
/// The reason there is no history, as a message without a full stop.
pub(crate) fn source_versions(
    opened: &OpenedPath,
    path: &str,
    max_versions: usize,
    cancel: &AtomicBool,
) -> Result<SourceVersionList, String> {
    let place = git::enclosing_work_tree(opened)
        .ok_or_else(|| format!("{path} is not in a git repository"))?;
    let repository = open(&place.bounds, &place.top)?;
    let mut objects = Objects::new(&repository, SearchBounds::default(), cancel);
    let head = objects.head().ok_or("Nothing is committed yet")?;
    let path = joined(&place.root, path);
    let history = FileHistory::walk(&mut objects, &mut TreePaths::default(), head, &path)
        .map_err(to_sentence)?;
    let commits: Vec<&Commit> = history.changes.iter().take(max_versions).collect();
    let positions: HashMap<ObjectId, usize> =
        commits.iter().rev().enumerate().map(|(index, commit)| (commit.id, index)).collect();
    let position = |commit: ObjectId| positions.get(&history.change_of(commit)?).copied();
    let mut versions = Vec::with_capacity(commits.len());
    // In the order of the positions.
    for commit in commits.into_iter().rev() {
        let blob = history.at.get(&commit.id).map(|f| f.blob);
        let text = blob.and_then(|blob| objects.blob(blob).map(<[u8]>::to_vec));
        versions.push(CommittedVersion {
            commit: Arc::new(objects.summary(commit, false)),
            text: text.unwrap_or_default(),
            older: commit.parents.iter().copied().filter_map(position).collect(),
        });
    }
    Ok(SourceVersionList { head: position(head), versions })
}

/// Place of a file in a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileAt {
    /// From the project root.
    pub(super) path: Rc<str>,
    pub(super) blob: ObjectId,
    /// The parent that has the same text at the same path.
    same_in: Option<ObjectId>,
}

/// A file in the commits of a history.
#[derive(Default)]
pub(super) struct FileHistory {
    /// The file in each commit that has it.
    pub(super) at: HashMap<ObjectId, FileAt>,
    /// The commits that changed it, the newest first: of a merge only if it differs from all its parents.
    pub(super) changes: Vec<Commit>,
}

impl FileHistory {
    /// Walks the history from a commit, in which the file is at `path`.
    ///
    /// # Errors
    ///
    /// Returns an error if it was cancelled. Where a limit is reached, the history ends.
    pub(super) fn walk(
        objects: &mut Objects<'_>,
        paths: &mut TreePaths,
        head: ObjectId,
        path: &str,
    ) -> Result<Self, NotFound> {
        let mut history = Self::default();
        let phase = Phase::new("Reading the history", 0);
        let mut queue: BinaryHeap<(Commit, Rc<str>)> = BinaryHeap::new();
        let mut seen_commits = HashSet::from([head]);
        queue.extend(objects.commit(head).map(|commit| (commit, path.into())));
        while let Some((commit, path)) = queue.pop() {
            phase.step();
            objects.commits += 1;
            match objects.check_bounds() {
                Ok(()) if objects.commits <= objects.bounds.commits => {}
                // What was found up to here is shown: a shorter history is better than none.
                Ok(()) | Err(NotFound::LimitReached { .. }) => break,
                Err(reason) => return Err(reason),
            }
            let Some(blob) = paths.find(objects, commit.tree, &path, false) else { continue };
            let parents = objects.parents(&commit);
            let parent_blobs: Vec<_> =
                parents.iter().map(|p| paths.find(objects, p.tree, &path, false)).collect();
            let is_new = parent_blobs.iter().all(Option::is_none);
            let mut versions = parents.iter().zip(&parent_blobs);
            let same_in = versions.find(|(_, b)| **b == Some(blob)).map(|(parent, _)| parent.id);
            for (parent, parent_blob) in parents.into_iter().zip(parent_blobs) {
                let path = match parent_blob {
                    // Only where no parent has the path: searching for a renamed file reads whole trees.
                    None if is_new => {
                        let file = find_renamed(objects, commit.tree, parent.tree, &path, blob);
                        file.map(|(path, _)| path)
                    }
                    parent_blob => parent_blob.map(|_| Rc::clone(&path)),
                };
                if let Some(path) = path
                    && seen_commits.insert(parent.id)
                {
                    queue.push((parent, path));
                }
            }
            history.at.insert(commit.id, FileAt { path, blob, same_in });
            if same_in.is_none() {
                history.changes.push(commit);
            }
        }
        Ok(history)
    }

    /// Returns the commit that made the file as it is in a commit; `None` if the history ends before it.
    fn change_of(&self, commit: ObjectId) -> Option<ObjectId> {
        let mut commit = commit;
        while let Some(parent) = self.at.get(&commit)?.same_in {
            commit = parent;
        }
        Some(commit)
    }
}
