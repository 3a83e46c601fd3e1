//! What is open: one item a file, and the few documents somebody looks at.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::format::{Document, Problem, Severity};
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
    items: Vec<Arc<Item>>,
    opened: HashMap<DocId, Opened>,
    order: VecDeque<DocId>,
    /// Grows with every change, so that views know when to build their data anew.
    revision: u64,
}

impl Library {
    /// Grows with every change.
    pub fn revision(&self) -> u64 {
        self.revision
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
        self.items.get(id.index()).map(|item| &**item)
    }

    /// Every item with its id, in the order of arrival.
    pub fn iter(&self) -> impl Iterator<Item = (DocId, &Item)> {
        self.items
            .iter()
            .enumerate()
            .map(|(index, item)| (DocId::new(index), &**item))
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

    /// How many problems of a level there are.
    pub fn count(&self, severity: Severity) -> usize {
        self.items.iter().map(|item| item.count(severity)).sum()
    }

    /// How many other recordings of the same folder have the same signature.
    pub fn same_signature(&self, id: DocId) -> usize {
        let Some(item) = self.get(id) else { return 0 };
        let Some(signature) = &item.signature else {
            return 0;
        };
        let same = |other: &&Arc<Item>| {
            other.signature.as_ref() == Some(signature) && other.folder() == item.folder()
        };
        self.items.iter().filter(same).count().saturating_sub(1)
    }

    /// The item with this id, to be kept by work on other threads.
    pub fn share(&self, id: DocId) -> Option<Arc<Item>> {
        self.items.get(id.index()).cloned()
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
        self.items.clear();
        self.opened.clear();
        self.order.clear();
        self.revision += 1;
    }

    pub(super) fn add(&mut self, items: Vec<Arc<Item>>) {
        self.items.extend(items);
        self.revision += 1;
    }

    pub(super) fn judge(&mut self, problems: Vec<(usize, Problem)>) {
        for (index, problem) in problems {
            let Some(item) = self.items.get_mut(index) else {
                continue;
            };
            let item = Arc::make_mut(item);
            item.problems.push(problem);
            item.problems.sort_by_key(|problem| problem.span);
        }
        self.revision += 1;
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
            *opened = match result {
                Ok(document) => Opened::Ready(document),
                Err(reason) => Opened::Failed(reason.into()),
            };
            self.revision += 1;
        }
    }
}
