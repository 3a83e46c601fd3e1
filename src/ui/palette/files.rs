//! Searches files incrementally, a slice per frame, so that no frame is delayed by a large project.

use std::cmp::Reverse;

use super::data::{MANY, Search};
use crate::workbench::{DocId, Library};

/// Items searched per frame.
const SLICE: usize = 8192;

/// A file search that continues over frames.
#[derive(Debug, Default)]
pub(super) struct FileSearch {
    /// The query in lower case, and the revision of the items.
    query: String,
    revision: u64,
    among: Among,
    /// Number of items searched so far.
    at: usize,
    /// The matches, in search order.
    fitting: Vec<DocId>,
    /// The best matches, best first.
    best: Vec<(u32, DocId)>,
}

#[derive(Debug, Default)]
enum Among {
    /// All open files.
    #[default]
    All,
    /// The matches of a prefix of the query.
    These(Vec<DocId>),
}

impl FileSearch {
    /// Starts a search for `query`, among the matches of `before` if that searched for a prefix.
    pub(super) fn new(query: &str, library: &Library, before: Option<Self>) -> Self {
        let (query, revision) = (query.to_lowercase(), library.items_revision());
        let narrowed = before.filter(|before| {
            before.revision == revision
                && !before.query.is_empty()
                && query.starts_with(&before.query)
                && before.is_done(library)
        });
        Self {
            query,
            revision,
            among: narrowed.map_or(Among::All, |before| Among::These(before.fitting)),
            ..Self::default()
        }
    }

    /// Returns whether all items were searched.
    pub(super) fn is_done(&self, library: &Library) -> bool {
        self.at == self.all(library)
    }

    fn all(&self, library: &Library) -> usize {
        match &self.among {
            Among::All => library.len(),
            Among::These(these) => these.len(),
        }
    }

    /// Searches the next slice. Returns the best matches so far, best first.
    pub(super) fn go_on(&mut self, search: &mut Search, library: &Library) -> &[(u32, DocId)] {
        let end = (self.at + SLICE).min(self.all(library));
        for at in self.at..end {
            let id = match &self.among {
                Among::All => DocId::new(at),
                Among::These(these) => these[at],
            };
            let fits = library
                .get(id)
                .and_then(|item| search.file(item, &self.query));
            if let Some(score) = fits {
                self.fitting.push(id);
                self.best.push((score, id));
            }
        }
        self.at = end;
        self.best
            .sort_unstable_by_key(|(score, id)| (Reverse(*score), *id));
        self.best.truncate(MANY);
        &self.best
    }
}
