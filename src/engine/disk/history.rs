//! Finds the text that a recording was made from in the history of the git repository inside the project root.
//!
//! A recording stores only the SHA-256 of its source. The commits are walked from the newest, and the blobs that were
//! at the source's path are hashed; if none matches, every other file with the same extension is hashed, which is how a renamed
//! source is found, and then the code blocks of all Markdown files, for sources that a build extracts from there.

mod blame;
mod empty_folder;
mod machine_versions;
mod objects;
mod revision;
mod rewrite;
mod search_result;
mod source_moves;
#[cfg(test)]
mod tests;

use std::collections::{BinaryHeap, HashSet};
use std::sync::atomic::AtomicBool;

use gix::ObjectId;

use self::objects::{Commit, Objects, TreePaths};
use crate::disk::git;
use crate::disk::guard::catch;
use crate::disk::root::{Root, joined, parent_folder, path_below};
use calls::source::{RecordedSource, SourceOrigin, find_block, is_markdown, match_recorded};

pub(crate) use blame::{Histories, recorded_takes};
pub(crate) use machine_versions::source_versions;
pub(crate) use source_moves::{SourceMoves, Trace};

pub use objects::SearchBounds;
pub use revision::{RevisionFiles, RevisionSide, is_range, read_revision};
pub(crate) use revision::{RevisionTree, read_revision_tree};
pub use search_result::{NotFound, OriginalSource};

/// Searches the history for the text whose SHA-256 is `recorded_hash`.
///
/// `paths` are where the source may have been, relative to the project root, the likeliest first; they are tried before any
/// other path with the extension of the first. Blocks; stops soon after `cancel` is set.
///
/// # Errors
///
/// The reason that the text was not found.
pub fn find_as_recorded(
    root: &Root,
    paths: &[String],
    recorded_hash: &str,
    bounds: SearchBounds,
    cancel: &AtomicBool,
) -> Result<OriginalSource, NotFound> {
    // The pack reader is not hardened against hostile input: a panic in it must not end the window.
    catch(|| search(root, paths, recorded_hash, bounds, cancel))
        .unwrap_or_else(|_| Err(NotFound::Broken("reading it caused an internal error".into())))
}

fn search(
    root: &Root,
    paths: &[String],
    recorded_hash: &str,
    bounds: SearchBounds,
    cancel: &AtomicBool,
) -> Result<OriginalSource, NotFound> {
    // Folders below the root may have repositories of their own: that of the likeliest path is searched.
    let result = paths
        .iter()
        .map(|path| git::open(root, parent_folder(path)))
        .find(|result| !matches!(result, Err(NotFound::NoRepository)));
    let repo = result.unwrap_or(Err(NotFound::NoRepository))?;
    let mut search = HistorySearch {
        objects: Objects::new(&repo, bounds, cancel),
        recorded_hash,
        checked: HashSet::new(),
        markdown: Vec::new(),
        seen_markdown: HashSet::new(),
        gave_up: false,
    };
    search.run(paths)
}

/// Returns the part of a file's name after its last dot.
fn extension(name: &[u8]) -> Option<&[u8]> {
    let dot = memchr::memrchr(b'.', name)?;
    name.get(dot + 1..)
}

struct HistorySearch<'a> {
    objects: Objects<'a>,
    recorded_hash: &'a str,
    /// Blobs that do not match.
    checked: HashSet<ObjectId>,
    /// Markdown files: the position of the newest commit that contains each, its blob and its path from the project root.
    markdown: Vec<(usize, ObjectId, String)>,
    seen_markdown: HashSet<ObjectId>,
    /// Whether not all commits were looked at.
    gave_up: bool,
}

impl HistorySearch<'_> {
    fn run(&mut self, paths: &[String]) -> Result<OriginalSource, NotFound> {
        let mut commits = Vec::new();
        if let Some(found) = self.walk(paths, &mut commits)? {
            return Ok(found);
        }
        if let Some(found) = self.search_other_paths(paths, &commits)? {
            return Ok(found);
        }
        if let Some(found) = self.search_markdown(&commits)? {
            return Ok(found);
        }
        let commits = commits.len();
        Err(match self.objects.missing.len() {
            _ if self.gave_up => NotFound::LimitReached { commits },
            // Before the missing objects, since the parents at the edge of a shallow clone are among them.
            _ if self.objects.repository.shallow => NotFound::Shallow { commits },
            0 => NotFound::NotInHistory { commits },
            missing => NotFound::Partial { commits, missing },
        })
    }

    /// Walks the commits from the newest on and looks at the source's own paths in each.
    fn walk(
        &mut self,
        paths: &[String],
        commits: &mut Vec<Commit>,
    ) -> Result<Option<OriginalSource>, NotFound> {
        let mut lookups = TreePaths::default();
        let mut seen_commits = HashSet::new();
        let mut queue = BinaryHeap::new();
        for tip in self.objects.tips()? {
            self.objects.check_bounds()?;
            if seen_commits.insert(tip) {
                queue.extend(self.objects.commit(tip));
            }
        }
        while let Some(mut commit) = queue.pop() {
            self.objects.check_bounds()?;
            if commits.len() >= self.objects.bounds.commits {
                self.gave_up = true;
                return Ok(None);
            }
            self.objects.commits += 1;
            for path in paths {
                let blob = lookups.find(&mut self.objects, commit.tree, path, false);
                let Some(blob) = blob else { continue };
                if let Some(fit) = self.check_blob(blob)? {
                    return Ok(Some(found_in_commit(&commit, path.clone(), None, fit)));
                }
            }
            // Taken, since the commits are kept for the later passes, which need only their trees.
            for parent in std::mem::take(&mut commit.parents) {
                self.objects.check_bounds()?;
                if seen_commits.insert(parent) {
                    queue.extend(self.objects.commit(parent));
                }
            }
            commits.push(commit);
        }
        Ok(None)
    }

    /// Looks at every file of every commit that has the source's extension, and notes the Markdown files.
    fn search_other_paths(
        &mut self,
        paths: &[String],
        commits: &[Commit],
    ) -> Result<Option<OriginalSource>, NotFound> {
        let name = paths.first().and_then(|path| path.rsplit('/').next());
        let source_extension = name.and_then(|name| extension(name.as_bytes()));
        let mut seen_trees = HashSet::new();
        for (index, commit) in commits.iter().enumerate() {
            let mut trees = vec![(commit.tree, self.objects.repository.work_tree.clone())];
            while let Some((tree, folder)) = trees.pop() {
                self.objects.check_bounds()?;
                // Most folders are the same in most commits.
                if !seen_trees.insert(tree) {
                    continue;
                }
                let mut blobs = Vec::new();
                for entry in self.objects.tree(tree) {
                    let name = String::from_utf8_lossy(&entry.name);
                    let path = joined(&folder, &name);
                    if entry.is_tree {
                        trees.push((entry.id, path));
                    } else if extension(&entry.name) == source_extension {
                        blobs.push((entry.id, path));
                    } else if is_markdown(&entry.name) && self.seen_markdown.insert(entry.id) {
                        self.markdown.push((index, entry.id, path));
                    }
                }
                for (blob, path) in blobs {
                    if let Some(fit) = self.check_blob(blob)? {
                        return Ok(Some(found_in_commit(commit, path, None, fit)));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Looks at the code blocks of the Markdown files of every commit, the newest first.
    fn search_markdown(&mut self, commits: &[Commit]) -> Result<Option<OriginalSource>, NotFound> {
        let repository = self.objects.repository;
        for (index, blob, path) in std::mem::take(&mut self.markdown) {
            self.objects.check_bounds()?;
            let Some(text) = self.objects.blob(blob) else { continue };
            let own_path = path_below(&repository.work_tree, &path);
            if let Some(block) = find_block(text, own_path.unwrap_or(&path), self.recorded_hash) {
                let line = Some(block.line);
                return Ok(Some(found_in_commit(&commits[index], path, line, block.recorded)));
            }
        }
        Ok(None)
    }

    /// Compares a blob with the recorded hash, as it is and with other line ends. Each blob once.
    fn check_blob(&mut self, id: ObjectId) -> Result<Option<RecordedSource>, NotFound> {
        self.objects.check_bounds()?;
        if !self.checked.insert(id) {
            return Ok(None);
        }
        let blob = self.objects.blob(id);
        Ok(blob.and_then(|blob| match_recorded(blob, self.recorded_hash)))
    }
}

fn found_in_commit(
    commit: &Commit,
    path: String,
    line: Option<u32>,
    fit: RecordedSource,
) -> OriginalSource {
    let (id, seconds) = (commit.id.to_string(), commit.time);
    OriginalSource {
        bytes: fit.bytes,
        origin: SourceOrigin::Commit { id, seconds, path, line },
        line_ends_differ: fit.line_ends_differ,
    }
}
