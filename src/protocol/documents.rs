//! Texts of documents: reading, parsing, changing and saving them, and the storage of unsaved edits.

use std::path::PathBuf;
use std::sync::Arc;

use crate::{DocId, Items};
use author::recovered::RecoveredDraft;
use author::saving::ReadOnly;
use calls::Item;
use check::change::Change;
use document::diff::text::TextDiff;
use document::text::{Source, TextEdit};
use document::{Document, RuleId};

/// Identifies one text of one document. Every change, including undo, gets a new revision; none is used twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Revision(pub u64);

/// A document as it is now: with its unsaved edits, if it has any.
#[derive(Clone, Debug)]
pub struct CurrentDocument {
    pub doc: DocId,
    /// The document's item, as it was last read.
    pub item: Arc<Item>,
    /// The loaded text with its revision; `None` for the text on disk.
    pub text: Option<(Revision, Source)>,
}

/// Reads the file of an item again.
#[derive(Clone, Debug)]
pub struct ReadDocument {
    pub doc: DocId,
    pub item: Arc<Item>,
}

/// Parses the text of an edited document.
#[derive(Clone, Debug)]
pub struct ParseText {
    pub doc: DocId,
    pub item: Arc<Item>,
    pub revision: Revision,
    pub text: Source,
}

/// Plans a change of documents. There is at least one.
#[derive(Clone, Debug)]
pub struct PlanChange {
    /// Of the scan.
    pub generation: u64,
    pub documents: Vec<CurrentDocument>,
    pub change: Change,
}

/// Plans a change of many documents, which may take long. A newer one replaces it.
#[derive(Clone, Debug)]
pub struct PlanBatch(pub PlanChange);

/// Identifies what the fix of a rule changes in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixPreviewKey {
    pub doc: DocId,
    pub rule: RuleId,
    /// The revision of its text; `None` for the text on disk.
    pub revision: Option<Revision>,
    /// The scan, and the revision of its items.
    pub items: (u64, u64),
}

/// Plans the fix of a rule in one document, to show what it changes. A newer one replaces it.
#[derive(Clone, Debug)]
pub struct PreviewFix {
    pub key: FixPreviewKey,
    pub document: CurrentDocument,
}

impl PlanChange {
    /// Returns a plan that edits nothing.
    pub fn empty_plan(&self) -> PlannedChange {
        let first = self.documents.first().map(|document| {
            let revision = document.text.as_ref().map(|(revision, _)| *revision);
            (document.doc, revision)
        });
        PlannedChange {
            change: self.change.clone(),
            // Never reached: there is at least one document.
            first: first.unwrap_or((DocId::new(0), None)),
            name: String::new(),
            edits: Vec::new(),
            skipped: Vec::new(),
            remark: None,
            diff: None,
        }
    }
}

#[derive(Clone, Debug)]
pub struct ParsedText {
    pub document: Arc<Document>,
    /// Its row, as if the text were on disk; `None` when it is no longer open.
    pub item: Option<Arc<Item>>,
}

/// A change, ready to be applied as one step.
#[derive(Clone, Debug)]
pub struct PlannedChange {
    pub change: Change,
    /// The first document, with the revision of its text if it is loaded.
    pub first: (DocId, Option<Revision>),
    /// The name of the step in the history.
    pub name: String,
    /// At most one per document. Documents that would not change have none.
    pub edits: Vec<PlannedEdit>,
    /// Documents that cannot be edited, each with the reason as a sentence without a full stop.
    pub skipped: Vec<(DocId, String)>,
    /// Remarks for the user about the edits, as sentences without the last full stop.
    pub remark: Option<String>,
    /// The difference, if it is shown before the change is applied.
    pub diff: Option<Arc<TextDiff>>,
}

/// The edit of one document.
#[derive(Clone, Debug)]
pub struct PlannedEdit {
    pub doc: DocId,
    /// The revision it was planned for; `None` for a text that was read from disk.
    pub base: Option<Revision>,
    /// The text it was planned for.
    pub text: Source,
    /// The bytes to replace.
    pub edit: TextEdit,
    /// The text after the edit.
    pub parsed: ParsedText,
}

/// Writes a text to the file of a document.
#[derive(Clone, Debug)]
pub struct SaveDocument {
    pub doc: DocId,
    pub item: Arc<Item>,
    pub text: Source,
    /// The expected content of the file; `None` if no file may exist.
    pub base: Option<Source>,
    pub read_only: ReadOnly,
}

/// Writes the text of a document to another file, which may exist.
#[derive(Clone, Debug)]
pub struct SaveDocumentAs {
    pub doc: DocId,
    pub item: Arc<Item>,
    pub path: PathBuf,
    pub text: Source,
}

/// Destination of a saved document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveDestination {
    /// Another one.
    OtherFile,
    /// The file it was read from.
    SameFile,
}

/// Stores the unsaved edits of a document, so that they survive the end of the program.
#[derive(Clone, Debug)]
pub struct KeepDraft {
    pub doc: DocId,
    pub item: Arc<Item>,
    /// The text that the edits are based on.
    pub base: Source,
    pub text: Source,
}

/// Deletes the stored edits of a document.
#[derive(Clone, Debug)]
pub struct ForgetDraft {
    pub doc: DocId,
    pub item: Arc<Item>,
}

/// Finds the document that recovered edits belong to, even if its file was deleted.
#[derive(Clone, Debug)]
pub struct LocateDraft {
    pub draft: Arc<RecoveredDraft>,
    pub items: Items,
}

/// Deletes the stored edits of an earlier run with this number.
#[derive(Clone, Debug)]
pub struct DiscardDraft(pub u64);
