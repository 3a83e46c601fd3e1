//! All items in the orders that a listing needs.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};

use super::{findings, sorting};
use crate::{
    BlockVerdict, DocId, Finding, Grouping, Items, ListingOptions, Sort, SourceList, heading_of,
};
use calls::Item;
use document::FileKind;

/// All items in the orders that a listing needs; reused for the next listing.
#[derive(Clone, Debug, Default)]
pub struct Orders {
    pub by_path: Arc<[DocId]>,
    /// The verdict on each item, by its number.
    pub verdicts: Arc<[BlockVerdict]>,
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
            let groups = Groups::new(items, &orders.sorted, |item| heading_of(item, grouping));
            orders.groups = groups.into();
        }
        orders
    }

    fn of_items(items: &Items) -> Self {
        let by_path = sorting::by_path(items);
        let sources = SourceList::new(items, &by_path);
        let mut verdicts = vec![BlockVerdict::default(); items.ids()];
        items.iter().for_each(|(id, item)| verdicts[id.index()] = BlockVerdict::of_item(item));
        let sets = Groups::new(items, &by_path, |item| match item.kind {
            FileKind::Recording => item.folder(),
            _ => "",
        });
        Self {
            verdicts: verdicts.into(),
            sets: sets.into(),
            findings: findings::in_items(items, items.iter().map(|(id, _)| id), &sources).into(),
            sources: sources.into(),
            by_path,
            ..Self::default()
        }
    }
}

/// All items by heading.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    /// The group of each item, by its number.
    pub(crate) group_of: Vec<u32>,
    /// The headings with their items, which are in the order in which all were given.
    pub(crate) groups: Vec<(Box<str>, Vec<DocId>)>,
}

impl Groups {
    fn new<'i>(items: &'i Items, ids: &[DocId], heading: impl Fn(&'i Item) -> &'i str) -> Self {
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut group_of = vec![0; items.ids()];
        // In the order of memory, in which items are looked at in a fraction of the time.
        for (id, item) in items.iter() {
            let next = numbers.len() as u32;
            group_of[id.index()] = *numbers.entry(heading(item)).or_insert(next);
        }
        let mut groups = vec![(Box::<str>::default(), Vec::new()); numbers.len()];
        numbers.into_iter().for_each(|(name, number)| groups[number as usize].0 = name.into());
        ids.iter().for_each(|id| groups[group_of[id.index()] as usize].1.push(*id));
        Self { group_of, groups }
    }
}
