//! Draws pictures of tapes and writes them, on a separate thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::engine::disk::project::Project;
use crate::engine::disk::save::{SaveRequest, SaveTarget, save};
use crate::engine::event_sender::BackgroundJob;
use crate::engine::runner::Engine;
use crate::ops::saving::{Expected, ReadOnly};
use crate::ops::tape::picture::{PictureOptions, render_picture};
use crate::ops::tape::prepared_tape::PreparedTape;
use crate::workbench::{EngineEvent, PictureEvent, TapesEvent};

impl Engine {
    /// Draws a tape into a file that the user chose in a dialog, which confirms replacing an existing one; the result arrives as
    /// [`PictureEvent::Drawn`].
    pub fn draw_tape(
        &mut self,
        path: PathBuf,
        prepared: Arc<PreparedTape>,
        options: Box<PictureOptions>,
    ) {
        let (project, sender) = (self.project.clone(), self.sender.clone());
        let job = BackgroundJob::start("retake picture", move |cancel| {
            let root = project.as_deref().and_then(Project::bound);
            let written = catch_unwind(AssertUnwindSafe(|| {
                write_picture(&path, root, &prepared, &options)
            }));
            let written =
                written.unwrap_or_else(|_| Err("Internal error; please report it".to_owned()));
            let event = TapesEvent::Picture(PictureEvent::Drawn(written));
            sender.send(EngineEvent::Tapes(event), cancel);
        });
        match job {
            Ok(job) => self.making = job,
            Err(error) => self.fail(format!("Cannot start a thread to draw: {error}")),
        }
    }
}

fn write_picture(
    path: &Path,
    root: Option<&Path>,
    prepared: &PreparedTape,
    options: &PictureOptions,
) -> Result<String, String> {
    let shown = path.to_string_lossy().into_owned();
    let bytes = render_picture(prepared, options, &shown)?;
    let target = SaveTarget::chosen(path, root).map_err(|fault| fault.to_string())?;
    let saved = save(&SaveRequest {
        target,
        bytes: bytes.into(),
        expected: Expected::Anything,
        read_only: ReadOnly::Refuse,
    });
    saved.map_err(|fault| fault.to_string())?;
    Ok(shown)
}
