//! Searches files incrementally, a slice per frame, so that no frame is delayed by a large project.

use std::cmp::Reverse;

use super::entries::{MAX_ENTRIES, PaletteSearch};
use protocol::DocId;
use workbench::Library;

/// Items searched per frame.
const SLICE_ITEMS: usize = 8192;

/// A file search that continues over frames.
#[derive(Debug, Default)]
pub(super) struct FileSearch {
    /// The query in lower case, and the revision of the items.
    query: String,
    revision: u64,
    /// The files that are searched: the matches of a prefix of the query, or all open files.
    among: Option<Vec<DocId>>,
    /// Number of items searched so far.
    position: usize,
    /// The matches, in search order.
    matches: Vec<DocId>,
    /// The best matches, best first.
    best: Vec<(u32, DocId)>,
}

impl FileSearch {
    /// Starts a search for `query`, among the matches of `previous` if that searched for a prefix.
    pub(super) fn new(query: &str, library: &Library, previous: Option<Self>) -> Self {
        let (query, revision) = (query.to_lowercase(), library.items_revision);
        let prefix_search = previous.filter(|previous| {
            previous.revision == revision
                && !previous.query.is_empty()
                && query.starts_with(&previous.query)
                // An unfinished search has not seen all files, so some matches would be missing.
                && previous.is_done(library)
        });
        Self {
            query,
            revision,
            among: prefix_search.map(|previous| previous.matches),
            ..Self::default()
        }
    }

    /// Returns whether all items were searched.
    pub(super) fn is_done(&self, library: &Library) -> bool {
        self.position == self.total(library)
    }

    fn total(&self, library: &Library) -> usize {
        self.among.as_ref().map_or_else(|| library.len(), Vec::len)
    }

    /// Searches the next slice. Returns the best matches so far, best first.
    pub(super) fn advance(
        &mut self,
        search: &mut PaletteSearch,
        library: &Library,
    ) -> &[(u32, DocId)] {
        let end = (self.position + SLICE_ITEMS).min(self.total(library));
        for index in self.position..end {
            let id = self.among.as_ref().map_or_else(|| DocId::new(index), |ids| ids[index]);
            if let Some(score) = library.get(id).and_then(|item| search.file(item, &self.query)) {
                self.matches.push(id);
                self.best.push((score, id));
            }
        }
        self.position = end;
        // Ids make the order independent of the slices in which the files were searched.
        self.best.sort_unstable_by_key(|(score, id)| (Reverse(*score), *id));
        self.best.truncate(MAX_ENTRIES);
        &self.best
    }
}
