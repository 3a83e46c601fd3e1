//! The state of every file, on disk and in the window.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use super::publish::hash;
use super::stamp::Stamp;
use crate::engine::project::Project;
use crate::engine::reader::{Beside, Listing, is_unread};
use crate::engine::scan::Row;
use crate::engine::walk::{Found, Identity, Passed, What};
use crate::format::{Kind, Problem};
use crate::ops::Item;
use crate::workbench::DocId;

/// Identifies a file or folder: the index of its opened path, and its path from there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) opened: usize,
    pub(super) beneath: PathBuf,
}

/// The state of every opened file.
#[derive(Debug)]
pub(super) struct Ledger {
    pub(super) entries: HashMap<Key, Entry>,
    /// How many ids were given out.
    pub(super) ids: usize,
    /// The folders that are listed.
    pub(super) folders: HashMap<Key, Option<Identity>>,
    /// Files that are links to files.
    file_links: HashSet<Key>,
    /// How many links to folders there are.
    folder_links: usize,
    /// When the files without a stamp were read.
    scanned: SystemTime,
    /// The number of the present rescan.
    survey: u32,
    /// Counts added and removed contracts.
    pub(super) contracts: u64,
    /// Files that were written since they were last reported.
    pub(super) rewritten: Vec<DocId>,
    /// Files that were changed, added or removed since they were last reported.
    pub(super) touched: HashSet<Key>,
}

#[derive(Debug)]
pub(super) struct Entry {
    /// Set when it is first listed.
    pub(super) id: Option<DocId>,
    pub(super) stamp: Option<Stamp>,
    /// The last rescan that saw it.
    survey: u32,
    pub(super) read: Read,
    pub(super) bytes: u64,
    pub(super) is_refused: bool,
    /// Its state in the window.
    pub(super) told: Told,
}

/// The result of reading a file. Items are without the problems that depend on other items.
#[derive(Clone, Debug)]
pub(super) enum Read {
    /// It no longer exists.
    Gone,
    /// It is not a file for Retake.
    Passed,
    /// It is code without seeds.
    Uncounted,
    /// It is listed only beside files of a known kind.
    Held(Arc<Item>),
    Listed(Arc<Item>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// It is not in the library.
    Nothing,
    /// An item that has changed since.
    Outdated,
    /// The present item, with the hash of its problems that depend on other items.
    Present(u64),
}

/// A file that has to be read.
#[derive(Debug)]
pub(super) struct ToRead {
    pub(super) found: Found,
    stamp: Option<Stamp>,
    why: Why,
}

/// Why a file is read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    /// It may have been written.
    Written,
    /// Something that it refers to has changed.
    Refers,
}

/// Whether a file must be read although its metadata is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Suspicion {
    /// The system reported a change of it.
    Told,
    /// It was only visited.
    None,
}

impl Key {
    fn of(found: &Found) -> Self {
        Self {
            opened: found.opened,
            beneath: found.beneath.clone(),
        }
    }

    /// Returns whether it is in one of these folders, at any depth.
    pub(super) fn is_in(&self, folders: &HashSet<Key>) -> bool {
        self.beneath.ancestors().any(|folder| {
            folders.contains(&Self {
                opened: self.opened,
                beneath: folder.to_owned(),
            })
        })
    }
}

impl Read {
    fn of(item: Arc<Item>, listing: Listing) -> Self {
        match listing {
            Listing::Listed => Self::Listed(item),
            Listing::Held => Self::Held(item),
            Listing::Passed => Self::Passed,
            Listing::Uncounted => Self::Uncounted,
        }
    }

    fn item(&self) -> Option<&Arc<Item>> {
        match self {
            Self::Listed(item) | Self::Held(item) => Some(item),
            Self::Gone | Self::Passed | Self::Uncounted => None,
        }
    }

    /// Returns the item if it is listed, given the folders with files of known kinds.
    pub(super) fn shown(&self, folders: &Beside) -> Option<&Arc<Item>> {
        match self {
            Self::Listed(item) => Some(item),
            Self::Held(item) => folders.lists(item).then_some(item),
            Self::Gone | Self::Passed | Self::Uncounted => None,
        }
    }

    fn is_contract(&self) -> bool {
        self.item().is_some_and(|item| item.kind == Kind::Contract)
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
            scanned,
            survey: 0,
            contracts: 0,
            rewritten: Vec::new(),
            touched: HashSet::new(),
        }
    }

    /// Enters an item that the window has, with the next id and its problems that depend on other items.
    pub(super) fn enter_told(
        &mut self,
        key: Option<Key>,
        read: (Arc<Item>, Listing),
        beside: &[Problem],
    ) {
        let id = DocId::new(self.ids);
        self.ids += 1;
        let (item, listing) = read;
        let Some(key) = key else { return };
        let entry = Entry {
            id: Some(id),
            told: Told::Present(hash(beside)),
            is_refused: false,
            ..Entry::new(item, listing)
        };
        self.entries.insert(key, entry);
    }

    /// Enters a file that was read and is not listed.
    pub(super) fn enter_unlisted(&mut self, key: Key, row: Row) {
        let entry = Entry {
            is_refused: row.is_refused,
            ..Entry::new(row.item, row.listing)
        };
        self.entries.insert(key, entry);
    }

    /// Enters a file that is not there, for the window to list. Returns its id, and whether that is new.
    pub(super) fn enter_absent(&mut self, key: Key) -> (DocId, bool) {
        let entry = self.entries.entry(key).or_insert_with(Entry::nothing);
        entry.read = Read::Gone;
        let next = DocId::new(self.ids);
        let is_new = entry.id.is_none();
        self.ids += usize::from(is_new);
        (*entry.id.get_or_insert(next), is_new)
    }

    /// Begins a rescan: files that it does not meet are removed by [`sweep`](Self::sweep).
    pub(super) fn begin(&mut self) {
        self.survey += 1;
    }

    /// Notes that a file exists. Returns it if it must be read.
    pub(super) fn meet(
        &mut self,
        project: &Project,
        found: Found,
        needs_reread: Suspicion,
    ) -> Option<ToRead> {
        let dir = &project.opened[found.opened].dir;
        let is_refused = matches!(found.what, What::Refused(..));
        let stamp = (!is_refused)
            .then(|| Stamp::of(dir, &found.beneath))
            .flatten();
        if let Some(entry) = self.entries.get_mut(&Key::of(&found)) {
            entry.survey = self.survey;
            let is_same = match (entry.stamp, stamp) {
                (Some(old), Some(new)) => old == new,
                (None, Some(new)) => entry.bytes == new.bytes && !new.may_be_since(self.scanned),
                (_, None) => false,
            };
            let is_there = !matches!(entry.read, Read::Gone);
            if is_same && is_there && needs_reread == Suspicion::None {
                entry.stamp = stamp;
                return None;
            }
        }
        let why = Why::Written;
        Some(ToRead { found, stamp, why })
    }

    /// Enters the result of reading a file.
    pub(super) fn enter(&mut self, read: ToRead, item: Item, listing: Listing) {
        let ToRead { found, stamp, why } = read;
        let bytes = item.bytes;
        let read = Read::of(Arc::new(item), listing);
        let is_refused = matches!(found.what, What::Refused(..));
        let key = Key::of(&found);
        self.touched.insert(key.clone());
        let entry = self.entries.entry(key).or_insert_with(Entry::nothing);
        if entry.read.is_contract() != read.is_contract() {
            self.contracts += 1;
        }
        if let Some(id) = entry.id.filter(|_| !is_refused && why == Why::Written) {
            self.rewritten.push(id);
        }
        entry.survey = self.survey;
        entry.stamp = stamp;
        entry.is_refused = is_refused;
        entry.put(read, bytes);
    }

    /// Notes that a path no longer exists.
    pub(super) fn lose(&mut self, key: &Key) {
        if let Some(entry) = self.entries.get_mut(key) {
            self.contracts += u64::from(entry.read.is_contract());
            entry.read = Read::Gone;
            self.touched.insert(key.clone());
        }
    }

    /// Notes as removed what the present rescan did not meet; only in these folders, if they are given.
    pub(super) fn sweep(&mut self, within: Option<&HashSet<Key>>) {
        let survey = self.survey;
        let unmet = self.entries.iter().filter(|(key, entry)| {
            entry.survey != survey
                && !matches!(entry.read, Read::Gone)
                && within.is_none_or(|folders| key.is_in(folders))
        });
        let unmet: Vec<Key> = unmet.map(|(key, _)| key.clone()).collect();
        for key in unmet {
            self.lose(&key);
        }
        let stays = |key: &Key| within.is_some_and(|folders| !key.is_in(folders));
        self.folders.retain(|key, _| stays(key));
        self.file_links.retain(stays);
        if within.is_none() {
            self.folder_links = 0;
        }
    }

    /// Enters what a walk has visited.
    pub(super) fn enter_passed(&mut self, passed: Passed) {
        for (opened, beneath, identity) in passed.folders {
            self.folders.insert(Key { opened, beneath }, identity);
        }
        let links = passed.file_links.into_iter();
        let links = links.map(|(opened, beneath)| Key { opened, beneath });
        self.file_links.extend(links);
        self.folder_links += passed.folder_links;
    }

    /// Returns whether several paths may lead to a folder: then the listing of one depends on all others.
    pub(super) fn has_several_ways(&self, project: &Project) -> bool {
        self.folder_links > 0 || project.opened.len() > 1
    }

    /// Returns the files of the matching items, to be read again.
    pub(super) fn of(&self, project: &Project, such: impl Fn(&Item) -> bool) -> Vec<ToRead> {
        let again = self.entries.iter().filter_map(|(key, entry)| {
            let item = entry.read.item().filter(|item| such(item))?;
            let found = found(project, key, item);
            let stamp = entry.stamp;
            let why = Why::Refers;
            Some(ToRead { found, stamp, why })
        });
        again.collect()
    }

    /// Returns the links to files that were written under another name, which the system does not report.
    pub(super) fn written_through_links(&self, project: &Project) -> Vec<ToRead> {
        let written = self.file_links.iter().filter_map(|key| {
            let entry = self.entries.get(key)?;
            let stamp = Stamp::of(&project.opened[key.opened].dir, &key.beneath);
            let item = entry.read.item().filter(|_| entry.stamp != stamp)?;
            let found = found(project, key, item);
            let why = Why::Written;
            Some(ToRead { found, stamp, why })
        });
        written.collect()
    }
}

impl Entry {
    fn nothing() -> Self {
        Self {
            id: None,
            stamp: None,
            survey: 0,
            read: Read::Gone,
            bytes: 0,
            is_refused: false,
            told: Told::Nothing,
        }
    }

    fn new(item: Arc<Item>, listing: Listing) -> Self {
        Self {
            bytes: item.bytes,
            read: Read::of(item, listing),
            ..Self::nothing()
        }
    }

    /// Sets the present result. An unchanged result is not reported. A file of a known kind stays listed while
    /// it cannot be understood: a program may be writing it.
    fn put(&mut self, read: Read, bytes: u64) {
        self.bytes = bytes;
        let read = match (&self.read, read) {
            (Read::Listed(old), Read::Held(new))
                if (old.kind != Kind::Unknown || is_unread(old)) && is_unread(&new) =>
            {
                Read::Listed(new)
            }
            (_, read) => read,
        };
        let is_same = match (&self.read, &read) {
            (Read::Listed(old), Read::Listed(new)) | (Read::Held(old), Read::Held(new)) => {
                old == new
            }
            _ => false,
        };
        if !is_same {
            self.read = read;
            self.told.becomes_outdated();
        }
    }
}

impl Told {
    fn becomes_outdated(&mut self) {
        if *self != Self::Nothing {
            *self = Self::Outdated;
        }
    }
}

/// Returns what a walk would find for a known file.
fn found(project: &Project, key: &Key, item: &Item) -> Found {
    Found {
        order: 0,
        opened: key.opened,
        beneath: key.beneath.clone(),
        path: Arc::clone(&item.path),
        root_path: Arc::clone(&item.root_path),
        what: match project.opened[key.opened].file {
            Some(_) => What::Named,
            None => What::File,
        },
    }
}
