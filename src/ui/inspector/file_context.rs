//! The file of a section, besides its document.

use super::content::{InspectorFact, count};
use calls::Item;
use protocol::{DocId, Revision};

/// Data about a file that its sections need besides the document.
pub(super) struct FileContext<'a> {
    pub(super) id: DocId,
    pub(super) item: &'a Item,
    /// Number of other recordings in the same folder with the same signature.
    pub(super) same_signature: usize,
    /// The revision of the text that was read; edits refer to it.
    pub(super) revision: Revision,
}

impl FileContext<'_> {
    /// Returns the file's path and size.
    pub(super) fn file_fact(&self) -> InspectorFact {
        let bytes = usize::try_from(self.item.bytes).unwrap_or(usize::MAX);
        InspectorFact {
            remark: count(bytes, "byte"),
            full: Some(self.item.path.to_string()),
            ..InspectorFact::data("File", &self.item.path)
        }
    }
}
