//! Draws pictures into files.

use std::path::Path;

use crate::engine::disk::project::Project;
use crate::engine::disk::save::{self, SaveTarget};
use crate::engine::run::{Lane, Task, TaskContext};
use crate::ops::saving::Expected;
use crate::workbench::{DrawPicture, EngineEvent};

impl Task for DrawPicture {
    fn lane() -> Lane {
        Lane::Writes
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let root = context.project.as_deref().and_then(Project::bound);
        Some(EngineEvent::PictureDrawn(write_picture(self, root)))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        EngineEvent::PictureDrawn(Err(reason))
    }
}

fn write_picture(request: &DrawPicture, root: Option<&Path>) -> Result<String, String> {
    let DrawPicture { path, picture } = request;
    let shown = path.to_string_lossy().into_owned();
    let bytes = picture.render(&shown)?;
    let target = SaveTarget::chosen(path, root).map_err(|fault| fault.to_string())?;
    let saved = save::write(target, bytes, Expected::Anything);
    saved.map_err(|fault| fault.to_string())?;
    Ok(shown)
}
