//! Commands that run the project's own commands.

use super::declared::by_section::Run;
use super::running::{Can, nothing, when};
use crate::workbench::state::Workbench;

impl Workbench {
    pub(super) fn run_deed(&self, command: Run) -> Can {
        match command {
            Run::Regenerate => {
                let breaks = self.library.breaking().len() > 0;
                when(breaks, "no recordings are breaking", |it| {
                    it.regenerate(&it.breaking());
                    nothing()
                })
            }
            Run::RegenerateSelected => {
                let is_chosen = !self.chosen_recordings().is_empty();
                when(is_chosen, "select a recording first", |it| {
                    it.regenerate(&it.chosen_recordings());
                    nothing()
                })
            }
            Run::StopCommand => {
                let is_running = self.terminal.running().is_some();
                when(is_running, "no command is running", Self::stop_command)
            }
            Run::ToggleTerminal => Ok(|it| {
                it.terminal.toggle();
                nothing()
            }),
        }
    }
}
