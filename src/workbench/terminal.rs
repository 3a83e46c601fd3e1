//! Commands that are run outside: shown first, started by the user, followed while they run.

mod output;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::time::Duration;

use super::event::{Effect, Project};
use super::library::DocId;
use super::live::News;
use super::state::Workbench;
use crate::format::Severity;
use crate::text::{Hidden, Span};

pub use output::{Ink, Line, More, Tail};

/// Names a run for as long as the program runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunId(u64);

/// What the user can ask for.
#[derive(Clone, Debug, PartialEq)]
pub enum TerminalAction {
    /// Show the command that makes these recordings anew.
    Regenerate(Vec<DocId>),
    /// Show commands, to be run when the user says so.
    Propose(Proposal),
    /// Run what is shown, by its number.
    Run(u64),
    /// Show what ran last, to be run again.
    Again,
    /// Put away what is shown, without running it.
    Withdraw,
    /// Stop what runs.
    Stop,
    /// Take what was said away.
    Clear,
    /// Copy the commands that are shown.
    CopyCommands,
    /// Copy what was said.
    CopyOutput,
    /// Hide the panel; what runs goes on.
    Hide,
}

/// What the engine has to tell of a run.
#[derive(Clone, Debug)]
pub enum TerminalEvent {
    /// The command said more, or has been running for so long.
    Said(More, Duration),
    /// It is over, after so long.
    Ended(Ending, Duration),
}

/// What is asked of the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TerminalEffect {
    /// Run a command.
    Run(RunId, String),
    /// Stop the one that runs.
    Stop,
}

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With an exit code.
    Code(i32),
    /// By a signal that the user did not ask for.
    Signal(i32),
    /// The user stopped it.
    Stopped,
    /// It never ran, for this reason.
    NotStarted(String),
    /// Nobody can tell, for this reason.
    Unknown(String),
}

/// Commands that are shown and not run yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proposal {
    /// What they do, in the imperative.
    pub name: String,
    /// Run one after another, for as long as they succeed.
    pub commands: Vec<String>,
    /// What the user should know before, a sentence each.
    pub remarks: Vec<String>,
    /// Where they come from.
    pub origin: Option<Origin>,
}

/// The line of a file that a command comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The file, from the project root.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// The same place, if the file is open.
    pub reveal: Option<(DocId, Span)>,
}

/// What waits for the user's word.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked {
    /// Commands that can be run.
    Run(Proposal),
    /// The project's file has no command, or what it has is not understood, for this reason.
    Unset(Option<String>),
    /// There is no command for what was chosen, for this reason.
    Refused(String),
}

/// What runs, or ran last.
#[derive(Clone, Debug)]
pub struct Run {
    id: RunId,
    proposal: Proposal,
    /// The command that runs, or was the last to, from 0.
    at: usize,
    /// How long it has been running.
    elapsed: Duration,
    state: RunState,
    touched: BTreeSet<DocId>,
}

/// How far a run is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunState {
    /// It runs.
    Running,
    /// It was asked to end.
    Stopping,
    /// It is over.
    Ended(Ending),
}

/// The panel of commands.
#[derive(Debug, Default)]
pub struct Terminal {
    is_shown: bool,
    /// Whether it was shown before something was asked.
    was_shown: bool,
    asked: Option<Asked>,
    run: Option<Run>,
    output: Tail,
    open: Option<Line>,
    runs: u64,
    proposals: u64,
}

impl Terminal {
    /// Whether the panel is shown.
    pub fn is_shown(&self) -> bool {
        self.is_shown
    }

    /// What waits for the user's word.
    pub fn asked(&self) -> Option<&Asked> {
        self.asked.as_ref()
    }

    /// The number of what is proposed; grows with each.
    pub fn proposals(&self) -> u64 {
        self.proposals
    }

    /// What runs, or ran last.
    pub fn run(&self) -> Option<&Run> {
        self.run.as_ref()
    }

    /// What runs now.
    pub fn running(&self) -> Option<&Run> {
        self.run.as_ref().filter(|run| run.is_running())
    }

    /// What was said.
    pub fn output(&self) -> &Tail {
        &self.output
    }

    /// The line that is being written.
    pub fn open_line(&self) -> Option<&Line> {
        self.open.as_ref()
    }

    /// Whether something is shown that waits for the user's word.
    pub(super) fn asks(&self) -> bool {
        self.is_shown && self.asked.is_some()
    }

    pub(super) fn toggle(&mut self) {
        self.is_shown = !self.is_shown;
    }

    /// Puts away what is asked. The panel is then as it was before.
    pub(super) fn withdraw(&mut self) {
        self.asked = None;
        self.is_shown = self.was_shown;
    }

    pub(super) fn ask(&mut self, asked: Asked) {
        if self.asked.replace(asked).is_none() {
            self.was_shown = self.is_shown;
        }
        self.proposals += 1;
        self.is_shown = true;
    }

    /// Takes note of files that changed since a run began.
    pub(super) fn hear(&mut self, news: &News) {
        match news {
            News::Rewritten(docs) => self.touched(docs.iter().copied()),
            News::Removed(gone) => self.touched(gone.iter().map(|gone| gone.doc)),
            _ => {}
        }
    }

    pub(super) fn touched(&mut self, docs: impl Iterator<Item = DocId>) {
        if let Some(run) = &mut self.run {
            run.touched.extend(docs);
        }
    }

    /// Begins with a proposal, or goes on with its next command.
    fn start(&mut self, proposal: Proposal, at: usize) -> Option<Effect> {
        let command = proposal.commands.get(at)?.clone();
        self.runs += 1;
        let id = RunId(self.runs);
        for line in command.lines() {
            self.output.push(Line {
                text: format!("$ {line}"),
                inks: vec![(0..line.len() + 2, Ink::Strong)],
                goes_on: false,
            });
        }
        let before = self.run.take().filter(|_| at > 0);
        self.run = Some(Run {
            id,
            proposal,
            at,
            elapsed: Duration::ZERO,
            state: RunState::Running,
            touched: before.map(|run| run.touched).unwrap_or_default(),
        });
        Some(Effect::Terminal(TerminalEffect::Run(id, command)))
    }

    fn say(&mut self, more: More) {
        self.output.append(more.done);
        self.open = more.open;
    }

    fn text(&self) -> String {
        output::text_of(self.output.iter().chain(&self.open))
    }
}

impl Run {
    /// What it does.
    pub fn name(&self) -> &str {
        &self.proposal.name
    }

    /// How many commands there are.
    pub fn count(&self) -> usize {
        self.proposal.commands.len()
    }

    /// The command that runs, or was the last to, from 0.
    pub fn at(&self) -> usize {
        self.at
    }

    /// How long that has been running.
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// How far it is.
    pub fn state(&self) -> &RunState {
        &self.state
    }

    /// Whether it is not over yet.
    pub fn is_running(&self) -> bool {
        !matches!(self.state, RunState::Ended(_))
    }

    /// How many of the files that are open were written since it began.
    pub fn touched(&self) -> usize {
        self.touched.len()
    }
}

impl Workbench {
    /// The panel of commands.
    pub fn terminal(&self) -> &Terminal {
        &self.terminal
    }

    pub(super) fn terminal_action(&mut self, action: TerminalAction) -> Vec<Effect> {
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

    /// Shows commands. There is one at a time: while one runs, that is shown instead.
    pub(super) fn propose(&mut self, asked: Asked) {
        self.overlay = None;
        if self.terminal.running().is_some() {
            self.terminal.is_shown = true;
            let text = "A command is running; stop it, or wait until it ends.";
            return self.notify(Severity::Note, text);
        }
        self.terminal.ask(match asked {
            Asked::Run(proposal) if !proposal.commands.iter().all(|it| is_seen(it)) => {
                let reason = "The command holds characters that cannot be seen.";
                Asked::Refused(reason.to_owned())
            }
            asked => asked,
        });
    }

    /// Runs what is shown, and nothing else.
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

    pub(super) fn stop_command(&mut self) -> Vec<Effect> {
        match &mut self.terminal.run {
            Some(run) if run.state == RunState::Running => {
                run.state = RunState::Stopping;
                vec![Effect::Terminal(TerminalEffect::Stop)]
            }
            _ => Vec::new(),
        }
    }

    /// Takes what became of a run. What belongs to an earlier one is dropped.
    pub(super) fn terminal_event(&mut self, id: RunId, event: TerminalEvent) -> Vec<Effect> {
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
        // Where it is in view anyway, it need not stay until it is told to go.
        let severity = match ending {
            Ending::Code(0) | Ending::Stopped => Severity::Note,
            _ if terminal.is_shown => Severity::Note,
            _ => Severity::Warning,
        };
        self.notify(severity, told(&ending));
        Vec::new()
    }

    /// Puts away what was proposed for another project.
    pub(super) fn forget_proposals(&mut self, before: Option<&Project>) {
        let now = self.project.as_ref().map(|project| &project.root);
        if before.map(|before| &before.root) != now && self.terminal.asked.is_some() {
            self.terminal.withdraw();
        }
    }
}

/// Whether a command is what it looks like.
fn is_seen(command: &str) -> bool {
    let is_seen = |c| Hidden::of(c).is_none() && c != '\r';
    command.chars().all(is_seen)
}

/// How a command ended, in a sentence.
fn told(ending: &Ending) -> String {
    match ending {
        Ending::Code(code) => format!("The command ended with exit code {code}."),
        Ending::Signal(signal) => format!("The command was ended by signal {signal}."),
        Ending::Stopped => "The command was stopped.".to_owned(),
        Ending::NotStarted(reason) => format!("The command could not be started: {reason}."),
        Ending::Unknown(reason) => format!("How the command ended is not known: {reason}."),
    }
}
