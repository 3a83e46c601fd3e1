//! Finds sources that are no longer at their paths: which commit removed each, and which files continue it.
//!
//! One walk through the history of HEAD answers this for every source. A merge counts with the changes it made to all its parents;
//! other changes are found in the commit that made them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gix::ObjectId;

use super::extension;
use super::objects::{Commit, Objects, SearchBounds};
use crate::disk::git;
use crate::disk::guard::catch;
use crate::disk::root::{Root, joined};
use calls::source::successors::{SourceText, successors};
use document::commit::CommitId;
use document::is_machine;

/// Limits of the history that is read. Smaller than the default, since this is part of opening a folder and not requested.
const SEARCH_BOUNDS: SearchBounds = SearchBounds { commits: 20_000, bytes: 64 << 20 };

/// Moves of the sources of a work tree. Paths are relative to the project root.
#[derive(Debug)]
pub(crate) struct SourceMoves {
    committed: Arc<CommittedMoves>,
    /// The sources that are in HEAD and not on disk.
    uncommitted: HashMap<Box<str>, Departure>,
}

/// The moves in the history, valid until HEAD changes.
#[derive(Debug)]
struct CommittedMoves {
    head: ObjectId,
    /// Every source of HEAD.
    present: HashMap<Box<str>, ObjectId>,
    /// Every removal of a source, the newest first.
    departures: HashMap<Box<str>, Vec<Departure>>,
    /// Every addition of a source, by its content.
    arrivals: HashMap<ObjectId, Vec<Arrival>>,
}

/// The removal of a source.
#[derive(Debug)]
struct Departure {
    /// Age in commits, in the order of the walk; 0 means not committed.
    age: usize,
    commit: Option<Arc<CommitId>>,
    blob: ObjectId,
    /// The paths that continue it, the likeliest first.
    to: Vec<Box<str>>,
}

/// The addition of a source.
#[derive(Debug)]
struct Arrival {
    age: usize,
    commit: Arc<CommitId>,
    path: Box<str>,
}

/// Later paths of a source, or its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trace {
    /// The paths at which it continues in HEAD or on disk, and the commit that moved it there; `None` when that is not committed yet.
    pub(crate) to: Vec<(Box<str>, Option<Arc<CommitId>>)>,
    /// The commit that deleted it, if it does not continue anywhere.
    pub(crate) deleted: Option<Arc<CommitId>>,
}

impl SourceMoves {
    /// Reads what happened to the sources in the work tree at a path. `disk_paths` are all sources below the root. What was read
    /// before is used again. `None` where there is no history to read.
    pub(crate) fn read<'a>(
        root: &Root,
        work_tree: &str,
        disk_paths: impl Iterator<Item = &'a str>,
        old_moves: Option<&Self>,
    ) -> Option<Self> {
        let read = || {
            let repository = git::open(root, work_tree).ok()?;
            let no_cancel = AtomicBool::new(false);
            let mut objects = Objects::new(&repository, SEARCH_BOUNDS, &no_cancel);
            let head = objects.head()?;
            // The history below a commit never changes, so only the work tree is compared again.
            let same_moves = old_moves.filter(|old_moves| old_moves.committed.head == head);
            let committed = match same_moves {
                Some(old_moves) => Arc::clone(&old_moves.committed),
                None => Arc::new(CommittedMoves::read(head, &mut objects)?),
            };
            Some(Self {
                uncommitted: find_uncommitted(root, &committed, disk_paths, &mut objects),
                committed,
            })
        };
        // A panic in the pack reader must not end the window.
        catch(read).ok().flatten()
    }

    /// Returns what happened to a source that is no longer at its path; `None` when it never was there.
    pub(crate) fn trace(&self, path: &str) -> Option<Trace> {
        let newest_departure = || self.committed.departures.get(path)?.first();
        let start = self.uncommitted.get(path).or_else(newest_departure)?;
        let (mut trace, mut last_end) = (Trace::default(), None);
        let mut seen_departures = HashSet::new();
        let mut ways = vec![(path, Some(start), None)];
        while let Some((path, departure, commit)) = ways.pop() {
            let Some(departure) = departure else {
                if !trace.to.iter().any(|(p, _)| **p == *path) {
                    trace.to.push((path.into(), commit));
                }
                continue;
            };
            // A source may be moved away and back, also in a circle of several paths.
            if !seen_departures.insert((path, departure.age)) {
                continue;
            }
            let steps = self.find_successors(path, departure);
            if steps.is_empty() {
                // Ages count backwards: if there are several ends, the newest is reported.
                last_end = last_end.max(Some((Reverse(departure.age), departure.commit.as_ref())));
            }
            // Reversed onto a stack, so that the likeliest path is followed and listed first.
            for step in steps.into_iter().rev() {
                let next = self.next_departure(step.path, step.age);
                ways.push((step.path, next, step.commit.cloned()));
            }
        }
        if trace.to.is_empty() {
            trace.deleted = last_end.and_then(|(_, commit)| commit.cloned());
        }
        Some(trace)
    }

    /// Returns the paths that continue a removed source; where none was added for it, earlier copies of it.
    fn find_successors<'a>(&'a self, path: &str, origin: &'a Departure) -> Vec<MoveStep<'a>> {
        if !origin.to.is_empty() {
            let step = |path| MoveStep { path, age: origin.age, commit: origin.commit.as_ref() };
            return origin.to.iter().map(|path| step(path)).collect();
        }
        let copies = self
            .committed
            .arrivals
            .get(&origin.blob)
            .into_iter()
            .flatten()
            // A larger age is earlier: the copy was there before the source was removed.
            .filter(|copy| *copy.path != *path && copy.age > origin.age);
        copies.map(Arrival::step).collect()
    }

    /// Returns the removal of a source that was added the given number of commits ago.
    fn next_departure(&self, path: &str, age: usize) -> Option<&Departure> {
        let departures = self.committed.departures.get(path);
        let mut oldest_first = departures.into_iter().flatten().rev();
        let next = oldest_first.find(|d| d.age < age);
        next.or_else(|| self.uncommitted.get(path).filter(|d| d.age < age))
    }
}

/// A path to which a source was moved.
struct MoveStep<'a> {
    path: &'a str,
    age: usize,
    commit: Option<&'a Arc<CommitId>>,
}

impl Arrival {
    fn step(&self) -> MoveStep<'_> {
        MoveStep { path: &self.path, age: self.age, commit: Some(&self.commit) }
    }
}

impl CommittedMoves {
    fn read(head: ObjectId, objects: &mut Objects) -> Option<Self> {
        let head = objects.commit(head)?;
        let present_files = diff_trees(objects, head.tree, &[], &is_machine).added;
        let mut moves = Self {
            head: head.id,
            present: present_files.into_iter().map(|(path, blob)| (path.into(), blob)).collect(),
            departures: HashMap::new(),
            arrivals: HashMap::new(),
        };
        let mut seen_commits = HashSet::from([head.id]);
        let mut queue = BinaryHeap::from([head]);
        while let Some(commit) = queue.pop() {
            objects.commits += 1;
            if objects.commits > objects.bounds.commits || objects.check_bounds().is_err() {
                break;
            }
            let parents = objects.parents(&commit);
            // In a shallow history, the changes of the oldest commits are unknown.
            if parents.len() == commit.parents.len() {
                moves.add_commit(&commit, &parents, objects);
            }
            queue.extend(parents.into_iter().filter(|parent| seen_commits.insert(parent.id)));
        }
        Some(moves)
    }

    /// Adds the changes of a commit.
    fn add_commit(&mut self, commit: &Commit, parents: &[Commit], store: &mut Objects) {
        let trees: Vec<ObjectId> = parents.iter().map(|parent| parent.tree).collect();
        let changes = diff_trees(store, commit.tree, &trees, &is_machine);
        if changes.removed.is_empty() && changes.added.is_empty() {
            return;
        }
        let id = Arc::new(CommitId { id: commit.id.to_string().into(), seconds: commit.time });
        let age = store.commits;
        let successors = find_successors(&changes, |_, blob| store.blob(blob).map(<[u8]>::to_vec));
        for ((path, blob), to) in changes.removed.into_iter().zip(successors) {
            let departure = Departure { age, commit: Some(Arc::clone(&id)), blob, to };
            self.departures.entry(path.into()).or_default().push(departure);
        }
        for (path, blob) in changes.added {
            let arrival = Arrival { age, commit: Arc::clone(&id), path: path.into() };
            self.arrivals.entry(blob).or_default().push(arrival);
        }
    }
}

/// Finds what is in HEAD and not on disk, and the files on disk that continue it.
fn find_uncommitted<'a>(
    root: &Root,
    committed: &CommittedMoves,
    disk_paths: impl Iterator<Item = &'a str>,
    objects: &mut Objects,
) -> HashMap<Box<str>, Departure> {
    let disk_paths: HashSet<&str> = disk_paths.collect();
    let present_blobs = &committed.present;
    let is_new = |path: &&&str| !present_blobs.contains_key(**path);
    let mut changes = TreeChanges {
        removed: present_blobs
            .iter()
            .filter(|(path, _)| !disk_paths.contains(&***path))
            .map(|(path, blob)| (path.to_string(), *blob))
            .collect(),
        // The null id marks files to be read from disk below.
        // A file that is not committed has no object id.
        added: disk_paths
            .iter()
            .filter(is_new)
            .map(|path| ((*path).to_owned(), ObjectId::null(gix::hash::Kind::Sha1)))
            .collect(),
    };
    // Both lists come from hash maps: without an order, equally good successors would change from run to run.
    changes.removed.sort_unstable();
    changes.added.sort_unstable();
    let successors = find_successors(&changes, |path, blob| {
        if blob.is_null() { root.read(path).ok() } else { objects.blob(blob).map(<[u8]>::to_vec) }
    });
    let departures = changes
        .removed
        .into_iter()
        .zip(successors)
        .map(|((path, blob), to)| (path.into(), Departure { age: 0, commit: None, blob, to }));
    departures.collect()
}

/// Returns for each removed source the paths of the added ones that continue it.
pub(super) fn find_successors(
    changes: &TreeChanges,
    mut read: impl FnMut(&str, ObjectId) -> Option<Vec<u8>>,
) -> Vec<Vec<Box<str>>> {
    let TreeChanges { removed, added } = changes;
    if removed.is_empty() || added.is_empty() {
        return vec![Vec::new(); removed.len()];
    }
    let mut texts = |blobs: &[PathBlob]| -> Vec<SourceText> {
        let text =
            |(path, blob): &PathBlob| SourceText::new(path, &read(path, *blob).unwrap_or_default());
        blobs.iter().map(text).collect()
    };
    let matches = successors(&texts(removed), &texts(added));
    let paths = |rows: Vec<usize>| rows.into_iter().map(|index| added[index].0.as_str().into());
    matches.into_iter().map(|rows| paths(rows).collect()).collect()
}

/// A path from the project root, and the blob there.
pub(super) type PathBlob = (String, ObjectId);

/// The files that a commit removed from all its parents, and those that it added to all of them.
#[derive(Default)]
pub(super) struct TreeChanges {
    pub(super) removed: Vec<PathBlob>,
    pub(super) added: Vec<PathBlob>,
}

/// The entry under one name in a commit, and in each of its parents.
type EntryInTrees = (Option<ObjectId>, Vec<Option<ObjectId>>);

/// Finds the file that a commit renamed to this path, with its blob: one that it removed, with the same text or most of it. The trees
/// are those of the commit and of its parent.
pub(super) fn find_renamed(
    objects: &mut Objects<'_>,
    tree: ObjectId,
    parent: ObjectId,
    path: &str,
    blob: ObjectId,
) -> Option<(Rc<str>, ObjectId)> {
    let source_extension = extension(path.as_bytes());
    let is_wanted = |name: &str| extension(name.as_bytes()) == source_extension;
    let changes = TreeChanges {
        added: vec![(path.to_owned(), blob)],
        ..diff_trees(objects, tree, &[parent], &is_wanted)
    };
    let successors = find_successors(&changes, |_, blob| objects.blob(blob).map(<[u8]>::to_vec));
    let mut removed_files = changes.removed.into_iter().zip(successors);
    let (path, blob) = removed_files.find(|(_, successors)| !successors.is_empty())?.0;
    Some((path.into(), blob))
}

/// Compares the files of a tree that are wanted, by their names, with those of others. Only folders are read in which it differs from
/// all of them.
pub(super) fn diff_trees(
    objects: &mut Objects,
    tree: ObjectId,
    parents: &[ObjectId],
    is_wanted: &dyn Fn(&str) -> bool,
) -> TreeChanges {
    let mut changes = TreeChanges::default();
    let parents = parents.iter().copied().map(Some).collect();
    let mut folders: Vec<(String, EntryInTrees)> =
        vec![(objects.repository.work_tree.clone(), (Some(tree), parents))];
    while let Some((folder, (own_entry, parents))) = folders.pop() {
        if parents.contains(&own_entry) {
            continue;
        }
        // What was found so far is correct; what is beyond the limits stays unknown.
        if objects.check_bounds().is_err() {
            break;
        }
        let entries = align_entries(objects, own_entry, &parents, is_wanted);
        for ((name, is_tree), (own_entry, parents)) in entries {
            let path = joined(&folder, &String::from_utf8_lossy(&name));
            match (own_entry, parents.first().copied().flatten()) {
                _ if is_tree => folders.push((path, (own_entry, parents))),
                (None, Some(blob)) if parents.iter().all(Option::is_some) => {
                    changes.removed.push((path, blob));
                }
                (Some(blob), None) if parents.iter().all(Option::is_none) => {
                    changes.added.push((path, blob));
                }
                _ => {}
            }
        }
    }
    changes
}

/// Aligns the folders and wanted files of a folder with those at the same path in the parents.
fn align_entries(
    objects: &mut Objects,
    own_tree: Option<ObjectId>,
    parents: &[Option<ObjectId>],
    is_wanted: &dyn Fn(&str) -> bool,
) -> BTreeMap<(Vec<u8>, bool), EntryInTrees> {
    let mut rows: BTreeMap<(Vec<u8>, bool), EntryInTrees> = BTreeMap::new();
    let mut entries = |tree: Option<ObjectId>| {
        let mut entries = tree.map_or_else(Vec::new, |tree| objects.tree(tree));
        entries.retain(|entry| entry.is_tree || is_wanted(&String::from_utf8_lossy(&entry.name)));
        entries
    };
    let absent_entry = || (None, vec![None; parents.len()]);
    for entry in entries(own_tree) {
        rows.entry((entry.name, entry.is_tree)).or_insert_with(absent_entry).0 = Some(entry.id);
    }
    for (index, parent) in parents.iter().enumerate() {
        for entry in entries(*parent) {
            rows.entry((entry.name, entry.is_tree)).or_insert_with(absent_entry).1[index] =
                Some(entry.id);
        }
    }
    rows
}
