//! Handles files that are dropped on the window.

use std::path::PathBuf;

use play::live::queue::REQUESTS;
use protocol::{Desk, NewTapeSource};
use workbench::{
    Action, ImportAction, LiveAction, NewTapeAction, Overlay, QueueAction, TapesAction, Workbench,
};

/// Returns whether a tape is made from a dropped file: always from a saved stream, at the tapes desk from everything that is not a document
/// by its name, and in the form for a new tape from any file.
fn makes_a_tape(path: &std::path::Path, workbench: &Workbench) -> bool {
    let ending =
        path.extension().and_then(std::ffi::OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
    // Documents are opened even at the tapes desk; a JSON tape is one of them.
    let is_document = path.is_dir() || matches!(&*ending, "json" | "yaml" | "yml" | "dygram");
    let at_tapes = workbench.core.here().desk == Desk::Tapes && !is_document;
    workbench.core.project.is_some()
        && (ending == "sse" || at_tapes || workbench.core.overlay == Some(Overlay::NewTape))
}

/// Returns the action for dropped files: at the live desk a queue is watched, from a stream a tape is made; everything else is opened.
pub(super) fn action_for_drop(ctx: &egui::Context, workbench: &Workbench) -> Option<Action> {
    let paths: Vec<PathBuf> = ctx.input(|input| {
        let files = input.raw.dropped_files.iter();
        files.map(|file| file.path().to_owned()).collect()
    });
    if let [path] = &paths[..]
        && makes_a_tape(path, workbench)
    {
        let action = NewTapeAction::Begin(Some(NewTapeSource::Path(path.clone())));
        return Some(Action::from(TapesAction::NewTape(action)));
    }
    // Only a single folder: several dropped paths are imported or opened instead.
    if let [path] = &paths[..]
        && workbench.core.here().desk == Desk::Live
        // A queue is recognised by its `requests` folder, which the first request creates.
        && path.join(REQUESTS).is_dir()
    {
        let watch = QueueAction::Watch(path.clone());
        return Some(Action::from(LiveAction::Queue(watch)));
    }
    (!paths.is_empty()).then_some(Action::from(ImportAction::Drop(paths)))
}
