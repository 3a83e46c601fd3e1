//! What is open: one item a file, and the few documents somebody looks at.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use super::items::Items;
use super::news::Gone;
use super::working_copy::{Revision, WorkingCopy};
use crate::format::{Document, Problem, RuleId, Severity};
use crate::ops::{Item, Status};
use crate::text::{Change, Source, TextEdit};

/// Names an item for as long as its project is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocId(u32);

impl DocId {
    /// The id of the item that arrived as number `index`, from 0.
    pub fn new(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// The item's number in the order of arrival, from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A file that was read again for someone to look at.
#[derive(Clone, Debug)]
pub enum Opened {
    /// Under way.
    Reading,
    /// Here it is, with the name of the text it is a reading of.
    Ready(Arc<Document>, Revision),
    /// It could not be read, for this reason.
    Failed(Arc<str>),
}

/// How many documents are kept open at once; the one looked at longest ago goes first.
const MOST_OPEN: usize = 16;

/// Why a text was not edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotEdited {
    /// The edit was made for another text than the one that is there now.
    Stale,
    /// The text is not at hand.
    Closed,
    /// The file is not UTF-8, so that its text is only a picture of it.
    NotText,
}

impl NotEdited {
    /// Says it, as what follows a colon.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Stale => "its text has changed since; look at it and edit again",
            Self::Closed => "it is no longer open; select it and edit again",
            Self::NotText => "it is not UTF-8 text, and would not survive it",
        }
    }
}

/// Everything that is open.
#[derive(Debug, Default)]
pub struct Library {
    items: Items,
    /// How many problems of each rule and level there are.
    tally: BTreeMap<(RuleId, Severity), usize>,
    /// Those that a request made today would not match.
    breaking: BTreeSet<DocId>,
    opened: HashMap<DocId, Opened>,
    order: VecDeque<DocId>,
    /// What was edited.
    copies: BTreeMap<DocId, WorkingCopy>,
    /// Items that were taken away although they were edited once: an edit that is undone brings them back.
    kept: BTreeMap<DocId, Arc<Item>>,
    /// The latest name given to a text.
    latest: Revision,
    /// Grows with every change, so that views know when to build their data anew.
    revision: u64,
    /// Grows with every change of the items.
    items_revision: u64,
}

impl Library {
    /// Grows with every change, be it that a document was opened.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Grows when items come, go or change: what is made from all of them is made anew then, and only then.
    pub fn items_revision(&self) -> u64 {
        self.items_revision
    }

    /// Grows with every change of what is known of a document somebody looks at.
    pub fn documents_revision(&self) -> u64 {
        self.revision - self.items_revision
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// True when nothing is open.
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

    /// Every item with its id, in the order of arrival.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (DocId, &Item)> {
        self.items.iter().map(|(id, item)| (id, &**item))
    }

    /// The items, to be kept by work on other threads.
    pub fn items(&self) -> &Items {
        &self.items
    }

    /// Every problem with its item and its position in the item.
    pub fn problems(&self) -> impl Iterator<Item = (DocId, usize, &Problem)> {
        self.iter().flat_map(|(id, item)| {
            item.problems
                .iter()
                .enumerate()
                .map(move |(at, problem)| (id, at, problem))
        })
    }

    /// How many problems each rule found, level by level. Costs nothing, however many there are.
    pub fn tally(&self) -> impl Iterator<Item = (RuleId, Severity, usize)> {
        let counted = self.tally.iter().filter(|(_, count)| **count > 0);
        counted.map(|((rule, severity), count)| (*rule, *severity, *count))
    }

    /// How many problems of a level there are.
    pub fn count(&self, severity: Severity) -> usize {
        let of_level = self.tally().filter(|(_, level, _)| *level == severity);
        of_level.map(|(_, _, count)| count).sum()
    }

    /// The recordings that a request made today would not match, in the order of arrival. Costs nothing to be found.
    pub fn breaking(&self) -> impl ExactSizeIterator<Item = DocId> {
        self.breaking.iter().copied()
    }

    /// The item with this id, to be kept by work on other threads.
    pub fn share(&self, id: DocId) -> Option<Arc<Item>> {
        self.items.get(id).cloned()
    }

    /// The item with this id, as [`Library::share`]; also one that was edited and is not listed any more.
    pub fn share_edited(&self, id: DocId) -> Option<Arc<Item>> {
        self.share(id).or_else(|| self.kept.get(&id).cloned())
    }

    /// What is known of a document somebody looks at; `None` when nobody asked for it lately.
    pub fn opened(&self, id: DocId) -> Option<&Opened> {
        self.opened.get(&id)
    }

    /// The document, if it is at hand.
    pub fn document(&self, id: DocId) -> Option<&Arc<Document>> {
        match self.opened.get(&id) {
            Some(Opened::Ready(document, _)) => Some(document),
            _ => None,
        }
    }

    /// A document's text as it is now, with its name; `None` while it is not at hand.
    pub fn text(&self, id: DocId) -> Option<(&Source, Revision)> {
        match (self.copies.get(&id), self.opened.get(&id)) {
            (Some(copy), _) => Some((copy.text(), copy.revision())),
            (None, Some(Opened::Ready(document, revision))) => Some((document.source(), *revision)),
            _ => None,
        }
    }

    /// What was edited of a document since it was opened; `None` if nothing was.
    pub fn copy(&self, id: DocId) -> Option<&WorkingCopy> {
        self.copies.get(&id)
    }

    /// Every document that was edited since it was opened.
    pub(super) fn copies(&self) -> impl Iterator<Item = (DocId, &WorkingCopy)> {
        self.copies.iter().map(|(id, copy)| (*id, copy))
    }

    /// Every document that holds edits which are not on disk.
    pub fn unsaved(&self) -> impl Iterator<Item = (DocId, &WorkingCopy)> {
        self.copies().filter(|(_, copy)| copy.is_unsaved())
    }

    /// What was edited of a document, to change how it stands.
    pub(super) fn copy_mut(&mut self, id: DocId) -> Option<&mut WorkingCopy> {
        self.revision += 1;
        self.copies.get_mut(&id)
    }

    /// Replaces a part of the text that has this name. Readings of it follow by [`Library::read_as`].
    pub(super) fn edit(
        &mut self,
        id: DocId,
        base: Revision,
        edit: TextEdit,
    ) -> Result<Change, NotEdited> {
        let (source, revision) = self.text(id).ok_or(NotEdited::Closed)?;
        if revision != base {
            return Err(NotEdited::Stale);
        }
        if source.fault().is_some() {
            return Err(NotEdited::NotText);
        }
        let (base, mut text) = (source.clone(), source.text().to_owned());
        let change = Change::make(edit, &mut text).ok_or(NotEdited::Stale)?;
        let next = self.next_revision();
        let copy = self.copies.entry(id);
        let copy = copy.or_insert_with(|| WorkingCopy::new(base, revision));
        copy.set_text(Source::new(text), next);
        self.revision += 1;
        Ok(change)
    }

    /// Takes this for the text on which edits of a document are based.
    pub(super) fn begin_from(&mut self, id: DocId, base: Source) {
        let revision = self.next_revision();
        self.copies.insert(id, WorkingCopy::new(base, revision));
        self.revision += 1;
    }

    /// Takes a reading of a text. One that is older than what is shown is dropped.
    pub(super) fn read_as(&mut self, id: DocId, revision: Revision, document: Arc<Document>) {
        let is_newer = match self.opened.get(&id) {
            Some(Opened::Ready(_, shown)) => *shown < revision,
            _ => true,
        };
        if is_newer && self.copies.contains_key(&id) {
            self.opened.insert(id, Opened::Ready(document, revision));
            self.revision += 1;
        }
    }

    fn next_revision(&mut self) -> Revision {
        self.latest.0 += 1;
        self.latest
    }

    pub(super) fn clear(&mut self) {
        self.items = Items::default();
        self.tally.clear();
        self.breaking.clear();
        self.opened.clear();
        self.order.clear();
        self.copies.clear();
        self.kept.clear();
        self.items_changed();
    }

    pub(super) fn add(&mut self, items: Vec<Arc<Item>>) {
        for item in items {
            self.count_in(DocId::new(self.items.ids()), &item);
            self.items.push(item);
        }
        self.items_changed();
    }

    /// Puts items in the place of those with the same ids.
    pub(super) fn replace(&mut self, items: Vec<(DocId, Arc<Item>)>) {
        for (id, item) in items {
            self.put(id, Some(item));
        }
        self.items_changed();
    }

    /// Takes items away; their ids stay theirs. What was open of one that goes on under another id is open there.
    pub(super) fn remove(&mut self, gone: &[Gone]) {
        for Gone { doc, heir } in gone {
            self.order.retain(|other| other != doc);
            let opened = self.opened.remove(doc);
            if let (Some(Opened::Ready(document, _)), Some(heir)) = (opened, heir) {
                self.want(*heir);
                let revision = self.next_revision();
                self.opened.insert(*heir, Opened::Ready(document, revision));
            }
            let item = self.put(*doc, None);
            if let Some(item) = item.filter(|_| self.copies.contains_key(doc)) {
                self.kept.insert(*doc, item);
            }
        }
        self.items_changed();
    }

    /// Puts an item back that was taken away, because an undone edit makes its text matter again.
    pub(super) fn bring_back(&mut self, id: DocId) {
        if let Some(item) = self.kept.remove(&id) {
            self.put(id, Some(item));
            self.items_changed();
        }
    }

    fn put(&mut self, id: DocId, item: Option<Arc<Item>>) -> Option<Arc<Item>> {
        if id.index() >= self.items.ids() {
            return None;
        }
        if let Some(old) = self.items.get(id).cloned() {
            self.count_out(id, &old);
        }
        if let Some(item) = &item {
            self.count_in(id, item);
        }
        self.items.replace(id, item)
    }

    fn items_changed(&mut self) {
        self.items_revision += 1;
        self.revision += 1;
    }

    fn count_in(&mut self, id: DocId, item: &Item) {
        if item.status() == Status::StaleBreaks {
            self.breaking.insert(id);
        }
        for problem in &item.problems {
            *self
                .tally
                .entry((problem.rule, problem.severity))
                .or_default() += 1;
        }
    }

    fn count_out(&mut self, id: DocId, item: &Item) {
        self.breaking.remove(&id);
        for problem in &item.problems {
            if let Some(count) = self.tally.get_mut(&(problem.rule, problem.severity)) {
                *count -= 1;
            }
        }
    }

    /// Notes that a document is wanted. True when it has to be read first.
    pub(super) fn want(&mut self, id: DocId) -> bool {
        self.order.retain(|other| *other != id);
        self.order.push_back(id);
        if self.order.len() > MOST_OPEN {
            // What was edited stays at hand.
            let oldest = self
                .order
                .iter()
                .position(|id| !self.copies.contains_key(id));
            let oldest = oldest.filter(|at| at + 1 < self.order.len());
            if let Some(oldest) = oldest.and_then(|at| self.order.remove(at)) {
                self.opened.remove(&oldest);
            }
        }
        let missing = !matches!(
            self.opened.get(&id),
            Some(Opened::Reading | Opened::Ready(..))
        );
        if missing {
            self.opened.insert(id, Opened::Reading);
        }
        missing
    }

    pub(super) fn opened_as(&mut self, id: DocId, result: Result<Arc<Document>, String>) {
        let revision = self.next_revision();
        if let Some(opened) = self.opened.get_mut(&id) {
            if is_the_same(opened, &result) {
                return;
            }
            *opened = match result {
                Ok(document) => Opened::Ready(document, revision),
                Err(reason) => Opened::Failed(reason.into()),
            };
            self.revision += 1;
        }
    }
}

/// Whether a document that was read again has the text it had: then nothing on screen is to move.
fn is_the_same(opened: &Opened, read: &Result<Arc<Document>, String>) -> bool {
    match (opened, read) {
        (Opened::Ready(old, _), Ok(new)) => {
            old.kind() == new.kind() && old.source().is_same(new.source())
        }
        _ => false,
    }
}
