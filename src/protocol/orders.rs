//! All items in the orders that a listing needs.

use std::ops::Range;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};

use super::{findings, sorting};
use crate::{
    BlockVerdict, DocId, Finding, Grouping, Items, ListingOptions, Sort, SourceList, heading_of,
};
use document::FileKind;

/// All items in the orders that a listing needs; reused for the next listing.
#[derive(Clone, Debug, Default)]
pub struct Orders {
    pub by_path: Arc<[DocId]>,
    /// The verdict on each item, by its number.
    pub verdicts: Arc<[BlockVerdict]>,
    pub(crate) folders: Arc<Folders>,
    /// What `sorted` and `groups` were made for; `None` before they are.
    pub(crate) made_for: Option<(Sort, Grouping)>,
    pub sorted: Arc<[DocId]>,
    pub(crate) groups: Arc<Groups>,
    pub sources: Arc<SourceList>,
    pub findings: Arc<[Finding]>,
}

impl Orders {
    /// Sorts and groups items. `old_orders` are the orders of the same items, possibly sorted and grouped otherwise.
    pub(crate) fn new(items: &Items, choice: &ListingOptions, old_orders: Option<Self>) -> Self {
        let mut orders = old_orders.unwrap_or_else(|| Self::of_items(items));
        let made_for = orders.made_for.replace((choice.sort, choice.grouping));
        if made_for.is_none_or(|(sort, _)| sort != choice.sort) {
            let (by_path, verdicts) = (&orders.by_path, &orders.verdicts);
            orders.sorted = sorting::sorted(items, by_path, verdicts, choice.sort);
        }
        if made_for != orders.made_for {
            orders.groups = Groups::new(items, &orders.sorted, choice.grouping).into();
        }
        orders
    }

    fn of_items(items: &Items) -> Self {
        let by_path = sorting::by_path(items);
        let sources = SourceList::new(items, &by_path);
        let mut verdicts = vec![BlockVerdict::default(); items.ids()];
        items.iter().for_each(|(id, item)| verdicts[id.index()] = BlockVerdict::of_item(item));
        Self {
            verdicts: verdicts.into(),
            folders: Folders::new(items, Arc::clone(&by_path)).into(),
            findings: findings::in_items(items, &sources).into(),
            sources: sources.into(),
            by_path,
            ..Self::default()
        }
    }
}

/// The folders with recordings that can be one row.
#[derive(Debug, Default)]
pub(crate) struct Folders {
    /// The folder of each recording, by its number; [`NO_FOLDER`] for other files.
    folder_of: Vec<u32>,
    /// Where the files of each folder are in the order of paths.
    pub(crate) files: Vec<Range<usize>>,
    by_path: Arc<[DocId]>,
}

const NO_FOLDER: u32 = u32::MAX;

impl Folders {
    fn new(items: &Items, by_path: Arc<[DocId]>) -> Self {
        let (mut files, mut last_folder) = (Vec::<Range<usize>>::new(), None);
        let mut folder_of = vec![NO_FOLDER; items.ids()];
        for (place, id) in by_path.iter().enumerate() {
            let Some(item) = items.get(*id) else { continue };
            let folder = Some(item.folder());
            match files.last_mut().filter(|_| last_folder == folder) {
                Some(range) => range.end = place + 1,
                None => files.push(place..place + 1),
            }
            last_folder = folder;
            // The opened folder itself has no name that a row could show.
            if item.kind == FileKind::Recording && !item.folder().is_empty() {
                folder_of[id.index()] = files.len() as u32 - 1;
            }
        }
        Self { folder_of, files, by_path }
    }

    /// Returns the number of the folder of a recording, and all files there; `None` for other files.
    pub(crate) fn get(&self, id: DocId) -> Option<(usize, &[DocId])> {
        let folder = self.folder_of[id.index()] as usize;
        Some((folder, &self.by_path[self.files.get(folder)?.clone()]))
    }
}

/// All items by heading.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    /// The group of each item, by its number.
    group_of: Vec<u32>,
    pub(crate) groups: Vec<Group>,
}

/// The items under a heading.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) heading: Box<str>,
    /// In the sort order.
    pub(crate) ids: Vec<DocId>,
}

impl Groups {
    fn new(items: &Items, sorted: &[DocId], grouping: Grouping) -> Self {
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut groups = Vec::new();
        let mut number_of = |heading| {
            *numbers.entry(heading).or_insert_with(|| {
                groups.push(Group { heading: Box::from(heading), ids: Vec::new() });
                groups.len() as u32 - 1
            })
        };
        match grouping {
            // Verdicts have an order of their own.
            Grouping::Status => {
                for verdict in BlockVerdict::OF_ITEMS {
                    number_of(verdict.label());
                }
            }
            Grouping::None => {
                number_of("");
            }
            Grouping::Folder | Grouping::Provider | Grouping::Source => {}
        }
        let mut group_of = vec![0; items.ids()];
        if grouping != Grouping::None {
            for (id, item) in items.iter() {
                group_of[id.index()] = number_of(heading_of(item, grouping));
            }
        }
        for id in sorted {
            groups[group_of[id.index()] as usize].ids.push(*id);
        }
        Self { group_of, groups }
    }

    /// Returns the number of the group of an item.
    pub(crate) fn of(&self, id: DocId) -> usize {
        self.group_of[id.index()] as usize
    }
}
