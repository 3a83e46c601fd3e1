//! The changes of documents, line by line, while they are shown.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::core::Core;
use crate::core::effect::Effect;
use crate::core::library::Library;
use crate::core::step::PendingStep;
use crate::core::view::Overlay;
use calls::Item;
use document::diff::outline::Outline;
use document::diff::text::TextDiff;
use document::text::{Source, quoted};
use protocol::{Compute, DocId, EngineEvent, Lane, Revision};

/// Two texts of a document that are to be compared.
struct ChangedText {
    doc: DocId,
    item: Arc<Item>,
    /// Of the later text.
    revision: Revision,
    before: Source,
    after: Source,
}

impl ChangedText {
    fn compare(self) -> Compute {
        let work = format!("finding the changes of {}", quoted(&self.item.root_path));
        Compute::new(Lane::Texts, work, move || {
            let diff = Arc::new(TextDiff::new(&self.before, &self.after, Outline::Plain));
            EngineEvent::ChangesFound(self.doc, self.revision, diff)
        })
    }
}

/// The changes of the documents that are shown, each with the revision they belong to.
#[derive(Debug, Default)]
pub struct UnsavedDiffs {
    found: BTreeMap<DocId, Arc<TextDiff>>,
    requested: BTreeMap<DocId, Revision>,
}

impl Core {
    /// Shows an overlay that waited, requests the changes while they are shown, and drops them and the undecided step afterwards.
    pub(crate) fn sync_unsaved(&mut self) {
        // Closing the dialog cancels the action that it delayed.
        if self.overlay != Some(Overlay::Unsaved) {
            self.leaving = None;
        }
        self.show_waiting_overlay();
        if self.overlay != Some(Overlay::Step) && !self.waiting_overlays.contains(&Overlay::Step) {
            self.step = None;
        }
        let requests = match (self.overlay, &self.step) {
            (Some(Overlay::Unsaved), _) => self.unsaved_diffs.of_edits(&self.library),
            (Some(Overlay::Step), Some(step)) => self.unsaved_diffs.of_step(step, &self.library),
            _ => return self.reset_unsaved_diffs(),
        };
        for request in requests {
            self.unsaved_diffs.requested.insert(request.doc, request.revision);
            self.effects.push(Effect::run(request.compare()));
        }
    }

    /// Drops all differences: others are shown next.
    pub(crate) fn reset_unsaved_diffs(&mut self) {
        self.unsaved_diffs = UnsavedDiffs::default();
    }
}

impl UnsavedDiffs {
    /// The changes of a document; `None` until they are computed.
    pub fn unsaved_changes(&self, doc: DocId) -> Option<&Arc<TextDiff>> {
        self.found.get(&doc)
    }

    /// Number of documents that were compared.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether no document was compared yet.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    fn is_missing(&self, doc: DocId, revision: Revision) -> bool {
        self.requested.get(&doc) != Some(&revision)
    }

    /// Compares the edited texts with those that the edits are based on.
    fn of_edits(&self, library: &Library) -> Vec<ChangedText> {
        let missing = library.unsaved().filter(|(doc, copy)| self.is_missing(*doc, copy.revision));
        let requests = missing.filter_map(|(doc, copy)| {
            Some(ChangedText {
                doc,
                item: library.share_edited(doc)?,
                revision: copy.revision,
                before: copy.base.clone(),
                after: copy.text.clone(),
            })
        });
        requests.collect()
    }

    /// Compares the texts before a step with those after it, as far as they are shown.
    fn of_step(&self, step: &PendingStep, library: &Library) -> Vec<ChangedText> {
        let files = step.shown_files().iter();
        let missing = files.filter(|file| self.is_missing(file.edit.doc, file.revision));
        let requests = missing.filter_map(|file| {
            Some(ChangedText {
                doc: file.edit.doc,
                item: library.share_edited(file.edit.doc)?,
                revision: file.revision,
                before: file.edit.text.clone(),
                after: file.edit.parsed.document.source().clone(),
            })
        });
        requests.collect()
    }

    pub(crate) fn on_changes_found(&mut self, doc: DocId, revision: Revision, diff: Arc<TextDiff>) {
        // The text may have changed since the comparison was requested.
        if !self.is_missing(doc, revision) {
            self.found.insert(doc, diff);
        }
    }
}
