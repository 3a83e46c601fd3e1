//! Commands run in the terminal panel: shown first, started by the user, and followed while they run.

mod output;
#[cfg(test)]
mod tests;

use super::DeskState;
use crate::{CommandOrigin, Core, Effect, Proposal, TerminalPrompt};
use calls::regenerate::CommandLines;
use check::settings::FILE_NAME;
use document::Severity;
use document::shell::CommandShell;
use document::text::{HiddenKind, counted, visible};
pub use output::Tail;
use protocol::{Cancellable, CommandEnd, DocId, ProjectInfo, RunCommand, RunId, TerminalEvent};

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
        let is_hidden = |c: char| HiddenKind::classify(c).is_some() || c == '\r';
        self.show_prompt(match prompt {
            // The user consents to what is visible.
            TerminalPrompt::Run(proposal)
                if proposal.commands.iter().flat_map(|command| command.chars()).any(is_hidden) =>
            {
                TerminalPrompt::Refused("The command contains invisible characters.".to_owned())
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

    /// Shows the command that regenerates these recordings. Does not run it.
    pub(crate) fn regenerate(&mut self, core: &mut Core, docs: &[DocId]) {
        self.propose(core, regeneration_prompt(core, docs));
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

fn regeneration_prompt(core: &Core, docs: &[DocId]) -> TerminalPrompt {
    let template = core.project.as_ref().and_then(|p| p.regenerate.as_ref());
    let Some(template) = template else {
        return TerminalPrompt::NoCommand(fault_of_settings(core));
    };
    let items = docs.iter().filter_map(|doc| core.library.get(*doc));
    let CommandLines { commands, skipped: remarks } =
        match template.write(items, CommandShell::CURRENT) {
            Ok(lines) => lines,
            Err(reason) => return TerminalPrompt::Refused(reason),
        };
    if commands.is_empty() {
        let reason = "No recordings to record again.".to_owned();
        return TerminalPrompt::Refused(remarks.into_iter().next().unwrap_or(reason));
    }
    TerminalPrompt::Run(Proposal {
        name: format!("Record {} again", counted(docs.len(), "recording", "recordings")),
        commands,
        remarks,
        origin: Some(CommandOrigin {
            file: FILE_NAME.to_owned(),
            line: template.mark().place.line,
            reveal: core.library.find(FILE_NAME).map(|doc| (doc, template.mark().span)),
        }),
    })
}

/// The problem in the project's file, if its command is invalid.
fn fault_of_settings(core: &Core) -> Option<String> {
    let item = core.library.get(core.library.find(FILE_NAME)?)?;
    // A problem with an empty pointer is one of the whole file, of which the command is not read either.
    let is_about_command = |pointer: &str| pointer.is_empty() || pointer.starts_with("/regenerate");
    let problem = item.problems.iter().find(|problem| is_about_command(&problem.pointer))?;
    Some(visible(&problem.message).into_owned())
}
