//! Saves drafts: planned first, written as one step, and undone as one step.

use std::sync::Arc;

use super::{ImportDesk, PlanSessions};
use crate::format::{FileKind, Severity};
use crate::ops::diff::text::TextDiff;
use crate::ops::files::{FileStep, FilesChanged};
use crate::ops::import::PATTERN;
use crate::text::{Source, counted};
use crate::workbench::core::effect::Effect;
use crate::workbench::core::library::DocId;
use crate::workbench::core::link::Link;
use crate::workbench::core::navigation::{Desk, DeskView};
use crate::workbench::core::state::Core;
use crate::workbench::core::view::Overlay;

/// The folder and the file names for saved sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionsTarget {
    /// The folder, from the project root.
    pub folder: String,
    /// The pattern of names, with `{id}`, `{date}`, `{source}` and `{number}`.
    pub pattern: String,
    /// Whether the sessions are added to the configuration.
    pub listed: bool,
}

impl Default for SessionsTarget {
    fn default() -> Self {
        Self { folder: String::new(), pattern: PATTERN.to_owned(), listed: false }
    }
}

/// The plan of saving drafts.
#[derive(Clone, Debug)]
pub struct SessionPlan {
    /// The files, in the order of the drafts.
    pub files: Vec<PlannedFile>,
    /// The change of the configuration.
    pub config: Option<ConfigChange>,
}

/// A file made from a draft.
#[derive(Clone, Debug)]
pub struct PlannedFile {
    /// From the project root.
    pub path: String,
    /// The content to write.
    pub text: Source,
    pub existing: ExistingFile,
}

/// What exists at the path of a planned file.
#[derive(Clone, Debug)]
pub enum ExistingFile {
    Nothing,
    /// A file with the same text.
    Same,
    /// A file with another text.
    Other(Arc<[u8]>, Arc<TextDiff>),
    /// No file, but another draft has the same path.
    DuplicateName,
}

/// The change of the configuration.
#[derive(Clone, Debug)]
pub struct ConfigChange {
    /// From the project root.
    pub path: String,
    /// The current text.
    pub before: Source,
    /// The new text.
    pub after: Source,
    pub diff: Arc<TextDiff>,
}

/// Steps that are done and undone together. Paths are from the project root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionSteps {
    /// In order.
    pub steps: Vec<FileStep>,
    /// The message after they are done: `Saved 3 sessions`.
    pub message: String,
    /// Whether they undo such steps.
    pub is_undo: bool,
}

/// The message after undo.
const UNDONE: &str = "Undid saving the import";

impl ImportDesk {
    /// Shows the plan of saving; if it is shown already, saves.
    pub(in crate::workbench) fn propose_saving_sessions(&mut self, core: &mut Core) {
        if core.overlay == Some(Overlay::SaveSessions) {
            return self.save_sessions(core);
        }
        if let Some(reason) = self.blocked_reason() {
            core.refuse(Severity::Warning, format!("Cannot save: {reason}."));
            let waits = |draft: &usize| self.undecided_secrets(*draft) > 0;
            if let Some(draft) = self.included().iter().copied().find(waits) {
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
        let folder = |path: &str| path.rsplit_once('/').map_or("", |(it, _)| it).to_owned();
        let mut sessions = core.library.iter().filter(|(_, item)| item.kind == FileKind::Session);
        if let Some((_, item)) = sessions.next() {
            return folder(&item.root_path);
        }
        let config = self.config.and_then(|doc| core.library.get(doc));
        match config.map(|item| folder(&item.root_path)) {
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
        for (at, file) in plan.files.iter().enumerate() {
            let before = match &file.existing {
                ExistingFile::Nothing => None,
                ExistingFile::Other(bytes, _) if self.replaces(at) => Some(Arc::clone(bytes)),
                ExistingFile::Same | ExistingFile::Other(..) | ExistingFile::DuplicateName => {
                    continue;
                }
            };
            steps.push(write(&file.path, &file.text, before));
        }
        let sessions = steps.len();
        if let Some(config) = &plan.config {
            let before = config.before.text().as_bytes().into();
            steps.push(write(&config.path, &config.after, Some(before)));
        }
        if steps.is_empty() {
            core.notify(Severity::Note, "Nothing to save.");
            return;
        }
        core.overlay = None;
        self.plan = None;
        let done = format!("Saved {}", counted(sessions, "session", "sessions"));
        let order = SessionSteps { steps, message: done, is_undo: false };
        core.request(Effect::run(order));
    }

    pub(super) fn on_files_written(
        &mut self,
        core: &mut Core,
        order: SessionSteps,
        taken: FilesChanged,
    ) {
        let is_undo = order.is_undo;
        match &taken.fault {
            None if is_undo => core.notify(Severity::Note, format!("{UNDONE}.")),
            None => core.notify_undoable(Severity::Note, format!("{}.", order.message)),
            Some(fault) => {
                let (done, all) = (taken.done.len(), order.steps.len());
                let text =
                    format!("{done} of {all} files were written, then an error occurred. {fault}.");
                core.notify(Severity::Error, text);
            }
        }
        let first = taken.done.first().filter(|_| !is_undo);
        self.path_to_show = first.map(|step| Arc::clone(step.path()));
        let back = SessionSteps { steps: taken.undo(), message: order.message, is_undo: !is_undo };
        let can_be_reversed = !back.steps.is_empty();
        self.inverse = can_be_reversed.then_some((back, core.journal.revision));
    }

    /// Shows the first saved session as soon as it is loaded.
    pub(super) fn show_saved(&mut self, core: &mut Core) {
        let Some(path) = self.path_to_show.clone() else { return };
        let mut items = core.library.iter();
        let found = items.find(|(_, item)| item.root_path == path);
        let Some(doc) = found.map(|(doc, _)| doc) else { return };
        drop(items);
        self.path_to_show = None;
        core.go(Desk::Sessions, DeskView::List);
        core.link(Link::SelectSession(doc));
    }

    /// Whether saving drafts was the last action.
    pub(in crate::workbench) fn can_undo(&self, core: &Core) -> bool {
        self.can_reverse(core, false)
    }

    /// Whether undoing the saving of drafts was the last action.
    pub(in crate::workbench) fn can_redo(&self, core: &Core) -> bool {
        self.can_reverse(core, true)
    }

    fn can_reverse(&self, core: &Core, is_undone: bool) -> bool {
        self.inverse.as_ref().is_some_and(|(inverse, revision)| {
            *revision == core.journal.revision && inverse.is_undo != is_undone
        })
    }

    /// Undoes the saving, or does it again.
    pub(in crate::workbench) fn reverse(&mut self, core: &mut Core) {
        if let Some((order, _)) = self.inverse.take() {
            core.request(Effect::run(order));
        }
    }
}

fn write(path: &str, text: &Source, before: Option<Arc<[u8]>>) -> FileStep {
    let (path, bytes) = (path.into(), text.text().as_bytes().into());
    match before {
        None => FileStep::Create { path, bytes },
        Some(_) => FileStep::Write { path, before, after: Some(bytes) },
    }
}
