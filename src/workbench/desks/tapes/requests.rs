//! Requests for work on tapes.

use std::sync::Arc;

use crate::format::Document;
use crate::workbench::core::library::{CurrentDocument, DocId};
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

/// Makes the thumbnails of tapes.
#[derive(Debug)]
pub struct MakeThumbnails {
    pub tapes: Vec<CurrentDocument>,
}
