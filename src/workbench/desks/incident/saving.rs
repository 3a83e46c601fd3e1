//! Saves drafts: planned first, written as one step, and undone as one step.

use std::sync::Arc;

use super::ImportDesk;
use crate::{Core, DeskView, Effect, Link, Overlay};
use check::settings::FILE_NAME;
use document::files::{FileStep, FilesChanged};
use document::text::{Source, counted};
use document::{FileKind, Severity};
use protocol::{Desk, DocId, ExistingFile, PlanSessions, SessionSteps};

/// The message after undo.
const UNDO_MESSAGE: &str = "Undid saving the import";

impl ImportDesk {
    /// Writes the fixture, or shows the plan of saving drafts; if it is shown already, saves.
    pub(crate) fn propose_saving_sessions(&mut self, core: &mut Core) {
        if self.makes_fixture() {
            return self.write_fixture(core);
        }
        if core.overlay == Some(Overlay::SaveSessions) {
            return self.save_sessions(core);
        }
        if let Some(reason) = self.blocked_reason() {
            core.refuse(Severity::Warning, format!("Cannot save: {reason}."));
            let is_undecided = |draft: &usize| self.undecided_secrets(*draft) > 0;
            // Selected, so that the user can decide about its secrets.
            if let Some(draft) = self.included().iter().copied().find(is_undecided) {
                self.selected = draft;
                self.revision += 1;
            }
            return;
        }
        core.overlay = Some(Overlay::SaveSessions);
        if self.to.folder.is_empty() {
            self.to.folder = self.default_folder(core);
        }
        self.plan_sessions(core);
    }

    /// The folder that already contains sessions, else `replays` beside the configuration.
    fn default_folder(&self, core: &Core) -> String {
        let folder = |path: &str| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let mut sessions = core.library.iter().filter(|(_, item)| item.kind == FileKind::Session);
        if let Some((_, item)) = sessions.next() {
            return folder(item.root_path());
        }
        let config = self.config.and_then(|doc| core.library.get(doc));
        match config.map(|item| folder(item.root_path())) {
            Some(folder) if !folder.is_empty() => format!("{folder}/replays"),
            _ => "replays".to_owned(),
        }
    }

    pub(super) fn plan_sessions(&mut self, core: &mut Core) {
        self.plan_number += 1;
        self.plan_error = None;
        let config = self.config.filter(|_| self.to.listed);
        let is_edited = |doc: &DocId| {
            let copy = core.library.copy(*doc);
            copy.is_some_and(|copy| copy.is_unsaved())
        };
        // The plan is made from the file, so writing it would lose the edits.
        if config.as_ref().is_some_and(is_edited) {
            self.plan = None;
            let words = "The configuration has unsaved edits; save or revert it first";
            self.plan_error = Some(words.into());
            return;
        }
        core.request(Effect::run(PlanSessions {
            number: self.plan_number,
            incident: Arc::clone(&self.incident),
            secrets: self.secrets.clone(),
            drafts: self.included(),
            to: self.to.clone(),
            config,
            items: core.library.items.clone(),
        }));
    }

    /// Writes the files of the plan that is shown.
    pub(super) fn save_sessions(&mut self, core: &mut Core) {
        let Some(plan) = self.plan.clone() else { return };
        let mut steps = Vec::new();
        for (index, file) in plan.files.iter().enumerate() {
            let old_bytes = match &file.existing {
                ExistingFile::Nothing => None,
                ExistingFile::Other(bytes, _) if self.replaces(index) => Some(Arc::clone(bytes)),
                // A file with another text stays unless the user has agreed to replace it.
                ExistingFile::Same | ExistingFile::Other(..) | ExistingFile::DuplicateName => {
                    continue;
                }
            };
            steps.push(write(&file.path, &file.text, old_bytes));
        }
        let sessions = steps.len();
        if let Some(config) = &plan.config {
            let old_bytes = config.before.text().as_bytes().into();
            steps.push(write(&config.path, &config.after, Some(old_bytes)));
        }
        if steps.is_empty() {
            core.notify(Severity::Note, "Nothing to save.");
            return;
        }
        core.overlay = None;
        self.plan = None;
        let message = format!("Saved {}", counted(sessions, "session", "sessions"));
        core.request(Effect::run(SessionSteps { steps, message, is_undo: false }));
    }

    pub(super) fn on_files_written(
        &mut self,
        core: &mut Core,
        request: SessionSteps,
        changes: FilesChanged,
    ) {
        let is_undo = request.is_undo;
        let changes_settings = changes_settings(&request);
        match &changes.fault {
            None if is_undo && changes_settings => {
                core.notify(Severity::Note, format!("Undid the change of {FILE_NAME}."));
            }
            None if is_undo => core.notify(Severity::Note, format!("{UNDO_MESSAGE}.")),
            None => core.notify_undoable(Severity::Note, format!("{}.", request.message)),
            Some(fault) => {
                let (count, total) = (changes.done.len(), request.steps.len());
                let text = format!(
                    "{count} of {total} files were written, then an error occurred. {fault}."
                );
                core.notify(Severity::Error, text);
            }
        }
        let first = changes.done.first().filter(|_| !is_undo && !changes_settings);
        self.path_to_show = first.map(|step| Arc::clone(step.path()));
        let inverse =
            SessionSteps { steps: changes.undo(), message: request.message, is_undo: !is_undo };
        let can_be_reversed = !inverse.steps.is_empty();
        // Undo reverts the saving only until another step is made.
        self.inverse = can_be_reversed.then_some((inverse, core.journal.revision));
    }

    /// Shows the first saved file as soon as it is loaded.
    pub(super) fn show_saved(&mut self, core: &mut Core) {
        let path = self.path_to_show.as_deref();
        let Some(doc) = path.and_then(|path| core.library.find(path)) else { return };
        self.path_to_show = None;
        if core.library.get(doc).is_none_or(|item| item.kind != FileKind::Session) {
            return core.show(doc);
        }
        core.go(Desk::Sessions, DeskView::List);
        core.link(Link::SelectSession(doc));
    }

    /// Whether saving drafts was the last action.
    pub(crate) fn can_undo(&self, core: &Core) -> bool {
        self.can_reverse(core, false)
    }

    /// Whether undoing the saving of drafts was the last action.
    pub(crate) fn can_redo(&self, core: &Core) -> bool {
        self.can_reverse(core, true)
    }

    fn can_reverse(&self, core: &Core, is_undone: bool) -> bool {
        let journal = &core.journal;
        // The project is read again with other settings, and has no edits then.
        let is_next = if is_undone { journal.next().is_none() } else { journal.last().is_none() };
        self.inverse.as_ref().is_some_and(|(inverse, revision)| {
            (*revision == journal.revision || is_next && changes_settings(inverse))
                && inverse.is_undo != is_undone
        })
    }

    /// Undoes the saving, or does it again.
    pub(crate) fn reverse(&mut self, core: &mut Core) {
        if let Some((request, _)) = self.inverse.take() {
            core.request(Effect::run(request));
        }
    }
}

fn changes_settings(request: &SessionSteps) -> bool {
    request.steps.iter().any(|step| **step.path() == *FILE_NAME)
}

fn write(path: &str, text: &Source, old_bytes: Option<Arc<[u8]>>) -> FileStep {
    let (path, bytes) = (path.into(), text.text().as_bytes().into());
    match old_bytes {
        None => FileStep::Create { path, bytes },
        Some(_) => FileStep::Write { path, before: old_bytes, after: Some(bytes) },
    }
}
