//! What is known of every file.

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

/// Names a file or folder: what it was opened by, and its path from there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) opened: usize,
    pub(super) beneath: PathBuf,
}

/// What is known of every file that was opened.
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
    /// When the files were read that have no stamp yet.
    scanned: SystemTime,
    /// Counts surveys.
    survey: u32,
    /// Grows when a contract comes or goes.
    pub(super) contracts: u64,
    /// Files that were written since they were told last.
    pub(super) rewritten: Vec<DocId>,
    /// Files that are others now, or came, or went, since they were told last.
    pub(super) touched: HashSet<Key>,
}

#[derive(Debug)]
pub(super) struct Entry {
    /// From the first time it is listed on.
    pub(super) id: Option<DocId>,
    pub(super) stamp: Option<Stamp>,
    /// The last survey that saw it.
    survey: u32,
    pub(super) read: Read,
    pub(super) bytes: u64,
    pub(super) is_refused: bool,
    /// What the window knows of it.
    pub(super) told: Told,
}

/// What a file turned out to be. Items are as they are by themselves, without what shows only beside others.
#[derive(Clone, Debug)]
pub(super) enum Read {
    /// It is not there any more.
    Gone,
    /// It is no business of ours.
    Passed,
    /// It is code that seeds nothing, of which a project has more than of our files.
    Uncounted,
    /// It is listed only beside files of a known kind.
    Held(Arc<Item>),
    Listed(Arc<Item>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// Nothing: it is not in the library.
    Nothing,
    /// An item that is another one by now.
    Outdated,
    /// The present item, with the problems beside others that have this hash.
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
    /// Something that it refers to is another thing now.
    Refers,
}

/// Whether a file has to be read although it looks the same from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Suspicion {
    /// The system said that something happened to it.
    Told,
    /// It was only met.
    None,
}

impl Key {
    fn of(found: &Found) -> Self {
        Self {
            opened: found.opened,
            beneath: found.beneath.clone(),
        }
    }

    /// Whether one of these folders holds it, at whatever depth.
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

    /// The item, if it is listed where these folders hold files of a known kind.
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
    /// Nothing yet; what was read was read after `scanned`.
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

    /// Enters an item that the window has, with the next id and the problems that it has beside others.
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

    /// Begins a survey: what it does not meet and [sweeps](Self::sweep) is gone.
    pub(super) fn begin(&mut self) {
        self.survey += 1;
    }

    /// Takes note that a file is there. Gives it back if it has to be read.
    pub(super) fn meet(
        &mut self,
        project: &Project,
        found: Found,
        suspicion: Suspicion,
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
            if is_same && is_there && suspicion == Suspicion::None {
                entry.stamp = stamp;
                return None;
            }
        }
        let why = Why::Written;
        Some(ToRead { found, stamp, why })
    }

    /// Enters what a file turned out to be.
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

    /// Notes that what was at a path is not there any more.
    pub(super) fn lose(&mut self, key: &Key) {
        if let Some(entry) = self.entries.get_mut(key) {
            self.contracts += u64::from(entry.read.is_contract());
            entry.read = Read::Gone;
            self.touched.insert(key.clone());
        }
    }

    /// Notes as gone what the present survey did not meet; only what lies in these folders, if they are given.
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

    /// Enters what a walk passed.
    pub(super) fn enter_passed(&mut self, passed: Passed) {
        for (opened, beneath, identity) in passed.folders {
            self.folders.insert(Key { opened, beneath }, identity);
        }
        let links = passed.file_links.into_iter();
        let links = links.map(|(opened, beneath)| Key { opened, beneath });
        self.file_links.extend(links);
        self.folder_links += passed.folder_links;
    }

    /// Whether there may be several ways to a folder: then what is listed of one depends on all others.
    pub(super) fn has_several_ways(&self, project: &Project) -> bool {
        self.folder_links > 0 || project.opened.len() > 1
    }

    /// The files of such items, to be read again.
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

    /// The links to files that were written by their other name: nobody told of those.
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

    /// Takes what the file is now. What is the same as before is no news. A file that was of a known kind stays listed while
    /// it cannot be understood: somebody may be writing it.
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

/// What a walk would find for a file that is known.
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
