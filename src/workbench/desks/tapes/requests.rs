//! Requests for work on tapes.

use std::sync::Arc;

use crate::format::Document;
use crate::ops::tape::edits::TapeEdit;
use crate::text::quoted;
use crate::workbench::core::library::{CurrentDocument, DocId};
use crate::workbench::core::task::TaskRequest;
use crate::workbench::core::working_copy::Revision;

/// Prepares a tape for display.
#[derive(Debug)]
pub struct PrepareTape {
    pub doc: DocId,
    /// The path, for messages.
    pub path: Arc<str>,
    pub revision: Revision,
    pub document: Arc<Document>,
}

/// Computes the timing of a tape after an edit.
#[derive(Debug)]
pub struct PreviewTapeEdit {
    /// The path, for messages.
    pub path: Arc<str>,
    pub document: Arc<Document>,
    pub edit: TapeEdit,
}

/// Makes the thumbnails of tapes.
#[derive(Debug)]
pub struct MakeThumbnails {
    pub tapes: Vec<CurrentDocument>,
}

impl TaskRequest for PrepareTape {
    fn describe(&self) -> String {
        format!("preparing {}", quoted(&self.path))
    }
}

impl TaskRequest for PreviewTapeEdit {
    fn describe(&self) -> String {
        format!("previewing an edit of {}", quoted(&self.path))
    }
}

impl TaskRequest for MakeThumbnails {
    fn describe(&self) -> String {
        let paths = self.tapes.iter().map(|tape| quoted(&tape.item.root_path));
        format!("drawing {}", paths.collect::<Vec<_>>().join(", "))
    }
}
