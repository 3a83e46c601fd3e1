//! Makes drafts from an incident, and handles the decisions about them.

use std::path::PathBuf;
use std::sync::Arc;

use super::{ImportAction, ImportDesk, ImportState, is_new};
use crate::{Core, DeskView, DialogKind, Effect, Leaving, Link};
use author::import::{
    DraftSecret, ImportKind, RunFilter, SecretChoice, detect_kind, is_refused, refusal,
};
use document::text::Source;
use document::{FileKind, Severity};
use play::triage::{describe_unread_text, looks_like_run};
use protocol::{Desk, ImportEvent, IncidentSource, ReadIncident};

/// The longest text that is examined to detect what was pasted; a longer text is read as an incident.
const MAX_EXAMINED_BYTES: usize = 1 << 20;

impl ImportDesk {
    pub(crate) fn act(&mut self, core: &mut Core, action: ImportAction) {
        self.revision += 1;
        self.writes_when_planned = false;
        match action {
            ImportAction::Read(source) => self.read_incident(core, source),
            ImportAction::Drop(paths) => Self::on_drop(core, paths),
            ImportAction::DropOther(paths) => self.import_dropped(core, paths),
            ImportAction::Paste(text) => self.import_pasted(core, text),
            ImportAction::UseText => {
                self.as_text = true;
                self.reread_incident(core);
            }
            ImportAction::PickFiles => {
                let title = "Choose the files of the incident";
                let read_files = |files| ImportAction::Read(IncidentSource::Files(files));
                core.request(Effect::pick_many(title, DialogKind::Files, read_files));
            }
            ImportAction::Filter(filter) => self.filter_runs(core, filter),
            ImportAction::Select(draft) => {
                self.selected = draft.min(self.included.len().saturating_sub(1));
            }
            ImportAction::Toggle(draft) => self.toggle_draft(core, draft),
            ImportAction::ToggleAll => {
                let is_all = (0..self.included.len())
                    .all(|index| self.included[index] || !is_new(&self.incident, index));
                self.included = (0..self.included.len())
                    .map(|index| !is_all && is_new(&self.incident, index))
                    .collect();
            }
            ImportAction::Names(names) => {
                self.names = names;
                self.decisions_revision += 1;
                self.reread_incident(core);
            }
            ImportAction::EditFixture(form) => self.edit_fixture(core, form),
            ImportAction::ChooseCall(call) if self.makes_fixture() => {
                self.choose_fixture_call(call);
            }
            ImportAction::ChooseCall(call) => {
                let draft = self.selected;
                let last = Some(call).filter(|last| self.incident.last_call(draft) != Some(*last));
                Arc::make_mut(&mut self.incident).keep_calls_to(draft, last);
                self.decisions_revision += 1;
            }
            ImportAction::Decide(slot, choice) => {
                let secrets = self.shown_secrets().iter().enumerate();
                // What is decided for all leaves the decisions on single values.
                let targets = secrets.filter(|(index, secret)| match slot {
                    Some(slot) => slot == *index,
                    None => secret.choice == SecretChoice::Open,
                });
                let targets: Vec<DraftSecret> = targets.map(|(_, secret)| secret.clone()).collect();
                // A value has one decision, whatever is made.
                for secret in self.secrets.iter_mut().chain(&mut self.fixture_secrets) {
                    if targets.iter().any(|target| target.is_same(secret)) {
                        secret.choice = choice;
                    }
                }
                self.decisions_revision += 1;
            }
            ImportAction::ShowSide(side) => self.side = side,
            ImportAction::ShowSaving => self.propose_saving_sessions(core),
            ImportAction::SaveTo(destination) => {
                self.to = destination;
                self.plan_sessions(core);
            }
            ImportAction::PickFolder => {
                let title = "Choose the folder to save sessions in";
                core.request(Effect::pick(title, DialogKind::Folder, ImportAction::SaveToFolder));
            }
            ImportAction::SaveToFolder(path) => {
                let root = core.project.as_ref().map_or("", |project| &project.root);
                let folder = path.strip_prefix(root).unwrap_or(&path);
                self.to.folder = folder.to_string_lossy().replace('\\', "/");
                self.plan_sessions(core);
            }
            ImportAction::ToggleReplace(file) => {
                if let Some(is_replaced) = self.replaced.get_mut(file) {
                    *is_replaced = !*is_replaced;
                }
            }
            ImportAction::Save => self.save_sessions(core),
            ImportAction::PlayLog => {
                if let Some(text) = self.log.clone() {
                    let name = self.incident.name.as_str().into();
                    core.link(Link::PlayLog { name, text });
                }
            }
            ImportAction::Show => core.go(Desk::Sessions, DeskView::Import),
            ImportAction::Fetch(action) => self.act_on_fetch(core, action),
        }
    }

    pub(crate) fn read_incident(&mut self, core: &mut Core, source: IncidentSource) {
        self.begin_import(source);
        core.go(Desk::Sessions, DeskView::Import);
        self.cancel_fetch(core);
        self.reread_incident(core);
    }

    /// Forgets the previous import, except for the target folder and its undo.
    pub(super) fn begin_import(&mut self, source: IncidentSource) {
        *self = Self {
            number: self.number,
            plan_number: self.plan_number,
            // Not reset: previews of the previous import must not fit this one.
            decisions_revision: self.decisions_revision + 1,
            revision: self.revision,
            fetch: std::mem::take(&mut self.fetch),
            inverse: self.inverse.take(),
            to: std::mem::take(&mut self.to),
            names: std::mem::take(&mut self.names),
            source: Some(source),
            ..Self::default()
        };
    }

    fn filter_runs(&mut self, core: &mut Core, filter: RunFilter) {
        let is_understood = filter.is_understood();
        self.filter = filter;
        // A field that is half typed is not a filter yet.
        if is_understood {
            self.reread_incident(core);
        }
    }

    /// Reads dropped paths as the logs of a run if their names are those of logs or folders; imports or opens others.
    fn on_drop(core: &mut Core, paths: Vec<PathBuf>) {
        let is_open = core.project.is_some();
        let is_import = is_open && core.here().desk == Desk::Sessions;
        let may_be_run = |path: &PathBuf| match path.extension() {
            // A path without an ending is usually a folder. Without a project, a folder is opened.
            None => is_open,
            // A log of requests is compared with the recordings that are open; other lines of JSON are imported.
            Some(extension) if extension.eq_ignore_ascii_case("jsonl") => is_open,
            Some(extension) => {
                let extension = extension.to_string_lossy().to_lowercase();
                ["log", "out", "txt", "xml", "html"].contains(&&*extension)
            }
        };
        if is_open
            && core.here().desk == Desk::Audit
            && paths.iter().all(|p| p.extension().is_some())
        {
            return core.link(Link::ReadAuditLogs(paths));
        }
        core.link(if !is_import && paths.iter().all(may_be_run) {
            Link::ReadDropped(paths)
        } else {
            Link::DropOther(paths)
        });
    }

    /// Imports or opens dropped paths, depending on their content. Opens them if no project is open, and always opens folders.
    fn import_dropped(&mut self, core: &mut Core, paths: Vec<PathBuf>) {
        if core.project.is_none() {
            return core.leave(Leaving::Open(paths));
        }
        if core.here().desk == Desk::Sessions {
            return self.read_incident(core, IncidentSource::Files(paths));
        }
        let extension = |path: &PathBuf| Some(path.extension()?.to_str()?.to_ascii_lowercase());
        match &paths[..] {
            [log] if matches!(extension(log).as_deref(), Some("log" | "txt")) => {
                core.link(Link::PlayPath(log.clone()));
            }
            _ => {
                // The previous import is kept until the dropped files are known to be an incident.
                self.number += 1;
                self.dropped = Some(paths.clone());
                core.request(self.read_effect(core, IncidentSource::Dropped(paths)));
            }
        }
    }

    /// Imports pasted text. The playback and tapes desks handle pasted text themselves unless it is a run of an agent, and the log of a
    /// failed playback is played.
    fn import_pasted(&mut self, core: &mut Core, text: String) {
        let desk = core.here().desk;
        let is_wanted = desk == Desk::Sessions && core.project.is_some();
        let has_its_own = matches!(desk, Desk::Playback | Desk::Tapes);
        let is_run = looks_like_run(&text);
        let has_project = core.project.is_some();
        let is_agent_run = || {
            let kind = detect_kind(&document::read(Source::new(text.as_str()), ""));
            matches!(kind, ImportKind::AgentRun | ImportKind::LangSmith)
        };
        let is_left = || !has_project || text.len() > MAX_EXAMINED_BYTES || !is_agent_run();
        if !is_wanted && (is_run || has_its_own && is_left()) {
            return core.link(Link::Paste(text));
        }
        if text.trim().is_empty() {
            return;
        }
        if is_wanted || has_project && text.len() > MAX_EXAMINED_BYTES {
            return self.read_incident(core, IncidentSource::Text(text.into()));
        }
        let document = document::read(Source::new(text.as_str()), "");
        let reason = match detect_kind(&document) {
            ImportKind::Text => format!("{}.", refusal("", &document)),
            ImportKind::Recording | ImportKind::Session => describe_unread_text(&text),
            _ if has_project => {
                return self.read_incident(core, IncidentSource::Text(text.into()));
            }
            _ => "Open the folder for its sessions first.".to_owned(),
        };
        core.refuse(Severity::Warning, format!("The pasted text is not used. {reason}"));
    }

    /// Reads the incident again. Its current drafts are shown until the new ones are ready.
    pub(super) fn reread_incident(&mut self, core: &mut Core) {
        let Some(source) = self.source.clone() else { return };
        self.number += 1;
        if !matches!(self.state, ImportState::Ready) {
            self.state = ImportState::Reading;
        }
        core.request(self.read_effect(core, source));
    }

    fn read_effect(&self, core: &Core, source: IncidentSource) -> Effect {
        Effect::run(ReadIncident {
            number: self.number,
            source,
            filter: self.filter.clone(),
            as_text: self.as_text,
            names: self.name_list(),
            items: core.library.items.clone(),
            texts: core.library.edited_texts(&[
                FileKind::Session,
                FileKind::Config,
                FileKind::Recording,
            ]),
        })
    }

    fn toggle_draft(&mut self, core: &mut Core, draft: usize) {
        let fault = self.incident.drafts.get(draft).and_then(|d| d.fault());
        match (fault, self.included.get_mut(draft)) {
            (Some(fault), _) => core.refuse(Severity::Warning, format!("{fault}.")),
            (None, Some(is_included)) => *is_included = !*is_included,
            (None, None) => {}
        }
    }

    pub(crate) fn receive(&mut self, core: &mut Core, event: ImportEvent) {
        match event {
            ImportEvent::Read(number, result) if number == self.number => {
                if let Some(paths) = self.dropped.take() {
                    self.begin_import(IncidentSource::Files(paths));
                    core.go(Desk::Sessions, DeskView::Import);
                    self.cancel_fetch(core);
                }
                match result {
                    Ok(incident) => self.show(core, incident),
                    Err(reason) => {
                        self.is_plain_text = match &self.source {
                            Some(IncidentSource::Text(text))
                                if text.len() <= MAX_EXAMINED_BYTES =>
                            {
                                is_refused(&document::read(Source::new(&**text), ""))
                            }
                            _ => false,
                        };
                        self.state = ImportState::Failed(reason.into());
                    }
                }
                self.revision += 1;
            }
            ImportEvent::NotAnIncident(number, paths) if number == self.number => {
                self.dropped = None;
                core.leave(Leaving::Open(paths));
            }
            ImportEvent::Planned(number, plan) if number == self.plan_number => {
                (self.plan, self.plan_error) = match plan {
                    Ok(plan) => (Some(plan), None),
                    Err(reason) => (None, Some(reason.into())),
                };
                let files = self.plan.as_ref().map_or(0, |plan| plan.files.len());
                // Consent to replace a file holds for one plan only.
                self.replaced = vec![false; files];
                self.revision += 1;
            }
            ImportEvent::Previewed(key, preview) => {
                if self.preview.receive(&key, preview.clone()) {
                    self.revision += 1;
                    if let (Ok(preview), true) = (preview, self.makes_fixture()) {
                        self.take_fixture(&preview);
                        if std::mem::take(&mut self.writes_when_planned) {
                            self.write_fixture(core);
                        }
                    }
                }
            }
            // Answers that come too late.
            ImportEvent::Read(..) | ImportEvent::NotAnIncident(..) | ImportEvent::Planned(..) => {}
            ImportEvent::FilesWritten(request, list) => self.on_files_written(core, request, list),
            ImportEvent::Fetch(event) => self.on_fetch_event(core, event),
        }
    }
}
