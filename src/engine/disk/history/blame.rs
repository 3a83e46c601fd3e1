//! Finds the commits that recorded the calls of a file, from the file on disk back through the history of HEAD.
//!
//! The commits are those that `git log -- FILE` shows: of a merge that has the file as one of its parents, only that parent is
//! followed. Of any other merge, each call follows the first parent that has it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gix::ObjectId;

use super::objects::{Commit, Objects, SearchBounds, TreePaths};
use super::revision::open;
use super::rewrite::{NewerFiles, Rewrites};
use super::search_result::NotFound;
use super::source_moves::find_renamed;
use crate::disk::git::{self, Repository, WorkTreePlace};
use crate::disk::guard::catch;
use crate::disk::project::Project;
use crate::disk::root::{Root, display_path, to_sentence};
use crate::disk::stored_origins::StoredOrigins;
use crate::progress::Phase;
use ::compare::review::{EditedCall, RecordedTake, Take};
use calls::Item;
use document::commit::CommitSummary;
use document::files::file_name;
use document::format::RecordingFormat;
use document::text::Source;
use document::{Document, is_lfs_pointer};
use play::blame::{
    CallCommits, CallFingerprint, CallPart, FileProvenance, OlderCall, OpenParts,
    is_every_answer_changed, match_versions, written_answers,
};

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
        let origins = StoredOrigins::read(&opened.root);
        self.blame_with(index, item, call, (&place, &origins, &mut Histories::default(), cancel))
    }

    /// Finds the origins of files with calls, and calls `report` with that of each. One whose history cannot be read has none. Blocks;
    /// stops soon after `cancel` is set, or when `report` returns false.
    pub fn provenances<'a>(
        &self,
        items: impl Iterator<Item = (usize, &'a Item)>,
        cancel: &AtomicBool,
        mut report: impl FnMut(usize, FileProvenance) -> bool,
    ) {
        // Files of several folders may be open, each with a root of its own; one that is not in a work tree has no histories to read.
        let mut folders: HashMap<usize, Option<(WorkTreePlace, StoredOrigins)>> = HashMap::new();
        let mut histories = Histories::default();
        for (index, item) in items {
            let Some(opened) = self.opened_of(index) else { continue };
            let folder = folders.entry(opened).or_insert_with(|| {
                let opened = &self.opened[opened];
                Some((git::enclosing_work_tree(opened)?, StoredOrigins::read(&opened.root)))
            });
            let calls = folder.as_ref().and_then(|(place, origins)| {
                self.blame_with(index, item, None, (place, origins, &mut histories, cancel)).ok()
            });
            let provenance = FileProvenance::of_calls(&calls.unwrap_or_default());
            if cancel.load(Ordering::Relaxed) || !report(index, provenance) {
                return;
            }
        }
    }

    fn blame_with(
        &self,
        index: usize,
        item: &Item,
        call: Option<usize>,
        (place, origins, histories, cancel): (
            &WorkTreePlace,
            &StoredOrigins,
            &mut Histories,
            &AtomicBool,
        ),
    ) -> Result<Vec<CallCommits>, String> {
        let opened = self.opened_path(index).ok_or("This file is no longer open")?;
        let bytes = self.read_content(index, item)?;
        let format = opened.root.settings.settings.formats.of(item.root_path()).cloned();
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
        let file = place.bounds.path().join(&*place.root).join(item.root_path());
        let real_file = std::fs::canonicalize(file).unwrap_or_default();
        let path = real_file
            .strip_prefix(&top)
            .map(display_path)
            .map_err(|_| format!("{} is not in a git repository", item.path))?;
        let path = Path::new(&place.top).join(&*path);

        let history = histories.of(&place.bounds, &place.top)?;
        let path = display_path(&path);
        let files = (&*opened.root, &*place.root);
        let start = WalkStart::Disk { bytes: &bytes, version: &version, files };
        let result = walk_history(history, &path, start, (calls.clone(), &format), cancel)?;
        let written = written_answers(&read_version(&bytes, item.file_name(), format.as_ref()));
        let origin = origins.of(item.root_path(), &bytes);
        let calls = calls.map(|index| {
            let part = |part| result.found.get(&(index, part)).cloned();
            let is_edited = |part| result.edited.contains(&(index, part));
            let is_written = written.get(index) == Some(&true);
            let mut commits = CallCommits {
                index,
                answer: part(CallPart::Answer),
                request: part(CallPart::Request),
                is_answer_edited: is_edited(CallPart::Answer),
                is_request_edited: is_edited(CallPart::Request),
                recorded: part(CallPart::Take),
                derived: is_written.then(|| WITHOUT_ID.into()),
            };
            // A call that was committed as it is was not changed by the command that wrote the file.
            let is_changed =
                commits.answer.is_none() || commits.is_edited() || version[index].is_unmarked();
            commits.derived = origin.clone().filter(|_| is_changed).or(commits.derived.take());
            commits.recorded = commits.recorded.take().filter(|_| commits.is_edited());
            commits
        });
        Ok(calls.collect())
    }
}

/// Reason that an answer is known to be derived.
const WITHOUT_ID: &str = "Its answer has no id, which the service gives";

/// Returns the takes that an old file was made from by edits: of each call in which something was edited by hand, the file as it was when
/// the call was recorded. The history is read from a commit on, or from the file on disk through HEAD. Empty if nothing was edited, or if
/// the history does not show it. Blocks.
///
/// # Errors
///
/// A message without a full stop that says why the history cannot be read.
pub(crate) fn recorded_takes(
    histories: &mut Histories,
    (root, commit): (&Root, Option<&str>),
    take: &Take,
    cancel: &AtomicBool,
) -> Result<Vec<RecordedTake>, String> {
    let version = CallFingerprint::of_document(&take.read());
    if version.iter().all(CallFingerprint::is_unmarked) {
        return Ok(Vec::new());
    }
    let history = histories.of(root, take.folder())?;
    let start = match commit {
        Some(commit) => WalkStart::Commit(commit),
        None => WalkStart::Disk { bytes: &take.bytes, version: &version, files: (root, "") },
    };
    let calls = 0..version.len();
    let result = walk_history(history, &take.path, start, (calls, &take.format), cancel)?;
    let mut takes: BTreeMap<ObjectId, Vec<EditedCall>> = BTreeMap::new();
    for (number, (blob, recorded)) in result.takes {
        let edited = [CallPart::Answer, CallPart::Request].map(|part| (number, part));
        let edited = edited.into_iter().filter(|part| result.edited.contains(part));
        let Some(commit) = edited.map(|part| result.found.get(&part).cloned()).next() else {
            continue;
        };
        takes.entry(blob).or_default().push(EditedCall { number, recorded, commit });
    }
    let mut buffer = Vec::new();
    let takes = takes.into_iter().filter_map(|(blob, calls)| {
        let bytes = history.repository.blob(blob, &mut buffer).then(|| buffer.clone())?;
        Some(RecordedTake { take: Arc::new(take.with_bytes(bytes)), calls })
    });
    Ok(takes.collect())
}

/// Repositories whose histories are read for several files.
#[derive(Default)]
pub(crate) struct Histories(Vec<(PathBuf, History)>);

/// A repository with what was read of its commits: it is the same for each file.
struct History {
    repository: Repository,
    commits: HashMap<ObjectId, Option<Commit>>,
    paths: TreePaths,
    rewrites: Rewrites,
}

impl Histories {
    /// Returns that of the repository that encloses a folder.
    fn of(&mut self, root: &Root, folder: &str) -> Result<&mut History, String> {
        let top = git::work_tree(root, folder).unwrap_or_else(|| folder.to_owned());
        let key = root.path().join(&top);
        let place = match self.0.iter().position(|(known, _)| *known == key) {
            Some(place) => place,
            None => {
                let history = History {
                    repository: open(root, &top)?,
                    commits: HashMap::new(),
                    paths: TreePaths::default(),
                    rewrites: Rewrites::new(),
                };
                self.0.push((key, history));
                self.0.len() - 1
            }
        };
        Ok(&mut self.0[place].1)
    }
}

/// Version of a file from which its history is walked.
enum WalkStart<'a> {
    /// On disk, with its calls and the root that has the files beside it, whose path is from that of the history.
    Disk { bytes: &'a [u8], version: &'a [CallFingerprint], files: (&'a Root, &'a str) },
    /// In the commit with this id.
    Commit(&'a str),
}

/// Commits of the parts of calls.
struct BlameResult {
    found: HashMap<(usize, CallPart), Arc<CommitSummary>>,
    edited: HashSet<(usize, CallPart)>,
    takes: BTreeMap<usize, (ObjectId, usize)>,
}

/// Walks the history of a file: of these calls, in files of this format.
fn walk_history(
    history: &mut History,
    path: &str,
    start: WalkStart<'_>,
    (calls, format): (Range<usize>, &Option<Arc<RecordingFormat>>),
    cancel: &AtomicBool,
) -> Result<BlameResult, String> {
    let History { repository, commits, paths, rewrites } = history;
    let walk = || {
        // Made inside of `catch`: after a panic, nothing of it is used.
        let mut walk = BlameWalk {
            objects: Objects::new(repository, SearchBounds::default(), cancel),
            versions: HashMap::new(),
            commits,
            paths,
            rewrites,
            open: BTreeMap::new(),
            found: HashMap::new(),
            edited: HashSet::new(),
            takes: BTreeMap::new(),
            summaries: HashMap::new(),
            format: format.clone(),
        };
        walk.start(path, start, OpenParts::new(calls))?;
        walk.run()?;
        Ok(BlameResult { found: walk.found, edited: walk.edited, takes: walk.takes })
    };
    // The pack reader is not hardened against hostile input.
    catch(walk).unwrap_or_else(|_| {
        let reason = "The git repository cannot be read: reading it caused an internal error";
        Err(reason.to_owned())
    })
}

fn read_version(bytes: &[u8], name: &str, format: Option<&Arc<RecordingFormat>>) -> Document {
    document::read_as(Source::from_bytes(bytes.to_vec()), name, format)
}

pub(super) fn parse_version(
    bytes: &[u8],
    name: &str,
    format: Option<&Arc<RecordingFormat>>,
) -> Vec<CallFingerprint> {
    CallFingerprint::of_document(&read_version(bytes, name, format))
}

/// A version of the file in a commit. Ordered by time first, so that the last one is the newest.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct FileVersion {
    commit: Commit,
    /// From the project root.
    path: Rc<str>,
    blob: ObjectId,
}

pub(super) struct BlameWalk<'a> {
    pub(super) objects: Objects<'a>,
    /// The calls of each content; `None` for one that is missing from the repository.
    versions: HashMap<ObjectId, Option<Rc<[CallFingerprint]>>>,
    commits: &'a mut HashMap<ObjectId, Option<Commit>>,
    pub(super) paths: &'a mut TreePaths,
    pub(super) rewrites: &'a mut Rewrites,
    /// The versions to look at, with the parts of calls that they have.
    open: BTreeMap<FileVersion, OpenParts>,
    found: HashMap<(usize, CallPart), Arc<CommitSummary>>,
    /// Those that were changed without recording them again.
    edited: HashSet<(usize, CallPart)>,
    /// For each call the version that recorded its take, and its number there.
    takes: BTreeMap<usize, (ObjectId, usize)>,
    summaries: HashMap<ObjectId, Arc<CommitSummary>>,
    /// The description of the file's format.
    pub(super) format: Option<Arc<RecordingFormat>>,
}

impl BlameWalk<'_> {
    /// Opens the parts in the commit in which the walk starts; passes those of what is on disk to the commit that is checked out.
    fn start(
        &mut self,
        path: &str,
        start: WalkStart<'_>,
        mut parts: OpenParts,
    ) -> Result<(), String> {
        let commit = match start {
            WalkStart::Disk { .. } => self.objects.head(),
            WalkStart::Commit(id) => ObjectId::from_hex(id.as_bytes()).ok(),
        };
        let commit = commit.and_then(|commit| self.commit(commit));
        let Some(commit) = commit else { return Ok(()) };
        let Some(blob) = self.paths.find(&mut self.objects, commit.tree, path, false) else {
            return Ok(());
        };
        let WalkStart::Disk { bytes, version, files: (root, top) } = start else {
            self.push(FileVersion { commit, path: path.into(), blob }, parts);
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
        let older = match_versions(version, &at_head.ok_or_else(cause)?);
        let older = self.judge_rewrite(older, path, NewerFiles::Disk(root, top), commit.tree);
        let passed_parts = parts.pass_on(&older);
        // What is left is not committed.
        self.add_edited(&parts);
        self.push(FileVersion { commit, path: path.into(), blob }, passed_parts);
        Ok(())
    }

    /// Reads a commit, once for all files.
    fn commit(&mut self, id: ObjectId) -> Option<Commit> {
        let objects = &mut self.objects;
        self.commits.entry(id).or_insert_with(|| objects.commit(id)).clone()
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
                    self.settle(&version, &parts, true);
                }
                Err(reason) => return Err(to_sentence(reason)),
            }
        }
        Ok(())
    }

    /// Passes the parts of a version to the parents of its commit, and records what none of them has.
    fn visit(&mut self, version: FileVersion, mut parts: OpenParts) {
        let ids = version.commit.parents.iter();
        let parents: Vec<Commit> = ids.filter_map(|id| self.commit(*id)).collect();
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
            let files = NewerFiles::Tree(version.commit.tree);
            let older = match_versions(&new, &old);
            let passed_parts = parts.pass_on(&self.judge_rewrite(older, &path, files, commit.tree));
            self.push(FileVersion { commit, path, blob }, passed_parts);
        }
        self.settle(&version, &parts, is_cut_off);
    }

    /// Makes calls recorded again if a script rewrote their file together with many others.
    fn judge_rewrite(
        &mut self,
        mut older: Vec<OlderCall>,
        path: &str,
        newer: NewerFiles<'_>,
        old_tree: ObjectId,
    ) -> Vec<OlderCall> {
        if is_every_answer_changed(&older) && self.is_rewritten(path, newer, old_tree) {
            for call in &mut older {
                call.is_recorded_again = Some(true);
                call.take = None;
            }
        }
        older
    }

    /// Records that the commit of a version made these parts.
    fn settle(&mut self, version: &FileVersion, parts: &OpenParts, is_cut_off: bool) {
        if parts.is_empty() {
            return;
        }
        let (objects, commit) = (&mut self.objects, &version.commit);
        let summary = self
            .summaries
            .entry(commit.id)
            .or_insert_with(|| Arc::new(objects.summary(commit, is_cut_off)));
        self.found.extend(parts.iter().map(|(part, _)| (part, Arc::clone(summary))));
        self.takes.extend(parts.takes().map(|(call, here)| (call, (version.blob, here))));
        self.add_edited(parts);
    }

    fn add_edited(&mut self, parts: &OpenParts) {
        self.edited.extend(parts.iter().filter(|(_, is_edited)| *is_edited).map(|(part, _)| part));
    }

    /// Returns the calls of a version. Each content is parsed once.
    pub(super) fn version(&mut self, blob: ObjectId, path: &str) -> Option<Rc<[CallFingerprint]>> {
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
