//! Commands for sessions, their tool responses, contracts and drafts.

use super::dispatch::{HandlerOrReason, handler_after, handler_if, require};
use crate::workbench::Desk;
use crate::workbench::DeskView;
use crate::workbench::core::command::declared::by_section::Session;
use crate::workbench::core::view::Overlay;
use crate::workbench::desks::incident::ImportAction;
use crate::workbench::desks::sessions::{ContractAction, Panel, RunScope};
use crate::workbench::state::Workbench;

impl Workbench {
    pub(super) fn session_handler(&self, command: Session) -> HandlerOrReason {
        match command {
            Session::PutFault => handler_after(self.needs_response(), |it| {
                it.toggle_panel(Panel::Faults);
            }),
            Session::MoveResponseUp => {
                handler_after(self.needs_response(), |it| it.move_response(-1))
            }
            Session::MoveResponseDown => {
                handler_after(self.needs_response(), |it| it.move_response(1))
            }
            Session::AddResponse => {
                let is_shown = self.core.shows(Desk::Sessions) && self.session().is_some();
                handler_if(is_shown, "no session is shown", Self::add_response)
            }
            Session::EditResponse => handler_after(self.needs_response(), |it| {
                it.sessions
                    .response()
                    .into_iter()
                    .for_each(|at| it.edit_tool(at));
            }),
            Session::DuplicateResponse => {
                handler_after(self.needs_response(), Self::duplicate_response)
            }
            Session::DeleteResponse => handler_after(self.needs_response(), Self::delete_response),
            Session::MakeSession => {
                let can_make = self.can_make_session();
                handler_if(can_make, "select a recording first", Self::make_session)
            }
            Session::ShowImport => {
                let is_begun = self.import.is_begun();
                handler_if(is_begun, "nothing was imported yet", |it| {
                    it.act_on_import(ImportAction::Show);
                })
            }
            Session::ToggleDraft => handler_if(
                self.core.here().view == DeskView::Import,
                "no drafts are shown",
                |it| {
                    it.toggle_draft(it.import.selected);
                },
            ),
            Session::RedactSecrets => {
                let is_shown = self.core.here().view == DeskView::Import;
                handler_if(is_shown, "no drafts are shown", Self::redact_all)
            }
            Session::ToggleSessions => handler_if(
                self.core.shows(Desk::Sessions),
                "no session is shown",
                |it| {
                    it.toggle_sessions();
                },
            ),
            Session::AddToConfig => handler_after(self.needs_config(), |it| {
                it.act_on_contract(ContractAction::ShowListing);
            }),
            Session::ChooseAnswer => handler_after(self.needs_contract(), |it| {
                it.core.overlay = Some(Overlay::ChooseAnswer);
            }),
            Session::RunSession => handler_after(self.needs_runner(RunScope::One), |it| {
                it.propose_run(RunScope::One);
            }),
            Session::RunFolder => handler_after(self.needs_runner(RunScope::Folder), |it| {
                it.propose_run(RunScope::Folder);
            }),
            Session::CopyRunCommand => {
                handler_after(self.needs_run_command(), Self::copy_run_command)
            }
        }
    }

    fn needs_response(&self) -> Result<(), &'static str> {
        let is_selected = self.core.shows(Desk::Sessions) && self.sessions.response().is_some();
        require(is_selected, "select a tool response first")
    }
}
