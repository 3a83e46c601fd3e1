//! Preview of the text that a change of a document would write.

use std::sync::Arc;

use crate::{Core, Effect, Latest, OpenDocument};
use check::change::Change;
use document::Document;
use document::diff::outline::Outline;
use document::diff::text::TextDiff;
use document::text::Source;
use protocol::{Compute, EngineEvent, Lane, PreviewKey};

/// The change that was previewed last.
#[derive(Debug, Default)]
pub struct ChangePreview {
    pub(crate) shown: Latest<PreviewKey, Result<Arc<TextDiff>, String>>,
}

impl ChangePreview {
    /// Returns the preview with this key; of an older change while it is awaited.
    pub fn of(&self, key: PreviewKey) -> Option<&Result<Arc<TextDiff>, String>> {
        let is_of_text =
            self.shown.key.is_some_and(|shown| (shown.doc, shown.base) == (key.doc, key.base));
        self.shown.value.as_ref().filter(|_| is_of_text)
    }
}

impl Core {
    /// Requests a preview. It is planned off the frame, as the change itself will be.
    pub(crate) fn preview_change(&mut self, key: PreviewKey, change: Change) {
        let Some(OpenDocument::Ready(document, revision)) = self.library.opened(key.doc) else {
            return;
        };
        if *revision != key.base || !self.change_preview.shown.want(&key) {
            return;
        }
        let document = Arc::clone(document);
        let work = "previewing a change".to_owned();
        self.request(Effect::run(Compute::new(Lane::Newest("preview"), work, move || {
            EngineEvent::ChangePreviewed(key, preview(&document, &change))
        })));
    }
}

fn preview(document: &Document, change: &Change) -> Result<Arc<TextDiff>, String> {
    let mut text = document.source().text().to_owned();
    if let Some(plan) = change.plan(document)? {
        plan.edit.apply(&mut text);
    }
    Ok(Arc::new(TextDiff::new(document.source(), &Source::new(text), Outline::Plain)))
}
