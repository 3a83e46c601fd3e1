//! Every edit in the order it was made, across all documents, so that each can be taken back.

use std::sync::Arc;

use super::library::DocId;
use crate::ops::review::Write;
use crate::text::Change;

/// What was done, step by step, and how much of it stands.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    steps: Vec<Entry>,
    /// How many steps stand; those after them were undone and can be done again.
    done: usize,
    /// Whether what is typed next belongs to the last step.
    typing: bool,
    /// Grows with every change of the list.
    revision: u64,
}

/// One thing the user did: undone and done again as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// In the imperative, as in "Set status of tool response 2 to 504".
    pub name: String,
    /// What it changed in documents, in order.
    pub(super) changes: Vec<(DocId, Change)>,
    /// The files it wrote, in order; empty for what changed documents.
    pub(super) writes: Arc<[Write]>,
}

impl Entry {
    /// A step that changed documents.
    pub(super) fn of_edits(name: String, changes: Vec<(DocId, Change)>) -> Self {
        Self {
            name,
            changes,
            writes: Arc::default(),
        }
    }

    /// The documents it changed, each once.
    pub fn docs(&self) -> Vec<DocId> {
        let mut docs: Vec<DocId> = self.changes.iter().map(|(doc, _)| *doc).collect();
        docs.sort_unstable();
        docs.dedup();
        docs
    }
}

impl Journal {
    /// Every step, the first one first, with those that were undone.
    pub fn steps(&self) -> &[Entry] {
        &self.steps
    }

    /// How many of the steps stand.
    pub fn done(&self) -> usize {
        self.done
    }

    /// Grows with every change of the list.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The step that undo takes back.
    pub fn last(&self) -> Option<&Entry> {
        self.steps.get(self.done.checked_sub(1)?)
    }

    /// The step that redo does again.
    pub fn next(&self) -> Option<&Entry> {
        self.steps.get(self.done)
    }

    /// How many steps stand that changed a document.
    pub fn edits_of(&self, doc: DocId) -> usize {
        let steps = self.steps[..self.done].iter();
        steps
            .filter(|step| step.changes.iter().any(|(other, _)| *other == doc))
            .count()
    }

    /// Notes a step; what was undone before cannot be done again.
    pub(super) fn record(&mut self, step: Entry) {
        self.steps.truncate(self.done);
        self.steps.push(step);
        self.done += 1;
        self.typing = false;
        self.revision += 1;
    }

    /// Notes something typed: as part of the last step, if that was typed just before at the same place.
    pub(super) fn record_typing(
        &mut self,
        doc: DocId,
        change: Change,
        name: impl FnOnce() -> String,
    ) {
        if self.typing
            && self.done == self.steps.len()
            && let Some(step) = self.steps.last_mut()
            && let Some((last_doc, last)) = step.changes.last_mut()
            && *last_doc == doc
            && let Some(both) = last.and(&change)
        {
            *last = both;
            self.revision += 1;
            return;
        }
        self.record(Entry::of_edits(name(), vec![(doc, change)]));
        self.typing = true;
    }

    /// What is typed next is a step of its own.
    pub(super) fn end_typing(&mut self) {
        self.typing = false;
    }

    /// Takes the last step back; what it gives has to be done to the texts.
    pub(super) fn undo(&mut self) -> Option<Entry> {
        let step = self.last()?.clone();
        self.done -= 1;
        self.typing = false;
        self.revision += 1;
        Some(step)
    }

    /// Does the next step again; what it gives has to be done to the texts.
    pub(super) fn redo(&mut self) -> Option<Entry> {
        let step = self.next()?.clone();
        self.done += 1;
        self.typing = false;
        self.revision += 1;
        Some(step)
    }

    pub(super) fn clear(&mut self) {
        let revision = self.revision + 1;
        *self = Self {
            revision,
            ..Self::default()
        };
    }
}
