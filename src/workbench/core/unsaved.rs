//! The unsaved changes, line by line, while they are shown.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ops::Item;
use crate::ops::diff::text::TextDiff;
use crate::text::quoted;
use crate::workbench::core::effect::Effect;
use crate::workbench::core::library::DocId;
use crate::workbench::core::state::Core;
use crate::workbench::core::task::TaskRequest;
use crate::workbench::core::view::Overlay;
use crate::workbench::core::working_copy::{Revision, WorkingCopy};

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
pub struct UnsavedDiffs {
    found: BTreeMap<DocId, (Revision, Arc<TextDiff>)>,
    requested: BTreeMap<DocId, Revision>,
}

impl Core {
    /// Requests the unsaved changes while they are shown, and drops them afterwards.
    pub(in crate::workbench) fn sync_unsaved(&mut self) {
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

impl UnsavedDiffs {
    /// The unsaved changes of a document; `None` until they are computed.
    pub fn unsaved_changes(&self, doc: DocId) -> Option<&Arc<TextDiff>> {
        self.found.get(&doc).map(|(_, diff)| diff)
    }

    pub(in crate::workbench) fn on_changes_found(
        &mut self,
        doc: DocId,
        revision: Revision,
        diff: Arc<TextDiff>,
    ) {
        self.found.insert(doc, (revision, diff));
    }
}
