//! The undo history: all edits in order, across all documents.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::{Core, Effect};
use author::command_step::{CommandStep, UndoMode};
use compare::review::PlannedWrite;
use document::Severity;
use document::text::{ReversibleEdit, visible};
use protocol::{DocId, ListCommandSteps, UndoCommandStep};

/// The steps, and how many of them are applied.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    pub steps: Vec<JournalEntry>,
    /// Number of steps that are applied; the steps after them were undone and can be redone.
    pub done: usize,
    /// Whether text typed next belongs to the last step.
    typing: bool,
    /// Number of steps that were applied when a document was saved last.
    saved: BTreeMap<DocId, usize>,
    /// Grows with every change of the list.
    pub revision: u64,
}

/// One step, undone and redone as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalEntry {
    /// In the imperative, such as "Set status of tool response 2 to 504".
    pub name: String,
    /// The changes of documents, in order.
    pub(crate) changes: Vec<(DocId, ReversibleEdit)>,
    /// The writes of files, in order; empty for a step that changes documents.
    pub(crate) writes: Arc<[PlannedWrite]>,
}

impl JournalEntry {
    /// Creates a step that changes documents.
    pub(crate) fn from_edits(name: String, changes: Vec<(DocId, ReversibleEdit)>) -> Self {
        Self { name, changes, writes: Arc::default() }
    }

    /// The changed documents, without duplicates.
    pub fn docs(&self) -> Vec<DocId> {
        let mut docs: Vec<DocId> = self.changes.iter().map(|(doc, _)| *doc).collect();
        docs.sort_unstable();
        docs.dedup();
        docs
    }
}

impl Journal {
    /// Whether a write undoes one of a step.
    pub(crate) fn is_undo(&self, write: &PlannedWrite) -> bool {
        let undo = write.inverse();
        self.steps.iter().flat_map(|step| &*step.writes).any(|other| Some(other) == undo.as_ref())
    }

    /// The step that undo reverts.
    pub fn last(&self) -> Option<&JournalEntry> {
        self.steps.get(self.done.checked_sub(1)?)
    }

    /// The step that redo applies.
    pub fn next(&self) -> Option<&JournalEntry> {
        self.steps.get(self.done)
    }

    /// Notes that a document is saved as it is now.
    pub(crate) fn on_saved(&mut self, doc: DocId) {
        self.saved.insert(doc, self.done);
    }

    /// Returns the number of steps that changed a document since it was saved.
    pub fn edits_of(&self, doc: DocId) -> usize {
        let saved_step = self.saved.get(&doc).copied().unwrap_or_default();
        // After an undo, fewer steps are applied than when the document was saved.
        let steps = &self.steps[saved_step.min(self.done)..saved_step.max(self.done)];
        steps.iter().filter(|step| step.changes.iter().any(|(other, _)| *other == doc)).count()
    }

    /// Adds a step; undone steps can no longer be redone.
    pub(crate) fn record(&mut self, step: JournalEntry) {
        self.steps.truncate(self.done);
        for saved_step in self.saved.values_mut() {
            // The steps after this one no longer exist.
            *saved_step = (*saved_step).min(self.done);
        }
        self.steps.push(step);
        self.done += 1;
        self.typing = false;
        self.revision += 1;
    }

    /// Adds typed text: to the last step if that was typed just before at the same place.
    pub(crate) fn record_typing(
        &mut self,
        doc: DocId,
        change: ReversibleEdit,
        name: impl FnOnce() -> String,
    ) {
        if self.typing
            // After an undo, the last step is not the one that was typed last.
            && self.done == self.steps.len()
            && let Some(step) = self.steps.last_mut()
            && let Some((last_doc, last)) = step.changes.last_mut()
            && *last_doc == doc
            // Text typed at another place is another step.
            && let Some(merged_edit) = last.merge(&change)
        {
            *last = merged_edit;
            self.revision += 1;
            return;
        }
        self.record(JournalEntry::from_edits(name(), vec![(doc, change)]));
        self.typing = true;
    }

    /// Makes the next typed text a separate step.
    pub(crate) fn end_typing(&mut self) {
        self.typing = false;
    }

    /// Marks the last step as undone and returns it; the caller reverts the texts.
    pub(crate) fn undo(&mut self) -> Option<JournalEntry> {
        let step = self.last()?.clone();
        self.done -= 1;
        self.typing = false;
        self.revision += 1;
        Some(step)
    }

    /// Marks the next step as applied and returns it; the caller changes the texts.
    pub(crate) fn redo(&mut self) -> Option<JournalEntry> {
        let step = self.next()?.clone();
        self.done += 1;
        self.typing = false;
        self.revision += 1;
        Some(step)
    }

    pub(crate) fn clear(&mut self) {
        // The revision never decreases, or views would treat their old rows as current.
        let revision = self.revision + 1;
        *self = Self { revision, ..Self::default() };
    }
}

impl Core {
    /// Requests the steps again, when they are about to be shown.
    pub(crate) fn list_command_steps(&mut self) {
        // Commands run in other processes, so the list may be out of date.
        self.command_steps.clear();
        self.is_undo_refused = false;
        self.request(Effect::run(ListCommandSteps));
    }

    /// Requests to undo the last step. The files change on disk, and are read again as after any other change there.
    pub(crate) fn undo_command_step(&mut self, mode: UndoMode) {
        if let Some(step) = self.command_steps.first().cloned() {
            self.request(Effect::run(UndoCommandStep { step, mode }));
        }
    }

    pub(crate) fn on_command_steps(
        &mut self,
        steps: Vec<CommandStep>,
        undo_result: Option<Result<String, String>>,
    ) {
        self.command_steps = steps;
        self.is_undo_refused = matches!(undo_result, Some(Err(_)));
        if let Some(command) = undo_result.and_then(|undo_result| self.or_notify(undo_result)) {
            self.notify(Severity::Note, format!("Undone: {}", visible(&command)));
        }
    }
}
