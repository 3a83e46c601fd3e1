//! Prepares tapes for display in the window, on separate threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::engine::disk::project::Project;
use crate::engine::event_sender::BackgroundJob;
use crate::engine::run::guard_file;
use crate::engine::runner::Engine;
use crate::engine::tasks::read_current;
use crate::format::{self, Document, DocumentBody};
use crate::ops::tape::edits::{TapeEdit, plan};
use crate::ops::tape::prepared_tape::{PreparedTape, miniature};
use crate::ops::tape::timeline::Timeline;
use crate::ops::tape::timing::{Stats, TapePace};
use crate::text::Source;
use crate::workbench::{CurrentDocument, DocId, EngineEvent, Revision, TapeThumbnail, TapesEvent};

impl Engine {
    /// Prepares a tape; the result arrives as [`TapesEvent::Prepared`]. Cancels one that is still running.
    pub fn prepare_tape(&mut self, doc: DocId, revision: Revision, document: Arc<Document>) {
        self.tape.stop();
        let sender = self.sender.clone();
        let own = self.project.as_ref().map(|project| project.secrets());
        let own = own.unwrap_or_default();
        let job = BackgroundJob::start("retake tape", move |cancel| {
            let prepared = || Some(PreparedTape::new(document)?.with_secrets(&own));
            let prepared = catch_unwind(AssertUnwindSafe(prepared));
            let event = TapesEvent::Prepared(doc, revision, prepared.ok().flatten().map(Arc::new));
            if !cancel.load(Ordering::Relaxed) {
                sender.send(EngineEvent::Tapes(event), cancel);
            }
        });
        match job {
            Ok(job) => self.tape = job,
            Err(error) => self.fail(format!("Cannot start a thread to show a tape: {error}")),
        }
    }

    /// Computes a tape's statistics after an edit; the result arrives as [`TapesEvent::EditPreviewed`]. Cancels one that is still
    /// running.
    pub fn try_tape_edit(&mut self, document: Arc<Document>, cut: TapeEdit) {
        self.trial.stop();
        let sender = self.sender.clone();
        let job = BackgroundJob::start("retake cut", move |cancel| {
            let tried = catch_unwind(AssertUnwindSafe(|| stats_after(&document, &cut)));
            let tried =
                tried.unwrap_or_else(|_| Err("Internal error; please report it".to_owned()));
            if !cancel.load(Ordering::Relaxed) {
                sender.send(
                    EngineEvent::Tapes(TapesEvent::EditPreviewed(cut, tried)),
                    cancel,
                );
            }
        });
        match job {
            Ok(job) => self.trial = job,
            Err(error) => self.fail(format!("Cannot start a thread to preview an edit: {error}")),
        }
    }

    /// Builds thumbnails; the result arrives as [`TapesEvent::ThumbnailsReady`].
    pub fn make_thumbnails(&mut self, tapes: Vec<CurrentDocument>) {
        let Some(project) = self.project.clone() else {
            return;
        };
        let sender = self.sender.clone();
        let job = BackgroundJob::start("retake miniatures", move |cancel| {
            if let Some(glances) = build_thumbnails(&project, tapes, cancel) {
                sender.send(
                    EngineEvent::Tapes(TapesEvent::ThumbnailsReady(glances)),
                    cancel,
                );
            }
        });
        match job {
            Ok(job) => self.thumbnails = job,
            Err(error) => self.fail(format!("Cannot start a thread to read tapes: {error}")),
        }
    }
}

/// Returns the statistics of a tape after an edit.
fn stats_after(document: &Document, cut: &TapeEdit) -> Result<Stats, String> {
    let planned = plan(document, cut).map_err(|refusal| refusal.to_string())?;
    let mut text = document.source().text().to_owned();
    if let Some(planned) = planned {
        planned.edit.apply(&mut text);
    }
    match &format::read(Source::new(text), "tape.json").body {
        DocumentBody::Tape(tape) => Ok(Stats::from_tape(tape)),
        _ => Err("The result would not be a tape".to_owned()),
    }
}

/// Builds all thumbnails; `None` when it was cancelled. A file that cannot be read has one without columns.
fn build_thumbnails(
    project: &Project,
    tapes: Vec<CurrentDocument>,
    cancel: &AtomicBool,
) -> Option<Vec<(DocId, TapeThumbnail)>> {
    let mut glances = Vec::with_capacity(tapes.len());
    for tape in tapes {
        if cancel.load(Ordering::Relaxed) {
            return None;
        }
        let columns = guard_file(&tape.item.root_path, || {
            match read_current(project, &tape)?.body {
                DocumentBody::Tape(tape) => {
                    Ok(miniature(&Timeline::new(&tape, TapePace::Recorded)))
                }
                _ => Ok(Arc::default()),
            }
        });
        let (doc, item, columns) = (tape.doc, tape.item, columns.unwrap_or_default());
        glances.push((doc, TapeThumbnail { item, columns }));
    }
    Some(glances)
}
