//! The state of the list of the library: filter, sort order and selection.

use std::collections::HashSet;
use std::sync::Arc;

use crate::ops::search::{Completion, FilterQuery};
use crate::ops::{Item, ItemStatus};
use crate::workbench::core::library::DocId;
use crate::workbench::core::list_request::ListKey;
use crate::workbench::core::listing::{self, Grouping, LibraryListing, ListingOptions};
use crate::workbench::core::sorting::Sort;

/// A filter that one click sets, in addition to the text filter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum QuickFilter {
    /// Nothing.
    #[default]
    All,
    /// Recordings whose source changed.
    Stale,
    /// Items with an error or a warning.
    Problems,
    /// Recordings without source metadata.
    Unstamped,
}

/// The view state of the library.
#[derive(Debug, Default)]
pub struct LibraryDesk {
    pub filter: String,
    pub query: FilterQuery,
    pub completions: Vec<Completion>,
    pub quick_filter: QuickFilter,
    pub sort: Sort,
    pub grouping: Grouping,
    pub(in crate::workbench) folded: HashSet<String>,
    pub selected: Option<DocId>,
    pub marked: Option<DocId>,
    pub listing: LibraryListing,
    /// Grows with every change of the listing options.
    pub(in crate::workbench) options_revision: u64,
    /// The key of the inputs of the current listing.
    pub built: ListKey,
    /// The key of the listing that is being made on another thread.
    pub(in crate::workbench) awaited: Option<ListKey>,
    /// The text to complete, while the completions are those of an earlier text.
    pub(in crate::workbench) typed: Option<String>,
    /// The path of the item to select once it is read again.
    pub(in crate::workbench) reselect: Option<Arc<str>>,
    /// The selected item that was removed, and the neighbor that was selected instead.
    pub(in crate::workbench) removed_selection: Option<(DocId, Option<DocId>)>,
}

impl LibraryDesk {
    pub(in crate::workbench) fn listing_options(&self) -> ListingOptions {
        ListingOptions {
            query: self.query.clone(),
            quick_filter: self.quick_filter,
            sort: self.sort,
            grouping: self.grouping,
            folded: self.folded.clone(),
        }
    }
}

impl QuickFilter {
    pub(in crate::workbench) fn matches(self, item: &Item) -> bool {
        match self {
            Self::All => true,
            Self::Stale => listing::is_stale(item),
            Self::Problems => listing::has_problems(item),
            Self::Unstamped => item.status() == ItemStatus::Unstamped,
        }
    }
}
