//! The search in the content of files.

use std::sync::Arc;

use crate::{DocId, Items};
use check::search::{BodyQuery, FilterQuery};
use document::text::Source;

/// A request to search the files that the other terms of the filter leave. The answers come in parts, in the order of the list.
#[derive(Debug)]
pub struct SearchBodies {
    /// Counts requests.
    pub number: u64,
    pub items: Items,
    /// The items in the order of the list, as far as that is known.
    pub order: Arc<[DocId]>,
    pub query: FilterQuery,
    pub verdicts: Arc<BodyVerdicts>,
    /// The texts of edited documents, in the order of their ids.
    pub edited: Vec<(DocId, Source)>,
}

impl SearchBodies {
    /// Returns the items that have to be searched, in the order of the list, and what is looked for.
    pub fn wanted(&self) -> Option<(Vec<DocId>, &BodyQuery)> {
        let is_wanted = |id: &DocId| {
            let item = self.items.get(*id);
            !self.verdicts.is_known(*id) && item.is_some_and(|item| self.query.matches(item))
        };
        let mut docs: Vec<DocId> = self.order.iter().copied().filter(is_wanted).collect();
        // The last listing may not have all items yet.
        if self.order.len() != self.items.len {
            let mut is_ordered = vec![false; self.items.ids()];
            docs.iter().for_each(|id| is_ordered[id.index()] = true);
            let other_ids = self.items.iter().map(|(id, _)| id);
            docs.extend(other_ids.filter(|id| !is_ordered[id.index()] && is_wanted(id)));
        }
        Some((docs, self.query.body()?))
    }
}

/// A part of the answer to [`SearchBodies`].
#[derive(Clone, Debug)]
pub struct SearchedBodies {
    /// Files that were searched since the last part, and whether each fits.
    pub found: Vec<(DocId, bool)>,
    pub progress: SearchProgress,
}

/// Number of files that were searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchProgress {
    pub searched: usize,
    pub all: usize,
}

impl SearchProgress {
    pub fn is_complete(self) -> bool {
        self.searched >= self.all
    }
}

/// Verdict on each item.
#[derive(Clone, Debug, Default)]
pub struct BodyVerdicts(Vec<Verdict>);

/// Whether the content of a file fits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    #[default]
    Unknown,
    Fits,
    FitsNot,
    /// It did, before the file was changed.
    Fitted,
}

impl BodyVerdicts {
    /// Whether an item is listed. One that was changed keeps its row until it is searched again.
    pub(crate) fn fits(&self, id: DocId) -> bool {
        matches!(self.get(id), Verdict::Fits | Verdict::Fitted)
    }

    fn is_known(&self, id: DocId) -> bool {
        matches!(self.get(id), Verdict::Fits | Verdict::FitsNot)
    }

    pub fn get(&self, id: DocId) -> Verdict {
        self.0.get(id.index()).copied().unwrap_or_default()
    }

    /// Sets a verdict. Returns whether the list changes.
    pub fn set(&mut self, id: DocId, verdict: Verdict) -> bool {
        let old_fit = self.fits(id);
        if self.0.len() <= id.index() {
            self.0.resize(id.index() + 1, Verdict::Unknown);
        }
        self.0[id.index()] = verdict;
        old_fit != self.fits(id)
    }
}
