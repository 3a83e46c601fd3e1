//! Commands for sessions, their tool responses, contracts and drafts.

use super::declared::by_section::Session;
use super::running::{Can, after, need, nothing, when};
use crate::workbench::action::Overlay;
use crate::workbench::incident::ImportAction;
use crate::workbench::sessions::{ContractAction, Panel, Scope};
use crate::workbench::state::Workbench;

impl Workbench {
    pub(super) fn session_deed(&self, command: Session) -> Can {
        match command {
            Session::PutFault => after(self.needs_response(), |it| {
                it.toggle_panel(Panel::Faults);
                nothing()
            }),
            Session::MoveResponseUp => after(self.needs_response(), |it| it.move_response(-1)),
            Session::MoveResponseDown => after(self.needs_response(), |it| it.move_response(1)),
            Session::AddResponse => {
                let is_shown = self.shows_sessions() && self.session().is_some();
                when(is_shown, "no session is shown", Self::add_response)
            }
            Session::EditResponse => after(self.needs_response(), |it| {
                it.sessions
                    .response()
                    .into_iter()
                    .for_each(|at| it.edit_tool(at));
                nothing()
            }),
            Session::DuplicateResponse => after(self.needs_response(), Self::duplicate_response),
            Session::DeleteResponse => after(self.needs_response(), Self::delete_response),
            Session::MakeSession => {
                let can_make = self.can_make_session();
                when(can_make, "select a recording first", Self::make_session)
            }
            Session::ShowImport => {
                let is_begun = self.import.is_begun();
                when(is_begun, "nothing was imported yet", |it| {
                    it.act_on_import(ImportAction::Show)
                })
            }
            Session::ToggleDraft => when(self.shows_import(), "no drafts are shown", |it| {
                it.toggle_draft(it.import.selected());
                nothing()
            }),
            Session::RedactSecrets => {
                let is_shown = self.shows_import();
                when(is_shown, "no drafts are shown", Self::redact_all)
            }
            Session::ToggleSessions => when(self.shows_sessions(), "no session is shown", |it| {
                it.toggle_sessions();
                nothing()
            }),
            Session::AddToConfig => after(self.needs_config(), |it| {
                it.act_on_contract(ContractAction::AskToList)
            }),
            Session::ChooseAnswer => after(self.needs_contract(), |it| {
                it.overlay = Some(Overlay::ChooseAnswer);
                nothing()
            }),
            Session::RunSession => after(self.needs_runner(Scope::One), |it| {
                it.propose_run(Scope::One);
                nothing()
            }),
            Session::RunFolder => after(self.needs_runner(Scope::Folder), |it| {
                it.propose_run(Scope::Folder);
                nothing()
            }),
            Session::CopyRunCommand => after(self.needs_run_command(), Self::copy_run_command),
        }
    }

    fn needs_response(&self) -> Result<(), &'static str> {
        let is_selected = self.shows_sessions() && self.sessions.response().is_some();
        need(is_selected, "select a tool response first")
    }
}
