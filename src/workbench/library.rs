//! What is open: one item a file, and the few documents somebody looks at.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use super::items::Items;
use super::live::Gone;
use crate::format::{Document, Problem, RuleId, Severity};
use crate::ops::Item;

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
    /// Here it is.
    Ready(Arc<Document>),
    /// It could not be read, for this reason.
    Failed(Arc<str>),
}

/// How many documents are kept open at once; the one looked at longest ago goes first.
const MOST_OPEN: usize = 16;

/// Everything that is open.
#[derive(Debug, Default)]
pub struct Library {
    items: Items,
    /// How many problems of each rule and level there are.
    tally: BTreeMap<(RuleId, Severity), usize>,
    opened: HashMap<DocId, Opened>,
    order: VecDeque<DocId>,
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

    /// The item with this id, to be kept by work on other threads.
    pub fn share(&self, id: DocId) -> Option<Arc<Item>> {
        self.items.get(id).cloned()
    }

    /// What is known of a document somebody looks at; `None` when nobody asked for it lately.
    pub fn opened(&self, id: DocId) -> Option<&Opened> {
        self.opened.get(&id)
    }

    /// The document, if it is at hand.
    pub fn document(&self, id: DocId) -> Option<&Arc<Document>> {
        match self.opened.get(&id) {
            Some(Opened::Ready(document)) => Some(document),
            _ => None,
        }
    }

    pub(super) fn clear(&mut self) {
        self.items = Items::default();
        self.tally.clear();
        self.opened.clear();
        self.order.clear();
        self.items_changed();
    }

    pub(super) fn add(&mut self, items: Vec<Arc<Item>>) {
        for item in items {
            self.count_in(&item);
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
            self.put(*doc, None);
            self.order.retain(|other| other != doc);
            if let (Some(Opened::Ready(document)), Some(heir)) = (self.opened.remove(doc), heir) {
                self.want(*heir);
                self.opened.insert(*heir, Opened::Ready(document));
            }
        }
        self.items_changed();
    }

    fn put(&mut self, id: DocId, item: Option<Arc<Item>>) {
        if id.index() >= self.items.ids() {
            return;
        }
        if let Some(item) = &item {
            self.count_in(item);
        }
        if let Some(old) = self.items.replace(id, item) {
            self.count_out(&old);
        }
    }

    fn items_changed(&mut self) {
        self.items_revision += 1;
        self.revision += 1;
    }

    fn count_in(&mut self, item: &Item) {
        for problem in &item.problems {
            *self
                .tally
                .entry((problem.rule, problem.severity))
                .or_default() += 1;
        }
    }

    fn count_out(&mut self, item: &Item) {
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
        if self.order.len() > MOST_OPEN
            && let Some(oldest) = self.order.pop_front()
        {
            self.opened.remove(&oldest);
        }
        let missing = !matches!(
            self.opened.get(&id),
            Some(Opened::Reading | Opened::Ready(_))
        );
        if missing {
            self.opened.insert(id, Opened::Reading);
        }
        missing
    }

    pub(super) fn opened_as(&mut self, id: DocId, result: Result<Arc<Document>, String>) {
        if let Some(opened) = self.opened.get_mut(&id) {
            if is_the_same(opened, &result) {
                return;
            }
            *opened = match result {
                Ok(document) => Opened::Ready(document),
                Err(reason) => Opened::Failed(reason.into()),
            };
            self.revision += 1;
        }
    }
}

/// Whether a document that was read again has the text it had: then nothing on screen is to move.
fn is_the_same(opened: &Opened, read: &Result<Arc<Document>, String>) -> bool {
    match (opened, read) {
        (Opened::Ready(old), Ok(new)) => {
            old.kind() == new.kind() && old.source().is_same(new.source())
        }
        _ => false,
    }
}
