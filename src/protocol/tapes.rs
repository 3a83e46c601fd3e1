//! Tapes: prepared for display, and made new.

use std::path::PathBuf;
use std::sync::Arc;

use crate::{CurrentDocument, DocId, Revision};
use calls::Item;
use calls::tape::edits::TapeEdit;
use calls::tape::make::{PieceTiming, TextSplit};
use calls::tape::prepared_tape::{PreparedTape, TapeTiming};
use document::Document;
use document::text::Source;

/// An event of the tapes desk.
#[derive(Clone, Debug)]
pub enum TapesEvent {
    /// A tape is prepared, or why it cannot be shown.
    Prepared(DocId, Revision, Result<Arc<PreparedTape>, String>),
    /// The timing of a tape after an edit, or why the edit is not possible.
    EditPreviewed(TapeEdit, Result<Arc<TapeTiming>, String>),
    /// An event of a new tape.
    NewTape(NewTapeEvent),
    /// Thumbnails, each with the item that it was made from, and why some are missing.
    ThumbnailsReady(Vec<(DocId, TapeThumbnail)>, Option<String>),
}

/// The thumbnail of a tape: a few columns.
#[derive(Clone, Debug)]
pub struct TapeThumbnail {
    /// The item that it was made from.
    pub item: Arc<Item>,
    /// The columns, each from 0 to 1; empty if the file cannot be read.
    pub columns: Arc<[f32]>,
}

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

/// The source of a new tape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewTapeSource {
    /// A text that was pasted.
    Text(Arc<str>),
    /// A file that was dropped or chosen, inside or outside the project.
    Path(PathBuf),
    /// The answer of an open recording.
    Answer(DocId),
}

/// The settings of a new tape: the validated form.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    pub origin: NewTapeSource,
    /// Division of a text into chunks.
    pub pieces: TextSplit,
    /// The timing of the chunks, if it was not measured.
    pub timing: PieceTiming,
    /// The tape's name.
    pub label: Option<String>,
    /// The model, if the source does not name it.
    pub model: Option<String>,
    /// The folder to save to, from the open one; empty for that one. The request gets the format of the tapes there.
    pub folder: String,
}

/// A new tape that is not saved yet.
#[derive(Clone, Debug)]
pub struct NewTapeResult {
    /// A description of its source.
    pub origin: String,
    /// Whether the timing was not measured, so that the form sets chunks and timing.
    pub is_estimated: bool,
    /// Whether the chunks are those of the original stream.
    pub has_pieces: bool,
    /// The model that the source names.
    pub model: Option<String>,
    /// Remarks. Sentences without a full stop.
    pub notes: Vec<String>,
    /// The tape, prepared for display.
    pub prepared: Arc<PreparedTape>,
}

/// Makes a tape in memory.
#[derive(Debug)]
pub struct MakeTape {
    pub recipe: Recipe,
    /// The recording, if the tape is made from one.
    pub answer: Option<CurrentDocument>,
}

/// Writes a new tape to a new file.
#[derive(Debug)]
pub struct SaveTape {
    /// The path from the open folder.
    pub path: String,
    pub text: Source,
}

/// An event of a new tape.
#[derive(Clone, Debug)]
pub enum NewTapeEvent {
    /// The tape, or why it cannot be made: a sentence without a full stop.
    Made(Box<Recipe>, Result<Arc<NewTapeResult>, String>),
    /// The path of the file, as files are listed, or why it was not written: a sentence without a full stop.
    Saved(Result<Arc<str>, String>),
}

impl NewTapeSource {
    /// The base of its file name.
    pub fn stem(&self) -> String {
        let path = match self {
            Self::Path(path) => path.file_stem(),
            Self::Text(_) | Self::Answer(_) => None,
        };
        path.map_or_else(|| "tape".to_owned(), |stem| stem.to_string_lossy().into_owned())
    }
}
