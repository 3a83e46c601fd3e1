//! Reads commits, trees and blobs of a repository, within bounds.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use gix::ObjectId;
use gix::objs::commit::MessageRef;
use gix::objs::{CommitRefIter, Find as _, Kind, TagRefIter, TreeRefIter};

use super::search_result::NotFound;
use crate::disk::git::Repository;
use crate::disk::root::path_below;
use document::commit::{CommitId, CommitSummary};

/// Limits of a search through a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchBounds {
    /// Commits that are walked.
    pub commits: usize,
    /// Bytes of commits, trees and blobs that are read.
    pub bytes: u64,
}

impl Default for SearchBounds {
    fn default() -> Self {
        Self { commits: 50_000, bytes: 4 << 30 }
    }
}

/// Fields of a commit that walks need. Ordered by time first, so that a heap returns the newest.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Commit {
    pub(super) time: i64,
    pub(super) id: ObjectId,
    pub(super) tree: ObjectId,
    pub(super) parents: Vec<ObjectId>,
}

/// A file or a folder in a tree.
pub(super) struct TreeEntry {
    pub(super) id: ObjectId,
    pub(super) name: Vec<u8>,
    pub(super) is_tree: bool,
    /// Whether it is a symbolic link, whose content is the path of what it leads to.
    pub(super) is_link: bool,
}

/// The objects of a repository, with an account of what was read of them.
pub(super) struct Objects<'a> {
    pub(super) repository: &'a Repository,
    pub(super) bounds: SearchBounds,
    cancel: &'a AtomicBool,
    /// Commits walked so far.
    pub(super) commits: usize,
    /// Bytes read so far.
    read: u64,
    /// Objects that are not there.
    pub(super) missing: HashSet<ObjectId>,
    buffer: Vec<u8>,
}

impl<'a> Objects<'a> {
    pub(super) fn new(repo: &'a Repository, bounds: SearchBounds, cancel: &'a AtomicBool) -> Self {
        Self {
            repository: repo,
            bounds,
            cancel,
            commits: 0,
            read: 0,
            missing: HashSet::new(),
            buffer: Vec::new(),
        }
    }

    /// Returns the commit that HEAD points to; `None` before the first commit.
    pub(super) fn head(&self) -> Option<ObjectId> {
        self.repository.head()
    }

    /// Returns the objects that HEAD and all branches and tags point to.
    pub(super) fn tips(&self) -> Result<Vec<ObjectId>, NotFound> {
        let broken = |error: &dyn fmt::Display| NotFound::Broken(error.to_string().into());
        let refs = &self.repository.refs;
        let head = refs.try_find("HEAD").map_err(|error| broken(&error))?;
        let platform = refs.iter().map_err(|error| broken(&error))?;
        let references = platform.all().map_err(|error| broken(&error))?;
        let mut unreadable_count = 0;
        let mut tips = Vec::new();
        for reference in head.map(Ok).into_iter().chain(references) {
            match reference.map(|reference| reference.target) {
                Ok(gix::refs::Target::Object(id)) => tips.push(id),
                // The target of a symbolic reference is itself among the references.
                Ok(gix::refs::Target::Symbolic(_)) => {}
                // One broken branch does not hide the others.
                Err(_) => unreadable_count += 1,
            }
        }
        if tips.is_empty() && unreadable_count > 0 {
            let reason = "none of its branches can be read; repositories with SHA-256 object names are not supported";
            return Err(broken(&reason));
        }
        Ok(tips)
    }

    /// Reads a commit; a tag represents what it points to.
    pub(super) fn commit(&mut self, mut id: ObjectId) -> Option<Commit> {
        // A tag may point to a tag; a hostile repository could have a long chain.
        const MAX_TAGS: usize = 8;
        let hash = gix::hash::Kind::Sha1;
        for _ in 0..MAX_TAGS {
            match self.load(id)? {
                Kind::Commit => {
                    let fields = || CommitRefIter::from_bytes(&self.buffer, hash);
                    let committer = fields().committer();
                    return Some(Commit {
                        // A commit with a broken date is walked last instead of not at all.
                        time: committer.map_or(0, |committer| committer.seconds()),
                        id,
                        tree: fields().tree_id().ok()?,
                        parents: fields().parent_ids().collect(),
                    });
                }
                Kind::Tag => {
                    id = TagRefIter::from_bytes(&self.buffer, hash).target_id().ok()?;
                }
                Kind::Tree | Kind::Blob => return None,
            }
        }
        None
    }

    /// Reads the parents of a commit, without those that are missing.
    pub(super) fn parents(&mut self, commit: &Commit) -> Vec<Commit> {
        commit.parents.iter().filter_map(|id| self.commit(*id)).collect()
    }

    /// The files and folders of a tree; none when it is missing or no tree.
    pub(super) fn tree(&mut self, id: ObjectId) -> Vec<TreeEntry> {
        let mut entries = self.entries(id);
        // The content of a link is a path, not a recording or a source.
        entries.retain(|entry| !entry.is_link);
        entries
    }

    /// The files, folders and links of a tree; none when it is missing or no tree.
    pub(super) fn entries(&mut self, id: ObjectId) -> Vec<TreeEntry> {
        if self.load(id) != Some(Kind::Tree) {
            return Vec::new();
        }
        let entries = TreeRefIter::from_bytes(&self.buffer, gix::hash::Kind::Sha1)
            .filter_map(Result::ok)
            .filter_map(|entry| {
                let (is_tree, is_link) = (entry.mode.is_tree(), entry.mode.is_link());
                (is_tree || is_link || entry.mode.is_blob()).then(|| TreeEntry {
                    id: entry.oid.to_owned(),
                    name: entry.filename.to_vec(),
                    is_tree,
                    is_link,
                })
            });
        entries.collect()
    }

    /// The file, or the folder, with this name in a tree.
    pub(super) fn entry(&mut self, tree: ObjectId, name: &str, is_tree: bool) -> Option<ObjectId> {
        if self.load(tree) != Some(Kind::Tree) {
            return None;
        }
        let mut entries =
            TreeRefIter::from_bytes(&self.buffer, gix::hash::Kind::Sha1).filter_map(Result::ok);
        let entry = entries.find(|entry| {
            let is_kind = entry.mode.is_tree() == is_tree;
            is_kind && (is_tree || entry.mode.is_blob()) && entry.filename == name.as_bytes()
        });
        entry.map(|entry| entry.oid.to_owned())
    }

    /// Author and subject of a commit, as they are shown.
    pub(super) fn summary(&mut self, commit: &Commit, is_cut_off: bool) -> CommitSummary {
        // The buffer has the object that was read before if the commit cannot be read again.
        let is_read = self.load(commit.id) == Some(Kind::Commit);
        let bytes = if is_read { &*self.buffer } else { &[] };
        let fields = || CommitRefIter::from_bytes(bytes, gix::hash::Kind::Sha1);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        let author = fields().author().ok();
        let message = fields().message().unwrap_or_default();
        CommitSummary {
            id: CommitId { id: commit.id.to_string().into(), seconds: commit.time },
            author: author.map_or_else(String::new, |author| text(author.name)),
            written_at: author.map_or(commit.time, |author| author.seconds()),
            subject: text(&MessageRef::from_bytes(message).summary()),
            is_cut_off,
        }
    }

    /// The bytes of a blob; `None` when it is missing or no blob.
    pub(super) fn blob(&mut self, id: ObjectId) -> Option<&[u8]> {
        (self.load(id)? == Kind::Blob).then_some(&*self.buffer)
    }

    /// Reads an object into the buffer; `None` when it is missing or cannot be read.
    fn load(&mut self, id: ObjectId) -> Option<Kind> {
        let objects = &self.repository.objects;
        let kind = match objects.try_find(&id, &mut self.buffer) {
            Ok(Some(object)) => Some(object.kind),
            Ok(None) | Err(_) => None,
        };
        match kind {
            // Bytes are counted after inflating: small objects of a hostile pack may be large.
            Some(_) => self.read += self.buffer.len() as u64,
            None => {
                self.missing.insert(id);
            }
        }
        kind
    }

    /// Fails when the search was cancelled or a limit was reached.
    pub(super) fn check_bounds(&self) -> Result<(), NotFound> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(NotFound::Cancelled);
        }
        if self.read > self.bounds.bytes {
            return Err(NotFound::LimitReached { commits: self.commits });
        }
        Ok(())
    }
}

/// Finds paths in trees. Folders that stay the same from commit to commit are looked at once.
#[derive(Default)]
pub(super) struct TreePaths(HashMap<(ObjectId, Box<str>), Option<ObjectId>>);

impl TreePaths {
    /// Returns the file, or the folder, at a path from the project root in the tree of a commit.
    pub(super) fn find(
        &mut self,
        objects: &mut Objects<'_>,
        tree: ObjectId,
        path: &str,
        is_tree: bool,
    ) -> Option<ObjectId> {
        let mut rest = path_below(&objects.repository.work_tree, path)?;
        let mut place = tree;
        while !rest.is_empty() {
            let (name, rest_below) = rest.split_once('/').unwrap_or((rest, ""));
            let is_folder = is_tree || !rest_below.is_empty();
            let entry = self.0.entry((place, rest.into()));
            place = (*entry.or_insert_with(|| objects.entry(place, name, is_folder)))?;
            rest = rest_below;
        }
        (is_tree || place != tree).then_some(place)
    }
}
