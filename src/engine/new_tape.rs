//! Creates tapes for the window from what the user chose, and writes them to new files.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use cap_std::fs::Dir;

use crate::engine::disk::project::{Project, to_sentence};
use crate::engine::disk::root::{self, open_all};
use crate::engine::disk::save::{SaveRequest, save};
use crate::engine::event_sender::BackgroundJob;
use crate::engine::runner::Engine;
use crate::format::tape::RequestShape;
use crate::format::{self, Document, DocumentBody};
use crate::ops::saving::{Expected, ReadOnly};
use crate::ops::tape::make::{Material, TapePlan};
use crate::ops::tape::prepared_tape::PreparedTape;
use crate::ops::tape::sse::CaptureTiming;
use crate::text::Source;
use crate::workbench::{
    CurrentDocument, EngineEvent, NewTapeEvent, NewTapeResult, NewTapeSource, Recipe, TapesEvent,
};

impl Engine {
    /// Creates a tape; the result arrives as [`NewTapeEvent::Made`]. `answer` is the recording, if the tape is made from
    /// one. Cancels a tape that is still being created.
    pub fn make_tape(&mut self, recipe: Box<Recipe>, answer: Option<CurrentDocument>) {
        self.trial.stop();
        let (project, sender) = (self.project.clone(), self.sender.clone());
        let job = BackgroundJob::start("retake new tape", move |cancel| {
            let tape = || make(&recipe, project.as_deref(), answer);
            let tape = catch_unwind(AssertUnwindSafe(tape));
            let tape = tape.unwrap_or_else(|_| Err("Internal error; please report it".to_owned()));
            if !cancel.load(Ordering::Relaxed) {
                let event = NewTapeEvent::Made(recipe, tape.map(Arc::new));
                sender.send(EngineEvent::Tapes(TapesEvent::NewTape(event)), cancel);
            }
        });
        match job {
            Ok(job) => self.trial = job,
            Err(error) => self.fail(format!("Cannot start a thread to make a tape: {error}")),
        }
    }

    /// Writes a new tape to a new file; the result arrives as [`NewTapeEvent::Saved`].
    pub fn save_tape(&mut self, below: String, text: Source) {
        let (project, sender) = (self.project.clone(), self.sender.clone());
        let job = BackgroundJob::start("retake save tape", move |cancel| {
            let saved = match project {
                Some(project) => write(&project, &below, &text),
                None => Err("No folder is open".to_owned()),
            };
            let event = TapesEvent::NewTape(NewTapeEvent::Saved(saved));
            sender.send(EngineEvent::Tapes(event), cancel);
        });
        match job {
            Ok(job) => self.making = job,
            Err(error) => self.fail(format!("Cannot start a thread to save a tape: {error}")),
        }
    }
}

fn make(
    recipe: &Recipe,
    project: Option<&Project>,
    answer: Option<CurrentDocument>,
) -> Result<NewTapeResult, String> {
    let document = match &recipe.origin {
        NewTapeSource::Text(text) => format::read(Source::new(&**text), "pasted"),
        NewTapeSource::Path(path) => read(path, project.and_then(Project::bound))?,
        NewTapeSource::Answer(_) => read_recording(project, answer)?,
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
            shape: project.map_or(RequestShape::Contents, |project| {
                project.request_shape_in(&recipe.folder)
            }),
        },
        None,
    )?;
    let prepared = PreparedTape::new(Arc::new(format::read(
        Source::new(tape.json()),
        "tape.json",
    )));
    Ok(NewTapeResult {
        origin: material.describe(),
        is_estimated: material.timing() == CaptureTiming::Estimated,
        has_pieces: matches!(material, Material::Stream(_)),
        model: material.model().map(str::to_owned),
        notes: tape.notes,
        prepared: Arc::new(prepared.ok_or("The result is not a tape")?),
    })
}

/// Returns the request shape of most tapes in a folder, if it is one of the two that players read; else
/// [`RequestShape::Contents`], which today's players need. Reads the first hundred JSON files by name. A folder that does
/// not exist, or is outside `root`, has no tapes.
pub fn request_shape_in(folder: &Path, root: Option<&Path>) -> RequestShape {
    let opened = open_all(&[folder.to_owned()], root).unwrap_or_default();
    let opened = opened.first().filter(|opened| opened.file.is_none());
    opened.map_or(RequestShape::Contents, |opened| {
        shape_in(&opened.dir, Path::new("."))
    })
}

impl Project {
    /// As [`request_shape_in`], of a folder by its path from the one that was opened first.
    fn request_shape_in(&self, folder: &str) -> RequestShape {
        let folder = if folder.is_empty() { "." } else { folder };
        self.first_dir().map_or(RequestShape::Contents, |dir| {
            shape_in(dir, Path::new(folder))
        })
    }
}

fn shape_in(dir: &Dir, folder: &Path) -> RequestShape {
    const MOST_FILES: usize = 100;
    let entries = dir.read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name());
    let is_json = |name: &OsString| Path::new(name).extension().is_some_and(|it| it == "json");
    let mut names: Vec<OsString> = names.filter(is_json).collect();
    names.sort_unstable();
    let (mut with_history, mut with_contents) = (0, 0);
    for name in names.into_iter().take(MOST_FILES) {
        let Ok(bytes) = root::read(dir, &folder.join(&name)) else {
            continue;
        };
        let document = format::read(Source::from_bytes(bytes), &name.to_string_lossy());
        let DocumentBody::Tape(tape) = &document.body else {
            continue;
        };
        match tape.request_shape {
            RequestShape::History => with_history += 1,
            RequestShape::Contents => with_contents += 1,
            RequestShape::Other => {}
        }
    }
    if with_history > with_contents {
        RequestShape::History
    } else {
        RequestShape::Contents
    }
}

/// Reads a file that the user named.
fn read(path: &Path, root: Option<&Path>) -> Result<Document, String> {
    let unread = |reason: String| format!("{} cannot be read: {reason}", path.to_string_lossy());
    let opened = open_all(&[path.to_owned()], root).map_err(|error| error.to_string())?;
    let opened = opened
        .first()
        .ok_or_else(|| unread("it does not exist".to_owned()))?;
    let name = opened.file.clone();
    let name = name.ok_or_else(|| unread("it is a folder".to_owned()))?;
    let bytes = root::read(&opened.dir, &name).map_err(|refusal| unread(refusal.to_string()))?;
    Ok(format::read(
        Source::from_bytes(bytes),
        &name.to_string_lossy(),
    ))
}

fn read_recording(
    project: Option<&Project>,
    answer: Option<CurrentDocument>,
) -> Result<Document, String> {
    let gone = || "The recording is no longer open".to_owned();
    let CurrentDocument { doc, item, text } = answer.ok_or_else(gone)?;
    match text {
        Some((_, source)) => Ok(format::read(source, item.file_name())),
        None => project.ok_or_else(gone)?.read(doc.index(), &item),
    }
}

/// Writes a tape to a new file, and returns its path as it is listed.
fn write(project: &Project, below: &str, text: &Source) -> Result<Arc<str>, String> {
    let target = project.new_file(&PathBuf::from(below))?;
    let path = Arc::clone(target.shown());
    let request = SaveRequest {
        target,
        bytes: text.text().as_bytes().into(),
        expected: Expected::Nothing,
        read_only: ReadOnly::Refuse,
    };
    match save(&request) {
        Ok(_) => Ok(path),
        Err(fault) => Err(to_sentence(&fault.to_string())),
    }
}
