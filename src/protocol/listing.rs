//! The rows of the library: filtered, sorted and grouped.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    BlockVerdict, BodyVerdicts, DocId, Finding, Items, Orders, Provenances, Sort, SourceList,
    findings,
};
use calls::Item;
use check::search::{self, Completion, FilterQuery};
use document::FileKind;
use document::text::{named_enum, natural_order};

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
    /// Makes the beginning of the listing, if that is possible without all items and takes much less time.
    pub fn list_first(&self) -> Option<LibraryListing> {
        /// Fewer are listed within a tenth of a second.
        const MIN_ITEMS: usize = 200_000;
        let orders = self.orders.as_ref().filter(|_| self.items.len > MIN_ITEMS)?;
        LibraryListing::first(&self.items, &self.options, orders)
    }

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

named_enum! {
    /// Grouping of rows.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum Grouping {
        /// By folder, with a row for each set of recordings.
        #[default]
        Folder = "Folder",
        /// By the service that answered.
        Provider = "Provider",
        /// By verdict.
        Status = "Status",
        /// By the source that recordings were made from.
        Source = "Source",
        /// Not grouped.
        None = "No groups",
    }

    /// The groupings in the order of the menu.
    const ALL;

    /// Returns the label of the grouping.
    pub fn name;
}

/// One row on screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LibraryRow {
    /// A heading.
    Group(Box<LibraryGroup>),
    /// A folder of recordings.
    Set(LibrarySet),
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
    /// The number of its rows, of which a set is one; `None` while others are being looked for.
    pub count: Option<usize>,
    /// True if its rows are hidden.
    pub folded: bool,
}

/// The listed recordings of a folder. It owns nothing, so that also a hundred thousand of them are dropped at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LibrarySet {
    /// The place of its first recording among the members of all sets.
    first: u32,
    /// Number of its recordings.
    pub count: u32,
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
}

/// The rows in the order of the screen.
#[derive(Clone, Debug, Default)]
pub struct LibraryListing {
    pub rows: Vec<LibraryRow>,
    /// The row of each item, by its number; [`HIDDEN_ROW`] if it has none.
    row_of: Vec<u32>,
    /// The recordings of all sets, those of each in the order of their paths.
    members: Vec<DocId>,
    /// The number of listed items, including those in folded groups.
    pub len: usize,
    /// The numbers of headings, and of members and calls, above each row and above the end.
    above: Vec<(u32, u32)>,
    pub totals: Totals,
    pub orders: Orders,
    /// The findings of which the filter lists an item; all if it lists none. Their numbers are those of all items, as their actions are.
    pub findings: Arc<[Finding]>,
}

const HIDDEN_ROW: u32 = u32::MAX;

/// The options that determine the rows.
#[derive(Clone, Debug)]
pub struct ListingOptions {
    pub query: FilterQuery,
    /// Verdicts on the content of files, if the filter looks into it.
    pub bodies: Option<Arc<BodyVerdicts>>,
    /// The known origins of files, if the filter looks at them.
    pub provenances: Option<Arc<Provenances>>,
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
    /// Returns whether an item passes the filter, whatever its verdict.
    fn matches(&self, items: &Items, id: DocId) -> bool {
        let fits_provenance =
            |known: &Provenances| self.query.fits_provenance(known.get(&id).copied());
        self.bodies.as_deref().is_none_or(|bodies| bodies.fits(id))
            && self.provenances.as_deref().is_none_or(fits_provenance)
            && items.get(id).is_some_and(|item| self.query.matches(item))
    }
}

impl LibraryListing {
    /// Lists items. `cache` has the orders of an earlier listing of the same items.
    pub(crate) fn build(items: &Items, choice: &ListingOptions, cache: Option<Orders>) -> Self {
        let orders = Orders::new(items, choice, cache);
        let mut lister = Lister::new(items, choice, &orders);
        // In the order of memory, in which items are looked at in a fraction of the time.
        for (id, _) in items.iter() {
            lister.lists(id);
        }
        let listing = lister.list(usize::MAX, usize::MAX);
        Self { findings: listing.filtered_findings(items, choice, &orders), orders, ..listing }
    }

    /// Lists the first items that match, for as long as the others are being looked for: at most a screenful or two, in a known order.
    /// `None` if there are none among the first items.
    pub fn first(items: &Items, choice: &ListingOptions, base: &Orders) -> Option<Self> {
        /// Number of items that are looked at: what takes some milliseconds.
        const MAX_ITEMS: usize = 50_000;
        const MAX_ROWS: usize = 200;
        // Another order needs all items before the first row, and so do groups in an order of their own.
        let has_own_order = choice.grouping == Grouping::Status && choice.sort != Sort::Worst;
        if base.made_for != Some((choice.sort, choice.grouping)) || has_own_order {
            return None;
        }
        let listing = Lister::new(items, choice, base).list(MAX_ITEMS, MAX_ROWS);
        listing.first_and_last()?;
        Some(Self { orders: base.clone(), findings: Arc::clone(&base.findings), ..listing })
    }

    fn filtered_findings(
        &self,
        items: &Items,
        choice: &ListingOptions,
        orders: &Orders,
    ) -> Arc<[Finding]> {
        let all = &orders.findings;
        if self.totals.all == 0 || self.totals.all == items.len || all.is_empty() {
            return Arc::clone(all);
        }
        let ids = orders.by_path.iter().copied();
        let ids: Vec<DocId> = ids.filter(|id| choice.matches(items, *id)).collect();
        let sources = SourceList::new(items, &ids);
        let listed = findings::in_items(items, ids.into_iter(), &sources);
        let is_listed = |finding: &&Finding| listed.iter().any(|f| f.has_subject_of(finding));
        all.iter().filter(is_listed).cloned().collect()
    }

    /// Notes the row of each item, and what is above each row.
    fn number_rows(&mut self) {
        let (mut headings, mut small_rows) = (0, 0);
        self.above.reserve(self.rows.len() + 1);
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
                    let members = &self.members[set.first as usize..][..set.count as usize];
                    members.iter().for_each(|id| self.row_of[id.index()] = index);
                }
            }
        }
        self.above.push((headings, small_rows));
    }

    /// Returns the numbers of headings, and of members and calls, above a row.
    pub fn above(&self, row: usize) -> (usize, usize) {
        let above = self.above.get(row).or(self.above.last());
        above.map_or((0, 0), |(headings, small_rows)| (*headings as usize, *small_rows as usize))
    }

    /// Returns the recordings of a set, in the order of their paths.
    pub fn members(&self, set: &LibrarySet) -> &[DocId] {
        &self.members[set.first as usize..][..set.count as usize]
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
    fn count(&mut self, verdict: BlockVerdict) {
        self.all += 1;
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
        Grouping::None => "",
        Grouping::Folder => match item.folder() {
            folder if item.kind == FileKind::Recording => {
                folder.rsplit_once('/').map_or("", |(parent, _)| parent)
            }
            folder => folder,
        },
    };
    // The root has a heading that can be seen, but is empty in paths.
    if name.is_empty() { "." } else { name }
}

/// A listing that is being made.
struct Lister<'a> {
    items: &'a Items,
    choice: &'a ListingOptions,
    orders: &'a Orders,
    /// Whether an item is listed, by its number; `None` before it was looked at.
    results: Vec<Option<bool>>,
    looked_count: usize,
    is_set_listed: Vec<bool>,
    listing: LibraryListing,
}

impl<'a> Lister<'a> {
    fn new(items: &'a Items, choice: &'a ListingOptions, orders: &'a Orders) -> Self {
        let (results, row_of) = (vec![None; items.ids()], vec![HIDDEN_ROW; items.ids()]);
        let is_set_listed = vec![false; orders.sets.len()];
        let listing = LibraryListing { row_of, ..LibraryListing::default() };
        Self { items, choice, orders, results, looked_count: 0, is_set_listed, listing }
    }

    /// Returns whether an item is listed. One that passes the filter is counted, whatever its verdict.
    fn lists(&mut self, id: DocId) -> bool {
        if let Some(is_listed) = self.results[id.index()] {
            return is_listed;
        }
        let (choice, verdict) = (self.choice, self.orders.verdicts[id.index()]);
        let is_match = choice.matches(self.items, id);
        if is_match {
            self.listing.totals.count(verdict);
        }
        let is_listed = is_match && choice.verdict.is_none_or(|listed| listed == verdict);
        self.results[id.index()] = Some(is_listed);
        self.looked_count += 1;
        self.listing.len += usize::from(is_listed);
        is_listed
    }

    /// Returns the groups with listed items among the first items, in the order of their first rows.
    fn groups(&mut self, max_items: usize) -> Vec<usize> {
        let Orders { groups, sorted, verdicts, .. } = self.orders;
        let (mut order, mut is_found) = (Vec::new(), vec![false; groups.len()]);
        for id in sorted.iter().take(max_items) {
            let group = groups.group_of(*id);
            if !is_found[group] && self.lists(*id) {
                is_found[group] = true;
                order.push((group, Reverse(verdicts[id.index()])));
            }
        }
        // Verdicts have an order of their own.
        if self.choice.grouping == Grouping::Status {
            order.sort_by_key(|(_, verdict)| *verdict);
        }
        order.into_iter().map(|(group, _)| group).collect()
    }

    /// Makes the rows, up to about these numbers of rows and of items that are looked at. Each row is complete.
    fn list(mut self, max_items: usize, max_rows: usize) -> LibraryListing {
        let groups = self.groups(max_items);
        // Without sets each item is a row; a list of a million that grows would be copied several times.
        if self.choice.grouping != Grouping::Folder {
            self.listing.rows.reserve(self.listing.len + groups.len());
        }
        // A single heading is left out.
        let has_headings = groups.len() > 1;
        'groups: for group in groups {
            let groups = &self.orders.groups;
            let name = groups.name(group);
            let folded = has_headings && self.choice.folded.contains(name);
            let heading_row = self.listing.rows.len();
            if has_headings {
                let heading = LibraryGroup { name: name.to_owned(), count: None, folded };
                self.listing.rows.push(LibraryRow::Group(heading.into()));
            }
            let mut count = 0;
            for id in groups.ids(group) {
                let set = self.set(*id);
                let set_len = set.map_or(0, |(_, ids)| ids.len());
                if self.listing.rows.len() >= max_rows
                    || self.looked_count.saturating_add(set_len) > max_items.saturating_mul(2)
                {
                    break 'groups;
                }
                let Some(row) = self.row(*id, set) else { continue };
                count += 1;
                if !folded {
                    self.push(row);
                }
            }
            if let Some(LibraryRow::Group(group)) = self.listing.rows.get_mut(heading_row) {
                group.count = Some(count);
            }
        }
        self.listing.number_rows();
        self.listing
    }

    /// Returns the number of the set that a recording can be in, and the recordings of its folder.
    fn set(&self, id: DocId) -> Option<(usize, &'a [DocId])> {
        let sets = &self.orders.sets;
        let set = sets.group_of(id);
        let is_set = self.choice.grouping == Grouping::Folder && !sets.name(set).is_empty();
        is_set.then(|| (set, sets.ids(set)))
    }

    /// Returns the row that begins with an item, in its set; `None` if it is not listed, or is in the row of a set above.
    fn row(&mut self, id: DocId, set: Option<(usize, &'a [DocId])>) -> Option<LibraryRow> {
        let Some((set, ids)) = set else {
            return self.lists(id).then_some(LibraryRow::Item(id));
        };
        if self.is_set_listed[set] || !self.lists(id) {
            return None;
        }
        let first = self.listing.members.len() as u32;
        let listed_ids: Vec<DocId> = ids.iter().copied().filter(|id| self.lists(*id)).collect();
        // The set is the row of its first recording in this order.
        self.is_set_listed[set] = true;
        let count = listed_ids.len() as u32;
        if count == 1 {
            return Some(LibraryRow::Item(id));
        }
        // Of equal ones, `max_by_key` returns the last.
        let worst = *listed_ids.iter().rev().max_by_key(|id| self.orders.verdicts[id.index()])?;
        self.listing.members.extend(listed_ids);
        let is_unfolded = self.choice.unfolded_sets.contains(self.orders.sets.name(set));
        Some(LibraryRow::Set(LibrarySet { first, count, worst, is_unfolded }))
    }

    /// Adds a row, and below it the recordings of an unfolded set, or the calls of an unfolded item.
    fn push(&mut self, row: LibraryRow) {
        let LibraryListing { rows, members, .. } = &mut self.listing;
        rows.push(row);
        match rows.last() {
            Some(LibraryRow::Item(doc)) if self.choice.unfolded.contains(doc) => {
                let doc = *doc;
                let calls = self.items.get(doc).map_or(0, |item| item.calls.len());
                rows.extend((0..calls).map(|call| LibraryRow::Call(doc, call)));
            }
            Some(LibraryRow::Set(set)) if set.is_unfolded => {
                let members = members[set.first as usize..].iter().enumerate();
                rows.extend(members.map(|(number, doc)| LibraryRow::Member(*doc, number)));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use calls::ItemFacts;
    use document::{Problem, RuleId};

    fn options() -> ListingOptions {
        ListingOptions {
            query: FilterQuery::parse(""),
            bodies: None,
            provenances: None,
            verdict: None,
            sort: Sort::Worst,
            grouping: Grouping::Folder,
            folded: HashSet::new(),
            unfolded: HashSet::new(),
            unfolded_sets: HashSet::new(),
        }
    }

    /// Recordings in sets of some suites, and other files; some with a problem.
    fn items() -> Items {
        let mut items = Items::default();
        for number in 0..900 {
            let kind = if number % 7 == 0 { FileKind::Cassette } else { FileKind::Recording };
            let path = format!("suite-{}/set-{}/{number}.json", number % 3, number / 6 % 40);
            let time = format!("2026-02-{:02}", number * 31 % 28);
            let facts =
                ItemFacts { kind, recorded_at: Some((&*time).into()), ..ItemFacts::new(&path) };
            let problem = (number % 11 == 0).then(|| Problem::whole_file(RuleId::Secret, "wrong"));
            let problem = problem.map(|problem| problem.with_severity(document::Severity::Error));
            items.push(Arc::new(Item::from(facts).with_problems(problem.into_iter().collect())));
        }
        items
    }

    #[test]
    fn a_filter_lists_the_findings_of_what_it_lists_with_their_whole_numbers() {
        let mut items = Items::default();
        for (path, rule) in [
            ("a/1.json", Some(RuleId::ResponseNotWrapped)),
            ("b/1.json", Some(RuleId::ResponseNotWrapped)),
            ("b/2.yaml", Some(RuleId::CallAmbiguous)),
            ("c/1.json", None),
        ] {
            let facts = ItemFacts { kind: FileKind::Recording, ..ItemFacts::new(path) };
            let problem = rule.map(|rule| Problem::whole_file(rule, "wrong"));
            items.push(Arc::new(Item::from(facts).with_problems(problem.into_iter().collect())));
        }
        let found = |filter: &str| {
            let choice = ListingOptions { query: FilterQuery::parse(filter), ..options() };
            let listing = LibraryListing::build(&items, &choice, None);
            let findings = listing.findings.iter();
            let texts = findings.map(|finding| format!("{} {:?}", finding.count, finding.kind));
            texts.collect::<Vec<_>>().join(", ")
        };
        let (wrapped, order) =
            ("2 Fixable(ResponseNotWrapped)", "1 OrderDecides { settled: 0, is_assumed: false }");
        for (filter, expected) in [
            ("", format!("{wrapped}, {order}")),
            ("path:a/", wrapped.to_owned()),
            ("path:yaml", order.to_owned()),
            ("path:c", String::new()),
            // Nothing is listed, so nothing is known of it.
            ("path:x", format!("{wrapped}, {order}")),
        ] {
            assert_eq!(found(filter), expected, "{filter}");
        }
    }

    #[test]
    fn the_first_rows_are_those_of_the_whole_in_each_order() {
        let items = items();
        let without_count = |row: &LibraryRow| match row {
            LibraryRow::Group(group) => {
                LibraryRow::Group(LibraryGroup { count: None, ..(**group).clone() }.into())
            }
            row => row.clone(),
        };
        for &grouping in Grouping::ALL {
            let sorts = [Sort::Worst, Sort::Name, Sort::Newest, Sort::Found].into_iter();
            for sort in sorts.filter(|s| grouping != Grouping::Status || *s == Sort::Worst) {
                let choice = ListingOptions {
                    query: FilterQuery::parse("-2"),
                    sort,
                    grouping,
                    folded: HashSet::from(["suite-1".to_owned()]),
                    unfolded_sets: HashSet::from(["suite-0/set-2".to_owned()]),
                    ..options()
                };
                let whole = LibraryListing::build(&items, &choice, None);
                let whole_rows: Vec<LibraryRow> = whole.rows.iter().map(without_count).collect();
                for (max_items, max_rows) in [(450, 5), (450, 60), (900, 1000)] {
                    let first =
                        Lister::new(&items, &choice, &whole.orders).list(max_items, max_rows);
                    let rows: Vec<LibraryRow> = first.rows.iter().map(without_count).collect();
                    assert!(rows.len() > 2, "{grouping:?} {sort:?} {max_rows}: {rows:?}");
                    assert!(whole_rows.starts_with(&rows), "{grouping:?} {sort:?} {max_rows}");
                    assert_eq!(first.rows.len() < whole.rows.len(), max_rows < 1000);
                }
            }
        }
    }
}
