//! Recognises a script that recorded many files again and kept the ids that they had, which is no edit by hand.

use std::collections::HashMap;

use gix::ObjectId;

use super::blame::{BlameWalk, parse_version};
use super::extension;
use super::objects::Objects;
use crate::disk::root::{Root, joined, parent_folder, path_below};
use play::blame::{is_every_answer_changed, match_versions};

/// Number of files with all their answers that a person does not edit between two commits.
const MIN_REWRITTEN_FILES: usize = 5;
/// Number of changed files that are compared at most. A script changes most of them in the same way.
const MAX_COMPARED_FILES: usize = 50;
/// Number of files on disk that are read at most to find those that changed.
const MAX_FILES_ON_DISK: usize = 500;

/// Whether many files were rewritten: by the newer tree, `None` for what is on disk, the older tree and the folder.
pub(super) type Rewrites = HashMap<(Option<ObjectId>, ObjectId, Box<str>), bool>;

/// Files of a newer version.
#[derive(Clone, Copy)]
pub(super) enum NewerFiles<'a> {
    Tree(ObjectId),
    /// Those below a root, at this path from that of the history.
    Disk(&'a Root, &'a str),
}

/// A file that differs in two versions.
struct ComparedFile {
    path: String,
    new: NewContent,
    old: ObjectId,
}

enum NewContent {
    Blob(ObjectId),
    Bytes(Vec<u8>),
}

impl BlameWalk<'_> {
    /// Returns whether many files around a path have other answers than in an older tree, each in all calls, under the ids of before.
    pub(super) fn is_rewritten(
        &mut self,
        path: &str,
        newer: NewerFiles<'_>,
        old_tree: ObjectId,
    ) -> bool {
        let work_tree = &self.objects.repository.work_tree;
        // Recorders have a folder for each module of tests, or for each set.
        let folder = parent_folder(parent_folder(path));
        let folder = if path_below(work_tree, folder).is_some() { folder } else { work_tree };
        let new_tree = match newer {
            NewerFiles::Tree(tree) => Some(tree),
            NewerFiles::Disk(..) => None,
        };
        let key = (new_tree, old_tree, Box::from(folder));
        if let Some(is_rewritten) = self.rewrites.get(&key) {
            return *is_rewritten;
        }
        let mut count = 0;
        for file in self.changed_files(folder.to_owned(), path, newer, old_tree) {
            let new_calls = match &file.new {
                NewContent::Blob(blob) => self.version(*blob, &file.path),
                NewContent::Bytes(bytes) => {
                    Some(parse_version(bytes, &file.path, self.format.as_ref()).into())
                }
            };
            let (Some(new_calls), Some(old_calls)) =
                (new_calls, self.version(file.old, &file.path))
            else {
                continue;
            };
            let is_changed = is_every_answer_changed(&match_versions(&new_calls, &old_calls));
            count += usize::from(is_changed);
            if count == MIN_REWRITTEN_FILES {
                break;
            }
        }
        let is_rewritten = count == MIN_REWRITTEN_FILES;
        self.rewrites.insert(key, is_rewritten);
        is_rewritten
    }

    /// Returns the files below a folder that have the extension of `path` and differ from an older tree.
    fn changed_files(
        &mut self,
        folder: String,
        path: &str,
        newer: NewerFiles<'_>,
        old_tree: ObjectId,
    ) -> Vec<ComparedFile> {
        let mut find = |tree| self.paths.find(&mut self.objects, tree, &folder, true);
        let Some(old) = find(old_tree) else { return Vec::new() };
        let mut files = Vec::new();
        match newer {
            NewerFiles::Tree(tree) => {
                if let Some(new) = find(tree) {
                    add_changed(
                        &mut self.objects,
                        &folder,
                        extension(path.as_bytes()),
                        (new, old),
                        &mut files,
                    );
                }
            }
            NewerFiles::Disk(root, top) => {
                let mut blobs = Vec::new();
                add_blobs(&mut self.objects, &folder, extension(path.as_bytes()), old, &mut blobs);
                let changed = blobs.into_iter().filter_map(|(path, old)| {
                    let bytes = root.read(path_below(top, &path)?).ok()?;
                    let blob = gix::objs::Kind::Blob;
                    let id = gix::objs::compute_hash(gix::hash::Kind::Sha1, blob, &bytes).ok()?;
                    (id != old).then_some(ComparedFile { path, new: NewContent::Bytes(bytes), old })
                });
                files.extend(changed.take(MAX_COMPARED_FILES));
            }
        }
        files
    }
}

/// Adds the files that differ in two folders.
fn add_changed(
    objects: &mut Objects<'_>,
    folder: &str,
    ending: Option<&[u8]>,
    (new, old): (ObjectId, ObjectId),
    files: &mut Vec<ComparedFile>,
) {
    let old_entries: HashMap<(Vec<u8>, bool), ObjectId> = objects
        .tree(old)
        .into_iter()
        .map(|entry| ((entry.name, entry.is_tree), entry.id))
        .collect();
    for entry in objects.tree(new) {
        if files.len() >= MAX_COMPARED_FILES {
            return;
        }
        let path = joined(folder, &String::from_utf8_lossy(&entry.name));
        let Some(old) = old_entries.get(&(entry.name, entry.is_tree)) else { continue };
        if *old == entry.id {
            continue;
        }
        if entry.is_tree {
            add_changed(objects, &path, ending, (entry.id, *old), files);
        } else if extension(path.as_bytes()) == ending {
            files.push(ComparedFile { path, new: NewContent::Blob(entry.id), old: *old });
        }
    }
}

/// Adds the files of a folder with an extension, those in it before those in folders.
fn add_blobs(
    objects: &mut Objects<'_>,
    folder: &str,
    ending: Option<&[u8]>,
    tree: ObjectId,
    blobs: &mut Vec<(String, ObjectId)>,
) {
    let mut entries = objects.tree(tree);
    entries.sort_by_key(|entry| entry.is_tree);
    for entry in entries {
        if blobs.len() >= MAX_FILES_ON_DISK {
            return;
        }
        let path = joined(folder, &String::from_utf8_lossy(&entry.name));
        if entry.is_tree {
            add_blobs(objects, &path, ending, entry.id, blobs);
        } else if extension(path.as_bytes()) == ending {
            blobs.push((path, entry.id));
        }
    }
}
