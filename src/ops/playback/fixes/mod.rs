//! What mends a set: each fix as a plan of edits and of what becomes of files, to be shown before it is made.
//!
//! Most fixes change texts: [`Fix::edit`] gives for each recording the one edit that does, and no other byte changes. Some
//! change files: [`Fix::files`] says what becomes of them, in the order in which it has to be done.

mod files;
mod rename_tool;
mod suggest;
#[cfg(test)]
mod tests;
mod wrap;

use std::sync::Arc;

use super::Set;
use crate::format::{Document, json};
use crate::ops::diff::counted;
use crate::ops::edit::{self, Edit, Value};
use crate::ops::stamp::{ContextKeys, Renewal, Wish, recording_of, stamp};
use crate::text::{Source, TextEdit, quoted};

pub use files::FileChange;
pub use suggest::{for_call, for_run};

/// How recordings are made again, as their owner says.
pub const REGENERATE: &str = "DYGRAM_TEST_MODE=interactive npm test";

/// Something that would mend a set. Recordings by their positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fix {
    /// Shows what changed in the source of this recording.
    ShowSourceChange(usize),
    /// Gives a tool another name in all recordings that have it: where it is offered, called and stored.
    RenameTool {
        /// As it is.
        from: Arc<str>,
        /// As it shall be.
        to: Arc<str>,
        /// The recordings that have it.
        recordings: Vec<usize>,
    },
    /// Empties stored context keys, which no shipped client can match.
    DropContextKeys(Vec<usize>),
    /// Computes stored signatures again. Stored context keys stay.
    RecomputeSignatures(Vec<usize>),
    /// Puts answers one level deeper, where players look.
    WrapResponses(Vec<usize>),
    /// Copies a recording, so that a second call has one of its own.
    Duplicate(usize),
    /// Renames files, so that they sort in this order: all recordings of the set.
    Reorder(Vec<usize>),
    /// Moves recordings that no call uses to the trash.
    TrashUnused(Vec<usize>),
    /// Copies the command that makes these recordings again: [`REGENERATE`].
    Regenerate(Vec<usize>),
}

impl Fix {
    /// What it is called on a button: `Rename the tool throughout this set…`.
    pub fn title(&self) -> &'static str {
        match self {
            Self::ShowSourceChange(_) => "Show the source change",
            Self::RenameTool { .. } => "Rename the tool throughout this set…",
            Self::DropContextKeys(_) => "Drop the stored context keys",
            Self::RecomputeSignatures(_) => "Recompute the signatures",
            Self::WrapResponses(_) => "Wrap the answers",
            Self::Duplicate(_) => "Duplicate for a second call",
            Self::Reorder(_) => "Rename files to sort by number",
            Self::TrashUnused(_) => "Move unused recordings to the trash",
            Self::Regenerate(_) => "Copy the regenerate command",
        }
    }

    /// What it touches, in a few words: `3 files`; empty where nothing is written.
    pub fn extent(&self) -> String {
        let count = self.recordings().len();
        match self {
            Self::ShowSourceChange(_) => String::new(),
            Self::Regenerate(_) => counted(count, "recording", "recordings"),
            _ => counted(count, "file", "files"),
        }
    }

    /// What it does, as a sentence.
    pub fn sentence(&self) -> String {
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
            Self::TrashUnused(_) => "Moves recordings that answer no call to the trash.".to_owned(),
            Self::Regenerate(_) => format!("Copies {}.", quoted(REGENERATE)),
        }
    }

    /// The recordings it concerns.
    pub fn recordings(&self) -> &[usize] {
        match self {
            Self::ShowSourceChange(index) | Self::Duplicate(index) => std::slice::from_ref(index),
            Self::RenameTool { recordings, .. }
            | Self::DropContextKeys(recordings)
            | Self::RecomputeSignatures(recordings)
            | Self::WrapResponses(recordings)
            | Self::Reorder(recordings)
            | Self::TrashUnused(recordings)
            | Self::Regenerate(recordings) => recordings,
        }
    }

    /// The recordings whose texts it changes.
    pub fn edited(&self) -> &[usize] {
        match self {
            Self::RenameTool { .. }
            | Self::DropContextKeys(_)
            | Self::RecomputeSignatures(_)
            | Self::WrapResponses(_) => self.recordings(),
            _ => &[],
        }
    }

    /// The edit of the text of one of [`Self::edited`]; `None` when there is nothing to change in it.
    ///
    /// # Errors
    ///
    /// Why it cannot be made in this recording, as a sentence without a full stop.
    pub fn edit(&self, document: &Document) -> Result<Option<TextEdit>, String> {
        match self {
            Self::RenameTool { from, to, .. } => {
                made(document, &rename_tool::edits(document, from, to)?)
            }
            Self::DropContextKeys(_) => made(document, &drop_context_keys(document)?),
            Self::RecomputeSignatures(_) => recompute(document),
            Self::WrapResponses(_) => wrap::edit(document),
            _ => Ok(None),
        }
    }

    /// What it does to files, in the order in which it has to be done; empty when it changes texts.
    pub fn files(&self, set: &Set) -> Vec<FileChange> {
        match self {
            Self::Duplicate(index) => files::duplicate(set, *index),
            Self::Reorder(order) => files::reorder(set, order),
            Self::TrashUnused(recordings) => files::trash(set, recordings),
            _ => Vec::new(),
        }
    }
}

/// Empties the stored context keys, if there are any.
fn drop_context_keys(document: &Document) -> Result<Vec<Edit>, String> {
    let recording = recording_of(document)?;
    let stored = recording.signature.as_ref();
    if stored.is_none_or(|stored| stored.value.context_keys.is_empty()) {
        return Ok(Vec::new());
    }
    let pointer = "/signature/contextKeys".to_owned();
    let value = Value::parse("[]")?;
    Ok(vec![Edit::Set { pointer, value }])
}

fn recompute(document: &Document) -> Result<Option<TextEdit>, String> {
    if recording_of(document)?.signature.is_none() {
        return Ok(None);
    }
    let wish = Wish {
        source: None,
        renewal: Renewal::Renew,
        context_keys: ContextKeys::AsStored,
    };
    Ok(stamp(document, &wish)?.map(|stamp| stamp.edit))
}

/// Makes one edit of several, each planned in the text that the one before it made.
fn made(document: &Document, edits: &[Edit]) -> Result<Option<TextEdit>, String> {
    let before = document.source().text();
    let mut text = before.to_owned();
    for edit in edits {
        let tree = json::parse(&Source::new(text.as_str())).0;
        let planned = edit::plan(&tree, edit).map_err(|refusal| refusal.to_string())?;
        planned.apply(&mut text);
    }
    Ok(TextEdit::between(before, &text))
}
