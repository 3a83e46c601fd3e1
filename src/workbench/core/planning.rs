//! Changes of documents: planned by the engine, then applied as steps that can be undone.

use crate::core::Core;
use crate::core::editing::HistoryMode;
use crate::core::effect::Effect;
use crate::core::journal::JournalEntry;
use crate::core::library::EditError;
use check::change::Change;
use document::Severity;
use document::text::ReversibleEdit;
use protocol::{DocId, PlanChange, PlannedChange, PlannedEdit, Revision};

/// The result of applying a change.
#[derive(Debug, Default)]
pub(crate) struct AppliedChange {
    /// The number of documents that were edited.
    pub(crate) edited: usize,
    /// Documents whose text is no longer the one that the edit was planned for.
    pub(crate) refused: Vec<(DocId, EditError)>,
}

impl Core {
    /// Requests the edit of a document.
    pub(crate) fn plan_change(&self, doc: DocId, change: Change) -> Option<Effect> {
        Some(Effect::run(PlanChange {
            generation: self.generation,
            documents: vec![self.library.current(doc)?],
            change,
        }))
    }

    /// Applies edits as one step. `name` has the number of edited documents.
    pub(crate) fn apply_edits(
        &mut self,
        name: impl Fn(usize) -> String,
        edits: Vec<PlannedEdit>,
        mode: HistoryMode,
    ) -> AppliedChange {
        let mut outcome = AppliedChange::default();
        let mut changes = Vec::new();
        for edit in edits {
            let doc = edit.doc;
            match self.apply_planned_edit(&edit) {
                Ok(change) => {
                    changes.push((doc, change));
                    // Parsed with the plan, so no view waits for another parse.
                    self.on_parsed_edit(doc, edit.parsed);
                }
                Err(reason) => outcome.refused.push((doc, reason)),
            }
        }
        outcome.edited = changes.len();
        match mode {
            HistoryMode::Typed => {
                for (doc, change) in changes {
                    self.journal.record_typing(doc, change, || name(1));
                }
            }
            // A step without changes would undo nothing.
            HistoryMode::Step if changes.is_empty() => {}
            HistoryMode::Step => {
                self.journal.record(JournalEntry::from_edits(name(outcome.edited), changes));
            }
        }
        outcome
    }

    /// Applies the edit of one file; false, with a notice, if it is not edited.
    pub(crate) fn edit_file(&mut self, plan: PlannedChange) -> bool {
        let file = self.library.name_of(plan.first.0).to_owned();
        let reason = match plan.skipped.into_iter().next() {
            Some((_, reason)) => reason,
            None => {
                let name = |_| plan.name.clone();
                let outcome = self.apply_edits(name, plan.edits, HistoryMode::Step);
                match outcome.refused.first() {
                    Some((_, refusal)) => refusal.reason().to_owned(),
                    None => return true,
                }
            }
        };
        self.notify(Severity::Error, format!("{file} was not edited: {reason}."));
        false
    }

    /// Applies an edit if its document still has the text that the edit was planned for.
    fn apply_planned_edit(&mut self, edit: &PlannedEdit) -> Result<ReversibleEdit, EditError> {
        let base = match (edit.base, self.library.text(edit.doc)) {
            (Some(base), _) => base,
            // Planned before the document was loaded, from the same text.
            (None, Some((text, revision))) if *text == edit.text => revision,
            // No text has this revision, so the edit is refused.
            (None, Some(_)) => Revision::default(),
            (None, None) => {
                self.library.set_base(edit.doc, edit.text.clone());
                self.library.text(edit.doc).map_or_else(Revision::default, |(_, revision)| revision)
            }
        };
        self.library.edit(edit.doc, base, edit.edit.clone())
    }
}
