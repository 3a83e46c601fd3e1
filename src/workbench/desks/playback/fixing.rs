//! Fixes of a set: edits of documents are applied as one step and shown before they are saved; changes of files are shown
//! before they are done, and can be undone.

use std::sync::Arc;

use super::PlaybackDesk;
use crate::{Core, Effect, Link, Overlay};
use calls::Item;
use check::change::Change;
use document::Severity;
use document::files::{FileStep, FilesChanged, file_name};
use document::text::counted;
use play::playback::fixes::{Fix, REGENERATE};
use protocol::{DocId, FileChangeRequest};

/// Planned changes of files, shown before they are done.
#[derive(Clone, Debug, PartialEq)]
pub struct FilePlan {
    /// Purpose of the changes, as sentences.
    pub sentence: String,
    pub request: FileChangeRequest,
}

impl FilePlan {
    /// The label of the button, with the number of files: `Rename 4 files`.
    pub fn label(&self) -> String {
        let steps = &self.request.steps;
        let files = counted(steps.len(), "file", "files");
        match (steps.first(), steps.len()) {
            _ if !is_one_kind(steps) => format!("Change {files}"),
            (Some(FileStep::Copy { .. }), 1) => "Write the copy".to_owned(),
            (Some(FileStep::Copy { .. }), copies) => format!("Write {copies} copies"),
            (Some(FileStep::Write { .. } | FileStep::Create { .. }), _) => {
                format!("Change {files}")
            }
            _ => format!("Rename {files}"),
        }
    }
}

/// Returns whether all steps do the same.
fn is_one_kind(steps: &[FileStep]) -> bool {
    let kind = std::mem::discriminant::<FileStep>;
    steps.windows(2).all(|pair| kind(&pair[0]) == kind(&pair[1]))
}

/// The message after the changes.
fn done_message(steps: &[FileStep]) -> String {
    let files = counted(steps.len(), "file", "files");
    match steps.first() {
        _ if !is_one_kind(steps) => format!("Changed {files}"),
        Some(FileStep::Copy { to, .. }) if steps.len() == 1 => format!("Wrote {}", file_name(to)),
        Some(FileStep::Copy { .. }) => format!("Wrote {files}"),
        Some(FileStep::Write { .. } | FileStep::Create { .. }) => format!("Changed {files}"),
        _ => format!("Renamed {files}"),
    }
}

impl PlaybackDesk {
    /// Shows the planned changes, or does what changes nothing.
    pub(super) fn fix_set(&mut self, core: &mut Core, fix: &Fix) {
        let Some(result) = self.played().cloned() else { return };
        match fix {
            Fix::ShowSourceChange(position) => {
                if let Some(doc) = result.doc(*position) {
                    core.compare_source(doc);
                }
            }
            Fix::Regenerate(positions) if core.can_regenerate() => {
                let docs = positions.iter().filter_map(|position| result.doc(*position));
                core.link(Link::Regenerate(docs.collect()));
            }
            // Without a command in the project, the user has to complete the usual one.
            Fix::Regenerate(_) => core.copy(REGENERATE.to_owned()),
            // These fixes change which files there are, not their texts.
            Fix::Duplicate(_) | Fix::Reorder(_) => {
                let doc = result.input.docs.iter().flatten().next();
                let folder = doc.and_then(|doc| Some((*doc, core.library.share(*doc)?)));
                let folders = folder.into_iter().collect();
                self.propose_files(core, fix.describe(), folders, fix.files(&result.run.set));
            }
            _ => {
                let docs = fix.edited().iter().filter_map(|position| result.doc(*position));
                core.plan_batch(Change::Fix(fix.clone()), docs.collect());
            }
        }
    }

    /// Shows the changes of files in these folders, each given by a document in it.
    pub(crate) fn propose_files(
        &mut self,
        core: &mut Core,
        sentence: String,
        folders: Vec<(DocId, Arc<Item>)>,
        steps: Vec<FileStep>,
    ) {
        if folders.is_empty() || steps.is_empty() {
            return core.notify(Severity::Note, "Nothing to change.");
        }
        let request = FileChangeRequest { folders, message: done_message(&steps), steps };
        self.plan = Some(FilePlan { sentence, request });
        core.overlay = Some(Overlay::FileChanges);
    }

    pub(super) fn change_files(&mut self, core: &mut Core) {
        core.overlay = None;
        if let Some(plan) = self.plan.take() {
            self.request_file_changes(core, plan.request);
        }
    }

    pub(crate) fn undo_files(&mut self, core: &mut Core) {
        if let Some((request, _)) = self.undo.take() {
            self.request_file_changes(core, request);
        }
    }

    /// Whether changing files was the last action.
    pub(crate) fn can_undo_files(&self, core: &Core) -> bool {
        self.undo.as_ref().is_some_and(|(_, revision)| *revision == core.journal.revision)
    }

    /// Requests changes of files, unless one of the files has unsaved edits.
    fn request_file_changes(&mut self, core: &mut Core, request: FileChangeRequest) {
        let concerns = |path: &str| {
            let is_of = |step: &FileStep| **step.path() == *path;
            // A file that is created cannot have edits yet.
            let is_new = |step: &FileStep| matches!(step, FileStep::Create { .. });
            request.steps.iter().any(|step| is_of(step) && !is_new(step))
        };
        if let Some(item) = core.library.unsaved_among(concerns) {
            let name = item.file_name();
            let text = format!(
                "{name} has unsaved edits, so no file was changed. Save or revert it first."
            );
            return core.refuse(Severity::Warning, text);
        }
        core.request(Effect::run(request));
    }

    /// Reports the result of changing files, and keeps its undo.
    pub(super) fn on_files_changed(
        &mut self,
        core: &mut Core,
        request: FileChangeRequest,
        outcome: FilesChanged,
    ) {
        let is_undo = request.message.starts_with(UNDO_PREFIX);
        match &outcome.fault {
            None if is_undo => core.notify(Severity::Note, format!("{}.", request.message)),
            None => core.notify_undoable(Severity::Note, format!("{}.", request.message)),
            Some(fault) => {
                let text = format!(
                    "{} of {} steps were done, then an error occurred. {fault}.",
                    outcome.done.len(),
                    request.steps.len()
                );
                core.notify(Severity::Error, text);
            }
        }
        let inverse = FileChangeRequest {
            steps: outcome.undo(),
            message: format!("{UNDO_PREFIX} the file changes"),
            ..request
        };
        // Changes of files have no redo.
        let can_be_undone = !is_undo && !inverse.steps.is_empty();
        self.undo = can_be_undone.then_some((inverse, core.journal.revision));
    }
}

/// The beginning of the message after undo.
const UNDO_PREFIX: &str = "Undid";
