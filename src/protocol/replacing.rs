//! The places of a replacement in many files.

use std::sync::Arc;

use crate::{CurrentDocument, DocId};
use author::replace::{PlaceChange, ReplaceForm, Replacement};
use document::text::Place;

/// The files that are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReplaceScope {
    /// All open files.
    #[default]
    All,
    /// The files that match the filter and the status of the library.
    Listed,
    /// The file that was selected when the form was opened.
    Selected,
}

/// Inputs of a preview: the form, and the revision of the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplaceKey {
    pub form: ReplaceForm,
    pub scope: ReplaceScope,
    pub filter: u64,
    pub revision: u64,
}

/// A request for the places of a replacement, in the texts as they are now. A newer one replaces it.
#[derive(Debug)]
pub struct PlanReplace {
    pub key: ReplaceKey,
    pub replacement: Replacement,
    pub documents: Vec<CurrentDocument>,
}

/// The places of a replacement, before it is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplacePreview {
    /// Number of files that were searched.
    pub searched: usize,
    /// Number of files with a place.
    pub files: usize,
    pub groups: Vec<ReplaceGroup>,
    /// Places that are not listed, since there are too many. They are changed with the others.
    pub more_places: usize,
    pub more_docs: Vec<DocId>,
    /// Places that cannot be changed, with their file, and why, as a sentence without a full stop.
    pub refused: Vec<(PreviewPlace, String)>,
}

/// Places that change in the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplaceGroup {
    pub change: PlaceChange,
    /// Number of files that the places are in.
    pub files: usize,
    pub places: Vec<PreviewPlace>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviewPlace {
    pub doc: DocId,
    /// The path from the project root.
    pub path: Arc<str>,
    pub place: Place,
    /// The line, or the part of it around the place.
    pub line: Box<str>,
}

impl PreviewPlace {
    pub fn key(&self) -> (DocId, Place) {
        (self.doc, self.place)
    }
}
