//! The open items, one per file, and the few documents that are loaded.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, OnceLock};

use crate::core::working_copy::WorkingCopy;
use calls::{Item, ItemStatus};
use check::{SettingsKey, ambiguous_problem, ambiguous_settings_of};
use document::text::{ReversibleEdit, Source, TextEdit};
use document::{Document, FileKind, Problem, RuleId, Severity};
use protocol::{CurrentDocument, DocId, Items, RemovedItem, Revision};

/// One problem of one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProblemId {
    pub doc: DocId,
    /// The problem's position among the item's.
    pub index: usize,
}

/// A document that was requested for a view.
#[derive(Clone, Debug)]
pub enum OpenDocument {
    /// Being read.
    Reading,
    /// Loaded, with the revision of its text.
    Ready(Arc<Document>, Revision),
    /// It could not be read, for this reason.
    Failed(Arc<str>),
}

/// Number of documents that are kept loaded; the least recently used one is dropped first.
const MAX_OPEN_DOCUMENTS: usize = 16;

/// Reason a text was not edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EditError {
    /// The edit was made for an older text.
    Stale,
    /// The text is not loaded.
    Closed,
    /// The file is not UTF-8, so its text is lossy.
    NotText,
}

impl EditError {
    /// The reason, to follow a colon.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Stale => "its text has changed since; check it and edit again",
            Self::Closed => "it is no longer open; select it and edit again",
            Self::NotText => "it is not UTF-8 text, and an edit would damage it",
        }
    }
}

/// The cassettes of some settings whose calls cannot be distinguished: several have one problem, as in `retake check`.
#[derive(Debug, Default)]
struct AmbiguousCassettes {
    /// By path, with the number of problems about such calls.
    docs: BTreeMap<(Arc<str>, DocId), usize>,
    /// The problem that they share, at the first of them.
    shared: OnceLock<Option<Problem>>,
}

impl AmbiguousCassettes {
    /// Returns the number of problems that are listed.
    fn listed(&self) -> usize {
        match self.docs.len() {
            0 | 1 => self.docs.values().sum(),
            _ => 1,
        }
    }

    fn first(&self) -> Option<DocId> {
        self.docs.keys().next().map(|(_, doc)| *doc)
    }
}

/// All open items.
#[derive(Debug, Default)]
pub struct Library {
    pub items: Items,
    ambiguous: BTreeMap<SettingsKey, AmbiguousCassettes>,
    /// The number of other problems, by rule and severity.
    tally: BTreeMap<(RuleId, Severity), usize>,
    /// Number of recordings that name their source.
    pub(crate) source_count: usize,
    /// Recordings that today's requests would not match.
    breaking: BTreeSet<DocId>,
    opened: HashMap<DocId, OpenDocument>,
    order: VecDeque<DocId>,
    /// The working copies of edited documents.
    copies: BTreeMap<DocId, WorkingCopy>,
    /// Removed items that were edited: undoing can restore them.
    removed_but_edited: BTreeMap<DocId, Arc<Item>>,
    /// The last assigned revision.
    last_revision: Revision,
    /// Grows with every change, so that views rebuild their data.
    pub revision: u64,
    /// Grows with every change of the items.
    pub items_revision: u64,
    /// The path of the opened folder from the project root; empty for the root itself, and where several paths are open.
    pub(crate) opened_folder: String,
}

impl Library {
    /// Grows with every change of the loaded documents.
    pub fn documents_revision(&self) -> u64 {
        // Each change of the items also counts in `revision`.
        self.revision - self.items_revision
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.items.len
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The item with this id.
    pub fn get(&self, id: DocId) -> Option<&Item> {
        self.items.get(id).map(|item| &**item)
    }

    /// The name of an item's file.
    pub fn name_of(&self, id: DocId) -> &str {
        self.get(id).map_or("the file", Item::file_name)
    }

    /// The kind of an item's file.
    pub(crate) fn kind(&self, id: DocId) -> Option<FileKind> {
        self.get(id).map(|item| item.kind)
    }

    /// Returns the document with a path from the project root.
    pub(crate) fn find(&self, root_path: &str) -> Option<DocId> {
        self.iter().find(|(_, item)| *item.root_path() == *root_path).map(|(doc, _)| doc)
    }

    /// Every item with its id, in the order of arrival.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (DocId, &Item)> {
        self.items.iter().map(|(id, item)| (id, &**item))
    }

    /// The problems of an item that are listed, with their position in the item: one that several cassettes share is listed at the
    /// first of them.
    pub fn listed_problems(&self, id: DocId) -> impl DoubleEndedIterator<Item = (usize, &Problem)> {
        let item = self.get(id);
        let sharing = item.and_then(|item| self.sharing(item));
        let problems = item.map_or(&[][..], |item| &item.problems);
        let is_ambiguous = |problem: &Problem| problem.rule == RuleId::CallAmbiguous;
        let listed_index = sharing
            .filter(|s| s.first() == Some(id))
            .and_then(|_| problems.iter().position(is_ambiguous));
        problems.iter().enumerate().filter(move |(index, problem)| {
            sharing.is_none() || !is_ambiguous(problem) || Some(*index) == listed_index
        })
    }

    /// Returns the cassettes that share a problem with an item.
    fn sharing(&self, item: &Item) -> Option<&AmbiguousCassettes> {
        let cassettes = self.ambiguous.get(&ambiguous_settings_of(item)?)?;
        (cassettes.docs.len() > 1).then_some(cassettes)
    }

    /// A problem by its id; the one that several cassettes share for those at the first of them.
    pub fn problem(&self, id: ProblemId) -> Option<&Problem> {
        let item = self.get(id.doc)?;
        let problem = item.problems.get(id.index)?;
        let is_ambiguous = problem.rule == RuleId::CallAmbiguous;
        let sharing = self.sharing(item).filter(|s| is_ambiguous && s.first() == Some(id.doc));
        let shared_problem = sharing.and_then(|sharing| {
            let find = || {
                let items = sharing.docs.keys().filter_map(|(_, doc)| self.get(*doc));
                ambiguous_problem(&items.collect::<Vec<_>>())
            };
            sharing.shared.get_or_init(find).as_ref()
        });
        Some(shared_problem.unwrap_or(problem))
    }

    /// The number of listed problems by rule and severity. Cheap, however many there are.
    pub fn tally(&self) -> impl Iterator<Item = (RuleId, Severity, usize)> {
        let mut tally = self.tally.clone();
        for ((.., severity), cassettes) in &self.ambiguous {
            *tally.entry((RuleId::CallAmbiguous, *severity)).or_default() += cassettes.listed();
        }
        // Counts of problems that are gone stay in the map as 0.
        let counts = tally.into_iter().filter(|(_, count)| *count > 0);
        counts.map(|((rule, severity), count)| (rule, severity, count))
    }

    /// The number of problems of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.tally().filter(|(_, level, _)| *level == severity).map(|(_, _, count)| count).sum()
    }

    /// The recordings that today's requests would not match, in the order of arrival. Cheap.
    pub fn breaking(&self) -> impl ExactSizeIterator<Item = DocId> {
        self.breaking.iter().copied()
    }

    /// The item with this id, for use on another thread.
    pub fn share(&self, id: DocId) -> Option<Arc<Item>> {
        self.items.get(id).cloned()
    }

    /// The item with this id, as [`Library::share`]; also finds an edited item that is no longer listed.
    pub fn share_edited(&self, id: DocId) -> Option<Arc<Item>> {
        self.share(id).or_else(|| self.removed_but_edited.get(&id).cloned())
    }

    /// The document if it was requested recently.
    pub fn opened(&self, id: DocId) -> Option<&OpenDocument> {
        self.opened.get(&id)
    }

    /// The document if it is loaded.
    pub fn document(&self, id: DocId) -> Option<&Arc<Document>> {
        let Some(OpenDocument::Ready(document, _)) = self.opened.get(&id) else { return None };
        Some(document)
    }

    /// The current text of a document with its revision; `None` if it is not loaded.
    pub fn text(&self, id: DocId) -> Option<(&Source, Revision)> {
        match (self.copies.get(&id), self.opened.get(&id)) {
            (Some(copy), _) => Some((&copy.text, copy.revision)),
            (None, Some(OpenDocument::Ready(file, revision))) => Some((file.source(), *revision)),
            _ => None,
        }
    }

    /// The document as it is now, for work on another thread; `None` if it is not listed and has no unsaved edits.
    pub fn current(&self, doc: DocId) -> Option<CurrentDocument> {
        let text = self.text(doc);
        Some(CurrentDocument {
            doc,
            item: self.share_edited(doc)?,
            text: text.map(|(source, revision)| (revision, source.clone())),
        })
    }

    /// The texts of edited files of these kinds, in the order of their ids.
    pub(crate) fn edited_texts(&self, kinds: &[FileKind]) -> Vec<(DocId, Source)> {
        let is_wanted = |doc| self.get(doc).is_some_and(|item| kinds.contains(&item.kind));
        let copies = self.copies().filter(|(doc, _)| is_wanted(*doc));
        copies.map(|(doc, copy)| (doc, copy.text.clone())).collect()
    }

    /// The working copy of a document; `None` if it was not edited since it was opened.
    pub fn copy(&self, id: DocId) -> Option<&WorkingCopy> {
        self.copies.get(&id)
    }

    /// All documents that were edited since they were opened.
    pub(crate) fn copies(&self) -> impl Iterator<Item = (DocId, &WorkingCopy)> {
        self.copies.iter().map(|(id, copy)| (*id, copy))
    }

    /// All documents with unsaved edits.
    pub fn unsaved(&self) -> impl Iterator<Item = (DocId, &WorkingCopy)> {
        self.copies().filter(|(_, copy)| copy.is_unsaved())
    }

    pub(crate) fn unsaved_revisions(&self) -> Vec<(DocId, Revision)> {
        self.unsaved().map(|(doc, copy)| (doc, copy.revision)).collect()
    }

    pub(crate) fn unsaved_texts(&self) -> Vec<(DocId, Source)> {
        self.unsaved().map(|(doc, copy)| (doc, copy.text.clone())).collect()
    }

    /// Returns an item with unsaved edits of which the path from the project root is one of those.
    pub(crate) fn unsaved_among(&self, is_meant: impl Fn(&str) -> bool) -> Option<&Item> {
        self.unsaved().filter_map(|(doc, _)| self.get(doc)).find(|item| is_meant(item.root_path()))
    }

    /// The working copy of a document, mutable.
    pub(crate) fn copy_mut(&mut self, id: DocId) -> Option<&mut WorkingCopy> {
        self.revision += 1;
        self.copies.get_mut(&id)
    }

    /// Replaces a part of the text with this revision. The parsed document follows by [`Library::set_document`].
    pub(crate) fn edit(
        &mut self,
        id: DocId,
        base: Revision,
        edit: TextEdit,
    ) -> Result<ReversibleEdit, EditError> {
        let (source, revision) = self.text(id).ok_or(EditError::Closed)?;
        if revision != base {
            return Err(EditError::Stale);
        }
        if source.fault().is_some() {
            return Err(EditError::NotText);
        }
        let (base, mut text) = (source.clone(), source.text().to_owned());
        let change = ReversibleEdit::make(edit, &mut text).ok_or(EditError::Stale)?;
        let next = self.next_revision();
        let copy = self.copies.entry(id).or_insert_with(|| WorkingCopy::new(base, revision));
        copy.set_text(Source::new(text), next);
        self.revision += 1;
        Ok(change)
    }

    /// Sets the text that edits of a document are based on.
    pub(crate) fn set_base(&mut self, id: DocId, base: Source) {
        let revision = self.next_revision();
        self.copies.insert(id, WorkingCopy::new(base, revision));
        self.revision += 1;
    }

    /// Sets the parsed document of a text. Ignored if it is older than the current one.
    pub(crate) fn set_document(&mut self, id: DocId, revision: Revision, document: Arc<Document>) {
        let is_newer = match self.opened.get(&id) {
            Some(OpenDocument::Ready(_, old_revision)) => *old_revision < revision,
            _ => true,
        };
        if is_newer && self.copies.contains_key(&id) {
            self.opened.insert(id, OpenDocument::Ready(document, revision));
            self.revision += 1;
        }
    }

    /// Returns a revision that no text has.
    pub(crate) fn next_revision(&mut self) -> Revision {
        self.last_revision.0 += 1;
        self.last_revision
    }

    /// Returns how a path from the project root is shown: below the opened folder; empty for the folder itself.
    pub fn shown_path<'p>(&self, path: &'p str) -> &'p str {
        let relative_path = path.strip_prefix(&*self.opened_folder);
        match relative_path.filter(|_| !self.opened_folder.is_empty()) {
            Some("") => "",
            // `runs` is no folder around `runs-old/a.json`.
            Some(relative_path) => relative_path.strip_prefix('/').unwrap_or(path),
            None => path,
        }
    }

    /// Returns a sentence whose paths are shown as in lists, without the opened folder.
    pub fn shown_sentence(&self, text: &str) -> String {
        let folder = format!("{}/", self.opened_folder);
        if folder == "/" { text.to_owned() } else { text.replace(&folder, "") }
    }

    /// Returns how the folder of an item is shown; `.` for the opened folder.
    pub fn shown_folder<'i>(&self, item: &'i Item) -> &'i str {
        match self.shown_path(item.folder()) {
            "" => ".",
            folder => folder,
        }
    }

    pub(crate) fn clear(&mut self) {
        // Revisions never fall, or views would take their old data for current.
        *self = Self {
            last_revision: self.last_revision,
            revision: self.revision,
            items_revision: self.items_revision,
            ..Self::default()
        };
        self.items_changed();
    }

    pub(crate) fn add(&mut self, items: Vec<Arc<Item>>) {
        for item in items {
            self.add_counts(DocId::new(self.items.ids()), &item);
            self.items.push(item);
        }
        self.items_changed();
    }

    /// Replaces the items with the same ids.
    pub(crate) fn replace(&mut self, items: Vec<(DocId, Arc<Item>)>) {
        for (id, item) in items {
            self.set_item(id, Some(item));
        }
        self.items_changed();
    }

    /// Removes items; their ids are not reused. The loaded document of a renamed item moves to its new id.
    pub(crate) fn remove(&mut self, items: &[RemovedItem]) {
        for RemovedItem { doc, renamed_to: successor } in items {
            self.order.retain(|other| other != doc);
            let entry = self.opened.remove(doc);
            if let (Some(OpenDocument::Ready(document, _)), Some(successor)) = (entry, successor) {
                self.request(*successor);
                let revision = self.next_revision();
                self.opened.insert(*successor, OpenDocument::Ready(document, revision));
            }
            let item = self.set_item(*doc, None);
            if let Some(item) = item.filter(|_| self.copies.contains_key(doc)) {
                self.removed_but_edited.insert(*doc, item);
            }
        }
        self.items_changed();
    }

    /// Restores a removed item, because an undone edit needs its text.
    pub(crate) fn restore(&mut self, id: DocId) {
        if let Some(item) = self.removed_but_edited.remove(&id) {
            self.set_item(id, Some(item));
            self.items_changed();
        }
    }

    fn set_item(&mut self, id: DocId, item: Option<Arc<Item>>) -> Option<Arc<Item>> {
        if id.index() >= self.items.ids() {
            return None;
        }
        if let Some(old) = self.items.get(id).cloned() {
            self.remove_counts(id, &old);
        }
        if let Some(item) = &item {
            self.add_counts(id, item);
        }
        self.items.replace(id, item)
    }

    fn items_changed(&mut self) {
        self.items_revision += 1;
        self.revision += 1;
    }

    fn add_counts(&mut self, id: DocId, item: &Item) {
        self.source_count += usize::from(item.source.is_some());
        if item.status() == ItemStatus::StaleBreaks {
            self.breaking.insert(id);
        }
        let settings = ambiguous_settings_of(item);
        for problem in counted_alone(item, settings.is_some()) {
            *self.tally.entry((problem.rule, problem.severity)).or_default() += 1;
        }
        if let Some(settings) = settings {
            let count = item.problems.len() - counted_alone(item, true).count();
            let cassettes = self.ambiguous.entry(settings).or_default();
            cassettes.docs.insert((Arc::clone(&item.path), id), count);
            // The shared problem names all its cassettes, so it is made again.
            cassettes.shared = OnceLock::new();
        }
    }

    fn remove_counts(&mut self, id: DocId, item: &Item) {
        self.source_count -= usize::from(item.source.is_some());
        self.breaking.remove(&id);
        let settings = ambiguous_settings_of(item);
        for problem in counted_alone(item, settings.is_some()) {
            if let Some(count) = self.tally.get_mut(&(problem.rule, problem.severity)) {
                *count -= 1;
            }
        }
        if let Some(cassettes) = settings.and_then(|s| self.ambiguous.get_mut(&s)) {
            cassettes.docs.remove(&(Arc::clone(&item.path), id));
            cassettes.shared = OnceLock::new();
        }
    }

    /// Marks a document as requested. Returns true if it has to be read.
    pub(crate) fn request(&mut self, id: DocId) -> bool {
        self.order.retain(|other| *other != id);
        self.order.push_back(id);
        if self.order.len() > MAX_OPEN_DOCUMENTS {
            // Edited documents stay loaded.
            let oldest = self
                .order
                .iter()
                .position(|id| !self.copies.contains_key(id))
                // The last one is the document that is being requested.
                .filter(|index| index + 1 < self.order.len());
            if let Some(oldest) = oldest.and_then(|index| self.order.remove(index)) {
                self.opened.remove(&oldest);
            }
        }
        let is_missing =
            // A document that failed is read again, because the cause may be gone.
            !matches!(self.opened.get(&id), Some(OpenDocument::Reading | OpenDocument::Ready(..)));
        if is_missing {
            self.opened.insert(id, OpenDocument::Reading);
        }
        is_missing
    }

    pub(crate) fn set_opened(&mut self, id: DocId, result: Result<Arc<Document>, String>) {
        let revision = self.next_revision();
        // The document may have been dropped since it was requested.
        if let Some(open_document) = self.opened.get_mut(&id) {
            // If a document that was read again has the same text, nothing on screen changes.
            if let (OpenDocument::Ready(old, _), Ok(new)) = (&*open_document, &result)
                && old.kind() == new.kind()
                && old.source() == new.source()
            {
                return;
            }
            *open_document = match result {
                Ok(document) => OpenDocument::Ready(document, revision),
                Err(reason) => OpenDocument::Failed(reason.into()),
            };
            self.revision += 1;
        }
    }
}

/// Returns the problems of an item, without those that cassettes with its settings share.
fn counted_alone(item: &Item, is_sharing: bool) -> impl Iterator<Item = &Problem> {
    item.problems.iter().filter(move |p| !is_sharing || p.rule != RuleId::CallAmbiguous)
}

#[cfg(test)]
mod tests {
    use super::*;
    use calls::cassette_config::{CassetteFacts, ConfigOrigin, ConfigTexts};
    use calls::{ItemFacts, RareFacts};
    use document::ProblemCalls;
    use document::cassette::CassetteClient;
    use document::foreign::{Foreign, ForeignFormat};

    /// A cassette with problems about ambiguous calls and one other, played with settings of this line.
    fn cassette(path: &str, line: u32, count: usize) -> Arc<Item> {
        let origin = ConfigOrigin { path: "conftest.py".into(), line };
        let facts = CassetteFacts {
            client: Some((CassetteClient::Vcrpy, origin.clone())),
            match_on: Some(ConfigTexts { key: "match_on".into(), texts: None, origin }),
            ..CassetteFacts::default()
        };
        let problem = |rule, message| Problem {
            calls: Some(Box::new(ProblemCalls::default())),
            ..Problem::whole_file(rule, message)
        };
        let mut problems = vec![problem(RuleId::CallAmbiguous, "its own"); count];
        problems.insert(0, problem(RuleId::StreamTruncated, "other"));
        let foreign = Foreign {
            format: ForeignFormat::VcrCassette,
            entries: None,
            client: Some(CassetteClient::Vcrpy),
        };
        let item = Item::from(ItemFacts {
            rare: RareFacts { foreign: Some(foreign), ..RareFacts::default() }.into(),
            ..ItemFacts::new(path)
        });
        Arc::new(item.with_cassette(Some(facts)).with_problems(problems))
    }

    /// The number of problems about ambiguous calls, and those that are listed.
    fn listed(library: &Library) -> (usize, Vec<String>) {
        let counts = library.tally().filter(|(rule, ..)| *rule == RuleId::CallAmbiguous);
        let count: usize = counts.map(|(.., count)| count).sum();
        let mut lines = Vec::new();
        for (doc, item) in library.iter() {
            for (index, _) in library.listed_problems(doc) {
                let problem = library.problem(ProblemId { doc, index }).unwrap();
                if problem.rule == RuleId::CallAmbiguous {
                    let start: Vec<&str> = problem.message.split(' ').take(2).collect();
                    lines.push(format!("{}: {}", item.path, start.join(" ")));
                }
            }
        }
        assert_eq!(count, lines.len());
        (count, lines)
    }

    #[test]
    fn cassettes_with_the_same_settings_have_one_problem_at_the_first_path() {
        let mut library = Library::default();
        library.add(vec![cassette("b.yaml", 1, 2), cassette("c.yaml", 2, 3)]);
        assert_eq!(listed(&library).0, 5);
        library.add(vec![cassette("a.yaml", 1, 1)]);
        let other_lines = ["c.yaml: its own"; 3].map(str::to_owned);
        let (count, lines) = listed(&library);
        assert_eq!((count, &lines[..3]), (4, &other_lines[..]));
        assert_eq!(lines[3], "a.yaml: 2 cassettes");
        assert_eq!(library.count(Severity::Warning), 7);
        // The shared problem is about those that still have it.
        library.replace(vec![(DocId::new(2), cassette("a.yaml", 1, 0))]);
        assert_eq!(listed(&library).1[..2], ["b.yaml: its own"; 2].map(str::to_owned));
        library.add(vec![cassette("d.yaml", 1, 1), cassette("e.yaml", 1, 1)]);
        assert_eq!(listed(&library).1[0], "b.yaml: 3 cassettes");
        library.clear();
        assert_eq!(library.tally().count(), 0);
    }
}
