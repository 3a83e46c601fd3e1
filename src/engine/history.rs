//! Finds the text a recording was made from again, in the history of the git repository inside the project root.
//!
//! A recording keeps only the SHA-256 of its source. The commits are walked from the newest on, and the blobs that stood
//! at the source's path are hashed; if none fits, every other file with the same extension is, which is how a renamed
//! source is found.

mod answer;
#[cfg(test)]
mod tests;

use std::collections::{BinaryHeap, HashMap, HashSet};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use gix::ObjectId;
use gix::objs::{CommitRefIter, Find as _, Kind, TagRefIter, TreeRefIter};

use super::git::{self, NoRepository, Repository};
use super::root::Root;
use crate::ops::source::{Recorded, recorded};

pub use answer::{AsRecorded, NotFound, SourceSearch};

/// How much of a history is searched before giving up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Commits that are walked.
    pub commits: usize,
    /// Bytes of commits, trees and blobs that are read.
    pub bytes: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            commits: 50_000,
            bytes: 4 << 30,
        }
    }
}

/// Searches the history for the text whose SHA-256 is `recorded_hash`.
///
/// `paths` are where the source may have stood, from the project root, the likeliest first; they are tried before any
/// other path with the extension of the first. Blocks; stops soon after `cancel` is set.
pub fn find_as_recorded(
    root: &Root,
    paths: &[String],
    recorded_hash: &str,
    bounds: Bounds,
    cancel: &AtomicBool,
) -> SourceSearch {
    // Packs are read by a library that was not made for enemies: a fault of it is not to end the window.
    let search = AssertUnwindSafe(|| search(root, paths, recorded_hash, bounds, cancel));
    match catch_unwind(search) {
        Ok(Ok(found)) => SourceSearch::Found(found),
        Ok(Err(reason)) => SourceSearch::NotFound(reason),
        Err(_) => SourceSearch::NotFound(NotFound::Broken("reading it came to a fault".into())),
    }
}

fn search(
    root: &Root,
    paths: &[String],
    recorded_hash: &str,
    bounds: Bounds,
    cancel: &AtomicBool,
) -> Result<AsRecorded, NotFound> {
    let mut opened = paths.iter().map(|path| git::open(root, folder(path)));
    let opened = opened.find(|opened| !matches!(opened, Err(NoRepository::Absent)));
    let repository =
        opened
            .unwrap_or(Err(NoRepository::Absent))
            .map_err(|reason| match reason {
                NoRepository::Absent => NotFound::NoRepository,
                NoRepository::OutsideRoot(reason) => NotFound::OutsideRoot(reason),
                NoRepository::Broken(reason) => NotFound::Broken(reason),
            })?;
    let mut search = Search {
        repository: &repository,
        recorded_hash,
        bounds,
        cancel,
        read: 0,
        commits: 0,
        missing: HashSet::new(),
        judged: HashSet::new(),
        buffer: Vec::new(),
    };
    search.run(paths)
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// What follows the last dot of a file's name.
fn extension(name: &[u8]) -> Option<&[u8]> {
    let dot = memchr::memrchr(b'.', name)?;
    name.get(dot + 1..)
}

/// What is kept of a commit. Ordered by time first, so that a heap hands out the newest.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Commit {
    time: i64,
    id: ObjectId,
    tree: ObjectId,
    parents: Vec<ObjectId>,
}

struct Search<'a> {
    repository: &'a Repository,
    recorded_hash: &'a str,
    bounds: Bounds,
    cancel: &'a AtomicBool,
    /// Bytes read so far.
    read: u64,
    /// Commits walked so far.
    commits: usize,
    missing: HashSet<ObjectId>,
    /// Blobs that do not fit.
    judged: HashSet<ObjectId>,
    buffer: Vec<u8>,
}

impl Search<'_> {
    fn run(&mut self, paths: &[String]) -> Result<AsRecorded, NotFound> {
        let mut commits = Vec::new();
        let gave_up = match self.walk(paths, &mut commits)? {
            Walked::Found(found) => return Ok(found),
            Walked::All => false,
            Walked::Bounded => true,
        };
        if let Some(found) = self.elsewhere(paths, &commits)? {
            return Ok(found);
        }
        let commits = commits.len();
        Err(match self.missing.len() {
            _ if gave_up => NotFound::GaveUp { commits },
            _ if self.repository.shallow => NotFound::Shallow { commits },
            0 => NotFound::NotInHistory { commits },
            missing => NotFound::Partial { commits, missing },
        })
    }

    /// Walks the commits from the newest on and looks at the source's own paths in each.
    fn walk(&mut self, paths: &[String], commits: &mut Vec<Commit>) -> Result<Walked, NotFound> {
        let work_tree = &self.repository.work_tree;
        let paths: Vec<(&String, Vec<&str>)> = paths
            .iter()
            .filter_map(|path| {
                let inside = match work_tree.as_str() {
                    "" => path.as_str(),
                    work_tree => path.strip_prefix(work_tree)?.strip_prefix('/')?,
                };
                Some((path, inside.split('/').collect()))
            })
            .collect();
        let mut lookups = Lookups::new();
        let mut seen = HashSet::new();
        let mut next = BinaryHeap::new();
        for tip in self.tips()? {
            self.check()?;
            if seen.insert(tip) {
                self.enqueue(tip, &mut next);
            }
        }
        while let Some(mut commit) = next.pop() {
            self.check()?;
            if commits.len() >= self.bounds.commits {
                return Ok(Walked::Bounded);
            }
            self.commits += 1;
            for (index, (path, parts)) in paths.iter().enumerate() {
                let Some(blob) = self.blob_at(commit.tree, index, parts, &mut lookups) else {
                    continue;
                };
                if let Some(fit) = self.judge(blob)? {
                    return Ok(Walked::Found(as_recorded(&commit, path, fit)));
                }
            }
            for parent in std::mem::take(&mut commit.parents) {
                self.check()?;
                if seen.insert(parent) {
                    self.enqueue(parent, &mut next);
                }
            }
            commits.push(commit);
        }
        Ok(Walked::All)
    }

    /// Looks at every file of every commit that has the source's extension.
    fn elsewhere(
        &mut self,
        paths: &[String],
        commits: &[Commit],
    ) -> Result<Option<AsRecorded>, NotFound> {
        let name = paths.first().and_then(|path| path.rsplit('/').next());
        let wanted = name.and_then(|name| extension(name.as_bytes()));
        let mut seen = HashSet::new();
        for commit in commits {
            let mut trees = vec![(commit.tree, self.repository.work_tree.clone())];
            while let Some((tree, folder)) = trees.pop() {
                self.check()?;
                if !seen.insert(tree) {
                    continue;
                }
                let mut blobs = Vec::new();
                for entry in self.tree(tree) {
                    let name = String::from_utf8_lossy(&entry.name);
                    let path = match folder.as_str() {
                        "" => name.into_owned(),
                        folder => format!("{folder}/{name}"),
                    };
                    if entry.is_tree {
                        trees.push((entry.id, path));
                    } else if extension(&entry.name) == wanted {
                        blobs.push((entry.id, path));
                    }
                }
                for (blob, path) in blobs {
                    if let Some(fit) = self.judge(blob)? {
                        return Ok(Some(as_recorded(commit, &path, fit)));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Where HEAD and all branches and tags point.
    fn tips(&self) -> Result<Vec<ObjectId>, NotFound> {
        let broken = |error: &dyn fmt::Display| NotFound::Broken(error.to_string().into());
        let refs = &self.repository.refs;
        let head = refs.try_find("HEAD").map_err(|error| broken(&error))?;
        let platform = refs.iter().map_err(|error| broken(&error))?;
        let all = platform.all().map_err(|error| broken(&error))?;
        let mut unreadable = 0;
        let mut tips = Vec::new();
        for reference in head.map(Ok).into_iter().chain(all) {
            match reference.map(|reference| reference.target) {
                Ok(gix::refs::Target::Object(id)) => tips.push(id),
                // Its own target is among the references.
                Ok(gix::refs::Target::Symbolic(_)) => {}
                // One broken branch does not hide the others.
                Err(_) => unreadable += 1,
            }
        }
        if tips.is_empty() && unreadable > 0 {
            let reason =
                "none of its branches can be read; SHA-256 names of objects are not understood";
            return Err(broken(&reason));
        }
        Ok(tips)
    }

    /// Puts a commit in line by its time; a tag stands for what it points to.
    fn enqueue(&mut self, mut id: ObjectId, next: &mut BinaryHeap<Commit>) {
        const MAX_TAGS: usize = 8;
        let hash = gix::hash::Kind::Sha1;
        for _ in 0..MAX_TAGS {
            match self.load(id) {
                Some(Kind::Commit) => {
                    let fields = || CommitRefIter::from_bytes(&self.buffer, hash);
                    if let Ok(tree) = fields().tree_id() {
                        let committer = fields().committer();
                        next.push(Commit {
                            time: committer.map_or(0, |committer| committer.seconds()),
                            id,
                            tree,
                            parents: fields().parent_ids().collect(),
                        });
                    }
                    return;
                }
                Some(Kind::Tag) => match TagRefIter::from_bytes(&self.buffer, hash).target_id() {
                    Ok(target) => id = target,
                    Err(_) => return,
                },
                Some(Kind::Tree | Kind::Blob) | None => return,
            }
        }
    }

    /// The entries of a tree; none when it is missing or no tree.
    fn tree(&mut self, id: ObjectId) -> Vec<Entry> {
        if self.load(id) != Some(Kind::Tree) {
            return Vec::new();
        }
        let entries = TreeRefIter::from_bytes(&self.buffer, gix::hash::Kind::Sha1);
        let entries = entries.filter_map(Result::ok).filter_map(|entry| {
            let is_tree = entry.mode.is_tree();
            (is_tree || entry.mode.is_blob()).then(|| Entry {
                id: entry.oid.to_owned(),
                name: entry.filename.to_vec(),
                is_tree,
            })
        });
        entries.collect()
    }

    /// The blob at a path below a tree. Trees that stay the same from commit to commit are looked at once.
    fn blob_at(
        &mut self,
        tree: ObjectId,
        path: usize,
        parts: &[&str],
        lookups: &mut Lookups,
    ) -> Option<ObjectId> {
        let mut at = tree;
        for (depth, part) in parts.iter().enumerate() {
            let key = (at, path, depth);
            let step = match lookups.get(&key) {
                Some(step) => *step,
                None => {
                    let is_last = depth + 1 == parts.len();
                    let step = self.tree(at).into_iter().find_map(|entry| {
                        (entry.name == part.as_bytes() && entry.is_tree != is_last)
                            .then_some(entry.id)
                    });
                    lookups.insert(key, step);
                    step
                }
            };
            at = step?;
        }
        Some(at)
    }

    /// Compares a blob with the recorded hash, as it is and with other line ends. Each blob once.
    fn judge(&mut self, id: ObjectId) -> Result<Option<Recorded>, NotFound> {
        self.check()?;
        if !self.judged.insert(id) || self.load(id) != Some(Kind::Blob) {
            return Ok(None);
        }
        Ok(recorded(&self.buffer, self.recorded_hash))
    }

    /// Reads an object into the buffer; `None` when it is missing or cannot be read.
    fn load(&mut self, id: ObjectId) -> Option<Kind> {
        let objects = &self.repository.objects;
        let kind = match objects.try_find(&id, &mut self.buffer) {
            Ok(Some(object)) => Some(object.kind),
            Ok(None) | Err(_) => None,
        };
        match kind {
            Some(_) => self.read += self.buffer.len() as u64,
            None => {
                self.missing.insert(id);
            }
        }
        kind
    }

    fn check(&self) -> Result<(), NotFound> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(NotFound::Cancelled);
        }
        if self.read > self.bounds.bytes {
            return Err(NotFound::GaveUp {
                commits: self.commits,
            });
        }
        Ok(())
    }
}

/// What one look into a tree gave: the tree, which path, how deep, and the entry there.
type Lookups = HashMap<(ObjectId, usize, usize), Option<ObjectId>>;

enum Walked {
    Found(AsRecorded),
    All,
    Bounded,
}

struct Entry {
    id: ObjectId,
    name: Vec<u8>,
    is_tree: bool,
}

fn as_recorded(commit: &Commit, path: &str, fit: Recorded) -> AsRecorded {
    AsRecorded {
        text: fit.bytes,
        commit: commit.id.to_string(),
        committed_at: commit.time,
        path: path.to_owned(),
        line_ends_differ: fit.line_ends_differ,
    }
}
