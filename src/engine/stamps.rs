//! Stamps for the window: planned for many documents on a thread of its own, never written.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::outlet::Job;
use super::project::Project;
use super::reader;
use super::runner::Engine;
use super::stamping::{SourceFrom, StampOrder, Stamping};
use crate::format::recording::Version;
use crate::format::{self, Document};
use crate::ops::Item;
use crate::ops::diff::counted;
use crate::ops::stamp::{ContextKeys, Renewal, Since};
use crate::text::Source;
use crate::workbench::{DocId, Event, PlannedEdit, PlannedMany, Revision};

/// A recording that is to be stamped.
#[derive(Clone, Debug)]
pub struct ToStamp {
    /// The document.
    pub doc: DocId,
    /// Its row, as it was last read.
    pub item: Arc<Item>,
    /// Its text with its name; `None`: what is on disk.
    pub text: Option<(Revision, Source)>,
}

impl Engine {
    /// Finds the edits that stamp recordings with their sources; the answer is [`Event::PlannedMany`]. Those that are being
    /// looked for already are not wanted any more.
    pub fn stamp(&mut self, recordings: Vec<ToStamp>) {
        self.stamping.stop();
        let Some(project) = self.project.clone() else {
            return;
        };
        let (generation, outlet) = (self.generation, self.outlet.clone());
        let job = Job::start("retake stamp", move |cancel| {
            if let Some(planned) = plan_all(&project, recordings, cancel) {
                outlet.send(Event::PlannedMany(generation, planned), cancel);
            }
        });
        match job {
            Ok(job) => self.stamping = job,
            Err(error) => self.fail(format!("No thread can be started to stamp: {error}")),
        }
    }
}

/// Plans all stamps; `None` when that was stopped.
fn plan_all(
    project: &Project,
    recordings: Vec<ToStamp>,
    cancel: &AtomicBool,
) -> Option<PlannedMany> {
    let order = StampOrder {
        from: SourceFrom::Anywhere,
        version: Version::V3,
        renewal: Renewal::Renew,
        context_keys: ContextKeys::AsStored,
    };
    let mut stamping = Stamping::new(project, order).ok()?;
    let (mut edits, mut left, mut changed) = (Vec::new(), Vec::new(), 0);
    for recording in &recordings {
        if cancel.load(Ordering::Relaxed) {
            return None;
        }
        let planned = catch_unwind(AssertUnwindSafe(|| plan(project, &mut stamping, recording)));
        match planned.unwrap_or_else(|_| Err("Retake came to a fault of its own".to_owned())) {
            Ok(None) => {}
            Ok(Some((edit, since))) => {
                edits.push(edit);
                changed += usize::from(since == Since::Changed);
            }
            Err(reason) => left.push((recording.doc, reason)),
        }
    }
    let name = match recordings.as_slice() {
        [one] => format!("Stamp {}", one.item.file_name()),
        _ if edits.len() == 1 => "Stamp 1 recording".to_owned(),
        _ => format!("Stamp {} recordings", edits.len()),
    };
    let remark = (changed > 0).then(|| {
        let recordings = counted(changed, "recording", "recordings");
        format!(
            "{recordings} stamped with a source that changed since; look whether they still fit it."
        )
    });
    Some(PlannedMany {
        name,
        edits,
        left,
        remark,
    })
}

fn plan(
    project: &Project,
    stamping: &mut Stamping<'_>,
    recording: &ToStamp,
) -> Result<Option<(PlannedEdit, Since)>, String> {
    let ToStamp { doc, item, text } = recording;
    let index = doc.index();
    let read = |source: Source| format::read(source, item.file_name());
    let (base, before): (Option<Revision>, Document) = match text {
        Some((revision, source)) => (Some(*revision), read(source.clone())),
        None => (None, project.read(index, item)?),
    };
    let Some(stamp) = stamping.plan(index, item, &before)? else {
        return Ok(None);
    };
    let mut after = before.source().text().to_owned();
    stamp.edit.apply(&mut after);
    let document = read(Source::new(after));
    let edit = PlannedEdit {
        doc: *doc,
        base,
        text: before.source().clone(),
        edit: stamp.edit,
        item: reader::row_of(project, index, item, &document).map(Arc::new),
        document: Arc::new(document),
    };
    Ok(Some((edit, stamp.source)))
}
