//! The changes of documents, line by line, while they are shown.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::{Core, Effect, Overlay, StepFile};
use document::diff::outline::Outline;
use document::diff::text::TextDiff;
use document::text::{Source, quoted};
use protocol::{Compute, DocId, EngineEvent, Lane, Revision};

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
        // The edited texts with those that the edits are based on, or the texts before and after a step.
        let texts: Vec<(DocId, Revision, &Source, &Source)> = match (self.overlay, &self.step) {
            (Some(Overlay::Unsaved), _) => {
                let copies = self.library.unsaved();
                copies.map(|(doc, copy)| (doc, copy.revision, &copy.base, &copy.text)).collect()
            }
            (Some(Overlay::Step), Some(step)) => {
                let texts = step.shown_files().iter().map(|StepFile { edit, revision }| {
                    (edit.doc, *revision, &edit.text, edit.parsed.document.source())
                });
                texts.collect()
            }
            _ => return self.reset_unsaved_diffs(),
        };
        for (doc, revision, old_text, new_text) in texts {
            let is_missing = self.unsaved_diffs.is_missing(doc, revision);
            let item = self.library.share_edited(doc).filter(|_| is_missing);
            let Some(item) = item else { continue };
            self.unsaved_diffs.requested.insert(doc, revision);
            let (old_text, new_text) = (old_text.clone(), new_text.clone());
            let work = format!("finding the changes of {}", quoted(item.root_path()));
            self.effects.push(Effect::run(Compute::new(Lane::Texts, work, move || {
                let diff = Arc::new(TextDiff::new(&old_text, &new_text, Outline::Plain));
                EngineEvent::ChangesFound(doc, revision, diff)
            })));
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
    pub fn count(&self) -> usize {
        self.found.len()
    }

    fn is_missing(&self, doc: DocId, revision: Revision) -> bool {
        self.requested.get(&doc) != Some(&revision)
    }

    pub(crate) fn on_changes_found(&mut self, doc: DocId, revision: Revision, diff: Arc<TextDiff>) {
        // The text may have changed since the comparison was requested.
        if !self.is_missing(doc, revision) {
            self.found.insert(doc, diff);
        }
    }
}
