//! Requests for long listings, which are made on another thread.

use crate::ops::search::{self, Completion};
use crate::workbench::core::items::Items;
use crate::workbench::core::listing::{LibraryListing, ListingOptions, Orders};

/// The revisions of the items and of the listing options that a listing is made from.
pub type ListKey = (u64, u64);

/// A request for a listing, with all inputs.
#[derive(Debug)]
pub struct ListRequest {
    pub key: ListKey,
    pub(in crate::workbench) items: Items,
    pub(in crate::workbench) options: ListingOptions,
    /// The known orders of the items.
    pub(in crate::workbench) orders: Option<Orders>,
    /// The text of the filter to complete.
    pub(in crate::workbench) typed: Option<String>,
}

impl ListRequest {
    /// Makes the listing. With a hundred thousand items this takes longer than a frame.
    pub fn list(&self) -> LibraryListing {
        LibraryListing::build(&self.items, &self.options, self.orders.clone())
    }

    /// Makes the beginning of the listing, if that is possible without all items and takes much less time.
    pub fn list_first(&self) -> Option<LibraryListing> {
        /// Fewer are listed within a tenth of a second.
        const MANY: usize = 200_000;
        let orders = self.orders.as_ref().filter(|_| self.items.len > MANY)?;
        LibraryListing::first(&self.items, &self.options, orders)
    }

    /// Finds the completions of the filter; `None` if none are requested.
    pub fn complete(&self) -> Option<Vec<Completion>> {
        let typed = self.typed.as_deref()?;
        let items = self.items.iter().map(|(_, item)| &**item);
        Some(search::complete(typed, typed.len(), items))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::format::{Problem, RuleId, Severity};
    use crate::ops::Item;
    use crate::workbench::{
        Action, DocId, Effect, EngineEvent, ProjectInfo, Remembered, Request, Workbench,
    };

    /// A workbench with more items than are listed on the window's thread; nothing is listed yet.
    fn much() -> Workbench {
        let mut workbench = Workbench::new(Remembered::default());
        let (generation, project) = (1, ProjectInfo::default());
        workbench.receive(EngineEvent::ScanStarted { generation, project });
        let item = |number| Arc::new(Item::new(&format!("set-{}/{number}.json", number % 10)));
        let items = (0..10_000).map(item).collect();
        workbench.receive(EngineEvent::ItemsFound { generation, items });
        let progress = crate::workbench::ReadProgress::default();
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
        let late = next_request(&mut workbench);
        let _ = workbench.apply(Action::TypeFilter("set:set-3".to_owned()));
        let filtered = next_request(&mut workbench);
        workbench.receive(EngineEvent::Listed(late.key, Ok(late.list())));
        assert_eq!(workbench.core.list.listing.len, 10_000);
        workbench.receive(EngineEvent::Listed(filtered.key, Ok(filtered.list())));
        assert_eq!(workbench.core.list.listing.len, 1000);

        let completions = filtered.complete().unwrap();
        workbench.receive(EngineEvent::Completed(filtered.key, completions));
        assert_eq!(workbench.core.list.completions[0].insert, "set:set-3");
        assert_eq!(workbench.refresh(), []);
    }

    #[test]
    fn the_first_rows_of_a_long_listing_are_those_of_the_whole() {
        let mut workbench = much();
        let all = next_request(&mut workbench);
        workbench.receive(EngineEvent::Listed(all.key, Ok(all.list())));
        let _ = workbench.apply(Action::SetFilter("set:set-3".to_owned()));
        let filtered = next_request(&mut workbench);
        let known = filtered.orders.as_ref().unwrap();
        let first = LibraryListing::first(&filtered.items, &filtered.options, known).unwrap();
        assert_eq!((first.len, first.rows.len()), (200, 200));
        assert_eq!(first.rows, filtered.list().rows[..200]);
        assert_eq!(first.row_of(first.rows[7].item().unwrap()), Some(7));

        workbench.receive(EngineEvent::FirstRows(all.key, first.clone()));
        assert_eq!(workbench.core.list.listing.len, 10_000);
        workbench.receive(EngineEvent::FirstRows(filtered.key, first));
        assert_eq!(workbench.core.list.listing.len, 200);
        assert_eq!(workbench.refresh(), []);
        workbench.receive(EngineEvent::Listed(filtered.key, Ok(filtered.list())));
        assert_eq!(workbench.core.list.listing.len, 1000);

        let _ = workbench.apply(Action::SetFilter("nothing".to_owned()));
        let nothing = next_request(&mut workbench);
        let known = nothing.orders.as_ref().unwrap();
        assert!(LibraryListing::first(&nothing.items, &nothing.options, known).is_none());
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
        let mut judged = Item::clone(workbench.core.library.get(id).unwrap());
        let problem = |rule| Problem::whole_file(rule, "wrong");
        judged.problems =
            vec![problem(RuleId::SourceStale), problem(RuleId::SignatureShared)].into();
        let generation = 1;
        let items = vec![(id, Arc::new(judged))];
        let judged = EngineEvent::ItemsChecked { generation, items };
        workbench.receive(judged.clone());
        workbench.receive(judged);
        let library = &workbench.core.library;
        assert_eq!(library.get(id).unwrap().problems.len(), 2);
        assert_eq!(library.count(Severity::Warning), 1);
        assert_eq!(library.tally().count(), 2);
    }
}
