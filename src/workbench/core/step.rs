//! A planned change of documents that waits for a decision. Nothing is edited before.

use std::sync::Arc;

use crate::core::Core;
use crate::core::editing::HistoryMode;
use crate::core::view::Overlay;
use check::change::Change;
use document::Severity;
use document::text::counted;
use protocol::{DocId, PlannedChange, PlannedEdit, Revision};

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
        let path = |edit: &PlannedEdit| store.get(edit.doc).map(|item| Arc::clone(&item.root_path));
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
}
