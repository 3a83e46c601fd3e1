//! Commands that run the project's own commands.

use super::dispatch::{HandlerOrReason, handler_if};
use crate::core::command::declared::by_section::Run;
use crate::state::Workbench;
use protocol::DocId;

impl Workbench {
    pub(super) fn run_handler(&self, command: Run) -> HandlerOrReason {
        match command {
            Run::Regenerate => {
                let breaks = self.core.library.breaking().len() > 0;
                handler_if(breaks, "no recordings are breaking", |it| {
                    let docs: Vec<DocId> = it.core.library.breaking().collect();
                    it.terminal.regenerate(&mut it.core, &docs);
                })
            }
            Run::RegenerateSelected => {
                let is_chosen = !self.chosen_recordings().is_empty();
                handler_if(is_chosen, "select a recording first", |it| {
                    let docs = it.chosen_recordings();
                    it.terminal.regenerate(&mut it.core, &docs);
                })
            }
            Run::StopCommand => {
                let is_running = self.terminal.running().is_some();
                handler_if(is_running, "no command is running", |it| {
                    it.terminal.stop_command(&mut it.core);
                })
            }
            Run::ToggleTerminal => Ok(|it| {
                it.terminal.toggle();
            }),
        }
    }
}
