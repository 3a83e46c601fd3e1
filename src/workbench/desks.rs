//! The view state of the library and problems desks: filter, sort order and selection.

use std::collections::HashSet;
use std::sync::Arc;

use super::library::DocId;
use super::list_request::ListKey;
use super::listing::{self, Grouping, LibraryListing, ListingOptions};
use super::sorting::Sort;
use super::sources::SourcesDesk;
use super::state::ProblemId;
use crate::format::{RuleId, Severity};
use crate::ops::search::{Completion, FilterQuery};
use crate::ops::{Item, ItemStatus};

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
    pub(super) filter: String,
    pub(super) query: FilterQuery,
    pub(super) completions: Vec<Completion>,
    pub(super) quick_filter: QuickFilter,
    pub(super) sort: Sort,
    pub(super) grouping: Grouping,
    pub(super) folded: HashSet<String>,
    pub(super) selected: Option<DocId>,
    pub(super) marked: Option<DocId>,
    pub(super) listing: LibraryListing,
    /// Grows with every change of the listing options.
    pub(super) options_revision: u64,
    /// The key of the inputs of the current listing.
    pub(super) built: ListKey,
    /// The key of the listing that is being made on another thread.
    pub(super) awaited: Option<ListKey>,
    /// The text to complete, while the completions are those of an earlier text.
    pub(super) typed: Option<String>,
    /// The path of the item to select once it is read again.
    pub(super) reselect: Option<Arc<str>>,
    /// The selected item that was removed, and the neighbor that was selected instead.
    pub(super) removed_selection: Option<(DocId, Option<DocId>)>,
}

/// What the problems desk lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ProblemsView {
    /// The rules with problems.
    #[default]
    Rules,
    /// The files with problems.
    Files,
    /// The sources of recordings, with their status.
    Sources,
}

/// The view state of the problems desk.
#[derive(Debug, Default)]
pub struct ProblemsDesk {
    pub(super) view: ProblemsView,
    pub(super) sources: SourcesDesk,
    pub(super) level: Option<Severity>,
    pub(super) rule: Option<RuleId>,
    pub(super) problem: Option<ProblemId>,
}

impl LibraryDesk {
    /// The text of the filter.
    pub fn filter(&self) -> &str {
        &self.filter
    }

    /// The parsed filter.
    pub fn query(&self) -> &FilterQuery {
        &self.query
    }

    /// The completions of the filter's last term.
    pub fn completions(&self) -> &[Completion] {
        &self.completions
    }

    /// The quick filter.
    pub fn quick_filter(&self) -> QuickFilter {
        self.quick_filter
    }

    /// The sort order of rows.
    pub fn sort(&self) -> Sort {
        self.sort
    }

    /// The grouping of rows.
    pub fn grouping(&self) -> Grouping {
        self.grouping
    }

    /// The selected item.
    pub fn selected(&self) -> Option<DocId> {
        self.selected
    }

    /// The item marked as the other side of a comparison.
    pub fn marked(&self) -> Option<DocId> {
        self.marked
    }

    /// The rows.
    pub fn listing(&self) -> &LibraryListing {
        &self.listing
    }

    /// Changes whenever the rows may have changed, because of the open files or the view options.
    pub fn built_from(&self) -> ListKey {
        self.built
    }

    pub(super) fn listing_options(&self) -> ListingOptions {
        ListingOptions {
            query: self.query.clone(),
            quick_filter: self.quick_filter,
            sort: self.sort,
            grouping: self.grouping,
            folded: self.folded.clone(),
        }
    }
}

impl ProblemsDesk {
    /// What is listed.
    pub fn view(&self) -> ProblemsView {
        self.view
    }

    /// The view state of the list of sources.
    pub fn sources(&self) -> &SourcesDesk {
        &self.sources
    }

    /// The severity that is shown; `None` for all.
    pub fn level(&self) -> Option<Severity> {
        self.level
    }

    /// The selected rule.
    pub fn rule(&self) -> Option<RuleId> {
        self.rule
    }

    /// The selected problem.
    pub fn problem(&self) -> Option<ProblemId> {
        self.problem
    }
}

impl QuickFilter {
    pub(super) fn matches(self, item: &Item) -> bool {
        match self {
            Self::All => true,
            Self::Stale => listing::is_stale(item),
            Self::Problems => listing::has_problems(item),
            Self::Unstamped => item.status() == ItemStatus::Unstamped,
        }
    }
}
