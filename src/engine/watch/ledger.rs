//! The state of every file, on disk and in the window.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher as _, Hash, Hasher};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use foldhash::fast::FixedState;
use indexmap::IndexMap;

use crate::disk::file_stamp::{FileStamp, Identity};
use crate::disk::project::Project;
use crate::disk::reader::{FileListing, FolderKinds, is_listed_beside, is_unread};
use crate::disk::root::parent_folder;
use crate::disk::scan::ScannedFile;
use crate::disk::walk::{EntryKind, WalkEntry, WalkSummary};
use calls::Item;
use document::{FileKind, Problem};
use protocol::{DocId, ReadProgress};

/// Identifies a file or folder: the index of its opened path, and its path from there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct FileKey {
    pub(super) opened: usize,
    pub(super) beneath: WatchedPath,
}

/// A path beneath an opened one.
#[derive(Clone, Debug)]
pub(super) enum WatchedPath {
    /// The end of the path of an item, which is then in memory once.
    End(Arc<str>, u32),
    Own(Box<Path>),
}

impl WatchedPath {
    /// Returns the same path, as a part of the path of its item.
    pub(super) fn in_path_of(self, item: &Item) -> Self {
        let start = self.to_str().and_then(|end| item.path.strip_suffix(end)).map(str::len);
        match start.and_then(|start| u32::try_from(start).ok()) {
            Some(start) => Self::End(Arc::clone(&item.path), start),
            None => self,
        }
    }
}

impl Deref for WatchedPath {
    type Target = Path;

    fn deref(&self) -> &Path {
        match self {
            Self::End(path, start) => Path::new(&path[*start as usize..]),
            Self::Own(path) => path,
        }
    }
}

impl AsRef<Path> for WatchedPath {
    fn as_ref(&self) -> &Path {
        self
    }
}

impl From<PathBuf> for WatchedPath {
    fn from(path: PathBuf) -> Self {
        Self::Own(path.into())
    }
}

impl PartialEq for WatchedPath {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for WatchedPath {}

impl PartialOrd for WatchedPath {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for WatchedPath {
    fn cmp(&self, other: &Self) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl Hash for WatchedPath {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

/// The state of every opened file.
#[derive(Debug)]
pub(super) struct Ledger {
    /// Entries are added and changed, never removed, so that each keeps its index.
    pub(super) entries: IndexMap<FileKey, FileEntry>,
    /// The files of each folder of the project, also of folders of which nothing is listed.
    pub(super) by_folder: IndexMap<Box<str>, FolderFiles>,
    /// The folders with files that have changed since everything was last reported, by their index in `by_folder`.
    pub(super) unpublished: BTreeSet<usize>,
    /// Whether all folders have to be reported together.
    pub(super) publishes_all: bool,
    /// Counts the folders with a recording that names its source.
    pub(super) stamped_folders: usize,
    /// Number of files and bytes that were read.
    pub(super) totals: ReadProgress,
    /// Number of ids that were given out.
    pub(super) ids: usize,
    /// The folders that are listed.
    pub(super) folders: HashMap<FileKey, Option<Identity>>,
    /// Files that are links to files.
    file_links: HashSet<FileKey>,
    /// Number of links to folders.
    folder_links: usize,
    /// Number of files and folders that the last walk of everything left out because git ignores them.
    pub(super) ignored: usize,
    /// Time after which the files without a stamp were read.
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

/// The files of one folder.
#[derive(Debug, Default)]
pub(super) struct FolderFiles {
    /// Their indices in [`Ledger::entries`].
    pub(super) files: Vec<usize>,
    /// The facts when they were last reported.
    pub(super) facts: FolderFacts,
}

/// Facts on which the listing and the problems of other folders depend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FolderFacts {
    pub(super) kinds: FolderKinds,
    pub(super) has_seeds: bool,
    /// Whether a recording names its source.
    pub(super) has_stamped: bool,
}

#[derive(Debug, Default)]
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
#[derive(Clone, Debug, Default)]
pub(super) enum ReadState {
    /// It no longer exists.
    #[default]
    Gone,
    /// It is not a file for Retake.
    Ignored,
    /// It is code without seeds.
    Uncounted,
    /// It is listed only beside files of a known kind.
    Deferred(Item),
    Listed(Item),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ReportedState {
    /// It is not in the library.
    #[default]
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

/// Reason that a file is read again.
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
    fn from_entry(entry: &WalkEntry) -> Self {
        Self { opened: entry.opened, beneath: entry.beneath.clone().into() }
    }

    /// Returns whether it is in one of these folders, at any depth.
    pub(super) fn is_in(&self, folders: &HashSet<FileKey>) -> bool {
        self.beneath.ancestors().any(|folder| {
            folders.contains(&Self { opened: self.opened, beneath: folder.to_owned().into() })
        })
    }
}

impl ReadState {
    fn from_item(item: Item, listing: FileListing) -> Self {
        match listing {
            FileListing::Listed => Self::Listed(item),
            FileListing::Deferred | FileListing::Broken => Self::Deferred(item),
            FileListing::Ignored => Self::Ignored,
            FileListing::Uncounted => Self::Uncounted,
        }
    }

    fn item(&self) -> Option<&Item> {
        match self {
            Self::Listed(item) | Self::Deferred(item) => Some(item),
            Self::Gone | Self::Ignored | Self::Uncounted => None,
        }
    }

    /// Returns the item if it is listed, given what the folders contain.
    pub(super) fn shown(&self, kinds: impl Fn(&str) -> FolderKinds) -> Option<&Item> {
        match self {
            Self::Listed(item) => Some(item),
            Self::Deferred(item) => is_listed_beside(item, kinds).then_some(item),
            Self::Gone | Self::Ignored | Self::Uncounted => None,
        }
    }

    fn is_contract(&self) -> bool {
        self.item().is_some_and(|item| item.kind == FileKind::Contract)
    }
}

impl Ledger {
    /// Creates an empty ledger with room for files that were read after `scanned`.
    pub(super) fn new(scan_start: SystemTime, file_count: usize) -> Self {
        Self {
            entries: IndexMap::with_capacity(file_count),
            by_folder: IndexMap::new(),
            unpublished: BTreeSet::new(),
            // Nothing is known yet of what the folders contain.
            publishes_all: true,
            stamped_folders: 0,
            totals: ReadProgress::default(),
            ids: 0,
            folders: HashMap::new(),
            file_links: HashSet::new(),
            folder_links: 0,
            ignored: 0,
            scanned: scan_start,
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
        row: (Arc<Item>, FileListing),
        problems: &[Problem],
    ) {
        let id = DocId::new(self.ids);
        self.ids += 1;
        let (item, listing) = row;
        // An item without a known file has its id, too, so that the ids of later ones are those of the window.
        let Some(key) = key else { return };
        let key = FileKey { beneath: key.beneath.in_path_of(&item), ..key };
        let folder = parent_folder(item.root_path()).to_owned();
        let new = FileEntry {
            id: Some(id),
            reported: ReportedState::Present(hash(problems)),
            ..FileEntry::new(&item, listing)
        };
        self.change(key, &folder, |entry| *entry = new);
    }

    /// Enters a file that was read and is not listed.
    pub(super) fn enter_unlisted(&mut self, key: FileKey, row: ScannedFile) {
        let key = FileKey { beneath: key.beneath.in_path_of(&row.item), ..key };
        let folder = parent_folder(row.item.root_path()).to_owned();
        let new =
            FileEntry { is_refused: row.is_refused, ..FileEntry::new(&row.item, row.listing) };
        self.change(key, &folder, |entry| *entry = new);
    }

    /// Enters a file that is not there, for the window to list at a path from the root. Returns its id, and whether that is new.
    pub(super) fn enter_absent(&mut self, key: FileKey, root_path: &str) -> (DocId, bool) {
        let next = DocId::new(self.ids);
        let (id, is_new) = self.change(key, parent_folder(root_path), |entry| {
            entry.read = ReadState::Gone;
            let is_new = entry.id.is_none();
            (*entry.id.get_or_insert(next), is_new)
        });
        self.ids += usize::from(is_new);
        (id, is_new)
    }

    /// Changes the entry of a file in a folder of the project, and the totals with it. The folder is to be reported.
    fn change<T>(
        &mut self,
        key: FileKey,
        folder: &str,
        change: impl FnOnce(&mut FileEntry) -> T,
    ) -> T {
        let folder = match self.by_folder.get_index_of(folder) {
            Some(folder) => folder,
            None => self.by_folder.insert_full(folder.into(), FolderFiles::default()).0,
        };
        self.unpublished.insert(folder);
        let entry = self.entries.entry(key);
        if let indexmap::map::Entry::Vacant(new) = &entry {
            self.by_folder[folder].files.push(new.index());
        }
        let entry = entry.or_default();
        entry.subtract_from(&mut self.totals);
        let result = change(entry);
        entry.add_to(&mut self.totals);
        result
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
        let metadata = (!is_refused).then(|| dir.metadata(&found.beneath).ok()).flatten();
        // Taken before the file is read: if it is written meanwhile, it has another stamp at the next look.
        let stamp = metadata.as_ref().map(FileStamp::new);
        if let Some(entry) = self.entries.get_mut(&FileKey::from_entry(&found)) {
            entry.last_rescan = self.rescan;
            let is_same = match (entry.stamp, stamp) {
                (Some(old), Some(new)) => old == new,
                // The scan passed on no stamps: a file of the same size that is older than the scan is unchanged.
                (None, Some(new)) => {
                    entry.bytes == new.bytes && !new.may_have_changed_since(self.scanned)
                }
                (_, None) => false,
            };
            // A file that comes back may have its old stamp, but its row is gone.
            let is_there = !matches!(entry.read, ReadState::Gone);
            if is_same && is_there && needs_reread == NeedsReread::Unknown {
                entry.stamp = stamp;
                return None;
            }
        }
        Some(PendingRead { found, stamp, reason: RereadReason::Written })
    }

    /// Enters the result of reading a file.
    pub(super) fn enter(&mut self, pending: PendingRead, item: Item, listing: FileListing) {
        let PendingRead { found, stamp, reason: why } = pending;
        let bytes = item.bytes;
        let key = FileKey::from_entry(&found);
        let key = FileKey { beneath: key.beneath.in_path_of(&item), ..key };
        let state = ReadState::from_item(item, listing);
        let is_contract = state.is_contract();
        let is_refused = matches!(found.kind, EntryKind::Refused(..));
        self.touched.insert(key.clone());
        let rescan = self.rescan;
        let (was_contract, id) = self.change(key, parent_folder(&found.root_path), |entry| {
            let was_contract = entry.read.is_contract();
            entry.last_rescan = rescan;
            entry.stamp = stamp;
            entry.is_refused = is_refused;
            entry.update(state, bytes);
            (was_contract, entry.id)
        });
        // The sessions that name a contract are judged again when one appears or disappears.
        self.contracts += u64::from(was_contract != is_contract);
        if let Some(id) = id.filter(|_| !is_refused && why == RereadReason::Written) {
            self.rewritten.push(id);
        }
    }

    /// Notes that a path no longer exists.
    pub(super) fn note_gone(&mut self, key: &FileKey) {
        if let Some(entry) = self.entries.get_mut(key) {
            self.contracts += u64::from(entry.read.is_contract());
            entry.subtract_from(&mut self.totals);
            let state = std::mem::replace(&mut entry.read, ReadState::Gone);
            let folder = state.item().and_then(|item| self.by_folder.get_index_of(item.folder()));
            self.unpublished.extend(folder);
            self.touched.insert(key.clone());
        }
    }

    /// Notes as removed what the present rescan did not meet; only in these folders, if they are given.
    pub(super) fn sweep(&mut self, folders: Option<&HashSet<FileKey>>) {
        let survey = self.rescan;
        let missing_keys: Vec<FileKey> = self
            .entries
            .iter()
            .filter(|(key, entry)| {
                entry.last_rescan != survey
                    && !matches!(entry.read, ReadState::Gone)
                    && folders.is_none_or(|folders| key.is_in(folders))
            })
            .map(|(key, _)| key.clone())
            .collect();
        for key in missing_keys {
            self.note_gone(&key);
        }
        let is_outside = |key: &FileKey| folders.is_some_and(|folders| !key.is_in(folders));
        self.folders.retain(|key, _| is_outside(key));
        self.file_links.retain(is_outside);
        if folders.is_none() {
            // Links are not counted by folder. A number that is too large after a partial walk only costs a walk of everything.
            self.folder_links = 0;
        }
    }

    /// Enters what a walk has visited.
    pub(super) fn enter_passed(&mut self, summary: WalkSummary) {
        for (opened, beneath, identity) in summary.folders {
            self.folders.insert(FileKey { opened, beneath: beneath.into() }, identity);
        }
        let links = summary.file_links.into_iter();
        self.file_links
            .extend(links.map(|(opened, path)| FileKey { opened, beneath: path.into() }));
        self.folder_links += summary.folder_links;
    }

    /// Returns whether several paths may lead to a folder: then the listing of one depends on all others.
    pub(super) fn has_several_ways(&self, project: &Project) -> bool {
        self.folder_links > 0 || project.opened.len() > 1
    }

    /// Returns the files of the matching items, to be read again.
    pub(super) fn entries_where(
        &self,
        project: &Project,
        is_affected: impl Fn(usize, &Item) -> bool,
    ) -> Vec<PendingRead> {
        let reads = self.entries.iter().filter_map(|(key, entry)| {
            let item = entry.read.item().filter(|item| is_affected(key.opened, item))?;
            let found = walk_entry(project, key, item);
            // The stamp of the earlier read: if the file was written since, an event causes another read.
            let stamp = entry.stamp;
            Some(PendingRead { found, stamp, reason: RereadReason::DependencyChanged })
        });
        reads.collect()
    }

    /// Returns the links to files that were written under another name, which the system does not report.
    pub(super) fn written_through_links(&self, project: &Project) -> Vec<PendingRead> {
        let reads = self.file_links.iter().filter_map(|key| {
            let entry = self.entries.get(key)?;
            let metadata = project.opened[key.opened].dir.metadata(&key.beneath).ok();
            let stamp = metadata.as_ref().map(FileStamp::new);
            let item = entry.read.item().filter(|_| entry.stamp != stamp)?;
            let found = walk_entry(project, key, item);
            Some(PendingRead { found, stamp, reason: RereadReason::Written })
        });
        reads.collect()
    }
}

impl FileEntry {
    fn new(item: &Item, listing: FileListing) -> Self {
        let read = ReadState::from_item(item.clone(), listing);
        Self { bytes: item.bytes, read, ..Self::default() }
    }

    fn add_to(&self, totals: &mut ReadProgress) {
        if self.is_counted() {
            totals.known += 1;
            totals.not_opened += usize::from(self.is_refused);
            totals.read += usize::from(!self.is_refused);
            totals.bytes += if self.is_refused { 0 } else { self.bytes };
        }
    }

    fn subtract_from(&self, totals: &mut ReadProgress) {
        if self.is_counted() {
            totals.known -= 1;
            totals.not_opened -= usize::from(self.is_refused);
            totals.read -= usize::from(!self.is_refused);
            totals.bytes -= if self.is_refused { 0 } else { self.bytes };
        }
    }

    fn is_counted(&self) -> bool {
        !matches!(self.read, ReadState::Gone | ReadState::Uncounted)
    }

    /// Sets the present result. An unchanged result is not reported. A file of a known kind stays listed while
    /// it cannot be understood: a program may be writing it.
    fn update(&mut self, state: ReadState, bytes: u64) {
        self.bytes = bytes;
        let state = match (&self.read, state) {
            (ReadState::Listed(old), ReadState::Deferred(new))
                if (old.kind != FileKind::Unknown || is_unread(old)) && is_unread(&new) =>
            {
                ReadState::Listed(new)
            }
            (_, state) => state,
        };
        let is_same = match (&self.read, &state) {
            (ReadState::Listed(old), ReadState::Listed(new))
            | (ReadState::Deferred(old), ReadState::Deferred(new)) => old == new,
            _ => false,
        };
        if !is_same {
            self.read = state;
            if self.reported != ReportedState::Nothing {
                self.reported = ReportedState::Outdated;
            }
        }
    }
}

/// Returns a hash of a list of problems.
pub(super) fn hash(problems: &[Problem]) -> u64 {
    // Compared only within one run, so any fixed seed will do.
    FixedState::default().hash_one(problems)
}

/// Returns what a walk would find for a known file.
fn walk_entry(project: &Project, key: &FileKey, item: &Item) -> WalkEntry {
    WalkEntry {
        order: 0,
        opened: key.opened,
        beneath: key.beneath.to_path_buf(),
        path: Arc::clone(&item.path),
        root_path: item.root_path().into(),
        kind: match project.opened[key.opened].file {
            Some(_) => EntryKind::Named,
            None => EntryKind::File,
        },
        is_link: false,
        stamp: None,
    }
}
