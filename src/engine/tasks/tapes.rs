//! Prepares tapes, their thumbnails and previews of their edits.

use std::sync::Arc;

use crate::engine::current::read_current;
use crate::engine::disk::guard::guard_file;
use crate::engine::run::{Lane, Task, TaskContext};
use crate::format::{self, Document, DocumentBody};
use crate::ops::tape::edits::{TapeEdit, plan};
use crate::ops::tape::prepared_tape::{PreparedTape, TapeTiming, miniature};
use crate::ops::tape::timeline::Timeline;
use crate::ops::tape::timing::TapePace;
use crate::text::Source;
use crate::workbench::{
    CurrentDocument, EngineEvent, MakeThumbnails, PrepareTape, PreviewTapeEdit, TapeThumbnail,
    TapesEvent,
};

impl PrepareTape {
    pub(crate) fn answer(&self, prepared: Result<Arc<PreparedTape>, String>) -> EngineEvent {
        EngineEvent::Tapes(TapesEvent::Prepared(self.doc, self.revision, prepared))
    }
}

impl Task for PrepareTape {
    fn lane() -> Lane {
        Lane::Newest("tape")
    }

    fn run(&self, _: &TaskContext) -> Option<EngineEvent> {
        let tape = PreparedTape::new(Arc::clone(&self.document))
            .map(Arc::new)
            .ok_or_else(|| "The file is no longer a tape".to_owned());
        Some(self.answer(tape))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        self.answer(Err(reason))
    }
}

impl PreviewTapeEdit {
    pub(crate) fn answer(&self, timing: Result<Arc<TapeTiming>, String>) -> EngineEvent {
        EngineEvent::Tapes(TapesEvent::EditPreviewed(self.edit.clone(), timing))
    }
}

impl Task for PreviewTapeEdit {
    fn lane() -> Lane {
        super::new_tape::LANE
    }

    fn run(&self, _: &TaskContext) -> Option<EngineEvent> {
        Some(self.answer(timing_after(&self.document, &self.edit)))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        self.answer(Err(reason))
    }
}

impl Task for MakeThumbnails {
    fn lane() -> Lane {
        Lane::Newest("thumbnails")
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let project = context.project.as_deref()?;
        let mut thumbnails = Vec::with_capacity(self.tapes.len());
        for tape in &self.tapes {
            if context.is_cancelled() {
                return None;
            }
            let thumbnail = guard_file(&tape.item.root_path, || {
                let mut thumbnail = no_thumbnail(tape);
                if let DocumentBody::Tape(tape) = read_current(project, tape)?.body {
                    thumbnail.columns = miniature(&Timeline::new(&tape, TapePace::Recorded));
                }
                Ok(thumbnail)
            });
            thumbnails.push((tape.doc, thumbnail.unwrap_or_else(|_| no_thumbnail(tape))));
        }
        let event = TapesEvent::ThumbnailsReady(thumbnails, None);
        Some(EngineEvent::Tapes(event))
    }

    /// The tapes get thumbnails without columns, so that they are not requested again at once.
    fn fail(&self, reason: String) -> EngineEvent {
        let thumbnail = |tape: &CurrentDocument| (tape.doc, no_thumbnail(tape));
        let thumbnails = self.tapes.iter().map(thumbnail).collect();
        EngineEvent::Tapes(TapesEvent::ThumbnailsReady(thumbnails, Some(reason)))
    }
}

/// Returns the thumbnail of a tape that cannot be read.
fn no_thumbnail(tape: &CurrentDocument) -> TapeThumbnail {
    TapeThumbnail { item: Arc::clone(&tape.item), columns: Arc::default() }
}

/// Returns the timing of a tape after an edit.
fn timing_after(document: &Document, edit: &TapeEdit) -> Result<Arc<TapeTiming>, String> {
    let planned = plan(document, edit).map_err(|refusal| refusal.to_string())?;
    let mut text = document.source().text().to_owned();
    if let Some(planned) = planned {
        planned.edit.apply(&mut text);
    }
    match &format::read(Source::new(text), "tape.json").body {
        DocumentBody::Tape(tape) => Ok(Arc::new(TapeTiming::new(tape))),
        _ => Err("The result would not be a tape".to_owned()),
    }
}
