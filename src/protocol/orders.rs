//! All items in the orders that a listing needs.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};

use super::{findings, sorting};
use crate::{
    BlockVerdict, DocId, Finding, Grouping, Items, ListingOptions, Sort, SourceList, heading_of,
};
use calls::Item;
use document::{FileKind, Severity};

/// All items in the orders that a listing needs; reused for the next listing.
#[derive(Clone, Debug, Default)]
pub struct Orders {
    pub by_path: Arc<[DocId]>,
    /// The place of each item in `by_path`, by its number.
    pub path_ranks: Arc<[u32]>,
    /// The verdict on each item, by its number.
    pub verdicts: Arc<[BlockVerdict]>,
    /// The items with problems, in the order of `by_path`.
    pub flawed: Arc<[DocId]>,
    /// Those of them that have more than notes.
    pub warned: Arc<[DocId]>,
    /// The recordings by folder, in the order of their paths. Under no heading are those that are in no set, and other files.
    pub(crate) sets: Arc<Groups>,
    /// Sort order and grouping of the two below; `None` before they are made.
    pub(crate) made_for: Option<(Sort, Grouping)>,
    pub sorted: Arc<[DocId]>,
    pub(crate) groups: Arc<Groups>,
    pub sources: Arc<SourceList>,
    pub findings: Arc<[Finding]>,
}

impl Orders {
    /// Sorts and groups items. `old_orders` are the orders of the same items, possibly sorted and grouped otherwise.
    pub(crate) fn new(items: &Items, choice: &ListingOptions, old_orders: Option<Self>) -> Self {
        let (sort, grouping) = (choice.sort, choice.grouping);
        let mut orders = old_orders.unwrap_or_else(|| Self::of_items(items));
        let made_for = orders.made_for.replace((sort, grouping));
        if made_for.is_none_or(|(old_sort, _)| old_sort != sort) {
            orders.sorted = sorting::sorted(items, &orders, sort);
        }
        if made_for != orders.made_for {
            // The headings of items do not depend on their order.
            let old_headings = Arc::clone(&orders.groups.headings);
            let headings = match made_for {
                Some((_, old_grouping)) if old_grouping == grouping => old_headings,
                _ => Headings::new(items, |item| heading_of(item, grouping)).into(),
            };
            orders.groups = Groups::new(headings, &orders.sorted).into();
        }
        orders
    }

    fn of_items(items: &Items) -> Self {
        let by_path = sorting::by_path(items);
        let sources = SourceList::new(items, &by_path);
        let mut verdicts = vec![BlockVerdict::default(); items.ids()];
        let mut worst_levels = vec![None; items.ids()];
        // In the order of memory, in which items are looked at in a fraction of the time.
        for (id, item) in items.iter() {
            verdicts[id.index()] = BlockVerdict::of_item(item);
            worst_levels[id.index()] = item.worst();
        }
        let mut path_ranks = vec![0; items.ids()];
        for (rank, id) in (0..).zip(&*by_path) {
            path_ranks[id.index()] = rank;
        }
        let from_level = |level: Severity| {
            let ids = by_path.iter().copied();
            ids.filter(|id| worst_levels[id.index()] >= Some(level)).collect()
        };
        let headings = Headings::new(items, |item| match item.kind {
            FileKind::Recording => item.folder(),
            _ => "",
        });
        Self {
            path_ranks: path_ranks.into(),
            verdicts: verdicts.into(),
            flawed: from_level(Severity::Note),
            warned: from_level(Severity::Warning),
            sets: Groups::new(headings.into(), &by_path).into(),
            findings: findings::in_items(items, items.iter().map(|(id, _)| id), &sources).into(),
            sources: sources.into(),
            by_path,
            ..Self::default()
        }
    }
}

/// The headings of all items.
#[derive(Debug, Default)]
struct Headings {
    names: Vec<Box<str>>,
    /// The number of the heading of each item, by the number of the item.
    numbers: Vec<u32>,
}

impl Headings {
    fn new<'i>(items: &'i Items, heading: impl Fn(&'i Item) -> &'i str) -> Self {
        let mut by_name: HashMap<&str, u32> = HashMap::new();
        let mut numbers = vec![0; items.ids()];
        let mut last: Option<(&str, u32)> = None;
        // In the order of memory.
        for (id, item) in items.iter() {
            let name = heading(item);
            let number = match last {
                // Most items have the heading of the one before, which needs no hash.
                Some((last_name, number)) if last_name == name => number,
                _ => {
                    let next = by_name.len() as u32;
                    *by_name.entry(name).or_insert(next)
                }
            };
            last = Some((name, number));
            numbers[id.index()] = number;
        }
        let mut names = vec![Box::default(); by_name.len()];
        by_name.into_iter().for_each(|(name, number)| names[number as usize] = name.into());
        Self { names, numbers }
    }
}

/// All items by heading.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    headings: Arc<Headings>,
    /// The items of one group after those of another; each group in the order in which all were given.
    ids: Vec<DocId>,
    /// The end of each group in `ids`.
    ends: Vec<u32>,
}

impl Groups {
    fn new(headings: Arc<Headings>, ids: &[DocId]) -> Self {
        let mut ends = vec![0; headings.names.len()];
        ids.iter().for_each(|id| ends[headings.numbers[id.index()] as usize] += 1);
        // Each number is the beginning of its group, until its items are entered.
        let mut start = 0;
        for end in &mut ends {
            start += std::mem::replace(end, start);
        }
        let mut grouped_ids = vec![DocId::new(0); ids.len()];
        for id in ids {
            let next = &mut ends[headings.numbers[id.index()] as usize];
            grouped_ids[*next as usize] = *id;
            *next += 1;
        }
        Self { headings, ids: grouped_ids, ends }
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the group of an item.
    pub(crate) fn group_of(&self, id: DocId) -> usize {
        self.headings.numbers[id.index()] as usize
    }

    /// Returns the heading of a group.
    pub(crate) fn name(&self, group: usize) -> &str {
        &self.headings.names[group]
    }

    /// Returns the items of a group.
    pub(crate) fn ids(&self, group: usize) -> &[DocId] {
        let start = group.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.ids[start as usize..self.ends[group] as usize]
    }
}
