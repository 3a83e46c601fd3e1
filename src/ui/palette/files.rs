//! Looks for files by a few letters, a slice of them a frame: however much is open, no frame waits for all of it.

use std::cmp::Reverse;

use super::data::{MANY, Search};
use crate::workbench::{DocId, Library};

/// How many items are looked at in a frame.
const SLICE: usize = 8192;

/// A search for files, from frame to frame.
#[derive(Debug, Default)]
pub(super) struct FileSearch {
    /// What is looked for, in lower case, and among which items.
    query: String,
    revision: u64,
    among: Among,
    /// How many of them were looked at.
    at: usize,
    /// Those that fit, in the order in which they were looked at.
    fitting: Vec<DocId>,
    /// The best of them, the best first.
    best: Vec<(u32, DocId)>,
}

#[derive(Debug, Default)]
enum Among {
    /// Everything that is open.
    #[default]
    All,
    /// What fitted the beginning of the query.
    These(Vec<DocId>),
}

impl FileSearch {
    /// Begins to look for `query`, among what `before` found if that was a beginning of it.
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

    /// True when all items were looked at.
    pub(super) fn is_done(&self, library: &Library) -> bool {
        self.at == self.all(library)
    }

    fn all(&self, library: &Library) -> usize {
        match &self.among {
            Among::All => library.len(),
            Among::These(these) => these.len(),
        }
    }

    /// Looks at the next slice. Answers the best of what was found so far, the best first.
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
