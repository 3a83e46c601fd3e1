//! The rows of the library: filtered, sorted and grouped.

use std::collections::HashSet;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};
use serde::{Deserialize, Serialize};

use super::{findings, sorting};
use crate::{BodyVerdicts, DocId, Finding, Items, Sort, SourceList};
use calls::{Item, ItemStatus};
use check::search::{self, Completion, FilterQuery};
use document::cassette::CassetteClient;
use document::text::natural_order;
use document::{FileKind, RuleId, Severity};

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

    /// Makes the beginning of the listing, if that is possible without all items and takes much less time.
    pub fn list_first(&self) -> Option<LibraryListing> {
        /// Fewer are listed within a tenth of a second.
        const MIN_ITEMS: usize = 200_000;
        let orders = self.orders.as_ref().filter(|_| self.items.len > MIN_ITEMS)?;
        LibraryListing::first(&self.items, &self.options, orders)
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
    /// Not grouped.
    #[default]
    None,
    Folder,
    Status,
}

/// One row on screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LibraryRow {
    /// A heading.
    Group(Box<LibraryGroup>),
    Item(DocId),
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
    /// The number of its items.
    pub count: usize,
    /// The number of items by status, in the order of the statuses.
    pub statuses: Vec<(ItemStatus, usize)>,
    /// Programs that play its cassettes.
    pub players: Vec<CassettePlayer>,
    /// True if its rows are hidden.
    pub folded: bool,
}

/// A program that plays cassettes, and what it compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CassettePlayer {
    pub client: CassetteClient,
    /// The file in which its matchers are set; `None` for its own.
    pub matchers: Option<Arc<str>>,
}

/// The rules by which cassettes are filtered, in the order of the filters.
pub const CASSETTE_RULES: [RuleId; 4] =
    [RuleId::CallAmbiguous, RuleId::RecordedError, RuleId::Secret, RuleId::CassetteOrphan];

/// Counts over all items that match the filter, whatever their status and their problems.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub all: usize,
    /// By each of their [statuses](Item::statuses), in the order of [`ItemStatus::ALL`].
    pub(crate) statuses: StatusCounts,
    /// Items that are cassettes.
    pub cassettes: usize,
    /// Items of other tools that are only named.
    foreign: usize,
    /// Items that [`CASSETTE_RULES`] report.
    pub by_rule: [usize; CASSETTE_RULES.len()],
    /// Items whose model is known.
    pub models: usize,
    /// Items with calls whose tokens are known.
    pub tokens: usize,
}

/// The rows in the order of the screen.
#[derive(Clone, Debug, Default)]
pub struct LibraryListing {
    pub rows: Vec<LibraryRow>,
    /// The row of each item, by its number; [`HIDDEN_ROW`] if it has none.
    row_of: Vec<u32>,
    /// The number of listed items, including those in folded groups.
    pub len: usize,
    /// The number of listed cassettes.
    pub cassettes: usize,
    /// The number of calls in the listed items.
    pub calls: usize,
    pub totals: Totals,
    /// Counts over the items that pass the terms about problems, too.
    pub passed: Totals,
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
    pub status: Option<ItemStatus>,
    pub sort: Sort,
    pub grouping: Grouping,
    pub folded: HashSet<String>,
    /// The items whose calls are listed.
    pub unfolded: HashSet<DocId>,
}

impl ListingOptions {
    /// Returns whether an item is counted in the totals, and whether it also passes the terms about problems: then it is counted in
    /// `totals`.
    fn passes(&self, id: DocId, item: &Item, totals: &mut Totals) -> (bool, bool) {
        let bodies = self.bodies.as_deref();
        if bodies.is_some_and(|bodies| !bodies.fits(id)) {
            return (false, false);
        }
        let (is_counted, passes) = self.query.matches_without_problems(item);
        if passes {
            totals.count(item);
        }
        (is_counted, passes)
    }
}

impl LibraryListing {
    /// Lists items. `old_orders` are the orders of an earlier listing of the same items.
    pub(crate) fn build(
        items: &Items,
        choice: &ListingOptions,
        old_orders: Option<Orders>,
    ) -> Self {
        let orders = Orders::new(items, choice.sort, old_orders);
        let sorted_ids = Arc::clone(&orders.sorted);
        let mut listing = Self { row_of: vec![HIDDEN_ROW; items.ids()], orders, ..Self::default() };
        // By id, so that the sorted order is filtered without looking at items again.
        let mut listed_flags = vec![false; items.ids()];
        for (id, item) in items.iter() {
            let (is_counted, passes) = choice.passes(id, item, &mut listing.passed);
            if is_counted {
                listing.totals.count(item);
                let is_listed =
                    passes && choice.status.is_none_or(|status| item.has_status(status));
                listed_flags[id.index()] = is_listed;
                listing.count_calls(item, is_listed);
            }
        }
        let ids = sorted_ids.iter().copied().filter(|id| listed_flags[id.index()]);
        match choice.grouping {
            Grouping::None => listing.rows = ids.map(LibraryRow::Item).collect(),
            grouping => {
                let ids = ids.filter_map(|id| Some((id, &**items.get(id)?)));
                listing.rows = group_rows(ids, grouping, &choice.folded);
            }
        }
        // Before rows are numbered, because calls are rows, too.
        listing.unfold(items, &choice.unfolded);
        listing.len = listed_flags.iter().filter(|listed_flags| **listed_flags).count();
        for (index, row) in listing.rows.iter().enumerate() {
            if let (LibraryRow::Item(id), Ok(index)) = (row, u32::try_from(index)) {
                listing.row_of[id.index()] = index;
            }
        }
        listing
    }

    fn count_calls(&mut self, item: &Item, is_listed: bool) {
        if is_listed {
            self.calls += item.calls.len();
            self.cassettes += usize::from(item.kind == FileKind::Cassette);
        }
    }

    /// Lists the first items that match, for as long as the others are being looked for: at most a screenful or two, in a known order.
    /// `None` if there are none among the first items, or where all items are needed for the first row.
    pub fn first(items: &Items, choice: &ListingOptions, old_orders: &Orders) -> Option<Self> {
        /// Number of items that are looked at: what takes some milliseconds.
        const MAX_ITEMS: usize = 50_000;
        const MAX_ROWS: usize = 200;
        // Another order and groups need all items before the first row.
        if old_orders.sort != choice.sort || choice.grouping != Grouping::None {
            return None;
        }
        let mut listing = Self {
            row_of: vec![HIDDEN_ROW; items.ids()],
            orders: old_orders.clone(),
            ..Self::default()
        };
        for id in old_orders.sorted.iter().take(MAX_ITEMS) {
            let Some(item) = items.get(*id) else { continue };
            let (is_counted, passes) = choice.passes(*id, item, &mut listing.passed);
            if !is_counted {
                continue;
            }
            listing.totals.count(item);
            if passes && choice.status.is_none_or(|status| item.has_status(status)) {
                listing.row_of[id.index()] = u32::try_from(listing.len).unwrap_or(HIDDEN_ROW);
                listing.rows.push(LibraryRow::Item(*id));
                listing.len += 1;
                listing.count_calls(item, true);
            }
            if listing.len == MAX_ROWS {
                break;
            }
        }
        (listing.len > 0).then_some(listing)
    }

    /// Adds the calls of these items below them.
    fn unfold(&mut self, items: &Items, unfolded: &HashSet<DocId>) {
        if unfolded.is_empty() {
            return;
        }
        let rows = std::mem::take(&mut self.rows).into_iter();
        self.rows.extend(rows.flat_map(|row| {
            let doc = row.item().filter(|doc| unfolded.contains(doc));
            let calls = doc.and_then(|doc| Some((doc, items.get(doc)?.calls.len()))).into_iter();
            let calls = calls
                .flat_map(|(doc, calls)| (0..calls).map(move |call| (doc, call)))
                .map(|(doc, call)| LibraryRow::Call(doc, call));
            [row].into_iter().chain(calls)
        }));
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
    fn in_folder(&self, items: &Items, folder: &str) -> &[DocId] {
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
        match self {
            Self::Item(id) => Some(*id),
            Self::Group(_) | Self::Call(..) => None,
        }
    }

    /// The item or the call, if the row is one.
    pub fn target(&self) -> Option<ListTarget> {
        match self {
            Self::Item(id) => Some((*id, None)),
            Self::Call(id, call) => Some((*id, Some(*call))),
            Self::Group(_) => None,
        }
    }
}

impl Totals {
    /// Returns whether these are cassettes, and at most files that are only named beside them.
    pub fn are_cassettes(&self) -> bool {
        self.cassettes > 0 && self.cassettes + self.foreign == self.all
    }

    fn count(&mut self, item: &Item) {
        self.all += 1;
        self.cassettes += usize::from(item.kind == FileKind::Cassette);
        self.foreign += usize::from(item.kind == FileKind::Foreign);
        for (count, rule) in self.by_rule.iter_mut().zip(CASSETTE_RULES) {
            // A note about an account is no secret.
            let min_severity =
                if rule == RuleId::Secret { Severity::Warning } else { Severity::Note };
            let mut problems = item.problems.iter();
            let is_reported = problems.any(|p| p.rule == rule && p.severity >= min_severity);
            *count += usize::from(is_reported);
        }
        self.models += usize::from(item.model.is_some());
        self.tokens += usize::from(item.tokens().is_some());
        for status in item.statuses() {
            self.statuses[usize::from(status.rank())] += 1;
        }
    }

    /// The statuses that items have, the worst first, with their numbers.
    pub fn by_status(&self) -> impl Iterator<Item = (ItemStatus, usize)> {
        ItemStatus::ALL.iter().copied().zip(self.statuses).filter(|(_, count)| *count > 0)
    }
}

/// The heading of an item.
pub fn heading_of(item: &Item, grouping: Grouping) -> &str {
    heading(item, grouping).1
}

/// The rank of an item's heading within the grouping, and its text.
fn heading(item: &Item, grouping: Grouping) -> (u8, &str) {
    match (grouping, item.folder()) {
        (Grouping::Status, _) => (item.status().rank(), item.status().label()),
        (Grouping::Folder | Grouping::None, "") => (0, "."),
        (Grouping::Folder | Grouping::None, folder) => (0, folder),
    }
}

/// The number of items by status, in the order of [`ItemStatus::ALL`].
pub(crate) type StatusCounts = [usize; ItemStatus::ALL.len()];

/// Groups items under headings and keeps their order.
fn group_rows<'a>(
    items: impl Iterator<Item = (DocId, &'a Item)>,
    grouping: Grouping,
    folded_names: &HashSet<String>,
) -> Vec<LibraryRow> {
    type Group = (Vec<DocId>, StatusCounts, Vec<CassettePlayer>);
    let mut by_heading: HashMap<(u8, &str), Group> = HashMap::new();
    for (id, item) in items {
        let (ids, statuses, players) = by_heading.entry(heading(item, grouping)).or_default();
        ids.push(id);
        statuses[usize::from(item.status().rank())] += 1;
        if let Some(client) = item.client() {
            let facts = item.cassette.as_ref();
            let set = facts.and_then(|facts| facts.match_on.as_ref());
            let matchers = set.map(|set| Arc::clone(&set.origin.path));
            let player = CassettePlayer { client, matchers };
            if !players.contains(&player) {
                players.push(player);
            }
        }
    }
    let mut groups: Vec<_> = by_heading.into_iter().collect();
    // Each heading is there once, so stability makes no difference.
    groups.sort_unstable_by_key(|(heading, _)| *heading);
    let mut rows = Vec::new();
    for ((_, name), (ids, statuses, players)) in groups {
        let folded = folded_names.contains(name);
        let statuses = ItemStatus::ALL.iter().copied().zip(statuses);
        rows.push(LibraryRow::Group(Box::new(LibraryGroup {
            name: name.to_owned(),
            count: ids.len(),
            statuses: statuses.filter(|(_, count)| *count > 0).collect(),
            players,
            folded,
        })));
        if !folded {
            rows.extend(ids.into_iter().map(LibraryRow::Item));
        }
    }
    rows
}
