//! Writes documents to files.

use std::path::Path;
use std::sync::Arc;

use crate::engine::disk::project::Project;
use crate::engine::disk::save::{self, SaveRequest, SaveTarget, save};
use crate::engine::run::{Lane, Task, TaskContext};
use crate::ops::saving::{Expected, SaveFailure, SaveFault, Saved};
use crate::text::Source;
use crate::workbench::{EngineEvent, SaveDestination, SaveDocument, SaveDocumentAs};

const NOTHING_OPEN: &str = "Nothing is open";

impl Task for SaveDocument {
    fn lane() -> Lane {
        Lane::Writes
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let Some(project) = context.project.as_deref() else {
            return Some(self.fail(NOTHING_OPEN.to_owned()));
        };
        let saved = save_to_its_file(project, self);
        Some(EngineEvent::Saved(self.doc, saved))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        let path = Arc::clone(&self.item.path);
        EngineEvent::Saved(self.doc, Err(not_saved(path, reason)))
    }
}

impl SaveDocumentAs {
    /// Returns the event for a result.
    fn answer(&self, to: SaveDestination, result: Result<Saved, SaveFault>) -> EngineEvent {
        EngineEvent::SavedAs {
            doc: self.doc,
            path: self.path.display().to_string(),
            text: self.text.clone(),
            to,
            result,
        }
    }
}

impl Task for SaveDocumentAs {
    fn lane() -> Lane {
        Lane::Writes
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let Some(project) = context.project.as_deref() else {
            return Some(self.fail(NOTHING_OPEN.to_owned()));
        };
        let own = project.target(self.doc.index(), &self.item).ok();
        let (to, saved) = save_elsewhere(own.as_ref(), &self.path, project.bound(), &self.text);
        Some(self.answer(to, saved))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        let path = self.path.to_string_lossy().into();
        self.answer(SaveDestination::OtherFile, Err(not_saved(path, reason)))
    }
}

fn not_saved(path: Arc<str>, why: String) -> SaveFault {
    let doing = "saved";
    let why = why.into();
    let reason = SaveFailure::Failed { doing, why };
    SaveFault { path, reason }
}

fn save_to_its_file(project: &Project, order: &SaveDocument) -> Result<Saved, SaveFault> {
    let target = project.target(order.doc.index(), &order.item);
    let target = target.map_err(|reason| SaveFault {
        path: Arc::clone(&order.item.path),
        reason: SaveFailure::Failed { doing: "saved", why: reason.into() },
    })?;
    let base = order.base.as_ref().map(|base| base.text().as_bytes());
    save(&SaveRequest {
        target,
        bytes: order.text.text().as_bytes().into(),
        expected: Expected::from_bytes(base),
        read_only: order.read_only,
    })
}

/// Saves to a file that the user chose in a dialog, which confirms replacing an existing one.
fn save_elsewhere(
    own: Option<&SaveTarget>,
    path: &Path,
    root: Option<&Path>,
    text: &Source,
) -> (SaveDestination, Result<Saved, SaveFault>) {
    let target = match SaveTarget::chosen(path, root) {
        Ok(target) => target,
        Err(fault) => return (SaveDestination::OtherFile, Err(fault)),
    };
    let own = own.and_then(|own| std::fs::canonicalize(own.path()).ok());
    let to = if own == Some(target.path()) {
        SaveDestination::SameFile
    } else {
        SaveDestination::OtherFile
    };
    let bytes = text.text().as_bytes();
    (to, save::write(target, bytes, Expected::Anything))
}
