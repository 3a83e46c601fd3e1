//! The files of one revision, as they are in the object store.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use gix::ObjectId;

use super::NotFound;
use super::objects::{Commit, Objects, SearchBounds, TreeEntry};
use crate::disk::git::{self, Repository};
use crate::disk::root::{Root, is_packed, joined, to_sentence, unpacked};
use crate::progress::Phase;
use check::settings::PathKind;
use document::text::counted;

/// A commit, and the requested files in it.
#[derive(Debug)]
pub struct RevisionFiles {
    /// Its hash, in hex.
    pub commit: String,
    /// The files, each by its path from the root with its bytes.
    pub files: Vec<(String, Vec<u8>)>,
    /// The paths of files whose content is not in the repository, as in a partial clone.
    pub missing: Vec<String>,
}

/// A commit with the hash of each file in it.
pub(crate) struct RevisionTree {
    pub(crate) repository: Repository,
    /// The files, each by its path from the top of the work tree.
    pub(crate) files: HashMap<String, ObjectId>,
}

/// Commit of a revision that is meant. A revision is `HEAD`, a branch, a tag or the beginning of a commit's hash; `~2` and `^`
/// behind it lead to its parents. Two of them are joined by `..` or, to mean the merge base of both in place of the first, by
/// `...`; one that is left out is `HEAD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevisionSide {
    /// The commit that the work tree is compared with. The second revision, if there is one, must be checked out.
    BeforeWorkTree,
    /// The first of two revisions.
    Old,
    /// The second one.
    New,
}

/// Returns whether two revisions are named, as in `main...HEAD`.
pub fn is_range(revision: &str) -> bool {
    // Git allows no `..` in the name of a branch or tag.
    revision.contains("..")
}

/// Reads the files of a revision that are wanted, by their paths from the root, in the repository that encloses `folder`.
///
/// # Errors
///
/// The reason they cannot be read, as a message without a full stop.
pub fn read_revision(
    root: &Root,
    folder: &str,
    revision: &str,
    side: RevisionSide,
    is_wanted: &dyn Fn(&str, PathKind) -> bool,
) -> Result<RevisionFiles, String> {
    let repository = open(root, folder)?;
    let cancel = AtomicBool::new(false);
    let mut objects = Objects::new(&repository, SearchBounds::default(), &cancel);
    let commit = resolve(&mut objects, revision, side)?;
    let mut files = Vec::new();
    let mut missing = Vec::new();
    let top = repository.work_tree.clone();
    let phase = Phase::new("Reading the history", 0);
    // Checked before the files are read: later, files of a partial clone would count as missing folders.
    let entries = list_files(&mut objects, commit.tree, top, is_wanted);
    check_complete(&objects, revision)?;
    for (path, id) in entries {
        phase.step();
        match objects.blob(id) {
            Some(blob) if is_packed(Path::new(&path)) => {
                let bytes = unpacked(blob.to_vec()).unwrap_or_else(|_| blob.to_vec());
                files.push((path, bytes));
            }
            Some(blob) => files.push((path, blob.to_vec())),
            None => missing.push(path),
        }
    }
    Ok(RevisionFiles { commit: commit.id.to_string(), files, missing })
}

/// Reads which files a revision has that the work tree is compared with.
///
/// # Errors
///
/// As [`read_revision`].
pub(crate) fn read_revision_tree(
    root: &Root,
    folder: &str,
    revision: &str,
) -> Result<RevisionTree, String> {
    let repository = open(root, folder)?;
    let cancel = AtomicBool::new(false);
    let mut objects = Objects::new(&repository, SearchBounds::default(), &cancel);
    let commit = resolve(&mut objects, revision, RevisionSide::BeforeWorkTree)?;
    let files = list_files(&mut objects, commit.tree, String::new(), &|_, _| true);
    check_complete(&objects, revision)?;
    Ok(RevisionTree { repository, files: files.into_iter().collect() })
}

pub(super) fn open(root: &Root, folder: &str) -> Result<Repository, String> {
    git::open(root, folder).map_err(|reason| match reason {
        NotFound::NoRepository => "The folder is not in a git repository".to_owned(),
        NotFound::OutsideRoot(reason) => format!("The git repository cannot be read: {reason}"),
        reason => to_sentence(reason),
    })
}

/// The wanted files of a tree, each by its path behind that of the tree. A link to a file of the tree is that file, as in the work tree.
fn list_files(
    objects: &mut Objects<'_>,
    tree: ObjectId,
    folder: String,
    is_wanted: &dyn Fn(&str, PathKind) -> bool,
) -> Vec<(String, ObjectId)> {
    let (mut files, mut folders) = (Vec::new(), HashMap::new());
    let (root, top) = (tree, folder.clone());
    let mut trees = vec![(tree, folder)];
    while let Some((tree, folder)) = trees.pop() {
        for entry in objects.entries(tree) {
            let Ok(name) = String::from_utf8(entry.name) else { continue };
            let path = joined(&folder, &name);
            if entry.is_tree && is_wanted(&path, PathKind::Folder) {
                trees.push((entry.id, path));
            } else if !entry.is_tree && is_wanted(&path, PathKind::File) {
                let target = if entry.is_link {
                    let path = path.strip_prefix(&*top).unwrap_or(&path);
                    follow_link(objects, &mut folders, root, path)
                } else {
                    Some(entry.id)
                };
                files.extend(target.map(|id| (path, id)));
            }
        }
    }
    files
}

/// The file at a path in a tree that leads over links; `None` if they lead to no file, or out of the tree.
/// Folders are kept in `entries_by_tree`, because many links lead through the same ones.
fn follow_link(
    objects: &mut Objects<'_>,
    entries_by_tree: &mut HashMap<ObjectId, HashMap<Vec<u8>, TreeEntry>>,
    root: ObjectId,
    path: &str,
) -> Option<ObjectId> {
    // The limit of Linux, which also ends links that lead in a circle.
    const MAX_LINKS: usize = 40;
    let mut rest: Vec<String> = path.split('/').rev().map(str::to_owned).collect();
    let (mut folders, mut links) = (vec![root], 0);
    while let Some(part) = rest.pop() {
        match &*part {
            "" | "." => continue,
            ".." => {
                folders.pop();
                continue;
            }
            _ => {}
        }
        let folder = *folders.last()?;
        let entries = entries_by_tree.entry(folder).or_insert_with(|| {
            objects.entries(folder).into_iter().map(|entry| (entry.name.clone(), entry)).collect()
        });
        let entry = entries.get(part.as_bytes())?;
        if entry.is_tree {
            folders.push(entry.id);
        } else if entry.is_link {
            links += 1;
            let target = std::str::from_utf8(objects.blob(entry.id)?).ok()?;
            // An absolute link leads out of the tree, wherever the repository is checked out.
            if links > MAX_LINKS || target.starts_with('/') {
                return None;
            }
            rest.extend(target.split('/').rev().map(str::to_owned));
        } else {
            return rest.is_empty().then_some(entry.id);
        }
    }
    None
}

/// Fails if folders of a revision are missing.
fn check_complete(objects: &Objects<'_>, revision: &str) -> Result<(), String> {
    let missing_count = objects.missing.len();
    if missing_count == 0 {
        return Ok(());
    }
    let folders = counted(missing_count, "folder", "folders");
    let verb = if missing_count == 1 { "is" } else { "are" };
    Err(format!(
        "{folders} of {revision} {verb} missing from the repository, as in a partial clone; fetch with: git fetch --refetch \
         --filter=blob:none"
    ))
}

/// The end of a message about what is missing.
const SHALLOW_CLONE_ADVICE: &str =
    " in this shallow clone; fetch the whole history: git fetch --unshallow";

/// The commit that a side of a revision names.
fn resolve(store: &mut Objects<'_>, revision: &str, side: RevisionSide) -> Result<Commit, String> {
    let Some((first, second)) = revision.split_once("..") else {
        return resolve_one(store, revision);
    };
    let (second, is_merge_base) = match second.strip_prefix('.') {
        Some(second) => (second, true),
        None => (second, false),
    };
    let [first, second] = [first, second].map(|spec| if spec.is_empty() { "HEAD" } else { spec });
    let new = resolve_one(store, second)?;
    if side == RevisionSide::New {
        return Ok(new);
    }
    if side == RevisionSide::BeforeWorkTree && Some(new.id) != store.head() {
        return Err(format!(
            "The files here are compared, and {second} is not checked out; write {first}...HEAD"
        ));
    }
    let old = resolve_one(store, first)?;
    if !is_merge_base {
        return Ok(old);
    }
    let repository = store.repository;
    let mut graph = gix::revwalk::Graph::new(&repository.objects, None);
    let bases = gix::revision::plumbing::merge_base(old.id, &[new.id], &mut graph);
    // `git diff A...B` takes the first of several merge bases, too.
    let base = bases.ok().flatten().map(|bases| *bases.first());
    base.and_then(|base| store.commit(base)).ok_or_else(|| {
        let reason = format!("{first} and {second} have no common commit");
        if repository.shallow { reason + SHALLOW_CLONE_ADVICE } else { reason }
    })
}

/// The commit that a single revision names.
fn resolve_one(objects: &mut Objects<'_>, revision: &str) -> Result<Commit, String> {
    find_commit(objects, revision).ok_or_else(|| {
        let is_shallow = objects.repository.shallow;
        let place = if is_shallow { SHALLOW_CLONE_ADVICE } else { " in this repository" };
        format!("There is no revision {revision}{place}")
    })
}

fn find_commit(objects: &mut Objects<'_>, revision: &str) -> Option<Commit> {
    let end = revision.find(['~', '^']).unwrap_or(revision.len());
    let (name, mut steps) = revision.split_at(end);
    let name = if name.is_empty() { "HEAD" } else { name };
    let mut commit = objects.commit(resolve_name(objects.repository, name)?)?;
    while let Some(sign) = steps.chars().next() {
        let rest = &steps[1..];
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let number = match &rest[..digits] {
            "" => 1,
            digits => digits.parse::<usize>().ok()?,
        };
        steps = &rest[digits..];
        match sign {
            '~' => {
                for _ in 0..number {
                    commit = objects.commit(*commit.parents.first()?)?;
                }
            }
            '^' if number > 0 => {
                commit = objects.commit(*commit.parents.get(number - 1)?)?;
            }
            // As in git, `^0` is the commit itself.
            '^' => {}
            _ => return None,
        }
    }
    Some(commit)
}

/// Returns what a branch or tag points to, or the object whose hash begins so.
fn resolve_name(repository: &Repository, name: &str) -> Option<ObjectId> {
    // A branch may look like the beginning of a hash; git, too, tries the names first.
    repository.resolve(name).or_else(|| {
        let prefix = gix::hash::Prefix::from_hex(name).ok()?;
        repository.objects.lookup_prefix(prefix, None).ok()??.ok()
    })
}
