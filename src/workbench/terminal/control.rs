//! Handlers of the actions and events of the terminal panel.

use super::{
    Asked, Ending, RunId, RunState, Tail, Terminal, TerminalAction, TerminalEffect, TerminalEvent,
};
use crate::format::Severity;
use crate::text::HiddenKind;
use crate::workbench::event::{Effect, Project};
use crate::workbench::state::Workbench;

impl Workbench {
    /// The terminal panel.
    pub fn terminal(&self) -> &Terminal {
        &self.terminal
    }

    pub(in crate::workbench) fn terminal_action(&mut self, action: TerminalAction) -> Vec<Effect> {
        match action {
            TerminalAction::Regenerate(docs) => self.regenerate(&docs),
            TerminalAction::Propose(proposal) => self.propose(Asked::Run(proposal)),
            TerminalAction::Run(proposal) => return self.run_proposed(proposal),
            TerminalAction::Again => {
                if let Some(run) = &self.terminal.run {
                    let proposal = run.proposal.clone();
                    self.propose(Asked::Run(proposal));
                }
            }
            TerminalAction::Withdraw => self.terminal.withdraw(),
            TerminalAction::Stop => return self.stop_command(),
            TerminalAction::Clear => {
                self.terminal.output = Tail::default();
                self.terminal.open = None;
            }
            TerminalAction::CopyCommands => {
                if let Some(Asked::Run(proposal)) = &self.terminal.asked {
                    return self.copy(proposal.commands.join("\n"));
                }
            }
            TerminalAction::CopyOutput => return self.copy(self.terminal.text()),
            TerminalAction::Hide => self.terminal.is_shown = false,
        }
        Vec::new()
    }

    /// Shows a prompt. While a command is running, shows that instead.
    pub(in crate::workbench) fn propose(&mut self, prompt: Asked) {
        self.overlay = None;
        if self.terminal.running().is_some() {
            self.terminal.is_shown = true;
            let text = "A command is running. Stop it or wait until it ends.";
            return self.notify(Severity::Note, text);
        }
        self.terminal.ask(match prompt {
            Asked::Run(proposal) if !proposal.commands.iter().all(|it| is_seen(it)) => {
                let reason = "The command contains invisible characters.";
                Asked::Refused(reason.to_owned())
            }
            prompt => prompt,
        });
    }

    /// Runs exactly the shown commands.
    fn run_proposed(&mut self, proposal: u64) -> Vec<Effect> {
        let is_seen = self.terminal.asks() && self.terminal.proposals == proposal;
        if !is_seen || self.terminal.running().is_some() {
            return Vec::new();
        }
        match self.terminal.asked.take() {
            Some(Asked::Run(proposal)) => {
                self.terminal.output = Tail::default();
                self.terminal.open = None;
                self.terminal.start(proposal, 0).into_iter().collect()
            }
            other => {
                self.terminal.asked = other;
                Vec::new()
            }
        }
    }

    pub(in crate::workbench) fn stop_command(&mut self) -> Vec<Effect> {
        match &mut self.terminal.run {
            Some(run) if run.state == RunState::Running => {
                run.state = RunState::Stopping;
                vec![Effect::Terminal(TerminalEffect::Stop)]
            }
            _ => Vec::new(),
        }
    }

    /// Handles an event of a run. Events of earlier runs are ignored.
    pub(in crate::workbench) fn terminal_event(
        &mut self,
        id: RunId,
        event: TerminalEvent,
    ) -> Vec<Effect> {
        let terminal = &mut self.terminal;
        let Some(run) = terminal.run.as_mut().filter(|run| run.id == id) else {
            return Vec::new();
        };
        let (ending, took) = match event {
            TerminalEvent::Said(more, elapsed) => {
                run.elapsed = elapsed;
                terminal.say(more);
                return Vec::new();
            }
            TerminalEvent::Ended(ending, took) => (ending, took),
        };
        run.elapsed = took;
        let goes_on = ending == Ending::Code(0) && run.state == RunState::Running;
        let (next, proposal) = (run.at + 1, run.proposal.clone());
        run.state = RunState::Ended(ending.clone());
        if goes_on && let Some(effect) = terminal.start(proposal, next) {
            return vec![effect];
        }
        // Its result is visible in the panel, so the notice may disappear.
        let severity = match ending {
            Ending::Code(0) | Ending::Stopped => Severity::Note,
            _ if terminal.is_shown => Severity::Note,
            _ => Severity::Warning,
        };
        self.notify(severity, told(&ending));
        Vec::new()
    }

    /// Dismisses a prompt for another project.
    pub(in crate::workbench) fn forget_proposals(&mut self, before: Option<&Project>) {
        let now = self.project.as_ref().map(|project| &project.root);
        if before.map(|before| &before.root) != now && self.terminal.asked.is_some() {
            self.terminal.withdraw();
        }
    }
}

/// Whether a command contains no hidden characters.
fn is_seen(command: &str) -> bool {
    let is_seen = |c| HiddenKind::classify(c).is_none() && c != '\r';
    command.chars().all(is_seen)
}

/// Describes how a command ended, in a sentence.
fn told(ending: &Ending) -> String {
    match ending {
        Ending::Code(code) => format!("The command ended with exit code {code}."),
        Ending::Signal(signal) => format!("The command was ended by signal {signal}."),
        Ending::Stopped => "The command was stopped.".to_owned(),
        Ending::NotStarted(reason) => format!("The command could not be started: {reason}."),
        Ending::Unknown(reason) => format!("The exit status of the command is unknown: {reason}."),
    }
}
