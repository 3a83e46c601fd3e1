//! The unsaved changes, line by line, while they are shown.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::core_state::Core;
use super::effect::Effect;
use super::library::DocId;
use super::task::TaskRequest;
use super::view::Overlay;
use super::working_copy::{Revision, WorkingCopy};
use crate::ops::Item;
use crate::ops::diff::text::TextDiff;
use crate::text::quoted;

/// Compares an edited text with the one that its edits are based on.
#[derive(Clone, Debug)]
pub struct FindChanges {
    pub doc: DocId,
    pub item: Arc<Item>,
    pub copy: WorkingCopy,
}

impl TaskRequest for FindChanges {
    fn describe(&self) -> String {
        format!(
            "finding the unsaved changes of {}",
            quoted(&self.item.root_path)
        )
    }
}

/// The unsaved changes, each with the revision they belong to.
#[derive(Debug, Default)]
pub(super) struct UnsavedDiffs {
    found: BTreeMap<DocId, (Revision, Arc<TextDiff>)>,
    requested: BTreeMap<DocId, Revision>,
}

impl Core {
    /// The unsaved changes of a document; `None` until they are computed.
    pub fn unsaved_changes(&self, doc: DocId) -> Option<&Arc<TextDiff>> {
        self.unsaved_diffs.found.get(&doc).map(|(_, diff)| diff)
    }

    pub(super) fn on_changes_found(&mut self, doc: DocId, revision: Revision, diff: Arc<TextDiff>) {
        self.unsaved_diffs.found.insert(doc, (revision, diff));
    }

    /// Requests the unsaved changes while they are shown, and drops them afterwards.
    pub(super) fn sync_unsaved(&mut self) {
        if self.overlay != Some(Overlay::Unsaved) {
            self.leaving = None;
            self.unsaved_diffs = UnsavedDiffs::default();
            return;
        }
        for (doc, copy) in self.library.unsaved() {
            let revision = copy.revision;
            if self.unsaved_diffs.requested.insert(doc, revision) != Some(revision)
                && let Some(item) = self.library.share_edited(doc)
            {
                let copy = copy.clone();
                self.effects
                    .push(Effect::run(FindChanges { doc, item, copy }));
            }
        }
    }
}
