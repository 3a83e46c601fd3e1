//! Makes tapes from what the user chose, and writes them to new files.

use std::path::Path;
use std::sync::Arc;

use crate::current::read_current;
use crate::disk::project::Project;
use crate::disk::root::{self, open_one};
use crate::disk::save;
use crate::run::Work;
use author::saving::Expected;
use calls::tape::make::{Material, TapePlan};
use calls::tape::prepared_tape::PreparedTape;
use calls::tape::sse::CaptureTiming;
use document::Document;
use document::tape::RequestShape;
use document::text::Source;
use protocol::{
    CurrentDocument, EngineEvent, Lane, MakeTape, NewTapeEvent, NewTapeResult, NewTapeSource,
    SaveTape, TapesEvent,
};

pub(crate) fn make_tape(request: MakeTape) -> Work {
    Work::answering(
        // Shared with the preview of an edit.
        Lane::Newest("tape preview"),
        request,
        |request, context| Some(make(request, context.project.as_deref()).map(Arc::new)),
        |request, tape| {
            let event = NewTapeEvent::Made(Box::new(request.recipe.clone()), tape);
            EngineEvent::Tapes(TapesEvent::NewTape(event))
        },
    )
}

pub(crate) fn save_tape(request: SaveTape) -> Work {
    Work::answering(
        Lane::Writes,
        request,
        |request, context| {
            let project = context.project.as_deref().ok_or("No folder is open".to_owned());
            Some(project.and_then(|project| write(project, request)))
        },
        |_, result| EngineEvent::Tapes(TapesEvent::NewTape(NewTapeEvent::Saved(result))),
    )
}

fn make(request: &MakeTape, project: Option<&Project>) -> Result<NewTapeResult, String> {
    let MakeTape { recipe, answer } = request;
    let document = match &recipe.origin {
        NewTapeSource::Text(text) => document::read(Source::new(&**text), "pasted"),
        NewTapeSource::Path(path) => read(path, project.and_then(Project::bound))?,
        NewTapeSource::Answer(_) => read_recording(project, answer.as_ref())?,
    };
    let name = match &recipe.origin {
        NewTapeSource::Path(path) => path.to_string_lossy(),
        NewTapeSource::Text(_) | NewTapeSource::Answer(_) => "".into(),
    };
    let material = Material::detect(&document, &name)?;
    let now = jiff::Timestamp::now().round(jiff::Unit::Second);
    let tape = material.tape(
        &TapePlan {
            model: recipe.model.clone(),
            recorded_at: now.map_or_else(|_| String::new(), |now| now.to_string()),
            label: recipe.label.clone(),
            split: recipe.pieces,
            timing: recipe.timing,
            shape: project.map_or(RequestShape::Contents, |p| p.request_shape_in(&recipe.folder)),
        },
        None,
    )?;
    let draft = PreparedTape::new(Arc::new(document::read(Source::new(tape.json()), "tape.json")));
    Ok(NewTapeResult {
        origin: material.describe(),
        is_estimated: material.timing() == CaptureTiming::Estimated,
        has_pieces: matches!(material, Material::Stream(_)),
        model: material.model().map(str::to_owned),
        notes: tape.notes,
        prepared: Arc::new(draft.ok_or("The result is not a tape")?),
    })
}

/// Reads a file that the user named.
fn read(path: &Path, root: Option<&Path>) -> Result<Document, String> {
    let fault = |reason: String| format!("{} cannot be read: {reason}", path.to_string_lossy());
    let opened = open_one(path, root).map_err(|error| error.to_string())?;
    let name = opened.file.clone().ok_or_else(|| fault("it is a folder".to_owned()))?;
    let data = root::read_file(&opened.dir, &name).map_err(|refusal| fault(refusal.to_string()))?;
    Ok(opened.root.parse(Source::from_bytes(data), &opened.root_path(&name)))
}

fn read_recording(
    project: Option<&Project>,
    answer: Option<&CurrentDocument>,
) -> Result<Document, String> {
    let reason = "The recording is no longer open";
    read_current(project.ok_or(reason)?, answer.ok_or(reason)?)
}

/// Writes a tape to a new file, and returns its path as it is listed.
fn write(project: &Project, request: &SaveTape) -> Result<Arc<str>, String> {
    let target = project.new_file(Path::new(&request.path))?;
    let path = Arc::clone(&target.shown);
    let result = save::write(target, request.text.text().as_bytes(), Expected::Nothing);
    result.map_err(|fault| fault.to_string())?;
    Ok(path)
}
