//! What is not on disk yet, line by line, for as long as somebody looks at it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::action::Overlay;
use super::event::Effect;
use super::library::DocId;
use super::state::Workbench;
use super::working_copy::Revision;
use crate::ops::diff::text::TextDiff;

/// The unsaved changes that were found, each with the text it was found in.
#[derive(Debug, Default)]
pub(super) struct Unsaved {
    found: BTreeMap<DocId, (Revision, Arc<TextDiff>)>,
    asked: BTreeMap<DocId, Revision>,
}

impl Workbench {
    /// What is unsaved in a document; `None` until it was found.
    pub fn unsaved_changes(&self, doc: DocId) -> Option<&Arc<TextDiff>> {
        self.unsaved.found.get(&doc).map(|(_, diff)| diff)
    }

    pub(super) fn changes_found(&mut self, doc: DocId, revision: Revision, diff: Arc<TextDiff>) {
        self.unsaved.found.insert(doc, (revision, diff));
    }

    /// Asks for the changes of what is unsaved while that is shown; lets go of them afterwards.
    pub(super) fn follow_unsaved(&mut self) -> Vec<Effect> {
        if self.overlay != Some(Overlay::Unsaved) {
            self.leaving = None;
            self.unsaved = Unsaved::default();
            return Vec::new();
        }
        let mut effects = Vec::new();
        for (doc, copy) in self.library.unsaved() {
            let revision = copy.revision();
            if self.unsaved.asked.insert(doc, revision) != Some(revision) {
                effects.push(Effect::FindChanges(doc, revision));
            }
        }
        effects
    }
}
