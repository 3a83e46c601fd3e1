//! Reads recordings for a review, compares them on all processors, and writes them as decided; the decisions are saved in the project.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::engine::disk::files::{beneath, carry_out};
use crate::engine::disk::gitignore::IgnoredCount;
use crate::engine::disk::guard::guard_file;
use crate::engine::disk::history::{RevisionSide, read_revision};
use crate::engine::disk::parallel::map_parallel;
use crate::engine::disk::root::{self, OpenedPath, ReadBounds, Root, open_all};
use crate::engine::disk::save::{self, SaveTarget};
use crate::engine::disk::walk::{EntryKind, Stamps, is_ours, is_skipped, walk};
use crate::engine::progress::Phase;
use crate::format::is_lfs_pointer;
use crate::ops::review::{
    Applied, Decisions, IgnoreRule, MergedDecisions, PairComparison, PairKey, PlannedWrite,
    SIDECAR, Take, TakeOrigin, TakePair, WritePlan, compare, ledger, merge,
};
use crate::ops::saving::{Expected, SaveFault};
use crate::ops::settings::PathKind;

/// What recordings are compared with.
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
    /// What bounds reading and writing.
    pub root: Arc<Root>,
    /// The old recordings.
    pub old: Vec<Arc<Take>>,
    /// The new recordings.
    pub new: Vec<Arc<Take>>,
    /// Files that could not be read, each with the reason.
    pub unread: Vec<(Arc<str>, String)>,
    /// Where the old and new recordings come from.
    pub origin: TakeOrigin,
    /// When the old ones were committed, in seconds since 1970 (UTC), if they come from git.
    pub committed_at: Option<i64>,
    /// What was left out because git ignores it.
    pub ignored: IgnoredCount,
    /// Whether the user named a file, so that it is compared whatever its kind.
    pub is_named: bool,
}

impl ReviewInputs {
    /// Reads the recordings of a file or folder and what they are compared with. Paths are relative to the project root.
    ///
    /// # Errors
    ///
    /// Why they cannot be read, as a message without a full stop.
    pub fn read<'a>(
        path: &Path,
        bounds: impl Into<ReadBounds<'a>>,
        against: &Baseline,
    ) -> Result<Self, String> {
        let bounds = bounds.into();
        let opened = open_one(path, bounds)?;
        let prefix = Arc::clone(&opened.prefix);
        let mut takes = Self::empty(&opened);
        match against {
            Baseline::Revision(revision) => {
                takes.new = takes.read_files(&opened, &prefix);
                let side = RevisionSide::BeforeWorkTree;
                takes.old = takes.read_revision(&opened, &prefix, revision, side)?;
            }
            Baseline::Range(range) => {
                takes.new = takes.read_revision(&opened, &prefix, range, RevisionSide::New)?;
                takes.old = takes.read_revision(&opened, &prefix, range, RevisionSide::Old)?;
            }
            Baseline::Path(other) => {
                takes.new = takes.read_files(&opened, &prefix);
                let other = open_one(other, bounds)?;
                takes.old = takes.read_files(&other, &prefix);
                takes.pair_files(&opened, &other);
            }
            Baseline::Sidecars => takes.read_sidecars(&opened, &prefix),
        }
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
        let nothing = Path::new("/dev/null");
        let present = if new == nothing { old } else { new };
        let mut takes = Self::empty(&open_one(present, bounds)?);
        if old != nothing {
            takes.old = takes.read_files(&open_one(old, bounds)?, "");
        }
        if new != nothing {
            takes.new = takes.read_files(&open_one(new, bounds)?, "");
        }
        if old != nothing && new != nothing {
            takes.pair_files(&open_one(new, bounds)?, &open_one(old, bounds)?);
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
            committed_at: None,
            ignored: IgnoredCount::default(),
            is_named: opened.file.is_some(),
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
            *take = Arc::new(Take {
                path: Arc::clone(&new.path),
                ..(**take).clone()
            });
        }
    }

    fn read_revision(
        &mut self,
        opened: &OpenedPath,
        prefix: &str,
        revision: &str,
        side: RevisionSide,
    ) -> Result<Vec<Arc<Take>>, String> {
        let ignore = &opened.root.settings.settings.ignore;
        let only = opened
            .file
            .as_ref()
            .map(|file| joined(prefix, &file.to_string_lossy()));
        let is_wanted = |path: &str| match &only {
            Some(only) => only == path || only.starts_with(&format!("{path}/")),
            None => {
                let is_above = prefix.starts_with(&format!("{path}/")) || prefix == path;
                let is_below = prefix.is_empty() || path.starts_with(&format!("{prefix}/"));
                let is_folder = !is_ours(Path::new(path));
                let kind = if is_folder {
                    PathKind::Folder
                } else {
                    PathKind::File
                };
                (is_above || is_below)
                    && !is_skipped(Path::new(path))
                    && !ignore.matches(path, kind)
            }
        };
        let found = read_revision(&opened.root, prefix, revision, side, &is_wanted)?;
        self.committed_at = Some(found.committed_at);
        let files = found.files.into_iter();
        let files = files.filter(|(path, _)| only.is_some() || is_ours(Path::new(path)));
        let takes = files.map(|(path, bytes)| Arc::new(Take::new(&path, bytes)));
        Ok(takes.collect())
    }

    fn read_sidecars(&mut self, opened: &OpenedPath, prefix: &str) {
        self.origin = TakeOrigin::Sidecars;
        for take in self.read_files(opened, prefix) {
            let sidecar = format!("{}{SIDECAR}", take.path);
            if let Ok(bytes) = self.root.read(&sidecar) {
                self.new.push(Arc::new(Take::new(&take.path, bytes)));
                self.old.push(take);
            }
        }
    }

    /// Reads all files of what was opened, in order.
    fn read_files(&mut self, opened: &OpenedPath, prefix: &str) -> Vec<Arc<Take>> {
        let mut takes = Vec::new();
        let unread = &mut self.unread;
        let phase = Phase::new("Reading", 0);
        let walked = walk(std::slice::from_ref(opened), Stamps::Skip, &mut |found| {
            phase.step();
            let path = joined(prefix, &root::display_path(&found.beneath));
            match &found.kind {
                EntryKind::File if !is_ours(&found.beneath) => {}
                EntryKind::File | EntryKind::Named => match root::read(&opened.dir, &found.beneath)
                {
                    Ok(bytes) if is_lfs_pointer(&bytes) => {
                        unread.push((path.into(), "Its content was not fetched".to_owned()));
                    }
                    Ok(bytes) => takes.push(Arc::new(Take::new(&path, bytes))),
                    Err(refusal) => unread.push((path.into(), refusal.to_string())),
                },
                EntryKind::Refused(_, reason) => unread.push((path.into(), reason.to_string())),
            }
            ControlFlow::Continue(())
        });
        if let ControlFlow::Continue(passed) = walked {
            self.ignored.files += passed.ignored.files;
            self.ignored.folders += passed.ignored.folders;
        }
        takes
    }

    /// Compares pairs on all processors. Files of an unknown kind are left out, unless the user named them: a
    /// project's other files are not part of a review.
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
        let compared = compare_all(&pairs, rules, cancel)?;
        if cancel.load(Ordering::Relaxed) {
            return Err("The comparison was stopped".to_owned());
        }
        let compared = pairs.into_iter().zip(compared);
        let is_ours =
            |(_, compared): &(TakePair, PairComparison)| self.is_named || compared.kind.is_known();
        Ok(compared.filter(is_ours).collect())
    }
}

fn open_one(path: &Path, bounds: ReadBounds<'_>) -> Result<OpenedPath, String> {
    let opened = open_all(&[path.to_owned()], bounds);
    let opened = opened.map_err(|error| format!("Cannot open: {error}"))?;
    opened
        .into_iter()
        .next()
        .ok_or_else(|| "No path is given".to_owned())
}

fn joined(folder: &str, name: &str) -> String {
    match folder {
        "" => name.to_owned(),
        folder => format!("{folder}/{name}"),
    }
}

/// Compares pairs on all processors; pairs that were not compared before a cancellation count as equal.
fn compare_all(
    pairs: &[TakePair],
    rules: &[IgnoreRule],
    cancel: &AtomicBool,
) -> Result<Vec<PairComparison>, String> {
    let compare = |pair: &TakePair| guard_file(pair.path(), || Ok(compare(pair, rules)));
    map_parallel("Comparing", pairs, cancel, compare)
        .into_iter()
        .collect()
}

/// The result of writing a plan.
#[derive(Debug, Default)]
pub struct WriteReport {
    /// What was written, in order. Applying the inverse of each, the last first, undoes everything.
    pub done: Vec<PlannedWrite>,
    /// What was not, and why.
    pub left: Vec<(PlannedWrite, SaveFault)>,
}

/// Writes files as decided. A failure stops the writes of its pair, and does not prevent the other pairs from being written.
pub fn apply(root: &Root, writes: &[PlannedWrite]) -> WriteReport {
    let mut report = WriteReport::default();
    let phase = Phase::new("Writing", writes.len());
    for writes in writes.chunk_by(|one, next| one.pair == next.pair) {
        let mut done = Vec::new();
        let steps = writes.iter().map(|write| &write.step);
        let carried_out = carry_out(steps, beneath(root), &mut done);
        writes.iter().for_each(|_| phase.step());
        let (written, left) = writes.split_at(done.len());
        report.done.extend_from_slice(written);
        if let Err(fault) = carried_out {
            let left = left.iter().map(|write| (write.clone(), fault.clone()));
            report.left.extend(left);
        }
    }
    report
}

/// Records in the decisions which files were written as decided.
pub fn record_applied(decisions: &mut Decisions, plan: &WritePlan, applied: &WriteReport) {
    let is_left = |pair: &PairKey| applied.left.iter().any(|(write, _)| write.pair == *pair);
    for pair in plan.settled.iter().filter(|pair| !is_left(pair)) {
        decisions.set_applied(pair, Some(Applied::from_sha256(pair.new.clone())));
    }
    for write in &applied.done {
        if let (Some(left), false) = (write.applied(), is_left(&write.pair)) {
            decisions.set_applied(&write.pair, Some(left));
        }
    }
}

/// Reads the decisions of a project.
///
/// # Errors
///
/// Why that cannot be read, as a message without a full stop.
pub fn read_decisions(root: &Root) -> Result<Decisions, String> {
    match root.read(ledger::PATH) {
        Ok(bytes) => ledger::read(&String::from_utf8_lossy(&bytes)),
        Err(root::ReadRefusal::Missing) => Ok(Decisions::default()),
        Err(refusal) => Err(format!("The decisions cannot be read: {refusal}")),
    }
}

/// Reads the decisions of another reviewer, from a file that the user named. An empty file has none.
///
/// # Errors
///
/// Why they cannot be read, as a message without a full stop that ends with the path.
pub fn read_ledger(path: &Path, root: Option<&Path>) -> Result<Decisions, String> {
    let opened = open_one(path, root.into())?;
    let Some(file) = &opened.file else {
        return Err(format!("Expected a file, found a folder: {}", opened.given));
    };
    let bytes = root::read(&opened.dir, file);
    let bytes = bytes.map_err(|refusal| format!("Cannot read the decisions: {refusal}"))?;
    if bytes.is_empty() {
        return Ok(Decisions::default());
    }
    let decisions = ledger::read(&String::from_utf8_lossy(&bytes));
    decisions.map_err(|reason| format!("{reason}: {}", opened.given))
}

/// Merges the decisions of two reviewers into the file of ours, as a merge driver of git: the files are git's, so that no step for
/// `retake undo` is recorded.
///
/// # Errors
///
/// Why nothing was written, as a message without a full stop.
pub fn merge_ledgers(base: &Path, ours: &Path, theirs: &Path) -> Result<MergedDecisions, String> {
    let read = |path: &Path| read_ledger(path, None);
    let merged = merge(&read(base)?, &read(ours)?, &read(theirs)?);
    let bytes = ledger::write(&merged.decisions).into_bytes();
    let written = SaveTarget::chosen(ours, None)
        .and_then(|target| save::write(target, bytes, Expected::Anything));
    written.map_err(|fault| fault.to_string())?;
    Ok(merged)
}

/// Saves the decisions of a project.
///
/// # Errors
///
/// Why it cannot be saved.
pub fn keep_decisions(root: &Root, decisions: &Decisions) -> Result<(), SaveFault> {
    let (target, bytes) = decisions_file(root, decisions)?;
    save::write(target, bytes, Expected::Anything).map(drop)
}

/// Returns where the decisions of a project are saved, and as which bytes.
pub(in crate::engine) fn decisions_file(
    root: &Root,
    decisions: &Decisions,
) -> Result<(SaveTarget, Vec<u8>), SaveFault> {
    let target = SaveTarget::beneath(root, ledger::PATH)?;
    Ok((target, ledger::write(decisions).into_bytes()))
}
