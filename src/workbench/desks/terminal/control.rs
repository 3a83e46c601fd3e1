//! Handlers of the actions and events of the terminal panel.

use super::{RunState, Tail, Terminal, TerminalAction};
use crate::core::Core;
use crate::core::effect::Effect;
use crate::core::proposal::TerminalPrompt;
use document::Severity;
use document::text::HiddenKind;
use protocol::{Cancellable, CommandEnd, ProjectInfo, RunId, TerminalEvent};

impl Terminal {
    pub(crate) fn act(&mut self, core: &mut Core, action: TerminalAction) {
        match action {
            TerminalAction::Regenerate(docs) => self.regenerate(core, &docs),
            TerminalAction::Propose(proposal) => self.propose(core, TerminalPrompt::Run(proposal)),
            TerminalAction::Run(proposal) => self.run_proposed(core, proposal),
            TerminalAction::Withdraw => self.withdraw(),
            TerminalAction::Stop => self.stop_command(core),
            TerminalAction::CopyOutput => core.copy(self.output.text()),
        }
    }

    /// Shows a prompt. While a command is running, shows that instead.
    pub(crate) fn propose(&mut self, core: &mut Core, prompt: TerminalPrompt) {
        // An overlay would cover the prompt.
        core.overlay = None;
        if self.running().is_some() {
            self.is_shown = true;
            let text = "A command is running. Stop it or wait until it ends.";
            return core.refuse(Severity::Note, text);
        }
        self.show_prompt(match prompt {
            // The user consents to what is visible.
            TerminalPrompt::Run(proposal)
                if !proposal.commands.iter().all(|c| has_no_hidden_characters(c)) =>
            {
                let reason = "The command contains invisible characters.";
                TerminalPrompt::Refused(reason.to_owned())
            }
            prompt => prompt,
        });
    }

    /// Runs exactly the shown commands.
    fn run_proposed(&mut self, core: &mut Core, proposal: u64) {
        // Another prompt may have replaced the one that was accepted.
        let is_seen = self.has_prompt() && self.proposals == proposal;
        if !is_seen || self.running().is_some() {
            return;
        }
        match self.prompt.take() {
            Some(TerminalPrompt::Run(proposal)) => {
                self.output = Tail::default();
                core.request(self.start(proposal, 0));
            }
            other => self.prompt = other,
        }
    }

    pub(crate) fn stop_command(&mut self, core: &mut Core) {
        if let Some(run) = &mut self.run
            && run.state == RunState::Running
        {
            run.state = RunState::Stopping;
            core.request(Effect::Cancel(Cancellable::Command));
        }
    }

    /// Handles an event of a run. Events of earlier runs are ignored.
    pub(crate) fn receive(&mut self, core: &mut Core, id: RunId, event: TerminalEvent) {
        let Some(run) = self.run.as_mut().filter(|run| run.id == id) else { return };
        let end = match event {
            TerminalEvent::Output(lines) => {
                return lines.into_iter().for_each(|line| self.output.push(line));
            }
            TerminalEvent::Ended(end) => end,
        };
        // A stop that was requested ends all commands, even after one that succeeded.
        let is_continued = end == CommandEnd::Code(0) && run.state == RunState::Running;
        let (next, proposal) = (run.at + 1, run.proposal.clone());
        run.state = RunState::Ended(end.clone());
        if is_continued && let Some(effect) = self.start(proposal, next) {
            return core.request(effect);
        }
        // If the panel shows the result, the notice may disappear.
        let severity = match end {
            CommandEnd::Code(0) | CommandEnd::Stopped => Severity::Note,
            _ if self.is_shown => Severity::Note,
            _ => Severity::Warning,
        };
        core.notify(severity, describe_end(&end));
    }

    /// Dismisses a prompt for another project.
    pub(crate) fn forget_proposals(&mut self, former: Option<&ProjectInfo>, project: &ProjectInfo) {
        if former.is_none_or(|former| former.root != project.root) && self.prompt.is_some() {
            self.withdraw();
        }
    }
}

/// Whether a command contains no hidden characters.
fn has_no_hidden_characters(command: &str) -> bool {
    // A carriage return is a line end to `classify`, but within a command it is invisible.
    command.chars().all(|c| HiddenKind::classify(c).is_none() && c != '\r')
}

/// Describes how a command ended, in a sentence.
fn describe_end(end: &CommandEnd) -> String {
    match end {
        CommandEnd::Code(code) => format!("The command ended with exit code {code}."),
        CommandEnd::Signal(signal) => format!("The command was ended by signal {signal}."),
        CommandEnd::Stopped => "The command was stopped.".to_owned(),
        CommandEnd::NotStarted(reason) => format!("The command could not be started: {reason}."),
        CommandEnd::Unknown(reason) => {
            format!("The exit status of the command is unknown: {reason}.")
        }
    }
}
