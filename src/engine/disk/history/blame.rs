//! Finds the commits that recorded the calls of a file, from the file on disk back through the history of HEAD.
//!
//! The commits are those that `git log -- FILE` shows: of a merge that has the file as one of its parents, only that parent is
//! followed. Of any other merge, each call follows the first parent that has it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gix::ObjectId;

use super::objects::{Commit, Objects, SearchBounds, TreePaths};
use super::revision::open;
use super::search_result::NotFound;
use super::source_moves::find_renamed;
use crate::disk::git;
use crate::disk::guard::catch;
use crate::disk::project::Project;
use crate::disk::root::{display_path, to_sentence};
use crate::progress::Phase;
use calls::Item;
use document::commit::CommitSummary;
use document::files::file_name;
use document::format::RecordingFormat;
use document::is_lfs_pointer;
use document::text::Source;
use play::blame::{CallCommits, CallFingerprint, CallPart, OpenParts, match_versions};

impl Project {
    /// Finds the commits that recorded the calls of an item's file, as it is on disk: of all of them, or of the one with this number
    /// from 0. Blocks; stops soon after `cancel` is set.
    ///
    /// # Errors
    ///
    /// A message without a full stop that says why they are not known.
    pub fn blame(
        &self,
        index: usize,
        item: &Item,
        call: Option<usize>,
        cancel: &AtomicBool,
    ) -> Result<Vec<CallCommits>, String> {
        let opened = self.opened_path(index).ok_or("This file is no longer open")?;
        let place = git::enclosing_work_tree(opened)
            .ok_or_else(|| format!("{} is not in a git repository", item.path))?;
        let bytes = self.read_content(index, item)?;
        let format = opened.root.settings.settings.formats.of(&item.root_path).cloned();
        let version = parse_version(&bytes, item.file_name(), format.as_ref());
        let calls = match call {
            _ if version.is_empty() => {
                let kind = item.kind.as_str();
                return Err(format!(
                    "Expected a file with calls of models, found one of kind {kind}: {}",
                    item.path
                ));
            }
            Some(call) if call >= version.len() => {
                return Err(format!(
                    "{} has no call {}; it has {}",
                    item.path,
                    call + 1,
                    version.len()
                ));
            }
            Some(call) => call..call + 1,
            None => 0..version.len(),
        };
        // Git has the name of a link, not what it leads to.
        let top = place.bounds.path().join(&place.top);
        let file = place.bounds.path().join(&*place.root).join(&*item.root_path);
        let real_file = std::fs::canonicalize(file).unwrap_or_default();
        let path = real_file
            .strip_prefix(&top)
            .map(display_path)
            .map_err(|_| format!("{} is not in a git repository", item.path))?;
        let path = Path::new(&place.top).join(&*path);

        let repository = open(&place.bounds, &place.top)?;
        let walk = || {
            // Made inside of `catch`: after a panic, nothing of it is used.
            let mut walk = BlameWalk {
                objects: Objects::new(&repository, SearchBounds::default(), cancel),
                versions: HashMap::new(),
                paths: TreePaths::default(),
                open: BTreeMap::new(),
                found: HashMap::new(),
                edited: HashSet::new(),
                summaries: HashMap::new(),
                format: format.clone(),
            };
            let open_parts = OpenParts::new(calls.clone());
            walk.start(display_path(&path).as_ref(), &bytes, &version, open_parts)?;
            walk.run()?;
            Ok((walk.found, walk.edited))
        };
        // The pack reader is not hardened against hostile input.
        let (commits, edited) = catch(walk).unwrap_or_else(|_| {
            let reason = "The git repository cannot be read: reading it caused an internal error";
            Err(reason.to_owned())
        })?;
        let part = |index, part| commits.get(&(index, part)).cloned();
        let calls = calls.map(|index| CallCommits {
            index,
            answer: part(index, CallPart::Answer),
            request: part(index, CallPart::Request),
            is_answer_edited: edited.contains(&(index, CallPart::Answer)),
            is_request_edited: edited.contains(&(index, CallPart::Request)),
        });
        Ok(calls.collect())
    }
}

fn parse_version(
    bytes: &[u8],
    name: &str,
    format: Option<&Arc<RecordingFormat>>,
) -> Vec<CallFingerprint> {
    let source = Source::from_bytes(bytes.to_vec());
    CallFingerprint::of_document(&document::read_as(source, name, format))
}

/// A version of the file in a commit. Ordered by time first, so that the last one is the newest.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct FileVersion {
    commit: Commit,
    /// From the project root.
    path: Rc<str>,
    blob: ObjectId,
}

struct BlameWalk<'a> {
    objects: Objects<'a>,
    /// The calls of each content; `None` for one that is missing from the repository.
    versions: HashMap<ObjectId, Option<Rc<[CallFingerprint]>>>,
    paths: TreePaths,
    /// The versions to look at, with the parts of calls that they have.
    open: BTreeMap<FileVersion, OpenParts>,
    found: HashMap<(usize, CallPart), Arc<CommitSummary>>,
    /// Those that were changed without recording them again.
    edited: HashSet<(usize, CallPart)>,
    summaries: HashMap<ObjectId, Arc<CommitSummary>>,
    /// The description of the file's format.
    format: Option<Arc<RecordingFormat>>,
}

impl BlameWalk<'_> {
    /// Passes what is on disk to the commit that is checked out.
    fn start(
        &mut self,
        path: &str,
        bytes: &[u8],
        version: &[CallFingerprint],
        mut parts: OpenParts,
    ) -> Result<(), String> {
        let head = self.objects.head().and_then(|head| self.objects.commit(head));
        let Some(commit) = head else { return Ok(()) };
        let Some(blob) = self.paths.find(&mut self.objects, commit.tree, path, false) else {
            return Ok(());
        };
        let disk_id = gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, bytes);
        // Mostly the file is as it was committed; then its calls are not parsed twice.
        if disk_id.is_ok_and(|id| id == blob) {
            let version: Rc<[_]> = version.into();
            self.versions.insert(blob, Some(version));
        }
        if self.objects.blob(blob).is_some_and(is_lfs_pointer) {
            let reason = "is in Git LFS, so the repository has no earlier versions of it";
            return Err(format!("{path} {reason}"));
        }
        let at_head = self.version(blob, path);
        let cause = || format!("The committed version of {path} is missing from the repository");
        let passed_parts = parts.pass_on(&match_versions(version, &at_head.ok_or_else(cause)?));
        // What is left is not committed.
        self.add_edited(&parts);
        self.push(FileVersion { commit, path: path.into(), blob }, passed_parts);
        Ok(())
    }

    fn push(&mut self, version: FileVersion, parts: OpenParts) {
        if !parts.is_empty() {
            self.open.entry(version).or_default().merge(parts);
        }
    }

    fn run(&mut self) -> Result<(), String> {
        let phase = Phase::new("Reading the history", 0);
        while let Some((version, parts)) = self.open.pop_last() {
            phase.step();
            self.objects.commits += 1;
            match self.objects.check_bounds() {
                Ok(()) if self.objects.commits <= self.objects.bounds.commits => {
                    self.visit(version, parts);
                }
                // The oldest commit seen is an answer too, marked as cut off.
                Ok(()) | Err(NotFound::LimitReached { .. }) => {
                    self.settle(&version.commit, &parts, true);
                }
                Err(reason) => return Err(to_sentence(reason)),
            }
        }
        Ok(())
    }

    /// Passes the parts of a version to the parents of its commit, and records what none of them has.
    fn visit(&mut self, version: FileVersion, mut parts: OpenParts) {
        let parents = self.objects.parents(&version.commit);
        let mut is_cut_off = parents.len() < version.commit.parents.len();
        let mut older_files = Vec::new();
        for commit in parents {
            match self.paths.find(&mut self.objects, commit.tree, &version.path, false) {
                Some(blob) if blob == version.blob => {
                    let path = Rc::clone(&version.path);
                    // Like `git log`: a parent with the same content explains the file, so the other parents do not matter.
                    return self.push(FileVersion { commit, path, blob }, parts);
                }
                Some(blob) => older_files.push((commit, Some((Rc::clone(&version.path), blob)))),
                None => older_files.push((commit, None)),
            }
        }
        let is_new = older_files.iter().all(|(_, file)| file.is_none());
        for (commit, file) in older_files {
            let file = file.or_else(|| {
                let (tree, objects) = (version.commit.tree, &mut self.objects);
                let find_file =
                    || find_renamed(objects, tree, commit.tree, &version.path, version.blob);
                // Only a file that no parent has can be renamed; where one parent has it, the merge took it from there.
                is_new.then(find_file).flatten()
            });
            let Some((path, blob)) = file else { continue };
            let calls = [(version.blob, &version.path), (blob, &path)];
            let [Some(new), Some(old)] = calls.map(|(blob, path)| self.version(blob, path)) else {
                is_cut_off = true;
                continue;
            };
            let passed_parts = parts.pass_on(&match_versions(&new, &old));
            self.push(FileVersion { commit, path, blob }, passed_parts);
        }
        self.settle(&version.commit, &parts, is_cut_off);
    }

    /// Records that a commit made these parts.
    fn settle(&mut self, commit: &Commit, parts: &OpenParts, is_cut_off: bool) {
        if parts.is_empty() {
            return;
        }
        let objects = &mut self.objects;
        let summary = self
            .summaries
            .entry(commit.id)
            .or_insert_with(|| Arc::new(objects.summary(commit, is_cut_off)));
        self.found.extend(parts.iter().map(|(part, _)| (part, Arc::clone(summary))));
        self.add_edited(parts);
    }

    fn add_edited(&mut self, parts: &OpenParts) {
        self.edited.extend(parts.iter().filter(|(_, is_edited)| *is_edited).map(|(part, _)| part));
    }

    /// Returns the calls of a version. Each content is parsed once.
    fn version(&mut self, blob: ObjectId, path: &str) -> Option<Rc<[CallFingerprint]>> {
        if let Some(version) = self.versions.get(&blob) {
            return version.clone();
        }
        let bytes = self.objects.blob(blob);
        let calls =
            bytes.map(|bytes| parse_version(bytes, file_name(path), self.format.as_ref()).into());
        self.versions.insert(blob, calls.clone());
        calls
    }
}
