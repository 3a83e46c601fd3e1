//! The rows of the library: filtered, sorted and grouped.

use std::collections::HashSet;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};
use serde::{Deserialize, Serialize};

use super::{findings, sorting};
use crate::{BlockVerdict, BodyVerdicts, DocId, Finding, Items, Sort, SourceList};
use calls::Item;
use check::search::{self, Completion, FilterQuery};
use document::FileKind;
use document::text::natural_order;

/// The revisions of the items and of the listing options that a listing is made from.
pub type ListKey = (u64, u64);

/// A request for a listing, with all inputs.
#[derive(Debug)]
pub struct ListRequest {
    pub key: ListKey,
    pub items: Items,
    pub options: ListingOptions,
    /// The known orders of the items.
    pub orders: Option<Orders>,
    /// The text of the filter to complete.
    pub typed: Option<String>,
}

impl ListRequest {
    /// Makes the listing. With a hundred thousand items this takes longer than a frame.
    pub fn list(&self) -> LibraryListing {
        LibraryListing::build(&self.items, &self.options, self.orders.clone())
    }

    /// Finds the completions of the filter; `None` if none are requested.
    pub fn complete(&self) -> Option<Vec<Completion>> {
        let text = self.typed.as_deref()?;
        let items = self.items.iter().map(|(_, item)| &**item);
        Some(search::complete(text, text.len(), items))
    }
}

/// Grouping of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Grouping {
    /// By folder, with a row for each set of recordings.
    #[default]
    Folder,
    /// By the service that answered.
    Provider,
    /// By verdict.
    Status,
    /// By the source that recordings were made from.
    Source,
    /// Not grouped.
    None,
}

impl Grouping {
    /// The groupings in the order of the menu.
    pub const ALL: [Self; 5] =
        [Self::Folder, Self::Provider, Self::Status, Self::Source, Self::None];

    /// Returns the label of the grouping.
    pub fn name(self) -> &'static str {
        match self {
            Self::Folder => "Folder",
            Self::Provider => "Provider",
            Self::Status => "Status",
            Self::Source => "Source",
            Self::None => "No groups",
        }
    }
}

/// One row on screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LibraryRow {
    /// A heading.
    Group(Box<LibraryGroup>),
    /// A folder of recordings.
    Set(Box<LibrarySet>),
    Item(DocId),
    /// A recording of the set above, by its number from 0.
    Member(DocId, usize),
    /// A call of the item above, by its number from 0.
    Call(DocId, usize),
}

/// Row that can be selected: an item, or a call in it by its number from 0.
pub type ListTarget = (DocId, Option<usize>);

/// A heading and its items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryGroup {
    /// The heading; also identifies it.
    pub name: String,
    /// The number of its rows, of which a set is one.
    pub count: usize,
    /// True if its rows are hidden.
    pub folded: bool,
}

/// The listed recordings of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibrarySet {
    /// The folder, from the project root.
    pub folder: String,
    /// The recordings in the order of their paths.
    pub members: Vec<DocId>,
    /// The first of the worst recordings, which is selected with the set.
    pub worst: DocId,
    /// Whether the recordings are listed below it.
    pub is_unfolded: bool,
}

/// Counts over all items that match the filter, whatever their verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub all: usize,
    /// By verdict, in the order of [`BlockVerdict::OF_ITEMS`].
    verdicts: [usize; BlockVerdict::OF_ITEMS.len()],
    /// Items that are cassettes.
    cassettes: usize,
}

/// The rows in the order of the screen.
#[derive(Clone, Debug, Default)]
pub struct LibraryListing {
    pub rows: Vec<LibraryRow>,
    /// The row of each item, by its number; [`HIDDEN_ROW`] if it has none.
    row_of: Vec<u32>,
    /// The number of listed items, including those in folded groups.
    pub len: usize,
    /// The numbers of headings, and of members and calls, above each row and above the end.
    above: Vec<(usize, usize)>,
    pub totals: Totals,
    pub orders: Orders,
}

/// All items in the orders that a listing needs; reused for the next listing.
#[derive(Clone, Debug, Default)]
pub struct Orders {
    pub by_path: Arc<[DocId]>,
    pub(crate) sort: Sort,
    pub sorted: Arc<[DocId]>,
    pub sources: Arc<SourceList>,
    pub findings: Arc<[Finding]>,
}

impl Orders {
    /// Sorts items. `old_orders` are the orders of the same items, possibly in another sort order.
    fn new(items: &Items, sort: Sort, old_orders: Option<Self>) -> Self {
        let (by_path, sources, findings) = match old_orders {
            Some(old_orders) if old_orders.sort == sort => return old_orders,
            Some(old_orders) => (old_orders.by_path, old_orders.sources, old_orders.findings),
            None => {
                let by_path = sorting::by_path(items);
                let sources = SourceList::new(items, &by_path);
                let findings = findings::in_items(items, &sources);
                (by_path, Arc::new(sources), findings.into())
            }
        };
        Self { sorted: sorting::sorted(items, &by_path, sort), by_path, sort, sources, findings }
    }
}

const HIDDEN_ROW: u32 = u32::MAX;

/// The options that determine the rows.
#[derive(Clone, Debug)]
pub struct ListingOptions {
    pub query: FilterQuery,
    /// Verdicts on the content of files, if the filter looks into it.
    pub bodies: Option<Arc<BodyVerdicts>>,
    /// The verdict of the listed items; `None` for all.
    pub verdict: Option<BlockVerdict>,
    pub sort: Sort,
    pub grouping: Grouping,
    pub folded: HashSet<String>,
    /// The items whose calls are listed.
    pub unfolded: HashSet<DocId>,
    /// The folders whose recordings are listed one by one.
    pub unfolded_sets: HashSet<String>,
}

impl ListingOptions {
    /// Returns whether an item is listed. One that passes the filter is counted in `totals`, whatever its verdict.
    fn lists(&self, id: DocId, item: &Item, totals: &mut Totals) -> bool {
        let bodies = self.bodies.as_deref();
        if bodies.is_some_and(|bodies| !bodies.fits(id)) || !self.query.matches(item) {
            return false;
        }
        let verdict = BlockVerdict::of_item(item);
        totals.count(item, verdict);
        self.verdict.is_none_or(|listed_verdict| listed_verdict == verdict)
    }
}

impl LibraryListing {
    /// Lists items. `cache` has the orders of an earlier listing of the same items.
    pub(crate) fn build(items: &Items, choice: &ListingOptions, cache: Option<Orders>) -> Self {
        let orders = Orders::new(items, choice.sort, cache);
        let mut listing = Self { row_of: vec![HIDDEN_ROW; items.ids()], orders, ..Self::default() };
        // By id, so that the sorted order is filtered without looking at items again.
        let mut listed_flags = vec![false; items.ids()];
        for (id, item) in items.iter() {
            listed_flags[id.index()] = choice.lists(id, item, &mut listing.totals);
        }
        listing.len = listed_flags.iter().filter(|is_listed| **is_listed).count();
        let listed = |ids: &Arc<[DocId]>| -> Vec<DocId> {
            ids.iter().copied().filter(|id| listed_flags[id.index()]).collect()
        };
        let sorted_ids = listed(&listing.orders.sorted);
        listing.rows = if choice.grouping == Grouping::None {
            sorted_ids.into_iter().map(LibraryRow::Item).collect()
        } else {
            let sets = if choice.grouping == Grouping::Folder {
                sets_of(items, listed(&listing.orders.by_path), &choice.unfolded_sets)
            } else {
                HashMap::new()
            };
            group_rows(items, &sorted_ids, sets, choice)
        };
        // Before rows are numbered, because members and calls are rows, too.
        listing.unfold(items, &choice.unfolded);
        listing.number_rows();
        listing
    }

    /// Notes the row of each item, and what is above each row.
    fn number_rows(&mut self) {
        let (mut headings, mut small_rows) = (0, 0);
        for (index, row) in self.rows.iter().enumerate() {
            self.above.push((headings, small_rows));
            let index = u32::try_from(index).unwrap_or(HIDDEN_ROW);
            match row {
                LibraryRow::Group(_) => headings += 1,
                LibraryRow::Call(..) => small_rows += 1,
                LibraryRow::Item(id) => self.row_of[id.index()] = index,
                LibraryRow::Member(id, _) => {
                    self.row_of[id.index()] = index;
                    small_rows += 1;
                }
                LibraryRow::Set(set) => {
                    set.members.iter().for_each(|id| self.row_of[id.index()] = index);
                }
            }
        }
        self.above.push((headings, small_rows));
    }

    /// Returns the numbers of headings, and of members and calls, above a row.
    pub fn above(&self, row: usize) -> (usize, usize) {
        self.above.get(row).or(self.above.last()).copied().unwrap_or_default()
    }

    /// Adds the recordings of unfolded sets, and the calls of these items, below them.
    fn unfold(&mut self, items: &Items, unfolded: &HashSet<DocId>) {
        let rows = std::mem::take(&mut self.rows);
        for row in rows {
            let calls = match &row {
                LibraryRow::Item(doc) if unfolded.contains(doc) => {
                    let calls = items.get(*doc).map_or(0, |item| item.calls.len());
                    (0..calls).map(|call| LibraryRow::Call(*doc, call)).collect()
                }
                LibraryRow::Set(set) if set.is_unfolded => {
                    let members = set.members.iter().enumerate();
                    members.map(|(number, doc)| LibraryRow::Member(*doc, number)).collect()
                }
                _ => Vec::new(),
            };
            self.rows.push(row);
            self.rows.extend(calls);
        }
    }

    /// The row of an item; `None` if it is not listed or its group is folded.
    pub fn row_of(&self, id: DocId) -> Option<usize> {
        let row = *self.row_of.get(id.index())?;
        (row != HIDDEN_ROW).then_some(row as usize)
    }

    /// True when no item is listed.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Number of ids that were assigned when it was built.
    pub fn item_count(&self) -> usize {
        self.row_of.len()
    }

    /// Returns the number of other items of the same folder that have the same signature.
    pub fn same_signature(&self, items: &Items, id: DocId) -> usize {
        let Some(item) = items.get(id) else { return 0 };
        let Some(signature) = &item.signature else { return 0 };
        let others = self.in_folder(items, item.folder()).iter().filter(|other| **other != id);
        let signatures = others.filter_map(|other| items.get(*other)?.signature.as_ref());
        signatures.filter(|other| *other == signature).count()
    }

    /// The items of a folder. Examines few others.
    pub fn in_folder(&self, items: &Items, folder: &str) -> &[DocId] {
        let folder_of = |id: &DocId| items.get(*id).map_or("", |item| item.folder());
        let ids = &self.orders.by_path;
        // `by_path` has the folders in this order.
        let start = ids.partition_point(|id| natural_order(folder_of(id), folder).is_lt());
        let rest = &ids[start..];
        let len = rest.partition_point(|id| folder_of(id) == folder);
        &rest[..len]
    }

    /// The row of an item, or of a call in it if that is listed.
    pub fn row_of_target(&self, (doc, call): ListTarget) -> Option<usize> {
        let row = self.row_of(doc)?;
        let call_row = call.map(|call| row + 1 + call);
        let is_listed =
            |index: &usize| self.rows.get(*index).and_then(LibraryRow::target) == Some((doc, call));
        Some(call_row.filter(is_listed).unwrap_or(row))
    }

    /// The first and the last visible item.
    pub fn first_and_last(&self) -> Option<(ListTarget, ListTarget)> {
        Some((
            self.rows.iter().find_map(LibraryRow::target)?,
            self.rows.iter().rev().find_map(LibraryRow::target)?,
        ))
    }
}

impl LibraryRow {
    /// The item, if the row is one.
    pub fn item(&self) -> Option<DocId> {
        self.target().filter(|(_, call)| call.is_none()).map(|(doc, _)| doc)
    }

    /// The item or the call that is selected with the row. The recordings of an unfolded set are selected by their own rows.
    pub fn target(&self) -> Option<ListTarget> {
        match self {
            Self::Item(id) | Self::Member(id, _) => Some((*id, None)),
            Self::Set(set) if !set.is_unfolded => Some((set.worst, None)),
            Self::Call(id, call) => Some((*id, Some(*call))),
            Self::Group(_) | Self::Set(_) => None,
        }
    }
}

impl Totals {
    fn count(&mut self, item: &Item, verdict: BlockVerdict) {
        self.all += 1;
        self.cassettes += usize::from(item.kind == FileKind::Cassette);
        if let Some(index) = BlockVerdict::OF_ITEMS.iter().position(|other| *other == verdict) {
            self.verdicts[index] += 1;
        }
    }

    /// The verdicts that items have, the worst first, with their numbers.
    pub fn by_verdict(&self) -> impl Iterator<Item = (BlockVerdict, usize)> {
        BlockVerdict::OF_ITEMS.into_iter().zip(self.verdicts).filter(|(_, count)| *count > 0)
    }
}

/// Returns the heading of an item. A set is below the folder that contains its own.
pub fn heading_of(item: &Item, grouping: Grouping) -> &str {
    let name = match grouping {
        Grouping::Status => BlockVerdict::of_item(item).label(),
        Grouping::Provider => {
            let provider = item.calls.iter().find_map(|call| call.provider.as_deref());
            provider.unwrap_or("No provider")
        }
        Grouping::Source => {
            let source = item.source.as_deref().and_then(|source| source.file.as_deref());
            source.unwrap_or("No source")
        }
        Grouping::Folder | Grouping::None => match item.folder() {
            folder if item.kind == FileKind::Recording => {
                folder.rsplit_once('/').map_or("", |(parent, _)| parent)
            }
            folder => folder,
        },
    };
    // The root has a heading that can be seen, but is empty in paths.
    if name.is_empty() { "." } else { name }
}

/// Finds the folders with several recordings. `ids` are in the order of their paths.
fn sets_of<'i>(
    items: &'i Items,
    ids: Vec<DocId>,
    unfolded: &HashSet<String>,
) -> HashMap<&'i str, LibrarySet> {
    let mut sets: HashMap<&str, LibrarySet> = HashMap::new();
    for id in ids {
        let Some(item) = items.get(id).filter(|item| item.kind == FileKind::Recording) else {
            continue;
        };
        let folder = item.folder();
        // The opened folder itself has no name that a row could show.
        if !folder.is_empty() {
            let new_set = || LibrarySet {
                folder: folder.to_owned(),
                members: Vec::new(),
                worst: id,
                is_unfolded: unfolded.contains(folder),
            };
            sets.entry(folder).or_insert_with(new_set).members.push(id);
        }
    }
    sets.retain(|_, set| set.members.len() > 1);
    let verdict = |id: &DocId| items.get(*id).map(|item| BlockVerdict::of_item(item));
    for set in sets.values_mut() {
        // Of equal ones, `max_by_key` returns the last.
        let worst = set.members.iter().rev().max_by_key(|id| verdict(id));
        set.worst = worst.copied().unwrap_or(set.worst);
    }
    sets
}

/// Groups items under headings, which are in the order of their first rows. A single heading is left out.
fn group_rows<'i>(
    items: &'i Items,
    ids: &[DocId],
    mut sets: HashMap<&'i str, LibrarySet>,
    choice: &ListingOptions,
) -> Vec<LibraryRow> {
    let mut groups: Vec<(&str, Vec<LibraryRow>)> = Vec::new();
    let mut place_of: HashMap<&str, usize> = HashMap::new();
    let set_folders: HashSet<&str> = sets.keys().copied().collect();
    for id in ids {
        let Some(item) = items.get(*id) else { continue };
        let row = if item.kind == FileKind::Recording && set_folders.contains(item.folder()) {
            // The set is the row of its first recording in this order.
            let Some(set) = sets.remove(item.folder()) else { continue };
            LibraryRow::Set(Box::new(set))
        } else {
            LibraryRow::Item(*id)
        };
        let name = heading_of(item, choice.grouping);
        let place = *place_of.entry(name).or_insert_with(|| {
            groups.push((name, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(row);
    }
    if choice.grouping == Grouping::Status {
        let rank = |name: &str| BlockVerdict::OF_ITEMS.iter().position(|v| v.label() == name);
        groups.sort_by_key(|(name, _)| rank(name));
    }
    if let [(_, rows)] = &mut groups[..] {
        return std::mem::take(rows);
    }
    let mut rows = Vec::new();
    for (name, group_rows) in groups {
        let folded = choice.folded.contains(name);
        let (name, count) = (name.to_owned(), group_rows.len());
        rows.push(LibraryRow::Group(Box::new(LibraryGroup { name, count, folded })));
        if !folded {
            rows.extend(group_rows);
        }
    }
    rows
}
