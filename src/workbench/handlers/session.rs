//! Commands for sessions, their tool responses, contracts and drafts.

use super::dispatch::{
    HandlerOrReason, action, action_after, action_if, handler_after, handler_if, require,
};
use crate::core::command::declared::by_section::Session;
use crate::{
    Action, ContractAction, DeskView, ImportAction, Overlay, Panel, RunScope, SessionsAction,
    Workbench,
};
use author::import::SecretChoice;
use author::session::SessionEdit;
use calls::Item;
use document::FileKind;
use protocol::{Desk, DocId, IncidentSource, RunSource};

impl Workbench {
    pub(super) fn session_handler(&self, command: Session) -> HandlerOrReason {
        let move_by = |offset| {
            self.needs_response()?;
            let can_move = self.sessions.can_move_response(&self.core, offset);
            handler_if(can_move, "there is no tool response to swap it with", move |bench| {
                bench.sessions.move_response(&mut bench.core, offset);
            })
        };
        let edit = |edit: fn(String) -> SessionEdit| {
            handler_after(self.needs_response(), move |bench| {
                bench.sessions.edit_response(&mut bench.core, |pointer, _| Some(edit(pointer)));
            })
        };
        let run = |scope| {
            let need = self.sessions.needs_runner(&self.core, scope);
            action_after(need, SessionsAction::Contract(ContractAction::Run(scope)))
        };
        match command {
            Session::PutFault => handler_after(self.needs_response(), |bench| {
                bench.sessions.toggle_panel(Panel::Faults);
            }),
            Session::MoveResponseUp => move_by(-1),
            Session::MoveResponseDown => move_by(1),
            Session::AddResponse => {
                let is_shown =
                    self.core.shows(Desk::Sessions) && self.sessions.session(&self.core).is_some();
                handler_if(is_shown, "no session is shown", |bench| {
                    bench.sessions.add_response(&mut bench.core);
                })
            }
            Session::EditResponse => handler_after(self.needs_response(), |bench| {
                if let Some(index) = bench.sessions.response() {
                    bench.sessions.edit_tool(index);
                }
            }),
            Session::DuplicateResponse => edit(SessionEdit::Duplicate),
            Session::DeleteResponse => edit(SessionEdit::Delete),
            Session::MakeSession => {
                // Checked at each step of the selection, so the set of a recording is not searched.
                let is_recording = |item: &Item| item.kind == FileKind::Recording;
                let can_make =
                    self.selected().is_some_and(is_recording) || self.session_source().is_some();
                handler_if(can_make, "select a recording first", |bench| {
                    if let Some(source) = bench.session_source() {
                        bench.import.read_incident(&mut bench.core, source);
                    }
                })
            }
            Session::ShowImport => {
                action_if(self.import.is_begun(), "nothing was imported yet", ImportAction::Show)
            }
            Session::ChooseFixture => {
                let is_shown = self.core.here().view == DeskView::Import;
                let has_calls = is_shown && self.import.has_calls();
                handler_if(has_calls, "no model calls are shown", |it| it.core.open_view = true)
            }
            Session::ToggleDraft => {
                let is_shown = self.core.here().view == DeskView::Import;
                let drafts = is_shown && self.import.has_drafts() && !self.import.makes_fixture();
                action_if(drafts, "no drafts are shown", ImportAction::Toggle(self.import.selected))
            }
            Session::RedactSecrets => {
                let is_shown = self.core.here().view == DeskView::Import;
                let has_any = is_shown && !self.import.shown_secrets().is_empty();
                let redact = ImportAction::Decide(None, SecretChoice::Redact);
                action_if(has_any, "no draft with a secret is shown", redact)
            }
            Session::ReplaceSecret => self.decide_secret(SecretChoice::Redact),
            Session::KeepSecret => self.decide_secret(SecretChoice::Keep),
            Session::SaveSessions => {
                let drafts = self.core.here().view == DeskView::Import && self.import.has_content();
                action_if(drafts, "nothing to write is shown", ImportAction::ShowSaving)
            }
            Session::ToggleSessionText => {
                let is_shown = self.core.shows(Desk::Sessions) && self.sessions.selected.is_some();
                handler_if(is_shown, "no session is shown", |w| w.sessions.shows_text ^= true)
            }
            Session::AddToConfig => {
                let need = self.sessions.needs_config(&self.core);
                action_after(need, SessionsAction::Contract(ContractAction::ShowListing))
            }
            Session::ChooseAnswer => {
                let need = self.sessions.shown_contract(&self.core).map(|_| ());
                action_after(need, Action::SetOverlay(Some(Overlay::ChooseAnswer)))
            }
            Session::RunSession => run(RunScope::One),
            Session::RunFolder => run(RunScope::Folder),
            Session::CopyRunCommand => {
                action(Action::Copy(self.sessions.run_command(&self.core)?.to_string()))
            }
        }
    }

    /// Decides about the first undecided secret of an import.
    fn decide_secret(&self, choice: SecretChoice) -> HandlerOrReason {
        let is_shown = self.core.here().view == DeskView::Import;
        let row = self.import.first_undecided().filter(|_| is_shown);
        action_if(row.is_some(), "no undecided value is shown", ImportAction::Decide(row, choice))
    }

    fn needs_response(&self) -> Result<(), &'static str> {
        let is_selected = self.core.shows(Desk::Sessions) && self.sessions.response().is_some();
        require(is_selected, "select a tool response first")
    }

    /// Returns the source of a session: the log on the playback desk, or the selected recordings.
    fn session_source(&self) -> Option<IncidentSource> {
        match self.playback_log() {
            Some(RunSource::Text { text, .. }) => Some(IncidentSource::Text(text)),
            Some(RunSource::Files(files) | RunSource::Dropped(files)) => {
                Some(IncidentSource::Files(files))
            }
            None => {
                let docs = self.recordings_for_session();
                (!docs.is_empty()).then_some(IncidentSource::Recordings(docs))
            }
        }
    }

    /// The selected recording and the marked one, else all recordings of the selected one's set.
    fn recordings_for_session(&self) -> Vec<DocId> {
        let Some(selected_doc) = self.subject() else { return Vec::new() };
        let is_recording = |doc: &DocId| self.core.library.kind(*doc) == Some(FileKind::Recording);
        let pair = [Some(selected_doc), self.core.list.marked];
        let mut docs: Vec<DocId> = pair.into_iter().flatten().filter(is_recording).collect();
        // The selected recording may also be the marked one.
        docs.dedup();
        let Some(item) = self.core.library.get(selected_doc).filter(|_| docs.len() == 1) else {
            return docs;
        };
        let is_in_set =
            |other: &Item| other.kind == FileKind::Recording && other.folder() == item.folder();
        self.core.library.iter().filter(|(_, other)| is_in_set(other)).map(|(doc, _)| doc).collect()
    }
}
