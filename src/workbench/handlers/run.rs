//! Commands that run the project's own commands.

use super::dispatch::{HandlerOrReason, action_if, handler, handler_if};
use crate::core::command::declared::by_section::Run;
use crate::{Action, TerminalAction, TriageAction, Workbench};

impl Workbench {
    pub(super) fn run_handler(&self, command: Run) -> HandlerOrReason {
        match command {
            Run::Regenerate => {
                // There may be very many, so they are collected only for the command.
                let is_breaking = self.core.library.breaking().len() > 0;
                handler_if(is_breaking, "no recordings are breaking", |workbench| {
                    let docs = workbench.core.library.breaking().collect();
                    workbench.act(Action::from(TerminalAction::Regenerate(docs)));
                })
            }
            Run::RegenerateSelected if self.core.here().view.is_run() => {
                let can_record = self.triage.to_record().is_some();
                action_if(can_record, "the cause needs no new recordings", TriageAction::Regenerate)
            }
            Run::RegenerateSelected => {
                let docs = self.chosen_recordings();
                let is_chosen = !docs.is_empty();
                action_if(is_chosen, "select a recording first", TerminalAction::Regenerate(docs))
            }
            Run::StopCommand => {
                let is_running = self.terminal.running().is_some();
                action_if(is_running, "no command is running", TerminalAction::Stop)
            }
            Run::ToggleTerminal => handler(|w| w.terminal.is_shown ^= true),
        }
    }
}
