//! Plans edits of many recordings for the window, on a separate thread. Writes nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::engine::disk::project::Project;
use crate::engine::disk::stamp_planner::{StampPlanner, StampRequest, StampSource};
use crate::engine::event_sender::BackgroundJob;
use crate::engine::runner::Engine;
use crate::engine::tasks::parse;
use crate::format::recording::RecordingVersion;
use crate::format::{self, Document};
use crate::ops::Item;
use crate::ops::playback::fixes::Fix;
use crate::ops::stamp::{Renewal, Stamp, StampChange, StampContextKeys, repath};
use crate::text::Source;
use crate::text::counted;
use crate::workbench::{
    BatchEdit, CurrentDocument, EngineEvent, PlannedBatch, PlannedEdit, Revision,
};

impl Engine {
    /// Plans one batch of edits; the result arrives as [`EngineEvent::BatchPlanned`]. Cancels a batch that is
    /// still being planned.
    pub fn plan_batch(&mut self, batch: BatchEdit, recordings: Vec<CurrentDocument>) {
        self.batch.stop();
        let Some(project) = self.project.clone() else {
            return;
        };
        let (generation, sender) = (self.generation, self.sender.clone());
        let job = BackgroundJob::start("retake batch", move |cancel| {
            if let Some(planned) = plan_all(&project, batch, recordings, cancel) {
                sender.send(EngineEvent::BatchPlanned(generation, planned), cancel);
            }
        });
        match job {
            Ok(job) => self.batch = job,
            Err(error) => self.fail(format!("Cannot start a thread to edit: {error}")),
        }
    }
}

/// Plans the edits of a batch, one recording at a time.
enum Planner<'a> {
    Stamp(Box<StampPlanner<'a>>),
    Repath(Arc<str>),
    Fix(Fix),
}

impl<'a> Planner<'a> {
    fn new(project: &'a Project, batch: &BatchEdit) -> Option<Self> {
        let from = match batch {
            BatchEdit::Stamp => StampSource::Project,
            BatchEdit::Restamp => StampSource::Named,
            BatchEdit::RewritePath(path) => return Some(Self::Repath(Arc::clone(path))),
            BatchEdit::Fix(fix) => return Some(Self::Fix(fix.clone())),
        };
        let order = StampRequest {
            source: from,
            version: RecordingVersion::V3,
            renewal: Renewal::Renew,
            context_keys: StampContextKeys::AsStored,
        };
        let stamping = StampPlanner::new(project, order).ok()?;
        Some(Self::Stamp(Box::new(stamping)))
    }

    fn plan(
        &mut self,
        index: usize,
        item: &Item,
        document: &Document,
    ) -> Result<Option<Stamp>, String> {
        match self {
            Self::Stamp(stamping) => stamping.plan(index, item, document),
            Self::Repath(path) => {
                let edit = repath(document, path)?;
                let source = StampChange::Same;
                Ok(edit.map(|edit| Stamp { edit, source }))
            }
            Self::Fix(fix) => {
                let edit = fix.edit(document)?;
                let source = StampChange::Same;
                Ok(edit.map(|edit| Stamp { edit, source }))
            }
        }
    }
}

/// Plans all edits; `None` when it was cancelled.
fn plan_all(
    project: &Project,
    batch: BatchEdit,
    recordings: Vec<CurrentDocument>,
    cancel: &AtomicBool,
) -> Option<PlannedBatch> {
    let mut planner = Planner::new(project, &batch)?;
    let (mut edits, mut left, mut changed) = (Vec::new(), Vec::new(), 0);
    for recording in &recordings {
        if cancel.load(Ordering::Relaxed) {
            return None;
        }
        let planned = catch_unwind(AssertUnwindSafe(|| plan(project, &mut planner, recording)));
        match planned.unwrap_or_else(|_| Err("Internal error; please report it".to_owned())) {
            Ok(None) => {}
            Ok(Some((edit, since))) => {
                edits.push(edit);
                changed += usize::from(since == StampChange::Changed);
            }
            Err(reason) => left.push((recording.doc, reason)),
        }
    }
    let only = match recordings.as_slice() {
        [one] => Some(one.item.file_name()),
        _ => None,
    };
    Some(PlannedBatch {
        name: batch.name(edits.len(), only),
        remark: describe_changed_sources(&batch, changed),
        batch,
        edits,
        skipped: left,
    })
}

/// Describes how many recordings were stamped with a source that has changed since they were recorded.
fn describe_changed_sources(batch: &BatchEdit, changed: usize) -> Option<String> {
    if changed == 0 || *batch != BatchEdit::Stamp {
        return None;
    }
    let recordings = counted(changed, "recording", "recordings");
    Some(format!(
        "{recordings} stamped with a source that has changed since they were recorded; check that they still match it."
    ))
}

fn plan(
    project: &Project,
    planner: &mut Planner<'_>,
    recording: &CurrentDocument,
) -> Result<Option<(PlannedEdit, StampChange)>, String> {
    let CurrentDocument { doc, item, text } = recording;
    let index = doc.index();
    let read = |source: Source| format::read(source, item.file_name());
    let (base, before): (Option<Revision>, Document) = match text {
        Some((revision, source)) => (Some(*revision), read(source.clone())),
        None => (None, project.read(index, item)?),
    };
    let Some(stamp) = planner.plan(index, item, &before)? else {
        return Ok(None);
    };
    let mut after = before.source().text().to_owned();
    stamp.edit.apply(&mut after);
    let edit = PlannedEdit {
        doc: *doc,
        base,
        text: before.source().clone(),
        edit: stamp.edit,
        parsed: parse(project, *doc, item, Source::new(after)),
    };
    Ok(Some((edit, stamp.source)))
}
