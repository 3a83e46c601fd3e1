//! The state of every file, on disk and in the window.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use super::file_stamp::FileStamp;
use super::publish::hash;
use crate::engine::disk::project::Project;
use crate::engine::disk::reader::{FileListing, KnownFolders, is_unread};
use crate::engine::disk::scan::ScannedFile;
use crate::engine::disk::walk::{EntryKind, Identity, WalkEntry, WalkSummary};
use crate::format::{FileKind, Problem};
use crate::ops::Item;
use crate::workbench::DocId;

/// Identifies a file or folder: the index of its opened path, and its path from there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct FileKey {
    pub(super) opened: usize,
    pub(super) beneath: PathBuf,
}

/// The state of every opened file.
#[derive(Debug)]
pub(super) struct Ledger {
    pub(super) entries: HashMap<FileKey, FileEntry>,
    /// How many ids were given out.
    pub(super) ids: usize,
    /// The folders that are listed.
    pub(super) folders: HashMap<FileKey, Option<Identity>>,
    /// Files that are links to files.
    file_links: HashSet<FileKey>,
    /// How many links to folders there are.
    folder_links: usize,
    /// How many files and folders the last walk of everything left out because git ignores them.
    pub(super) ignored: usize,
    /// When the files without a stamp were read.
    scanned: SystemTime,
    /// The number of the present rescan.
    rescan: u32,
    /// Counts added and removed contracts.
    pub(super) contracts: u64,
    /// Files that were written since they were last reported.
    pub(super) rewritten: Vec<DocId>,
    /// Files that were changed, added or removed since they were last reported.
    pub(super) touched: HashSet<FileKey>,
}

#[derive(Debug)]
pub(super) struct FileEntry {
    /// Set when it is first listed.
    pub(super) id: Option<DocId>,
    pub(super) stamp: Option<FileStamp>,
    /// The last rescan that saw it.
    last_rescan: u32,
    pub(super) read: ReadState,
    pub(super) bytes: u64,
    pub(super) is_refused: bool,
    /// Its state in the window.
    pub(super) reported: ReportedState,
}

/// The result of reading a file. Items are without the problems that depend on other items.
#[derive(Clone, Debug)]
pub(super) enum ReadState {
    /// It no longer exists.
    Gone,
    /// It is not a file for Retake.
    Ignored,
    /// It is code without seeds.
    Uncounted,
    /// It is listed only beside files of a known kind.
    Deferred(Arc<Item>),
    Listed(Arc<Item>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReportedState {
    /// It is not in the library.
    Nothing,
    /// An item that has changed since.
    Outdated,
    /// The present item, with the hash of its problems that depend on other items.
    Present(u64),
}

/// A file that has to be read.
#[derive(Debug)]
pub(super) struct PendingRead {
    pub(super) found: WalkEntry,
    stamp: Option<FileStamp>,
    reason: RereadReason,
}

/// Why a file is read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RereadReason {
    /// It may have been written.
    Written,
    /// Something that it refers to has changed.
    DependencyChanged,
}

/// Whether a file must be read although its metadata is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NeedsReread {
    /// The system reported a change of it.
    Reported,
    /// It was only visited.
    Unknown,
}

impl FileKey {
    fn from_entry(found: &WalkEntry) -> Self {
        Self {
            opened: found.opened,
            beneath: found.beneath.clone(),
        }
    }

    /// Returns whether it is in one of these folders, at any depth.
    pub(super) fn is_in(&self, folders: &HashSet<FileKey>) -> bool {
        self.beneath.ancestors().any(|folder| {
            folders.contains(&Self {
                opened: self.opened,
                beneath: folder.to_owned(),
            })
        })
    }
}

impl ReadState {
    fn from_item(item: Arc<Item>, listing: FileListing) -> Self {
        match listing {
            FileListing::Listed => Self::Listed(item),
            FileListing::Deferred => Self::Deferred(item),
            FileListing::Ignored => Self::Ignored,
            FileListing::Uncounted => Self::Uncounted,
        }
    }

    fn item(&self) -> Option<&Arc<Item>> {
        match self {
            Self::Listed(item) | Self::Deferred(item) => Some(item),
            Self::Gone | Self::Ignored | Self::Uncounted => None,
        }
    }

    /// Returns the item if it is listed, given the folders with files of known kinds.
    pub(super) fn shown(&self, folders: &KnownFolders) -> Option<&Arc<Item>> {
        match self {
            Self::Listed(item) => Some(item),
            Self::Deferred(item) => folders.lists(item).then_some(item),
            Self::Gone | Self::Ignored | Self::Uncounted => None,
        }
    }

    fn is_contract(&self) -> bool {
        self.item()
            .is_some_and(|item| item.kind == FileKind::Contract)
    }
}

impl Ledger {
    /// Creates an empty ledger for files that were read after `scanned`.
    pub(super) fn new(scanned: SystemTime) -> Self {
        Self {
            entries: HashMap::new(),
            ids: 0,
            folders: HashMap::new(),
            file_links: HashSet::new(),
            folder_links: 0,
            ignored: 0,
            scanned,
            rescan: 0,
            contracts: 0,
            rewritten: Vec::new(),
            touched: HashSet::new(),
        }
    }

    /// Enters an item that the window has, with the next id and its problems that depend on other items.
    pub(super) fn enter_reported(
        &mut self,
        key: Option<FileKey>,
        read: (Arc<Item>, FileListing),
        beside: &[Problem],
    ) {
        let id = DocId::new(self.ids);
        self.ids += 1;
        let (item, listing) = read;
        let Some(key) = key else { return };
        let entry = FileEntry {
            id: Some(id),
            reported: ReportedState::Present(hash(beside)),
            is_refused: false,
            ..FileEntry::new(item, listing)
        };
        self.entries.insert(key, entry);
    }

    /// Enters a file that was read and is not listed.
    pub(super) fn enter_unlisted(&mut self, key: FileKey, row: ScannedFile) {
        let entry = FileEntry {
            is_refused: row.is_refused,
            ..FileEntry::new(row.item, row.listing)
        };
        self.entries.insert(key, entry);
    }

    /// Enters a file that is not there, for the window to list. Returns its id, and whether that is new.
    pub(super) fn enter_absent(&mut self, key: FileKey) -> (DocId, bool) {
        let entry = self.entries.entry(key).or_insert_with(FileEntry::empty);
        entry.read = ReadState::Gone;
        let next = DocId::new(self.ids);
        let is_new = entry.id.is_none();
        self.ids += usize::from(is_new);
        (*entry.id.get_or_insert(next), is_new)
    }

    /// Begins a rescan: files that it does not meet are removed by [`sweep`](Self::sweep).
    pub(super) fn begin_rescan(&mut self) {
        self.rescan += 1;
    }

    /// Notes that a file exists. Returns it if it must be read.
    pub(super) fn note_present(
        &mut self,
        project: &Project,
        found: WalkEntry,
        needs_reread: NeedsReread,
    ) -> Option<PendingRead> {
        let dir = &project.opened[found.opened].dir;
        let is_refused = matches!(found.kind, EntryKind::Refused(..));
        let stamp = (!is_refused)
            .then(|| FileStamp::read(dir, &found.beneath))
            .flatten();
        if let Some(entry) = self.entries.get_mut(&FileKey::from_entry(&found)) {
            entry.last_rescan = self.rescan;
            let is_same = match (entry.stamp, stamp) {
                (Some(old), Some(new)) => old == new,
                (None, Some(new)) => {
                    entry.bytes == new.bytes && !new.may_have_changed_since(self.scanned)
                }
                (_, None) => false,
            };
            let is_there = !matches!(entry.read, ReadState::Gone);
            if is_same && is_there && needs_reread == NeedsReread::Unknown {
                entry.stamp = stamp;
                return None;
            }
        }
        let why = RereadReason::Written;
        Some(PendingRead {
            found,
            stamp,
            reason: why,
        })
    }

    /// Enters the result of reading a file.
    pub(super) fn enter(&mut self, read: PendingRead, item: Item, listing: FileListing) {
        let PendingRead {
            found,
            stamp,
            reason: why,
        } = read;
        let bytes = item.bytes;
        let read = ReadState::from_item(Arc::new(item), listing);
        let is_refused = matches!(found.kind, EntryKind::Refused(..));
        let key = FileKey::from_entry(&found);
        self.touched.insert(key.clone());
        let entry = self.entries.entry(key).or_insert_with(FileEntry::empty);
        if entry.read.is_contract() != read.is_contract() {
            self.contracts += 1;
        }
        if let Some(id) = entry
            .id
            .filter(|_| !is_refused && why == RereadReason::Written)
        {
            self.rewritten.push(id);
        }
        entry.last_rescan = self.rescan;
        entry.stamp = stamp;
        entry.is_refused = is_refused;
        entry.update(read, bytes);
    }

    /// Notes that a path no longer exists.
    pub(super) fn note_gone(&mut self, key: &FileKey) {
        if let Some(entry) = self.entries.get_mut(key) {
            self.contracts += u64::from(entry.read.is_contract());
            entry.read = ReadState::Gone;
            self.touched.insert(key.clone());
        }
    }

    /// Notes as removed what the present rescan did not meet; only in these folders, if they are given.
    pub(super) fn sweep(&mut self, within: Option<&HashSet<FileKey>>) {
        let survey = self.rescan;
        let unmet = self.entries.iter().filter(|(key, entry)| {
            entry.last_rescan != survey
                && !matches!(entry.read, ReadState::Gone)
                && within.is_none_or(|folders| key.is_in(folders))
        });
        let unmet: Vec<FileKey> = unmet.map(|(key, _)| key.clone()).collect();
        for key in unmet {
            self.note_gone(&key);
        }
        let stays = |key: &FileKey| within.is_some_and(|folders| !key.is_in(folders));
        self.folders.retain(|key, _| stays(key));
        self.file_links.retain(stays);
        if within.is_none() {
            self.folder_links = 0;
        }
    }

    /// Enters what a walk has visited.
    pub(super) fn enter_passed(&mut self, passed: WalkSummary) {
        for (opened, beneath, identity) in passed.folders {
            self.folders.insert(FileKey { opened, beneath }, identity);
        }
        let links = passed.file_links.into_iter();
        let links = links.map(|(opened, beneath)| FileKey { opened, beneath });
        self.file_links.extend(links);
        self.folder_links += passed.folder_links;
    }

    /// Returns whether several paths may lead to a folder: then the listing of one depends on all others.
    pub(super) fn has_several_ways(&self, project: &Project) -> bool {
        self.folder_links > 0 || project.opened.len() > 1
    }

    /// Returns the files of the matching items, to be read again.
    pub(super) fn entries_where(
        &self,
        project: &Project,
        such: impl Fn(&Item) -> bool,
    ) -> Vec<PendingRead> {
        let again = self.entries.iter().filter_map(|(key, entry)| {
            let item = entry.read.item().filter(|item| such(item))?;
            let found = walk_entry(project, key, item);
            let stamp = entry.stamp;
            let why = RereadReason::DependencyChanged;
            Some(PendingRead {
                found,
                stamp,
                reason: why,
            })
        });
        again.collect()
    }

    /// Returns the links to files that were written under another name, which the system does not report.
    pub(super) fn written_through_links(&self, project: &Project) -> Vec<PendingRead> {
        let written = self.file_links.iter().filter_map(|key| {
            let entry = self.entries.get(key)?;
            let stamp = FileStamp::read(&project.opened[key.opened].dir, &key.beneath);
            let item = entry.read.item().filter(|_| entry.stamp != stamp)?;
            let found = walk_entry(project, key, item);
            let why = RereadReason::Written;
            Some(PendingRead {
                found,
                stamp,
                reason: why,
            })
        });
        written.collect()
    }
}

impl FileEntry {
    fn empty() -> Self {
        Self {
            id: None,
            stamp: None,
            last_rescan: 0,
            read: ReadState::Gone,
            bytes: 0,
            is_refused: false,
            reported: ReportedState::Nothing,
        }
    }

    fn new(item: Arc<Item>, listing: FileListing) -> Self {
        Self {
            bytes: item.bytes,
            read: ReadState::from_item(item, listing),
            ..Self::empty()
        }
    }

    /// Sets the present result. An unchanged result is not reported. A file of a known kind stays listed while
    /// it cannot be understood: a program may be writing it.
    fn update(&mut self, read: ReadState, bytes: u64) {
        self.bytes = bytes;
        let read = match (&self.read, read) {
            (ReadState::Listed(old), ReadState::Deferred(new))
                if (old.kind != FileKind::Unknown || is_unread(old)) && is_unread(&new) =>
            {
                ReadState::Listed(new)
            }
            (_, read) => read,
        };
        let is_same = match (&self.read, &read) {
            (ReadState::Listed(old), ReadState::Listed(new))
            | (ReadState::Deferred(old), ReadState::Deferred(new)) => old == new,
            _ => false,
        };
        if !is_same {
            self.read = read;
            self.reported.mark_outdated();
        }
    }
}

impl ReportedState {
    fn mark_outdated(&mut self) {
        if *self != Self::Nothing {
            *self = Self::Outdated;
        }
    }
}

/// Returns what a walk would find for a known file.
fn walk_entry(project: &Project, key: &FileKey, item: &Item) -> WalkEntry {
    WalkEntry {
        order: 0,
        opened: key.opened,
        beneath: key.beneath.clone(),
        path: Arc::clone(&item.path),
        root_path: Arc::clone(&item.root_path),
        kind: match project.opened[key.opened].file {
            Some(_) => EntryKind::Named,
            None => EntryKind::File,
        },
        is_link: false,
        stamp: None,
    }
}
