//! Runs sessions with flakestorm: the command is shown first, and runs when the user confirms.

use std::sync::Arc;

use super::super::SessionsDesk;
use crate::core::Core;
use crate::core::link::Link;
use crate::core::proposal::{Proposal, TerminalPrompt};
use document::text::counted;
use protocol::{ConfigListing, ContractReport, Desk, RunCommands};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunScope {
    /// The selected session.
    One,
    /// All sessions of its folder.
    Folder,
}

const UNSAVED_REMARK: &str =
    "There are unsaved edits. The command runs the saved file: save first.";

impl SessionsDesk {
    pub(crate) fn shown_contract(&self, core: &Core) -> Result<&ContractReport, &'static str> {
        let report = self.report().filter(|_| core.shows(Desk::Sessions));
        report.map(Arc::as_ref).ok_or("no session is shown")
    }

    /// Returns why the session cannot be added to a configuration, if so.
    pub(crate) fn needs_config(&self, core: &Core) -> Result<(), &'static str> {
        let report = self.shown_contract(core)?;
        let config = report.config.as_ref().ok_or("there is no flakestorm.yaml to add it to")?;
        match config.listing {
            ConfigListing::Inline => Err("the session is written inside the configuration"),
            // With several configurations, another one may be chosen.
            ConfigListing::Listed if report.configs.len() < 2 => {
                Err("the configuration already lists it")
            }
            _ => Ok(()),
        }
    }

    /// Returns the command that runs the session, or why there is none.
    pub(crate) fn run_command(&self, core: &Core) -> Result<&Arc<str>, &'static str> {
        let command = self.shown_contract(core)?.commands.one.as_ref();
        command.ok_or("the file name cannot be quoted for a shell")
    }

    /// Returns why this cannot be run, if so.
    pub(crate) fn needs_runner(&self, core: &Core, scope: RunScope) -> Result<(), &'static str> {
        let commands = &self.shown_contract(core)?.commands;
        if !commands.has_flakestorm {
            return Err("flakestorm is not on the PATH");
        }
        match scope {
            RunScope::One => self.run_command(core).map(|_| ()),
            RunScope::Folder if commands.folder.is_empty() => {
                Err("there are no session files in its folder")
            }
            RunScope::Folder => Ok(()),
        }
    }

    /// Shows the commands, which run when the user confirms.
    pub(crate) fn propose_run(&self, core: &mut Core, scope: RunScope) {
        if let Some(report) = self.report() {
            core.link(Link::Propose(run_prompt(core, &report.commands, scope)));
        }
    }
}

fn run_prompt(core: &Core, commands: &RunCommands, scope: RunScope) -> TerminalPrompt {
    let texts =
        |list: &[Arc<str>]| -> Vec<String> { list.iter().map(ToString::to_string).collect() };
    let mut remarks = texts(&commands.remarks);
    let commands = texts(match scope {
        RunScope::One => commands.one.as_slice(),
        RunScope::Folder => &commands.folder,
    });
    if commands.is_empty() {
        return TerminalPrompt::Refused("The file name cannot be quoted for a shell.".to_owned());
    }
    if core.library.unsaved().next().is_some() {
        // First, because the result is not that of the text on the screen.
        remarks.insert(0, UNSAVED_REMARK.to_owned());
    }
    TerminalPrompt::Run(Proposal {
        name: match scope {
            RunScope::One => "Run session".to_owned(),
            RunScope::Folder => format!("Run {}", counted(commands.len(), "session", "sessions")),
        },
        commands,
        remarks,
        origin: None,
    })
}
