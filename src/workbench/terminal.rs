//! Commands that are run outside: shown first, started by the user, followed while they run.

mod control;
mod output;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::time::Duration;

use super::event::Effect;
use super::library::DocId;
use super::news::News;
use crate::text::Span;

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
