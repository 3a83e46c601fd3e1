//! Draws pictures of tapes into files.

use std::path::Path;

use crate::engine::disk::project::Project;
use crate::engine::disk::save::{self, SaveTarget};
use crate::engine::run::{Lane, Task, TaskContext};
use crate::ops::saving::Expected;
use crate::ops::tape::picture::render_picture;
use crate::workbench::{DrawPicture, EngineEvent, PictureEvent, TapesEvent};

impl DrawPicture {
    fn answer(&self, drawn: Result<String, String>) -> EngineEvent {
        EngineEvent::Tapes(TapesEvent::Picture(PictureEvent::Drawn(drawn)))
    }
}

impl Task for DrawPicture {
    fn lane() -> Lane {
        Lane::Writes
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let root = context.project.as_deref().and_then(Project::bound);
        Some(self.answer(write_picture(self, root)))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        self.answer(Err(reason))
    }
}

fn write_picture(request: &DrawPicture, root: Option<&Path>) -> Result<String, String> {
    let DrawPicture {
        path,
        tape,
        options,
    } = request;
    let shown = path.to_string_lossy().into_owned();
    let bytes = render_picture(tape, options, &shown)?;
    let target = SaveTarget::chosen(path, root).map_err(|fault| fault.to_string())?;
    let saved = save::write(target, bytes, Expected::Anything);
    saved.map_err(|fault| fault.to_string())?;
    Ok(shown)
}
