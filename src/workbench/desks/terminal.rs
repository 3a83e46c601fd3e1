//! Commands run in the terminal panel: shown first, started by the user, and followed while they run.

mod control;
mod output;
mod regenerate;
#[cfg(test)]
mod tests;

pub use output::Tail;

use super::DeskState;
use crate::core::Core;
use crate::core::effect::Effect;
use crate::core::proposal::{Proposal, TerminalPrompt};
use protocol::{CommandEnd, DocId, RunCommand, RunId};

/// An action of the terminal panel.
#[derive(Clone, Debug, PartialEq)]
pub enum TerminalAction {
    /// Shows the command that regenerates these recordings.
    Regenerate(Vec<DocId>),
    /// Shows commands, which run when the user confirms.
    Propose(Proposal),
    /// Runs the shown commands, by their number.
    Run(u64),
    /// Dismisses the shown commands without running them.
    Withdraw,
    /// Stops the running command.
    Stop,
    /// Copies the output.
    CopyOutput,
}

/// Example of the project setting that re-records.
pub const REGENERATE_EXAMPLE: &str =
    "[regenerate]\ncommand = \"DYGRAM_TEST_MODE=interactive npm test -- {sets}\"";

/// The current or last run.
#[derive(Clone, Debug)]
pub struct TerminalRun {
    id: RunId,
    pub proposal: Proposal,
    /// The current or last command, from 0.
    pub at: usize,
    pub state: RunState,
}

/// The state of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunState {
    Running,
    /// A stop was requested.
    Stopping,
    /// It is over.
    Ended(CommandEnd),
}

/// The terminal panel.
#[derive(Debug, Default)]
pub struct Terminal {
    pub is_shown: bool,
    /// Whether it was shown before the prompt.
    was_shown: bool,
    pub prompt: Option<TerminalPrompt>,
    pub run: Option<TerminalRun>,
    pub output: Tail,
    runs: u64,
    pub proposals: u64,
}

impl DeskState for Terminal {
    fn close(&mut self, _core: &mut Core) -> bool {
        if !self.has_prompt() {
            return false;
        }
        self.withdraw();
        true
    }
}

impl Terminal {
    /// The current run.
    pub fn running(&self) -> Option<&TerminalRun> {
        self.run.as_ref().filter(|run| run.is_running())
    }

    /// Whether a prompt is shown.
    pub(crate) fn has_prompt(&self) -> bool {
        self.is_shown && self.prompt.is_some()
    }

    /// Dismisses the prompt. Restores the visibility of the panel.
    pub(crate) fn withdraw(&mut self) {
        self.prompt = None;
        self.is_shown = self.was_shown;
    }

    pub(crate) fn show_prompt(&mut self, prompt: TerminalPrompt) {
        // If another prompt is replaced, the panel is shown because of that one.
        if self.prompt.replace(prompt).is_none() {
            self.was_shown = self.is_shown;
        }
        self.proposals += 1;
        self.is_shown = true;
    }

    /// Starts a proposal, or continues with its next command.
    fn start(&mut self, proposal: Proposal, index: usize) -> Option<Effect> {
        let command = proposal.commands.get(index)?.clone();
        self.runs += 1;
        let id = RunId(self.runs);
        for line in command.lines() {
            self.output.push(format!("$ {line}"));
        }
        self.run = Some(TerminalRun { id, proposal, at: index, state: RunState::Running });
        Some(Effect::run(RunCommand { run: id, command }))
    }
}

impl TerminalRun {
    /// The number of commands.
    pub fn count(&self) -> usize {
        self.proposal.commands.len()
    }

    /// Whether it has not ended.
    pub fn is_running(&self) -> bool {
        !matches!(self.state, RunState::Ended(_))
    }
}
