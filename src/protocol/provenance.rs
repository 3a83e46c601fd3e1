//! The origin of the files of the library, which is read from their histories.

use std::collections::HashMap;
use std::sync::Arc;

use crate::DocId;
use calls::Item;
use play::blame::FileProvenance;

/// The origins of files of which more is known than that they were recorded.
pub type Provenances = HashMap<DocId, FileProvenance>;

/// Reads the origin of files with calls, one after the other. The answers come in parts.
#[derive(Debug)]
pub struct FindProvenance {
    /// Counts requests; the answers carry the same number.
    pub number: u64,
    pub files: Vec<(DocId, Arc<Item>)>,
}
