//! Reads recordings for a review, compares them on all processors, and writes them as decided; the decisions are saved in the project.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cap_std::fs::Dir;

use crate::disk::cassette_configs::CassetteConfigs;
use crate::disk::file_names::{is_of_another_tool, is_ours, is_skipped, may_be_cassette};
use crate::disk::files::{beneath, carry_out};
use crate::disk::gitignore::IgnoredCount;
use crate::disk::guard::guard_file;
use crate::disk::history::{Histories, RevisionSide, read_revision, recorded_takes};
use crate::disk::parallel::{map_parallel, map_quietly};
use crate::disk::root::{self, OpenedPath, ReadBounds, Root, joined, open_one, path_below};
use crate::disk::save::{self, SaveTarget};
use crate::disk::walk::{EntryKind, Stamps, WalkEntry, walk};
use crate::progress::Phase;
use ::compare::review::{
    Applied, ComparisonFault, Decisions, IgnoreRule, PairComparison, PairKey, PlannedWrite,
    SIDECAR, Take, TakeOrigin, TakePair, WritePlan, compare, find_overwritten, ledger,
    pair_up_with,
};
use author::saving::{Expected, SaveFault};
use calls::source::sha256_hex;
use calls::stable::StableSave;
use check::settings::{PathKind, Settings};
use document::files::{FileStep, file_name};
use document::format::RecordingFormat;
use document::{Severity, is_lfs_pointer};

/// The old side of a review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// The files as they are in a revision of git, or in the merge base of `main...HEAD`.
    Revision(String),
    /// The files as they are in the first of two revisions of git. The new files are those of the second one.
    Range(String),
    /// The files of another folder, or another file.
    Path(PathBuf),
    /// The files beside each recording that wait to replace it.
    Sidecars,
}

/// The old and new recordings of a review.
#[derive(Debug)]
pub struct ReviewInputs {
    /// The folder that bounds reading and writing.
    pub root: Arc<Root>,
    /// The old recordings.
    pub old: Vec<Arc<Take>>,
    /// The new recordings.
    pub new: Vec<Arc<Take>>,
    /// Files that could not be read, each with the reason.
    pub unread: Vec<(Arc<str>, String)>,
    /// Origin of the old and new recordings.
    pub origin: TakeOrigin,
    /// Number of files and folders that were left out because git ignores them.
    pub ignored: IgnoredCount,
    /// Whether the user named a file, so that it is compared whatever its kind.
    pub is_named: bool,
    /// Version of the old recordings whose history is known.
    old_version: Option<OldVersion>,
}

/// Number of pairs whose histories are read together.
const HISTORY_PART_PAIRS: usize = 64;

/// Version of the old recordings of a review.
#[derive(Clone, Debug)]
enum OldVersion {
    /// In the commit with this id.
    Commit(String),
    /// On disk.
    Disk,
}

impl ReviewInputs {
    /// Reads the recordings of a file or folder and what they are compared with. Paths are relative to the project root.
    ///
    /// # Errors
    ///
    /// The reason they cannot be read, as a message without a full stop.
    pub fn read<'a>(
        path: &Path,
        bounds: impl Into<ReadBounds<'a>>,
        baseline: &Baseline,
    ) -> Result<Self, String> {
        let bounds = bounds.into();
        let opened = open(path, bounds)?;
        let prefix = Arc::clone(&opened.prefix);
        let mut takes = Self::empty(&opened);
        match baseline {
            Baseline::Revision(revision) => {
                // The new files first: an old one with the same bytes as its new one shares them in memory.
                takes.new = takes.read_files(&opened, &prefix, &[]);
                let side = RevisionSide::BeforeWorkTree;
                takes.old = takes.read_revision(&opened, &prefix, revision, side)?;
            }
            Baseline::Range(range) => {
                takes.new = takes.read_revision(&opened, &prefix, range, RevisionSide::New)?;
                // The old side last, since the time of the commit that was read last is kept.
                takes.old = takes.read_revision(&opened, &prefix, range, RevisionSide::Old)?;
            }
            Baseline::Path(other_path) => {
                takes.new = takes.read_files(&opened, &prefix, &[]);
                let (other_folder, new) = (open(other_path, bounds)?, takes.new.clone());
                takes.old = takes.read_files(&other_folder, &prefix, &new);
                takes.pair_files(&opened, &other_folder);
            }
            Baseline::Sidecars => takes.read_sidecars(&opened, &prefix),
        }
        // The other side of a file that cannot be read was neither added nor removed.
        let unread_paths: HashSet<&str> = takes.unread.iter().map(|(path, _)| &**path).collect();
        for side in [&mut takes.old, &mut takes.new] {
            side.retain(|take| !unread_paths.contains(&*take.path));
        }
        Ok(takes)
    }

    /// Reads the first files of a folder that are also at the same path in what they are compared with, at most `count`: what can be shown
    /// while [`ReviewInputs::read`] reads everything. There are none of named files, two revisions and files that wait.
    ///
    /// # Errors
    ///
    /// As [`ReviewInputs::read`].
    pub fn read_first<'a>(
        path: &Path,
        bounds: impl Into<ReadBounds<'a>>,
        baseline: &Baseline,
        count: usize,
    ) -> Result<Self, String> {
        let bounds = bounds.into();
        let opened = open(path, bounds)?;
        let mut takes = Self::empty(&opened);
        let base = match baseline {
            Baseline::Path(path) => Some(open(path, bounds)?),
            Baseline::Revision(_) => None,
            Baseline::Range(_) | Baseline::Sidecars => return Ok(takes),
        };
        if opened.file.is_some() || base.as_ref().is_some_and(|base| base.file.is_some()) {
            return Ok(takes);
        }
        let mut pairs = HashMap::new();
        // It breaks off on purpose, after enough files.
        let _ = walk(std::slice::from_ref(&opened), Stamps::Skip, &mut |entry| {
            let file = ListedFile::new(entry, &opened, &opened.prefix);
            let new = file.as_ref().and_then(|file| file.read(&opened.dir, None).ok());
            let old = file.zip(base.as_ref()).map(|(file, base)| file.read(&base.dir, None));
            if let Some(new) = new.filter(|_| !matches!(old, Some(Err(_)))) {
                takes.old.extend(old.and_then(Result::ok));
                pairs.insert(new.path.to_string(), new);
            }
            if pairs.len() < count { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if let Baseline::Revision(revision) = baseline {
            let is_first =
                |path: &str, _: PathKind| pairs.keys().any(|p| path_below(path, p).is_some());
            let side = RevisionSide::BeforeWorkTree;
            let tree = read_revision(&opened.root, &opened.prefix, revision, side, &is_first)?;
            takes.old_version = Some(OldVersion::Commit(tree.commit.clone()));
            let formats = &opened.root.settings.settings.formats;
            let take = |(path, bytes): (String, _)| {
                Arc::new(Take::new(&path, bytes).in_format(formats.of(&path)))
            };
            let old = tree.files.into_iter().map(take);
            takes.old = old.collect();
        }
        takes.new = takes.old.iter().filter_map(|old| pairs.remove(&*old.path)).collect();
        Ok(takes)
    }

    /// Reads two files or two folders that are only compared. Paths are from what was named.
    ///
    /// # Errors
    ///
    /// As [`ReviewInputs::read`].
    pub fn read_two<'a>(
        old: &Path,
        new: &Path,
        bounds: impl Into<ReadBounds<'a>>,
    ) -> Result<Self, String> {
        let bounds = bounds.into();
        // The path that diff tools pass for a missing file.
        let no_file = Path::new("/dev/null");
        let path = if new == no_file { old } else { new };
        let mut takes = Self::empty(&open(path, bounds)?);
        if old != no_file {
            takes.old = takes.read_files(&open(old, bounds)?, "", &[]);
        }
        if new != no_file {
            takes.new = takes.read_files(&open(new, bounds)?, "", &takes.old.clone());
        }
        if old != no_file && new != no_file {
            takes.pair_files(&open(new, bounds)?, &open(old, bounds)?);
        }
        Ok(takes)
    }

    fn empty(opened: &OpenedPath) -> Self {
        Self {
            root: Arc::clone(&opened.root),
            old: Vec::new(),
            new: Vec::new(),
            unread: Vec::new(),
            origin: TakeOrigin::Elsewhere,
            ignored: IgnoredCount::default(),
            is_named: opened.file.is_some(),
            old_version: None,
        }
    }

    /// Finds for each compared pair the changes that overwrite what was edited by hand, on all processors. Pairs whose history cannot be
    /// read have none.
    pub fn find_edits(&self, pairs: &mut [(TakePair, PairComparison)], cancel: &AtomicBool) {
        let commit = match &self.old_version {
            Some(OldVersion::Commit(commit)) => Some(&**commit),
            Some(OldVersion::Disk) => None,
            None => return,
        };
        let find = |histories: &mut _, (pair, comparison): &(TakePair, PairComparison)| {
            let old = pair.old.as_ref().filter(|_| comparison.has_values_changed())?;
            let recorded = recorded_takes(histories, (&self.root, commit), old, cancel).ok()?;
            Some(find_overwritten(pair, comparison, &recorded))
        };
        // The commits of a history are read once for all pairs of a part.
        let parts: Vec<&[(TakePair, PairComparison)]> = pairs.chunks(HISTORY_PART_PAIRS).collect();
        let found: Vec<Vec<_>> = map_quietly(&parts, |part| {
            let mut histories = Histories::default();
            part.iter().map(|pair| find(&mut histories, pair)).collect()
        });
        for ((_, comparison), edits) in pairs.iter_mut().zip(found.into_iter().flatten()) {
            comparison.edits = edits.unwrap_or_default();
        }
    }

    /// Returns the project's rules for ignored differences.
    pub fn rules(&self) -> Vec<IgnoreRule> {
        self.root.settings.settings.review.clone()
    }

    /// Pairs two files that the user named, whatever their names.
    fn pair_files(&mut self, new: &OpenedPath, old: &OpenedPath) {
        if let (Some(_), Some(_), [take], [new]) =
            (&new.file, &old.file, &mut *self.old, &*self.new)
        {
            // Takes are paired by their paths.
            *take = Arc::new(take.at(Arc::clone(&new.path)));
        }
    }

    fn read_revision(
        &mut self,
        opened: &OpenedPath,
        prefix: &str,
        revision: &str,
        side: RevisionSide,
    ) -> Result<Vec<Arc<Take>>, String> {
        let Settings { ignore, formats, .. } = &opened.root.settings.settings;
        let file_path = opened.file.as_ref().map(|file| joined(prefix, &file.to_string_lossy()));
        let is_wanted = |path: &str, kind: PathKind| match &file_path {
            Some(file_path) => path_below(path, file_path).is_some(),
            None => {
                // The folders above the reviewed one lead to it.
                (path_below(path, prefix).is_some() || path_below(prefix, path).is_some())
                    && (kind == PathKind::Folder
                        || is_reviewed(Path::new(path))
                        || formats.describes(path))
                    && !is_skipped(Path::new(path))
                    && !ignore.matches(path, kind)
            }
        };
        let revision_files = read_revision(&opened.root, prefix, revision, side, &is_wanted)?;
        if side != RevisionSide::New {
            self.old_version = Some(OldVersion::Commit(revision_files.commit.clone()));
        }
        for path in revision_files.missing {
            let commit = revision_files.commit.get(..8).unwrap_or_default();
            let reason = format!(
                "Its content in {commit} is missing from the repository, as in a partial clone; fetch it with git"
            );
            self.unread.push((path.into(), reason));
        }
        let files = revision_files.files.into_iter();
        let other_takes: HashMap<&str, &Take> = self.new.iter().map(|t| (&*t.path, &**t)).collect();
        let takes = files.map(|(path, bytes)| {
            let take = Take::new_beside(&path, bytes, other_takes.get(&*path).copied());
            Arc::new(take.in_format(formats.of(&path)))
        });
        Ok(takes.collect())
    }

    fn read_sidecars(&mut self, opened: &OpenedPath, prefix: &str) {
        self.origin = TakeOrigin::Sidecars;
        self.old_version = Some(OldVersion::Disk);
        for take in self.read_files(opened, prefix, &[]) {
            let sidecar = format!("{}{SIDECAR}", take.path);
            // Most recordings have no file that waits to replace them.
            if let Ok(bytes) = self.root.read(&sidecar) {
                self.new.push(Arc::new(take.with_bytes(bytes)));
                self.old.push(take);
            }
        }
    }

    /// Reads all files of what was opened, on all processors, in order. `other_takes` are those that they are compared with.
    fn read_files(
        &mut self,
        opened: &OpenedPath,
        prefix: &str,
        other_takes: &[Arc<Take>],
    ) -> Vec<Arc<Take>> {
        let mut files = Vec::new();
        let outcome = walk(std::slice::from_ref(opened), Stamps::Skip, &mut |entry| {
            files.extend(ListedFile::new(entry, opened, prefix));
            ControlFlow::Continue(())
        });
        if let ControlFlow::Continue(summary) = outcome {
            self.ignored.files += summary.ignored.files;
            self.ignored.folders += summary.ignored.folders;
        }
        let other_takes: HashMap<&str, &Take> =
            other_takes.iter().map(|take| (&*take.path, &**take)).collect();
        let results = map_parallel("Reading", &files, &AtomicBool::new(false), |file| {
            file.read(&opened.dir, other_takes.get(&*file.path).copied())
        });
        let mut takes = Vec::with_capacity(results.len());
        for (file, result) in files.into_iter().zip(results) {
            match result {
                Ok(take) => takes.push(take),
                Err(reason) => self.unread.push((file.path.into(), reason)),
            }
        }
        takes
    }

    /// Pairs all takes, and reads on all processors what has to be read for it; see [`pair_up`](::compare::review::pair_up).
    pub fn pair_up(&self, manual_pairs: &[(Arc<str>, Arc<str>)]) -> Vec<TakePair> {
        pair_up_with(self.old.clone(), self.new.clone(), manual_pairs, &|count, read_one| {
            let numbers: Vec<usize> = (0..count).collect();
            map_quietly(&numbers, |number| read_one(*number));
        })
    }

    /// Compares pairs on all processors. Files of an unknown kind are left out, unless the user named them, or they cannot be read and
    /// are beside files of known kinds: a project's other files are not part of a review.
    ///
    /// # Errors
    ///
    /// After it was cancelled or an internal error, as a message without a full stop.
    pub fn compare(
        &self,
        pairs: Vec<TakePair>,
        rules: &[IgnoreRule],
        cancel: &AtomicBool,
    ) -> Result<Vec<(TakePair, PairComparison)>, String> {
        let compare = |pair: &TakePair| guard_file(pair.path(), || Ok(compare(pair, rules)));
        let comparisons: Vec<PairComparison> = map_parallel("Comparing", &pairs, cancel, compare)
            .into_iter()
            .collect::<Result<_, _>>()?;
        if cancel.load(Ordering::Relaxed) {
            return Err("The comparison was stopped".to_owned());
        }
        let compared_pairs: Vec<_> = pairs.into_iter().zip(comparisons).collect();
        let folder = |pair: &TakePair| {
            pair.path().rsplit_once('/').map(|(folder, _)| Box::<str>::from(folder))
        };
        let known_folders: HashSet<Option<Box<str>>> = compared_pairs
            .iter()
            .filter(|(_, comparison)| comparison.kind.is_compared())
            .map(|(pair, _)| folder(pair))
            .collect();
        let is_ours = |(pair, comparison): &(TakePair, PairComparison)| {
            let is_broken = || comparison.fault.as_ref().is_some_and(ComparisonFault::is_broken);
            self.is_named
                || comparison.kind.is_compared()
                || is_broken() && known_folders.contains(&folder(pair))
        };
        Ok(compared_pairs.into_iter().filter(is_ours).collect())
    }
}

/// A file of one side, or something that is reported in its place.
struct ListedFile {
    /// From the folder that is reviewed.
    path: String,
    beneath: PathBuf,
    kind: EntryKind,
    format: Option<Arc<RecordingFormat>>,
}

impl ListedFile {
    /// Returns what was found; `None` for a file that is no part of a review.
    fn new(entry: WalkEntry, opened: &OpenedPath, prefix: &str) -> Option<Self> {
        let is_part = match &entry.kind {
            EntryKind::File => is_reviewed(&entry.beneath) || opened.describes(&entry.beneath),
            EntryKind::Named => true,
            // A note is about a folder that is listed by another name, or about what does not look like a file for Retake.
            EntryKind::Refused(severity, _) => *severity > Severity::Note,
        };
        is_part.then(|| Self {
            path: joined(prefix, &root::display_path(&entry.beneath)),
            format: opened.root.settings.settings.formats.of(&entry.root_path).cloned(),
            beneath: entry.beneath,
            kind: entry.kind,
        })
    }

    /// Reads it beneath a folder, beside the one that it may be equal to. An error is the reason why it is not compared.
    fn read(&self, dir: &Dir, other_take: Option<&Take>) -> Result<Arc<Take>, String> {
        let result = match &self.kind {
            // The walk has seen that it is a regular file.
            EntryKind::File => root::read_regular(dir, &self.beneath),
            EntryKind::Named => root::read_file(dir, &self.beneath),
            EntryKind::Refused(_, reason) => return Err(reason.to_string()),
        };
        match result {
            Ok(bytes) if is_lfs_pointer(&bytes) => Err("Its content was not fetched".to_owned()),
            Ok(bytes) => {
                let take = Take::new_beside(&self.path, bytes, other_take);
                Ok(Arc::new(take.in_format(self.format.as_ref())))
            }
            Err(refusal) => Err(refusal.to_string()),
        }
    }
}

/// Returns whether a file of this name can be a part of a review.
fn is_reviewed(path: &Path) -> bool {
    is_ours(path) || is_of_another_tool(path) || may_be_cassette(path)
}

fn open(path: &Path, bounds: ReadBounds<'_>) -> Result<OpenedPath, String> {
    open_one(path, bounds).map_err(|error| format!("Cannot open: {error}"))
}

/// Makes the files that a plan writes stable, if the settings of the project say so. What is restored is the old file, byte for byte,
/// and a file that stays as it is on disk is not written.
pub fn make_stable(root: &Arc<Root>, plan: &mut WritePlan) {
    let settings = &root.settings.settings.stable;
    if !settings.on_save {
        return;
    }
    let configs = CassetteConfigs::new(Arc::clone(root));
    for write in &mut plan.writes {
        let old = write.pair.old.clone();
        let FileStep::Write { path, after: Some(after), .. } = &mut write.step else { continue };
        if old.is_some_and(|old| *sha256_hex(after) == *old) {
            continue;
        }
        let stable_save = StableSave {
            name: file_name(path).into(),
            settings: settings.clone(),
            facts: Some(configs.facts(path, None)),
            format: root.settings.settings.formats.of(path).cloned(),
        };
        if let Some(text) = stable_save.text(after) {
            *after = text.text().as_bytes().into();
        }
    }
    let is_same = |write: &PlannedWrite| matches!(&write.step, FileStep::Write { before, after, .. } if before == after);
    let (same_writes, writes): (Vec<_>, Vec<_>) = plan.writes.drain(..).partition(is_same);
    plan.writes = writes;
    for PlannedWrite { pair, .. } in same_writes {
        if !plan.writes.iter().any(|write| write.pair == pair) {
            plan.settled.push(pair);
        }
    }
}

/// The result of writing a plan.
#[derive(Debug, Default)]
pub struct WriteReport {
    /// Writes that were done, in order. Applying the inverse of each, the last first, undoes everything.
    pub done: Vec<PlannedWrite>,
    /// Writes that were not done, each with the reason.
    pub left: Vec<(PlannedWrite, SaveFault)>,
}

/// Writes files as decided. A failure stops the writes of its pair, and does not prevent the other pairs from being written.
pub fn apply(root: &Root, writes: &[PlannedWrite]) -> WriteReport {
    let mut report = WriteReport::default();
    let phase = Phase::new("Writing", writes.len());
    for writes in writes.chunk_by(|one, next| one.pair == next.pair) {
        let mut done_steps = Vec::new();
        let steps = writes.iter().map(|write| &write.step);
        let result = carry_out(steps, beneath(root), &mut done_steps);
        writes.iter().for_each(|_| phase.step());
        let (done_writes, failed_writes) = writes.split_at(done_steps.len());
        report.done.extend_from_slice(done_writes);
        if let Err(fault) = result {
            let failed_writes = failed_writes.iter().map(|write| (write.clone(), fault.clone()));
            report.left.extend(failed_writes);
        }
    }
    report
}

/// Records in the decisions which files were written as decided.
pub fn record_applied(decisions: &mut Decisions, plan: &WritePlan, report: &WriteReport) {
    let is_left = |pair: &PairKey| report.left.iter().any(|(write, _)| write.pair == *pair);
    for pair in plan.settled.iter().filter(|pair| !is_left(pair)) {
        decisions.set_applied(pair, Some(Applied::from_sha256(pair.new.clone())));
    }
    for write in &report.done {
        if let (Some(applied_state), false) = (write.applied(), is_left(&write.pair)) {
            decisions.set_applied(&write.pair, Some(applied_state));
        }
    }
}

/// Reads the decisions of a project.
///
/// # Errors
///
/// The reason they cannot be read, as a message without a full stop.
pub fn read_decisions(root: &Root) -> Result<Decisions, String> {
    match root.read(ledger::PATH) {
        Ok(bytes) => ledger::read(&String::from_utf8_lossy(&bytes)),
        Err(root::ReadRefusal::Missing) => Ok(Decisions::default()),
        Err(refusal) => Err(format!("The decisions cannot be read: {refusal}")),
    }
}

/// Saves the decisions of a project.
///
/// # Errors
///
/// The reason they cannot be saved.
pub fn keep_decisions(root: &Root, decisions: &Decisions) -> Result<(), SaveFault> {
    let (target, bytes) = decisions_file(root, decisions)?;
    save::write(target, bytes, Expected::Anything).map(drop)
}

/// Returns where the decisions of a project are saved, and as which bytes.
pub(crate) fn decisions_file(
    root: &Root,
    decisions: &Decisions,
) -> Result<(SaveTarget, Vec<u8>), SaveFault> {
    Ok((SaveTarget::beneath(root, ledger::PATH)?, ledger::write(decisions).into_bytes()))
}
