//! Changes files as planned, and undoes what the command line has changed; draws pictures into files.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use crate::disk::files::{self, beneath};
use crate::disk::project::Project;
use crate::disk::root::parent_folder;
use crate::disk::save::{self, SaveTarget};
use crate::disk::undo::UndoStore;
use crate::run::{TaskContext, Work};
use ::compare::review::ledger;
use author::saving::{Expected, SaveFailure, SaveFault};
use document::files::{FilesChanged, file_name};
use protocol::{
    DrawPicture, EngineEvent, FileChangeRequest, ImportEvent, Lane, ListCommandSteps,
    PlaybackEvent, SessionSteps, UndoCommandStep,
};

/// Time that an undo waits for a command that changes files of the project: saves wait on the same thread.
const MAX_LOCK_WAIT: Duration = Duration::from_secs(2);

/// Changes files of sets. What was done can be undone.
pub(crate) fn change_files(request: FileChangeRequest) -> Work {
    Work::new(Lane::Writes, request, |request, context| {
        let project = context.project.as_deref()?;
        let targets = request
            .folders
            .iter()
            .map(|(doc, item)| Ok((item.folder(), project.target(doc.index(), item)?)));
        let outcome = match targets.collect::<Result<BTreeMap<_, _>, String>>() {
            Ok(targets) => files::change_files(&request.steps, |path| {
                let folder = parent_folder(path);
                if path == ledger::PATH
                    && let Some((doc, _)) = request.folders.first()
                {
                    return project.ledger_target(doc.index());
                }
                // By folder, since a step may create a file.
                let target = targets.get(folder).ok_or_else(|| SaveFault {
                    path: path.into(),
                    reason: SaveFailure::FolderGone,
                })?;
                Ok(target.beside(file_name(path)))
            }),
            Err(reason) => FilesChanged::failed(reason),
        };
        Some(EngineEvent::Playback(PlaybackEvent::FilesChanged(request.clone(), outcome)))
    })
}

/// Writes the files of an import. What was done can be undone.
pub(crate) fn write_sessions(request: SessionSteps) -> Work {
    Work::answering(
        Lane::Writes,
        request,
        |request, context| {
            let root = context.project.as_deref()?.root();
            Some(match root {
                Some(root) => Ok(files::change_files(&request.steps, beneath(root))),
                None => Err("Nothing is open".to_owned()),
            })
        },
        |request, result| {
            let result = result.unwrap_or_else(FilesChanged::failed);
            EngineEvent::Import(ImportEvent::FilesWritten(request.clone(), result))
        },
    )
}

/// Opens the steps of the open project; `None` where none are kept.
fn undo_store(context: &TaskContext) -> Option<UndoStore> {
    let folder = context.services.undo.as_deref()?;
    Some(UndoStore::in_folder(context.project.as_deref()?.root()?.path(), folder))
}

pub(crate) fn list_command_steps(request: ListCommandSteps) -> Work {
    Work::new(Lane::Independent("command steps"), request, |_, context| {
        let steps = undo_store(context).map(|store| store.steps());
        Some(EngineEvent::CommandSteps { steps: steps.unwrap_or_default(), undone: None })
    })
}

pub(crate) fn undo_command_step(job: UndoCommandStep) -> Work {
    Work::new(Lane::Writes, job, |job, context| {
        let store = undo_store(context)?;
        let (step, root) = (&job.step, context.root.as_deref());
        // In the lane of writing, so that no save of the window is in between.
        let result = store.lock(MAX_LOCK_WAIT).and_then(|locked| locked.undo(step, root, job.mode));
        let result = match result {
            Ok(_) => Ok(step.command.clone()),
            Err(refusal) => Err(refusal.to_string()),
        };
        Some(EngineEvent::CommandSteps { steps: store.steps(), undone: Some(result) })
    })
}

pub(crate) fn draw_picture(request: DrawPicture) -> Work {
    Work::answering(
        Lane::Writes,
        request,
        |request, context| {
            let root = context.project.as_deref().and_then(Project::bound);
            let bytes = request.picture.render(&request.path.to_string_lossy());
            Some(bytes.and_then(|bytes| write_chosen(&request.path, bytes, root)))
        },
        |_, result| EngineEvent::PictureDrawn(result),
    )
}

/// Writes a file that the user chose in a dialog, which confirms replacing an existing one. Returns its path for messages.
pub(super) fn write_chosen(
    path: &Path,
    bytes: Vec<u8>,
    root: Option<&Path>,
) -> Result<String, String> {
    let target = SaveTarget::chosen(path, root).map_err(|fault| fault.to_string())?;
    save::write(target, bytes, Expected::Anything).map_err(|fault| fault.to_string())?;
    Ok(path.to_string_lossy().into_owned())
}
