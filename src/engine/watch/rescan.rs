//! Scans the disk again and reads what changed.

use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::WatchWorker;
use super::dependencies::{ChangeScope, Dependencies};
use super::folders::FoldersToWatch;
use super::ledger::{FileKey, Ledger, NeedsReread, PendingRead};
use super::pending::PendingBatch;
use super::publish::Removals;
use crate::disk::file_names::is_skipped;
use crate::disk::parallel::map_quietly;
use crate::disk::project::{Project, SourceLookup};
use crate::disk::reader::{FileListing, read_row};
use crate::disk::save::is_temporary;
use crate::disk::walk::{Stamps, walk, walk_at};
use calls::Item;
use check::settings::FILE_NAME;
use document::files::file_name;
use document::{FileKind, RuleId};
use protocol::DiskChange;

/// Number of files that are read before other work is checked.
const BATCH_FILES: usize = 256;

/// Fewer files than this are read on one thread: starting others would take longer.
const MAX_FILES_OF_ONE_THREAD: usize = 16;

/// The longest time before results are reported while more files are read.
const SHOW_INTERVAL: Duration = Duration::from_millis(250);

/// The kinds that refer to contracts by name or path.
const REFERRING_KINDS: [FileKind; 2] = [FileKind::Session, FileKind::Config];

impl WatchWorker {
    /// Updates the ledger from the disk, at some paths or everywhere.
    pub(super) fn rescan(&mut self, batch: PendingBatch) {
        self.ledger.begin_rescan();
        let contracts = self.ledger.contracts;
        let old_counts = (self.ledger.folders.len(), self.dependencies.places());
        let (scope, reads) = match batch {
            PendingBatch::All => (ChangeScope::Everywhere, None),
            PendingBatch::Paths(paths) => {
                let names: Vec<PathBuf> =
                    paths.iter().flat_map(|path| self.folders.names_of(path)).collect();
                let are_files = !names.iter().any(|name| self.may_be_folder(name));
                // Other files may be ignored now, anywhere below.
                let reads = if self.dependencies.has_patterns(&names) {
                    None
                } else {
                    self.rescan_paths(&names)
                };
                let scope = match reads {
                    Some(_) if are_files => ChangeScope::Files(names),
                    Some(_) => ChangeScope::Paths(names),
                    None => ChangeScope::Everywhere,
                };
                (scope, reads)
            }
        };
        for place in std::mem::take(&mut self.to_rewatch) {
            self.folders.mark_for_rewatch(&place);
        }
        let to_read = reads.unwrap_or_else(|| self.rescan_all());
        self.read(to_read);
        // The changed files show at once; checking what depends on them takes longer.
        self.publish_touched();
        let changes = self.dependencies.recheck(&self.project, &scope);
        if !changes.sources.is_empty() {
            self.judge_sources(&changes.sources);
        }
        if changes.configs || contracts != self.ledger.contracts {
            self.read(
                self.ledger.entries_where(&self.project, |_, i| REFERRING_KINDS.contains(&i.kind)),
            );
        }
        if changes.cassettes {
            let has_changed = |base, item: &Item| {
                item.kind == FileKind::Cassette && self.project.has_other_cassette_facts(base, item)
            };
            self.read(self.ledger.entries_where(&self.project, has_changed));
        }
        // A change of any file may be what was missing for a description of a format.
        let is_of_formats = |_, item: &Item| {
            *item.root_path() == *FILE_NAME
                && item.problems.iter().any(|problem| problem.rule == RuleId::FormatMismatch)
        };
        self.read(self.ledger.entries_where(&self.project, is_of_formats));
        self.is_outdated |= changes.settings;
        if let Some(branch) = changes.branch {
            self.output.report(DiskChange::Branch(branch));
        }
        if changes.commit {
            self.output.report(DiskChange::Commit);
        }
        // Finding the folders takes longer than reading a file, and only a change of a folder adds or removes one.
        let is_same = old_counts == (self.ledger.folders.len(), self.dependencies.places());
        let are_files = matches!(scope, ChangeScope::Files(_));
        if !(are_files && is_same && self.folders.failure.is_none()) {
            self.watch_folders();
        }
    }

    /// Returns whether something at a path is or was a folder.
    fn may_be_folder(&self, name: &Path) -> bool {
        self.folders.has_name(name) || name.is_dir()
    }

    /// Scans everything. Returns what must be read.
    fn rescan_all(&mut self) -> Vec<PendingRead> {
        let project = Arc::clone(&self.project);
        let window = &self.output;
        let go_on = || {
            if window.is_closed() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        if self.ledger.folders.is_empty() {
            // The first time: a folder must be watched before it is scanned, or changes in between are missed.
            if let ControlFlow::Continue(summary) =
                walk(&project.opened, Stamps::Skip, &mut |_| go_on())
            {
                self.ledger.enter_passed(summary);
            }
            self.folders.update(&folders_to_watch(&project, &self.ledger, &self.dependencies));
        }
        let mut to_read = Vec::new();
        let ledger = &mut self.ledger;
        let outcome = walk(&project.opened, Stamps::Skip, &mut |entry| {
            to_read.extend(ledger.note_present(&project, entry, NeedsReread::Unknown));
            go_on()
        });
        if let ControlFlow::Continue(summary) = outcome {
            self.ledger.sweep(None);
            self.ledger.ignored = summary.ignored.files + summary.ignored.folders;
            self.ledger.enter_passed(summary);
        }
        to_read
    }

    /// Checks some paths, by the names under which they are known. `None` when that is not enough: the listing of folders that
    /// several paths lead to depends on all of them.
    fn rescan_paths(&mut self, names: &[PathBuf]) -> Option<Vec<PendingRead>> {
        let paths = self.targets(names)?;
        let project = Arc::clone(&self.project);
        let mut to_read = Vec::new();
        let mut walked_folders: HashSet<FileKey> = HashSet::new();
        let mut folders = Vec::new();
        for target in &paths {
            // A folder precedes what is in it, and was walked with all of that.
            if target.is_in(&walked_folders) {
                continue;
            }
            let mut entries = Vec::new();
            let summary = walk_at(&project.opened, target.opened, &target.beneath, &mut |entry| {
                entries.push(entry);
                ControlFlow::Continue(())
            });
            let ControlFlow::Continue(summary) = summary else { continue };
            let is_folder = !summary.folders.is_empty() || self.ledger.folders.contains_key(target);
            if is_folder && self.ledger.has_several_ways(&project) || summary.folder_links > 0 {
                return None;
            }
            if is_folder {
                walked_folders.insert(target.clone());
            }
            if !entries.iter().any(|entry| entry.beneath == *target.beneath) {
                self.ledger.note_gone(target);
            }
            for entry in entries {
                let key = FileKey { opened: entry.opened, beneath: entry.beneath.clone().into() };
                let needs_reread =
                    if paths.contains(&key) { NeedsReread::Reported } else { NeedsReread::Unknown };
                to_read.extend(self.ledger.note_present(&project, entry, needs_reread));
            }
            folders.push(summary);
        }
        if !walked_folders.is_empty() {
            self.ledger.sweep(Some(&walked_folders));
        }
        for summary in folders {
            self.ledger.enter_passed(summary);
        }
        to_read.extend(self.ledger.written_through_links(&project));
        Some(to_read)
    }

    /// Returns the names that are in listed folders. `None` when one is an opened path itself.
    fn targets(&self, names: &[PathBuf]) -> Option<BTreeSet<FileKey>> {
        let mut targets = BTreeSet::new();
        for name in names {
            for (index, opened) in self.project.opened.iter().enumerate() {
                let Ok(beneath) = name.strip_prefix(&opened.folder) else { continue };
                if beneath.as_os_str().is_empty() {
                    return None;
                }
                let is_ours = match &opened.file {
                    Some(file) => file == beneath,
                    None => self.is_listed(index, beneath),
                };
                if is_ours {
                    targets.insert(FileKey { opened: index, beneath: beneath.to_owned().into() });
                }
            }
        }
        Some(targets)
    }

    /// Returns whether a path is in a listed folder, and is neither skipped nor a temporary file of a save.
    fn is_listed(&self, opened: usize, beneath: &Path) -> bool {
        let folder = beneath.parent().unwrap_or(Path::new("")).to_owned();
        let is_file = beneath.file_name().is_some_and(|name| !is_temporary(name));
        let folder = FileKey { opened, beneath: folder.into() };
        is_file && !is_skipped(beneath) && self.ledger.folders.contains_key(&folder)
    }

    /// Reads files and enters the results. Reports intermediate results if it takes long.
    fn read(&mut self, to_read: Vec<PendingRead>) {
        let project = Arc::clone(&self.project);
        let mut last_publish = Instant::now();
        let mut to_read = to_read.into_iter();
        while !self.output.is_closed() {
            let batch: Vec<PendingRead> = to_read.by_ref().take(BATCH_FILES).collect();
            if batch.is_empty() {
                return;
            }
            let rows = read_rows(&project, &batch);
            for (pending, (item, listing)) in batch.into_iter().zip(rows) {
                self.ledger.enter(pending, item, listing);
            }
            if last_publish.elapsed() > SHOW_INTERVAL {
                self.publish(Removals::Wait);
                last_publish = Instant::now();
            }
        }
    }

    /// Checks the recordings again that name one of these sources: the prompts of their nodes may have changed.
    fn judge_sources(&mut self, names: &HashSet<String>) {
        let to_read = self.ledger.entries_where(&self.project, |_, item| {
            let source = item.source.as_ref();
            let file = source.and_then(|source| source.file.as_deref());
            file.is_some_and(|file| names.contains(file_name(file)))
        });
        self.read(to_read);
    }

    /// Watches the listed folders and those of dependencies. New folders are scanned once more, for files that were added before they
    /// were watched.
    fn watch_folders(&mut self) {
        let folders = folders_to_watch(&self.project, &self.ledger, &self.dependencies);
        let now = Instant::now();
        for place in self.folders.update(&folders) {
            self.pending.note(place, now);
        }
    }
}

fn folders_to_watch(project: &Project, ledger: &Ledger, configs: &Dependencies) -> FoldersToWatch {
    let mut folders = configs.folders();
    let opened_files = project.opened.iter().filter(|opened| opened.file.is_some());
    folders.extend(opened_files.map(|opened| (opened.folder.to_path_buf(), None)));
    let listed_folders = ledger
        .folders
        .iter()
        .map(|(key, identity)| (project.opened[key.opened].folder.join(&key.beneath), *identity));
    folders.extend(listed_folders);
    folders
}

/// Reads some files, many of them on all processors.
fn read_rows(project: &Project, batch: &[PendingRead]) -> Vec<(Item, FileListing)> {
    // The cache does not know files that have just changed.
    let read = |pending: &PendingRead| read_row(project, &pending.found, SourceLookup::Look, None);
    if batch.len() < MAX_FILES_OF_ONE_THREAD {
        batch.iter().map(read).collect()
    } else {
        map_quietly(batch, read)
    }
}
