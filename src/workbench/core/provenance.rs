//! The origins of the files in the library, read from their histories while nothing else is read.

use std::collections::HashSet;
use std::sync::Arc;

use crate::{Core, Effect};
use calls::Item;
use document::FileKind;
use play::blame::FileProvenance;
use protocol::{DocId, FindProvenance, Provenances};

/// The origins of files, as far as they were read.
#[derive(Debug, Default)]
pub struct LibraryProvenance {
    pub(crate) known: Arc<Provenances>,
    /// Files that were requested and are not known yet.
    awaited: HashSet<DocId>,
    /// Counts requests.
    number: u64,
    /// The scan, the commits and the items for which it was requested last.
    requested: Option<(u64, u64, u64)>,
    /// Grows with every answer.
    pub revision: u64,
}

impl LibraryProvenance {
    /// Returns that of a file; `None` if it was not read.
    pub fn of(&self, doc: DocId) -> Option<FileProvenance> {
        self.known.get(&doc).copied()
    }

    /// Forgets that of a file that changed.
    pub(crate) fn forget(&mut self, doc: DocId) {
        Arc::make_mut(&mut self.known).remove(&doc);
        self.awaited.remove(&doc);
        self.requested = None;
    }
}

impl Core {
    /// Requests the origins of files with calls that are not known, once everything is read.
    pub(crate) fn sync_provenance(&mut self) {
        let key = (self.generation, self.commits.history, self.library.items_revision);
        let origins = &mut self.provenance;
        if self.progress.is_some() || origins.requested == Some(key) {
            return;
        }
        let has_same_history =
            origins.requested.is_none_or(|(scan, history, _)| (scan, history) == (key.0, key.1));
        if !has_same_history {
            (origins.known, origins.awaited) = Default::default();
            origins.revision += 1;
        }
        origins.requested = Some(key);
        let has_calls = |item: &Item| {
            [FileKind::Recording, FileKind::Tape, FileKind::Cassette].contains(&item.kind)
        };
        let items = self.library.items.iter().filter(|(_, item)| has_calls(item));
        let missing = items.filter(|(doc, _)| !origins.known.contains_key(doc));
        let files: Vec<_> = missing.map(|(doc, item)| (doc, Arc::clone(item))).collect();
        if files.iter().all(|(doc, _)| origins.awaited.contains(doc)) {
            return;
        }
        // A newer request replaces the one before, so that it has its files, too.
        origins.awaited = files.iter().map(|(doc, _)| *doc).collect();
        origins.number += 1;
        let request = FindProvenance { number: origins.number, files };
        self.request(Effect::run(request));
    }

    pub(crate) fn on_provenance_found(&mut self, number: u64, found: Vec<(DocId, FileProvenance)>) {
        let origins = &mut self.provenance;
        if number != origins.number {
            return;
        }
        // A file that changed meanwhile is no longer awaited.
        let is_current = |(doc, _): &(DocId, FileProvenance)| origins.awaited.remove(doc);
        let found: Vec<_> = found.into_iter().filter(is_current).collect();
        if found.is_empty() {
            return;
        }
        Arc::make_mut(&mut origins.known).extend(found);
        origins.revision += 1;
        self.list.options_revision += u64::from(self.list.query.has_provenance());
    }

    /// Returns whether an item passes the filter of the list, as far as it says without the content of its file.
    pub(crate) fn passes_filter(&self, doc: DocId, item: &Item) -> bool {
        let query = &self.list.query;
        query.matches(item) && query.fits_provenance(self.provenance.of(doc))
    }
}
