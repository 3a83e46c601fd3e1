//! How each desk is shown: what is filtered, sorted and selected.

use std::collections::HashSet;
use std::sync::Arc;

use super::library::DocId;
use super::listing::{self, Choice, Grouping, Listing};
use super::request::ListKey;
use super::sorting::Sort;
use super::sources::SourcesDesk;
use super::state::ProblemId;
use crate::format::{RuleId, Severity};
use crate::ops::search::{Completion, Query};
use crate::ops::{Item, Status};

/// What narrows the library beside its filter, at one press.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Quick {
    /// Nothing.
    #[default]
    All,
    /// Whose source changed.
    Stale,
    /// With an error or a warning.
    Problems,
    /// Without source metadata.
    Unstamped,
}

/// How the library's list is shown.
#[derive(Debug, Default)]
pub struct LibraryDesk {
    pub(super) filter: String,
    pub(super) query: Query,
    pub(super) completions: Vec<Completion>,
    pub(super) quick: Quick,
    pub(super) sort: Sort,
    pub(super) grouping: Grouping,
    pub(super) folded: HashSet<String>,
    pub(super) selected: Option<DocId>,
    pub(super) marked: Option<DocId>,
    pub(super) listing: Listing,
    /// Grows with every change of what is listed and how.
    pub(super) choice: u64,
    /// What the listing was made from.
    pub(super) built: ListKey,
    /// The listing that is being made elsewhere.
    pub(super) awaited: Option<ListKey>,
    /// The text that is to be completed, while the completions are those of an earlier one.
    pub(super) typed: Option<String>,
    /// The path of what is to be selected once it is read again.
    pub(super) reselect: Option<Arc<str>>,
    /// The selected item that went, and the neighbour that was selected in its place.
    pub(super) left: Option<(DocId, Option<DocId>)>,
}

/// What the problems desk lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum By {
    /// The rules that found something.
    #[default]
    Rules,
    /// The files in which something is wrong.
    Files,
    /// The sources that recordings were made from, with how they stand.
    Sources,
}

/// How the problems desk is shown.
#[derive(Debug, Default)]
pub struct ProblemsDesk {
    pub(super) by: By,
    pub(super) sources: SourcesDesk,
    pub(super) level: Option<Severity>,
    pub(super) rule: Option<RuleId>,
    pub(super) problem: Option<ProblemId>,
}

impl LibraryDesk {
    /// The filter's text.
    pub fn filter(&self) -> &str {
        &self.filter
    }

    /// What the filter says.
    pub fn query(&self) -> &Query {
        &self.query
    }

    /// What could complete the filter's last term.
    pub fn completions(&self) -> &[Completion] {
        &self.completions
    }

    /// What narrows the list at one press.
    pub fn quick(&self) -> Quick {
        self.quick
    }

    /// By what rows are sorted.
    pub fn sort(&self) -> Sort {
        self.sort
    }

    /// Under which headings rows stand.
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
    pub fn listing(&self) -> &Listing {
        &self.listing
    }

    /// Changes whenever the rows may have changed: by what is open, or by how it is shown.
    pub fn built_from(&self) -> ListKey {
        self.built
    }

    pub(super) fn choice(&self) -> Choice {
        Choice {
            query: self.query.clone(),
            quick: self.quick,
            sort: self.sort,
            grouping: self.grouping,
            folded: self.folded.clone(),
        }
    }
}

impl ProblemsDesk {
    /// What is listed.
    pub fn by(&self) -> By {
        self.by
    }

    /// How the list of sources is shown.
    pub fn sources(&self) -> &SourcesDesk {
        &self.sources
    }

    /// The one level that is shown; `None` for all.
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

impl Quick {
    pub(super) fn keeps(self, item: &Item) -> bool {
        match self {
            Self::All => true,
            Self::Stale => listing::is_stale(item),
            Self::Problems => listing::has_problems(item),
            Self::Unstamped => item.status() == Status::Unstamped,
        }
    }
}
