//! The files of one revision, as they are in the object store.

use std::sync::atomic::AtomicBool;

use gix::ObjectId;

use super::objects::{Commit, Objects, SearchBounds};
use crate::engine::disk::git::{self, NoRepository, Repository};
use crate::engine::disk::root::Root;
use crate::engine::progress::Phase;

/// A commit, and the requested files in it.
#[derive(Debug)]
pub struct RevisionFiles {
    /// Its hash, in hex.
    pub commit: String,
    /// When it was made, in seconds since 1970 (UTC).
    pub committed_at: i64,
    /// The files, each by its path from the root with its bytes.
    pub files: Vec<(String, Vec<u8>)>,
}

/// Reads the files of a revision that are wanted, by their paths from the root, in the repository that encloses `folder`.
///
/// A revision is `HEAD`, a branch, a tag or the beginning of a commit's hash; `~2` and `^` behind it lead to its parents.
///
/// # Errors
///
/// Why they cannot be read, as a message without a full stop.
pub fn read_revision(
    root: &Root,
    folder: &str,
    revision: &str,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<RevisionFiles, String> {
    let repository = git::open(root, folder).map_err(|reason| match reason {
        NoRepository::Absent => "The folder is not in a git repository".to_owned(),
        NoRepository::OutsideRoot(reason) | NoRepository::Broken(reason) => {
            format!("The git repository cannot be read: {reason}")
        }
    })?;
    let cancel = AtomicBool::new(false);
    let mut objects = Objects::new(&repository, SearchBounds::default(), &cancel);
    let unknown = || format!("There is no revision {revision} in this repository");
    let commit = resolve(&mut objects, revision).ok_or_else(unknown)?;
    let mut files = Vec::new();
    let phase = Phase::new("Reading the history", 0);
    let mut trees = vec![(commit.tree, repository.work_tree.clone())];
    while let Some((tree, folder)) = trees.pop() {
        for entry in objects.tree(tree) {
            let Ok(name) = String::from_utf8(entry.name) else {
                continue;
            };
            let path = match folder.as_str() {
                "" => name,
                folder => format!("{folder}/{name}"),
            };
            if !wanted(&path) {
                continue;
            } else if entry.is_tree {
                trees.push((entry.id, path));
            } else if let Some(blob) = objects.blob(entry.id) {
                files.push((path, blob.to_vec()));
                phase.step();
            }
        }
    }
    match objects.missing.len() {
        0 => Ok(RevisionFiles {
            commit: commit.id.to_string(),
            committed_at: commit.time,
            files,
        }),
        missing => Err(format!(
            "{missing} objects of {revision} are missing; fetch the whole history"
        )),
    }
}

/// The commit that a revision names.
fn resolve(objects: &mut Objects<'_>, revision: &str) -> Option<Commit> {
    let end = revision.find(['~', '^']).unwrap_or(revision.len());
    let (name, mut steps) = revision.split_at(end);
    let mut commit = resolve_name(objects.repository, name)
        .and_then(|id| objects.commit(id))
        .or_else(|| {
            objects
                .head()
                .filter(|_| name.is_empty() || name == "HEAD")
                .and_then(|id| objects.commit(id))
        })?;
    while let Some(sign) = steps.chars().next() {
        let rest = &steps[1..];
        let digits = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        let number = match &rest[..digits] {
            "" => 1,
            digits => digits.parse::<usize>().ok()?,
        };
        steps = &rest[digits..];
        match sign {
            '~' => {
                for _ in 0..number {
                    let parent = *commit.parents.first()?;
                    commit = objects.commit(parent)?;
                }
            }
            '^' if number > 0 => {
                let parent = *commit.parents.get(number - 1)?;
                commit = objects.commit(parent)?;
            }
            '^' => {}
            _ => return None,
        }
    }
    Some(commit)
}

/// What a branch or tag points to, or the object whose hash begins so.
fn resolve_name(repository: &Repository, name: &str) -> Option<ObjectId> {
    const MOST_STEPS: usize = 8;
    let mut reference = repository.refs.try_find(name).ok().flatten();
    for _ in 0..MOST_STEPS {
        match reference.map(|reference| reference.target) {
            Some(gix::refs::Target::Object(id)) => return Some(id),
            Some(gix::refs::Target::Symbolic(name)) => {
                reference = repository.refs.try_find(name.as_ref()).ok().flatten();
            }
            None => break,
        }
        if reference.is_none() {
            break;
        }
    }
    let prefix = gix::hash::Prefix::from_hex(name).ok()?;
    repository.objects.lookup_prefix(prefix, None).ok()??.ok()
}
