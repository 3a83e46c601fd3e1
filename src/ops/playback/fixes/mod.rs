//! What mends a set: each fix as a plan of edits and of what becomes of files, to be shown before it is made.

use std::sync::Arc;

use super::{Run, Set};
use crate::format::Document;
use crate::text::TextEdit;

/// Something that would mend a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fix {
    /// Computes the stored signatures of these recordings again.
    RecomputeSignatures(Vec<usize>),
    /// Empties the stored context keys of these recordings, which no shipped client can match.
    DropContextKeys(Vec<usize>),
    /// Puts the answers of these recordings one level deeper, where players look.
    WrapResponses(Vec<usize>),
    /// Gives a tool another name in all recordings that have it: offered, called and stored.
    RenameTool {
        /// As it is.
        from: Arc<str>,
        /// As it shall be.
        to: Arc<str>,
        /// The recordings that have it.
        recordings: Vec<usize>,
    },
    /// Copies a recording, so that a second call has one of its own.
    Duplicate(usize),
    /// Moves recordings that no call uses to the trash.
    TrashUnused(Vec<usize>),
    /// Renames files, so that they sort in this order.
    Reorder(Vec<usize>),
    /// Shows what changed in the source of this recording.
    ShowSourceChange(usize),
}

/// What becomes of a file. Paths as those of the set's recordings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileChange {
    /// It gets another name.
    Rename {
        /// As it is.
        from: Arc<str>,
        /// As it shall be; in a plan of several nobody has that name, or it is renamed before.
        to: Arc<str>,
    },
    /// A copy of it is written beside it.
    Copy {
        /// What is copied.
        from: Arc<str>,
        /// Where to; nobody has that name.
        to: Arc<str>,
    },
    /// It goes to the trash.
    Trash {
        /// What goes.
        path: Arc<str>,
    },
}

impl Fix {
    /// What it is called on a button: `Rename the tool throughout this set…`.
    pub fn title(&self) -> String {
        String::new()
    }

    /// What it touches, in a few words: `3 files`.
    pub fn extent(&self) -> String {
        String::new()
    }

    /// The edit of the text of a recording it concerns; `None` when there is nothing to change in it, or when it changes
    /// files and not texts.
    ///
    /// # Errors
    ///
    /// Why it cannot be made in this recording, as a sentence without a full stop.
    pub fn edit(&self, _document: &Document) -> Result<Option<TextEdit>, String> {
        Ok(None)
    }

    /// What it does to files, in the order in which it has to be done; empty when it changes texts.
    pub fn files(&self, _set: &Set) -> Vec<FileChange> {
        Vec::new()
    }
}

/// What would mend a call, the likeliest first.
pub fn for_call(_run: &Run, _call: usize) -> Vec<Fix> {
    Vec::new()
}

/// What would mend the set, for all calls of a run, the likeliest first.
pub fn for_run(_run: &Run) -> Vec<Fix> {
    Vec::new()
}
