//! Commands that run the project's own commands.

use super::dispatch::{HandlerOrReason, handler_if};
use crate::workbench::core::command::declared::by_section::Run;
use crate::workbench::state::Workbench;

impl Workbench {
    pub(super) fn run_handler(&self, command: Run) -> HandlerOrReason {
        match command {
            Run::Regenerate => {
                let breaks = self.core.library.breaking().len() > 0;
                handler_if(breaks, "no recordings are breaking", |it| {
                    it.regenerate(&it.core.breaking());
                })
            }
            Run::RegenerateSelected => {
                let is_chosen = !self.chosen_recordings().is_empty();
                handler_if(is_chosen, "select a recording first", |it| {
                    it.regenerate(&it.chosen_recordings());
                })
            }
            Run::StopCommand => {
                let is_running = self.terminal.running().is_some();
                handler_if(is_running, "no command is running", Self::stop_command)
            }
            Run::ToggleTerminal => Ok(|it| {
                it.terminal.toggle();
            }),
        }
    }
}
