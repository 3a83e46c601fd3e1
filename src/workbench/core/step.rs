//! A planned change of documents that waits for a decision. Nothing is edited before.

use crate::{Core, EditError, Effect, HistoryMode, JournalEntry, Overlay};
use check::change::Change;
use document::Severity;
use document::text::{ReversibleEdit, counted};
use protocol::{DocId, PlanChange, PlannedChange, PlannedEdit, Revision};

/// Maximum number of files whose changes are shown.
pub(super) const MAX_STEP_FILES: usize = 400;

/// A step that is shown before it is applied.
#[derive(Clone, Debug)]
pub struct PendingStep {
    pub change: Change,
    /// In the imperative, with the number of files: `Wrap 3 answers`.
    pub name: String,
    /// At least one.
    pub files: Vec<StepFile>,
    /// Remarks for the user before it is applied, as sentences.
    pub remarks: Vec<String>,
}

impl PendingStep {
    /// The files whose changes are shown: the first ones.
    pub fn shown_files(&self) -> &[StepFile] {
        &self.files[..self.files.len().min(MAX_STEP_FILES)]
    }
}

/// A file that a step changes.
#[derive(Clone, Debug)]
pub struct StepFile {
    pub edit: PlannedEdit,
    /// Of the text after the step, until it is applied.
    pub revision: Revision,
}

/// Decision on a step. To cancel it is to close its dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepDecision {
    /// Applies it and saves its files.
    Save,
    /// Applies it without saving.
    KeepUnsaved,
}

impl Core {
    /// Shows a step, or keeps it until the open overlay is closed.
    pub(super) fn propose_step(&mut self, mut plan: PlannedChange, remarks: Vec<String>) {
        let store = &mut self.library;
        let path = |edit: &PlannedEdit| store.get(edit.doc).map(|item| item.root_path().to_owned());
        plan.edits.sort_by_cached_key(path);
        let files =
            plan.edits.into_iter().map(|edit| StepFile { edit, revision: store.next_revision() });
        self.step = Some(PendingStep {
            change: plan.change,
            name: plan.name,
            files: files.collect(),
            remarks,
        });
        // The differences on screen are those of the step that is replaced.
        if self.overlay == Some(Overlay::Step) {
            self.reset_unsaved_diffs();
        }
        self.show_when_free(Overlay::Step);
    }

    /// Keeps a step that is shown, to show it again when another overlay is closed. Only the user cancels a step.
    pub(crate) fn keep_step_below(&mut self, overlay: Overlay) {
        if self.overlay == Some(Overlay::Step) && overlay != Overlay::Step {
            self.waiting_overlays.push_front(Overlay::Step);
        }
    }

    /// Applies the step that is shown, and saves its files if that was decided.
    pub(crate) fn decide_step(&mut self, decision: StepDecision) {
        let Some(step) = self.step.take() else { return };
        self.overlay = None;
        // The form waits below the step only for the case that it is cancelled.
        self.waiting_overlays.retain(|overlay| *overlay != Overlay::Replace);
        self.reset_unsaved_diffs();
        let docs: Vec<DocId> = step.files.iter().map(|file| file.edit.doc).collect();
        let edits = step.files.into_iter().map(|file| file.edit).collect();
        let name = |count| {
            // Documents may have been refused since, so those in the name are counted again.
            step.change.name_of_many(count).unwrap_or_else(|| step.name.clone())
        };
        let result = self.apply_edits(name, edits, HistoryMode::Step);
        if !result.refused.is_empty() {
            let refusals = result.refused.iter();
            let refusals: Vec<_> =
                refusals.map(|(doc, reason)| (*doc, reason.reason().to_owned())).collect();
            let report = self.library.describe_skipped(&step.change, result.edited, &refusals);
            if let Some((severity, text)) = report {
                self.notify(severity, text);
            }
        }
        if result.edited == 0 {
            return;
        }
        match decision {
            StepDecision::Save => {
                let is_refused = |doc: &DocId| result.refused.iter().any(|(other, _)| other == doc);
                let edited_docs = docs.into_iter().filter(|doc| !is_refused(doc)).collect();
                self.save_files(edited_docs, Some(self.journal.revision));
            }
            StepDecision::KeepUnsaved => {
                let files = counted(result.edited, "file", "files");
                let text = format!("{}: {files} kept unsaved.", name(result.edited));
                self.notify_undoable(Severity::Note, text);
            }
        }
    }

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
                match self.apply_edits(name, plan.edits, HistoryMode::Step).refused.first() {
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

/// The result of applying a change.
#[derive(Debug, Default)]
pub(crate) struct AppliedChange {
    /// The number of documents that were edited.
    pub(crate) edited: usize,
    /// Documents whose text is no longer the one that the edit was planned for.
    pub(crate) refused: Vec<(DocId, EditError)>,
}
