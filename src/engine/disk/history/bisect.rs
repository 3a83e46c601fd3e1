//! Plays a set of recordings over the history of the set and its machine, to find the commits after which calls stopped matching.

mod machine_judge;
mod request_judge;

use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gix::ObjectId;

use self::machine_judge::MachineJudge;
use self::request_judge::RequestJudge;
use super::machine_versions::FileHistory;
use super::objects::{Commit, Objects, SearchBounds, TreePaths};
use super::revision::open;
use crate::engine::disk::git;
use crate::engine::disk::guard::catch;
use crate::engine::disk::playback::{PlaybackError, list_json_names, read_requests};
use crate::engine::disk::project::to_sentence;
use crate::engine::disk::root::{OpenedPath, display_path, open_all, read};
use crate::engine::disk::sources::is_source;
use crate::ops::bisect::{BisectHistory, BisectedCall, BreakOrigin, CallFit, find_break};
use crate::ops::commit::CommitSummary;
use crate::ops::playback::PlaybackRules;

/// What a bisection found.
#[derive(Debug)]
pub struct Bisection {
    /// The calls that were judged, in order.
    pub calls: Vec<BisectedCall>,
    /// How many files of the set are no recordings of the machine.
    pub others: usize,
}

/// Finds for each call since when it does not match. With a machine as requests, the calls are the recordings of the set, compared
/// with what their nodes would request; else they are the requests, which are played against the set. `rules` replace those of a log.
/// Blocks.
///
/// # Errors
///
/// When a path cannot be opened, there is nothing to play, or the history cannot be read.
pub fn bisect(
    recordings: &Path,
    requests: &Path,
    root: Option<&Path>,
    rules: Option<PlaybackRules>,
    cancel: &AtomicBool,
) -> Result<Bisection, PlaybackError> {
    let opened = open_all(&[recordings.to_owned(), requests.to_owned()], root)?;
    let [set, requested] = &opened[..] else {
        return Err(not_played("Two paths are required"));
    };
    if set.file.is_some() {
        let reason = format!("Expected a folder of recordings, found a file: {}", set.given);
        return Err(not_played(reason));
    }
    let source = requested.file.as_deref();
    let source = source.filter(|file| is_source(&file.to_string_lossy()));
    let place = git::enclosing_work_tree(set)
        .ok_or_else(|| not_played(format!("{} is not in a git repository", set.given)))?;
    let repository = open(&place.bounds, &place.top).map_err(not_played)?;
    let mut files = GitFiles {
        objects: Objects::new(&repository, SearchBounds::default(), cancel),
        on_disk: HashMap::new(),
    };
    let set_files = read_set_files(set, &mut files).map_err(not_played)?;
    let mut paths = TreePaths::default();
    let (machine, judge): (_, Box<dyn Judge>) = match source {
        Some(file) => {
            let path = requested.folder.join(file);
            let path = path.strip_prefix(place.bounds.path()).map(display_path);
            let path = path.map_err(|_| {
                not_played(format!("{} is not in the repository of the set", requested.given))
            })?;
            let now = files.keep(read_file(requested, file).map_err(not_played)?);
            let now = now.map_err(not_played)?;
            // The pack reader is not hardened against hostile input.
            let history = catch(|| match files.objects.head() {
                Some(head) => FileHistory::walk(&mut files.objects, &mut paths, head, &path),
                None => Ok(FileHistory::default()),
            });
            let history = history.map_err(|_| not_played(BROKEN))?;
            let history = history.map_err(|reason| not_played(to_sentence(&reason.to_string())))?;
            let judge = MachineJudge::new(&path, now, &history, &set_files, &mut files);
            if judge.calls().is_empty() {
                let (set, machine) = (&set.given, &requested.given);
                let reason = format!("No recording in {set} was made from {machine}");
                return Err(not_played(reason));
            }
            (Some((now, history)), Box::new(judge))
        }
        None => {
            let requests = read_requests(requests, root)?;
            let judge = RequestJudge::new(&set.given, requests, rules, &set_files, &mut files);
            let judge = judge.map_err(not_played)?;
            (None, Box::new(judge))
        }
    };
    let mut walk = BisectWalk {
        files,
        paths,
        folder: place.folder,
        set_files,
        machine,
        judge,
        commits: HashMap::new(),
        folders: HashMap::new(),
        fits: HashMap::new(),
    };
    catch(|| walk.find_all()).map_err(|_| not_played(BROKEN))
}

const BROKEN: &str = "The git repository cannot be read: reading it caused an internal error";

fn not_played(reason: impl Into<String>) -> PlaybackError {
    PlaybackError::NotPlayed(reason.into())
}

fn read_file(opened: &OpenedPath, name: &Path) -> Result<Vec<u8>, String> {
    let failed = |refusal: &dyn std::fmt::Display| {
        format!("{}: {}", opened.given, to_sentence(&refusal.to_string()))
    };
    read(&opened.dir, name).map_err(|refusal| failed(&refusal))
}

fn read_set_files(set: &OpenedPath, files: &mut GitFiles<'_>) -> Result<FolderFiles, String> {
    let names = list_json_names(set, Path::new("")).map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    for name in names {
        let id = files.keep(read_file(set, Path::new(&name))?)?;
        found.push((name.into(), id));
    }
    if found.is_empty() {
        let given = &set.given;
        let reason = format!("{given}: no recordings; a set is the *.json files of one folder");
        return Err(reason);
    }
    Ok(found.into())
}

/// The names and contents of a folder's files.
type FolderFiles = Rc<[(Box<str>, ObjectId)]>;

/// The files of a repository, and those on disk by the hashes that they would have in it.
struct GitFiles<'a> {
    objects: Objects<'a>,
    on_disk: HashMap<ObjectId, Vec<u8>>,
}

impl GitFiles<'_> {
    /// Adds a file on disk.
    fn keep(&mut self, bytes: Vec<u8>) -> Result<ObjectId, String> {
        let kind = gix::objs::Kind::Blob;
        let id = gix::objs::compute_hash(gix::hash::Kind::Sha1, kind, &bytes);
        let id = id.map_err(|error| error.to_string())?;
        self.on_disk.insert(id, bytes);
        Ok(id)
    }

    fn read(&mut self, id: ObjectId) -> Option<Vec<u8>> {
        let on_disk = self.on_disk.get(&id).cloned();
        on_disk.or_else(|| self.objects.blob(id).map(<[u8]>::to_vec))
    }
}

/// Decides which calls match in a version.
trait Judge {
    /// Returns the names of the calls, each with its node if that is known.
    fn calls(&self) -> Vec<(Arc<str>, Option<Arc<str>>)>;

    /// Returns for each call whether it matches with this set, and this machine if the requests are of one. Calls that do not exist have
    /// `None` or are missing.
    fn judge(
        &mut self,
        set: &FolderFiles,
        machine: Option<ObjectId>,
        files: &mut GitFiles<'_>,
    ) -> Vec<Option<CallFit>>;
}

/// What is on disk, or a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Version {
    Disk,
    Commit(ObjectId),
}

/// What decides in a version whether calls match: the set, as its folder in a commit (`None`: as on disk), and the machine.
type VersionContent = (Option<ObjectId>, Option<ObjectId>);

struct BisectWalk<'a> {
    files: GitFiles<'a>,
    paths: TreePaths,
    /// The folder of the set, from the bounds of the repository.
    folder: Arc<str>,
    /// Those on disk.
    set_files: FolderFiles,
    /// The machine on disk, and its history.
    machine: Option<(ObjectId, FileHistory)>,
    judge: Box<dyn Judge>,
    commits: HashMap<ObjectId, Option<Rc<Commit>>>,
    folders: HashMap<ObjectId, FolderFiles>,
    fits: HashMap<VersionContent, Rc<[Option<CallFit>]>>,
}

impl BisectWalk<'_> {
    fn find_all(&mut self) -> Bisection {
        let calls = self.judge.calls();
        let others = match &self.machine {
            Some(_) => self.set_files.len() - calls.len(),
            None => 0,
        };
        let mut summaries = HashMap::new();
        let calls = calls.into_iter().enumerate().map(|(index, (name, node))| {
            let origin = find_break(self, Version::Disk, index);
            let mut summary = |version| self.summary(version, &mut summaries);
            let origin = match origin {
                BreakOrigin::Matches => BreakOrigin::Matches,
                BreakOrigin::Unknown(why) => BreakOrigin::Unknown(why),
                BreakOrigin::Never { since, why } => {
                    BreakOrigin::Never { since: summary(since), why }
                }
                BreakOrigin::Broken { at, why, is_uncertain } => {
                    BreakOrigin::Broken { at: summary(at), why, is_uncertain }
                }
            };
            BisectedCall { name, node, origin }
        });
        let calls = calls.collect();
        Bisection { calls, others }
    }

    fn commit(&mut self, id: ObjectId) -> Option<Rc<Commit>> {
        let objects = &mut self.files.objects;
        let commit = self.commits.entry(id);
        let commit = commit.or_insert_with(|| objects.commit(id).map(Rc::new));
        commit.clone()
    }

    fn summary(
        &mut self,
        version: Version,
        known: &mut HashMap<ObjectId, Arc<CommitSummary>>,
    ) -> Option<Arc<CommitSummary>> {
        let Version::Commit(id) = version else {
            return None;
        };
        if let Some(known) = known.get(&id) {
            return Some(Arc::clone(known));
        }
        let commit = self.commit(id)?;
        let mut is_cut_off = false;
        for parent in &commit.parents {
            is_cut_off |= self.commit(*parent).is_none();
        }
        let summary = Arc::new(self.files.objects.summary(&commit, is_cut_off));
        known.insert(id, Arc::clone(&summary));
        Some(summary)
    }

    /// Returns what decides in a version; `None` if it has no set.
    fn content(&mut self, version: Version) -> Option<VersionContent> {
        let machine = self.machine.as_ref();
        match version {
            Version::Disk => Some((None, machine.map(|(now, _)| *now))),
            Version::Commit(id) => {
                let machine = machine.and_then(|(_, history)| Some(history.at.get(&id)?.blob));
                let tree = self.commit(id)?.tree;
                let folder = self.paths.find(&mut self.files.objects, tree, &self.folder, true)?;
                Some((Some(folder), machine))
            }
        }
    }

    fn files_in(&mut self, folder: Option<ObjectId>) -> FolderFiles {
        let Some(folder) = folder else {
            return Rc::clone(&self.set_files);
        };
        let objects = &mut self.files.objects;
        let files = self.folders.entry(folder).or_insert_with(|| {
            let entries = objects.tree(folder).into_iter();
            let files = entries.filter(|entry| !entry.is_tree && entry.name.ends_with(b".json"));
            files
                .filter_map(|entry| Some((String::from_utf8(entry.name).ok()?.into(), entry.id)))
                .collect()
        });
        Rc::clone(files)
    }
}

impl BisectHistory for BisectWalk<'_> {
    type Version = Version;

    fn older(&mut self, version: Version) -> Vec<Version> {
        let parents = match version {
            Version::Disk => self.files.objects.head().into_iter().collect(),
            Version::Commit(id) => {
                let commit = self.commit(id);
                commit.map_or_else(Vec::new, |commit| commit.parents.clone())
            }
        };
        parents.into_iter().map(Version::Commit).collect()
    }

    fn fit(&mut self, version: Version, call: usize) -> Option<CallFit> {
        let content = self.content(version)?;
        if let Some(known) = self.fits.get(&content) {
            return known.get(call).cloned().flatten();
        }
        let set = self.files_in(content.0);
        let fits: Rc<[_]> = self.judge.judge(&set, content.1, &mut self.files).into();
        let fit = fits.get(call).cloned().flatten();
        self.fits.insert(content, fits);
        fit
    }
}
