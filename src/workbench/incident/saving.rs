//! Saving drafts: shown before it is done, done as one step, taken back as one.

use std::sync::Arc;

use super::{ImportAction, ImportEffect, PlanSessions};
use crate::format::{Kind, Severity};
use crate::ops::diff::counted;
use crate::ops::diff::text::TextDiff;
use crate::ops::import::{Choice, PATTERN};
use crate::text::Source;
use crate::workbench::action::Overlay;
use crate::workbench::event::Effect;
use crate::workbench::library::DocId;
use crate::workbench::navigation::{Desk, View};
use crate::workbench::sessions::{SessionId, SessionsAction};
use crate::workbench::state::Workbench;

/// Where sessions are saved to, and under which names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveTo {
    /// The folder, from the project's root.
    pub folder: String,
    /// The names, with `{id}`, `{date}`, `{source}` and `{number}` to be filled in.
    pub pattern: String,
    /// Whether the configuration lists them.
    pub listed: bool,
}

impl Default for SaveTo {
    fn default() -> Self {
        Self {
            folder: String::new(),
            pattern: PATTERN.to_owned(),
            listed: false,
        }
    }
}

/// What saving would do.
#[derive(Clone, Debug)]
pub struct SessionPlan {
    /// File by file, in the order of the drafts.
    pub files: Vec<PlannedFile>,
    /// What becomes of the configuration.
    pub config: Option<ListsInConfig>,
}

/// A file that a draft becomes.
#[derive(Clone, Debug)]
pub struct PlannedFile {
    /// From the project's root.
    pub path: String,
    /// What it will hold.
    pub text: Source,
    /// What is there now.
    pub there: FileThere,
}

/// What is there where a file is to be written.
#[derive(Clone, Debug)]
pub enum FileThere {
    /// Nothing.
    Nothing,
    /// This very text.
    Same,
    /// Another text.
    Other(Arc<[u8]>, Arc<TextDiff>),
    /// Nothing, but another draft goes there.
    Twice,
}

/// What becomes of the configuration.
#[derive(Clone, Debug)]
pub struct ListsInConfig {
    /// From the project's root.
    pub path: String,
    /// As it is.
    pub before: Source,
    /// As it will be.
    pub after: Source,
    /// What that changes.
    pub diff: Arc<TextDiff>,
}

/// Something done to one file, by its path from the project's root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionStep {
    /// It is written.
    Write {
        /// The file.
        path: Arc<str>,
        /// All of it.
        bytes: Arc<[u8]>,
        /// What has to be there; `None`: nothing.
        before: Option<Arc<[u8]>>,
    },
    /// It goes to the trash, if it still holds this.
    Trash {
        /// The file.
        path: Arc<str>,
        /// What has to be there.
        holds: Arc<[u8]>,
    },
}

/// Steps that are one deed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionSteps {
    /// In order.
    pub steps: Vec<SessionStep>,
    /// How it is told when it is done: `Saved 3 sessions`.
    pub done: String,
}

/// What became of steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepsTaken {
    /// How many were taken.
    pub done: usize,
    /// What takes them back, in order.
    pub undo: Vec<SessionStep>,
    /// Why the next one was not taken, as a sentence without a full stop.
    pub fault: Option<String>,
}

/// How it is told that something was taken back.
const TOOK_BACK: &str = "Took back what was saved of the import";

impl Workbench {
    /// Puts a word in place of every secret.
    pub(in crate::workbench) fn redact_all(&mut self) -> Vec<Effect> {
        self.act_on_import(ImportAction::Decide(None, Choice::Redact))
    }

    /// Shows what saving would do; again: does it.
    pub(in crate::workbench) fn ask_to_save_sessions(&mut self) -> Vec<Effect> {
        if self.overlay == Some(Overlay::SaveSessions) {
            return self.save_sessions();
        }
        if let Some(reason) = self.import.hindrance() {
            self.notify(Severity::Warning, format!("Nothing is saved: {reason}."));
            let import = &mut self.import;
            let waits = |draft: &usize| import.open_secrets(*draft) > 0;
            if let Some(draft) = import.taken().iter().copied().find(waits) {
                import.selected = draft;
                import.revision += 1;
            }
            return Vec::new();
        }
        self.overlay = Some(Overlay::SaveSessions);
        if self.import.to.folder.is_empty() {
            self.import.to.folder = self.usual_folder();
        }
        self.plan_sessions()
    }

    /// Where sessions lie already, else `replays` beside the configuration.
    fn usual_folder(&self) -> String {
        let folder = |path: &str| path.rsplit_once('/').map_or("", |(it, _)| it).to_owned();
        let mut sessions = self
            .library
            .iter()
            .filter(|(_, item)| item.kind == Kind::Session);
        if let Some((_, item)) = sessions.next() {
            return folder(&item.root_path);
        }
        let config = self.import.config.and_then(|doc| self.library.get(doc));
        match config.map(|item| folder(&item.root_path)) {
            Some(folder) if !folder.is_empty() => format!("{folder}/replays"),
            _ => "replays".to_owned(),
        }
    }

    pub(super) fn plan_sessions(&mut self) -> Vec<Effect> {
        let import = &mut self.import;
        import.planning += 1;
        import.refused = None;
        let config = import.config.filter(|_| import.to.listed);
        let is_edited = |doc: &DocId| {
            let copy = self.library.copy(*doc);
            copy.is_some_and(|copy| copy.is_unsaved())
        };
        if config.as_ref().is_some_and(is_edited) {
            import.plan = None;
            let words = "The configuration holds edits that are not saved; save or revert it first";
            import.refused = Some(words.into());
            return Vec::new();
        }
        vec![Effect::Import(ImportEffect::Plan(Box::new(PlanSessions {
            number: import.planning,
            incident: Arc::clone(&import.incident),
            secrets: import.secrets.clone(),
            drafts: import.taken(),
            to: import.to.clone(),
            config,
            items: self.library.items().clone(),
        })))]
    }

    /// Has the plan carried out that is shown.
    pub(super) fn save_sessions(&mut self) -> Vec<Effect> {
        let Some(plan) = self.import.plan.clone() else {
            return Vec::new();
        };
        let mut steps = Vec::new();
        for (at, file) in plan.files.iter().enumerate() {
            let before = match &file.there {
                FileThere::Nothing => None,
                FileThere::Other(bytes, _) if self.import.replaces(at) => Some(Arc::clone(bytes)),
                FileThere::Same | FileThere::Other(..) | FileThere::Twice => continue,
            };
            steps.push(write(&file.path, &file.text, before));
        }
        let sessions = steps.len();
        if let Some(config) = &plan.config {
            let before = config.before.text().as_bytes().into();
            steps.push(write(&config.path, &config.after, Some(before)));
        }
        if steps.is_empty() {
            self.notify(Severity::Note, "There is nothing to save.");
            return Vec::new();
        }
        self.overlay = None;
        self.import.plan = None;
        let done = format!("Saved {}", counted(sessions, "session", "sessions"));
        let order = SessionSteps { steps, done };
        vec![Effect::Import(ImportEffect::Take(order))]
    }

    pub(super) fn steps_taken(&mut self, order: SessionSteps, taken: StepsTaken) {
        let is_undo = order.done == TOOK_BACK;
        match &taken.fault {
            None => self.notify(Severity::Note, format!("{}.", order.done)),
            Some(fault) => {
                let (done, all) = (taken.done, order.steps.len());
                let text = format!("{done} of {all} files were written, then one failed. {fault}.");
                self.notify(Severity::Error, text);
            }
        }
        self.import.wanted = order.steps[..taken.done]
            .iter()
            .find_map(|step| match step {
                SessionStep::Write { path, .. } if !is_undo => Some(Arc::clone(path)),
                _ => None,
            });
        let back = SessionSteps {
            steps: taken.undo,
            done: TOOK_BACK.to_owned(),
        };
        let can_be_undone = !is_undo && !back.steps.is_empty();
        self.import.undo = can_be_undone.then(|| (back, self.journal.revision()));
    }

    /// Shows the first session that was saved, once it is there.
    pub(in crate::workbench) fn show_saved(&mut self) -> Vec<Effect> {
        let Some(path) = self.import.wanted.clone() else {
            return Vec::new();
        };
        let mut items = self.library.iter();
        let found = items.find(|(_, item)| item.root_path == path);
        let Some(doc) = found.map(|(doc, _)| doc) else {
            return Vec::new();
        };
        drop(items);
        self.import.wanted = None;
        let mut effects = self.go(Desk::Sessions, View::List);
        let select = SessionsAction::Select(SessionId::file(doc));
        effects.extend(self.act_on_sessions(select));
        effects
    }

    /// Whether the last thing that was done is saving drafts.
    pub(in crate::workbench) fn can_undo_import(&self) -> bool {
        let undo = self.import.undo.as_ref();
        undo.is_some_and(|(_, revision)| *revision == self.journal.revision())
    }

    /// Has what was saved taken back.
    pub(in crate::workbench) fn undo_import(&mut self) -> Vec<Effect> {
        match self.import.undo.take() {
            Some((order, _)) => vec![Effect::Import(ImportEffect::Take(order))],
            None => Vec::new(),
        }
    }
}

fn write(path: &str, text: &Source, before: Option<Arc<[u8]>>) -> SessionStep {
    SessionStep::Write {
        path: path.into(),
        bytes: text.text().as_bytes().into(),
        before,
    }
}
