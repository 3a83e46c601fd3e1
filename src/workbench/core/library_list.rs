//! The state of the list of the library: filter, sort order and selection.

use std::collections::HashSet;
use std::sync::Arc;

use crate::core::Core;
use crate::core::body_search::BodySearch;
use crate::core::effect::Effect;
use crate::core::navigation::StepDirection;
use crate::core::provenance::LibraryProvenance;
use calls::Item;
use check::search::{Completion, FilterQuery};
use protocol::{
    BlockVerdict, DocId, Grouping, LibraryListing, LibraryRow, ListKey, ListRequest, ListTarget,
    ListingOptions, Sort,
};

/// Number of items that are listed on the window's thread, which takes one or two milliseconds.
const MAX_ITEMS_AT_ONCE: usize = 4096;

/// The view state of the library.
#[derive(Debug, Default)]
pub struct LibraryList {
    pub filter: String,
    pub query: FilterQuery,
    pub completions: Vec<Completion>,
    /// The verdict of the listed items; `None` for all.
    pub verdict: Option<BlockVerdict>,
    pub sort: Sort,
    pub grouping: Grouping,
    /// Whether rows show notes, which need no action.
    pub shows_notes: bool,
    /// Whether files are being read, while rows stay in the order in which they were found.
    pub(super) is_reading: bool,
    pub(crate) folded: HashSet<String>,
    /// The items whose calls are listed below them.
    pub unfolded: HashSet<DocId>,
    /// The folders whose recordings are listed one by one.
    pub(crate) unfolded_sets: HashSet<String>,
    pub selected: Option<DocId>,
    /// The selected call of the selected item, by its number from 0.
    pub selected_call: Option<usize>,
    /// Whether the first row is to be selected when the listing is ready, if no listed one is selected.
    pub(crate) is_entered: bool,
    pub marked: Option<DocId>,
    pub listing: LibraryListing,
    /// Grows with every listing.
    pub listing_revision: u64,
    /// Grows with every change of the listing options.
    pub(crate) options_revision: u64,
    /// The key of the inputs of the current listing.
    pub built: ListKey,
    /// The key of the listing that is being made on another thread.
    pub(crate) awaited: Option<ListKey>,
    /// The text to complete, while the completions are those of an earlier text.
    pub(crate) typed: Option<String>,
    /// The path of the item to select once it is read again.
    pub(crate) reselect: Option<Arc<str>>,
    /// The selected item that was removed, and the neighbor that was selected instead.
    pub(crate) removed_selection: Option<(DocId, Option<DocId>)>,
}

impl LibraryList {
    pub(crate) fn listing_options(
        &self,
        bodies: &BodySearch,
        provenance: &LibraryProvenance,
    ) -> ListingOptions {
        let has_provenance = self.query.has_provenance();
        let has_bodies = self.query.body().is_some();
        ListingOptions {
            query: self.query.clone(),
            bodies: has_bodies.then(|| Arc::clone(&bodies.verdicts)),
            provenances: has_provenance.then(|| Arc::clone(&provenance.known)),
            verdict: self.verdict,
            sort: if self.is_reading { Sort::Found } else { self.sort },
            grouping: self.grouping,
            folded: self.folded.clone(),
            unfolded: self.unfolded.clone(),
            unfolded_sets: self.unfolded_sets.clone(),
        }
    }

    /// Whether an item has the verdict that is listed.
    pub(crate) fn lists_verdict_of(&self, item: &Item) -> bool {
        self.verdict.is_none_or(|verdict| verdict == BlockVerdict::of_item(item))
    }

    /// The selected item, or the selected call in it.
    pub fn target(&self) -> Option<ListTarget> {
        Some((self.selected?, self.selected_call))
    }

    /// Returns the list for the same paths again, which will select the item with this path.
    pub(crate) fn reopened(self, path: Option<Arc<str>>) -> Self {
        Self {
            reselect: path.or(self.reselect.clone()),
            selected: None,
            selected_call: None,
            is_entered: false,
            unfolded: HashSet::new(),
            marked: None,
            listing: LibraryListing::default(),
            built: ListKey::default(),
            awaited: None,
            removed_selection: None,
            ..self
        }
    }

    /// Returns the list for another project: only how rows are shown is kept.
    pub(crate) fn emptied(self) -> Self {
        Self {
            sort: self.sort,
            grouping: self.grouping,
            shows_notes: self.shows_notes,
            ..Self::default()
        }
    }

    pub(crate) fn set_filter(&mut self, text: String, input: String) {
        self.filter = text;
        self.typed = Some(input);
        self.options_revision += 1;
    }

    pub(crate) fn on_completions(&mut self, key: ListKey, completions: Vec<Completion>) {
        // Completions of an earlier text would replace what was typed since.
        if self.options_revision == key.1 {
            self.completions = completions;
            self.typed = None;
        }
    }
}

impl Core {
    /// Makes the listing again if its inputs have changed.
    ///
    /// A short listing is made at once. A long one is requested, and the previous one is shown until it is ready: the window
    /// never waits for it. While files are being read, the listing is updated in growing steps, so that a hundred thousand
    /// items are sorted a dozen times, not once for every few that arrive.
    pub(crate) fn sync_list(&mut self) {
        // All items may have been listed before the end of the scan was reported.
        if self.list.is_entered
            && self.list.built == (self.library.items_revision, self.list.options_revision)
        {
            self.enter_list();
        }
        if self.list.is_reading != self.progress.is_some() {
            self.list.is_reading = self.progress.is_some();
            self.list.options_revision += 1;
        }
        // A listing that is being made is not made again for each file that is found meanwhile: it would never be ready.
        if self.bodies.has_news && self.list.awaited.is_none() {
            self.bodies.has_news = false;
            self.list.options_revision += 1;
        }
        let (items, choice) = (self.library.items_revision, self.list.options_revision);
        let built_key = self.list.built;
        let is_arriving = self.progress.is_some() && built_key.1 == choice;
        let is_awaited = self.list.awaited.is_some_and(|(_, revision)| revision == choice);
        let listed_count = self.list.listing.item_count();
        // Waits for half as many items again, so that the number of listings grows with the logarithm of the items.
        let is_soon = is_arriving && self.library.len() < listed_count + listed_count / 2;
        if built_key == (items, choice) || is_awaited || is_soon {
            return;
        }
        // While the items are the same, only rows change, and their sorted orders are used again.
        let has_orders = built_key.0 == items;
        let request = ListRequest {
            key: (items, choice),
            items: self.library.items.clone(),
            options: self.list.listing_options(&self.bodies, &self.provenance),
            orders: has_orders.then(|| self.list.listing.orders.clone()),
            typed: self.list.typed.clone(),
        };
        self.list.awaited = Some(request.key);
        if self.library.len() > MAX_ITEMS_AT_ONCE {
            return self.request(Effect::run(request));
        }
        self.on_listing(request.key, Ok(request.list()));
        if let Some(completions) = request.complete() {
            self.list.on_completions(request.key, completions);
        }
    }

    /// Stores a listing, unless another one is expected by now.
    pub(crate) fn on_listing(&mut self, key: ListKey, listing: Result<LibraryListing, String>) {
        if self.list.awaited == Some(key) {
            self.list.awaited = None;
            // Also set after a failure, so that the listing is not requested again in each frame.
            self.list.built = key;
            if let Some(listing) = self.or_notify(listing) {
                self.list.listing = listing;
                self.list.listing_revision += 1;
                self.drop_lost_call();
                self.enter_list();
            }
        }
    }

    /// Selects the first row if that was requested and no listed one is selected.
    fn enter_list(&mut self) {
        let listing = &self.list.listing;
        let is_listed = self.list.target().is_some_and(|t| listing.row_of_target(t).is_some());
        let first = listing.first_and_last().map(|(first, _)| first);
        // Taken, so that a later listing does not move the selection.
        if std::mem::take(&mut self.list.is_entered)
            && !is_listed
            && let Some(first) = first
        {
            self.select_target(first);
        }
    }

    /// Selects the file in place of a call that an edit has destroyed.
    fn drop_lost_call(&mut self) {
        let item = self.list.selected.and_then(|doc| self.library.get(doc));
        let calls = item.map_or(0, |item| item.calls.len());
        self.list.selected_call = self.list.selected_call.filter(|call| *call < calls);
    }

    /// Shows the beginning of a listing until all of it is there, unless another one is expected by now.
    pub(crate) fn on_first_rows(&mut self, key: ListKey, first: LibraryListing) {
        if self.list.awaited == Some(key) && self.list.built.0 == key.0 {
            self.list.listing = first;
            self.list.listing_revision += 1;
        }
    }

    /// Moves the selection by some rows.
    pub(crate) fn step_row(&mut self, step: StepDirection, rows: usize) {
        let target = step_from(&self.list.listing, self.list.target(), step, rows);
        if let Some(target) = target {
            self.select_target(target);
        }
    }

    /// Returns the folder of the set that lists an item; `None` for other items.
    fn listed_set(&self, doc: DocId) -> Option<&str> {
        let listing = &self.list.listing;
        match listing.rows.get(listing.row_of(doc)?)? {
            LibraryRow::Set(_) | LibraryRow::Member(..) => {
                self.library.get(doc).map(|item| item.folder())
            }
            _ => None,
        }
    }

    /// Whether the selected item contains calls, or is in a set.
    pub(crate) fn can_unfold(&self) -> bool {
        let Some(doc) = self.list.selected else { return false };
        let has_calls = |item: &Item| !item.calls.is_empty();
        self.library.get(doc).is_some_and(has_calls) || self.listed_set(doc).is_some()
    }

    /// Whether the calls of an item, or the recordings of its set, are listed.
    pub(crate) fn is_unfolded(&self, doc: DocId) -> bool {
        match self.listed_set(doc) {
            Some(folder) => self.list.unfolded_sets.contains(folder),
            None => self.list.unfolded.contains(&doc),
        }
    }

    /// Lists the calls of the selected item, or the recordings of its set, below it, or hides them and selects the item.
    pub(crate) fn unfold_selected(&mut self, is_unfolded: bool) {
        let Some(id) = self.list.selected else { return };
        let folder = self.listed_set(id).map(str::to_owned);
        match (folder, is_unfolded) {
            (Some(folder), true) => drop(self.list.unfolded_sets.insert(folder)),
            (Some(folder), false) => drop(self.list.unfolded_sets.remove(&folder)),
            (None, true) => drop(self.list.unfolded.insert(id)),
            (None, false) => {
                self.list.unfolded.remove(&id);
                self.select(id);
            }
        }
        self.list.options_revision += 1;
    }

    /// Selects the first or last row.
    pub(crate) fn step_to_end(&mut self, step: StepDirection) {
        if let Some((first, last)) = self.list.listing.first_and_last() {
            self.select_target(step.pick(last, first));
        }
    }
}

/// The visible item some rows after or before `start`, not counting headings; the last or first item at the ends, and
/// the first item if `start` is not visible.
fn step_from(
    listing: &LibraryListing,
    start: Option<ListTarget>,
    step: StepDirection,
    rows: usize,
) -> Option<ListTarget> {
    let Some(row) = start.and_then(|start| listing.row_of_target(start)) else {
        return listing.first_and_last().map(|(first, _)| first);
    };
    let next_rows = listing.rows[row..].iter().filter_map(LibraryRow::target);
    let previous_rows = listing.rows[..=row].iter().rev().filter_map(LibraryRow::target);
    let target = match step {
        StepDirection::Next => next_rows.take(rows + 1).last(),
        StepDirection::Previous => previous_rows.take(rows + 1).last(),
    };
    target.or(start)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Action, Effect, Workbench};
    use calls::Item;
    use document::{Problem, RuleId, Severity};
    use protocol::{DocId, EngineEvent, ProjectInfo, Remembered, Request};

    /// A workbench with more items than are listed on the window's thread; nothing is listed yet.
    fn much() -> Workbench {
        let mut workbench = Workbench::new(Remembered::default());
        let (generation, project) = (1, ProjectInfo::default());
        workbench.receive(EngineEvent::ScanStarted { generation, project });
        let item = |number| Arc::new(Item::new(&format!("set-{}/{number}.json", number % 10)));
        let items = (0..10_000).map(item).collect();
        workbench.receive(EngineEvent::ItemsFound { generation, items });
        let progress = protocol::ReadProgress::default();
        workbench.receive(EngineEvent::ScanEnded { generation, progress, cancelled: false });
        workbench
    }

    fn next_request(workbench: &mut Workbench) -> ListRequest {
        match workbench.refresh().pop() {
            Some(Effect::Run(Request::List(request))) => request,
            effect => panic!("{effect:?}"),
        }
    }

    #[test]
    fn a_long_listing_is_requested_once_and_the_previous_one_is_shown_until_it_is_ready() {
        let mut workbench = much();
        let first = next_request(&mut workbench);
        assert_eq!(workbench.refresh(), []);
        assert!(workbench.core.list.listing.is_empty());
        workbench.receive(EngineEvent::Listed(first.key, Ok(first.list())));
        assert_eq!(workbench.core.list.listing.len, 10_000);
        assert_eq!(workbench.refresh(), []);

        let _ = workbench.apply(Action::TypeFilter("set:set-".to_owned()));
        let late_request = next_request(&mut workbench);
        let _ = workbench.apply(Action::TypeFilter("set:set-3".to_owned()));
        let filtered_request = next_request(&mut workbench);
        workbench.receive(EngineEvent::Listed(late_request.key, Ok(late_request.list())));
        assert_eq!(workbench.core.list.listing.len, 10_000);
        workbench.receive(EngineEvent::Listed(filtered_request.key, Ok(filtered_request.list())));
        assert_eq!(workbench.core.list.listing.len, 1000);

        let completions = filtered_request.complete().unwrap();
        workbench.receive(EngineEvent::Completed(filtered_request.key, completions));
        assert_eq!(workbench.core.list.completions[0].insert, "set:set-3");
        assert_eq!(workbench.refresh(), []);
    }

    #[test]
    fn the_first_rows_of_a_long_listing_are_those_of_the_whole() {
        let mut workbench = much();
        let full_request = next_request(&mut workbench);
        workbench.receive(EngineEvent::Listed(full_request.key, Ok(full_request.list())));
        let _ = workbench.apply(Action::SetFilter("set:set-3".to_owned()));
        let filtered_request = next_request(&mut workbench);
        let orders = filtered_request.orders.as_ref().unwrap();
        let first =
            LibraryListing::first(&filtered_request.items, &filtered_request.options, orders)
                .unwrap();
        assert_eq!((first.len, first.rows.len()), (200, 200));
        assert_eq!(first.rows, filtered_request.list().rows[..200]);
        assert_eq!(first.row_of(first.rows[7].item().unwrap()), Some(7));

        workbench.receive(EngineEvent::FirstRows(full_request.key, first.clone()));
        assert_eq!(workbench.core.list.listing.len, 10_000);
        workbench.receive(EngineEvent::FirstRows(filtered_request.key, first));
        assert_eq!(workbench.core.list.listing.len, 200);
        assert_eq!(workbench.refresh(), []);
        workbench.receive(EngineEvent::Listed(filtered_request.key, Ok(filtered_request.list())));
        assert_eq!(workbench.core.list.listing.len, 1000);

        let _ = workbench.apply(Action::SetFilter("nothing".to_owned()));
        let empty_request = next_request(&mut workbench);
        let orders = empty_request.orders.as_ref().unwrap();
        assert!(
            LibraryListing::first(&empty_request.items, &empty_request.options, orders).is_none()
        );
    }

    #[test]
    fn rows_are_found_by_their_items_and_folders_by_their_name() {
        let mut workbench = much();
        let request = next_request(&mut workbench);
        workbench.receive(EngineEvent::Listed(request.key, Ok(request.list())));
        let listing = &workbench.core.list.listing;
        let paths =
            listing.orders.by_path.iter().map(|id| &*workbench.core.library.get(*id).unwrap().path);
        let paths: Vec<&str> = paths.collect();
        assert_eq!(paths[..3], ["set-0/0.json", "set-0/10.json", "set-0/20.json"]);
        for id in [DocId::new(0), DocId::new(9999)] {
            let row = listing.row_of(id).unwrap();
            assert_eq!(listing.rows[row].item(), Some(id));
        }
        assert_eq!(listing.row_of(DocId::new(10_000)), None);
    }

    #[test]
    fn items_that_were_judged_take_the_place_of_what_they_were() {
        let mut workbench = much();
        let id = DocId::new(7);
        let mut item = Item::clone(workbench.core.library.get(id).unwrap());
        let problem = |rule| Problem::whole_file(rule, "wrong");
        item.problems = vec![problem(RuleId::SourceStale), problem(RuleId::SignatureShared)].into();
        let generation = 1;
        let items = vec![(id, Arc::new(item))];
        let event = EngineEvent::ItemsChecked { generation, items };
        workbench.receive(event.clone());
        workbench.receive(event);
        let library = &workbench.core.library;
        assert_eq!(library.get(id).unwrap().problems.len(), 2);
        assert_eq!(library.count(Severity::Warning), 1);
        assert_eq!(library.tally().count(), 2);
    }
}
