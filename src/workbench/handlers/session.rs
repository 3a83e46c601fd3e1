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
                it.sessions.toggle_panel(Panel::Faults);
            }),
            Session::MoveResponseUp => handler_after(self.needs_response(), |it| {
                it.sessions.move_response(&mut it.core, -1)
            }),
            Session::MoveResponseDown => handler_after(self.needs_response(), |it| {
                it.sessions.move_response(&mut it.core, 1)
            }),
            Session::AddResponse => {
                let is_shown =
                    self.core.shows(Desk::Sessions) && self.sessions.session(&self.core).is_some();
                handler_if(is_shown, "no session is shown", |it| {
                    it.sessions.add_response(&mut it.core)
                })
            }
            Session::EditResponse => handler_after(self.needs_response(), |it| {
                if let Some(at) = it.sessions.response() {
                    it.sessions.edit_tool(at);
                }
            }),
            Session::DuplicateResponse => handler_after(self.needs_response(), |it| {
                it.sessions.duplicate_response(&mut it.core)
            }),
            Session::DeleteResponse => handler_after(self.needs_response(), |it| {
                it.sessions.delete_response(&mut it.core)
            }),
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
                    it.sessions.toggle_list();
                },
            ),
            Session::AddToConfig => handler_after(self.sessions.needs_config(&self.core), |it| {
                it.sessions
                    .act_on_contract(&mut it.core, ContractAction::ShowListing);
            }),
            Session::ChooseAnswer => {
                handler_after(self.sessions.needs_contract(&self.core), |it| {
                    it.core.overlay = Some(Overlay::ChooseAnswer);
                })
            }
            Session::RunSession => handler_after(
                self.sessions.needs_runner(&self.core, RunScope::One),
                |it| {
                    it.sessions.propose_run(&mut it.core, RunScope::One);
                },
            ),
            Session::RunFolder => handler_after(
                self.sessions.needs_runner(&self.core, RunScope::Folder),
                |it| {
                    it.sessions.propose_run(&mut it.core, RunScope::Folder);
                },
            ),
            Session::CopyRunCommand => {
                handler_after(self.sessions.needs_run_command(&self.core), |it| {
                    it.sessions.copy_run_command(&mut it.core)
                })
            }
        }
    }

    fn needs_response(&self) -> Result<(), &'static str> {
        let is_selected = self.core.shows(Desk::Sessions) && self.sessions.response().is_some();
        require(is_selected, "select a tool response first")
    }
}
