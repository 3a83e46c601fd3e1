//! Handlers of the actions and events of the terminal panel.

use super::{CommandEnd, RunCommand, RunId, RunState, Tail, TerminalAction, TerminalEvent};
use crate::format::Severity;
use crate::text::HiddenKind;
use crate::workbench::core::effect::Effect;
use crate::workbench::core::proposal::TerminalPrompt;
use crate::workbench::core::state::ProjectInfo;
use crate::workbench::state::Workbench;

impl Workbench {
    pub(in crate::workbench) fn act_on_terminal(&mut self, action: TerminalAction) {
        match action {
            TerminalAction::Regenerate(docs) => self.regenerate(&docs),
            TerminalAction::Propose(proposal) => self.propose(TerminalPrompt::Run(proposal)),
            TerminalAction::Run(proposal) => self.run_proposed(proposal),
            TerminalAction::ShowAgain => {
                if let Some(run) = &self.terminal.run {
                    let proposal = run.proposal.clone();
                    self.propose(TerminalPrompt::Run(proposal));
                }
            }
            TerminalAction::Withdraw => self.terminal.withdraw(),
            TerminalAction::Stop => self.stop_command(),
            TerminalAction::Clear => {
                self.terminal.output = Tail::default();
                self.terminal.open_line = None;
            }
            TerminalAction::CopyCommands => {
                if let Some(TerminalPrompt::Run(proposal)) = &self.terminal.prompt {
                    self.core.copy(proposal.commands.join("\n"));
                }
            }
            TerminalAction::CopyOutput => self.core.copy(self.terminal.output_text()),
            TerminalAction::Hide => self.terminal.is_shown = false,
        }
    }

    /// Shows a prompt. While a command is running, shows that instead.
    pub(in crate::workbench) fn propose(&mut self, prompt: TerminalPrompt) {
        self.core.overlay = None;
        if self.terminal.running().is_some() {
            self.terminal.is_shown = true;
            let text = "A command is running. Stop it or wait until it ends.";
            return self.core.notify(Severity::Note, text);
        }
        self.terminal.show_prompt(match prompt {
            TerminalPrompt::Run(proposal)
                if !proposal
                    .commands
                    .iter()
                    .all(|it| has_no_hidden_characters(it)) =>
            {
                let reason = "The command contains invisible characters.";
                TerminalPrompt::Refused(reason.to_owned())
            }
            prompt => prompt,
        });
    }

    /// Runs exactly the shown commands.
    fn run_proposed(&mut self, proposal: u64) {
        let is_seen = self.terminal.has_prompt() && self.terminal.proposals == proposal;
        if !is_seen || self.terminal.running().is_some() {
            return;
        }
        match self.terminal.prompt.take() {
            Some(TerminalPrompt::Run(proposal)) => {
                self.terminal.output = Tail::default();
                self.terminal.open_line = None;
                let effect = self.terminal.start(proposal, 0);
                self.core.request(effect);
            }
            other => {
                self.terminal.prompt = other;
            }
        }
    }

    pub(in crate::workbench) fn stop_command(&mut self) {
        match &mut self.terminal.run {
            Some(run) if run.state == RunState::Running => {
                run.state = RunState::Stopping;
                self.core.request(Effect::cancel::<RunCommand>());
            }
            _ => {}
        }
    }

    /// Handles an event of a run. Events of earlier runs are ignored.
    pub(in crate::workbench) fn on_terminal_event(&mut self, id: RunId, event: TerminalEvent) {
        let terminal = &mut self.terminal;
        let Some(run) = terminal.run.as_mut().filter(|run| run.id == id) else {
            return;
        };
        let (ending, took) = match event {
            TerminalEvent::Output(more, elapsed) => {
                run.elapsed = elapsed;
                terminal.append_output(more);
                return;
            }
            TerminalEvent::Ended(ending, took) => (ending, took),
        };
        run.elapsed = took;
        let goes_on = ending == CommandEnd::Code(0) && run.state == RunState::Running;
        let (next, proposal) = (run.at + 1, run.proposal.clone());
        run.state = RunState::Ended(ending.clone());
        if goes_on && let Some(effect) = terminal.start(proposal, next) {
            return self.core.request(effect);
        }
        // Its result is visible in the panel, so the notice may disappear.
        let severity = match ending {
            CommandEnd::Code(0) | CommandEnd::Stopped => Severity::Note,
            _ if terminal.is_shown => Severity::Note,
            _ => Severity::Warning,
        };
        self.core.notify(severity, describe_end(&ending));
    }

    /// Dismisses a prompt for another project.
    pub(in crate::workbench) fn forget_proposals(&mut self, before: Option<&ProjectInfo>) {
        let now = self.core.project.as_ref().map(|project| &project.root);
        if before.map(|before| &before.root) != now && self.terminal.prompt.is_some() {
            self.terminal.withdraw();
        }
    }
}

/// Whether a command contains no hidden characters.
fn has_no_hidden_characters(command: &str) -> bool {
    let is_seen = |c| HiddenKind::classify(c).is_none() && c != '\r';
    command.chars().all(is_seen)
}

/// Describes how a command ended, in a sentence.
fn describe_end(ending: &CommandEnd) -> String {
    match ending {
        CommandEnd::Code(code) => format!("The command ended with exit code {code}."),
        CommandEnd::Signal(signal) => format!("The command was ended by signal {signal}."),
        CommandEnd::Stopped => "The command was stopped.".to_owned(),
        CommandEnd::NotStarted(reason) => format!("The command could not be started: {reason}."),
        CommandEnd::Unknown(reason) => {
            format!("The exit status of the command is unknown: {reason}.")
        }
    }
}
