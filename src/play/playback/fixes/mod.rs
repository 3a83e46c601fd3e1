//! Fixes for a set: each is a plan of edits and file changes that is shown before it is applied.
//!
//! Most fixes change texts: [`Fix::edit`] returns the single edit for each recording, and no other byte changes. Some
//! change files: [`Fix::files`] returns the changes in the order in which they must be applied.

mod files;
mod rename_tool;
mod simulate;
mod suggest;
#[cfg(test)]
mod tests;
mod wrap;

use std::sync::Arc;

use super::RecordingSet;
use document::Document;
use document::edit::{self, Edit, JsonValue};
use document::files::FileStep;
use document::text::{TextEdit, counted, quoted};
use machine::stamp::{Renewal, StampContextKeys, StampOptions, recording_of, stamp};

pub use rename_tool::edits as rename_tool_edits;
pub use suggest::{for_call, for_run};

/// The command that records all tests of a project again, from the documentation of DyGram.
pub const REGENERATE: &str = "DYGRAM_TEST_MODE=interactive npm test";

/// The label of a button that copies [`REGENERATE`].
pub const RECORD_ALL_LABEL: &str = "Copy command to record all tests";

/// A fix for a set. Recordings are given by position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fix {
    /// Shows what changed in the source of this recording.
    ShowSourceChange(usize),
    /// Renames a tool in all recordings that have it: where it is offered, called and stored.
    RenameTool {
        /// The current name.
        from: Arc<str>,
        /// The new name.
        to: Arc<str>,
        /// The recordings that have the tool.
        recordings: Vec<usize>,
    },
    /// Empties stored context keys, which no shipped client can match.
    DropContextKeys(Vec<usize>),
    /// Recomputes stored signatures. Stored context keys are kept.
    RecomputeSignatures(Vec<usize>),
    /// Moves answers one level deeper, where players expect them.
    WrapResponses(Vec<usize>),
    /// Copies a recording for a second call.
    Duplicate(usize),
    /// Renames files so that all recordings of the set sort in this order.
    Reorder(Vec<usize>),
    /// Makes these recordings again, with the command of the project or with [`REGENERATE`].
    Regenerate(Vec<usize>),
}

impl Fix {
    /// Returns the label of its button: `Rename the tool throughout this set…`.
    pub fn title(&self) -> &'static str {
        match self {
            Self::ShowSourceChange(_) => "Then and now",
            Self::RenameTool { .. } => "Rename the tool throughout this set…",
            Self::DropContextKeys(_) => "Drop the stored context keys",
            Self::RecomputeSignatures(_) => "Recompute the signatures",
            Self::WrapResponses(_) => "Wrap the answers",
            Self::Duplicate(_) => "Duplicate for a second call",
            Self::Reorder(_) => "Rename files to sort by number",
            Self::Regenerate(_) => RECORD_ALL_LABEL,
        }
    }

    /// Returns what it changes: `3 files`; empty if it writes nothing itself.
    pub fn extent(&self) -> String {
        match self {
            Self::ShowSourceChange(_) | Self::Regenerate(_) => String::new(),
            _ => counted(self.recordings().len(), "file", "files"),
        }
    }

    /// Describes what it does, as a sentence.
    pub fn describe(&self) -> String {
        match self {
            Self::ShowSourceChange(_) => "Shows the recorded source beside the current one.".to_owned(),
            Self::RenameTool { from, to, .. } => format!(
                "Renames {} to {} wherever it is offered, called or stored, and sorts the stored names again.",
                quoted(from),
                quoted(to)
            ),
            Self::DropContextKeys(_) => {
                "Empties `signature.contextKeys`: shipped clients compute no context keys for a request."
                    .to_owned()
            }
            Self::RecomputeSignatures(_) => {
                "Recomputes each stored signature from its request; stored context keys are kept."
                    .to_owned()
            }
            Self::WrapResponses(_) => {
                "Moves the value of `response` one level deeper, to `response.response`."
                    .to_owned()
            }
            Self::Duplicate(_) => {
                "Writes a copy with the same `requestId` that sorts next to it.".to_owned()
            }
            Self::Reorder(_) => {
                "Renames files so that clients load them in this order.".to_owned()
            }
            Self::Regenerate(_) => {
                format!("Copies {}, which records all tests of the project again.", quoted(REGENERATE))
            }
        }
    }

    /// Returns the affected recordings.
    pub fn recordings(&self) -> &[usize] {
        match self {
            Self::ShowSourceChange(index) | Self::Duplicate(index) => std::slice::from_ref(index),
            Self::RenameTool { recordings, .. }
            | Self::DropContextKeys(recordings)
            | Self::RecomputeSignatures(recordings)
            | Self::WrapResponses(recordings)
            | Self::Reorder(recordings)
            | Self::Regenerate(recordings) => recordings,
        }
    }

    /// Returns the same edit of texts without its recordings, to compare and to apply it in other sets.
    pub fn anywhere(&self) -> Self {
        match self {
            Self::RenameTool { from, to, .. } => Self::RenameTool {
                from: Arc::clone(from),
                to: Arc::clone(to),
                recordings: Vec::new(),
            },
            Self::DropContextKeys(_) => Self::DropContextKeys(Vec::new()),
            Self::RecomputeSignatures(_) => Self::RecomputeSignatures(Vec::new()),
            Self::WrapResponses(_) => Self::WrapResponses(Vec::new()),
            of_files => of_files.clone(),
        }
    }

    /// Returns the recordings whose texts it changes.
    pub fn edited(&self) -> &[usize] {
        match self {
            Self::RenameTool { .. }
            | Self::DropContextKeys(_)
            | Self::RecomputeSignatures(_)
            | Self::WrapResponses(_) => self.recordings(),
            _ => &[],
        }
    }

    /// Plans the edit of one of [`Self::edited`]; `None` if nothing changes.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be applied to this recording, as a sentence without a full stop.
    pub fn edit(&self, doc: &Document) -> Result<Option<TextEdit>, String> {
        match self {
            Self::RenameTool { from, to, .. } => plan_all(doc, &rename_tool::edits(doc, from, to)?),
            Self::DropContextKeys(_) => plan_all(doc, &drop_context_keys(doc)?),
            Self::RecomputeSignatures(_) => recompute(doc),
            Self::WrapResponses(_) => wrap::edit(doc),
            _ => Ok(None),
        }
    }

    /// Returns the file changes in the order in which they must be applied; empty if it changes texts.
    pub fn files(&self, set: &RecordingSet) -> Vec<FileStep> {
        match self {
            Self::Duplicate(index) => files::duplicate(set, *index),
            Self::Reorder(order) => files::reorder(set, order),
            _ => Vec::new(),
        }
    }
}

/// Empties the stored context keys, if there are any.
fn drop_context_keys(document: &Document) -> Result<Vec<Edit>, String> {
    let signature = recording_of(document)?.signature.as_ref();
    if signature.is_none_or(|field| field.value.context_keys.is_empty()) {
        return Ok(Vec::new());
    }
    let pointer = "/signature/contextKeys".to_owned();
    let value = JsonValue::parse("[]")?;
    Ok(vec![Edit::Set { pointer, value }])
}

fn recompute(document: &Document) -> Result<Option<TextEdit>, String> {
    if recording_of(document)?.signature.is_none() {
        return Ok(None);
    }
    let options = StampOptions {
        // Only the signature: a new hash of the source would claim that the answer is up to date.
        source: None,
        renewal: Renewal::Renew,
        context_keys: StampContextKeys::AsStored,
    };
    Ok(stamp(document, &options)?.map(|stamp| stamp.edit))
}

fn plan_all(document: &Document, edits: &[Edit]) -> Result<Option<TextEdit>, String> {
    edit::plan_all(&document.tree, edits).map_err(|refusal| refusal.to_string())
}
