//! Requests for work on tapes.

use std::sync::Arc;

use super::action::{TapeThumbnail, TapesEvent};
use crate::format::Document;
use crate::ops::tape::edits::TapeEdit;
use crate::ops::tape::prepared_tape::PreparedTape;
use crate::ops::tape::timing::Stats;
use crate::text::quoted;
use crate::workbench::event::EngineEvent;
use crate::workbench::library::{CurrentDocument, DocId};
use crate::workbench::task::TaskRequest;
use crate::workbench::working_copy::Revision;

/// Prepares a tape for display.
#[derive(Debug)]
pub struct PrepareTape {
    pub doc: DocId,
    /// The path, for messages.
    pub path: Arc<str>,
    pub revision: Revision,
    pub document: Arc<Document>,
}

/// Computes the statistics of a tape after an edit.
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

impl PrepareTape {
    pub fn answer(&self, prepared: Result<Arc<PreparedTape>, String>) -> EngineEvent {
        EngineEvent::Tapes(TapesEvent::Prepared(self.doc, self.revision, prepared))
    }
}

impl PreviewTapeEdit {
    pub fn answer(&self, stats: Result<Stats, String>) -> EngineEvent {
        EngineEvent::Tapes(TapesEvent::EditPreviewed(self.edit.clone(), stats))
    }
}

impl TaskRequest for PrepareTape {
    fn describe(&self) -> String {
        format!("preparing {}", quoted(&self.path))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        self.answer(Err(reason))
    }
}

impl TaskRequest for PreviewTapeEdit {
    fn describe(&self) -> String {
        format!("previewing an edit of {}", quoted(&self.path))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        self.answer(Err(reason))
    }
}

impl TaskRequest for MakeThumbnails {
    fn describe(&self) -> String {
        let paths = self.tapes.iter().map(|tape| quoted(&tape.item.root_path));
        format!("drawing {}", paths.collect::<Vec<_>>().join(", "))
    }

    /// The tapes get thumbnails without columns, so that they are not requested again at once.
    fn fail(&self, reason: String) -> EngineEvent {
        let thumbnail = |tape: &CurrentDocument| {
            let (item, columns) = (Arc::clone(&tape.item), Arc::default());
            (tape.doc, TapeThumbnail { item, columns })
        };
        let thumbnails = self.tapes.iter().map(thumbnail).collect();
        EngineEvent::Tapes(TapesEvent::ThumbnailsReady(thumbnails, Some(reason)))
    }
}
