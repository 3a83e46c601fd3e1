//! Makes drafts from an incident, and handles the decisions about them.

use std::path::PathBuf;
use std::sync::Arc;

use super::desk::{ImportState, is_new};
use super::{
    ImportAction, ImportDesk, ImportEvent, IncidentSource, LoadedIncident, ReadIncident, RunFilter,
};
use crate::format::{self, FileKind, Severity};
use crate::ops::import::{ImportKind, detect_kind};
use crate::ops::playback::failure_log::FailureLog;
use crate::text::Source;
use crate::workbench::action::Action;
use crate::workbench::core::dialog::DialogKind;
use crate::workbench::core::effect::Effect;
use crate::workbench::core::library::DocId;
use crate::workbench::core::navigation::StepDirection;
use crate::workbench::core::navigation::{Desk, DeskView};
use crate::workbench::desks::playback::{PlaybackAction, RequestsSource};
use crate::workbench::state::Workbench;

/// The longest text that is examined to detect what was pasted; a longer text is read as an incident.
const MAX_EXAMINED: usize = 1 << 20;

impl Workbench {
    /// Handles an action of the import.
    pub(in crate::workbench) fn act_on_import(&mut self, action: ImportAction) {
        let import = &mut self.import;
        import.revision += 1;
        match action {
            ImportAction::Read(from) => self.read_incident(from),
            ImportAction::Drop(paths) => self.import_dropped(paths),
            ImportAction::Paste(text) => self.import_pasted(text),
            ImportAction::PickFiles => {
                let title = "Choose the files of the incident";
                let read = |files| ImportAction::Read(IncidentSource::Files(files));
                self.core
                    .request(Effect::pick_many(title, DialogKind::Files, read));
            }
            ImportAction::Filter(filter) => self.filter_runs(filter),
            ImportAction::Select(draft) => {
                import.selected = draft.min(import.included.len().saturating_sub(1));
            }
            ImportAction::Toggle(draft) => self.toggle_draft(draft),
            ImportAction::ToggleAll => {
                let is_all = (0..import.included.len())
                    .all(|at| import.included[at] || !is_new(&import.incident, at));
                import.included = (0..import.included.len())
                    .map(|at| !is_all && is_new(&import.incident, at))
                    .collect();
            }
            ImportAction::Decide(which, choice) => {
                let secrets = import.secrets.iter_mut().enumerate();
                let meant = secrets.filter(|(at, _)| which.is_none_or(|which| which == *at));
                meant.for_each(|(_, secret)| secret.choice = choice);
                import.decisions_revision += 1;
            }
            ImportAction::ShowSide(side) => import.side = side,
            ImportAction::ShowSaving => self.propose_saving_sessions(),
            ImportAction::SaveTo(to) => {
                import.to = to;
                self.plan_sessions();
            }
            ImportAction::PickFolder => {
                let title = "Choose the folder to save sessions in";
                let save = ImportAction::SaveToFolder;
                self.core
                    .request(Effect::pick(title, DialogKind::Folder, save));
            }
            ImportAction::SaveToFolder(path) => {
                let root = self
                    .core
                    .project
                    .as_ref()
                    .map_or("", |project| &project.root);
                let below = path.strip_prefix(root).unwrap_or(&path);
                import.to.folder = below.to_string_lossy().replace('\\', "/");
                self.plan_sessions();
            }
            ImportAction::ToggleReplace(file) => {
                if let Some(replaced) = import.replaced.get_mut(file) {
                    *replaced = !*replaced;
                }
            }
            ImportAction::Save => self.save_sessions(),
            ImportAction::PlayLog => {
                if let Some(text) = import.log.clone() {
                    let name = import.incident.name.as_str().into();
                    self.playback
                        .act(&mut self.core, PlaybackAction::ReadLog { name, text });
                }
            }
            ImportAction::Show => self.core.go(Desk::Sessions, DeskView::Import),
            ImportAction::Fetch(action) => self.act_on_fetch(action),
        }
    }

    pub(super) fn read_incident(&mut self, from: IncidentSource) {
        self.begin_import(from);
        self.core.go(Desk::Sessions, DeskView::Import);
        let effect = self.cancel_fetch();
        self.core.request(effect);
        self.reread_incident();
    }

    /// Forgets the previous import, except for the target folder and its undo.
    pub(super) fn begin_import(&mut self, from: IncidentSource) {
        let import = &mut self.import;
        *import = ImportDesk {
            number: import.number,
            plan_number: import.plan_number,
            decisions_revision: import.decisions_revision + 1,
            revision: import.revision,
            fetch: std::mem::take(&mut import.fetch),
            undo: import.undo.take(),
            to: std::mem::take(&mut import.to),
            source: Some(from),
            ..ImportDesk::default()
        };
    }

    fn filter_runs(&mut self, filter: RunFilter) {
        let is_understood = filter.is_understood();
        self.import.filter = filter;
        if is_understood {
            self.reread_incident();
        }
    }

    /// Imports or opens dropped paths, depending on their content. Opens them if no project is open, and always opens folders.
    fn import_dropped(&mut self, paths: Vec<PathBuf>) {
        if self.core.project.is_none() {
            return self.act(Action::Open(paths));
        }
        if self.core.here().desk == Desk::Sessions {
            return self.read_incident(IncidentSource::Files(paths));
        }
        let ending = |path: &PathBuf| {
            let ending = path.extension()?.to_str()?;
            Some(ending.to_ascii_lowercase())
        };
        match &paths[..] {
            [log] if matches!(ending(log).as_deref(), Some("log" | "txt")) => {
                self.playback
                    .act(&mut self.core, PlaybackAction::PlayPath(log.clone()));
            }
            _ => {
                // If it is not an incident, the previous import is kept.
                self.import.number += 1;
                self.import.dropped = Some(paths.clone());
                self.core
                    .request(self.read_effect(IncidentSource::Dropped(paths)));
            }
        }
    }

    /// Imports pasted text. The playback and tapes desks handle pasted text themselves, and the log of a failed playback
    /// is played.
    fn import_pasted(&mut self, text: String) {
        let desk = self.core.here().desk;
        let is_wanted = desk == Desk::Sessions && self.core.project.is_some();
        let has_its_own = matches!(desk, Desk::Playback | Desk::Tapes);
        if !is_wanted && (has_its_own || FailureLog::looks_like_log(&text)) {
            return self
                .playback
                .act(&mut self.core, PlaybackAction::Paste(text));
        }
        if is_wanted || self.core.project.is_some() && is_incident(&text) {
            self.read_incident(IncidentSource::Text(text.into()));
        }
    }

    /// Whether something is selected that a session can be made from.
    pub(in crate::workbench) fn can_make_session(&self) -> bool {
        self.playback_log().is_some() || !self.recordings_for_session().is_empty()
    }

    /// Makes a session from the selection.
    pub(in crate::workbench) fn make_session(&mut self) {
        match self.playback_log() {
            Some(from) => self.read_incident(from),
            None => self.read_incident(IncidentSource::Recordings(self.recordings_for_session())),
        }
    }

    /// The failure log on the playback desk.
    fn playback_log(&self) -> Option<IncidentSource> {
        let desk = &self.playback;
        let is_shown = self.core.here().desk == Desk::Playback && desk.refusal.is_none();
        match self.playback.requests.as_ref().filter(|_| is_shown)? {
            RequestsSource::Log { text, .. } => Some(IncidentSource::Text(Arc::clone(text))),
            RequestsSource::Path(path) => {
                let is_log = self.playback.played()?.input.log.is_some();
                is_log.then(|| IncidentSource::Files(vec![path.clone()]))
            }
            _ => None,
        }
    }

    /// The selected recording and the marked one, else all recordings of the selected one's set.
    fn recordings_for_session(&self) -> Vec<DocId> {
        let Some(selected) = self.subject() else {
            return Vec::new();
        };
        let is_recording = |doc: &DocId| {
            let item = self.core.library.get(*doc);
            item.is_some_and(|item| item.kind == FileKind::Recording)
        };
        let pair = [Some(selected), self.core.list.marked];
        let mut chosen: Vec<DocId> = pair.into_iter().flatten().filter(is_recording).collect();
        chosen.dedup();
        let Some(item) = self
            .core
            .library
            .get(selected)
            .filter(|_| chosen.len() == 1)
        else {
            return chosen;
        };
        let set = self
            .core
            .library
            .iter()
            .filter(|(doc, other)| is_recording(doc) && other.folder() == item.folder());
        set.map(|(doc, _)| doc).collect()
    }

    /// Reads the incident again. Its current drafts are shown until the new ones are ready.
    pub(super) fn reread_incident(&mut self) {
        let Some(from) = self.import.source.clone() else {
            return;
        };
        self.import.number += 1;
        if !matches!(self.import.state, ImportState::Ready) {
            self.import.state = ImportState::Reading;
        }
        self.core.request(self.read_effect(from));
    }

    fn read_effect(&self, from: IncidentSource) -> Effect {
        Effect::run(ReadIncident {
            number: self.import.number,
            source: from,
            filter: self.import.filter.clone(),
            items: self.core.library.items.clone(),
            texts: self.core.library.edited_texts(&[
                FileKind::Session,
                FileKind::Config,
                FileKind::Recording,
            ]),
        })
    }

    pub(in crate::workbench) fn toggle_draft(&mut self, draft: usize) {
        let import = &mut self.import;
        import.revision += 1;
        let fault = import.incident.drafts.get(draft).and_then(|it| it.fault());
        match (fault, import.included.get_mut(draft)) {
            (Some(fault), _) => self.core.notify(Severity::Warning, format!("{fault}.")),
            (None, Some(taken)) => *taken = !*taken,
            (None, None) => {}
        }
    }

    /// Selects another draft.
    pub(in crate::workbench) fn step_draft(&mut self, step: StepDirection, by: usize) {
        let import = &mut self.import;
        let last = import.included.len().saturating_sub(1);
        import.revision += 1;
        import.selected = match step {
            StepDirection::Next => import.selected.saturating_add(by).min(last),
            StepDirection::Previous => import.selected.saturating_sub(by),
        };
    }

    /// Handles an event of the import.
    pub(in crate::workbench) fn on_import_event(&mut self, event: ImportEvent) {
        match event {
            ImportEvent::Read(number, found) if number == self.import.number => {
                if let Some(paths) = self.import.dropped.take() {
                    self.begin_import(IncidentSource::Files(paths));
                    self.core.go(Desk::Sessions, DeskView::Import);
                    let effect = self.cancel_fetch();
                    self.core.request(effect);
                    self.on_incident_read(found);
                    return;
                }
                self.on_incident_read(found);
            }
            ImportEvent::NotAnIncident(number, paths) if number == self.import.number => {
                self.import.dropped = None;
                self.act(Action::Open(paths));
            }
            ImportEvent::Planned(number, plan) if number == self.import.plan_number => {
                let import = &mut self.import;
                (import.plan, import.plan_error) = match plan {
                    Ok(plan) => (Some(plan), None),
                    Err(reason) => (None, Some(reason.into())),
                };
                let files = import.plan.as_ref().map_or(0, |plan| plan.files.len());
                import.replaced = vec![false; files];
                import.revision += 1;
            }
            ImportEvent::Previewed(key, preview) if self.import.requested_preview == Some(key) => {
                self.import.preview = Some(preview);
                self.import.revision += 1;
            }
            ImportEvent::Read(..)
            | ImportEvent::Previewed(..)
            | ImportEvent::NotAnIncident(..)
            | ImportEvent::Planned(..) => {}
            ImportEvent::FilesWritten(order, taken) => self.on_files_written(order, taken),
            ImportEvent::Fetch(event) => self.on_fetch_event(event),
        }
    }

    fn on_incident_read(&mut self, found: Result<LoadedIncident, String>) {
        match found {
            Ok(found) => self.import.show(found),
            Err(reason) => {
                self.import.state = ImportState::Failed(reason.into());
                self.import.revision += 1;
            }
        }
    }
}

/// Whether a text looks like an incident and like nothing else.
fn is_incident(text: &str) -> bool {
    if text.len() > MAX_EXAMINED {
        return true;
    }
    let document = format::read(Source::new(text), "");
    matches!(
        detect_kind(&document),
        ImportKind::Report | ImportKind::LangSmith | ImportKind::Har
    )
}
