//! The search in the content of files, for the terms of the filter that need it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::{Core, Effect};
use check::search::BodyQuery;
use document::Severity;
use protocol::{
    BodyVerdicts, Cancellable, DocId, Revision, SearchBodies, SearchProgress, SearchedBodies,
    Verdict,
};

/// The state of the search.
#[derive(Debug, Default)]
pub struct BodySearch {
    query: Option<BodyQuery>,
    pub(crate) verdicts: Arc<BodyVerdicts>,
    /// The number of the latest request.
    number: u64,
    /// The revision of the items and the text of the filter that it was made from. `None` when it has to be made again.
    requested: Option<(u64, String)>,
    /// The revisions of the edited texts that were searched.
    edited: BTreeMap<DocId, Revision>,
    /// Progress of the search; `None` when nothing is searched.
    pub progress: Option<SearchProgress>,
    /// Whether the user stopped it, until the filter changes.
    is_stopped: bool,
    /// Whether files were found that the list does not have yet.
    pub(crate) has_news: bool,
}

impl BodySearch {
    /// Returns the state without what is known of files: another project is opened.
    pub(crate) fn restarted(&self) -> Self {
        // Another number, so that answers of the previous search are recognised as late.
        Self { number: self.number + 1, ..Self::default() }
    }

    /// Notes that the content of a file may have changed.
    pub(crate) fn forget(&mut self, id: DocId) {
        if self.query.is_none() {
            return;
        }
        let verdict = match self.verdicts.get(id) {
            // A row that was found stays listed until its file is searched again.
            Verdict::Fits | Verdict::Fitted => Verdict::Fitted,
            Verdict::FitsNot | Verdict::Unknown => Verdict::Unknown,
        };
        // A search on another thread may still read the verdicts.
        Arc::make_mut(&mut self.verdicts).set(id, verdict);
        self.requested = None;
    }

    /// Stores a part of the answer, unless it is of an earlier request.
    pub(crate) fn on_searched(&mut self, number: u64, bodies: &SearchedBodies) {
        // A search that was stopped may still send what it has found.
        if number != self.number || self.progress.is_none() {
            return;
        }
        let verdicts = Arc::make_mut(&mut self.verdicts);
        for (id, is_fitting) in &bodies.found {
            let verdict = if *is_fitting { Verdict::Fits } else { Verdict::FitsNot };
            self.has_news |= verdicts.set(*id, verdict);
        }
        self.progress = (!bodies.progress.is_complete()).then_some(bodies.progress);
    }
}

impl Core {
    /// Begins to search when the filter, or a file, has changed, and ends the search before. What was searched already is not searched
    /// again. While files are being read, they are searched in growing steps.
    pub(crate) fn sync_bodies(&mut self) {
        let query = self.list.query.body();
        if self.bodies.query.as_ref() != query {
            let was_searching = self.bodies.progress.is_some();
            self.bodies = BodySearch { query: query.cloned(), ..self.bodies.restarted() };
            if was_searching {
                self.effects.push(Effect::Cancel(Cancellable::Search));
            }
        }
        if self.bodies.query.is_none() {
            return;
        }
        let copies = self.library.copies();
        let revisions: BTreeMap<DocId, Revision> =
            copies.map(|(doc, copy)| (doc, copy.revision)).collect();
        if revisions != self.bodies.edited {
            let old = std::mem::replace(&mut self.bodies.edited, revisions);
            let new = &self.bodies.edited;
            let docs = old.keys().chain(new.keys()).copied();
            let news: Vec<DocId> = docs.filter(|doc| old.get(doc) != new.get(doc)).collect();
            news.into_iter().for_each(|doc| self.bodies.forget(doc));
        }
        let filter = self.list.query.text();
        let revision = self.library.items_revision;
        let (is_same_filter, is_current) = match &self.bodies.requested {
            Some((version, text)) => (text == filter, text == filter && *version == revision),
            None => (true, false),
        };
        self.bodies.is_stopped &= is_same_filter;
        let is_arriving = self.progress.is_some() && self.bodies.progress.is_some();
        let is_soon = is_arriving && is_same_filter && self.bodies.requested.is_some();
        if is_current || is_soon || self.bodies.is_stopped {
            return;
        }
        self.bodies.number += 1;
        self.bodies.requested = Some((revision, filter.to_owned()));
        self.bodies.progress = Some(SearchProgress { searched: 0, all: self.library.len() });
        let request = SearchBodies {
            number: self.bodies.number,
            items: self.library.items.clone(),
            order: Arc::clone(&self.list.listing.orders.sorted),
            query: self.list.query.clone(),
            verdicts: Arc::clone(&self.bodies.verdicts),
            edited: self.library.copies().map(|(doc, copy)| (doc, copy.text.clone())).collect(),
        };
        self.request(Effect::run(request));
    }

    pub(crate) fn on_bodies_searched(
        &mut self,
        number: u64,
        result: Result<Arc<SearchedBodies>, String>,
    ) {
        match self.or_notify(result) {
            Some(bodies) => self.bodies.on_searched(number, &bodies),
            None => self.bodies.progress = None,
        }
    }

    /// Stops reading, or else the search. What was read or found stays listed.
    pub(crate) fn stop_reading(&mut self) {
        if self.progress.is_some() {
            self.effects.push(Effect::Cancel(Cancellable::Scan));
        } else if self.bodies.progress.take().is_some() {
            self.bodies.is_stopped = true;
            self.effects.push(Effect::Cancel(Cancellable::Search));
            self.notify(
                Severity::Note,
                "The search was stopped. Files that were already found stay listed; change the filter to search again.",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Action, Command, Workbench};
    use calls::Item;
    use protocol::{DiskChange, EngineEvent, ProjectInfo, ReadProgress, Remembered, Request};

    /// A workbench with items of these names.
    fn opened(names: &[&str]) -> Workbench {
        let mut workbench = Workbench::new(Remembered::default());
        let (generation, project) = (1, ProjectInfo::default());
        workbench.receive(EngineEvent::ScanStarted { generation, project });
        let items = names.iter().map(|name| Arc::new(Item::new(name))).collect();
        workbench.receive(EngineEvent::ItemsFound { generation, items });
        workbench.receive(EngineEvent::ScanEnded {
            generation,
            progress: ReadProgress::default(),
            cancelled: false,
        });
        workbench.refresh();
        workbench
    }

    fn filter(workbench: &mut Workbench, text: &str) -> Vec<Effect> {
        let mut effects = workbench.apply(Action::SetFilter(text.to_owned()));
        effects.extend(workbench.refresh());
        effects
    }

    /// The only search that is requested.
    #[track_caller]
    fn search(effects: Vec<Effect>) -> SearchBodies {
        let mut searches = effects.into_iter().filter_map(|effect| match effect {
            Effect::Run(Request::SearchBodies(search)) => Some(search),
            _ => None,
        });
        let search = searches.next().expect("a search");
        assert!(searches.next().is_none());
        search
    }

    fn wanted(search: &SearchBodies) -> Vec<usize> {
        let (mut docs, _) = search.wanted().unwrap();
        docs.sort_unstable();
        docs.into_iter().map(DocId::index).collect()
    }

    /// Answers for some files; returns the names that are then listed.
    fn answer(
        workbench: &mut Workbench,
        search: &SearchBodies,
        results: &[(usize, bool)],
        searched: usize,
    ) -> Vec<String> {
        let all = wanted(search).len();
        let results = results.iter().map(|(id, fits)| (DocId::new(*id), *fits));
        let part =
            SearchedBodies { found: results.collect(), progress: SearchProgress { searched, all } };
        workbench.receive(EngineEvent::BodiesSearched(search.number, Ok(Arc::new(part))));
        let _ = workbench.refresh();
        listed(workbench)
    }

    fn listed(workbench: &Workbench) -> Vec<String> {
        let core = &workbench.core;
        let rows = core.list.listing.rows.iter();
        let docs = rows.filter_map(protocol::LibraryRow::item);
        let mut names: Vec<String> =
            docs.map(|doc| core.library.get(doc).unwrap().path.to_string()).collect();
        names.sort();
        names
    }

    #[test]
    fn rows_appear_while_files_are_searched_and_what_is_known_is_not_searched_again() {
        let mut workbench = opened(&["a.json", "b.json", "tape/c.json"]);
        let first = search(filter(&mut workbench, "body:x"));
        assert_eq!(wanted(&first), [0, 1, 2]);
        assert!(listed(&workbench).is_empty());
        assert_eq!(answer(&mut workbench, &first, &[(0, true)], 1), ["a.json"]);
        let progress = SearchProgress { searched: 1, all: 3 };
        assert_eq!(workbench.core.bodies.progress, Some(progress));

        let second = search(filter(&mut workbench, "body:x path:tape"));
        assert_eq!(wanted(&second), [2]);
        assert!(
            answer(&mut workbench, &first, &[(1, true)], 2).is_empty(),
            "an answer to an earlier search comes too late"
        );
        assert_eq!(answer(&mut workbench, &second, &[(2, true)], 1), ["tape/c.json"]);
        assert_eq!(workbench.core.bodies.progress, None);

        let third = search(filter(&mut workbench, "body:x"));
        assert_eq!(wanted(&third), [1]);
        assert_eq!(answer(&mut workbench, &third, &[(1, false)], 1), ["a.json", "tape/c.json"]);
        let other = search(filter(&mut workbench, "body:y"));
        assert_eq!(wanted(&other), [0, 1, 2]);
    }

    #[test]
    fn a_file_that_is_written_is_searched_again_and_listed_until_then() {
        let mut workbench = opened(&["a.json", "b.json"]);
        let first = search(filter(&mut workbench, "body:x"));
        answer(&mut workbench, &first, &[(0, true), (1, false)], 2);
        let change = DiskChange::Rewritten(vec![DocId::new(0)]);
        workbench.receive(EngineEvent::DiskChanged(1, change));
        let second = search(workbench.refresh());
        assert_eq!(wanted(&second), [0]);
        assert_eq!(listed(&workbench), ["a.json"]);
        assert!(answer(&mut workbench, &second, &[(0, false)], 1).is_empty());
    }

    #[test]
    fn a_stopped_search_keeps_what_it_has_found_until_the_filter_changes() {
        let mut workbench = opened(&["a.json", "b.json"]);
        let first = search(filter(&mut workbench, "body:x"));
        answer(&mut workbench, &first, &[(0, true)], 1);
        let effects = workbench.apply(Action::Run(Command::CancelReading));
        assert!(effects.contains(&Effect::Cancel(Cancellable::Search)));
        assert_eq!(workbench.core.bodies.progress, None);
        assert!(workbench.refresh().is_empty());
        assert_eq!(answer(&mut workbench, &first, &[(1, true)], 2), ["a.json"]);
        let second = search(filter(&mut workbench, "body:x kind:unknown"));
        assert_eq!(wanted(&second), [1]);
    }
}
