//! The origins of the files in the library, read from their histories while nothing else is read.

use std::sync::Arc;

use crate::{Core, Effect};
use calls::Item;
use document::FileKind;
use play::blame::FileProvenance;
use protocol::{DocId, FindProvenance, Provenances};

/// The origins of files, as far as they were read.
#[derive(Debug, Default)]
pub struct LibraryProvenance {
    /// Those of which more is known than that they were recorded, which are few.
    pub(crate) known: Arc<Provenances>,
    /// How far that of each file is known, by the number of its item.
    states: Vec<OriginState>,
    /// Counts requests.
    number: u64,
    /// The scan, the commits and the items for which it was requested last.
    requested: Option<(u64, u64, u64)>,
    /// Grows with every answer.
    pub revision: u64,
}

/// How far the origin of a file is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum OriginState {
    #[default]
    Unknown,
    /// It was requested.
    Awaited,
    Known,
}

impl LibraryProvenance {
    /// Returns that of a file; `None` if it was not read, or if nothing but recordings are known.
    pub fn of(&self, doc: DocId) -> Option<FileProvenance> {
        self.known.get(&doc).copied()
    }

    /// Forgets that of a file that changed.
    pub(crate) fn forget(&mut self, doc: DocId) {
        if self.known.contains_key(&doc) {
            Arc::make_mut(&mut self.known).remove(&doc);
        }
        self.set_state(doc, OriginState::Unknown);
        self.requested = None;
    }

    fn state(&self, doc: DocId) -> OriginState {
        self.states.get(doc.index()).copied().unwrap_or_default()
    }

    fn set_state(&mut self, doc: DocId, state: OriginState) {
        if self.states.len() <= doc.index() {
            self.states.resize(doc.index() + 1, OriginState::Unknown);
        }
        self.states[doc.index()] = state;
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
            (origins.known, origins.states) = Default::default();
            origins.revision += 1;
        }
        origins.requested = Some(key);
        let has_calls = |item: &Item| {
            [FileKind::Recording, FileKind::Tape, FileKind::Cassette].contains(&item.kind)
        };
        let items = self.library.items.iter().filter(|(_, item)| has_calls(item));
        let missing = items.filter(|(doc, _)| origins.state(*doc) != OriginState::Known);
        let files: Vec<_> = missing.map(|(doc, item)| (doc, Arc::clone(item))).collect();
        if files.iter().all(|(doc, _)| origins.state(*doc) == OriginState::Awaited) {
            return;
        }
        // A newer request replaces the one before, so that it has its files, too.
        for state in origins.states.iter_mut().filter(|state| **state == OriginState::Awaited) {
            *state = OriginState::Unknown;
        }
        for (doc, _) in &files {
            origins.set_state(*doc, OriginState::Awaited);
        }
        origins.number += 1;
        let request = FindProvenance { number: origins.number, files };
        self.request(Effect::run(request));
    }

    pub(crate) fn on_provenance_found(
        &mut self,
        number: u64,
        mut found: Vec<(DocId, FileProvenance)>,
    ) {
        let origins = &mut self.provenance;
        if number != origins.number {
            return;
        }
        // A file that changed meanwhile is no longer awaited.
        found.retain(|(doc, _)| origins.state(*doc) == OriginState::Awaited);
        if found.is_empty() {
            return;
        }
        for (doc, _) in &found {
            origins.set_state(*doc, OriginState::Known);
        }
        found.retain(|(_, provenance)| *provenance != FileProvenance::default());
        if !found.is_empty() {
            Arc::make_mut(&mut origins.known).extend(found);
        }
        origins.revision += 1;
        self.list.options_revision += u64::from(self.list.query.has_provenance());
    }

    /// Returns whether an item passes the filter of the list, as far as it says without the content of its file.
    pub(crate) fn passes_filter(&self, doc: DocId, item: &Item) -> bool {
        let query = &self.list.query;
        query.matches(item) && query.fits_provenance(self.provenance.of(doc))
    }
}

#[cfg(test)]
mod tests {
    use play::blame::FileProvenance;
    use protocol::EngineEvent;

    use crate::Action;
    use crate::testing::{Bench, doc};

    #[test]
    fn origins_are_requested_once_and_again_for_a_file_that_changed() {
        let edited = FileProvenance { is_edited: true, is_derived: false };
        let mut bench = Bench::open(&[("a.tape.json", "{}"), ("b.tape.json", "{}")]);
        let number = bench.workbench.core.provenance.number;
        let answer = |bench: &mut Bench, number, first| {
            let found = vec![(doc(0), first), (doc(1), FileProvenance::default())];
            bench.receive(EngineEvent::ProvenanceFound(number, found));
            let origins = &bench.workbench.core.provenance;
            (origins.of(doc(0)), origins.of(doc(1)), origins.number)
        };
        // Nothing is kept of a file of which nothing but recordings are known.
        assert_eq!(answer(&mut bench, number, edited), (Some(edited), None, number));

        bench.workbench.core.provenance.forget(doc(0));
        bench.act(Action::Select(doc(1)));
        // The answer to the earlier request is too late; the file that did not change is known and not awaited.
        assert_eq!(answer(&mut bench, number, edited), (None, None, number + 1));
        assert_eq!(answer(&mut bench, number + 1, edited), (Some(edited), None, number + 1));
    }
}
